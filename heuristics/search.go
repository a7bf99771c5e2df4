package heuristics

import (
	"context"
	"math/big"
	"math/rand/v2"

	"jigsaw/formulation/instance"
)

// Improve searches for schedules better than start until the context ends;
// see [Config.Improve].
func Improve(ctx context.Context, in *instance.Instance, rng *rand.Rand, start *instance.Schedule) (*instance.Schedule, error) {
	return Config{}.Improve(ctx, in, rng, start)
}

// Improve searches for schedules better than start, a valid one, and returns
// the best it has, start at worst. With start nil it begins with
// [Config.Greedy], whose errors are then its own. The search ends with the
// context, after c.Rounds rounds, or when c.Stop says so; the end of the
// context is no error once there is a schedule. With equal rounds, instance,
// state of rng and start the schedule is the same on any number of cores.
func (c Config) Improve(ctx context.Context, in *instance.Instance, rng *rand.Rand, start *instance.Schedule) (*instance.Schedule, error) {
	best := start
	if best == nil {
		first := c
		first.Improved = nil
		var err error
		if best, err = first.Greedy(ctx, in, rng); err != nil {
			return nil, err
		}
		if c.Improved != nil {
			c.Improved(best)
		}
	}
	value := in.Value(best)
	for round := 0; ctx.Err() == nil && (c.Rounds == 0 || round < c.Rounds) && !c.stops(value); round++ {
		again := c
		again.Improved = nil
		s, err := again.Greedy(ctx, in, rng)
		if err != nil {
			break
		}
		if v := in.Value(s); in.Objective.Better(v, value) {
			best, value = s, v
			if c.Improved != nil {
				c.Improved(best)
			}
		}
	}
	return best, nil
}

// stops reports whether a value is good enough.
func (c Config) stops(value *big.Rat) bool { return c.Stop != nil && c.Stop(value) }
