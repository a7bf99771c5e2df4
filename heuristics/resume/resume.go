package resume

import (
	"cmp"
	"context"
	"math/big"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/pattern"
	"jigsaw/heuristics/queue"
	"jigsaw/heuristics/state"
)

// Interrupted is a plan in blocks that was in progress when something changed.
type Interrupted struct {
	// Plan is what is left of it, with the jobs and clock of the instance of the rest, on the previous
	// GPUs. A job without residency is new.
	Plan *instance.BlockSchedule
	// GPU maps a previous GPU to one of the rest; false if it is lost.
	GPU func(instance.GPUID) (instance.GPUID, bool)
	// Now is the time of the change.
	Now instance.Tick
	// Begun jobs are in memory, and stay on their GPUs unless they move.
	Begun []bool
	// Moves are jobs that must find other GPUs. Changed are jobs whose iterations differ in length or
	// number from the plan, so that their planned blocks are no longer valid.
	Moves, Changed []bool
	// Left are jobs with iterations in a block that others have left, with gaps in place of theirs.
	Left []bool
}

// Resumption carries a plan on. Running units whose jobs neither move nor change continue as planned; the others get a
// new pattern on the GPUs that they still have. Jobs that move join running units, or wait like new jobs. Units that
// wait keep their GPUs and their order, and start as early as possible without delaying those before them.
type Resumption struct {
	// Plan is the best known.
	Plan *instance.BlockSchedule

	in    *instance.Instance
	was   Interrupted
	queue *queue.Simulation
	// units are the jobs that share GPUs, each ascending, in order of their first jobs.
	units []group
	// blocksOf each job in the plan, by number.
	blocksOf [][]int
	// movers are the running jobs that move, those with most work first.
	movers []instance.JobID
	// renewed are units with a new pattern, by unit and members.
	renewed map[string]*renewal
	// fills says that units that jobs have left get a new pattern, without their gaps.
	fills bool

	goes  []int // for jobs that move: the unit that they join; -1: none
	parts []part
	merit merit // of the best plan
}

// group is the jobs of a unit.
type group struct {
	jobs, stay []instance.JobID // stay: jobs that do not move
	begun      bool             // running: it has jobs that are in memory and stay there
	gpus       []instance.GPUID // GPUs that it still has
	work       float64          // remaining GPU-ticks of the jobs that stay
	end        instance.Tick    // planned end
	known      *part            // the jobs that stay, as planned; nil: not made yet
	of         []int            // units that it replaces if jobs join it; nil: none
}

// Resume carries a plan on, without a search. The error is a [*state.NoPlan] if a job finds no place.
func Resume(in *instance.Instance, was Interrupted) (*Resumption, error) {
	r := &Resumption{in: in, was: was, queue: queue.New(in), renewed: map[string]*renewal{}}
	r.group()
	for j, moves := range was.Moves {
		if moves && was.Begun[j] {
			r.movers = append(r.movers, instance.JobID(j))
		}
	}
	slices.SortStableFunc(r.movers, func(a, b instance.JobID) int { return cmp.Compare(r.queue.Work(b), r.queue.Work(a)) })
	own, alone := r.goNowhere(), r.goNowhere()
	for n := range r.units {
		for _, j := range r.units[n].jobs {
			if was.Moves[j] && was.Begun[j] {
				own[j] = n
			}
		}
	}
	r.goes = alone
	_, err := r.try(alone)
	if slices.Contains(was.Left, true) {
		r.fills = true
		if better, _ := r.try(alone); !better {
			r.fills = false
		}
	}
	if len(r.movers) > 0 {
		for _, goes := range [][]int{own, r.spread()} {
			if _, failed := r.try(goes); err != nil {
				err = failed
			}
		}
	}
	if r.Plan == nil {
		return nil, cmp.Or(err, error(&state.NoPlan{Reason: "jobs that continue lack memory beside those that move"}))
	}
	return r, nil
}

// goNowhere lets no job join a unit.
func (r *Resumption) goNowhere() []int { return slices.Repeat([]int{-1}, len(r.in.Jobs)) }

// try makes the plan in which the moving jobs join the given units, and keeps it if it is better.
func (r *Resumption) try(goes []int) (better bool, err error) {
	parts := r.divide(goes)
	s, err := r.place(parts, false)
	if err == nil {
		better = r.offer(s)
	}
	if r.in.Queues() { // if no job waits for GPUs other than its own, only jobs that lost GPUs or are in the way start later
		if s, failed := r.place(parts, true); failed == nil && r.offer(s) {
			better, err = true, nil
		}
	}
	if better {
		r.parts, r.goes = parts, goes
	}
	return better, err
}

// merit is how good a plan is: what misses deadlines least comes first, then the value.
type merit struct {
	late  instance.Tick // see [state.Tardiness]
	value *big.Rat
	ends  instance.Tick // see [state.SumOfEnds]
}

func (m *merit) compare(o *merit) int {
	return cmp.Or(cmp.Compare(m.late, o.late), m.value.Cmp(o.value), cmp.Compare(m.ends, o.ends))
}

// offer makes a plan the best if it is better, and valid but for deadlines: units that are repaired apart may lack memory beside one another.
func (r *Resumption) offer(s *instance.BlockSchedule) bool {
	_, ends := s.Spans(r.in)
	m := merit{state.Tardiness(r.in, ends), r.in.Value(s), state.SumOfEnds(r.in, s)}
	if r.Plan != nil && m.compare(&r.merit) >= 0 || slices.ContainsFunc(check.Blocks(r.in, s), func(v check.Violation) bool { return v.Rule != check.Deadline }) {
		return false
	}
	r.Plan, r.merit = s, m
	return true
}

// hosts are the running units that a job may join, given who has joined which so far: sorted by when
// the plan would end if it did, then by work per GPU.
func (r *Resumption) hosts(j instance.JobID, goes []int) (list []int) {
	level := make([]float64, len(r.units)) // work per GPU
	last := 0.0
	for n := range r.units {
		level[n] = r.units[n].work
		last = max(last, float64(r.units[n].end-r.was.Now))
	}
	for _, k := range r.movers {
		if n := goes[k]; n >= 0 && k != j {
			level[n] += r.queue.Work(k)
		}
	}
	for n := range r.units {
		if u := &r.units[n]; u.begun && u.of == nil && len(u.stay) > 1 && len(u.gpus) >= r.in.Jobs[j].Workers {
			list = append(list, n)
			level[n] = (level[n] + r.queue.Work(j)) / float64(len(u.gpus))
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Or(cmp.Compare(max(last, level[a]), max(last, level[b])), cmp.Compare(level[a], level[b]))
	})
	return list[:min(len(list), mostHosts)]
}

// mostHosts is the number of units that a moving job is tried in.
const mostHosts = 8

// spread lets each moving job join the unit that would end first with it and has the memory for it, and then moves and
// swaps jobs as long as the last of these units ends sooner.
func (r *Resumption) spread() []int {
	goes := r.goNowhere()
	for _, j := range r.movers {
		best, least := -1, instance.Tick(0)
		for _, n := range r.hosts(j, goes) {
			goes[j] = n
			if end, ok := r.joined(n, goes); ok && (best < 0 || end < least) {
				best, least = n, end
			}
		}
		goes[j] = best
	}
	for r.relieve(goes) {
	}
	return goes
}

// joined is when a unit ends with the jobs that join it; false if they have no room in it.
func (r *Resumption) joined(unit int, goes []int) (end instance.Tick, ok bool) {
	jobs := r.members(unit, goes)
	if len(jobs) == len(r.units[unit].stay) {
		return r.units[unit].end, true
	}
	x := r.renew(unit, jobs)
	if x == nil || len(x.left) > 0 {
		return 0, false
	}
	if len(x.body) > 0 {
		end = x.body[0].to
	}
	return end, true
}

// relieve moves a job from the unit that ends last, of those that others join, to another unit, or swaps it for a job
// that joins that, if both then end sooner. It reports whether it did.
func (r *Resumption) relieve(goes []int) bool {
	last, end := -1, instance.Tick(0)
	for _, j := range r.movers {
		if goes[j] < 0 {
			continue
		}
		if at, ok := r.joined(goes[j], goes); ok && at > end {
			last, end = goes[j], at
		}
	}
	sooner := func(units ...int) bool {
		for _, n := range units {
			if at, ok := r.joined(n, goes); !ok || at >= end {
				return false
			}
		}
		return true
	}
	for _, j := range r.movers {
		if goes[j] != last || last < 0 {
			continue
		}
		for _, n := range r.hosts(j, goes) {
			if goes[j] = n; n != last && sooner(n, last) {
				return true
			}
			goes[j] = last
		}
		for _, k := range r.movers {
			n := goes[k]
			if n < 0 || n == last || len(r.units[n].gpus) < r.in.Jobs[j].Workers || len(r.units[last].gpus) < r.in.Jobs[k].Workers {
				continue
			}
			if goes[j], goes[k] = n, last; sooner(n, last) {
				return true
			}
			goes[j], goes[k] = last, n
		}
	}
	return false
}

// together lets all moving jobs join one new unit, which replaces the units that lost jobs and as many others with little
// work as make it end, if its GPUs are busy, with the last of all units.
func (r *Resumption) together() []int {
	lost := make([]bool, len(r.units))
	var order []int
	for n := range r.units {
		u := &r.units[n]
		lost[n] = len(u.stay) < len(u.jobs)
		if u.begun && u.of == nil {
			order = append(order, n)
		}
	}
	level := func(n int) float64 { return r.units[n].work / float64(len(r.units[n].gpus)) }
	first := func(n int) int {
		if lost[n] {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Or(first(a)-first(b), cmp.Compare(level(a), level(b))) })
	all := group{begun: true}
	last, load := 0.0, 0.0
	for n := range r.units {
		last = max(last, float64(r.units[n].end-r.was.Now))
	}
	for _, j := range r.movers {
		load += r.queue.Work(j)
	}
	for _, n := range order {
		u := &r.units[n]
		enough := len(all.of) > 1 && !lost[n] && load+all.work < 0.95*last*float64(len(all.gpus))
		if enough || len(all.stay)+len(u.stay)+len(r.movers) > pattern.MostJobs {
			break
		}
		all.of, all.jobs, all.stay = append(all.of, n), append(all.jobs, u.jobs...), append(all.stay, u.stay...)
		all.gpus, all.work, all.end = append(all.gpus, u.gpus...), all.work+u.work, max(all.end, u.end)
	}
	to := -1
	if len(all.of) > 1 && len(r.movers) > 0 {
		to = len(r.units)
		slices.Sort(all.jobs)
		slices.Sort(all.stay)
		slices.Sort(all.gpus)
		all.gpus = slices.Compact(all.gpus)
		r.units = append(r.units, all)
	}
	goes := r.goNowhere()
	for _, j := range r.movers {
		goes[j] = to
	}
	return goes
}

// estimate is when the last of the running units would end if all GPUs of each were busy.
func (r *Resumption) estimate(goes []int) (last float64) {
	for _, n := range r.active(goes) {
		work := r.units[n].work
		for _, j := range r.movers {
			if goes[j] == n {
				work += r.queue.Work(j)
			}
		}
		if u := &r.units[n]; u.begun {
			last = max(last, float64(u.end-r.was.Now), work/float64(max(1, len(u.gpus))))
		}
	}
	return last
}

// active are the units in use. One that replaces others counts once jobs have joined it.
func (r *Resumption) active(goes []int) (list []int) {
	joined, replaced := make([]bool, len(r.units)), make([]bool, len(r.units))
	for _, j := range r.movers {
		if n := goes[j]; n >= 0 && !joined[n] {
			joined[n] = true
			for _, other := range r.units[n].of {
				replaced[other] = true
			}
		}
	}
	for n := range r.units {
		if !replaced[n] && (r.units[n].of == nil || joined[n]) {
			list = append(list, n)
		}
	}
	return list
}

// Improve searches for a better plan, for a number of rounds or until the context ends: for patterns of
// the units that others joined, for units to join, for the order of what waits. The result is the same
// for the same plan, state of rng and rounds.
func (r *Resumption) Improve(ctx context.Context, c queue.Search, rng *rand.Rand) *instance.BlockSchedule {
	tell := func() {
		if c.Improved != nil && r.merit.late == 0 {
			c.Improved(r.merit.value)
		}
	}
	tell()
	starts := [][]int{r.spread(), r.together(), nil} // the last one is the best then
	slices.SortStableFunc(starts[:2], func(a, b []int) int { return cmp.Compare(r.estimate(a), r.estimate(b)) })
	waiting := 0
	if slices.ContainsFunc(r.parts, func(p part) bool { return !p.begun }) {
		waiting = 3 // most of the time goes to these
	}
	for n, goes := range starts {
		if goes == nil {
			goes = r.goes
		}
		within, cancel := state.Portion(ctx, 1/float64(min(2, len(starts)-n)+waiting))
		r.polish(within, c, goes, rng, tell)
		cancel()
	}
	r.reorder(ctx, c, rng)
	return r.Plan
}

// polish searches for better patterns of the units that jobs have joined; for the makespan always of
// the one that ends last.
func (r *Resumption) polish(ctx context.Context, c queue.Search, goes []int, rng *rand.Rand, tell func()) {
	var used []*renewal
	last := instance.Tick(0) // end of the others
	for _, n := range r.active(goes) {
		u := &r.units[n]
		if x := r.anew(n, goes); x != nil && len(x.body) > 0 && !x.apart {
			used = append(used, x)
		} else if len(u.stay) > 0 {
			last = max(last, u.end)
		}
	}
	for turn := range 2 * len(used) {
		if ctx.Err() != nil || c.Stop != nil && r.merit.late == 0 && c.Stop(r.merit.value) {
			return
		}
		x := used[turn%len(used)]
		if r.in.Objective == instance.Makespan {
			x = slices.MaxFunc(used, func(a, b *renewal) int { return cmp.Compare(a.body[0].to, b.body[0].to) })
			if x.body[0].to <= last {
				return
			}
		}
		within, cancel := state.Portion(ctx, 1/float64(2*len(used)-turn))
		r.better(within, x, rng)
		cancel()
		if better, err := r.try(goes); err == nil && better {
			tell()
		}
	}
}

// patternRounds is the number of rounds for a pattern without a time limit.
const patternRounds = 1

// members are the jobs of a unit: those that stay, and those that join it.
func (r *Resumption) members(unit int, goes []int) []instance.JobID {
	list := slices.Clone(r.units[unit].stay)
	for _, j := range r.movers {
		if goes[j] == unit {
			list = append(list, j)
		}
	}
	slices.Sort(list)
	return list
}

// changes reports whether a unit needs a pattern other than the planned one.
func (r *Resumption) changes(u *group) bool {
	return slices.ContainsFunc(u.stay, func(j instance.JobID) bool { return r.was.Changed[j] || r.fills && r.was.Left[j] })
}

// anew is the new pattern of a unit; nil if it continues as planned, or if there is none.
func (r *Resumption) anew(unit int, goes []int) *renewal {
	u, members := &r.units[unit], r.members(unit, goes)
	if len(u.stay) == 0 || len(members) == len(u.stay) && !r.changes(u) {
		return nil
	}
	return r.renew(unit, members)
}

// divide divides what is left into units: running ones first, the others in the order of the plan.
// goes[j] is the unit that moving job j joins if there is room; -1: none.
func (r *Resumption) divide(goes []int) []part {
	var list []part
	placed, turns := make([]bool, len(r.in.Jobs)), make([]instance.Tick, len(r.in.Jobs))
	for j := range turns {
		turns[j] = 1 << 60 // new jobs come after those already waiting
	}
	from, _ := r.was.Plan.Spans(r.in)
	for _, n := range r.active(goes) {
		u := &r.units[n]
		turn := from[u.jobs[0]]
		for _, j := range u.jobs {
			turn = min(turn, from[j]-r.in.Jobs[j].Load)
		}
		x := r.anew(n, goes)
		switch {
		case x != nil:
			for _, p := range append(slices.Clone(x.drained), x.body...) {
				p.begun, p.turn = u.begun, turn
				list = append(list, p)
			}
			for _, j := range x.members {
				placed[j] = true
			}
		case len(u.stay) > 0 && !r.changes(u):
			if u.known == nil {
				u.known = new(r.asPlanned(u.stay, u.begun, turn))
			}
			list = append(list, *u.known)
			for _, j := range u.stay {
				placed[j] = true
			}
		}
		for _, j := range u.jobs {
			turns[j] = max(turn, r.was.Now)
		}
	}
	for j := range placed {
		if !placed[j] {
			list = append(list, part{jobs: []instance.JobID{instance.JobID(j)}, turn: turns[j]})
		}
	}
	slices.SortStableFunc(list, func(a, b part) int {
		order := func(p part) int {
			switch {
			case p.fixed:
				return 0
			case p.begun:
				return 1
			}
			return 2
		}
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a.turn, b.turn))
	})
	return list
}
