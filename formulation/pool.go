package formulation

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
	rack    int // index into network.racks
	gpuType instance.TypeID
	memory  instance.Bytes
	gpus    int // in a node
	perRack int // nodes in each rack of the class
	nodes   int // in all racks of the class
	// nic is the slower direction of a node's NIC, fabric the speed of the
	// ring inside a node; 0 where the link failed.
	nic, fabric instance.BitRate
	id          string // in row and column names
	name        string // in sentences
}

// size is the number of GPUs of the pool.
func (p *pool) size() int64 { return int64(p.gpus) * int64(p.nodes) }

// rackClass is a group of racks with the same nodes and the same uplink.
type rackClass struct {
	racks []int
	pools []int
	// uplink is the slower direction between a rack and the core: 0 where it
	// failed, unlimited where the instance does not tell: in the full form a
	// rack may leave through any of several trunks, and a single rack has none.
	uplink instance.BitRate
	name   string
}

const unlimited instance.BitRate = 1 << 62

// network is the cluster, merged into pools.
type network struct {
	pools []pool
	racks []rackClass
	of    []int // pool of every node
}

// nodeKey is what makes two nodes of one rack interchangeable.
type nodeKey struct {
	gpuType     instance.TypeID
	gpus        int
	nic, fabric instance.BitRate
}

func newNetwork(in *instance.Instance) *network {
	speed := func(links ...instance.LinkID) instance.BitRate {
		slowest := unlimited
		for _, l := range links {
			if in.Links[l].Failed {
				return 0
			}
			slowest = min(slowest, in.Links[l].Capacity)
		}
		return slowest
	}
	trunk := map[string]instance.LinkID{}
	for l := range in.Links {
		if k := in.Links[l].Kind; k == instance.RackUp || k == instance.RackDown {
			trunk[in.Links[l].Name] = instance.LinkID(l)
		}
	}

	n := &network{of: make([]int, len(in.Nodes))}
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
		uplink := unlimited
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
			c = len(n.racks)
			index[same.String()] = c
			class := rackClass{uplink: uplink}
			for _, key := range keys {
				class.pools = append(class.pools, len(n.pools))
				n.pools = append(n.pools, pool{
					rack: c, gpuType: key.gpuType, memory: in.Types[key.gpuType].Memory,
					gpus: key.gpus, perRack: count[key], nic: key.nic, fabric: key.fabric,
				})
			}
			n.racks = append(n.racks, class)
		}
		n.racks[c].racks = append(n.racks[c].racks, r)
		for _, id := range rack.Nodes {
			node := &in.Nodes[id]
			key := nodeKey{node.Type, node.GPUs, speed(node.Up, node.Down), speed(node.Fabric)}
			n.of[id] = n.racks[c].pools[slices.Index(keys, key)]
		}
	}
	for c := range n.racks {
		class := &n.racks[c]
		class.name = rackNames(in, class.racks)
		for _, p := range class.pools {
			n.pools[p].nodes = n.pools[p].perRack * len(class.racks)
		}
	}
	n.namePools(in)
	return n
}

// namePools gives every pool the shortest name that tells it from the others.
func (n *network) namePools(in *instance.Instance) {
	ofType := map[instance.TypeID]int{}
	ofRack := map[[2]int]int{}
	for i := range n.pools {
		p := &n.pools[i]
		ofType[p.gpuType]++
		ofRack[[2]int{int(p.gpuType), p.rack}]++
	}
	for i := range n.pools {
		p := &n.pools[i]
		p.id = "p" + strconv.Itoa(i)
		p.name = "of type " + in.Types[p.gpuType].Name
		if ofType[p.gpuType] > 1 {
			p.name += " in " + n.racks[p.rack].name
		}
		if ofRack[[2]int{int(p.gpuType), p.rack}] > 1 {
			p.name += fmt.Sprintf(" (nodes of %d GPUs, NIC %s, fabric %s)", p.gpus, speedName(p.nic), speedName(p.fabric))
		}
	}
}

func speedName(r instance.BitRate) string {
	if r == 0 {
		return "failed"
	}
	return r.String()
}

// gpuName and nodeName are the pool's GPUs and nodes in a sentence.
func (p *pool) gpuName() string { return plural(p.size(), "GPU") + " " + p.name }

func (p *pool) nodeName() string { return plural(int64(p.nodes), "node") + " " + p.name }

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
