package horizon_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/horizon"
	"jigsaw/heuristics/queue"
)

// TestArrivals: plans of jobs as they come are valid, where memory is short, jobs are loaded, released later or due, and
// reproducible.
func TestArrivals(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 30))
	made, short, shared, released := 0, 0, 0, 0
	for n := range instancetest.Many(300, 40) {
		in := heuristicstest.Queueing(rng, instance.Makespan)
		if n%4 == 0 {
			in.Residence = instance.WholePlan
		}
		for _, alike := range in.Classes() {
			iterations, release := 1+rng.IntN([]int{10, 300, 30_000}[n%3]), instance.Tick(rng.IntN(2)*rng.IntN(5000))
			for _, j := range alike {
				in.Jobs[j].Iterations, in.Jobs[j].Release = iterations, release
				if n%5 == 0 {
					in.Jobs[j].Deadline = release + instance.Tick(iterations)*in.Jobs[j].FastestFull()*instance.Tick(len(in.Jobs))
				}
			}
		}
		plan := func() (*instance.BlockSchedule, error) {
			return horizon.Config{Quick: n%2 == 0}.Arrivals(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
		}
		s, err := plan()
		if err != nil {
			continue
		}
		made++
		require.Empty(t, check.Blocks(in, s), "%d", n)
		for j := range in.Jobs {
			if in.Jobs[j].Release > 0 {
				released++
			}
		}
		for i := range s.Blocks {
			if len(s.Blocks[i].IterationsOf()) > 1 {
				shared++
			}
		}
		if s.Tasks() < 2000 {
			short++
			written, err := s.Expand(in)
			require.NoError(t, err)
			require.Empty(t, check.Schedule(in, written), "%d", n)
		}
		if n%4 == 3 {
			again, err := plan()
			require.NoError(t, err)
			require.Equal(t, s, again)
		}
	}
	t.Logf("%d plans, %d of them short, %d blocks of several jobs, %d jobs released later", made, short, shared, released)
	require.Greater(t, made, instancetest.Many(120, 15))
	require.Positive(t, short)
	require.Positive(t, shared)
	require.Positive(t, released)
}

// TestArrivalsNight: on a night whose jobs are released one after the other they end sooner than whole jobs, and than cells, whose jobs
// start when the last of them is released.
func TestArrivalsNight(t *testing.T) {
	in := heuristicstest.Night(t, 4, 40, 60_000, instance.Makespan)
	rng := rand.New(rand.NewPCG(19, 31))
	for j := range in.Jobs {
		in.Jobs[j].Release = instance.Tick(rng.IntN(6 * 3600 * 1000))
	}
	s, err := horizon.Config{}.Arrivals(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	require.Empty(t, check.Blocks(in, s))
	whole, _, err := queue.Search{Rounds: 300, Whole: true}.Orders(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	inCells, err := cells(horizon.Config{Quick: true}, in)
	require.NoError(t, err)
	t.Logf("%v, whole jobs %v, cells %v", in.Duration(s.Makespan(in)), in.Duration(whole.Makespan(in)), in.Duration(inCells.Makespan(in)))
	require.Less(t, s.Makespan(in), whole.Makespan(in))
	require.Less(t, s.Makespan(in), inCells.Makespan(in))
}

// TestArrivalsByType: jobs are admitted to GPUs of the types that they may use, where there are others beside them.
func TestArrivalsByType(t *testing.T) {
	in := heuristicstest.Compiled(t, `
residence: run
cluster:
  gpu_types: [{name: v, memory: 2100kB}, {name: other, memory: 1GB}]
  switches: [{name: s}]
  nodes:
    - {name: a, switch: s, gpus: 2, gpu: v, nic: 1Gbit/s, fabric: 1Gbit/s}
    - {name: b, switch: s, gpus: 2, gpu: other, nic: 1Gbit/s, fabric: 1Gbit/s}
jobs:
  - {name: j, count: 3, model: m, workers: 2, iterations: 20}
  - {name: late, model: m, workers: 1, iterations: 9, release: 30ms}
`)
	s, err := horizon.Config{}.Arrivals(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	require.Empty(t, check.Blocks(in, s))
}
