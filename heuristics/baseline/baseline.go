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
	// Work limits the search in operations, for example one job placed in a schedule of few
	// jobs. 0 means no limit except the context and Stop.
	Work int
	// Stop is called repeatedly with the value of the best schedule; true ends the search, for
	// example when a bound is reached. nil: never.
	Stop func(value *big.Rat) bool
	// Patience ends the search after this many rounds in a row without a better schedule.
	// As every round has as much work as all before it, the last of three makes up half of
	// the work. 0 means never.
	Patience int
	// Start is a schedule of in.FullDepth(), such as that of [Queue], that the result must not
	// be worse than; nil: none.
	Start *instance.Schedule
	// Residencies are used if GPUs chosen when a job starts leave another job without memory;
	// nil: none.
	Residencies [][]instance.GPUID
}

// Queue is what a batch system does by default: whole jobs on GPUs of their own, at full
// depth, first come, first served in order of release and then of the instance, with EASY
// backfilling. GPUs are chosen when a job starts, as near to one another as the free ones
// permit; or, if that turns out better, jobs wait for the nearest possible GPUs. Only if a
// deadline is missed in this order do jobs queue by deadline. The schedule is valid for
// in.FullDepth(); in must have a finite objective. The error is a [*state.NoPlan] if jobs
// found no memory or missed deadlines. Even if the context has ended, the first order is run
// to the end, so that there is a schedule at any limit: within a second or two for thousands
// of jobs.
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

// finite rejects periodic objectives.
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

// Exclusive plans whole jobs on GPUs of their own at full depth: the first schedules are those of
// queues in several orders, and a search over orders continues from the best; see the package
// comment. It ends with the context, after c.Work or c.Patience, or when c.Stop returns true, and
// returns the best schedule so far, at worst c.Start. The schedule is valid for in.FullDepth() and
// the same for the same instance, state of rng and work, on any number of cores.
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
