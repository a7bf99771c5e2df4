package horizon

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/heuristicstest"
)

// TestSearching: with patterns that are searched a plan is valid, and ends sooner. A context that has ended changes nothing.
func TestSearching(t *testing.T) {
	t.Parallel()
	in := heuristicstest.Night(t, 2, 12, 60_000, instance.Makespan)
	s := newSharing(in, 1)
	r := rule{order: s.orders()[0], crowd: crowds[0], pace: paces[0], end: s.chain, detail: details[0]}
	plan := func(ctx context.Context) *instance.BlockSchedule {
		m := s.begin(r)
		if ctx != nil {
			m.search = &searching{ctx, rand.New(rand.NewPCG(1, 1)), len(in.GPUs), s.chain}
		}
		made := m.run(t.Context())
		require.NotNil(t, made)
		require.Empty(t, check.Blocks(in, made))
		return made
	}
	made := plan(nil)
	searched := plan(t.Context())
	t.Logf("%v, searched %v", in.Duration(made.Makespan(in)), in.Duration(searched.Makespan(in)))
	require.Less(t, searched.Makespan(in), made.Makespan(in))
	ended, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	require.Equal(t, made, plan(ended))
}
