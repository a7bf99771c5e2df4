package view

import (
	"fmt"
	"math"
	"strconv"
)

// rgb is a colour, components 0..1 in sRGB.
type rgb [3]float64

// colours tell jobs apart. The first six follow Okabe and Ito (Color
// Universal Design, 2008), softened; every further one is the colour farthest
// from those before it, in OKLab, under the worst of normal vision,
// protanopia, deuteranopia and tritanopia. Lightness counts for less there,
// since depth uses it. So any first n are about as distinct as n can be.
// Beyond a dozen it is the label that tells.
var colours = [...]string{
	"#2f7bbd", "#e8a02e", "#2a9d78", "#cc79a7", "#74c0ea", "#c9561f",
	"#abd19e", "#785b8a", "#9e4b58", "#8988e8", "#b3a56a", "#e0607e",
	"#aa7b54", "#75b595", "#d2c76f", "#ac81c6", "#27786b", "#555eb8",
	"#d27e2a", "#3cc8cc", "#8b5d37", "#9f57a5", "#8d9f4d", "#678335",
}

// shades is how many shades tell depths apart; the last is full depth.
const shades = 5

// strength is how much of its job's colour a shade has, the rest background.
var strength = [shades]float64{0.30, 0.46, 0.63, 0.80, 1}

// syncShade is the shade of synchronisations, which have no depth.
const syncShade = 3

// shadeOf returns the shade of depth index d where full is the index of full
// depth: different depths differ as far as there are shades.
func shadeOf(d, full int) int {
	if full == 0 || d >= full {
		return shades - 1
	}
	if full < shades {
		return shades - 1 - (full - d)
	}
	return d * (shades - 1) / full
}

// theme is the set of colours of a light or dark picture.
type theme struct {
	page, track, grid, text, dim, line, warn rgb
}

var (
	light = theme{
		page: hex("#ffffff"), track: hex("#f1f3f6"), grid: hex("#dde2e8"),
		text: hex("#1b222c"), dim: hex("#5d6875"), line: hex("#1b222c"), warn: hex("#9a4a00"),
	}
	dark = theme{
		page: hex("#12161b"), track: hex("#1c222a"), grid: hex("#303943"),
		text: hex("#e8ecf1"), dim: hex("#9aa6b3"), line: hex("#e8ecf1"), warn: hex("#ffb366"),
	}
)

// shade returns the fill of a shade of a colour and the ink that is legible on it.
func (t *theme) shade(colour, shade int) (fill, ink rgb) {
	fill = mix(t.page, hex(colours[colour]), strength[shade])
	return fill, inkOn(fill)
}

// inkOn is black or white, whichever is more legible.
func inkOn(fill rgb) rgb {
	ink, white := hex("#10151b"), hex("#ffffff")
	if contrast(fill, white) > contrast(fill, ink) {
		return white
	}
	return ink
}

// hex reads a colour written in this package.
func hex(s string) rgb {
	v, err := strconv.ParseUint(s[1:], 16, 32)
	if err != nil {
		panic(err)
	}
	return rgb{float64(v>>16) / 255, float64(v>>8&255) / 255, float64(v&255) / 255}
}

func (c rgb) String() string {
	return fmt.Sprintf("#%02x%02x%02x", byteOf(c[0]), byteOf(c[1]), byteOf(c[2]))
}

func byteOf(v float64) int { return int(math.Round(255 * v)) }

func mix(a, b rgb, t float64) rgb {
	for i := range a {
		a[i] += (b[i] - a[i]) * t
	}
	return a
}

// linear returns the light that the components stand for.
func (c rgb) linear() rgb {
	for i, v := range c {
		if v <= 0.04045 {
			c[i] = v / 12.92
		} else {
			c[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return c
}

// contrast is the contrast ratio of WCAG 2, from 1 to 21.
func contrast(a, b rgb) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c rgb) float64 {
	l := c.linear()
	return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2]
}
