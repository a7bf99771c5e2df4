package instancetest

import (
	"fmt"
	"math/rand/v2"

	"jigsaw/formulation/instance"
)

// Options narrow what [Random] draws. The zero value draws everything that
// [Optimum] solves in milliseconds.
type Options struct {
	// Objective to use; empty draws one of all four.
	Objective instance.Objective
	// Jobs, GPUs, Workers and Iterations are the most of each; 0 means 3, 4,
	// 3 and 2.
	Jobs, GPUs, Workers, Iterations int
	// MaxPeriod is the greatest bound of the period in ticks, at least 2; 0 means 10.
	MaxPeriod int
}

func (o Options) withDefaults() Options {
	fill := func(p *int, value int) {
		if *p == 0 {
			*p = value
		}
	}
	fill(&o.Jobs, 3)
	fill(&o.GPUs, 4)
	fill(&o.Workers, 3)
	fill(&o.Iterations, 2)
	fill(&o.MaxPeriod, 10)
	return o
}

// Random returns a tiny random instance. The same state of rng and the same
// options give the same instance.
func Random(rng *rand.Rand, options Options) *instance.Instance {
	_, in := draw(rng, options)
	return in
}

// RandomSpec returns the spec of a tiny random instance; it compiles.
func RandomSpec(rng *rand.Rand, options Options) *instance.Spec {
	spec, _ := draw(rng, options)
	return spec
}

// draw repeats until the spec compiles: a job may have been drawn that fits
// no node, or on GPU types that its limits exclude.
func draw(rng *rand.Rand, options Options) (*instance.Spec, *instance.Instance) {
	d := drawing{rng, options.withDefaults()}
	var err error
	for range 1000 {
		spec := d.spec()
		var in *instance.Instance
		if in, err = instance.Compile(spec, nil); err == nil {
			return spec, in
		}
	}
	panic(fmt.Sprintf("instancetest: none of 1000 random specs compiles with options %+v; the last: %v", options, err))
}

type drawing struct {
	*rand.Rand
	Options
}

// oneIn is true with probability 1/n.
func (d drawing) oneIn(n int) bool { return d.IntN(n) == 0 }

// between returns a number from lo to hi.
func (d drawing) between(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

func pick[E any](d drawing, choices ...E) E { return choices[d.IntN(len(choices))] }

// tick is the length of a tick in nanoseconds. With it, 8 Mbit/s are 1000
// bytes per tick.
const tick instance.Duration = 1e6

func (d drawing) spec() *instance.Spec {
	s := &instance.Spec{Version: instance.Version, Name: "random", Objective: d.Objective}
	if s.Objective == "" {
		s.Objective = pick(d, instance.Objectives()...)
	}
	if s.Objective.Periodic() {
		s.MaxPeriod = instance.Duration(d.between(min(5, d.MaxPeriod), d.MaxPeriod)) * tick
	}
	twoTypes := d.oneIn(3)
	d.profiles(s, twoTypes)
	d.cluster(s, twoTypes)
	for n := d.between(1, d.Jobs); n > 0; {
		job := d.job(s, len(s.Jobs), twoTypes)
		if n > 1 && d.oneIn(5) {
			job.Count = 2
		}
		n -= max(1, job.Count)
		s.Jobs = append(s.Jobs, job)
	}
	d.memory(s)
	return s
}

// profiles draws one or two models of one to three layers. On the second GPU
// type, "b", the first model is measured too; the other borrows from "a".
func (d drawing) profiles(s *instance.Spec, twoTypes bool) {
	for m := range d.between(1, 2) {
		p := &instance.Profile{Model: fmt.Sprintf("m%d", m), GPU: "a", Batch: 8, Workspace: instance.Bytes(100 * d.IntN(4))}
		for range d.between(1, 3) {
			p.Layers = append(p.Layers, instance.Layer{
				Name:        "l",
				Forward:     tick / 4 * instance.Duration(d.IntN(5)),
				Backward:    tick / 4 * instance.Duration(d.IntN(7)),
				Parameters:  instance.Bytes(pick(d, 0, 333, 500, 1000, 1500)),
				Activations: instance.Bytes(100 * d.IntN(10)),
				Joined:      d.oneIn(6),
			})
		}
		s.Profiles = append(s.Profiles, p)
		if twoTypes && m == 0 {
			q := *p
			q.GPU, q.Layers = "b", append([]instance.Layer(nil), p.Layers...)
			for i := range q.Layers {
				q.Layers[i].Backward = tick / 4 * instance.Duration(d.IntN(7))
				q.Layers[i].Activations = instance.Bytes(100 * d.IntN(10))
			}
			s.Profiles = append(s.Profiles, &q)
		}
	}
}

// cluster draws a network with slow links, so that synchronisations take a
// few ticks and conflict.
func (d drawing) cluster(s *instance.Spec, twoTypes bool) {
	c := &s.Cluster
	c.GPUTypes = []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 30}}
	second := "a"
	if twoTypes {
		second = "b"
		c.GPUTypes = append(c.GPUTypes, instance.GPUTypeSpec{Name: "b", Memory: 1 << 30,
			ProfiledAs: []instance.ProfiledAs{{GPU: "b"}, {GPU: "a", Speed: pick[instance.Ratio](d, 500_000, 1_000_000, 2_000_000)}}})
	}
	c.RateLevels = pick(d, []instance.RateLevel{1}, []instance.RateLevel{1, 2}, []instance.RateLevel{2, 1}, []instance.RateLevel{1, 3}, nil)
	if d.oneIn(4) {
		c.Latency = tick
	}
	nic := func() instance.BitRate { return pick[instance.BitRate](d, 4e6, 8e6, 8e6, 12e6) }
	fabric := func() instance.BitRate { return pick[instance.BitRate](d, 4e6, 8e6, 24e6) }
	half := max(1, d.GPUs/2)
	one := instance.RackSpec{Nodes: 1, GPUs: 1, GPU: "a", NIC: nic(), Fabric: fabric()}
	other := one
	other.GPU = second
	switch shape := d.IntN(6); {
	case d.GPUs == 1 || shape == 0 && !twoTypes: // a node
		one.GPUs = d.between(1, d.GPUs)
		c.Racks = []instance.RackSpec{one}
	case shape <= 1 && !twoTypes: // nodes in a rack
		one.Nodes = d.between(2, min(3, d.GPUs))
		one.GPUs = d.between(1, d.GPUs/one.Nodes)
		c.Racks = []instance.RackSpec{one}
	case shape <= 3: // two racks, often oversubscribed
		one.GPUs, other.GPUs = d.between(1, half), d.between(1, half)
		one.Oversubscription = pick[instance.Ratio](d, 0, 1_500_000, 2_000_000)
		other.NIC = nic()
		other.Uplink = pick[instance.BitRate](d, 0, 3e6, 8e6)
		c.Racks = []instance.RackSpec{one, other}
		if d.GPUs >= 4 && d.oneIn(3) {
			c.Racks[0].Nodes, c.Racks[0].GPUs = 2, 1
		}
	case shape == 4 && d.GPUs >= 3: // three racks
		one.Count = 2
		one.Oversubscription = pick[instance.Ratio](d, 0, 2_000_000)
		c.Racks = []instance.RackSpec{one, other}
	default: // a chain or triangle of switches, sometimes with a failed link
		switches := d.between(2, min(3, d.GPUs))
		for n := range switches {
			name := fmt.Sprintf("s%d", n)
			node := instance.NodeSpec{Name: fmt.Sprintf("n%d", n), Switch: name, GPUs: 1, GPU: "a", NIC: nic(), Fabric: fabric()}
			if n == switches-1 {
				node.GPU, node.GPUs = second, d.between(1, d.GPUs-switches+1)
			}
			c.Switches = append(c.Switches, instance.SwitchSpec{Name: name})
			c.Nodes = append(c.Nodes, node)
			if n > 0 {
				c.Links = append(c.Links, instance.LinkSpec{From: fmt.Sprintf("s%d", n-1), To: name, Rate: nic()})
			}
		}
		if switches == 3 && d.oneIn(2) {
			c.Links = append(c.Links, instance.LinkSpec{From: "s2", To: "s0", Rate: nic()})
		}
		if d.oneIn(3) {
			c.FailedLinks = []string{pick(d, "s0-s1.fwd", "n0.up", "n1.fabric")}
		}
	}
}

func (d drawing) job(s *instance.Spec, n int, twoTypes bool) instance.JobSpec {
	job := instance.JobSpec{
		Name: fmt.Sprintf("j%d", n), Model: "m0", Batch: 8,
		Workers:    d.between(1, min(d.Workers, d.GPUs)),
		Iterations: d.between(1, d.Iterations),
		Weight:     int64(d.between(1, 3)),
		Optimizer:  pick(d, "sgd", "momentum", "adam"),
		Gang:       d.oneIn(4),
	}
	if s.Profiles[len(s.Profiles)-1].Model == "m1" && d.oneIn(2) {
		job.Model = "m1"
	}
	switch d.IntN(3) {
	case 0:
		job.SPB.Rule = "full"
	case 1:
		job.SPB.Rule = "ladder"
	default:
		job.SPB.Rule = "free"
		job.SPB.MinFull = d.between(0, job.Workers)
		job.SPB.MinMeanDepth = pick[instance.Ratio](d, 0, 0, 500_000, 800_000)
		job.SPB.Measure = pick(d, "", "layers")
	}
	job.SPB.Cuts = d.between(2, 3)
	if !s.Objective.Periodic() {
		if d.oneIn(4) {
			job.Release = tick * instance.Duration(d.between(1, 4))
		}
		if d.oneIn(6) {
			job.Deadline = tick * instance.Duration(d.between(8, 32))
		}
	}
	if d.oneIn(5) {
		job.Placement.Within = pick(d, "node", "rack")
	}
	if twoTypes && d.oneIn(4) {
		job.Placement.GPUTypes = []string{pick(d, "a", "b")}
	}
	return job
}

// memory sometimes draws a tight memory: between what the neediest job takes
// alone, or slightly less, and somewhat more than all take together.
func (d drawing) memory(s *instance.Spec) {
	if !d.oneIn(3) {
		return
	}
	most, sum := 0, 0
	for i := range s.Jobs {
		for _, p := range s.Profiles {
			if p.Model == s.Jobs[i].Model && p.GPU == "a" {
				totals := p.Totals()
				copies := map[string]int{"sgd": 2, "momentum": 3, "adam": 4}[s.Jobs[i].Optimizer]
				need := copies*int(totals.Parameters) + int(totals.Activations+p.Workspace)
				most = max(most, need)
				sum += need * max(1, s.Jobs[i].Count)
			}
		}
	}
	for t := range s.Cluster.GPUTypes {
		s.Cluster.GPUTypes[t].Memory = instance.Bytes(max(1, d.between(most-min(most, 100), sum+200)))
	}
}
