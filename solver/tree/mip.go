package tree

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"jigsaw/solver"
)

// Tolerances of branch-and-bound.
const (
	// IntegralityTol is how far from an integer a relaxation's value counts as one.
	IntegralityTol = 1e-6
	// exactTol is the violation of a row without continuous columns that is put
	// down to the rounding of one sum, relative to the largest of 1, the bound
	// and the terms.
	exactTol = 1e-12
)

// MIPOptions of a branch-and-bound. The zero value searches to the end.
type MIPOptions struct {
	// Nodes is the largest number of nodes; 0 means no limit.
	Nodes int
	// Cutoff, where it is not nil, says that only points below it are wanted.
	Cutoff *float64
	// Step says that the objective takes multiples of it only; 0 means that
	// nothing is known.
	Step float64
	// Priority of branching, by Col: of the fractional columns those of the
	// highest are branched on. Nil means that all are equal.
	Priority []int
	// Start is a feasible point to begin with, by Col; nil for none. One that
	// is not feasible is an error.
	Start []float64
	// Events is told after each node; nil for none.
	Events func(Event)
}

// MIPResult is what a branch-and-bound proved.
type MIPResult struct {
	// Status is Closed where Primal is optimal or, if it is nil, no point (below
	// the cutoff) exists.
	Status Status
	// Primal, by Col, is feasible with integers in the integer columns; nil
	// where none was found.
	Primal []float64
	// Objective is c'x at Primal, +Inf where there is none.
	Objective float64
	// Bound on the objective of every feasible point. Points at the cutoff and
	// above count as if there were one at the cutoff.
	Bound float64
	// Nodes evaluated; simplex iterations and linear programs of the whole search.
	Nodes, Iterations, Solves int
}

// MIP minimises a program with integer columns by branch-and-bound. It
// branches by pseudo-costs that strong branching makes reliable, dives for
// feasible points, and fixes columns by the reduced costs of the root.
//
// Every claim of the engine is verified against the data ([solver.Verify]),
// and a point counts once its integers, rounded, meet every row. Where the
// engine fails, a node is solved again from scratch; if that fails as well it
// is split without a relaxation, so nothing is ever lost or closed on the word
// of a broken engine. Bounds carry the tolerance of package solver: 1e-6
// relative.
//
// The program is not changed. A context that ends is a limit, not an error.
func MIP(ctx context.Context, engine solver.Solver, p *solver.Problem, options MIPOptions) (*MIPResult, error) {
	m, err := newMIP(engine, p, options)
	if err != nil {
		return nil, fmt.Errorf("tree: %w", err)
	}
	defer m.close()
	r, err := Search(ctx, m, mipNode{}, Options[mipNode]{
		Nodes:  options.Nodes,
		Cutoff: func() float64 { return min(m.cutoff, m.value) },
		Round:  m.round,
		Events: options.Events,
	})
	if err != nil {
		err = fmt.Errorf("tree: %w", err)
	}
	return &MIPResult{
		Status: r.Status, Primal: m.incumbent, Objective: m.value, Bound: r.Bound,
		Nodes: r.Nodes, Iterations: m.iterations, Solves: m.solves,
	}, err
}

// mip is the state of a branch-and-bound; it is the Problem of its search.
type mip struct {
	engine  solver.Solver
	options MIPOptions
	round   func(float64) float64
	// p is the program with the bounds that the model has now; model is nil
	// where the engine would not load it.
	p        *solver.Problem
	model    solver.Model
	basis    *solver.Basis // that the model stands at, if known
	integers []solver.Col
	// lower and upper hold for the whole tree; changed lists the columns whose
	// bounds in p may differ from them.
	lower, upper []float64
	changed      []solver.Col

	cutoff    float64 // of the options
	value     float64 // of the incumbent
	incumbent []float64

	rootBound   float64
	rootReduced []float64
	costs       PseudoCosts

	iterations, solves int
	evaluated          int
}

// mipNode is a subset of the feasible points: those within changed bounds.
type mipNode struct {
	changes *change
	basis   *solver.Basis // of the parent's relaxation
	// how the last change came about, for the pseudo-costs
	parent float64 // bound of the parent's relaxation
	moved  float64 // distance by which the change moves the column; 0: unknown
}

// change narrows the bounds of a column, on top of its parent's changes. The
// bounds are those after all changes, so the last change of a column counts.
type change struct {
	parent       *change
	col          solver.Col
	lower, upper float64
	up           bool
}

func newMIP(engine solver.Solver, p *solver.Problem, options MIPOptions) (*mip, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if options.Priority != nil && len(options.Priority) != p.Cols() {
		return nil, fmt.Errorf("%d branching priorities for %d columns", len(options.Priority), p.Cols())
	}
	m := &mip{
		engine: engine, options: options, p: p.Clone(),
		cutoff: math.Inf(1), value: math.Inf(1), rootBound: math.Inf(-1),
		round: func(b float64) float64 { return b },
		costs: NewPseudoCosts(p.Cols()),
	}
	if options.Step > 0 {
		m.round = Steps(options.Step, solver.GapTol)
	}
	if options.Cutoff != nil {
		m.cutoff = *options.Cutoff
	}
	for j, integer := range p.Integer {
		if integer {
			m.integers = append(m.integers, solver.Col(j))
			m.p.ColLower[j] = math.Ceil(p.ColLower[j] - IntegralityTol)
			m.p.ColUpper[j] = math.Floor(p.ColUpper[j] + IntegralityTol)
			if m.p.ColLower[j] > m.p.ColUpper[j] { // no integer in between
				m.p.ColLower[j], m.p.ColUpper[j] = p.ColLower[j], p.ColUpper[j]
			}
		}
	}
	m.lower, m.upper = slices.Clone(m.p.ColLower), slices.Clone(m.p.ColUpper)
	if options.Start != nil {
		if len(options.Start) != p.Cols() {
			return nil, fmt.Errorf("a start of %d values for %d columns", len(options.Start), p.Cols())
		}
		x, err := m.rounded(options.Start)
		if err != nil {
			return nil, fmt.Errorf("the start is not feasible: %w", err)
		}
		m.keep(x)
	}
	var err error
	m.model, err = engine.Load(m.p)
	return m, err
}

func (m *mip) close() {
	if m.model != nil {
		m.model.Close()
	}
}

// setBounds changes the bounds of a column in the model and its mirror.
func (m *mip) setBounds(col solver.Col, lower, upper float64) error {
	if m.p.ColLower[col] == lower && m.p.ColUpper[col] == upper {
		return nil
	}
	m.p.ColLower[col], m.p.ColUpper[col] = lower, upper
	if m.model == nil {
		return nil
	}
	return m.model.SetColBounds(col, lower, upper)
}

// enter moves the model to a node, by differences. It reports whether the
// node's bounds leave room.
func (m *mip) enter(n mipNode) (room bool, err error) {
	type bounds struct{ lower, upper float64 }
	want := map[solver.Col]bounds{}
	var order []solver.Col
	for c := n.changes; c != nil; c = c.parent {
		if _, later := want[c.col]; !later {
			want[c.col] = bounds{max(c.lower, m.lower[c.col]), min(c.upper, m.upper[c.col])}
			order = append(order, c.col)
		}
	}
	for _, col := range order {
		if want[col].lower > want[col].upper {
			return false, nil
		}
	}
	for _, col := range m.changed {
		if _, ok := want[col]; !ok {
			err = errors.Join(err, m.setBounds(col, m.lower[col], m.upper[col]))
		}
	}
	for _, col := range order {
		err = errors.Join(err, m.setBounds(col, want[col].lower, want[col].upper))
	}
	m.changed = order
	return true, err
}

// startFrom gives the model a basis, unless it stands there already.
func (m *mip) startFrom(b *solver.Basis) {
	if m.model == nil || b == nil || b == m.basis || !m.engine.Caps().WarmStart {
		return
	}
	// A basis is a hint: without it the solve is slower, not wrong.
	if m.model.SetBasis(b) == nil {
		m.basis = b
	}
}

// relax solves the relaxation that the model stands at. The solution is nil
// where nothing the engine says can be believed; an error is the context's.
func (m *mip) relax(ctx context.Context, limits solver.Limits) (*solver.Solution, error) {
	for attempt := range 2 {
		if m.model == nil || attempt > 0 {
			m.close()
			m.basis = nil
			if m.model, _ = m.engine.Load(m.p); m.model == nil {
				return nil, ctx.Err()
			}
		}
		m.solves++
		s, err := m.model.Solve(ctx, limits)
		if ctx.Err() != nil {
			m.basis = nil
			return nil, ctx.Err()
		}
		if err == nil {
			m.iterations += s.Iterations
			m.basis = s.Basis
			if m.believes(s, limits) {
				return s, nil
			}
		}
	}
	return nil, nil
}

// believes verifies a solution.
func (m *mip) believes(s *solver.Solution, limits solver.Limits) bool {
	switch s.Status {
	case solver.Optimal:
		return solver.Verify(m.p, s) == nil
	case solver.Unbounded:
		return true // only makes the search end
	case solver.Infeasible:
		return (s.Ray != nil || !m.engine.Caps().Farkas) && solver.Verify(m.p, s) == nil
	case solver.Cutoff:
		return limits.Cutoff != nil && solver.Verify(m.p, s) == nil
	case solver.IterationLimit:
		return limits.Iterations > 0
	}
	return false
}

// limits asks an engine to stop once a node is pruned.
func (m *mip) limits(cutoff float64) solver.Limits {
	if math.IsInf(cutoff, 1) {
		return solver.Limits{}
	}
	if m.options.Step > 0 {
		// Above the last multiple below the cutoff the rounded bound reaches it.
		tolerance := solver.GapTol * max(1, math.Abs(cutoff))
		cutoff = (math.Ceil((cutoff-tolerance)/m.options.Step)-1)*m.options.Step + 4*tolerance
	}
	return solver.Limits{Cutoff: &cutoff}
}
