package tree

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
	"jigsaw/solver/colgen"
)

// TestHomesOfAlikeRacks: identical racks under one core switch may be exchanged until a job
// lives in one of them. Racks that differ, or have trunks of their own, may not.
func TestHomesOfAlikeRacks(t *testing.T) {
	rack := func(nic instance.BitRate) instance.RackSpec {
		return instance.RackSpec{Nodes: 2, GPUs: 2, GPU: "v100", NIC: nic, Fabric: 80e9}
	}
	node := func(name, at string) instance.NodeSpec {
		return instance.NodeSpec{Name: name, Switch: at, GPUs: 4, GPU: "v100", NIC: 8e9, Fabric: 80e9}
	}
	for name, test := range map[string]struct {
		cluster instance.ClusterSpec
		pair    [][]instance.GPUID // where a job of two workers may live
		rest    [][]instance.GPUID // and a job of one worker, once they live in the first of these
	}{
		"alike": {
			instance.ClusterSpec{Racks: []instance.RackSpec{rack(8e9), rack(8e9)}},
			[][]instance.GPUID{{0, 1}, {0, 2}, {0, 4}},
			[][]instance.GPUID{{0}, {2}, {4}},
		},
		"unlike": {
			instance.ClusterSpec{Racks: []instance.RackSpec{rack(8e9), rack(16e9)}},
			[][]instance.GPUID{{0, 1}, {0, 2}, {0, 4}, {4, 5}, {4, 6}},
			[][]instance.GPUID{{0}, {2}, {4}},
		},
		"trunks": {
			instance.ClusterSpec{
				Switches: []instance.SwitchSpec{{Name: "a"}, {Name: "b"}, {Name: "c"}},
				Nodes:    []instance.NodeSpec{node("x", "a"), node("y", "b"), node("z", "c")},
				Links:    []instance.LinkSpec{{From: "a", To: "b", Rate: 8e9}, {From: "b", To: "c", Rate: 1e9}},
			},
			[][]instance.GPUID{{0, 1}, {0, 4}, {0, 8}, {4, 5}, {4, 8}, {8, 9}},
			[][]instance.GPUID{{0}, {2}, {4}, {8}},
		},
	} {
		test.cluster.GPUTypes = []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}}
		in := boundtest.Compile(t, &instance.Spec{
			Version: instance.Version, Profiles: []*instance.Profile{boundtest.FourLayers()}, Cluster: test.cluster,
			Jobs: []instance.JobSpec{{Name: "a", Model: "four", Workers: 2}, {Name: "b", Model: "four", Workers: 1}},
		})
		homes := func(n *cases.Node, job int) [][]instance.GPUID {
			list, ok := n.Assignments(in, job, cases.MostAssignments)
			require.True(t, ok)
			return list
		}
		root := cases.Root(in)
		require.Equal(t, test.pair, homes(root, 0), name)
		assert.Equal(t, test.rest, homes(root.With(0, func(b *cases.JobLimits) { b.Assignment = test.pair[0] }), 1), name)
	}
}

// TestHomesRaiseBounds: deciding where a job lives never lowers what the linear program of a node
// proves, since the job takes as much of its pools as before, including links.
func TestHomesRaiseBounds(t *testing.T) {
	engine := boundtest.LiveEngine(t)
	loaded := 0
	for seed := range uint64(250) {
		rng := rand.New(rand.NewPCG(seed, 94))
		in := instancetest.Random(rng, instancetest.Options{Objective: []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]})
		start, ok := instancetest.ValidSchedule(rng, in)
		if relax.Infeasible(in) != nil || !ok || len(in.Jobs) < 2 {
			continue
		}
		p := newTreeProblem(in, engine, Limits{Start: start})
		value := func(n *cases.Node) (least float64, loaded bool) {
			s, ok := newNodeSearch(p.m, n, p.modes, p.target, nodeBuckets[0])
			if !ok || !s.Planned() {
				return math.Inf(1), false
			}
			for j := range s.Classes {
				home := s.homes[j]
				loaded = loaded || home != nil && len(home.Loads) > len(home.Links)
			}
			if n != p.root.node && !loaded {
				return math.Inf(1), false // of pools it takes only GPUs
			}
			live, result, err := s.Run(context.Background(), engine, nil, colgen.Options{})
			require.NoError(t, err)
			require.NoError(t, live.Close())
			return result.Value, loaded
		}
		list, ok := p.root.node.Children(in, cases.Split{Kind: cases.SplitAssignment, Job: rng.IntN(len(in.Jobs))}, cases.MostAssignments)
		require.True(t, ok)
		above := math.NaN()
		for _, child := range list {
			least, loads := value(child)
			if !loads {
				continue
			}
			if math.IsNaN(above) {
				above, _ = value(p.root.node)
			}
			require.GreaterOrEqual(t, least, above-1e-6, "seed %d", seed)
			loaded++
		}
	}
	t.Logf("%d children with links of pools", loaded)
	assert.Greater(t, loaded, 20)
}
