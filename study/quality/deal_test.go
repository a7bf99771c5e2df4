package quality

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDigits checks the file against data/README.md.
func TestDigits(t *testing.T) {
	assert.Equal(t, "09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22", fmt.Sprintf("%x", sha256.Sum256(digitsFile)))
	data, err := digits()
	require.NoError(t, err)
	var counts [classes]int
	for _, label := range data.labels {
		counts[label]++
	}
	assert.Equal(t, [classes]int{178, 182, 177, 183, 181, 182, 181, 179, 174, 180}, counts)
	// The first image is a zero; its first line is 0 0 5 13 9 1 0 0.
	assert.Equal(t, []float64{0, 0, 5. / 16, 13. / 16, 9. / 16, 1. / 16, 0, 0}, data.images.RawRowView(0)[:side])
	assert.Equal(t, 0, data.labels[0])
}

func TestSplit(t *testing.T) {
	data, err := digits()
	require.NoError(t, err)
	train, heldOut := data.split(trainSize, newRNG())
	assert.Len(t, train, trainSize)
	all := slices.Sorted(slices.Values(slices.Concat(train, heldOut)))
	assert.Len(t, slices.Compact(all), len(data.labels))
}

func TestDeal(t *testing.T) {
	data, err := digits()
	require.NoError(t, err)
	train, _ := data.split(trainSize, newRNG())
	for _, k := range []int{2, 4, 8} {
		for _, s := range []Shards{Mixed, ByClass} {
			shards := s.deal(train, data.labels, k, newRNG())
			require.Len(t, shards, k)
			assert.ElementsMatch(t, train, slices.Concat(shards...))
			pairs := 0 // pairs of a shard and a digit in it
			for _, shard := range shards {
				assert.Len(t, shard, trainSize/k)
				var seen [classes]bool
				for _, i := range shard {
					seen[data.labels[i]] = true
				}
				for _, in := range seen {
					if in {
						pairs++
					}
				}
			}
			if s == Mixed {
				assert.Equal(t, classes*k, pairs)
			} else {
				assert.LessOrEqual(t, pairs, classes+k-1) // a cut divides at most one digit
			}
		}
	}
}

func TestRoles(t *testing.T) {
	const k = 4
	for w := range k {
		var rotating []int
		for i := range k {
			rotating = append(rotating, Rotating.of(w, 7+i, k))
			assert.Equal(t, w, Fixed.of(w, i, k))
		}
		assert.ElementsMatch(t, []int{0, 1, 2, 3}, rotating)
	}
	for i := range k {
		var taken []int
		for w := range k {
			taken = append(taken, Rotating.of(w, i, k))
		}
		assert.ElementsMatch(t, []int{0, 1, 2, 3}, taken)
	}
}
