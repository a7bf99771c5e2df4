package list

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
)

// twoLayers is a model whose memory is easy to add up: 1 MB of parameters held
// twice (sgd), 100 MB of activations per layer.
func twoLayers(memory instance.Bytes, gpus int, jobs ...instance.JobSpec) *instance.Spec {
	p := &instance.Profile{Model: "two", GPU: "a", Batch: 1}
	for range 2 {
		p.Layers = append(p.Layers, instance.Layer{Name: "l", Forward: 2e6, Backward: 4e6, Parameters: 5e5, Activations: 1e8})
	}
	for i := range jobs {
		jobs[i].Model, jobs[i].Optimizer = "two", "sgd"
	}
	return &instance.Spec{
		Version: 1, Profiles: []*instance.Profile{p}, Jobs: jobs,
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: memory}},
			Racks:    []instance.RackSpec{{Nodes: 2, GPUs: gpus, GPU: "a", NIC: 8e9, Fabric: 8e9}},
		},
	}
}

func compile(t testing.TB, s *instance.Spec) *instance.Instance {
	in, err := instance.Compile(s, nil)
	require.NoError(t, err)
	return in
}

// TestPinnedDepths has two GPUs and two jobs, both on both: 2 MB persistent
// for each, and 200 MB at full depth or 100 MB at half.
func TestPinnedDepths(t *testing.T) {
	// 2 + 2 + 200 MB just fit.
	in := compile(t, twoLayers(204_000_000, 1,
		instance.JobSpec{Name: "a", Workers: 2, Iterations: 3},
		instance.JobSpec{Name: "b", Workers: 2, Iterations: 3},
	))
	require.Equal(t, []int{1, 1}, in.Jobs[0].Rule.Fixed)
	s, err := Greedy(t.Context(), state.Options{}, in, heuristicstest.Source(1))
	require.NoError(t, err)
	assert.Empty(t, check.Schedule(in, s))

	// One MB less, and a full-depth worker has no room beside another job.
	in = compile(t, twoLayers(203_000_000, 1,
		instance.JobSpec{Name: "a", Workers: 2, Iterations: 3},
		instance.JobSpec{Name: "b", Workers: 2, Iterations: 3},
	))
	_, err = Greedy(t.Context(), state.Options{}, in, heuristicstest.Source(1))
	var none *state.NoPlan
	require.ErrorAs(t, err, &none)
	assert.Contains(t, err.Error(), "does not prove")

	// Half depth needs 102 MB and full depth 202: of two small and two large
	// GPUs, each job's deep worker must be pinned to a large one.
	spec := twoLayers(202_000_000, 1, instance.JobSpec{Name: "a", Workers: 2, Iterations: 3}, instance.JobSpec{Name: "b", Workers: 2, Iterations: 3})
	spec.Cluster.GPUTypes = append(spec.Cluster.GPUTypes, instance.GPUTypeSpec{
		Name: "small", Memory: 102_000_000, ProfiledAs: []instance.ProfiledAs{{GPU: "a"}}})
	small := spec.Cluster.Racks[0]
	small.GPU = "small"
	spec.Cluster.Racks = append(spec.Cluster.Racks, small)
	in = compile(t, spec)
	for _, m := range []instance.Objective{instance.Makespan, instance.WeightedCompletion} {
		in.Objective = m
		s, err = Greedy(t.Context(), state.Options{}, in, heuristicstest.Source(1))
		require.NoError(t, err)
		assert.Empty(t, check.Schedule(in, s))
	}
}

// TestTightMemory has four GPUs that hold two residents each, and seven workers.
func TestTightMemory(t *testing.T) {
	s := twoLayers(204_000_000, 2,
		instance.JobSpec{Name: "long", Workers: 1, Iterations: 50},
		instance.JobSpec{Name: "pair", Workers: 2, Iterations: 3, Count: 3},
	)
	in := compile(t, s)
	plan, err := Greedy(t.Context(), state.Options{}, in, heuristicstest.Source(1))
	require.NoError(t, err)
	assert.Empty(t, check.Schedule(in, plan))
}

func TestDeadlines(t *testing.T) {
	s := twoLayers(1<<30, 1,
		instance.JobSpec{Name: "late", Workers: 1, Iterations: 10, Deadline: 200e6},
		instance.JobSpec{Name: "soon", Workers: 1, Iterations: 2, Deadline: 24e6},
		instance.JobSpec{Name: "next", Workers: 1, Iterations: 2, Deadline: 48e6},
		instance.JobSpec{Name: "far", Workers: 1, Iterations: 10, Deadline: 200e6},
	)
	in := compile(t, s)
	plan, err := Greedy(t.Context(), state.Options{}, in, heuristicstest.Source(1))
	require.NoError(t, err)
	assert.Empty(t, check.Schedule(in, plan))

	s.Jobs[1].Deadline = 23e6 // two iterations take 24 ms
	_, err = Greedy(t.Context(), state.Options{}, compile(t, s), heuristicstest.Source(1))
	var none *state.NoPlan
	require.ErrorAs(t, err, &none)
	assert.Equal(t, "soon", none.Name)
	assert.Contains(t, err.Error(), "deadline, 23ms, by 1ms")
}

// TestFailedLinks keeps jobs off nodes that cannot reach each other.
func TestFailedLinks(t *testing.T) {
	s := twoLayers(1<<30, 2, instance.JobSpec{Name: "a", Workers: 3, Iterations: 2}, instance.JobSpec{Name: "b", Workers: 2, Iterations: 2})
	s.Cluster.Racks[0].Nodes = 3
	s.Cluster.FailedLinks = []string{"r0n1.up", "r0n0.fabric"}
	in := compile(t, s)
	plan, err := Greedy(t.Context(), state.Options{}, in, heuristicstest.Source(1))
	require.NoError(t, err)
	assert.Empty(t, check.Schedule(in, plan))
	for _, g := range plan.Residency[0] {
		assert.NotEqual(t, instance.NodeID(1), in.GPUs[g].Node)
	}
	s.Cluster.FailedLinks = append(s.Cluster.FailedLinks, "r0n2.down")
	_, err = Greedy(t.Context(), state.Options{}, compile(t, s), heuristicstest.Source(1))
	var none *state.NoPlan
	require.ErrorAs(t, err, &none)
	assert.Equal(t, "a", none.Name)
}

// TestBalance decodes balanced placements, which must stay valid, with and
// without pinned depths, and be reproducible.
func TestBalance(t *testing.T) {
	for name, m := range heuristicstest.Mediums() {
		t.Run(name, func(t *testing.T) {
			m.Jobs, m.Iterations = 12, 8
			for seed := range uint64(2) {
				m.Objective = heuristicstest.Finite(seed)
				in := m.Instance(t, 11)
				counts := state.CheapestMultisets(in)
				where, counts, err := placement.Place(t.Context(), in, placement.Options{Counts: counts})
				require.NoError(t, err)
				balanced := func() *placement.Placement {
					p := NewPortfolio(t.Context(), state.Options{}, in, heuristicstest.Source(seed))
					return p.balance(where, counts, 1, 2000)
				}
				now := balanced()
				assert.Equal(t, now, balanced())
				l := state.NewLayout(in)
				out := NewRecord(l, len(in.Jobs))
				base, slope := Measure(in, now, counts).Keys(in, LongestChain)
				require.NoError(t, NewDispatcher(in, l).Decode(t.Context(), &Decision{Counts: counts, Where: now, Base: base, Slope: slope, Even: true}, out))
				for _, v := range check.Schedule(in, out.Schedule(in, l)) {
					require.Equal(t, 10, v.Rule, "%v", v)
				}
			}
		})
	}
}
