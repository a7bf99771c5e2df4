package formulation

import (
	"context"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// TestPacking holds the packing bound against brute force, with and without
// rounding to units, and proves its certificates.
func TestPacking(t *testing.T) {
	engine := liveEngine(t)
	n := 600
	if testing.Short() {
		n = 150
	}
	proven, better := 0, 0
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 8))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan, Jobs: 4})
		if Infeasible(in) != nil {
			continue
		}
		best, _, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		limits := PackingLimits{Known: big.NewRat(1, 1), Until: new(big.Rat).Add(best, big.NewRat(5, 1))}
		if seed%3 == 0 {
			limits.Until = nil
		}
		b, err := Packing(context.Background(), in, engine, limits)
		require.NoError(t, err)
		if b.Value == nil {
			continue
		}
		proven++
		require.False(t, b.Value.Cmp(best) > 0, "seed %d: bound %s, optimum %s", seed, b.Value, best)
		if b.Value.Cmp(Best(in, Chain(in), Area(in)).Value) > 0 {
			better++
		}
		data, err := json.Marshal(b.Proof(in))
		require.NoError(t, err)
		var read Certificate
		require.NoError(t, json.Unmarshal(data, &read))
		_, err = VerifyCertificate(context.Background(), in, &read)
		require.NoError(t, err, "seed %d", seed)
		read.Plans.Due++
		_, err = VerifyCertificate(context.Background(), in, &read)
		require.Error(t, err, "seed %d", seed)
	}
	t.Logf("%d bounds, %d better than chain and area", proven, better)
	assert.Greater(t, proven, n/2)
	assert.Greater(t, better, proven/50)
}

// TestBestContent holds the search for the best content, and the check that there is none
// better, against all sets of workers and all they may take, at random prices, also where some
// homes are decided.
func TestBestContent(t *testing.T) {
	better, fixed := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 9))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan, Jobs: 4})
		m := newModel(in)
		if !packable(m) {
			continue
		}
		due := 1 + rng.Int64N(60)
		var n *branchNode
		if schedule, ok := instancetest.ValidSchedule(rng, in); ok && seed%2 == 1 {
			m, n = m.split(), rootNode(in)
			for j := range n.jobs {
				if rng.IntN(2) == 0 {
					n.jobs[j].home = schedule.Residency[j]
				}
			}
		}
		s := newPacking(m, due, n)
		prices := make([]int64, s.prices)
		for i := range prices {
			prices[i] = rng.Int64N(3) * rng.Int64N(100_000)
		}
		for i := range s.classes {
			if rng.IntN(3) == 0 {
				prices[s.classes[i].at] *= -1
			}
		}
		for p := range s.pools {
			want := s.bestByEnumeration(&s.pools[p], prices, s.pools[p].fixed, 0)
			f := s.fill(p, prices)
			contents, worth := f.best(noWorth)
			if fixed += len(s.pools[p].fixed); want < noWorth/2 {
				require.Less(t, worth, int64(noWorth/2), "seed %d", seed)
				none := packExaminer{s: s, p: &s.pools[p], price: -1, left: mostExamined}
				require.True(t, none.examine(prices), "seed %d", seed)
				continue
			}
			require.Equal(t, want, worth, "seed %d", seed)
			for _, content := range contents {
				require.True(t, s.holds(p, content), "seed %d", seed)
			}
			if f.worth() > worth {
				better++
			}
			for _, set := range f.sets(0) {
				fit, v := f.fit(set)
				require.True(t, fit == nil || s.holds(p, fit) && v <= worth, "seed %d", seed)
			}
			slack := packSlack * s.due
			yes := packExaminer{s: s, p: &s.pools[p], price: worth + slack, left: mostExamined}
			require.True(t, yes.examine(prices), "seed %d", seed)
			no := packExaminer{s: s, p: &s.pools[p], price: worth - 1, left: mostExamined}
			require.False(t, no.examine(prices), "seed %d", seed)
		}
	}
	assert.Positive(t, better, "limits bind")
	assert.Positive(t, fixed)
}

// bestByEnumeration extends a set of slots by later ones.
func (s *packing) bestByEnumeration(p *packPool, prices []int64, slots []int, first int) int64 {
	limit := s.limit(p, slots)
	if limit < 0 {
		return noWorth
	}
	best := s.bestUnits(p, prices, slots, limit)
	for i := first; i < len(p.slots); i++ {
		if p.slots[i].fixed {
			continue
		}
		best = max(best, s.bestByEnumeration(p, prices, append(slices.Clip(slots), i), i+1))
	}
	return best
}

// bestUnits deals units out to workers, one after the other.
func (s *packing) bestUnits(p *packPool, prices []int64, slots []int, left int64) int64 {
	if len(slots) == 0 {
		return 0
	}
	best := int64(noWorth)
	for _, line := range s.lines(&p.slots[slots[0]], prices) {
		for x := line.from; x <= min(line.to, left); x++ {
			best = max(best, line.worth+line.slope*(x-line.from)+s.bestUnits(p, prices, slots[1:], left-x))
		}
	}
	return best
}

// TestContentLimit holds what a GPU can hold against what it holds in optimal schedules.
func TestContentLimit(t *testing.T) {
	n, full := 600, 0
	if testing.Short() {
		n = 100
	}
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 10))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan, Jobs: 4})
		if Infeasible(in) != nil {
			continue
		}
		_, schedule, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		m := newModel(in)
		s := newPacking(m, int64(schedule.Makespan(in)), nil)
		require.EqualValues(t, 1, s.unit)
		for g := range in.GPUs {
			p := &s.pools[m.network.of[in.GPUs[g].Node]]
			var slots []int
			ticks := int64(0)
			for c, jobs := range in.Classes() {
				first := slices.IndexFunc(p.slots, func(slot packSlot) bool { return slot.class == c })
				for _, j := range jobs {
					if slices.Contains(schedule.Residency[j], instance.GPUID(g)) {
						require.GreaterOrEqual(t, first, 0, "seed %d", seed)
						slots = append(slots, first)
						first++
					}
				}
			}
			for _, task := range schedule.Tasks {
				if task.GPU == instance.GPUID(g) {
					ticks += int64(task.End - task.Start)
				}
			}
			slices.Sort(slots)
			limit := s.limit(p, slots)
			require.LessOrEqual(t, ticks, limit, "seed %d, GPU %d", seed, g)
			if ticks == limit && ticks > 0 {
				full++
			}
		}
	}
	assert.Greater(t, full, n/10, "limits are met")
}

// TestPackingPrices holds that what is proven of a pool's contents does not rest on the
// knapsack alone where the best content pays next to nothing, as one that is a column already
// does at the prices of an engine.
func TestPackingPrices(t *testing.T) {
	const paid = 1000
	better := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 11))
		m := newModel(instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan, Jobs: 4}))
		if !packable(m) {
			continue
		}
		s := newPacking(m, 1+rng.Int64N(60), nil)
		y := make([]float64, s.prices+len(s.pools)+len(s.classes))
		for i := range s.prices {
			y[i] = rng.Float64()
		}
		for p := range s.pools {
			prices, _ := s.integers(y)
			f := s.fill(p, prices)
			_, worth := f.best(0)
			y[s.prices+p] = -float64(worth-paid) / packScale
			_, cost := s.integers(y)
			if f.worth()-worth < 2*packHope*paid {
				continue
			}
			better++
			priced := (&packPricer{packing: s, pool: p}).Price(y, true)
			require.InDelta(t, float64(cost[p]-worth)/packScale, priced.Bound, 1e-12, "seed %d", seed)
		}
	}
	assert.Greater(t, better, 20, "limits bind")
}
