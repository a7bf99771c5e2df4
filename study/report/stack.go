package report

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"jigsaw/study/report/page"
)

// stack is a gain as a bar of factors.
type stack struct {
	label   string
	factors []float64
}

// stacks draws bars of factors on a logarithmic axis, where lengths add as factors
// multiply. A factor below 1 shortens the bar: it is a thin bar that runs back. A line
// across shows where the whole ends.
type stacks struct {
	bars    []stack
	colours []color.Color
	width   vg.Length
	text    text.Style
}

// Plot implements plot.Plotter.
func (s *stacks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, bar := range s.bars {
		middle, at := y(s.position(i)), 1.0
		box := func(from, to float64, half vg.Length, fill color.Color) {
			c.FillPolygon(fill, c.ClipPolygonXY([]vg.Point{
				{X: x(from), Y: middle - half}, {X: x(to), Y: middle - half}, {X: x(to), Y: middle + half}, {X: x(from), Y: middle + half},
			}))
		}
		for k, f := range bar.factors {
			if f >= 1 {
				box(at, at*f, s.width/2, s.colours[k])
			}
			at *= f
		}
		at = 1
		for k, f := range bar.factors {
			if f < 1 { // drawn over what it takes away
				box(at*f, at, s.width*0.28, page.Paper)
				box(at*f, at, s.width*0.18, s.colours[k])
			}
			at *= f
		}
		end := x(at)
		c.StrokeLine2(draw.LineStyle{Color: page.Ink, Width: vg.Points(1.5)}, end, middle-s.width*0.68, end, middle+s.width*0.68)
		most, reach := at, 1.0
		for _, f := range bar.factors {
			reach *= f
			most = max(most, reach)
		}
		c.FillText(s.text, vg.Point{X: x(most) + vg.Points(5), Y: middle}, times(at))
	}
	s.legend(c, y(float64(len(s.bars))))
}

// legend names the colours in one line.
func (s *stacks) legend(c draw.Canvas, middle vg.Length) {
	left, half := c.Min.X, vg.Points(4)
	for k, part := range parts() {
		c.FillPolygon(s.colours[k], []vg.Point{
			{X: left, Y: middle - half}, {X: left + 3*half, Y: middle - half}, {X: left + 3*half, Y: middle + half}, {X: left, Y: middle + half},
		})
		left += 4 * half
		c.FillText(s.text, vg.Point{X: left, Y: middle}, part.name)
		left += s.text.Width(part.name) + 4*half
	}
}

// position of a bar on the vertical axis: the first is on top.
func (s *stacks) position(bar int) float64 { return float64(len(s.bars) - 1 - bar) }

// stackFigure shows the factors of gains.
func stackFigure(bars []stack) page.Figure {
	p := page.NewPlot("relative to the queue", "")
	s := &stacks{bars: bars, colours: []color.Color{page.ExclusiveColour, page.InterleavedColour, page.PlanColour, page.Accent}, width: vg.Points(13), text: p.Legend.TextStyle}
	s.text.XAlign, s.text.YAlign = draw.XLeft, draw.YCenter
	p.Add(s)
	most := 1.2
	labels := make([]plot.Tick, len(bars))
	for i, bar := range bars {
		labels[i] = plot.Tick{Value: s.position(i), Label: bar.label}
		reach := 1.0
		for _, f := range bar.factors {
			reach *= f
			most = max(most, reach)
		}
	}
	p.X.Scale, p.X.Min, p.X.Max = plot.LogScale{}, 0.98, most*1.35
	p.X.Tick.Marker = factorTicks(p.X.Max)
	p.Y.Tick.Marker = plot.ConstantTicks(labels)
	p.Y.Tick.Length, p.Y.Width = 0, 0
	// Room for the legend above the bars.
	p.Y.Min, p.Y.Max = -0.7, float64(len(bars))+0.5
	if grid, err := plotter.NewLine(plotter.XYs{{X: 1, Y: p.Y.Min}, {X: 1, Y: float64(len(bars)) - 0.5}}); err == nil {
		grid.LineStyle = draw.LineStyle{Color: page.Ink, Width: vg.Points(0.75)}
		p.Add(grid)
	}
	return page.Figure{
		Name:    "factors",
		Caption: "What the gain over the queue is made of: lengths on the logarithmic axis add up as factors multiply. A thin bar that runs back is a factor below 1. The line across marks the whole gain.",
		Alt:     "Stacked bars by depth rule. The table below has the numbers.", Plot: p, Width: 760, Height: 80 + 27*float64(len(bars)+1),
	}
}

// factorTicks are round factors from 1 to the most.
func factorTicks(most float64) plot.ConstantTicks {
	step := 0.1
	for _, wider := range []float64{0.2, 0.5, 1, 2, 5, 10} {
		if (most-1)/step > 8 {
			step = wider
		}
	}
	var ticks []plot.Tick
	for i := 0; 1+float64(i)*step <= most+1e-9; i++ {
		f := math.Round((1+float64(i)*step)*100) / 100
		ticks = append(ticks, plot.Tick{Value: f, Label: times(f)})
	}
	return ticks
}
