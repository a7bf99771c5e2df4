package formulation

import (
	"context"
	"fmt"
	"math/big"

	"jigsaw/formulation/instance"
	"jigsaw/solver"
)

// Limits of a fluid bound. The zero value sets no limit on the engine and the
// default size of the program.
type Limits struct {
	Solver solver.Limits
	// Columns is about how many columns the interval-indexed program of the
	// weighted completion may have; 0 means 20,000. The bound is coarser below.
	Columns int
}

const defaultColumns = 20_000

// Fluid returns the bound of the fluid program of the package comment, solved
// by the given engine and proven in exact arithmetic. A limit of the engine is
// no error: Bound.LP.Status tells, and Value is nil unless the duals at hand
// prove something. Errors are a cancelled context, an engine that fails, and
// numbers beyond what a linear program can hold.
func Fluid(ctx context.Context, in *instance.Instance, engine solver.Solver, limits Limits) (Bound, error) {
	if limits.Columns <= 0 {
		limits.Columns = defaultColumns
	}
	return newModel(in).fluidBound(ctx, engine, limits)
}

func (m *model) fluidBound(ctx context.Context, engine solver.Solver, limits Limits) (Bound, error) {
	f := m.fluid(limits.Columns)
	b := Bound{Kind: FluidBound, LP: LP{
		Rows: len(f.p.rows), Cols: len(f.p.cols), Entries: f.p.entries(), Note: f.note,
	}}
	if len(f.p.cols) == 0 { // nothing can run, and nothing has to
		b.LP.Status = solver.Optimal
		prices, denominator, err := f.p.price(make([]float64, len(f.p.rows)), true, priceBits)
		if err == nil {
			err = f.prove(&b, prices, denominator, false)
		}
		b.Certificate = &Certificate{Kind: FluidBound, Columns: limits.Columns, Denominator: denominator, Prices: prices}
		return b, err
	}
	problem, err := f.p.problem()
	if err != nil {
		return b, err
	}
	live, err := engine.Load(problem)
	if err != nil {
		return b, fmt.Errorf("formulation: fluid program: %w", err)
	}
	defer func() { _ = live.Close() }()
	solution, err := live.Solve(ctx, limits.Solver)
	if err != nil {
		return b, fmt.Errorf("formulation: fluid program: %w", err)
	}
	b.LP.Status, b.LP.Iterations = solution.Status, solution.Iterations

	duals := solution.RowDual
	refuted := solution.Status == solver.Infeasible
	if refuted {
		duals = solution.Ray
	} else if solution.Primal != nil {
		b.LP.Objective, _ = f.value(toRat(solution.Objective)).Float64()
	}
	if duals == nil {
		return b, nil
	}
	prices, denominator, err := f.p.price(duals, !refuted, priceBits)
	if err != nil {
		return b, nil
	}
	if err := f.prove(&b, prices, denominator, refuted); err != nil {
		return b, nil // the numbers of the engine prove nothing; its status stands
	}
	b.Certificate = &Certificate{Kind: FluidBound, Columns: limits.Columns, Denominator: denominator, Prices: prices, Infeasible: refuted}
	if solution.Status == solver.Optimal {
		var ranging *solver.Ranging
		if ranger, ok := live.(solver.Ranger); ok {
			// Ranges are an extra: without them the sentences are shorter.
			if ranging, err = ranger.Range(ctx); err != nil {
				ranging = nil
			}
		}
		b.Binding = f.bindings(solution, ranging)
	}
	return b, nil
}

func toRat(v float64) *big.Rat {
	if r := new(big.Rat).SetFloat64(v); r != nil {
		return r
	}
	return new(big.Rat)
}

// prove evaluates prices and enters what they prove into the bound.
func (f *fluid) prove(b *Bound, prices []*big.Int, denominator *big.Int, refuted bool) error {
	sum, err := f.p.evaluate(prices, denominator, !refuted)
	if err != nil {
		return err
	}
	b.Certified = true
	if refuted {
		if sum.Sign() <= 0 {
			b.Certified = false
			return errPrices
		}
		b.Infeasible = f.reasons(prices)
		return nil
	}
	b.exact = f.value(new(big.Rat).SetFrac(sum, denominator))
	b.Value = integral(f.m.in, b.exact)
	return nil
}

// value turns an objective of the program into one of the instance.
func (f *fluid) value(objective *big.Rat) *big.Rat {
	v := new(big.Rat).Quo(objective, new(big.Rat).SetInt(f.scale))
	if f.m.in.Objective.Periodic() {
		v.Neg(v)
	}
	return v
}

// fluid builds the program. One shape stands for the classes whose jobs differ
// in nothing that the rows see: while there are few classes each is a shape of
// its own, so that nothing is lost.
type fluid struct {
	m *model
	p program
	// scale divides the objective: rates are counted per period ticks.
	scale  *big.Int
	period int64
	note   string

	time   int // column of the makespan; -1 for other objectives
	least  int // column of the smallest rate; -1 for other objectives
	rates  *rates
	tight  []int       // pools whose memory rows may bind
	groups []linkGroup // with rows (9) to (11)
	shapes []shape
	// carriers are by group, nil before they are asked for.
	carriers []*carrier
}

func (m *model) fluid(columns int) *fluid {
	f := &fluid{m: m, scale: big.NewInt(1), time: -1, least: -1, p: program{name: "fluid"}}
	switch {
	case m.in.Objective.Periodic():
		f.buildRates(0, nil)
	case m.in.Objective == instance.WeightedCompletion:
		f.buildCompletion(columns)
	default:
		f.buildMakespan()
	}
	return f
}
