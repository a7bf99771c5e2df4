package heuristics_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics"
)

// TestResidents: jobs that are in memory when the plan begins stay on their GPUs in every search.
func TestResidents(t *testing.T) {
	seeds := instancetest.Many(uint64(200), 60)
	kept, moved, groups := 0, 0, 0
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 31))
		draw := instancetest.Random
		if seed%4 == 3 {
			draw = instancetest.Grouped
		}
		in := *draw(rng, instancetest.Options{Jobs: 5, Iterations: 6, GPUs: 8, Objective: []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]})
		first, err := heuristics.Config{Tries: 1}.Greedy(t.Context(), &in, rng)
		if err != nil {
			continue
		}
		in.Jobs = slices.Clone(in.Jobs)
		for j := range in.Jobs {
			if rng.IntN(2) == 0 {
				in.Jobs[j].Resident, in.Jobs[j].Load = first.Residency[j], 0
			}
		}
		s, err := heuristics.Config{Rounds: 2, Tries: 20}.Improve(t.Context(), &in, rng, nil)
		if err != nil {
			continue // placed one by one, jobs may not fit beside those in memory
		}
		require.Empty(t, check.Schedule(&in, s), "seed %d", seed)
		for j := range in.Jobs {
			switch {
			case in.Jobs[j].Resident != nil:
				kept++
				if in.Jobs[j].Group() > 1 {
					groups++
				}
			case !slices.Equal(first.Residency[j], s.Residency[j]):
				moved++
			}
		}
	}
	require.Greater(t, kept, int(seeds*3/4))
	require.Greater(t, groups, int(seeds/20))
	require.Greater(t, moved, int(seeds/8))
}
