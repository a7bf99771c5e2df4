package heuristicstest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// Planted returns an instance with known optimal makespan: the rectangles of GPUs x
// ticks of all nodes are cut into rectangles, each a job of full depth whose
// iterations fill it. Synchronisations take no time.
func Planted(t testing.TB, rng *rand.Rand, nodes, gpus, ticks, cuts int) *instance.Instance {
	type block struct{ gpus, ticks int }
	blocks := slices.Repeat([]block{{gpus, ticks}}, nodes)
	for range cuts {
		i := rng.IntN(len(blocks))
		b := &blocks[i]
		if rng.IntN(2) == 0 && b.gpus > 1 {
			n := 1 + rng.IntN(b.gpus-1)
			b.gpus -= n
			blocks = append(blocks, block{n, blocks[i].ticks})
		} else if b.ticks > 8 {
			n := 1 + rng.IntN(b.ticks-1)
			b.ticks -= n
			blocks = append(blocks, block{blocks[i].gpus, n})
		}
	}
	s := &instance.Spec{Version: 1, Cluster: instance.ClusterSpec{
		GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 30}},
		Racks:    []instance.RackSpec{{Nodes: nodes, GPUs: gpus, GPU: "a", NIC: 1e9, Fabric: 1e9}},
	}}
	for n, b := range blocks {
		var divisors []int
		for d := 1; d <= b.ticks; d++ {
			if b.ticks%d == 0 && b.ticks/d <= 20 {
				divisors = append(divisors, d)
			}
		}
		d := divisors[rng.IntN(len(divisors))]
		name := fmt.Sprintf("m%d", n)
		s.Profiles = append(s.Profiles, &instance.Profile{Model: name, GPU: "a", Batch: 1, Layers: []instance.Layer{
			{Name: "l", Forward: instance.Duration(d) * 1e6},
		}})
		s.Jobs = append(s.Jobs, instance.JobSpec{Name: name, Model: name, Workers: b.gpus, Iterations: b.ticks / d,
			SPB: instance.SPBSpec{Rule: "full"}})
	}
	in, err := instance.Compile(s, nil)
	require.NoError(t, err)
	return in
}
