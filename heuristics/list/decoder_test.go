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

// TestDecoders checks the schedules of both decoders for every rule and
// patience, with and without a lead, except deadlines, which a single decision need not meet.
func TestDecoders(t *testing.T) {
	for name, m := range heuristicstest.Mediums() {
		t.Run(name, func(t *testing.T) {
			m.Jobs, m.Iterations = 12, 8
			in := m.Instance(t, 11)
			counts := state.CheapestMultisets(in)
			where, counts, err := placement.Place(t.Context(), in, placement.Options{Counts: counts, Noise: heuristicstest.Source(1)})
			require.NoError(t, err)
			l := state.NewLayout(in)
			dispatch, insert, out := NewDispatcher(in, l), newInserter(in, l), NewRecord(l, len(in.Jobs))
			for r := LongestChain; r <= CriticalRatio; r++ {
				base, slope := Measure(in, where, counts).Keys(in, r)
				for patience := range 6 {
					d := &Decision{Counts: counts, Where: where, Base: base, Slope: slope, Patience: patience, lead: patience % 2 * usualLead}
					var by decoder = dispatch
					if patience == 5 {
						by = insert
					}
					require.NoError(t, by.Decode(t.Context(), d, out))
					s := out.Schedule(in, l)
					assert.Equal(t, s.Completion(in), out.Completion)
					for _, v := range check.Schedule(in, s) {
						require.Equal(t, 10, v.Rule, "rule %d, patience %d: %v", r, patience, v)
					}
				}
			}
		})
	}
}

// TestLead: while the links are busy with another job, tasks before a synchronisation leave the GPU to a job without one.
func TestLead(t *testing.T) {
	spec := &instance.Spec{
		Version: instance.Version, Objective: instance.WeightedCompletion,
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}}, RateLevels: []instance.RateLevel{1},
			Racks: []instance.RackSpec{{Nodes: 2, GPUs: 1, GPU: "v100", NIC: 8e9, Fabric: 80e9}},
		},
		Profiles: []*instance.Profile{{Model: "m", GPU: "v100", Batch: 32, Layers: []instance.Layer{{Name: "l", Forward: 2e6, Backward: 4e6, Parameters: 20e6}}}},
	}
	for j, workers := range []int{2, 2, 1} {
		spec.Jobs = append(spec.Jobs, instance.JobSpec{Name: string(rune('a' + j)), Model: "m", Workers: workers, Iterations: 1})
	}
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	counts := state.CheapestMultisets(in)
	where, counts, err := placement.Place(t.Context(), in, placement.Options{Counts: counts})
	require.NoError(t, err)
	require.True(t, Measure(in, where, counts).network)
	l := state.NewLayout(in)
	dispatch, out := NewDispatcher(in, l), NewRecord(l, len(in.Jobs))
	for lead, ends := range map[int][]instance.Tick{0: {26, 46, 18}, 4: {26, 46, 12}, 16: {26, 46, 18}} {
		d := &Decision{Counts: counts, Where: where, Base: []int64{0, 1, 2}, Slope: make([]int64, 3), lead: lead}
		require.NoError(t, dispatch.Decode(t.Context(), d, out))
		require.Empty(t, check.Schedule(in, out.Schedule(in, l)))
		require.Equal(t, ends, out.Completion, "lead %d", lead)
	}
}
