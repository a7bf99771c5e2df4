package columns

import (
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
)

// paces lists the paces of an option, from short to long; none if nothing is
// synchronised.
func (s *Program) paces(o *relax.Mode, r *relax.Option) []relax.Pace {
	switch {
	case r.Sync == 0 || o.Kind == relax.Lone:
		return nil
	case o.Unpaced:
		return []relax.Pace{s.leastPace(r)}
	}
	return s.Model.Paces(o, r.Volume)
}

// leastPace holds for links of any speed. A synchronisation of s ticks or more
// that lasts k s to (k + 1) s - 1 ticks has k parts of s ticks; at the rate that
// moves the volume in 2s - 1 ticks, the cheapest part costs no more than the
// whole, for k = 1 and even more so for larger k.
func (s *Program) leastPace(r *relax.Option) relax.Pace {
	rate := s.Model.Instance.RateOf(r.Volume, instance.Tick(2*r.Sync-1))
	if !rate.IsInt64() || rate.Cmp(big.NewInt(int64(relax.Unlimited))) > 0 {
		return relax.Pace{Length: r.Sync, Rate: relax.Unlimited}
	}
	return relax.Pace{Length: r.Sync, Rate: instance.Rate(rate.Int64())}
}

// Share is the fraction of a link that a rate takes, in parts of relax.LinkUnit,
// rounded down.
func Share(rate, capacity instance.Rate) int64 {
	if rate >= capacity {
		return relax.LinkUnit
	}
	part := exact.Mul(int64(rate), relax.LinkUnit)
	return part.Quo(part, big.NewInt(int64(capacity))).Int64()
}

// syncs lists the possible loads of a synchronisation. In a mode of several pools as many nodes, and
// racks, of each are counted as must take part, and all others where they are cheapest.
func (s *Program) syncs(o *relax.Mode, r *relax.Option) []Alternative {
	if !s.loads(o) {
		return nil
	}
	var alts []Alternative
	for _, pace := range s.paces(o, r) {
		take := func(group int, links int64) Use {
			return Use{group, Share(pace.Rate, s.Groups[group].Speed) * links, pace.Length}
		}
		add := func(charges ...Use) {
			for i := s.uplinks(); i < len(s.links); i++ {
				if times := o.Crosses(&s.links[i]); times > 0 {
					charges = append(charges, take(s.fabric(i), int64(times)))
				}
			}
			kept := slices.DeleteFunc(charges, func(c Use) bool { return s.Groups[c.Group].Capacity == 0 })
			alone := int64(0)
			if len(kept) > 0 {
				alone = s.Groups[kept[0].Group].Alone
			}
			alts = append(alts, Alternative{pace.Length, kept, alone})
		}
		if o.Kind == relax.InNode {
			for _, p := range o.Pools {
				add(take(s.fabric(p), 1))
			}
			continue
		}
		nics := s.places(o, false, o.Pools, int64(o.Nodes), take)
		if o.Kind == relax.InRack {
			for _, charges := range nics {
				add(charges...)
			}
			continue
		}
		for _, uplink := range s.places(o, true, s.Model.Network.RackClasses(o), int64(o.Racks), take) {
			for _, nic := range nics {
				add(slices.Concat(nic, uplink)...)
			}
		}
	}
	return alts
}

// places lists the ways to count the NICs of a synchronisation by pool or, with racks, its uplinks by class: at each as many as
// must take part, and all that are left of count at one of them.
func (s *Program) places(o *relax.Mode, racks bool, list []int, count int64, take func(group int, links int64) Use) (ways [][]Use) {
	group := s.nic
	if racks {
		group = s.uplink
	}
	var always []Use
	for _, at := range list {
		if n := s.Model.Network.Forced(o, racks, at); n > 0 {
			always = append(always, take(group(at), n))
			count -= n
		}
	}
	if count <= 0 {
		return [][]Use{always}
	}
	for _, at := range list {
		ways = append(ways, append(slices.Clone(always), take(group(at), count)))
	}
	return ways
}
