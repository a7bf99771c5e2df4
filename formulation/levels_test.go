package formulation

import (
	"context"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// TestManyRateLevels: levels are bits of a word in the limits of a tree, which has no room for
// more than 63. With more, sides of a split forgot the last levels, and a tree could prove
// that no schedule is as good as one that uses them.
func TestManyRateLevels(t *testing.T) {
	spec := &instance.Spec{
		Version: instance.Version, Profiles: []*instance.Profile{fourLayers()},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 2, GPUs: 1, GPU: "v100", NIC: 8e9, Fabric: 80e9}},
		},
		Jobs: []instance.JobSpec{{Name: "a", Model: "four", Workers: 2}},
	}
	for _, levels := range []int{63, 64, 70} {
		spec.Cluster.RateLevels = nil
		for n := range levels {
			spec.Cluster.RateLevels = append(spec.Cluster.RateLevels, instance.RateLevel(n+1))
		}
		in := compile(t, spec)
		n := rootNode(in).with(0, func(b *branchJob) { b.home = []instance.GPUID{0, 1} })
		how := split{Kind: splitLevel, At: int64(levels - 1)}
		c := &Certificate{
			Kind: TreeBound, Bound: NewClaim(big.NewRat(2, 1)), Denominator: big.NewInt(1), Prices: []*big.Int{},
			Tree: []ProofNode{{Kind: "home"}, {Kind: "level", At: how.At}, {Kind: leafKind, Target: 2, Denominator: 1}, {Kind: leafKind, Target: 2, Denominator: 1}},
		}
		_, err := CheckCertificate(context.Background(), in, c)
		if levels > mostBits {
			require.ErrorContains(t, err, "not for this instance")
			require.Nil(t, newTreeProblem(in, nil, TreeLimits{Start: &instance.Schedule{}}))
			continue
		}
		require.NoError(t, err)
		children, ok := n.children(in, how, mostHomes)
		require.True(t, ok)
		for level := range levels {
			p := &plan{home: n.jobs[0].home, ends: []int64{1}, tasks: [][]homeTask{{{}, {}}}, syncs: []homeSync{{level: level}}}
			assert.NotEqual(t, children[0].jobs[0].allows(p), children[1].jobs[0].allows(p), "level %d", level)
		}
	}
}
