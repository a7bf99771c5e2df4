package policy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance/check"
	"jigsaw/study/replay"
)

// TestJigSaw: for any arrivals, the plan passes the checker, and running jobs stay where they are or make
// way.
func TestJigSaw(t *testing.T) {
	w := &replay.Workload{Interference: []float64{1, 1.3, 1.5, 1.4}}
	for _, gpus := range []int{1, 2, 4, 8} {
		for _, class := range shaped(t, gpus) {
			class.Restart = 30
			w.Classes = append(w.Classes, class)
		}
	}
	rng := rand.New(rand.NewPCG(9, 10))
	now, jobs := 0.0, 40
	if testing.Short() {
		jobs = 16
	}
	for i := range jobs {
		w.Jobs = append(w.Jobs, replay.Job{ID: fmt.Sprint(i), Arrival: now, Class: rng.IntN(len(w.Classes)), Iterations: int64(500 + rng.IntN(9000)), Weight: 1})
		now += 300 * rng.ExpFloat64()
	}
	c, err := replay.ParseCluster("2x4")
	require.NoError(t, err)
	r, err := newRolling(w, replay.Config{Cluster: c, Round: 60}, Options{Share: 4}, true)
	require.NoError(t, err)
	shared, stopped := false, 0
	for r.next < len(w.Jobs) {
		before := make([]int, len(w.Jobs)) // stays
		for i, stays := range r.table.Stays {
			before[i] = len(stays)
		}
		require.NoError(t, r.step(t.Context()))
		require.Empty(t, check.Blocks(r.in, r.plan))
		here := map[int]bool{}
		for j := range r.in.Jobs {
			i := index(r.in.Jobs[j].Name)
			require.False(t, here[i])
			here[i] = true
			stays := r.table.Stays[i]
			if r.open[i] {
				for n, g := range r.plan.Residency[j] {
					require.Equal(t, stays[len(stays)-1].GPUs[n], int(g), "job %d stays", i)
				}
			} else if len(stays) > 0 {
				stopped++
			}
		}
		for i := range r.next {
			require.Equal(t, r.table.Finish[i] < 0, here[i], "job %d is planned until it ends", i)
		}
		for i := range r.plan.Blocks {
			shared = shared || len(r.plan.Blocks[i].IterationsOf()) > 1
		}
	}
	require.True(t, shared, "jobs share GPUs")
	require.Positive(t, stopped, "jobs give way")
}

// TestJigSawLoads: a job makes way for a shorter one if its own restart costs less than the gain.
func TestJigSawLoads(t *testing.T) {
	for restart, want := range map[float64][]float64{2: {14, 5}, 6: {10, 12}} {
		w := handMade(job{0, 1, 10}, job{3, 1, 2})
		w.Classes[0].Restart = restart
		r := run(t, w, "jigsaw", "1x1", 0, Options{})
		require.InDeltaSlice(t, want, r.Finish, 1e-6, "%v", restart)
	}
}

// TestJigSawCut: a replay that is ended early says so.
func TestJigSawCut(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c, err := replay.ParseCluster("1x1")
	require.NoError(t, err)
	p, err := New(ctx, "jigsaw", Options{})
	require.NoError(t, err)
	r, err := replay.Run(ctx, handMade(job{0, 1, 10}, job{3, 1, 2}), p, replay.Config{Cluster: c})
	require.NoError(t, err)
	require.True(t, r.Cut)
	require.Zero(t, r.Metrics().Ended)
}
