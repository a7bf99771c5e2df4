package packing

import (
	"context"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/packing"
	"jigsaw/formulation/relax/verify"
)

// TestPacking compares the packing bound with brute force, with and without rounding to
// units, and proves its certificates.
func TestPacking(t *testing.T) {
	engine := boundtest.LiveEngine(t)
	n := 600
	if testing.Short() {
		n = 150
	}
	proven, better := 0, 0
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 8))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan, Jobs: 4})
		if relax.Infeasible(in) != nil {
			continue
		}
		best, _, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		limits := Limits{Known: big.NewRat(1, 1), Until: new(big.Rat).Add(best, big.NewRat(5, 1))}
		if seed%3 == 0 {
			limits.Until = nil
		}
		b, err := Bound(context.Background(), in, engine, limits)
		require.NoError(t, err)
		if b.Value == nil {
			continue
		}
		proven++
		require.False(t, b.Value.Cmp(best) > 0, "seed %d: bound %s, optimum %s", seed, b.Value, best)
		if b.Value.Cmp(bound.Best(in, area.Chain(in), area.Bound(in)).Value) > 0 {
			better++
		}
		data, err := json.Marshal(b.Proof(in))
		require.NoError(t, err)
		read := boundtest.Read(t, in, data)
		_, err = verify.Certificate(context.Background(), in, read)
		require.NoError(t, err, "seed %d", seed)
		read.Plans.Due++
		_, err = verify.Certificate(context.Background(), in, read)
		require.Error(t, err, "seed %d", seed)
	}
	t.Logf("%d bounds, %d better than chain and area", proven, better)
	assert.Greater(t, proven, n/2)
	assert.Greater(t, better, proven/50)
}

// TestBestContent compares the search for the best content, and the check that there is none
// better, with enumeration of all sets of workers and all they may take, at random prices,
// also with some decided homes.
func TestBestContent(t *testing.T) {
	better, fixed := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 9))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan, Jobs: 4})
		m := relax.New(in)
		if !packing.Packable(m) {
			continue
		}
		due := 1 + rng.Int64N(60)
		var n *cases.Node
		if schedule, ok := instancetest.ValidSchedule(rng, in); ok && seed%2 == 1 {
			m, n = m.Split(), cases.Root(in)
			for j := range n.Jobs {
				if rng.IntN(2) == 0 {
					n.Jobs[j].Assignment = schedule.Residency[j]
				}
			}
		}
		var homes [][]instance.GPUID
		if n != nil {
			homes = n.Residency()
		}
		s := NewSearch(m, due, homes)
		prices := make([]int64, s.Prices)
		for i := range prices {
			prices[i] = rng.Int64N(3) * rng.Int64N(100_000)
		}
		for i := range s.Classes {
			if rng.IntN(3) == 0 {
				prices[s.Classes[i].At] *= -1
			}
		}
		for p := range s.Pools {
			want := bestByEnumeration(s, &s.Pools[p], prices, s.Pools[p].Fixed, 0)
			f := s.fill(p, prices)
			contents, worth := f.best(exact.NoWorth)
			if fixed += len(s.Pools[p].Fixed); want < exact.NoWorth/2 {
				require.Less(t, worth, int64(exact.NoWorth/2), "seed %d", seed)
				none := packing.Examiner{S: s.Program, P: &s.Pools[p], Price: -1, Left: packing.MostExamined}
				require.True(t, none.Examine(prices), "seed %d", seed)
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
			slack := packSlack * s.Due
			yes := packing.Examiner{S: s.Program, P: &s.Pools[p], Price: worth + slack, Left: packing.MostExamined}
			require.True(t, yes.Examine(prices), "seed %d", seed)
			no := packing.Examiner{S: s.Program, P: &s.Pools[p], Price: worth - 1, Left: packing.MostExamined}
			require.False(t, no.Examine(prices), "seed %d", seed)
		}
	}
	assert.Positive(t, better, "limits bind")
	assert.Positive(t, fixed)
}

// bestByEnumeration extends a set of slots by later ones.
func bestByEnumeration(s search, p *packing.Pool, prices []int64, slots []int, first int) int64 {
	limit := s.Limit(p, slots)
	if limit < 0 {
		return exact.NoWorth
	}
	best := bestUnits(s, p, prices, slots, limit)
	for i := first; i < len(p.Slots); i++ {
		if p.Slots[i].Fixed {
			continue
		}
		best = max(best, bestByEnumeration(s, p, prices, append(slices.Clip(slots), i), i+1))
	}
	return best
}

// bestUnits distributes units to workers, one after the other.
func bestUnits(s search, p *packing.Pool, prices []int64, slots []int, left int64) int64 {
	if len(slots) == 0 {
		return 0
	}
	best := int64(exact.NoWorth)
	for _, line := range s.lines(&p.Slots[slots[0]], prices) {
		for x := line.from; x <= min(line.to, left); x++ {
			best = max(best, line.worth+line.slope*(x-line.from)+bestUnits(s, p, prices, slots[1:], left-x))
		}
	}
	return best
}

// TestContentLimit compares what a GPU can hold with what it holds in optimal schedules.
func TestContentLimit(t *testing.T) {
	n, full := 600, 0
	if testing.Short() {
		n = 100
	}
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 10))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan, Jobs: 4})
		if relax.Infeasible(in) != nil {
			continue
		}
		_, schedule, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		m := relax.New(in)
		s := packing.New(m, int64(schedule.Makespan(in)), nil)
		require.EqualValues(t, 1, s.Unit)
		for g := range in.GPUs {
			p := &s.Pools[m.Network.PoolOf[in.GPUs[g].Node]]
			var slots []int
			ticks := int64(0)
			for c, jobs := range in.Classes() {
				first := slices.IndexFunc(p.Slots, func(slot packing.Slot) bool { return slot.Class == c })
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
			limit := s.Limit(p, slots)
			require.LessOrEqual(t, ticks, limit, "seed %d, GPU %d", seed, g)
			if ticks == limit && ticks > 0 {
				full++
			}
		}
	}
	assert.Greater(t, full, n/10, "limits are met")
}

// TestPackingPrices checks that what is proven of a pool's contents does not depend on the
// knapsack alone if the best content gains next to nothing, like one that is already a column
// at the prices of an engine.
func TestPackingPrices(t *testing.T) {
	const paid = 1000
	better := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 11))
		m := relax.New(instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan, Jobs: 4}))
		if !packing.Packable(m) {
			continue
		}
		s := NewSearch(m, 1+rng.Int64N(60), nil)
		y := make([]float64, s.Prices+len(s.Pools)+len(s.Classes))
		for i := range s.Prices {
			y[i] = rng.Float64()
		}
		for p := range s.Pools {
			prices, _ := s.integers(y)
			f := s.fill(p, prices)
			_, worth := f.best(0)
			y[s.Prices+p] = -float64(worth-paid) / PackScale
			_, cost := s.integers(y)
			if f.worth()-worth < 2*packHope*paid {
				continue
			}
			better++
			priced := (&pricer{search: s, pool: p}).Price(y, true)
			require.InDelta(t, float64(cost[p]-worth)/PackScale, priced.Bound, 1e-12, "seed %d", seed)
		}
	}
	assert.Greater(t, better, 20, "limits bind")
}
