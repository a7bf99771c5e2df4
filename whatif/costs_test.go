package whatif_test

import (
	"math/big"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/whatif"
)

// costsOf returns a function that asks for the costs of a spec by quick plans, for a budget and a deadline; nil and 0: for none.
func costsOf(t *testing.T, spec *instance.Spec) func(budget *big.Rat, deadline instance.Duration) *whatif.CostResult {
	models, err := jigsaw.Models()
	require.NoError(t, err)
	return func(budget *big.Rat, deadline instance.Duration) *whatif.CostResult {
		r, err := whatif.Costs(t.Context(), spec, models, whatif.CostOptions{Options: jigsaw.Options{Quick: true}, Budget: budget, Deadline: deadline})
		require.NoError(t, err)
		return r
	}
}

// TestCosts: choices of nodes have valid plans of what they cost, of which the right ones are chosen, and none beats a bound.
func TestCosts(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../testdata/rented.yaml")
	require.NoError(t, err)
	document, err := codec.Decode(data)
	require.NoError(t, err)
	models, err := jigsaw.Models()
	require.NoError(t, err)
	ask := costsOf(t, document.Spec)
	r := ask(nil, 0)
	require.Len(t, r.Choices, 5, "2, 1 or 0 nodes of one type, 1 or 0 of the other, and not none")
	assert.Equal(t, []int{2, 1}, r.Choices[0].Nodes)
	planned := 0
	for i := range r.Choices {
		c := &r.Choices[i]
		if c.Cost == nil {
			assert.Contains(t, c.Reason, "8 workers exceed the 4 GPUs")
			continue
		}
		planned++
		require.Empty(t, check.Schedule(c.Result.Instance, c.Result.Schedule))
		require.GreaterOrEqual(t, c.Cost.Cmp(r.AtLeast), 0)

		within := ask(c.Cost, 0)
		require.GreaterOrEqual(t, within.Fastest, 0)
		fastest := within.Choices[within.Fastest]
		require.LessOrEqual(t, fastest.Cost.Cmp(c.Cost), 0)
		require.LessOrEqual(t, fastest.Result.Primal.Cmp(c.Result.Primal), 0)
		require.GreaterOrEqual(t, fastest.Result.Primal.Cmp(within.Earliest), 0, "no plan ends before the bound")

		by := ask(nil, instance.Duration(c.Result.Primal.Num().Int64()*1000*r.Instance.TickUS))
		require.GreaterOrEqual(t, by.Cheapest, 0)
		require.False(t, by.TooLate)
		cheapest := by.Choices[by.Cheapest]
		require.LessOrEqual(t, cheapest.Cost.Cmp(c.Cost), 0)
		require.LessOrEqual(t, cheapest.Result.Primal.Cmp(c.Result.Primal), 0)
		require.GreaterOrEqual(t, cheapest.Cost.Cmp(by.CostBy), 0, "no plan costs less than the bound")
	}
	require.Equal(t, 3, planned)

	poor := ask(new(big.Rat).Mul(r.AtLeast, big.NewRat(9, 10)), 1_000_000)
	assert.Equal(t, -1, poor.Fastest)
	assert.Nil(t, poor.Earliest, "proven that there is none")
	assert.Equal(t, -1, poor.Cheapest)
	assert.True(t, poor.TooLate)

	for want, change := range map[string]func(*instance.Spec){
		"not throughput": func(s *instance.Spec) { s.Objective = instance.Throughput },
		"give price_per_hour": func(s *instance.Spec) {
			s.Cluster.GPUTypes = []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 35}, {Name: "spot", Memory: 1 << 35, ProfiledAs: []instance.ProfiledAs{{GPU: "v100"}}}}
		},
	} {
		spec := *document.Spec
		change(&spec)
		_, err := whatif.Costs(t.Context(), &spec, models, whatif.CostOptions{})
		assert.ErrorContains(t, err, want)
	}
}

// TestCostsBetween: for a deadline that all nodes meet and half of them do not, and for a budget between what both cost, numbers of
// nodes in between are tried.
func TestCostsBetween(t *testing.T) {
	t.Parallel()
	document, err := codec.Decode([]byte(`version: 1
cluster:
  gpu_types: [{name: v100, memory: 32GiB, price_per_hour: 3}]
  racks: [{nodes: 8, gpus: 4, gpu: v100, nic: 50Gbit/s, fabric: 600Gbit/s}]
jobs:
  - {name: long, model: resnet50, workers: 4, iterations: 40}
  - {name: short, count: 16, model: resnet50, workers: 4, iterations: 20}`))
	require.NoError(t, err)
	ask := costsOf(t, document.Spec)
	of := func(r *whatif.CostResult, nodes int) *whatif.NodeChoice {
		for i := range r.Choices {
			if r.Choices[i].Nodes[0] == nodes {
				return &r.Choices[i]
			}
		}
		return nil
	}
	r := ask(nil, 0)
	require.Len(t, r.Choices, 4)
	all, half := of(r, 8), of(r, 4)
	between := new(big.Rat).Add(all.Result.Primal, half.Result.Primal)
	end, _ := between.Mul(between, big.NewRat(r.Instance.TickUS*1000, 2)).Float64()

	by := ask(nil, instance.Duration(end))
	require.NotNil(t, of(by, 6))
	cheapest := by.Choices[by.Cheapest]
	assert.Contains(t, []int{5, 6, 7}, cheapest.Nodes[0])
	assert.Negative(t, cheapest.Cost.Cmp(all.Cost))

	within := ask(cheapest.Cost, instance.Duration(end))
	fastest := within.Choices[within.Fastest]
	assert.Contains(t, []int{5, 6, 7}, fastest.Nodes[0])
	assert.Negative(t, fastest.Result.Primal.Cmp(half.Result.Primal))
	for i, c := range within.Choices {
		assert.True(t, i == 0 || c.Nodes[0] < within.Choices[i-1].Nodes[0], "sorted, each once")
	}
}
