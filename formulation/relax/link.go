package relax

import (
	"fmt"
	"slices"

	"jigsaw/formulation/instance"
)

// LinkUnit is how many parts of a tick link times are counted in.
const LinkUnit = 1000

// LinkClass is a class of links alike: the fabrics or the NICs of the nodes of a pool, or the
// uplinks of a class of racks.
type LinkClass struct {
	Resource string // "fabric", "nic" or "uplink"
	At       int    // the pool, or the class of racks
	Count    int64
	Speed    instance.Rate // 0 where the links failed, Unlimited where the instance does not tell
	ID       string        // in row names
	Subject  string        // in sentences
}

// Links lists them: those of each pool, then uplinks.
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

// Crosses is how many links of that kind carry the bytes of one party in a synchronisation, at
// the least, wherever in the mode the workers are; 0 where none do.
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

// Reaches returns which of the mode's pools, or classes of racks, has the links, and of how many;
// -1 where none has, or nothing crosses them.
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
