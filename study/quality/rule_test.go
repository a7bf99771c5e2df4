package quality

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlannerRoles: the perceptron's layers take 2,048, 6 x 1,024 and 320
// multiplications forward, and twice that backward, except the first, which takes the
// same. So the allowed depths, a quarter of the backward work apart, are 3, 5, 7 and 8.
func TestPlannerRoles(t *testing.T) {
	n, err := newNet(Perceptron, newRNG())
	require.NoError(t, err)
	tests := []struct {
		rule   string
		k      int
		depths []int
	}{
		{"full", 2, []int{8, 8}},
		{"ladder", 2, []int{5, 8}},
		{"ladder", 4, []int{3, 5, 7, 8}},
		{"ladder", 8, []int{3, 3, 3, 5, 5, 7, 7, 8}},
		{"free of 2, mean ≥ 3/4", 2, []int{5, 8}},
		{"free of 2, mean ≥ 3/4", 8, []int{5, 5, 5, 5, 8, 8, 8, 8}},
		{"free, mean ≥ 7/8", 4, []int{7, 7, 7, 8}},
		{"free", 4, []int{3, 3, 3, 8}},
		{"a quarter fewer workers", 2, []int{0, 8}},
		{"a quarter fewer workers", 8, []int{0, 0, 8, 8, 8, 8, 8, 8}},
		{"free, any depth", 4, []int{1, 1, 1, 8}},
		{"none full", 4, []int{3, 3, 3, 3}},
	}
	for _, test := range tests {
		for _, rule := range Rules() {
			if rule.Name == test.rule {
				r, err := plannerRoles(Perceptron, n, test.k, rule)
				require.NoError(t, err)
				assert.Equal(t, test.depths, r.depths, "%s, %d workers", test.rule, test.k)
			}
		}
	}
}

// TestRules: free rules meet their mean depth, with the least work.
func TestRules(t *testing.T) {
	least := map[string]float64{"free of 2, mean ≥ 3/4": 0.75, "free, mean ≥ 7/8": 0.875, "free, mean ≥ 3/4": 0.75, "free, mean ≥ 1/2": 0.5}
	for _, m := range models {
		n, err := newNet(m, newRNG())
		require.NoError(t, err)
		for _, k := range []int{2, 4, 8} {
			var before *roles
			for _, rule := range Rules() {
				r, err := plannerRoles(m, n, k, rule)
				require.NoError(t, err)
				require.Len(t, r.depths, k)
				assert.GreaterOrEqual(t, r.mean, least[rule.Name])
				assert.Equal(t, !rule.Control, r.depths[k-1] == len(n), "a worker at full depth")
				if rule.Name == "full" {
					assert.Equal(t, &roles{depths: r.depths, mean: 1}, r)
				}
				if rule.SPB.Rule != "free" || rule.SPB.Cuts == 2 {
					continue
				}
				if before != nil && !rule.Control {
					assert.GreaterOrEqual(t, r.work, before.work, "%s saves less than a stricter rule", rule.Name)
				}
				before = r
			}
		}
	}
}

// TestSavings: by hand, for two workers of the perceptron at depths 1 and 8. Full depth
// takes 8,512 multiplications forward and 14,976 back, depth 1 takes 320 back; the
// weights are 2,080 + 6 x 1,056 + 330 = 8,746.
func TestSavings(t *testing.T) {
	n, err := newNet(Perceptron, newRNG())
	require.NoError(t, err)
	rules := Rules()
	any := rules[slices.IndexFunc(rules, func(r Rule) bool { return r.Name == "free, any depth" })]
	r, err := plannerRoles(Perceptron, n, 2, any)
	require.NoError(t, err)
	require.Equal(t, []int{1, 8}, r.depths)
	assert.InDelta(t, (14976.-320)/(2*(8512+14976)), r.work, 1e-15)
	assert.InDelta(t, (8746.-330)/(2*8746), r.traffic, 1e-15)
	assert.InDelta(t, (640./14976+1)/2, r.mean, 1e-6) // as the planner counts: including the gradient by its input
}
