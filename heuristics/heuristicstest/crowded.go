package heuristicstest

import (
	"fmt"
	"math/rand/v2"

	"jigsaw/formulation/instance"
)

// Crowded draws a spec of a few jobs on a few GPUs, most of which have a worker on each of them. Their tasks are from one
// to a hundred ticks long, so that what one job leaves idle decides how another fits in: good plans are close to bounds, and a
// bound that is wrong shows.
func Crowded(rng *rand.Rand) *instance.Spec {
	d := draw{Rand: rng, spec: &instance.Spec{Version: 1, Name: "crowded", Objective: instance.Objectives()[rng.IntN(4)]}}
	d.finite = !d.spec.Objective.Periodic()
	d.hours = d.finite && d.in(4)
	d.crowdedCluster()
	for m := range 3 {
		d.crowdedModel(fmt.Sprint("m", m))
	}
	for n := range 2 + d.IntN(3) {
		d.spec.Jobs = append(d.spec.Jobs, d.crowdedJob(n))
	}
	return d.spec
}

// crowdedCluster draws one or two racks of one or two nodes, or a few switches, on whose links a synchronisation takes a few ticks.
func (d *draw) crowdedCluster() {
	c := &d.spec.Cluster
	memory := instance.Bytes(1 << 30)
	if d.in(4) {
		memory = instance.Bytes(4000 + d.IntN(20_000))
	}
	c.GPUTypes = []instance.GPUTypeSpec{{Name: "v100", Memory: memory}}
	if d.in(4) {
		other := instance.ProfiledAs{GPU: "v100", Speed: pick[instance.Ratio](*d, 300_000, 500_000, 2_000_000)}
		c.GPUTypes = append(c.GPUTypes, instance.GPUTypeSpec{Name: "other", Memory: memory, ProfiledAs: []instance.ProfiledAs{other}})
	}
	if d.in(5) {
		d.switches()
		for i := range c.Nodes {
			c.Nodes[i].NIC, c.Nodes[i].Fabric = c.Nodes[i].NIC/10_000, c.Nodes[i].Fabric/10_000
		}
		for i := range c.Links {
			c.Links[i].Rate /= 10_000
		}
	} else {
		d.crowdedRacks()
	}
	if d.in(2) {
		c.RateLevels = []instance.RateLevel{1}
	}
	if d.in(4) {
		c.Latency = instance.Duration(1+d.IntN(4)) * 1e6
	}
	if d.hours || d.finite && d.in(4) {
		d.spec.Residence, c.LoadRate = instance.WhileRunning, pick[instance.BitRate](*d, 0, 8e6)
	}
}

// crowdedRacks draws one rack, or two that differ in one thing at most.
func (d *draw) crowdedRacks() {
	c := &d.spec.Cluster
	rack := instance.RackSpec{
		Nodes: 1 + d.IntN(2), GPUs: 1 + d.IntN(3), GPU: pick(*d, c.GPUTypes...).Name,
		NIC: pick[instance.BitRate](*d, 1e6, 4e6, 8e6, 64e6), Fabric: pick[instance.BitRate](*d, 1e6, 4e6, 16e6, 64e6),
	}
	if rack.Nodes*rack.GPUs == 1 {
		rack.GPUs++
	}
	c.Racks = append(c.Racks, rack)
	if d.in(3) {
		switch d.IntN(3) {
		case 0:
			rack.GPU = pick(*d, c.GPUTypes...).Name
		case 1:
			rack.GPUs++
		case 2:
			c.Racks[0].Oversubscription = 3_000_000
		}
		c.Racks = append(c.Racks, rack)
	}
	for _, r := range c.Racks {
		d.gpus, d.largest = d.gpus+r.Nodes*r.GPUs, max(d.largest, r.GPUs)
	}
}

// crowdedModel draws the profile of a model of up to four layers, on one GPU and on two.
func (d *draw) crowdedModel(name string) {
	p := instance.Profile{Model: name, GPU: "v100", Batch: 8}
	unit := pick[instance.Duration](*d, 1, 3, 10, 30) * 5e5
	for range 1 + d.IntN(4) {
		p.Layers = append(p.Layers, instance.Layer{
			Name: "l", Forward: instance.Duration(d.IntN(3)) * unit, Backward: instance.Duration(1+d.IntN(3)) * unit, Parameters: instance.Bytes(500 * (1 + d.IntN(4))),
		})
	}
	pair := p
	pair.GPUs = 2
	d.spec.Profiles = append(d.spec.Profiles, &p, &pair)
}

// crowdedJob draws a job of one of the models.
func (d *draw) crowdedJob(n int) instance.JobSpec {
	job := instance.JobSpec{Name: fmt.Sprint("j", n), Model: fmt.Sprint("m", d.IntN(3)), Workers: d.gpus, Weight: int64(1 + d.IntN(3)), Gang: d.in(2)}
	if d.finite {
		job.Iterations = 1 + d.IntN(8)
		if d.hours {
			job.Iterations *= pick(*d, 100, 500, 5000)
		}
		if d.in(5) {
			job.Release = instance.Duration(d.IntN(20)) * 1e6
		}
	}
	if d.in(3) {
		job.Workers = 1 + d.IntN(d.gpus)
	}
	if d.in(6) {
		job.Accumulate = 2
	}
	if d.in(8) && job.Workers%2 == 0 && d.largest%2 == 0 {
		job.Workers, job.GPUsPerWorker = job.Workers/2, 2
	}
	if d.spec.Cluster.Policies != nil && d.in(3) {
		job.Placement.Policy = pick(*d, "round", "by")
	}
	if !d.in(4) {
		job.SPB = instance.SPBSpec{Rule: "free", MinMeanDepth: pick[instance.Ratio](*d, 300_000, 500_000, 600_000, 800_000)}
	}
	return job
}
