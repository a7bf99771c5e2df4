package repair

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// Search sets how [Search.Improve] runs.
type Search struct {
	// Rounds is the number of schedules tried; 0 means until the context ends.
	Rounds int
	// Improved is called with each schedule better than all before it.
	Improved func(*instance.Schedule)
	// Stop is called with the value of the best schedule; true ends the search. nil: never.
	Stop func(value *big.Rat) bool
}

// Improve searches for a better repair than start, the result of [Repair] for the same arguments: single jobs move
// earlier or later in the order, and those that move choose their GPUs in another order. Changes are kept if the
// schedule is no worse. Jobs that stay, stay. Schedules that miss a deadline are discarded. The result is the same for
// the same arguments, state of rng and rounds.
func (c Search) Improve(ctx context.Context, in *instance.Instance, old *instance.Schedule, d Damage, start *instance.Schedule, rng *rand.Rand) *instance.Schedule {
	best, value := start, in.Value(start)
	current := value
	kept, out, err := settled(in, old, d, nil)
	if err != nil || len(in.Jobs) == 0 {
		return best
	}
	span := start.Makespan(in) - d.Now
	shift := make([]instance.Tick, len(in.Jobs))
	for round := 0; (c.Rounds == 0 || round < c.Rounds) && ctx.Err() == nil && (c.Stop == nil || !c.Stop(value)); round++ {
		next, r := append([]instance.Tick(nil), shift...), kept
		if len(out.Moved) > 0 && rng.IntN(4) == 0 {
			// Of some draws use the one with the smallest maximum load: the others are seldom worth a
			// schedule.
			var least *repairer
			for range draws {
				if other, _, err := settled(in, old, d, rng); err == nil && (least == nil || slices.Max(other.load) < slices.Max(least.load)) {
					least = other
				}
			}
			if least != nil {
				r = least
			}
		} else {
			for range 1 + rng.IntN(2) {
				// Small changes as often as large ones.
				far := float64(span) / float64(int(1)<<rng.IntN(12))
				next[rng.IntN(len(next))] += instance.Tick((2*rng.Float64() - 1) * far)
			}
		}
		s := r.decode(next)
		v := in.Value(s)
		if in.Objective.Better(current, v) || in.Late(s.Completion(in)) != instance.NoJob {
			continue
		}
		shift, kept, current = next, r, v
		if in.Objective.Better(v, value) {
			best, value = s, v
			if c.Improved != nil {
				c.Improved(s)
			}
		}
	}
	return best
}

// draws is the number of drawn choices of GPUs for jobs that move.
const draws = 20
