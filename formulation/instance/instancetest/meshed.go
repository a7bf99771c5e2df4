package instancetest

import (
	"math/rand/v2"

	"jigsaw/formulation/instance"
)

// Meshed returns a tiny random instance on a network of four switches that is no tree of
// racks: the links are in any order, so that rings cross some of them several times, there
// may be spare ones, and one may have failed. Its speeds are no round numbers. The first job
// has three or four workers and one iteration.
func Meshed(rng *rand.Rand, options Options) *instance.Instance {
	options.GPUs = 4
	for {
		spec := RandomSpec(rng, options)
		c := &spec.Cluster
		c.Racks, c.Switches, c.Nodes, c.Links, c.FailedLinks = nil, nil, nil, nil, nil
		d := drawing{rng, options.withDefaults()}
		wide := &spec.Jobs[0]
		wide.Workers, wide.Iterations, wide.Placement = d.between(3, 4), 1, instance.PlacementSpec{}
		speed := func() instance.BitRate { return pick[instance.BitRate](d, 4e6, 7_000_001, 12_345_677) }
		names, order := []string{"s0", "s1", "s2", "s3"}, rng.Perm(4)
		for i, s := range names {
			c.Switches = append(c.Switches, instance.SwitchSpec{Name: s})
			c.Nodes = append(c.Nodes, instance.NodeSpec{Name: "n" + s, Switch: s, GPUs: 1, GPU: c.GPUTypes[i%len(c.GPUTypes)].Name, NIC: speed(), Fabric: speed()})
			if i > 0 {
				c.Links = append(c.Links, instance.LinkSpec{From: names[order[i-1]], To: names[order[i]], Rate: speed()})
			}
		}
		if d.oneIn(3) {
			c.Links = append(c.Links, instance.LinkSpec{Name: "spare", From: names[order[0]], To: names[order[2]], Rate: speed()})
			c.FailedLinks = pick(d, nil, []string{"spare.rev"})
		}
		if in, err := instance.Compile(spec, nil); err == nil {
			return in
		}
	}
}
