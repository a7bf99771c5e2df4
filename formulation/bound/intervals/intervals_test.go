package intervals_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/intervals"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/columns"
	relaxed "jigsaw/formulation/relax/intervals"
	"jigsaw/formulation/relax/verify"
)

// drawn returns a random instance with an optimal schedule; nil where that takes too long.
func drawn(seed uint64) (*instance.Instance, *big.Rat, *instance.Schedule) {
	rng := rand.New(rand.NewPCG(seed, 61))
	var in *instance.Instance
	if seed%3 == 0 {
		in = instancetest.Queueing(rng, instance.WeightedCompletion)
	} else {
		in = instancetest.Random(rng, instancetest.Options{Objective: instance.WeightedCompletion, Iterations: 5})
	}
	if relax.Infeasible(in.Roomy()) != nil {
		return nil, nil, nil
	}
	best, schedule, status := instancetest.OptimumWithin(in, 100_000)
	if status != instancetest.Optimal {
		return nil, nil, nil
	}
	return in, best, schedule
}

// TestBound compares bounds with optima by brute force, and checks their certificates, whole and tampered with.
func TestBound(t *testing.T) {
	t.Parallel()
	engine := boundtest.LiveEngine(t)
	count := uint64(2000)
	if testing.Short() {
		count = 100
	}
	solved, tight, refused := 0, 0, 0
	for seed := range count {
		in, best, _ := drawn(seed)
		if in == nil {
			continue
		}
		rng, roomy := rand.New(rand.NewPCG(seed, 62)), in.Roomy()
		b, err := intervals.Bound(context.Background(), roomy, engine, intervals.Limits{Horizon: instance.Tick(rng.IntN(60)), Most: 40})
		require.NoError(t, err, "seed %d", seed)
		require.NotNil(t, b.Value, "seed %d", seed)
		require.LessOrEqual(t, b.Value.Cmp(best), 0, "seed %d: bound %s, optimum %s", seed, b.Value, best)
		if solved++; b.Value.Cmp(best) == 0 {
			tight++
		}
		c := b.Proof(roomy)
		checked, err := verify.Certificate(context.Background(), roomy, c)
		require.NoError(t, err, "seed %d", seed)
		require.Zero(t, checked.Value.Cmp(b.Value))
		other := *c
		other.Prices, other.Ends = slices.Clone(c.Prices), slices.Clone(c.Ends)
		if i := rng.IntN(len(c.Prices)); rng.IntN(2) == 0 {
			other.Prices[i] = new(big.Int).Add(c.Prices[i], big.NewInt(1<<rng.IntN(40)))
		} else {
			other.Ends[rng.IntN(len(c.Ends))] += int64(1 - 2*rng.IntN(2))
		}
		if p, err := verify.Check(context.Background(), roomy, &other); err == nil { // what other prices prove holds as well
			require.LessOrEqual(t, p.Value.Cmp(best), 0, "seed %d", seed)
		}
		if _, err := verify.Certificate(context.Background(), roomy, &other); err != nil {
			refused++
		}
	}
	t.Logf("%d bounds, %d tight; %d changed certificates refused", solved, tight, refused)
	assert.Greater(t, solved, int(count/2))
	assert.Greater(t, tight, solved/10)
	assert.Greater(t, refused, solved/4)
}

// TestJobsPay: at any prices, every job of a schedule pays no less for its GPUs, its links and its completion than the kernel says.
func TestJobsPay(t *testing.T) {
	t.Parallel()
	count := uint64(3000)
	if testing.Short() {
		count = 300
	}
	jobs, exact := 0, 0
	for seed := range count {
		in, _, schedule := drawn(seed)
		if in == nil {
			continue
		}
		rng, roomy := rand.New(rand.NewPCG(seed, 63)), in.Roomy()
		m := relax.New(roomy)
		var ends []int64
		for range 1 + rng.IntN(6) {
			ends = append(ends, 1+rng.Int64N(40))
		}
		slices.Sort(ends)
		ends = slices.Compact(ends)
		s := relaxed.New(m, ends)
		prices := make([][]int64, len(s.Groups))
		level := 1 + rng.Int64N(20)
		for g := range prices {
			if s.Groups[g].Capacity == 0 {
				continue
			}
			for range ends {
				price := rng.Int64N(level)
				if rng.IntN(3) == 0 && len(prices[g]) > 0 {
					price = prices[g][len(prices[g])-1] // as before
				}
				if rng.IntN(200) == 0 {
					price <<= 50 // beyond the cap
				}
				prices[g] = append(prices[g], price)
			}
		}
		paid := payments(roomy, columns.New(m, ends[len(ends)-1], -1, columns.Grain{Points: 1, Buckets: 1}), schedule, ends, prices)
		unit := 1 + rng.Int64N(30)
		payer := s.NewPayer(prices)
		ended := schedule.Completion(in)
		for c := range m.Classes {
			plan, err := payer.Least(&s.Classes[c], unit)
			require.NoError(t, err, "seed %d", seed)
			for _, j := range m.Classes[c].Jobs {
				all := new(big.Int).Add(paid[j], big.NewInt(unit*in.Jobs[j].Weight*int64(ended[j])))
				require.GreaterOrEqual(t, all.Cmp(big.NewInt(plan.Price)), 0, "seed %d: job %d pays %s, at least %d", seed, j, all, plan.Price)
				if jobs++; all.Cmp(big.NewInt(plan.Price)) == 0 {
					exact++
				}
			}
		}
	}
	t.Logf("%d jobs, %d pay the least", jobs, exact)
	assert.Greater(t, jobs, int(count))
	assert.Positive(t, exact)
}

// payments are what the jobs of a schedule pay for GPUs and links, by job.
func payments(in *instance.Instance, p *columns.Program, schedule *instance.Schedule, ends []int64, prices [][]int64) []*big.Int {
	paid := make([]*big.Int, len(in.Jobs))
	for j := range paid {
		paid[j] = new(big.Int)
	}
	charge := func(j instance.JobID, group int, amount int64, from, to instance.Tick) {
		if p.Groups[group].Capacity == 0 {
			return
		}
		begin := int64(0)
		for t, end := range ends {
			if ticks := min(int64(to), end) - max(int64(from), begin); ticks > 0 {
				cost := new(big.Int).Mul(big.NewInt(amount*ticks), big.NewInt(prices[group][t]))
				paid[j].Add(paid[j], cost)
			}
			begin = end
		}
	}
	for _, t := range schedule.Tasks {
		charge(t.Job, p.Model.Network.PoolOf[in.GPUs[t.GPU].Node], 1, t.Start, t.End)
	}
	links := p.LinkGroups()
	for _, y := range schedule.Syncs {
		span, _ := in.SpanOf(&in.Jobs[y.Job], schedule.Residency[y.Job])
		for _, use := range span.Uses {
			for _, g := range links[use.Link] {
				charge(y.Job, g, int64(use.Times)*columns.Share(span.Rate(y.Rate), p.Groups[g].Speed), y.Start, y.End)
			}
		}
	}
	return paid
}

// TestManyIterations: bounds of jobs of one worker each on one GPU, whose optimum is Smith's order, are near it for any
// number of iterations.
func TestManyIterations(t *testing.T) {
	t.Parallel()
	engine := boundtest.LiveEngine(t)
	for _, iterations := range []int{1000, 333_000_000} {
		in, optimum := boundtest.SmithsOrder(t, iterations)
		steps := 0
		b, err := intervals.Bound(context.Background(), in, engine, intervals.Limits{Most: 100, Improved: func(bound.Bound) { steps++ }})
		require.NoError(t, err)
		require.LessOrEqual(t, b.Value.Cmp(optimum), 0)
		ratio, _ := new(big.Rat).Quo(b.Value, optimum).Float64()
		assert.Greater(t, ratio, 0.99, "%d iterations", iterations)
		assert.Greater(t, steps, 1)
	}
}
