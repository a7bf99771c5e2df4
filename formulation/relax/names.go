package relax

import (
	"fmt"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
)

// The names in this file are for messages; no proof uses them.

// ClassName is a class in a sentence: `job "x"`, `the 4 jobs "x-1" to "x-4"`.
func (m *Model) ClassName(class int) string {
	jobs := m.Classes[class].Jobs
	first, last := m.Instance.Jobs[jobs[0]].Name, m.Instance.Jobs[jobs[len(jobs)-1]].Name
	if len(jobs) == 1 {
		return fmt.Sprintf("job %q", first)
	}
	if slices.IsSorted(jobs) && int(jobs[len(jobs)-1]-jobs[0]) == len(jobs)-1 {
		return fmt.Sprintf("the %d jobs %q to %q", len(jobs), first, last)
	}
	return fmt.Sprintf("the %d jobs like %q", len(jobs), first)
}

// TypesName is a set of GPU types in a sentence.
func (m *Model) TypesName(set []bool, gpus int64) string {
	var names []string
	all := true
	for t, in := range set {
		if in {
			names = append(names, m.Instance.Types[t].Name)
		} else if m.GPUs[t] > 0 {
			all = false
		}
	}
	if all || len(names) != 1 {
		return plural(gpus, "GPU")
	}
	return plural(gpus, "GPU") + " of type " + names[0]
}

// Before separates a resource from the tick that a row about it is confined to.
const Before = " before tick "

// GPUName, nodeName, MemoryName, NICName and FabricName name the pool's resources in a
// sentence.
func (p *pool) GPUName() string { return plural(p.Size(), "GPU") + " " + p.name }

func (p *pool) nodeName() string { return plural(int64(p.Nodes), "node") + " " + p.name }

func (p *pool) MemoryName() string { return "the memory of " + p.GPUName() }

func (p *pool) NICName() string { return "the NICs of " + p.nodeName() }

func (p *pool) FabricName() string { return "the fabrics of " + p.nodeName() }

// UplinkName is the class's uplinks in a sentence.
func (c *RackClass) UplinkName() string { return "the uplinks of " + c.name }

// setNames names the classes of racks, and gives every pool the shortest name that tells it from
// the others.
func (n *Network) setNames(in *instance.Instance) {
	for c := range n.Racks {
		n.Racks[c].name = rackNames(in, n.Racks[c].Racks)
	}
	ofType := map[instance.TypeID]int{}
	ofRack := map[[2]int]int{}
	for i := range n.Pools {
		p := &n.Pools[i]
		ofType[p.GPUType]++
		ofRack[[2]int{int(p.GPUType), p.Rack}]++
	}
	for i := range n.Pools {
		p := &n.Pools[i]
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
