package clp

import (
	"context"
	"fmt"

	"jigsaw/solver"
)

// oneShot loads every program anew.
func oneShot(engine *wasm) solver.Solver {
	return solver.OneShot{
		Title:   engine.Name() + ", one shot",
		Rays:    true,
		Ranging: engine.ranging,
		Optimise: func(ctx context.Context, p *solver.Problem, limits solver.Limits) (*solver.Solution, error) {
			m, err := engine.Load(p)
			if err != nil {
				return nil, err
			}
			defer m.Close()
			s, err := m.Solve(ctx, limits)
			if s != nil {
				s.Basis = nil // it belongs to a model that is gone
			}
			return s, err
		},
	}
}

// ranging solves from scratch and asks CLP for its ranging.
func (w *wasm) ranging(ctx context.Context, p *solver.Problem) (r *solver.Ranging, err error) {
	defer trapped(&err)
	if withoutCoefficients(p) {
		return rangeByInspection(p), nil
	}
	t, err := w.reach()
	if err != nil {
		return nil, err
	}
	m := newModel(t, p)
	defer m.Close()
	s, err := m.Solve(ctx, solver.Limits{})
	if err != nil {
		return nil, fmt.Errorf("clp: ranging: %w", err)
	}
	if s.Status != solver.Optimal {
		return nil, fmt.Errorf("clp: ranging: the program is %v", s.Status)
	}
	of := func(ask func(h handle, up, down []float64) bool, count int) func() (up, down []float64, ok bool) {
		return func() (up, down []float64, ok bool) {
			up, down = make([]float64, count), make([]float64, count)
			return up, down, ask(m.handle, up, down)
		}
	}
	return ranging(p, s, of(t.rangeCosts, p.Cols()), of(t.rangeRows, p.Rows()))
}
