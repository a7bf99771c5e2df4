package fluid

import (
	"slices"

	"jigsaw/formulation/relax"
)

// Gap is a row (26) of a worker A and what shares its GPU: what its own tasks take of the
// period, by depth, and how many ticks of each task of others are free, s_A + 2 tau.
//
// In the n_A cycles of A that a period has, gaps have s_A, the slacks of its tasks and what
// A loses against its chain.
type Gap struct {
	own       []int64
	tau, Free int64
}

// Gaps lists those of a worker with tasks of these lengths, by depth: one for each slack that they
// may have, and one for none; nil where nothing is synchronised.
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

// Takes returns what the tasks of the worker whose gap it is take of the period.
func (g *Gap) Takes(counts []int64) (ticks int64) {
	for depth, n := range counts {
		if n > 0 {
			ticks += n * g.own[depth]
		}
	}
	return ticks
}
