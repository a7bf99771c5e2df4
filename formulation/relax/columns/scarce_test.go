package columns

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// TestScarce: network cards have rows once jobs need more of them at a time than there are, at all the nodes that each has.
func TestScarce(t *testing.T) {
	for jobs, rows := range map[int]bool{2: false, 3: true} { // of 4 nodes each, on 8
		spec := &instance.Spec{
			Version: instance.Version, Profiles: []*instance.Profile{boundtest.FourLayers()},
			Cluster: instance.ClusterSpec{
				GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
				Racks:    []instance.RackSpec{{Nodes: 8, GPUs: 1, GPU: "v100", NIC: 8e6, Fabric: 8e6}},
			},
			Jobs: []instance.JobSpec{{Name: "j", Model: "four", Workers: 4, Iterations: 20, Count: jobs}},
		}
		s := New(relax.New(boundtest.Compile(t, spec)), 100, -1, Grain{100, 100})
		nics := 0
		for _, g := range s.Groups {
			if g.Resource == "nic" {
				nics++
				assert.Equal(t, rows, g.Capacity > 0, "%d jobs", jobs)
			}
		}
		assert.Equal(t, 1, nics)
	}
}
