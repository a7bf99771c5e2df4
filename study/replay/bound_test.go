package replay

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBoundsByHand: bounds that can be worked out on paper, for two GPUs.
func TestBoundsByHand(t *testing.T) {
	c, err := ParseCluster("1x2")
	require.NoError(t, err)
	full := func(*Class) float64 { return 1 }
	one := []Class{{GPUs: 1, Iteration: []float64{1}}, {GPUs: 2, Iteration: []float64{1}}}
	for name, x := range map[string]struct {
		jobs           []Job
		mean, makespan float64
	}{
		// A single job takes its length, on any number of GPUs.
		"chain": {[]Job{{Iterations: 10}}, 10, 10},
		// Both GPUs are needed by both: one after the other, the short one first.
		"shortest first": {[]Job{{Class: 1, Iterations: 4}, {Class: 1, Iterations: 2}}, (2 + 6) / 2.0, 6},
		// The short one arrives at 1, and is done at 3; the long one at 6.
		"preempted": {[]Job{{Class: 1, Iterations: 4}, {Class: 1, Arrival: 1, Iterations: 2}}, (6 + 2) / 2.0, 6},
		// Late arrivals cannot be done before: at 3 there are 8 GPU-seconds for two GPUs. The
		// mean is by mean busy times 1/4, 4 and 6 less arrivals, and half of the lengths 1, 2, 2.
		"late work": {[]Job{{Iterations: 1}, {Arrival: 3, Class: 1, Iterations: 2}, {Arrival: 3, Class: 1, Iterations: 2}}, (0.25 + 1 + 3 + 2.5) / 3, 7},
	} {
		w := &Workload{Jobs: x.jobs, Classes: one}
		exclusive, sharing := Bounds(w, c, full)
		require.Equal(t, exclusive, sharing, "nothing is won by sharing GPUs that are busy all the time")
		require.InDelta(t, x.makespan, exclusive.Makespan, 1e-9, name)
		require.InDelta(t, x.mean, exclusive.Mean, 1e-9, name)
	}
	// Half of an iteration needs the GPU: the chain stays, the work halves.
	w := &Workload{Jobs: []Job{{Class: 1, Iterations: 4}, {Class: 1, Iterations: 4}, {Class: 1, Iterations: 4}}, Classes: one}
	_, sharing := Bounds(w, c, func(*Class) float64 { return 0.5 })
	require.InDelta(t, 6, sharing.Makespan, 1e-9)
	// Jobs that share slow each other down, three of them less than two; but no job has to share.
	w.Interference = []float64{1, 1.8, 1.5}
	_, sharing = Bounds(w, c, func(*Class) float64 { return 0.5 })
	require.InDelta(t, 1.5*6, sharing.Makespan, 1e-9)
	w.Interference = []float64{1, 3}
	_, sharing = Bounds(w, c, func(*Class) float64 { return 0.5 })
	require.InDelta(t, 12, sharing.Makespan, 1e-9)
}

func TestParseCluster(t *testing.T) {
	c, err := ParseCluster("2x8:v100, 1x4:k80")
	require.NoError(t, err)
	require.Equal(t, []int{16, 4}, c.GPUs())
	require.Equal(t, "2x8:v100,1x4:k80", c.String())
	any := func(int) bool { return true }
	require.True(t, c.Fits(16, any))
	require.True(t, c.Fits(12, any), "one node and half of another")
	require.False(t, c.Fits(17, any))
	require.False(t, c.Fits(8, func(kind int) bool { return kind == 1 }))
	for _, bad := range []string{"", "8", "0x8", "8x0", "-1x8", "8x8x8", "9999999x9999999", "200000x1"} {
		_, err := ParseCluster(bad)
		require.Error(t, err, bad)
	}
}
