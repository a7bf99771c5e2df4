package bound

import (
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// Resource is what rows of linear programs are about: the identical GPUs, NICs,
// fabrics or memories of some nodes, or the uplinks of some racks.
type Resource struct {
	// Kind and Subject are Resource and Subject of a [Binding] about it.
	Kind, Subject string
	// Nodes that it belongs to; all nodes of the racks for uplinks.
	Nodes []instance.NodeID
}

// Resources lists the resources of an instance.
func Resources(in *instance.Instance) []Resource {
	n := relax.NewNetwork(in)
	var list []Resource
	for p := range n.Pools {
		at := &n.Pools[p]
		var nodes []instance.NodeID
		for id, pool := range n.PoolOf {
			if pool == p {
				nodes = append(nodes, instance.NodeID(id))
			}
		}
		list = append(list,
			Resource{"gpu", at.GPUName(), nodes}, Resource{"memory", at.MemoryName(), nodes},
			Resource{"nic", at.NICName(), nodes}, Resource{"fabric", at.FabricName(), nodes})
	}
	for r := range n.Racks {
		class := &n.Racks[r]
		var nodes []instance.NodeID
		for _, rack := range class.Racks {
			nodes = append(nodes, in.Racks[rack].Nodes...)
		}
		list = append(list, Resource{"uplink", class.UplinkName(), nodes})
	}
	return list
}

// Effect returns the relative change of a bound per relative growth of the
// resource, from what binds it; see Binding.Effect.
func (r *Resource) Effect(bindings []Binding) float64 {
	sum := 0.0
	for _, b := range bindings {
		// There may be rows about a part of the time.
		if b.Resource == r.Kind && (b.Subject == r.Subject || strings.HasPrefix(b.Subject, r.Subject+relax.Before)) {
			sum += b.Effect
		}
	}
	return sum
}
