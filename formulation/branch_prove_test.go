package formulation

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// TestHomelessWeight: where sum w C counts, the home of the heavier of two like jobs comes
// first, and for makespan that of the one with more work.
func TestHomelessWeight(t *testing.T) {
	job := func(name string, weight int64, iterations int) instance.JobSpec {
		return instance.JobSpec{Name: name, Model: "four", Workers: 2, Iterations: iterations, Weight: weight, SPB: instance.SPBSpec{Rule: "full"}}
	}
	for objective, want := range map[instance.Objective]int{instance.WeightedCompletion: 1, instance.Makespan: 0} {
		in := compile(t, &instance.Spec{
			Version: instance.Version, Profiles: []*instance.Profile{fourLayers()}, Objective: objective,
			Cluster: instance.ClusterSpec{
				GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
				Racks:    []instance.RackSpec{{Nodes: 2, GPUs: 2, GPU: "v100", NIC: 8e9, Fabric: 80e9}},
			},
			Jobs: []instance.JobSpec{job("light", 1, 4), job("heavy", 9, 3)},
		})
		assert.Equal(t, &split{Kind: splitHome, Job: want}, rootNode(in).homeless(in), objective)
	}
}

// TestYield: a node with homes lowers the target to no more than it holds, with a proof, and
// only to more than is proven already.
func TestYield(t *testing.T) {
	engine := liveEngine(t)
	yields := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 21))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.WeightedCompletion})
		_, _, status := instancetest.Optimum(in)
		start, ok := instancetest.ValidSchedule(rng, in)
		if Infeasible(in) != nil || status != instancetest.Optimal || !ok {
			continue
		}
		p := newTreeProblem(in, engine, TreeLimits{Start: start})
		at := &treeNode{node: rootNode(in)}
		for j := range in.Jobs { // as in the schedule
			at.node = at.node.with(j, func(b *branchJob) { b.home = start.Residency[j] })
		}
		aimed := 2 * in.Value(start).Num().Int64()
		for _, proven := range []int64{0, aimed - 1} {
			p.target, p.proven, at.proof, at.yielded = aimed, proven, nil, false
			require.NoError(t, p.yield(context.Background(), at))
			if proven > 0 {
				require.Nil(t, at.proof, "seed %d", seed)
				require.Equal(t, aimed, p.target)
				continue
			}
			if at.proof == nil {
				require.Equal(t, aimed, p.target, "seed %d", seed)
				continue
			}
			yields++
			require.Equal(t, p.target, at.proof.target)
			require.LessOrEqual(t, p.target, in.Value(start).Num().Int64(), "seed %d", seed) // which the node holds
			require.Positive(t, p.target)
			_, ok := p.m.proveLeaf(at.node, p.ways, at.proof)
			require.True(t, ok)
		}
	}
	assert.Greater(t, yields, 20)
}
