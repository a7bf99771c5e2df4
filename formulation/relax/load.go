package relax

import (
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/exact"
)

// Load is work that only some resources can do.
type Load struct {
	Resource string // "gpu", "nic", "uplink" or "fabric"
	Subject  string
	// capacity of all the resources together, per tick.
	capacity *big.Int
	Items    []loadItem
}

// loadItem is one class of jobs with what each iteration of each asks for.
type loadItem struct {
	Class      int
	amount     *big.Int
	Head, Tail int64 // of the work in an iteration; see Area
}

// classTypes returns the GPU types that the class may use.
func (m *Model) classTypes(c int) []bool {
	types := make([]bool, len(m.Instance.Types))
	for t := range types {
		types[t] = m.Classes[c].Usable(instance.TypeID(t))
	}
	return types
}

// typeSets returns the sets of GPU types worth a bound: those that some class
// is confined to, and all types.
func (m *Model) typeSets() [][]bool {
	all := make([]bool, len(m.Instance.Types))
	for t := range all {
		all[t] = m.GPUs[t] > 0
	}
	sets := [][]bool{all}
	for c := range m.Classes {
		s := m.classTypes(c)
		if !slices.ContainsFunc(sets, func(o []bool) bool { return slices.Equal(o, s) }) {
			sets = append(sets, s)
		}
	}
	return sets
}

func subset(a, b []bool) bool {
	for i := range a {
		if a[i] && !b[i] {
			return false
		}
	}
	return true
}

// gpuLoad is the work of the classes confined to a set of GPU types.
func (m *Model) gpuLoad(set []bool) Load {
	gpus := int64(0)
	for t, in := range set {
		if in {
			gpus += m.GPUs[t]
		}
	}
	l := Load{Resource: "gpu", Subject: m.TypesName(set, gpus), capacity: big.NewInt(gpus)}
	for c := range m.Classes {
		if d := &m.Classes[c]; subset(m.classTypes(c), set) {
			l.Items = append(l.Items, loadItem{c, big.NewInt(d.Work), int64(d.Job.Release), int64(d.Sync)})
		}
	}
	return l
}

// AreaLoads lists the loads that an area certificate may name: every load with its
// resources, then those of [Model.Components].
func (m *Model) AreaLoads() []Load { return append(m.loads(), m.Components()...) }

// loads lists every load with its resources.
func (m *Model) loads() []Load {
	var loads []Load
	sets := m.typeSets()
	for _, set := range sets {
		loads = append(loads, m.gpuLoad(set))
	}
	for _, set := range sets {
		loads = append(loads, m.nicLoad(set))
	}
	loads = append(loads, m.fabricLoad(), m.uplinkLoad())
	return slices.DeleteFunc(loads, func(l Load) bool { return l.capacity.Sign() <= 0 || len(l.Items) == 0 })
}

// linkItem is what the synchronisations of a class ask of links of one kind,
// in rates x microseconds, where times is how many links carry the volume of
// one party. ok is false for a class that may live in a mode without them.
func (m *Model) linkItem(c int, times func(*Mode) int) (loadItem, bool) {
	d := &m.Classes[c]
	var least *big.Int
	for i := range d.Modes {
		mode := &d.Modes[i]
		bits := exact.Mul(int64(mode.Volume), int64(times(mode)))
		if least == nil || bits.Cmp(least) < 0 {
			least = bits
		}
	}
	if least == nil || least.Sign() == 0 {
		return loadItem{}, false
	}
	least.Mul(least, exact.Mul(8_000_000, int64(m.Instance.Rate(1))))
	return loadItem{c, least, int64(d.Job.Release) + int64(d.Full), 0}, true
}

// nicLoad is the traffic of classes that must span nodes, one way, over the
// NICs of the nodes of some GPU types.
func (m *Model) nicLoad(set []bool) Load {
	l := Load{Resource: "nic", capacity: new(big.Int)}
	nodes := int64(0)
	for i := range m.Network.Pools {
		if p := &m.Network.Pools[i]; set[p.GPUType] && p.NIC > 0 {
			l.capacity.Add(l.capacity, exact.Mul(int64(p.NIC), int64(p.Nodes)))
			nodes += int64(p.Nodes)
		}
	}
	l.capacity.Mul(l.capacity, big.NewInt(m.Instance.TickUS))
	l.Subject = plural(nodes, "NIC")
	for c := range m.Classes {
		if !subset(m.classTypes(c), set) {
			continue
		}
		item, ok := m.linkItem(c, func(o *Mode) int {
			if o.Kind == InRack || o.Kind == Spread {
				return o.Nodes
			}
			return 0
		})
		if ok {
			l.Items = append(l.Items, item)
		}
	}
	return l
}

// fabricLoad is the traffic of classes that must live inside one node.
func (m *Model) fabricLoad() Load {
	l := Load{Resource: "fabric", capacity: new(big.Int)}
	nodes := int64(0)
	for i := range m.Network.Pools {
		if p := &m.Network.Pools[i]; p.Fabric > 0 {
			l.capacity.Add(l.capacity, exact.Mul(int64(p.Fabric), int64(p.Nodes)))
			nodes += int64(p.Nodes)
		}
	}
	l.capacity.Mul(l.capacity, big.NewInt(m.Instance.TickUS))
	l.Subject = "the fabric of " + plural(nodes, "node")
	for c := range m.Classes {
		item, ok := m.linkItem(c, func(o *Mode) int {
			if o.Kind == InNode {
				return 1
			}
			return 0
		})
		if ok {
			l.Items = append(l.Items, item)
		}
	}
	return l
}

// uplinkLoad is the traffic of classes that must span racks, one way, over the
// uplinks of the racks. It is empty where the instance does not tell which
// links a rack leaves by.
func (m *Model) uplinkLoad() Load {
	l := Load{Resource: "uplink", capacity: new(big.Int)}
	racks := int64(0)
	for i := range m.Network.Racks {
		r := &m.Network.Racks[i]
		if r.Uplink == Unlimited {
			return Load{capacity: new(big.Int)}
		}
		l.capacity.Add(l.capacity, exact.Mul(int64(r.Uplink), int64(len(r.Racks))))
		racks += int64(len(r.Racks))
	}
	l.capacity.Mul(l.capacity, big.NewInt(m.Instance.TickUS))
	l.Subject = "the uplinks of " + plural(racks, "rack")
	for c := range m.Classes {
		item, ok := m.linkItem(c, func(o *Mode) int {
			if o.Kind == Spread {
				return o.Racks
			}
			return 0
		})
		if ok {
			l.Items = append(l.Items, item)
		}
	}
	return l
}

// Components groups the classes so that no two groups share a GPU type, and
// returns the load of each group on its types.
func (m *Model) Components() []Load {
	set := make([]int, len(m.Instance.Types)) // union-find by type
	for t := range set {
		set[t] = t
	}
	var root func(t int) int
	root = func(t int) int {
		if set[t] != t {
			set[t] = root(set[t])
		}
		return set[t]
	}
	for c := range m.Classes {
		first := -1
		for t, in := range m.classTypes(c) {
			if in && first < 0 {
				first = t
			} else if in {
				set[root(t)] = root(first)
			}
		}
	}
	var loads []Load
	for t := range set {
		if root(t) != t || m.GPUs[t] == 0 {
			continue
		}
		types := make([]bool, len(set))
		for o := range set {
			types[o] = root(o) == t && m.GPUs[o] > 0
		}
		if l := m.gpuLoad(types); len(l.Items) > 0 {
			loads = append(loads, l)
		}
	}
	return loads
}
