package timeindexed_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/timeindexed"
)

// TestTimeIndexedSize: a program has at least the size computed before it is built, and
// with many ticks not many times that size.
func TestTimeIndexedSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	for i := range 120 {
		objective := instance.Objectives()[i%4]
		in := instancetest.Random(rng, instancetest.Options{Objective: objective, Jobs: 2, GPUs: 3, Workers: 2, Iterations: 5, MaxPeriod: 12})
		options := timeindexed.Options{Granularity: timeindexed.Granularities()[i/4%3]}
		options.Horizon = 60
		if objective.Periodic() {
			options.Horizon, options.Period = 0, min(12, max(1, in.MaxPeriod))
		}
		least, err := timeindexed.Size(in, options)
		require.NoError(t, err)
		program, err := timeindexed.New(in, options)
		require.NoError(t, err)
		p := program.Problem
		size := float64(p.Rows() + p.Cols() + len(p.Index))
		assert.LessOrEqual(t, least, size, "%d, %s", i, objective)
		if !objective.Periodic() {
			assert.LessOrEqual(t, size, 4*least+4000, "%d, %s", i, objective)
		}
	}
}
