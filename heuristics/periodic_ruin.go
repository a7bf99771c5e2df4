package heuristics

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// ruin anneals a periodic plan whose period is fixed by ruin and recreate (G.
// Schrimpf et al., Record breaking optimization results using the ruin and
// recreate principle, J. Comput. Phys. 2000): some jobs are taken out, and they
// and jobs without iterations are put back, each where it gets most. Only what
// changes is worked on, so that a step costs the same however large the cluster.
type ruin struct {
	*moduloScheduler // its lodgers are by job; without GPUs they have no iterations
	rng              *rand.Rand
	multisets        [][][]int
	density          []float64 // per job: weight per GPU-tick
	residents        [][]instance.JobID
	value            int64 // weight of the iterations of a period
	scale            float64

	best      *moduloScheduler
	bestValue int64

	saved   []savedJob
	isSaved []bool
	touched []instance.NodeID
	out     []instance.JobID
	cost    []float64 // per GPU
	dry     []iteration
	homes   [][]instance.GPUID
}

type savedJob struct {
	job    instance.JobID
	lodger *lodger
	chain  []iteration
}

func newRuin(in *instance.Instance, rng *rand.Rand, period instance.Tick) *ruin {
	r := &ruin{rng: rng, multisets: make([][][]int, len(in.Jobs)), density: make([]float64, len(in.Jobs)),
		residents: make([][]instance.JobID, len(in.GPUs)), isSaved: make([]bool, len(in.Jobs)), cost: make([]float64, len(in.GPUs))}
	list := make([]*lodger, len(in.Jobs))
	weight := 0.0
	for _, class := range in.Classes() {
		job := &in.Jobs[class[0]]
		t := fastestType(in, job)
		sets := multisets(job, t)
		d := float64(job.Weight) / float64(int64(job.Workers)*int64(meanTime(job, t, sets[0])))
		for _, j := range class {
			r.multisets[j], r.density[j] = sets, d
			list[j] = &lodger{id: j, job: &in.Jobs[j]}
			weight += float64(job.Weight)
		}
	}
	r.scale = weight / float64(len(in.Jobs))
	r.moduloScheduler = newModuloScheduler(in, list, period)
	r.moduloScheduler.rng = rng
	return r
}

// take goes on from a plan whose period divides that of r.
func (r *ruin) clear() {
	for j := range r.lodgers {
		r.save(instance.JobID(j))
		r.evict(instance.JobID(j))
	}
	r.forget()
}

func (r *ruin) save(j instance.JobID) {
	if r.isSaved[j] {
		return
	}
	r.isSaved[j] = true
	r.saved = append(r.saved, savedJob{j, r.lodgers[j], r.chains[j]})
	r.chains[j] = r.chains[j][:len(r.chains[j]):len(r.chains[j])]
}

func (r *ruin) forget() {
	for _, s := range r.saved {
		r.isSaved[s.job] = false
	}
	r.saved = r.saved[:0]
}

func (r *ruin) undo() {
	for _, s := range r.saved {
		r.evict(s.job)
	}
	for _, s := range r.saved {
		r.settle(s.job, s.lodger, s.chain)
	}
	r.forget()
}

// evict takes a job out.
func (r *ruin) evict(j instance.JobID) {
	l := r.lodgers[j]
	for n := range r.chains[j] {
		r.release(l, &r.chains[j][n])
	}
	r.value -= l.job.Weight * int64(len(r.chains[j]))
	for _, g := range l.gpus {
		list := r.residents[g]
		at := slices.Index(list, j)
		list[at] = list[len(list)-1]
		r.residents[g] = list[:len(list)-1]
	}
	r.lodgers[j] = &lodger{id: j, job: l.job}
	r.chains[j] = nil
}

// settle puts a job in that was out.
func (r *ruin) settle(j instance.JobID, l *lodger, chain []iteration) {
	if len(chain) == 0 {
		return
	}
	r.lodgers[j], r.chains[j] = l, chain
	for n := range chain {
		r.reserve(l, &chain[n])
	}
	r.value += l.job.Weight * int64(len(chain))
	for _, g := range l.gpus {
		r.residents[g] = append(r.residents[g], j)
	}
}

// release gives back what reserve took.
func (m *moduloScheduler) release(l *lodger, it *iteration) {
	for w, g := range l.gpus {
		m.gpus[g].remove(it.start[w], l.time[w][it.depth[w]])
	}
	if len(l.syncs) > 0 {
		s := l.syncs[it.level]
		for _, u := range l.span.Uses {
			m.links[u.Link].add(it.sync, s.length, -s.rate*instance.BitRate(u.Times))
		}
	}
}

// walk anneals for so many steps.
func (r *ruin) walk(ctx context.Context, steps int, hot, cold float64) {
	for n := range steps {
		if n%64 == 0 && ctx.Err() != nil {
			return
		}
		heat := hot * math.Pow(cold/hot, float64(n)/float64(steps)) * r.scale
		before := r.value
		limit := float64(before) + heat*math.Log(1-r.rng.Float64())
		r.wreck()
		r.recreate()
		if float64(r.value) < limit {
			r.undo()
			continue
		}
		r.forget()
		if r.value > r.bestValue {
			r.bestValue = r.value
			r.best = &moduloScheduler{in: r.in, period: r.period, lodgers: slices.Clone(r.lodgers), chains: slices.Clone(r.chains)}
		}
	}
}

// wreck takes some jobs out.
func (r *ruin) wreck() {
	r.out, r.touched = r.out[:0], r.touched[:0]
	take := func(j instance.JobID) {
		if r.isSaved[j] {
			return
		}
		r.save(j)
		for _, g := range r.lodgers[j].gpus {
			r.touch(r.in.GPUs[g].Node)
		}
		r.out = append(r.out, j)
	}
	switch r.rng.IntN(3) {
	case 0: // jobs of two nodes
		for range 1 + r.rng.IntN(2) {
			node := &r.in.Nodes[r.rng.IntN(len(r.in.Nodes))]
			for range 1 + r.rng.IntN(3) {
				g := node.FirstGPU + instance.GPUID(r.rng.IntN(node.GPUs))
				if list := r.residents[g]; len(list) > 0 {
					take(list[r.rng.IntN(len(list))])
				}
			}
		}
	case 1: // a GPU's
		g := r.rng.IntN(len(r.in.GPUs))
		for _, j := range slices.Clone(r.residents[g]) {
			take(j)
		}
	case 2:
		for range 1 + r.rng.IntN(3) {
			take(instance.JobID(r.rng.IntN(len(r.in.Jobs))))
		}
	}
	for range r.rng.IntN(3) {
		if j := instance.JobID(r.rng.IntN(len(r.in.Jobs))); len(r.chains[j]) == 0 {
			take(j)
		}
	}
	r.homes = r.homes[:0]
	for _, j := range r.out {
		if len(r.lodgers[j].gpus) > 0 {
			r.homes = append(r.homes, r.lodgers[j].gpus)
		}
		r.evict(j)
	}
}

func (r *ruin) touch(n instance.NodeID) {
	if !slices.Contains(r.touched, n) {
		r.touched = append(r.touched, n)
	}
}

// recreate puts jobs back.
func (r *ruin) recreate() {
	switch r.rng.IntN(3) {
	case 0:
		r.rng.Shuffle(len(r.out), func(a, b int) { r.out[a], r.out[b] = r.out[b], r.out[a] })
	case 1:
		key := make([]float64, len(r.in.Jobs))
		for _, j := range r.out {
			key[j] = r.density[j] * (0.5 + r.rng.Float64())
		}
		slices.SortFunc(r.out, func(a, b instance.JobID) int { return cmp.Compare(key[b], key[a]) })
	case 2:
		slices.SortStableFunc(r.out, func(a, b instance.JobID) int {
			return cmp.Compare(r.in.Jobs[b].Workers, r.in.Jobs[a].Workers)
		})
	}
	for range 1 + r.rng.IntN(2) {
		r.touch(instance.NodeID(r.rng.IntN(len(r.in.Nodes))))
	}
	for _, j := range r.out {
		r.place(j)
	}
	// Top up.
	for _, n := range r.touched {
		node := &r.in.Nodes[n]
		for g := node.FirstGPU; g < node.FirstGPU+instance.GPUID(node.GPUs); g++ {
			for _, j := range r.residents[g] {
				r.more(j)
			}
		}
	}
}

// more appends iterations to a job's chain.
func (r *ruin) more(j instance.JobID) {
	l, chain := r.lodgers[j], r.chains[j]
	if chain[len(chain)-1].end+l.cycle > chain[0].begin()+r.period {
		return
	}
	r.save(j)
	for r.append(int(j), 0) {
		r.value += l.job.Weight
	}
}

// place puts a job where it gets most.
func (r *ruin) place(j instance.JobID) {
	job := &r.in.Jobs[j]
	most := math.MaxInt
	if r.rng.IntN(4) == 0 {
		most = 1 + r.rng.IntN(6)
	}
	var best []iteration
	var lodger *lodger
	try := func(gpus []instance.GPUID) {
		sets := r.multisets[j]
		counts := sets[0]
		if r.rng.IntN(3) == 0 {
			counts = sets[r.rng.IntN(len(sets))]
		}
		l := r.lodge(j, gpus, counts)
		if l == nil {
			return
		}
		r.moduloScheduler.slack = slack(r.rng.IntN(3))
		for range 2 {
			least := len(best)
			if int64(r.period/l.cycle) <= int64(least) {
				return
			}
			ready := instance.Tick(r.rng.Int64N(int64(r.period)))
			g := l.gpus[r.rng.IntN(len(l.gpus))]
			if busy := r.gpus[g].busy; len(busy) > 0 && r.rng.IntN(2) == 0 {
				ready = busy[r.rng.IntN(len(busy))].to
			}
			if chain := r.try(l, ready, most, least); len(chain) > len(best) {
				best, lodger = slices.Clone(chain), l
			}
			if len(best) >= most {
				return
			}
		}
	}
	for _, home := range r.homes {
		if len(home) == job.Workers {
			try(home)
		}
	}
	for _, n := range r.touched {
		if gpus := r.choose(j, n); gpus != nil {
			try(gpus)
		}
	}
	if len(best) > 0 {
		r.settle(j, lodger, best)
	}
}

// try builds a chain without reserving it, of more than least iterations.
func (r *ruin) try(l *lodger, ready instance.Tick, most, least int) []iteration {
	r.dry = r.dry[:0]
	var closing instance.Tick
	for len(r.dry) < most {
		if closing > 0 && ready+l.cycle > closing {
			break
		}
		if closing > 0 && len(r.dry)+int((closing-ready)/l.cycle) <= least {
			return nil
		}
		it, ok := r.find(l, ready, closing)
		if !ok {
			break
		}
		if closing == 0 {
			closing = it.begin() + r.period
		}
		r.dry = append(r.dry, it)
		ready = it.end
	}
	return r.dry
}

// lodge describes job j on GPUs; nil where it cannot live there.
func (r *ruin) lodge(j instance.JobID, gpus []instance.GPUID, counts []int) *lodger {
	job := &r.in.Jobs[j]
	span, ok := r.in.Span(gpus)
	if !ok {
		return nil
	}
	l := &lodger{id: j, job: job, gpus: gpus, counts: counts, span: span}
	longest := instance.Tick(0)
	for _, g := range gpus {
		t := r.in.GPUs[g].Type
		room := r.in.Types[t].Memory
		costs := job.On[t]
		least := instance.Bytes(0)
		for _, o := range r.residents[g] {
			c := r.in.Jobs[o].On[t]
			room -= c.Persistent
			least = max(least, c.Ephemeral[r.in.Jobs[o].Full()])
		}
		d := job.Full()
		room -= costs.Persistent
		if least > room {
			return nil
		}
		for d > 0 && costs.Ephemeral[d] > room {
			d--
		}
		if costs.Ephemeral[d] > room {
			return nil
		}
		l.deepest, l.time = append(l.deepest, d), append(l.time, costs.Time)
		if d == job.Full() && (longest == 0 || costs.Time[d] < longest) {
			longest = costs.Time[d]
		}
	}
	l.cycle = longest
	if l.syncs = undominated(appendSyncs(nil, r.in, job, counts, &l.span, 0)); len(l.syncs) > 0 {
		l.cycle += l.syncs[0].length
	}
	return l
}

// choose draws GPUs for a job in a node, or in that and others.
func (r *ruin) choose(j instance.JobID, first instance.NodeID) []instance.GPUID {
	job := &r.in.Jobs[j]
	k := job.Workers
	noise := r.rng.Float64() * r.rng.Float64() * float64(r.period) / 2
	var list []instance.GPUID
	add := func(n instance.NodeID) {
		node := &r.in.Nodes[n]
		if !job.Runs(node.Type) {
			return
		}
		from := len(list)
		for g := node.FirstGPU; g < node.FirstGPU+instance.GPUID(node.GPUs); g++ {
			r.cost[g] = float64(r.gpus[g].load) + noise*r.rng.Float64()
			list = append(list, g)
		}
		slices.SortFunc(list[from:], func(a, b instance.GPUID) int { return cmp.Compare(r.cost[a], r.cost[b]) })
	}
	add(first)
	if len(list) < k && job.Within != instance.WithinNode {
		type cand struct {
			n    instance.NodeID
			cost float64
		}
		var cands []cand
		for n := range r.in.Nodes {
			node := &r.in.Nodes[n]
			if instance.NodeID(n) == first || !job.Runs(node.Type) {
				continue
			}
			c := cand{instance.NodeID(n), noise * r.rng.Float64() * float64(node.GPUs)}
			for g := node.FirstGPU; g < node.FirstGPU+instance.GPUID(node.GPUs); g++ {
				c.cost += float64(r.gpus[g].load)
			}
			c.cost /= float64(node.GPUs)
			if node.Rack != r.in.Nodes[first].Rack {
				if job.Within == instance.WithinRack {
					continue
				}
				c.cost += float64(r.period)
			}
			cands = append(cands, c)
		}
		slices.SortFunc(cands, func(a, b cand) int { return cmp.Compare(a.cost, b.cost) })
		for _, c := range cands {
			if len(list) >= k {
				break
			}
			add(c.n)
		}
	}
	if len(list) < k {
		return nil
	}
	list = list[:k:k]
	slices.Sort(list)
	return list
}
