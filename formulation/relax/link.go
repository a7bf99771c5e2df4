package relax

import (
	"fmt"
	"slices"

	"jigsaw/formulation/instance"
)

// LinkUnit is the number of parts of a tick in which link times are counted.
const LinkUnit = 1000

// LinkClass is a class of identical links: the fabrics or the NICs of the nodes of a pool,
// the uplinks of a class of racks, or a link that all routes of a policy, or all rings of a mode, pass.
type LinkClass struct {
	Resource string // "fabric", "nic", "uplink" or "waypoint"
	At       int    // the pool, the class of racks, or the link
	Count    int64
	Speed    instance.Rate // of one, or of all uplinks of a rack together; 0 if there is none, or it failed
	ID       string        // in row names
	Subject  string        // in sentences
}

// Links lists the link classes: those of each pool, then uplinks, then waypoints.
func (n *Network) Links() (list []LinkClass) {
	for i := range n.Pools {
		p := &n.Pools[i]
		list = append(list,
			LinkClass{"fabric", i, int64(p.Nodes), p.Fabric, p.ID + ".fabric", p.FabricName()},
			LinkClass{"nic", i, int64(p.Nodes), p.NIC, p.ID + ".nic", p.NICName()})
	}
	for i := range n.Racks {
		r := &n.Racks[i]
		list = append(list, LinkClass{"uplink", i, int64(len(r.Racks)), r.Uplink, fmt.Sprintf("k%d.uplink", i), r.UplinkName()})
	}
	return append(list, n.waypoints...)
}

// Crosses is the least number of links of that kind that carry the bytes of one party in a
// synchronisation, wherever in the mode the workers are, or how often one waypoint does; 0 if none do.
func (o *Mode) Crosses(l *LinkClass) int {
	several := o.Kind == InRack || o.Kind == Spread
	switch l.Resource {
	case "fabric":
		if o.Kind == InNode {
			return 1
		}
	case "nic":
		if several {
			return o.Nodes
		}
	case "uplink":
		if o.Kind == Spread {
			return o.Racks
		}
	case "waypoint":
		if several {
			return max(o.Nodes*o.passed.of(instance.LinkID(l.At)), o.ring.of(instance.LinkID(l.At)))
		}
	}
	return 0
}

// Forced is the least number of nodes of a pool or, with racks, of racks of a class that take part in
// synchronisations, wherever else in the mode the other workers are.
func (n *Network) Forced(o *Mode, racks bool, at int) int64 {
	left, gpus := o.workers, int64(0)
	for _, p := range o.Pools {
		pool := &n.Pools[p]
		switch {
		case racks && pool.Rack == at:
			gpus += int64(pool.GPUs) * int64(pool.PerRack)
		case !racks && p == at:
			gpus = int64(pool.GPUs)
		default:
			left -= n.Reach(o, p)
		}
	}
	return (max(0, left) + gpus - 1) / gpus
}

// Reaches returns which of the mode's pools, or classes of racks, has the links, and out of how
// many; -1 if none has, or nothing crosses them.
func (n *Network) Reaches(o *Mode, l *LinkClass) (where, of int) {
	if o.Crosses(l) == 0 {
		return -1, 0
	}
	places := o.Pools
	switch l.Resource {
	case "uplink":
		places = n.RackClasses(o)
	case "waypoint":
		return 0, 1
	}
	return slices.Index(places, l.At), len(places)
}
