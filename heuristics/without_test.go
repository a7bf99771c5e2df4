package heuristics

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/method"
)

// TestWithout: plans are valid whatever is switched off; and with everything switched off
// no method is left that improves a greedy plan.
func TestWithout(t *testing.T) {
	// Methods of bounds, long plans and baselines, which no schedule made here uses.
	elsewhere := []method.Name{method.Arrivals, method.Phases, method.Scaling, method.ExclusiveSearch, method.Fluid, method.Packing, method.Columns, method.Periods, method.Tree}
	for _, objective := range []instance.Objective{instance.Makespan, instance.Throughput} {
		m := heuristicstest.Mediums()["plain"]
		m.Jobs, m.Iterations, m.Objective = 5, 3, objective
		in := m.Instance(t, 1)
		plan := func(without method.Set) *instance.Schedule {
			s, err := Config{Rounds: 1, Quick: true, Without: without}.Improve(t.Context(), in, heuristicstest.Source(1), nil)
			require.NoError(t, err, "%v", without)
			require.Empty(t, check.Schedule(in, s), "%v", without)
			return s
		}
		none := method.Set{}
		for _, m := range method.All() {
			if none[m.Name] = true; !slices.Contains(elsewhere, m.Name) {
				plan(method.Set{m.Name: true})
			}
		}
		greedy, err := Config{Quick: true, Without: none}.Greedy(t.Context(), in, heuristicstest.Source(1))
		require.NoError(t, err)
		assert.Equal(t, greedy, plan(none))
	}
}
