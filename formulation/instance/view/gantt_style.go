package view

import "fmt"

// style writes the style sheet: explicit colours for light, and again for
// viewers that prefer dark. Custom properties would be shorter, but not every
// converter knows them. All rules are below .jigsaw, and class names mean the
// same in every picture, so pictures may share a page.
func (c *chart) style() {
	c.str("<style>\n")
	c.str(".jigsaw{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;font-size:11px}\n")
	c.str(".jigsaw .h{font-size:17px;font-weight:600}.jigsaw .s,.jigsaw .i,.jigsaw .w{font-size:12px}.jigsaw .s{font-weight:500}\n")
	c.str(".jigsaw .n{font-size:11px;font-weight:600}.jigsaw .z{font-size:9px}.jigsaw .e{text-anchor:end}.jigsaw .c{text-anchor:middle}\n")
	c.str(fmt.Sprintf(".jigsaw .tasks text{font-size:%dpx;text-anchor:middle}.jigsaw .syncs text{font-size:9px;text-anchor:middle}\n", c.labelSize()))
	c.str(".jigsaw .m{opacity:.62}.jigsaw .echo{opacity:.38}.jigsaw .g{fill:none;stroke-width:1}.jigsaw .l{fill:none;stroke-width:1.5}.jigsaw .b{stroke-dasharray:5 4}\n")
	c.palette(&light)
	c.str("@media (prefers-color-scheme:dark){\n")
	c.palette(&dark)
	c.str("}\n</style>\n")
}

// palette writes the rules of one theme, for the colours in use.
func (c *chart) palette(t *theme) {
	rule := func(selector, property string, colour rgb) {
		c.str(".jigsaw ").str(selector).str("{").str(property).str(":").str(colour.String()).str("}")
	}
	rule(".page", "fill", t.page)
	rule("text", "fill", t.text)
	rule(".d", "fill", t.dim)
	rule(".w", "fill", t.warn)
	rule(".track", "fill", t.track)
	rule(".g", "stroke", t.grid)
	rule(".l", "stroke", t.line)
	rule(".r", "fill", t.grid)
	rule(".area", "fill", t.dim)
	rule(".tasks rect,.jigsaw .syncs rect", "stroke", t.page)
	c.str("\n")
	used := [len(colours)]bool{0: true} // the legend of depths uses the first
	for _, colour := range c.colour {
		used[colour] = true
	}
	for colour := range colours {
		for shade := 0; used[colour] && shade < shades; shade++ {
			fill, ink := t.shade(colour, shade)
			gauge := ink
			if t == &light {
				gauge = light.text // legible on all, and one look for all
			}
			k := className(colour, shade)
			c.str(fmt.Sprintf(".jigsaw .%s{fill:%s}.jigsaw .%s .m{fill:%s}.jigsaw .%s text{fill:%s}", k, fill, k, gauge, k, ink))
		}
	}
	c.str("\n")
}

func className(colour, shade int) string { return fmt.Sprintf("c%dd%d", colour, shade) }

// labelSize is the font size of the labels in tasks.
func (c *chart) labelSize() int {
	if len(c.rows) == 0 {
		return 10
	}
	return int(min(max(c.rows[0].h-6, 8), 11))
}
