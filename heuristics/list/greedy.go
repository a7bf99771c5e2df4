package list

import (
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

// Greedy plans an instance of a finite objective: the best of a portfolio of placements,
// priority rules and small local changes. The error is a [*state.NoPlan] if no schedule was
// found that respects all memories and deadlines.
func Greedy(ctx context.Context, o state.Options, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := NewPortfolio(ctx, o, in, rng)
	if o.Tries == 0 && Unrelated(in) && !in.Resumes() && !o.Without[method.Unrelated] {
		if err := p.assigned(); err != nil {
			return nil, err
		}
		return p.result()
	}
	if err := p.Construct(); err != nil {
		return nil, err
	}
	if o.Constructed != nil && p.told != nil {
		o.Constructed(p.Best.Schedule(in, p.Layout))
	}
	if !o.Without[method.ListChanges] {
		p.slowDown()
		p.Improve()
	}
	return p.result()
}

// slowDown tries every job at every slower rate level, one after the other, if that takes no more than a quarter of the
// budget: a long synchronisation at full speed delays every short iteration that needs the same link.
func (p *Portfolio) slowDown() {
	if p.Chosen == nil || p.Budget/p.Cost < 4*len(p.In.Jobs)*(len(p.In.RateLevels)-1) {
		return
	}
	for j := range p.In.Jobs {
		var list []*Decision
		for level := 1; level < len(p.In.RateLevels) && p.In.Jobs[j].HasSync(); level++ {
			d := *p.Chosen
			d.slowDown(p.In, instance.JobID(j), uint8(level))
			list = append(list, &d)
		}
		for some := range slices.Chunk(list, batch) {
			if !p.try(some) {
				return
			}
		}
	}
}

// Resume tries a decision for another instance, translated to this one, which has the
// same cluster and most of the jobs: as[j] is the index in the other instance of job
// j, -1 if it is not there. Those jobs keep their residencies, the others are placed
// beside them.
func (p *Portfolio) Resume(from *Decision, as []int) {
	counts := state.CheapestMultisets(p.In)
	placer := placement.NewPlacer(p.In, placement.Options{Counts: counts, Reach: p.reach})
	for j, o := range as {
		if o >= 0 {
			counts[j] = from.Counts[o]
			placer.Settle(instance.JobID(j), from.Where.GPUs[o], from.Where.Limit[o], from.Where.Span[o])
		}
	}
	for _, j := range placer.ByChain() {
		if as[j] < 0 && !placer.Put(j) {
			return
		}
	}
	kept := placer.Out
	level := p.balance(kept, counts, 4, p.balanceSteps())
	var list []*Decision
	for _, where := range []*placement.Placement{level, kept} {
		d := *from
		d.Counts, d.Where, d.Slow = counts, where, nil
		d.Base, d.Slope = Measure(p.In, where, counts).Keys(p.In, d.rule)
		list = append(list, &d)
	}
	p.try(list)
}

// triedSteps limits the search for a placement in tight memory where only some schedules are tried: searches that find one take a
// hundredth of [placement.Place]'s usual limit, and searches make thousands of them.
const triedSteps = 5000

// Construct decodes the portfolio of placements, rules and patiences, the most
// promising first, as far as the budget permits.
func (p *Portfolio) Construct() error {
	in := p.In
	counts := state.CheapestMultisets(in)
	byArea := placement.NewPlacer(in, placement.Options{Counts: counts, Reach: p.reach}).ByArea()
	constructions := []construction{{}, {balanced: true, near: 4}, {Options: placement.Options{Scatter: true}}, {Options: placement.Options{Order: byArea}, balanced: true, near: 1}, {Options: placement.Options{Noise: p.rng}}, {balanced: true}}
	if in.Objective == instance.WeightedCompletion {
		smith := state.BySmith(in, counts)
		constructions = []construction{
			{Options: placement.Options{Order: smith}}, {Options: placement.Options{Order: smith}, balanced: true, near: 4}, {Options: placement.Options{Order: byArea}},
			{Options: placement.Options{Order: byArea}, balanced: true, near: 1}, {Options: placement.Options{Order: smith, Scatter: true}}, {Options: placement.Options{Order: smith}, balanced: true},
		}
	}
	var list []*Decision
	order := p.attempts(len(constructions))
	for n, a := range order {
		if p.ctx.Err() != nil && n > 0 {
			break
		}
		c := &constructions[a.construction]
		if c.where == nil {
			// Attempts that only need decoding are tried before the first balance, which takes
			// longer than many decodings: an easy instance needs no more.
			if c.balanced && p.Best == nil && len(list) > 0 {
				if !p.try(list) {
					return nil
				}
				list = list[:0]
			}
			if c.Counts, c.Reach = counts, p.reach; p.options.Tries > 0 {
				c.Steps = triedSteps
			}
			var err error
			if c.where, c.Counts, err = placement.Place(p.ctx, in, c.Options); err != nil {
				if n == 0 {
					return err
				}
				c.where, c.Counts = constructions[0].where, constructions[0].Counts
			}
			if c.balanced {
				c.where = p.balance(c.where, c.Counts, c.near, p.balanceSteps())
			}
			c.measures = Measure(in, c.where, c.Counts)
		}
		base, slope := c.measures.Keys(in, a.rule)
		lead := 0
		if c.measures.network && (n%2 == 1 || in.Objective == instance.WeightedCompletion) { // under makespan it gains less, and may lose
			lead = usualLead
		}
		list = append(list, &Decision{Counts: c.Counts, Where: c.where, Base: base, Slope: slope, rule: a.rule, Patience: a.patience, eager: a.eager, Even: a.even, serial: a.patience == serially, lead: lead})
		if len(list) == batch || n == len(order)-1 {
			if !p.try(list) {
				return nil
			}
			list = list[:0]
		}
	}
	return nil
}

// usualLead is [Decision.lead] where links are busier than GPUs.
const usualLead = 12

// construction is a placement and how to make it.
type construction struct {
	placement.Options // once made, with the resulting multisets
	// balanced requests balance afterwards, with chains of weight near.
	balanced bool
	near     float64
	where    *placement.Placement // nil: not made yet
	measures *Measures
}

// balance anneals a placement for a number of steps, with chains of weight near.
func (p *Portfolio) balance(where *placement.Placement, counts [][]int, near float64, steps int) *placement.Placement {
	if len(p.In.GPUs) == 1 || steps == 0 {
		return where
	}
	h := placement.NewAnnealer(p.In, p.Layout, where, placement.AnnealOptions{Counts: counts, Near: near, CoResidence: 2}, p.rng)
	heat := balanceHeat
	if steps <= fewBalance { // too few to cool down
		heat = placement.EndHeat
	}
	h.Anneal(p.ctx, steps, heat)
	return h.Placement()
}

// balanceHeat is its initial temperature.
const balanceHeat = 0.02

// balanceSteps is the number of changes of a placement that balance tries.
func (p *Portfolio) balanceSteps() int {
	steps := min(max(5_000, 100*p.Layout.Slots), 40_000)
	switch {
	case p.options.Without[method.Balance]:
		steps = 0
	case p.options.Tries > 0:
		steps = fewBalance
	case p.options.Quick:
		steps /= quickBalance
	}
	return steps
}

// quickBalance is the factor by which [state.Options.Quick] divides the steps of
// balance.
const quickBalance = 5

// fewBalance is the number of steps of balance if few schedules are tried.
const fewBalance = 200

// attempt is one combination of placement, rule and patience.
type attempt struct {
	construction int // index of the placement
	rule         Rule
	patience     int  // see [Decision]; or serially
	eager        bool // see [Decision]
	even         bool // see [Decision]
}

// serially, in place of a patience, selects the serial decoder.
const serially = -1

// maxSerialTasks bounds the instances for the serial decoder, whose timelines
// grow with the schedule.
const maxSerialTasks = 100_000

// serial reports whether the serial decoder may be used.
func (p *Portfolio) serial() bool {
	return p.Layout.Tasks <= maxSerialTasks && !p.options.Without[method.SerialDecoder]
}

// attempts lists what to try, the most promising first, as far as the budget
// permits. Rules and patiences are ordered by how often they won on random
// instances.
func (p *Portfolio) attempts(constructions int) []attempt {
	deadlines, releases := false, false
	for j := range p.In.Jobs {
		deadlines = deadlines || p.In.Jobs[j].Deadline > 0
		releases = releases || p.In.Jobs[j].Release > 0
	}
	list := []attempt{
		{0, EvenProgress, 0, false, false}, {0, LongestChain, 0, false, true}, {0, EvenProgress, 0, false, true}, {0, LongestChain, 0, false, false}, {0, EvenProgress, 1, false, false}, {0, LongestChain, 1, false, false}, {0, LongestChain, 2, true, false}, {0, CriticalRatio, 0, false, false},
		{0, EvenProgress, 2, false, false}, {0, CriticalRatio, 1, false, false}, {0, LongestChain, 2, false, false}, {0, mostWork, 0, false, false}, {0, CriticalRatio, 2, false, false},
	}
	if p.In.Objective == instance.WeightedCompletion {
		list = []attempt{
			{0, SmithArea, 1, false, false}, {0, SmithArea, 2, false, false}, {0, SmithLeft, 2, false, false}, {0, SmithChain, 1, false, false}, {0, SmithChain, 2, true, false}, {0, SmithLeft, 1, false, false}, {0, SmithArea, 0, false, false},
			{0, SmithChain, 0, false, false}, {0, SmithArea, 4, false, false}, {0, SmithChain, 2, false, false}, {0, SmithLeft, 4, false, false},
		}
	}
	if releases {
		list = append(list, attempt{0, inOrder, 0, false, false})
	}
	if p.serial() {
		serial := []attempt{{0, EvenProgress, serially, false, false}, {0, LongestChain, serially, false, false}}
		if p.In.Objective == instance.WeightedCompletion {
			serial = []attempt{{0, SmithArea, serially, false, false}, {0, SmithChain, serially, false, false}}
		}
		list = slices.Insert(list, 3, serial...)
	}
	if deadlines {
		list = append([]attempt{{0, leastSlack, 1, false, false}, {0, earliestDue, 1, false, false}, {0, leastSlack, 0, false, false}, {0, earliestDue, 2, false, false}, {0, leastSlack, 3, false, false}}, list...)
	}
	var all []attempt
	for n := range len(list) + 2*constructions {
		for c := range constructions {
			// Each placement follows the one before it with a lag of two.
			if at := n - 2*c; at >= 0 && at < len(list) {
				a := list[at]
				a.construction = c
				all = append(all, a)
			}
		}
	}
	return all[:min(len(all), max(1, minDecodes, p.Budget/p.Cost/2))]
}
