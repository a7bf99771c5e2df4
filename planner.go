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

	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/relax"
	"jigsaw/solver"
	"jigsaw/solver/eventloop"
)

// planner is one run of [Plan].
type planner struct {
	ctx   context.Context
	in    *instance.Instance
	opt   Options
	start time.Time
	show  *showcase
	last  *time.Timer   // ends ctx; nil without a time limit
	lp    solver.Solver // nil: none, and a note says why
	prove prover        // of what the run ends with
	// fluidIn is closed once fluidDual is set to the certified fluid bound, or it is known that
	// there is none; nil if nothing waits for it.
	fluidIn   chan struct{}
	fluidDual *big.Rat

	mu     sync.Mutex // guards what follows
	result *Result
	seen   *big.Rat // best value of a schedule so far
	valid  *big.Rat // best value of one that was checked
	faults []error
	closed bool // an LP engine that is still at work adds nothing any more
	// enough cancels the bounds that take long; nil before they begin.
	enough context.CancelFunc
	// refuted is the proof that there is no schedule, if there is one.
	refuted *bound.Bound
	// refutation is its certificate where that is about the instance with another objective; see [Certify].
	refutation *Certificate
	// cut are notes on what the end of the run cut short; they are shown if the plan
	// is not known to be optimal.
	cut []string
	// settledDual is the certified bound as of the last time that the planner waited for
	// everything that ran beside the schedules.
	settledDual *big.Rat
	// periods and iterations are what the bound of whole periods says of where better plans may be; those
	// that are settled were known at that time.
	periods, settledPeriods       []*big.Rat
	iterations, settledIterations [][]int
	// columns is the number of columns generated, and nodes of the tree solved,
	// so far.
	columns, nodes int
	// proving is how long the proof of the bound took, and checking how long the longest check of a
	// schedule took: the end of the run will take about as long.
	proving, checking time.Duration
}

// prover is [Certify], or a version of it for fewer kinds of certificates.
type prover func(context.Context, *instance.Instance, *Certificate) (relax.Proven, error)

func newPlanner(ctx context.Context, in *instance.Instance, opt Options) (*planner, context.CancelFunc) {
	return newPlannerOf(ctx, in, opt, Certify)
}

func newPlannerOf(ctx context.Context, in *instance.Instance, opt Options, prove prover) (*planner, context.CancelFunc) {
	p := &planner{
		in: in, opt: opt, start: time.Now(), prove: prove, show: newShowcase(in, opt.Incumbent),
		result: &Result{Instance: in, Status: Unknown, Seed: opt.Seed},
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

// reserve ends the search while there is still time for the last proof and check, judging by how
// long earlier ones took. The caller holds mu.
func (p *planner) reserve() {
	if p.last != nil {
		p.last.Reset(time.Until(p.start.Add(p.opt.Time - p.proving - p.checking)))
	}
}

// check is [check.Schedule], and notes how long it took.
func (p *planner) check(in *instance.Instance, s *instance.Schedule) []check.Violation {
	begun := time.Now()
	violations := check.Schedule(in, s)
	p.mu.Lock()
	defer p.mu.Unlock()
	if took := time.Since(begun); took > p.checking {
		p.checking = took
		p.reserve()
	}
	return violations
}

// dual returns the best bound so far, and whether it is certified.
func (p *planner) dual() (*big.Rat, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.result.Dual, p.result.Certified
}

// primal returns the best value of a schedule so far.
func (p *planner) primal() *big.Rat {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen
}

// limited returns the context of a part of the run that takes no longer than d if the run has a time limit.
func (p *planner) limited(d time.Duration) (context.Context, context.CancelFunc) {
	if p.opt.Time == 0 {
		return p.ctx, func() {}
	}
	ctx, cancel := context.WithTimeout(p.ctx, d)
	return eventloop.Context(ctx), cancel
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

// infeasible adds what is proven by the reasons why no schedule has all jobs, if there are any, and reports whether that is infeasibility.
func (p *planner) infeasible(reasons []string) bool {
	b := bound.Bound{Proven: relax.Refuted(p.in, reasons)}
	if p.bound(b); b.Value != nil {
		p.note("the least rate is 0: %s", strings.Join(reasons, "; "))
	}
	return b.Infeasible != nil
}

// placementSteps is what a plan may take to prove that memory cannot hold the jobs:
// about a second.
const placementSteps = 20_000_000

// unplaceable looks for a proof that memory cannot hold all jobs together, if no
// schedule was found that has all of them.
func (p *planner) unplaceable() {
	p.mu.Lock()
	all := p.result.Schedule != nil && (p.in.Objective != instance.MaxMinThroughput || p.result.Primal.Sign() > 0)
	known := p.refuted != nil || p.result.Dual != nil && p.in.Objective.Periodic() && p.result.Dual.Sign() == 0
	p.mu.Unlock()
	if !all && p.ctx.Err() == nil && !known {
		p.infeasible(relax.NoPlacement(p.ctx, p.in, placementSteps))
	}
}

// noPlan reports whether it is proven that there is no plan.
func (p *planner) noPlan() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hopeless()
}

// hopeless is [planner.noPlan] for callers that hold mu.
func (p *planner) hopeless() bool {
	return p.refuted != nil || p.result.Certified && Overdue(p.in, p.result.Dual) != ""
}

// refute keeps a proof of infeasibility. The caller holds mu.
func (p *planner) refute(b bound.Bound) {
	p.result.Status, p.result.Reasons, p.refuted = Infeasible, b.Infeasible, &b
}

// bound adds a bound, whether it improves on those before it or not.
func (p *planner) bound(b bound.Bound) {
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
		p.proving = b.Proving
		p.reserve()
		p.record(string(b.Kind), p.seen, r.Dual)
		p.meet()
		if p.enough != nil && p.hopeless() {
			p.enough() // it would rise until the run ends
		}
	}
}

// overtime is by how much the last proof may exceed the time limit.
const overtime = time.Second / 2

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

// checked notes the value of a schedule that was checked.
func (p *planner) checked(value *big.Rat) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if value != nil && (p.valid == nil || p.in.Objective.Better(value, p.valid)) {
		p.valid = value
	}
	p.meet()
}

// meet notes when a checked schedule is first known to be optimal; nothing that follows
// improves the plan. The caller holds mu.
func (p *planner) meet() {
	r := p.result
	if p.valid != nil && r.Dual != nil && r.Certified && p.valid.Cmp(r.Dual) == 0 && r.Proven() < 0 {
		p.record(provenEvent, p.valid, r.Dual)
	}
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

// cutShort adds a note on what the end of the run cut short.
func (p *planner) cutShort(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.cut = append(p.cut, what+": "+stopped(p.ctx))
	}
}

// settle notes the bound at a moment that is the same in every run.
func (p *planner) settle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.result.Certified {
		p.settledDual = p.result.Dual
	}
	p.settledPeriods, p.settledIterations = p.periods, p.iterations
}

// close reports whether the bound shows that a plan of this value is good enough.
func (p *planner) close(primal, dual *big.Rat) bool {
	return dual != nil && (!p.in.Objective.Better(dual, primal) || Gap(primal, dual) <= p.opt.Gap)
}

// stopped says in words why the context ended.
func stopped(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return "the time limit was reached"
	}
	return "interrupted"
}

// take makes a schedule the plan if it is valid and better.
func (p *planner) take(name string, s *instance.Schedule) {
	if s == p.result.Schedule {
		return // the search found nothing better than what it was given
	}
	if violations := p.check(p.in, s); len(violations) > 0 {
		p.fault("%s made an invalid schedule: %v", name, violations[0])
		return
	}
	if v := p.in.Value(s); p.result.Primal == nil || p.in.Objective.Better(v, p.result.Primal) {
		p.result.Schedule, p.result.Primal = s, v
		p.checked(v)
	}
}

// goodEnough returns the test that ends a search. Without a time limit it uses the
// bounds known now and none that come later: when they come differs from run to run.
func (p *planner) goodEnough() func(*big.Rat) bool {
	dual := p.settledDual
	return func(v *big.Rat) bool {
		if p.opt.Time > 0 {
			now, certified := p.dual()
			return certified && p.close(v, now)
		}
		return p.close(v, dual)
	}
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
	case r.Status == Infeasible && r.plan() != nil:
		p.fault("a valid schedule was found for an instance proven infeasible (%s)", strings.Join(r.Reasons, "; "))
	case r.Status == Infeasible:
	case r.plan() == nil:
		r.Status, r.Reasons = p.unsolved(), []string{r.Greedy.Reason}
	case r.Dual != nil && r.Certified && r.Primal.Cmp(r.Dual) == 0:
		r.Status = Optimal
		p.checked(r.Primal)
	default:
		r.Status = Feasible
	}
	if r.plan() != nil {
		p.lacking()
		if r.Primal.Sign() == 0 && p.in.MaxPeriod > 0 && !slices.ContainsFunc(r.Bounds, func(b bound.Bound) bool { return b.Kind == relax.PresolveProof }) {
			p.note("a job gets no iteration: max_period, %v, may be too short for one", p.in.Duration(p.in.MaxPeriod))
		}
	}
	if r.Status != Optimal {
		r.Notes = append(r.Notes, p.cut...)
	}
	if p.ctx.Err() != nil && r.Status == Feasible && !(p.opt.Gap > 0 && r.Certified && p.close(r.Primal, r.Dual)) {
		p.note("%s: this is the best plan so far", stopped(p.ctx))
	}
	return r, errors.Join(p.faults...)
}

// unsolved is the status of a run with neither a schedule nor a proof that there is none.
func (p *planner) unsolved() Status {
	if p.ctx.Err() != nil {
		return Limit
	}
	return Unknown
}

// lacking notes which ways of scheduling found no schedule, and why, grouping those with the same
// reason.
func (p *planner) lacking() {
	var names, reasons []string
	r := p.result
	for _, b := range []struct {
		name string
		Baseline
	}{{"queue", r.Queue}, {"exclusive", r.Exclusive}, {"interleaved-full", r.InterleavedFull}, {"greedy", r.Greedy}} {
		if b.Schedule != nil || b.Reason == "" {
			continue
		}
		if at := slices.Index(reasons, b.Reason); at >= 0 {
			names[at] += ", " + b.name
			continue
		}
		names, reasons = append(names, b.name), append(reasons, b.Reason)
	}
	for i := range names {
		p.note("%s: %s", names[i], reasons[i])
	}
}
