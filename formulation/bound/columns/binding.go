package columns

import (
	"math/big"

	"jigsaw/formulation/bound"
)

// bindings says which resources limit the plan, given the prices of a bound of that value: growing
// a resource by a factor 1 + e reduces the bound by e times the cost of all of it. For makespan
// the prices give shares only: if the capacity in the time before the due costs what the jobs pay,
// growing one resource by its share takes as much off the time.
func (s *Master) bindings(prices [][]int64, value *big.Rat) []bound.Binding {
	costs, total := make([]float64, len(s.Groups)), 0.0
	for g := range s.Groups {
		for _, price := range prices[g] {
			costs[g] += float64(price) * float64(s.Groups[g].Capacity) * float64(s.Calendar.Width)
		}
		total += costs[g]
	}
	if !s.Theta {
		total, _ = value.Float64()
		total *= float64(s.Scale)
	}
	var found []bound.Binding
	for g, cost := range costs {
		if cost == 0 {
			continue
		}
		at := &s.Groups[g]
		found = append(found, bound.Binding{Resource: at.Resource, Subject: at.Subject, Row: at.Name, Effect: -cost / total})
	}
	return bound.Bindings(s.Model.Instance.Objective, found)
}
