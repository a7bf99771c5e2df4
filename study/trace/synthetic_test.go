package trace

import (
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance/profiles"
	"jigsaw/study/replay"
)

func TestSynthetic(t *testing.T) {
	c, err := replay.ParseCluster("2x8")
	require.NoError(t, err)
	got, err := Synthetic(2000, 0.8, c, 5)
	require.NoError(t, err)
	again, err := Synthetic(2000, 0.8, c, 5)
	require.NoError(t, err)
	require.Equal(t, got, again)
	other, err := Synthetic(2000, 0.8, c, 6)
	require.NoError(t, err)
	require.NotEqual(t, got, other)

	table, err := BuiltinTable(DefaultTable(got.Format))
	require.NoError(t, err)
	library, err := profiles.Builtin()
	require.NoError(t, err)
	w, err := Workload(got, table, library, c, Options{})
	require.NoError(t, err)
	require.InDelta(t, 0.8, replay.LoadOf(w, c).Offered, 0.1)
	for i := range w.Jobs {
		require.LessOrEqual(t, w.ClassOf(i).GPUs, 16, "what does not fit is not drawn")
		require.GreaterOrEqual(t, w.Alone(i), 59.0)
	}
	_, err = Synthetic(0, 1, c, 0)
	require.ErrorContains(t, err, "1 to 1048576 jobs")
}
