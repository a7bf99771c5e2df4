package fluid

import (
	"slices"

	"jigsaw/formulation/relax"
)

// Gap is a row (26) of a worker A and the others on its GPU: how much of the period its own
// tasks take, by depth, and how many ticks of each task of others are free, s_A + 2 tau.
//
// In the n_A cycles of A in a period, gaps consist of s_A, the slacks of its tasks and the
// time that A loses against its chain.
type Gap struct {
	own       []int64
	tau, Free int64
}

// Gaps lists the gaps of a worker with tasks of these lengths, by depth: one for each possible
// slack, and one for none; nil if nothing is synchronised.
func Gaps(d *relax.Class, lengths []int64) (list []Gap) {
	sync, step := int64(d.Sync), int64(d.Iteration)
	if sync == 0 {
		return nil
	}
	slack := func(length int64) int64 { return max(0, step-sync-length) }
	taus := []int64{0}
	for _, length := range lengths {
		taus = append(taus, slack(length))
	}
	slices.Sort(taus)
	for _, tau := range slices.Compact(taus) {
		g := Gap{tau: tau, Free: sync + 2*tau}
		if d.Job.Gang {
			g.Free = sync + tau
		}
		for _, length := range lengths {
			g.own = append(g.own, max(step, length+sync)-max(0, slack(length)-tau))
		}
		list = append(list, g)
	}
	return list
}

// Takes returns how much of the period the tasks of the worker of the gap take.
func (g *Gap) Takes(counts []int64) (ticks int64) {
	for depth, n := range counts {
		if n > 0 {
			ticks += n * g.own[depth]
		}
	}
	return ticks
}
