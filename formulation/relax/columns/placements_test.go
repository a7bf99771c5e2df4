package columns

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// TestPlacements: a job on all GPUs of many unlike nodes has one way to be there, if its tasks are alike, and too many to tell apart if they
// are not. Neither takes a search of all that do not fit.
func TestPlacements(t *testing.T) {
	spec := &instance.Spec{
		Version: instance.Version, Profiles: []*instance.Profile{boundtest.FourLayers()},
		Cluster: instance.ClusterSpec{GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}}, Switches: []instance.SwitchSpec{{Name: "s"}}},
		Jobs: []instance.JobSpec{
			{Name: "full", Model: "four", Workers: 40, SPB: instance.SPBSpec{Rule: "full"}},
			{Name: "ladder", Model: "four", Workers: 40, SPB: instance.SPBSpec{Rule: "ladder"}},
			{Name: "narrow", Model: "four", Workers: 2, SPB: instance.SPBSpec{Rule: "ladder"}},
		},
	}
	for n := range 20 {
		spec.Cluster.Nodes = append(spec.Cluster.Nodes, instance.NodeSpec{Name: fmt.Sprint("n", n), Switch: "s", GPUs: 2, GPU: "v100", NIC: instance.BitRate(8e6 + n), Fabric: 8e6})
	}
	m := relax.New(boundtest.Compile(t, spec))
	s := New(m, 100, -1, Grain{100, 100})
	require.Len(t, m.Network.Pools, 20)
	for c, want := range []int{20, 21, 21} { // parts of the first way: by pool, or by pool and in any
		d := &m.Classes[c]
		for i := range d.Modes {
			if o := &d.Modes[i]; o.Kind == relax.InRack {
				ways := s.placements(d, o, m.Multisets(d)[0])
				assert.Len(t, ways, 1, d.Job.Name)
				assert.Len(t, ways[0], want, d.Job.Name)
			}
		}
	}
}
