package reader_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// drawing draws instance files as a person could write them: with numbers that are not round, and
// with every key that affects the compiled instance.
type drawing struct {
	*rand.Rand
	*instance.Spec
	tick int64 // ns
	// volume is about how much a synchronisation moves, in bytes; speeds of links are drawn to fit.
	volume int64
}

// randomSpec returns a spec and its compiled instance. Specs that do not compile are drawn again:
// a job may not fit any node, or an exception may leave no GPUs for it.
func randomSpec(rng *rand.Rand, objective instance.Objective) (*instance.Spec, *instance.Instance) {
	for {
		d := drawing{Rand: rng, Spec: &instance.Spec{Version: instance.Version, Objective: objective}}
		d.spec()
		in, err := instance.Compile(d.Spec, nil)
		if err != nil {
			continue
		}
		d.differences(in)
		d.memory(in)
		if in, err = instance.Compile(d.Spec, nil); err == nil {
			return d.Spec, in
		}
	}
}

func (d *drawing) oneIn(n int) bool { return d.IntN(n) == 0 }

func (d *drawing) between(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

func pick[E any](d *drawing, choices ...E) E { return choices[d.IntN(len(choices))] }

// span is a duration of at most n ticks, sometimes a whole number of them.
func (d *drawing) span(ticks int64) instance.Duration {
	if d.oneIn(4) {
		return instance.Duration(d.Int64N(ticks+1) * d.tick)
	}
	return instance.Duration(d.Int64N(ticks*d.tick + 1))
}

func (d *drawing) ratio(lo, hi int) instance.Ratio { return instance.Ratio(d.between(lo, hi)) }

// speed of a link on which a synchronisation takes up to some ten ticks.
func (d *drawing) speed() instance.BitRate {
	ticks := pick(d, 0.3, 1, 3, 10) * (0.5 + d.Float64())
	return max(1, instance.BitRate(float64(d.volume)*8e9/(ticks*float64(d.tick))))
}

func (d *drawing) spec() {
	d.TickUS = pick[int64](d, 0, 0, 1, 250, 1500, 20_000)
	d.tick = max(1, d.TickUS) * 1000
	if d.TickUS == 0 {
		d.tick = 1_000_000
	}
	d.volume = pick[int64](d, 3, 1000, 123_456, 1e9)
	if d.Objective.Periodic() && d.oneIn(2) {
		d.MaxPeriod = instance.Duration(d.tick*int64(d.between(10, 60)) + d.Int64N(d.tick))
	}
	d.types()
	d.models()
	if d.oneIn(2) {
		d.racks()
	} else {
		d.network()
	}
	if d.oneIn(3) {
		d.Cluster.Latency = d.span(2)
	}
	if !d.Objective.Periodic() && d.oneIn(3) {
		d.Residence = instance.WhileRunning
		if d.oneIn(2) {
			d.Cluster.LoadRate = d.speed()
		}
	}
	d.Cluster.RateLevels = pick(d, nil, nil, []instance.RateLevel{1}, []instance.RateLevel{3, 1}, []instance.RateLevel{2, 7, 5})
	for n := range d.between(1, 5) {
		d.job(n)
	}
	for _, p := range d.Profiles { // and of two GPUs together
		pair := *p
		pair.GPUs = 2
		d.Profiles = append(d.Profiles, &pair)
	}
	d.Activations = pick(d, "", "", "", "", instance.Shared, instance.Kept)
}

func (d *drawing) types() {
	names := []string{"v100", "p100", "t4"}
	for n := range d.between(1, 3) {
		t := instance.GPUTypeSpec{Name: names[n], Memory: 1 << 50}
		switch {
		case n == 0 || d.oneIn(3): // its own profiles
		case d.oneIn(2):
			t.ProfiledAs = []instance.ProfiledAs{{GPU: t.Name}, {GPU: "v100", Speed: d.ratio(333_333, 1_700_000)}}
		default:
			t.ProfiledAs = []instance.ProfiledAs{{GPU: "v100", Speed: pick(d, 0, 630_000, d.ratio(300_000, 3_000_000))}}
		}
		d.Cluster.GPUTypes = append(d.Cluster.GPUTypes, t)
	}
}

// models draws profiles on the first GPU type, at one or two batch sizes, and some on others.
func (d *drawing) models() {
	for m := range d.between(1, 3) {
		first := &instance.Profile{Model: fmt.Sprintf("model-%d", m), GPU: "v100", Batch: 32, Workspace: instance.Bytes(d.IntN(500)), Precision: pick(d, "", "", "bf16", "fp16")}
		layers := d.between(1, 12)
		for n := range layers {
			first.Layers = append(first.Layers, instance.Layer{
				Name: fmt.Sprintf("layer-%d", n), Parameters: instance.Bytes(d.Int64N(2*d.volume/int64(layers) + 2)), Joined: d.oneIn(4),
			})
		}
		if d.oneIn(2) {
			for n := range first.Layers {
				first.Layers[n].Input = instance.Bytes(d.IntN(300))
			}
		}
		d.measure(first, layers)
		if d.oneIn(3) { // equal layers: fractions of depths add up exactly
			for n := range first.Layers {
				first.Layers[n].Backward = instance.Duration(d.tick)
			}
		}
		d.Profiles = append(d.Profiles, first)
		other := func(gpu string, batch int) {
			p := *first
			p.GPU, p.Batch, p.Layers = gpu, batch, append([]instance.Layer(nil), first.Layers...)
			d.measure(&p, layers)
			d.Profiles = append(d.Profiles, &p)
		}
		if d.oneIn(3) {
			other("v100", 64)
		}
		for _, t := range d.Cluster.GPUTypes[1:] {
			if d.oneIn(2) {
				other(t.Name, 32)
			}
		}
	}
}

// measure draws what depends on the GPU.
func (d *drawing) measure(p *instance.Profile, layers int) {
	for n := range p.Layers {
		l := &p.Layers[n]
		l.Forward, l.Backward = d.span(8)/instance.Duration(layers), d.span(16)/instance.Duration(layers)
		l.Activations = instance.Bytes(d.IntN(1000))
		if l.Workspace = 0; l.Activations%4 == 0 { // nothing more is drawn, so that other tests have the files that they had
			l.Workspace = l.Activations % (p.Workspace + 1)
		}
		if d.oneIn(8) {
			l.Backward = 0
		}
	}
	p.Layers[0].Forward++ // not zero
}

func (d *drawing) racks() {
	for range d.between(1, 3) {
		r := instance.RackSpec{
			Count: d.between(0, 2), Nodes: d.between(1, 3), GPUs: d.between(1, 4),
			GPU: pick(d, d.Cluster.GPUTypes...).Name, NIC: d.speed(), Fabric: d.speed(),
		}
		switch d.IntN(3) {
		case 0:
			r.Uplink = d.speed()
		case 1:
			r.Oversubscription = d.ratio(500_000, 8_000_000)
		}
		d.Cluster.Racks = append(d.Cluster.Racks, r)
	}
}

// network draws switches in a tree with some additional links: alternative routes and parallel links.
func (d *drawing) network() {
	c := &d.Cluster
	switches := d.between(1, 6)
	for n := range switches {
		c.Switches = append(c.Switches, instance.SwitchSpec{Name: fmt.Sprintf("s%d", n)})
	}
	link := func(a, b int) {
		l := instance.LinkSpec{From: c.Switches[a].Name, To: c.Switches[b].Name, Rate: d.speed()}
		if d.oneIn(2) {
			l.From, l.To = l.To, l.From
		}
		l.Name = fmt.Sprintf("l%d", len(c.Links))
		c.Links = append(c.Links, l)
	}
	for n := 1; n < switches; n++ {
		link(d.IntN(n), n)
	}
	for n := d.between(0, 2*switches); n > 0 && switches > 1; n-- {
		a := d.IntN(switches)
		link(a, (a+1+d.IntN(switches-1))%switches)
	}
	d.Shuffle(len(c.Links), func(a, b int) { c.Links[a], c.Links[b] = c.Links[b], c.Links[a] })
	if len(c.Links) > 0 {
		c.Links[0].Name = "" // named after its ends
	}
	for n := range d.between(1, 7) {
		c.Nodes = append(c.Nodes, instance.NodeSpec{
			Name: fmt.Sprintf("n%d", n), Switch: pick(d, c.Switches...).Name, GPUs: d.between(1, 4),
			GPU: pick(d, c.GPUTypes...).Name, NIC: d.speed(), Fabric: d.speed(),
		})
	}
}

func (d *drawing) job(n int) {
	p := pick(d, d.Profiles...)
	j := instance.JobSpec{
		Name: fmt.Sprintf("job-%d", n), Disabled: n > 0 && d.oneIn(8), Model: p.Model, Batch: pick(d, 0, p.Batch),
		Workers: d.between(1, 6), Iterations: d.between(0, 4), Weight: pick[int64](d, 0, 1, 7, 1_000_000_000),
		Optimizer: pick(d, "", "sgd", "momentum", "adam"), Gang: d.oneIn(5),
		Accumulate: pick(d, 0, 0, 1, 3), Sharding: pick(d, "", "", "zero1", "zero2", "zero3"),
		Checkpointing: d.oneIn(3) && slices.ContainsFunc(p.Layers, func(l instance.Layer) bool { return l.Input > 0 }),
	}
	if d.oneIn(4) {
		j.GPUsPerWorker, j.Workers = 2, (j.Workers+1)/2
	}
	if d.oneIn(5) {
		j.Count = d.between(1, 3)
	}
	if !d.Objective.Periodic() {
		if d.oneIn(3) {
			j.Release = d.span(20)
		}
		if d.Residence == instance.WhileRunning && d.oneIn(2) {
			j.Load = d.span(8)
		}
		if d.oneIn(4) {
			j.Deadline = d.span(300) + instance.Duration(d.tick*20)
		}
	}
	if d.oneIn(4) {
		j.Placement.Within = pick(d, "node", "rack", "cluster")
	}
	if d.oneIn(4) {
		j.Placement.GPUTypes = []string{pick(d, d.Cluster.GPUTypes...).Name}
	}
	if j.SPB.Rule = pick(d, "full", "ladder", "", "free", "free"); j.SPB.Rule == "free" {
		j.SPB.MinFull = d.between(0, j.Workers)
		j.SPB.MinMeanDepth = pick(d, 0, 500_000, 600_000, 750_000, d.ratio(0, 1_000_000))
		j.SPB.Measure = pick(d, "", "backward_time", "layers")
	}
	if d.oneIn(4) {
		for depth := 1; depth <= len(p.Layers); depth++ {
			if p.CutAllowed(depth) && d.oneIn(3) {
				j.SPB.Depths = append(j.SPB.Depths, depth)
			}
		}
	} else {
		j.SPB.Cuts = d.between(0, 6)
	}
	d.Jobs = append(d.Jobs, j)
}

// differences draws exceptions and failed links, after the names are known.
func (d *drawing) differences(in *instance.Instance) {
	c := &d.Cluster
	if d.oneIn(3) {
		c.Exceptions = append(c.Exceptions, instance.ExceptionSpec{Node: pick(d, in.Nodes...).Name, GPUs: d.between(1, 5)})
	}
	links := d.Perm(len(in.Links))
	for _, l := range links[:min(len(links), pick(d, 0, 0, 1, 3))] {
		c.Exceptions = append(c.Exceptions, instance.ExceptionSpec{Link: in.Links[l].Name, Rate: d.speed()})
	}
	for _, l := range d.Perm(len(links))[:min(len(links), pick(d, 0, 0, 1, 3))] {
		c.FailedLinks = append(c.FailedLinks, in.Links[l].Name)
	}
	if d.oneIn(2) {
		c.DegradedLinks = map[string]instance.Ratio{}
		for _, l := range d.Perm(len(links))[:min(len(links), d.between(1, 3))] {
			c.DegradedLinks[in.Links[l].Name] = d.ratio(200_000, 1_000_000)
		}
	}
	d.policies(in)
}

// policies draws labels, and policies that use labels or names, for some jobs.
func (d *drawing) policies(in *instance.Instance) {
	c := &d.Cluster
	var known []string
	for _, rack := range in.Racks {
		known = append(known, rack.Name)
	}
	for _, l := range in.Links {
		if l.Kind == instance.Trunk || l.Kind == instance.RackUp || l.Kind == instance.RackDown {
			known = append(known, l.Name)
		}
	}
	for s := range c.Switches {
		if d.oneIn(3) {
			c.Switches[s].Labels = []string{"red", "tall"}[:d.between(1, 2)]
			known = append(known, c.Switches[s].Labels...)
		}
	}
	for l := range c.Links {
		if d.oneIn(3) {
			c.Links[l].Labels = []string{"red"}
			known = append(known, "red")
		}
	}
	if d.oneIn(3) {
		return
	}
	some := func(most int) (labels []string) {
		for range d.IntN(most + 1) {
			labels = append(labels, pick(d, known...))
		}
		return labels
	}
	c.Policies = map[string]instance.PolicySpec{}
	for _, name := range []string{"one", "two"} {
		p := instance.PolicySpec{MustPass: some(2), Avoid: some(1), Prefer: some(2)}
		if len(p.MustPass)+len(p.Avoid) == 0 {
			p.Prefer = append(p.Prefer, pick(d, known...))
		}
		c.Policies[name] = p
	}
	for j := range d.Jobs {
		d.Jobs[j].Placement.Policy = pick(d, "", "one", "two")
	}
}

// memory is sometimes enough for only one or two jobs on a GPU.
func (d *drawing) memory(in *instance.Instance) {
	if !d.oneIn(2) {
		return
	}
	for t := range in.Types {
		most := instance.Bytes(0)
		for j := range in.Jobs {
			if costs := in.Jobs[j].On[t]; costs != nil {
				most = max(most, costs.Persistent+costs.Ephemeral[len(costs.Ephemeral)-1])
			}
		}
		d.Cluster.GPUTypes[t].Memory = 1 + most + instance.Bytes(d.Int64N(pick(d, 1, int64(most)/8+1, int64(most)+1)))
	}
}
