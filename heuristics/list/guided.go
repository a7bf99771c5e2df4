package list

import (
	"context"
	"fmt"
	"math/rand/v2"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
)

// Guided makes a schedule after somebody else's plan, such as one sampled from
// a linear program: targets[j][i] is the tick at which iteration i = 0.. of job
// j had better end, and the earlier of two iterations that want a GPU goes
// first. Several placements and decoders are tried; the best schedule is
// returned, for a search to go on from. The error is a [*NoPlan] as
// for [greedy]. Periodic objectives have no targets.
func Guided(ctx context.Context, o state.Options, in *instance.Instance, rng *rand.Rand, targets [][]instance.Tick) (*instance.Schedule, error) {
	keys, err := guidingKeys(in, targets)
	if err != nil {
		return nil, err
	}
	p := NewPortfolio(ctx, o, in, rng)
	counts := state.CheapestMultisets(in)
	var options []placement.Options
	for _, order := range [][]instance.JobID{nil, placement.NewPlacer(in, placement.Options{Counts: counts, Reach: p.reach}).ByArea(), byTarget(in, targets)} {
		options = append(options, placement.Options{Order: order}, placement.Options{Order: order, Scatter: true})
	}
	var list []*Decision
	for n, how := range options {
		how.Counts, how.Reach = counts, p.reach
		where, counts, err := placement.Place(ctx, in, how)
		if err != nil {
			if n == 0 {
				return nil, err
			}
			continue
		}
		for _, where := range []*placement.Placement{where, p.balance(where, counts, 5, p.balanceSteps())} {
			d := &Decision{Counts: counts, Where: where, keys: keys}
			even, patient, eager, serial := *d, *d, *d, *d
			even.Even, patient.Patience, serial.serial = true, 1, true
			eager.Patience, eager.eager = 2, true
			list = append(list, d, &even, &patient, &eager)
			if p.serial() {
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
// are to end soon choose their residencies first.
func byTarget(in *instance.Instance, targets [][]instance.Tick) []instance.JobID {
	return state.OrderBy(len(in.Jobs), func(j instance.JobID) int64 { return int64(targets[j][len(targets[j])-1]) })
}
