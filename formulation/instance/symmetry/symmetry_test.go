package symmetry

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/instancetest"
)

// TestCanonical: plans stay valid, keep their values, and exchanges of what is alike change nothing about where jobs
// end up.
func TestCanonical(t *testing.T) {
	options := instancetest.Options{Jobs: 4, GPUs: 8}
	kinds := []func(*rand.Rand) *instance.Instance{
		func(rng *rand.Rand) *instance.Instance { return instancetest.Random(rng, options) },
		func(rng *rand.Rand) *instance.Instance { return instancetest.Meshed(rng, options) },
		func(rng *rand.Rand) *instance.Instance { return instancetest.Policed(rng, options) },
		func(rng *rand.Rand) *instance.Instance { return instancetest.Queueing(rng, instance.Makespan) },
	}
	changed, exchanged := 0, 0
	for seed := range instancetest.Many[uint64](40_000, 8000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		in := kinds[seed%uint64(len(kinds))](rng)
		s, ok := instancetest.ValidSchedule(rng, in)
		ok = ok && len(check.Schedule(in, s)) == 0 // it knows of no loads
		if !ok {
			continue
		}
		before := s.Clone()
		c := Canonical(in, s)
		require.Equal(t, before, s, "seed %d", seed)
		require.Empty(t, check.Schedule(in, c), "seed %d", seed)
		require.Zero(t, in.Value(s).Cmp(in.Value(c)), "seed %d", seed)
		require.True(t, c.Sorted(), "seed %d", seed)
		require.Equal(t, c, Canonical(in, c), "seed %d", seed)
		if c != s {
			changed++
		}
		if in.Resumes() || in.Objective.Periodic() {
			continue
		}
		blocks := CanonicalBlocks(in, s.Block())
		require.Equal(t, c.Block(), blocks, "seed %d", seed)
		require.Empty(t, check.Blocks(in, blocks), "seed %d", seed)

		to := exchange(rng, in)
		other := s.Clone()
		for i := range other.Tasks {
			other.Tasks[i].GPU = to[other.Tasks[i].GPU]
		}
		other.Residency = renamed(s.Residency, to)
		other.Sort()
		if len(in.Racks) > 1 && in.Nodes[in.GPUs[to[0]].Node].Rack != 0 {
			exchanged++
		}
		require.Equal(t, c.Residency, Canonical(in, other).Residency, "seed %d", seed)
	}
	assert.Greater(t, changed, 500)
	assert.Greater(t, exchanged, 20)
}

// exchange draws which GPU stands for each, where nodes, racks and GPUs that are alike change places.
func exchange(rng *rand.Rand, in *instance.Instance) []instance.GPUID {
	kinds, nodes := Kinds(in), in.AllNodes()
	swap := func(m, n instance.NodeID) { nodes[m], nodes[n] = nodes[n], nodes[m] }
	for range 3 {
		for _, racks := range Racks(in, kinds) {
			a, b := racks[rng.IntN(len(racks))], racks[rng.IntN(len(racks))]
			for i, n := range in.Racks[a].Nodes {
				if a != b {
					swap(n, in.Racks[b].Nodes[i])
				}
			}
		}
		m, n := rng.IntN(len(nodes)), rng.IntN(len(nodes))
		if kinds[m] == kinds[n] && in.Nodes[m].Rack == in.Nodes[n].Rack {
			swap(instance.NodeID(m), instance.NodeID(n))
		}
	}
	to := make([]instance.GPUID, len(in.GPUs))
	for n, at := range nodes {
		for i, place := range rng.Perm(in.Nodes[n].GPUs) {
			to[in.Nodes[n].FirstGPU+instance.GPUID(i)] = in.Nodes[at].FirstGPU + instance.GPUID(place)
		}
	}
	return to
}

// TestOrder: the first job is on the first node, the first that is not there on the next, and nobody on the last.
func TestOrder(t *testing.T) {
	d, err := codec.Decode([]byte(`
version: 1
name: four
objective: makespan
cluster:
  gpu_types: [{name: a, memory: 1GB}]
  racks: [{nodes: 4, gpus: 2, gpu: a, nic: 10Gbit/s, fabric: 100Gbit/s}]
profiles:
  - {model: m, gpu: a, batch: 8, layers: [{name: x, forward: 5ms, backward: 9ms, parameters: 3MB, activations: 1MB}]}
jobs:
  - {name: x, model: m, batch: 8, workers: 2, iterations: 3}
  - {name: y, model: m, batch: 8, workers: 2, iterations: 3}
  - {name: z, model: m, batch: 8, workers: 1, iterations: 3}
`))
	require.NoError(t, err)
	in, err := d.Compile(nil)
	require.NoError(t, err)
	residency := [][]instance.GPUID{{6, 7}, {0, 1}, {0}}
	to := order(in, residency)
	require.NotNil(t, to)
	// Of the GPUs of y the one that z shares comes last.
	assert.Equal(t, [][]instance.GPUID{{0, 1}, {2, 3}, {3}}, renamed(residency, to))
}
