package quality

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Shards says how the training set is distributed to the workers.
type Shards string

// Ways to distribute.
const (
	// Mixed distributes at random: every shard looks like the whole.
	Mixed Shards = "mixed"
	// ByClass sorts by digit, the digits in random order, and cuts: a shard
	// contains few digits.
	ByClass Shards = "by class"
)

// deal cuts samples, by index in random order, into k shards of equal size.
func (s Shards) deal(samples []int, labels []int, k int, rng *rand.Rand) [][]int {
	order := rng.Perm(classes)
	samples = slices.Clone(samples)
	if s == ByClass {
		slices.SortStableFunc(samples, func(a, b int) int { return cmp.Compare(order[labels[a]], order[labels[b]]) })
	}
	return slices.Collect(slices.Chunk(samples, len(samples)/k))
}

// Roles says which worker takes which depth.
type Roles string

// Ways to assign roles.
const (
	// Rotating gives worker w role (w + t) mod k in iteration t.
	Rotating Roles = "rotating"
	// Fixed gives worker w role w, so that the last worker is always deepest.
	Fixed Roles = "fixed"
)

// of returns the role of worker w of k in iteration t.
func (r Roles) of(w, t, k int) int {
	if r == Fixed {
		return w
	}
	return (w + t) % k
}
