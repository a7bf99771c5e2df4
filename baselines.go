package jigsaw

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics"
	"jigsaw/heuristics/baseline"
	"jigsaw/heuristics/periodic"
	"jigsaw/method"
)

const (
	// One part in exclusivePart of the time or work of a plan goes into exclusive, unless
	// [Options.EqualBaselines] asks for all of it.
	exclusivePart = 5
	// That part of the work at effort 1 is workPerTask operations of package baseline for every
	// task of the instance, within limits.
	workPerTask, leastWork, mostWork = 1000, 500_000, 5_000_000
	// patience is after how many rounds without a better schedule exclusive ends in a plan
	// that does not ask for equal baselines: on few jobs its orders are soon all tried.
	patience = 4
	// quickPart is by how much [Options.Quick] divides it.
	quickPart = 20
)

// notAsked is why a plan does not show the baselines on fewer workers.
const notAsked = "not computed: plans on fewer workers are made only if the baselines have the budget of the plan"

// Parts of a run that draw from sources of their own; see planner.rng.
const (
	interleavedPart = 2
	queuePart       = 3
	orderPart       = 8
)

// wholeJobs makes the baselines of whole jobs that need no search, the first before the context may end
// the run, so that every run has a plan, and takes the better for the first plan.
func (p *planner) wholeJobs(deep *instance.Instance) {
	r := p.result
	r.FewerExclusive.Reason, r.FewerInterleaved.Reason = notAsked, notAsked
	if deep.Objective.Periodic() {
		whole := p.baseline("exclusive", p.in, queuePart, heuristics.Bundled(periodic.Whole)) // at the depths of the rules
		p.startWith("exclusive", &whole)
		if r.Exclusive = whole; deep != p.in {
			r.Exclusive = p.baseline("exclusive", deep, queuePart, heuristics.Bundled(periodic.Exclusive))
			p.startWith("exclusive", &r.Exclusive)
		}
		r.Queue = p.baseline("queue", deep, queuePart, heuristics.Bundled(periodic.Queue))
		return
	}
	r.Queue = p.baseline("queue", deep, queuePart, func(_ context.Context, in *instance.Instance, _ *rand.Rand) (*instance.Schedule, error) {
		return baseline.Queue(p.ctx, in)
	})
	p.startShallow("queue", &r.Queue)
}

// searchExclusive makes the baseline of whole jobs in the best order found.
func (p *planner) searchExclusive(deep *instance.Instance, stop func(*big.Rat) bool) {
	r := p.result
	switch {
	case deep.Objective.Periodic():
		return // made already
	case p.opt.exclusive.Instance != nil:
		r.Exclusive = p.opt.exclusive
	case p.opt.Without[method.ExclusiveSearch]:
		r.Exclusive = r.Queue
	default:
		r.Exclusive = p.exclusive(deep, baseline.Config{Start: r.Queue.Schedule, Stop: stop, Patience: patience}, 1)
	}
	p.startShallow("exclusive", &r.Exclusive)
}

// exclusive searches among schedules of whole jobs, for so many times the usual part of
// the time or work.
func (p *planner) exclusive(deep *instance.Instance, c baseline.Config, parts int) Baseline {
	ctx, cancel := p.limited(p.opt.Time / exclusivePart * time.Duration(parts))
	defer cancel()
	work := parts * int(min(max(leastWork, workPerTask*p.in.Tasks()), mostWork))
	switch {
	case p.opt.Time > 0:
	case p.opt.Quick:
		c.Work = work / quickPart
	default:
		c.Work = work * max(1, p.opt.Effort)
	}
	return p.baseline("exclusive", deep, orderPart, func(_ context.Context, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
		return c.Exclusive(ctx, in, rng)
	})
}

// startShallow is startWith for a schedule of whole jobs: at the depths that the rules ask
// for, and as it is where they allow that.
func (p *planner) startShallow(name string, b *Baseline) {
	p.startWith(name, b)
	if b.Schedule == nil || b.Instance == p.in {
		return
	}
	ctx := p.ctx
	if p.result.Schedule == nil {
		ctx = context.WithoutCancel(ctx) // there is to be a plan at any limit
	}
	s, err := baseline.Shallow(ctx, p.in, b.Schedule)
	if err == nil && len(p.check(p.in, s)) == 0 {
		p.startWith(name, &Baseline{Instance: p.in, Schedule: s, Value: p.in.Value(s)})
	}
}

// interleavedFull is the better of exclusive and of greedy at full depth.
func (p *planner) interleavedFull(deep *instance.Instance, c heuristics.Config, plan greedy) {
	r := p.result
	r.InterleavedFull = r.Greedy
	if deep != p.in {
		r.InterleavedFull = p.baseline("interleaved-full", deep, interleavedPart, plan.with(c))
	}
	b, e := &r.InterleavedFull, &r.Exclusive
	if e.Schedule == nil && b.Schedule != nil && !deep.Objective.Periodic() {
		// GPUs chosen one job at a time left some job without memory; those of a whole plan do not.
		r.Exclusive = p.exclusive(deep, baseline.Config{Residencies: b.Schedule.Residency, Stop: c.Stop, Patience: patience}, 1)
	}
	if e.Schedule != nil && (b.Schedule == nil || deep.Objective.Better(e.Value, b.Value)) {
		*b = *e
	}
	p.startWith("interleaved-full", b)
}

// startShallower is startWith for interleaved-full with its starts at the depths that the rules ask for.
func (p *planner) startShallower() {
	b := &p.result.InterleavedFull
	if b.Schedule == nil || b.Instance == p.in {
		return
	}
	block := baseline.Shallower(p.in, b.Schedule.Block()).Blocks[0]
	s := &instance.Schedule{Period: b.Schedule.Period, Residency: b.Schedule.Residency, Tasks: block.Tasks, Syncs: block.Syncs}
	if s.Sort(); len(p.check(p.in, s)) == 0 {
		p.startWith("interleaved-full", &Baseline{Instance: p.in, Schedule: s, Value: p.in.Value(s)})
	}
}

// equalBaselines gives the baselines the search and budget that the plan has had.
func (r *Result) equalBaselines(ctx context.Context, opt Options) error {
	opt.EqualBaselines, opt.Progress, opt.Incumbent, opt.Blocks, opt.Ranging = false, nil, nil, nil, false
	full, fullErr := r.equal(ctx, r.Instance.FullDepth(), opt)
	r.Exclusive, r.InterleavedFull = full.Exclusive, full.asBaseline()
	fewer, fewerErr := r.equal(ctx, baseline.FewerWorkers(r.Instance), opt)
	r.FewerExclusive, r.FewerInterleaved = fewer.Exclusive, fewer.asBaseline()
	return errors.Join(fullErr, fewerErr)
}

// equal plans a full-depth instance, beginning with an exclusive that has had as much time or
// work as a plan.
func (r *Result) equal(ctx context.Context, in *instance.Instance, opt Options) (*Result, error) {
	planned := in // what plan makes of it
	if free := roomy(in); free != nil {
		planned = free
	}
	p, stop := newPlanner(ctx, planned, opt)
	from := baseline.Config{Stop: unbeatable(planned)}
	var exclusive Baseline
	switch {
	case long(planned):
		exclusive, _ = p.wholeBlocks(planned, 1)
	case planned.Objective.Periodic():
		exclusive = p.baseline("exclusive", planned, queuePart, heuristics.Bundled(periodic.Exclusive))
	default:
		if s, err := baseline.Queue(p.ctx, planned); err == nil {
			from.Start = s
		}
		exclusive = p.exclusive(planned, from, exclusivePart)
	}
	stop()
	opt.exclusive = exclusive
	return plan(ctx, in, opt)
}

// asBaseline is the plan of another instance as a baseline.
func (r *Result) asBaseline() Baseline {
	b := Baseline{Instance: r.Instance, Schedule: r.Schedule, Blocks: r.Blocks, Value: r.Primal, Efficiency: r.Efficiency()}
	if r.plan() == nil {
		b.Reason = "no schedule was found"
		if len(r.Reasons) > 0 {
			b.Reason = r.Reasons[0]
		}
	}
	return b
}
