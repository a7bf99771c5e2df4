package tree

import (
	"context"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound/columns"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/verify"
)

// TestManyRateLevels: levels are bits of a word in the limits of a tree, which has no room for
// more than 63. With more, sides of a split forgot the last levels, and a tree could prove
// that no schedule is as good as one that uses them.
func TestManyRateLevels(t *testing.T) {
	spec := &instance.Spec{
		Version: instance.Version, Profiles: []*instance.Profile{boundtest.FourLayers()},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 2, GPUs: 1, GPU: "v100", NIC: 8e9, Fabric: 80e9}},
		},
		Jobs: []instance.JobSpec{{Name: "a", Model: "four", Workers: 2}},
	}
	for _, levels := range []int{63, 64, 70} {
		spec.Cluster.RateLevels = nil
		for n := 1; len(spec.Cluster.RateLevels) < levels; n++ {
			if 720_720%n == 0 { // so that all have a common fraction of a bit/s
				spec.Cluster.RateLevels = append(spec.Cluster.RateLevels, instance.RateLevel(n))
			}
		}
		in := boundtest.Compile(t, spec)
		n := cases.Root(in).With(0, func(b *cases.JobLimits) { b.Assignment = []instance.GPUID{0, 1} })
		how := cases.Split{Kind: cases.SplitLevel, At: int64(levels - 1)}
		c := &relax.Certificate{
			Kind: relax.TreeBound, Bound: relax.NewClaim(big.NewRat(2, 1)), Denominator: big.NewInt(1), Prices: []*big.Int{},
			Tree: []relax.ProofNode{{Kind: "home"}, {Kind: "level", At: how.At}, {Kind: relax.LeafKind, Target: 2, Denominator: 1}, {Kind: relax.LeafKind, Target: 2, Denominator: 1}},
		}
		_, err := verify.Check(context.Background(), in, c)
		if levels > cases.MostBits {
			require.ErrorContains(t, err, "not for this instance")
			require.Nil(t, newTreeProblem(in, nil, Limits{Start: &instance.Schedule{}}))
			continue
		}
		require.NoError(t, err)
		children, ok := n.Children(in, how, cases.MostAssignments)
		require.True(t, ok)
		for level := range levels {
			p := &columns.Plan{Assignment: n.Jobs[0].Assignment, Ends: []int64{1}, Tasks: [][]columns.TaskStart{{{}, {}}}, Syncs: []columns.SyncStart{{Level: level}}}
			assert.NotEqual(t, allows(children[0].Jobs[0], p), allows(children[1].Jobs[0], p), "level %d", level)
		}
	}
}
