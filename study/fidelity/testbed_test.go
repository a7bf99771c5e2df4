package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw"
)

// TestTestbed: every scheduler of Muri's testbed is simulated within 10 % of its mean
// completion time and 5 % of its makespan, and those that follow a published order within
// 5 % for half of the jobs.
func TestTestbed(t *testing.T) {
	data := os.Getenv("JIGSAW_DATA")
	if data == "" {
		data = filepath.Join("..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(data, "muri")); err != nil {
		t.Skipf("the testbed's logs are not at hand (set JIGSAW_DATA to their folder): %v", err)
	}
	if _, err := jigsaw.Solver(); err != nil {
		t.Skipf("no LP engine: %v", err)
	}
	all, w, err := rows(context.Background(), data)
	require.NoError(t, err)
	followed := map[string]bool{"srtf": true, "srsf": true, "las": true}
	for _, r := range all {
		require.InEpsilon(t, r.mean, r.simulated.Mean, 0.10, "%s: mean completion", r.policy)
		require.InEpsilon(t, r.makespan, r.simulated.Makespan, 0.05, "%s: makespan", r.policy)
		if followed[r.policy] {
			require.Less(t, math.Abs(medianError(w, r.result, r.measured)), 0.05, "%s: a job's completion", r.policy)
		}
	}
}
