package bound

import (
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// Resource is the subject of rows of linear programs: the identical GPUs, NICs,
// fabrics or memories of some nodes, the uplinks of some racks, or a link that all routes of a policy pass.
type Resource struct {
	// Kind and Subject are Resource and Subject of a [Binding] about it.
	Kind, Subject string
	// Nodes that it belongs to; all nodes of the racks for uplinks.
	Nodes []instance.NodeID
	link  instance.LinkID // of a waypoint
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
			Resource{"gpu", at.GPUName(), nodes, 0}, Resource{"memory", at.MemoryName(), nodes, 0},
			Resource{"nic", at.NICName(), nodes, 0}, Resource{"fabric", at.FabricName(), nodes, 0})
	}
	for r := range n.Racks {
		class := &n.Racks[r]
		var nodes []instance.NodeID
		for _, rack := range class.Racks {
			nodes = append(nodes, in.Racks[rack].Nodes...)
		}
		list = append(list, Resource{"uplink", class.UplinkName(), nodes, 0})
	}
	for _, l := range n.Links() {
		if l.Resource == "waypoint" {
			list = append(list, Resource{Kind: l.Resource, Subject: l.Subject, link: instance.LinkID(l.At)})
		}
	}
	return list
}

// Effect returns the relative change of a bound per relative growth of the
// resource, from its bindings; see Binding.Effect.
func (r *Resource) Effect(bindings []Binding) float64 {
	sum := 0.0
	for _, b := range bindings {
		// Some rows may cover only part of the time.
		if b.Resource == r.Kind && (b.Subject == r.Subject || strings.HasPrefix(b.Subject, r.Subject+relax.Before)) {
			sum += b.Effect
		}
	}
	return sum
}

// Capacity is the size of a resource in an instance: GPUs, bytes, or bit/s. Uplinks of an
// instance without any have none.
func (r *Resource) Capacity(in *instance.Instance) float64 {
	if r.Kind == "waypoint" {
		return float64(speed(in, r.link))
	}
	sum := 0.0
	seen := map[int]bool{}
	var uplinks []instance.Rate
	if r.Kind == "uplink" {
		uplinks = relax.Uplinks(in)
	}
	for _, id := range r.Nodes {
		n := &in.Nodes[id]
		switch r.Kind {
		case "gpu":
			sum += float64(n.GPUs)
		case "memory":
			// Rows are about the memory of single GPUs; more GPUs would be a different
			// growth.
			sum += float64(in.Types[n.Type].Memory)
		case "nic":
			sum += float64(speed(in, n.Up, n.Down))
		case "fabric":
			sum += float64(speed(in, n.Fabric))
		case "uplink":
			if !seen[n.Rack] {
				seen[n.Rack] = true
				sum += float64(in.BitRate(uplinks[n.Rack]))
			}
		}
	}
	return sum
}

// speed is that of the slowest of the links, 0 if one failed.
func speed(in *instance.Instance, links ...instance.LinkID) instance.BitRate {
	slowest := in.Links[links[0]].Capacity
	for _, l := range links {
		if in.Links[l].Failed {
			return 0
		}
		slowest = min(slowest, in.Links[l].Capacity)
	}
	return slowest
}
