package solver_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
)

// recorder is a one-shot engine that keeps the programs it receives.
type recorder struct{ seen []*solver.Problem }

func (r *recorder) optimise(_ context.Context, p *solver.Problem, _ solver.Limits) (*solver.Solution, error) {
	r.seen = append(r.seen, p.Clone())
	return &solver.Solution{Status: solver.Optimal, Basis: &solver.Basis{Cols: []solver.VarStatus{solver.Basic}}}, nil
}

// An adapted engine receives the whole current program every time.
func TestOneShotHandsOverEveryChange(t *testing.T) {
	t.Parallel()
	var r recorder
	engine := solver.OneShot{Title: "recorder", Optimise: r.optimise}
	require.Equal(t, "recorder", engine.Name())
	require.Equal(t, solver.Caps{}, engine.Caps())
	m, err := engine.Load(wyndor())
	require.NoError(t, err)
	_, isRanger := m.(solver.Ranger)
	require.False(t, isRanger, "an engine without ranging has no Ranger")
	require.Nil(t, m.Basis())

	want := wyndor()
	solve := func() {
		t.Helper()
		_, err := m.Solve(t.Context(), solver.Limits{})
		require.NoError(t, err)
		require.Equal(t, want, r.seen[len(r.seen)-1])
		require.Equal(t, want, m.Problem())
	}
	solve()
	require.NoError(t, m.SetColBounds(0, 1, 3))
	want.ColLower[0], want.ColUpper[0] = 1, 3
	solve()
	require.NoError(t, m.AddCols(solver.Column{Name: "z", Cost: 1, Upper: 2, Entries: []solver.Entry{{Row: 1, Value: 7}}}))
	want.AddCol("z", 1, 0, 2, solver.Entry{Row: 1, Value: 7})
	solve()
	require.Equal(t, &solver.Basis{Cols: []solver.VarStatus{solver.Basic}}, m.Basis())
}

func TestOneShotRangesAnOptimumOnly(t *testing.T) {
	t.Parallel()
	status := solver.Infeasible
	engine := solver.OneShot{
		Optimise: func(context.Context, *solver.Problem, solver.Limits) (*solver.Solution, error) {
			return &solver.Solution{Status: status}, nil
		},
		Ranging: func(context.Context, *solver.Problem) (*solver.Ranging, error) { return &solver.Ranging{}, nil },
	}
	require.True(t, engine.Caps().Ranging)
	m, err := engine.Load(wyndor())
	require.NoError(t, err)
	ranger := m.(solver.Ranger)
	_, err = ranger.Range(t.Context())
	require.ErrorContains(t, err, "ended optimal")
	_, err = m.Solve(t.Context(), solver.Limits{})
	require.NoError(t, err)
	_, err = ranger.Range(t.Context())
	require.ErrorContains(t, err, "ended optimal")
	status = solver.Optimal
	_, err = m.Solve(t.Context(), solver.Limits{})
	require.NoError(t, err)
	_, err = ranger.Range(t.Context())
	require.NoError(t, err)
	require.NoError(t, m.SetColBounds(0, 0, 1))
	_, err = ranger.Range(t.Context())
	require.ErrorContains(t, err, "not changed since")
}

func TestOneShotPassesErrorsOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	engine := solver.OneShot{Optimise: func(context.Context, *solver.Problem, solver.Limits) (*solver.Solution, error) {
		return nil, broken
	}}
	m, err := engine.Load(wyndor())
	require.NoError(t, err)
	_, err = m.Solve(t.Context(), solver.Limits{})
	require.ErrorIs(t, err, broken)
}

func TestBasisCompletes(t *testing.T) {
	t.Parallel()
	p := &solver.Problem{}
	p.AddRow("", 1, 1)
	p.AddRow("", 0, 5)
	for _, b := range [][2]float64{{0, inf}, {-inf, 0}, {-inf, inf}, {2, 2}, {0, 9}} {
		p.AddCol("", 0, b[0], b[1])
	}
	const (
		basic, lower, upper, zero, fixed, super = solver.Basic, solver.AtLower, solver.AtUpper, solver.AtZero, solver.Fixed, solver.Superbasic
	)
	for name, c := range map[string]struct {
		basis, want *solver.Basis
	}{
		"none": {nil, &solver.Basis{
			Cols: []solver.VarStatus{lower, upper, zero, fixed, lower}, Rows: []solver.VarStatus{basic, basic}}},
		"shorter": {&solver.Basis{Cols: []solver.VarStatus{basic}, Rows: []solver.VarStatus{lower}}, &solver.Basis{
			Cols: []solver.VarStatus{basic, upper, zero, fixed, lower}, Rows: []solver.VarStatus{fixed, basic}}},
		"at bounds that are not there": {
			&solver.Basis{Cols: []solver.VarStatus{upper, lower, upper, upper, upper}, Rows: []solver.VarStatus{zero, zero}},
			&solver.Basis{Cols: []solver.VarStatus{lower, upper, zero, fixed, upper}, Rows: []solver.VarStatus{fixed, lower}}},
		"no longer fixed": {
			&solver.Basis{Cols: []solver.VarStatus{fixed, fixed, fixed, super, fixed}, Rows: []solver.VarStatus{basic, fixed}},
			&solver.Basis{Cols: []solver.VarStatus{lower, upper, zero, super, lower}, Rows: []solver.VarStatus{basic, lower}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.basis.Complete(p)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
	_, err := (&solver.Basis{Rows: make([]solver.VarStatus, 3)}).Complete(p)
	require.ErrorContains(t, err, "basis of 3 rows and 0 columns for a program of 2 and 5")
}
