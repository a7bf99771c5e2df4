package horizon

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics"
)

// company is some jobs that are in memory together on some nodes, and their pattern, which
// repeats until all of them are done. Jobs and GPUs of the pattern are those of the part.
type company struct {
	part   *instance.Part
	r      []int // iterations of each job in the pattern
	s      *instance.Schedule
	period instance.Tick
}

// iterations chooses how many iterations of each job go into a pattern: about in proportion to
// what they have to do, so that they end together.
func iterations(in *instance.Instance, pattern int) []int {
	most, r, want := 0, make([]int, len(in.Jobs)), make([]float64, len(in.Jobs))
	for j := range in.Jobs {
		r[j] = in.Jobs[j].Iterations
		most, want[j] = max(most, r[j]), float64(r[j])
	}
	if most <= pattern {
		return r
	}
	return heuristics.Pattern(in, want, pattern)
}

// meet makes a company of jobs on nodes, both ascending, by the finite search: rounds 0 is until
// the context ends, and less than 0 tries of list scheduling alone. The search goes on from the best of a few starts, with patterns
// of several sizes: small ones are searched faster, and luck at the start decides most.
func meet(ctx context.Context, in *instance.Instance, rng *rand.Rand, jobs []instance.JobID, nodes []instance.NodeID, rounds, tries int) (*company, error) {
	part := in.Part(jobs, nodes, nil)
	within, cancel := ctx, context.CancelFunc(func() {})
	if end, ok := ctx.Deadline(); ok {
		within, cancel = context.WithTimeout(ctx, time.Until(end)/2)
	}
	defer cancel()
	starts, short := 6, startRounds
	if rounds > 0 {
		starts, short = 3, rounds
	}
	var best *company
	for n := 0; n < starts && (n == 0 || rounds >= 0 && within.Err() == nil); n++ {
		c := &company{part: part, r: iterations(part.Instance, heuristics.MostPattern>>(n%3))}
		if best != nil && n < 3 && slices.Equal(c.r, best.r) {
			break // short jobs, whose iterations are all in the pattern
		}
		small := part.Miniature(c.r)
		// The first schedule does not depend on the clock: there is one wherever there can be.
		var err error
		if c.s, err = (heuristics.Config{Tries: tries}).Greedy(context.WithoutCancel(ctx), small, rng); err == nil && rounds >= 0 && ctx.Err() == nil {
			c.s, err = heuristics.Config{Rounds: short}.Improve(within, small, rng, c.s)
		}
		if err != nil {
			if best == nil {
				return nil, err
			}
			continue
		}
		if best == nil || c.slowness() < best.slowness() {
			best = c
		}
	}
	small := part.Miniature(best.r)
	if rounds >= 0 && ctx.Err() == nil {
		s, err := heuristics.Config{Rounds: rounds}.Improve(ctx, small, rng, best.s)
		if err != nil {
			return nil, err
		}
		best.s = s
	}
	best.close(small)
	return best, nil
}

// startRounds is how long each start is searched for where the clock ends the search.
const startRounds = 4

// slowness is how long the pattern takes for all iterations of its jobs, about.
func (c *company) slowness() float64 {
	most := 0.0
	for j := range c.r {
		most = max(most, float64(c.part.Jobs[j].Iterations)/float64(c.r[j]))
	}
	return most * float64(c.s.Makespan(c.part.Instance))
}

// close finds the shortest period at which the pattern may repeat: between what its GPUs
// and jobs need and its length, which always serves.
func (c *company) close(in *instance.Instance) {
	start := slices.MinFunc(c.s.Tasks, func(a, b instance.Task) int { return int(a.Start - b.Start) }).Start
	length := c.s.Makespan(in) - start
	least := instance.Tick(1)
	hull := func(n int, key func(instance.Task) int, syncs bool) {
		from, to := make([]instance.Tick, n), make([]instance.Tick, n)
		for i := range from {
			from[i] = -1
		}
		for _, t := range c.s.Tasks {
			if k := key(t); from[k] < 0 || t.Start < from[k] {
				from[k] = t.Start
			}
			to[key(t)] = max(to[key(t)], t.End)
		}
		for _, y := range c.s.Syncs {
			if syncs {
				to[y.Job] = max(to[y.Job], y.End)
			}
		}
		for k := range from {
			least = max(least, to[k]-from[k])
		}
	}
	hull(len(in.GPUs), func(t instance.Task) int { return int(t.GPU) }, false)
	hull(len(in.Jobs), func(t instance.Task) int { return int(t.Job) }, true)
	for i := range c.s.Tasks {
		c.s.Tasks[i].Start, c.s.Tasks[i].End = c.s.Tasks[i].Start-start, c.s.Tasks[i].End-start
	}
	for i := range c.s.Syncs {
		c.s.Syncs[i].Start, c.s.Syncs[i].End = c.s.Syncs[i].Start-start, c.s.Syncs[i].End-start
	}
	c.period = length
	twice := make([]int, len(c.r))
	for j := range twice {
		twice[j] = 2 * c.r[j]
	}
	double := in.Miniature(twice)
	for period := least; period < length; period += max(1, (length-least)/8) {
		plan := &instance.BlockSchedule{Residency: c.s.Residency, Blocks: []instance.Block{{Period: period, Repeats: 2, Tasks: c.s.Tasks, Syncs: c.s.Syncs}}}
		if len(check.Blocks(double, plan)) == 0 {
			c.period = period
			return
		}
	}
}

// blocks returns all iterations of the jobs of the company, its pattern on the given GPUs in order of
// those of the part, of which the first task is at start or later. end is when the last of them ends.
// left are the iterations of each, which it counts down.
func (c *company) blocks(jobs []instance.JobID, gpus []instance.GPUID, left []int, start instance.Tick) (list []instance.Block, end instance.Tick) {
	end = start
	for {
		// Whole patterns of the jobs that have as many iterations left, as often as all of these do;
		// and at last of each job what is left, which is less.
		repeats := 0
		for n := range left {
			if q := left[n] / c.r[n]; q > 0 && (repeats == 0 || q < repeats) {
				repeats = q
			}
		}
		takes := make([]int, len(jobs))
		some := false
		for n := range left {
			switch {
			case repeats == 0:
				takes[n] = left[n]
			case left[n] >= c.r[n]:
				takes[n] = c.r[n]
			}
			some = some || takes[n] > 0
		}
		if !some {
			return list, end
		}
		b := instance.Block{Start: end, Repeats: int64(max(1, repeats))}
		if repeats > 1 {
			b.Period = c.period
		}
		last := instance.Tick(0)
		for _, t := range c.s.Tasks {
			if t.Iteration <= takes[t.Job] {
				last = max(last, t.End)
				t.Job, t.GPU = jobs[t.Job], gpus[t.GPU]
				b.Tasks = append(b.Tasks, t)
			}
		}
		for _, y := range c.s.Syncs {
			if y.Iteration <= takes[y.Job] {
				last = max(last, y.End)
				y.Job = jobs[y.Job]
				b.Syncs = append(b.Syncs, y)
			}
		}
		end = b.Start + instance.Tick(b.Repeats-1)*b.Period + last
		list = append(list, b)
		for n := range left {
			left[n] -= takes[n] * max(1, repeats)
		}
	}
}

// key tells companies apart whose patterns differ: by what their jobs and nodes are like.
func key(in *instance.Instance, class []int, jobs []instance.JobID, nodes []instance.NodeID) string {
	var classes []int
	for _, j := range jobs {
		classes = append(classes, class[j])
	}
	var kinds []string
	for _, n := range nodes {
		kinds = append(kinds, nodeKey(in, n))
	}
	return fmt.Sprint(classes, kinds)
}

// nodeKey tells nodes apart whose GPUs or links differ.
func nodeKey(in *instance.Instance, n instance.NodeID) string {
	node := &in.Nodes[n]
	return fmt.Sprint(node.Type, node.GPUs, in.Links[node.Up].Capacity, in.Links[node.Down].Capacity, in.Links[node.Fabric].Capacity,
		in.Links[node.Up].Failed, in.Links[node.Down].Failed, in.Links[node.Fabric].Failed)
}
