package boundtest

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/certificate"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/solver"
	"jigsaw/solver/backend"
)

// Synthetic draws a large instance: racks of 16 nodes of 8 GPUs, jobs of four
// models with 1 to 64 workers, all different in weight, iterations and release,
// so that every job is a class of its own.
func Synthetic(t testing.TB, racks, jobs int, objective instance.Objective) *instance.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(racks), uint64(jobs)))
	spec := &instance.Spec{
		Version: instance.Version, Objective: objective,
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{
				{Name: "a", Memory: 80 << 30},
				{Name: "b", Memory: 40 << 30, ProfiledAs: []instance.ProfiledAs{{GPU: "a", Speed: 600_000}}},
			},
			Racks: []instance.RackSpec{
				{Count: (racks + 1) / 2, Nodes: 16, GPUs: 8, GPU: "a", NIC: 100e9, Fabric: 2400e9, Oversubscription: 2 * instance.One},
				{Count: max(1, racks/2), Nodes: 16, GPUs: 8, GPU: "b", NIC: 50e9, Fabric: 1200e9, Oversubscription: 4 * instance.One},
			},
		},
	}
	for m := range 4 {
		p := &instance.Profile{Model: fmt.Sprint("m", m), GPU: "a", Batch: 32, Workspace: 1 << 28}
		for l := range 24 {
			p.Layers = append(p.Layers, instance.Layer{
				Name: fmt.Sprint(l), Forward: instance.Duration(1e6 + m*1e6), Backward: instance.Duration(2e6 + m*2e6),
				Parameters: instance.Bytes(1+m*m) << 21, Activations: 1 << 26,
			})
		}
		spec.Profiles = append(spec.Profiles, p)
	}
	for j := range jobs {
		job := instance.JobSpec{
			Name: fmt.Sprint("j", j), Model: fmt.Sprint("m", rng.IntN(4)), Workers: 1 << rng.IntN(7),
			Iterations: 5 + rng.IntN(40), Weight: int64(1 + rng.IntN(1000)),
		}
		if !objective.Periodic() && rng.IntN(4) == 0 {
			job.Release = instance.Duration(rng.IntN(2000)) * 1e6
		}
		if rng.IntN(3) == 0 {
			job.SPB = instance.SPBSpec{Rule: "free", MinMeanDepth: 500_000}
		}
		spec.Jobs = append(spec.Jobs, job)
	}
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	return in
}

// FourLayers is a model whose costs are easy to add up by hand: forward 1 ms and
// backward 2 ms per layer, 8 MB of parameters per layer. Depths 1 to 4 take 6, 8,
// 10 and 12 ticks of 1 ms.
func FourLayers() *instance.Profile {
	p := &instance.Profile{Model: "four", GPU: "v100", Batch: 32, Workspace: 10}
	for range 4 {
		p.Layers = append(p.Layers, instance.Layer{Name: "l", Forward: 1e6, Backward: 2e6, Parameters: 8e6, Activations: 1000})
	}
	return p
}

// TwoNodes is a rack of two nodes of g GPUs, NICs of 1e9 bytes per second and
// fabrics of 10e9.
func TwoNodes(g int, jobs ...instance.JobSpec) *instance.Spec {
	return &instance.Spec{
		Version:  instance.Version,
		Profiles: []*instance.Profile{FourLayers()},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 2, GPUs: g, GPU: "v100", NIC: 8e9, Fabric: 80e9}},
		},
		Jobs: jobs,
	}
}

// Compile returns the instance of a specification that must be valid.
func Compile(t testing.TB, spec *instance.Spec) *instance.Instance {
	t.Helper()
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	return in
}

// SmithsOrder returns three jobs of one worker each on one GPU, with so many iterations and multiples, and the least weighted
// completion: that of Smith's order.
func SmithsOrder(t testing.TB, iterations int) (*instance.Instance, *big.Rat) {
	spec := TwoNodes(1,
		instance.JobSpec{Name: "a", Model: "four", Workers: 1, Iterations: iterations, Weight: 3},
		instance.JobSpec{Name: "b", Model: "four", Workers: 1, Iterations: 2 * iterations, Weight: 5},
		instance.JobSpec{Name: "c", Model: "four", Workers: 1, Iterations: 3 * iterations, Weight: 7},
	)
	spec.Objective, spec.Cluster.Racks[0].Nodes = instance.WeightedCompletion, 1
	in := Compile(t, spec)
	p := int64(in.Jobs[0].On[0].Time[in.Jobs[0].Full()])
	return in, new(big.Rat).SetInt64(int64(iterations) * p * (1*3 + 3*5 + 6*7))
}

// LiveEngine returns the build's engine, and skips the test if there is none.
func LiveEngine(t testing.TB) solver.Solver {
	t.Helper()
	engine, err := backend.Default()
	if err != nil {
		t.Skip(err)
	}
	return engine
}

// SlowNICs draws an instance of few jobs, all but one of which are on several nodes and
// synchronise for longer than they compute.
func SlowNICs(t testing.TB, rng *rand.Rand, jobs int) *instance.Instance {
	spec := &instance.Spec{
		Version: instance.Version, Objective: instance.Throughput,
		MaxPeriod: instance.Duration(6+rng.IntN(7)) * 1e6,
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 2 + rng.IntN(2), GPUs: 1 + rng.IntN(2), GPU: "v100", NIC: 8e6, Fabric: 80e6}},
		},
	}
	spec.Cluster.RateLevels = [][]instance.RateLevel{{1}, {1, 2}, {1, 2, 4}}[rng.IntN(3)]
	gpus := spec.Cluster.Racks[0].GPUs
	for _, name := range []string{"a", "b"} {
		p := &instance.Profile{Model: name, GPU: "v100", Batch: 8}
		for range 1 + rng.IntN(2) {
			p.Layers = append(p.Layers, instance.Layer{
				Name: "l", Forward: instance.Duration(rng.IntN(2)) * 5e5, Backward: instance.Duration(1+rng.IntN(2)) * 5e5, Parameters: instance.Bytes(500 * (1 + rng.IntN(5))),
			})
		}
		spec.Profiles = append(spec.Profiles, p)
	}
	for j := range jobs {
		job := instance.JobSpec{Name: string(rune('a' + j)), Model: []string{"a", "b"}[rng.IntN(2)], Workers: gpus + 1, Weight: int64(1 + rng.IntN(4))}
		if rng.IntN(4) == 0 {
			job.Workers = 1
		}
		spec.Jobs = append(spec.Jobs, job)
	}
	return Compile(t, spec)
}

// BusyGPUs draws an instance of few jobs on few GPUs, whose links are fast.
func BusyGPUs(t testing.TB, rng *rand.Rand, jobs int) *instance.Instance {
	spec := &instance.Spec{
		Version: instance.Version, Objective: instance.Throughput,
		MaxPeriod: instance.Duration(7+rng.IntN(6)) * 1e6,
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{
				{Name: "v100", Memory: 1 << 30},
				{Name: "k80", Memory: 1 << 30, ProfiledAs: []instance.ProfiledAs{{GPU: "v100", Speed: 700_000}}},
			},
			Racks: []instance.RackSpec{{Nodes: 1 + rng.IntN(2), GPUs: 2, GPU: "v100", NIC: 8e9, Fabric: 80e9}},
		},
	}
	if rng.IntN(3) == 0 {
		spec.Cluster.Racks = append(spec.Cluster.Racks, instance.RackSpec{Nodes: 1, GPUs: 1, GPU: "k80", NIC: 8e9, Fabric: 80e9})
	}
	for _, name := range []string{"a", "b"} {
		p := &instance.Profile{Model: name, GPU: "v100", Batch: 8}
		for range 1 + rng.IntN(3) {
			p.Layers = append(p.Layers, instance.Layer{
				Name: "l", Forward: instance.Duration(rng.IntN(2)) * 5e5, Backward: instance.Duration(1+rng.IntN(2)) * 5e5, Parameters: 500,
			})
		}
		spec.Profiles = append(spec.Profiles, p)
	}
	for j := range jobs {
		job := instance.JobSpec{
			Name: string(rune('a' + j)), Model: []string{"a", "b"}[rng.IntN(2)], Workers: 1 + rng.IntN(2), Weight: int64(1 + rng.IntN(4)), Gang: rng.IntN(4) == 0,
		}
		if rng.IntN(2) == 0 {
			job.SPB = instance.SPBSpec{Rule: "free", MinMeanDepth: 600_000}
		}
		spec.Jobs = append(spec.Jobs, job)
	}
	return Compile(t, spec)
}

// Everywhere draws an instance of few jobs for a periodic objective, one of which has a worker on every GPU and short
// tasks; the tasks of others are often longer than its synchronisations.
func Everywhere(t testing.TB, rng *rand.Rand, objective instance.Objective) *instance.Instance {
	spec := &instance.Spec{
		Version: instance.Version, Objective: objective, MaxPeriod: instance.Duration(9+rng.IntN(8)) * 1e6,
		Cluster: instance.ClusterSpec{
			GPUTypes:   []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
			Racks:      []instance.RackSpec{{Nodes: 1 + rng.IntN(2), GPUs: 1 + rng.IntN(2), GPU: "v100", NIC: 8e6, Fabric: 16e6}},
			RateLevels: []instance.RateLevel{1},
		},
	}
	rack := &spec.Cluster.Racks[0]
	if rack.Nodes*rack.GPUs == 1 {
		rack.Nodes++
	}
	for i, name := range []string{"short", "long"} {
		p := &instance.Profile{Model: name, GPU: "v100", Batch: 8}
		for range 1 + rng.IntN(2) {
			p.Layers = append(p.Layers, instance.Layer{
				Name: "l", Forward: instance.Duration(rng.IntN(2)) * 5e5, Backward: instance.Duration(1+rng.IntN(2)) * 5e5 * instance.Duration(1+2*i),
				Parameters: instance.Bytes(500 * (1 + rng.IntN(4))),
			})
		}
		spec.Profiles = append(spec.Profiles, p)
	}
	gpus := rack.Nodes * rack.GPUs
	for j := range 2 + rng.IntN(2) {
		job := instance.JobSpec{
			Name: string(rune('a' + j)), Model: []string{"short", "long"}[min(j, 1)], Workers: gpus, Weight: int64(1 + rng.IntN(3)), Gang: rng.IntN(3) == 0,
		}
		if j > 0 && rng.IntN(2) == 0 {
			job.Workers = 1 + rng.IntN(gpus)
		}
		if rng.IntN(2) == 0 {
			job.SPB = instance.SPBSpec{Rule: "free", MinMeanDepth: 600_000}
		}
		spec.Jobs = append(spec.Jobs, job)
	}
	return Compile(t, spec)
}

// Read returns the certificate in a file, for an instance.
func Read(t testing.TB, in *instance.Instance, file []byte) *relax.Certificate {
	t.Helper()
	c, err := certificate.Decode(bytes.NewReader(file), relax.Kinds(), func(relax.Kind, string) string { return in.Digest() })
	require.NoError(t, err)
	return c
}

// NoSchedule is for searches without a known schedule.
func NoSchedule() *big.Rat { return nil }

// Engine returns the linear programming engine of the build, or skips the test.
func Engine(t testing.TB) solver.Solver {
	t.Helper()
	s, err := backend.OneShot()
	if errors.Is(err, backend.ErrNone) {
		t.Skip(err)
	}
	require.NoError(t, err)
	return s
}
