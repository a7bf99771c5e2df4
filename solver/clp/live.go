package clp

import (
	"fmt"

	"jigsaw/solver"
)

// New returns the face with live models, or [ErrUnavailable].
func New() (solver.Solver, error) {
	t, err := newTable()
	if err != nil {
		return nil, err
	}
	return &live{table: t}, nil
}

// live is the solver over a table.
type live struct{ table table }

// Name returns the engine and its version.
func (l *live) Name() string { return fmt.Sprintf("CLP %s, live models", l.table.version()) }

// Caps: everything but ranging, which only the one-shot face has.
func (l *live) Caps() solver.Caps { return solver.Caps{WarmStart: true, Farkas: true} }

// Load validates the problem and copies it into CLP.
func (l *live) Load(p *solver.Problem) (solver.Model, error) {
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("clp: load: %w", err)
	}
	return newModel(l.table, p), nil
}
