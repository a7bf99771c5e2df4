package multiset

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// TestCheapest compares with enumeration.
func TestCheapest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		depths := 1 + rng.IntN(5)
		j := instance.Job{Workers: 1 + rng.IntN(7), On: []*instance.Costs{{}}}
		time, share := 1, 0
		for d := range depths {
			share += 1 + rng.IntN(1_000_000/depths-1)
			if d == depths-1 {
				share = int(instance.One)
			}
			time += rng.IntN(6)
			j.Depths = append(j.Depths, instance.Depth{Layers: d + 1, Share: int64(share)})
			j.On[0].Time = append(j.On[0].Time, instance.Tick(time))
		}
		j.Rule = instance.Rule{MinFull: 1 + rng.IntN(j.Workers), MinShare: rng.Int64N(int64(j.Workers)*int64(instance.One) + 1)}
		best := instance.Tick(-1)
		counts := make([]int, depths)
		var walk func(d, rest int)
		walk = func(d, rest int) {
			if d == depths {
				if rest == 0 && j.Allows(counts) {
					sum := instance.Tick(0)
					for d, n := range counts {
						sum += instance.Tick(n) * j.On[0].Time[d]
					}
					if best < 0 || sum < best {
						best = sum
					}
				}
				return
			}
			for n := 0; n <= rest; n++ {
				counts[d] = n
				walk(d+1, rest-n)
			}
			counts[d] = 0
		}
		walk(0, j.Workers)
		got := Cheapest(&j, 0)
		require.True(t, j.Allows(got))
		sum := instance.Tick(0)
		for d, n := range got {
			sum += instance.Tick(n) * j.On[0].Time[d]
		}
		require.Equal(t, best, sum)
	}
}

// TestMinimal compares with enumeration, if there are few.
func TestMinimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	most := 0
	for range 300 {
		depths, share := 1+rng.IntN(5), 0
		j := instance.Job{Workers: 1 + rng.IntN(7)}
		for d := range depths {
			if share += 1 + rng.IntN(1_000_000/depths-1); d == depths-1 {
				share = int(instance.One)
			}
			j.Depths = append(j.Depths, instance.Depth{Layers: d + 1, Share: int64(share)})
		}
		j.Rule = instance.Rule{MinFull: 1 + rng.IntN(j.Workers), MinShare: rng.Int64N(int64(j.Workers)*int64(instance.One) + 1)}
		var all [][]int
		counts := make([]int, depths)
		var walk func(d, rest int)
		walk = func(d, rest int) {
			if d == depths {
				if rest == 0 && j.Allows(counts) {
					all = append(all, slices.Clone(counts))
				}
				return
			}
			for n := 0; n <= rest; n++ {
				counts[d] = n
				walk(d+1, rest-n)
			}
			counts[d] = 0
		}
		walk(0, j.Workers)
		var want [][]int
		for _, counts := range all {
			if !slices.ContainsFunc(all, func(other []int) bool { return shallower(other, counts) }) {
				want = append(want, counts)
			}
		}
		got := Minimal(&j)
		most = max(most, len(want))
		require.Len(t, got, min(mostMinimal, len(want)))
		for _, counts := range got {
			require.Contains(t, want, counts)
		}
	}
	assert.Greater(t, most, 5)
}

// shallower reports whether b becomes a when some workers get shallower.
func shallower(a, b []int) bool {
	left := 0 // workers of a so far that are not matched by any of b
	for d := range a {
		if left += a[d] - b[d]; left < 0 {
			return false
		}
	}
	return !slices.Equal(a, b)
}
