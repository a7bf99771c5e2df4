package jigsaw

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"time"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/bound/columns"
	"jigsaw/formulation/bound/fluid"
	"jigsaw/formulation/bound/intervals"
	"jigsaw/formulation/bound/packing"
	"jigsaw/formulation/bound/periods"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	relaxed "jigsaw/formulation/relax/intervals"
	"jigsaw/method"
	"jigsaw/solver"
	"jigsaw/solver/backend"
	"jigsaw/solver/eventloop"
)

// combinatorial adds the bounds of in that need no engine; they must hold for the plan's instance, too.
func (p *planner) combinatorial(in *instance.Instance) {
	for _, relaxation := range []func(*instance.Instance) bound.Bound{area.Chain, area.Bound} {
		begun := time.Now()
		b := relaxation(in)
		b.Proving = time.Since(begun)
		p.bound(b)
	}
}

// grace is how long an LP engine may take to stop once the context has ended; at the end of
// a time limit no longer than half of overtime after it, and leastGrace even where the
// schedules, on a busy machine, have taken that.
const (
	grace      = 2 * time.Second
	leastGrace = overtime / 5
)

func (p *planner) grace() time.Duration {
	if p.opt.Time == 0 {
		return grace
	}
	return max(leastGrace, min(grace, time.Until(p.start.Add(p.opt.Time+overtime/2))))
}

// startBounds starts the bounds that need an LP engine; those of columns wait
// for a schedule to begin with, which may be nil. The channel is closed when
// all are done; [planner.endBounds] ends those that take long.
func (p *planner) startBounds(begun <-chan *instance.Schedule) <-chan struct{} {
	done := make(chan struct{})
	ctx, enough := p.longBounds()
	first := p.lp != nil && (p.opt.Quick || !p.columnsFirst())
	if first && p.opt.Time == 0 && p.in.Tasks() <= mostAwaitTasks {
		p.fluidIn = make(chan struct{})
	}
	go func() {
		defer close(done)
		defer enough()
		engine := p.lp
		if engine == nil {
			return
		}
		if first {
			p.fluid(p.in, engine)
		}
		if p.opt.Quick || p.noPlan() {
			return
		}
		select {
		case start := <-begun:
			var value *big.Rat
			if start != nil {
				value = p.in.Value(start)
			}
			for _, improve := range []func(){
				func() { p.packingBound(ctx, p.in, engine, value) },
				func() { p.columnsBound(ctx, engine, start, value) },
				func() { p.periodsBound(ctx, p.in, engine, value) },
			} {
				if improve(); p.ctx.Err() != nil || p.noPlan() {
					return
				}
			}
		case <-p.ctx.Done():
		}
		if p.columnsFirst() && p.ctx.Err() == nil {
			p.fluid(p.in, engine)
		}
	}()
	return done
}

// longBounds is the context of the bounds that take long and give no prices of resources.
func (p *planner) longBounds() (context.Context, context.CancelFunc) {
	ctx, enough := context.WithCancel(p.ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.enough = enough
	return eventloop.Context(ctx), enough
}

// endBounds ends these bounds if, in a run with a time limit, the plan is good enough.
func (p *planner) endBounds() {
	if p.opt.Time > 0 && p.enough != nil && p.result.Primal != nil && p.goodEnough()(p.result.Primal) {
		p.enough()
	}
}

// boundsAlone computes the bounds of short and long plans that need no engine, and starts those that do, without a schedule to begin
// with. The channel is closed when all are done. If none is true, it is proven that there is no plan, and nothing was started.
func (p *planner) boundsAlone() (all <-chan struct{}, none bool) {
	if long(p.in) {
		if p.horizonBounds() {
			return nil, true
		}
		return p.horizonPrograms(), false
	}
	if !p.begin() {
		return nil, true
	}
	p.lp = p.engine()
	begun := make(chan *instance.Schedule, 1)
	begun <- nil
	return p.startBounds(begun), false
}

// mostAwaitTasks is the largest number of tasks for which schedules wait for the
// fluid bound, which then takes milliseconds and may show that they are optimal.
const mostAwaitTasks = 20_000

// awaitFluid waits for the fluid bound and returns it, in runs without a time limit; nil if there is
// none to wait for.
func (p *planner) awaitFluid() *big.Rat {
	if p.fluidIn == nil {
		return nil
	}
	select {
	case <-p.fluidIn:
		return p.fluidDual
	case <-p.ctx.Done():
		return nil
	}
}

// settleFluid is settle for the fluid bound alone, while others are on their way.
func (p *planner) settleFluid() {
	if dual := p.awaitFluid(); dual != nil && (p.settledDual == nil || p.in.Objective.Better(p.settledDual, dual)) {
		p.settledDual = dual
	}
}

// columnsFirst reports whether the columns come before the fluid program: for
// weighted completion they are tighter at once, and take less time.
func (p *planner) columnsFirst() bool {
	return p.in.Objective == instance.WeightedCompletion
}

// wait waits for the bounds, but not for an engine that does not stop when it
// is told to.
func (p *planner) wait(done <-chan struct{}) {
	select {
	case <-done:
		return
	case <-p.ctx.Done():
	}
	select {
	case <-done:
	case <-time.After(p.grace()):
		if p.lpBound() {
			p.note("the work on LP bounds did not stop when told to; those proven before count")
		} else {
			p.note("no LP bound: the engine did not stop when told to")
		}
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
	}
}

// lpBound reports whether some bound so far came from an LP engine.
func (p *planner) lpBound() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.result.Bounds, func(b bound.Bound) bool {
		return !slices.Contains([]relax.Kind{relax.PresolveProof, relax.ChainBound, relax.AreaBound, relax.MemoryTimeBound}, b.Kind)
	})
}

// engine returns the LP engine, or nil and a note that says why there is none.
func (p *planner) engine() solver.Solver {
	if p.opt.NoLP {
		p.note("no LP bound: switched off")
		return nil
	}
	if p.opt.Solver != nil {
		return solver.Guard(p.opt.Solver)
	}
	engine, err := backend.Default()
	if err != nil {
		p.note("no LP bound: %v", err)
		return nil
	}
	return engine
}

// quickFluidColumns limits the fluid program of the weighted completion with [Options.Quick]. On a night of 31 jobs that
// takes 0.1 s and loses 0.1 % of the bound with 10,000 columns, which takes 7 s.
const quickFluidColumns = 2000

// fluid adds the fluid bound of in, which must hold for the plan's instance, too, or a note that says why there is none.
func (p *planner) fluid(in *instance.Instance, engine solver.Solver) {
	var b bound.Bound
	var err error
	if !p.opt.Without[method.Fluid] {
		var limits fluid.Limits
		if p.opt.Quick {
			limits.Columns = quickFluidColumns
		}
		b, err = fluid.Bound(p.ctx, in, engine, limits)
	}
	if b.Infeasible != nil {
		p.bound(b) // before others look for proofs
	}
	if p.fluidIn != nil {
		if b.Certified {
			p.fluidDual = b.Value
		}
		close(p.fluidIn)
	}
	switch {
	case b.Infeasible != nil:
	case err != nil:
		p.endedEarly(p.ctx, "the fluid bound", err)
	case p.opt.Without[method.Fluid]:
	case b.Value == nil:
		p.note("no LP bound: the engine stopped with status %v", b.LP.Status)
	default:
		if p.opt.Ranging {
			p.ranging(&b)
		}
		p.bound(b)
	}
}

// packingBound adds the bound of whole workers on whole GPUs, for makespan; until is the value of a plan, nil where there is none.
func (p *planner) packingBound(ctx context.Context, in *instance.Instance, engine solver.Solver, until *big.Rat) {
	if p.in.Objective != instance.Makespan || p.opt.Without[method.Packing] {
		return
	}
	known, _ := p.dual()
	limits := packing.Limits{Known: known, Until: until, Work: columnWork * int64(max(1, p.opt.Effort)), Improved: p.bound}
	if p.opt.Time > 0 {
		limits.Work = -1
	}
	if _, err := packing.Bound(ctx, in, engine, limits); err != nil {
		p.endedEarly(ctx, "the packing bound", err)
	}
}

// columnsBound adds the bounds of column generation, if the objective has them, starting from a schedule and its value; nil if there is none.
func (p *planner) columnsBound(ctx context.Context, engine solver.Solver, start *instance.Schedule, value *big.Rat) {
	known, certified := p.dual()
	if p.in.Objective.Periodic() || value != nil && certified && p.close(value, known) {
		return
	}
	p.columnsOf(ctx, p.in, engine, columns.Limits{Start: start, Known: known, Work: columnWork})
}

// columnsOf adds the bounds of in by column generation, which must hold for the plan's instance, too. The work in limits is that of effort 1.
func (p *planner) columnsOf(ctx context.Context, in *instance.Instance, engine solver.Solver, limits columns.Limits) {
	if p.opt.Without[method.Columns] {
		return
	}
	if limits.Work *= int64(max(1, p.opt.Effort)); p.opt.Time > 0 {
		limits.Work = -1
	}
	limits.Improved = func(b bound.Bound) {
		p.mu.Lock()
		p.columns = b.LP.Cols
		p.mu.Unlock()
		p.bound(b)
	}
	_, err := columns.Bound(ctx, in, engine, limits)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		p.endedEarly(ctx, "column generation", err)
	}
}

// intervalsBound adds the bound of few intervals, for the weighted completion of long plans; length is that of a plan, 0 if there is none.
func (p *planner) intervalsBound(ctx context.Context, in *instance.Instance, engine solver.Solver, length instance.Tick) {
	if p.opt.Without[method.Intervals] {
		return
	}
	limits := intervals.Limits{Horizon: length, Most: mostIntervals * max(1, p.opt.Effort)}
	switch {
	case p.opt.Quick:
		limits.Most = 0
	case p.opt.Time > 0:
		limits.Most = relaxed.MostIntervals
	}
	limits.Improved = func(b bound.Bound) {
		p.mu.Lock()
		p.columns = b.LP.Cols
		p.mu.Unlock()
		p.bound(b)
	}
	_, err := intervals.Bound(ctx, in, engine, limits)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		p.endedEarly(ctx, "the intervals bound", err)
	}
}

// mostIntervals is the number of intervals of long plans without a time limit, at effort 1.
const mostIntervals = 64

// periodsBound adds the bound of in by plans that repeat, for all objectives but the weighted completion; it must hold for the plan's
// instance, too. value is that of a plan, nil where there is none.
func (p *planner) periodsBound(ctx context.Context, in *instance.Instance, engine solver.Solver, value *big.Rat) {
	known, certified := p.dual()
	if p.opt.Without[method.Periods] || p.in.Objective == instance.WeightedCompletion || value != nil && certified && p.close(value, known) {
		return
	}
	limits := periods.Limits{
		Until: func() *big.Rat { return value }, Nodes: periodNodes * max(1, p.opt.Effort), Improved: p.bound,
		Event: func(nodes int) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.nodes = nodes
		},
		Periods: func(most []*big.Rat, iterations [][]int) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.periods, p.iterations = most, iterations
		},
	}
	if in.Objective == instance.Makespan {
		limits.Known, limits.Nodes = known, limits.Nodes/5
	}
	if p.opt.Time > 0 {
		limits.Nodes, limits.Until = 0, p.primal
		if in.Objective == instance.Makespan { // schedules want the time, and other trees wait
			part, cancel := context.WithTimeout(ctx, time.Until(p.start.Add(p.opt.Time))/4)
			defer cancel()
			ctx = eventloop.Context(part)
		}
	} else if in.Objective == instance.Makespan {
		limits.Event, limits.Improved = nil, nil // beside schedules, whose events would differ between equal runs
	}
	b, err := periods.Bound(ctx, in, engine, limits)
	if err != nil {
		p.endedEarly(ctx, "the bound of plans that repeat", err)
	}
	p.bound(b)
}

// endedEarly notes why a bound by an LP engine is weaker than it could be, or missing.
func (p *planner) endedEarly(ctx context.Context, what string, err error) {
	some := p.lpBound()
	switch {
	case some && ctx.Err() == nil:
		p.note("%s ended early: %v", what, err)
	case !some && p.ctx.Err() != nil:
		p.cutShort("no LP bound")
	case !some && ctx.Err() == nil:
		p.note("no LP bound: %v", err)
	}
}

// columnWork is the work of column generation at effort 1; see
// [columns.Limits].
const columnWork = 5_000_000_000

// rangingTime bounds the second solve of an explanation, which can be left out.
const rangingTime = 10 * time.Second

// ranging adds ranges to what binds in b, if an engine can compute them in time.
func (p *planner) ranging(b *bound.Bound) {
	engine, err := backend.OneShot()
	if err != nil {
		return // fluid said so already, or was given another engine
	}
	ranged, err := fluid.Bound(p.ctx, p.in, engine, fluid.Limits{Solver: solver.Limits{Time: rangingTime}})
	switch {
	case err != nil:
		p.note("no ranges of prices: %v", err)
	case len(ranged.Binding) == 0:
		p.note("no ranges of prices: they take longer than %v", rangingTime)
	default:
		b.Binding = ranged.Binding
	}
}

// Solver returns the LP engine that this build uses by default, for programs of
// callers. The error says why there is none and how to get one.
func Solver() (solver.Solver, error) { return backend.Default() }
