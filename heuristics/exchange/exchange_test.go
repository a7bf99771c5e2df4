package exchange

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/groups"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/state"
)

// TestExchange: every walk leaves a valid schedule that is no worse, and at least a third
// of the runs gain: a division is often as good as a few exchanges can make it.
func TestExchange(t *testing.T) {
	runs, gained := improves(t, func(in *instance.Instance, seed uint64) (best *state.Incumbent, step func()) {
		annealer := NewAnnealer(in, heuristicstest.Source(seed), heuristicstest.Source(seed), nil)
		if annealer.Walk(t.Context(), 1, state.Incumbent{}) == 0 {
			return nil, nil
		}
		return &annealer.Best, func() { annealer.Walk(t.Context(), 400_000, annealer.Best) }
	})
	assert.GreaterOrEqual(t, 3*gained, runs)
}

// TestExchangeFollow: a cycle continues from a better schedule that falls apart, and one
// without a gain lowers the share of exchanges.
func TestExchangeFollow(t *testing.T) {
	in := manyNodes(t, "plain", 1)
	annealer := NewAnnealer(in, heuristicstest.Source(0), heuristicstest.Source(0), nil)
	require.NotZero(t, annealer.Walk(t.Context(), 1, state.Incumbent{}))
	better := NewAnnealer(in, heuristicstest.Source(0), heuristicstest.Source(0), nil)
	require.NotZero(t, better.Walk(t.Context(), 2_000_000, annealer.Best))
	require.True(t, better.Best.Value.Less(annealer.Best.Value))

	annealer.began = annealer.own.Value
	annealer.restart(better.Best)
	assert.Equal(t, better.Best, annealer.Best)
	assert.InDelta(t, mostShare/2, annealer.share, 0)
	annealer.began.Lo = annealer.own.Value.Lo + 1
	annealer.restart(annealer.Best)
	assert.InDelta(t, mostShare, annealer.share, 0)
}

// TestExchangeTypes: jobs only go where there are GPUs of their types.
func TestExchangeTypes(t *testing.T) {
	in := manyNodes(t, "limits", 0)
	typed := 0
	for j := range in.Jobs {
		if job := &in.Jobs[j]; j%2 == 0 && job.Runs(0) && job.Runs(1) {
			job.On[1] = nil
			typed++
		}
	}
	require.NotZero(t, typed)
	annealer := NewAnnealer(in, heuristicstest.Source(0), heuristicstest.Source(0), nil)
	require.NotZero(t, annealer.Walk(t.Context(), 1, state.Incumbent{}))
	annealer.Walk(t.Context(), 400_000, annealer.Best)
	require.NotZero(t, annealer.tried)
	require.Empty(t, check.Schedule(in, annealer.Best.Schedule))
}

// TestDealMemory: jobs go where there is memory for them, not only where there is the least work. A division ends with its context.
func TestDealMemory(t *testing.T) {
	spec := &instance.Spec{
		Version: 1,
		Profiles: []*instance.Profile{{Model: "m", GPU: "a", Batch: 1, Workspace: 2 << 30, Layers: []instance.Layer{
			{Name: "l", Forward: 1e6, Backward: 1e6, Parameters: 1 << 30},
		}}},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: 8 << 30}}, // for two jobs: each has 3 GiB, and 2 while a task runs
			Racks:    []instance.RackSpec{{Nodes: 2, GPUs: 2, GPU: "a", NIC: 1e9, Fabric: 1e10}},
		},
	}
	for n, iterations := range []int{20, 1, 1, 1, 1} {
		spec.Jobs = append(spec.Jobs, instance.JobSpec{Name: string(rune('a' + n)), Model: "m", Workers: 2, Iterations: iterations})
	}
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	assert.Nil(t, deal(t.Context(), in, heuristicstest.Source(0)))
	spec.Jobs = spec.Jobs[:4]
	in, err = instance.Compile(spec, nil)
	require.NoError(t, err)
	d := deal(t.Context(), in, heuristicstest.Source(0))
	require.NotNil(t, d)
	for _, g := range d.groups {
		assert.Len(t, g.Jobs, 2)
	}
	s := d.plan(t.Context(), heuristicstest.Source(0))
	require.NotNil(t, s)
	assert.Empty(t, check.Schedule(in, s))

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Nil(t, deal(ended, in, heuristicstest.Source(0)), "thousands of jobs take longer than a limit of seconds")
}

// TestExchangeAlone: with one group there is nothing to exchange.
func TestExchangeAlone(t *testing.T) {
	in := heuristicstest.Planted(t, heuristicstest.Source(1), 1, 4, 60, 8)
	assert.Zero(t, NewAnnealer(in, heuristicstest.Source(1), heuristicstest.Source(1), nil).Walk(t.Context(), 1000, state.Incumbent{}))
}

// TestExchangeLeast: no group has less than the lower limit that exchanges assume.
func TestExchangeLeast(t *testing.T) {
	for _, name := range []string{"plain", "limits"} {
		for _, objective := range []instance.Objective{instance.Makespan, instance.WeightedCompletion} {
			in := manyNodes(t, name, 1)
			in.Objective = objective
			annealer := NewAnnealer(in, heuristicstest.Source(0), heuristicstest.Source(0), nil)
			require.NotZero(t, annealer.Walk(t.Context(), 1, state.Incumbent{}))
			annealer.Walk(t.Context(), 50_000, annealer.Best)
			b := &pairExchange{Annealer: annealer, scale: 1}
			for n, s := range annealer.sides {
				least := b.leastEnergy(n, annealer.groups[n].Jobs)
				assert.LessOrEqual(t, least, b.energy(s.value))
			}
		}
	}
}

// TestExchangeGains: without one of its jobs a group ends earlier, and that job is given away.
func TestExchangeGains(t *testing.T) {
	in := manyNodes(t, "plain", 1)
	in.Objective = instance.Makespan
	rng := heuristicstest.Source(0)
	annealer := NewAnnealer(in, rng, rng, nil)
	require.NotZero(t, annealer.Walk(t.Context(), 1, state.Incumbent{}))
	shared := slices.IndexFunc(annealer.groups, func(g groups.Group) bool { return len(g.Jobs) > 2 })
	require.GreaterOrEqual(t, shared, 0)
	jobs := annealer.groups[shared].Jobs
	annealer.groups = append(annealer.groups, make([]groups.Group, manyGroups)...)
	b := &pairExchange{Annealer: annealer, at: [2]int{shared, 1 - min(shared, 1)}, scale: 1, rng: rng}
	gains := b.gains()
	require.Len(t, gains, len(jobs))
	assert.Positive(t, slices.Max(gains))

	gains = make([]float64, len(jobs))
	gains[1] = 1
	for range 100 {
		if _, given := exchange(rng, jobs, annealer.groups[b.at[1]].Jobs, gains); len(given[0]) > 0 {
			assert.Equal(t, jobs[1], given[0][0])
		}
	}
}
