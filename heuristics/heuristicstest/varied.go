package heuristicstest

import (
	"fmt"
	"math/rand/v2"

	"jigsaw/formulation/instance"
)

// Vary changes a drawn spec: profiles of its own, many rate levels, ticks, lists of depths, jobs that
// are left out, many or wide jobs, large weights, links without bandwidth to speak of, labels.
func Vary(rng *rand.Rand, s *instance.Spec) {
	d := draw{Rand: rng, spec: s, finite: !s.Objective.Periodic()}
	if d.in(2) {
		d.profiles()
	}
	c := &s.Cluster
	if d.in(2) {
		c.RateLevels = pick(d, []instance.RateLevel{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, []instance.RateLevel{2}, []instance.RateLevel{3, 7}, []instance.RateLevel{1, 100})
	}
	if d.in(4) {
		s.TickUS = pick[int64](d, 1, 37, 1000, 100_000)
	}
	for r := range c.Racks {
		if d.in(6) {
			c.Racks[r].NIC, c.Racks[r].Uplink = pick[instance.BitRate](d, 1e6, 1e9, 7e9), pick[instance.BitRate](d, 0, 1e9, 3e9)
			c.Racks[r].Oversubscription = 0
		}
		if d.in(10) {
			c.Racks[r].Count = 1 + d.IntN(3)
		}
	}
	for i := range c.Switches {
		if d.in(3) {
			c.Switches[i].Labels = []string{"a"}
		}
	}
	for i := range c.Links {
		if d.in(3) {
			c.Links[i].Labels = []string{"b"}
		}
	}
	if len(c.Switches) > 0 {
		c.Policies["a"] = instance.PolicySpec{MustPass: []string{"a"}, Avoid: []string{"b"}}
	}
	if !d.finite && d.in(2) {
		s.MaxPeriod = pick[instance.Duration](d, 2e8, 1e9, 30e9)
	}
	for i := range s.Jobs {
		d.vary(&s.Jobs[i])
	}
}

// profiles gives a third of the jobs models of their own, which have from one layer to many.
func (d *draw) profiles() {
	ms := instance.Duration(1_000_000)
	for i := range d.spec.Jobs {
		j := &d.spec.Jobs[i]
		if !d.in(3) || j.GPUsPerWorker > 0 {
			continue
		}
		j.Model = fmt.Sprintf("own%d", i)
		layers := make([]instance.Layer, pick(*d, 1, 1, 2, 3, 10, 100))
		for l := range layers {
			layers[l] = instance.Layer{
				Name: fmt.Sprintf("l%d", l), Forward: ms * instance.Duration(d.IntN(20)), Backward: ms * instance.Duration(1+d.IntN(60)),
				Parameters: pick[instance.Bytes](*d, 0, 1, 3e6, 100e6), Activations: pick[instance.Bytes](*d, 0, 7, 90e6, 900e6), Joined: l > 0 && d.in(4),
			}
		}
		for _, gpu := range d.spec.Cluster.GPUTypes {
			if len(gpu.ProfiledAs) > 0 && d.in(2) {
				continue
			}
			for _, batch := range []int{8, 16, 32} {
				d.spec.Profiles = append(d.spec.Profiles, &instance.Profile{Model: j.Model, GPU: gpu.Name, Batch: batch, Layers: layers, Workspace: pick[instance.Bytes](*d, 0, 1e9)})
			}
		}
		if j.Batch = 16; d.in(2) {
			j.Batch, j.Moldable, j.Workers = 32, []int{1, 2, 4}, 0
			j.SPB = instance.SPBSpec{}
		}
		if n := len(layers); n > 3 && j.Moldable == nil && d.in(3) {
			j.SPB = instance.SPBSpec{Rule: "free", Depths: []int{n / 3, n / 2, n}, MinMeanDepth: 400_000}
		}
	}
}

// vary changes a job.
func (d *draw) vary(j *instance.JobSpec) {
	if d.in(20) {
		j.Disabled = true
	}
	if d.in(20) {
		j.Count = pick(*d, 2, 10, 25)
	}
	if d.in(15) {
		j.Weight = pick[int64](*d, 0, 1_000_000)
	}
	if d.in(10) {
		j.Iterations = 1
	}
	if d.in(15) && d.spec.Cluster.Policies != nil {
		j.Placement.Policy = "a"
	}
}
