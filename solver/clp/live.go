package clp

import (
	"fmt"

	"jigsaw/solver"
)

// live is the solver over a table.
type live struct{ table table }

// Name returns the engine and its version.
func (l *live) Name() string { return fmt.Sprintf("CLP %s, live models", l.table.version()) }

// Caps: everything except ranging, which only the one-shot solver has.
func (l *live) Caps() solver.Caps { return solver.Caps{WarmStart: true, Farkas: true} }

// Load validates the problem and copies it into CLP.
func (l *live) Load(p *solver.Problem) (m solver.Model, err error) {
	defer trapped(&err)
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("clp: load: %w", err)
	}
	return newModel(l.table, p), nil
}
