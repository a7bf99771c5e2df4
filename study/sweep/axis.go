package sweep

import (
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
)

// Axis is a parameter of cells that results can be set out by.
type Axis struct {
	// Name in study files; Title in reports.
	Name, Title string
	// Of is a cell's value in a few words.
	Of func(*Cell) string
	// Number is the same for a plot's axis, nil where values are words.
	Number func(*Cell) float64
	// length is the number of values.
	length func(*Axes) int
}

// AllAxes lists all axes, in the order in which a product runs through them.
func AllAxes() []Axis {
	gbit := func(r instance.BitRate) float64 { return float64(r) / 1e9 }
	return []Axis{
		{"clusters", "GPUs", func(c *Cell) string { return strconv.Itoa(c.Cluster.Total()) },
			func(c *Cell) float64 { return float64(c.Cluster.Total()) }, func(a *Axes) int { return len(a.Clusters) }},
		{"gpus", "GPU type", func(c *Cell) string { return c.GPU }, nil, func(a *Axes) int { return len(a.GPUs) }},
		{"speeds", "GPU speed", func(c *Cell) string { return c.Speed.String() }, func(c *Cell) float64 { return c.Speed.Float() }, func(a *Axes) int { return len(a.Speeds) }},
		{"memory", "memory per GPU", func(c *Cell) string { return c.Memory.String() },
			func(c *Cell) float64 { return float64(c.Memory) / (1 << 30) }, func(a *Axes) int { return len(a.Memory) }},
		{"nic", "NIC", func(c *Cell) string { return c.NIC.String() }, func(c *Cell) float64 { return gbit(c.NIC) }, func(a *Axes) int { return len(a.NIC) }},
		{"fabric", "fabric", func(c *Cell) string { return c.Fabric.String() }, func(c *Cell) float64 { return gbit(c.Fabric) }, func(a *Axes) int { return len(a.Fabric) }},
		{"oversubscription", "oversubscription", func(c *Cell) string { return c.Oversubscription.String() },
			func(c *Cell) float64 { return c.Oversubscription.Float() }, func(a *Axes) int { return len(a.Oversubscription) }},
		{"mixes", "mix", func(c *Cell) string { return c.Mix.Name }, nil, func(a *Axes) int { return len(a.Mixes) }},
		{"load", "workers per GPU", func(c *Cell) string { return c.Load.String() }, func(c *Cell) float64 { return c.Load.Float() }, func(a *Axes) int { return len(a.Load) }},
		{"workers", "workers k", func(c *Cell) string {
			if c.Workers == 0 {
				return "mixed"
			}
			return strconv.Itoa(c.Workers)
		}, func(c *Cell) float64 { return float64(c.Workers) }, func(a *Axes) int { return len(a.Workers) }},
		{"spb", "depth rule", func(c *Cell) string { return RuleName(c.SPB) }, nil, func(a *Axes) int { return len(a.SPB) }},
		{"objectives", "objective", func(c *Cell) string { return string(c.Objective) }, nil, func(a *Axes) int { return len(a.Objectives) }},
		{"methods", "method", func(c *Cell) string { return c.Method.Name }, nil, func(a *Axes) int { return len(a.Methods) }},
		{"seeds", "seed", func(c *Cell) string { return strconv.FormatInt(c.Seed, 10) }, nil, func(a *Axes) int { return len(a.Seeds) }},
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

// Varying lists the axes that the sweep's results are set out by: first the one
// that it names, then the others that have several values, but for the seeds. It
// is never empty.
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
// does not tell them apart.
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
