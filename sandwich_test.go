package jigsaw_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// TestBoundsOptimumHeuristics holds Plan against brute force on random tiny
// instances of all objectives, SPB rules, memories and networks: every bound
// <= optimum <= every heuristic (turned round for the maximised objectives),
// "infeasible" and "optimal" only where that is so.
func TestBoundsOptimumHeuristics(t *testing.T) {
	per := 550 // instances of each objective
	if testing.Short() {
		per = 20
	}
	for _, objective := range instance.Objectives() {
		t.Run(string(objective), func(t *testing.T) {
			t.Parallel()
			var solved, infeasible, proven, optimal, tight int
			for seed := range uint64(per) {
				rng := rand.New(rand.NewPCG(seed, 2111_10672))
				in := instancetest.Random(rng, instancetest.Options{Objective: objective})
				best, _, status := instancetest.Optimum(in)
				if status == instancetest.Skipped {
					continue
				}
				r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Seed: seed})
				require.NoError(t, err, "seed %d", seed)
				if status == instancetest.Infeasible {
					infeasible++
					require.Nil(t, r.Schedule, "seed %d: a schedule of an infeasible instance", seed)
					if r.Status == jigsaw.Infeasible {
						proven++
						require.NotEmpty(t, r.Reasons)
					}
					continue
				}
				solved++
				require.NotEqual(t, jigsaw.Infeasible, r.Status, "seed %d: %v", seed, r.Reasons)
				for _, b := range r.Bounds {
					require.True(t, b.Certified, "seed %d: %s", seed, b.Kind)
					require.False(t, objective.Better(best, b.Value), "seed %d: %s bound %s, optimum %s", seed, b.Kind, b.Value, best)
				}
				for name, h := range map[string]jigsaw.Baseline{"greedy": r.Greedy, "interleaved-full": r.InterleavedFull, "exclusive": r.Exclusive} {
					if h.Value != nil {
						require.False(t, objective.Better(h.Value, best), "seed %d: %s %s, optimum %s", seed, name, h.Value, best)
					}
				}
				if r.Primal != nil && r.Primal.Cmp(best) == 0 {
					tight++
				}
				if r.Status == jigsaw.Optimal {
					optimal++
					require.Zero(t, r.Primal.Cmp(best), "seed %d: optimal %s, optimum %s", seed, r.Primal, best)
				}
			}
			summary := fmt.Sprintf("%d solved by brute force: plan optimal on %d, proven so on %d; %d infeasible, proven so on %d",
				solved, tight, optimal, infeasible, proven)
			t.Log(summary)
			assert.Greater(t, solved+infeasible, per*9/10, summary)
			assert.Greater(t, tight, solved/2, summary)
			assert.Greater(t, optimal, solved/10, summary)
		})
	}
}
