package lptest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"jigsaw/solver"
)

// family is a kind of program.
type family struct {
	name  string
	build func(rng *rand.Rand) planted
}

// steady returns the families whose numbers stay small. Changes with numbers of
// ordinary size turn a rescaled program into one that is feasible only at values
// beyond 1e9, where tolerances decide instead of the data.
func steady() []family {
	return slices.DeleteFunc(slices.Clone(families), func(f family) bool { return strings.HasPrefix(f.name, "rescaled") })
}

var families = []family{
	{"planted", func(rng *rand.Rand) planted {
		return plantOptimal(rng, shape{rows: 5 + rng.IntN(20), cols: 5 + rng.IntN(30), density: 0.3, degenerate: 0.2, equality: 0.1})
	}},
	{"dense", func(rng *rand.Rand) planted {
		return plantOptimal(rng, shape{rows: 5 + rng.IntN(20), cols: 5 + rng.IntN(30), density: 1, degenerate: 0.1})
	}},
	{"degenerate", func(rng *rand.Rand) planted {
		return plantOptimal(rng, shape{rows: 10 + rng.IntN(20), cols: 10 + rng.IntN(20), density: 0.4, degenerate: 0.9, equality: 0.2})
	}},
	{"equality", func(rng *rand.Rand) planted {
		return plantOptimal(rng, shape{rows: 5 + rng.IntN(10), cols: 20 + rng.IntN(20), density: 0.4, degenerate: 0.3, equality: 1})
	}},
	{"hollow", func(rng *rand.Rand) planted { // mostly empty rows and columns
		return plantOptimal(rng, shape{rows: 1 + rng.IntN(8), cols: 1 + rng.IntN(8), density: 0.08, degenerate: 0.3, equality: 0.1})
	}},
	{"rescaled", func(rng *rand.Rand) planted {
		s := plantOptimal(rng, shape{rows: 5 + rng.IntN(15), cols: 5 + rng.IntN(20), density: 0.3, degenerate: 0.2, equality: 0.1})
		s.problem = rescale(rng, s.problem, 3)
		return s
	}},
	{"infeasible", func(rng *rand.Rand) planted {
		return plantInfeasible(rng, shape{rows: 2 + rng.IntN(15), cols: 2 + rng.IntN(20), density: 0.4, degenerate: 0.2, equality: 0.2})
	}},
	{"unbounded", func(rng *rand.Rand) planted {
		return plantUnbounded(rng, shape{rows: 2 + rng.IntN(15), cols: 2 + rng.IntN(20), density: 0.4, degenerate: 0.2, equality: 0.2})
	}},
	{"rescaled infeasible", func(rng *rand.Rand) planted {
		s := plantInfeasible(rng, shape{rows: 2 + rng.IntN(15), cols: 2 + rng.IntN(20), density: 0.4, degenerate: 0.2, equality: 0.2})
		s.problem = rescale(rng, s.problem, 2)
		return s
	}},
	{"rescaled unbounded", func(rng *rand.Rand) planted {
		s := plantUnbounded(rng, shape{rows: 2 + rng.IntN(15), cols: 2 + rng.IntN(20), density: 0.4, degenerate: 0.2, equality: 0.2})
		s.problem = rescale(rng, s.problem, 2)
		return s
	}},
	{"transport", transport},
	{"set partitioning", setPartitioning},
	{"staircase", staircase},
}

// transport moves goods from sources to sinks. The optimum is planted by
// potentials: goods move only where cost = potential difference, and every other
// road costs more.
func transport(rng *rand.Rand) planted {
	sources, sinks := 2+rng.IntN(8), 2+rng.IntN(8)
	supply := make([]float64, sources)
	demand := make([]float64, sinks)
	u, v := make([]float64, sources), make([]float64, sinks)
	for i := range u {
		u[i] = within(rng, 0, 9)
	}
	for k := range v {
		v[k] = within(rng, 10, 20)
	}
	roads := make([]float64, sources*sinks) // cost, by source and sink
	objective := 0.0
	for i := range sources {
		for k := range sinks {
			cost := v[k] - u[i]
			if rng.IntN(3) > 0 {
				cost += within(rng, 0, 5)
			} else {
				flow := within(rng, 0, 9)
				supply[i] += flow
				demand[k] += flow
				objective += flow * cost
			}
			roads[i*sinks+k] = cost
		}
	}
	p := &solver.Problem{Name: "transport"}
	for i, s := range supply {
		p.AddRow(fmt.Sprintf("source%d", i), s, s) // balanced: one row too many
	}
	for k, d := range demand {
		p.AddRow(fmt.Sprintf("sink%d", k), d, d)
	}
	for i := range sources {
		for k := range sinks {
			p.AddCol(fmt.Sprintf("move%d_%d", i, k), roads[i*sinks+k], 0, infinity,
				solver.Entry{Row: solver.Row(i), Value: 1}, solver.Entry{Row: solver.Row(sources + k), Value: 1})
		}
	}
	return planted{problem: p, status: solver.Optimal, objective: objective}
}

// setPartitioning covers every element once. A hidden partition has exactly the
// price of its elements, every other set at least that, so it is optimal.
func setPartitioning(rng *rand.Rand) planted {
	elements := 4 + rng.IntN(12)
	price := make([]float64, elements)
	objective := 0.0
	p := &solver.Problem{Name: "set partitioning"}
	for i := range price {
		price[i] = within(rng, 1, 9)
		objective += price[i]
		p.AddRow(fmt.Sprintf("element%d", i), 1, 1)
	}
	add := func(set []int, surcharge float64) {
		var entries []solver.Entry
		for _, i := range set {
			surcharge += price[i]
			entries = append(entries, solver.Entry{Row: solver.Row(i), Value: 1})
		}
		p.AddCol("", surcharge, 0, infinity, entries...)
	}
	for range 3 * elements {
		add(rng.Perm(elements)[:1+rng.IntN(min(4, elements))], within(rng, 0, 3))
	}
	for hidden := rng.Perm(elements); len(hidden) > 0; {
		take := min(len(hidden), 1+rng.IntN(4))
		add(hidden[:take], 0)
		hidden = hidden[take:]
	}
	return planted{problem: p, status: solver.Optimal, objective: objective}
}

// staircase is production with stock over periods: each row links two periods.
// If prices never rise by more than the cost of holding stock, and capacity
// suffices, making everything in its own period is optimal.
func staircase(rng *rand.Rand) planted {
	periods := 3 + rng.IntN(20)
	p := &solver.Problem{Name: "staircase"}
	objective, price := 0.0, within(rng, 5, 9)
	prices := make([]float64, periods)
	holding := make([]float64, periods)
	for t := range periods {
		demand := within(rng, 0, 9)
		prices[t] = price
		objective += price * demand
		p.AddRow(fmt.Sprintf("balance%d", t), demand, demand)
		holding[t] = within(rng, 0, 2)
		price = max(1, price+within(rng, -3, int(holding[t])))
	}
	for t := range periods {
		p.AddCol(fmt.Sprintf("make%d", t), prices[t], 0, within(rng, 9, 20), solver.Entry{Row: solver.Row(t), Value: 1})
		if t+1 < periods {
			p.AddCol(fmt.Sprintf("stock%d", t), holding[t], 0, infinity,
				solver.Entry{Row: solver.Row(t), Value: -1}, solver.Entry{Row: solver.Row(t + 1), Value: 1})
		}
	}
	return planted{problem: p, status: solver.Optimal, objective: objective}
}
