package clp

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
)

// The pairs are those of ClpModel.hpp, problemStatus and secondaryStatus.
func TestOutcome(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status, secondary int32
		want              solver.Status
	}{
		"optimal":                                  {0, 0, solver.Optimal},
		"optimal, scaled only: a claim to check":   {0, 2, solver.Optimal},
		"optimal, scaled only, dual":               {0, 3, solver.Optimal},
		"optimal, scaled only, both":               {0, 4, solver.Optimal},
		"primal infeasible":                        {1, 0, solver.Infeasible},
		"primal infeasible, failed empty check":    {1, 6, solver.Infeasible},
		"dual infeasible":                          {2, 0, solver.Unbounded},
		"dual infeasible, secondary 1 means less":  {2, 1, solver.Unbounded},
		"stopped on iterations":                    {3, 0, solver.IterationLimit},
		"stopped on time":                          {3, 9, solver.TimeLimit},
		"stopped while primal infeasible":          {3, 10, solver.IterationLimit},
		"stopped by errors":                        {4, 0, solver.Numerical},
		"stopped by a bad element":                 {4, 8, solver.Numerical},
		"interrupted from this side":               {5, 0, solver.IterationLimit},
		"never solved":                             {-1, 0, solver.Numerical},
		"an internal status that leaked":           {10, 0, solver.Numerical},
		"on time without having stopped is no end": {0, 9, solver.Optimal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, outcome(c.status, c.secondary))
		})
	}
}

func TestInfinitiesCross(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	require.Equal(t, []float64{-math.MaxFloat64, -3, 0, 1e19, math.MaxFloat64}, toCoin([]float64{-inf, -3, 0, 1e19, inf}))
	for _, v := range []float64{-inf, -3, 0, 1e19, inf} {
		require.Equal(t, v, fromCoin(toCoin([]float64{v})[0]))
	}
}

func TestBasisCrosses(t *testing.T) {
	t.Parallel()
	want := &solver.Basis{
		Cols: []solver.VarStatus{solver.Basic, solver.AtLower, solver.AtUpper},
		Rows: []solver.VarStatus{solver.AtZero, solver.Fixed, solver.Superbasic},
	}
	status := codes(want)
	require.Equal(t, []byte{1, 3, 2, 0, 5, 4}, status, "ClpSimplex.hpp: free, basic, at upper, at lower, superbasic, fixed")
	for k := range status {
		status[k] |= 8 // a mark of CLP's own
	}
	require.Equal(t, want, basisOf(status, 3))
}

// A slice shrinks with the program, within its limits.
func TestSliceLength(t *testing.T) {
	t.Parallel()
	small, large := &solver.Problem{}, &solver.Problem{Value: make([]float64, 10_000_000)}
	require.Equal(t, maxSlice, sliceLength(small, liveWork))
	require.Equal(t, minSlice, sliceLength(large, liveWork))
	require.Equal(t, 5000, sliceLength(&solver.Problem{Value: make([]float64, 100_000)}, liveWork))
	require.Equal(t, 250, sliceLength(&solver.Problem{Value: make([]float64, 100_000)}, onceWork))
}
