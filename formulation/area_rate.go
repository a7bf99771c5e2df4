package formulation

import (
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// areaRates is the bound on the periodic objectives.
func (m *model) areaRates() Bound {
	b := m.chain()
	b.Kind = AreaBound
	take := func(v *big.Rat, l *load) {
		if v.Cmp(b.Value) < 0 {
			b.Value, b.Binding = v, []Binding{areaBinding(l)}
		}
	}
	if m.in.Objective == instance.MaxMinThroughput {
		for _, l := range m.loads() {
			need := new(big.Rat) // capacity per tick at normalised rate 1
			for _, item := range l.items {
				d := &m.demands[item.class]
				rate := big.NewRat(d.job.Weight*d.count(), int64(d.job.FastestFull()))
				need.Add(need, rate.Mul(rate, new(big.Rat).SetInt(item.amount)))
			}
			if need.Sign() > 0 {
				take(need.Quo(new(big.Rat).SetInt(l.capacity), need), &l)
			}
		}
		return b
	}
	sum, tight := new(big.Rat), load{}
	for _, l := range m.components() {
		v, full := m.knapsack(&l)
		sum.Add(sum, v)
		if full {
			tight = l
		}
	}
	if tight.capacity != nil {
		take(sum, &tight)
	}
	for _, l := range m.loads() {
		if v, full := m.knapsack(&l); full {
			in := make([]bool, len(m.demands))
			for _, item := range l.items {
				in[item.class] = true
			}
			for c := range m.demands {
				if d := &m.demands[c]; !in[c] && d.runs() {
					v.Add(v, big.NewRat(d.job.Weight*d.count(), max(1, int64(d.iteration))))
				}
			}
			take(v, &l)
		}
	}
	return b
}

// knapsack returns the largest sum of weighted rates that a load allows, and
// whether its capacity binds.
func (m *model) knapsack(l *load) (value *big.Rat, full bool) {
	items := slices.Clone(l.items)
	slices.SortStableFunc(items, func(a, b loadItem) int {
		left := new(big.Int).Mul(big.NewInt(m.demands[a.class].job.Weight), b.amount)
		right := new(big.Int).Mul(big.NewInt(m.demands[b.class].job.Weight), a.amount)
		return right.Cmp(left)
	})
	value = new(big.Rat)
	left := new(big.Rat).SetInt(l.capacity)
	for _, item := range items {
		d := &m.demands[item.class]
		if !d.runs() {
			continue
		}
		rate := big.NewRat(d.count(), max(1, int64(d.iteration)))
		amount := new(big.Rat).SetInt(item.amount)
		if use := new(big.Rat).Mul(rate, amount); use.Cmp(left) > 0 {
			rate.Quo(left, amount)
			full = true
		}
		left.Sub(left, new(big.Rat).Mul(rate, amount))
		value.Add(value, rate.Mul(rate, new(big.Rat).SetInt64(d.job.Weight)))
		if full {
			break
		}
	}
	return value, full
}

// The multipliers of areaCompletion are fractions of multiplierScale; the
// subgradient method takes at most completionSteps steps, and splits the jobs
// into at most completionParts parts in all.
const (
	multiplierScale = 64
	completionSteps = 16
	completionParts = 30_000
)
