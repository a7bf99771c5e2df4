package columns_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/bound/columns"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// TestQueueing: for jobs that queue, ignoring memory and loading before the release, plans take no longer than the
// optimum.
func TestQueueing(t *testing.T) {
	t.Parallel()
	engine := boundtest.LiveEngine(t)
	count := 1000
	if testing.Short() {
		count = 100
	}
	rng := rand.New(rand.NewPCG(19, 8))
	solved, better := 0, 0
	for range count {
		in := instancetest.Queueing(rng, instance.WeightedCompletion)
		optimum, _, status := instancetest.OptimumWithin(in, 40_000)
		if status != instancetest.Optimal {
			continue
		}
		solved++
		roomy := in.Roomy()
		b, err := columns.Bound(context.Background(), roomy, engine, columns.Limits{})
		require.NoError(t, err)
		require.LessOrEqual(t, b.Value.Cmp(optimum), 0, "%s above %s\n%+v", b.Value, optimum, in.Jobs)
		if bound.Best(roomy, area.Chain(roomy), area.Bound(roomy)).Value.Cmp(b.Value) < 0 {
			better++
		}
	}
	require.Greater(t, solved, count*3/4)
	require.Greater(t, better, count/10)
}
