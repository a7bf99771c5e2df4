package periodic

import (
	"context"
	"math/big"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// Exclusive returns the periodic plan of whole jobs on GPUs of their own at full depth: in
// order of weight density each job takes free GPUs, in one node or rack if possible, until
// too few are left; the others get no iterations. The density is per GPU-tick of
// computation or of the whole iteration, or the order is that of the instance or by
// descending width, whichever gives the best plan. The schedule is valid for in.FullDepth().
func Exclusive(ctx context.Context, in *instance.Instance) (*instance.Schedule, error) {
	return dedicated(ctx, ctx, in.FullDepth(), byWork, byHold, inTurn, byWidth)
}

// Queue is [Exclusive] with jobs that take free GPUs first come, first served, in order of
// the instance.
func Queue(ctx context.Context, in *instance.Instance) (*instance.Schedule, error) {
	return dedicated(ctx, ctx, in.FullDepth(), inTurn)
}

// Whole is [Exclusive] at the depths that the rules of in require: the jobs run back to
// back, with the least work of each rule. A search for a plan of in may start from it.
// Even if the context has ended, the first order is scheduled, so that there is a plan
// at any limit: within a second for thousands of jobs.
//
// With cycles of c_j ticks a period of P ticks holds floor(P/c_j) iterations. P is the
// multiple of a cycle with the largest value; among nearly equal ones the shortest. It
// is at most MaxPeriod or, without one, 64 times the longest cycle, and less if that
// would exceed [periodTasks]. If jobs compete for links their cycles stretch, and of
// the plans for a few good periods the one that loses the least is kept.
func Whole(ctx context.Context, in *instance.Instance) (*instance.Schedule, error) {
	return dedicated(context.WithoutCancel(ctx), ctx, in, byWork, byHold, inTurn, byWidth)
}

// Dedicated is [Whole], but ends with its context.
func Dedicated(ctx context.Context, in *instance.Instance) (*instance.Schedule, error) {
	return dedicated(ctx, ctx, in, byWork, byHold, inTurn, byWidth)
}

// inTurn returns the order of the instance.
func inTurn(in *instance.Instance, _ [][]int) []instance.JobID { return in.AllJobs() }

// byWidth lets jobs of many workers choose first: of the least rate all jobs have to run.
func byWidth(in *instance.Instance, _ [][]int) []instance.JobID {
	return state.OrderBy(len(in.Jobs), func(j instance.JobID) int { return -in.Jobs[j].Workers })
}

// dedicated is the best periodic plan of whole jobs on GPUs of their own that choose in one of
// the orders, an empty one if none has room. The first plan ends with the context first.
func dedicated(first, ctx context.Context, in *instance.Instance, orders ...func(*instance.Instance, [][]int) []instance.JobID) (*instance.Schedule, error) {
	if first.Err() != nil {
		return nil, first.Err()
	}
	counts := state.CheapestMultisets(in)
	var best *moduloScheduler
	var value *big.Rat
	running := 0
	for _, order := range orders {
		list := assignJobs(first, in, counts, order(in, counts))
		if len(list) == 0 {
			continue
		}
		for _, period := range exclusivePeriods(in, list) {
			if best != nil && ctx.Err() != nil {
				break
			}
			m := newModuloScheduler(in, list, period)
			_ = m.fill(first) // what is placed is still a plan
			first = ctx
			// Among plans of value 0 under the least rate, more running jobs are better.
			switch v := in.RateValue(m.iterations(), period); {
			case best == nil, v.Cmp(value) > 0, v.Cmp(value) == 0 && v.Sign() == 0 && len(list) > running:
				best, value, running = m, v, len(list)
			}
		}
	}
	if best == nil {
		return &instance.Schedule{Period: 1, Residency: make([][]instance.GPUID, len(in.Jobs))}, first.Err()
	}
	return best.schedule(), nil
}
