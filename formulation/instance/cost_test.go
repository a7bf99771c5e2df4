package instance_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/heuristics"
)

// paid counts the cost of a schedule tick by tick.
func paid(in *instance.Instance, s *instance.Schedule) *big.Rat {
	end, last := s.Makespan(in), s.Completion(in)
	first := make([]instance.Tick, len(in.Jobs))
	for j := range first {
		first[j] = end
	}
	for _, t := range s.Tasks {
		first[t.Job] = min(first[t.Job], t.Start-in.Jobs[t.Job].Load)
	}
	sum := new(big.Rat)
	for g := range in.GPUs {
		ticks := int64(0)
		for now := range end {
			there := false
			for j, home := range s.Residency {
				there = there || now >= first[j] && now < last[j] && slices.Contains(home, instance.GPUID(g))
			}
			if there {
				ticks++
			}
		}
		hour := new(big.Rat).SetFrac64(int64(in.Types[in.GPUs[g].Type].Price), int64(instance.One))
		sum.Add(sum, hour.Mul(hour, new(big.Rat).SetFrac64(ticks*in.TickUS, 3_600_000_000)))
	}
	return sum
}

// TestCost: what a schedule costs is what is counted tick by tick, in blocks or not, and never less than the bound.
func TestCost(t *testing.T) {
	seeds, met, all := uint64(80), 0, 0
	if testing.Short() {
		seeds = 25
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 11))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan})
		for i := range in.Types {
			in.Types[i].Price = instance.Price(rng.Int64N(9_000_000))
		}
		s, err := heuristics.Greedy(context.Background(), in, rng)
		if err != nil {
			continue
		}
		cost := in.Cost(s)
		require.Zero(t, cost.Cmp(paid(in, s)), "seed %d", seed)
		blocks := &instance.BlockSchedule{Residency: s.Residency, Blocks: []instance.Block{{Repeats: 1, Tasks: s.Tasks, Syncs: s.Syncs}}}
		require.Zero(t, cost.Cmp(in.BlockCost(blocks)), "seed %d", seed)
		least := relax.New(in).LeastCost()
		require.LessOrEqual(t, least.Cmp(cost), 0, "seed %d: %s costs less than %s", seed, cost, least)
		if all++; least.Cmp(cost) == 0 {
			met++
		}
	}
	t.Logf("%d schedules, %d cost no more than the bound", all, met)
	assert.Greater(t, all, int(seeds/2))
	assert.Positive(t, met)
}

// TestCostByHand: two GPUs at 3.6 an hour, which is 10^-6 for a tick of a millisecond, and jobs that share one of them.
func TestCostByHand(t *testing.T) {
	in := &instance.Instance{
		TickUS: 1000, Types: []instance.GPUType{{Name: "a", Price: 3_600_000}}, GPUs: []instance.GPU{{}, {}, {}},
		Jobs: []instance.Job{{Load: 2}, {}, {}},
	}
	s := &instance.Schedule{
		Residency: [][]instance.GPUID{{0, 1}, {1}, {1}},
		Tasks: []instance.Task{
			{Job: 0, Iteration: 1, GPU: 0, Start: 2, End: 5}, {Job: 0, Iteration: 1, GPU: 1, Start: 3, End: 4},
			{Job: 1, Iteration: 1, GPU: 1, Start: 4, End: 6}, {Job: 2, Iteration: 1, GPU: 1, Start: 20, End: 25},
		},
		Syncs: []instance.Sync{{Job: 0, Iteration: 1, Start: 5, End: 9}},
	}
	assert.Equal(t, big.NewRat(9+9+5, 1_000_000).String(), in.Cost(s).String(), "GPU 0 to the end of the sync, GPU 1 also from 20 to 25")
	s.Period = 30
	assert.Equal(t, "36/5", in.Cost(s).String(), "two GPUs, an hour of each")
	assert.True(t, in.Priced())
	in.Types[0].Price = 0
	assert.False(t, in.Priced())
}
