package horizon

import (
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/heuristicstest"
)

// TestPaces: a job that would not be done by the end otherwise has its pace alone, and those that share its GPU what it leaves; with more
// time all have the least pace, and when none waits all end together.
func TestPaces(t *testing.T) {
	in := heuristicstest.Compiled(t, `
objective: makespan
residence: run
cluster: {gpu_types: [{name: v, memory: 1GB}], racks: [{nodes: 1, gpus: 1, gpu: v, nic: 1Gbit/s, fabric: 1Gbit/s}]}
jobs: [{name: long, model: m, workers: 1, iterations: 100000}, {name: short, model: m, workers: 1, iterations: 1000}, {name: waits, model: m, workers: 1, iterations: 1}]
`)
	alone := float64(newSharing(in, 1).alone[0])
	paces := func(end float64, waiting int) []float64 {
		m := newSharing(in, 1).begin(rule{order: []int{0, 1}, crowd: 3, pace: 0.5, end: instance.Tick(end), detail: 1})
		m.admit()
		m.waiting.jobs = waiting
		require.Equal(t, []instance.GPUID{0}, m.homes[0])
		require.Equal(t, []instance.GPUID{0}, m.homes[1])
		c := m.share([]int{0, 1})
		require.NotNil(t, c)
		want, _ := m.paces(c)
		return []float64{want[0] * alone, want[1] * alone}
	}
	require.InDeltaSlice(t, []float64{0.8, 0.15}, paces(alone*100_000/0.8, 1), 1e-3)
	require.InDeltaSlice(t, []float64{1, 0.01 + leastSpare*0.49}, paces(alone*100_000, 1), 2e-3)
	require.InDeltaSlice(t, []float64{0.475, 0.475}, paces(alone*100_000*1000, 1), 2e-3)
	together := paces(alone*100_000, 0)
	require.InDelta(t, 100, together[0]/together[1], 1e-9)
}

// TestRoom: jobs get the GPUs with least work left of one node, those of several nodes whole nodes of one rack, and none where
// memory has no room or GPUs are crowded; narrow ones only those of some nodes if a rule says so.
func TestRoom(t *testing.T) {
	in := heuristicstest.Compiled(t, `
objective: makespan
residence: run
cluster: {gpu_types: [{name: v, memory: 7MB}], racks: [{nodes: 2, gpus: 2, gpu: v, nic: 1Gbit/s, fabric: 1Gbit/s}]}
jobs:
  - {name: one, model: m, workers: 1, iterations: 100}
  - {name: two, model: m, workers: 2, iterations: 100}
  - {name: wide, model: m, workers: 4, iterations: 100}
  - {name: more, model: m, workers: 1, iterations: 100}
  - {name: last, model: m, workers: 1, iterations: 100}
`)
	for j := range in.Jobs {
		in.Jobs[j].On[0].Persistent = 1 << 20
	}
	in.Types[0].Memory = 2<<20 + in.Jobs[0].On[0].Ephemeral[in.Jobs[0].Full()]
	m := newSharing(in, 1).begin(rule{order: []int{0, 1, 2, 3, 4}, crowd: 0.9})
	m.admit()
	require.Equal(t, []instance.GPUID{0}, m.homes[0])
	require.Equal(t, []instance.GPUID{2, 3}, m.homes[1], "node 0 has too few that are not crowded")
	require.Equal(t, []instance.GPUID{0, 1, 2, 3}, m.homes[2], "jobs of several nodes share crowded GPUs")
	require.Equal(t, []instance.GPUID{1}, m.homes[3], "the wide one waits for its network most of the time")
	require.Empty(t, m.homes[4], "all GPUs are crowded")
	require.Equal(t, 1, m.waiting.jobs)
	m.crowd = 10
	clear(m.waiting.full)
	m.admit()
	require.Empty(t, m.homes[4], "memory holds two jobs")
	m.left[0], m.held[0], m.loads[0].known = 0, m.held[0][1:], false
	clear(m.waiting.full)
	m.admit()
	require.Equal(t, []instance.GPUID{0}, m.homes[4])

	m = newSharing(in, 1).begin(rule{order: []int{0, 1, 2, 3, 4}, crowd: 10, narrow: 1})
	m.admit()
	require.Equal(t, [][]instance.GPUID{{0}, {2, 3}, {0, 1, 2, 3}, {1}, nil}, m.homes, "jobs of less than a node only have the first one")
}
