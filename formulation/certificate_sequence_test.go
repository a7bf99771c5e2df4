package formulation

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOrdersWithoutMemory: where there is no memory for more states, nothing is proven.
func TestOrdersWithoutMemory(t *testing.T) {
	seen := 0
	for seed := range uint64(60) {
		p, node, best, ok := decidedTree(seed)
		if !ok {
			continue
		}
		s, ok := p.m.nodeMaster(node, p.ways, best, 1)
		if !ok {
			continue
		}
		for _, q := range s.sequencings(node, best) {
			e := sequenceExaminer{ctx: context.Background(), sequencing: q, most: best, steps: 1 << 24}
			if _, ok := e.examine(); !ok || e.held == 0 {
				continue
			}
			require.Less(t, e.held, 1<<20)
			short := sequenceExaminer{ctx: context.Background(), sequencing: q, most: best, steps: 1 << 24, held: mostHeld - e.held + 1}
			_, ok := short.examine()
			require.False(t, ok, "seed %d", seed)
			require.Negative(t, short.steps)
			seen++
		}
	}
	require.Greater(t, seen, 10)
}
