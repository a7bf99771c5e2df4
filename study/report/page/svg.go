package page

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// points converts pixels: a plot of 680 pixels is 510 points wide.
func points(pixels float64) vg.Length { return vg.Points(pixels * 0.75) }

// fonts similar to those that a plot was laid out with, for display.
const fonts = "Liberation Sans, Arial, Helvetica, sans-serif"

// SVG returns the figure as a standalone picture, in light colours.
func (f *Figure) SVG() ([]byte, error) {
	if f.Plot == nil {
		return f.Drawing, nil
	}
	c := vgsvg.New(points(f.Width), points(f.Height))
	f.Plot.Draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("page: %w", err)
	}
	return []byte(fontFamily.ReplaceAllString(b.String(), "font-family:"+fonts)), nil
}

var fontFamily = regexp.MustCompile(`font-family:[^;"]*`)

// PNG writes a plot as pixels on white, two for each of the page's.
func (f *Figure) PNG(w io.Writer) error {
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(points(f.Width), points(f.Height)), vgimg.UseDPI(192))}
	f.Plot.Draw(draw.New(c))
	_, err := c.WriteTo(w)
	return err
}

// inline returns the figure for the page: its colours are the page's variables,
// and it takes the available width.
func (f *Figure) inline() (string, error) {
	data, err := f.SVG()
	if err != nil {
		return "", err
	}
	text := string(data)
	if i := strings.Index(text, "<svg"); i > 0 {
		text = text[i:] // skip declarations and comments
	}
	if f.Plot == nil {
		return text, nil
	}
	for _, c := range themeColours() {
		text = strings.ReplaceAll(text, c.Light, "var(--"+c.Name+")")
	}
	end := strings.Index(text, ">")
	if end < 0 {
		return "", fmt.Errorf("page: figure %s is no SVG", f.Name)
	}
	return fmt.Sprintf(`<svg viewBox="0 0 %g %g" role="img" class="plot" xmlns="http://www.w3.org/2000/svg">`, f.Width*0.75, f.Height*0.75) + text[end+1:], nil
}
