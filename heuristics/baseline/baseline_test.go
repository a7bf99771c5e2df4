package baseline

import (
	"context"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/state"
)

// rigid is an instance of rigid parallel tasks, [width, length], on one node.
func rigid(machines int, jobs [][2]int, edit func(n int, j *instance.Job)) *instance.Instance {
	in, err := instance.Compile(&instance.Spec{
		Version: 1, Jobs: []instance.JobSpec{{Name: "any", Model: "any", Workers: 1, Iterations: 1}},
		Profiles: []*instance.Profile{{Model: "any", GPU: "gpu", Batch: 1, Layers: []instance.Layer{{Name: "l", Forward: 1e6}}}},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "gpu", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 1, GPUs: machines, GPU: "gpu", NIC: 1e9, Fabric: 1e9}},
		},
	}, nil)
	if err != nil {
		panic(err)
	}
	whole := *in
	in = &whole
	in.Jobs = nil
	workers := make([]int, len(jobs))
	for n, wl := range jobs {
		workers[n] = wl[0]
		job := instance.Job{
			Iterations: 1, Weight: 1, Gang: true, Depths: []instance.Depth{{Layers: 1, Share: int64(instance.One)}}, SegmentBytes: []instance.Bytes{0},
			On: []*instance.Costs{{Time: []instance.Tick{instance.Tick(wl[1])}, Ephemeral: []instance.Bytes{0}}},
		}
		if edit != nil {
			edit(n, &job)
		}
		in.Jobs = append(in.Jobs, job)
	}
	return in.FullDepthOn(workers)
}

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 17)) }

// TestQueueByHand compares the queue with schedules worked out by hand, of jobs [width,
// length] on four GPUs.
func TestQueueByHand(t *testing.T) {
	for name, c := range map[string]struct {
		jobs   [][2]int
		starts []instance.Tick
	}{
		// The third runs beside the first until the second starts at 10; the fourth would delay
		// that.
		"backfilled in time": {[][2]int{{3, 10}, {4, 5}, {1, 10}, {1, 11}}, []instance.Tick{0, 10, 0, 15}},
		"would delay":        {[][2]int{{3, 10}, {4, 5}, {1, 11}}, []instance.Tick{0, 10, 15}},
		// The second leaves one GPU free, on which the third delays no job.
		"on what is left over": {[][2]int{{3, 10}, {3, 5}, {1, 11}}, []instance.Tick{0, 10, 0}},
		// GPUs are only reserved for the head of the queue: the fourth delays the third.
		"others may be delayed": {[][2]int{{2, 10}, {4, 5}, {3, 5}, {2, 10}}, []instance.Tick{0, 10, 15, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			in := rigid(4, c.jobs, nil)
			s, err := Queue(t.Context(), in)
			require.NoError(t, err)
			require.Empty(t, check.Schedule(in, s))
			got := make([]instance.Tick, len(c.jobs))
			for _, task := range s.Tasks {
				got[task.Job] = task.Start
			}
			assert.Equal(t, c.starts, got)
		})
	}
}

// TestExclusiveOptimum: on tiny instances of rigid tasks with releases and weights the
// search finds the optimum, the best of all orders of jobs that each start as early as
// they can.
func TestExclusiveOptimum(t *testing.T) {
	better := 0
	for seed := range uint64(150) {
		rng := source(seed)
		machines := 2 + rng.IntN(5)
		jobs := make([][2]int, 2+rng.IntN(5))
		for n := range jobs {
			jobs[n] = [2]int{1 + rng.IntN(machines), 1 + rng.IntN(12)}
		}
		in := rigid(machines, jobs, func(_ int, j *instance.Job) {
			if seed%3 > 0 {
				j.Release = instance.Tick(rng.IntN(10))
			}
			j.Weight = 1 + rng.Int64N(5)
		})
		if seed%2 == 1 {
			in.Objective = instance.WeightedCompletion
		}
		best := optimum(in)
		queue, err := Queue(t.Context(), in)
		require.NoError(t, err)
		s, err := Config{Work: 200_000, Start: queue}.Exclusive(t.Context(), in, rng)
		require.NoError(t, err)
		require.Empty(t, check.Schedule(in, s))
		value, _ := in.Value(s).Float64()
		require.InDelta(t, best, value, 0, "seed %d", seed)
		if in.Objective.Better(in.Value(s), in.Value(queue)) {
			better++
		}
	}
	assert.Greater(t, better, 50, "the queue is often not optimal")
}

// optimum decodes all orders.
func optimum(in *instance.Instance) float64 {
	l := newLane(newProblem(in), nil, nil)
	d := newProfile(l.problem)
	l.decoder = d
	best := 0.0
	order := l.byRelease()
	var walk func(n int)
	walk = func(n int) {
		if n == len(order) {
			d.decode(context.Background(), order)
			if v, _ := l.measure(); best == 0 || v < best {
				best = v
			}
			return
		}
		for m := n; m < len(order); m++ {
			order[n], order[m] = order[m], order[n]
			walk(n + 1)
			order[n], order[m] = order[m], order[n]
		}
	}
	walk(0)
	return best
}

// TestBaselinesTiny checks the results on random tiny instances of all kinds, whether
// exclusive is no worse than the queue, and the schedule at the depths of the rules.
func TestBaselinesTiny(t *testing.T) {
	objectives := []instance.Objective{instance.Makespan, instance.WeightedCompletion}
	made, better := 0, 0
	for seed := range uint64(400) {
		in := instancetest.Random(source(seed), instancetest.Options{Objective: objectives[seed%2]})
		full := in.FullDepth()
		queue, err := Queue(t.Context(), in)
		if err != nil {
			var none *state.NoPlan
			require.ErrorAs(t, err, &none, "seed %d", seed)
		} else {
			require.Empty(t, check.Schedule(full, queue), "seed %d", seed)
		}
		s, err := Config{Work: 20_000, Start: queue}.Exclusive(t.Context(), in, source(seed))
		if err != nil {
			continue
		}
		made++
		require.Empty(t, check.Schedule(full, s), "seed %d", seed)
		if queue == nil || in.Objective.Better(in.Value(s), in.Value(queue)) {
			better++
		} else {
			require.Zero(t, in.Value(s).Cmp(in.Value(queue)), "seed %d: worse than the queue", seed)
		}
		shallow, err := Shallow(t.Context(), in, s)
		require.NoError(t, err)
		for _, v := range check.Schedule(in, shallow) {
			require.Equal(t, 10, v.Rule, "seed %d: %v", seed, v) // at worst a deadline
		}
	}
	t.Logf("%d schedules, %d better than the queue's", made, better)
	assert.Greater(t, made, 300)
	assert.Greater(t, better, 30)
}

// TestExclusiveDeterministic: one seed, one answer, on any number of cores.
func TestExclusiveDeterministic(t *testing.T) {
	rng := source(5)
	jobs := make([][2]int, 40)
	for n := range jobs {
		jobs[n] = [2]int{1 + rng.IntN(16), 1 + rng.IntN(300)}
	}
	in := rigid(32, jobs, nil)
	run := func(cores int) *instance.Schedule {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		s, err := Config{Work: 400_000}.Exclusive(t.Context(), in, source(1))
		require.NoError(t, err)
		return s
	}
	assert.Equal(t, run(1), run(2))
}

// TestExclusiveEnds: when the context has ended, the best so far is returned.
func TestExclusiveEnds(t *testing.T) {
	in := rigid(4, [][2]int{{2, 10}, {4, 5}, {3, 5}, {2, 10}}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	queue, err := Queue(ctx, in)
	require.NoError(t, err)
	found := 0
	s, err := Config{Stop: func(*big.Rat) bool {
		found++
		cancel()
		return false
	}}.Exclusive(ctx, in, source(1))
	require.NoError(t, err)
	require.Empty(t, check.Schedule(in, s))
	assert.Equal(t, 1, found)
	s, err = Config{Start: queue}.Exclusive(ctx, in, source(1))
	require.NoError(t, err)
	assert.Same(t, queue, s)
	_, err = Config{}.Exclusive(ctx, in, source(1))
	require.ErrorIs(t, err, context.Canceled)
}

// TestPacking: perfect packings, cut from a whole, are found: nothing idles.
func TestPacking(t *testing.T) {
	for seed := range uint64(6) {
		rng := source(seed)
		in := rigid(60, guillotine(rng, 60, 40, 24), nil)
		s, err := Config{Work: 8_000_000}.Exclusive(t.Context(), in, rng)
		require.NoError(t, err)
		require.Empty(t, check.Schedule(in, s))
		assert.LessOrEqual(t, s.Makespan(in), instance.Tick(41), "seed %d", seed)
	}
}

// guillotine cuts width x length into the given number of jobs, in random order.
func guillotine(rng *rand.Rand, width, length, jobs int) [][2]int {
	list := [][2]int{{width, length}}
	for len(list) < jobs {
		n := rng.IntN(len(list))
		side := rng.IntN(2)
		if list[n][side] < 2 {
			continue
		}
		at := 1 + rng.IntN(list[n][side]-1)
		other := list[n]
		other[side] -= at
		list[n][side] = at
		list = append(list, other)
	}
	rng.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
	return list
}

// TestQueueWaits has two nodes of three GPUs and three jobs of two: the third takes the
// two remaining GPUs if the network between them is fast enough, otherwise it waits.
func TestQueueWaits(t *testing.T) {
	for nic, end := range map[instance.BitRate]instance.Tick{
		8e9: 10 * (12 + 1),        // as fast as inside a node
		4e9: 10 * (12 + 2),        // slower, but sooner
		8e6: 2*(12+1) + 10*(12+1), // too slow
		1e6: 2*(12+1) + 10*(12+1),
	} {
		p := &instance.Profile{Model: "two", GPU: "a", Batch: 1}
		for range 2 {
			p.Layers = append(p.Layers, instance.Layer{Name: "l", Forward: 2e6, Backward: 4e6, Parameters: 5e5, Activations: 1e8})
		}
		in, err := instance.Compile(&instance.Spec{
			Version: 1, Profiles: []*instance.Profile{p},
			Jobs: []instance.JobSpec{
				{Name: "short", Model: "two", Optimizer: "sgd", Workers: 2, Iterations: 2, Count: 2},
				{Name: "long", Model: "two", Optimizer: "sgd", Workers: 2, Iterations: 10},
			},
			Cluster: instance.ClusterSpec{
				GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 30}},
				Racks:    []instance.RackSpec{{Nodes: 2, GPUs: 3, GPU: "a", NIC: nic, Fabric: 8e9}},
			},
		}, nil)
		require.NoError(t, err)
		s, err := Queue(t.Context(), in)
		require.NoError(t, err)
		assert.Empty(t, check.Schedule(in.FullDepth(), s))
		assert.Equal(t, end, s.Makespan(in), "NICs of %v", nic)
	}
}

// TestDecodersEndWithTheirContext: one decode of thousands of jobs takes seconds if GPUs differ.
func TestDecodersEndWithTheirContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := rigid(4, slices.Repeat([][2]int{{1, 2}}, 3*pollEvery), nil)
	p := newProblem(in)
	for _, d := range []decoder{newProfile(p), newAppender(p)} {
		assert.True(t, d.decode(context.Background(), p.byRelease()))
		assert.False(t, d.decode(ctx, p.byRelease()))
	}
}

// countdown is a context that ends at the n-th check of it.
type countdown struct {
	context.Context
	n int
}

func (c *countdown) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

// TestFillerEndsWithItsContext: also within a try, which takes long with many jobs.
func TestFillerEndsWithItsContext(t *testing.T) {
	var jobs [][2]int
	sum := 0
	for length := 5; length <= 16; length++ { // no two fit side by side
		jobs = append(jobs, [2]int{2, length})
		sum += length
	}
	in := rigid(3, jobs, nil)
	f := newFiller(newProblem(in), rand.New(rand.NewPCG(1, 1)))
	const checks = 10
	work := 0
	assert.Nil(t, f.search(&countdown{context.Background(), checks}, 0, float64(sum), &work, 1<<40))
	assert.Less(t, work, 3*checks*nodesPerPoll*nodeWork)
}

// TestExclusivePatience: a search without limits on time or work ends when rounds bring
// no gain, with the optimum of few jobs.
func TestExclusivePatience(t *testing.T) {
	in := rigid(4, [][2]int{{2, 10}, {4, 5}, {3, 5}, {2, 10}, {1, 7}}, nil)
	s, err := Config{Patience: 2}.Exclusive(t.Context(), in, source(1))
	require.NoError(t, err)
	require.Empty(t, check.Schedule(in, s))
	value, _ := in.Value(s).Float64()
	assert.InDelta(t, optimum(in), value, 0)
}

// TestQueueAroundFailures: one of three nodes is cut off, so a job of four workers gets the other
// two.
func TestQueueAroundFailures(t *testing.T) {
	profile := &instance.Profile{Model: "any", GPU: "a", Batch: 1, Layers: []instance.Layer{{Name: "l", Forward: 1e6}}}
	for failed, rack := range map[string]instance.RackSpec{
		"r0n0.up": {Nodes: 3}, "r0n0.down": {Nodes: 3}, "r0.up": {Nodes: 1, Count: 3}, "r0.down": {Nodes: 1, Count: 3},
	} {
		rack.GPUs, rack.GPU, rack.NIC, rack.Fabric = 2, "a", 1e9, 1e9
		in, err := instance.Compile(&instance.Spec{
			Version: 1, Profiles: []*instance.Profile{profile},
			Jobs: []instance.JobSpec{{Name: "wide", Model: "any", Workers: 4}},
			Cluster: instance.ClusterSpec{
				GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 30}}, Racks: []instance.RackSpec{rack}, FailedLinks: []string{failed},
			},
		}, nil)
		require.NoError(t, err)
		s, err := Queue(t.Context(), in)
		require.NoError(t, err, failed)
		assert.Empty(t, check.Schedule(in, s))
		s, err = Config{Work: 1000}.Exclusive(t.Context(), in, source(1))
		require.NoError(t, err, failed)
		assert.Empty(t, check.Schedule(in, s))
	}
}
