package heuristics

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/groups"
	"jigsaw/heuristics/heuristicstest"
)

// TestDividedNode: jobs whose workers have different numbers of GPUs share the links of the node that both are on.
func TestDividedNode(t *testing.T) {
	document, err := codec.Decode([]byte(`
version: 1
tick_us: 1
cluster:
  gpu_types: [{name: v100, memory: 1GB}]
  racks: [{nodes: 1, gpus: 7, gpu: v100, nic: 80Mbit/s, fabric: 4240753bit/s}]
profiles:
  - {model: single, gpu: v100, batch: 1, layers: [{name: a, forward: 11us, backward: 30us, parameters: 3}]}
  - {model: pair, gpu: v100, gpus: 2, batch: 1, layers: [{name: a, forward: 2us, backward: 3us, parameters: 3}, {name: b, forward: 3us, backward: 3us, parameters: 2}]}
jobs:
  - {name: two, model: pair, workers: 2, iterations: 2, gpus_per_worker: 2}
  - {name: one, model: single, workers: 2, spb: {rule: full}}
`))
	require.NoError(t, err)
	in, err := document.Compile(nil)
	require.NoError(t, err)
	s, err := Config{}.Divided(context.Background(), in.FullDepth(), rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	require.Empty(t, check.Schedule(in.FullDepth(), s))
}

// TestDividedLimited: on 16 nodes a plan whose time is limited is a division, and no other is made first; without a limit it is no
// worse than list scheduling.
func TestDividedLimited(t *testing.T) {
	m := heuristicstest.Mediums()["plain"]
	m.Racks, m.Nodes, m.Jobs, m.Iterations, m.Objective = 4, 4, 24, 2, instance.WeightedCompletion
	in := m.Instance(t, 1)
	rng := func() *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }
	limited, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	constructed := 0
	c := Config{Constructed: func(*instance.Schedule) { constructed++ }}
	s, err := c.Divided(limited, in, rng())
	require.NoError(t, err)
	require.Empty(t, check.Schedule(in, s))
	require.Zero(t, constructed, "lists of all jobs at once")
	require.Greater(t, len(groups.Of(in, s)), 1)
	s, err = c.Divided(context.Background(), in, rng())
	require.NoError(t, err)
	require.Equal(t, 1, constructed)
	whole, err := c.Greedy(context.Background(), in, rng())
	require.NoError(t, err)
	require.LessOrEqual(t, in.Value(s).Cmp(in.Value(whole)), 0)
}
