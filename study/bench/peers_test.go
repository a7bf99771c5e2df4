package bench

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// TestCPSATIsExact compares the peer's model with brute force on tiny random
// instances: a comparison with a peer is only meaningful if both solve the same
// problem.
func TestCPSATIsExact(t *testing.T) {
	python, err := filepath.Abs("../../bin/peers/bin/python")
	require.NoError(t, err)
	if _, err := os.Stat(python); err != nil || testing.Short() {
		t.Skip("needs the peers, see `make bench-peers`, and half a minute")
	}
	peers := Peers{Python: python, Scripts: "peers", Work: t.TempDir()}
	compared := 0
	for seed := uint64(0); compared < 20; seed++ {
		rng := rand.New(rand.NewPCG(seed, 7))
		objective := instance.Makespan
		if seed%2 == 1 {
			objective = instance.WeightedCompletion
		}
		in := instancetest.Random(rng, instancetest.Options{Objective: objective, GPUs: 4, Jobs: 3})
		if !uniform(in) {
			continue
		}
		optimum, _, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		c := &Case{Row: Row{"random", "random", objective, seed}, Spec: &instance.Spec{Objective: objective}, Instance: in}
		r := &Record{Row: c.Row, Limit: 60, Origin: Origin{Machine: Machine{Cores: 2}}}
		require.NoError(t, peers.cpsat(t.Context(), c, r, time.Minute), "seed %d", seed)
		assert.Equal(t, "optimal", r.Status, "seed %d", seed)
		require.NotNil(t, r.Primal)
		assert.InDelta(t, *jigsaw.Number(optimum), *r.Primal, 1e-6, "seed %d", seed)
		compared++
	}
}

// TestPrograms has an integer programming code solve a program that the command writes.
func TestPrograms(t *testing.T) {
	python, err := filepath.Abs("../../bin/peers/bin/python")
	require.NoError(t, err)
	jigsaw, err := filepath.Abs("../../bin/jigsaw")
	require.NoError(t, err)
	for _, file := range []string{python, jigsaw} {
		if _, err := os.Stat(file); err != nil {
			t.Skip("needs the peers and the command, see `make test-peers`")
		}
	}
	row, err := ParseRow("tiny-chain-makespan-1")
	require.NoError(t, err)
	c, err := Generate(row)
	require.NoError(t, err)
	peers := Peers{JigSaw: jigsaw, Python: python, Scripts: "peers", Work: t.TempDir()}
	r := &Record{Row: row, Solver: "highs-pool", Limit: 60, Origin: Origin{Machine: Machine{Cores: 2}}}
	require.NoError(t, peers.program(t.Context(), c, r, time.Minute))
	require.NotNil(t, r.Dual)
	assert.LessOrEqual(t, *r.Dual, 55.0, "the optimum of testdata/optima.tsv")
	assert.Positive(t, *r.Dual)
}
