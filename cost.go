package jigsaw

import (
	"math/big"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// CostValues are what a plan costs where GPU types have prices, in their currency: of a plan that repeats, an
// hour of it. See docs/problem.md, section 5.
type CostValues struct {
	Plan *float64 `json:"plan"`
	// Exact is the same as a fraction.
	Exact string `json:"exact,omitempty"`
	// AtLeast is a lower bound on the cost of all plans, in exact arithmetic; null for plans that repeat.
	AtLeast   *float64       `json:"at_least"`
	Baselines BaselineValues `json:"baselines"`
}

// Cost is what the plan costs, exactly; nil without one, or without prices.
func (r *Result) Cost() *big.Rat {
	return cost(r.Instance, r.plan())
}

// Cost is what the baseline costs, exactly; nil without a schedule, or without prices.
func (b *Baseline) Cost() *big.Rat {
	return cost(b.Instance, planOf(b.Schedule, b.Blocks))
}

// LeastCost is a lower bound on the cost of all plans of the instance; nil without prices, and for the periodic objectives.
func LeastCost(in *instance.Instance) *big.Rat {
	if !in.Priced() || in.Objective.Periodic() {
		return nil
	}
	return relax.New(in).LeastCost()
}

func cost(in *instance.Instance, p instance.Plan) *big.Rat {
	if p == nil || !in.Priced() {
		return nil
	}
	return in.Cost(p)
}

// costs are the figures of the document; nil where nothing has a price.
func (r *Result) costs() *CostValues {
	if !r.Instance.Priced() {
		return nil
	}
	c := &CostValues{
		Plan: Number(r.Cost()), AtLeast: Number(LeastCost(r.Instance)),
		Baselines: r.baselines(func(b *Baseline) *float64 { return Number(b.Cost()) }),
	}
	if v := r.Cost(); v != nil {
		c.Exact = v.RatString()
	}
	return c
}
