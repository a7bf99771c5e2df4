package columns

import "jigsaw/formulation/relax"

// Use takes amount units of a group of rows for some ticks.
type Use struct {
	Group          int
	Amount, Length int64
}

// Plans are the plans that a columns program admits for the jobs of a class.
type Plans struct {
	Grid         Grid
	Options      []PricedOption
	Modes        int   // number of modes of the options
	Alternatives int   // alternatives of all options
	Weight       int64 // price of a tick of completion, in units of the tariff's scale
	// Due is the latest end of a plan, -1 for none: then a plan past the horizon
	// continues at no cost.
	Due       int64
	Iteration int64 // the shortest
	// Ends limits the end of each block; nil for no limits. Only if every tick is a
	// point.
	Ends []relax.Interval
}

// Complete reports whether a plan whose first blocks end at a tick has no
// further cost except the weight of its completion.
func (p *Plans) Complete(blocks int, end, horizon int64) bool {
	return blocks == p.Grid.Blocks || p.Due < 0 && end >= horizon
}

// Item is one operation that an iteration does count times in some window: a
// task of some depth, or the synchronisation. Its alternatives differ in place.
type Item struct {
	Head int64 // ticks from the start of the window before it can start
	Tail int64 // ticks that must follow its end in the window
	Alts []Alternative
	// First is the index of the first alternative among all of the pricer.
	First int
}

// Alternative is one way to do an item: what it uses, relative to its start.
type Alternative struct {
	Length int64 // ticks, the largest of its charges
	Uses   []Use
	Alone  int64 // of a synchronisation: [Group.Alone] of the first links that it uses
}

// Multiset is a multiset of an option as items: Counts[i] times item i.
type Multiset struct {
	Items  []int
	Counts []int64
}

// PricedOption is an option in a mode as the pricer uses it.
type PricedOption struct {
	Mode      int
	Items     []Item
	Multisets []Multiset
}

// Late returns the first start of an alternative in a window from point n before which [Held] holds. A job has the same links
// in each iteration, so nothing else synchronises on them from the end of one synchronisation to the start of the next if that is
// sooner than alt.Alone. A window of several iterations, or with a tail of the one before as long as item.Head, is treated as if others might.
func Late(p *Plans, item *Item, alt *Alternative, n int) int64 {
	early := p.Grid.Tick(n) + item.Head
	if n > 0 && p.Grid.Block == 1 && p.Grid.Tick(n+1)-1 <= early {
		return max(early, p.Grid.Tick(n)+alt.Alone)
	}
	return early
}

// Held returns a synchronisation that starts before [Late]: it has its links from the end of the one before on, which is before
// point n+1, and takes no less than if it starts as early as possible. Other links that it uses are left out.
func Held(p *Plans, item *Item, alt *Alternative, n int) (held Alternative, start int64) {
	start = p.Grid.Tick(n+1) - 1
	use := alt.Uses[0]
	use.Length = p.Grid.Tick(n) + item.Head + alt.Length - start
	return Alternative{Length: use.Length, Uses: []Use{use}}, start
}

// Latest returns the latest tick at which a synchronisation may end if its plan
// treats it as ending at point m.
func (p *Plans) Latest(m int) int64 {
	end := p.Grid.Tick(m+1) - 1
	if p.Due >= 0 {
		end = min(end, p.Due)
	}
	return end
}
