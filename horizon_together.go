package jigsaw

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/horizon"
	"jigsaw/heuristics/queue"
	"jigsaw/heuristics/state"
	"jigsaw/method"
	"jigsaw/solver/eventloop"
)

// together makes plans of hours in which jobs share GPUs.
type together struct {
	*planner
	in       *instance.Instance // the plan's, or the same at full depth
	ctx      context.Context
	rounds   int
	quick    bool
	search   horizon.Config
	enough   func(*big.Rat) bool // whether a plan of this value is good enough
	due      bool                // some jobs have deadlines
	released bool                // some jobs are released later than others
	plans    []*instance.BlockSchedule
	known    int  // how many of these, the first, are of a quick search
	followed bool // there is a plan by decisions about a fraction of the iterations
	best     *instance.BlockSchedule
	err      error // why there is no plan
}

// Parts of the time that is left when a search begins.
const (
	// A fraction of all iterations; for the makespan, after cells; and once more if jobs were late and others have a plan on time.
	scalingShare, scalingShareLast, scalingShareAgain = 0.9, 0.8, 0.5
	// Jobs that are admitted as they come; if more than manyReleased are released one after the other; and after a fraction of all iterations.
	arrivalsShare, arrivalsShareMany, arrivalsShareLast = 0.15, 0.8, 0.3
)

// quickShare is the part of the time that a quick plan may take, from which the search goes on.
const quickShare = 0.2

// mostQuick is the number of jobs above which quick plans are not made from a fraction of the iterations: it takes seconds.
const mostQuick = 150

// manyReleased is the number of jobs released one after the other above which nothing else than arrivals and orders is tried: there
// are too many for a fraction of the iterations, and cells start when the last of them is released.
const manyReleased = 300

// together plans jobs that share GPUs, of the plan's instance or the same at full depth, in a part of the time that is left. Unless it is quick
// it goes on from the quick plan.
func (p *planner) together(in *instance.Instance, orders []queue.Order, part int) (*instance.BlockSchedule, error) {
	ctx, rounds, cancel := p.part(part)
	defer cancel()
	t := p.newTogether(ctx, in, rounds, p.opt.Quick)
	if !p.opt.Quick {
		within, stop := state.Portion(ctx, quickShare)
		defer stop()
		if s, err := p.newTogether(within, in, quickRounds, true).plan(orders); err == nil {
			t.plans, t.known = append(t.plans, s), 1
		}
	}
	return t.plan(orders)
}

// newTogether begins a plan without any plan known.
func (p *planner) newTogether(ctx context.Context, in *instance.Instance, rounds int, quick bool) *together {
	t := &together{planner: p, in: in, ctx: ctx, rounds: rounds, quick: quick, enough: p.goodEnough()}
	t.search = horizon.Config{Rounds: rounds, Quick: quick, Without: p.opt.Without}
	if in == p.in {
		t.search.Improved = func(v *big.Rat) { p.see("search", v) }
	}
	t.due = slices.ContainsFunc(in.Jobs, func(j instance.Job) bool { return j.Deadline > 0 })
	t.released = slices.ContainsFunc(in.Jobs, func(j instance.Job) bool { return j.Release > 0 })
	return t
}

// plan plans the jobs as they come, for the makespan; in cells, whose jobs all end together; by decisions about a fraction of all iterations; if
// these have no plan, in units that queue, beginning with the given orders; and last in phases, in which jobs end sooner if the objective is no worse for it.
func (t *together) plan(orders []queue.Order) (*instance.BlockSchedule, error) {
	plans := []func(){t.arrivals, t.cells, t.scaled}
	if t.weighted() {
		plans = []func(){t.scaled, t.arrivals, t.cells}
	}
	for _, plan := range plans {
		if !t.done() && (len(t.plans) == t.known || !t.weighted()) { // for weighted completion the others are a last resort
			plan()
		}
	}
	if t.weighted() && !t.followed && len(t.plans) > t.known && !t.done() { // from a plan on time
		t.scaled()
	}
	t.choose()
	if !t.done() && (t.best == nil || t.weighted() && (t.quick || !t.followed)) {
		t.orders(orders)
	}
	if t.in == t.planner.in && t.best != nil {
		if s := t.result.Blocks; s != nil && t.in.Value(s).Cmp(t.in.Value(t.best)) < 0 { // that of a baseline
			t.best = t.phased(s)
		}
	}
	if t.best != nil && t.in.Objective == instance.Makespan {
		t.best = t.search.Phases(t.ctx, t.in, t.best, t.best.Makespan(t.in), t.rng(phasesPart))
	}
	return t.best, t.err
}

// done reports whether a plan is good enough.
func (t *together) done() bool {
	return slices.ContainsFunc(append(t.plans, t.best), func(s *instance.BlockSchedule) bool { return s != nil && t.enough(t.in.Value(s)) })
}

// take adds a plan, or the reason that there is none: parts of the cluster are planned apart, and may ask more of a link together than it has.
func (t *together) take(s *instance.BlockSchedule, err error) {
	if err == nil {
		if violations := check.Blocks(t.in, s); len(violations) > 0 {
			err = fmt.Errorf("the plans of parts of the cluster together: %v", violations[0])
			if violations[0].Rule != check.LinkCapacity {
				t.fault("%v", err)
			}
		}
	}
	if err != nil {
		t.err = err
		return
	}
	t.plans = append(t.plans, s)
}

// shortest is the instance whose jobs are to end together, and the search for such plans. They seldom have the least weighted completion,
// but where plans that have miss deadlines, these may not.
func (t *together) shortest() (*instance.Instance, horizon.Config) {
	if !t.weighted() || !t.due {
		return t.in, t.search
	}
	in := *t.in
	in.Objective = instance.Makespan
	return &in, horizon.Config{Rounds: t.rounds, Quick: t.quick, Without: t.opt.Without}
}

// arrivals admits jobs as they come.
func (t *together) arrivals() {
	in, search := t.shortest()
	if in.Objective != instance.Makespan || !t.due && !t.released && !horizon.Waits(in) || t.opt.Without[method.Arrivals] || in.Resumes() {
		return
	}
	share := arrivalsShare
	switch {
	case t.weighted():
		share = arrivalsShareLast
	case t.many():
		share = arrivalsShareMany
	}
	within, stop := state.Portion(t.ctx, share)
	defer stop()
	t.take(search.Arrivals(eventloop.Context(within), in, t.rng(arrivalsPart)))
}

// scales reports whether there is to be a plan by decisions about a fraction of the iterations. For makespans there is none if all jobs are there
// and fit into memory: patterns of cells, which are searched until the time is up, are better then.
func (t *together) scales() bool {
	worth := t.weighted() || (t.released || horizon.Waits(t.in)) && !t.many()
	return worth && !t.opt.Without[method.Scaling] && (!t.quick || len(t.in.Jobs) <= mostQuick) && horizon.Scales(t.in)
}

// scaled plans a fraction of all iterations.
func (t *together) scaled() {
	if !t.scales() {
		return
	}
	share := scalingShare
	switch {
	case !t.weighted():
		share = scalingShareLast
	case len(t.plans) > t.known:
		share = scalingShareAgain
	}
	within, stop := state.Portion(t.ctx, share)
	defer stop()
	search := t.search
	search.Starts = t.plans
	if s, err := search.Scaled(eventloop.Context(within), t.in, t.rng(scalingPart)); err == nil {
		others := len(t.plans)
		t.take(s, nil)
		t.followed = len(t.plans) > others
	}
}

// many reports whether too many jobs are released one after the other for plans of all of them.
func (t *together) many() bool { return t.released && len(t.in.Jobs) > manyReleased }

// cells divides the jobs among groups of nodes.
func (t *together) cells() {
	in, search := t.shortest()
	if t.many() && in.Objective == instance.Makespan && len(t.plans) > t.known {
		return
	}
	share := 0.9
	switch {
	case t.due && t.in == in:
		share = 0.5 // they may not be in time
	case t.due:
		share = 0.4
	case t.weighted():
		search.Quick, share = true, 0.1
	case t.scales():
		share = 0.5 // it goes on from there
	}
	within, stop := state.Portion(t.ctx, share)
	defer stop()
	t.take(search.Cells(eventloop.Context(within), in, t.rng(cellsPart)))
}

// weighted reports whether the objective is the weighted completion.
func (t *together) weighted() bool { return t.in.Objective == instance.WeightedCompletion }

// better reports whether phases improve plans: of the makespan only if jobs are released one after the other, as without phases they wait
// for the last of those that share their nodes.
func (t *together) better() bool {
	return t.weighted() || t.released
}

// phased is a plan with phases, if these improve plans.
func (t *together) phased(s *instance.BlockSchedule) *instance.BlockSchedule {
	if !t.better() {
		return s
	}
	return t.search.Phases(t.ctx, t.in, s, 0, t.rng(phasesPart))
}

// least is the better of two plans; nil: none. Of equal ones it is the first.
func (t *together) least(a, b *instance.BlockSchedule) *instance.BlockSchedule {
	if a == nil || b != nil && t.in.Value(b).Cmp(t.in.Value(a)) < 0 {
		return b
	}
	return a
}

// choose takes the best of the plans with phases.
func (t *together) choose() {
	for _, s := range t.plans {
		t.best = t.least(t.best, t.phased(s))
	}
	if t.best != nil {
		if t.err = nil; t.better() && t.search.Improved != nil {
			t.search.Improved(t.in.Value(t.best))
		}
	}
}

// orders searches for orders of units, from those known.
func (t *together) orders(known []queue.Order) {
	share := 0.4
	if t.due {
		share = 0.8
	}
	if t.weighted() {
		share = 0.9
	}
	within, stop := state.Portion(t.ctx, share)
	defer stop()
	search := queue.Search{Rounds: t.rounds, Prompt: t.opt.Without[method.Reservations], Improved: t.search.Improved}
	if search.Improved != nil {
		search.Stop = t.enough
	}
	s, _, err := search.Orders(eventloop.Context(within), t.in, t.rng(horizonPart), known...)
	if err == nil {
		t.best, t.err = t.least(t.best, t.phased(s)), nil
	}
}
