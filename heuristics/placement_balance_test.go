package heuristics

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// TestBalancerKeepsCount holds what steps keep up to date against a balancer that
// counts the same residencies anew.
func TestBalancerKeepsCount(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		m := medium{racks: 2, nodes: 2, gpus: 4, jobs: 12, iterations: 8, nic: 5e9, free: true, mixed: seed%2 == 0, tight: seed%3 == 0}
		m.objective = []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed/2%2]
		in := m.instance(t, seed)
		counts := startCounts(in)
		where, err := placeHard(in, placing{counts: counts, pin: true})
		if err != nil {
			continue
		}
		before := slices.Clone(where.gpus)
		for j := range before {
			before[j] = slices.Clone(before[j])
		}
		b := newBalancer(in, where, balancing{counts: counts, rng: source(seed), near: 1})
		scale := b.scale
		for n := range 600 {
			b.step(n%20 == 0)
			if n%20 > 1 {
				continue
			}
			again := newBalancer(in, b.out, balancing{counts: counts, rng: source(seed), near: 1})
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
			require.Equal(t, again.load, b.load)
			require.Equal(t, again.persistent, b.persistent)
			require.Equal(t, again.ephemeral, b.ephemeral)
			require.Equal(t, again.busy, b.busy)
			require.Equal(t, again.chain, b.chain)
			require.Equal(t, again.syncs, b.syncs)
			require.Equal(t, again.residents, b.residents)
			if b.weighted {
				require.Equal(t, again.ahead, b.ahead)
			}
			for j := range in.Jobs {
				span, ok := in.Span(b.out.gpus[j])
				require.True(t, ok)
				require.Equal(t, span, b.out.span[j])
			}
		}
		assert.Equal(t, scale, b.scale)
		assert.Equal(t, before, where.gpus, "the placement that it began with is not its own")
	}
}
