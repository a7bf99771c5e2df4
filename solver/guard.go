package solver

import (
	"context"
	"fmt"
)

// Guard returns the engine with its panics turned into errors, so that a
// third-party engine cannot crash the program. After such an error, only Close
// may be called on a model.
func Guard(engine Solver) Solver { return guarded{engine} }

type guarded struct{ Solver }

// caught is deferred: it turns a panic into the error.
func caught(err *error) {
	if reason := recover(); reason != nil {
		*err = fmt.Errorf("solver: the engine panicked: %v", reason)
	}
}

func (g guarded) Load(p *Problem) (m Model, err error) {
	defer caught(&err)
	m, err = g.Solver.Load(p)
	if err != nil {
		return nil, err
	}
	if ranger, ok := m.(Ranger); ok {
		return guardedRanger{guardedModel{m}, ranger}, nil
	}
	return guardedModel{m}, nil
}

type guardedModel struct{ Model }

func (g guardedModel) AddCols(cols ...Column) (err error) {
	defer caught(&err)
	return g.Model.AddCols(cols...)
}

func (g guardedModel) SetColBounds(col Col, lower, upper float64) (err error) {
	defer caught(&err)
	return g.Model.SetColBounds(col, lower, upper)
}

func (g guardedModel) SetBasis(b *Basis) (err error) {
	defer caught(&err)
	return g.Model.SetBasis(b)
}

func (g guardedModel) Solve(ctx context.Context, limits Limits) (s *Solution, err error) {
	defer caught(&err)
	return g.Model.Solve(ctx, limits)
}

func (g guardedModel) Close() (err error) {
	defer caught(&err)
	return g.Model.Close()
}

type guardedRanger struct {
	guardedModel
	ranger Ranger
}

func (g guardedRanger) Range(ctx context.Context) (r *Ranging, err error) {
	defer caught(&err)
	return g.ranger.Range(ctx)
}
