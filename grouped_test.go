package jigsaw_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// TestGrouped holds plans of jobs whose workers have several GPUs against brute force: bounds <=
// optimum <= plan, certificates that check, and infeasible only where that is so. That plans pass the check is Plan's own rule.
func TestGrouped(t *testing.T) {
	per := 60
	if testing.Short() {
		per = 15
	}
	solved, tight, infeasible, planned := 0, 0, 0, 0
	for _, objective := range instance.Objectives() {
		for seed := range uint64(per) {
			in := instancetest.Grouped(rand.New(rand.NewPCG(seed, 23)), instancetest.Options{Objective: objective, Jobs: 2, Workers: 4})
			best, _, status := instancetest.OptimumWithin(in, 200_000)
			if status == instancetest.Skipped {
				continue
			}
			r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Seed: seed, Quick: objective.Periodic()})
			require.NoError(t, err, "%s, seed %d", objective, seed)
			if status == instancetest.Infeasible {
				infeasible++
				require.Nil(t, r.Schedule, "%s, seed %d", objective, seed)
				continue
			}
			solved++
			require.NotEqual(t, jigsaw.Infeasible, r.Status, "%s, seed %d: %v", objective, seed, r.Reasons)
			for _, b := range r.Bounds {
				require.False(t, objective.Better(best, b.Value), "%s, seed %d: %s bound %s, optimum %s", objective, seed, b.Kind, b.Value, best)
			}
			if r.Primal != nil {
				planned++
				require.False(t, objective.Better(r.Primal, best), "%s, seed %d", objective, seed)
				if r.Primal.Cmp(best) == 0 {
					tight++
				}
			}
		}
	}
	t.Logf("%d solved by brute force, %d planned, plans optimal on %d; %d infeasible", solved, planned, tight, infeasible)
	assert.Greater(t, tight, solved*2/3)
}
