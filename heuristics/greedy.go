package heuristics

import (
	"context"
	"math/rand/v2"

	"jigsaw/formulation/instance"
)

// Config sets how the heuristics run. The zero value is what the functions
// [Greedy], [Exclusive] and [InterleavedFull] use.
type Config struct {
	// Improved is called with each schedule better than all before it, from
	// the calling goroutine. The schedule is the callee's to keep.
	Improved func(*instance.Schedule)
	// Effort scales the number of schedules that Greedy tries; 0 means 1.
	Effort int
}

// Greedy plans the instance by list scheduling with structured partial
// backpropagation: the best of a portfolio of placements, priority rules and
// small local changes. The schedule is the same for the same instance and
// state of rng, whatever the number of cores. When the context ends early
// the best schedule so far is returned. The error is a [*NoPlan] where none
// was found that keeps within all memories and deadlines.
//
// Periodic objectives have a search of their own; see periodic.go.
func Greedy(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	return Config{}.Greedy(ctx, in, rng)
}

// InterleavedFull is [Greedy] with every worker at full depth: iteration-level
// interleaving without structured partial backpropagation. The schedule is
// valid for in.FullDepth().
func InterleavedFull(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	return Config{}.InterleavedFull(ctx, in, rng)
}

// InterleavedFull is the function [InterleavedFull] under a configuration.
func (c Config) InterleavedFull(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	return c.Greedy(ctx, in.FullDepth(), rng)
}

// Greedy is the function [Greedy] under a configuration.
func (c Config) Greedy(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if in.Objective.Periodic() {
		return periodicGreedy(ctx, in, rng, c.Improved)
	}
	if tooLong(in) {
		return nil, noPlan(in, 0, "and the other jobs may together take more than 2^60 ticks; choose a longer tick_us")
	}
	p := newPortfolio(ctx, c, in, rng)
	if err := p.construct(); err != nil {
		return nil, err
	}
	p.improve()
	return p.result()
}

// construct decodes the portfolio of placements, rules and patiences, the
// most promising first, as far as the budget goes.
func (p *portfolio) construct() error {
	in := p.in
	counts := startCounts(in)
	ways := []placing{{}, {scatter: true}}
	if in.Objective == instance.WeightedCompletion {
		ways = append(ways, placing{order: bySmith(in, counts)})
	} else {
		ways = append(ways, placing{order: byChain(in)})
	}
	rules := p.rules()
	var list []*decision
	for n, way := range ways {
		if n > 0 && p.budget < p.cost {
			break
		}
		way.counts, way.reach = counts, p.reach
		where, err := placeHard(in, way)
		if err != nil {
			if n == 0 {
				return err
			}
			continue
		}
		m := measure(in, where, counts)
		for _, r := range rules {
			base, slope := m.keys(in, r)
			for _, patience := range []int{2, 0, 4} {
				list = append(list, &decision{counts: counts, where: where, base: base, slope: slope, patience: patience})
				if len(list) == batch {
					if !p.try(list) {
						return nil
					}
					list = list[:0]
				}
			}
		}
	}
	p.try(list)
	return nil
}

// rules lists the priority rules for the instance, the most promising first.
func (p *portfolio) rules() []rule {
	deadlines, releases := false, false
	for j := range p.in.Jobs {
		deadlines = deadlines || p.in.Jobs[j].Deadline > 0
		releases = releases || p.in.Jobs[j].Release > 0
	}
	var list []rule
	if deadlines {
		list = append(list, leastSlack, earliestDue)
	}
	if p.in.Objective == instance.WeightedCompletion {
		list = append(list, smithArea, smithChain, smithLeft)
	} else {
		list = append(list, longestChain, criticalRatio, mostWork, evenProgress)
	}
	if releases {
		list = append(list, inOrder)
	}
	return list
}

// startCounts returns the cheapest multiset of every job on the GPU type where
// it is fastest. Identical jobs share one.
func startCounts(in *instance.Instance) [][]int {
	counts := make([][]int, len(in.Jobs))
	for _, class := range in.Classes() {
		job := &in.Jobs[class[0]]
		c := cheapestMultiset(job, fastestType(job))
		for _, j := range class {
			counts[j] = c
		}
	}
	return counts
}

// fastestType returns the GPU type with the shortest full-depth task.
func fastestType(job *instance.Job) instance.TypeID {
	best := instance.TypeID(-1)
	for t := range job.On {
		id := instance.TypeID(t)
		if job.Runs(id) && (best < 0 || job.On[t].Time[job.Full()] < job.On[best].Time[job.Full()]) {
			best = id
		}
	}
	return best
}

// bySmith orders the jobs by ascending GPU-ticks per weight.
func bySmith(in *instance.Instance, counts [][]int) []instance.JobID {
	place := make([]int64, len(in.Jobs))
	rank(place, in, func(j int) int64 {
		job := &in.Jobs[j]
		return int64(job.Iterations) * int64(job.Workers) * int64(meanTime(job, fastestType(job), counts[j]))
	})
	return orderBy(len(in.Jobs), func(j instance.JobID) int64 { return place[j] })
}

// byChain orders the jobs by descending compute time of their chain.
func byChain(in *instance.Instance) []instance.JobID {
	return orderBy(len(in.Jobs), func(j instance.JobID) int64 {
		return -int64(in.Jobs[j].Release) - int64(in.Jobs[j].Iterations)*int64(in.Jobs[j].FastestFull())
	})
}
