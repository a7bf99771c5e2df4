package relax

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
)

// pool is a group of identical GPUs: those of the nodes of one class inside
// the racks of one class. Every row about a pool is a sum of rows about its
// GPUs or nodes, so it holds for any schedule of the instance.
type pool struct {
	Rack    int // index into network.racks
	GPUType instance.TypeID
	Memory  instance.Bytes
	GPUs    int // in a node
	PerRack int // nodes in each rack of the class
	Nodes   int // in all racks of the class
	// NIC is the slower direction of a node's NIC, fabric the speed of the
	// ring inside a node; 0 where the link failed.
	NIC, Fabric instance.Rate
	Id          string // in row and column names
	name        string // in sentences
}

// Size is the number of GPUs of the pool.
func (p *pool) Size() int64 { return int64(p.GPUs) * int64(p.Nodes) }

// RackClass is a group of racks with the same nodes and the same uplink.
type RackClass struct {
	Racks []int
	pools []int
	// Uplink is the slower direction between a rack and the core: 0 where it
	// failed, unlimited where the instance does not tell: in the full form a
	// rack may leave through any of several trunks, and a single rack has none.
	Uplink instance.Rate
	name   string
}

// Unlimited is the speed of links that the instance does not tell.
const Unlimited instance.Rate = 1 << 62

// Network is the cluster, merged into pools.
type Network struct {
	Pools  []pool
	Racks  []RackClass
	PoolOf []int // pool of every node
	// joined is the group of every rack between whose racks there are routes.
	joined []int
}

// RackClasses lists the classes of racks that a mode's pools are in, ascending.
func (n *Network) RackClasses(o *Mode) []int {
	var list []int
	for _, p := range o.Pools {
		list = append(list, n.Pools[p].Rack)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// nodeKey is what makes two nodes of one rack interchangeable.
type nodeKey struct {
	gpuType     instance.TypeID
	gpus        int
	nic, fabric instance.Rate
}

// NewNetwork merges the cluster of an instance into pools.
func NewNetwork(in *instance.Instance) *Network {
	speed := func(links ...instance.LinkID) instance.Rate {
		slowest := Unlimited
		for _, l := range links {
			if in.Links[l].Failed {
				return 0
			}
			slowest = min(slowest, in.Capacity(l))
		}
		return slowest
	}
	trunk := map[string]instance.LinkID{}
	for l := range in.Links {
		if k := in.Links[l].Kind; k == instance.RackUp || k == instance.RackDown {
			trunk[in.Links[l].Name] = instance.LinkID(l)
		}
	}

	n := &Network{PoolOf: make([]int, len(in.Nodes)), joined: in.Joined()}
	index := map[string]int{}
	for r := range in.Racks {
		rack := &in.Racks[r]
		count := map[nodeKey]int{}
		var keys []nodeKey
		for _, id := range rack.Nodes {
			node := &in.Nodes[id]
			key := nodeKey{node.Type, node.GPUs, speed(node.Up, node.Down), speed(node.Fabric)}
			if count[key]++; count[key] == 1 {
				keys = append(keys, key)
			}
		}
		slices.SortFunc(keys, func(a, b nodeKey) int {
			return cmp.Or(cmp.Compare(a.gpuType, b.gpuType), -cmp.Compare(a.gpus, b.gpus),
				-cmp.Compare(a.nic, b.nic), -cmp.Compare(a.fabric, b.fabric))
		})
		uplink := Unlimited
		if up, ok := trunk[rack.Name+".up"]; ok {
			uplink = speed(up)
		}
		if down, ok := trunk[rack.Name+".down"]; ok {
			uplink = min(uplink, speed(down))
		}
		var same strings.Builder
		fmt.Fprint(&same, int64(uplink)) // for people speeds are rounded
		for _, key := range keys {
			fmt.Fprint(&same, key, count[key])
		}
		c, ok := index[same.String()]
		if !ok {
			c = len(n.Racks)
			index[same.String()] = c
			class := RackClass{Uplink: uplink}
			for _, key := range keys {
				class.pools = append(class.pools, len(n.Pools))
				n.Pools = append(n.Pools, pool{
					Rack: c, GPUType: key.gpuType, Memory: in.Types[key.gpuType].Memory,
					GPUs: key.gpus, PerRack: count[key], NIC: key.nic, Fabric: key.fabric,
				})
			}
			n.Racks = append(n.Racks, class)
		}
		n.Racks[c].Racks = append(n.Racks[c].Racks, r)
		for _, id := range rack.Nodes {
			node := &in.Nodes[id]
			key := nodeKey{node.Type, node.GPUs, speed(node.Up, node.Down), speed(node.Fabric)}
			n.PoolOf[id] = n.Racks[c].pools[slices.Index(keys, key)]
		}
	}
	for c := range n.Racks {
		class := &n.Racks[c]
		class.name = rackNames(in, class.Racks)
		for _, p := range class.pools {
			n.Pools[p].Nodes = n.Pools[p].PerRack * len(class.Racks)
		}
	}
	n.namePools(in)
	return n
}

// namePools gives every pool the shortest name that tells it from the others.
func (n *Network) namePools(in *instance.Instance) {
	ofType := map[instance.TypeID]int{}
	ofRack := map[[2]int]int{}
	for i := range n.Pools {
		p := &n.Pools[i]
		ofType[p.GPUType]++
		ofRack[[2]int{int(p.GPUType), p.Rack}]++
	}
	for i := range n.Pools {
		p := &n.Pools[i]
		p.Id = "p" + strconv.Itoa(i)
		p.name = "of type " + in.Types[p.GPUType].Name
		if ofType[p.GPUType] > 1 {
			p.name += " in " + n.Racks[p.Rack].name
		}
		if ofRack[[2]int{int(p.GPUType), p.Rack}] > 1 {
			p.name += fmt.Sprintf(" (nodes of %d GPUs, NIC %s, fabric %s)", p.GPUs, speedName(in, p.NIC), speedName(in, p.Fabric))
		}
	}
}

func speedName(in *instance.Instance, r instance.Rate) string {
	if r == 0 {
		return "failed"
	}
	return in.BitRate(r).String()
}

// GPUName and nodeName are the pool's GPUs and nodes in a sentence.
func (p *pool) GPUName() string { return plural(p.Size(), "GPU") + " " + p.name }

func (p *pool) nodeName() string { return plural(int64(p.Nodes), "node") + " " + p.name }

// plural writes "the 8 racks" or "the rack".
func plural(n int64, what string) string {
	if n == 1 {
		return "the " + what
	}
	return fmt.Sprintf("the %d %ss", n, what)
}

// rackNames names racks in a sentence: "rack r2", "the 8 racks r0 to r7".
func rackNames(in *instance.Instance, racks []int) string {
	name := func(i int) string { return in.Racks[racks[i]].Name }
	switch last := len(racks) - 1; {
	case last == 0:
		return "rack " + name(0)
	case racks[last]-racks[0] == last:
		return fmt.Sprintf("the %d racks %s to %s", len(racks), name(0), name(last))
	case last < 4:
		names := make([]string, len(racks))
		for i := range racks {
			names[i] = name(i)
		}
		return fmt.Sprintf("the %d racks %s and %s", len(racks), strings.Join(names[:last], ", "), names[last])
	default:
		return fmt.Sprintf("%d racks from %s to %s", len(racks), name(0), name(last))
	}
}
