package formulation

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/solver"
	"jigsaw/solver/backend"
	"jigsaw/solver/colgen"
)

// liveEngine returns the build's engine, and skips the test where there is none.
func liveEngine(t testing.TB) solver.Solver {
	t.Helper()
	engine, err := backend.Default()
	if err != nil {
		t.Skip(err)
	}
	return engine
}

// engines returns the build's live engine and its cold one, which loads the
// whole program anew for every solve.
func engines(t testing.TB) (live, cold solver.Solver) {
	t.Helper()
	live = liveEngine(t)
	cold, err := backend.OneShot()
	if err != nil {
		t.Skip(err)
	}
	return live, cold
}

// fineMaster is the columns program of an instance whose every tick is a point.
func fineMaster(in *instance.Instance, horizon int64) *master {
	due := int64(-1)
	if in.Objective == instance.Makespan {
		due = horizon
	}
	return newMaster(newModel(in), horizon, due, planGrain{horizon, horizon})
}

// TestColdAndLiveColumns solves columns programs with both engines: the values are
// the same, and the bounds as far as an engine's reduced costs are. Those may be of
// the wrong sign by a little, and each class of jobs has a share in it.
func TestColdAndLiveColumns(t *testing.T) {
	live, cold := engines(t)
	n, compared := 200, 0
	if testing.Short() {
		n = 20
	}
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 10))
		objective := []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]
		in := instancetest.Random(rng, instancetest.Options{Objective: objective, Jobs: 6, GPUs: 6, Iterations: 4})
		if Infeasible(in) != nil {
			continue
		}
		bound := Best(in, Chain(in), Area(in))
		horizon := 20 + rng.Int64N(20)
		if objective == instance.Makespan {
			horizon += bound.Value.Num().Int64()
		}
		s := fineMaster(in, horizon)
		if !s.planned() {
			continue
		}
		var values, bounds []float64
		for _, engine := range []solver.Solver{live, cold} {
			master, r, err := s.run(context.Background(), engine, nil, colgen.Options{Smoothing: smoothing, Gap: 1e-9})
			require.NoError(t, err, "seed %d", seed)
			require.NoError(t, master.Close())
			values, bounds = append(values, r.Value), append(bounds, r.Bound)
		}
		compared++
		assert.InEpsilon(t, 1+values[0], 1+values[1], solver.GapTol/100, "seed %d", seed)
		assert.InEpsilon(t, 1+bounds[0], 1+bounds[1], 2*solver.GapTol, "seed %d", seed)
	}
	t.Logf("%d programs compared", compared)
	assert.Greater(t, compared, n/2)
}

// BenchmarkColumns measures what a live model is worth: the same columns
// program by an engine that keeps its basis and by one that starts anew.
func BenchmarkColumns(b *testing.B) {
	live, cold := engines(b)
	for _, c := range []struct {
		name   string
		engine solver.Solver
	}{{"live", live}, {"cold", cold}} {
		b.Run(c.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 11))
			in := instancetest.Random(rng, instancetest.Options{Objective: instance.WeightedCompletion, Jobs: 40, GPUs: 16, Workers: 4, Iterations: 8})
			s := fineMaster(in, 200)
			for b.Loop() {
				master, _, err := s.run(context.Background(), c.engine, nil, colgen.Options{Smoothing: smoothing, Gap: closeGap})
				require.NoError(b, err)
				_ = master.Close()
			}
		})
	}
}
