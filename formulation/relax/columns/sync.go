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

// syncs lists the possible loads of a synchronisation: in a mode of several pools
// all its nodes, and racks, are counted where they are cheapest.
func (s *Program) syncs(o *relax.Mode, r *relax.Option) []Alternative {
	if !s.loads(o) {
		return nil
	}
	var alts []Alternative
	for _, pace := range s.paces(o, r) {
		take := func(group int, links int) Use {
			return Use{group, Share(pace.Rate, s.Groups[group].Speed) * int64(links), pace.Length}
		}
		add := func(charges ...Use) {
			for i := s.uplinks(); i < len(s.links); i++ {
				if times := o.Crosses(&s.links[i]); times > 0 {
					charges = append(charges, take(s.fabric(i), times))
				}
			}
			kept := slices.DeleteFunc(charges, func(c Use) bool { return s.Groups[c.Group].Capacity == 0 })
			alone := int64(0)
			if len(kept) > 0 {
				alone = s.Groups[kept[0].Group].Alone
			}
			alts = append(alts, Alternative{pace.Length, kept, alone})
		}
		for _, p := range o.Pools {
			switch o.Kind {
			case relax.InNode:
				add(take(s.fabric(p), 1))
			case relax.InRack:
				add(take(s.nic(p), o.Nodes))
			case relax.Spread:
				for _, k := range s.Model.Network.RackClasses(o) {
					add(take(s.nic(p), o.Nodes), take(s.uplink(k), o.Racks))
				}
			}
		}
	}
	return alts
}
