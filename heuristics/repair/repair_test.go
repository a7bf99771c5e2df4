package repair_test

import (
	"context"
	"math/rand/v2"
	"slices"
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

// TestAnew: plans made anew are valid, leave the jobs that stay on their GPUs and what has begun as it is, and are often better than
// the repair of a poor plan.
func TestAnew(t *testing.T) {
	seeds := instancetest.Many(uint64(150), 50)
	made, flying, better := 0, 0, 0
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 5))
		in := instancetest.Random(rng, instancetest.Options{Objective: []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2], Iterations: 5})
		s, ok := instancetest.ValidSchedule(rng, in)
		if !ok || in.Grouped() {
			continue
		}
		in.Jobs = slices.Clone(in.Jobs) // all have been in memory since the plan began
		for j := range in.Jobs {
			in.Jobs[j].Resident, in.Jobs[j].Deadline = s.Residency[j], 0
		}
		d := repair.Damage{GPU: same.GPU, Now: instance.Tick(rng.Int64N(1 + int64(s.Makespan(in))/2))}
		fixed, err := repair.Repair(in, s, d)
		require.NoError(t, err)
		if len(fixed.Moved) > 0 {
			continue
		}
		plan := repair.Anew(in, s, d, func(rest *instance.Instance) (*instance.Schedule, error) {
			return heuristics.Config{Rounds: 2, Tries: 5}.Improve(t.Context(), rest, rand.New(rand.NewPCG(seed, 6)), nil)
		})
		if plan == nil {
			continue
		}
		made++
		require.Empty(t, check.Schedule(in, plan), "seed %d", seed)
		require.Equal(t, s.Residency, plan.Residency)
		begun := func(s *instance.Schedule) (list []instance.Task) {
			for _, t := range s.Tasks {
				if t.Start < d.Now {
					list = append(list, t)
				}
			}
			return list
		}
		was := begun(s)
		require.Equal(t, was, begun(plan), "seed %d", seed)
		if len(was) > 0 {
			flying++
		}
		if in.Objective.Better(in.Value(plan), in.Value(fixed.Schedule)) {
			better++
		}
	}
	t.Logf("%d plans, %d with iterations in flight, %d better than the repair", made, flying, better)
	require.Greater(t, made, int(seeds)/3)
	require.Greater(t, flying, int(seeds)/4)
	require.Greater(t, better, int(seeds)/10)
}

// TestFastNodes: a job that has to move does not go to idle nodes with slow network cards if there is room on others.
func TestFastNodes(t *testing.T) {
	layers := []instance.Layer{{Name: "l", Forward: 1e6, Backward: 2e6, Parameters: 1 << 27}}
	in, err := instance.Compile(&instance.Spec{
		Version: 1, Profiles: []*instance.Profile{{Model: "any", GPU: "a", Batch: 1, Layers: layers}},
		Jobs: []instance.JobSpec{
			{Name: "wide", Model: "any", Workers: 6, Iterations: 20},
			{Name: "narrow", Count: 6, Model: "any", Workers: 1, Iterations: 20},
		},
		Cluster: instance.ClusterSpec{GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 34}}, Racks: []instance.RackSpec{
			{Count: 2, Nodes: 3, GPUs: 1, GPU: "a", NIC: 100e9, Fabric: 1e12}, {Nodes: 4, GPUs: 1, GPU: "a", NIC: 1e9, Fabric: 1e12},
		}},
	}, nil)
	require.NoError(t, err)
	old := &instance.Schedule{Residency: [][]instance.GPUID{{0, 1, 2, 3, 4, 5}, {0}, {1}, {2}, {3}, {4}, {5}}}
	for j := range in.Jobs {
		for i := range in.Jobs[j].Iterations {
			repair.AddTurn(old, instance.JobID(j), i+1, instance.Tick(i), []int{in.Jobs[j].Workers}, in.Jobs[j].HasSync(), in.RateLevels[0])
		}
	}
	old.Sort()
	moved, err := repair.Repair(in, old, repair.Damage{GPU: func(j instance.JobID, g instance.GPUID) (instance.GPUID, bool) { return g, j > 0 }})
	require.NoError(t, err)
	require.Equal(t, []instance.JobID{0}, moved.Moved)
	require.Equal(t, old.Residency[0], moved.Schedule.Residency[0])
}
