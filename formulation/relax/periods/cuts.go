package periods

import (
	"fmt"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/fluid"
	"jigsaw/formulation/relax/linear"
	"slices"
)

// Cut is a row that forbids what a link cannot carry in whole synchronisations (see
// [LinkItem]). For any weights w >= 0, with max w'n over the contents n of a link, all
// links of a group together satisfy
//
//	(31) sum_i w_i (synchronisations of i, times links) <= links x max w'n.
type Cut struct {
	Group   int     // of the program's link groups
	Weights []int64 // by item of the group
}

// LinkItem is a shape that may use a link of a group. In a period of P ticks a link has
// contents n: n_i synchronisations of item i, which are 0 or the number of iterations of
// job i in the period, which the limits of a node may restrict. They satisfy
//
//	sum_i u_i(n_i) <= P,
//
// where u_i(n) is the least time of the link, in all its crossings, at rate levels at which the chain of n
// iterations ends in the period. They also interlock. Between two synchronisations of
// job A, of at least s_A ticks, there is a task of p_A ticks, at full depth.
// Synchronisations of others with a rate too high to overlap with any of A run in such
// gaps, one after the other. So, as in (26), if e_i(n) of n synchronisations must have
// such a rate, and then take s_i ticks,
//
//	n_A (p_A + s_A) + sum_{B other than A} e_B(n_B) max(0, s_B - p_A) <= P where n_A > 0.
type LinkItem struct {
	Shape int
	Uses  []fluid.LinkUse
	Ticks []int64        // u_i by number of synchronisations, in parts of a tick
	Limit relax.Interval // of their number, besides 0
}

// Items lists the users of the links of a group, shapes ascending; nil if there are
// too many, or they use the links too often.
func (f *Program) Items(g *fluid.LinkGroup) []LinkItem {
	var list []LinkItem
	for _, u := range g.Uses {
		ticks := f.linkTimes(&u)
		if ticks == nil {
			return nil
		}
		last := len(list) - 1
		if last < 0 || list[last].Shape != u.Shape {
			list = append(list, LinkItem{Shape: u.Shape, Uses: []fluid.LinkUse{u}, Ticks: ticks})
			continue
		}
		it := &list[last]
		it.Uses = append(it.Uses, u)
		for n, t := range ticks {
			if n < len(it.Ticks) {
				it.Ticks[n] = min(it.Ticks[n], t)
			} else {
				it.Ticks = append(it.Ticks, t)
			}
		}
	}
	if len(list) > mostItems {
		return nil
	}
	for i := range list {
		it := &list[i]
		it.Limit.To = int64(len(it.Ticks) - 1)
		if f.Rates != nil && f.Rates.Cols[it.Shape] >= 0 {
			limit := f.Rates.Limits[it.Shape]
			it.Limit = relax.Interval{From: limit.From, To: min(limit.To, it.Limit.To)}
		}
	}
	return list
}

// Links that more shapes use, or that one shape uses more often, have no cuts: many small
// contents fill them anyway.
const (
	mostItems = 40
	mostSyncs = 128
)

// linkTimes returns the times u_i(n) of a use, nil if they are too many.
func (f *Program) linkTimes(u *fluid.LinkUse) (ticks []int64) {
	s := &f.Shapes[u.Shape]
	o := &s.Class.Modes[u.Mode]
	most := s.Jobs * (f.Period / max(1, int64(o.Iteration())))
	if most > mostSyncs {
		return nil
	}
	for n := range most + 1 {
		time := n * u.Ticks
		if s.Jobs == 1 && u.Paces != nil {
			time = chained(u.Paces, n, f.Period-n*int64(o.Full))
		}
		ticks = append(ticks, time)
	}
	return ticks
}

// chained returns the least time of a link for count synchronisations whose total
// length is at most length; exact.Never if that is impossible.
func chained(paces []fluid.LinkPace, count, length int64) int64 {
	if count == 0 {
		return 0
	}
	least := int64(exact.Never)
	for n := int64(0); len(paces) > 0 && n <= count && n*paces[0].Length <= length; n++ {
		least = min(least, n*paces[0].Ticks+chained(paces[1:], count-n, length-n*paces[0].Length))
	}
	return least
}

// gap is the room that job A leaves to others, see [LinkItem]: p_A and p_A + s_A, as
// upper and lower limits over its modes, and a share of a link, in parts of
// relax.LinkUnit: no two synchronisations of at least that share overlap, nor one of
// them and one of A.
type gap struct{ task, Cycle, share int64 }

// Gap returns the gap of an item; false if it has none that is known.
func (f *Program) Gap(it *LinkItem) (g gap, ok bool) {
	s := &f.Shapes[it.Shape]
	if s.Jobs > 1 {
		return g, false
	}
	g = gap{Cycle: exact.Never, share: relax.LinkUnit/2 + 1}
	for _, u := range it.Uses {
		full := int64(s.Class.Modes[u.Mode].Full)
		if u.Paces == nil {
			return g, false
		}
		g.task = max(g.task, full)
		for _, p := range u.Paces {
			g.Cycle, g.share = min(g.Cycle, full+p.Length), max(g.share, relax.LinkUnit+1-p.Ticks/p.Length)
		}
	}
	return g, true
}

// Stretch returns the ticks e_i(n) max(0, s_i - p_A) that n synchronisations of an item
// take beyond the task of the job that has the gap.
func (f *Program) Stretch(it *LinkItem, n int64, g gap) int64 {
	s := &f.Shapes[it.Shape]
	least := int64(exact.Never)
	for _, u := range it.Uses {
		fast, slow, all := int64(exact.Never), int64(exact.Never), int64(exact.Never) // shortest paces
		for _, p := range u.Paces {
			if all = min(all, p.Length); p.Ticks/p.Length >= g.share {
				fast = min(fast, p.Length)
			} else {
				slow = min(slow, p.Length)
			}
		}
		if fast == exact.Never || s.Jobs > 1 && slow < exact.Never {
			return 0
		}
		spare := n
		if slow > all {
			spare = max(0, min(n, (f.Period-n*(int64(s.Class.Modes[u.Mode].Full)+all))/(slow-all)))
		}
		least = min(least, (n-spare)*max(0, fast-g.task))
	}
	return least
}

// Cut adds row (31) for contents with the given largest value.
func (f *Program) Cut(c *Cut, most int64) {
	g := &f.Groups[c.Group]
	row := f.Linear.Row(fmt.Sprintf("cut%d", len(f.Linear.Rows)), linear.AtMost, exact.Multiply(g.Links, most), linear.About{})
	for i, item := range f.Items(g) {
		for _, u := range item.Uses {
			f.Linear.Term(row, u.Col, exact.Multiply(c.Weights[i], u.Times))
		}
	}
	f.Rights = append(f.Rights, most)
}

// MostWeight keeps sums of weights far from overflow.
const MostWeight = 1 << 20

// admits returns an error for an invalid cut.
func (f *Program) admits(c *Cut) error {
	if !f.Whole() || c.Group < 0 || c.Group >= len(f.Groups) || len(c.Weights) == 0 || len(c.Weights) != len(f.Items(&f.Groups[c.Group])) ||
		slices.ContainsFunc(c.Weights, func(w int64) bool { return w < 0 || w > MostWeight }) {
		return fmt.Errorf("formulation: the certificate has a cut of links %d that makes no sense", c.Group)
	}
	return nil
}

// MostCuts is the largest number of cuts of a node, including those of its ancestors.
const MostCuts = 100
