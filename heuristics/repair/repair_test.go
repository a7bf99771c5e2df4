package repair_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics"
	"jigsaw/heuristics/repair"
)

func same(g instance.GPUID) (instance.GPUID, bool) { return g, true }

// TestNothingFailed: on the same cluster nobody moves, and nothing starts later.
func TestNothingFailed(t *testing.T) {
	repaired := 0
	seeds := uint64(150)
	if testing.Short() {
		seeds = 40
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 3))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan})
		s, err := heuristics.Greedy(context.Background(), in, rng)
		if err != nil {
			continue
		}
		r, err := repair.Repair(in, s, same)
		require.NoError(t, err)
		require.Empty(t, r.Moved)
		require.Equal(t, s.Residency, r.Schedule.Residency)
		require.Empty(t, instance.Check(in, r.Schedule), "seed %d", seed)
		require.LessOrEqual(t, r.Schedule.Makespan(in), s.Makespan(in), "seed %d", seed)
		repaired++
	}
	assert.Greater(t, repaired, int(seeds/2))
}

// TestNodeLost: without one of the nodes, jobs that lived elsewhere stay, and the result is
// valid but for deadlines.
func TestNodeLost(t *testing.T) {
	repaired, moved, stuck := 0, 0, 0
	seeds := uint64(300)
	if testing.Short() {
		seeds = 80
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 4))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan})
		s, err := heuristics.Greedy(context.Background(), in, rng)
		if err != nil || len(in.Nodes) < 2 {
			continue
		}
		lost := instance.NodeID(rng.IntN(len(in.Nodes)))
		var nodes []instance.NodeID
		for n := range in.Nodes {
			if instance.NodeID(n) != lost {
				nodes = append(nodes, instance.NodeID(n))
			}
		}
		var jobs []instance.JobID
		for j := range in.Jobs {
			jobs = append(jobs, instance.JobID(j))
		}
		part := in.Part(jobs, nodes, nil)
		now := map[instance.GPUID]instance.GPUID{}
		for g, was := range part.GPUsOf {
			now[was] = instance.GPUID(g)
		}
		r, err := repair.Repair(part.Instance, s, func(g instance.GPUID) (instance.GPUID, bool) {
			at, ok := now[g]
			return at, ok
		})
		if err != nil {
			stuck++
			continue
		}
		repaired++
		moved += len(r.Moved)
		for _, v := range instance.Check(part.Instance, r.Schedule) {
			require.Equal(t, 10, v.Rule, "seed %d: %v", seed, v)
		}
		for j, home := range s.Residency {
			on := false
			for _, g := range home {
				on = on || in.GPUs[g].Node == lost
			}
			require.Equal(t, on, contains(r.Moved, instance.JobID(j)), "seed %d: only who must moves", seed)
		}
	}
	t.Logf("%d repaired with %d jobs moved, %d without room", repaired, moved, stuck)
	assert.Greater(t, repaired, int(seeds/6))
	assert.Greater(t, moved, int(seeds/12))
}

func contains(list []instance.JobID, j instance.JobID) bool {
	for _, i := range list {
		if i == j {
			return true
		}
	}
	return false
}
