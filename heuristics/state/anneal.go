package state

import (
	"math"
	"math/rand/v2"
)

// Simulated annealing (S. Kirkpatrick, C. D. Gelatt, M. P. Vecchi, Optimization by simulated
// annealing, Science 220, 1983) accepts a change that adds d to the energy with probability
// exp(-d/temperature). The random number is drawn before the change is evaluated, so that evaluation
// can stop as soon as d is known to exceed the allowance.

// Fork draws an independent random source.
func Fork(rng *rand.Rand) *rand.Rand { return rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64())) }

// Allowance draws how much a change may add to the energy at a temperature.
func Allowance(rng *rand.Rand, temperature float64) float64 {
	return -float64(temperature * math.Log(1-rng.Float64()))
}

// Cooled is the temperature after the given fraction of a cycle that cools geometrically
// from hot to cold.
func Cooled(hot, cold, part float64) float64 { return hot * Pow(cold/hot, part) }
