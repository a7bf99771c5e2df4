package view

import (
	"errors"
	"io"
	"slices"
)

// Lanes is a picture of bars on rows over a range of time that begins at 0, in ns.
type Lanes struct {
	Title, Text string
	Rows        []string
	Span        float64
	Bars        []Bar
	Legend      []Bar // of which name and colour count
}

// Bar is a rectangle on so many rows, from a first one.
type Bar struct {
	Row, Rows     int
	From, To      float64
	Colour, Shade int    // of the palette; the last shade is the full colour
	Label, Tip    string // written where there is room; shown where the pointer rests
}

// Sizes of [Lanes].
const (
	MaxLanes    = 1024
	BarShades   = shades
	lanesWidth  = 1200.0
	lanesHeader = 104.0
)

// Draw writes the picture as one self-contained SVG, in the look of [Gantt].
func (l *Lanes) Draw(w io.Writer) error {
	if len(l.Rows) > MaxLanes || l.Span <= 0 {
		return errors.New("view: too many rows, or no time to draw")
	}
	c := chart{svg: svg{w: w}, plan: &plan{}, horizon: l.Span, width: lanesWidth, x0: 80, top: lanesHeader}
	for _, b := range slices.Concat(l.Bars, l.Legend) {
		c.colour = append(c.colour, b.Colour)
	}
	row := min(30, max(1.5, 900/float64(len(l.Rows))))
	c.plot = c.width - c.x0 - margin
	c.bottom = c.top + row*float64(len(l.Rows))
	c.height = c.bottom + margin
	c.open(l.Title, l.Text)
	c.label("h", margin, 28, fit(l.Title, c.width-2*margin, 17))
	c.label("s", margin, 48, fit(l.Text, c.width-2*margin, 12))
	x := margin
	for _, b := range l.Legend {
		c.rect(x, 60, 14, 12).str(` class="`).str(className(b.Colour, b.Shade)).str(`"/>` + "\n")
		c.label("d", x+19, 70, b.Label)
		x += 37 + textWidth(b.Label, 11)
	}
	unit, name := 1e3, " µs"
	if l.Span >= 10e6 {
		unit, name = 1e6, " ms"
	}
	for _, m := range marks(l.Span, decimalStep(l.Span/12), 1, unit, name) {
		x := c.px(m.at)
		c.str(`<path class="g" d="M`).num(x).str(" ").num(c.top - 6).str("V").num(c.bottom).str(`"/>` + "\n")
		c.label("d c", x, c.top-10, m.label)
	}
	for i, text := range l.Rows {
		y := c.top + row*float64(i)
		c.rect(c.x0, y+0.5, c.plot, row-1).str(` class="track"/>` + "\n")
		if row >= 11 || i%16 == 0 {
			c.label("d e", c.x0-8, y+min(row/2+4, 11+row/4), fit(text, c.x0-20, 11))
		}
	}
	for _, b := range l.Bars {
		x, y, h := c.px(b.From), c.top+row*float64(b.Row), row*float64(b.Rows)
		width := max(0.4, c.px(b.To)-x)
		class := className(b.Colour, b.Shade)
		c.rect(x, y+0.5, width, h-1).str(` class="`).str(class).str(`"><title>`).text(b.Tip).str("</title></rect>\n")
		if h >= 12 && textWidth(b.Label, 10)+8 <= width {
			c.str(`<g class="`).str(class).str(`">`)
			c.label("z", x+4, y+h/2+4, b.Label)
			c.str("</g>\n")
		}
	}
	c.str("</svg>\n")
	return c.flush()
}
