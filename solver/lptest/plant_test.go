package lptest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
)

// What is planted agrees with gonum wherever gonum has an answer: the suite's
// two independent sources of truth agree, also in builds without any engine.
func TestPlantsAgreeWithGonum(t *testing.T) {
	t.Parallel()
	compared := map[solver.Status]int{}
	for seed := range uint64(150) {
		rng := random(seed)
		s := shape{rows: 1 + rng.IntN(4), cols: 1 + rng.IntN(4), density: 0.8, degenerate: 0.2, equality: 0.1}
		plants := []planted{plantOptimal(rng, s), plantInfeasible(rng, s), plantUnbounded(rng, s)}
		if seed < 5 { // larger, and gonum is slow
			plants = append(plants, setPartitioning(rng), staircase(rng))
		}
		for _, plant := range plants {
			require.NoError(t, plant.problem.Validate())
			status, objective, err := reference(plant.problem)
			if err != nil {
				continue
			}
			require.Equal(t, plant.status, status, "seed %d, %s", seed, plant.problem.Name)
			if status == solver.Optimal {
				require.InDelta(t, plant.objective, objective, objectiveTol*max(1, math.Abs(objective)))
			}
			compared[status]++
		}
	}
	for _, status := range []solver.Status{solver.Optimal, solver.Infeasible, solver.Unbounded} {
		require.Greater(t, compared[status], 40, "%v", status)
	}
}

// Permuting rows and columns, and rescaling them, keeps the program: so gonum's
// optimum, where it has one.
func TestShuffleAndRescaleKeepTheOptimum(t *testing.T) {
	t.Parallel()
	compared := 0
	for seed := range uint64(60) {
		rng := random(seed)
		plant := plantOptimal(rng, shape{rows: 3, cols: 3, density: 0.8})
		for _, p := range []*solver.Problem{shuffle(rng, plant.problem), rescale(rng, plant.problem, 1)} {
			require.NoError(t, p.Validate())
			status, objective, err := reference(p)
			if err != nil {
				continue
			}
			require.Equal(t, solver.Optimal, status)
			require.InDelta(t, plant.objective, objective, objectiveTol*max(1, math.Abs(objective)))
			compared++
		}
	}
	require.Greater(t, compared, 40)
}
