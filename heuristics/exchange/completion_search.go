package exchange

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/list"
	"jigsaw/heuristics/state"
)

// completion deals the jobs to groups that all end by a due, one group after the other: the largest job left
// shares a group with jobs that leave little of it idle (bin completion: A. S. Fukunaga and R. E. Korf, Bin
// completion algorithms for multicontainer packing, knapsack, and covering problems, JAIR 28, 2007). Whether a
// set of jobs ends by the due is found out by scheduling it. If groups may hardly idle, there are few such sets.
type completion struct {
	all        *completions
	t          *Annealer
	ctx        context.Context
	rng        *rand.Rand
	best, end  float64         // the best makespan so far, and the due
	most       int             // operations allowed
	deadEnds   int             // so far
	left       []int           // per kind: groups without a set
	groupsLeft int             // of all kinds
	work       int             // operations done
	sets       map[string]side // found by this search; those of all only change once it has ended
	tried      map[string]int
	scratch    scratch
}

const (
	// Operations of the first searches; later ones get twice as many as those before, up to mostCompletion per
	// group.
	firstCompletion, mostCompletion = 500_000, 400_000
	// A set may leave idle at most idleShare times as much as the mean of the groups left.
	idleShare = 2
	// Of a job's sets setsTried are scheduled, until setsTaken of them end by the due.
	setsTried, setsTaken = 20, 10
	// Dead ends per group after which a search gives up.
	mostDeadEnds = 2
	// Tries of the last set, for which there is no choice.
	lastTries = 1000
	// In the score of a set: lateWorth is to end twice as late as the due, by the estimate, jobWorth to have one job more.
	// To idle as much as the mean group is 1, and noise is at most 1.
	lateWorth, jobWorth = 30, 0.5
	// A set, unless it is the last, is studied only if a sketch of it ends at most so many times later than it should.
	sketchHope = 1.1
	// stepsWorth is the number of steps of fillings that take as long as an operation.
	stepsWorth = 10
)

func newCompletion(ctx context.Context, t *Annealer, best, end float64) *completion {
	all := t.completions
	c := &completion{
		all: all, t: t, ctx: ctx, rng: state.Fork(all.rng), best: best, end: end,
		most: min(firstCompletion<<min(all.count, 20), mostCompletion*len(all.groups)),
		left: make([]int, len(all.gpus)), groupsLeft: len(all.groups), sets: map[string]side{}, tried: map[string]int{},
	}
	for _, k := range all.kindAt {
		c.left[k]++
	}
	return c
}

// search returns the keys of sets that make up a plan; nil if it finds none.
func (c *completion) search() []string {
	idle := 0.0
	for k, n := range c.left {
		idle += float64(float64(n) * c.capacity(k))
	}
	for _, a := range c.t.area {
		idle -= a
	}
	if idle < 0 {
		return nil
	}
	jobs := c.t.in.AllJobs()
	slices.SortStableFunc(jobs, func(a, b instance.JobID) int { return cmp.Compare(c.t.area[b], c.t.area[a]) })
	return c.fill(jobs, idle)
}

// capacity is the number of GPU-ticks that a group of a kind may work until the due.
func (c *completion) capacity(kind int) float64 {
	return float64(float64(c.all.gpus[kind]) * (c.end - c.all.tail))
}

// fill deals the given jobs, the largest first, to the groups left, which may idle for so many GPU-ticks in all.
func (c *completion) fill(jobs []instance.JobID, idle float64) []string {
	switch {
	case len(jobs) == 0:
		return []string{}
	case c.groupsLeft == 0:
		return nil
	case c.groupsLeft == 1:
		if key := c.schedule(slices.Index(c.left, 1), jobs, lastTries, c.best-1); key != "" {
			return []string{key}
		}
		return nil
	}
	taken := 0
	for n, o := range c.choices(jobs, idle) {
		if n == setsTried || taken == setsTaken || c.work > c.most || c.deadEnds > mostDeadEnds*len(c.all.groups) || c.ctx.Err() != nil {
			return nil
		}
		// What failed before gets more tries in later searches.
		key := c.schedule(o.kind, o.jobs, studyTries*(1+c.all.count), c.end)
		if key == "" {
			continue
		}
		taken++
		rest := slices.DeleteFunc(slices.Clone(jobs), func(j instance.JobID) bool { return slices.Contains(o.jobs, j) })
		c.left[o.kind]--
		c.groupsLeft--
		found := c.fill(rest, idle-o.idle)
		c.left[o.kind]++
		c.groupsLeft++
		if found != nil {
			return append(found, key)
		}
	}
	c.deadEnds++
	return nil
}

// choice is a set that a group may get.
type choice struct {
	kind  int
	jobs  []instance.JobID
	idle  float64 // GPU-ticks
	score float64 // the less the better
}

// choices returns sets with the first of the jobs, the best first: of few jobs, which leave little idle and do not end
// after the due by the estimate.
func (c *completion) choices(jobs []instance.JobID, idle float64) (choices []choice) {
	fair := idle / float64(c.groupsLeft)
	areas := make([]float64, len(jobs))
	for n, j := range jobs {
		areas[n] = c.t.area[j]
	}
	for k, n := range c.left {
		if n == 0 {
			continue
		}
		nodes := c.all.groups[slices.Index(c.all.kindAt, k)].Nodes
		sets, steps := fillings(areas, c.capacity(k), min(idle, idleShare*fair))
		c.work += steps / stepsWorth
		for _, set := range sets {
			o := choice{kind: k, jobs: make([]instance.JobID, len(set)), idle: c.capacity(k)}
			for n, at := range set {
				o.jobs[n] = jobs[at]
				o.idle -= areas[at]
			}
			if slices.ContainsFunc(o.jobs, func(j instance.JobID) bool { return !state.Fits(c.t.in, j, nodes) }) {
				continue
			}
			late := max(0, c.t.estimate.of(&c.scratch, nodes, o.jobs)/c.end-1)
			o.score = o.idle/(fair+1) + float64(lateWorth*late) + float64(jobWorth*float64(len(o.jobs)))
			if c.all.count > 0 {
				o.score += c.rng.Float64()
			}
			choices = append(choices, o)
		}
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(a.score, b.score) })
	return choices
}

// schedule schedules a set on a group of a kind, and returns its key if it ends by a due.
func (c *completion) schedule(kind int, jobs []instance.JobID, tries int, due float64) string {
	jobs = slices.Sorted(slices.Values(jobs))
	key := setKey(kind, jobs)
	for _, sets := range []map[string]side{c.all.sets, c.sets} {
		if s, ok := sets[key]; ok && s.value <= due {
			return key
		}
	}
	if max(c.tried[key], c.all.tried[key]) >= tries {
		return ""
	}
	c.tried[key] = tries
	at := slices.Index(c.all.kindAt, kind)
	b := &pairExchange{Annealer: c.t, rng: state.Fork(c.rng)}
	s := side{part: c.t.in.Part(jobs, c.all.groups[at].Nodes, c.all.taken[at])}
	s.search = list.NewPortfolio(c.ctx, state.Options{Tries: sketchTries, Without: c.t.without}, s.part.Instance, b.rng)
	if s.search.Construct() != nil {
		return ""
	}
	s.search.Improve()
	ok := b.result(&s, sketchTries)
	if ok && s.value > due && (c.groupsLeft == 1 || s.value < sketchHope*due) {
		b.study(&s, tries)
	}
	if c.work += b.work; !ok || s.value >= c.best {
		return ""
	}
	s.settle()
	if c.sets[key] = s; s.value <= due {
		return key
	}
	return ""
}
