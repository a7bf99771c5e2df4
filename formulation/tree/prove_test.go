package tree

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/trees"
	"jigsaw/solver"
)

// TestHomelessWeight: for sum w C, the home of the heavier of two otherwise identical jobs
// comes first, and for makespan that of the one with more work.
func TestHomelessWeight(t *testing.T) {
	job := func(name string, weight int64, iterations int) instance.JobSpec {
		return instance.JobSpec{Name: name, Model: "four", Workers: 2, Iterations: iterations, Weight: weight, SPB: instance.SPBSpec{Rule: "full"}}
	}
	for objective, want := range map[instance.Objective]int{instance.WeightedCompletion: 1, instance.Makespan: 0} {
		in := boundtest.Compile(t, &instance.Spec{
			Version: instance.Version, Profiles: []*instance.Profile{boundtest.FourLayers()}, Objective: objective,
			Cluster: instance.ClusterSpec{
				GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
				Racks:    []instance.RackSpec{{Nodes: 2, GPUs: 2, GPU: "v100", NIC: 8e9, Fabric: 80e9}},
			},
			Jobs: []instance.JobSpec{job("light", 1, 4), job("heavy", 9, 3)},
		})
		assert.Equal(t, &cases.Split{Kind: cases.SplitAssignment, Job: want}, homeless(cases.Root(in), in), objective)
	}
}

// TestYield: a node with homes lowers the target at most to what it can prove, and only to
// more than is already proven.
func TestYield(t *testing.T) {
	engine := boundtest.LiveEngine(t)
	yields, broken := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 21))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.WeightedCompletion})
		_, _, status := instancetest.Optimum(in)
		start, ok := instancetest.ValidSchedule(rng, in)
		if relax.Infeasible(in) != nil || status != instancetest.Optimal || !ok {
			continue
		}
		p := newTreeProblem(in, engine, Limits{Start: start})
		at := &node{node: cases.Root(in)}
		for j := range in.Jobs { // as in the schedule
			at.node = at.node.With(j, func(b *cases.JobLimits) { b.Assignment = start.Residency[j] })
		}
		aimed := 2 * in.Value(start).Num().Int64()
		p.target, p.engine = aimed, &brokenEngine{Solver: engine, left: 1}
		if p.yield(context.Background(), at) != nil { // it has found the value, and cannot prove it
			require.Nil(t, at.proof, "seed %d", seed)
			require.Equal(t, aimed, p.target, "seed %d: no proof, but another target", seed)
			broken++
		}
		p.engine = engine
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
			require.Equal(t, p.target, at.proof.Target)
			require.LessOrEqual(t, p.target, in.Value(start).Num().Int64(), "seed %d", seed) // which the node contains
			require.Positive(t, p.target)
			_, ok := trees.ProveLeaf(p.m, at.node, p.modes, &at.proof.Leaf)
			require.True(t, ok)
			lowered := p.target
			p.goal(big.NewRat(lowered, 1)) // what the tree is closed for so far
			require.Equal(t, min(lowered+p.step, in.Value(start).Num().Int64()), p.target, "seed %d", seed)
		}
	}
	assert.Greater(t, yields, 20)
	assert.Greater(t, broken, 10)
}

// brokenEngine loads a limited number of programs.
type brokenEngine struct {
	solver.Solver
	left int
}

func (e *brokenEngine) Load(p *solver.Problem) (solver.Model, error) {
	if e.left--; e.left < 0 {
		return nil, errors.New("no memory")
	}
	return e.Solver.Load(p)
}

// TestGoals: whatever a node yielded, the next goal is a step above what was proven, up to the
// value of the best schedule.
func TestGoals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 22))
	var in *instance.Instance
	var start *instance.Schedule
	for ok := false; !ok; {
		in = instancetest.Random(rng, instancetest.Options{Objective: instance.WeightedCompletion})
		start, ok = instancetest.ValidSchedule(rng, in)
	}
	value := in.Value(start).Num().Int64()
	known := value - 80
	p := newTreeProblem(in, nil, Limits{Start: start, Known: big.NewRat(known, 1)})
	p.goal(nil)
	require.Equal(t, known+10, p.target)
	for _, step := range []struct{ proven, target int64 }{
		{10, 20},
		{13, 23}, // yielded
		{14, 24}, // and again
		{74, 80},
	} {
		p.target = known + step.proven // where the last goal ended
		p.goal(big.NewRat(known+step.proven, 1))
		require.Equal(t, known+step.target, p.target, "%+v", step)
	}
}
