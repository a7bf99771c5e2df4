package heuristics

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// TestCovers compares what covers finds among random sets, and what it says is
// lacking, with all ways to choose sets.
func TestCovers(t *testing.T) {
	found, lacking := 0, 0
	for seed := range uint64(300) {
		rng := source(seed)
		area := make([]float64, 5+rng.IntN(4))
		for j := range area {
			area[j] = float64(1 + rng.IntN(5))
		}
		const limit = 6.0
		c := newCovers(area)
		c.gpus = []int{2, 3}
		kinds := []int{0, 1, 0, 1}[:2+rng.IntN(3)]
		for range 12 {
			s, kind := randomSet(rng, c, limit-1)
			before := len(c.sets)
			if c.note(s, kind); len(c.sets) == before {
				continue
			}
			cover := c.look(kinds, limit)
			want, lacks := allCovers(c, kinds, limit-1)
			require.Equal(t, want, cover != nil, "seed %d", seed)
			if cover != nil {
				found++
				require.True(t, covered(c, kinds, cover), "seed %d", seed)
				continue
			}
			for _, key := range lacks {
				lacking++
				require.True(t, c.asked[key], "seed %d: %s is lacking", seed, key)
			}
			for key := range c.asked {
				require.NotContains(t, c.known, key)
			}
			clear(c.asked)
		}
	}
	assert.NotZero(t, found)
	assert.NotZero(t, lacking)
}

// randomSet draws jobs that fill a group up to an end.
func randomSet(rng *rand.Rand, c *covers, end float64) (side, int) {
	kind, area := rng.IntN(2), 0.0
	var jobs []instance.JobID
	for _, j := range rng.Perm(len(c.area)) {
		if area+c.area[j] <= end*float64(c.gpus[kind]) && rng.IntN(8) > 0 {
			jobs, area = append(jobs, instance.JobID(j)), area+c.area[j]
		}
	}
	slices.Sort(jobs)
	return side{part: &instance.Part{JobsOf: jobs}, plan: &instance.Schedule{}, value: end}, kind
}

// allCovers reports whether there is a cover with the latest set, and which sets
// that are not known would complete one.
func allCovers(c *covers, kinds []int, end float64) (found bool, lacks []string) {
	latest := len(c.sets) - 1
	for choice := range 1 << latest {
		list := []int{latest}
		for n := range latest {
			if choice>>n&1 != 0 {
				list = append(list, n)
			}
		}
		left := slices.Clone(c.gpus)
		clear(left)
		for _, k := range kinds {
			left[k]++
		}
		times, area := make([]int, len(c.area)), 0.0
		for _, n := range list {
			left[c.sets[n].kind]--
			for _, j := range c.sets[n].part.JobsOf {
				times[j]++
			}
		}
		if slices.Max(times) > 1 || slices.Min(left) < 0 {
			continue
		}
		var rest []instance.JobID
		for j, n := range times {
			if n == 0 {
				rest, area = append(rest, instance.JobID(j)), area+c.area[j]
			}
		}
		if len(rest) == 0 {
			found = true
		}
		if kind := slices.Index(left, 1); len(rest) > 0 && left[0]+left[1] == 1 && area <= end*float64(c.gpus[kind]) {
			if key := setKey(kind, rest); !slices.Contains(lacks, key) {
				if _, known := c.known[key]; !known {
					lacks = append(lacks, key)
				}
			}
		}
	}
	return found, lacks
}

// covered reports whether each job is in one of the sets, and each has a group.
func covered(c *covers, kinds, cover []int) bool {
	left, jobs := slices.Clone(kinds), []instance.JobID(nil)
	for _, n := range cover {
		at := slices.Index(left, c.sets[n].kind)
		if at < 0 {
			return false
		}
		left = slices.Delete(left, at, at+1)
		jobs = append(jobs, c.sets[n].part.JobsOf...)
	}
	slices.Sort(jobs)
	return len(jobs) == len(c.area) && len(slices.Compact(jobs)) == len(c.area)
}

// TestCoversForget: sets that end too late are left out, and only these.
func TestCoversForget(t *testing.T) {
	c := newCovers([]float64{1, 1, 1})
	c.gpus = []int{2}
	for j, value := range []float64{5, 7, 4} {
		c.note(side{part: &instance.Part{JobsOf: []instance.JobID{instance.JobID(j)}}, plan: &instance.Schedule{Tasks: make([]instance.Task, 2)}, value: value}, 0)
	}
	c.forget(6)
	require.Len(t, c.sets, 2)
	assert.Equal(t, []int{0, 1}, c.fresh)
	assert.Equal(t, map[string]int{setKey(0, []instance.JobID{0}): 0, setKey(0, []instance.JobID{2}): 1}, c.known)
	assert.Equal(t, 4, c.tasks)
}

// TestTradesAdopt: a cover with the sets of a schedule, each on nodes of another, is
// valid and worth the same.
func TestTradesAdopt(t *testing.T) {
	in := manyNodes(t, "plain", 0)
	require.Equal(t, instance.Makespan, in.Objective)
	trades := newTrades(in, source(0), source(0))
	require.NotZero(t, trades.walk(t.Context(), 1, find{}))
	trades.limit = trades.best.value.float() + 1
	for n := range trades.sides {
		s := trades.sides[len(trades.sides)-1-n]
		if s.plan != nil {
			trades.covers.note(s, trades.kinds[len(trades.sides)-1-n])
		}
	}
	before := trades.best
	require.NotEmpty(t, trades.covers.fresh)
	cover := trades.covers.look(trades.kinds, trades.limit)
	require.NotNil(t, cover)
	trades.own.value.lo++
	trades.adopt(cover)
	assert.Equal(t, before.value, trades.own.value)
	assert.NotEqual(t, before.schedule.Residency, trades.own.schedule.Residency)
	require.Empty(t, instance.Check(in, trades.own.schedule))
}

// TestCoversDeterministic: what trades with covers find does not depend on the cores.
func TestCoversDeterministic(t *testing.T) {
	in := manyNodes(t, "plain", 0)
	run := func(cores int) *trades {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		trades := newTrades(in, source(0), source(0))
		require.NotZero(t, trades.walk(t.Context(), 1, find{}))
		trades.vain = true
		trades.walk(t.Context(), 600_000, trades.best)
		return trades
	}
	one, two := run(1), run(2)
	require.NotEmpty(t, one.covers.asked)
	assert.Equal(t, one.covers.asked, two.covers.asked)
	assert.Equal(t, one.covers.known, two.covers.known)
	assert.Equal(t, one.best, two.best)
	require.Empty(t, instance.Check(in, one.best.schedule))
}
