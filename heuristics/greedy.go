package heuristics

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// Config sets how the heuristics run. The zero value is what the function
// [Greedy] uses.
type Config struct {
	// Improved is called with each schedule better than all before it, from
	// the calling goroutine. The schedule is the callee's to keep.
	Improved func(*instance.Schedule)
	// Constructed is called by Greedy with the best of the portfolio, before what is left
	// of the work goes into changes of it; not if all deadlines were not met.
	Constructed func(*instance.Schedule)
	// Effort scales the number of schedules that Greedy tries; 0 means 1.
	Effort int
	// Quick cuts that number to about a [quickPart], for whoever is waiting.
	Quick bool
	// Rounds bounds the work of Improve: after so many rounds, each of about
	// the same number of tasks, it ends. 0 means no bound but the context and Stop.
	Rounds int
	// Spare is how many cores lanes and scouts of Improve leave to what runs beside them.
	Spare int
	// Stop is asked about the value of the best schedule again and again, by Improve of
	// its start, too; true ends the search, as when a bound has been met. nil: never.
	// A periodic Greedy knows when to stop by itself.
	Stop func(value *big.Rat) bool
	// parts, of which the instance is one, share the work of one instance; 0 means 1.
	parts int
	// tries is the number of schedules that Greedy tries, on one core, whatever Quick
	// and Effort say; 0: as these say.
	tries int
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
func (c Config) InterleavedFull(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	return c.Greedy(ctx, in.FullDepth(), rng)
}

// Greedy is the function [Greedy] under a configuration.
func (c Config) Greedy(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if in.Objective.Periodic() {
		return periodicGreedy(ctx, c, in, rng)
	}
	p := newPortfolio(ctx, c, in, rng)
	if err := p.construct(); err != nil {
		return nil, err
	}
	if c.Constructed != nil && p.told != nil {
		c.Constructed(p.best.schedule(in, p.layout))
	}
	p.improve()
	return p.result()
}

// resume tries what a decision for another instance becomes in this one, which has
// the same cluster and most of the jobs: as[j] is which job of the other job j is,
// -1 where it is none. Those keep their homes, the others are placed among them.
func (p *portfolio) resume(from *decision, as []int) {
	counts := startCounts(p.in)
	placer := newPlacer(p.in, placing{counts: counts, reach: p.reach})
	for j, o := range as {
		if o >= 0 {
			counts[j] = from.counts[o]
			placer.settle(instance.JobID(j), from.where.gpus[o], from.where.limit[o], from.where.span[o])
		}
	}
	for _, j := range placer.byChain() {
		if as[j] < 0 && !placer.put(j) {
			return
		}
	}
	kept := placer.out
	level := balance(p.in, kept, balancing{counts: counts, reach: p.reach, rng: p.rng, steps: p.balanceSteps(), near: 4})
	var list []*decision
	for _, where := range []*placement{level, kept} {
		d := *from
		d.counts, d.where, d.slow = counts, where, nil
		d.base, d.slope = measure(p.in, where, counts).keys(p.in, d.rule)
		list = append(list, &d)
	}
	p.try(list)
}

// construct decodes the portfolio of placements, rules and patiences, the
// most promising first, as far as the budget goes.
func (p *portfolio) construct() error {
	in := p.in
	counts := startCounts(in)
	byArea := newPlacer(in, placing{counts: counts, reach: p.reach}).byArea()
	ways := []way{{}, {balanced: true, near: 4}, {placing: placing{scatter: true}}, {placing: placing{order: byArea}, balanced: true, near: 1}, {placing: placing{noise: p.rng}}, {balanced: true}}
	if in.Objective == instance.WeightedCompletion {
		smith := bySmith(in, counts)
		ways = []way{
			{placing: placing{order: smith}}, {placing: placing{order: smith}, balanced: true, near: 4}, {placing: placing{order: byArea}},
			{placing: placing{order: byArea}, balanced: true, near: 1}, {placing: placing{order: smith, scatter: true}}, {placing: placing{order: smith}, balanced: true},
		}
	}
	places := make([]*placement, len(ways))
	taken := make([]*measures, len(ways))
	var list []*decision
	order := p.attempts(len(ways))
	for n, a := range order {
		if p.ctx.Err() != nil && n > 0 {
			break
		}
		if where := &places[a.way]; *where == nil {
			how := ways[a.way]
			// What takes decoding only is tried before the first balance, which takes
			// longer than many decodings: an easy instance needs no more.
			if how.balanced && p.best == nil && len(list) > 0 {
				if !p.try(list) {
					return nil
				}
				list = list[:0]
			}
			how.counts, how.reach = counts, p.reach
			var err error
			if *where, err = placeHard(in, how.placing); err != nil {
				if n == 0 {
					return err
				}
				*where = places[0]
			}
			if how.balanced {
				*where = balance(in, *where, balancing{ctx: p.ctx, counts: counts, reach: p.reach, rng: p.rng, steps: p.balanceSteps(), near: how.near})
			}
			taken[a.way] = measure(in, *where, counts)
		}
		base, slope := taken[a.way].keys(in, a.rule)
		list = append(list, &decision{counts: counts, where: places[a.way], base: base, slope: slope, rule: a.rule, patience: a.patience, eager: a.eager, even: a.even, serial: a.patience == serially})
		if len(list) == batch || n == len(order)-1 {
			if !p.try(list) {
				return nil
			}
			list = list[:0]
		}
	}
	return nil
}

// way is a way to a placement.
type way struct {
	placing
	// balanced asks for [balance] afterwards, with chains of weight near.
	balanced bool
	near     float64
}

// balanceSteps is the number of changes of a placement that [balance] tries.
func (p *portfolio) balanceSteps() int {
	steps := min(max(5_000, 100*p.layout.slots), 40_000)
	switch {
	case p.config.tries > 0:
		steps = fewBalance
	case p.config.Quick:
		steps /= quickBalance
	}
	return steps
}

// quickBalance is by how much [Config.Quick] divides the steps of balance.
const quickBalance = 5

// fewBalance is the number of steps of balance where few schedules are tried.
const fewBalance = 200

// attempt is one combination of placement, rule and patience.
type attempt struct {
	way      int // index of the placement
	rule     rule
	patience int  // see decision; or serially
	eager    bool // see decision
	even     bool // see decision
}

// serially in the place of a patience asks for the serial decoder.
const serially = -1

// maxSerialTasks bounds the instances for the serial decoder, whose timelines
// grow with the schedule.
const maxSerialTasks = 100_000

// attempts lists what to try, the most promising first, as far as the budget
// goes. The order of rules and patiences is by how often they won on random
// instances.
func (p *portfolio) attempts(ways int) []attempt {
	deadlines, releases := false, false
	for j := range p.in.Jobs {
		deadlines = deadlines || p.in.Jobs[j].Deadline > 0
		releases = releases || p.in.Jobs[j].Release > 0
	}
	list := []attempt{
		{0, evenProgress, 0, false, false}, {0, longestChain, 0, false, true}, {0, evenProgress, 0, false, true}, {0, longestChain, 0, false, false}, {0, evenProgress, 1, false, false}, {0, longestChain, 1, false, false}, {0, longestChain, 2, true, false}, {0, criticalRatio, 0, false, false},
		{0, evenProgress, 2, false, false}, {0, criticalRatio, 1, false, false}, {0, longestChain, 2, false, false}, {0, mostWork, 0, false, false}, {0, criticalRatio, 2, false, false},
	}
	if p.in.Objective == instance.WeightedCompletion {
		list = []attempt{
			{0, smithArea, 1, false, false}, {0, smithArea, 2, false, false}, {0, smithLeft, 2, false, false}, {0, smithChain, 1, false, false}, {0, smithChain, 2, true, false}, {0, smithLeft, 1, false, false}, {0, smithArea, 0, false, false},
			{0, smithChain, 0, false, false}, {0, smithArea, 4, false, false}, {0, smithChain, 2, false, false}, {0, smithLeft, 4, false, false},
		}
	}
	if releases {
		list = append(list, attempt{0, inOrder, 0, false, false})
	}
	if p.layout.tasks <= maxSerialTasks {
		serial := []attempt{{0, evenProgress, serially, false, false}, {0, longestChain, serially, false, false}}
		if p.in.Objective == instance.WeightedCompletion {
			serial = []attempt{{0, smithArea, serially, false, false}, {0, smithChain, serially, false, false}}
		}
		list = slices.Insert(list, 3, serial...)
	}
	if deadlines {
		list = append([]attempt{{0, leastSlack, 1, false, false}, {0, earliestDue, 1, false, false}, {0, leastSlack, 0, false, false}, {0, earliestDue, 2, false, false}, {0, leastSlack, 3, false, false}}, list...)
	}
	var all []attempt
	for n := range len(list) + 2*ways {
		for way := range ways {
			// Each placement lags behind the one before it by two.
			if at := n - 2*way; at >= 0 && at < len(list) {
				a := list[at]
				a.way = way
				all = append(all, a)
			}
		}
	}
	return all[:min(len(all), max(1, minDecodes, p.budget/p.cost/2))]
}

// startCounts returns the cheapest multiset of every job on the GPU type where
// it is fastest. Identical jobs share one.
func startCounts(in *instance.Instance) [][]int {
	counts := make([][]int, len(in.Jobs))
	for _, class := range in.Classes() {
		job := &in.Jobs[class[0]]
		c := cheapestMultiset(job, fastestType(in, job))
		for _, j := range class {
			counts[j] = c
		}
	}
	return counts
}

// fastestType returns the GPU type with the shortest full-depth task, among
// those that the cluster has GPUs of.
func fastestType(in *instance.Instance, job *instance.Job) instance.TypeID {
	best := instance.TypeID(-1)
	for n := range in.Nodes {
		t := in.Nodes[n].Type
		if t != best && job.Runs(t) && (best < 0 || job.On[t].Time[job.Full()] < job.On[best].Time[job.Full()]) {
			best = t
		}
	}
	return best
}

// bySmith orders the jobs by ascending GPU-ticks per weight.
func bySmith(in *instance.Instance, counts [][]int) []instance.JobID {
	place := make([]int64, len(in.Jobs))
	rank(place, in, func(j int) int64 {
		job := &in.Jobs[j]
		return int64(job.Iterations) * int64(job.Workers) * int64(meanTime(job, fastestType(in, job), counts[j]))
	})
	return orderBy(len(in.Jobs), func(j instance.JobID) int64 { return place[j] })
}
