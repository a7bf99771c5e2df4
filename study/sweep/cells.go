package sweep

import (
	"math/rand/v2"
	"slices"
)

// Cells lists the cells of a sweep in the order of its axes, with the last one
// varying fastest, or its sample in the same order. The spec has to be valid.
func (s *Spec) Cells(w *Sweep) []Cell {
	a := s.axes(w)
	cells := []Cell{{TickUS: or(s.TickUS, 1000), Profiles: s.Profiles}}
	for _, axis := range AllAxes() {
		cells = axis.times(s, cells, &a)
	}
	return w.Sample.of(cells)
}

// of returns the sample of the cells; without a sample, all of them.
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
	for _, axis := range AllAxes() {
		size *= float64(axis.length(a))
	}
	return size
}

// Defaults are the axes of sweeps that do not specify them.
func (s *Spec) Defaults() Axes { return s.axes(&Sweep{}) }

// axes of a sweep: its own, or those of the base, or the defaults.
func (s *Spec) axes(w *Sweep) Axes {
	a := w.Axes
	for _, axis := range AllAxes() {
		axis.inherit(s, &a, &s.Base)
	}
	return a
}

// or returns v, or a default where it is zero.
func or[V comparable](v, otherwise V) V {
	var zero V
	if v == zero {
		return otherwise
	}
	return v
}

// mixNames lists the mixes in the order of the study.
func (s *Spec) mixNames() []string {
	var names []string
	for _, m := range s.Mixes {
		names = append(names, m.Name)
	}
	return names
}

// methods of the study, or the default one.
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
