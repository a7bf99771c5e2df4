package solver

import (
	"context"
	"errors"
)

// OneShot makes a [Solver] of a function that solves a program from scratch, so
// that an engine without live models has the same interface as one with them.
// Every Solve passes the whole program again.
type OneShot struct {
	// Title is the name of the engine.
	Title string
	// Optimise solves the program from scratch. It must not retain or change it.
	Optimise func(context.Context, *Problem, Limits) (*Solution, error)
	// Ranging computes the ranging of a program at an optimum; nil for an engine
	// that cannot.
	Ranging func(context.Context, *Problem) (*Ranging, error)
	// Rays says that Infeasible and Unbounded come with a ray.
	Rays bool
}

// Name returns the title.
func (s OneShot) Name() string { return s.Title }

// Caps tells what the functions of this engine can do.
func (s OneShot) Caps() Caps { return Caps{Farkas: s.Rays, Ranging: s.Ranging != nil} }

// Load validates and copies the problem.
func (s OneShot) Load(p *Problem) (Model, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	m := &oneShotModel{engine: s, mirror: NewMirror(p)}
	if s.Ranging != nil {
		return &rangingModel{m}, nil
	}
	return m, nil
}

var errClosed = errors.New("solver: the model is closed")

// oneShotModel is the data, nothing else.
type oneShotModel struct {
	engine  OneShot
	mirror  *Mirror
	basis   *Basis
	optimal bool // the last Solve ended Optimal and nothing has changed since
	closed  bool
}

func (m *oneShotModel) Problem() *Problem { return m.mirror.Problem().Clone() }

// change runs a change of the data on an open model.
func (m *oneShotModel) change(edit func() error) error {
	if m.closed {
		return errClosed
	}
	if err := edit(); err != nil {
		return err
	}
	m.optimal = false
	return nil
}

func (m *oneShotModel) AddCols(cols ...Column) error {
	return m.change(func() error { return m.mirror.AddCols(cols...) })
}

func (m *oneShotModel) SetColBounds(col Col, lower, upper float64) error {
	return m.change(func() error { return m.mirror.SetColBounds(col, lower, upper) })
}

// Basis returns the basis of the last solution, if the engine returned one.
func (m *oneShotModel) Basis() *Basis { return m.basis.Clone() }

// SetBasis checks the basis and ignores it, since every solve starts from
// scratch.
func (m *oneShotModel) SetBasis(b *Basis) error {
	if m.closed {
		return errClosed
	}
	_, err := b.Complete(m.mirror.Problem())
	return err
}

func (m *oneShotModel) Solve(ctx context.Context, limits Limits) (*Solution, error) {
	if m.closed {
		return nil, errClosed
	}
	m.optimal = false
	s, err := m.engine.Optimise(ctx, m.mirror.Problem(), limits)
	if err != nil {
		return nil, err
	}
	m.basis = s.Basis.Clone()
	m.optimal = s.Status == Optimal
	return s, nil
}

func (m *oneShotModel) Close() error {
	m.closed = true
	return nil
}

// rangingModel is a one-shot model of an engine with ranging.
type rangingModel struct{ *oneShotModel }

func (m *rangingModel) Range(ctx context.Context) (*Ranging, error) {
	if m.closed {
		return nil, errClosed
	}
	if !m.optimal {
		return nil, errors.New("solver: ranging needs a model whose last Solve ended optimal and that has not changed since")
	}
	return m.engine.Ranging(ctx, m.mirror.Problem())
}
