package formulation

import (
	"cmp"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// pace is a way to synchronise: every synchronisation of its recipe takes, for
// some pace, at least that many ticks in a row, at least that rate of each of its
// links throughout. So some part of it is as dear as one at that pace.
type pace struct {
	length int64 // ticks
	rate   instance.BitRate
}

// paces lists the paces of a recipe, from short to long. There are none where nothing is
// synchronised.
func (s *master) paces(o *mode, r *recipe) []pace {
	switch {
	case r.sync == 0 || o.kind == lone:
		return nil
	case s.m.untold(o):
		return []pace{s.leastPace(r)}
	}
	return s.m.paces(o, r.volume)
}

// paces lists the paces at which a mode that is not lone moves a volume, from short to long:
// one for each rate level and each speed that the slowest link of a residency can have.
// Those are left out that are neither shorter nor slower than another. The instance must tell
// how fast links are; see untold.
func (m *model) paces(o *mode, volume instance.Bytes) []pace {
	in := m.in
	var list []pace
	add := func(slowest instance.BitRate) {
		for _, level := range in.RateLevels {
			rate := instance.Span{Slowest: slowest}.Rate(level)
			list = append(list, pace{int64(min(maxSync, in.SyncTicks(volume, rate))), rate})
		}
	}
	if o.kind == inNode {
		add(m.network.pools[o.pools[0]].fabric)
	}
	for _, p := range o.parties { // of several nodes
		add(p.speed)
	}
	slices.SortFunc(list, func(a, b pace) int {
		return cmp.Or(cmp.Compare(a.length, b.length), cmp.Compare(a.rate, b.rate))
	})
	kept := list[:1]
	for _, p := range list[1:] {
		if p.rate < kept[len(kept)-1].rate {
			kept = append(kept, p)
		}
	}
	return kept
}

// untold reports whether the instance does not tell how fast the racks of a
// mode are joined.
func (m *model) untold(o *mode) bool {
	return o.kind == spread && slices.ContainsFunc(o.pools, func(p int) bool { return m.network.racks[m.network.pools[p].rack].uplink == unlimited })
}

// leastPace holds for links of any speed. A synchronisation of s ticks or more
// that lasts k s to (k + 1) s - 1 ticks has k parts of s ticks; at the rate that
// moves the volume in 2s - 1 ticks the cheapest of them is no dearer than the
// whole, for k = 1 and all the more for others.
func (s *master) leastPace(r *recipe) pace {
	rate := mul(int64(r.volume), 8_000_000)
	rate.Quo(rate, mul(2*r.sync-1, s.m.in.TickUS))
	if !rate.IsInt64() || rate.Cmp(big.NewInt(int64(unlimited))) > 0 {
		return pace{r.sync, unlimited}
	}
	return pace{r.sync, instance.BitRate(rate.Int64())}
}

// share is what a rate takes of a link, in parts of linkUnit, rounded down.
func share(rate, capacity instance.BitRate) int64 {
	if rate >= capacity {
		return linkUnit
	}
	part := mul(int64(rate), linkUnit)
	return part.Quo(part, big.NewInt(int64(capacity))).Int64()
}

// syncs lists what a synchronisation may load: in a mode of several pools the
// nodes, and racks, are all counted where they are cheapest.
func (s *master) syncs(o *mode, r *recipe) []alternative {
	if !s.loads(o) {
		return nil
	}
	var alts []alternative
	for _, pace := range s.paces(o, r) {
		take := func(group int, links int, capacity instance.BitRate) charge {
			return charge{group, share(pace.rate, capacity) * int64(links), pace.length}
		}
		add := func(charges ...charge) {
			kept := slices.DeleteFunc(charges, func(c charge) bool { return s.groups[c.group].capacity == 0 })
			alts = append(alts, alternative{pace.length, kept})
		}
		for _, p := range o.pools {
			at := &s.m.network.pools[p]
			switch o.kind {
			case inNode:
				add(take(s.fabric(p), 1, at.fabric))
			case inRack:
				add(take(s.nic(p), o.nodes, at.nic))
			case spread:
				for _, k := range s.rackClasses(o) {
					add(take(s.nic(p), o.nodes, at.nic), take(s.uplink(k), o.racks, s.m.network.racks[k].uplink))
				}
			}
		}
	}
	return alts
}
