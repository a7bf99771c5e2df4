package report

import (
	"fmt"
	"math"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/study/store"
)

// gain of a value over a baseline's; ok is false where one is not known.
func gain(r *store.Row, value, baseline *float64) (g float64, ok bool) {
	if value == nil || baseline == nil || *value <= 0 || *baseline <= 0 {
		return 0, false
	}
	if instance.Objective(r.Objective).Periodic() {
		return *value / *baseline - 1, true
	}
	return *baseline / *value - 1, true
}

// The gains that are reported.
func overExclusive(r *store.Row) (float64, bool)       { return gain(r, r.Plan, r.Exclusive) }
func overInterleaved(r *store.Row) (float64, bool)     { return gain(r, r.Plan, r.InterleavedFull) }
func mostOverExclusive(r *store.Row) (float64, bool)   { return gain(r, r.Bound, r.Exclusive) }
func mostOverInterleaved(r *store.Row) (float64, bool) { return gain(r, r.Bound, r.InterleavedFull) }
func interleavedOverExclusive(r *store.Row) (float64, bool) {
	return gain(r, r.InterleavedFull, r.Exclusive)
}

// known makes a figure of a column that may be unknown.
func known(of func(*store.Row) *float64) func(*store.Row) (float64, bool) {
	return func(r *store.Row) (float64, bool) {
		if v := of(r); v != nil {
			return *v, true
		}
		return 0, false
	}
}

// spread of a figure over rows.
type spread struct {
	Median, Low, High float64
	N                 int
}

func spreadOf(rows []*store.Row, figure func(*store.Row) (float64, bool)) spread {
	var values []float64
	for _, r := range rows {
		if v, ok := figure(r); ok {
			values = append(values, v)
		}
	}
	return spreadOfValues(values)
}

// spreadOfValues sorts the values.
func spreadOfValues(values []float64) spread {
	n := len(values)
	if n == 0 {
		return spread{Median: math.NaN(), Low: math.NaN(), High: math.NaN()}
	}
	slices.Sort(values)
	return spread{(values[(n-1)/2] + values[n/2]) / 2, values[0], values[n-1], n}
}

// percent writes the median, and the range where there is one.
func (s spread) percent() string {
	switch {
	case s.N == 0:
		return "–"
	case math.Round(100*s.Low) == math.Round(100*s.High):
		return signed(s.Median)
	}
	return fmt.Sprintf("%s (%+.0f … %+.0f)", signed(s.Median), percents(s.Low), percents(s.High))
}

// share writes the median as a percentage without a sign.
func (s spread) share() string {
	if s.N == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*s.Median)
}

// number writes the median.
func (s spread) number() string {
	if s.N == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f", s.Median)
}
