package list

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"testing"

	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
)

// TestDecoders checks the schedules of both decoders for every rule and
// patience, except deadlines, which a single decision need not meet.
func TestDecoders(t *testing.T) {
	for name, m := range heuristicstest.Mediums() {
		t.Run(name, func(t *testing.T) {
			m.Jobs, m.Iterations = 12, 8
			in := m.Instance(t, 11)
			counts := state.CheapestMultisets(in)
			where, counts, err := placement.Place(t.Context(), in, placement.Options{Counts: counts, Noise: heuristicstest.Source(1)})
			require.NoError(t, err)
			l := state.NewLayout(in)
			dispatch, insert, out := NewDispatcher(in, l), newInserter(in, l), NewRecord(l, len(in.Jobs))
			for r := LongestChain; r <= CriticalRatio; r++ {
				base, slope := Measure(in, where, counts).Keys(in, r)
				for patience := range 6 {
					d := &Decision{Counts: counts, Where: where, Base: base, Slope: slope, Patience: patience}
					var by decoder = dispatch
					if patience == 5 {
						by = insert
					}
					require.NoError(t, by.Decode(t.Context(), d, out))
					s := out.Schedule(in, l)
					assert.Equal(t, s.Completion(in), out.Completion)
					for _, v := range check.Schedule(in, s) {
						require.Equal(t, 10, v.Rule, "rule %d, patience %d: %v", r, patience, v)
					}
				}
			}
		})
	}
}
