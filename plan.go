package jigsaw

import (
	"context"
	"errors"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/heuristics"
	"jigsaw/heuristics/state"
	"jigsaw/method"
	"jigsaw/solver"
	"jigsaw/solver/backend"
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
	// MostWritten is the largest number of tasks of a plan that lists each of them; larger plans
	// are made in blocks or not at all. 0 means [instance.MostWritten].
	MostWritten int64
	// EqualBaselines gives exclusive, interleaved-full and the two baselines on fewer workers
	// each the search and the budget that the plan gets: the same time limit or, without one,
	// the same work. They come after the plan, which gains nothing from them, so that the
	// call takes up to five times as long. Without it, exclusive has a fifth of the
	// time or work, interleaved-full is the better of it and of list scheduling
	// at full depth, and there are none on fewer workers.
	EqualBaselines bool
	// NoBaselines leaves out the baselines if greedy finds a plan: they are needed for comparison only.
	NoBaselines bool
	// Start is a schedule that is known to be valid; the plan is no worse. Plans in blocks do not use it.
	Start *instance.Schedule
	// Interference[n-1] is by what factor iterations take longer than the instance says where n jobs share
	// GPUs; [Replan] leaves that much slack in the patterns that it makes for waiting jobs. More jobs than there are entries
	// never share. nil means no interference, however many jobs share.
	Interference []float64
	// Solver of linear programs; nil means the build's own, see [backend.Default].
	Solver solver.Solver
	// Ranging asks for the range of capacities in which the prices of resources hold, for explanations;
	// see [bound.Binding]. It takes a second solve, by an engine that supports ranging.
	Ranging bool
	// NoLP leaves out every bound that needs a linear program.
	NoLP bool
	// NoBound makes [Replan] skip all bounds of plans in blocks, for callers that replan many times.
	NoBound bool
	// Progress is told of every new incumbent and bound, one call at a time.
	Progress func(Point)
	// Incumbent is told of new incumbents that passed [check.Schedule], one call at
	// a time, at most ten times a second; if they come faster, only the latest is told. It
	// may be called from another goroutine, but not after Plan has returned.
	Incumbent func(*instance.Schedule)
	// Blocks is told of plans in blocks that passed [check.Blocks] on the way to a better one, one call at a time.
	Blocks func(*instance.BlockSchedule)
	// Without lists methods to switch off, to measure what they are worth.
	Without method.Set
	// exclusive is the baseline of that name, if it is already known.
	exclusive Baseline
}

// Plan schedules the instance and proves how good the schedule is. Cancelling
// ctx ends it early with the best schedule so far. If ctx has a deadline and [Options.Time] is not set, the searches of long
// plans and some bounds use the deadline as their time limit and go on until it is near, so that the answer depends on the
// machine. For a fixed amount of work pass a ctx without a deadline. Limits and infeasibility
// are statuses of the result; an error means malformed options or a fault in
// JigSaw itself.
func Plan(ctx context.Context, in *instance.Instance, opt Options) (*Result, error) {
	if err := opt.Without.Check(); err != nil {
		return nil, err
	}
	if in.Resumes() {
		return nil, instance.Problems{{Path: "jobs", Message: "some are in memory when the plan begins, so the instance continues another plan: replan that one, or leave resident out"}}
	}
	r, err := plan(ctx, in, opt)
	if err == nil && opt.EqualBaselines && r.Status != Infeasible {
		err = r.equalBaselines(ctx, opt)
	}
	if err == nil {
		r.canonical()
	}
	return r, err
}

// plan is [Plan] with no more work on the baselines than the plan gains from.
func plan(ctx context.Context, in *instance.Instance, opt Options) (*Result, error) {
	if free := roomy(in); free != nil {
		return planRoomy(ctx, in, free, opt)
	}
	p, stop := newPlanner(ctx, in, opt)
	defer stop()
	if long(in) {
		r, err := p.horizon()
		if err != nil || r.plan() != nil || r.Status == Infeasible || in.Queues() || in.Long() || opt.MostWritten > 0 && in.Tasks() > opt.MostWritten || p.ctx.Err() != nil {
			return r, err
		}
		// Jobs that stay in memory for the whole plan may only find room if all of them are placed together.
		stop()
		if opt.Time > 0 {
			opt.Time = max(time.Millisecond, opt.Time-r.Elapsed)
		}
		p, stop = newPlanner(ctx, in, opt)
		defer stop()
	}

	if !p.begin() {
		return p.finish()
	}
	// Bounds and schedules improve side by side. They meet where the columns
	// ask for a schedule to start from.
	p.lp = p.engine()
	begun := make(chan *instance.Schedule, 1)
	bounds := p.startBounds(begun)
	p.schedules(begun, heuristics.Config.Divided)
	if opt.Start != nil {
		p.take("the start", opt.Start)
	}
	p.settleFluid()
	p.unplaceable()
	p.overdue()
	p.inTime()
	if opt.Quick {
		p.wait(bounds)
		return p.finish()
	}
	p.startShallower()
	p.bySize()
	p.improve(bounds, 4, earlyRounds, 0)
	p.endBounds()
	p.wait(bounds)
	p.settle()
	small := p.small()
	if small && p.opt.Time > 0 {
		p.exact() // and search beside it
	}
	p.improve(nil, 5, lateRounds, 0)
	if small && p.opt.Time == 0 {
		p.exact()
	}
	return p.finish()
}

// begin adds what is proven without an engine, and reports whether there may be a plan.
func (p *planner) begin() bool {
	if p.infeasible(relax.Infeasible(p.in)) {
		return false
	}
	p.combinatorial(p.in)
	p.settle()
	return true
}

// Bound computes the bounds alone. The result has no schedule and no
// baselines; its status is Infeasible, Limit or Unknown.
func Bound(ctx context.Context, in *instance.Instance, opt Options) (*Result, error) {
	if err := opt.Without.Check(); err != nil {
		return nil, err
	}
	if free := roomy(in); free != nil {
		r, err := Bound(ctx, free, opt)
		r.Instance = in
		return r, err
	}
	p, stop := newPlanner(ctx, in, opt)
	defer stop()
	if p.overdue(); p.noPlan() {
		p.certify()
		return p.result, errors.Join(p.faults...)
	}
	if bounds, none := p.boundsAlone(); !none {
		p.wait(bounds)
		if !long(in) && state.MayLackMemory(in) {
			p.unplaceable()
		}
	}
	p.certify()
	if p.result.Status != Infeasible {
		p.result.Status = p.unsolved()
	}
	p.result.Notes = append(p.result.Notes, p.cut...)
	return p.result, errors.Join(p.faults...)
}

// Engine describes the LP engine that this build uses by default. The error
// says why there is none and how to get one.
func Engine() (string, error) {
	if _, err := backend.Default(); err != nil {
		return "", err
	}
	return backend.Description(), nil
}
