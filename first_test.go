package jigsaw_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw"
)

// The first plan is the quick one without linear programs, to the last task; plans in blocks are left to Plan.
func TestFirstIsTheQuickPlan(t *testing.T) {
	t.Parallel()
	examples, err := jigsaw.Examples()
	require.NoError(t, err)
	made := 0
	for _, e := range examples {
		if e.Name == "burst" {
			continue // a plan of another kind
		}
		in, err := jigsaw.Load(e.Data)
		require.NoError(t, err, e.Name)
		if testing.Short() && in.Tasks() > 2000 {
			continue
		}
		first, err := jigsaw.First(t.Context(), in, jigsaw.Options{Seed: 3})
		if err != nil {
			require.ErrorIs(t, err, jigsaw.ErrNotFirst, e.Name)
			continue
		}
		made++
		plan, err := jigsaw.Plan(t.Context(), in, jigsaw.Options{Seed: 3, Quick: true, NoLP: true})
		require.NoError(t, err, e.Name)
		want, got := plan.Document(true), first.Document(true)
		want.Notes, got.Notes = nil, nil
		require.Equal(t, want, got, e.Name)
	}
	require.GreaterOrEqual(t, made, 5)
}
