package horizon

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"jigsaw/formulation/instance"
)

// admission plans the jobs of a cell for the makespan if they are not all there from the start: because memory has no
// room for them, or because they are released later. In a given order they are admitted as soon as there is room. Those
// in memory go through phases, in each of which they repeat a pattern, until one of them ends or another comes. While
// jobs wait, some of those in memory make way, as fast as they can; the others are only as fast as necessary to end
// with the last of all. Which jobs make way is decided greedily, by an estimate of the end of all remaining work.
type admission struct {
	occupants
	d        *dealer
	cell     *cell
	order    []int           // of admission
	ready    []instance.Tick // when each job has been loaded
	now      instance.Tick
	blocks   []instance.Block
	patterns patterns // by jobs, GPUs and iterations; nil: there is none
}

const (
	// admissionTries is the number of orders tried without a clock, mostAdmissionTries with one, and quickAdmissionTries if
	// plans are to be quick.
	admissionTries, mostAdmissionTries, quickAdmissionTries = 20, 200, 1
	// mostChoices is the number of single jobs that may make way, and of single jobs that may stay; quickChoices if plans
	// are to be quick.
	mostChoices, quickChoices = 6, 1
	// paceRounds is how often the pace of the jobs that do not make way is adjusted to the actual length of a pattern.
	paceRounds = 3
)

// admit searches for an order of admission whose plan of a cell ends before the known one.
func (d *dealer) admit(ctx context.Context, c *cell) {
	order := instance.UpTo[int](len(c.jobs))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.length(c.jobs[b]), d.length(c.jobs[a])) })
	tries := admissionTries
	if d.config.Quick {
		tries = quickAdmissionTries
	} else if _, limited := ctx.Deadline(); limited {
		tries = mostAdmissionTries
	}
	known := patterns{}
	var best *admission
	for try := 0; try < tries && ctx.Err() == nil; try++ {
		a := &admission{
			occupants: occupants{in: d.in, nodes: c.nodes, jobs: c.jobs, homes: make([][]instance.GPUID, len(c.jobs))},
			d:         d, cell: c, order: slices.Clone(order), ready: make([]instance.Tick, len(c.jobs)), patterns: known,
		}
		for _, j := range c.jobs {
			a.left = append(a.left, d.in.Jobs[j].Iterations)
		}
		switch {
		case try == 1:
			slices.SortStableFunc(a.order, func(x, y int) int { return cmp.Compare(d.works[c.jobs[y]], d.works[c.jobs[x]]) })
		case try == 2:
			slices.SortStableFunc(a.order, func(x, y int) int { return cmp.Compare(d.length(c.jobs[x]), d.length(c.jobs[y])) })
		case try > 2:
			from, to := d.rng.IntN(len(order)), d.rng.IntN(len(order))
			n := a.order[from]
			a.order = slices.Insert(slices.Delete(a.order, from, from+1), to, n)
		}
		if a.run(ctx) && (best == nil || a.now <= best.now) {
			best, order = a, a.order
		}
	}
	if best != nil && best.now < c.end {
		c.admission = best
	}
}

// run plans all jobs. It reports whether it was completed without a late job.
func (a *admission) run(ctx context.Context) bool {
	for slices.Max(a.left) > 0 {
		if ctx.Err() != nil {
			return false
		}
		next := a.admit()
		if len(a.work) == 0 {
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
			at := pick(a.work, p.at)
			blocks, a.now = p.blocks(pick(a.jobs, at), a.cell.gpus, pick(a.left, at), a.now)
			clear(a.left)
		} else {
			blocks, a.now, a.left = a.step(p, a.jobs, a.cell.gpus, a.now, next)
		}
		a.blocks = append(a.blocks, blocks...)
	}
	return a.in.Late(instance.EndsOf(a.blocks, len(a.in.Jobs))) == instance.NoJob
}

// admit admits jobs, determines which are running, and when the next is loaded or released; 0: none.
func (a *admission) admit() (next instance.Tick) {
	busy := make([]float64, len(a.cell.gpus))
	for n, home := range a.homes {
		for _, g := range home {
			busy[g] += a.ticks(n, a.left)
		}
	}
	for _, n := range a.enter(a.order, a.now, busy, math.Inf(1), func(n int) float64 { return a.ticks(n, a.left) }) {
		a.ready[n] = a.now + a.in.Jobs[a.jobs[n]].Load
	}
	a.work = a.work[:0]
	for n, home := range a.homes {
		at := a.ready[n]
		if home == nil {
			at = a.in.Jobs[a.jobs[n]].Release
		}
		if at > a.now && (next == 0 || at < next) {
			next = at
		}
		if home != nil && a.left[n] > 0 && at <= a.now {
			a.work = append(a.work, n)
		}
	}
	return next
}

// ticks is the work of n iterations of a job, on each of its GPUs.
func (a *admission) ticks(n int, left []int) float64 {
	job := &a.in.Jobs[a.jobs[n]]
	return a.d.workIn(a.cell, a.jobs[n]) / float64(job.Workers) * float64(left[n]) / float64(job.Iterations)
}

// estimate is an approximate lower bound on the end of all remaining work: by the work, and with each job as fast as
// alone from when there is room for it in memory.
func (a *admission) estimate(now instance.Tick, left []int) float64 {
	o := occupants{in: a.in, nodes: a.nodes, jobs: a.jobs, homes: slices.Clone(a.homes), left: slices.Clone(left)}
	work, ends, busy := 0.0, make([]instance.Tick, len(left)), make([]float64, len(a.cell.gpus))
	load := func(n int) float64 { return a.ticks(n, left) }
	end := func(n int, start instance.Tick) instance.Tick {
		return start + instance.Tick(left[n])*a.d.alone[a.jobs[n]]
	}
	for n, home := range o.homes {
		work += load(n) * float64(a.in.Jobs[a.jobs[n]].Workers)
		if left[n] == 0 {
			continue
		}
		for _, g := range home {
			busy[g] += load(n)
		}
		if home != nil {
			ends[n] = end(n, max(now, a.ready[n]))
		}
	}
	for t, next := now, now; next >= 0; t = next {
		for n := range o.left {
			if o.homes[n] != nil && ends[n] <= t {
				o.left[n] = 0
			}
		}
		for _, n := range o.enter(a.order, t, busy, math.Inf(1), load) {
			ends[n] = end(n, t+a.in.Jobs[a.jobs[n]].Load)
		}
		next = -1
		for n, at := range ends {
			if o.homes[n] == nil {
				at = a.in.Jobs[a.jobs[n]].Release
			}
			if at > t && (next < 0 || at < next) {
				next = at
			}
		}
	}
	return max(float64(now)+work/float64(len(a.cell.gpus)), float64(slices.Max(ends)))
}

// best returns a pattern for the running jobs, nil if there is none, and whether with it all remaining work is done
// together to the end. next is when another job comes.
func (a *admission) best(next instance.Tick) (best *pattern, together bool) {
	if next == 0 && !slices.ContainsFunc(a.homes, func(home []instance.GPUID) bool { return home == nil }) {
		want := make([]float64, len(a.work))
		for i, n := range a.work {
			want[i] = float64(a.left[n])
		}
		return a.pattern(want), true
	}
	rest := a.estimate(a.now, a.left) - float64(a.now)
	least, seen := math.Inf(1), map[*pattern]bool{}
	alone := func(n int) float64 { return float64(a.left[n]) * float64(a.d.alone[a.jobs[n]]) }
	byLength := slices.Clone(a.work)
	slices.SortStableFunc(byLength, func(m, n int) int { return cmp.Compare(alone(m), alone(n)) })
	most := mostChoices
	if a.d.config.Quick {
		most = quickChoices
	}
	for _, leaving := range choices(byLength, most) {
		for _, atOnce := range []bool{false, true} {
			for _, p := range a.paced(leaving, atOnce, rest) {
				if seen[p] {
					continue
				}
				seen[p] = true
				_, now, left := a.step(p, a.jobs, a.cell.gpus, a.now, next)
				if value := a.estimate(now, left); value < least {
					best, least = p, value
				}
			}
		}
	}
	return best, false
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
func (a *admission) paced(leaving []int, atOnce bool, rest float64) (list []*pattern) {
	longest := 0.0
	for _, n := range leaving {
		longest = max(longest, float64(a.left[n])*float64(a.d.alone[a.jobs[n]]))
	}
	want, stretch := make([]float64, len(a.work)), 1.0
	for range paceRounds {
		for i, n := range a.work {
			switch {
			case !slices.Contains(leaving, n):
				want[i] = stretch * float64(a.left[n]) / rest
			case atOnce:
				want[i] = float64(a.left[n]) / longest
			default:
				want[i] = 1 / float64(a.d.alone[a.jobs[n]])
			}
		}
		p := a.pattern(want)
		if p == nil {
			break
		}
		list = append(list, p)
		before := stretch
		stretch = 1
		for n, at := range p.at {
			if slices.Contains(leaving, a.work[at]) {
				stretch = max(stretch, want[at]*float64(p.period)/float64(p.r[n]))
			}
		}
		if stretch < before*1.05 {
			break
		}
	}
	return list
}

// pattern is a pattern of the running jobs, with iterations in these proportions; nil: there is none.
func (a *admission) pattern(want []float64) *pattern {
	p := patternInPlace(a.in, pick(a.jobs, a.work), a.nodes, pick(a.homes, a.work), want, phasePattern)
	return a.patterns.scheduled(fmt.Sprint(a.work, pick(a.homes, a.work), p.r), p, a.d.seed, phaseTries, nil)
}

// write adds the plan of the cell to the overall plan.
func (a *admission) write(plan *instance.BlockSchedule) {
	plan.Blocks = append(plan.Blocks, a.blocks...)
	for n, home := range a.homes {
		plan.Residency[a.jobs[n]] = pick(a.cell.gpus, home)
	}
}
