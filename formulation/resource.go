package formulation

import (
	"strings"

	"jigsaw/formulation/instance"
)

// Resource is what rows of the fluid program are about: the identical GPUs, NICs,
// fabrics or memories of some nodes, or the uplinks of some racks.
type Resource struct {
	// Kind and Subject are Resource and Subject of a [Binding] about it.
	Kind, Subject string
	// Nodes that it belongs to; all nodes of the racks for uplinks.
	Nodes []instance.NodeID
}

// Resources lists the resources of an instance.
func Resources(in *instance.Instance) []Resource {
	n := newNetwork(in)
	var list []Resource
	for p := range n.pools {
		at := &n.pools[p]
		var nodes []instance.NodeID
		for id, pool := range n.of {
			if pool == p {
				nodes = append(nodes, instance.NodeID(id))
			}
		}
		list = append(list,
			Resource{"gpu", at.gpuName(), nodes}, Resource{"memory", at.memoryName(), nodes},
			Resource{"nic", at.nicName(), nodes}, Resource{"fabric", at.fabricName(), nodes})
	}
	for r := range n.racks {
		class := &n.racks[r]
		var nodes []instance.NodeID
		for _, rack := range class.racks {
			nodes = append(nodes, in.Racks[rack].Nodes...)
		}
		list = append(list, Resource{"uplink", class.uplinkName(), nodes})
	}
	return list
}

// Effect returns the relative change of a bound per relative growth of the
// resource, from what binds it; see Binding.Effect.
func (r *Resource) Effect(bindings []Binding) float64 {
	sum := 0.0
	for _, b := range bindings {
		// There may be rows about a part of the time.
		if b.Resource == r.Kind && (b.Subject == r.Subject || strings.HasPrefix(b.Subject, r.Subject+before)) {
			sum += b.Effect
		}
	}
	return sum
}

// before goes between a resource and the tick that a row about it is confined to.
const before = " before tick "

func (p *pool) memoryName() string { return "the memory of " + p.gpuName() }

func (p *pool) nicName() string { return "the NICs of " + p.nodeName() }

func (p *pool) fabricName() string { return "the fabrics of " + p.nodeName() }

func (c *rackClass) uplinkName() string { return "the uplinks of " + c.name }
