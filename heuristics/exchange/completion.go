package exchange

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/groups"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

// completions are the searches for plans whose groups leave hardly any GPU idle; see completion.
// Exchanges seldom find one, since each of its groups is filled almost to the last tick.
type completions struct {
	rng *rand.Rand // of their own, so that those in vain change nothing
	// The groups to fill, the finest division that exchanges had; see [Annealer.split] for taken.
	groups []groups.Group
	taken  [][]instance.LinkID
	kindAt []int          // per group: its kind; groups of a kind have equal nodes and links
	kinds  map[string]int // kinds by their nodes and links
	gpus   []int          // per kind
	tail   float64        // ticks at the end in which all GPUs idle, since every job synchronises

	count int             // of pairs of searches so far
	share float64         // the fraction of the exchanges' work that they get
	work  int             // theirs so far, in operations
	sets  map[string]side // by setKey: schedules of sets that end before the best plan
	tasks int             // of these schedules
	tried map[string]int  // by setKey: tries of sets so far
}

const (
	// With fewer groups, exchanges and neighbourhoods see everything.
	completionGroups = 5
	// Completions get the fraction firstCompletions of the work of exchanges and, after each pair without
	// a plan, completionDecay times as much as before, but no less than leastCompletions.
	firstCompletions, completionDecay, leastCompletions = 0.3, 0.7, 0.05
	// Schedules of so many tasks are kept, and the tries of so many sets.
	mostTasks, mostTried = 2_000_000, 200_000
)

func newCompletions(t *Annealer, counts [][]int, rng *rand.Rand) *completions {
	if t.without[method.BinCompletion] || t.in.Objective != instance.Makespan {
		return &completions{} // which get no share
	}
	c := &completions{
		rng: rng, tail: math.Inf(1), share: firstCompletions, kinds: map[string]int{}, sets: map[string]side{}, tried: map[string]int{},
	}
	for j := range t.in.Jobs {
		job, sync := &t.in.Jobs[j], 0.0
		if span, ok := nearest(t.in, job); ok && job.HasSync() {
			sync = float64(t.in.SyncTicks(job.Volume(counts[j], span.Parties), span.Rate(t.in.RateLevels[0])))
		}
		c.tail = min(c.tail, sync)
	}
	return c
}

// follow takes over the groups of exchanges if they are more than before.
func (c *completions) follow(t *Annealer) {
	if c.share == 0 || len(t.groups) <= len(c.groups) {
		return
	}
	c.groups, c.taken, c.kindAt = slices.Clone(t.groups), t.taken, nil
	for _, s := range t.sides {
		c.kindAt = append(c.kindAt, c.kindOf(s.part))
	}
}

// kindOf returns the kind of a group whose nodes and links are those of a part.
func (c *completions) kindOf(part *instance.Part) int {
	var key []byte
	for _, n := range part.Nodes {
		n.Name = ""
		key = fmt.Append(key, n)
	}
	for _, l := range part.Links {
		l.Name = ""
		key = fmt.Append(key, l)
	}
	if len(part.Racks) > 1 { // routes between racks may differ
		key = fmt.Append(key, part.GPUsOf)
	}
	k, ok := c.kinds[string(key)]
	if !ok {
		k = len(c.gpus)
		c.kinds[string(key)] = k
		c.gpus = append(c.gpus, len(part.GPUs))
	}
	return k
}

// setKey names a set of jobs on groups of a kind.
func setKey(kind int, jobs []instance.JobID) string { return fmt.Sprint(kind, jobs) }

// due reports whether the exchanges, after an amount of work in operations, are to be interrupted for completions.
func (c *completions) due(work float64) bool {
	return c.share > 0 && len(c.groups) >= completionGroups && float64(c.work) <= c.share*work
}

// complete searches for two plans side by side: one that is just better than the given makespan, the best
// so far, and one that is as good as any can be.
func (t *Annealer) complete(ctx context.Context, best float64) {
	c, least := t.completions, t.leastEnd()
	if least >= best {
		return
	}
	searches := []*completion{newCompletion(ctx, t, best, least), newCompletion(ctx, t, best, best-1)}
	found := make([][]string, len(searches))
	state.Parallel(len(searches), func(n int) { found[n] = searches[n].search() })
	c.count++
	c.share = max(c.share*completionDecay, leastCompletions)
	for _, s := range searches {
		c.work += s.work
		for key, found := range s.sets {
			if old, ok := c.sets[key]; !ok || found.value < old.value {
				c.sets[key] = found
				c.tasks += len(found.plan.Tasks)
			}
		}
		for key, tries := range s.tried {
			c.tried[key] = max(c.tried[key], tries)
		}
	}
	if n := slices.IndexFunc(found, func(sets []string) bool { return sets != nil }); n >= 0 {
		c.share = firstCompletions
		s := c.plan(t.in, found[n])
		t.offer(state.Incumbent{Schedule: s, Value: state.ValueOf(t.in, s.Completion(t.in))})
	}
	if c.tasks > mostTasks || len(c.tried) > mostTried {
		c.tasks = 0
		clear(c.sets)
		clear(c.tried)
	}
}

// leastEnd is when a plan may end at the earliest: by the longest chain, and by the area.
func (t *Annealer) leastEnd() float64 {
	area, gpus, least := 0.0, 0, 0.0
	for j, a := range t.area {
		area += a
		least = max(least, t.estimate.chain[j])
	}
	for _, g := range t.completions.groups {
		gpus += g.GPUs
	}
	return math.Ceil(max(least, area/float64(gpus)+t.completions.tail))
}

// plan combines the schedules of sets, each on a group of its kind.
func (c *completions) plan(in *instance.Instance, keys []string) *instance.Schedule {
	whole := &instance.Schedule{Residency: make([][]instance.GPUID, len(in.Jobs))}
	used := make([]bool, len(c.groups))
	for _, key := range keys {
		s, at := c.sets[key], 0
		for used[at] || setKey(c.kindAt[at], s.part.JobsOf) != key {
			at++
		}
		used[at] = true
		in.Part(s.part.JobsOf, c.groups[at].Nodes, c.taken[at]).Add(whole, s.plan)
	}
	whole.Sort()
	return whole
}
