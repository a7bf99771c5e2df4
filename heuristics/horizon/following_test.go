package horizon

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/list"
)

// TestFollowing: a decision by a plan has its residencies and depths. Jobs to whose GPUs no others come repeat what makes all of them end
// soonest, a sample of the dispatcher or a list schedule; the others repeat samples.
func TestFollowing(t *testing.T) {
	spec := heuristicstest.NightSpec(4, 20, 60_000, instance.Makespan)
	for j := range spec.Jobs {
		spec.Jobs[j].SPB = instance.SPBSpec{Rule: "free", MinMeanDepth: 500_000}
	}
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	in.Types[0].Memory = 1 << 45
	plan, err := Config{Quick: true}.Cells(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	s := &scaling{sharing: newSharing(in, 1), small: scaledDown(in)}
	s.kinds = instance.UpTo[int](len(in.Jobs))
	d := s.of(list.Decision{Counts: make([][]int, len(in.Jobs))}, plan)
	require.Equal(t, plan.Residency, d.Where.GPUs)
	shallow := 0
	for j, counts := range d.Counts {
		workers := 0
		for _, n := range counts {
			workers += n
		}
		require.Equal(t, in.Jobs[j].Workers, workers)
		if counts[in.Jobs[j].Full()] < workers {
			shallow++
		}
	}
	require.Positive(t, shallow)
	followed := s.follow(t.Context(), d, 0.01, nil)
	require.NotNil(t, followed)
	require.Empty(t, check.Blocks(in, followed))

	m := s.begin(rule{order: instance.UpTo[int](len(in.Jobs))})
	f := &following{d, 0.01}
	m.by = f
	m.admit()
	listed := 0
	for _, jobs := range connected(slices.Sorted(slices.Values(m.idle)), m.places, len(m.free)) {
		if len(jobs) == 1 {
			continue
		}
		c := m.share(jobs)
		sample := f.sample(m, c)
		require.LessOrEqual(t, slowness(c.pattern, c.Left), slowness(sample, c.Left))
		if slowness(c.pattern, c.Left) < slowness(sample, c.Left) {
			listed++
			home := m.homes[jobs[0]]
			m.homes[jobs[0]] = nil // it is to come
			require.True(t, f.expects(m, c.gpus))
			m.homes[jobs[0]] = home
		}
		require.False(t, f.expects(m, c.gpus))
	}
	require.Positive(t, listed)
}
