package planreport

import (
	"fmt"
	"image/color"
	"math"
	"math/big"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"jigsaw"
	"jigsaw/formulation/instance/view"
	"jigsaw/study/report/page"
)

// comparisonFigure shows the plan and its baselines as bars, and the bound as a line across them; nothing without any to compare.
func (p *reporter) comparisonFigure() []page.Figure {
	type bar struct {
		name   string
		value  *big.Rat
		colour color.Color
	}
	var bars []bar
	for _, b := range p.r.Baselines() {
		if b.Value != nil && b.Value.Sign() > 0 {
			bars = append(bars, bar{b.Name, b.Value, page.ExclusiveColour})
		}
	}
	if len(bars) == 0 || p.r.Primal.Sign() <= 0 {
		return nil
	}
	bars = append(bars, bar{"plan", p.r.Primal, page.PlanColour})
	slices.Reverse(bars) // the first is on top
	plot := page.NewPlot(p.in.Objective.Words()+" relative to the plan (%)", "")
	most := 100.0
	var names, texts []string
	var ends plotter.XYs
	for i, b := range bars {
		v := 100 * ratio(b.value, p.r.Primal)
		most = max(most, v)
		if c, err := plotter.NewBarChart(plotter.Values{v}, vg.Points(13)); err == nil {
			c.Color, c.LineStyle, c.Horizontal, c.XMin = b.colour, draw.LineStyle{}, true, float64(i)
			plot.Add(c)
		}
		names, texts, ends = append(names, b.name), append(texts, p.r.FormatValue(b.value)), append(ends, plotter.XY{X: v, Y: float64(i)})
	}
	plot.NominalY(names...)
	plot.Y.Tick.Label.Color = page.Ink
	plot.X.Min, plot.X.Max = 0, most*1.2
	plot.X.Tick.Marker = page.Every(0, plot.X.Max, 25*math.Ceil(most/200))
	plot.Y.Min, plot.Y.Max = -0.7, float64(len(bars))-0.3
	if labels, err := plotter.NewLabels(plotter.XYLabels{XYs: ends, Labels: texts}); err == nil {
		for i := range labels.TextStyle {
			labels.TextStyle[i] = plot.Legend.TextStyle
			labels.TextStyle[i].YAlign = draw.YCenter
		}
		labels.Offset = vg.Point{X: vg.Points(5)}
		plot.Add(labels)
	}
	caption := "Bars are the values of plans."
	if p.r.Dual != nil && p.r.Dual.Sign() > 0 {
		at := 100 * ratio(p.r.Dual, p.r.Primal)
		if line, err := plotter.NewLine(plotter.XYs{{X: at, Y: plot.Y.Min}, {X: at, Y: plot.Y.Max}}); err == nil {
			line.LineStyle = draw.LineStyle{Color: page.Ink, Width: vg.Points(1.25), Dashes: []vg.Length{vg.Points(4), vg.Points(3)}}
			plot.Add(line)
			caption += " The dashed line is the bound, which no valid plan passes."
		}
	}
	return []page.Figure{{Name: "comparison", Caption: caption, Alt: "Bars of plan and baselines. The table below has the numbers.", Plot: plot, Width: 760, Height: 70 + 30*float64(len(bars))}}
}

// useFigure shows how many GPUs compute over time.
func (p *reporter) useFigure() page.Figure {
	scale, unit := p.timeUnit()
	plot := page.NewPlot("time ("+unit+")", "GPUs")
	for _, curve := range []struct {
		name   string
		values []float64
		colour color.Color
	}{{"with a job in memory", p.use.occupied, page.ExclusiveColour}, {"computing", p.use.computing, page.PlanColour}} {
		var points plotter.XYs
		for i, v := range curve.values {
			left := float64(p.use.Span) / useParts * scale
			points = append(points, plotter.XY{X: float64(i) * left, Y: v}, plotter.XY{X: float64(i+1) * left, Y: v})
		}
		if line, err := plotter.NewLine(points); err == nil {
			line.LineStyle = draw.LineStyle{Color: curve.colour, Width: vg.Points(1.5)}
			plot.Add(line)
			plot.Legend.Add(curve.name, line)
		}
	}
	all := float64(len(p.in.GPUs))
	plot.X.Min, plot.X.Max = 0, float64(p.use.Span)*scale
	plot.Y.Min, plot.Y.Max = 0, all*1.25
	plot.Y.Tick.Marker = gpuTicks(len(p.in.GPUs))
	plot.Legend.Left = false
	return page.Figure{
		Name: "gpus", Caption: fmt.Sprintf("GPUs that compute, of %d, %s, as means over %d equal parts of the time.", len(p.in.GPUs), p.span(), useParts),
		Alt: "Curves of the number of GPUs that compute and that have a job in memory. The table of nodes has the means.", Plot: plot, Width: 760, Height: 230,
	}
}

// timeUnit returns the unit of time axes, and what a tick is in it.
func (p *reporter) timeUnit() (scale float64, unit string) {
	second := float64(p.in.TickUS) / 1e6
	length, unit := jigsaw.TimeUnit(float64(p.use.Span) * second)
	return second / length, unit
}

// gpuTicks are round numbers of GPUs up to all.
func gpuTicks(all int) plot.ConstantTicks {
	step := 1
	for step*5 < all {
		step *= 2
	}
	var ticks []plot.Tick
	for v := 0; v <= all; v += step {
		ticks = append(ticks, plot.Tick{Value: float64(v), Label: fmt.Sprint(v)})
	}
	return ticks
}

// searchFigure shows how plan and bound approached each other; nothing where that took one step.
func (p *reporter) searchFigure() []page.Figure {
	var plans, bounds plotter.XYs
	end := p.r.Elapsed.Seconds()
	step := func(line plotter.XYs, at float64, v *big.Rat) plotter.XYs {
		y := 100 * ratio(v, p.r.Primal)
		if math.IsNaN(y) {
			return line
		}
		if n := len(line); n > 0 {
			line = append(line, plotter.XY{X: at, Y: line[n-1].Y})
		}
		return append(line, plotter.XY{X: at, Y: y})
	}
	for _, point := range p.r.Series {
		plans, bounds = step(plans, point.Elapsed.Seconds(), point.Primal), step(bounds, point.Elapsed.Seconds(), point.Dual)
	}
	if len(plans) < 4 || len(bounds) == 0 {
		return nil
	}
	plans, bounds = step(plans, end, p.r.Primal), step(bounds, end, p.r.Dual)
	plot := page.NewPlot("time of the search (s)", "relative to the plan (%)")
	for _, curve := range []struct {
		name   string
		points plotter.XYs
		colour color.Color
		dashes []vg.Length
	}{{"best plan", plans, page.PlanColour, nil}, {"bound", bounds, page.Ink, []vg.Length{vg.Points(4), vg.Points(3)}}} {
		if line, err := plotter.NewLine(curve.points); err == nil {
			line.LineStyle = draw.LineStyle{Color: curve.colour, Width: vg.Points(1.75), Dashes: curve.dashes}
			plot.Add(line)
			plot.Legend.Add(curve.name, line)
		}
	}
	plot.Legend.Left = false
	plot.X.Min, plot.X.Max = 0, end
	low, high := plot.Y.Min, 101.0
	for _, point := range plans { // the first plans, soon replaced, would squeeze the rest
		if point.X >= end/50 {
			high = max(high, point.Y)
		}
	}
	plot.Y.Min, plot.Y.Max = low-0.05*(high-low), high+0.25*(high-low)
	return []page.Figure{{
		Name: "search", Caption: fmt.Sprintf("How plan and bound approached each other: %s.", view.Count(len(p.r.Series), "step")),
		Alt: "Curves of the best plan and the bound over the time of the search.", Plot: plot, Width: 760, Height: 300,
	}}
}
