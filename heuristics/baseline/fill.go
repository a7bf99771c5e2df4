package baseline

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// filler looks for a schedule of identical GPUs that ends by a due, with depth-first
// search in order of time: at each tick at which GPUs are free it chooses jobs that take
// them, in the order of a random weighting of width and length. The due limits the total
// idle time of GPUs; if it leaves little, few choices remain: the free GPUs are filled
// exactly, or the branch ends. It gives up after a number of nodes, and restarts with
// another weighting (C. P. Gomes et al., Boosting combinatorial search through
// randomization, 1998).
//
// It is used for makespan without releases and deadlines.
type filler struct {
	*problem
	ctx    context.Context // of the search
	rng    *rand.Rand
	ranked []instance.JobID
	used   []bool
	start  []instance.Tick
	left   int           // jobs to place
	due    instance.Tick // when all have to be over
	idle   instance.Tick // GPU-ticks that may still be lost
	nodes  int           // nodes left in this try
	tries  int
	turn   int
}

const (
	// A try may visit firstNodes or, if that is more, nodesPerJob for every job, and half as
	// many more after every triesBeforeMore tries, up to mostMore times.
	firstNodes, nodesPerJob, triesBeforeMore, mostMore = 2000, 4, 20, 10
	// The context is checked after this many nodes.
	nodesPerPoll = 256
	// Operations that a node counts as.
	nodeWork = 4
)

// running is a number of GPUs that are taken until a tick.
type running struct {
	end  instance.Tick
	gpus int
}

// fillable reports whether a filler can be used for the instance.
func (p *problem) fillable() bool {
	return p.alike && p.in.Objective == instance.Makespan &&
		!slices.ContainsFunc(p.in.Jobs, func(j instance.Job) bool { return j.Release > 0 || j.Deadline > 0 })
}

func newFiller(p *problem, rng *rand.Rand) *filler {
	n := len(p.in.Jobs)
	return &filler{problem: p, rng: rng, used: make([]bool, n), start: make([]instance.Tick, n)}
}

// search looks for an order whose schedule ends before the best, until the work done is
// most: alternately for the earliest possible end, just before the best, and halfway.
// nil if it finds none.
func (f *filler) search(ctx context.Context, least, best float64, work *int, most int) []instance.JobID {
	f.ctx = ctx
	for ; *work < most && ctx.Err() == nil; f.turn++ {
		due := instance.Tick(best) - 1
		switch f.turn % 3 {
		case 1:
			due = instance.Tick(least)
		case 2:
			due = instance.Tick(math.Floor((least + best) / 2))
		}
		if order := f.by(due, work, most); order != nil {
			return order
		}
	}
	return nil
}

// by looks for an order whose schedule ends by the due, with a number of tries.
func (f *filler) by(due instance.Tick, work *int, most int) []instance.JobID {
	idle := due * instance.Tick(len(f.in.GPUs))
	for j, l := range f.shortest {
		idle -= l * instance.Tick(f.in.Jobs[j].Workers)
	}
	if idle < 0 || slices.Max(f.shortest) > due {
		*work += nodeWork * firstNodes // there is none
		return nil
	}
	for range triesBeforeMore {
		if *work > most || f.ctx.Err() != nil {
			return nil
		}
		nodes := max(firstNodes, nodesPerJob*len(f.start))
		for range min(f.tries/triesBeforeMore, mostMore) {
			nodes += nodes / 2
		}
		f.tries++
		f.rank(due)
		clear(f.used)
		f.due, f.idle, f.left, f.nodes = due, idle, len(f.start), nodes
		done := f.choose(0, 0, len(f.in.GPUs), nil)
		*work += (nodes - f.nodes) * nodeWork
		if done {
			return byTick(f.start)
		}
	}
	return nil
}

// rank draws the order in which jobs are preferred.
func (f *filler) rank(due instance.Tick) {
	wide, noise := f.rng.Float64(), f.rng.Float64()/2
	f.ranked = state.OrderBy(len(f.start), func(j instance.JobID) float64 {
		key := float64(wide*float64(f.in.Jobs[j].Workers)/float64(len(f.in.GPUs))) + float64((1-wide)*float64(f.shortest[j])/float64(due))
		return -key * (1 + float64(noise*(2*f.rng.Float64()-1)))
	})
}

// choose starts jobs at a tick on the GPUs that are free then, considering jobs from the
// given rank on, and continues at the next tick. taken is by ascending end. It reports
// whether all jobs are placed.
func (f *filler) choose(from int, at instance.Tick, free int, taken []running) bool {
	last := instance.NoJob
	for r := from; r < len(f.ranked) && f.nodes > 0; r++ {
		j := f.ranked[r]
		workers := f.in.Jobs[j].Workers
		if f.used[j] || workers > free || at+f.shortest[j] > f.due ||
			last >= 0 && workers == f.in.Jobs[last].Workers && f.shortest[j] == f.shortest[last] {
			continue
		}
		last = j
		if f.nodes--; f.nodes%nodesPerPoll == 0 && f.ctx.Err() != nil {
			f.nodes = 0
			return false
		}
		f.used[j], f.start[j] = true, at
		if f.left--; f.left == 0 {
			return true
		}
		now := running{at + f.shortest[j], workers}
		n, _ := slices.BinarySearchFunc(taken, now, func(a, b running) int { return int(a.end - b.end) })
		more := make([]running, 0, len(taken)+1)
		more = append(append(append(more, taken[:n]...), now), taken[n:]...)
		if workers < free && f.choose(r+1, at, free-workers, more) || workers == free && f.pass(at, 0, more) {
			return true
		}
		f.used[j] = false
		f.left++
	}
	return f.nodes > 0 && f.pass(at, free, taken)
}

// pass leaves free GPUs idle until the next tick at which a job ends, and continues
// there.
func (f *filler) pass(at instance.Tick, free int, taken []running) bool {
	if len(taken) == 0 {
		return false
	}
	next := taken[0].end
	lost := instance.Tick(free) * (next - at)
	if lost > f.idle {
		return false
	}
	for _, j := range f.ranked {
		if !f.used[j] && next+f.shortest[j] > f.due {
			return false
		}
	}
	for len(taken) > 0 && taken[0].end == next {
		free += taken[0].gpus
		taken = taken[1:]
	}
	f.nodes--
	f.idle -= lost
	done := f.choose(0, next, free, taken)
	f.idle += lost
	return done
}
