package horizon_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/horizon"
)

// TestCells: what companies of jobs do on cells is valid, also where memory makes them take turns and where
// iterations do not divide into patterns, and is the same again.
func TestCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 8))
	made, turns := 0, 0
	for n := range 150 {
		in := draw(rng, []instance.Objective{instance.Makespan, instance.WeightedCompletion}[n%2])
		for j := range in.Jobs {
			in.Jobs[j].Iterations = 1 + rng.IntN(200)
		}
		plan := func() (*instance.BlockSchedule, error) {
			return horizon.Config{Quick: true}.Cells(context.Background(), in, rand.New(rand.NewPCG(1, 1)))
		}
		s, err := plan()
		if err != nil {
			var none *horizon.NoPlan
			require.True(t, errors.As(err, &none) || len(in.Nodes) > 1, "%v", err) // one cell may be all that there is
			continue
		}
		made++
		require.Empty(t, check.Blocks(in, s))
		written, err := s.Expand(in)
		require.NoError(t, err)
		require.Empty(t, check.Schedule(in, written))
		again, err := plan()
		require.NoError(t, err)
		require.Equal(t, s, again)
		if len(check.Blocks(in.Resident(), s)) > 0 {
			turns++
		}
	}
	t.Logf("%d plans, of which %d take turns in memory", made, turns)
	require.Greater(t, made, 75)
	require.Positive(t, turns)
}
