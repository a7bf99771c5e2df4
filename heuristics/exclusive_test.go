package heuristics

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// TestExclusiveWaits has two nodes of three GPUs and three jobs of two: the third takes the
// two GPUs that are left where the network between them is fast enough, else it waits.
func TestExclusiveWaits(t *testing.T) {
	for nic, end := range map[instance.BitRate]instance.Tick{
		8e9: 10 * (12 + 1),        // as fast as inside a node
		4e9: 10 * (12 + 2),        // and slower, but sooner
		8e6: 2*(12+1) + 10*(12+1), // too slow
		1e6: 2*(12+1) + 10*(12+1),
	} {
		s := twoLayers(1<<30, 3,
			instance.JobSpec{Name: "short", Workers: 2, Iterations: 2, Count: 2},
			instance.JobSpec{Name: "long", Workers: 2, Iterations: 10},
		)
		s.Cluster.Racks[0].NIC = nic
		in := compile(t, s)
		plan, err := Config{}.Exclusive(t.Context(), in, source(1))
		require.NoError(t, err)
		assert.Empty(t, instance.Check(in.FullDepth(), plan))
		assert.Equal(t, end, plan.Makespan(in), "NICs of %v", nic)
	}
}
