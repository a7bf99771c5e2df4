package jigsaw

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/tree"
	"jigsaw/heuristics"
	"jigsaw/method"
	"jigsaw/solver/eventloop"
)

// mostHastyTasks is the largest number of tasks for which bounds take less time than
// greedy's changes, so that with a time limit bounds do not wait for these.
const mostHastyTasks = 2000

// schedules makes the baselines and the greedy plan, and calls begun with the greedy plan. The plan is
// the best of them, at the depths that the SPB rules ask for. Greedy is [heuristics.Config.Divided]
// or, for first plans, [heuristics.Config.Greedy].
func (p *planner) schedules(begun chan<- *instance.Schedule, plan greedy) {
	r, deep := p.result, p.in.FullDepth()
	c := heuristics.Config{Without: p.opt.Without, Quick: p.opt.Quick, Improved: func(s *instance.Schedule) { p.improved("greedy", s) }, Stop: p.unbeatable()}
	full := heuristics.Config{Without: p.opt.Without, Quick: p.opt.Quick, Stop: c.Stop}
	if alone := unbeatable(deep); alone != nil {
		// Shallower tasks fit in the same places, so that no full-depth schedule beats the bound, either.
		full.Stop = func(value *big.Rat) bool { return alone(value) || c.Stop(value) }
	}
	if !p.opt.NoBaselines {
		p.wholeJobs(deep)
	}

	begin := func(s *instance.Schedule) {
		select {
		case begun <- s:
		default: // they have begun
		}
	}
	if p.opt.Time > 0 && p.in.Tasks() <= mostHastyTasks {
		c.Constructed = func(s *instance.Schedule) {
			if len(p.check(p.in, s)) == 0 {
				begin(s)
			}
		}
	}
	r.Greedy = p.baseline("greedy", p.in, greedyPart, plan.with(c))
	p.checked(r.Greedy.Value)
	begin(r.Greedy.Schedule)
	p.startWith("greedy", &r.Greedy)
	if p.opt.NoBaselines {
		if r.Schedule != nil {
			return
		}
		p.wholeJobs(deep)
	}
	p.searchExclusive(deep, full.Stop)
	p.interleavedFull(deep, full, plan)
}

// inTime searches for a schedule that meets the deadlines if none was found yet: it minimises the makespan without deadlines until
// all are met. With a time limit it takes half of the time that is left.
func (p *planner) inTime() {
	jobs, due := slices.Clone(p.in.Jobs), instance.Tick(0) // the first deadline
	for j := range jobs {
		if d := jobs[j].Deadline; d > 0 && (due == 0 || d < due) {
			due = d
		}
		jobs[j].Deadline = 0
	}
	if due == 0 || p.result.Schedule != nil || p.in.Objective.Periodic() || p.opt.Quick || p.ctx.Err() != nil || p.noPlan() {
		return
	}
	open := p.in.WithJobs(jobs)
	open.Objective = instance.Makespan
	c := heuristics.Config{
		Rounds: lateRounds * max(1, p.opt.Effort), Without: p.opt.Without,
		Stop: func(makespan *big.Rat) bool {
			return makespan.Cmp(new(big.Rat).SetInt64(int64(due))) <= 0 || p.noPlan() // by the bounds beside
		},
	}
	if p.opt.Time > 0 {
		c.Rounds = 0
	}
	ctx, cancel := p.limited(time.Until(p.start.Add(p.opt.Time)) / 2)
	defer cancel()
	s, err := c.Greedy(ctx, open, p.rng(inTimePart))
	if err == nil && !c.Stop(open.Value(s)) {
		s, err = c.Improve(ctx, open, p.rng(inTimePart), s)
	}
	if err == nil && p.in.Late(s.Completion(p.in)) == instance.NoJob {
		p.take("the search within deadlines", s)
	}
}

// startWith makes the schedule of a baseline the plan if it is valid and the best so far.
func (p *planner) startWith(name string, b *Baseline) {
	r := p.result
	if b.Schedule == nil || r.Primal != nil && !p.in.Objective.Better(b.Value, r.Primal) ||
		b.Instance != p.in && len(p.check(p.in, b.Schedule)) > 0 {
		return
	}
	r.Schedule, r.Primal = b.Schedule, b.Value
	p.improved(name, b.Schedule)
	p.checked(b.Value)
}

// inTimePart draws from a source of its own; see planner.rng.
const inTimePart = 12

// Rounds of the search at effort 1, before and after the bounds are in.
const (
	earlyRounds = 1
	lateRounds  = 12
)

// improve searches for schedules better than the one at hand: for the given number of
// rounds or, with a time limit, until it is up or the channel is closed; the given number of
// cores is then left to the work that closes the channel.
func (p *planner) improve(until <-chan struct{}, part uint64, rounds, spare int) {
	stop := p.goodEnough()
	if p.result.Schedule == nil || p.ctx.Err() != nil || stop(p.result.Primal) {
		return
	}
	c := heuristics.Config{
		Rounds:   rounds * max(1, p.opt.Effort),
		Improved: func(s *instance.Schedule) { p.improved("search", s) },
		Stop:     stop,
		Without:  p.opt.Without,
		Periods:  p.settledPeriods, Iterations: p.settledIterations,
	}
	ctx := p.ctx
	if p.opt.Time > 0 {
		c.Rounds = 0
		if until != nil {
			c.Spare = spare
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

// small reports whether branch-and-price may hope to close the gap or, where all jobs have deadlines, to find out whether there is a
// schedule at all.
func (p *planner) small() bool {
	start := p.result.Schedule
	if len(p.in.Policies) > 0 || p.in.Grouped() {
		return false // its cases take nodes for alike that a policy may tell apart, and GPUs for workers
	}
	if p.in.Objective.Periodic() {
		return false
	}
	var end instance.Tick
	if start != nil {
		end = start.Makespan(p.in)
	} else if due, last := p.in.ByDeadlines(); due != nil && p.refuted == nil && (p.result.Dual == nil || p.result.Dual.Cmp(due) <= 0) {
		end = last
	} else {
		return false
	}
	gpus := mostExactGPUs
	if end > cases.MostTicks {
		if p.in.Objective != instance.Makespan {
			return false
		}
		gpus = mostLongGPUs
	}
	return p.in.Tasks() <= mostExactTasks && len(p.in.GPUs) <= gpus
}

// exact closes the gap by branch-and-price. With a time limit the search goes
// on beside it.
func (p *planner) exact() {
	in, start := p.in, p.result.Schedule
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if p.lp == nil || closed || p.opt.Without[method.Tree] || start != nil && p.goodEnough()(p.result.Primal) {
		return
	}
	limits := tree.Limits{
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
		limits.Seen = p.primal
	}
	done := make(chan struct{})
	var r tree.Result
	var err error
	ctx, enough := context.WithCancel(p.ctx)
	defer enough()
	ctx = eventloop.Context(ctx)
	go func() {
		defer close(done)
		r, err = tree.BranchAndPrice(ctx, in, p.lp, limits)
	}()
	if p.opt.Time > 0 {
		p.improve(done, 7, 0, 1)
		if p.result.Primal != nil && p.goodEnough()(p.result.Primal) {
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
	mostLongGPUs   = 16 // where homes alone are decided
	treeNodes      = 200
	periodNodes    = 500
)

// scheduler is a way of making schedules; see package heuristics.
type scheduler func(context.Context, *instance.Instance, *rand.Rand) (*instance.Schedule, error)

// greedy is a way of making them under a configuration.
type greedy func(heuristics.Config, context.Context, *instance.Instance, *rand.Rand) (*instance.Schedule, error)

// with returns it under the given configuration.
func (g greedy) with(c heuristics.Config) scheduler {
	return func(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
		return g(c, ctx, in, rng)
	}
}

// unprefixed is the text of an error without its package prefixes: why there is no schedule.
func unprefixed(err error) string {
	text := err.Error()
	for _, name := range []string{"heuristics: ", "baseline: "} {
		text = strings.TrimPrefix(text, name)
	}
	return text
}

// baseline runs one scheduler and checks what it made against the instance it
// was made for.
func (p *planner) baseline(name string, in *instance.Instance, part uint64, schedule scheduler) Baseline {
	s, err := schedule(p.ctx, in, p.rng(part))
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Baseline{Instance: in, Reason: stopped(p.ctx) + " before the first schedule was found"}
	}
	if err != nil {
		return Baseline{Instance: in, Reason: unprefixed(err)}
	}
	if violations := p.check(in, s); len(violations) > 0 {
		p.fault("%s made an invalid schedule: %v", name, violations[0])
		return Baseline{Instance: in, Reason: "its schedule was invalid"}
	}
	return Baseline{Instance: in, Schedule: s, Value: in.Value(s), Efficiency: s.Efficiency(in)}
}
