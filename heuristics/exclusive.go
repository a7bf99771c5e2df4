package heuristics

import (
	"context"
	"jigsaw/formulation/instance"
	"math/rand/v2"
)

func Exclusive(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.Schedule, error) {
	return InterleavedFull(ctx, in, rng)
}
