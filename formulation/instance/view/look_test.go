package view

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// TestLook writes pictures to the folder $VIEW_LOOK, for people. Without it the
// full tier draws them all the same, and throws them away.
func TestLook(t *testing.T) {
	dir := os.Getenv("VIEW_LOOK")
	if dir == "" {
		if testing.Short() {
			t.Skip("the full tier draws them")
		}
		dir = t.TempDir()
	}
	write := func(name string, in *instance.Instance, s *instance.Schedule, opt GanttOptions) {
		var b bytes.Buffer
		require.NoError(t, Gantt(&b, in, s, opt))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".svg"), b.Bytes(), 0o644))
		b.Reset()
		require.NoError(t, Trace(&b, in, s))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".json"), b.Bytes(), 0o644))
	}
	in, s := quickstart(t)
	write("quickstart", in, s, GanttOptions{Bound: 0.83 * float64(s.Makespan(in)), Certified: true})
	in, s = rack(t)
	write("rack", in, s, GanttOptions{Bound: 0.97 * float64(s.Makespan(in))})
	in, s = periodic(t)
	write("periodic", in, s, GanttOptions{Bound: 0.0151})
	in, s = hetero(t)
	write("hetero", in, s, GanttOptions{})
	in, s = large(t, 32, 6)
	write("large", in, s, GanttOptions{})
	in, s = large(t, 32, 50)
	write("long", in, s, GanttOptions{})
	in, s = large(t, 32, 100)
	write("vast", in, s, GanttOptions{})
	in, s = large(t, 100, 2)
	write("huge", in, s, GanttOptions{})
}
