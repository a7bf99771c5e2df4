package clp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"jigsaw/solver"
)

// algorithm is one of CLP's two simplex methods.
type algorithm int

const (
	dualSimplex algorithm = iota
	primalSimplex
)

// Modes of Clp_scaling and Clp_setPerturbation.
const (
	scalingOff       = 0
	scalingAuto      = 3
	perturbationAuto = 100
	perturbationOff  = 102
)

// effort is one way to try: each next one is slower and more careful.
type effort struct {
	fresh        bool // throw CLP's copy and the basis away
	scaling      int32
	perturbation int32
}

var efforts = [...]effort{
	{scaling: scalingAuto, perturbation: perturbationAuto},
	{scaling: scalingOff, perturbation: perturbationOff},
	{fresh: true, scaling: scalingAuto, perturbation: perturbationOff},
	{fresh: true, scaling: scalingOff, perturbation: perturbationOff},
}

// budget is what is left of the limits of one call.
type budget struct {
	ctx        context.Context
	limits     solver.Limits
	deadline   time.Time // zero without a limit of time
	iterations int       // used so far
}

func newBudget(ctx context.Context, limits solver.Limits) *budget {
	b := &budget{ctx: ctx, limits: limits}
	if limits.Time > 0 {
		b.deadline = time.Now().Add(limits.Time)
	}
	return b
}

// seconds is the time left, negative without a limit.
func (b *budget) seconds() float64 {
	if b.deadline.IsZero() {
		return -1
	}
	return max(0, time.Until(b.deadline).Seconds())
}

// Solve optimises from the present basis.
func (m *model) Solve(ctx context.Context, limits solver.Limits) (*solver.Solution, error) {
	if m.closed {
		return nil, errClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("clp: solve: %w", err)
	}
	defer runtime.KeepAlive(m)
	if p := m.mirror.Problem(); withoutCoefficients(p) {
		s := inspect(p)
		if s.Basis != nil {
			m.basis, m.basisChanged = s.Basis.Clone(), true
		}
		return s, nil
	}

	b := newBudget(ctx, limits)
	var doubts []error
	for _, e := range efforts {
		s, doubt, err := m.try(b, e)
		if err != nil {
			return nil, err
		}
		if doubt != nil {
			doubts = append(doubts, doubt)
			continue
		}
		s.Iterations = b.iterations
		return s, nil
	}
	return nil, fmt.Errorf("clp: solve: no answer stood its check: %w", errors.Join(doubts...))
}

// try solves once and checks what CLP claims. A doubt is a claim that the data
// do not bear out, and worth a more careful try; an error is final.
func (m *model) try(b *budget, e effort) (s *solver.Solution, doubt, err error) {
	if e.fresh {
		m.unload()
		m.basis = nil
		m.load()
	}
	if err := m.flush(); err != nil {
		return nil, nil, err
	}
	m.table.scaling(m.handle, e.scaling)
	m.table.setPerturbation(m.handle, e.perturbation)

	limit := float64(coinInfinity)
	if b.limits.Cutoff != nil {
		limit = *b.limits.Cutoff
	}
	m.table.setDualObjectiveLimit(m.handle, limit)
	alg := dualSimplex
	if m.primalFeasible && !m.dualFeasible {
		alg = primalSimplex
	}
	m.primalFeasible, m.dualFeasible = false, false
	status, err := m.iterate(b, alg)
	if err != nil {
		return nil, nil, err
	}

	if status == solver.Cutoff {
		s := m.solution(status)
		s.Objective = solver.DualBound(m.mirror.Problem(), s.RowDual, solver.DualTol)
		if s.Objective >= limit-solver.GapTol*max(1, math.Abs(limit)) {
			m.dualFeasible = true
			return s, nil, nil
		}
		// CLP stopped on a perturbed objective, or on dual infeasible duals. Go
		// on without the limit: an optimum above it tells more anyway.
		m.table.setDualObjectiveLimit(m.handle, coinInfinity)
		if status, err = m.iterate(b, dualSimplex); err != nil {
			return nil, nil, err
		}
	}
	if status == solver.Unbounded && alg == dualSimplex {
		// The dual simplex only found that no dual point exists.
		if status, err = m.iterate(b, primalSimplex); err != nil {
			return nil, nil, err
		}
	}

	switch status {
	case solver.Optimal:
		s := m.solution(status)
		if doubt := solver.Verify(m.mirror.Problem(), s); doubt != nil {
			return nil, doubt, nil
		}
		m.primalFeasible, m.dualFeasible = true, true
		return s, nil, nil
	case solver.Infeasible:
		return m.proveInfeasible(b)
	case solver.Unbounded:
		return m.proveUnbounded(b)
	case solver.IterationLimit, solver.TimeLimit:
		return m.solution(status), nil, nil
	}
	return nil, fmt.Errorf("clp: stopped with status %d, secondary %d",
		m.table.status(m.handle), m.table.secondaryStatus(m.handle)), nil
}

// iterate runs one algorithm in slices until it stops by itself or the budget
// ends. Whatever happens, the basis is read back.
func (m *model) iterate(b *budget, alg algorithm) (solver.Status, error) {
	defer m.fetchBasis()
	slice := sliceLength(m.mirror.Problem())
	idle := 0
	for {
		if err := b.ctx.Err(); err != nil {
			return solver.Unsolved, fmt.Errorf("clp: solve: %w", err)
		}
		count := slice
		if b.limits.Iterations > 0 {
			count = min(count, b.limits.Iterations-b.iterations)
			if count <= 0 {
				return solver.IterationLimit, nil
			}
		}
		seconds := b.seconds()
		if seconds == 0 {
			return solver.TimeLimit, nil
		}
		m.table.setMaximumIterations(m.handle, int32(count))
		m.table.setMaximumSeconds(m.handle, seconds)
		if alg == dualSimplex {
			m.table.dual(m.handle, 0)
		} else {
			m.table.primal(m.handle, 0)
		}
		used := int(m.table.numberIterations(m.handle))
		b.iterations += used
		status := outcome(m.table.status(m.handle), m.table.secondaryStatus(m.handle))
		if status != solver.IterationLimit && status != solver.TimeLimit {
			return status, nil
		}
		// CLP counts processor time, of all threads; the wall clock decides. A
		// slice that moves nothing, again and again, is a fault of its own.
		if used > 0 {
			idle = 0
		} else if idle++; idle > maxIdleSlices {
			return solver.Numerical, nil
		}
	}
}

const (
	// sliceWork is about how many matrix entries CLP can touch in 50 ms.
	sliceWork = 2.5e7
	// Slices shorter than minSlice lose too much to starting again; slices
	// longer than maxSlice gain nothing.
	minSlice, maxSlice = 50, 20000
	// maxIdleSlices ends a solve that stops again and again without moving.
	maxIdleSlices = 100
)

// sliceLength is the number of iterations between two looks at the context. An
// iteration prices all columns, and solves with a factor that is denser than the
// basis.
func sliceLength(p *solver.Problem) int {
	work := float64(len(p.Value) + p.Cols() + 20*p.Rows())
	return int(min(max(sliceWork/max(1, work), minSlice), maxSlice))
}

// solution reads everything CLP has at the point where it stopped.
func (m *model) solution(status solver.Status) *solver.Solution {
	p := m.mirror.Problem()
	s := &solver.Solution{
		Status:      status,
		Primal:      make([]float64, p.Cols()),
		RowActivity: make([]float64, p.Rows()),
		RowDual:     make([]float64, p.Rows()),
		ReducedCost: make([]float64, p.Cols()),
		Basis:       m.basis.Clone(),
	}
	m.table.primalColumnSolution(m.handle, s.Primal)
	m.table.primalRowSolution(m.handle, s.RowActivity)
	m.table.dualRowSolution(m.handle, s.RowDual)
	m.table.dualColumnSolution(m.handle, s.ReducedCost)
	for j, c := range p.Cost {
		s.Objective += c * s.Primal[j]
	}
	return s
}
