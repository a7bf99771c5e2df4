package columns

import (
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDuesFarOff: a due so late that time points up to it overflow proves nothing.
func TestDuesFarOff(t *testing.T) {
	in := boundtest.Compile(t, boundtest.TwoNodes(1, instance.JobSpec{Name: "a", Model: "four", Workers: 2, Iterations: 3}))
	for _, due := range []int64{relax.MaxHorizon + 1, 1 << 40, 1<<62 - 1, 1 << 62, 3 << 61, math.MaxInt64} {
		for _, points := range []int64{1, 1 << 11, maxPoints} {
			m := relax.New(in)
			c := &relax.Certificate{Kind: relax.ColumnsBound, Denominator: big.NewInt(1), Plans: &relax.PlanTerms{Due: due, Horizon: 100, Points: points, Buckets: 1}}
			for range New(m, 100, 100, Grain{points, 1}).Rows {
				c.Prices = append(c.Prices, new(big.Int))
			}
			assert.Error(t, Prove(m, &relax.Proven{}, c), "due %d, points %d", due, points)
		}
	}
}
