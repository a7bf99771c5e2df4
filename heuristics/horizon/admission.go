package horizon

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics"
	"jigsaw/heuristics/pattern"
	"jigsaw/heuristics/state"
)

// admission plans the jobs of a cell for the makespan if they are not all there from the start: because memory has no
// room for them, or because they are released later. In a given order they are admitted as soon as there is room. Those
// in memory go through phases, in each of which they repeat a pattern, until one of them ends or another comes. While
// jobs wait, some of those in memory make way, as fast as they can; the others are only as fast as necessary to end
// with the last of all. Which jobs make way is decided greedily, by an estimate of the end of all remaining work. If
// jobs are due before the cell ends they come first and are as fast as that requires, and being in time comes before
// the end.
type admission struct {
	pattern.Occupants
	d        *dealer
	cell     *cell
	order    []int           // of admission
	ready    []instance.Tick // when each job has been loaded
	now      instance.Tick
	blocks   []instance.Block
	patterns pattern.Cache   // by jobs, GPUs and iterations; nil: there is none
	due      []instance.Tick // of each job; math.MaxInt64: none before the known end
	late     instance.Tick   // by how much jobs end after they are due, in total
}

const (
	// admissionTries is the number of orders tried without a clock, mostAdmissionTries with one, and quickAdmissionTries if
	// plans are to be quick.
	admissionTries, mostAdmissionTries, quickAdmissionTries = 20, 200, 1
	// hurryTries is how many are tried without a clock for every size of cells in which jobs are late, lateTries for the
	// cells of the best size.
	hurryTries, lateTries = 2, 5
	// firstStart numbers the random sources of [admission.start]; those before it are of patterns.
	firstStart = 1000
	// mostChoices is the number of single jobs that may make way, and of single jobs that may stay; quickChoices if plans
	// are to be quick.
	mostChoices, quickChoices = 6, 1
	// paceRounds is how often the pace of the jobs that do not make way is adjusted to the actual length of a pattern.
	paceRounds = 3
	// duePart is the part of the time until a job is due in which it is to be done, since patterns keep no exact pace.
	duePart = 0.8
)

// admit searches for an order of admission whose plan of a cell is less late or ends before the known one, without a
// clock in the given number of tries.
func (d *dealer) admit(ctx context.Context, c *cell, tries int) {
	order, due := instance.UpTo[int](len(c.jobs)), make([]instance.Tick, len(c.jobs))
	for n, j := range c.jobs {
		if due[n] = d.in.Jobs[j].Deadline; due[n] == 0 || due[n] > c.end {
			due[n] = math.MaxInt64
		}
	}
	by := func(key func(j instance.JobID) float64) func(a, b int) int { // those that are due first before them
		return func(a, b int) int {
			return cmp.Or(cmp.Compare(due[a], due[b]), cmp.Compare(key(c.jobs[a]), key(c.jobs[b])))
		}
	}
	slices.SortStableFunc(order, by(func(j instance.JobID) float64 { return -d.length(j) }))
	if d.config.Quick {
		tries = quickAdmissionTries
	} else if _, limited := ctx.Deadline(); limited {
		tries = mostAdmissionTries
	}
	known := pattern.Cache{}
	var best *admission
	for try := 0; try < tries && ctx.Err() == nil; try++ {
		a := &admission{
			Occupants: pattern.Occupants{In: d.in, Nodes: c.nodes, Jobs: c.jobs, Homes: make([][]instance.GPUID, len(c.jobs))},
			d:         d, cell: c, order: slices.Clone(order), ready: make([]instance.Tick, len(c.jobs)), patterns: known, due: due,
		}
		for _, j := range c.jobs {
			a.Left = append(a.Left, d.in.Jobs[j].Iterations)
		}
		switch {
		case try == 1:
			slices.SortStableFunc(a.order, by(func(j instance.JobID) float64 { return -d.works[j] }))
		case try == 2:
			slices.SortStableFunc(a.order, by(d.length))
		case try > 2:
			from, to := d.rng.IntN(len(order)), d.rng.IntN(len(order))
			n := a.order[from]
			a.order = slices.Insert(slices.Delete(a.order, from, from+1), to, n)
		}
		if c.late > 0 && c.fits && try%2 == 0 { // where they live if all are there from the start
			p := d.known[pattern.Key(d.class, d.kinds, c.jobs, c.nodes)].Pattern
			if try > 0 {
				p = a.start(ctx, d.pcg(firstStart+try))
			}
			a.settle(p)
		}
		ok := a.run(ctx)
		if ok && c.late > 0 { // next time those that are late are to be done sooner, and others may take longer
			ends := instance.EndsOf(a.blocks, len(d.in.Jobs))
			for n, j := range c.jobs {
				switch latest := d.in.Jobs[j].Deadline; {
				case latest > 0 && ends[j] > latest:
					due[n] = max(latest/2, min(due[n], latest)-(ends[j]-latest))
				case a.late == 0 && latest > 0 && due[n] < latest:
					due[n] += (latest - due[n]) / 2
				}
			}
		}
		if ok && (best == nil || cmp.Or(cmp.Compare(a.late, best.late), cmp.Compare(a.now, best.now)) <= 0) {
			best, order = a, a.order
		}
	}
	late, end := c.late, c.end
	if c.admission != nil {
		late, end = c.admission.late, c.admission.now
	}
	if best != nil && cmp.Or(cmp.Compare(best.late, late), cmp.Compare(best.now, end)) < 0 {
		c.admission = best
	}
}

// start is a pattern of all jobs in which those that are due are as fast as they must be; nil: there is none.
func (a *admission) start(ctx context.Context, rng *rand.Rand) *pattern.Pattern {
	p := pattern.Of(a.In, a.Jobs, a.Nodes)
	want := make([]float64, len(a.Jobs))
	for n, at := range p.At {
		job := &a.In.Jobs[a.Jobs[at]]
		want[n] = float64(a.Left[at]) / float64(max(1, min(a.cell.end, a.due[at])-job.Release-job.Load))
	}
	if p.Iterations = heuristics.Pattern(p.Part.Instance, want, phasePattern); p.ListSchedule(ctx, rng, phaseTries) != nil {
		return nil
	}
	return p
}

// settle gives jobs the GPUs that they have in a pattern, nil: none, where they fit at any depth beside those before
// them; the others find GPUs when there is room.
func (a *admission) settle(p *pattern.Pattern) {
	for _, n := range a.order {
		if p == nil {
			return
		}
		job, home := &a.In.Jobs[a.Jobs[n]], p.Schedule.Residency[slices.Index(p.At, n)]
		if !slices.ContainsFunc(home, func(g instance.GPUID) bool { return !a.Fits(job, g, a.In.GPUs[a.cell.gpus[g]].Type) }) {
			a.Homes[n], a.ready[n] = home, job.Release+job.Load
		}
	}
}

// run plans all jobs. It reports whether it was completed.
func (a *admission) run(ctx context.Context) bool {
	for slices.Max(a.Left) > 0 {
		if ctx.Err() != nil {
			return false
		}
		next := a.admit()
		if len(a.Work) == 0 {
			if next == 0 {
				return false
			}
			a.now = next
			continue
		}
		p, together := a.best(next)
		if p == nil {
			return false
		}
		var blocks []instance.Block
		if together {
			at := state.Pick(a.Work, p.At)
			blocks, a.now = p.Evenly(state.Pick(a.Jobs, at), a.cell.gpus, state.Pick(a.Left, at), a.now)
			clear(a.Left)
		} else {
			blocks, a.now, a.Left = a.Step(p, a.Jobs, a.cell.gpus, a.now, next)
		}
		a.blocks = append(a.blocks, blocks...)
	}
	a.late = tardiness(a.In, instance.EndsOf(a.blocks, len(a.In.Jobs)))
	return true
}

// admit admits jobs, determines which are running, and when the next is loaded or released; 0: none.
func (a *admission) admit() (next instance.Tick) {
	busy := make([]float64, len(a.cell.gpus))
	for n, home := range a.Homes {
		for _, g := range home {
			busy[g] += a.ticks(n, a.Left)
		}
	}
	for _, n := range a.Enter(a.order, a.now, busy, math.Inf(1), func(n int) float64 { return a.ticks(n, a.Left) }) {
		a.ready[n] = a.now + a.In.Jobs[a.Jobs[n]].Load
	}
	a.Work = a.Work[:0]
	for n, home := range a.Homes {
		at := a.ready[n]
		if home == nil {
			at = a.In.Jobs[a.Jobs[n]].Release
		}
		if at > a.now && (next == 0 || at < next) {
			next = at
		}
		if home != nil && a.Left[n] > 0 && at <= a.now {
			a.Work = append(a.Work, n)
		}
	}
	return next
}

// ticks is the work of n iterations of a job, on each of its GPUs.
func (a *admission) ticks(n int, left []int) float64 {
	job := &a.In.Jobs[a.Jobs[n]]
	return a.d.workIn(a.cell, a.Jobs[n]) / float64(job.Workers) * float64(left[n]) / float64(job.Iterations)
}

// estimate is an approximate lower bound on the end of all remaining work: by the work, and with each job as fast as
// alone from when there is room for it in memory. late is by how much jobs are then late in total, if on each GPU they run
// in the order in which they are due.
func (a *admission) estimate(now instance.Tick, left []int) (end, late float64) {
	o := pattern.Occupants{In: a.In, Nodes: a.Nodes, Jobs: a.Jobs, Homes: slices.Clone(a.Homes), Left: slices.Clone(left)}
	work, ends, busy := 0.0, make([]instance.Tick, len(left)), make([]float64, len(a.cell.gpus))
	load := func(n int) float64 { return a.ticks(n, left) }
	endOf := func(n int, start instance.Tick) instance.Tick {
		return start + instance.Tick(left[n])*a.d.alone[a.Jobs[n]]
	}
	for n, home := range o.Homes {
		work += load(n) * float64(a.In.Jobs[a.Jobs[n]].Workers)
		if left[n] == 0 {
			continue
		}
		for _, g := range home {
			busy[g] += load(n)
		}
		if home != nil {
			ends[n] = endOf(n, max(now, a.ready[n]))
		}
	}
	for t, next := now, now; next >= 0; t = next {
		for n := range o.Left {
			if o.Homes[n] != nil && ends[n] <= t {
				o.Left[n] = 0
			}
		}
		for _, n := range o.Enter(a.order, t, busy, math.Inf(1), load) {
			ends[n] = endOf(n, t+a.In.Jobs[a.Jobs[n]].Load)
		}
		next = -1
		for n, at := range ends {
			if o.Homes[n] == nil {
				at = a.In.Jobs[a.Jobs[n]].Release
			}
			if at > t && (next < 0 || at < next) {
				next = at
			}
		}
	}
	for n, home := range o.Homes {
		if a.Left[n] == 0 || a.due[n] == math.MaxInt64 {
			continue
		}
		if left[n] == 0 {
			late += max(0, float64(now-a.due[n]))
			continue
		}
		takes := float64(ends[n] - now)
		for _, g := range home {
			before := 0.0
			for m, other := range o.Homes {
				if a.due[m] <= a.due[n] && slices.Contains(other, g) {
					before += load(m)
				}
			}
			takes = max(takes, before)
		}
		late += max(0, takes-duePart*float64(a.due[n]-now))
	}
	return max(float64(now)+work/float64(len(a.cell.gpus)), float64(slices.Max(ends))), late
}

// best returns a pattern for the running jobs, nil if there is none, and whether with it all remaining work is done
// together to the end. next is when another job comes.
func (a *admission) best(next instance.Tick) (best *pattern.Pattern, together bool) {
	if next == 0 && !slices.ContainsFunc(a.Homes, func(home []instance.GPUID) bool { return home == nil }) {
		want := make([]float64, len(a.Work))
		for i, n := range a.Work {
			want[i] = float64(a.Left[n])
		}
		if p := a.pattern(want); p == nil || a.inTime(p) {
			return p, true
		}
	}
	rest, _ := a.estimate(a.now, a.Left)
	rest -= float64(a.now)
	least, latest, seen := math.Inf(1), math.Inf(1), map[*pattern.Pattern]bool{}
	alone := func(n int) float64 { return float64(a.Left[n]) * float64(a.d.alone[a.Jobs[n]]) }
	byLength := slices.Clone(a.Work)
	slices.SortStableFunc(byLength, func(m, n int) int { return cmp.Compare(alone(m), alone(n)) })
	most := mostChoices
	if a.d.config.Quick || a.cell.late > 0 {
		most = quickChoices
	}
	for _, leaving := range append(choices(byLength, most), a.urgent()...) {
		for _, atOnce := range []bool{false, true} {
			for _, p := range a.paced(leaving, atOnce, rest) {
				if seen[p] {
					continue
				}
				seen[p] = true
				_, now, left := a.Step(p, a.Jobs, a.cell.gpus, a.now, next)
				if end, late := a.estimate(now, left); late < latest || late == latest && end < least {
					best, least, latest = p, end, late
				}
			}
		}
	}
	return best, false
}

// inTime reports whether no running job is late if they repeat a pattern until all of them are done.
func (a *admission) inTime(p *pattern.Pattern) bool {
	at := state.Pick(a.Work, p.At)
	blocks, _ := p.Blocks(state.Pick(a.Jobs, at), a.cell.gpus, state.Pick(a.Left, at), a.now)
	return a.In.Late(instance.EndsOf(blocks, len(a.In.Jobs))) == instance.NoJob
}

// urgent are sets of running jobs that are due: the first, the first two, all of them and, if there are any, none, so that
// all jobs are only as fast as necessary.
func (a *admission) urgent() (list [][]int) {
	due := slices.DeleteFunc(slices.Clone(a.Work), func(n int) bool { return a.due[n] == math.MaxInt64 })
	slices.SortStableFunc(due, func(m, n int) int { return cmp.Compare(a.due[m], a.due[n]) })
	for _, some := range []int{1, 2, len(due)} {
		if some <= len(due) && some > 0 {
			list = append(list, due[:some])
		}
	}
	if len(due) > 0 {
		list = append(list, nil)
	}
	return list
}

// choices are the sets of jobs that may make way, the shortest jobs first: all, one of the shorter ones, or all but one
// of the longer ones.
func choices(jobs []int, most int) [][]int {
	list := [][]int{jobs}
	if len(jobs) == 1 {
		return list
	}
	for n, j := range jobs[:min(len(jobs), most)] {
		list = append(list, []int{j})
		if but := len(jobs) - 1 - n; len(jobs) > 2 {
			list = append(list, slices.Delete(slices.Clone(jobs), but, but+1))
		}
	}
	return list
}

// paced returns patterns in which some jobs make way, so that they all end at once or each is equally fast relative to
// the length of its iterations; the others would be done after rest. If GPUs are too busy for that, the others are
// slowed down accordingly at first, and less in the next pattern.
func (a *admission) paced(leaving []int, atOnce bool, rest float64) (list []*pattern.Pattern) {
	longest := 0.0
	for _, n := range leaving {
		longest = max(longest, float64(a.Left[n])*float64(a.d.alone[a.Jobs[n]]))
	}
	want, stretch := make([]float64, len(a.Work)), 1.0
	for range paceRounds {
		for i, n := range a.Work {
			switch {
			case !slices.Contains(leaving, n):
				want[i] = stretch * float64(a.Left[n]) / max(1, min(rest, duePart*float64(a.due[n]-a.now)))
			case atOnce:
				want[i] = float64(a.Left[n]) / longest
			default:
				want[i] = 1 / float64(a.d.alone[a.Jobs[n]])
			}
		}
		p := a.pattern(want)
		if p == nil {
			break
		}
		list = append(list, p)
		before := stretch
		stretch = 1
		for n, at := range p.At {
			if slices.Contains(leaving, a.Work[at]) {
				stretch = max(stretch, want[at]*float64(p.Period)/float64(p.Iterations[n]))
			}
		}
		if stretch < before*1.05 {
			break
		}
	}
	return list
}

// pattern is a pattern of the running jobs, with iterations in these proportions; nil: there is none.
func (a *admission) pattern(want []float64) *pattern.Pattern {
	p := pattern.InPlace(a.In, state.Pick(a.Jobs, a.Work), a.Nodes, state.Pick(a.Homes, a.Work), want, phasePattern)
	return a.patterns.Scheduled(fmt.Sprint(a.Work, state.Pick(a.Homes, a.Work), p.Iterations), p, a.d.seed, phaseTries, nil)
}

// write adds the plan of the cell to the overall plan.
func (a *admission) write(plan *instance.BlockSchedule) {
	plan.Blocks = append(plan.Blocks, a.blocks...)
	for n, home := range a.Homes {
		plan.Residency[a.Jobs[n]] = state.Pick(a.cell.gpus, home)
	}
}
