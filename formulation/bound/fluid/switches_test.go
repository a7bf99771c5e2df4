package fluid

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
)

// TestFormsOfANetwork: racks around a core have the same bound in the short form as in the full form, in which a second
// core that no route takes changes nothing.
func TestFormsOfANetwork(t *testing.T) {
	engine := boundtest.LiveEngine(t)
	for _, objective := range instance.Objectives() {
		racks := []instance.RackSpec{{Count: 4, Nodes: 2, GPUs: 2, GPU: "v100", NIC: 40e6, Fabric: 80e6, Uplink: 2e6}}
		short := &instance.Spec{
			Version: instance.Version, Objective: objective, TickUS: 1000, Profiles: []*instance.Profile{boundtest.FourLayers()},
			Cluster: instance.ClusterSpec{GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}}, Racks: racks},
			Jobs: []instance.JobSpec{
				{Name: "wide", Model: "four", Workers: 8, Iterations: 3},
				{Name: "narrow", Model: "four", Workers: 5, Iterations: 4, Count: 3},
			},
		}
		full := *short
		full.Cluster.Racks = nil
		for _, core := range []string{"core", "spare"} {
			full.Cluster.Switches = append(full.Cluster.Switches, instance.SwitchSpec{Name: core})
			for r := range 4 {
				leaf := fmt.Sprintf("leaf%d", r)
				full.Cluster.Links = append(full.Cluster.Links, instance.LinkSpec{From: leaf, To: core, Rate: 2e6})
			}
		}
		for r := range 4 {
			leaf := fmt.Sprintf("leaf%d", r)
			full.Cluster.Switches = append(full.Cluster.Switches, instance.SwitchSpec{Name: leaf})
			for n := range 2 {
				full.Cluster.Nodes = append(full.Cluster.Nodes, instance.NodeSpec{Name: fmt.Sprintf("r%dn%d", r, n), Switch: leaf, GPUs: 2, GPU: "v100", NIC: 40e6, Fabric: 80e6})
			}
		}
		want, err := Bound(context.Background(), boundtest.Compile(t, short), engine, Limits{})
		require.NoError(t, err)
		got, err := Bound(context.Background(), boundtest.Compile(t, &full), engine, Limits{})
		require.NoError(t, err)
		a, _ := want.Value.Float64()
		b, _ := got.Value.Float64()
		assert.InEpsilon(t, a, b, 1e-6, objective)
		assert.True(t, got.Certified)
	}
}
