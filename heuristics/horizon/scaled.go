package horizon

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics"
	"jigsaw/heuristics/list"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
)

// Scaled plans jobs that share GPUs by list scheduling: it searches for a decision, which says where jobs live and which goes first, on an
// instance with the same fraction of the iterations of each job; simulations of all iterations follow the best ones (following.go). Then it
// changes the decision whose simulation is best.
// Unlike units and cells, which fix beforehand which jobs share nodes, list scheduling finds this out, and which jobs end first.
// The error is a [*state.NoPlan] if there is no such plan, if all miss deadlines, or if there are too many jobs. Without a
// deadline of the context the result is the same for the same instance and state of rng.
func (c Config) Scaled(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.BlockSchedule, error) {
	small := scaledDown(in)
	if small == nil {
		return nil, &state.NoPlan{Reason: "there are too many jobs to plan a fraction of each"}
	}
	s := &scaling{Config: c, sharing: newSharing(in, rng.Uint64()), ctx: ctx, small: small, part: float64(small.Tasks()) / float64(in.Tasks())}
	s.kinds, s.free = instance.UpTo[int](len(in.Jobs)), c.Free
	searched := searchPart(in)
	if s.Quick {
		searched = 0
	}
	var cancel context.CancelFunc
	s.ctx, cancel = state.Portion(ctx, 1-searched)
	defer cancel()
	var err error
	if in.Grouped() {
		err = s.bundled(rng)
	} else {
		err = s.search(rng)
	}
	switch {
	case err != nil:
		return nil, err
	case s.best.plan == nil:
		return nil, &state.NoPlan{Reason: "jobs that share GPUs for a while have no pattern"}
	}
	if searched > 0 {
		search, cancel := s.searching(ctx, rng, slices.Max(s.best.ends))
		defer cancel()
		s.ctx, s.patterns = ctx, search
		s.take(s.best.decision)
	}
	return s.best.plan, state.Missed(in, s.best.ends, "")
}

// Scales reports whether [Config.Scaled] has plans of an instance.
func Scales(in *instance.Instance) bool { return scaledDown(in) != nil }

const (
	// A scaled-down instance has scaledTasks for each job, at least leastScaled and at most mostScaled, and for each
	// worker leastIterations at least.
	scaledTasks, leastScaled, mostScaled, leastIterations = 200, 3000, 60_000, 8
	// mostScaledJobs is the largest number of jobs: plans of more are tens of megabytes.
	mostScaledJobs = 1000
	// listPart is the part of the time for list scheduling of the scaled-down instance, finitePart that of what is then left for the finite
	// search, and hopefulPart that of the rest after which it ends if jobs are late still. For the makespan with plans to start from, changes of
	// these gain most: list scheduling has listPartKnown, the finite search nothing. Without a clock they take listSteps and finiteRounds,
	// and the number of changes that simulations of all iterations follow is such that they have followedJobs jobs in all, but at least leastFollowed and at most mostFollowed times followedAtOnce.
	listPart, listPartKnown, finitePart, hopefulPart          = 0.4, 0.1, 0.5, 0.3
	listSteps, finiteRounds                                   = 4, 4
	followedAtOnce, followedJobs, leastFollowed, mostFollowed = 2, 1500, 4, 20
)

// scaledDown is the instance with a fraction of the iterations, and of the time until jobs are released and due, as if memory held all
// jobs at once; nil if too few would be left of each.
func scaledDown(in *instance.Instance) *instance.Instance {
	roomy := in.Roomy()
	jobs, workers := slices.Clone(roomy.Jobs), 0
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
		j.Release, j.Load, j.Deadline = scaled(in.Jobs[n].Release), scaled(in.Jobs[n].Load), scaled(j.Deadline)
		j.Resident = in.Jobs[n].Resident
	}
	return roomy.WithJobs(jobs)
}

// scaling is the search of [Config.Scaled].
type scaling struct {
	Config
	*sharing
	ctx   context.Context
	small *instance.Instance
	part  float64 // of the iterations that it has
	best  followed
	// patterns is the search for those of simulations; nil: none.
	patterns *searching
}

// followed is a decision with the plan of a simulation that follows it; nil: none.
type followed struct {
	decision *list.Decision
	plan     *instance.BlockSchedule
	value    state.Value
	ends     []instance.Tick
}

// take has simulations follow decisions, and keeps the best.
func (s *scaling) take(decisions ...*list.Decision) {
	found := make([]followed, len(decisions))
	state.Parallel(len(found), func(i int) {
		f := &found[i]
		f.decision, f.plan = decisions[i], s.follow(s.ctx, decisions[i], s.part, s.patterns)
		if f.plan != nil {
			_, f.ends = f.plan.Spans(s.in)
			f.value = state.ValueOf(s.in, f.ends)
		}
	})
	for _, f := range found {
		if f.plan == nil || s.best.plan != nil && !f.value.Ahead(s.best.value) {
			continue
		}
		if s.best = f; s.Improved != nil && f.value.Late == 0 {
			s.Improved(s.in.Value(f.plan))
		}
	}
}

// completed is a decision by the order in which jobs end in a schedule of the scaled-down instance.
func (s *scaling) completed(like list.Decision, found *instance.Schedule) *list.Decision {
	return s.by(like, found, found.Completion(s.small))
}

// by is a decision by which jobs live where they do in a schedule, those first whose times are the least.
func (s *scaling) by(like list.Decision, at *instance.Schedule, times []instance.Tick) *list.Decision {
	like.Where = placement.Of(s.small, at)
	like.Base, like.Slope = make([]int64, len(times)), make([]int64, len(times))
	for j, t := range times {
		like.Base[j] = int64(t)
	}
	return &like
}

// of is a decision by a plan: where jobs live, the depths of their first iterations, and which start first.
func (s *scaling) of(like list.Decision, plan *instance.BlockSchedule) *list.Decision {
	starts, _ := plan.Spans(s.in)
	d := s.by(like, &instance.Schedule{Residency: plan.Residency}, starts)
	d.Counts = slices.Clone(d.Counts)
	block := make([]int, len(starts)) // in which a job begins, counted from 1
	for i, b := range plan.Blocks {
		for _, t := range b.Tasks {
			if block[t.Job] == 0 {
				block[t.Job], d.Counts[t.Job] = i+1, make([]int, len(s.in.Jobs[t.Job].Depths))
			}
			if block[t.Job] == i+1 && t.Iteration == 1 {
				d.Counts[t.Job][t.Depth]++
			}
		}
	}
	return d
}

// start follows a decision by a plan and, if jobs are late still, one by the same homes in the order of the other decision.
func (s *scaling) start(like list.Decision, plan *instance.BlockSchedule) {
	d := s.of(like, plan)
	if s.take(d); s.best.value.Late > 0 {
		d := *d
		d.Base, d.Slope = like.Base, like.Slope
		s.take(&d)
	}
}

// search searches for decisions: on the scaled-down instance by list scheduling, then by the finite search, which does not know of memory;
// and last among changes of the best one.
func (s *scaling) search(rng *rand.Rand) error {
	o := state.Options{Without: s.Without}
	if s.in.Queues() {
		o.Stays = s.in
	}
	known, part := s.in.Objective == instance.Makespan && len(s.Starts) > 0, listPart
	if known {
		part = listPartKnown
	}
	first, cancel := state.Portion(s.ctx, part)
	defer cancel()
	_, limited := s.ctx.Deadline()
	p := list.NewPortfolio(first, o, s.small, rng)
	if err := p.Start(); err != nil {
		return err
	}
	if p.Chosen == nil {
		return s.ctx.Err()
	}
	s.take(p.Chosen)
	for _, plan := range s.Starts {
		s.start(*p.Chosen, plan)
	}
	if s.Quick {
		return nil
	}
	for n := 0; first.Err() == nil && (limited || n < listSteps); n++ {
		last := p.Chosen
		if p.Step(); p.Chosen != last {
			s.take(p.Chosen)
		}
	}
	found := p.Best.Schedule(s.small, p.Layout)
	if p.Value.Late == 0 && !known {
		found = s.improved(found, rng)
	}
	for patience := range 3 {
		d := s.completed(*p.Chosen, found)
		d.Patience = patience
		s.take(d)
	}
	p = p.Within(s.ctx)
	ends := make([]instance.Tick, len(s.in.Jobs))
	hopeful, cancel := state.Portion(s.ctx, hopefulPart)
	defer cancel()
	most := min(mostFollowed, max(leastFollowed, followedJobs/len(ends)))
	for n := 0; s.best.plan != nil && s.ctx.Err() == nil && (limited || n < most); n++ {
		if s.best.value.Late > 0 && hopeful.Err() != nil {
			break
		}
		for j, end := range s.best.ends {
			ends[j] = instance.Tick(float64(end) * s.part)
		}
		s.take(p.Neighbours(s.best.decision, ends, followedAtOnce)...)
	}
	return nil
}

// improved is what the finite search makes of a schedule of the scaled-down instance.
func (s *scaling) improved(start *instance.Schedule, rng *rand.Rand) *instance.Schedule {
	finite := heuristics.Config{Without: s.Without}
	within, cancel := state.Portion(s.ctx, finitePart)
	defer cancel()
	if _, limited := s.ctx.Deadline(); !limited {
		finite.Rounds = finiteRounds
	}
	if better, err := finite.Improve(within, s.small, rng, start); err == nil {
		return better
	}
	return start
}

// bundled follows schedules of the finite search alone, which bundles GPUs of workers that have several.
func (s *scaling) bundled(rng *rand.Rand) error {
	start, err := heuristics.Config{Quick: s.Quick, Without: s.Without}.Greedy(s.ctx, s.small, rng)
	if err != nil {
		return err
	}
	if s.take(s.completed(list.Decision{}, start)); !s.Quick {
		s.take(s.completed(list.Decision{}, s.improved(start, rng)))
	}
	return nil
}
