package whatif_test

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/whatif"
)

// TestResilienceOfGroups: where workers have several GPUs, plans whose jobs may all stay are repaired, too.
func TestResilienceOfGroups(t *testing.T) {
	repaired := 0
	for seed := range instancetest.Many(uint64(100), 25) {
		spec := instancetest.GroupedSpec(rand.New(rand.NewPCG(seed, 51)), instancetest.Options{Objective: instance.Makespan})
		r, err := whatif.Resilience(t.Context(), spec, nil, whatif.ResilienceOptions{Failures: 1, NoLP: true})
		require.NoError(t, err, "seed %d", seed)
		for _, h := range r.Harm {
			if h.Repaired != nil {
				repaired++
			}
		}
	}
	require.NotZero(t, repaired)
}

// TestResilienceOfNights holds the harm of failures to plans of hours to what is true of all; of a link of a node it is at most that of the node.
func TestResilienceOfNights(t *testing.T) {
	for _, objective := range []instance.Objective{instance.Makespan, instance.WeightedCompletion} {
		spec := heuristicstest.NightSpec(4, 16, 20_000, objective)
		look := func() *whatif.ResilienceResult {
			r, err := whatif.Resilience(t.Context(), spec, nil, whatif.ResilienceOptions{Failures: 1, NoLP: true})
			require.NoError(t, err)
			return r
		}
		r := look()
		in := r.Plan.Instance
		require.Nil(t, r.Plan.Schedule, "it has too many tasks")
		require.Len(t, r.Harm, len(in.Links)+len(in.Nodes))
		without := map[string]whatif.Harm{}
		for _, h := range r.Harm {
			require.NotNil(t, h.Repaired, "%v: %s", h.Failures, h.Unrepaired)
			require.LessOrEqual(t, h.Replanned.Cmp(h.Repaired), 0)
			require.LessOrEqual(t, h.Bound.Cmp(h.Replanned), 0)
			if len(h.Touched) == 0 {
				require.Zero(t, h.Repaired.Cmp(r.Plan.Primal))
			}
			if node := h.Failures[0].Node; node != "" {
				require.NotEmpty(t, h.Moved)
				require.Subset(t, h.Moved, h.Touched)
				without[node] = h
			}
		}
		for _, h := range r.Harm {
			node, _, _ := strings.Cut(h.Failures[0].Link, ".")
			if n, ok := without[node]; ok && len(h.Touched) > 0 {
				require.LessOrEqual(t, h.Replanned.Cmp(n.Replanned), 0, "%v", h.Failures)
				require.LessOrEqual(t, h.Repaired.Cmp(n.Repaired), 0, "%v", h.Failures)
			}
		}
		before := runtime.GOMAXPROCS(1)
		again := look()
		runtime.GOMAXPROCS(before)
		require.Equal(t, r.Harm, again.Harm, "whatever the number of cores")
	}
}
