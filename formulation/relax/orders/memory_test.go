package orders

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
)

// TestOrdersWithoutMemory: without memory for more states, nothing is proven.
func TestOrdersWithoutMemory(t *testing.T) {
	seen := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 26))
		in := instancetest.Random(rng, instancetest.Options{Objective: []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]})
		value, schedule, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		best := value.Num().Int64()
		m, node := relax.New(in).Split(), cases.Root(in)
		var modes [][]relax.ModeOptions
		for j := range m.Classes {
			if !cases.Divisible(m, &m.Classes[j]) {
				modes = nil
				break
			}
			node = node.With(j, func(b *cases.JobLimits) { b.Assignment = schedule.Residency[j] })
			modes = append(modes, m.ModeOptions(&m.Classes[j]))
		}
		if modes == nil {
			continue
		}
		s, ok := cases.NewProgram(m, node, modes, best, 1)
		if !ok {
			continue
		}
		for _, q := range Problems(s, node, best) {
			e := Examiner{Ctx: context.Background(), Problem: q, Most: best, Steps: 1 << 24}
			if _, ok := e.Examine(); !ok || e.held == 0 {
				continue
			}
			require.Less(t, e.held, 1<<20)
			short := Examiner{Ctx: context.Background(), Problem: q, Most: best, Steps: 1 << 24, held: mostHeld - e.held + 1}
			_, ok := short.Examine()
			require.False(t, ok, "seed %d", seed)
			require.Negative(t, short.Steps)
			seen++
		}
	}
	require.Greater(t, seen, 10)
}
