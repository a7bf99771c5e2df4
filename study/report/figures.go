package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"jigsaw/study/report/page"
	"jigsaw/study/store"
	"jigsaw/study/sweep"
)

// series shown in figures.
type series struct {
	name   string
	of     func(*store.Row) *float64
	colour color.Color
	shape  draw.GlyphDrawer
	dashes []vg.Length
}

// efficiencies are the series of a sweep's figure. Shapes and dashes distinguish
// them where colours do not.
func efficiencies() []series {
	return []series{
		{"exclusive", func(r *store.Row) *float64 { return r.ExclusiveEfficiency }, page.ExclusiveColour, draw.BoxGlyph{}, nil},
		{"interleaved, full depth", func(r *store.Row) *float64 { return r.InterleavedFullEfficiency }, page.InterleavedColour, draw.TriangleGlyph{}, nil},
		{"plan", func(r *store.Row) *float64 { return r.PlanEfficiency }, page.PlanColour, draw.CircleGlyph{}, nil},
		{"at most (proven)", mostEfficiency, page.Ink, draw.PlusGlyph{}, []vg.Length{vg.Points(4), vg.Points(3)}},
	}
}

// median of a series over a group. If it is known for only some of the group's
// cells it is not comparable with the others, and ok is false.
func (s series) median(g *group) (median float64, ok bool) {
	m := spreadOf(g.rows, column(s.of))
	return m.Median, m.N == m.Of
}

// efficiencyFigure shows a sweep: lines over an axis of numbers, bars over
// words. Only the first of the further axes' values is drawn.
func efficiencyFigure(w *sweep.Sweep, axis sweep.Axis, all []*group) page.Figure {
	first := all[0].series
	var shown []*group
	for _, g := range all {
		if g.series == first {
			shown = append(shown, g)
		}
	}
	caption := "Efficiency by " + axis.Title + ": medians"
	if first != "" {
		caption += ", " + first + " only"
	}
	f := page.Figure{Name: "sweep-" + w.Name, Caption: caption + ".", Width: 680, Height: 330}
	f.Alt = f.Caption + " The table below has the numbers."
	numbers := axis.Number != nil && len(shown) > 1 && !slices.ContainsFunc(shown, func(g *group) bool { return g.number <= 0 })
	if numbers {
		f.Plot = linePlot(axis, shown)
	} else {
		f.Plot = barPlot(axis, shown)
	}
	return f
}

// unit of an axis's numbers, for its label.
func unit(a sweep.Axis) string {
	switch a.Name {
	case "nic", "fabric":
		return a.Title + " (Gbit/s)"
	case "memory":
		return a.Title + " (GiB)"
	}
	return a.Title
}

func linePlot(axis sweep.Axis, shown []*group) *plot.Plot {
	p := page.NewPlot(unit(axis), "efficiency")
	low, high := math.Inf(1), 0.0
	var ticks []plot.Tick
	for _, g := range shown {
		low, high = min(low, g.number), max(high, g.number)
		ticks = append(ticks, plot.Tick{Value: g.number, Label: fmt.Sprintf("%.4g", g.number)})
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	if high/low >= 8 {
		p.X.Scale = plot.LogScale{}
	}
	top := 0.0
	for _, s := range efficiencies() {
		var points plotter.XYs
		for _, g := range shown {
			if median, ok := s.median(g); ok {
				points = append(points, plotter.XY{X: g.number, Y: median})
				top = max(top, median)
			}
		}
		if len(points) == 0 {
			continue
		}
		slices.SortFunc(points, func(a, b plotter.XY) int { return int(math.Copysign(1, a.X-b.X)) })
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			continue // numbers only
		}
		line.LineStyle = draw.LineStyle{Color: s.colour, Width: vg.Points(1.75), Dashes: s.dashes}
		dots.GlyphStyle = draw.GlyphStyle{Color: s.colour, Radius: vg.Points(3), Shape: s.shape}
		p.Add(line, dots)
		p.Legend.Add(s.name, line, dots)
	}
	roomForLegend(p, top)
	return p
}

func barPlot(axis sweep.Axis, shown []*group) *plot.Plot {
	p := page.NewPlot(axis.Title, "efficiency")
	var names []string
	for _, g := range shown {
		names = append(names, g.label)
	}
	all := efficiencies()
	bars := all[:len(all)-1]
	width := vg.Points(min(22, 420/float64(len(shown)*(len(bars)+1))))
	top := 0.0
	for i, s := range bars {
		var values plotter.Values
		for _, g := range shown {
			median, ok := s.median(g)
			if !ok {
				median = 0
			}
			values = append(values, median)
			top = max(top, median)
		}
		b, err := plotter.NewBarChart(values, width)
		if err != nil {
			continue // numbers only
		}
		b.Color, b.LineStyle.Width = s.colour, 0
		b.Offset = width * vg.Length(float64(i)-float64(len(bars)-1)/2)
		p.Add(b)
		p.Legend.Add(s.name, b)
	}
	// The bound is a line across the bars of its group.
	bound := all[len(all)-1]
	var last *plotter.Line
	for x, g := range shown {
		median, ok := bound.median(g)
		if !ok {
			continue
		}
		top = max(top, median)
		line, err := plotter.NewLine(plotter.XYs{{X: float64(x) - 0.42, Y: median}, {X: float64(x) + 0.42, Y: median}})
		if err != nil {
			continue // numbers only
		}
		line.LineStyle = draw.LineStyle{Color: bound.colour, Width: vg.Points(1.25), Dashes: bound.dashes}
		p.Add(line)
		last = line
	}
	if last != nil {
		p.Legend.Add(bound.name, last)
	}
	p.NominalX(names...)
	p.X.Tick.Label.Color, p.X.Color = page.Ink, page.Ink
	p.X.Min, p.X.Max = -0.6, float64(len(shown))-0.4
	roomForLegend(p, top)
	return p
}

// roomForLegend leaves the top of the plot to the legend.
func roomForLegend(p *plot.Plot, top float64) {
	const step = 0.25
	top = step * math.Ceil(max(1, top)/step)
	var ticks []plot.Tick
	for y := 0.0; y <= top; y += step {
		ticks = append(ticks, plot.Tick{Value: y, Label: fmt.Sprintf("%.2f", y)})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Y.Min, p.Y.Max = 0, top*1.4
}
