package report

import (
	"fmt"
	"math"
	"slices"

	"jigsaw/study/store"
)

// figure of a row, possibly unknown.
type figure func(*store.Row) (value float64, ok bool)

// column makes a figure of a row's field, or of a value computed from several.
func column(of func(*store.Row) *float64) figure {
	return func(r *store.Row) (float64, bool) {
		if v := of(r); v != nil {
			return *v, true
		}
		return 0, false
	}
}

// gain makes a figure of how much better one value is than another, as a fraction of
// it.
func gain(of, over func(*store.Row) *float64) figure {
	return func(r *store.Row) (float64, bool) {
		if ratio := r.Ratio(over(r), of(r)); ratio != nil {
			return *ratio - 1, true
		}
		return 0, false
	}
}

// The values that are compared.
func queue(r *store.Row) *float64            { return r.Queue }
func exclusive(r *store.Row) *float64        { return r.Exclusive }
func interleaved(r *store.Row) *float64      { return r.InterleavedFull }
func fewerExclusive(r *store.Row) *float64   { return r.FewerExclusive }
func fewerInterleaved(r *store.Row) *float64 { return r.FewerInterleaved }
func planned(r *store.Row) *float64          { return r.Plan }
func most(r *store.Row) *float64             { return proven(r, r.Bound) }

// The gains that are reported.
var (
	overQueue                = gain(planned, queue)
	overExclusive            = gain(planned, exclusive)
	overInterleaved          = gain(planned, interleaved)
	overFewerExclusive       = gain(planned, fewerExclusive)
	overFewerInterleaved     = gain(planned, fewerInterleaved)
	mostOverExclusive        = gain(most, exclusive)
	mostOverInterleaved      = gain(most, interleaved)
	interleavedOverExclusive = gain(interleaved, exclusive)
	fewerOverInterleaved     = gain(fewerInterleaved, interleaved)
)

// proven is the value of a bound that exact arithmetic has confirmed, otherwise nil.
func proven(r *store.Row, of *float64) *float64 {
	if !r.Certified {
		return nil
	}
	return of
}

// mostEfficiency is the efficiency that no schedule exceeds.
func mostEfficiency(r *store.Row) *float64 { return proven(r, r.BoundEfficiency) }

// spread of a figure over rows: it is known for N of them.
type spread struct {
	Median, Low, High float64
	N, Of             int
}

func spreadOf(rows []*store.Row, of figure) spread {
	var values []float64
	for _, r := range rows {
		if v, ok := of(r); ok {
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

// percent writes the median, and the range if there is one.
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

// median is its text, with the number of rows if that is not all of them.
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
