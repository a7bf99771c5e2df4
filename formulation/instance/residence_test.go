package instance_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// TestLeastDepth compares with all multisets that random rules allow.
func TestLeastDepth(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		j := instance.Job{Workers: 1 + rng.IntN(5)}
		share := int64(0)
		for d := range 1 + rng.IntN(4) {
			share += 1 + rng.Int64N(3)
			j.Depths = append(j.Depths, instance.Depth{Layers: d + 1, Share: share})
		}
		j.Rule = instance.Rule{MinFull: rng.IntN(j.Workers + 1), MinShare: rng.Int64N(int64(j.Workers)*share + 1)}
		if rng.IntN(3) == 0 {
			j.Rule = instance.Rule{Fixed: make([]int, len(j.Depths))}
			for range j.Workers {
				j.Rule.Fixed[rng.IntN(len(j.Depths))]++
			}
		}
		least := make([]int, j.Workers)
		for n := range least {
			least[n] = len(j.Depths)
		}
		counts := make([]int, len(j.Depths))
		var all func(d, rest int)
		all = func(d, rest int) {
			if d == len(counts) {
				if rest > 0 || !j.Allows(counts) {
					return
				}
				n := 0
				for depth, count := range counts {
					for range count {
						least[n] = min(least[n], depth)
						n++
					}
				}
				return
			}
			for counts[d] = 0; counts[d] <= rest; counts[d]++ {
				all(d+1, rest-counts[d])
			}
			counts[d] = 0
		}
		all(0, j.Workers)
		for n := range least {
			require.Equal(t, least[n], j.LeastDepth(n+1), "%+v, worker %d", j.Rule, n+1)
		}
	}
}
