package repair_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics"
	"jigsaw/heuristics/repair"
)

var same = repair.Damage{GPU: func(_ instance.JobID, g instance.GPUID) (instance.GPUID, bool) { return g, true }}

// TestNothingFailed: on the same cluster no job moves, and nothing starts later.
func TestNothingFailed(t *testing.T) {
	repaired := 0
	seeds := instancetest.Many(uint64(150), 40)
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 3))
		draw := instancetest.Random
		if seed%3 == 2 {
			draw = instancetest.Grouped
		}
		in := draw(rng, instancetest.Options{Objective: instance.Makespan})
		s, err := heuristics.Greedy(context.Background(), in, rng)
		if err != nil {
			continue
		}
		r, err := repair.Repair(in, s, same)
		require.NoError(t, err)
		require.Empty(t, r.Moved)
		require.Equal(t, s.Residency, r.Schedule.Residency)
		require.Empty(t, check.Schedule(in, r.Schedule), "seed %d", seed)
		require.LessOrEqual(t, r.Schedule.Makespan(in), s.Makespan(in), "seed %d", seed)
		repaired++
	}
	assert.Greater(t, repaired, int(seeds/2))
}

// TestNodeLost: without one of the nodes, jobs that lived elsewhere stay, and the result is valid except
// for deadlines.
func TestNodeLost(t *testing.T) {
	repaired, moved, stuck := 0, 0, 0
	seeds := instancetest.Many(uint64(300), 80)
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
		r, err := repair.Repair(part.Instance, s, repair.Damage{GPU: func(_ instance.JobID, g instance.GPUID) (instance.GPUID, bool) {
			at, ok := now[g]
			return at, ok
		}})
		if err != nil {
			stuck++
			continue
		}
		repaired++
		moved += len(r.Moved)
		for _, v := range check.Schedule(part.Instance, r.Schedule) {
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

// TestUnderWay: what has happened stays as it is, and the search continues from there to schedules that
// are no worse, and is reproducible.
func TestUnderWay(t *testing.T) {
	improved := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.WeightedCompletion, Iterations: 4})
		s, err := heuristics.Config{Quick: true, Tries: 1}.Greedy(context.Background(), in, rng)
		if err != nil {
			continue
		}
		d := same
		d.Now = s.Makespan(in) / 3
		r, err := repair.Repair(in, s, d)
		require.NoError(t, err)
		better := repair.Search{Rounds: 100}.Improve(context.Background(), in, s, d, r.Schedule, rand.New(rand.NewPCG(1, 1)))
		require.Equal(t, better, repair.Search{Rounds: 100}.Improve(context.Background(), in, s, d, r.Schedule, rand.New(rand.NewPCG(1, 1))))
		if in.Objective.Better(in.Value(better), in.Value(r.Schedule)) {
			improved++
		}
		for _, repaired := range []*instance.Schedule{r.Schedule, better} {
			require.Empty(t, check.Schedule(in, repaired), "seed %d", seed)
			require.False(t, in.Objective.Better(in.Value(s), in.Value(repaired)), "seed %d", seed)
			for i, task := range s.Tasks {
				if task.Start < d.Now {
					require.Equal(t, task, repaired.Tasks[i], "seed %d: what happened stays", seed)
				} else {
					require.GreaterOrEqual(t, repaired.Tasks[i].Start, d.Now, "seed %d", seed)
				}
			}
		}
	}
	require.Positive(t, improved)
}

func contains(list []instance.JobID, j instance.JobID) bool {
	for _, i := range list {
		if i == j {
			return true
		}
	}
	return false
}
