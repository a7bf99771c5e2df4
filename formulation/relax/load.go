package relax

import (
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/exact"
)

// Load is work that only some resources can do.
type Load struct {
	Resource string // "gpu", "nic", "uplink", "fabric" or "waypoint"
	Subject  string
	// capacity of all the resources together, per tick.
	capacity *big.Int
	Items    []loadItem
}

// loadItem is one class of jobs with the demand of each iteration of each job.
type loadItem struct {
	Class      int
	amount     *big.Int
	Head, Tail int64 // of the work in an iteration; see [Model.ProveArea]
}

// classTypes returns the GPU types that the class may use.
func (m *Model) classTypes(c int) []bool {
	types := make([]bool, len(m.Instance.Types))
	for t := range types {
		types[t] = m.Classes[c].Usable(instance.TypeID(t))
	}
	return types
}

// typeSets returns the sets of GPU types to bound: those that some class is confined
// to, and all types.
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
		loads = append(loads, m.linkLoad(&LinkClass{Resource: "nic"}, set))
	}
	loads = append(loads, m.linkLoad(&LinkClass{Resource: "fabric"}, sets[0]), m.linkLoad(&LinkClass{Resource: "uplink"}, sets[0]))
	for i := range m.Network.waypoints {
		loads = append(loads, m.linkLoad(&m.Network.waypoints[i], sets[0]))
	}
	return slices.DeleteFunc(loads, func(l Load) bool { return l.capacity.Sign() <= 0 || len(l.Items) == 0 })
}

// linkItem is the demand of the synchronisations of a class on links of one kind, in
// rates x microseconds. ok is false for a class that may live in a mode without them.
func (m *Model) linkItem(c int, kind *LinkClass) (loadItem, bool) {
	d := &m.Classes[c]
	var least *big.Int
	for i := range d.Modes {
		mode := &d.Modes[i]
		bits := exact.Mul(int64(mode.Volume), int64(mode.Crosses(kind)))
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

// linkLoad is the traffic, in one direction, of classes that need links of a kind, over those
// links at the nodes of some GPU types, or over one waypoint.
func (m *Model) linkLoad(kind *LinkClass, set []bool) Load {
	l := Load{Resource: kind.Resource, capacity: new(big.Int)}
	count := int64(0)
	for _, links := range m.Network.Links() {
		skip := links.Resource != kind.Resource || links.Speed == 0
		switch kind.Resource {
		case "nic", "fabric":
			skip = skip || !set[m.Network.Pools[links.At].GPUType]
		case "waypoint":
			skip = skip || links.At != kind.At
		}
		if skip {
			continue
		}
		l.capacity.Add(l.capacity, exact.Mul(int64(links.Speed), links.Count))
		count += links.Count
	}
	l.capacity.Mul(l.capacity, big.NewInt(m.Instance.TickUS))
	switch kind.Resource {
	case "nic":
		l.Subject = plural(count, "NIC")
	case "fabric":
		l.Subject = "the fabric of " + plural(count, "node")
	case "waypoint":
		l.Subject = kind.Subject
	default:
		l.Subject = "the uplinks of " + plural(count, "rack")
	}
	for c := range m.Classes {
		if item, ok := m.linkItem(c, kind); ok && subset(m.classTypes(c), set) {
			l.Items = append(l.Items, item)
		}
	}
	return l
}

// Components groups the classes so that no two groups share a GPU type, and
// returns the load of each group on its types.
func (m *Model) Components() []Load {
	set := instance.NewPartition(len(m.Instance.Types))
	for c := range m.Classes {
		first := -1
		for t, in := range m.classTypes(c) {
			if in && first < 0 {
				first = t
			} else if in {
				set.Join(t, first)
			}
		}
	}
	var loads []Load
	for t := range set {
		if set.Of(t) != t || m.GPUs[t] == 0 {
			continue
		}
		types := make([]bool, len(set))
		for o := range set {
			types[o] = set.Of(o) == t && m.GPUs[o] > 0
		}
		if l := m.gpuLoad(types); len(l.Items) > 0 {
			loads = append(loads, l)
		}
	}
	return loads
}
