package heuristics

import (
	"context"
	"math/rand/v2"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/list"
	"jigsaw/heuristics/periodic"
	"jigsaw/heuristics/state"
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
// the best schedule so far is returned. The error is a [*NoPlan] where none
// was found that keeps within all memories and deadlines.
//
// Periodic objectives have a search of their own.
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

// PeriodicExclusive returns the periodic plan of whole jobs on GPUs of their own at full
// depth: in order of weight density each job takes free GPUs, in one node or rack where it
// can, until too few are left; the others get no iterations. The density is per GPU-tick of
// computation or of the whole iteration, or the order is that of the instance, whichever
// turns out better. The schedule is valid for in.FullDepth().
func (c Config) PeriodicExclusive(ctx context.Context, in *instance.Instance, _ *rand.Rand) (*instance.Schedule, error) {
	return c.bundled(ctx, in, func(_ Config, in *instance.Instance) (*instance.Schedule, error) { return periodic.Exclusive(ctx, in) })
}

// PeriodicWhole is [Config.PeriodicExclusive] at the depths that the rules of in ask for;
// there is one at any limit.
func (c Config) PeriodicWhole(ctx context.Context, in *instance.Instance, _ *rand.Rand) (*instance.Schedule, error) {
	return c.bundled(ctx, in, func(_ Config, in *instance.Instance) (*instance.Schedule, error) { return periodic.Whole(ctx, in) })
}

// PeriodicQueue is [Config.PeriodicExclusive] where jobs take free GPUs first come, first
// served, in order of the instance.
func (c Config) PeriodicQueue(ctx context.Context, in *instance.Instance, _ *rand.Rand) (*instance.Schedule, error) {
	return c.bundled(ctx, in, func(_ Config, in *instance.Instance) (*instance.Schedule, error) { return periodic.Queue(ctx, in) })
}
