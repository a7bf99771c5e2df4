package placement

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/heuristics/state"
)

// TestSettled: of jobs in memory, one has no room for full depth on the GPU that it shares, and its worker there is the
// shallow one; if that GPU has less room there is no placement.
func TestSettled(t *testing.T) {
	document, err := codec.Decode([]byte(`
version: 1
cluster:
  gpu_types: [{name: v, memory: 100MB}]
  racks: [{nodes: 1, gpus: 2, gpu: v, nic: 80Mbit/s, fabric: 800Mbit/s}]
profiles:
  - {model: m, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 2ms, parameters: 2kB, activations: 1MB}, {name: b, forward: 2ms, backward: 2ms, parameters: 3kB, activations: 1MB}]}
jobs:
  - {name: wide, model: m, workers: 2, iterations: 3}
  - {name: narrow, model: m, workers: 1, iterations: 3}
`))
	require.NoError(t, err)
	in, err := document.Compile(nil)
	require.NoError(t, err)
	wide, narrow := &in.Jobs[0], &in.Jobs[1]
	require.Equal(t, 1, wide.Full())
	wide.On[0].Persistent, wide.On[0].Ephemeral, wide.Resident = 40, []instance.Bytes{10, 30}, []instance.GPUID{0, 1}
	narrow.On[0] = &instance.Costs{Time: narrow.On[0].Time, Persistent: 20, Ephemeral: []instance.Bytes{5, 10}}
	narrow.Resident = []instance.GPUID{1}
	for _, c := range []struct {
		memory instance.Bytes
		limit  []int // of the wide job; nil: there is no placement
	}{{90, []int{1, 1}}, {85, []int{1, 0}}, {70, []int{1, 0}}, {69, nil}} {
		in.Types[0].Memory = c.memory
		where, counts, err := Place(context.Background(), in, Options{Counts: state.CheapestMultisets(in)})
		if c.limit == nil {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, [][]instance.GPUID{{0, 1}, {1}}, where.GPUs)
		require.Equal(t, [][]int{c.limit, {1}}, where.Limit)
		require.True(t, wide.Allows(counts[0]))
	}
}
