package page

import (
	"fmt"
	"image/color"
)

// The colours of plots, after Okabe and Ito (Color Universal Design, 2008). In
// the page each is a variable, so that it suits light and dark.
var (
	Ink               = color.RGBA{0x1b, 0x22, 0x2c, 0xff}
	Grid              = color.RGBA{0xdd, 0xe2, 0xe8, 0xff}
	ExclusiveColour   = color.RGBA{0x8a, 0x94, 0xa0, 0xff}
	InterleavedColour = color.RGBA{0x2f, 0x7b, 0xbd, 0xff}
	PlanColour        = color.RGBA{0x2a, 0x9d, 0x78, 0xff}
	Accent            = color.RGBA{0xc9, 0x56, 0x1f, 0xff}
	Paper             = color.RGBA{0xff, 0xff, 0xfe, 0xff} // background of marks that overlap others
)

// themeColour is a colour with its name in the page, and its dark variant.
type themeColour struct{ Name, Light, Dark string }

func themeColours() []themeColour {
	return []themeColour{
		{"ink", hex(Ink), "#e8ecf1"},
		{"grid", hex(Grid), "#303943"},
		{"exclusive", hex(ExclusiveColour), "#7d8894"},
		{"interleaved", hex(InterleavedColour), "#5aa6e8"},
		{"plan", hex(PlanColour), "#45c499"},
		{"accent", hex(Accent), "#f0834a"},
		{"page", hex(Paper), "#12161b"},
	}
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }
