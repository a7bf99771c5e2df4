package packing

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/packing"
)

// TestAggregated compares prices found by aggregated programs with those found without: what they refute
// the others also refute, and often vice versa.
func TestAggregated(t *testing.T) {
	engine := boundtest.LiveEngine(t)
	refuted, found, spread := 0, 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 21))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan, Jobs: 4})
		m := relax.New(in)
		if !packing.Packable(m) || relax.Infeasible(in) != nil {
			continue
		}
		for due := int64(1); due < 60; due++ { // some have no schedule
			s := NewSearch(m, due, nil)
			r, err := s.Solve(context.Background(), engine, Result{})
			require.NoError(t, err)
			a, err := s.solveAggregated(context.Background(), engine)
			require.NoError(t, err)
			if a.Prices != nil {
				if _, ok := s.Prove(a.Prices); ok {
					require.NotNil(t, r.Prices, "seed %d, due %d", seed, due)
					found++
				}
				spread++
			}
			if r.Prices == nil {
				break
			}
			refuted++
		}
	}
	t.Logf("%d dues refuted, %d of them by prices of aggregated programs, of which %d were tried", refuted, found, spread)
	assert.Greater(t, found, refuted/3)
}

// TestAggregatedBound: for a program that is too large, the bound is that of an aggregated one.
func TestAggregatedBound(t *testing.T) {
	engine := boundtest.LiveEngine(t)
	spec := boundtest.TwoNodes(16)
	spec.Cluster.Racks[0].Nodes = 12
	// On 192 GPUs 300 workers that take more than half of the available time if all their work is spread.
	rng := rand.New(rand.NewPCG(1, 22))
	for j := range 300 {
		spec.Jobs = append(spec.Jobs, instance.JobSpec{
			Name: fmt.Sprint("j", j), Model: "four", Workers: 1, Iterations: 20_000 + rng.IntN(2000), SPB: instance.SPBSpec{Rule: "full"},
		})
	}
	in := boundtest.Compile(t, spec)
	known := bound.Best(in, area.Chain(in), area.Bound(in)).Value
	require.Greater(t, NewSearch(relax.New(in), exact.Ceil(known).Int64(), nil).work(), int64(mostPackWork))
	b, err := Bound(context.Background(), in, engine, Limits{Known: known})
	require.NoError(t, err)
	require.NotNil(t, b.Value)
	ratio, _ := new(big.Rat).Quo(b.Value, known).Float64()
	t.Logf("%.3f times the bound of the area", ratio)
	assert.Greater(t, ratio, 1.15)
}
