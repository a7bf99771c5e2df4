package page

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// NewPlot is an empty plot in the style of reports.
func NewPlot(x, y string) *plot.Plot {
	p := plot.New()
	sans := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(11)}
	small := sans
	small.Size = vg.Points(10)
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Label.TextStyle.Color, a.Tick.Label.Color, a.Tick.Color = Ink, Ink, Ink, Ink
		a.Label.TextStyle.Font, a.Tick.Label.Font = sans, small
		a.Width, a.Tick.Width = vg.Points(0.75), vg.Points(0.75)
		a.Label.Padding = vg.Points(4)
	}
	p.Legend.TextStyle.Font, p.Legend.TextStyle.Color = small, Ink
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding = vg.Points(3)
	p.Legend.ThumbnailWidth = vg.Points(18)
	grid := plotter.NewGrid()
	grid.Vertical.Color = nil
	grid.Horizontal = draw.LineStyle{Color: Grid, Width: vg.Points(0.5)}
	p.Add(grid)
	return p
}

// Every puts a tick at each multiple of a step.
func Every(low, high, step float64) plot.ConstantTicks {
	var ticks []plot.Tick
	for v := step * math.Ceil(low/step); v <= high; v += step {
		ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprint(v)})
	}
	return ticks
}
