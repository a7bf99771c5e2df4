package state

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The same sum on every platform on which this test runs: temperatures that
// differ in the last bit would sooner or later lead to another plan.
func TestPowersArePortable(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	h := fnv.New64a()
	for range 100_000 {
		x := rng.Float64()
		e, p, l := Exp(-4*x), Pow(0.02, x), math.Log(1-x)
		require.InEpsilon(t, math.Exp(-4*x), e, 1e-14)
		require.InEpsilon(t, math.Pow(0.02, x), p, 1e-14)
		for _, v := range []float64{e, p, l} {
			for bits := math.Float64bits(v); bits > 0; bits >>= 8 {
				h.Write([]byte{byte(bits)})
			}
		}
	}
	require.Equal(t, uint64(0x4966c119f7e84bf6), h.Sum64())
}
