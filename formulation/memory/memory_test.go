package memory_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/memory"
	relaxed "jigsaw/formulation/relax/memory"
)

// tight draws a tiny instance whose GPUs have too little memory, or just enough.
func tight(seed uint64) *instance.Instance {
	rng := rand.New(rand.NewPCG(seed, 7))
	return tightened(rng, instancetest.Random(rng, instancetest.Options{Jobs: 5, GPUs: 5}))
}

// tightened redraws memories.
func tightened(rng *rand.Rand, in *instance.Instance) *instance.Instance {
	least, all := make([]instance.Bytes, len(in.Types)), make([]instance.Bytes, len(in.Types))
	for j := range in.Jobs {
		for t, c := range in.Jobs[j].On {
			if c != nil {
				full := c.Persistent + c.Ephemeral[in.Jobs[j].Full()]
				least[t] = max(least[t], full)
				all[t] += full
			}
		}
	}
	for t := range in.Types {
		if all[t] > 0 {
			in.Types[t].Memory = least[t]*9/10 + instance.Bytes(rng.Int64N(int64(all[t]-least[t]*9/10+1)))*2/3
		}
	}
	return in
}

// fits reports by exhaustive search whether there is a placement.
func fits(in *instance.Instance) bool {
	persistent, ephemeral := make([]instance.Bytes, len(in.GPUs)), make([]instance.Bytes, len(in.GPUs))
	var place func(j instance.JobID, g instance.GPUID, gpus []instance.GPUID, counts []int) bool
	place = func(j instance.JobID, g instance.GPUID, gpus []instance.GPUID, counts []int) bool {
		if int(j) == len(in.Jobs) {
			return true
		}
		job := &in.Jobs[j]
		if counts == nil {
			counts = make([]int, len(job.Depths))
		}
		if len(gpus) == job.Workers {
			return job.Allows(counts) && within(in, job, gpus) && place(j+1, 0, nil, nil)
		}
		if int(g) == len(in.GPUs) {
			return false
		}
		t := in.GPUs[g].Type
		if c := job.On[t]; c != nil {
			p, e := persistent[g], ephemeral[g]
			for d := range job.Depths {
				if p+c.Persistent+max(e, c.Ephemeral[d]) > in.Types[t].Memory {
					continue
				}
				persistent[g], ephemeral[g] = p+c.Persistent, max(e, c.Ephemeral[d])
				with := slices.Clone(counts)
				with[d]++
				if place(j, g+1, append(slices.Clone(gpus), g), with) {
					return true
				}
				persistent[g], ephemeral[g] = p, e
			}
		}
		return place(j, g+1, gpus, counts)
	}
	return place(0, 0, nil, nil)
}

func within(in *instance.Instance, job *instance.Job, gpus []instance.GPUID) bool {
	for _, g := range gpus {
		a, b := in.GPUs[gpus[0]].Node, in.GPUs[g].Node
		if job.Within == instance.WithinNode && a != b || job.Within == instance.WithinRack && in.Nodes[a].Rack != in.Nodes[b].Rack {
			return false
		}
	}
	if len(gpus) == 1 {
		return true
	}
	_, ok := in.Span(gpus)
	return ok
}

// requireValid checks a placement against its definition.
func requireValid(t *testing.T, in *instance.Instance, p *memory.Placement) {
	t.Helper()
	persistent, ephemeral := make([]instance.Bytes, len(in.GPUs)), make([]instance.Bytes, len(in.GPUs))
	for j := range in.Jobs {
		job := &in.Jobs[j]
		require.Len(t, p.GPUs[j], job.Workers)
		require.True(t, slices.IsSorted(p.GPUs[j]))
		require.Len(t, slices.Compact(slices.Clone(p.GPUs[j])), job.Workers)
		require.True(t, job.Allows(p.Counts(in, instance.JobID(j))))
		require.True(t, within(in, job, p.GPUs[j]))
		for n, g := range p.GPUs[j] {
			c := job.On[in.GPUs[g].Type]
			require.NotNil(t, c)
			persistent[g] += c.Persistent
			ephemeral[g] = max(ephemeral[g], c.Ephemeral[p.Depths[j][n]])
		}
	}
	for g := range in.GPUs {
		require.LessOrEqual(t, persistent[g]+ephemeral[g], in.Types[in.GPUs[g].Type].Memory)
	}
}

func TestAgainstTryingEverything(t *testing.T) {
	seeds := uint64(2000)
	if testing.Short() {
		seeds = 400
	}
	some, none := 0, 0
	for seed := range seeds {
		in := tight(seed)
		if fitsTakesLong(in) {
			continue
		}
		want := fits(in)
		p, everywhere := memory.Search(context.Background(), in, 1_000_000)
		refuted := relaxed.Refute(context.Background(), in, 1_000_000)
		if want {
			some++
			require.NotNil(t, p, "seed %d", seed)
			requireValid(t, in, p)
		} else {
			none++
			require.Nil(t, p, "seed %d", seed)
		}
		require.Equal(t, !want, everywhere, "seed %d", seed)
		require.Equal(t, !want, refuted, "seed %d", seed)
	}
	assert.Greater(t, some, 50)
	assert.Greater(t, none, 50)
}

// TestGroups compares what is proven for workers of several GPUs, each on one node at one depth,
// with brute force: without deadlines there is a schedule if there is a placement.
func TestGroups(t *testing.T) {
	some, none := 0, 0
	for seed := range instancetest.Many[uint64](1000, 200) {
		rng := rand.New(rand.NewPCG(seed, 8))
		in := tightened(rng, instancetest.Grouped(rng, instancetest.Options{Objective: instance.Makespan, Workers: 4, Iterations: 1}))
		for j := range in.Jobs {
			in.Jobs[j].Deadline = 0
		}
		_, _, status := instancetest.OptimumWithin(in, 100_000)
		if status == instancetest.Skipped {
			continue
		}
		refuted := relaxed.Refute(context.Background(), in, 1_000_000)
		require.Equal(t, status == instancetest.Infeasible, refuted, "seed %d", seed)
		if refuted {
			none++
		} else {
			some++
		}
	}
	t.Logf("%d have a placement, %d have none", some, none)
	assert.Greater(t, some, 20)
	assert.Greater(t, none, 20)
}

// TestStepsEnd: without steps nothing is found and nothing proven, unless it is
// immediately clear.
func TestStepsEnd(t *testing.T) {
	undecided := 0
	for seed := range uint64(100) {
		in := tight(seed)
		p, everywhere := memory.Search(context.Background(), in, 0)
		assert.Nil(t, p)
		if !everywhere && !relaxed.Refute(context.Background(), in, 0) {
			undecided++
		}
	}
	assert.Greater(t, undecided, 30)
	ended, end := context.WithCancel(context.Background())
	end()
	p, everywhere := memory.Search(ended, tight(1), 1000)
	assert.Nil(t, p)
	assert.False(t, everywhere)
}

// fitsTakesLong excludes instances for which exhaustive search takes seconds.
func fitsTakesLong(in *instance.Instance) bool {
	ways := 1
	for j := range in.Jobs {
		for range in.Jobs[j].Workers {
			ways *= len(in.Jobs[j].Depths)
		}
		ways *= len(in.GPUs)
	}
	return ways > 1_000_000
}
