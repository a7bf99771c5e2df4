package relax_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
)

// TestChainOfPeriods: the chain bound of rates is that of the best of all periods, one by one.
func TestChainOfPeriods(t *testing.T) {
	t.Parallel()
	positive := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 34))
		objective := []instance.Objective{instance.Throughput, instance.MaxMinThroughput}[seed%2]
		in := *instancetest.Random(rng, instancetest.Options{Jobs: 3, Objective: objective})
		in.MaxPeriod = instance.Tick(1 + rng.IntN(60))
		m := relax.New(&in)
		best := new(big.Rat)
		for p := int64(1); p <= int64(in.MaxPeriod); p++ {
			sum, least := new(big.Rat), (*big.Rat)(nil)
			for c := range m.Classes {
				class := &m.Classes[c]
				rate := new(big.Rat)
				if class.Runs() {
					rate.SetFrac64(p/int64(class.Iteration), p)
				}
				weight := new(big.Rat).SetInt64(class.Job.Weight)
				normal := new(big.Rat).Mul(rate, big.NewRat(int64(class.Job.FastestFull()), class.Job.Weight))
				if least == nil || normal.Cmp(least) < 0 {
					least = normal
				}
				for range class.Jobs {
					sum.Add(sum, new(big.Rat).Mul(rate, weight))
				}
			}
			if objective == instance.MaxMinThroughput {
				sum = least
			}
			if sum.Cmp(best) > 0 {
				best = sum
			}
		}
		value, _ := m.Chain()
		require.Zero(t, best.Cmp(value), "seed %d: %s, of all periods %s", seed, value, best)
		positive += value.Sign()
	}
	assert.Greater(t, positive, 50)
}
