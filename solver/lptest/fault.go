package lptest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"jigsaw/solver"
)

// Fault is a way in which an engine goes wrong.
type Fault int

// The faults. Those of a solution change what a sound engine answered.
const (
	// Refuse fails to load the program.
	Refuse Fault = iota
	// FailEdit fails to add columns, or to change bounds or the basis.
	FailEdit
	// FailSolve ends a solve with an error.
	FailSolve
	// Crash panics in a solve.
	Crash
	// Deaf takes FaultPlan.Delay for a solve, and ignores the context.
	Deaf
	// Stops ends at a limit that nobody set, without a result.
	Stops
	// Empty claims an optimum without a point or prices.
	Empty
	// Cropped gives vectors that are too short.
	Cropped
	// NaNs puts not-a-number among values, prices and objective.
	NaNs
	// Infinite puts infinities and numbers near the largest in the same places.
	Infinite
	// Noise changes values and prices at random, by sign and size.
	Noise
	// Reversed gives all prices, and the objective, the wrong sign.
	Reversed
	// Zeros claims that all zeros is optimal.
	Zeros
	// FalseInfeasible claims infeasibility without a ray.
	FalseInfeasible
	// FalseRay claims it with a ray that proves nothing.
	FalseRay
	// FalseUnbounded claims unboundedness.
	FalseUnbounded
	faults // how many there are
)

var faultNames = [...]string{"refuse", "fail edit", "fail solve", "crash", "deaf", "stops", "empty", "cropped", "NaNs", "infinite",
	"noise", "reversed", "zeros", "false infeasible", "false ray", "false unbounded"}

// String names the fault.
func (f Fault) String() string { return faultNames[f] }

// Faults lists all faults.
func Faults() []Fault {
	list := make([]Fault, faults)
	for i := range list {
		list[i] = Fault(i)
	}
	return list
}

// FaultPlan says when an engine goes wrong, and how. Calls of the kind that the
// fault affects are counted over all models of the engine.
type FaultPlan struct {
	Fault Fault
	// After is the number of calls that go well first.
	After int
	// Rate is the fraction of later calls that go wrong, drawn by Seed; 0 means all
	// of them.
	Rate float64
	Seed uint64
	// Delay of Deaf.
	Delay time.Duration
}

// errFault is the error of a faulty engine.
var errFault = errors.New("lptest: the engine was told to fail")

// Faulty returns the engine with faults according to plan. It is for testing
// the users of engines: whatever an engine does, it must not lead to a wrong
// claim.
func Faulty(engine solver.Solver, plan FaultPlan) solver.Solver {
	return &faultyEngine{Solver: engine, plan: plan}
}

type faultyEngine struct {
	solver.Solver
	plan  FaultPlan
	calls atomic.Int64
}

// Name includes the fault.
func (f *faultyEngine) Name() string { return fmt.Sprintf("%s (%v)", f.Solver.Name(), f.plan.Fault) }

// Caps leaves out ranging, which faulty models do not have.
func (f *faultyEngine) Caps() solver.Caps {
	c := f.Solver.Caps()
	c.Ranging = false
	return c
}

// strikes counts a call of one of the kinds, and reports whether it goes wrong;
// if so, the generator is for the fault.
func (f *faultyEngine) strikes(kinds ...Fault) (*rand.Rand, bool) {
	if !slices.Contains(kinds, f.plan.Fault) {
		return nil, false
	}
	call := f.calls.Add(1)
	rng := rand.New(rand.NewPCG(f.plan.Seed, uint64(call)))
	return rng, call > int64(f.plan.After) && (f.plan.Rate == 0 || rng.Float64() < f.plan.Rate)
}

// Load implements [solver.Solver].
func (f *faultyEngine) Load(p *solver.Problem) (solver.Model, error) {
	if _, wrong := f.strikes(Refuse); wrong {
		return nil, errFault
	}
	m, err := f.Solver.Load(p)
	if err != nil {
		return nil, err
	}
	return &faultyModel{m, f}, nil
}

type faultyModel struct {
	solver.Model
	engine *faultyEngine
}

// edit runs a change, or fails.
func (m *faultyModel) edit(change func() error) error {
	if _, wrong := m.engine.strikes(FailEdit); wrong {
		return errFault
	}
	return change()
}

func (m *faultyModel) AddCols(cols ...solver.Column) error {
	return m.edit(func() error { return m.Model.AddCols(cols...) })
}

func (m *faultyModel) SetColBounds(col solver.Col, lower, upper float64) error {
	return m.edit(func() error { return m.Model.SetColBounds(col, lower, upper) })
}

func (m *faultyModel) SetBasis(b *solver.Basis) error {
	return m.edit(func() error { return m.Model.SetBasis(b) })
}

func (m *faultyModel) Solve(ctx context.Context, limits solver.Limits) (*solver.Solution, error) {
	rng, wrong := m.engine.strikes(Faults()[FailSolve:]...)
	if !wrong {
		return m.Model.Solve(ctx, limits)
	}
	switch m.engine.plan.Fault {
	case FailSolve:
		return nil, errFault
	case Crash:
		panic(errFault)
	case Deaf:
		time.Sleep(m.engine.plan.Delay)
	}
	s, err := m.Model.Solve(ctx, limits)
	if err != nil {
		return nil, err
	}
	return m.spoil(s, rng), nil
}

// spoil returns the answer with the fault in it.
func (m *faultyModel) spoil(sound *solver.Solution, rng *rand.Rand) *solver.Solution {
	s := *sound
	vectors := []*[]float64{&s.Primal, &s.RowActivity, &s.RowDual, &s.ReducedCost, &s.Ray}
	each := func(change func(float64) float64) {
		for _, v := range vectors {
			*v = slices.Clone(*v)
			for i := range *v {
				(*v)[i] = change((*v)[i])
			}
		}
		s.Objective = change(s.Objective)
	}
	none := func(status solver.Status) {
		s = solver.Solution{Status: status}
	}
	switch m.engine.plan.Fault {
	case Stops:
		none(solver.Numerical)
	case Empty:
		none(solver.Optimal)
	case Cropped:
		for _, v := range vectors {
			*v = (*v)[:len(*v)*rng.IntN(4)/4]
		}
	case NaNs:
		each(func(v float64) float64 {
			if rng.IntN(3) == 0 {
				return math.NaN()
			}
			return v
		})
	case Infinite:
		each(func(v float64) float64 {
			return []float64{v, math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 1e-320}[rng.IntN(6)]
		})
	case Noise:
		each(func(v float64) float64 { return (v + rng.NormFloat64()) * math.Exp(4*rng.NormFloat64()) })
	case Reversed:
		s.RowDual = slices.Clone(s.RowDual)
		for i := range s.RowDual {
			s.RowDual[i] *= -1
		}
		s.Objective *= -1
	case Zeros:
		each(func(float64) float64 { return 0 })
	case FalseInfeasible:
		none(solver.Infeasible)
	case FalseRay:
		none(solver.Infeasible)
		s.Ray = make([]float64, m.Problem().Rows())
		for i := range s.Ray {
			s.Ray[i] = rng.NormFloat64()
		}
	case FalseUnbounded:
		none(solver.Unbounded)
	}
	return &s
}
