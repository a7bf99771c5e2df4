package jigsaw

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"jigsaw/formulation"
	"jigsaw/formulation/instance"
	"jigsaw/heuristics"
	"jigsaw/solver"
	"jigsaw/solver/backend"
	"jigsaw/solver/eventloop"
)

// Options of [Plan] and [Bound]. The zero value is useful.
type Options struct {
	// Seed of all randomness: same seed, same answer.
	Seed uint64
	// Time bounds the whole call. When it is up, the best plan so far is
	// returned, and until then the search goes on unless the plan is proven
	// optimal or within Gap. 0 means no bound: the search then ends after a
	// fixed amount of work, and its answer does not depend on the machine.
	Time time.Duration
	// Gap ends the search once the plan is proven to be within this part of
	// the optimum.
	Gap float64
	// Effort scales the fixed amount of work; 0 means 1.
	Effort int
	// Quick makes the greedy plan with a twentieth of the work, the baselines, and the
	// chain, area and fluid bounds, and ends: for whoever waits for the answer.
	// Time and Gap may end it earlier still.
	Quick bool
	// Solver of linear programs; nil means the build's own, see [backend.Default].
	Solver solver.Solver
	// Ranging asks how far the prices of resources hold, for explanations; see
	// [formulation.Binding]. It takes a second solve, by an engine that has ranging.
	Ranging bool
	// NoLP leaves out every bound that needs a linear program.
	NoLP bool
	// Progress is told of every new incumbent and bound, one call at a time.
	Progress func(Point)
	// Incumbent is told of new incumbents that passed [instance.Check], one call at
	// a time, at most ten times a second; of those that come faster, the latest. It
	// may be called from another goroutine, but not after Plan has returned.
	Incumbent func(*instance.Schedule)
}

// Plan schedules the instance and proves how good the schedule is. Cancelling
// ctx ends it early with the best schedule so far. Limits and infeasibility
// are statuses of the result; an error means malformed options or a fault in
// JigSaw itself.
func Plan(ctx context.Context, in *instance.Instance, opt Options) (*Result, error) {
	p, stop := newPlanner(ctx, in, opt)
	defer stop()

	if p.infeasible(formulation.Infeasible(in)) {
		return p.finish()
	}
	p.combinatorial()
	p.settle()

	// Bounds and schedules improve side by side. They meet where the columns
	// ask for a schedule to start from, and where the search asks for the guide.
	p.lp = p.engine()
	begun := make(chan *instance.Schedule, 1)
	bounds, enough := p.startBounds(begun)
	p.schedules(begun)
	if opt.Quick {
		p.wait(bounds)
		return p.finish()
	}
	p.improve(bounds, 4, earlyRounds)
	if p.opt.Time > 0 && p.result.Primal != nil && p.goodEnough()(p.result.Primal) {
		enough()
	}
	p.wait(bounds)
	p.settle()
	small := p.small()
	if small && p.opt.Time > 0 {
		p.exact() // and search beside it
	} else {
		p.guided()
	}
	p.improve(nil, 5, lateRounds)
	if small && p.opt.Time == 0 {
		p.exact()
	}
	return p.finish()
}

// Bound computes the bounds alone. The result has no schedule and no
// baselines; its status is Infeasible or Limit.
func Bound(ctx context.Context, in *instance.Instance, opt Options) (*Result, error) {
	p, stop := newPlanner(ctx, in, opt)
	defer stop()
	if !p.infeasible(formulation.Infeasible(in)) {
		p.combinatorial()
		p.lp = p.engine()
		begun := make(chan *instance.Schedule, 1)
		begun <- nil
		bounds, _ := p.startBounds(begun)
		p.wait(bounds)
	}
	p.certify()
	return p.result, errors.Join(p.faults...)
}

// planner is one run of [Plan].
type planner struct {
	ctx   context.Context
	in    *instance.Instance
	opt   Options
	start time.Time
	show  *showcase
	last  *time.Timer   // ends ctx; nil without a time limit
	lp    solver.Solver // nil: none, and a note says why

	mu     sync.Mutex // guards what follows
	result *Result
	seen   *big.Rat // best value of a schedule so far
	faults []error
	closed bool // an LP engine that is still at work adds nothing any more
	guide  *formulation.Guide
	// refuted is the proof that there is no schedule, if there is one.
	refuted *formulation.Bound
	// settledDual is the certified bound when all that ran beside the
	// schedules was last waited for.
	settledDual *big.Rat
	// columns is the number of columns generated, and nodes of the tree solved,
	// so far.
	columns, nodes int
}

func newPlanner(ctx context.Context, in *instance.Instance, opt Options) (*planner, context.CancelFunc) {
	p := &planner{
		in: in, opt: opt, start: time.Now(), show: newShowcase(in, opt.Incumbent),
		result: &Result{Instance: in, Status: Limit, Seed: opt.Seed},
	}
	cancel := context.CancelFunc(func() {})
	if opt.Time > 0 {
		ctx, cancel = context.WithDeadline(ctx, p.start.Add(opt.Time))
	}
	ctx, end := context.WithCancelCause(ctx)
	p.ctx = eventloop.Context(ctx)
	if opt.Time > 0 {
		p.last = time.AfterFunc(opt.Time, func() { end(context.DeadlineExceeded) })
	}
	return p, func() {
		if p.last != nil {
			p.last.Stop()
		}
		end(nil)
		cancel()
		p.show.close()
	}
}

// reserve ends the search while there is so much time left, for the last proof.
func (p *planner) reserve(proof time.Duration) {
	if p.last != nil {
		p.last.Reset(time.Until(p.start.Add(p.opt.Time - proof)))
	}
}

// rng returns the generator of one part of the run, so that parts can be
// added or run side by side without changing each other's choices.
func (p *planner) rng(part uint64) *rand.Rand { return rand.New(rand.NewPCG(p.opt.Seed, part)) }

// record appends to the series and tells the listener. The caller holds mu.
func (p *planner) record(event string, primal, dual *big.Rat) {
	point := Point{Elapsed: time.Since(p.start), Primal: primal, Dual: dual, Event: event, Columns: p.columns, Nodes: p.nodes}
	p.result.Series = append(p.result.Series, point)
	if p.opt.Progress != nil {
		p.opt.Progress(point)
	}
}

// infeasible notes a proof of infeasibility, if there is one.
func (p *planner) infeasible(reasons []string) bool {
	if len(reasons) == 0 {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refute(formulation.Bound{Kind: formulation.PresolveProof, Certified: true, Infeasible: reasons})
	return true
}

// refute keeps a proof of infeasibility. The caller holds mu.
func (p *planner) refute(b formulation.Bound) {
	p.result.Status, p.result.Reasons, p.refuted = Infeasible, b.Infeasible, &b
}

// bound adds a bound, which improves on those before it or not.
func (p *planner) bound(b formulation.Bound) {
	if b.Value == nil && b.Infeasible == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	if b.Infeasible != nil {
		p.refute(b)
		return
	}
	r := p.result
	if r.Certified && p.opt.Time > 0 && time.Since(p.start)+b.Proving > p.opt.Time+overtime {
		return // there is no time left to prove it
	}
	r.Bounds = append(r.Bounds, b)
	if r.Dual == nil || p.in.Objective.Better(r.Dual, b.Value) || b.Certified && !r.Certified && r.Dual.Cmp(b.Value) == 0 {
		r.Dual, r.Certified = b.Value, b.Certified
		p.reserve(b.Proving)
		p.record(string(b.Kind), p.seen, r.Dual)
	}
}

// overtime is by how much the last proof may pass the time limit.
const overtime = time.Second / 2

// combinatorial adds the bounds that need no engine.
func (p *planner) combinatorial() {
	for _, relaxation := range []func(*instance.Instance) formulation.Bound{formulation.Chain, formulation.Area} {
		begun := time.Now()
		b := relaxation(p.in)
		b.Proving = time.Since(begun)
		p.bound(b)
	}
}

// improved notes the value of a schedule that a heuristic found on its way.
// Only the schedule it ends with is checked and kept.
func (p *planner) improved(event string, s *instance.Schedule) {
	if p.see(event, p.in.Value(s)) {
		p.show.offer(s)
	}
}

// see notes a value, and reports whether it is the best so far.
func (p *planner) see(event string, value *big.Rat) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen != nil && !p.in.Objective.Better(value, p.seen) {
		return false
	}
	p.seen = value
	p.record(event, value, p.result.Dual)
	return true
}

// proven notes that a schedule of the value, which was checked, is optimal, the
// first time that it is so. What follows is no work on the plan.
func (p *planner) proven(value *big.Rat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.result
	if value == nil || r.Dual == nil || !r.Certified || value.Cmp(r.Dual) != 0 || r.Proven() >= 0 {
		return
	}
	p.record(provenEvent, value, r.Dual)
}

func (p *planner) fault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Errorf("jigsaw: "+format, args...))
}

func (p *planner) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.result.Notes = append(p.result.Notes, fmt.Sprintf(format, args...))
}

// grace is how long an LP engine may take to stop once the context has ended.
const grace = 2 * time.Second

// startBounds starts the bounds that need an LP engine; those of columns wait
// for a schedule to begin with, which may be nil. The channel is closed when
// all are done; enough ends those that take long and tell nothing of prices.
func (p *planner) startBounds(begun <-chan *instance.Schedule) (all <-chan struct{}, enough context.CancelFunc) {
	done := make(chan struct{})
	ctx, enough := context.WithCancel(p.ctx)
	ctx = eventloop.Context(ctx)
	go func() {
		defer close(done)
		defer enough()
		if engine := p.lp; engine != nil {
			if p.opt.Quick || !p.columnsFirst() {
				p.fluid(engine)
			}
			if p.opt.Quick {
				return
			}
			select {
			case start := <-begun:
				p.packingBound(ctx, engine, start)
				p.columnsBound(ctx, engine, start)
				p.periodsBound(ctx, engine, start)
			case <-p.ctx.Done():
			}
			if p.columnsFirst() && p.ctx.Err() == nil {
				p.fluid(engine)
			}
		}
	}()
	return done, enough
}

// columnsFirst reports whether the columns come before the fluid program: for
// weighted completion they are tighter at once, and take less time.
func (p *planner) columnsFirst() bool {
	return p.in.Objective == instance.WeightedCompletion
}

// settle notes the bound at a moment that is the same in every run.
func (p *planner) settle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.result.Certified {
		p.settledDual = p.result.Dual
	}
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
	case <-time.After(grace):
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

// lpBound reports whether there is a bound that took an LP engine.
func (p *planner) lpBound() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.result.Bounds, func(b formulation.Bound) bool {
		return b.Kind != formulation.ChainBound && b.Kind != formulation.AreaBound
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

// fluid adds the fluid bound, or a note that says why there is none.
func (p *planner) fluid(engine solver.Solver) {
	b, err := formulation.Fluid(p.ctx, p.in, engine, formulation.Limits{})
	switch {
	case err != nil && p.ctx.Err() != nil:
		p.note("no LP bound: %s", stopped(p.ctx))
	case err != nil:
		p.note("no LP bound: %v", err)
	case b.Value == nil && b.Infeasible == nil:
		p.note("no LP bound: the engine stopped with status %v", b.LP.Status)
	default:
		if p.opt.Ranging {
			p.ranging(&b)
		}
		p.bound(b)
	}
}

// packingBound adds the bound of whole workers on whole GPUs, for makespan.
func (p *planner) packingBound(ctx context.Context, engine solver.Solver, start *instance.Schedule) {
	if p.in.Objective != instance.Makespan || start == nil {
		return
	}
	p.mu.Lock()
	known := p.result.Dual
	p.mu.Unlock()
	limits := formulation.PackingLimits{
		Known: known, Until: p.in.Value(start), Work: columnWork * int64(max(1, p.opt.Effort)), Improved: p.bound,
	}
	if p.opt.Time > 0 {
		limits.Work = -1
	}
	if _, err := formulation.Packing(ctx, p.in, engine, limits); err != nil && ctx.Err() == nil {
		p.note("the packing bound ended early: %v", err)
	}
}

// columnsBound adds the bounds of column generation, where the objective has
// them, and keeps the guide.
func (p *planner) columnsBound(ctx context.Context, engine solver.Solver, start *instance.Schedule) {
	p.mu.Lock()
	known, certified := p.result.Dual, p.result.Certified
	p.mu.Unlock()
	if p.in.Objective.Periodic() || start != nil && certified && p.close(p.in.Value(start), known) {
		return
	}
	limits := formulation.ColumnLimits{Start: start, Known: known, Work: columnWork * int64(max(1, p.opt.Effort))}
	if p.opt.Time > 0 {
		limits.Work = -1
	}
	limits.Improved = func(b formulation.Bound) {
		p.mu.Lock()
		p.columns = b.LP.Cols
		p.mu.Unlock()
		p.bound(b)
	}
	_, guide, err := formulation.Columns(ctx, p.in, engine, limits)
	if err != nil && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) {
		p.note("column generation ended early: %v", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.guide = guide
	}
}

// periodsBound adds the bound of whole numbers, for the periodic objectives.
func (p *planner) periodsBound(ctx context.Context, engine solver.Solver, start *instance.Schedule) {
	p.mu.Lock()
	known, certified := p.result.Dual, p.result.Certified
	p.mu.Unlock()
	var value *big.Rat
	if start != nil {
		value = p.in.Value(start)
	}
	if !p.in.Objective.Periodic() || value != nil && certified && p.close(value, known) {
		return
	}
	limits := formulation.PeriodLimits{
		Until: func() *big.Rat { return value }, Nodes: periodNodes * max(1, p.opt.Effort), Improved: p.bound,
		Event: func(nodes int) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.nodes = nodes
		},
	}
	if p.opt.Time > 0 {
		limits.Nodes = 0
		limits.Until = func() *big.Rat {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.seen
		}
	}
	b, err := formulation.Periods(ctx, p.in, engine, limits)
	if err != nil && ctx.Err() == nil {
		p.note("the bound of whole periods ended early: %v", err)
	}
	p.bound(b)
}

// close reports whether the bound shows that a plan of this value is good enough.
func (p *planner) close(primal, dual *big.Rat) bool {
	return dual != nil && (!p.in.Objective.Better(dual, primal) || Gap(primal, dual) <= p.opt.Gap)
}

// columnWork is the work of column generation at effort 1; see
// [formulation.ColumnLimits].
const columnWork = 5_000_000_000

// rangingTime bounds the second solve of an explanation, which can be left out.
const rangingTime = 10 * time.Second

// ranging replaces what binds in b by the same with ranges, where an engine
// can tell them in time.
func (p *planner) ranging(b *formulation.Bound) {
	engine, err := backend.OneShot()
	if err != nil {
		return // fluid said so already, or was given another engine
	}
	ranged, err := formulation.Fluid(p.ctx, p.in, engine, formulation.Limits{Solver: solver.Limits{Time: rangingTime}})
	switch {
	case err != nil:
		p.note("no ranges of prices: %v", err)
	case len(ranged.Binding) == 0:
		p.note("no ranges of prices: they take longer than %v", rangingTime)
	default:
		b.Binding = ranged.Binding
	}
}

// Engine describes the LP engine that this build uses by default. The error
// says why there is none and how to get one.
func Engine() (string, error) {
	if _, err := backend.Default(); err != nil {
		return "", err
	}
	return backend.Description(), nil
}

// stopped says in words why the context ended.
func stopped(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return "the time limit was reached"
	}
	return "interrupted"
}

// schedules makes the greedy plan, which begun is told of, and the baselines. The
// best of them that is valid for the instance is the plan: a full-depth baseline
// is, where the SPB rules allow full depth.
func (p *planner) schedules(begun chan<- *instance.Schedule) {
	r, deep := p.result, p.in.FullDepth()
	greedy := heuristics.Config{Quick: p.opt.Quick, Improved: func(s *instance.Schedule) { p.improved("greedy", s) }, Stop: unbeatable(p.in)}
	full := heuristics.Config{Quick: p.opt.Quick, Stop: unbeatable(deep)}
	r.Greedy = p.baseline("greedy", p.in, greedyPart, greedy.Greedy)
	p.proven(r.Greedy.Value)
	begun <- r.Greedy.Schedule
	r.InterleavedFull = p.baseline("interleaved-full", deep, 2, full.InterleavedFull)
	r.Exclusive = p.baseline("exclusive", deep, 3, heuristics.Exclusive)

	for _, b := range []*Baseline{&r.Greedy, &r.InterleavedFull, &r.Exclusive} {
		if b.Schedule == nil || r.Primal != nil && !p.in.Objective.Better(b.Value, r.Primal) {
			continue
		}
		if b == &r.Greedy || len(instance.Check(p.in, b.Schedule)) == 0 {
			r.Schedule, r.Primal = b.Schedule, b.Value
		}
	}
}

// Rounds of the search at effort 1, before and after the bounds are in.
const (
	earlyRounds = 1
	lateRounds  = 2
)

// improve searches for better schedules than the one at hand: for so many
// rounds or, where there is a time limit, until it is up or the channel is closed.
func (p *planner) improve(until <-chan struct{}, part uint64, rounds int) {
	stop := p.goodEnough()
	if p.result.Schedule == nil || stop(p.result.Primal) {
		return
	}
	c := heuristics.Config{
		Rounds:   rounds * max(1, p.opt.Effort),
		Improved: func(s *instance.Schedule) { p.improved("search", s) },
		Stop:     stop,
	}
	ctx := p.ctx
	if p.opt.Time > 0 {
		c.Rounds = 0
		if until != nil {
			var cancel context.CancelFunc
			ctx, cancel = context.WithCancel(ctx)
			ctx = eventloop.Context(ctx)
			defer cancel()
			go func() {
				select {
				case <-until:
					cancel()
				case <-ctx.Done():
				}
			}()
		}
	}
	if s, err := c.Improve(ctx, p.in, p.rng(part), p.result.Schedule); err == nil {
		p.take("the search", s)
	}
}

// guided schedules after plans that the columns bound mixes.
func (p *planner) guided() {
	p.mu.Lock()
	guide := p.guide
	p.mu.Unlock()
	stop := p.goodEnough()
	if guide == nil || p.result.Schedule == nil || stop(p.result.Primal) {
		return
	}
	rng := p.rng(6)
	c := heuristics.Config{Improved: func(s *instance.Schedule) { p.improved("guided", s) }, Stop: stop}
	for range guides {
		s, err := c.Guided(p.ctx, p.in, rng, guide.Sample(rng))
		if err != nil {
			return
		}
		p.take("the guided search", s)
	}
}

// guides is how many samples of the guide are scheduled.
const guides = 4

// small reports whether branch-and-price may hope to close the gap.
func (p *planner) small() bool {
	start, tasks := p.result.Schedule, 0
	if p.in.Objective.Periodic() || start == nil || start.Makespan(p.in) > formulation.MostTicks {
		return false
	}
	for j := range p.in.Jobs {
		tasks += p.in.Jobs[j].Workers * p.in.Jobs[j].Iterations
	}
	return tasks <= mostExactTasks && len(p.in.GPUs) <= mostExactGPUs
}

// exact closes the gap by branch-and-price. With a time limit the search goes
// on beside it.
func (p *planner) exact() {
	in, start := p.in, p.result.Schedule
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if p.lp == nil || closed || p.goodEnough()(p.result.Primal) {
		return
	}
	limits := formulation.TreeLimits{
		Start: start, Known: p.settledDual, Improved: func(s *instance.Schedule) { p.improved("tree", s) }, Bounded: p.bound,
		Event: func(nodes, columns int) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.nodes = nodes
		},
	}
	if p.opt.Time == 0 {
		limits.Nodes = treeNodes * max(1, p.opt.Effort)
	} else {
		limits.Seen = func() *big.Rat {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.seen
		}
	}
	done := make(chan struct{})
	var r formulation.TreeResult
	var err error
	ctx, enough := context.WithCancel(p.ctx)
	defer enough()
	ctx = eventloop.Context(ctx)
	go func() {
		defer close(done)
		r, err = formulation.BranchAndPrice(ctx, in, p.lp, limits)
	}()
	if p.opt.Time > 0 {
		p.guided()
		p.improve(done, 7, 0)
		if p.goodEnough()(p.result.Primal) {
			enough()
		}
	}
	p.wait(done)
	select {
	case <-done:
	default:
		return
	}
	if err != nil && ctx.Err() == nil {
		p.note("branch-and-price ended early: %v", err)
	}
	if r.Schedule != nil {
		p.take("branch-and-price", r.Schedule)
	}
}

// Limits on what branch-and-price is tried on, and nodes at effort 1.
const (
	mostExactTasks = 600
	mostExactGPUs  = 32
	treeNodes      = 200
	periodNodes    = 500
)

// take makes a schedule the plan if it is valid and better.
func (p *planner) take(name string, s *instance.Schedule) {
	if violations := instance.Check(p.in, s); len(violations) > 0 {
		p.fault("%s made an invalid schedule: %v", name, violations[0])
		return
	}
	if v := p.in.Value(s); p.result.Primal == nil || p.in.Objective.Better(v, p.result.Primal) {
		p.result.Schedule, p.result.Primal = s, v
		p.proven(v)
	}
}

// goodEnough returns the test that ends a search. Without a time limit it
// does not look at the bounds again: when they come differs from run to run.
func (p *planner) goodEnough() func(*big.Rat) bool {
	dual := p.settledDual
	return func(v *big.Rat) bool {
		if p.opt.Time > 0 {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.result.Certified && p.close(v, p.result.Dual)
		}
		return p.close(v, dual)
	}
}

// scheduler is a way of making schedules; see package heuristics.
type scheduler func(context.Context, *instance.Instance, *rand.Rand) (*instance.Schedule, error)

// baseline runs one scheduler and checks what it made against the instance it
// was made for.
func (p *planner) baseline(name string, in *instance.Instance, part uint64, schedule scheduler) Baseline {
	s, err := schedule(p.ctx, in, p.rng(part))
	if err != nil && p.ctx.Err() != nil {
		return Baseline{Reason: stopped(p.ctx) + " before the first schedule was found"}
	}
	if err != nil {
		return Baseline{Reason: strings.TrimPrefix(err.Error(), "heuristics: ")}
	}
	if violations := instance.Check(in, s); len(violations) > 0 {
		p.fault("%s made an invalid schedule: %v", name, violations[0])
		return Baseline{Reason: "its schedule was invalid"}
	}
	return Baseline{Schedule: s, Value: in.Value(s), Efficiency: s.Efficiency(in)}
}

// finish settles the status, once all parts of the run have ended. Faults are
// errors: a planner that made an invalid schedule, or a bound that a valid
// schedule beats, cannot be trusted.
func (p *planner) finish() (*Result, error) {
	r := p.result
	p.certify()
	if r.Primal != nil && r.Dual != nil && p.in.Objective.Better(r.Primal, r.Dual) {
		p.fault("the schedule's value %s is better than the bound %s, so one of them is wrong", r.Primal.RatString(), r.Dual.RatString())
	}
	switch {
	case r.Status == Infeasible && r.Schedule != nil:
		p.fault("a valid schedule was found for an instance proven infeasible (%s)", strings.Join(r.Reasons, "; "))
	case r.Status == Infeasible:
	case r.Schedule == nil:
		r.Status, r.Reasons = Limit, []string{r.Greedy.Reason}
	case r.Dual != nil && r.Certified && r.Primal.Cmp(r.Dual) == 0:
		r.Status = Optimal
		p.proven(r.Primal)
	default:
		r.Status = Feasible
	}
	if p.ctx.Err() != nil && r.Schedule != nil {
		p.note("%s: this is the best plan so far", stopped(p.ctx))
	}
	return r, errors.Join(p.faults...)
}
