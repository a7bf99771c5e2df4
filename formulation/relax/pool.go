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
	ID          string // in row and column names
	name        string // in sentences, as in names.go
}

// Size is the number of GPUs of the pool.
func (p *pool) Size() int64 { return int64(p.GPUs) * int64(p.Nodes) }

// RackClass is a group of racks with the same nodes and the same uplink.
type RackClass struct {
	Racks []int
	pools []int
	// Uplink is the slower direction between a rack and the core: 0 if it failed,
	// unlimited if the instance does not say: in the full form a rack may leave
	// through any of several trunks, and a single rack has none.
	Uplink instance.Rate
	name   string
}

// Unlimited is the speed of links whose speed the instance does not give.
const Unlimited instance.Rate = 1 << 62

// Network is the cluster, grouped into pools.
type Network struct {
	Pools  []pool
	Racks  []RackClass
	PoolOf []int // pool of every node
	// joined gives every rack its group of racks that have routes between them.
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

// NewNetwork groups the cluster of an instance into pools.
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
		fmt.Fprint(&same, int64(uplink)) // speeds are rounded in the printed names
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
					GPUs: key.gpus, PerRack: count[key], NIC: key.nic, Fabric: key.fabric, ID: "p" + strconv.Itoa(len(n.Pools)),
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
		for _, p := range class.pools {
			n.Pools[p].Nodes = n.Pools[p].PerRack * len(class.Racks)
		}
	}
	n.setNames(in)
	return n
}
