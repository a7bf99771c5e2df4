package heuristics

import (
	"context"
	"fmt"
	"math/rand/v2"

	"jigsaw/formulation/instance"
)

// Guided makes a schedule after somebody else's plan, such as one sampled from
// a linear program: targets[j][i] is the tick at which iteration i = 0.. of job
// j had better end, and the earlier of two iterations that want a GPU goes
// first. Several placements and decoders are tried; the best schedule is
// returned, for [Config.Improve] to go on from. The error is a [*NoPlan] as
// for [Greedy]. Periodic objectives have no targets.
func (c Config) Guided(ctx context.Context, in *instance.Instance, rng *rand.Rand, targets [][]instance.Tick) (*instance.Schedule, error) {
	keys, err := guidingKeys(in, targets)
	if err != nil {
		return nil, err
	}
	p := newPortfolio(ctx, c, in, rng)
	counts := startCounts(in)
	var ways []placing
	for _, order := range [][]instance.JobID{nil, newPlacer(in, placing{counts: counts, reach: p.reach}).byArea(), byTarget(in, targets)} {
		ways = append(ways, placing{order: order}, placing{order: order, scatter: true})
	}
	var list []*decision
	for n, how := range ways {
		how.counts, how.reach = counts, p.reach
		where, err := placeHard(in, how)
		if err != nil {
			if n == 0 {
				return nil, err
			}
			continue
		}
		h := newHomes(newOperations(in), where, homing{counts: counts, near: 5, company: 2}, rng)
		h.anneal(ctx, p.balanceSteps(), kickHeat)
		for _, where := range []*placement{where, h.placement()} {
			d := &decision{counts: counts, where: where, keys: keys}
			even, patient, eager, serial := *d, *d, *d, *d
			even.even, patient.patience, serial.serial = true, 1, true
			eager.patience, eager.eager = 2, true
			list = append(list, d, &even, &patient, &eager)
			if p.layout.tasks <= maxSerialTasks {
				list = append(list, &serial)
			}
		}
	}
	for len(list) > 0 && p.try(list[:min(batch, len(list))]) {
		list = list[min(batch, len(list)):]
	}
	return p.result()
}

// guidingKeys checks the targets and makes keys of them.
func guidingKeys(in *instance.Instance, targets [][]instance.Tick) ([][]int64, error) {
	if in.Objective.Periodic() {
		return nil, fmt.Errorf("heuristics: objective %s has no targets", in.Objective)
	}
	if len(targets) != len(in.Jobs) {
		return nil, fmt.Errorf("heuristics: targets for %d jobs, the instance has %d", len(targets), len(in.Jobs))
	}
	keys := make([][]int64, len(targets))
	for j, list := range targets {
		if len(list) != in.Jobs[j].Iterations {
			return nil, fmt.Errorf("heuristics: jobs[%d] %q: %d targets for %d iterations", j, in.Jobs[j].Name, len(list), in.Jobs[j].Iterations)
		}
		for _, t := range list {
			keys[j] = append(keys[j], int64(t))
		}
	}
	return keys, nil
}

// byTarget orders the jobs by their last targets, the earliest first: those that
// are to end soon choose their homes first.
func byTarget(in *instance.Instance, targets [][]instance.Tick) []instance.JobID {
	return orderBy(len(in.Jobs), func(j instance.JobID) int64 { return int64(targets[j][len(targets[j])-1]) })
}
