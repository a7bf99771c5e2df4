package heuristicstest

import (
	"fmt"
	"math/rand/v2"

	"jigsaw/formulation/instance"
)

// Drawn draws a spec as people write them: a cluster of racks or of switches, GPUs of one or two types, library models, and
// any of the options that a file can have. Many are of a few seconds, many of hours. Some contradict themselves: a job
// may not fit anywhere, and a deadline may be too early.
func Drawn(rng *rand.Rand) *instance.Spec {
	d := draw{Rand: rng, spec: &instance.Spec{Version: 1, Name: "drawn"}}
	d.spec.Objective = pick(d, instance.Makespan, instance.Makespan, instance.Makespan, instance.WeightedCompletion,
		instance.WeightedCompletion, instance.WeightedCompletion, instance.Throughput, instance.MaxMinThroughput)
	d.finite = !d.spec.Objective.Periodic()
	d.hours = d.finite && d.in(2)
	if d.hours || d.finite && d.in(5) {
		d.spec.Residence = instance.WhileRunning
	}
	if d.in(8) {
		d.spec.Activations = instance.Kept
	}
	if !d.finite && d.in(4) {
		d.spec.MaxPeriod = pick[instance.Duration](d, 5e9, 60e9)
	}
	d.cluster()
	for n := range pick(d, 1, 2, 3, 5, 8, 12, 20, 30) {
		d.spec.Jobs = append(d.spec.Jobs, d.job(n))
	}
	return d.spec
}

// draw is a spec under way.
type draw struct {
	*rand.Rand
	spec          *instance.Spec
	finite, hours bool
	gpus, largest int // of the cluster, of its largest node
}

// in is true once in n times.
func (d draw) in(n int) bool { return d.IntN(n) == 0 }

// pick is one of the values.
func pick[T any](d draw, values ...T) T { return values[d.IntN(len(values))] }

// The library's models that were measured on each type of GPU.
var drawnModels = map[string][]string{
	"v100": {"alexnet", "densenet121", "inception_v3", "resnet101", "resnet50", "vgg16", "bert24", "gnmt"},
	"h100": {"bert_large", "vit_l16", "resnet152", "resnet50", "gpt2_xl", "llama3_8b", "mistral_7b"},
}

// cluster draws GPUs, nodes and links.
func (d *draw) cluster() {
	c := &d.spec.Cluster
	fast := pick(*d, "v100", "v100", "h100")
	memory := map[string][]instance.Bytes{"v100": {16 << 30, 32 << 30, 32 << 30}, "h100": {80 << 30, 80 << 30, 141 << 30}}[fast]
	c.GPUTypes = []instance.GPUTypeSpec{{Name: fast, Memory: pick(*d, memory...)}}
	if d.in(4) {
		slow := instance.ProfiledAs{GPU: fast, Speed: pick[instance.Ratio](*d, 500_000, 700_000)}
		c.GPUTypes = append(c.GPUTypes, instance.GPUTypeSpec{Name: "slow", Memory: pick(*d, memory...), ProfiledAs: []instance.ProfiledAs{slow}})
	}
	if d.in(6) {
		for i := range c.GPUTypes {
			c.GPUTypes[i].PricePerHour = instance.Price(1_000_000 * (1 + d.IntN(4)))
		}
	}
	if d.in(5) {
		d.switches()
	} else {
		d.racks()
	}
	if d.spec.Residence == instance.WhileRunning && d.in(3) {
		c.LoadRate = pick[instance.BitRate](*d, 8e9, 80e9)
	}
	if d.in(8) {
		c.RateLevels = pick(*d, []instance.RateLevel{1}, []instance.RateLevel{1, 2})
	}
	if d.in(8) {
		c.Latency = pick[instance.Duration](*d, 1e6, 20e6)
	}
}

// racks draws the short form of a network.
func (d *draw) racks() {
	c := &d.spec.Cluster
	var nodes []string
	for r := range pick(*d, 1, 1, 1, 2, 3) {
		rack := instance.RackSpec{
			Nodes: pick(*d, 1, 2, 3, 4, 6, 8), GPUs: pick(*d, 1, 2, 4, 8), GPU: pick(*d, c.GPUTypes...).Name,
			NIC: pick[instance.BitRate](*d, 10e9, 25e9, 100e9), Fabric: pick[instance.BitRate](*d, 300e9, 1200e9),
		}
		if d.in(5) {
			rack.Oversubscription = pick[instance.Ratio](*d, 2_000_000, 4_000_000)
		}
		c.Racks = append(c.Racks, rack)
		d.gpus, d.largest = d.gpus+rack.Nodes*rack.GPUs, max(d.largest, rack.GPUs)
		for n := range rack.Nodes {
			nodes = append(nodes, fmt.Sprintf("r%dn%d", r, n))
		}
	}
	if d.in(8) {
		c.Exceptions = append(c.Exceptions, instance.ExceptionSpec{Node: nodes[0], GPUs: 1 + d.IntN(8)})
	}
	if d.in(8) && len(nodes) > 1 {
		c.FailedNodes = nodes[1:2]
	}
	if d.in(8) && len(nodes) > 2 {
		c.DegradedLinks = map[string]instance.Ratio{nodes[2] + ".up": 500_000}
	}
	if d.in(8) {
		c.FailedGPUs = []string{nodes[0] + ".gpu0"}
	}
	if d.in(12) && len(nodes) > 3 {
		c.FailedLinks = []string{nodes[3] + ".down"}
	}
}

// switches draws a ring of switches with nodes, and policies of routes.
func (d *draw) switches() {
	c := &d.spec.Cluster
	n := 3 + d.IntN(2)
	for s := range n {
		name := fmt.Sprintf("s%d", s)
		c.Switches = append(c.Switches, instance.SwitchSpec{Name: name})
		for k := range pick(*d, 1, 1, 2) {
			gpus := pick(*d, 1, 2, 4)
			c.Nodes = append(c.Nodes, instance.NodeSpec{
				Name: fmt.Sprintf("n%d%c", s, 'a'+k), Switch: name, GPUs: gpus, GPU: pick(*d, c.GPUTypes...).Name,
				NIC: pick[instance.BitRate](*d, 25e9, 100e9), Fabric: 300e9,
			})
			d.gpus, d.largest = d.gpus+gpus, max(d.largest, gpus)
		}
		c.Links = append(c.Links, instance.LinkSpec{
			Name: fmt.Sprintf("l%d", s), From: name, To: fmt.Sprintf("s%d", (s+1)%n), Rate: pick[instance.BitRate](*d, 10e9, 40e9, 100e9),
		})
	}
	c.Policies = map[string]instance.PolicySpec{"round": {Avoid: []string{"l0"}, Prefer: []string{"l1"}}, "by": {MustPass: []string{"s1"}}}
}

// job draws the nth entry of the list.
func (d *draw) job(n int) instance.JobSpec {
	c := &d.spec.Cluster
	j := instance.JobSpec{
		Name: fmt.Sprintf("j%d", n), Model: pick(*d, drawnModels[c.GPUTypes[0].Name]...), Workers: min(d.gpus, pick(*d, 1, 1, 2, 2, 3, 4, 8, 16)),
		Iterations: pick(*d, 2, 5, 10, 20, 40), Weight: pick[int64](*d, 1, 1, 1, 2, 5, 10), Gang: d.in(10),
	}
	if d.hours {
		j.Iterations = pick(*d, 500, 3000, 20_000, 60_000)
	}
	if d.finite {
		d.times(&j)
	}
	if d.in(3) {
		j.SPB = pick(*d, instance.SPBSpec{Rule: "full"}, instance.SPBSpec{Rule: "ladder"}, instance.SPBSpec{Rule: "free", MinMeanDepth: 500_000},
			instance.SPBSpec{Rule: "free", MinMeanDepth: 300_000, Cuts: 2}, instance.SPBSpec{Rule: "free", MinFull: min(2, j.Workers), Measure: "layers"})
	}
	if d.in(7) {
		j.Placement.Within = pick(*d, "node", "rack")
		j.Workers = min(j.Workers, d.largest)
	}
	if c.Policies != nil && d.in(3) {
		j.Placement.Policy = pick(*d, "round", "by")
	}
	if len(c.GPUTypes) > 1 && d.in(8) {
		j.Placement.GPUTypes = []string{pick(*d, c.GPUTypes...).Name}
	}
	if d.in(7) {
		j.Optimizer = pick(*d, "adam", "sgd", "momentum")
		j.Sharding = pick(*d, "", "zero1", "zero2", "zero3")
	}
	j.Checkpointing, j.Accumulate = d.in(12), pick(*d, 0, 0, 0, 0, 0, 2, 4)
	if d.in(14) {
		j.Count = 3
	}
	if d.in(12) && c.GPUTypes[0].Name == "h100" {
		j.Model, j.GPUsPerWorker = "llama3_8b", 2
	}
	return j
}

// times draws when a job may start, when it must end, and how long it is loaded.
func (d *draw) times(j *instance.JobSpec) {
	second := instance.Duration(1e9)
	if d.in(5) {
		j.Release = second * pick[instance.Duration](*d, 1, 3, 10)
		if d.hours {
			j.Release *= 600
		}
	}
	if d.in(12) {
		j.Deadline = second * pick[instance.Duration](*d, 20, 60, 200)
		if d.hours {
			j.Deadline *= 1000
		}
	}
	if d.spec.Residence == instance.WhileRunning && d.in(10) {
		j.Load = second * pick[instance.Duration](*d, 5, 30)
	}
}
