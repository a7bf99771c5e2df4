package check_test

import (
	"maps"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// reference is a second checker, written from docs/problem.md alone and naive on
// purpose: it loops over all ticks, GPUs and links, searches routes in the spec
// rather than in the instance's tree, and computes volumes with fractions. It
// returns the set of broken rules.
type reference struct {
	spec *instance.Spec
	in   *instance.Instance
	s    *instance.Schedule

	broken map[int]bool
}

func referenceCheck(spec *instance.Spec, in *instance.Instance, s *instance.Schedule) []int {
	r := &reference{spec: spec, in: in, s: s, broken: map[int]bool{}}
	if r.wellFormed() {
		for j := range in.Jobs {
			r.job(instance.JobID(j))
		}
		r.eachTick()
		r.memory()
	}
	var rules []int
	for rule := range 11 {
		if r.broken[rule] {
			rules = append(rules, rule)
		}
	}
	return rules
}

func (r *reference) require(rule int, holds bool) {
	if !holds {
		r.broken[rule] = true
	}
}

func (r *reference) wellFormed() bool {
	in, s := r.in, r.s
	periodic := in.Objective == instance.Throughput || in.Objective == instance.MaxMinThroughput
	r.require(0, periodic == (s.Period != 0) && s.Period >= 0)
	r.require(0, len(s.Residency) == len(in.Jobs))
	for _, gpus := range s.Residency {
		for _, g := range gpus {
			r.require(0, 0 <= g && int(g) < len(in.GPUs))
		}
	}
	for _, t := range s.Tasks {
		job := 0 <= t.Job && int(t.Job) < len(in.Jobs)
		r.require(0, job && t.Iteration > 0 && 0 <= t.GPU && int(t.GPU) < len(in.GPUs) && 0 <= t.Start && t.Start <= t.End)
		r.require(0, job && 0 <= t.Depth && t.Depth < len(in.Jobs[max(0, min(int(t.Job), len(in.Jobs)-1))].Depths))
	}
	for _, y := range s.Syncs {
		r.require(0, 0 <= y.Job && int(y.Job) < len(in.Jobs) && y.Iteration > 0 && 0 <= y.Start && y.Start <= y.End)
		known := false
		for _, l := range in.RateLevels {
			known = known || l == y.Rate
		}
		r.require(0, known)
	}
	if r.broken[0] {
		return false
	}
	r.require(0, in.MaxPeriod == 0 || s.Period <= in.MaxPeriod)
	return true
}

// gpusOf returns the distinct GPUs a job lives on.
func (r *reference) gpusOf(j instance.JobID) map[instance.GPUID]bool {
	gpus := map[instance.GPUID]bool{}
	for _, g := range r.s.Residency[j] {
		gpus[g] = true
	}
	return gpus
}

func (r *reference) job(id instance.JobID) {
	in, job, gpus := r.in, &r.in.Jobs[id], r.gpusOf(id)
	tasks, syncs := map[int][]instance.Task{}, map[int][]instance.Sync{}
	last := 0
	for _, t := range r.s.Tasks {
		if t.Job == id {
			tasks[t.Iteration] = append(tasks[t.Iteration], t)
			last = max(last, t.Iteration)
		}
	}
	for _, y := range r.s.Syncs {
		if y.Job == id {
			syncs[y.Iteration] = append(syncs[y.Iteration], y)
			last = max(last, y.Iteration)
		}
	}
	iterations := job.Iterations
	if r.s.Period > 0 {
		if iterations = last; last == 0 {
			r.require(1, len(gpus) == 0 && len(r.s.Residency[id]) == 0)
			return
		}
	}

	// Rule 1.
	r.require(1, len(r.s.Residency[id]) == job.Workers && len(gpus) == job.Workers)
	nodes, racks := map[instance.NodeID]bool{}, map[int]bool{}
	for g := range gpus {
		r.require(1, job.On[in.GPUs[g].Type] != nil)
		nodes[in.GPUs[g].Node] = true
		racks[in.Nodes[in.GPUs[g].Node].Rack] = true
	}
	group := max(1, job.GPUsPerWorker)
	listed := slices.Sorted(maps.Keys(gpus))
	for n, g := range listed {
		r.require(1, len(listed) != job.Workers || in.GPUs[g].Node == in.GPUs[listed[n/group*group]].Node)
	}
	r.require(1, job.Within != instance.WithinNode || len(nodes) <= 1)
	r.require(1, job.Within != instance.WithinRack || len(racks) <= 1)

	r.require(2, last <= iterations)
	ready, completion, earliest := job.Release, instance.Tick(0), instance.Tick(-1)
	for i := 1; i <= iterations; i++ {
		if len(tasks[i])+len(syncs[i]) == 0 {
			r.require(2, false)
			continue
		}
		// Rules 2 and 3.
		complete := len(gpus) == job.Workers
		for g := range gpus {
			n := 0
			for _, t := range tasks[i] {
				if t.GPU == g {
					n++
				}
			}
			r.require(2, n == 1)
			complete = complete && n == 1
		}
		counts := make([]int, len(job.Depths))
		for _, t := range tasks[i] {
			r.require(2, gpus[t.GPU])
			complete = complete && gpus[t.GPU]
			if costs := job.On[in.GPUs[t.GPU].Type]; costs != nil {
				r.require(2, t.Start+costs.Time[t.Depth] == t.End)
			}
			counts[t.Depth]++
		}
		for a := 0; complete && a < len(tasks[i]); a++ {
			for _, t := range tasks[i] {
				at, other := slices.Index(listed, t.GPU), slices.Index(listed, tasks[i][a].GPU)
				alike := at/group != other/group || t.Depth == tasks[i][a].Depth && t.Start == tasks[i][a].Start
				r.require(2, alike)
				complete = complete && alike
			}
		}
		if complete {
			r.require(3, r.allowed(job, counts))
		}
		// Rules 4 and 5.
		end, syncEnd := ready, instance.Tick(0)
		for n, t := range tasks[i] {
			r.require(4, t.Start >= ready)
			r.require(4, !job.Gang || t.Start == tasks[i][0].Start)
			if end = max(end, t.End); n == 0 {
				end = t.End
			}
			if i == 1 && (earliest < 0 || t.Start < earliest) {
				earliest = t.Start
			}
			completion = max(completion, t.End)
		}
		for _, t := range tasks[i] {
			end = max(end, t.End)
			for _, y := range syncs[i] {
				r.require(5, y.Start >= t.End)
			}
		}
		if job.Workers > 1 {
			r.require(5, len(syncs[i]) == 1)
		} else {
			r.require(5, len(syncs[i]) == 0)
		}
		for _, y := range syncs[i] {
			syncEnd = max(syncEnd, y.End)
			if job.Workers > 1 {
				completion = max(completion, y.End)
			}
			if links, _ := r.ring(gpus); complete && job.Workers > 1 && links != nil {
				r.require(9, y.End-y.Start == r.length(job, counts, gpus, y.Rate))
			}
		}
		if ready = end; job.Workers > 1 && len(syncs[i]) > 0 {
			ready = syncEnd
		}
	}
	if r.s.Period > 0 {
		r.require(4, earliest < 0 || earliest+r.s.Period >= ready)
	} else {
		r.require(10, job.Deadline == 0 || completion <= job.Deadline)
	}
}

func (r *reference) allowed(job *instance.Job, counts []int) bool {
	if job.Rule.Fixed != nil {
		return slices.Equal(counts, job.Rule.Fixed)
	}
	share := int64(0)
	for d, n := range counts {
		for range n {
			share += job.Depths[d].Share
		}
	}
	return counts[len(counts)-1] >= job.Rule.MinFull && share >= job.Rule.MinShare
}

// ring returns how often the ring of a job crosses each link, by name; nil
// where a failed link is in its way. parties is q.
func (r *reference) ring(gpus map[instance.GPUID]bool) (crossed map[string]int64, parties int64) {
	var nodes []instance.NodeID
	for n := range r.in.Nodes {
		for g := range gpus {
			if r.in.GPUs[g].Node == instance.NodeID(n) && !slices.Contains(nodes, instance.NodeID(n)) {
				nodes = append(nodes, instance.NodeID(n))
			}
		}
	}
	crossed = map[string]int64{}
	if len(nodes) == 1 {
		parties = int64(len(gpus))
		crossed[r.in.Nodes[nodes[0]].Name+".fabric"] = 1
	} else {
		parties = int64(len(nodes))
		for i, n := range nodes {
			from, to := &r.in.Nodes[n], &r.in.Nodes[nodes[(i+1)%len(nodes)]]
			crossed[from.Name+".up"]++
			crossed[to.Name+".down"]++
			hops, ok := r.hops(from, to)
			if !ok {
				return nil, parties
			}
			for _, name := range hops {
				crossed[name]++
			}
		}
	}
	for name := range crossed {
		if slices.Contains(r.spec.Cluster.FailedLinks, name) {
			return nil, parties
		}
	}
	return crossed, parties
}

// hops returns the links between the switches of two nodes, by the spec.
func (r *reference) hops(from, to *instance.Node) ([]string, bool) {
	c := &r.spec.Cluster
	a, b := r.in.Racks[from.Rack].Name, r.in.Racks[to.Rack].Name
	if a == b {
		return nil, true
	}
	if len(c.Racks) > 0 { // the short form: up to the core and down again
		return []string{a + ".up", b + ".down"}, true
	}
	// Longer and longer walks from a, in order of declaration.
	type walk struct {
		at    string
		links []string
	}
	walks := []walk{{at: a}}
	for range c.Switches {
		var longer []walk
		for _, w := range walks {
			for _, l := range c.Links {
				label := l.Name
				if label == "" {
					label = l.From + "-" + l.To
				}
				step := func(from, to, name string) {
					if w.at == from && !slices.Contains(c.FailedLinks, name) {
						longer = append(longer, walk{to, append(slices.Clone(w.links), name)})
					}
				}
				step(l.From, l.To, label+".fwd")
				step(l.To, l.From, label+".rev")
			}
		}
		walks = longer
		for _, w := range walks {
			if w.at == b {
				return w.links, true
			}
		}
	}
	return nil, false
}

func (r *reference) link(name string) *instance.Link {
	for l := range r.in.Links {
		if r.in.Links[l].Name == name {
			return &r.in.Links[l]
		}
	}
	panic(name)
}

// rate of a sync with a level, in bit/s.
func (r *reference) rate(crossed map[string]int64, level instance.RateLevel) *big.Rat {
	slowest := int64(-1)
	for name, times := range crossed {
		if c := int64(r.link(name).Capacity) / times; slowest < 0 || c < slowest {
			slowest = c
		}
	}
	return big.NewRat(slowest, int64(level))
}

// crossedOne reports whether the GPUs are of one node.
func crossedOne(r *reference, gpus map[instance.GPUID]bool) bool {
	nodes := map[instance.NodeID]bool{}
	for g := range gpus {
		nodes[r.in.GPUs[g].Node] = true
	}
	return len(nodes) == 1
}

// length of a sync in ticks, by the formula of section 4.
func (r *reference) length(job *instance.Job, counts []int, gpus map[instance.GPUID]bool, level instance.RateLevel) instance.Tick {
	crossed, q := r.ring(gpus)
	group := int64(max(1, job.GPUsPerWorker))
	if crossedOne(r, gpus) {
		q /= group
	}
	volume := new(big.Rat)
	for s, bytes := range job.SegmentBytes {
		n := int64(0)
		for d, count := range counts {
			if d >= s {
				n += int64(count) / group
			}
		}
		if n == 0 {
			continue
		}
		for _, part := range []struct{ parties, times int64 }{{min(q, n), 1 + job.MoreReductions}, {q, 1 + job.MoreGathers}} {
			sent := big.NewRat(part.parties-1, part.parties)
			sent.Mul(sent, big.NewRat(int64(bytes), 1))
			volume.Add(volume, new(big.Rat).SetInt(new(big.Int).Mul(ceil(sent), big.NewInt(part.times))))
		}
	}
	perTick := r.rate(crossed, level)
	perTick.Quo(perTick, big.NewRat(8, 1)) // bytes per second
	perTick.Mul(perTick, big.NewRat(r.in.TickUS, 1_000_000))
	ticks := ceil(volume.Quo(volume, perTick)).Int64()
	return max(r.in.Latency, instance.Tick(ticks))
}

func ceil(x *big.Rat) *big.Int {
	n := new(big.Int).Add(x.Num(), x.Denom())
	n.Sub(n, big.NewInt(1))
	return n.Div(n, x.Denom())
}

// eachTick tests rules 6 and 8 tick by tick.
func (r *reference) eachTick() {
	horizon := r.s.Period
	var latest instance.Tick
	for _, t := range r.s.Tasks {
		latest = max(latest, t.End)
	}
	for _, y := range r.s.Syncs {
		latest = max(latest, y.End)
	}
	if horizon == 0 {
		horizon = latest
	}
	// times counts how often something is under way at a tick of the period.
	times := func(tick, start, end instance.Tick) (n int64) {
		for t := tick; t < end; t += horizon {
			if t >= start {
				n++
			}
		}
		return n
	}
	rings := make([]map[string]int64, len(r.in.Jobs))
	for _, y := range r.s.Syncs {
		gpus := r.gpusOf(y.Job)
		if workers := r.in.Jobs[y.Job].Workers; workers > 1 && len(gpus) == workers {
			rings[y.Job], _ = r.ring(gpus)
			r.require(8, rings[y.Job] != nil)
		}
	}
	for tick := range horizon {
		for g := range r.in.GPUs {
			running := int64(0)
			for _, t := range r.s.Tasks {
				if int(t.GPU) == g {
					running += times(tick, t.Start, t.End)
				}
			}
			r.require(6, running <= 1)
		}
		for l := range r.in.Links {
			load := new(big.Rat)
			for _, y := range r.s.Syncs {
				if rings[y.Job] != nil {
					here := big.NewRat(times(tick, y.Start, y.End)*rings[y.Job][r.in.Links[l].Name], 1)
					load.Add(load, here.Mul(here, r.rate(rings[y.Job], y.Rate)))
				}
			}
			r.require(8, load.Cmp(big.NewRat(int64(r.in.Links[l].Capacity), 1)) <= 0)
		}
	}
}

// memory tests rule 7.
func (r *reference) memory() {
	for g, gpu := range r.in.GPUs {
		need := instance.Bytes(0)
		for j := range r.in.Jobs {
			if costs := r.in.Jobs[j].On[gpu.Type]; costs != nil && r.gpusOf(instance.JobID(j))[instance.GPUID(g)] {
				need += costs.Persistent
			}
		}
		most := instance.Bytes(0)
		for _, t := range r.s.Tasks {
			if costs := r.in.Jobs[t.Job].On[gpu.Type]; costs != nil && int(t.GPU) == g {
				most = max(most, costs.Ephemeral[t.Depth])
			}
		}
		r.require(7, need+most <= r.in.Types[gpu.Type].Memory)
	}
}
