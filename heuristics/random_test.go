package heuristics

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// medium describes a random instance of realistic shape: models of several
// layers, jobs of 1 to 16 workers, a racked network.
type medium struct {
	racks, nodes, gpus, jobs int
	objective                instance.Objective
	iterations               int // at most
	nic                      instance.BitRate
	// options, each with some probability per job
	gangs, releases, free, deadlines, limits, tight, mixed bool
}

func (m medium) spec(rng *rand.Rand) *instance.Spec {
	s := &instance.Spec{Version: 1, Objective: m.objective}
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
	if m.tight {
		memory = 3 << 30
	}
	s.Cluster = instance.ClusterSpec{
		GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: memory}, {Name: "b", Memory: memory,
			ProfiledAs: []instance.ProfiledAs{{GPU: "a", Speed: 1_500_000}}}},
		Racks: []instance.RackSpec{
			{Count: (m.racks + 1) / 2, Nodes: m.nodes, GPUs: m.gpus, GPU: "a", NIC: m.nic, Fabric: 16 * m.nic, Oversubscription: 2_000_000},
		},
	}
	if m.racks > 1 {
		second := "a"
		if m.mixed {
			second = "b"
		}
		s.Cluster.Racks = append(s.Cluster.Racks, instance.RackSpec{Count: m.racks / 2, Nodes: m.nodes, GPUs: m.gpus,
			GPU: second, NIC: m.nic, Fabric: 16 * m.nic, Oversubscription: 2_000_000})
	}
	for n := range m.jobs {
		k := min(1<<rng.IntN(5), m.racks*m.nodes*m.gpus/2)
		j := instance.JobSpec{
			Name: fmt.Sprintf("j%d", n), Model: fmt.Sprintf("m%d", rng.IntN(4)), Workers: max(1, k),
			Iterations: 1 + rng.IntN(m.iterations), Weight: int64(1 + rng.IntN(10)),
			Gang: m.gangs && rng.IntN(3) == 0,
		}
		if m.releases && rng.IntN(2) == 0 {
			j.Release = instance.Duration(rng.IntN(200e6))
		}
		if m.free && rng.IntN(2) == 0 {
			j.SPB = instance.SPBSpec{Rule: "free", MinMeanDepth: instance.Ratio(rng.IntN(800_000)), MinFull: 1 + rng.IntN(j.Workers)}
		}
		if m.deadlines && rng.IntN(4) == 0 {
			j.Deadline = instance.Duration(1e9 + rng.IntN(5e9))
		}
		if m.limits {
			switch rng.IntN(4) {
			case 0:
				if j.Workers <= m.gpus {
					j.Placement.Within = "node"
				}
			case 1:
				if j.Workers <= m.gpus*m.nodes {
					j.Placement.Within = "rack"
				}
			}
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

func (m medium) instance(t testing.TB, seed uint64) *instance.Instance {
	in, err := instance.Compile(m.spec(rand.New(rand.NewPCG(seed, 1))), nil)
	require.NoError(t, err)
	return in
}

// chainArea returns the larger of two simple lower bounds on the makespan:
// the longest chain without synchronisations, and the GPU-ticks over the GPUs,
// with the cheapest multisets on the fastest GPUs.
func chainArea(in *instance.Instance) instance.Tick {
	chain, area := instance.Tick(0), instance.Tick(0)
	for j, counts := range startCounts(in) {
		job := &in.Jobs[j]
		r, on := instance.Tick(job.Iterations), job.On[fastestType(in, job)]
		chain = max(chain, job.Release+r*on.Time[job.Full()])
		for d, n := range counts {
			area += r * instance.Tick(n) * on.Time[d]
		}
	}
	return max(chain, (area+instance.Tick(len(in.GPUs))-1)/instance.Tick(len(in.GPUs)))
}
