package bench

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// TestCPSATIsExact compares the peer's model with brute force on tiny random
// instances: a comparison with a peer is worth something only if both solve the
// same problem.
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
		r := &Record{Row: c.Row, Limit: 60, Machine: Machine{Cores: 2}}
		require.NoError(t, peers.cpsat(t.Context(), c, r, time.Minute), "seed %d", seed)
		assert.Equal(t, "optimal", r.Status, "seed %d", seed)
		require.NotNil(t, r.Primal)
		assert.InDelta(t, *float(optimum), *r.Primal, 1e-6, "seed %d", seed)
		compared++
	}
}
