package lptest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"jigsaw/solver"
)

// planted is a program whose answer is known by construction.
type planted struct {
	problem   *solver.Problem
	status    solver.Status
	objective float64 // the optimum, where status is Optimal
}

// shape controls the construction of a planted program.
type shape struct {
	rows, cols int
	density    float64 // fraction of nonzero coefficients
	// degenerate is the fraction of active bounds whose multiplier is nevertheless
	// zero, and of nonbasic values that are moved to a bound.
	degenerate float64
	equality   float64 // fraction of rows with two equal bounds
}

var infinity = math.Inf(1)

// random is the generator for a seed.
func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x4c50)) }

// within returns an integer from low to high as a float64.
func within(rng *rand.Rand, low, high int) float64 {
	return float64(low + rng.IntN(high-low+1))
}

// plantOptimal builds a program around a primal point x and duals y, d with small
// integers everywhere: bounds are placed so that every multiplier has the sign
// its bound requires, and c = A'y + d. By weak duality x is optimal.
func plantOptimal(rng *rand.Rand, s shape) planted {
	p := &solver.Problem{Name: "planted"}
	x := make([]float64, s.cols)
	entries := make([][]solver.Entry, s.cols)
	activity := make([]float64, s.rows)
	for j := range x {
		x[j] = within(rng, -5, 5)
		for i := range s.rows {
			if rng.Float64() >= s.density {
				continue
			}
			a := within(rng, -4, 5)
			if a == 0 {
				continue // a structural hole, so that empty columns occur
			}
			entries[j] = append(entries[j], solver.Entry{Row: solver.Row(i), Value: a})
			activity[i] += a * x[j]
		}
	}
	y := make([]float64, s.rows)
	for i, at := range activity {
		lower, upper, multiplier := bounds(rng, at, s)
		if rng.Float64() < s.equality {
			lower, upper, multiplier = at, at, within(rng, -3, 3)
		}
		y[i] = multiplier
		p.AddRow(fmt.Sprintf("r%d", i), lower, upper)
	}
	objective := 0.0
	for j := range x {
		lower, upper, cost := bounds(rng, x[j], s)
		for _, e := range entries[j] {
			cost += e.Value * y[e.Row]
		}
		p.AddCol(fmt.Sprintf("x%d", j), cost, lower, upper, entries[j]...)
		objective += cost * x[j]
	}
	return planted{problem: p, status: solver.Optimal, objective: objective}
}

// bounds places bounds around a value, and returns a multiplier that fits them.
func bounds(rng *rand.Rand, at float64, s shape) (lower, upper, multiplier float64) {
	multiplier = within(rng, 1, 6)
	if rng.Float64() < s.degenerate {
		multiplier = 0
	}
	switch rng.IntN(8) {
	case 0: // at a lower bound, no upper
		return at, infinity, multiplier
	case 1: // at an upper bound, no lower
		return -infinity, at, -multiplier
	case 2: // at the lower of two
		return at, at + within(rng, 1, 6), multiplier
	case 3: // at the upper of two
		return at - within(rng, 1, 6), at, -multiplier
	case 4: // fixed
		return at, at, within(rng, -6, 6)
	case 5: // strictly between two
		return at - within(rng, 1, 6), at + within(rng, 1, 6), 0
	case 6: // off one bound
		return at - within(rng, 0, 6), infinity, 0
	}
	if rng.Float64() < s.degenerate {
		return at, infinity, 0
	}
	return -infinity, infinity, 0
}

// plantInfeasible adds a row to a feasible program that contradicts a
// combination of its other rows and column bounds by at least 1, and shuffles
// the result.
func plantInfeasible(rng *rand.Rand, s shape) planted {
	p := plantOptimal(rng, s).problem
	combination := make([]float64, p.Cols()) // by Col
	most := 0.0                              // the largest value it can take
	// take adds weight * v, v between the two bounds, if that has a maximum.
	take := func(lower, upper float64) (weight float64) {
		weight = within(rng, -2, 2)
		switch bound := upper; {
		case weight < 0:
			bound = lower
			fallthrough
		default:
			if weight == 0 || math.IsInf(bound, 0) {
				return 0
			}
			most += weight * bound
			return weight
		}
	}
	weights := make([]float64, p.Rows())
	for i := range weights {
		weights[i] = take(p.RowLower[i], p.RowUpper[i])
	}
	for j := range combination {
		rows, values := p.Column(solver.Col(j))
		for k, i := range rows {
			combination[j] += weights[i] * values[k]
		}
		combination[j] += take(p.ColLower[j], p.ColUpper[j])
	}
	q := &solver.Problem{Name: p.Name}
	for i, name := range p.RowNames {
		q.AddRow(name, p.RowLower[i], p.RowUpper[i])
	}
	row := q.AddRow("contradiction", most+within(rng, 1, 5), infinity)
	for j, v := range combination {
		rows, values := p.Column(solver.Col(j))
		var entries []solver.Entry
		for k, i := range rows {
			entries = append(entries, solver.Entry{Row: i, Value: values[k]})
		}
		if v != 0 {
			entries = append(entries, solver.Entry{Row: row, Value: v})
		}
		q.AddCol(p.ColNames[j], p.Cost[j], p.ColLower[j], p.ColUpper[j], entries...)
	}
	return planted{problem: shuffle(rng, q), status: solver.Infeasible}
}

// plantUnbounded adds columns to a feasible program that can increase together
// without changing any row, at negative cost.
func plantUnbounded(rng *rand.Rand, s shape) planted {
	p := plantOptimal(rng, s).problem
	sum := make([]float64, p.Rows())
	count := 2 + rng.IntN(3)
	cost := 0.0
	for k := range count {
		var entries []solver.Entry
		for i := range sum {
			v := -sum[i]
			if k < count-1 {
				v = 0
				if rng.Float64() < s.density {
					v = within(rng, -4, 4)
				}
			}
			sum[i] += v
			if v != 0 {
				entries = append(entries, solver.Entry{Row: solver.Row(i), Value: v})
			}
		}
		c := within(rng, -5, 5)
		if k == count-1 {
			c = -cost - within(rng, 1, 5)
		}
		cost += c
		p.AddCol(fmt.Sprintf("ray%d", k), c, -within(rng, 0, 1), infinity, entries...)
	}
	return planted{problem: shuffle(rng, p), status: solver.Unbounded}
}

// shuffle permutes rows, columns, and the entries within the columns.
func shuffle(rng *rand.Rand, p *solver.Problem) *solver.Problem {
	out := &solver.Problem{Name: p.Name}
	rows, cols := rng.Perm(p.Rows()), rng.Perm(p.Cols())
	to := make([]solver.Row, p.Rows())
	for _, i := range rows {
		to[i] = out.AddRow(name(p.RowNames, i), p.RowLower[i], p.RowUpper[i])
	}
	for _, j := range cols {
		from, values := p.Column(solver.Col(j))
		entries := make([]solver.Entry, len(from))
		for at, k := range rng.Perm(len(from)) {
			entries[at] = solver.Entry{Row: to[from[k]], Value: values[k]}
		}
		out.AddCol(name(p.ColNames, j), p.Cost[j], p.ColLower[j], p.ColUpper[j], entries...)
	}
	return out
}

func name(names []string, at int) string {
	if names == nil {
		return ""
	}
	return names[at]
}

// rescale multiplies every row, and divides every variable, by a power of ten
// from 10^-range to 10^range. The optimum is unchanged.
func rescale(rng *rand.Rand, p *solver.Problem, exponents int) *solver.Problem {
	out := &solver.Problem{Name: p.Name + ", rescaled"}
	rows := make([]float64, p.Rows())
	for i := range rows {
		rows[i] = math.Pow10(int(within(rng, -exponents, exponents)))
		out.AddRow(name(p.RowNames, i), p.RowLower[i]*rows[i], p.RowUpper[i]*rows[i])
	}
	for j := range p.Cols() {
		unit := math.Pow10(int(within(rng, -exponents, exponents)))
		from, values := p.Column(solver.Col(j))
		entries := make([]solver.Entry, len(from))
		for k, i := range from {
			entries[k] = solver.Entry{Row: i, Value: values[k] * rows[i] * unit}
		}
		out.AddCol(name(p.ColNames, j), p.Cost[j]*unit, p.ColLower[j]/unit, p.ColUpper[j]/unit, entries...)
	}
	return out
}
