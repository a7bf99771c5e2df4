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

// TestPolicies holds plans of jobs that obey policies against brute force: bounds <= optimum
// <= plan, and infeasible only where that is so. That plans pass the check is Plan's own rule.
func TestPolicies(t *testing.T) {
	per := 40
	if testing.Short() {
		per = 12
	}
	changed, solved, tight, infeasible := 0, 0, 0, 0
	for _, objective := range instance.Objectives() {
		for seed := range uint64(per) {
			in := instancetest.Policed(rand.New(rand.NewPCG(seed, 22)), instancetest.Options{Objective: objective, Jobs: 2, Workers: 4})
			best, schedule, status := instancetest.OptimumWithin(in, 200_000)
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
				require.False(t, objective.Better(r.Primal, best), "%s, seed %d", objective, seed)
				if r.Primal.Cmp(best) == 0 {
					tight++
				}
			}
			for j, home := range schedule.Residency {
				with, _ := in.SpanOf(&in.Jobs[j], home)
				if without, ok := in.Span(home); ok && len(home) > 0 && with.Slowest != without.Slowest {
					changed++
				}
			}
		}
	}
	t.Logf("%d solved by brute force, plans optimal on %d; %d infeasible; %d jobs whose policy changes their speed", solved, tight, infeasible, changed)
	assert.Positive(t, infeasible)
	assert.Positive(t, changed)
	assert.Greater(t, tight, solved/2)
}
