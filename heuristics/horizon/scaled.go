package horizon

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics"
	"jigsaw/heuristics/exchange"
	"jigsaw/heuristics/state"
)

// Scaled plans jobs that share GPUs in two steps: the finite search plans the instance with the same fraction of the
// iterations of each job, as if memory held all jobs at once, and what runs together there between two starts or ends
// runs together here until it has done as much of its work (upscale.go). Unlike units and cells, which fix beforehand
// which jobs share nodes, the finite search finds this out, and which jobs end first. If the plan before the search is
// much worse than the known value, nil: none, it is all; mostly memory holds too few jobs at once then. The error is a [*state.NoPlan] if
// there is no such plan, if all miss deadlines, or if there are too many jobs. Without a deadline of the context the
// result is the same for the same instance and state of rng.
func (c Config) Scaled(ctx context.Context, in *instance.Instance, rng *rand.Rand, known *big.Rat) (best *instance.BlockSchedule, err error) {
	small := scaledDown(in)
	if small == nil {
		return nil, &state.NoPlan{Reason: "there are too many jobs to plan a fraction of each"}
	}
	finite := heuristics.Config{Without: c.Without}
	var s *instance.Schedule
	if !small.Grouped() { // whose workers have to be bundled
		s = exchange.Divide(ctx, small, rng)
	}
	if s == nil {
		if s, err = finite.Greedy(ctx, small, rng); err != nil {
			return nil, err
		}
	}
	seed := rng.Uint64()
	err = &state.NoPlan{Reason: "jobs that share GPUs for a while have no pattern"}
	latest := 0.0 // by how much a job ends late in a plan: its end over its deadline
	scaleUp := func(tries int) {
		plan := newUpscaler(in, small, s, seed, tries).run(ctx)
		if plan == nil {
			return
		}
		_, ends := plan.Spans(in)
		if late := state.Missed(in, ends, ""); late != nil {
			err = late
			for j, end := range ends {
				if due := in.Jobs[j].Deadline; due > 0 {
					latest = max(latest, float64(end)/float64(due))
				}
			}
		} else if best == nil || in.Value(plan).Cmp(in.Value(best)) < 0 {
			if best = plan; c.Improved != nil {
				c.Improved(in.Value(plan))
			}
		}
	}
	if slices.ContainsFunc(in.Jobs, func(j instance.Job) bool { return j.Deadline > 0 }) {
		if scaleUp(1); latest > mostLate {
			return nil, err
		}
		if latest > 1 { // those scaled up end later than in the schedule
			jobs := slices.Clone(small.Jobs)
			for j := range jobs {
				jobs[j].Deadline = instance.Tick(math.Ceil(float64(jobs[j].Deadline) / (latest + lateMargin)))
			}
			small = small.WithJobs(jobs)
		}
	}
	begun := time.Now()
	scaleUp(upscaleTries[0])
	if best != nil && known != nil {
		if ratio, _ := new(big.Rat).Quo(in.Value(best), known).Float64(); ratio > hopeless {
			return best, nil
		}
	}
	within := ctx
	if end, ok := ctx.Deadline(); ok { // the last plans are to be scaled up in time
		rest := time.Until(end)
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, rest-min(time.Duration(upscalePart*float64(rest)), upscales*time.Since(begun)))
		defer cancel()
	} else {
		finite.Rounds = scaledRounds
	}
	if better, failed := finite.Improve(within, small, rng, s); failed == nil {
		s = better
	}
	for _, tries := range upscaleTries {
		if ctx.Err() == nil {
			scaleUp(tries)
		}
	}
	if best == nil {
		return nil, err
	}
	return best, nil
}

const (
	// A scaled-down instance has scaledTasks for each job, at least leastScaled and at most mostScaled, and for each
	// worker leastIterations at least.
	scaledTasks, leastScaled, mostScaled, leastIterations = 500, 12_000, 60_000, 8
	// mostScaledJobs is the largest number of jobs: plans of more are tens of megabytes.
	mostScaledJobs = 300
	// hopeless is the ratio of the value before the search to the known one above which there is no search.
	hopeless = 1.1
	// mostLate is the end of a job over its deadline, in a first plan of one list schedule each, above which there is no
	// search: mostly memory holds too few jobs at once then.
	mostLate = 1.2
	// lateMargin is how much more than the lateness of the first plan the deadlines of the scaled-down instance are made earlier.
	lateMargin = 0.02
	// scaledRounds is the number of rounds of its search if no clock ends it.
	scaledRounds = 4
	// If a clock does, upscales times the time of scaling up the first plan is left for the last ones, but no more than
	// upscalePart of the time.
	upscales, upscalePart = 25, 0.6
)

// upscaleTries are numbers of schedules the best of which is the pattern of a phase: few first, as the clock may end the
// others.
var upscaleTries = [...]int{8, 32, 128}

// scaledDown is the instance with a fraction of the iterations, and of the time until jobs are released and due; nil if
// too few would be left of each.
func scaledDown(in *instance.Instance) *instance.Instance {
	jobs, workers := slices.Clone(in.Roomy().Jobs), 0
	for j := range jobs {
		workers += jobs[j].Workers
	}
	tasks := min(mostScaled, max(leastScaled, scaledTasks*len(jobs)))
	if len(jobs) > mostScaledJobs || workers*leastIterations > tasks {
		return nil
	}
	part := min(1, float64(tasks)/float64(in.Tasks()))
	scaled := func(t instance.Tick) instance.Tick { return instance.Tick(math.Ceil(float64(t) * part)) }
	for n := range jobs {
		j := &jobs[n]
		j.Iterations = max(1, int(math.Round(float64(j.Iterations)*part)))
		j.Release, j.Deadline = scaled(j.Release), scaled(j.Deadline)
	}
	return in.Roomy().WithJobs(jobs)
}
