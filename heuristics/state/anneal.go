package state

import (
	"math"
	"math/rand/v2"
)

// Simulated annealing (S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, Optimization by simulated
// annealing, Science 220, 1983) accepts a change that adds d to the energy with probability
// exp(-d/temperature). The chance is drawn before the change is looked at, so that looking can end as
// soon as d is known to be above it.

// Fork draws a random source of its own.
func Fork(rng *rand.Rand) *rand.Rand { return rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())) }

// Allowance draws by how much a change may add to the energy at a temperature.
func Allowance(rng *rand.Rand, temperature float64) float64 {
	return -float64(temperature * math.Log(1-rng.Float64()))
}

// Cooled is the temperature after the given part of a cycle that cools from hot to cold by
// equal factors.
func Cooled(hot, cold, part float64) float64 { return hot * Pow(cold/hot, part) }
