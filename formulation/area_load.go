package formulation

import (
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// load is work that only some resources can do.
type load struct {
	resource string // "gpu", "nic", "uplink" or "fabric"
	subject  string
	// capacity of all the resources together, per tick.
	capacity *big.Int
	items    []loadItem
}

// loadItem is one class of jobs with what each iteration of each asks for.
type loadItem struct {
	class      int
	amount     *big.Int
	head, tail int64 // of the work in an iteration; see Area
}

// classTypes returns the GPU types that the class may use.
func (m *model) classTypes(c int) []bool {
	types := make([]bool, len(m.in.Types))
	for t := range types {
		types[t] = m.demands[c].usable(instance.TypeID(t))
	}
	return types
}

// typeSets returns the sets of GPU types worth a bound: those that some class
// is confined to, and all types.
func (m *model) typeSets() [][]bool {
	all := make([]bool, len(m.in.Types))
	for t := range all {
		all[t] = m.gpus[t] > 0
	}
	sets := [][]bool{all}
	for c := range m.demands {
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

// typesName is a set of GPU types in a sentence.
func (m *model) typesName(set []bool, gpus int64) string {
	var names []string
	all := true
	for t, in := range set {
		if in {
			names = append(names, m.in.Types[t].Name)
		} else if m.gpus[t] > 0 {
			all = false
		}
	}
	if all || len(names) != 1 {
		return plural(gpus, "GPU")
	}
	return plural(gpus, "GPU") + " of type " + names[0]
}

// gpuLoad is the work of the classes confined to a set of GPU types.
func (m *model) gpuLoad(set []bool) load {
	gpus := int64(0)
	for t, in := range set {
		if in {
			gpus += m.gpus[t]
		}
	}
	l := load{resource: "gpu", subject: m.typesName(set, gpus), capacity: big.NewInt(gpus)}
	for c := range m.demands {
		if d := &m.demands[c]; subset(m.classTypes(c), set) {
			l.items = append(l.items, loadItem{c, big.NewInt(d.work), int64(d.job.Release), int64(d.sync)})
		}
	}
	return l
}

// loads lists every load with its resources.
func (m *model) loads() []load {
	var loads []load
	sets := m.typeSets()
	for _, set := range sets {
		loads = append(loads, m.gpuLoad(set))
	}
	for _, set := range sets {
		loads = append(loads, m.nicLoad(set))
	}
	loads = append(loads, m.fabricLoad(), m.uplinkLoad())
	return slices.DeleteFunc(loads, func(l load) bool { return l.capacity.Sign() <= 0 || len(l.items) == 0 })
}

// linkItem is what the synchronisations of a class ask of links of one kind,
// in bit/s x microseconds, where times is how many links carry the volume of
// one party. ok is false for a class that may live in a mode without them.
func (m *model) linkItem(c int, times func(*mode) int) (loadItem, bool) {
	d := &m.demands[c]
	var least *big.Int
	for i := range d.modes {
		mode := &d.modes[i]
		bits := mul(int64(mode.volume), int64(times(mode)))
		if least == nil || bits.Cmp(least) < 0 {
			least = bits
		}
	}
	if least == nil || least.Sign() == 0 {
		return loadItem{}, false
	}
	least.Mul(least, big.NewInt(8_000_000))
	return loadItem{c, least, int64(d.job.Release) + int64(d.full), 0}, true
}

// nicLoad is the traffic of classes that must span nodes, one way, over the
// NICs of the nodes of some GPU types.
func (m *model) nicLoad(set []bool) load {
	l := load{resource: "nic", capacity: new(big.Int)}
	nodes := int64(0)
	for i := range m.network.pools {
		if p := &m.network.pools[i]; set[p.gpuType] && p.nic > 0 {
			l.capacity.Add(l.capacity, mul(int64(p.nic), int64(p.nodes)))
			nodes += int64(p.nodes)
		}
	}
	l.capacity.Mul(l.capacity, big.NewInt(m.in.TickUS))
	l.subject = plural(nodes, "NIC")
	for c := range m.demands {
		if !subset(m.classTypes(c), set) {
			continue
		}
		item, ok := m.linkItem(c, func(o *mode) int {
			if o.kind == inRack || o.kind == spread {
				return o.nodes
			}
			return 0
		})
		if ok {
			l.items = append(l.items, item)
		}
	}
	return l
}

// fabricLoad is the traffic of classes that must live inside one node.
func (m *model) fabricLoad() load {
	l := load{resource: "fabric", capacity: new(big.Int)}
	nodes := int64(0)
	for i := range m.network.pools {
		if p := &m.network.pools[i]; p.fabric > 0 {
			l.capacity.Add(l.capacity, mul(int64(p.fabric), int64(p.nodes)))
			nodes += int64(p.nodes)
		}
	}
	l.capacity.Mul(l.capacity, big.NewInt(m.in.TickUS))
	l.subject = "the fabric of " + plural(nodes, "node")
	for c := range m.demands {
		item, ok := m.linkItem(c, func(o *mode) int {
			if o.kind == inNode {
				return 1
			}
			return 0
		})
		if ok {
			l.items = append(l.items, item)
		}
	}
	return l
}

// uplinkLoad is the traffic of classes that must span racks, one way, over the
// uplinks of the racks. It is empty where the instance does not tell which
// links a rack leaves by.
func (m *model) uplinkLoad() load {
	l := load{resource: "uplink", capacity: new(big.Int)}
	racks := int64(0)
	for i := range m.network.racks {
		r := &m.network.racks[i]
		if r.uplink == unlimited {
			return load{capacity: new(big.Int)}
		}
		l.capacity.Add(l.capacity, mul(int64(r.uplink), int64(len(r.racks))))
		racks += int64(len(r.racks))
	}
	l.capacity.Mul(l.capacity, big.NewInt(m.in.TickUS))
	l.subject = "the uplinks of " + plural(racks, "rack")
	for c := range m.demands {
		item, ok := m.linkItem(c, func(o *mode) int {
			if o.kind == spread {
				return o.racks
			}
			return 0
		})
		if ok {
			l.items = append(l.items, item)
		}
	}
	return l
}
