package view

import (
	"cmp"
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
// link and node in the colour of its mark. Of a node the left edge is its NIC up, the right
// one its NIC down, the lower one its fabric, and the middle the node. Links between
// switches keep to the right, as traffic does.
func Network(w io.Writer, in *instance.Instance, opt NetworkOptions) error {
	n := newNetPicture(in)
	s := &svg{w: w}
	s.str(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 `).num(n.width).str(" ").num(n.height).str(`" width="`).num(n.width).str(`" height="`).num(n.height)
	s.str(`" font-family="system-ui, sans-serif" font-size="11">`)
	s.str(`<rect width="100%" height="100%" fill="`).str(light.page.String()).str(`"/>`)
	s.str(`<text x="`).num(netMargin).str(`" y="26" font-size="15" font-weight="600" fill="`).str(light.text.String()).str(`">`).text(opt.Title).str(`</text>`)
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
	n.width = max(x-14+netMargin, 600)
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
	n.height = n.floor + float64(rows)*netNode + 74
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
		s.str(`" fill="none" stroke-width="3.5" stroke="`).str(heat(mark.Level)).str(`"><title>`).text(link.Name + note(mark)).str(`</title></path>`)
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
		s.str(`<rect rx="4" fill="`).str(light.track.String()).str(`" stroke="`).str(light.dim.String()).str(`" x="`).num(c[0] - netSwitchW/2).str(`" y="`).num(c[1] - netSwitchH/2)
		s.str(`" width="`).num(netSwitchW).str(`" height="`).num(netSwitchH).str(`"/>`)
		s.str(`<text text-anchor="middle" x="`).num(c[0]).str(`" y="`).num(c[1] + 4).str(`" fill="`).str(light.text.String()).str(`">`).text(shortened(n.in.SwitchName(at), 11)).str(`</text>`)
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
	box := func(x, y, w, h, level float64, title string) {
		s.str(`<rect x="`).num(x).str(`" y="`).num(y).str(`" width="`).num(w).str(`" height="`).num(h).str(`" fill="`).str(heat(level)).str(`"><title>`).text(title).str(`</title></rect>`)
	}
	for r := range n.in.Racks {
		at := n.racks[r]
		left := at.x + (at.width-float64(at.columns)*netNode)/2
		for i, id := range n.in.Racks[r].Nodes {
			node := &n.in.Nodes[id]
			x := left + float64(i%at.columns)*netNode + (netNode-netBox)/2
			y := n.floor + float64(i/at.columns)*netNode
			link := func(l instance.LinkID, x, y, w, h float64) {
				of := &n.in.Links[l]
				m := opt.Links[of.Name]
				box(x, y, w, h, m.Level, of.Name+note(m))
			}
			m := opt.Nodes[node.Name]
			box(x+8, y, netBox-16, netBox-8, m.Level, node.Name+note(m))
			link(node.Up, x, y, 6, netBox)
			link(node.Down, x+netBox-6, y, 6, netBox)
			link(node.Fabric, x+8, y+netBox-6, netBox-16, 6)
			s.str(`<text text-anchor="middle" font-size="8" pointer-events="none" x="`).num(x + netBox/2).str(`" y="`).num(y + netBox/2 - 1).str(`" fill="`).str(onHeat(m.Level)).str(`">`).text(shortened(node.Name, 5)).str(`</text>`)
		}
	}
}

// legend says what the colours are.
func (n *netPicture) legend(s *svg, opt NetworkOptions) {
	y := n.height - 50
	x := netMargin
	text := func(x, y float64, t string) {
		s.str(`<text x="`).num(x).str(`" y="`).num(y).str(`" fill="`).str(light.dim.String()).str(`">`).text(t).str(`</text>`)
	}
	const steps = 24
	for i := range steps {
		s.str(`<rect x="`).num(x + 5*float64(i)).str(`" y="`).num(y).str(`" width="5" height="10" fill="`).str(heat(float64(i) / (steps - 1))).str(`"/>`)
	}
	text(x+5*steps+8, y+9, fmt.Sprintf("%s … %s", opt.Least, opt.Most))
	s.str(`<rect x="`).num(x + 300).str(`" y="`).num(y).str(`" width="14" height="10" fill="`).str(heat(2)).str(`"/>`)
	text(x+320, y+9, opt.Beyond)
	text(x, y+30, "of a node: left edge NIC up, right edge NIC down, lower edge fabric, middle the node itself")
}

// onHeat is the colour of text on a level.
func onHeat(level float64) string {
	if level > 0.6 {
		return "#ffffff"
	}
	return light.text.String()
}

// heat is the colour of a level: pale grey, yellow, red, and beyond 1 dark purple. Lightness
// falls all the way, so that it can be read without colours.
func heat(level float64) string {
	stops := []struct {
		at     float64
		colour rgb
	}{{0, hex("#dfe4ea")}, {0.05, hex("#fbe7a1")}, {0.5, hex("#f2994a")}, {1, hex("#c0392b")}}
	if level > 1 {
		return "#3b0f47"
	}
	i, _ := slices.BinarySearchFunc(stops, max(level, 0), func(s struct {
		at     float64
		colour rgb
	}, l float64) int {
		return cmp.Compare(s.at, l)
	})
	if i == 0 {
		return stops[0].colour.String()
	}
	a, b := stops[i-1], stops[i]
	part := (level - a.at) / (b.at - a.at)
	var c rgb
	for k := range c {
		c[k] = a.colour[k] + part*(b.colour[k]-a.colour[k])
	}
	return c.String()
}
