package sweep

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// latency of a synchronisation in every cell.
const latency = instance.Duration(100_000)

// Instance makes the cell's instance: the same cell gives the same instance.
func (c *Cell) Instance(library instance.ProfileSource) (*instance.Instance, error) {
	spec, err := c.Spec(library)
	if err != nil {
		return nil, err
	}
	return instance.Compile(spec, library)
}

// Spec makes the cell's instance in the form of a file.
func (c *Cell) Spec(library instance.ProfileSource) (*instance.Spec, error) {
	gpu := instance.GPUTypeSpec{Name: c.GPU, Memory: c.Memory}
	if c.Speed != instance.One {
		gpu.ProfiledAs = []instance.ProfiledAs{{GPU: c.GPU, Speed: c.Speed}}
	}
	s := &instance.Spec{
		Version: instance.Version, TickUS: c.TickUS, Objective: c.Objective, Residence: c.Residence,
		Name: fmt.Sprintf("%s on %s, seed %d", c.Mix.Name, c.Cluster, c.Seed),
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{gpu},
			Racks: []instance.RackSpec{{
				Count: c.Cluster.Racks, Nodes: c.Cluster.Nodes, GPUs: c.Cluster.GPUs, GPU: c.GPU,
				NIC: c.NIC, Fabric: c.Fabric, Oversubscription: c.Oversubscription,
			}},
			Latency: latency,
		},
	}
	if c.Objective.Periodic() {
		s.MaxPeriod = maxPeriod
	}
	return s, c.jobs(s, library)
}

// maxPeriod keeps periodic plans short enough to search.
const maxPeriod = instance.Duration(10e9)

// rng is the source for drawing the jobs: from seed, mix, number of GPUs, load
// and workers alone.
func (c *Cell) rng() *rand.Rand {
	mix, err := json.Marshal(c.Mix)
	if err != nil {
		panic("sweep: " + err.Error())
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %d %d", mix, c.Cluster.Total(), c.Load, c.Workers)
	return rand.New(rand.NewPCG(uint64(c.Seed), h.Sum64()))
}

// jobs draws jobs until their workers reach the number that the load requires,
// or a few more.
func (c *Cell) jobs(s *instance.Spec, library instance.ProfileSource) error {
	rng := c.rng()
	wanted := int(float64(c.Cluster.Total()) * float64(c.Load) / float64(instance.One))
	counts := c.counts()
	for have := 0; have < max(1, wanted); {
		m := c.Mix.Models[draw(rng, c.Mix.Models, func(m ModelChoice) int { return m.Weight })]
		workers := counts[draw(rng, counts, func(w WorkerChoice) int { return w.Weight })].Workers
		seconds := instance.Duration(10e9)
		if len(c.Mix.Seconds) > 0 {
			seconds = c.Mix.Seconds[draw(rng, c.Mix.Seconds, func(t TimeChoice) int { return t.Weight })].Time
		}
		weight := int64(1)
		if len(c.Mix.Weights) > 0 {
			weight = c.Mix.Weights[rng.IntN(len(c.Mix.Weights))]
		}
		release := instance.Duration(0)
		if c.Mix.Releases > 0 {
			release = instance.Duration(rng.Int64N(int64(c.Mix.Releases)+1)) / 1e6 * 1e6
		}
		p, err := profile(library, m, c.GPU)
		if err != nil {
			return err
		}
		total := p.Totals()
		job := instance.JobSpec{
			Name: fmt.Sprintf("%s-%d", m.Model, len(s.Jobs)+1), Model: m.Model, Batch: p.Batch, Workers: workers,
			Iterations: max(1, int(math.Round(float64(seconds)/float64(total.Forward+total.Backward)))),
			Weight:     weight, Release: release, SPB: c.SPB,
		}
		if c.Objective.Periodic() {
			job.Iterations, job.Release = 0, 0
		}
		s.Jobs = append(s.Jobs, job)
		have += workers
	}
	return nil
}

// counts are the numbers of workers that fit the cluster.
func (c *Cell) counts() []WorkerChoice {
	if c.Workers > 0 {
		return []WorkerChoice{{Workers: c.Workers}}
	}
	return slices.DeleteFunc(slices.Clone(c.Mix.Counts), func(w WorkerChoice) bool { return w.Workers > c.Cluster.Total() })
}

// draw returns the index of a choice, by weight.
func draw[C any](rng *rand.Rand, choices []C, weight func(C) int) int {
	sum := 0
	for _, c := range choices {
		sum += max(1, weight(c))
	}
	at := rng.IntN(sum)
	for i, c := range choices {
		if at -= max(1, weight(c)); at < 0 {
			return i
		}
	}
	return 0
}

// profile finds the measurements of a model on a GPU type.
func profile(library instance.ProfileSource, m ModelChoice, gpu string) (*instance.Profile, error) {
	var found []*instance.Profile
	for _, p := range library.Profiles(m.Model) {
		if p.GPU == gpu && p.Group() == 1 && (m.Batch == 0 || p.Batch == m.Batch) {
			found = append(found, p)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, fmt.Errorf("model %q has profiles at several batch sizes on %s; give its batch", m.Model, gpu)
	case m.Batch > 0:
		return nil, fmt.Errorf("there is no profile of model %q on %s at batch %d; see jigsaw profile list", m.Model, gpu, m.Batch)
	}
	return nil, fmt.Errorf("there is no profile of model %q on %s; see jigsaw profile list", m.Model, gpu)
}
