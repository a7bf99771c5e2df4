package heuristics

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// periodicHomes anneals residencies for a periodic plan on an estimate of the
// rates that they admit: in a fixed order each job takes what its GPUs and
// links have left, up to its own speed. A job that shares GPUs is expected to
// reach only a part of it, which stands for what tasks that wait for each
// other lose. Jobs may live nowhere.
type periodicHomes struct {
	in     *instance.Instance
	rng    *rand.Rand
	counts [][]int
	speed  float64 // of jobs that share GPUs, as part of what they reach alone

	home  []*estate // by job; nil: nowhere
	order []instance.JobID

	memory    []instance.Bytes // by GPU: left for parameters and the largest activations
	residents [][]int32        // by GPU: jobs, with what they keep
	load      []float64        // by GPU: share of time in use
	links     []float64        // likewise
	rate      []float64        // by job: iterations per tick
}

// estate is where a job lives in the estimate.
type estate struct {
	gpus  []instance.GPUID
	span  instance.Span
	work  []float64 // ticks of an iteration, by worker
	cycle float64   // ticks of an iteration alone
	uses  []float64 // share of the link times rate, by use
}

// periodicHeat and periodicChill are the temperatures at the start and the end
// of annealing residencies, as parts of the value.
const periodicHeat, periodicChill = 1e-2, 2e-4

func newPeriodicHomes(in *instance.Instance, rng *rand.Rand, counts [][]int, speed float64) *periodicHomes {
	return &periodicHomes{
		in: in, rng: rng, counts: counts, speed: speed, home: make([]*estate, len(in.Jobs)), order: byWork(in, counts),
		residents: make([][]int32, len(in.GPUs)), load: make([]float64, len(in.GPUs)),
		links: make([]float64, len(in.Links)), rate: make([]float64, len(in.Jobs)),
	}
}

// estate returns what living on the given GPUs means; nil where job j may not.
func (h *periodicHomes) estate(j int32, gpus []instance.GPUID) *estate {
	home := newAbode(h.in, j, gpus)
	if home == nil {
		return nil
	}
	job := &h.in.Jobs[j]
	e := &estate{gpus: gpus, cycle: math.Inf(1)}
	for w := range gpus {
		sum := instance.Tick(0)
		for d, n := range h.counts[j] {
			sum += instance.Tick(n) * home.time[w][d]
		}
		e.work = append(e.work, float64(sum)/float64(len(gpus)))
		e.cycle = min(e.cycle, float64(home.time[w][job.Full()]))
	}
	if job.HasSync() {
		sync := float64(h.in.SyncTicks(job.Volume(h.counts[j], home.parties), home.rate[0]))
		e.cycle += sync
		for _, u := range home.uses {
			e.span.Uses = append(e.span.Uses, u)
			e.uses = append(e.uses, sync*float64(home.rate[0])*float64(u.Times)/float64(h.in.Links[u.Link].Capacity))
		}
	}
	return e
}

// keeps is the memory that job j takes on a GPU for as long as it lives there.
func (h *periodicHomes) fits(g instance.GPUID) bool {
	t := h.in.GPUs[g].Type
	left, most := h.in.Types[t].Memory, instance.Bytes(0)
	for _, j := range h.residents[g] {
		costs := h.in.Jobs[j].On[t]
		left -= costs.Persistent
		most = max(most, costs.Ephemeral[len(costs.Ephemeral)-1])
	}
	return left >= most
}

// settle moves job j to an estate, or out.
func (h *periodicHomes) settle(j int32, e *estate) {
	if old := h.home[j]; old != nil {
		for _, g := range old.gpus {
			at := slices.Index(h.residents[g], j)
			h.residents[g] = slices.Delete(h.residents[g], at, at+1)
		}
	}
	if h.home[j] = e; e != nil {
		for _, g := range e.gpus {
			h.residents[g] = append(h.residents[g], j)
		}
	}
}

// value estimates the value of the residencies, and leaves the rates.
func (h *periodicHomes) value() float64 {
	clear(h.load)
	clear(h.links)
	sum := 0.0
	for _, j := range h.order {
		h.rate[j] = 0
		e := h.home[j]
		if e == nil {
			continue
		}
		rate := 1 / e.cycle
		for _, g := range e.gpus {
			if len(h.residents[g]) > 1 {
				rate = h.speed / e.cycle
				break
			}
		}
		for w, g := range e.gpus {
			rate = min(rate, (1-h.load[g])/e.work[w])
		}
		for n, u := range e.span.Uses {
			if e.uses[n] > 0 {
				rate = min(rate, (1-h.links[u.Link])/e.uses[n])
			}
		}
		if rate*e.cycle < 1e-3 {
			continue
		}
		for w, g := range e.gpus {
			h.load[g] += rate * e.work[w]
		}
		for n, u := range e.span.Uses {
			h.links[u.Link] += rate * e.uses[n]
		}
		h.rate[j] = rate
		sum += rate * float64(h.in.Jobs[j].Weight)
	}
	return sum
}

// anneal looks for residencies of high value.
func (h *periodicHomes) anneal(ctx context.Context, steps int) {
	now := h.value()
	for n := range steps {
		if n&63 == 0 && ctx.Err() != nil {
			return
		}
		changed := h.change()
		if changed == nil {
			continue
		}
		heat := periodicHeat * math.Pow(periodicChill/periodicHeat, float64(n)/float64(steps))
		if v := h.value(); v >= now+heat*now*math.Log(1-h.rng.Float64()) {
			now = v
			continue
		}
		for i := len(changed) - 1; i >= 0; i-- {
			h.settle(changed[i].job, changed[i].was)
		}
	}
	h.value()
}

type resettled struct {
	job int32
	was *estate
}

// change moves some jobs and returns where they were; nil if that cannot be.
func (h *periodicHomes) change() []resettled {
	in := h.in
	a := int32(h.rng.IntN(len(in.Jobs)))
	b := int32(h.rng.IntN(len(in.Jobs)))
	var done []resettled
	put := func(j int32, gpus []instance.GPUID) bool {
		var e *estate
		if gpus != nil {
			if e = h.estate(j, gpus); e == nil {
				return false
			}
		}
		done = append(done, resettled{j, h.home[j]})
		h.settle(j, e)
		return true
	}
	ok := true
	switch draw := h.rng.IntN(8); {
	case h.home[a] == nil || draw == 0: // anywhere
		gpus := h.draw(a)
		ok = gpus != nil && put(a, gpus)
	case draw == 1: // out
		ok = put(a, nil)
	case draw <= 3 && h.home[b] != nil && a != b: // to where b lives
		k := in.Jobs[a].Workers
		gpus := slices.Clone(h.home[b].gpus)
		h.rng.Shuffle(len(gpus), func(x, y int) { gpus[x], gpus[y] = gpus[y], gpus[x] })
		for len(gpus) < k {
			g := instance.GPUID(h.rng.IntN(len(in.GPUs)))
			if slices.Contains(gpus, g) {
				return nil
			}
			gpus = append(gpus, g)
		}
		ok = put(a, gpus[:k])
	case draw <= 5 && h.home[b] != nil && a != b: // exchange
		one, two := slices.Clone(h.home[a].gpus), slices.Clone(h.home[b].gpus)
		if len(one) == len(two) && draw == 4 {
			one, two = two, one
		} else {
			x, y := h.rng.IntN(len(one)), h.rng.IntN(len(two))
			one[x], two[y] = two[y], one[x]
		}
		ok = put(a, one) && put(b, two)
	default: // one worker elsewhere
		gpus := slices.Clone(h.home[a].gpus)
		gpus[h.rng.IntN(len(gpus))] = instance.GPUID(h.rng.IntN(len(in.GPUs)))
		ok = put(a, gpus)
	}
	for _, c := range done {
		if e := h.home[c.job]; ok && e != nil {
			for _, g := range e.gpus {
				ok = ok && h.fits(g)
			}
		}
	}
	if !ok {
		for i := len(done) - 1; i >= 0; i-- {
			h.settle(done[i].job, done[i].was)
		}
		return nil
	}
	return done
}

// draw chooses GPUs for job j at random: in one node, one rack, or anywhere,
// those with time to spare first.
func (h *periodicHomes) draw(j int32) []instance.GPUID {
	in, job := h.in, &h.in.Jobs[j]
	near := in.GPUs[h.rng.IntN(len(in.GPUs))].Node
	reach := h.rng.IntN(3)
	var list []instance.GPUID
	for g := range in.GPUs {
		node := in.GPUs[g].Node
		if job.Runs(in.GPUs[g].Type) && (node == near || reach == 1 && in.Nodes[node].Rack == in.Nodes[near].Rack || reach == 2) {
			list = append(list, instance.GPUID(g))
		}
	}
	if len(list) < job.Workers {
		return nil
	}
	h.rng.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
	if h.rng.IntN(2) == 0 {
		slices.SortStableFunc(list, func(a, b instance.GPUID) int { return cmp.Compare(h.load[a], h.load[b]) })
	}
	return list[:job.Workers]
}

// lodgers describes the residencies to the modulo scheduler, with the rates
// of the estimate as targets.
func (h *periodicHomes) lodgers() []*lodger {
	p := &placement{
		gpus: make([][]instance.GPUID, len(h.in.Jobs)), limit: make([][]int, len(h.in.Jobs)), span: make([]instance.Span, len(h.in.Jobs)),
	}
	for j, e := range h.home {
		if e != nil && h.rate[j] > 0 {
			p.gpus[j] = slices.Sorted(slices.Values(e.gpus))
			p.span[j], _ = h.in.Span(e.gpus)
		}
	}
	list := lodgers(h.in, p, h.counts)
	for _, l := range list {
		l.target = h.rate[l.id]
	}
	return list
}
