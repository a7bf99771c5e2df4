package columns

import (
	"context"
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/columns"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/verify"
)

// TestCheapestPlan compares the pricer with the examiner of certificates, which
// finds cheapest plans in another way, at random prices on fine and coarse time
// axes.
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
		m := relax.New(in)
		horizon, due := int64(1+rng.IntN(60)), int64(-1)
		if objective == instance.Makespan {
			due = horizon
		}
		s := NewMaster(columns.New(m, horizon, due, columns.Grain{Points: 1 + rng.Int64N(horizon), Buckets: 1 + rng.Int64N(horizon)}))
		prices := make([][]int64, len(s.Groups))
		for g := range prices {
			prices[g] = make([]int64, s.Calendar.Buckets())
			for b := range prices[g] {
				if s.Groups[g].Capacity > 0 && rng.IntN(3) > 0 {
					prices[g][b] = rng.Int64N(1000)
				}
			}
		}
		tariff, k := newTariff(s.Calendar, prices), &Scratch{}
		e := columns.NewExaminer(s.Model, s.Calendar, prices)
		for c := range s.Classes {
			p := &planPricer{&s.Classes[c].Plans}
			found, ok := p.Solve(tariff, k, exact.NoPrice)
			want, wantOK := e.Cheapest(p.Plans)
			e.Starts = nil
			require.Equal(t, wantOK, ok, "seed %d", seed)
			compared++
			if !ok {
				continue
			}
			require.Equal(t, want, found.Price, "seed %d", seed)
			plans++
			// With a limit above its price the same plan is found, and none with a limit at
			// its price.
			same, ok := p.Solve(tariff, k, want+1+rng.Int64N(1+want/8))
			require.True(t, ok, "seed %d", seed)
			require.Equal(t, want, same.Price, "seed %d", seed)
			_, ok = p.Solve(tariff, k, want)
			require.False(t, ok, "seed %d", seed)
			// The plan costs what it claims.
			sum := p.Weight * found.Completion
			for _, v := range found.Visits {
				alt := columns.Alternative{Uses: v.Charges}
				sum += v.Repeat * priceAt(&alt, tariff, v.Start)
			}
			require.Equal(t, found.Price, sum, "seed %d", seed)
		}
	}
	t.Logf("%d classes compared, %d with a plan", compared, plans)
	assert.Greater(t, plans, compared/2)
}

// TestColumnsBound compares the columns bound with brute force, and checks its
// certificate, whole and tampered with.
func TestColumnsBound(t *testing.T) {
	engine := boundtest.LiveEngine(t)
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
		if relax.Infeasible(in) != nil {
			continue
		}
		best, schedule, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		limits := Limits{Known: bound.Best(in, area.Chain(in), area.Bound(in)).Value}
		if seed%4 < 2 {
			limits.Start = schedule
		}
		b, err := Bound(context.Background(), in, engine, limits)
		require.NoError(t, err, "seed %d", seed)
		if b.Value == nil {
			continue // makespan with a bound that is already tight
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

		proof := b.Proof(in)
		data, err := json.Marshal(proof)
		require.NoError(t, err)
		read := boundtest.Read(t, in, data)
		checked, err := verify.Certificate(context.Background(), in, read)
		require.NoError(t, err, "seed %d", seed)
		require.Zero(t, checked.Value.Cmp(b.Value))

		tampered := *read
		tampered.Bound = relax.NewClaim(new(big.Rat).Add(&read.Bound.Rat, big.NewRat(1, 1)))
		_, err = verify.Certificate(context.Background(), in, &tampered)
		require.Error(t, err, "seed %d", seed)
		if len(read.Prices) > 0 {
			tampered = *read
			tampered.Prices = append([]*big.Int{}, read.Prices...)
			for i := range tampered.Prices {
				tampered.Prices[i] = new(big.Int).Mul(tampered.Prices[i], big.NewInt(3))
			}
			// Prices that earn what they cost, or nothing, may be anything: the claim stays
			// true, and its value is unchanged.
			tried++
			if _, err = verify.Certificate(context.Background(), in, &tampered); err != nil {
				refused++
			}
		}
	}
	t.Logf("%d bounds, %d equal the optimum, %d better than chain and area", solved, tight, better)
	t.Logf("%d of %d certificates refused with threefold prices", refused, tried)
	assert.Greater(t, tight, solved/3)
	assert.Greater(t, better, solved/10)
	assert.Greater(t, refused, tried/3) // in tiny instances many jobs share nothing, and nothing has a price
}

// TestKnownPlans compares the plans of schedules with the cheapest ones at random
// prices: a job in a schedule is never cheaper than the program permits. Columns
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
		prices := make([][]int64, len(s.Groups))
		for g := range prices {
			prices[g] = make([]int64, s.Calendar.Buckets())
			for b := range prices[g] {
				if s.Groups[g].Capacity > 0 {
					prices[g][b] = rng.Int64N(1000)
				}
			}
		}
		tariff, k := newTariff(s.Calendar, prices), &Scratch{}
		for c, plans := range s.known(schedule) {
			cheapest, ok := s.Pricers[c].Solve(tariff, k, exact.NoPrice)
			require.True(t, ok, "seed %d", seed)
			for _, p := range plans {
				sum := s.Classes[c].Plans.Weight * p.Completion
				for _, v := range p.Visits {
					sum += v.Repeat * priceAt(&columns.Alternative{Uses: v.Charges}, tariff, v.Start)
					if v.Charges[0].Group >= len(s.Model.Network.Pools) {
						synchronised++
					}
				}
				require.GreaterOrEqual(t, sum, cheapest.Price, "seed %d, class %d", seed, c)
			}
		}
	}
	t.Logf("%d synchronisations on links with rows", synchronised)
	assert.Positive(t, synchronised)
}
