package jigsaw

import (
	"math/big"

	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// CostValues are what a plan costs where GPU types have prices, in their currency: of a plan that repeats, an
// hour of it. See docs/problem.md, section 5.
type CostValues struct {
	Plan *float64 `json:"plan"`
	// Exact is the same as a fraction.
	Exact string `json:"exact,omitempty"`
	// AtLeast is what no plan costs less than, in exact arithmetic; null of plans that repeat.
	AtLeast   *float64       `json:"at_least"`
	Baselines BaselineValues `json:"baselines"`
}

// Cost is what the plan costs, exactly; nil without one, or without prices.
func (r *Result) Cost() *big.Rat {
	return cost(r.Instance, r.Schedule, r.Blocks)
}

// Cost is what the baseline costs, exactly; nil without a schedule, or without prices.
func (b *Baseline) Cost() *big.Rat {
	return cost(b.Instance, b.Schedule, b.Blocks)
}

// LeastCost is what no plan of the instance costs less than; nil without prices, and for the periodic objectives.
func LeastCost(in *instance.Instance) *big.Rat {
	if !in.Priced() || in.Objective.Periodic() {
		return nil
	}
	return area.LeastCost(relax.New(in))
}

func cost(in *instance.Instance, s *instance.Schedule, b *instance.BlockSchedule) *big.Rat {
	switch {
	case in == nil || !in.Priced():
		return nil
	case b != nil:
		return in.BlockCost(b)
	case s != nil:
		return in.Cost(s)
	}
	return nil
}

// costs are the figures of the document; nil where nothing has a price.
func (r *Result) costs() *CostValues {
	if !r.Instance.Priced() {
		return nil
	}
	c := &CostValues{
		Plan: number(r.Cost()), AtLeast: number(LeastCost(r.Instance)),
		Baselines: r.baselines(func(b *Baseline) *float64 { return number(b.Cost()) }),
	}
	if v := r.Cost(); v != nil {
		c.Exact = v.RatString()
	}
	return c
}
