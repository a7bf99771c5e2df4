package queue_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/queue"
	"jigsaw/heuristics/state"
)

// TestQueues: there is always a plan, it is valid, also when expanded, and a search for a better order is no worse and
// reproducible.
func TestQueues(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 5))
	shared := 0
	for n := range instancetest.Many(600, 300) {
		in := heuristicstest.Queueing(rng, []instance.Objective{instance.Makespan, instance.WeightedCompletion}[n%2])
		s, err := queue.FirstCome(in)
		if err != nil {
			// In networks with failed links the search knows only some routes.
			require.True(t, slices.ContainsFunc(in.Links, func(l instance.Link) bool { return l.Failed }), "%v", err)
			continue
		}
		require.Empty(t, check.Blocks(in, s))
		written, err := s.Expand(in)
		require.NoError(t, err)
		require.Empty(t, check.Schedule(in, written))
		better, order, err := queue.Search{Rounds: 60}.Orders(context.Background(), in, rand.New(rand.NewPCG(1, 1)))
		require.Len(t, order.Jobs, len(in.Jobs))
		require.NoError(t, err)
		require.Empty(t, check.Blocks(in, better))
		if slices.ContainsFunc(better.Blocks, func(b instance.Block) bool { return b.Tasks[0].Job != b.Tasks[len(b.Tasks)-1].Job }) {
			shared++
		}
		require.LessOrEqual(t, in.Value(better).Cmp(in.Value(s)), 0)
		again, _, err := queue.Search{Rounds: 60}.Orders(context.Background(), in, rand.New(rand.NewPCG(1, 1)), order)
		require.NoError(t, err)
		require.LessOrEqual(t, in.Value(again).Cmp(in.Value(s)), 0)
		repeated, _, err := queue.Search{Rounds: 60}.Orders(context.Background(), in, rand.New(rand.NewPCG(1, 1)))
		require.NoError(t, err)
		require.Equal(t, better, repeated)
		deep, err := queue.FirstCome(in.FullDepth())
		if err == nil {
			require.Empty(t, check.Blocks(in.FullDepth(), deep))
		}
	}
	t.Logf("in %d of them jobs share GPUs", shared)
	require.Positive(t, shared)
}

// halves is two jobs of two workers, as long on a GPU as on a link, that share two nodes of one GPU each, or two racks
// of one such node; no others do.
func halves(t *testing.T, racks bool, iterations int) *instance.Instance {
	t.Helper()
	rack := instance.RackSpec{Nodes: 2, GPUs: 1, GPU: "v", NIC: 16e6, Fabric: 16e6}
	if racks {
		rack.Count, rack.Nodes = 2, 1
	}
	spec := &instance.Spec{
		Version: 1, Objective: instance.WeightedCompletion, Residence: instance.WhileRunning,
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v", Memory: 1 << 40}}, RateLevels: []instance.RateLevel{1}, Racks: []instance.RackSpec{rack},
		},
		// A second on a GPU; a ring of two sends 2,000,000 bytes at 16 Mbit/s.
		Profiles: []*instance.Profile{{Model: "m", GPU: "v", Batch: 1, Layers: []instance.Layer{{Backward: 1e9, Parameters: 2e6}}}},
		Jobs:     []instance.JobSpec{{Name: "j", Count: 2, Model: "m", Workers: 2, Iterations: iterations, SPB: instance.SPBSpec{Rule: "full"}}},
	}
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	return in
}

// TestSlack: jobs share GPUs, also of whole racks, at the speed that interference leaves them; if that is too slow or
// they are too many, they do not share.
func TestSlack(t *testing.T) {
	for _, racks := range []bool{false, true} {
		for n, c := range []struct {
			slack []float64
			last  float64 // approximate end in ms
		}{{[]float64{1, 1}, 2e6}, {[]float64{1, 1.25}, 2.5e6}, {[]float64{1, 1.9}, 4e6}, {[]float64{1}, 4e6}} {
			in := halves(t, racks, 1000)
			s, _, err := queue.Search{Rounds: 40, Slack: c.slack}.Orders(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
			require.NoError(t, err)
			require.Empty(t, check.Blocks(in, s))
			require.InEpsilon(t, c.last, float64(s.Makespan(in)), 0.05, "racks %v, case %d", racks, n)
			in = halves(t, racks, 40) // a pattern without repeats
			s, _, err = queue.Search{Rounds: 40, Slack: c.slack}.Orders(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
			require.NoError(t, err)
			require.Empty(t, check.Blocks(in, s))
			require.InEpsilon(t, c.last*40/1000, float64(s.Makespan(in)), 0.05, "racks %v, case %d, short", racks, n)
		}
	}
}

// TestReservations: a long job that is there first waits for short ones that are released a minute later, though all GPUs are free;
// if it is worth as much as all of them, it does not.
func TestReservations(t *testing.T) {
	for weight, waits := range map[int64]bool{1: true, 10_000: false} {
		spec := &instance.Spec{
			Version: 1, Objective: instance.WeightedCompletion, Residence: instance.WhileRunning,
			Cluster: instance.ClusterSpec{
				GPUTypes: []instance.GPUTypeSpec{{Name: "v", Memory: 32 << 30}}, Racks: []instance.RackSpec{{Nodes: 1, GPUs: 4, GPU: "v", NIC: 100e9, Fabric: 1200e9}},
			},
			Profiles: []*instance.Profile{{Model: "m", GPU: "v", Batch: 1, Layers: []instance.Layer{{Forward: 10e6, Backward: 20e6}}}},
			Jobs:     []instance.JobSpec{{Name: "long", Model: "m", Workers: 4, Iterations: 100_000, Weight: weight}},
		}
		for n := range 20 {
			spec.Jobs = append(spec.Jobs, instance.JobSpec{Name: fmt.Sprintf("short%d", n), Model: "m", Workers: 4, Iterations: 1000, Release: 60e9})
		}
		in, err := instance.Compile(spec, nil)
		require.NoError(t, err)
		s, order, err := queue.Search{Rounds: 30, Whole: true}.Orders(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
		require.NoError(t, err)
		require.Empty(t, check.Blocks(in, s))
		starts, ends := s.Spans(in)
		for j := range in.Jobs[1:] {
			require.Equal(t, waits, starts[0] >= ends[1+j], "weight %d, job %d", weight, 1+j)
		}
		again, _, err := queue.Search{Rounds: 1, Whole: true}.Orders(t.Context(), in, rand.New(rand.NewPCG(1, 1)), order)
		require.NoError(t, err)
		require.Equal(t, s.Makespan(in), again.Makespan(in), "the order says who waits")
	}
}

// TestNight: a plan of some twenty million tasks is made, and checked in well under a second.
func TestNight(t *testing.T) {
	in := heuristicstest.Night(t, 64, 200, 60_000, instance.Makespan)
	require.True(t, in.Long() || in.Tasks() > 20_000_000)
	s, err := queue.FirstCome(in)
	require.NoError(t, err)
	require.Greater(t, s.Tasks(), int64(20_000_000))
	lines := 0
	for _, b := range s.Blocks {
		lines += len(b.Tasks) + len(b.Syncs)
	}
	require.Less(t, lines, 10_000, "what is checked are patterns")
	require.Empty(t, check.Blocks(in, s))
}

// BenchmarkCheck checks a plan of some twenty million tasks.
func BenchmarkCheck(b *testing.B) {
	in := heuristicstest.Night(b, 64, 200, 60_000, instance.Makespan)
	s, err := queue.FirstCome(in)
	require.NoError(b, err)
	b.ReportMetric(float64(s.Tasks()), "tasks")
	for b.Loop() {
		if len(check.Blocks(in, s)) > 0 {
			b.Fatal("invalid")
		}
	}
}

// BenchmarkMonth queues 10,000 jobs on 10,240 GPUs.
func BenchmarkMonth(b *testing.B) {
	in := heuristicstest.Night(b, 160, 1_250, 1_000_000, instance.Makespan)
	for b.Loop() {
		if _, err := queue.FirstCome(in); err != nil {
			b.Fatal(err)
		}
	}
}

// TestOrdersEndEarly: a longer search never gives up the better of equal plans, the one with the smaller sum of ends.
func TestOrdersEndEarly(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 12))
	earlier := 0
	for n := range 60 {
		in := heuristicstest.Queueing(rng, instance.Makespan)
		var before *instance.BlockSchedule
		for _, rounds := range []int{20, 40, 80} {
			s, _, err := queue.Search{Rounds: rounds}.Orders(context.Background(), in, rand.New(rand.NewPCG(1, 1)))
			if err != nil {
				break
			}
			if before != nil && s.Makespan(in) == before.Makespan(in) {
				require.LessOrEqual(t, state.SumOfEnds(in, s), state.SumOfEnds(in, before), "%d, %d rounds", n, rounds)
				if state.SumOfEnds(in, s) < state.SumOfEnds(in, before) {
					earlier++
				}
			}
			before = s
		}
	}
	require.Positive(t, earlier)
}

// TestOrdersMeetDeadlines: if orders miss deadlines that a plan meets, the search finds others.
func TestOrdersMeetDeadlines(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 11))
	met, all := 0, 0
	for range instancetest.Many(400, 150) {
		in := heuristicstest.Queueing(rng, instance.WeightedCompletion)
		shortest := *in
		shortest.Objective = instance.Makespan
		s, _, err := queue.Search{Rounds: 40, Whole: true}.Orders(context.Background(), &shortest, rand.New(rand.NewPCG(2, 2)))
		if err != nil {
			continue
		}
		_, ends := s.Spans(in)
		for j := range in.Jobs {
			in.Jobs[j].Deadline = ends[j]
		}
		all++
		d, _, err := queue.Search{Rounds: 60, Whole: true}.Orders(context.Background(), in, rand.New(rand.NewPCG(1, 1)))
		if err == nil {
			met++
			require.Empty(t, check.Blocks(in, d))
		}
	}
	t.Logf("%d of %d are met", met, all)
	require.Greater(t, met, all*95/100)
}

// TestUnitsOfUnlikeJobs: patterns of jobs are not taken for others that differ in nothing but whether their tasks start together.
func TestUnitsOfUnlikeJobs(t *testing.T) {
	spec := heuristicstest.NightSpec(1, 8, 3000, instance.WeightedCompletion)
	for n := range spec.Jobs {
		j := &spec.Jobs[n]
		j.Model, j.Workers, j.Gang = fmt.Sprintf("m%d", n/2%2), 8, n%2 == 0
	}
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	for seed := range uint64(4) {
		s, _, err := queue.Search{Rounds: 300}.Orders(t.Context(), in, rand.New(rand.NewPCG(seed, 1)))
		require.NoError(t, err)
		require.Empty(t, check.Blocks(in, s), "seed %d", seed)
	}
}
