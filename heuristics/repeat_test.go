package heuristics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/method"
)

// TestRepeater: schedules of patterns make valid plans within the longest period, none better
// than the optimum by brute force.
func TestRepeater(t *testing.T) {
	seeds := uint64(150)
	if testing.Short() {
		seeds = 5
	}
	known, optimal := 0, 0
	for seed := range seeds {
		in := instancetest.Random(heuristicstest.Source(seed), instancetest.Options{Objective: instance.MaxMinThroughput})
		want, _, status := instancetest.OptimumWithin(in, 300_000)
		r := Config{Quick: true}.newRepeater(t.Context(), in, heuristicstest.Source(seed))
		found := false
		for _, most := range []int{4, 12} {
			if !r.begin(most) {
				continue
			}
			s := r.plan()
			if s == nil {
				continue
			}
			require.Empty(t, check.Schedule(in, s), "seed %d", seed)
			require.False(t, status == instancetest.Optimal && in.Objective.Better(in.Value(s), want), "seed %d", seed)
			found = found || status == instancetest.Optimal && in.Value(s).Cmp(want) == 0
		}
		if status == instancetest.Optimal {
			known++
			if found {
				optimal++
			}
		}
	}
	t.Logf("%d of %d optimal", optimal, known)
	assert.Positive(t, optimal)
}

// TestRepeaterHelps: where jobs of unlike lengths share GPUs, plans for the least rate gain.
func TestRepeaterHelps(t *testing.T) {
	m := heuristicstest.Mediums()["plain"]
	m.Jobs, m.Objective = 12, instance.MaxMinThroughput
	in := m.Instance(t, 1)
	start, err := Config{Quick: true}.Greedy(t.Context(), in, heuristicstest.Source(1))
	require.NoError(t, err)
	r := Config{Quick: true}.newRepeater(t.Context(), in, heuristicstest.Source(1))
	s := r.plan()
	require.NotNil(t, s)
	require.Empty(t, check.Schedule(in, s))
	t.Logf("greedy %v, repeated %v", in.Value(start).FloatString(4), in.Value(s).FloatString(4))
	assert.True(t, in.Objective.Better(in.Value(s), in.Value(start)))
	assert.Nil(t, Config{Without: method.Set{method.Repetition: true}}.newRepeater(t.Context(), in, heuristicstest.Source(1)))
}

// TestPattern: patterns are in proportion and waste no more than others of the same size.
func TestPattern(t *testing.T) {
	m := heuristicstest.Mediums()["plain"]
	m.Jobs = 4
	in := m.Instance(t, 1)
	assert.Equal(t, []int{20, 40, 10, 60}, Pattern(in, []float64{2, 4, 1, 6}, 60))
	assert.Equal(t, []int{1, 1, 1, 1}, Pattern(in, []float64{3, 2, 1, 1e-9}, 1))

	want := []float64{math.Pi, math.E, 1, 0.1}
	waste := func(r []int) float64 {
		repeats, work := 0.0, 0.0
		for j := range r {
			repeats = max(repeats, want[j]/float64(r[j]))
			work += float64(in.Jobs[j].Workers) * float64(in.Jobs[j].FastestFull()) * float64(r[j])
		}
		return repeats * work
	}
	const most = 9
	best := Pattern(in, want, most)
	assert.LessOrEqual(t, best[0], most)
	assert.GreaterOrEqual(t, 2*best[0], most)
	for a := (most + 1) / 2; a <= most; a++ {
		for b := 1; b <= most; b++ {
			for c := 1; c <= most; c++ {
				assert.LessOrEqual(t, waste(best), waste([]int{a, b, c, 1})*(1+1e-9))
			}
		}
	}
}
