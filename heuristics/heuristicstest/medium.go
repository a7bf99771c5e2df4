// Package heuristicstest makes instances for the tests of heuristics: random ones of
// realistic shape, and ones whose optimum is known.
package heuristicstest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// Medium describes a random instance of realistic shape: models of several
// layers, jobs of 1 to 16 workers, a racked network.
type Medium struct {
	Racks, Nodes, GPUs, Jobs int
	Objective                instance.Objective
	Iterations               int // at most
	NIC                      instance.BitRate
	// options, each with some probability per job
	Gangs, Releases, Free, Deadlines, Limits, Tight, Mixed bool
}

// Spec draws a spec from a random source.
func (m Medium) Spec(rng *rand.Rand) *instance.Spec {
	s := &instance.Spec{Version: 1, Objective: m.Objective}
	for n := range 4 {
		p := &instance.Profile{Model: fmt.Sprintf("m%d", n), GPU: "a", Batch: 8, Workspace: 1 << 20}
		for range 4 + rng.IntN(8) {
			p.Layers = append(p.Layers, instance.Layer{
				Name: "l", Forward: instance.Duration(3e5 + rng.IntN(15e5)), Backward: instance.Duration(6e5 + rng.IntN(30e5)),
				Parameters: instance.Bytes(1e5 + rng.IntN(8e6)), Activations: instance.Bytes(rng.IntN(1e8)),
			})
		}
		s.Profiles = append(s.Profiles, p)
	}
	memory := instance.Bytes(32 << 30)
	if m.Tight {
		memory = 3 << 30
	}
	s.Cluster = instance.ClusterSpec{
		GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: memory}, {Name: "b", Memory: memory,
			ProfiledAs: []instance.ProfiledAs{{GPU: "a", Speed: 1_500_000}}}},
		Racks: []instance.RackSpec{
			{Count: (m.Racks + 1) / 2, Nodes: m.Nodes, GPUs: m.GPUs, GPU: "a", NIC: m.NIC, Fabric: 16 * m.NIC, Oversubscription: 2_000_000},
		},
	}
	if m.Racks > 1 {
		second := "a"
		if m.Mixed {
			second = "b"
		}
		s.Cluster.Racks = append(s.Cluster.Racks, instance.RackSpec{Count: m.Racks / 2, Nodes: m.Nodes, GPUs: m.GPUs,
			GPU: second, NIC: m.NIC, Fabric: 16 * m.NIC, Oversubscription: 2_000_000})
	}
	for n := range m.Jobs {
		k := min(1<<rng.IntN(5), m.Racks*m.Nodes*m.GPUs/2)
		j := instance.JobSpec{
			Name: fmt.Sprintf("j%d", n), Model: fmt.Sprintf("m%d", rng.IntN(4)), Workers: max(1, k),
			Iterations: 1 + rng.IntN(m.Iterations), Weight: int64(1 + rng.IntN(10)),
			Gang: m.Gangs && rng.IntN(3) == 0,
		}
		if m.Releases && rng.IntN(2) == 0 {
			j.Release = instance.Duration(rng.IntN(200e6))
		}
		if m.Free && rng.IntN(2) == 0 {
			j.SPB = instance.SPBSpec{Rule: "free", MinMeanDepth: instance.Ratio(rng.IntN(800_000)), MinFull: 1 + rng.IntN(j.Workers)}
		}
		if m.Deadlines && rng.IntN(4) == 0 {
			j.Deadline = instance.Duration(1e9 + rng.IntN(5e9))
		}
		if m.Limits {
			switch rng.IntN(4) {
			case 0:
				if j.Workers <= m.GPUs {
					j.Placement.Within = "node"
				}
			case 1:
				if j.Workers <= m.GPUs*m.Nodes {
					j.Placement.Within = "rack"
				}
			}
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// Instance draws the instance for a seed.
func (m Medium) Instance(t testing.TB, seed uint64) *instance.Instance {
	in, err := instance.Compile(m.Spec(rand.New(rand.NewPCG(seed, 1))), nil)
	require.NoError(t, err)
	return in
}

// Mediums are the shapes used by tests, by name.
func Mediums() map[string]Medium {
	base := Medium{Racks: 2, Nodes: 2, GPUs: 4, Jobs: 20, Iterations: 12, NIC: 25e9}
	m := map[string]Medium{"plain": base}
	thin := base
	thin.NIC = 1e9
	m["thin"] = thin
	gangs := base
	gangs.Gangs, gangs.Releases = true, true
	m["gangs"] = gangs
	thinGangs := gangs
	thinGangs.NIC, thinGangs.Free = 2e9, true
	m["thin gangs"] = thinGangs
	limits := base
	limits.Limits, limits.Free, limits.Releases, limits.Deadlines, limits.Mixed = true, true, true, true, true
	m["limits"] = limits
	tight := base
	tight.Tight, tight.Jobs = true, 14
	m["tight"] = tight
	return m
}

// Source is the random source of a seed.
func Source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// Finite alternates between the finite objectives.
func Finite(seed uint64) instance.Objective {
	return []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]
}
