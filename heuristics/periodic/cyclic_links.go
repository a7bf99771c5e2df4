package periodic

import (
	"slices"

	"jigsaw/formulation/instance"
)

// On a link the order of the list does not say who waits for whom, since
// several synchronisations may go at once. Capacity is therefore handed on:
// each takes, in the order of the list, what others give back first, and waits
// for those. The sum of the rates then never exceeds the capacity, whatever
// the starts turn out to be; and with the starts that the list comes from,
// nobody waits who did not have to.

// take gives capacity of a link to synchronisation op until about the given
// time: that which others give back first.
func (c *periodClock) take(l instance.LinkID, p int32, rate instance.Rate, length, end instance.Tick) {
	free := c.links[l]
	used, left := 0, rate
	for ; left > 0; used++ {
		s := &free[used]
		part := min(left, s.rate)
		if s.place < 0 {
			c.taken[l] = append(c.taken[l], share{place: p, rate: part})
		} else {
			c.edges = append(c.edges, clockEdge{s.place, s.length})
		}
		if left -= part; part < s.rate {
			s.rate -= part
			break
		}
	}
	free = slices.Delete(free, 0, used)
	at, _ := slices.BinarySearchFunc(free, end, func(s share, end instance.Tick) int {
		if s.place < 0 || s.end <= end {
			return -1
		}
		return 1
	})
	c.links[l] = slices.Insert(free, at, share{p, rate, length, end})
}

// close makes those that found capacity free since the period began wait for
// those that have it when the period before ends, the first for the first.
func (c *periodClock) close(l instance.LinkID) {
	taken := c.taken[l]
	for _, s := range c.links[l] {
		for s.place >= 0 && s.rate > 0 {
			part := min(s.rate, taken[0].rate)
			c.wraps = append(c.wraps, wrapEdge{s.place, taken[0].place, s.length})
			s.rate -= part
			if taken[0].rate -= part; taken[0].rate == 0 {
				taken = taken[1:]
			}
		}
	}
}
