package packing_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/bound/packing"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax/verify"
)

// TestQueueing: for jobs that queue, with memory for all at once and loads before the release, the packing bound is at
// most the optimum, and can be proven again.
func TestQueueing(t *testing.T) {
	t.Parallel()
	engine := boundtest.LiveEngine(t)
	count := 1000
	if testing.Short() {
		count = 150
	}
	rng := rand.New(rand.NewPCG(19, 9))
	solved, better := 0, 0
	for range count {
		in := instancetest.Queueing(rng, instance.Makespan)
		optimum, _, status := instancetest.OptimumWithin(in, 40_000)
		if status != instancetest.Optimal {
			continue
		}
		solved++
		roomy := in.Roomy()
		known := bound.Best(roomy, area.Chain(roomy), area.Bound(roomy)).Value
		b, err := packing.Bound(context.Background(), roomy, engine, packing.Limits{Known: known})
		require.NoError(t, err)
		if b.Value == nil {
			continue
		}
		require.LessOrEqual(t, b.Value.Cmp(optimum), 0, "%s above %s\n%+v", b.Value, optimum, in.Jobs)
		_, err = verify.Certificate(context.Background(), roomy, b.Proof(roomy))
		require.NoError(t, err)
		if known.Cmp(b.Value) < 0 {
			better++
		}
	}
	require.Greater(t, solved, count*3/4)
	require.Greater(t, better, count/20)
}
