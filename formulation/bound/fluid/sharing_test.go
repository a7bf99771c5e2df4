package fluid

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/fluid"
)

// TestSharingAgainstOptima compares the rates programs with brute force, with all
// co-resident sets and with few, so that there is an aggregate set.
func TestSharingAgainstOptima(t *testing.T) {
	s := boundtest.Engine(t)
	seeds := uint64(2000)
	if testing.Short() {
		seeds = 150
	}
	known, tighter, met := 0, 0, 0
	for seed := range seeds {
		objective := []instance.Objective{instance.Throughput, instance.MaxMinThroughput}[seed%2]
		options := instancetest.Options{Objective: objective, MaxPeriod: 8, GPUs: 3}
		if seed%4 < 2 {
			options.Jobs, options.Workers, options.MaxPeriod = 4, 2, 7
		}
		in := instancetest.Random(rand.New(rand.NewPCG(seed, 21)), options)
		optimum, _, status := instancetest.OptimumWithin(in, 200_000)
		if status != instancetest.Optimal {
			continue
		}
		known++
		plain := 0.0
		for _, most := range []int{0, 3, 8, fluid.MostCoResidentSets} {
			b, err := fluidBound(context.Background(), relax.New(in), s, Limits{}, fluid.Detail{Columns: 50, ClassesApart: fluid.FewClasses, CoResidentSets: most})
			require.NoError(t, err)
			require.NotNil(t, b.Value)
			require.True(t, b.Certified)
			require.False(t, objective.Better(optimum, b.Value), "seed %d, %d co-resident sets: claims %v, the optimum is %v", seed, most, b.Value, optimum)
			value, _ := b.Value.Float64()
			if most == 0 {
				plain = value
			}
			if most == fluid.MostCoResidentSets {
				require.LessOrEqual(t, value, plain*(1+1e-6), "seed %d: weaker than without", seed)
				if value < plain*(1-1e-6) {
					tighter++
				}
				if b.Value.Cmp(optimum) == 0 {
					met++
				}
			}
		}
	}
	t.Logf("%d optima, %d bounds are tighter than without co-resident sets, %d meet the optimum", known, tighter, met)
	assert.Positive(t, tighter)
}
