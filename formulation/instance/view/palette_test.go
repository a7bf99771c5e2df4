package view

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Matrices that simulate a lack of one kind of cone in linear light, from
// Machado, Oliveira and Fernandes (IEEE TVCG 15, 2009), severity 1.
var deficiencies = map[string][9]float64{
	"normal":       {1, 0, 0, 0, 1, 0, 0, 0, 1},
	"protanopia":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
	"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
	"tritanopia":   {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
}

// oklab converts linear light to Björn Ottosson's OKLab.
func oklab(r, g, b float64) [3]float64 {
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

func seen(c rgb, m [9]float64) [3]float64 {
	v := c.linear()
	at := func(i int) float64 { return min(1, max(0, m[i]*v[0]+m[i+1]*v[1]+m[i+2]*v[2])) }
	return oklab(at(0), at(3), at(6))
}

// The first jobs can be told apart by people with any of the deficiencies. A
// just noticeable difference is about 0.02.
func TestColoursAreDistinct(t *testing.T) {
	for name, m := range deficiencies {
		for i := range 8 {
			for j := range i {
				a, b := seen(hex(colours[i]), m), seen(hex(colours[j]), m)
				d := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
				assert.Greater(t, d, 0.05, "%s: colours %d and %d", name, i, j)
			}
		}
	}
}

// Labels are legible on every shade (WCAG asks for 4.5, and 3 for large text),
// and the shades of a colour grow away from the page.
func TestShades(t *testing.T) {
	for _, th := range []*theme{&light, &dark} {
		for colour := range colours {
			last := 1.0
			for shade := range shades {
				fill, ink := th.shade(colour, shade)
				assert.Greater(t, contrast(fill, ink), 4.0, "colour %d shade %d", colour, shade)
				assert.Greater(t, contrast(fill, th.page), last)
				last = contrast(fill, th.page)
			}
		}
	}
	assert.Equal(t, []int{1, 2, 3, 4}, []int{shadeOf(0, 3), shadeOf(1, 3), shadeOf(2, 3), shadeOf(3, 3)})
	assert.Equal(t, 4, shadeOf(0, 0))
	for full := range 16 {
		for d := 1; d <= full; d++ {
			assert.GreaterOrEqual(t, shadeOf(d, full), shadeOf(d-1, full))
		}
	}
}
