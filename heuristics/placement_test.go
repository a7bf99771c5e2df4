package heuristics

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// twoLayers is a job's model whose memory is easy to add up: 1 MB of
// parameters held twice (sgd), 100 MB of activations per layer.
func twoLayers(memory instance.Bytes, gpus int, jobs ...instance.JobSpec) *instance.Spec {
	p := &instance.Profile{Model: "two", GPU: "a", Batch: 1}
	for range 2 {
		p.Layers = append(p.Layers, instance.Layer{Name: "l", Forward: 2e6, Backward: 4e6, Parameters: 5e5, Activations: 1e8})
	}
	for i := range jobs {
		jobs[i].Model, jobs[i].Optimizer = "two", "sgd"
	}
	return &instance.Spec{
		Version: 1, Profiles: []*instance.Profile{p}, Jobs: jobs,
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: memory}},
			Racks:    []instance.RackSpec{{Nodes: 2, GPUs: gpus, GPU: "a", NIC: 8e9, Fabric: 8e9}},
		},
	}
}

func compile(t testing.TB, s *instance.Spec) *instance.Instance {
	in, err := instance.Compile(s, nil)
	require.NoError(t, err)
	return in
}

// TestPinnedDepths has two GPUs and two jobs, both on both: 2 MB persistent
// for each, and 200 MB at full depth or 100 MB at half.
func TestPinnedDepths(t *testing.T) {
	// 2 + 2 + 200 MB fit just so.
	in := compile(t, twoLayers(204_000_000, 1,
		instance.JobSpec{Name: "a", Workers: 2, Iterations: 3},
		instance.JobSpec{Name: "b", Workers: 2, Iterations: 3},
	))
	require.Equal(t, []int{1, 1}, in.Jobs[0].Rule.Fixed)
	s, err := Greedy(t.Context(), in, source(1))
	require.NoError(t, err)
	assert.Empty(t, instance.Check(in, s))

	// One MB less, and a full-depth worker has no room beside another job.
	in = compile(t, twoLayers(203_000_000, 1,
		instance.JobSpec{Name: "a", Workers: 2, Iterations: 3},
		instance.JobSpec{Name: "b", Workers: 2, Iterations: 3},
	))
	_, err = Greedy(t.Context(), in, source(1))
	var none *NoPlan
	require.ErrorAs(t, err, &none)
	assert.Contains(t, err.Error(), "does not prove")

	// Half depth needs 102 MB and full depth 202: of two small and two large
	// GPUs, each job's deep worker must be pinned to a large one.
	spec := twoLayers(202_000_000, 1, instance.JobSpec{Name: "a", Workers: 2, Iterations: 3}, instance.JobSpec{Name: "b", Workers: 2, Iterations: 3})
	spec.Cluster.GPUTypes = append(spec.Cluster.GPUTypes, instance.GPUTypeSpec{
		Name: "small", Memory: 102_000_000, ProfiledAs: []instance.ProfiledAs{{GPU: "a"}}})
	small := spec.Cluster.Racks[0]
	small.GPU = "small"
	spec.Cluster.Racks = append(spec.Cluster.Racks, small)
	in = compile(t, spec)
	for _, m := range []instance.Objective{instance.Makespan, instance.WeightedCompletion} {
		in.Objective = m
		s, err = Greedy(t.Context(), in, source(1))
		require.NoError(t, err)
		assert.Empty(t, instance.Check(in, s))
	}
}

// TestTightMemory has four GPUs that hold two residents each, and seven workers.
func TestTightMemory(t *testing.T) {
	s := twoLayers(204_000_000, 2,
		instance.JobSpec{Name: "long", Workers: 1, Iterations: 50},
		instance.JobSpec{Name: "pair", Workers: 2, Iterations: 3, Count: 3},
	)
	in := compile(t, s)
	plan, err := Greedy(t.Context(), in, source(1))
	require.NoError(t, err)
	assert.Empty(t, instance.Check(in, plan))
}

func TestDeadlines(t *testing.T) {
	s := twoLayers(1<<30, 1,
		instance.JobSpec{Name: "late", Workers: 1, Iterations: 10, Deadline: 200e6},
		instance.JobSpec{Name: "soon", Workers: 1, Iterations: 2, Deadline: 24e6},
		instance.JobSpec{Name: "next", Workers: 1, Iterations: 2, Deadline: 48e6},
		instance.JobSpec{Name: "far", Workers: 1, Iterations: 10, Deadline: 200e6},
	)
	in := compile(t, s)
	for _, f := range []func() (*instance.Schedule, error){
		func() (*instance.Schedule, error) { return Greedy(t.Context(), in, source(1)) },
		func() (*instance.Schedule, error) { return Config{}.Exclusive(t.Context(), in, source(1)) },
	} {
		plan, err := f()
		require.NoError(t, err)
		assert.Empty(t, instance.Check(in, plan))
	}

	s.Jobs[1].Deadline = 23e6 // two iterations take 24 ms
	_, err := Greedy(t.Context(), compile(t, s), source(1))
	var none *NoPlan
	require.ErrorAs(t, err, &none)
	assert.Equal(t, "soon", none.Name)
	assert.Contains(t, err.Error(), "deadline, tick 23, by 1 ticks")
	_, err = Config{}.Exclusive(t.Context(), compile(t, s), source(1))
	require.ErrorAs(t, err, &none)
}

// TestFailedLinks keeps jobs off nodes that cannot reach each other.
func TestFailedLinks(t *testing.T) {
	s := twoLayers(1<<30, 2, instance.JobSpec{Name: "a", Workers: 3, Iterations: 2}, instance.JobSpec{Name: "b", Workers: 2, Iterations: 2})
	s.Cluster.Racks[0].Nodes = 3
	s.Cluster.FailedLinks = []string{"r0n1.up", "r0n0.fabric"}
	in := compile(t, s)
	plan, err := Greedy(t.Context(), in, source(1))
	require.NoError(t, err)
	assert.Empty(t, instance.Check(in, plan))
	for _, g := range plan.Residency[0] {
		assert.NotEqual(t, instance.NodeID(1), in.GPUs[g].Node)
	}
	s.Cluster.FailedLinks = append(s.Cluster.FailedLinks, "r0n2.down")
	_, err = Greedy(t.Context(), compile(t, s), source(1))
	var none *NoPlan
	require.ErrorAs(t, err, &none)
	assert.Equal(t, "a", none.Name)
}

// TestCheapestMultiset compares with enumeration.
func TestCheapestMultiset(t *testing.T) {
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
			j.Depths = append(j.Depths, instance.Depth{Layers: d + 1, Share: instance.Ratio(share)})
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
		got := cheapestMultiset(&j, 0)
		require.True(t, j.Allows(got))
		sum := instance.Tick(0)
		for d, n := range got {
			sum += instance.Tick(n) * j.On[0].Time[d]
		}
		require.Equal(t, best, sum)
	}
}

// TestBalance decodes balanced placements, which must stay valid, with and
// without pinned depths, and be alike for alike seeds.
func TestBalance(t *testing.T) {
	for name, m := range mediums() {
		t.Run(name, func(t *testing.T) {
			m.jobs, m.iterations = 12, 8
			for seed := range uint64(2) {
				m.objective = finite(seed)
				in := m.instance(t, 11)
				counts := startCounts(in)
				where, err := placeHard(in, placing{counts: counts, pin: true})
				require.NoError(t, err)
				balanced := func() *placement {
					return balance(in, where, balancing{counts: counts, rng: source(seed), steps: 2000, near: 1})
				}
				now := balanced()
				assert.Equal(t, now, balanced())
				l := newLayout(in)
				out := l.newRecord(len(in.Jobs))
				base, slope := measure(in, now, counts).keys(in, longestChain)
				require.NoError(t, newDispatcher(in, l).decode(t.Context(), &decision{counts: counts, where: now, base: base, slope: slope, even: true}, out))
				for _, v := range instance.Check(in, out.schedule(in, l)) {
					require.Equal(t, 10, v.Rule, "%v", v)
				}
			}
		})
	}
}

// TestLeanMultisets compares with enumeration, as far as there are few.
func TestLeanMultisets(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	most := 0
	for range 300 {
		depths, share := 1+rng.IntN(5), 0
		j := instance.Job{Workers: 1 + rng.IntN(7)}
		for d := range depths {
			if share += 1 + rng.IntN(1_000_000/depths-1); d == depths-1 {
				share = int(instance.One)
			}
			j.Depths = append(j.Depths, instance.Depth{Layers: d + 1, Share: instance.Ratio(share)})
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
		got := leanMultisets(&j)
		most = max(most, len(want))
		require.Len(t, got, min(mostLean, len(want)))
		for _, counts := range got {
			require.Contains(t, want, counts)
		}
	}
	assert.Greater(t, most, 5)
}

// shallower reports whether b becomes a when workers go down by some depths.
func shallower(a, b []int) bool {
	left := 0 // workers of a so far that are not matched by any of b
	for d := range a {
		if left += a[d] - b[d]; left < 0 {
			return false
		}
	}
	return !slices.Equal(a, b)
}
