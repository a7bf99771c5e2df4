package solver_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
)

// contradiction is x + y <= 1, x - y <= -3, x in [0, inf), y in [0, 10]: adding
// both rows gives 2x <= -2.
func contradiction() *solver.Problem {
	p := &solver.Problem{}
	p.AddRow("sum", -inf, 1)
	p.AddRow("difference", -inf, -3)
	p.AddCol("x", 1, 0, inf, solver.Entry{Row: 0, Value: 1}, solver.Entry{Row: 1, Value: 1})
	p.AddCol("y", 1, 0, 10, solver.Entry{Row: 0, Value: 1}, solver.Entry{Row: 1, Value: -1})
	return p
}

func TestCheckFarkas(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ray  []float64
		want string // of the error, empty for a proof
	}{
		"proof":                     {[]float64{-1, -1}, ""},
		"proof of another scale":    {[]float64{-1e-7, -1e-7}, ""},
		"proof with a bounded term": {[]float64{-1, -1.001}, ""},
		"the opposite sign":         {[]float64{1, 1}, "no bound on that side"},
		"one row alone":             {[]float64{0, -1}, "proves nothing"},
		"an unlimited column":       {[]float64{-1, 0.5}, "no bound on that side"},
		"zero":                      {[]float64{0, 0}, "all zero"},
		"not a number":              {[]float64{math.NaN(), -1}, "not finite"},
		"infinite":                  {[]float64{-inf, -1}, "not finite"},
		"of the wrong length":       {[]float64{-1}, "has length 1, want 2 rows"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := solver.CheckFarkas(contradiction(), c.ray)
			if c.want == "" {
				require.NoError(t, err)
				require.NoError(t, solver.Verify(contradiction(), &solver.Solution{Status: solver.Infeasible, Ray: c.ray}))
				return
			}
			require.ErrorContains(t, err, c.want)
			require.Error(t, solver.Verify(contradiction(), &solver.Solution{Status: solver.Infeasible, Ray: c.ray}))
		})
	}
}

// A ray never proves a feasible program infeasible: at the border, one step
// within, and with a column whose bound gives the slack.
func TestCheckFarkasOnFeasiblePrograms(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(p *solver.Problem){
		"just feasible":   func(p *solver.Problem) { p.RowUpper[1] = -1 },
		"feasible":        func(p *solver.Problem) { p.RowUpper[1] = 5 },
		"a lower bound":   func(p *solver.Problem) { p.ColLower[0] = -2 },
		"no lower bound":  func(p *solver.Problem) { p.ColLower[0] = -inf },
		"no upper bounds": func(p *solver.Problem) { p.RowUpper[0], p.RowUpper[1] = inf, inf },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := contradiction()
			change(p)
			require.Error(t, solver.CheckFarkas(p, []float64{-1, -1}))
		})
	}
}

// descent is min -x, x - y <= 1, x, y >= 0: unbounded along (1, 1).
func descent() *solver.Problem {
	p := &solver.Problem{}
	p.AddRow("", -inf, 1)
	p.AddCol("x", -1, 0, inf, solver.Entry{Row: 0, Value: 1})
	p.AddCol("y", 0, 0, inf, solver.Entry{Row: 0, Value: -1})
	return p
}

func TestCheckRay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ray  []float64
		want string
	}{
		"ray":                  {[]float64{1, 1}, ""},
		"another ray":          {[]float64{1, 2}, ""},
		"ray of another scale": {[]float64{1e6, 1e6}, ""},
		"against a row":        {[]float64{1, 0.5}, "row 0 moves by 0.5 against a bound"},
		"against a column":     {[]float64{1, -1}, `column 1 "y" moves by -1 against a bound`},
		"the opposite sign":    {[]float64{-1, -1}, "against a bound"},
		"no descent":           {[]float64{0, 1}, "improves nothing"},
		"zero":                 {[]float64{0, 0}, "all zero"},
		"of the wrong length":  {[]float64{1}, "has length 1, want 2 columns"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := solver.CheckRay(descent(), c.ray)
			if c.want == "" {
				require.NoError(t, err)
				require.NoError(t, solver.Verify(descent(), &solver.Solution{Status: solver.Unbounded, Ray: c.ray}))
				return
			}
			require.ErrorContains(t, err, c.want)
			require.Error(t, solver.Verify(descent(), &solver.Solution{Status: solver.Unbounded, Ray: c.ray}))
		})
	}
}
