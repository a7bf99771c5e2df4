package sweep

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
)

// Axis is a parameter of cells by which results can be grouped.
type Axis struct {
	// Name in study files; Title in reports.
	Name, Title string
	// Of is a cell's value in a few words.
	Of func(*Cell) string
	// Number is the same as a number for a plot's axis, nil if values are words.
	Number func(*Cell) float64
	// length is the number of values.
	length func(*Axes) int
	// inherit takes the base's values if there are none, or else the default.
	inherit func(s *Spec, a, base *Axes)
	// times is the product of the cells with the axis.
	times func(s *Spec, cells []Cell, a *Axes) []Cell
	// once reports a value that is listed twice.
	once func(v *validator, path string, a *Axes)
}

// axis makes an axis from its values in a study, their default, and how to set them in cells.
func axis[V any](name, title string, values func(*Axes) *[]V, otherwise func(*Spec) []V, set func(*Spec, *Cell, V), of func(*Cell) string, number func(*Cell) float64) Axis {
	return Axis{
		Name: name, Title: title, Of: of, Number: number,
		length: func(a *Axes) int { return len(*values(a)) },
		inherit: func(s *Spec, a, base *Axes) {
			for _, list := range [][]V{*values(base), otherwise(s)} {
				if len(*values(a)) == 0 {
					*values(a) = list
				}
			}
		},
		times: func(s *Spec, cells []Cell, a *Axes) []Cell {
			product := make([]Cell, 0, len(cells)*len(*values(a)))
			for _, c := range cells {
				for _, v := range *values(a) {
					set(s, &c, v)
					product = append(product, c)
				}
			}
			return product
		},
		once: func(v *validator, path string, a *Axes) { once(v, path+"."+name, *values(a)) },
	}
}

// always is the default values of an axis in every study.
func always[V any](values ...V) func(*Spec) []V { return func(*Spec) []V { return values } }

// plain makes an axis of values that cells hold as they are; number is nil if they are words.
func plain[V any](name, title string, values func(*Axes) *[]V, otherwise V, in func(*Cell) *V, number func(V) float64) Axis {
	a := axis(name, title, values, always(otherwise), func(_ *Spec, c *Cell, v V) { *in(c) = v }, func(c *Cell) string { return fmt.Sprint(*in(c)) }, nil)
	if number != nil {
		a.Number = func(c *Cell) float64 { return number(*in(c)) }
	}
	return a
}

// AllAxes lists all axes, in the order in which a product runs through them.
func AllAxes() []Axis {
	gbit := func(r instance.BitRate) float64 { return float64(r) / 1e9 }
	gib := func(b instance.Bytes) float64 { return float64(b) / (1 << 30) }
	return []Axis{
		axis("clusters", "GPUs", func(a *Axes) *[]Shape { return &a.Clusters }, always[Shape](), func(_ *Spec, c *Cell, v Shape) { c.Cluster = v },
			func(c *Cell) string { return strconv.Itoa(c.Cluster.Total()) }, func(c *Cell) float64 { return float64(c.Cluster.Total()) }),
		plain("gpus", "GPU type", func(a *Axes) *[]string { return &a.GPUs }, "v100", func(c *Cell) *string { return &c.GPU }, nil),
		plain("speeds", "GPU speed", func(a *Axes) *[]instance.Ratio { return &a.Speeds }, instance.One, func(c *Cell) *instance.Ratio { return &c.Speed }, instance.Ratio.Float),
		plain("memory", "memory per GPU", func(a *Axes) *[]instance.Bytes { return &a.Memory }, 32<<30, func(c *Cell) *instance.Bytes { return &c.Memory }, gib),
		axis("residence", "residence", func(a *Axes) *[]instance.Residence { return &a.Residence }, always(instance.WholePlan), func(_ *Spec, c *Cell, v instance.Residence) {
			if c.Residence = v; v == instance.WholePlan {
				c.Residence = ""
			}
		}, func(c *Cell) string { return c.residence() }, nil),
		plain("nic", "NIC", func(a *Axes) *[]instance.BitRate { return &a.NIC }, 100e9, func(c *Cell) *instance.BitRate { return &c.NIC }, gbit),
		plain("fabric", "fabric", func(a *Axes) *[]instance.BitRate { return &a.Fabric }, 1200e9, func(c *Cell) *instance.BitRate { return &c.Fabric }, gbit),
		plain("oversubscription", "oversubscription", func(a *Axes) *[]instance.Ratio { return &a.Oversubscription }, instance.One,
			func(c *Cell) *instance.Ratio { return &c.Oversubscription }, instance.Ratio.Float),
		axis("mixes", "mix", func(a *Axes) *[]string { return &a.Mixes }, (*Spec).mixNames, func(s *Spec, c *Cell, v string) { c.Mix = *s.mix(v) },
			func(c *Cell) string { return c.Mix.Name }, nil),
		plain("load", "workers per GPU", func(a *Axes) *[]instance.Ratio { return &a.Load }, 2*instance.One, func(c *Cell) *instance.Ratio { return &c.Load }, instance.Ratio.Float),
		axis("workers", "workers k", func(a *Axes) *[]int { return &a.Workers }, always(0), func(_ *Spec, c *Cell, v int) { c.Workers = v },
			func(c *Cell) string {
				if c.Workers == 0 {
					return "mixed"
				}
				return strconv.Itoa(c.Workers)
			}, func(c *Cell) float64 { return float64(c.Workers) }),
		axis("spb", "depth rule", func(a *Axes) *[]instance.SPBSpec { return &a.SPB }, always(instance.SPBSpec{}), func(_ *Spec, c *Cell, v instance.SPBSpec) { c.SPB = v },
			func(c *Cell) string { return RuleName(c.SPB) }, nil),
		plain("objectives", "objective", func(a *Axes) *[]instance.Objective { return &a.Objectives }, instance.Makespan, func(c *Cell) *instance.Objective { return &c.Objective }, nil),
		axis("methods", "method", func(a *Axes) *[]string { return &a.Methods }, (*Spec).MethodNames, func(s *Spec, c *Cell, v string) { c.Method = *s.method(v) },
			func(c *Cell) string { return c.Method.Name }, nil),
		plain("seeds", "seed", func(a *Axes) *[]int64 { return &a.Seeds }, 1, func(c *Cell) *int64 { return &c.Seed }, nil),
	}
}

// AxisNamed returns the axis of that name in study files, nil if there is none.
func AxisNamed(name string) *Axis {
	axes := AllAxes()
	i := slices.IndexFunc(axes, func(a Axis) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return &axes[i]
}

// AxisNames lists the names for messages.
func AxisNames() string {
	var names []string
	for _, a := range AllAxes() {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

// Varying lists the axes by which the sweep's results are grouped: first the one
// that it names, then the others with several values, except the seeds. It is
// never empty.
func (s *Spec) Varying(w *Sweep) []Axis {
	axes := s.axes(w)
	all := AllAxes()
	if alikeInSize(axes.Clusters) {
		all[0].Title, all[0].Number = "cluster", nil
		all[0].Of = func(c *Cell) string { return c.Cluster.String() }
	}
	var varying []Axis
	for _, a := range all {
		switch {
		case a.Name == w.Axis:
			varying = slices.Insert(varying, 0, a)
		case a.length(&axes) > 1 && a.Name != "seeds":
			varying = append(varying, a)
		}
	}
	if len(varying) == 0 {
		return all[:1]
	}
	return varying
}

// alikeInSize reports whether two clusters have the same number of GPUs, which then
// does not distinguish them.
func alikeInSize(clusters []Shape) bool {
	seen := map[int]bool{}
	for _, c := range clusters {
		if seen[c.Total()] {
			return true
		}
		seen[c.Total()] = true
	}
	return false
}
