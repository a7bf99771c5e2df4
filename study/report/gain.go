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
func overExclusive(r *store.Row) (float64, bool)     { return gain(r, r.Plan, r.Exclusive) }
func overInterleaved(r *store.Row) (float64, bool)   { return gain(r, r.Plan, r.InterleavedFull) }
func mostOverExclusive(r *store.Row) (float64, bool) { return gain(r, proven(r, r.Bound), r.Exclusive) }
func mostOverInterleaved(r *store.Row) (float64, bool) {
	return gain(r, proven(r, r.Bound), r.InterleavedFull)
}
func interleavedOverExclusive(r *store.Row) (float64, bool) {
	return gain(r, r.InterleavedFull, r.Exclusive)
}

// proven is what a row says of its bound, nil where exact arithmetic has not confirmed it.
func proven(r *store.Row, of *float64) *float64 {
	if !r.Certified {
		return nil
	}
	return of
}

// mostEfficiency is the efficiency that no schedule exceeds.
func mostEfficiency(r *store.Row) *float64 { return proven(r, r.BoundEfficiency) }

// known makes a figure of a column that may be unknown.
func known(of func(*store.Row) *float64) func(*store.Row) (float64, bool) {
	return func(r *store.Row) (float64, bool) {
		if v := of(r); v != nil {
			return *v, true
		}
		return 0, false
	}
}

// spread of a figure over rows: it is known of N of them.
type spread struct {
	Median, Low, High float64
	N, Of             int
}

func spreadOf(rows []*store.Row, figure func(*store.Row) (float64, bool)) spread {
	var values []float64
	for _, r := range rows {
		if v, ok := figure(r); ok {
			values = append(values, v)
		}
	}
	s := spreadOfValues(values)
	s.Of = len(rows)
	return s
}

// spreadOfValues sorts the values.
func spreadOfValues(values []float64) spread {
	n := len(values)
	if n == 0 {
		return spread{Median: math.NaN(), Low: math.NaN(), High: math.NaN()}
	}
	slices.Sort(values)
	return spread{(values[(n-1)/2] + values[n/2]) / 2, values[0], values[n-1], n, n}
}

// percent writes the median, and the range where there is one.
func (s spread) percent() string {
	switch {
	case s.N == 0:
		return "–"
	case math.Round(100*s.Low) == math.Round(100*s.High):
		return s.signed()
	}
	n := ""
	if s.N < s.Of {
		n = fmt.Sprintf(", n = %d", s.N)
	}
	return fmt.Sprintf("%s (%+.0f … %+.0f%s)", signed(s.Median), percents(s.Low), percents(s.High), n)
}

// signed writes the median as a percentage with its sign.
func (s spread) signed() string { return s.median(signed(s.Median)) }

// median is the text of it, with the number of rows where that is not all of them.
func (s spread) median(text string) string {
	switch s.N {
	case 0:
		return "–"
	case s.Of:
		return text
	}
	return fmt.Sprintf("%s (n = %d)", text, s.N)
}

// share writes the median as a percentage without a sign.
func (s spread) share() string { return s.median(fmt.Sprintf("%.1f %%", 100*s.Median)) }

// number writes the median.
func (s spread) number() string { return s.median(fmt.Sprintf("%.3f", s.Median)) }
