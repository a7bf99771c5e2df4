//go:build js || !cgo || noclp

package clp

import (
	"context"

	"jigsaw/solver"
)

// NewOneShot returns a face that loads every program anew, without ranging; or
// [ErrUnavailable], as [New].
func NewOneShot() (solver.Solver, error) {
	engine, err := New()
	if err != nil {
		return nil, err
	}
	return solver.OneShot{
		Title: engine.Name() + ", one shot",
		Rays:  true,
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
	}, nil
}
