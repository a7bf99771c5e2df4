package backend

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
	"jigsaw/solver/clp"
)

// The engine of a build solves a program and names itself; a build without one
// says how to get one, and its error can be recognised.
func TestEngines(t *testing.T) {
	t.Parallel()
	for name, get := range map[string]func() (solver.Solver, error){"default": Default, "one shot": OneShot} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine, err := get()
			if err != nil {
				require.Nil(t, engine)
				require.ErrorIs(t, err, ErrNone)
				require.ErrorIs(t, err, clp.ErrUnavailable)
				require.Equal(t, "none", Description())
				return
			}
			require.Contains(t, Description(), "CLP 1.")
			require.Contains(t, Description(), clp.Way())
			p := &solver.Problem{}
			r := p.AddRow("demand", 3, math.Inf(1))
			p.AddCol("x", 2, 0, math.Inf(1), solver.Entry{Row: r, Value: 1})
			m, err := engine.Load(p)
			require.NoError(t, err)
			defer m.Close()
			s, err := m.Solve(t.Context(), solver.Limits{})
			require.NoError(t, err)
			require.Equal(t, solver.Optimal, s.Status)
			require.InDelta(t, 6, s.Objective, 1e-9)
		})
	}
}
