package placement

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/state"
)

// TestBalancerKeepsCount holds what steps keep up to date against a balancer that
// counts the same residencies anew.
func TestBalancerKeepsCount(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		m := heuristicstest.Medium{Racks: 2, Nodes: 2, GPUs: 4, Jobs: 12, Iterations: 8, NIC: 5e9, Free: true, Mixed: seed%2 == 0, Tight: seed%3 == 0}
		m.Objective = []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed/2%2]
		in := m.Instance(t, seed)
		counts := state.CheapestMultisets(in)
		where, err := Place(in, Options{Counts: counts, Pin: true})
		if err != nil {
			continue
		}
		before := slices.Clone(where.GPUs)
		for j := range before {
			before[j] = slices.Clone(before[j])
		}
		b := NewBalancer(in, where, BalanceOptions{Counts: counts, Rng: heuristicstest.Source(seed), Near: 1})
		scale := b.scale
		for n := range 600 {
			b.Step(n%20 == 0)
			if n%20 > 1 {
				continue
			}
			again := NewBalancer(in, b.Out, BalanceOptions{Counts: counts, Rng: heuristicstest.Source(seed), Near: 1})
			for j := range in.Jobs {
				c := again.residency(instance.JobID(j), true)
				again.tally(&c, -1)
				again.evict(&c)
				c.dealt, c.sync = b.rations[j], again.sync(c.job, c.span)
				again.enter(c)
			}
			for g := range again.residents {
				again.recount(instance.GPUID(g))
			}
			require.Equal(t, again.Load, b.Load)
			require.Equal(t, again.Persistent, b.Persistent)
			require.Equal(t, again.Ephemeral, b.Ephemeral)
			require.Equal(t, again.Busy, b.Busy)
			require.Equal(t, again.chain, b.chain)
			require.Equal(t, again.syncs, b.syncs)
			require.Equal(t, again.residents, b.residents)
			if b.weighted {
				require.Equal(t, again.ahead, b.ahead)
			}
			for j := range in.Jobs {
				span, ok := in.Span(b.Out.GPUs[j])
				require.True(t, ok)
				require.Equal(t, span, b.Out.Span[j])
			}
		}
		assert.Equal(t, scale, b.scale)
		assert.Equal(t, before, where.GPUs, "the placement that it began with is not its own")
	}
}
