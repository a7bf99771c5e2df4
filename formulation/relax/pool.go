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
	// Uplink is what all links carry together on which routes leave such a rack, or enter it if that
	// is less; 0 if no route leads to another rack, or from it.
	Uplink instance.Rate
	// fastest is, by policy of a job, the speed of the fastest route from such a rack to another or, if that is
	// less, from another to it: a ring takes one of each.
	fastest []instance.Rate
	name    string
}

// Unlimited is faster than any link.
const Unlimited instance.Rate = 1 << 62

// Uplinks returns, for every rack, what its uplinks carry together, as in [RackClass].
func Uplinks(in *instance.Instance) (all []instance.Rate) {
	out, back := in.Exits()
	for rack := range in.Racks {
		var sum [2]instance.Rate
		for way, links := range [2][]instance.LinkID{out[rack], back[rack]} {
			for _, l := range links {
				sum[way] += min(in.Capacity(l), Unlimited-sum[way])
			}
		}
		all = append(all, min(sum[0], sum[1]))
	}
	return all
}

// fastestRoutes returns, for every rack and policy, the speed of the fastest route, as in [RackClass].
func fastestRoutes(in *instance.Instance) (fastest [][]instance.Rate) {
	ways := make([][2][]instance.Rate, len(in.Racks)) // from a rack and to it, by policy
	for r := range ways {
		ways[r] = [2][]instance.Rate{make([]instance.Rate, 1+len(in.Policies)), make([]instance.Rate, 1+len(in.Policies))}
	}
	in.Routes(func(policy, from, to int, links []instance.LinkID) {
		speed := in.Capacity(links[0])
		for _, l := range links {
			speed = min(speed, in.Capacity(l))
		}
		ways[from][0][policy], ways[to][1][policy] = max(ways[from][0][policy], speed), max(ways[to][1][policy], speed)
	})
	for _, way := range ways {
		least := way[0]
		for policy := range least {
			least[policy] = min(least[policy], way[1][policy])
		}
		fastest = append(fastest, least)
	}
	return fastest
}

// Network is the cluster, grouped into pools.
type Network struct {
	Pools  []pool
	Racks  []RackClass
	PoolOf []int // pool of every node
	// joined gives every rack its group of racks that have routes between them.
	joined []int
	// switched: racks are joined by links between switches, of which a ring may cross several, and
	// one several times.
	switched bool
	// passed has, by policy, for those of jobs, the links on all its routes, and how often each route crosses them.
	passed []crossings
	// rings are those through several racks, by policy; nil: unknown.
	rings [][]ring
	// waypoints are these links, and those that rings cross.
	waypoints []LinkClass
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
		slowest := in.Capacity(links[0])
		for _, l := range links {
			if in.Links[l].Failed {
				return 0
			}
			slowest = min(slowest, in.Capacity(l))
		}
		return slowest
	}
	all, fastest := Uplinks(in), fastestRoutes(in)
	n := &Network{
		PoolOf: make([]int, len(in.Nodes)), joined: in.Joined(),
		switched: in.Switched(),
	}
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
		var same strings.Builder
		fmt.Fprint(&same, int64(all[r]))
		for _, speed := range fastest[r] {
			fmt.Fprint(&same, " ", int64(speed)) // speeds are rounded in the printed names
		}
		for _, key := range keys {
			fmt.Fprint(&same, key, count[key])
		}
		c, ok := index[same.String()]
		if !ok {
			c = len(n.Racks)
			index[same.String()] = c
			class := RackClass{Uplink: all[r], fastest: fastest[r]}
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
	n.rings = ringsOf(in)
	n.passWaypoints(in)
	n.setNames(in)
	return n
}
