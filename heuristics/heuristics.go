package heuristics

import (
	"context"
	"math/rand/v2"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/exchange"
	"jigsaw/heuristics/list"
	"jigsaw/heuristics/periodic"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

// Config sets how the heuristics run: its fields are those of [state.Options]. The zero
// value is what the function [Greedy] uses.
type Config state.Options

// NoPlan is the error of a heuristic that found no schedule, which proves nothing.
type NoPlan = state.NoPlan

// Greedy plans the instance by list scheduling with structured partial
// backpropagation: the best of a portfolio of placements, priority rules and
// small local changes. The schedule is the same for the same instance and
// state of rng, whatever the number of cores. When the context ends early
// the best schedule so far is returned. The error is a [*NoPlan] if none
// was found that respects all memories and deadlines.
//
// Periodic objectives have a separate search.
func Greedy(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	return Config{}.Greedy(ctx, in, rng)
}

// Greedy is the function [Greedy] under a configuration.
func (c Config) Greedy(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	return c.bundled(ctx, in, func(c Config, in *instance.Instance) (*instance.Schedule, error) {
		switch in.Objective {
		case instance.Throughput:
			return periodic.Greedy(ctx, state.Options(c), in, rng)
		case instance.MaxMinThroughput:
			return c.greedyRepeated(ctx, in, rng)
		}
		return list.Greedy(ctx, state.Options(c), in, rng)
	})
}

// Divided is the better of Greedy and, for finite objectives, of a division: jobs are assigned to groups of nodes and scheduled
// there. With many nodes, or with some and a deadline, a division that succeeds is taken at once. Quick plans have no division.
func (c Config) Divided(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	if c.Quick || in.Objective.Periodic() || in.Resumes() {
		return c.Greedy(ctx, in, rng)
	}
	return c.bundled(ctx, in, func(c Config, in *instance.Instance) (*instance.Schedule, error) {
		return c.divided(ctx, in, rng)
	})
}

// limitedNodes is the number of nodes from which, if time is limited, a division is taken without list scheduling of all jobs at
// once: it takes a tenth of the time, and is mostly better.
const limitedNodes = 16

func (c Config) divided(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	if c.Without[method.Exchange] { // on bundles, too, whose nodes may share links
		return c.Greedy(ctx, in, rng)
	}
	_, limited := ctx.Deadline()
	o, many := state.Options(c), len(in.Nodes) >= exchange.ManyNodes || limited && len(in.Nodes) >= limitedNodes
	if many {
		if s := exchange.Divide(ctx, in, rng); s != nil {
			return s, nil
		}
	}
	best, err := list.Greedy(ctx, o, in, rng)
	if many || best != nil && o.Stops(in.Value(best)) {
		return best, err
	}
	if s := exchange.Divide(ctx, in, rng); s != nil && (best == nil || in.Objective.Better(in.Value(s), in.Value(best))) {
		if o.Improved != nil {
			o.Improved(s)
		}
		return s, nil
	}
	return best, err
}

// Bundled calls a scheduler that needs neither a configuration nor random numbers, such as [periodic.Exclusive], on bundles of GPUs
// if workers have several.
func Bundled(schedule func(context.Context, *instance.Instance) (*instance.Schedule, error)) func(context.Context, *instance.Instance, *rand.Rand) (*instance.Schedule, error) {
	return func(ctx context.Context, in *instance.Instance, _ *rand.Rand) (*instance.Schedule, error) {
		return Config{}.bundled(ctx, in, func(_ Config, in *instance.Instance) (*instance.Schedule, error) { return schedule(ctx, in) })
	}
}
