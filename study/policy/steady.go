package policy

import (
	"context"
	"math"
	"slices"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/study/replay"
)

// Capacity of the resources that the jobs of a group share: jobs at a time.
const (
	loaders  = 2 // storage and CPU: a job loads through one, then the other
	networks = 1
)

// pacer finds the steady state of groups: a periodic plan of JigSaw for the
// group's jobs on the group's GPUs.
//
// In the plan an iteration computes for its GPU time on every GPU, with ladder
// depths where its model has a shape, and then does the rest of what it takes alone
// off the GPUs, as a synchronisation of which two fit at a time. Those are the
// loading and network stages, which the trace knows as totals. Partial
// backpropagation makes none of them shorter here, which is cautious. The objective
// is the least speed relative to running alone.
//
// Loading and network stages that overlap with computing are not in the plan; all
// rates are lowered until loaders and network are enough for them.
type pacer struct {
	ctx   context.Context
	seed  uint64
	known map[string][]float64
	work  map[int]float64 // of classes
}

func newPacer(ctx context.Context, o Options) *pacer {
	return &pacer{ctx: ctx, seed: o.Seed, known: map[string][]float64{}, work: map[int]float64{}}
}

// speeds returns how fast jobs of these classes, ascending, go on GPUs of a type
// if they share them, relative to running alone.
func (p *pacer) speeds(w *replay.Workload, classes []int, kind int) []float64 {
	key := make([]byte, 0, 4*len(classes)+4)
	for _, c := range append([]int{kind}, classes...) {
		key = append(key, byte(c), byte(c>>8), byte(c>>16), byte(c>>24))
	}
	if known, ok := p.known[string(key)]; ok {
		return known
	}
	v := p.steady(w, classes, kind)
	p.known[string(key)] = v
	return v
}

func (p *pacer) steady(w *replay.Workload, classes []int, kind int) []float64 {
	speeds := make([]float64, len(classes))
	if len(classes) == 1 {
		speeds[0] = 1
		return speeds
	}
	// Taking turns, iteration by iteration, is always possible.
	turns := 1 / float64(len(classes))
	for k := range speeds {
		speeds[k] = turns
	}
	in, err := instance.Compile(groupInstance(w, classes, kind), nil)
	if err != nil {
		panic("policy: the instance of a group is malformed: " + err.Error())
	}
	s, err := jigsaw.Greedy(p.ctx, in, p.seed)
	if err != nil || s.Period == 0 {
		return speeds // no plan: turns
	}
	period := float64(s.Period) * float64(in.TickUS) / 1e6
	planned := make([]float64, len(classes))
	load, network, least := 0.0, 0.0, math.Inf(1)
	for k, n := range s.Iterations(in) {
		class := &w.Classes[classes[k]]
		planned[k] = min(1, float64(n)*class.Iteration[kind]/period)
		load += planned[k] * class.Stages.Load
		network += planned[k] * class.Stages.Network
	}
	lower := max(1, load/loaders, network/networks)
	for k := range planned {
		planned[k] /= lower
		least = min(least, planned[k])
	}
	if least < turns {
		return speeds
	}
	return planned
}

// periods turns speeds into the seconds of an iteration, for jobs in any order.
func (p *pacer) periods(w *replay.Workload, jobs []int, kind int) []float64 {
	order := slices.Clone(jobs)
	slices.SortFunc(order, func(a, b int) int {
		if c := w.Jobs[a].Class - w.Jobs[b].Class; c != 0 {
			return c
		}
		return a - b
	})
	classes := make([]int, len(order))
	for k, i := range order {
		classes[k] = w.Jobs[i].Class
	}
	speeds := p.speeds(w, classes, kind)
	periods := make([]float64, len(jobs))
	for k, i := range jobs {
		periods[k] = w.ClassOf(i).Iteration[kind] / speeds[slices.Index(order, i)]
	}
	return periods
}

// estimate returns about how fast jobs go together, relative to running alone: as
// fast as GPUs, loaders and network allow if none ever waits for two of them. A plan
// takes longer to make, and comes within a few percent of it.
func (p *pacer) estimate(w *replay.Workload, jobs []int) float64 {
	gpu, off, load, network := 0.0, 0.0, 0.0, 0.0
	for _, i := range jobs {
		c := w.Jobs[i].Class
		work, ok := p.work[c]
		if !ok {
			work = Work(&w.Classes[c])
			p.work[c] = work
		}
		stages := w.Classes[c].Stages
		gpu += work
		off += 1 - stages.GPU
		load += stages.Load
		network += stages.Network
	}
	return 1 / max(1, gpu, off/loaders, load/loaders, network/networks)
}
