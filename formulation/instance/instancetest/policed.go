package instancetest

import (
	"math/rand/v2"

	"jigsaw/formulation/instance"
)

// Policed returns a tiny random instance on a ring of three or four switches with one or two nodes each,
// whose jobs mostly obey policies: what to pass and what to avoid are switches or links drawn
// at random, so that some routes are detours and some racks have none.
func Policed(rng *rand.Rand, options Options) *instance.Instance {
	options.GPUs = 4
	for {
		spec := RandomSpec(rng, options)
		c := &spec.Cluster
		c.Racks, c.Switches, c.Nodes, c.Links, c.FailedLinks = nil, nil, nil, nil, nil
		d := drawing{rng, options.withDefaults()}
		speed := func() instance.BitRate { return pick[instance.BitRate](d, 4e6, 7_000_001, 12_345_677) }
		names := []string{"s0", "s1", "s2", "s3"}[:d.between(3, 4)]
		for i, s := range names {
			c.Switches = append(c.Switches, instance.SwitchSpec{Name: s})
			node := instance.NodeSpec{Name: "n" + s, Switch: s, GPUs: d.between(1, 2), GPU: c.GPUTypes[i%len(c.GPUTypes)].Name, NIC: pick[instance.BitRate](d, 9e6, 40e6), Fabric: speed()}
			if c.Nodes = append(c.Nodes, node); node.GPUs == 1 && d.between(1, 2) == 1 {
				node.Name += "b"
				c.Nodes = append(c.Nodes, node)
			}
			c.Links = append(c.Links, instance.LinkSpec{Name: "l" + s, From: s, To: names[(i+1)%len(names)], Rate: speed()})
		}
		element := func() string { return pick(d, "", "l") + pick(d, names...) }
		c.Policies = map[string]instance.PolicySpec{
			"round": {Avoid: []string{element()}, Prefer: []string{element()}},
			"by":    {MustPass: []string{element()}},
		}
		for j := range spec.Jobs {
			spec.Jobs[j].Workers = max(2, spec.Jobs[j].Workers)
			spec.Jobs[j].Placement = instance.PlacementSpec{Policy: pick(d, "", "round", "by")}
		}
		if in, err := instance.Compile(spec, nil); err == nil {
			return in
		}
	}
}
