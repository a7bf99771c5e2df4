package intervals

import (
	"math"
	"math/big"

	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/columns"
	"jigsaw/formulation/relax/exact"
)

// Program is the intervals program of the package comment for a time axis.
type Program struct {
	Ends    []int64         // of the intervals, in ticks, ascending
	Groups  []columns.Group // those of capacity 0 have no rows
	Classes []Class
}

// Class is a class of identical jobs.
type Class struct {
	Count, Weight, Release int64
	Deadline               int64 // 0: none
	Modes                  []Mode
}

// Mode is a placement mode of a class.
type Mode struct {
	Iteration int64 // l, ticks
	Ticks     int64 // R l
	Ways      []Way // of an iteration
	Peak      Use   // by group, the most that an iteration takes
}

// Way is a multiset of tasks and synchronisations: Counts[i] times item i, which takes what one of its alternatives does.
type Way struct {
	Counts []int64
	Items  [][]Use
}

// Use is what is taken of some groups.
type Use []Amount

// Amount is that of one group, in unit ticks.
type Amount struct {
	Group int
	Ticks int64
}

// of is the amount of a group.
func (u Use) of(group int) int64 {
	for _, a := range u {
		if a.Group == group {
			return a.Ticks
		}
	}
	return 0
}

// with returns the use with the amount of a group replaced.
func (u Use) with(group int, ticks int64) Use {
	for i := range u {
		if u[i].Group == group {
			u[i].Ticks = ticks
			return u
		}
	}
	return append(u, Amount{group, ticks})
}

// MostIntervals is the largest number of intervals.
const MostIntervals = 1 << 12

// New returns the program of a time axis; nil if its ends are not ascending, or if jobs are too long.
func New(m *relax.Model, ends []int64) *Program {
	if len(ends) == 0 || len(ends) > MostIntervals || ends[0] < 1 || ends[len(ends)-1] > columns.MaxHorizon {
		return nil
	}
	for t := 1; t < len(ends); t++ {
		if ends[t] <= ends[t-1] {
			return nil
		}
	}
	base := columns.New(m, ends[len(ends)-1], -1, columns.Grain{Points: 1, Buckets: 1})
	s := &Program{Ends: ends, Groups: base.Groups, Classes: make([]Class, len(base.Classes))}
	for c := range base.Classes {
		from, class := &base.Classes[c], &s.Classes[c]
		job := from.Class.Job
		*class = Class{Count: from.Class.Count(), Weight: job.Weight, Release: int64(job.Release), Deadline: int64(job.Deadline)}
		for w := range from.Modes {
			mode := Mode{}
			for i := range from.Plans.Options {
				if o := &from.Plans.Options[i]; o.Mode == w {
					mode.add(o, s.Groups)
				}
			}
			if len(mode.Ways) == 0 {
				continue // another mode dominates it
			}
			sync := int64(math.MaxInt64)
			for _, o := range from.Modes[w].Options {
				sync = min(sync, o.Sync)
			}
			mode.Iteration = max(1, int64(from.Modes[w].Mode.Full)+sync)
			mode.Ticks = exact.Saturate(exact.Mul(mode.Iteration, int64(job.Iterations)))
			if mode.Ticks > columns.MaxHorizon {
				return nil
			}
			mode.reduce()
			class.Modes = append(class.Modes, mode)
		}
	}
	return s
}

// add adds the multisets of an option.
func (m *Mode) add(o *columns.PricedOption, groups []columns.Group) {
	for i := range o.Multisets {
		way, most := Way{Counts: o.Multisets[i].Counts}, Use(nil)
		for n, at := range o.Multisets[i].Items {
			var alts []Use
			var peak Use
			for _, alt := range o.Items[at].Alts {
				var use Use
				for _, u := range alt.Uses {
					if groups[u.Group].Capacity > 0 {
						use = use.with(u.Group, plus(use.of(u.Group), times(u.Amount, u.Length)))
					}
				}
				for _, a := range use {
					peak = peak.with(a.Group, max(peak.of(a.Group), a.Ticks))
				}
				alts = append(alts, use)
			}
			way.Items = append(way.Items, alts)
			for _, a := range peak {
				most = most.with(a.Group, plus(most.of(a.Group), times(way.Counts[n], a.Ticks)))
			}
		}
		m.Ways = append(m.Ways, way)
		for _, a := range most {
			m.Peak = m.Peak.with(a.Group, max(m.Peak.of(a.Group), a.Ticks))
		}
	}
}

// reduce leaves only the way that takes least where all take of one group only, so that prices of iterations are
// linear in those of the group.
func (m *Mode) reduce() {
	if len(m.Peak) != 1 {
		return
	}
	group := m.Peak[0].Group
	total := func(w Way) (sum int64) {
		for n, alts := range w.Items {
			least := int64(math.MaxInt64)
			for _, use := range alts {
				least = min(least, use.of(group))
			}
			sum = plus(sum, times(w.Counts[n], least))
		}
		return sum
	}
	least := int64(math.MaxInt64)
	for _, w := range m.Ways {
		least = min(least, total(w))
	}
	m.Peak = Use{{group, least}}
	m.Ways = []Way{{Counts: []int64{1}, Items: [][]Use{{m.Peak}}}}
}

// Rows is the number of rows (37).
func (s *Program) Rows() (n int) {
	for g := range s.Groups {
		if s.Groups[g].Capacity > 0 {
			n += len(s.Ends)
		}
	}
	return n
}

// From and To are when an interval begins and ends; the last goes on for ever.
func (s *Program) From(t int) int64 {
	if t == 0 {
		return 0
	}
	return s.Ends[t-1]
}

// To is described at [Program.From].
func (s *Program) To(t int) int64 {
	if t == len(s.Ends) {
		return math.MaxInt64 / 2
	}
	return s.Ends[t]
}

// Sold is what all capacity costs at these prices, by group and interval.
func (s *Program) Sold(prices [][]int64) *big.Int {
	sum := new(big.Int)
	for g := range prices {
		for t, price := range prices[g] {
			cost := exact.Mul(price, s.Groups[g].Capacity)
			sum.Add(sum, cost.Mul(cost, big.NewInt(s.To(t)-s.From(t))))
		}
	}
	return sum
}
