package relax

import (
	"fmt"
	"slices"

	"jigsaw/formulation/instance"
)

// LinkUnit is the number of parts of a tick in which link times are counted.
const LinkUnit = 1000

// LinkClass is a class of identical links: the fabrics or the NICs of the nodes of a pool, or
// the uplinks of a class of racks.
type LinkClass struct {
	Resource string // "fabric", "nic" or "uplink"
	At       int    // the pool, or the class of racks
	Count    int64
	Speed    instance.Rate // 0 if the links failed, Unlimited if the instance does not say
	ID       string        // in row names
	Subject  string        // in sentences
}

// Links lists the link classes: those of each pool, then uplinks.
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
	return list
}

// Crosses is the least number of links of that kind that carry the bytes of one party in a
// synchronisation, wherever in the mode the workers are; 0 if none do.
func (o *Mode) Crosses(resource string) int {
	switch {
	case o.Kind == InNode && resource == "fabric":
		return 1
	case (o.Kind == InRack || o.Kind == Spread) && resource == "nic":
		return o.Nodes
	case o.Kind == Spread && resource == "uplink":
		return o.Racks
	}
	return 0
}

// Reaches returns which of the mode's pools, or classes of racks, has the links, and out of how
// many; -1 if none has, or nothing crosses them.
func (n *Network) Reaches(o *Mode, l *LinkClass) (where, of int) {
	if o.Crosses(l.Resource) == 0 {
		return -1, 0
	}
	places := o.Pools
	if l.Resource == "uplink" {
		places = n.RackClasses(o)
	}
	return slices.Index(places, l.At), len(places)
}
