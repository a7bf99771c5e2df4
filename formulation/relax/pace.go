package relax

import (
	"cmp"
	"jigsaw/formulation/instance"
	"slices"
)

// Pace is a length and a rate of a synchronisation: for some pace, every
// synchronisation of its option takes at least that many ticks in a row, at least
// that rate on each of its links throughout. So some part of it is at least as
// expensive as one at that pace.
type Pace struct {
	Length int64 // ticks
	Rate   instance.Rate
}

// Paces lists the paces at which a mode that is not lone moves a volume, from short to long:
// one for each rate level and each possible speed of the slowest link of a residency. Paces
// that are neither shorter nor slower than another are left out. The speeds must be known; see [Mode.Unpaced].
func (m *Model) Paces(o *Mode, volume instance.Bytes) []Pace {
	in := m.Instance
	var list []Pace
	for _, p := range o.parties {
		for _, level := range in.RateLevels {
			rate := instance.Span{Slowest: p.speed}.Rate(level)
			list = append(list, Pace{int64(min(MaxSync, in.SyncTicks(volume, rate))), rate})
		}
	}
	slices.SortFunc(list, func(a, b Pace) int {
		return cmp.Or(cmp.Compare(a.Length, b.Length), cmp.Compare(a.Rate, b.Rate))
	})
	kept := list[:1]
	for _, p := range list[1:] {
		if p.Rate < kept[len(kept)-1].Rate {
			kept = append(kept, p)
		}
	}
	return kept
}
