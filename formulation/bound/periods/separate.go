package periods

import (
	"context"
	"math"

	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/fluid"
	"jigsaw/formulation/relax/periods"
	"jigsaw/solver"
)

// cutRounds is how often a node is cut before it is split.
const cutRounds = 6

// Limits on cuts: the fraction of a link that must be in use, the largest number of
// items, the fraction by which a point must violate a row, the size of weights, the
// rounds of a cover, and its cost for contents that do not fit.
const (
	leastLoad   = 0.5
	mostLoaded  = 25
	leastExcess = 1e-3
	weightScale = 10_000
	coverRounds = 100
	tooDear     = 10
)

// separate returns cuts that a point violates, at most one for each group of links.
func (t *search) separate(ctx context.Context, r *relaxation, x []float64) (cuts []*periods.Cut, err error) {
	for g := range r.Groups {
		link := periods.NewLinkContents(r.Program, r.Items(&r.Groups[g]))
		counts := countsOf(&r.Groups[g], link.Items, x)
		weights, err := t.cover(ctx, link, counts)
		if err != nil {
			return nil, err
		}
		if weights == nil {
			continue
		}
		held := 0.0
		for i, w := range weights {
			held += float64(w) * counts[i]
		}
		link.Weigh(weights)
		if _, most := link.Most(); held > float64(most)*(1+leastExcess) {
			cuts = append(cuts, &periods.Cut{Group: g, Weights: weights})
		}
	}
	return cuts, nil
}

// crowded returns the rate of a job that would overload links if the rates were
// exactly those of a point; -1 for none.
func (t *search) crowded(ctx context.Context, r *relaxation, x []float64) (int, error) {
	most, at := 0.0, -1
	for g := range r.Groups {
		group := &r.Groups[g]
		items := r.Items(group)
		for i := range items {
			if col := r.Rates.Cols[items[i].Shape]; col >= 0 {
				n := int64(math.Round(x[col]))
				items[i].Limit = relax.Interval{From: n, To: min(n, items[i].Limit.To)}
			}
		}
		counts := countsOf(group, items, x)
		weights, err := t.cover(ctx, periods.NewLinkContents(r.Program, items), counts)
		if err != nil {
			return -1, err
		}
		for i, w := range weights {
			if col := r.Rates.Cols[items[i].Shape]; col >= 0 && r.lower[col] < r.upper[col] && float64(w)*counts[i] > most {
				most, at = float64(w)*counts[i], col
			}
		}
	}
	return at, nil
}

// countsOf returns the average number of synchronisations of each item on a link of
// the group in a point.
func countsOf(g *fluid.LinkGroup, items []periods.LinkItem, x []float64) []float64 {
	counts := make([]float64, len(items))
	for i := range items {
		for _, u := range items[i].Uses {
			counts[i] += max(0, x[u.Col]) * float64(u.Times) / float64(g.Links)
		}
	}
	return counts
}

// cover returns weights at which the counts exceed the value of any contents of a link
// by as much as possible: the prices of the linear program of the fewest links whose
// contents cover the counts. It returns nil if the engine fails or one link suffices.
func (t *search) cover(ctx context.Context, link *periods.LinkContents, counts []float64) ([]int64, error) {
	load := 0.0
	var loaded []int // the items of the rows
	q := &solver.Problem{Name: "cover"}
	for i, n := range counts {
		if n > leastExcess {
			loaded = append(loaded, i)
			q.AddRow("", n, math.Inf(1))
			load += n * float64(link.Sizes[i][len(link.Sizes[i])-1]) / float64(max(1, len(link.Sizes[i])-1))
		}
	}
	if load < leastLoad*float64(link.Room) || len(loaded) > mostLoaded {
		return nil, nil
	}
	for row := range loaded {
		// Contents that do not fit, as initial columns.
		q.AddCol("", tooDear, 0, math.Inf(1), solver.Entry{Row: solver.Row(row), Value: 1})
	}
	live, err := t.engine.Load(q)
	if err != nil {
		return nil, nil
	}
	defer func() { _ = live.Close() }()
	weights := make([]int64, len(counts))
	for range coverRounds {
		s, err := live.Solve(ctx, solver.Limits{})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil || s.Status != solver.Optimal || len(s.RowDual) != len(loaded) || s.Objective <= 1+leastExcess {
			return nil, nil
		}
		for row, price := range s.RowDual {
			weights[loaded[row]] = int64(math.Round(max(0, min(price, tooDear)) * weightScale))
		}
		link.Weigh(weights)
		contents, worth := link.Most()
		if contents == nil {
			return nil, nil
		}
		if float64(worth) <= weightScale*(1+leastExcess/2) {
			return weights, nil
		}
		var entries []solver.Entry
		for row, i := range loaded {
			if contents[i] > 0 {
				entries = append(entries, solver.Entry{Row: solver.Row(row), Value: float64(contents[i])})
			}
		}
		if live.AddCols(solver.Column{Cost: 1, Upper: math.Inf(1), Entries: entries}) != nil {
			return nil, nil
		}
	}
	return nil, nil
}
