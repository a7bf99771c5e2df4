package horizon

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/repair"
)

// Interrupted is a plan in blocks that was under way when something changed.
type Interrupted struct {
	// Plan is what is left of it, in the jobs and at the clock of the instance of the rest, on the
	// GPUs that there were. A job without residency is new.
	Plan *instance.BlockSchedule
	// GPU says which GPU of the rest one of those is; false where it is lost.
	GPU func(instance.GPUID) (instance.GPUID, bool)
	// Now is when the change came.
	Now instance.Tick
	// Begun jobs are in memory. Of these those that do not move stay on their GPUs.
	Begun []bool
	// Moves are jobs that have to find other GPUs; Changed ones whose iterations take another
	// time, or are others in number, than the plan has it: what they did goes on no longer.
	Moves, Changed []bool
}

// Resume carries a plan on: units at work whose jobs neither move nor change go on as they are; of others the
// patterns are made anew on the GPUs that are left, with the jobs that move if there is room, else these wait as
// units of their own, as new jobs do. Units that wait keep GPUs and order, and start as early as
// they can, none later for the sake of one after it. Then orders are tried in which single units come earlier or later, and
// those of one job choose other GPUs. The answer is the same for the same arguments, state of rng and rounds.
// The error is a [*NoPlan] where a job finds no place.
func (c Config) Resume(ctx context.Context, in *instance.Instance, was Interrupted, rng *rand.Rand) (*instance.BlockSchedule, error) {
	r := &resumption{in: in, was: was, queue: newQueue(in, false), ctx: ctx, rng: rng}
	r.group()
	r.known = make([]*part, len(r.units))
	var best *instance.BlockSchedule
	var parts []part
	var failed error
	var goes []int // of those that move: the unit that they join
	var value *big.Rat
	var ends instance.Tick // of all jobs together, which tells plans of one makespan apart
	try := func(where []int) {
		some := r.parts(where)
		s, err := r.place(some)
		if err != nil {
			failed = err
			return
		}
		v, sum := in.BlockValue(s), instance.Tick(0)
		_, to := s.Spans(in)
		for _, end := range to {
			sum += end
		}
		if best == nil || in.Objective.Better(v, value) || v.Cmp(value) == 0 && sum < ends {
			best, parts, goes, value, ends = s, some, where, v, sum
		}
	}
	own, alone := make([]int, len(in.Jobs)), make([]int, len(in.Jobs))
	for n, jobs := range r.units {
		for _, j := range jobs {
			own[j], alone[j] = n, -1
		}
	}
	try(own)
	try(alone)
	if best == nil {
		return nil, failed
	}
	for j, moves := range was.Moves {
		if !moves {
			continue
		}
		for _, n := range append(r.roomiest(), own[j], -1) {
			if ctx.Err() == nil && n != goes[j] {
				other := slices.Clone(goes)
				other[j] = n
				try(other)
			}
		}
	}
	if r.search.Rounds = cmp.Or(c.Rounds, mostTurns); ctx.Err() == nil {
		try(goes)
	}
	if c.Improved != nil {
		c.Improved(value)
	}
	current := value
	waiting := slices.IndexFunc(parts, func(p part) bool { return !p.begun })
	if waiting < 0 {
		return best, nil
	}
	rounds := min(c.Rounds, 1+mostPlaced/len(parts))
	for round := 0; (c.Rounds == 0 || round < rounds) && ctx.Err() == nil && (c.Stop == nil || !c.Stop(value)); round++ {
		next := slices.Clone(parts)
		for range 1 + rng.IntN(3) {
			from, to := waiting+rng.IntN(len(next)-waiting), waiting+rng.IntN(len(next)-waiting)
			p := next[from]
			if len(p.jobs) == 1 && !was.Begun[p.jobs[0]] && rng.IntN(3) == 0 {
				p.blocks = nil // it looks for other GPUs
			}
			next = slices.Insert(slices.Delete(next, from, from+1), to, p)
		}
		s, err := r.place(next)
		if err != nil || late(in, s) != nil || in.Objective.Better(current, in.BlockValue(s)) {
			continue
		}
		parts, current = next, in.BlockValue(s)
		if in.Objective.Better(current, value) {
			best, value = s, current
			if c.Improved != nil {
				c.Improved(value)
			}
		}
	}
	return best, nil
}

// resumption carries one [Config.Resume].
type resumption struct {
	in    *instance.Instance
	was   Interrupted
	queue *queue
	// units are the jobs that share GPUs, each ascending, in order of their first jobs.
	units [][]instance.JobID
	// blocksOf each job in the plan, by number.
	blocksOf [][]int
	// known are units as planned, by number; of others nil.
	known []*part
	// search is that for better patterns, without rounds where there is none.
	ctx    context.Context
	search repair.Search
	rng    *rand.Rand
}

// mostPlaced is how many parts are placed without a time limit, in all orders together.
const mostPlaced = 40_000

// mostTurns is how many turns are tried for a pattern until the context ends.
const mostTurns = 3000

// part is a unit of what is left: blocks on GPUs of their own for as long as it lasts, or without
// blocks one job that has to find GPUs.
type part struct {
	jobs  []instance.JobID
	homes [][]instance.GPUID // by job
	// begun ones are at work, and hold their GPUs already; fixed ones keep their times as well.
	begun, fixed bool
	blocks       []instance.Block
	gpus         []instance.GPUID
	holds        []hold
	// from and to are when it holds its GPUs, from with the loads of its jobs; ready is before
	// which it cannot begin to.
	from, to, ready instance.Tick
	turn            instance.Tick // in the order of the plan
}

// hold is what a block asks of a link at most.
type hold struct {
	link instance.LinkID
	use
}

// use is a rate on a link for some time.
type use struct {
	From, To instance.Tick
	Rate     instance.Rate
}

// parts divides what is left into units, those at work first and the others in the order of the
// plan. Jobs that move join the unit that goes says, or none where it says -1, if there is room.
func (r *resumption) parts(goes []int) []part {
	var list []part
	placed, turns := make([]bool, len(r.in.Jobs)), make([]instance.Tick, len(r.in.Jobs))
	for j := range turns {
		turns[j] = 1 << 60 // new jobs come after those that wait already
	}
	from, _ := r.was.Plan.Spans(r.in)
	for unit, jobs := range r.units {
		turn := from[jobs[0]]
		begun := false
		for _, j := range jobs {
			begun = begun || r.was.Begun[j] && !r.was.Moves[j]
			turn = min(turn, from[j]-r.in.Jobs[j].Load)
		}
		stay := slices.DeleteFunc(slices.Clone(jobs), func(j instance.JobID) bool { return r.was.Moves[j] })
		members := slices.Clone(stay)
		for j, moves := range r.was.Moves {
			if moves && goes[j] == unit {
				members = append(members, instance.JobID(j))
			}
		}
		slices.Sort(members)
		changed := len(stay) < len(members) || slices.ContainsFunc(stay, func(j instance.JobID) bool { return r.was.Changed[j] })
		if changed && len(stay) > 0 {
			if parts, left, err := r.anew(members, jobs, begun); err == nil {
				for n := range parts {
					parts[n].begun, parts[n].turn = begun, turn
				}
				list = append(list, parts...)
				for _, j := range members {
					placed[j] = !slices.Contains(left, j)
				}
			}
		} else if len(stay) > 0 {
			if r.known[unit] == nil {
				r.known[unit] = new(r.asPlanned(stay, begun, turn))
			}
			list = append(list, *r.known[unit])
			for _, j := range stay {
				placed[j] = true
			}
		}
		for _, j := range jobs {
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

// roomiest are the units at work that end first, of those that repeat a pattern.
func (r *resumption) roomiest() (list []int) {
	_, to := r.was.Plan.Spans(r.in)
	end := make([]instance.Tick, len(r.units))
	for n, jobs := range r.units {
		begun := false
		for _, j := range jobs {
			end[n] = max(end[n], to[j])
			begun = begun || r.was.Begun[j] && !r.was.Moves[j]
		}
		if begun && len(jobs) > 1 {
			list = append(list, n)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(end[a], end[b]) })
	return list[:min(len(list), mostHosts)]
}

// mostHosts is how many units a job that moves is tried in.
const mostHosts = 8

// group finds the units: jobs that share blocks, or a GPU at the same time.
func (r *resumption) group() {
	plan := r.was.Plan
	parent := make([]instance.JobID, len(r.in.Jobs))
	for j := range parent {
		parent[j] = instance.JobID(j)
	}
	var find func(j instance.JobID) instance.JobID
	find = func(j instance.JobID) instance.JobID {
		if parent[j] != j {
			parent[j] = find(parent[j])
		}
		return parent[j]
	}
	join := func(a, b instance.JobID) { parent[max(find(a), find(b))] = min(find(a), find(b)) }
	r.blocksOf = make([][]int, len(r.in.Jobs))
	for i := range plan.Blocks {
		for _, t := range plan.Blocks[i].Tasks {
			join(plan.Blocks[i].Tasks[0].Job, t.Job)
			if of := &r.blocksOf[t.Job]; len(*of) == 0 || (*of)[len(*of)-1] != i {
				*of = append(*of, i)
			}
		}
	}
	from, to := plan.Spans(r.in)
	here := map[instance.GPUID][]instance.JobID{}
	for j, home := range plan.Residency {
		if from[j] -= r.in.Jobs[j].Load; r.was.Begun[j] {
			from[j] = min(from[j], r.was.Now)
		}
		for _, g := range home {
			here[g] = append(here[g], instance.JobID(j))
		}
	}
	for _, jobs := range here {
		slices.SortFunc(jobs, func(a, b instance.JobID) int { return cmp.Or(cmp.Compare(from[a], from[b]), cmp.Compare(a, b)) })
		last := jobs[0] // of those so far the one that ends last
		for _, j := range jobs[1:] {
			if from[j] < to[last] {
				join(last, j)
			}
			if to[j] > to[last] {
				last = j
			}
		}
	}
	at := map[instance.JobID]int{}
	for j, home := range plan.Residency {
		if home == nil {
			continue
		}
		root := find(instance.JobID(j))
		n, ok := at[root]
		if !ok {
			n = len(r.units)
			at[root], r.units = n, append(r.units, nil)
		}
		r.units[n] = append(r.units[n], instance.JobID(j))
	}
}

// blocks returns what the plan has of some jobs, on the GPUs that there were.
func (r *resumption) blocks(jobs []instance.JobID) (list []instance.Block) {
	some := map[instance.JobID]bool{}
	var in []int
	for _, j := range jobs {
		some[j] = true
		in = append(in, r.blocksOf[j]...)
	}
	slices.Sort(in)
	for _, i := range slices.Compact(in) {
		b := r.was.Plan.Blocks[i]
		tasks, syncs := b.Tasks, b.Syncs
		b.Tasks, b.Syncs = nil, nil
		for _, t := range tasks {
			if some[t.Job] {
				b.Tasks = append(b.Tasks, t)
			}
		}
		for _, y := range syncs {
			if some[y.Job] {
				b.Syncs = append(b.Syncs, y)
			}
		}
		list = append(list, b)
	}
	return list
}

// asPlanned is a unit that goes on, or will start, as it was planned. Its GPUs are all there.
func (r *resumption) asPlanned(jobs []instance.JobID, begun bool, turn instance.Tick) part {
	p := part{jobs: jobs, begun: begun, fixed: begun, turn: turn, blocks: r.blocks(jobs)}
	for i := range p.blocks {
		// It starts with its first task, which is not before time 0 where it goes on.
		b := &p.blocks[i]
		first := slices.MinFunc(b.Tasks, func(a, b instance.Task) int { return cmp.Compare(a.Start, b.Start) }).Start
		b.Start += first
		for n := range b.Tasks {
			t := &b.Tasks[n]
			t.Start, t.End = t.Start-first, t.End-first
			t.GPU, _ = r.was.GPU(t.GPU)
		}
		for n := range b.Syncs {
			b.Syncs[n].Start, b.Syncs[n].End = b.Syncs[n].Start-first, b.Syncs[n].End-first
		}
	}
	for _, j := range jobs {
		var home []instance.GPUID
		for _, g := range r.was.Plan.Residency[j] {
			now, _ := r.was.GPU(g)
			home = append(home, now)
		}
		p.homes = append(p.homes, home)
	}
	r.finish(&p)
	return p
}

// finish works out what a part with blocks holds.
func (r *resumption) finish(p *part) {
	from := map[instance.JobID]instance.Tick{}
	for i := range p.blocks {
		b := &p.blocks[i]
		last := b.Start + instance.Tick(b.Repeats-1)*b.Period
		for _, t := range b.Tasks {
			if start, ok := from[t.Job]; !ok || b.Start+t.Start < start {
				from[t.Job] = b.Start + t.Start
			}
			p.to = max(p.to, last+t.End)
		}
		for _, y := range b.Syncs {
			p.to = max(p.to, last+y.End)
		}
	}
	shift := instance.Tick(-1 << 60) // all of it has to come so much later, at least
	for n, j := range p.jobs {
		job := &r.in.Jobs[j]
		p.gpus = append(p.gpus, p.homes[n]...)
		admitted := from[j] - job.Load
		if n == 0 || admitted < p.from {
			p.from = admitted
		}
		shift = max(shift, job.Release-admitted)
	}
	p.ready = p.from
	if !p.fixed {
		p.ready = p.from + max(shift, r.was.Now-p.from)
	}
	slices.Sort(p.gpus)
	p.gpus = slices.Compact(p.gpus)
	for i := range p.blocks {
		p.holds = append(p.holds, r.holdsOf(p, &p.blocks[i])...)
	}
}

// holdsOf is what a block asks of links: the greatest sum of rates in its period, from its first start on the
// link to its last end.
func (r *resumption) holdsOf(p *part, b *instance.Block) (list []hold) {
	uses := map[instance.LinkID][]use{}
	ends := map[instance.LinkID]*hold{}
	var links []instance.LinkID
	for _, y := range b.Syncs {
		at := slices.Index(p.jobs, y.Job)
		span, ok := r.in.SpanOf(&r.in.Jobs[y.Job], p.homes[at])
		if !ok || y.Start == y.End {
			continue
		}
		for _, u := range span.Uses {
			rate := span.Rate(y.Rate) * instance.Rate(u.Times)
			h := ends[u.Link]
			if h == nil {
				h = &hold{u.Link, use{From: b.Start + y.Start}}
				ends[u.Link] = h
				links = append(links, u.Link)
			}
			h.From = min(h.From, b.Start+y.Start)
			h.To = max(h.To, b.Start+y.End+instance.Tick(b.Repeats-1)*b.Period)
			start, length := y.Start, y.End-y.Start
			for b.Repeats > 1 && length >= b.Period {
				uses[u.Link] = append(uses[u.Link], use{From: 0, To: b.Period, Rate: rate})
				length -= b.Period
			}
			if b.Repeats > 1 {
				if start %= b.Period; start+length > b.Period {
					uses[u.Link] = append(uses[u.Link], use{From: 0, To: start + length - b.Period, Rate: rate})
					length = b.Period - start
				}
			}
			uses[u.Link] = append(uses[u.Link], use{From: start, To: start + length, Rate: rate})
		}
	}
	for _, l := range links {
		h := ends[l]
		for _, at := range uses[l] {
			sum := instance.Rate(0)
			for _, u := range uses[l] {
				if u.From <= at.From && at.From < u.To {
					sum += u.Rate
				}
			}
			h.Rate = max(h.Rate, sum)
		}
		list = append(list, *h)
	}
	return list
}

// anew makes the pattern of a unit again on the GPUs that are left to it. Iterations in flight of jobs that
// neither move nor change end as planned first, and with them what else of their repeats there is; the new pattern follows. left are jobs that find no room in it.
func (r *resumption) anew(jobs, unit []instance.JobID, begun bool) (parts []part, left []instance.JobID, err error) {
	in, now := r.in, r.was.Now
	var open []instance.GPUID // GPUs that are left
	for _, j := range unit {
		for _, g := range r.was.Plan.Residency[j] {
			if at, ok := r.was.GPU(g); ok {
				open = append(open, at)
			}
		}
	}
	slices.Sort(open)
	open = slices.Compact(open)
	var nodes []instance.NodeID
	for _, g := range open {
		nodes = append(nodes, in.GPUs[g].Node)
	}
	nodes = slices.Compact(nodes)
	members := slices.Clone(jobs)
	for {
		whole := in.Part(members, nodes, nil)
		template, iterations := r.template(members)
		small := whole.Miniature(iterations)
		closed := make([]bool, len(whole.GPUsOf))
		for g, of := range whole.GPUsOf {
			_, found := slices.BinarySearch(open, of)
			closed[g] = !found
		}
		damage := repair.Damage{Closed: closed, GPU: func(j instance.JobID, g instance.GPUID) (instance.GPUID, bool) {
			at, ok := r.was.GPU(g)
			if !ok || r.was.Moves[members[j]] {
				return 0, false
			}
			here, ok := slices.BinarySearch(whole.GPUsOf, at)
			return instance.GPUID(here), ok
		}}
		fixed, err := repair.Repair(small, template, damage)
		var none *repair.NoRoom
		if errors.As(err, &none) && len(members) > 1 {
			left = append(left, members[none.Job])
			members = slices.Delete(members, int(none.Job), int(none.Job)+1)
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		c := &company{part: whole, r: iterations, s: fixed.Schedule}
		if r.search.Rounds > 0 {
			c.s = r.search.Improve(r.ctx, small, template, damage, c.s, r.rng)
		}
		c.close(small)
		rest := make([]int, len(members))
		start := now
		for n, j := range members {
			rest[n] = in.Jobs[j].Iterations
			start = max(start, in.Jobs[j].Release+in.Jobs[j].Load)
		}
		if drained, taken := r.drain(members); begun && len(drained.jobs) > 0 {
			for n, j := range members {
				rest[n] -= taken[j]
			}
			parts, start = append(parts, drained), max(start, drained.to)
		}
		body := part{}
		for n, home := range c.s.Residency {
			var at []instance.GPUID
			for _, g := range home {
				at = append(at, whole.GPUsOf[g])
			}
			if rest[n] > 0 {
				body.jobs, body.homes = append(body.jobs, members[n]), append(body.homes, at)
			}
		}
		if body.blocks, _ = c.blocks(members, whole.GPUsOf, rest, start); len(body.blocks) > 0 {
			r.finish(&body)
			parts = append(parts, body)
		}
		return parts, left, nil
	}
}

// template puts what jobs do in a repeat together, of each the block in which it has most iterations. Jobs
// are numbered as in the list. One that was to have ended has an iteration first.
func (r *resumption) template(jobs []instance.JobID) (*instance.Schedule, []int) {
	s, most, from := &instance.Schedule{}, make([]int, len(jobs)), make([]int, len(jobs))
	blocks := r.blocks(jobs)
	at := map[instance.JobID]int{}
	for n, j := range jobs {
		at[j] = n
		s.Residency = append(s.Residency, r.was.Plan.Residency[j])
	}
	for i := range blocks {
		for _, t := range blocks[i].Tasks {
			if n := at[t.Job]; t.Iteration > most[n] {
				most[n], from[n] = t.Iteration, i
			}
		}
	}
	for i := range blocks {
		for _, t := range blocks[i].Tasks {
			if n := at[t.Job]; from[n] == i {
				t.Job = instance.JobID(n)
				s.Tasks = append(s.Tasks, t)
			}
		}
		for _, y := range blocks[i].Syncs {
			if n := at[y.Job]; from[n] == i {
				y.Job = instance.JobID(n)
				s.Syncs = append(s.Syncs, y)
			}
		}
	}
	for n, j := range jobs {
		if most[n] > 0 {
			continue
		}
		most[n] = 1 // the plan has none: it was to have ended
		worker := 0
		for d, count := range r.queue.counts[j] {
			for range count {
				s.Tasks = append(s.Tasks, instance.Task{Job: instance.JobID(n), Iteration: 1, GPU: s.Residency[n][worker], Depth: d})
				worker++
			}
		}
		if r.in.Jobs[j].HasSync() {
			s.Syncs = append(s.Syncs, instance.Sync{Job: instance.JobID(n), Iteration: 1, Rate: r.in.RateLevels[0]})
		}
	}
	s.Sort()
	return s, most
}

// drain is what goes on to its end of a unit at work whose pattern is made anew, and how many
// iterations of each job that is.
func (r *resumption) drain(jobs []instance.JobID) (part, map[instance.JobID]int) {
	now, taken := r.was.Now, map[instance.JobID]int{}
	stay := slices.DeleteFunc(slices.Clone(jobs), func(j instance.JobID) bool { return r.was.Moves[j] || r.was.Changed[j] })
	p := r.asPlanned(stay, true, now)
	var kept []instance.Block
	for _, b := range p.blocks {
		begun := map[[2]int]bool{} // job and iteration: started
		first := instance.Tick(-1)
		for _, t := range b.Tasks {
			if first < 0 || t.Start < first {
				first = t.Start
			}
			begun[[2]int{int(t.Job), t.Iteration}] = begun[[2]int{int(t.Job), t.Iteration}] || b.Start+t.Start < now
		}
		if b.Start+first >= now {
			continue
		}
		if b.Repeats > 1 {
			if b.Repeats = min(b.Repeats, int64((now-1-b.Start-first)/b.Period)+1); b.Repeats == 1 {
				b.Period = 0
			}
		} else {
			b.Tasks = slices.DeleteFunc(slices.Clone(b.Tasks), func(t instance.Task) bool { return !begun[[2]int{int(t.Job), t.Iteration}] })
			b.Syncs = slices.DeleteFunc(slices.Clone(b.Syncs), func(y instance.Sync) bool { return !begun[[2]int{int(y.Job), y.Iteration}] })
		}
		per := map[instance.JobID]int{}
		for _, t := range b.Tasks {
			per[t.Job] = max(per[t.Job], t.Iteration)
		}
		for j, n := range per {
			taken[j] += n * int(b.Repeats)
		}
		kept = append(kept, b)
	}
	drained := part{begun: true, fixed: true, turn: now, blocks: kept}
	for n, j := range p.jobs {
		if taken[j] > 0 {
			drained.jobs, drained.homes = append(drained.jobs, j), append(drained.homes, p.homes[n])
		}
	}
	if len(drained.jobs) > 0 {
		r.finish(&drained)
	}
	return drained, taken
}
