package view

import (
	"fmt"
	"io"
	"math"
	"slices"

	"jigsaw/formulation/instance"
)

// NetworkMark is what a picture of a network says of a link or node.
type NetworkMark struct {
	// Level from 0, as good as unmarked, to 1; above 1 is worse than any.
	Level float64
	// Text is shown where the mouse rests.
	Text string
}

// NetworkOptions of [Network].
type NetworkOptions struct {
	Title string
	// Links and Nodes are the marks by name; others are drawn pale.
	Links, Nodes map[string]NetworkMark
	// Least and Most tell in the legend what levels 0 and 1 are, and Beyond what is above.
	Least, Most, Beyond string
}

// Measures of a picture of a network, in pixels.
const (
	netNode    = 46.0 // a node and the room around it
	netBox     = 36.0
	netRow     = 84.0 // from one level of switches to the next
	netMargin  = 24.0
	netHead    = 44.0
	netSwitchW = 74.0
	netSwitchH = 24.0
)

// netRack is where a rack is drawn.
type netRack struct {
	x, width float64
	columns  int
}

// Network writes a picture of the cluster as SVG: switches above, nodes under theirs, each
// link and node in the colour of its mark, and with its name as data-link or data-node. Of a node the
// left edge is its NIC up, the right one its NIC down, the lower one its fabric, and the middle the node.
// Links between switches keep to the right, as traffic does.
func Network(w io.Writer, in *instance.Instance, opt NetworkOptions) error {
	n := newNetPicture(in)
	s := &svg{w: w}
	s.str(`<svg xmlns="http://www.w3.org/2000/svg" class="jigsaw" viewBox="0 0 `).num(n.width).str(" ").num(n.height).str(`" width="`).num(n.width).str(`" height="`).num(n.height).str(`">`)
	networkStyle(s)
	s.str(`<rect class="page" width="100%" height="100%"/>`)
	s.label("h", netMargin, 26, opt.Title)
	n.trunks(s, opt)
	n.switches(s)
	n.nodes(s, opt)
	n.legend(s, opt)
	s.str("</svg>\n")
	return s.flush()
}

// netPicture is the layout.
type netPicture struct {
	in            *instance.Instance
	racks         []netRack
	at            map[int][2]float64 // centre of each switch
	width, height float64
	floor         float64 // where nodes begin
}

func newNetPicture(in *instance.Instance) *netPicture {
	n := &netPicture{in: in, at: map[int][2]float64{}}
	levels, top := n.levels()
	x := netMargin
	rows := 1
	for r := range in.Racks {
		nodes := len(in.Racks[r].Nodes)
		columns := min(nodes, 4)
		if len(in.Racks) == 1 {
			columns = min(nodes, 12)
		}
		width := max(float64(columns)*netNode, netSwitchW+12)
		n.racks = append(n.racks, netRack{x, width, columns})
		rows = max(rows, (nodes+columns-1)/columns)
		x += width + 14
	}
	n.width = max(x-14+netMargin, 400)
	if slack := n.width - (x - 14 + netMargin); slack > 0 {
		for r := range n.racks {
			n.racks[r].x += slack / 2
		}
	}
	leaf := netHead + float64(top)*netRow + netSwitchH
	for r := range in.Racks {
		n.at[in.Switch(r)] = [2]float64{n.racks[r].x + n.racks[r].width/2, leaf}
	}
	for level := 1; level <= top; level++ {
		var here []int
		for s, l := range levels {
			if l == level {
				here = append(here, s)
			}
		}
		slices.Sort(here)
		for i, s := range here {
			n.at[s] = [2]float64{n.width * (float64(i) + 0.5) / float64(len(here)), leaf - float64(level)*netRow}
		}
	}
	n.floor = leaf + netSwitchH
	n.height = n.floor + float64(rows)*netNode + 88
	return n
}

// levels is how many links each switch is from the nearest rack, and the most of any.
func (n *netPicture) levels() (levels map[int]int, top int) {
	levels = map[int]int{}
	var queue []int
	for r := range n.in.Racks {
		levels[n.in.Switch(r)] = 0
		queue = append(queue, n.in.Switch(r))
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for l := range n.in.Links {
			from, to, ok := n.in.Ends(instance.LinkID(l))
			if !ok {
				continue
			}
			for _, end := range [][2]int{{from, to}, {to, from}} {
				if _, seen := levels[end[1]]; end[0] == s && !seen {
					levels[end[1]] = levels[s] + 1
					top = max(top, levels[end[1]])
					queue = append(queue, end[1])
				}
			}
		}
	}
	return levels, top
}

// trunks draws the links between switches, each direction beside the other; links between
// switches of one level, and pairs side by side, as bows.
func (n *netPicture) trunks(s *svg, opt NetworkOptions) {
	drawn := map[[2]int]int{}
	for l := range n.in.Links {
		from, to, ok := n.in.Ends(instance.LinkID(l))
		if !ok {
			continue
		}
		a, b := n.at[from], n.at[to]
		// Each direction to the right of who goes that way.
		const gap = 3
		along := math.Hypot(b[0]-a[0], b[1]-a[1])
		dx, dy := gap*(a[1]-b[1])/along, gap*(b[0]-a[0])/along
		pair := [2]int{min(from, to), max(from, to)}
		bow := 12 * float64(drawn[pair]/2)
		drawn[pair]++
		if a[1] == b[1] {
			bow += 34
		}
		link := &n.in.Links[l]
		mark := opt.Links[link.Name]
		s.str(`<path d="M`).num(a[0] + dx).str(" ").num(a[1] + dy).str("Q").num((a[0]+b[0])/2 + dx + bow).str(" ").num((a[1]+b[1])/2 + dy - bow).str(" ").num(b[0] + dx).str(" ").num(b[1] + dy)
		s.str(`" class="`).str(heat(mark.Level)).str(`" data-link="`).text(link.Name).str(`"><title>`).text(link.Name + note(mark)).str(`</title></path>`)
	}
}

func note(m NetworkMark) string {
	if m.Text == "" {
		return ""
	}
	return ": " + m.Text
}

func (n *netPicture) switches(s *svg) {
	var all []int
	for at := range n.at {
		all = append(all, at)
	}
	slices.Sort(all)
	for _, at := range all {
		c := n.at[at]
		s.str(`<rect rx="4" class="switch" x="`).num(c[0] - netSwitchW/2).str(`" y="`).num(c[1] - netSwitchH/2)
		s.str(`" width="`).num(netSwitchW).str(`" height="`).num(netSwitchH).str(`"/>`)
		s.label("c", c[0], c[1]+4, shortened(n.in.SwitchName(at), 11))
	}
}

// shortened cuts a name to so many characters.
func shortened(name string, most int) string {
	if r := []rune(name); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return name
}

func (n *netPicture) nodes(s *svg, opt NetworkOptions) {
	box := func(x, y, w, h float64, kind, name string, m NetworkMark) {
		s.str(`<rect x="`).num(x).str(`" y="`).num(y).str(`" width="`).num(w).str(`" height="`).num(h).str(`" class="`).str(heat(m.Level))
		s.str(`" data-`).str(kind).str(`="`).text(name).str(`"><title>`).text(name + note(m)).str(`</title></rect>`)
	}
	for r := range n.in.Racks {
		at := n.racks[r]
		left := at.x + (at.width-float64(at.columns)*netNode)/2
		for i, id := range n.in.Racks[r].Nodes {
			node := &n.in.Nodes[id]
			x := left + float64(i%at.columns)*netNode + (netNode-netBox)/2
			y := n.floor + float64(i/at.columns)*netNode
			link := func(l instance.LinkID, x, y, w, h float64) {
				name := n.in.Links[l].Name
				box(x, y, w, h, "link", name, opt.Links[name])
			}
			m := opt.Nodes[node.Name]
			box(x+8, y, netBox-16, netBox-8, "node", node.Name, m)
			link(node.Up, x, y, 6, netBox)
			link(node.Down, x+netBox-6, y, 6, netBox)
			link(node.Fabric, x+8, y+netBox-6, netBox-16, 6)
			s.label("name "+heat(m.Level), x+netBox/2, y+netBox/2-1, shortened(node.Name, 5))
		}
	}
}

// legend says what the colours are.
func (n *netPicture) legend(s *svg, opt NetworkOptions) {
	y := n.height - 64
	x := netMargin
	const step = 96.0 / heatSteps
	for i := range heatSteps {
		s.str(`<rect x="`).num(x + step*float64(i)).str(`" y="`).num(y).str(`" width="`).num(step).str(`" height="10" class="`).str(heat(float64(i) / (heatSteps - 1))).str(`"/>`)
	}
	s.label("d", x+104, y+9, fmt.Sprintf("%s … %s", opt.Least, opt.Most))
	s.str(`<rect x="`).num(x + 256).str(`" y="`).num(y).str(`" width="14" height="10" class="`).str(heat(2)).str(`"/>`)
	s.label("d", x+276, y+9, opt.Beyond)
	s.label("d", x, y+30, "of a node: left edge NIC up, right edge NIC down,")
	s.label("d", x, y+44, "lower edge fabric, middle the node itself")
}

// networkStyle writes the style sheet; see [chart.style].
func networkStyle(s *svg) {
	s.str("<style>\n.jigsaw{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;font-size:11px}\n")
	s.str(".jigsaw .h{font-size:15px;font-weight:600}.jigsaw .c,.jigsaw .name{text-anchor:middle}.jigsaw .name{font-size:8px;pointer-events:none}.jigsaw path{fill:none;stroke-width:3.5}\n")
	for _, t := range []*theme{&light, &dark} {
		if t == &dark {
			s.str("@media (prefers-color-scheme:dark){\n")
		}
		rule := func(selector, property string, colour rgb) {
			s.str(".jigsaw ").str(selector).str("{").str(property).str(":").str(colour.String()).str("}")
		}
		rule(".page", "fill", t.page)
		rule("text", "fill", t.text)
		rule(".d", "fill", t.dim)
		rule(".switch", "fill", t.track)
		rule(".switch", "stroke", t.dim)
		for i := range heatSteps + 1 {
			level := float64(i) / (heatSteps - 1)
			k, colour := "."+heat(level), t.heat(level)
			rule("rect"+k, "fill", colour)
			rule("path"+k, "stroke", colour)
			rule("text"+k, "fill", inkOn(colour))
		}
		s.str("\n")
	}
	s.str("}\n</style>\n")
}

// heatSteps is how many colours tell levels from 0 to 1 apart.
const heatSteps = 21

// rounding is what a level of a step may be above it.
const rounding = 1e-9

// heat is the class of a level.
func heat(level float64) string {
	if level > 1 {
		return fmt.Sprint("q", heatSteps)
	}
	return fmt.Sprint("q", int(math.Ceil(max(level, 0)*(heatSteps-1)-rounding)))
}

// heat is the colour of a level: from a faint grey over yellow to red, and purple beyond 1. Contrast to the
// page grows all the way, so that it can be read without colours.
func (t *theme) heat(level float64) rgb {
	stops := [...]rgb{hex("#dfe4ea"), hex("#f5d76e"), hex("#f2994a"), hex("#c0392b"), hex("#3b0f47")}
	if t == &dark {
		stops = [...]rgb{hex("#343d48"), hex("#6f5a24"), hex("#c9822f"), hex("#ff9d80"), hex("#efd3ff")}
	}
	ends := [...]float64{0, 0.05, 0.5, 1}
	if level > 1 {
		return stops[len(ends)]
	}
	i := 0
	for i < len(ends)-2 && level > ends[i+1] {
		i++
	}
	return mix(stops[i], stops[i+1], (level-ends[i])/(ends[i+1]-ends[i]))
}
