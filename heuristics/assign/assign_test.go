package assign

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// full puts every worker at full depth.
func full(in *instance.Instance) [][]int {
	counts := make([][]int, len(in.Jobs))
	for j := range in.Jobs {
		counts[j] = make([]int, len(in.Jobs[j].Depths))
		counts[j][in.Jobs[j].Full()] = in.Jobs[j].Workers
	}
	return counts
}

// fits reports whether an assignment meets rule 7 with every job at full depth.
func fits(in *instance.Instance, gpu []instance.GPUID) bool {
	for g := range in.GPUs {
		t := in.GPUs[g].Type
		persistent, ephemeral := instance.Bytes(0), instance.Bytes(0)
		for j := range in.Jobs {
			if gpu[j] == instance.GPUID(g) {
				persistent += in.Jobs[j].On[t].Persistent
				ephemeral = max(ephemeral, in.Jobs[j].On[t].Ephemeral[in.Jobs[j].Full()])
			}
		}
		if persistent+ephemeral > in.Types[t].Memory {
			return false
		}
	}
	return true
}

// TestKeepsCount checks assignments, and what steps keep up to date, against rules 1 and 7
// and a recount from scratch.
func TestKeepsCount(t *testing.T) {
	t.Parallel()
	looked, moved := 0, 0
	for seed := range uint64(300) {
		in := instancetest.Random(source(seed), instancetest.Options{Objective: instance.Makespan, Workers: 1})
		start, ok := instancetest.ValidSchedule(source(seed), in)
		if !ok {
			continue
		}
		from, limit := make([]instance.GPUID, len(in.Jobs)), make([]int, len(in.Jobs))
		for j, gpus := range start.Residency {
			from[j], limit[j] = gpus[0], in.Jobs[j].Full()
		}
		if !fits(in, from) {
			continue
		}
		s := New(in, full(in), from, limit, source(seed))
		s.target = max(1, s.bound)
		for range 5 {
			for range 100 {
				s.step(0.5)
			}
			s.kept = slices.Clone(s.gpu)
			now := s.Best()
			require.Equal(t, New(in, full(in), now, limit, source(seed)).load, s.load)
			require.True(t, fits(in, now))
			for j, g := range now {
				require.True(t, in.Jobs[j].Runs(in.GPUs[g].Type))
			}
			if !slices.Equal(now, from) {
				moved++
			}
		}
		looked++
	}
	require.Greater(t, looked, 50)
	require.Greater(t, moved, looked)
}

// machines is an instance of unrelated machines, and its times by job and machine.
func machines(t *testing.T, rng *rand.Rand, jobs, machines, most int) (*instance.Instance, [][]int64) {
	spec := &instance.Spec{Version: instance.Version}
	times := make([][]int64, jobs)
	for m := range machines {
		gpu := fmt.Sprintf("m%d", m)
		spec.Cluster.GPUTypes = append(spec.Cluster.GPUTypes, instance.GPUTypeSpec{Name: gpu, Memory: 1 << 30})
		spec.Cluster.Racks = append(spec.Cluster.Racks, instance.RackSpec{Nodes: 1, GPUs: 1, GPU: gpu, NIC: 1e9, Fabric: 1e9})
		for j := range jobs {
			times[j] = append(times[j], int64(1+rng.IntN(most)))
			spec.Profiles = append(spec.Profiles, &instance.Profile{
				Model: fmt.Sprintf("j%d", j), GPU: gpu, Batch: 1, Layers: []instance.Layer{{Forward: instance.Duration(times[j][m] * 1e6)}},
			})
		}
	}
	for j := range jobs {
		name := fmt.Sprintf("j%d", j)
		spec.Jobs = append(spec.Jobs, instance.JobSpec{Name: name, Model: name, Workers: 1, SPB: instance.SPBSpec{Rule: "full"}})
	}
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	return in, times
}

// onFirst starts with all jobs on the first machine.
func onFirst(in *instance.Instance, rng *rand.Rand) *Search {
	return New(in, full(in), make([]instance.GPUID, len(in.Jobs)), make([]int, len(in.Jobs)), rng)
}

// TestOptimum compares makespan and bound with brute force.
func TestOptimum(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		in, times := machines(t, source(seed), 7, 3, 30)
		require.True(t, Exact(in))
		optimum := int64(1 << 60)
		var load [3]int64
		var put func(j int)
		put = func(j int) {
			if j == len(times) {
				optimum = min(optimum, slices.Max(load[:]))
				return
			}
			for m := range load {
				load[m] += times[j][m]
				put(j + 1)
				load[m] -= times[j][m]
			}
		}
		put(0)
		s := onFirst(in, source(seed))
		require.LessOrEqual(t, s.Bound(), optimum)
		for range 4 {
			s.Anneal(context.Background(), 5000)
		}
		require.Equal(t, optimum, s.Makespan(), "seed %d", seed)
	}
}

// TestSameSeed: equal sources give equal assignments.
func TestSameSeed(t *testing.T) {
	t.Parallel()
	in, _ := machines(t, source(1), 60, 10, 100)
	a, b := onFirst(in, source(2)), onFirst(in, source(2))
	a.Anneal(context.Background(), 20_000)
	b.Anneal(context.Background(), 20_000)
	require.Equal(t, a.Best(), b.Best())
	require.Less(t, float64(a.Makespan()), 1.25*float64(a.Bound()))
}
