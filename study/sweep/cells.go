package sweep

import (
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// Cells lists the cells of a sweep in the order of its axes, the last one
// running fastest, or its sample in the same order. The spec has to be valid.
func (s *Spec) Cells(w *Sweep) []Cell {
	a := s.axes(w)
	cells := []Cell{{TickUS: or(s.TickUS, 1000), Profiles: s.Profiles}}
	cells = times(cells, a.Clusters, func(c *Cell, v Shape) { c.Cluster = v })
	cells = times(cells, a.GPUs, func(c *Cell, v string) { c.GPU = v })
	cells = times(cells, a.Speeds, func(c *Cell, v instance.Ratio) { c.Speed = v })
	cells = times(cells, a.Memory, func(c *Cell, v instance.Bytes) { c.Memory = v })
	cells = times(cells, a.NIC, func(c *Cell, v instance.BitRate) { c.NIC = v })
	cells = times(cells, a.Fabric, func(c *Cell, v instance.BitRate) { c.Fabric = v })
	cells = times(cells, a.Oversubscription, func(c *Cell, v instance.Ratio) { c.Oversubscription = v })
	cells = times(cells, a.Mixes, func(c *Cell, v string) { c.Mix = *s.mix(v) })
	cells = times(cells, a.Load, func(c *Cell, v instance.Ratio) { c.Load = v })
	cells = times(cells, a.Workers, func(c *Cell, v int) { c.Workers = v })
	cells = times(cells, a.SPB, func(c *Cell, v instance.SPBSpec) { c.SPB = v })
	cells = times(cells, a.Objectives, func(c *Cell, v instance.Objective) { c.Objective = v })
	cells = times(cells, a.Methods, func(c *Cell, v string) { c.Method = *s.method(v) })
	cells = times(cells, a.Seeds, func(c *Cell, v int64) { c.Seed = v })
	return w.Sample.of(cells)
}

// times is the product of what there is with an axis.
func times[V any](cells []Cell, axis []V, set func(*Cell, V)) []Cell {
	product := make([]Cell, 0, len(cells)*len(axis))
	for _, c := range cells {
		for _, v := range axis {
			set(&c, v)
			product = append(product, c)
		}
	}
	return product
}

// of returns the sample of the cells; no sample is all of them.
func (s *Sample) of(cells []Cell) []Cell {
	if s == nil || s.Cells >= len(cells) {
		return cells
	}
	chosen := rand.New(rand.NewPCG(uint64(s.Seed), 0)).Perm(len(cells))[:s.Cells]
	slices.Sort(chosen)
	sample := make([]Cell, len(chosen))
	for i, n := range chosen {
		sample[i] = cells[n]
	}
	return sample
}

// size is the number of cells of the product, without making them.
func (a *Axes) size() float64 {
	size := 1.0
	for _, n := range []int{
		len(a.Clusters), len(a.GPUs), len(a.Speeds), len(a.Memory), len(a.NIC), len(a.Fabric), len(a.Oversubscription), len(a.Mixes),
		len(a.Load), len(a.Workers), len(a.SPB), len(a.Objectives), len(a.Methods), len(a.Seeds),
	} {
		size *= float64(n)
	}
	return size
}

// Defaults are the axes of sweeps that do not say otherwise.
func (s *Spec) Defaults() Axes { return s.axes(&Sweep{}) }

// axes of a sweep: its own, the base's where it has none, then the defaults.
func (s *Spec) axes(w *Sweep) Axes {
	a, b := w.Axes, s.Base
	var mixes []string
	for _, m := range s.Mixes {
		mixes = append(mixes, m.Name)
	}
	return Axes{
		Clusters:         first(a.Clusters, b.Clusters),
		GPUs:             first(a.GPUs, b.GPUs, []string{"v100"}),
		Speeds:           first(a.Speeds, b.Speeds, []instance.Ratio{instance.One}),
		Memory:           first(a.Memory, b.Memory, []instance.Bytes{32 << 30}),
		NIC:              first(a.NIC, b.NIC, []instance.BitRate{100e9}),
		Fabric:           first(a.Fabric, b.Fabric, []instance.BitRate{1200e9}),
		Oversubscription: first(a.Oversubscription, b.Oversubscription, []instance.Ratio{instance.One}),
		Mixes:            first(a.Mixes, b.Mixes, mixes),
		Load:             first(a.Load, b.Load, []instance.Ratio{2 * instance.One}),
		Workers:          first(a.Workers, b.Workers, []int{0}),
		SPB:              first(a.SPB, b.SPB, []instance.SPBSpec{{}}),
		Objectives:       first(a.Objectives, b.Objectives, []instance.Objective{instance.Makespan}),
		Methods:          first(a.Methods, b.Methods, s.MethodNames()),
		Seeds:            first(a.Seeds, b.Seeds, []int64{1}),
	}
}

// first returns the first list that is not empty.
func first[V any](lists ...[]V) []V {
	for _, l := range lists {
		if len(l) > 0 {
			return l
		}
	}
	return nil
}

// or returns v, or a default where it is zero.
func or[V comparable](v, otherwise V) V {
	var zero V
	if v == zero {
		return otherwise
	}
	return v
}

// methods of the study, or the one there always is.
func (s *Spec) methods() []Method {
	if len(s.Methods) == 0 {
		return []Method{{Name: "plan"}}
	}
	return s.Methods
}

// MethodNames lists the methods in the order of the study.
func (s *Spec) MethodNames() []string {
	var names []string
	for _, m := range s.methods() {
		names = append(names, m.Name)
	}
	return names
}

func (s *Spec) mix(name string) *Mix {
	i := slices.IndexFunc(s.Mixes, func(m Mix) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Mixes[i]
}

func (s *Spec) method(name string) *Method {
	methods := s.methods()
	i := slices.IndexFunc(methods, func(m Method) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return &methods[i]
}
