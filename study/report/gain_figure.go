package report

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"jigsaw/study/report/page"
)

// gainFigure shows the distribution of the gains of all cells.
func gainFigure(f *family) page.Figure {
	rows := f.rows
	p := page.NewPlot("gain (%)", "share of cells (%)")
	p.Legend.Left, p.Legend.Top = false, false
	right, most := 0.0, 0.0
	for _, s := range []struct {
		name   string
		of     figure
		colour color.Color
		dashes []vg.Length
	}{
		{"plan over interleaved", overInterleaved, page.PlanColour, nil},
		{"at most over interleaved", mostOverInterleaved, page.PlanColour, []vg.Length{vg.Points(4), vg.Points(3)}},
		{"plan over exclusive", overExclusive, page.InterleavedColour, nil},
		{"at most over exclusive", mostOverExclusive, page.InterleavedColour, []vg.Length{vg.Points(4), vg.Points(3)}},
	} {
		var values []float64
		for _, r := range rows {
			if g, ok := s.of(r); ok {
				values = append(values, 100*g)
			}
		}
		if len(values) == 0 {
			continue
		}
		slices.Sort(values)
		points := plotter.XYs{{X: values[0], Y: 0}}
		for i, v := range values {
			points = append(points, plotter.XY{X: v, Y: 100 * float64(i) / float64(len(values))}, plotter.XY{X: v, Y: 100 * float64(i+1) / float64(len(values))})
		}
		// A few outliers would squeeze the rest.
		right, most = max(right, values[(len(values)-1)*85/100]), max(most, values[len(values)-1])
		line, err := plotter.NewLine(points)
		if err != nil {
			continue // numbers only
		}
		line.LineStyle = draw.LineStyle{Color: s.colour, Width: vg.Points(1.75), Dashes: s.dashes}
		p.Add(line)
		p.Legend.Add(s.name, line)
	}
	paper, err := plotter.NewLine(plotter.XYs{{X: 100 * abstract, Y: 0}, {X: 100 * abstract, Y: 100}})
	if err == nil {
		paper.LineStyle = draw.LineStyle{Color: page.Accent, Width: vg.Points(1.5)}
		p.Add(paper)
		p.Legend.Add("28 %", paper)
	}
	p.X.Min, p.X.Max = min(0, p.X.Min), 20*math.Ceil(max(right, 100*abstract*1.2)/20)
	p.Y.Min, p.Y.Max = 0, 100
	p.X.Tick.Marker, p.Y.Tick.Marker = page.Every(p.X.Min, p.X.Max, 20), page.Every(0, 100, 25)
	caption := fmt.Sprintf("Gains of the cells of the method %q under the depth rule %s: ", f.method, f.rule()) + "solid is the plan, dashed the most that any schedule can gain."
	if most > p.X.Max {
		caption += fmt.Sprintf(" Gains beyond %.0f %%, up to %.0f, are left out.", p.X.Max, most)
	}
	return page.Figure{
		Name: "gains", Caption: caption,
		Alt: "Four curves of the share of cells by gain, and a vertical line at 28 %. The table below has the numbers.", Plot: p, Width: 680, Height: 330,
	}
}
