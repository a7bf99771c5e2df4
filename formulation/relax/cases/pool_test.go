package cases

import (
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNearlyAlikeRacks: racks whose uplinks differ by less than the printed precision of a
// speed are not alike. A synchronisation between the two faster ones takes 40 ticks, over the
// slower 41.
func TestNearlyAlikeRacks(t *testing.T) {
	rack := func(count int, uplink instance.BitRate) instance.RackSpec {
		return instance.RackSpec{Count: count, Nodes: 1, GPUs: 1, GPU: "v100", NIC: 1e9, Fabric: 1e9, Uplink: uplink}
	}
	in := boundtest.Compile(t, &instance.Spec{
		Version:  instance.Version,
		Profiles: []*instance.Profile{{Model: "m", GPU: "v100", Batch: 8, Layers: []instance.Layer{{Name: "l", Forward: 1e6, Backward: 1e6, Parameters: 40_002}}}},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{rack(1, 8_000_000), rack(2, 8_000_400)},
		},
		Jobs: []instance.JobSpec{{Name: "a", Model: "m", Workers: 2, Iterations: 3}},
	})
	require.Equal(t, in.Links[0].Capacity.String(), in.Links[5].Capacity.String())
	assert.Len(t, relax.NewNetwork(in).Racks, 2)
	optimum, _, _ := instancetest.Optimum(in)
	assert.Equal(t, big.NewRat(126, 1), optimum)
	chain, _ := relax.New(in).Chain()
	assert.Equal(t, optimum, chain)
	homes, ok := Root(in).Assignments(in, 0, MostAssignments)
	assert.True(t, ok)
	assert.Len(t, homes, 2)
}
