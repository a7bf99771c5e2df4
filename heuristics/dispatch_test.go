package heuristics

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDispatchNoDepth decodes a placement whose limits are too low for the
// multisets: the decoder refuses it, and works as before afterwards.
func TestDispatchNoDepth(t *testing.T) {
	m := mediums()["plain"]
	m.jobs, m.iterations = 8, 6
	in := m.instance(t, 1)
	counts := startCounts(in)
	where, err := placeHard(in, placing{counts: counts})
	require.NoError(t, err)
	base, slope := measure(in, where, counts).keys(in, evenProgress)
	d := &decision{counts: counts, where: where, base: base, slope: slope}
	l := newLayout(in)
	s, out := newDispatcher(in, l), l.newRecord(len(in.Jobs))
	require.NoError(t, s.decode(t.Context(), d, out))
	want := out.schedule(in, l)

	low := *where
	low.limit = make([][]int, len(in.Jobs)) // every worker at the shallowest depth only
	for j := range in.Jobs {
		low.limit[j] = make([]int, in.Jobs[j].Workers)
	}
	d.where = &low
	require.ErrorIs(t, s.decode(t.Context(), d, out), errNoDepth)

	d.where = where
	require.NoError(t, s.decode(t.Context(), d, out))
	require.Equal(t, want, out.schedule(in, l))
}
