package queue

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/heuristicstest"
)

// TestPatience: on GPUs that are four times as fast two jobs end sooner one after the other than side by side;
// of five jobs one goes to the slow ones.
func TestPatience(t *testing.T) {
	fast, slow := heuristicstest.TypeOf("fast", 2_000_000), heuristicstest.TypeOf("slow", 500_000)
	in := heuristicstest.TwoSpeeds(t, 2, slow, fast)
	s, err := FirstCome(in)
	require.NoError(t, err)
	require.EqualValues(t, 40, s.Makespan(in))
	in = heuristicstest.TwoSpeeds(t, 5, slow, fast)
	s, _, err = Search{Whole: true, Rounds: 50}.Orders(context.Background(), in, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	require.EqualValues(t, 80, s.Makespan(in))
}

// TestUnitsOnEachKind: a unit is made on any kind of nodes, whatever comes first in the file, and stays on nodes of its kind.
func TestUnitsOnEachKind(t *testing.T) {
	in := heuristicstest.TwoSpeeds(t, 3, heuristicstest.TypeOf("fast", 2_000_000), heuristicstest.TypeOf("slow", 500_000))
	rng := rand.New(rand.NewPCG(1, 1))
	f := newFormer(New(in), rng, nil)
	known := map[int]instance.Tick{}
	for range 20 {
		u := f.q.Unit(f.form(t.Context(), in.AllJobs()[:2], -1, rng))
		require.NotNil(t, u)
		known[u.Kind] = u.Length
		again := f.q.Unit(f.form(t.Context(), in.AllJobs(), u.Kind, rng))
		require.NotNil(t, again)
		require.Equal(t, u.Kind, again.Kind)
	}
	require.Len(t, known, 2)
	require.Equal(t, 4*known[f.q.kinds[0]], known[f.q.kinds[1]])
}
