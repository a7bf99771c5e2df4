package horizon

import (
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// TestWork: a job's work is that on its fastest GPUs, wherever in the file these are.
func TestWork(t *testing.T) {
	compile := func(types ...instance.GPUTypeSpec) *instance.Instance {
		in, err := instance.Compile(&instance.Spec{
			Version:  1,
			Profiles: []*instance.Profile{{Model: "any", GPU: "a", Batch: 1, Layers: []instance.Layer{{Name: "l", Forward: 4e6}}}},
			Jobs:     []instance.JobSpec{{Name: "one", Model: "any", Workers: 2, Iterations: 10}},
			Cluster: instance.ClusterSpec{GPUTypes: types, Racks: []instance.RackSpec{
				{Nodes: 1, GPUs: 2, GPU: "fast", NIC: 1e9, Fabric: 1e9}, {Nodes: 1, GPUs: 2, GPU: "slow", NIC: 1e9, Fabric: 1e9},
			}},
		}, nil)
		require.NoError(t, err)
		return in
	}
	of := func(name string, speed instance.Ratio) instance.GPUTypeSpec {
		return instance.GPUTypeSpec{Name: name, Memory: 1 << 30, ProfiledAs: []instance.ProfiledAs{{GPU: "a", Speed: speed}}}
	}
	fast, slow := of("fast", 2_000_000), of("slow", 500_000)
	least, on := works(compile(fast, slow))
	require.Equal(t, []float64{40}, least)
	require.Equal(t, [][]float64{{40, 160}}, on)
	least, on = works(compile(slow, fast))
	require.Equal(t, []float64{40}, least)
	require.Equal(t, [][]float64{{160, 40}}, on)
}
