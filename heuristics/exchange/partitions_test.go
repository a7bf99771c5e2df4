package exchange

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/state"
)

// TestPartitions compares what set partitions finds among random sets, and what it says is
// lacking, with all ways to choose sets.
func TestPartitions(t *testing.T) {
	found, lacking := 0, 0
	for seed := range uint64(300) {
		rng := heuristicstest.Source(seed)
		area := make([]float64, 5+rng.IntN(4))
		for j := range area {
			area[j] = float64(1 + rng.IntN(5))
		}
		const limit = 6.0
		c := newPartitions(area)
		c.gpus = []int{2, 3}
		kinds := []int{0, 1, 0, 1}[:2+rng.IntN(3)]
		for range 12 {
			s, kind := randomSet(rng, c, limit-1)
			before := len(c.sets)
			if c.note(s, kind); len(c.sets) == before {
				continue
			}
			cover := c.look(kinds, limit)
			want, lacks := allPartitions(c, kinds, limit-1)
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
func randomSet(rng *rand.Rand, c *partitions, end float64) (side, int) {
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

// allPartitions reports whether there is a cover with the latest set, and which sets
// that are not known would complete one.
func allPartitions(c *partitions, kinds []int, end float64) (found bool, lacks []string) {
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
func covered(c *partitions, kinds, cover []int) bool {
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

// TestPartitionsForget: sets that end too late are left out, and only these.
func TestPartitionsForget(t *testing.T) {
	c := newPartitions([]float64{1, 1, 1})
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

// TestExchangeAdopt: a cover with the sets of a schedule, each on nodes of another, is
// valid and worth the same.
func TestExchangeAdopt(t *testing.T) {
	in := manyNodes(t, "plain", 0)
	require.Equal(t, instance.Makespan, in.Objective)
	annealer := NewAnnealer(in, heuristicstest.Source(0), heuristicstest.Source(0), nil)
	require.NotZero(t, annealer.Walk(t.Context(), 1, state.Incumbent{}))
	annealer.limit = annealer.Best.Value.Float() + 1
	for n := range annealer.sides {
		s := annealer.sides[len(annealer.sides)-1-n]
		if s.plan != nil {
			annealer.partitions.note(s, annealer.kinds[len(annealer.sides)-1-n])
		}
	}
	before := annealer.Best
	require.NotEmpty(t, annealer.partitions.fresh)
	cover := annealer.partitions.look(annealer.kinds, annealer.limit)
	require.NotNil(t, cover)
	annealer.own.Value.Lo++
	annealer.adopt(cover)
	assert.Equal(t, before.Value, annealer.own.Value)
	assert.NotEqual(t, before.Schedule.Residency, annealer.own.Schedule.Residency)
	require.Empty(t, instance.Check(in, annealer.own.Schedule))
}

// TestPartitionsDeterministic: what exchanges with set partitions find does not depend on the cores.
func TestPartitionsDeterministic(t *testing.T) {
	in := manyNodes(t, "plain", 0)
	run := func(cores int) *Annealer {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		annealer := NewAnnealer(in, heuristicstest.Source(0), heuristicstest.Source(0), nil)
		require.NotZero(t, annealer.Walk(t.Context(), 1, state.Incumbent{}))
		annealer.vain = true
		annealer.Walk(t.Context(), 600_000, annealer.Best)
		return annealer
	}
	one, two := run(1), run(2)
	require.NotEmpty(t, one.partitions.asked)
	assert.Equal(t, one.partitions.asked, two.partitions.asked)
	assert.Equal(t, one.partitions.known, two.partitions.known)
	assert.Equal(t, one.Best, two.Best)
	require.Empty(t, instance.Check(in, one.Best.Schedule))
}
