package assign

import (
	"math"
	"slices"

	"jigsaw/formulation/instance"
)

const (
	// mostGood is the largest number of types of GPUs that a job is moved to.
	mostGood = 10
	// Prices are updated this many times, but at most priceWork pairs of jobs and
	// types in all, and at least leastUpdates times.
	updates, leastUpdates, priceWork = 300, 20, 20_000_000
)

// prices finds the prices of the GPUs, the bound, and the good types of every job.
func (s *Search) prices() {
	types, jobs := len(s.in.Types), len(s.in.Jobs)
	price := make([]float64, types) // of a tick of all GPUs of the type together
	gpus := 0
	for t := range price {
		gpus += len(s.gpus[t])
	}
	for t := range price {
		price[t] = float64(len(s.gpus[t])) / float64(gpus)
	}
	most, best := 0.0, slices.Clone(price)
	load := make([]float64, types)
	for n := range min(updates, max(leastUpdates, priceWork/(jobs*types))) {
		clear(load)
		value := 0.0
		for j := range s.in.Jobs {
			cheapest, t := s.cheapest(j, price)
			value += cheapest
			load[t] += float64(s.row(j)[t]) / float64(len(s.gpus[t]))
		}
		if value > most {
			most = value
			copy(best, price)
		}
		step, sum := 0.5/(1+float64(0.05*float64(n))), 0.0
		for t := range price {
			price[t] *= math.Exp2(float64(step * (load[t]/most - 1)))
			sum += price[t]
		}
		for t := range price {
			price[t] /= sum
		}
	}
	// Prices sum to 1 over the GPUs, so T is at least their value; the factor allows
	// for floating-point rounding.
	s.bound = max(1, int64(math.Ceil(most*(1-1e-9))))
	s.price = make([]float64, len(s.load))
	for t, list := range s.gpus {
		for _, g := range list {
			s.price[g] = best[t] / float64(len(list)) * float64(gpus)
		}
	}
	s.good = make([][]instance.TypeID, jobs)
	for j := range s.in.Jobs {
		s.bound = max(s.bound, s.shortest(j))
		for t, w := range s.row(j) {
			if w >= 0 {
				s.good[j] = append(s.good[j], instance.TypeID(t))
			}
		}
		slices.SortStableFunc(s.good[j], func(a, b instance.TypeID) int {
			x, y := s.cost(j, a, best), s.cost(j, b, best)
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
		s.good[j] = s.good[j][:min(len(s.good[j]), mostGood)]
	}
}

// cost of job j on a GPU of type t.
func (s *Search) cost(j int, t instance.TypeID, price []float64) float64 {
	return price[t] / float64(len(s.gpus[t])) * float64(s.row(j)[t])
}

// cheapest returns the least cost of job j, and the type with that cost.
func (s *Search) cheapest(j int, price []float64) (least float64, at int) {
	least = math.Inf(1)
	for t, w := range s.row(j) {
		if w < 0 {
			continue
		}
		if c := s.cost(j, instance.TypeID(t), price); c < least {
			least, at = c, t
		}
	}
	return least, at
}

// shortest is the least work of job j.
func (s *Search) shortest(j int) int64 {
	least := int64(math.MaxInt64)
	for _, w := range s.row(j) {
		if w >= 0 {
			least = min(least, w)
		}
	}
	return least
}
