package exchange

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// binCompletion deals the jobs out to groups so that all end by a due, group by group: the
// largest job that is left shares one with jobs that leave little of it idle (A. S.
// Fukunaga and R. E. Korf, Bin completion algorithms for multicontainer packing, knapsack,
// and covering problems, 2007). Whether they do end by the due, their schedule tells. Where
// the groups may idle for nothing in all, there are few such sets.
type binCompletion struct {
	*Annealer
	ctx context.Context
	rng *rand.Rand
	due float64
	few bool // sets of few jobs come first
	// Operations done, and allowed.
	work, most int
	dead       int              // ends that were none
	left       []int            // per kind: groups without a set
	groupsLeft int              // of all kinds
	order      []instance.JobID // by area
	scratch    scratch
	// Sets that end before the best schedule of all, and how many tries sets were given,
	// by setKey. Only the search itself sees them before it has ended.
	made  map[string]set
	given map[string]int
}

const (
	// On top of what exchanges cost, completions may cost the part firstCompletions of it, and
	// after each that found nothing completionDecay times as much as before, but no less
	// than leastCompletions.
	firstCompletions, completionDecay, leastCompletions = 0.3, 0.9, 0.1
	// The first two search for so many operations each, later ones for twice as many as
	// those before, up to so many for each group.
	firstCompletion, mostCompletion = 500_000, 400_000
	// A set may idle so many times as long as the mean group.
	idleShare = 2
	// Of each job's sets so many are scheduled, until so many of them end by the due.
	setsTried, setsTaken = 20, 10
	// A completion gives up after so many dead ends for each group.
	deadEnds = 2
	// The last set, for which there is no choice, gets so many tries.
	lastTries = 1000
	// Of so many sets the tries are remembered.
	mostGiven = 200_000
	// In the score of a set: to end after the due by the due, as estimated, and to have
	// another job. To idle for as long as the mean group is 1, the noise up to 1.
	lateWorth, jobWorth = 30, 0.5
)

// leastEnd is when a schedule may end at the earliest: by the longest chain, and by the area.
func (t *Annealer) leastEnd() float64 {
	area, gpus, least := 0.0, 0, 0.0
	for j, a := range t.area {
		area += a
		least = max(least, t.estimate.chain[j])
	}
	for n := range t.groups {
		gpus += t.groups[n].gpus
	}
	return math.Ceil(max(least, area/float64(gpus)+t.tail))
}

// complete looks for two completions side by side: one just better than the best schedule
// of all, the other as good as can be or, each second time, half-way.
func (t *Annealer) complete(ctx context.Context) {
	least := t.leastEnd()
	if least >= t.limit {
		return
	}
	half := least
	if t.completions%2 == 1 {
		half = max(least, math.Floor((least+t.limit)/2))
	}
	list := []*binCompletion{t.completion(ctx, half), t.completion(ctx, t.limit-1)}
	found := make([][]string, len(list))
	state.Parallel(len(list), func(n int) { found[n] = list[n].search() })
	t.completions++
	t.completing = max(t.completing*completionDecay, leastCompletions)
	for _, c := range list {
		t.spent += c.work
		for _, key := range slices.Sorted(maps.Keys(c.made)) {
			t.partitions.note(c.made[key].side, c.made[key].kind)
		}
		for key, tries := range c.given {
			t.given[key] = max(t.given[key], tries)
		}
	}
	if len(t.given) > mostGiven {
		clear(t.given)
	}
	for n := range list {
		if t.known(found[n]) {
			t.completing = firstCompletions
			var cover []int
			for _, key := range found[n] {
				cover = append(cover, t.partitions.known[key])
			}
			t.adopt(cover)
			return
		}
	}
}

// known reports whether set partitions knows all sets of a completion, and there is one.
func (t *Annealer) known(found []string) bool {
	return found != nil && !slices.ContainsFunc(found, func(key string) bool {
		_, ok := t.partitions.known[key]
		return !ok
	})
}

func (t *Annealer) completion(ctx context.Context, due float64) *binCompletion {
	c := &binCompletion{
		Annealer: t, ctx: ctx, due: due, few: t.completions%2 == 0,
		most: min(firstCompletion<<min(t.completions, 20), mostCompletion*len(t.groups)),
		left: make([]int, len(t.partitions.gpus)), groupsLeft: len(t.groups),
		made: map[string]set{}, given: map[string]int{},
		rng: rand.New(rand.NewPCG(t.dice.Uint64(), t.dice.Uint64())),
	}
	for _, k := range t.kinds {
		c.left[k]++
	}
	for j := range t.in.Jobs {
		c.order = append(c.order, instance.JobID(j))
	}
	slices.SortStableFunc(c.order, func(a, b instance.JobID) int { return cmp.Compare(t.area[b], t.area[a]) })
	return c
}

// search returns the keys of the sets of a completion; nil if it finds none.
func (c *binCompletion) search() []string {
	idle := 0.0
	for k, n := range c.left {
		idle += float64(float64(n) * c.capacity(k))
	}
	for _, a := range c.area {
		idle -= a
	}
	if idle < 0 {
		return nil
	}
	return c.of(c.order, idle)
}

// capacity is for how many GPU-ticks a group of a kind may work until the due.
func (c *binCompletion) capacity(kind int) float64 {
	return float64(float64(c.partitions.gpus[kind]) * (c.due - c.tail))
}

// of completes the groups that are left with the given jobs, by area. They may idle for so
// many GPU-ticks in all.
func (c *binCompletion) of(jobs []instance.JobID, idle float64) []string {
	if len(jobs) == 0 {
		return []string{}
	}
	if c.groupsLeft == 0 {
		return nil
	}
	if c.groupsLeft == 1 {
		key := c.try(slices.Index(c.left, 1), jobs, lastTries, c.limit-1)
		if key == "" {
			return nil
		}
		return []string{key}
	}
	choices, taken := c.choices(jobs, idle), 0
	for n, o := range choices {
		if n == setsTried || taken == setsTaken || c.work > c.most || c.dead > deadEnds*len(c.groups) || c.ctx.Err() != nil {
			return nil
		}
		key := c.try(o.kind, o.jobs, studyTries, c.due)
		if key == "" {
			continue
		}
		taken++
		rest := slices.DeleteFunc(slices.Clone(jobs), func(j instance.JobID) bool { return slices.Contains(o.jobs, j) })
		c.left[o.kind]--
		c.groupsLeft--
		found := c.of(rest, idle-o.idle)
		c.left[o.kind]++
		c.groupsLeft++
		if found != nil {
			return append(found, key)
		}
	}
	c.dead++
	return nil
}

// setChoice is a set that a group may get.
type setChoice struct {
	kind  int
	jobs  []instance.JobID
	idle  float64 // GPU-ticks
	score float64 // the less the better
}

// choices returns sets with the first of the jobs, the best first: those that leave little
// idle and that the estimate does not have end after the due.
func (c *binCompletion) choices(jobs []instance.JobID, idle float64) (list []setChoice) {
	fair := idle / float64(c.groupsLeft)
	areas := make([]float64, len(jobs))
	for n, j := range jobs {
		areas[n] = c.area[j]
	}
	thin := c.rng
	if c.completions == 0 {
		thin = nil
	}
	for k, n := range c.left {
		if n == 0 {
			continue
		}
		nodes := c.groups[slices.Index(c.kinds, k)].nodes
		sets, steps := fillings(areas, c.capacity(k), min(idle, idleShare*fair), thin)
		c.work += steps / checksWorth
		for _, set := range sets {
			o := setChoice{kind: k, jobs: make([]instance.JobID, len(set)), idle: c.capacity(k)}
			for n, at := range set {
				o.jobs[n] = jobs[at]
				o.idle -= areas[at]
			}
			if slices.ContainsFunc(o.jobs, func(j instance.JobID) bool { return !fits(c.in, j, nodes) }) {
				continue
			}
			late := max(0, c.estimate.of(&c.scratch, nodes, o.jobs)/c.due-1)
			o.score = o.idle/(fair+1) + float64(lateWorth*late)
			if c.few {
				o.score += float64(jobWorth * float64(len(o.jobs)))
			}
			if c.completions > 0 {
				o.score += c.rng.Float64()
			}
			list = append(list, o)
		}
	}
	slices.SortStableFunc(list, func(a, b setChoice) int { return cmp.Compare(a.score, b.score) })
	return list
}

// try schedules a set on a group of a kind, and returns its key if it ends by the due.
func (c *binCompletion) try(kind int, jobs []instance.JobID, tries int, due float64) string {
	jobs = slices.Sorted(slices.Values(jobs))
	key := setKey(kind, jobs)
	if at, ok := c.partitions.known[key]; ok && c.partitions.sets[at].value <= due {
		return key
	}
	if s, ok := c.made[key]; ok && s.value <= due {
		return key
	}
	if max(c.given[key], c.Annealer.given[key]) >= tries {
		return ""
	}
	c.given[key] = tries
	n := slices.Index(c.kinds, kind)
	b := &pairExchange{Annealer: c.Annealer, at: [2]int{n, n}, lack: jobs, rng: rand.New(rand.NewPCG(c.rng.Uint64(), c.rng.Uint64()))}
	b.fill(c.ctx, tries, due)
	c.work += b.work
	for _, s := range b.seen {
		if c.made[key] = s; s.value <= due {
			return key
		}
	}
	return ""
}
