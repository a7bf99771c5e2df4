package formulation

import (
	"context"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// TestPacking holds the packing bound against brute force, with and without
// rounding to units, and proves its certificates.
func TestPacking(t *testing.T) {
	engine := liveEngine(t)
	n := 1500
	if testing.Short() {
		n = 150
	}
	proven, better := 0, 0
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 8))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan, Jobs: 4})
		if Infeasible(in) != nil {
			continue
		}
		best, _, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		limits := PackingLimits{Known: big.NewRat(1, 1), Until: new(big.Rat).Add(best, big.NewRat(5, 1))}
		b, err := Packing(context.Background(), in, engine, limits)
		require.NoError(t, err)
		if b.Value == nil {
			continue
		}
		proven++
		require.False(t, b.Value.Cmp(best) > 0, "seed %d: bound %s, optimum %s", seed, b.Value, best)
		if b.Value.Cmp(Best(in, Chain(in), Area(in)).Value) > 0 {
			better++
		}
		data, err := json.Marshal(b.Proof(in))
		require.NoError(t, err)
		var read Certificate
		require.NoError(t, json.Unmarshal(data, &read))
		_, err = VerifyCertificate(in, &read)
		require.NoError(t, err, "seed %d", seed)
		read.Plans.Due++
		_, err = VerifyCertificate(in, &read)
		require.Error(t, err, "seed %d", seed)
	}
	t.Logf("%d bounds, %d better than chain and area", proven, better)
	assert.Greater(t, proven, n/2)
	assert.Greater(t, better, proven/50)
}

