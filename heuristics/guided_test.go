package heuristics

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/heuristicstest"
)

// ends returns the end of every iteration of every job in a schedule.
func ends(in *instance.Instance, s *instance.Schedule) [][]instance.Tick {
	targets := make([][]instance.Tick, len(in.Jobs))
	for j := range in.Jobs {
		targets[j] = make([]instance.Tick, in.Jobs[j].Iterations)
	}
	for _, t := range s.Tasks {
		targets[t.Job][t.Iteration-1] = max(targets[t.Job][t.Iteration-1], t.End)
	}
	return targets
}

func TestGuided(t *testing.T) {
	for name, m := range heuristicstest.Mediums() {
		if name == "limits" || testing.Short() && name != "thin gangs" {
			continue // a single pass need not meet deadlines
		}
		m.Jobs, m.Iterations = 8, 4
		seeds := uint64(2)
		if testing.Short() {
			seeds = 1
		}
		for seed := range seeds {
			m.Objective = heuristicstest.Finite(seed)
			in := m.Instance(t, seed)
			good, err := Greedy(t.Context(), in, heuristicstest.Source(seed))
			if err != nil {
				continue
			}
			s, err := Config{}.Guided(t.Context(), in, heuristicstest.Source(seed), ends(in, good))
			require.NoError(t, err, name)
			require.Empty(t, check.Schedule(in, s), name)
			t.Logf("%s, %s: greedy %s, after its ends %s", name, in.Objective, in.Value(good).RatString(), in.Value(s).RatString())
			assert.Less(t, ratio(in.Value(s), in.Value(good)), 1.3, name)
		}
	}
}

func TestGuidedRefuses(t *testing.T) {
	in := heuristicstest.Mediums()["plain"].Instance(t, 1)
	_, err := Config{}.Guided(t.Context(), in, heuristicstest.Source(1), nil)
	require.ErrorContains(t, err, "targets for 0 jobs")
	targets := make([][]instance.Tick, len(in.Jobs))
	_, err = Config{}.Guided(t.Context(), in, heuristicstest.Source(1), targets)
	require.ErrorContains(t, err, "jobs[0]")
}
