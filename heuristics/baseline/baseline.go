package baseline

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// Config sets how [Config.Exclusive] runs.
type Config struct {
	// Improved is called with each schedule better than all before it, from the calling
	// goroutine.
	Improved func(*instance.Schedule)
	// Work bounds the search: in operations, such as a job placed in a schedule of few
	// jobs. 0 means no bound but the context and Stop.
	Work int
	// Stop is asked about the value of the best schedule again and again; true ends the
	// search, as when a bound has been met. nil: never.
	Stop func(value *big.Rat) bool
	// Patience ends the search after so many rounds in a row without a better schedule; as
	// every round has as much work as all before it, the last of three makes up half of the
	// work. 0 means never.
	Patience int
	// Start is a schedule of in.FullDepth() that the answer is to be no worse than, such as
	// that of [Queue]; nil: none.
	Start *instance.Schedule
	// Residencies are residencies to fall back on where GPUs that are chosen when a job starts
	// leave another without memory; nil: none.
	Residencies [][]instance.GPUID
}

// Queue is what a batch system does by itself: whole jobs on GPUs of their own, at full
// depth, first come, first served in order of release and then of the instance, with EASY
// backfilling. GPUs are chosen when a job starts, as near to one another as those free
// then admit; or, where that turns out better, jobs wait for GPUs as near as can be. Only if
// a deadline is missed in this order, jobs queue by deadline. The schedule is valid for in.FullDepth(); in must have a finite objective. The error is a
// [*state.NoPlan] where jobs found no memory or missed deadlines. When the context has ended the
// first order is run all the same, so that there is a schedule at any limit: in a second or
// two for thousands of jobs.
func Queue(ctx context.Context, in *instance.Instance) (*instance.Schedule, error) {
	if err := finite(in); err != nil {
		return nil, err
	}
	in = in.FullDepth()
	p := newProblem(in)
	var first error
	for _, order := range [][]instance.JobID{p.byRelease(), p.byDeadline()} {
		s, err := runQueue(context.WithoutCancel(ctx), ctx, p, order)
		if err == nil {
			err = s.late()
		}
		if err == nil {
			return s.schedule(), nil
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, first
}

// finite refuses objectives of plans that repeat.
func finite(in *instance.Instance) error {
	if in.Objective.Periodic() {
		return fmt.Errorf("baseline: objective %s has no queue", in.Objective)
	}
	return nil
}

// late is the error of a job that missed its deadline; nil if none did.
func (s *simulator) late() error {
	return state.Missed(s.in, s.completed, " when jobs hold their GPUs")
}

// Exclusive plans whole jobs on GPUs of their own at full depth as well as it can: the
// first schedules are those of queues in several orders, and a search over orders goes on
// from the best; see the package. It ends with the context, with the best schedule so far, c.Start
// at worst, after c.Work, when c.Patience is at an end, or when c.Stop says so. The schedule is valid for in.FullDepth() and the
// same for the same instance, state of rng and work, whatever the number of cores.
func (c Config) Exclusive(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	if err := finite(in); err != nil {
		return nil, err
	}
	in = in.FullDepth()
	s := &search{ctx: ctx, config: c, problem: newProblem(in), rng: rng}
	if c.Start != nil {
		s.best, s.value = c.Start, in.Value(c.Start)
	}
	s.begin()
	if s.best != nil && !s.enough() {
		s.improve()
	}
	if s.best == nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, s.refused
	}
	return s.best, nil
}
