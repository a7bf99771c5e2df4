package formulation

import (
	"context"
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// TestCheapestPlan compares the pricer with the examiner of certificates,
// which looks for cheapest plans in another way, at random prices on fine and
// coarse time axes.
func TestCheapestPlan(t *testing.T) {
	n := 1500
	if testing.Short() {
		n = 150
	}
	compared, plans := 0, 0
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 3))
		objective := []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]
		in := instancetest.Random(rng, instancetest.Options{Objective: objective, Iterations: 5})
		m := newModel(in)
		horizon, due := int64(1+rng.IntN(60)), int64(-1)
		if objective == instance.Makespan {
			due = horizon
		}
		s := newMaster(m, horizon, due, planGrain{1 + rng.Int64N(horizon), 1 + rng.Int64N(horizon)})
		prices := make([][]int64, len(s.groups))
		for g := range prices {
			prices[g] = make([]int64, s.calendar.buckets())
			for b := range prices[g] {
				if s.groups[g].capacity > 0 && rng.IntN(3) > 0 {
					prices[g][b] = rng.Int64N(1000)
				}
			}
		}
		tariff, k := newTariff(s.calendar, prices), &kitchen{}
		e := newPlanExaminer(s.m, s.calendar, prices)
		for c := range s.classes {
			p := &s.classes[c].pricer
			found, ok := p.solve(tariff, k, noPrice)
			want, wantOK := e.cheapest(p)
			e.starts = nil
			require.Equal(t, wantOK, ok, "seed %d", seed)
			compared++
			if !ok {
				continue
			}
			require.Equal(t, want, found.price, "seed %d", seed)
			plans++
			// With a limit there is the same plan below it, and none at it.
			same, ok := p.solve(tariff, k, want+1+rng.Int64N(1+want/8))
			require.True(t, ok, "seed %d", seed)
			require.Equal(t, want, same.price, "seed %d", seed)
			_, ok = p.solve(tariff, k, want)
			require.False(t, ok, "seed %d", seed)
			// The plan costs what it says.
			sum := p.weight * found.completion
			for _, v := range found.visits {
				alt := alternative{charges: v.charges}
				sum += v.repeat * alt.price(tariff, v.start)
			}
			require.Equal(t, found.price, sum, "seed %d", seed)
		}
	}
	t.Logf("%d classes compared, %d with a plan", compared, plans)
	assert.Greater(t, plans, compared/2)
}

// TestColumnsBound holds the columns bound against brute force, and checks its
// certificate, whole and tampered with.
func TestColumnsBound(t *testing.T) {
	engine := liveEngine(t)
	n := 3000
	if testing.Short() {
		n = 60
	}
	solved, tight, better := 0, 0, 0
	tried, refused := 0, 0
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 4))
		objective := []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]
		in := instancetest.Random(rng, instancetest.Options{Objective: objective})
		if Infeasible(in) != nil {
			continue
		}
		best, schedule, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		limits := ColumnLimits{Known: Best(in, Chain(in), Area(in)).Value}
		if seed%4 < 2 {
			limits.Start = schedule
		}
		b, guide, err := Columns(context.Background(), in, engine, limits)
		require.NoError(t, err, "seed %d", seed)
		if b.Value == nil {
			continue // makespan whose bound is tight already
		}
		solved++
		require.True(t, b.Certified)
		require.False(t, objective.Better(best, b.Value), "seed %d: bound %s, optimum %s", seed, b.Value, best)
		if b.Value.Cmp(best) == 0 {
			tight++
		}
		if b.Value.Cmp(limits.Known) > 0 {
			better++
		}
		require.NotNil(t, guide)
		for j, ends := range guide.Sample(rng) {
			require.Len(t, ends, in.Jobs[j].Iterations, "seed %d", seed)
		}

		proof := b.Proof(in)
		data, err := json.Marshal(proof)
		require.NoError(t, err)
		var read Certificate
		require.NoError(t, json.Unmarshal(data, &read))
		checked, err := VerifyCertificate(context.Background(), in, &read)
		require.NoError(t, err, "seed %d", seed)
		require.Zero(t, checked.Value.Cmp(b.Value))

		tampered := read
		tampered.Bound = NewClaim(new(big.Rat).Add(&read.Bound.Rat, big.NewRat(1, 1)))
		_, err = VerifyCertificate(context.Background(), in, &tampered)
		require.Error(t, err, "seed %d", seed)
		if len(read.Prices) > 0 {
			tampered = read
			tampered.Prices = append([]*big.Int{}, read.Prices...)
			for i := range tampered.Prices {
				tampered.Prices[i] = new(big.Int).Mul(tampered.Prices[i], big.NewInt(3))
			}
			// Prices that earn what they cost, or nothing, may be anything: the
			// claim stays true, and so does its value.
			tried++
			if _, err = VerifyCertificate(context.Background(), in, &tampered); err != nil {
				refused++
			}
		}
	}
	t.Logf("%d bounds, %d equal the optimum, %d better than chain and area", solved, tight, better)
	t.Logf("%d of %d certificates refused with threefold prices", refused, tried)
	assert.Greater(t, tight, solved/3)
	assert.Greater(t, better, solved/10)
	assert.Greater(t, refused, tried/3) // in tiny instances many jobs do not meet, and nothing has a price
}

// TestKnownPlans holds the plans of schedules against the cheapest ones at random
// prices: what a schedule does is never cheaper than the program permits. Columns
// that were would end column generation too early.
func TestKnownPlans(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 100
	}
	synchronised := 0
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 5))
		objective := []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]
		in := instancetest.Random(rng, instancetest.Options{Objective: objective})
		_, schedule, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		s := fineMaster(in, int64(schedule.Makespan(in)))
		prices := make([][]int64, len(s.groups))
		for g := range prices {
			prices[g] = make([]int64, s.calendar.buckets())
			for b := range prices[g] {
				if s.groups[g].capacity > 0 {
					prices[g][b] = rng.Int64N(1000)
				}
			}
		}
		tariff, k := newTariff(s.calendar, prices), &kitchen{}
		for c, plans := range s.known(schedule) {
			cheapest, ok := s.classes[c].solve(tariff, k)
			require.True(t, ok, "seed %d", seed)
			for _, p := range plans {
				sum := s.classes[c].pricer.weight * p.completion
				for _, v := range p.visits {
					sum += v.repeat * (&alternative{charges: v.charges}).price(tariff, v.start)
					if v.charges[0].group >= len(s.m.network.pools) {
						synchronised++
					}
				}
				require.GreaterOrEqual(t, sum, cheapest.price, "seed %d, class %d", seed, c)
			}
		}
	}
	t.Logf("%d synchronisations on links with rows", synchronised)
	assert.Positive(t, synchronised)
}

// TestDuesFarOff: a due so late that points of time up to it overflow proves nothing.
func TestDuesFarOff(t *testing.T) {
	in := compile(t, twoNodes(1, instance.JobSpec{Name: "a", Model: "four", Workers: 2, Iterations: 3}))
	for _, due := range []int64{maxHorizon + 1, 1 << 40, 1<<62 - 1, 1 << 62, 3 << 61, math.MaxInt64} {
		for _, points := range []int64{1, 1 << 11, maxPoints} {
			m := newModel(in)
			c := &Certificate{Kind: ColumnsBound, Denominator: big.NewInt(1), Plans: &PlanTerms{Due: due, Horizon: 100, Points: points, Buckets: 1}}
			for range newMaster(m, 100, 100, planGrain{points, 1}).rows {
				c.Prices = append(c.Prices, new(big.Int))
			}
			_, err := CheckCertificate(context.Background(), in, c)
			assert.Error(t, err, "due %d, points %d", due, points)
		}
	}
}
