package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
)

// linkRow is a row for a link, for the two directions of one where their loads
// are alike, or for all links of a kind in a rack where there are too many.
type linkRow struct {
	links  []instance.LinkID
	loads  []jobLoad // of each of the links, unless merged
	label  string
	sub    string
	merged bool
	alike  int // further links, or pairs, with the same loads
	y, h   float64
}

// linkLabel names a link without what its row makes clear.
func linkLabel(l *instance.Link, pair bool) string {
	if !pair {
		return clean(l.Name)
	}
	name := clean(l.Name)
	for _, suffix := range []string{".up", ".down", ".fwd", ".rev"} {
		name = strings.TrimSuffix(name, suffix)
	}
	switch l.Kind {
	case instance.NICUp, instance.NICDown:
		return name + " nic"
	case instance.RackUp, instance.RackDown:
		return name + " uplink"
	}
	return name
}

// family is where in the picture a kind of link comes, from the core to the GPUs.
func family(k instance.LinkKind) int {
	switch k {
	case instance.Trunk, instance.RackUp, instance.RackDown:
		return 0
	case instance.NICUp, instance.NICDown:
		return 1
	}
	return 2
}

var familyNames = [...]string{"trunks", "nics", "fabrics"}

// layoutLinks chooses the rows of links, places them from y and returns the end.
func (c *chart) layoutLinks(y float64) float64 {
	loads := c.loads()
	for l := 0; l < len(loads); l++ {
		if len(loads[l]) == 0 || c.use.Links[l].Bytes == 0 {
			continue
		}
		link := &c.in.Links[l]
		row := linkRow{links: []instance.LinkID{instance.LinkID(l)}, loads: loads[l], label: linkLabel(link, false), sub: link.Capacity.String()}
		// The two directions have consecutive numbers.
		if l+1 < len(loads) && link.Kind != instance.Fabric && slices.Equal(loads[l], loads[l+1]) &&
			family(c.in.Links[l+1].Kind) == family(link.Kind) && c.in.Links[l+1].Capacity == link.Capacity {
			row.links = append(row.links, instance.LinkID(l+1))
			row.label = linkLabel(link, true)
			l++
		}
		c.links = append(c.links, row)
	}
	slices.SortStableFunc(c.links, func(a, b linkRow) int {
		return cmp.Compare(family(c.in.Links[a.links[0]].Kind), family(c.in.Links[b.links[0]].Kind))
	})
	if len(c.links) > fewLinks {
		c.mergeAlike()
	}
	if len(c.links) > c.lim.linkRows {
		c.mergeLinks(true)
	}
	if len(c.links) > c.lim.linkRows {
		c.mergeLinks(false)
	}
	for _, row := range c.links {
		for _, load := range row.loads {
			first, end := c.syncsOf(load.job)
			c.bars += end - first
		}
	}
	c.area = c.bars > c.lim.tooltips || len(c.links) > 0 && c.links[0].merged
	if len(c.links) == 0 {
		return y
	}
	h := 24.0
	if n := len(c.links); n > 40 {
		h = 13
	} else if n > 16 {
		h = 17
	}
	var most [len(familyNames)]float64
	for _, row := range c.links {
		f := family(c.in.Links[row.links[0]].Kind)
		for _, l := range row.links {
			most[f] = max(most[f], c.use.Links[l].Share)
		}
	}
	y += 26
	last := family(c.in.Links[c.links[0].links[0]].Kind)
	for i := range c.links {
		f := family(c.in.Links[c.links[i].links[0]].Kind)
		if f != last {
			y += 5
			last = f
		}
		c.links[i].y, c.links[i].h = y, h
		if most[f] < littleUse {
			c.links[i].h = min(h, 12) // there is little to see
		}
		y += c.links[i].h + 3
	}
	return y
}

// littleUse is the share below which kinds of links get thin rows.
const littleUse = 0.03

// leastWidth makes short syncs visible.
const leastWidth = 0.8

// fewLinks is up to how many rows every link has its own.
const fewLinks = 16

// mergeAlike gives links of a kind that carry the same syncs one row: the
// nodes that a single job lives on.
func (c *chart) mergeAlike() {
	index := map[string]int{}
	var rows []linkRow
	for _, row := range c.links {
		l := &c.in.Links[row.links[0]]
		k := fmt.Sprint(l.Kind, l.Capacity, len(row.links), row.loads)
		n, ok := index[k]
		if !ok {
			index[k] = len(rows)
			rows = append(rows, row)
			continue
		}
		rows[n].links = append(rows[n].links, row.links...)
		rows[n].alike++
	}
	c.links = rows
	for i := range c.links {
		if r := &c.links[i]; r.alike > 0 {
			r.label = fmt.Sprintf("%s +%d", r.label, r.alike)
			r.sub += fmt.Sprintf(", %d alike", r.alike+1)
		}
	}
}

// mergeLinks puts together the links of a kind: those of a rack, or all.
func (c *chart) mergeLinks(byRack bool) {
	rackOf := make([]int, len(c.in.Links)) // of the links of nodes
	for i := range rackOf {
		rackOf[i] = -1
	}
	for i := range c.in.Nodes {
		n := &c.in.Nodes[i]
		rackOf[n.Up], rackOf[n.Down], rackOf[n.Fabric] = n.Rack, n.Rack, n.Rack
	}
	type group struct{ family, rack int }
	index := map[group]int{}
	var rows []linkRow
	for _, row := range c.links {
		k := group{family(c.in.Links[row.links[0]].Kind), -1}
		if byRack {
			k.rack = rackOf[row.links[0]]
		}
		n, ok := index[k]
		if !ok {
			n = len(rows)
			index[k] = n
			label := "all " + familyNames[k.family]
			if k.rack >= 0 {
				label = clean(c.in.Racks[k.rack].Name) + " " + familyNames[k.family]
			}
			rows = append(rows, linkRow{label: label, merged: true})
		}
		rows[n].links = append(rows[n].links, row.links...)
		rows[n].sub = Count(len(rows[n].links), "link")
	}
	c.links = rows
}

// bar is a piece of a sync on a link.
type bar struct {
	sync  int
	part  piece
	share float64
	bands [][2]float64 // heights it takes, in shares of the capacity
	over  float64      // what does not fit
}

// drawLinks draws the rows of links.
func (c *chart) drawLinks() {
	if len(c.links) == 0 {
		return
	}
	y := c.linkTop + 18
	c.label("n", margin, y, "Links with traffic")
	c.label("z d", max(c.x0, margin+textWidth("Links with traffic", 11)+12), y, "height: share of the capacity")
	c.label("z d e", c.x0+c.plot+shareCol-4, y, "used")
	room := c.x0 - margin - 10
	for i := range c.links {
		r := &c.links[i]
		mid := r.y + r.h/2
		if r.h >= 22 {
			c.label("", margin, mid-1, fit(r.label, room, 11))
			c.label("z d", margin, mid+9, fit(r.sub, room, 9))
		} else {
			label := fit(r.label, room, 11)
			c.label("", margin, mid+3.5, label)
			if x := textWidth(label, 11) + 8; x+textWidth(r.sub, 9) < room+4 {
				c.label("z d e", c.x0-6, mid+3.5, r.sub)
			}
		}
		share := 0.0
		for _, l := range r.links {
			share += c.use.Links[l].Share
		}
		c.label("z d e", c.x0+c.plot+shareCol-4, mid+3, percent(share/float64(len(r.links))))
	}
	if c.area {
		for i := range c.links {
			c.drawArea(&c.links[i])
		}
		return
	}
	c.str(`<g class="syncs" stroke-width="0.8">` + "\n")
	over := ""
	for i := range c.links {
		over += c.drawBars(&c.links[i])
	}
	c.str("</g>\n")
	if over != "" {
		c.str(`<path class="w" d="`).str(over).str("\"><title>more than the capacity</title></path>\n")
	}
}

// barsOf lists the pieces of syncs on a row's first link, by start.
func (c *chart) barsOf(r *linkRow) []bar {
	var bars []bar
	var pieces []piece
	for _, load := range r.loads {
		first, end := c.syncsOf(load.job)
		for i := first; i < end; i++ {
			share := c.share(i, load.times, r.links[0])
			pieces = c.pieces(pieces[:0], c.syncs[i].Start, c.syncs[i].End)
			for _, part := range pieces {
				if part.from < part.to {
					bars = append(bars, bar{sync: i, part: part, share: share})
				}
			}
		}
	}
	slices.SortStableFunc(bars, func(a, b bar) int {
		// Parts continued from the previous period stay at the bottom.
		return cmp.Or(cmp.Compare(a.part.from, b.part.from), cmp.Compare(b2i(b.part.before), b2i(a.part.before)))
	})
	return bars
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// stack gives every bar its height above the others that are there at the same
// time. A bar keeps its height; where no free band is wide enough it takes several.
func stack(bars []bar) {
	const eps = 1e-9
	var active []int
	var taken [][2]float64
	for i := range bars {
		b := &bars[i]
		active = slices.DeleteFunc(active, func(k int) bool { return bars[k].part.to <= b.part.from })
		taken = taken[:0]
		for _, k := range active {
			taken = append(taken, bars[k].bands...)
		}
		taken = append(taken, [2]float64{1, 1})
		slices.SortFunc(taken, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
		low, need := 0.0, b.share
		for _, t := range taken { // a single band
			if t[0]-low >= b.share-eps {
				b.bands, need = append(b.bands, [2]float64{low, low + b.share}), 0
				break
			}
			low = max(low, t[1])
		}
		low = 0
		for _, t := range taken { // several
			if free := min(t[0]-low, need); free > eps {
				b.bands = append(b.bands, [2]float64{low, low + free})
				need -= free
			}
			low = max(low, t[1])
		}
		if need > eps {
			b.over = need
		}
		active = append(active, i)
	}
}

// drawBars draws the syncs of a row and returns the path of what is above the
// capacity.
func (c *chart) drawBars(r *linkRow) string {
	bars := c.barsOf(r)
	stack(bars)
	var over svg
	for _, b := range bars {
		y := &c.syncs[b.sync]
		x0, x1 := c.px(float64(b.part.from)), c.px(float64(b.part.to))
		class := className(c.colour[y.Job], syncShade)
		c.str(`<g class="`).str(class).str(`"><title>`)
		c.syncTitle(b.sync, r)
		c.str("</title>")
		for _, band := range b.bands {
			top := r.y + r.h*(1-band[1])
			height := r.h * (band[1] - band[0])
			c.rect(x0, top, max(x1-x0, leastWidth), height).str("/>")
		}
		if len(b.bands) > 0 {
			band := b.bands[0]
			c.syncLabel(y, x0, x1, r.y+r.h*(1-band[1]), r.h*(band[1]-band[0]), b.part)
		}
		c.str("</g>\n")
		if b.over > 0 {
			over.box(x0, r.y-2, x1-x0, 3)
		}
		if from := float64(b.part.from + c.period); c.period > 0 && from < c.horizon {
			c.str(`<g class="echo"><path class="`).str(class).str(`" d="`)
			for _, band := range b.bands {
				c.box(c.px(from), r.y+r.h*(1-band[1]), c.px(min(float64(b.part.to+c.period), c.horizon))-c.px(from), r.h*(band[1]-band[0]))
			}
			c.str("\"/></g>\n")
		}
	}
	return string(over.buf)
}

// syncLabel writes what fits on a bar, and arrows where it crosses the period.
func (c *chart) syncLabel(y *instance.Sync, x0, x1, top, height float64, part piece) {
	if w := x1 - x0; (part.before || part.after) && height >= 6 && w >= 5 {
		c.str(`<path class="m" d="`)
		if part.before {
			c.tip(x0+0.6, top+height/2)
		}
		if part.after {
			c.tip(x1-4.6, top+height/2)
		}
		c.str(`"/>`)
		x0, x1 = x0+5, x1-5
	}
	const size = 9
	if height < size+0.5 || x1-x0 < size {
		return
	}
	iteration := strconv.Itoa(y.Iteration)
	for _, text := range []string{c.names[y.Job] + "·" + iteration, iteration} {
		if textWidth(text, size) <= x1-x0-3 {
			c.label("", (x0+x1)/2, top+height/2+size*0.36, text)
			return
		}
	}
}

func (c *chart) syncTitle(i int, r *linkRow) {
	y := &c.syncs[i]
	c.text(c.names[y.Job]).str(", sync of iteration ").int(int64(y.Iteration))
	c.str("\n").text(fmt.Sprintf("%v per party at %v (rate %v)", c.moves[i].volume, c.in.BitRate(c.moves[i].rate), y.Rate))
	for _, l := range r.loads {
		if l.job == y.Job {
			c.str("\n").str(percent(c.share(i, l.times, r.links[0]))).str(" of ").text(r.label + ", " + r.sub)
		}
	}
	c.interval(y.Start, y.End)
}

// drawArea draws the mean load of a row's links, pixel by pixel.
func (c *chart) drawArea(r *linkRow) {
	n := int(c.plot) + 1
	sum := make([]float64, n+1)   // what changes within a pixel
	slope := make([]float64, n+1) // whole pixels, as differences
	byLink := [][]jobLoad{r.loads}
	if r.merged {
		byLink = make([][]jobLoad, len(r.links))
		all := c.loads()
		for i, l := range r.links {
			byLink[i] = all[l]
		}
	}
	var pieces []piece
	for k, loads := range byLink {
		for _, load := range loads {
			first, end := c.syncsOf(load.job)
			for i := first; i < end; i++ {
				share := c.share(i, load.times, r.links[k]) / float64(len(byLink))
				pieces = c.pieces(pieces[:0], c.syncs[i].Start, c.syncs[i].End)
				for _, part := range pieces {
					addLoad(sum, slope, c.px(float64(part.from))-c.x0, c.px(float64(part.to))-c.x0, share)
				}
			}
		}
	}
	c.str(`<path class="area" d="M`).num(c.x0).str(" ").num(r.y + r.h)
	level, now := 0.0, 0.0
	for k := range n {
		now += slope[k]
		// A hundredth of the height cannot be seen.
		if v := min(1, float64(int(100*(now+sum[k])+0.5))/100); v != level {
			c.str("H").num(c.x0 + float64(k)).str("V").num(r.y + r.h*(1-v))
			level = v
		}
	}
	c.str("H").num(c.x0 + c.plot).str("V").num(r.y + r.h).str(`z"/>` + "\n")
}

// addLoad adds a share from x0 to x1 pixels.
func addLoad(sum, slope []float64, x0, x1, share float64) {
	k0, k1 := min(int(x0), len(sum)-2), min(int(x1), len(sum)-2)
	if k0 == k1 {
		sum[k0] += share * (x1 - x0)
		return
	}
	sum[k0] += share * (float64(k0+1) - x0)
	sum[k1] += share * (x1 - float64(k1))
	slope[k0+1] += share
	slope[k1] -= share
}
