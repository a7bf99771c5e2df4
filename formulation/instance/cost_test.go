package instance_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/verify"
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
		require.Zero(t, cost.Cmp(in.Cost(blocks)), "seed %d", seed)
		least := relax.New(in).LeastCost()
		require.LessOrEqual(t, least.Cmp(cost), 0, "seed %d: %s costs less than %s", seed, cost, least)
		by := area.CostBy(relax.New(in), s.Makespan(in)).Value
		require.LessOrEqual(t, by.Cmp(cost), 0, "seed %d: %s costs less than %s by its end", seed, cost, by)
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

// TestCostBy: of jobs of one worker on GPUs of two types, all assignments are tried. No plan that ends by a time costs less than
// the bound of that time, whatever the premiums, and schedules of larger jobs do not either.
func TestCostBy(t *testing.T) {
	met, all := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 12))
		spec := &instance.Spec{Version: instance.Version, Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: 1, PricePerHour: instance.Price(rng.Int64N(9_000_000))}, {Name: "b", Memory: 1, PricePerHour: instance.Price(rng.Int64N(9_000_000))}},
			Switches: []instance.SwitchSpec{{Name: "s"}},
		}}
		for _, gpu := range []string{"a", "b", "a"} {
			spec.Cluster.Nodes = append(spec.Cluster.Nodes, instance.NodeSpec{Name: fmt.Sprint(len(spec.Cluster.Nodes)), Switch: "s", GPUs: 1, GPU: gpu, NIC: 1, Fabric: 1})
		}
		for j := range 1 + rng.IntN(5) {
			name := fmt.Sprint(j)
			for _, gpu := range []string{"a", "b"} {
				layer := instance.Layer{Forward: instance.Duration(1+rng.IntN(20)) * 1_000_000}
				spec.Profiles = append(spec.Profiles, &instance.Profile{Model: name, GPU: gpu, Batch: 1, Layers: []instance.Layer{layer}})
			}
			spec.Jobs = append(spec.Jobs, instance.JobSpec{Name: name, Model: name, Workers: 1, Iterations: 1 + rng.IntN(3)})
		}
		in, err := instance.Compile(spec, nil)
		require.NoError(t, err)
		m := relax.New(in)
		best := map[instance.Tick]*big.Int{} // least cost by makespan
		load := make([]instance.Tick, 3)
		var assign func(j int)
		assign = func(j int) {
			if j == len(in.Jobs) {
				sum := new(big.Int)
				for g, ticks := range load {
					sum.Add(sum, big.NewInt(int64(ticks)*int64(in.Types[g%2].Price)))
				}
				end := slices.Max(load)
				if old := best[end]; old == nil || sum.Cmp(old) < 0 {
					best[end] = sum
				}
				return
			}
			for g := range load {
				takes := instance.Tick(in.Jobs[j].Iterations) * in.Jobs[j].On[g%2].Time[0]
				load[g] += takes
				assign(j + 1)
				load[g] -= takes
			}
		}
		assign(0)
		for end := range best {
			least := new(big.Rat)
			for other, sum := range best {
				if cost := in.Money(sum); other <= end && (least.Sign() == 0 || cost.Cmp(least) < 0) {
					least = cost
				}
			}
			proven := area.CostBy(m, end)
			bound, premiums := proven.Value, make([]instance.Price, 2)
			require.LessOrEqual(t, bound.Cmp(least), 0, "seed %d: a plan by %d costs %s, less than %s", seed, end, least, bound)
			_, err := verify.Certificate(t.Context(), in, proven.Proof(in))
			require.NoError(t, err)
			for range 3 {
				premiums[0], premiums[1] = instance.Price(rng.Int64N(50_000_000)), instance.Price(rng.Int64N(50_000_000))
				require.LessOrEqual(t, m.CostBy(end, premiums).Cmp(bound), 0, "seed %d: the premiums found are not the best", seed)
			}
			share, _ := new(big.Rat).Quo(bound, least).Float64()
			if all++; share > 0.98 {
				met++
			}
		}
	}
	t.Logf("%d ends, %d bounds within 2 %% of the least cost", all, met)
	assert.Greater(t, met, all/2)
}
