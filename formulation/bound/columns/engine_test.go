package columns

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/columns"
	"jigsaw/solver"
	"jigsaw/solver/backend"
	"jigsaw/solver/colgen"
)

// engines returns the build's live engine and its cold one, which reloads the
// whole program for every solve.
func engines(t testing.TB) (live, cold solver.Solver) {
	t.Helper()
	live = boundtest.LiveEngine(t)
	cold, err := backend.OneShot()
	if err != nil {
		t.Skip(err)
	}
	return live, cold
}

// fineMaster is the columns program of an instance with every tick a point.
func fineMaster(in *instance.Instance, horizon int64) *Master {
	due := int64(-1)
	if in.Objective == instance.Makespan {
		due = horizon
	}
	return NewMaster(columns.New(relax.New(in), horizon, due, columns.Grain{Points: horizon, Buckets: horizon}))
}

// TestColdAndLiveColumns solves columns programs with both engines: the values are
// the same, and the bounds agree as far as an engine's reduced costs do. Those may
// have the wrong sign by a little, for each class of jobs.
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
		if relax.Infeasible(in) != nil {
			continue
		}
		cheap := bound.Best(in, area.Chain(in), area.Bound(in))
		horizon := 20 + rng.Int64N(20)
		if objective == instance.Makespan {
			horizon += cheap.Value.Num().Int64()
		}
		s := fineMaster(in, horizon)
		if !s.Planned() {
			continue
		}
		var values, proven []float64
		for _, engine := range []solver.Solver{live, cold} {
			master, r, err := s.Run(context.Background(), engine, nil, colgen.Options{Smoothing: bound.Smoothing, Gap: 1e-9})
			require.NoError(t, err, "seed %d", seed)
			require.NoError(t, master.Close())
			values, proven = append(values, r.Value), append(proven, r.Bound)
		}
		compared++
		assert.InEpsilon(t, 1+values[0], 1+values[1], solver.GapTol/100, "seed %d", seed)
		assert.InEpsilon(t, 1+proven[0], 1+proven[1], 2*solver.GapTol, "seed %d", seed)
	}
	t.Logf("%d programs compared", compared)
	assert.Greater(t, compared, n/2)
}

// BenchmarkColumns measures the gain of a live model: the same columns program
// by an engine that keeps its basis and by one that starts anew.
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
				master, _, err := s.Run(context.Background(), c.engine, nil, colgen.Options{Smoothing: bound.Smoothing, Gap: closeGap})
				require.NoError(b, err)
				_ = master.Close()
			}
		})
	}
}
