package fluid

import (
	"context"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/verify"
)

func TestBoundsByHand(t *testing.T) {
	ladder4 := instance.JobSpec{Name: "a", Model: "four", Workers: 4, Iterations: 3}
	lone := instance.JobSpec{Name: "b", Model: "four", Workers: 1, Iterations: 2}
	for _, test := range []struct {
		name        string
		spec        *instance.Spec
		objective   instance.Objective
		chain, area *big.Rat
	}{
		{
			// 4 workers on 2 nodes of 2: 28e6 bytes at 1e6 per tick is 28 ticks;
			// an iteration is 12 + 28 = 40.
			"ladder over two nodes", boundtest.TwoNodes(2, ladder4), instance.Makespan,
			// NICs: the third sync starts after 12 + 40 + 40 = 92, so that one
			// of 28 ticks is left after tick 87 = 12 + 5/8 x 120: 115.
			big.NewRat(120, 1), big.NewRat(115, 1),
		},
		{
			// In one node of 4 GPUs: 4 parties, segments with 4, 3, 2, 1
			// contributors. Reduce: 8e6 x (3/4, 2/3, 1/2, 0), broadcast: 8e6 x 3/4
			// each. Together 39,333,334 bytes at 10e6 per tick: 4 ticks. Iteration 16.
			"ladder inside a node", boundtest.TwoNodes(4, ladder4), instance.Makespan,
			big.NewRat(48, 1), nil,
		},
		{
			// 16 lone jobs of 2 x 12 ticks on 4 GPUs: 16 x 24 / 4 = 96.
			"lone jobs", boundtest.TwoNodes(2, with(lone, func(j *instance.JobSpec) { j.Count = 16 })), instance.Makespan,
			big.NewRat(24, 1), big.NewRat(96, 1),
		},
		{
			// Chain: 16 x 24 = 384. Area: the machine of speed 4 is busy for 96
			// ticks, at a mean of 48 for the jobs together. A job ends half of an
			// iteration of 12 and half of a task of 12 after its mean: 16 x (48 +
			// 6 + 6) = 960. That is the optimum: four GPUs serve 4 jobs each,
			// ending at 24, 48, 72 and 96.
			"lone jobs, completion", boundtest.TwoNodes(2, with(lone, func(j *instance.JobSpec) { j.Count = 16 })), instance.WeightedCompletion,
			big.NewRat(384, 1), big.NewRat(960, 1),
		},
		{
			// At most 1/40 iterations per tick, of weight 5.
			"throughput", boundtest.TwoNodes(2, with(ladder4, func(j *instance.JobSpec) { j.Weight = 5 })), instance.Throughput,
			big.NewRat(1, 8), big.NewRat(1, 8),
		},
		{
			// 16 lone jobs run 1/12 iterations per tick each, 4/3 in total, but the 4 GPUs
			// do 4/12 per tick.
			"throughput of lone jobs", boundtest.TwoNodes(2, with(lone, func(j *instance.JobSpec) { j.Count = 16 })), instance.Throughput,
			big.NewRat(4, 3), big.NewRat(1, 3),
		},
		{
			// Normalised by 12: 1 by chain, and a quarter of that by area.
			"smallest rate of lone jobs", boundtest.TwoNodes(2, with(lone, func(j *instance.JobSpec) { j.Count = 16 })), instance.MaxMinThroughput,
			big.NewRat(1, 1), big.NewRat(1, 4),
		},
		{
			// Two jobs of two workers that must share a node, free rule: one full
			// worker of 12, the other at depth 1 with 6: 18 GPU ticks, 4 x 18 a job.
			"free rule", boundtest.TwoNodes(1, instance.JobSpec{Name: "c", Model: "four", Workers: 2, Iterations: 4, Count: 2,
				SPB: instance.SPBSpec{Rule: "free"}}), instance.Makespan,
			// Segments have 1, 1, 1 and 2 contributors of 2 parties: 8e6 x
			// (4 x 1/2 + 1/2) = 20e6 bytes, 20 ticks. Chain 4 x 32 = 128. NICs:
			// 2 jobs x 4 x 20 = 160 on each, after 12: 172.
			big.NewRat(128, 1), big.NewRat(172, 1),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.spec.Objective = test.objective
			if test.objective.Periodic() {
				for i := range test.spec.Jobs {
					test.spec.Jobs[i].Iterations = 0
				}
			}
			in := boundtest.Compile(t, test.spec)
			chain, area := area.Chain(in), area.Bound(in)
			assert.Equal(t, test.chain.RatString(), chain.Value.RatString(), "chain")
			if test.area != nil {
				assert.Equal(t, test.area.RatString(), area.Value.RatString(), "area")
			}
			require.NotEmpty(t, chain.Binding)
			require.NotEmpty(t, area.Binding)
			s := boundtest.Engine(t)
			fluid, err := Bound(context.Background(), in, s, Limits{})
			require.NoError(t, err)
			// The fluid program holds both up to the rounding of prices.
			best := bound.Best(in, chain, area)
			weaker, _ := new(big.Rat).Quo(fluid.Value, best.Value).Float64()
			if test.objective.Periodic() {
				assert.LessOrEqual(t, weaker, 1+1e-9)
			} else {
				assert.GreaterOrEqual(t, weaker, 0.98)
			}
			t.Logf("chain %v, area %v, fluid %v", chain.Value.RatString(), area.Value.RatString(), fluid.Value.FloatString(4))
			for _, b := range fluid.Binding {
				t.Log(b.Text)
			}
		})
	}
}

// Jobs of 40 and 12 ticks an iteration run 1/40 + 1/12 together, but in at most
// 40 ticks: 1 and 3 iterations in 40 are more than 0 and 3 in 36.
func TestChainOfWholeIterations(t *testing.T) {
	spec := boundtest.TwoNodes(2, instance.JobSpec{Name: "a", Model: "four", Workers: 4}, instance.JobSpec{Name: "b", Model: "four", Workers: 1})
	spec.Objective = instance.Throughput
	assert.Equal(t, "13/120", area.Chain(boundtest.Compile(t, spec)).Value.RatString())
	spec.MaxPeriod = 40e6
	chain := area.Chain(boundtest.Compile(t, spec))
	assert.Equal(t, "1/10", chain.Value.RatString())
	assert.Contains(t, chain.Binding[0].Text, "at most 40 ms")
}

// TestFluidInfeasible has jobs that fit two by two and by total memory, but not
// three to a GPU: 300 MB of the GPU's memory are resident of each, and 450 MB in use by one.
func TestFluidInfeasible(t *testing.T) {
	s := boundtest.Engine(t)
	spec := boundtest.TwoNodes(2, instance.JobSpec{Name: "x", Model: "four", Workers: 1, Count: 9})
	for i := range spec.Profiles[0].Layers {
		spec.Profiles[0].Layers[i].Parameters = 25e6 // 3 copies: 300 MB resident
	}
	spec.Profiles[0].Workspace = 450e6
	in := boundtest.Compile(t, spec)
	assert.Nil(t, relax.Infeasible(in), "9 x 300 MB is below 4 GiB")
	b, err := Bound(context.Background(), in, s, Limits{})
	require.NoError(t, err)
	require.Len(t, b.Infeasible, 1)
	assert.Contains(t, b.Infeasible[0], "the memory of the 4 GPUs of type v100")
	assert.True(t, b.Certified)
	require.NotNil(t, b.Certificate)
	checked, err := verify.Check(context.Background(), in, b.Certificate)
	require.NoError(t, err)
	assert.Equal(t, b.Infeasible, checked.Infeasible)
}
