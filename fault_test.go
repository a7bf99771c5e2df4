package jigsaw_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/solver"
	"jigsaw/solver/backend"
	"jigsaw/solver/lptest"
)

// defaultEngine returns the engine of this build.
func defaultEngine(t *testing.T) solver.Solver {
	t.Helper()
	engine, err := backend.Default()
	if err != nil {
		t.Skip(err)
	}
	return engine
}

// requireSound checks what holds whatever the engine does: the schedule is
// valid and no worse than without linear programs, and every bound called
// certified is proven by its certificate.
func requireSound(t *testing.T, in *instance.Instance, r, without *jigsaw.Result) {
	t.Helper()
	if without.Primal != nil {
		require.NotNil(t, r.Primal, "the incumbent was lost: %v", r.Reasons)
		require.False(t, in.Objective.Better(without.Primal, r.Primal), "%s, without linear programs %s", r.Primal, without.Primal)
	}
	if r.Schedule != nil {
		require.Empty(t, check.Schedule(in, r.Schedule))
		require.Zero(t, in.Value(r.Schedule).Cmp(r.Primal))
	}
	for i := range r.Bounds {
		if proof := r.Bounds[i].Proof(in); proof != nil {
			_, err := jigsaw.Certify(context.Background(), in, proof)
			require.NoError(t, err)
		}
	}
	if r.Status != jigsaw.Infeasible {
		require.True(t, r.Certified)
		require.NotNil(t, r.Proof)
		require.Zero(t, r.Proof.Bound.Cmp(r.Dual))
	}
}

// TestFaultyEngineNeverLies bounds and plans tiny instances with engines that
// go wrong in every way, from the first call on or later, always or now and
// then: no bound or status contradicts brute force, and no incumbent is lost.
func TestFaultyEngineNeverLies(t *testing.T) {
	engine := defaultEngine(t)
	per, planned := uint64(60), uint64(4) // instances of each fault, and those planned in full
	if testing.Short() {
		per, planned = 6, 1
	}
	for _, fault := range lptest.Faults() {
		if fault == lptest.Deaf {
			continue // TestDeafEngine
		}
		t.Run(fault.String(), func(t *testing.T) {
			t.Parallel()
			solved, noted := 0, 0
			for seed := range per {
				rng := rand.New(rand.NewPCG(seed, uint64(fault)))
				objective := instance.Objectives()[seed%4]
				in := instancetest.Random(rng, instancetest.Options{Objective: objective})
				best, _, status := instancetest.Optimum(in)
				if status == instancetest.Skipped {
					continue
				}
				faulty := lptest.Faulty(engine, lptest.FaultPlan{
					Fault: fault, After: rng.IntN(4) * rng.IntN(4), Rate: []float64{0, 0.3}[rng.IntN(2)], Seed: seed,
				})
				opt := jigsaw.Options{Seed: seed, NoLP: true}
				run := jigsaw.Bound
				if seed < planned {
					run = jigsaw.Plan
				}
				without, err := run(context.Background(), in, opt)
				require.NoError(t, err, "seed %d", seed)
				opt.NoLP, opt.Solver = false, faulty
				r, err := run(context.Background(), in, opt)
				require.NoError(t, err, "seed %d", seed)
				requireSound(t, in, r, without)
				if len(r.Notes) > 0 {
					noted++
				}
				if status == instancetest.Infeasible {
					require.Nil(t, r.Schedule, "seed %d", seed)
					continue
				}
				solved++
				require.NotEqual(t, jigsaw.Infeasible, r.Status, "seed %d: %v", seed, r.Reasons)
				for _, b := range r.Bounds {
					require.False(t, objective.Better(best, b.Value), "seed %d: %s bound %s, optimum %s", seed, b.Kind, b.Value, best)
				}
				if r.Status == jigsaw.Optimal {
					require.Zero(t, r.Primal.Cmp(best), "seed %d: optimal %s, optimum %s", seed, r.Primal, best)
				}
			}
			t.Logf("%d solved by brute force; a note on %d", solved, noted)
			assert.Greater(t, solved, int(per)/2)
		})
	}
}

// TestFaultyEngineExamples plans shipped examples the same way, quickstart for
// two objectives: each fault meets every other example.
func TestFaultyEngineExamples(t *testing.T) {
	engine := defaultEngine(t)
	if testing.Short() {
		t.Skip("the full tier plans them")
	}
	for at, name := range []string{"quickstart", "periodic", "tight-memory", "infeasible"} {
		for _, objective := range []instance.Objective{"", instance.WeightedCompletion} {
			in := example(t, name)
			if objective != "" {
				if name != "quickstart" {
					continue
				}
				in = withObjective(t, name, objective)
			}
			without, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{NoLP: true})
			require.NoError(t, err)
			for _, fault := range lptest.Faults() {
				if fault == lptest.Deaf || (int(fault)+at)%2 == 1 {
					continue
				}
				t.Run(name+"/"+string(in.Objective)+"/"+fault.String(), func(t *testing.T) {
					plan := lptest.FaultPlan{Fault: fault, After: []int{0, 2, 9}[int(fault)%3]}
					r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Solver: lptest.Faulty(engine, plan)})
					require.NoError(t, err)
					assert.Equal(t, without.Status == jigsaw.Infeasible, r.Status == jigsaw.Infeasible)
					requireSound(t, in, r, without)
				})
			}
		}
	}
}

// withObjective compiles an example for another objective.
func withObjective(t *testing.T, name string, objective instance.Objective) *instance.Instance {
	t.Helper()
	document, models := documentAndModels(t, name)
	document.Spec.Objective = objective
	in, err := document.Compile(models)
	require.NoError(t, err)
	return in
}

// TestDeafEngine: an engine that is deaf to its context, at first or later,
// holds a plan with a time limit up by a grace period at most.
func TestDeafEngine(t *testing.T) {
	engine := defaultEngine(t)
	if testing.Short() {
		t.Skip("it waits; TestFaultyEngine has an engine that never comes back")
	}
	in := withObjective(t, "quickstart", instance.WeightedCompletion)
	for _, after := range []int{0, 1, 5} {
		faulty := lptest.Faulty(engine, lptest.FaultPlan{Fault: lptest.Deaf, After: after, Delay: 5 * time.Second})
		start := time.Now()
		r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Solver: faulty, Time: time.Second})
		require.NoError(t, err)
		assert.Less(t, time.Since(start), 4500*time.Millisecond, "after %d: the engine sleeps longer", after)
		require.NotNil(t, r.Schedule)
		assert.True(t, r.Certified)
		assert.Contains(t, strings.Join(r.Notes, "\n"), "did not stop when told to")
	}
}
