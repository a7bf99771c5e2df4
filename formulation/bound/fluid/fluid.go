package fluid

import (
	"context"
	"fmt"
	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/fluid"
	"jigsaw/solver"
)

// Limits of a fluid bound. The zero value sets no limit on the engine and the
// default size of the program.
type Limits struct {
	Solver solver.Limits
	// Columns is about how many columns the interval-indexed program of the
	// weighted completion may have; 0 means 20,000. Fewer columns give a coarser
	// bound.
	Columns int
}

const defaultColumns = 20_000

// Bound solves the fluid program of the package comment with the given engine,
// and returns its bound, proven in exact arithmetic. A limit of the engine is
// no error: Bound.LP.Status tells of it, and Value is nil unless the available
// duals prove a bound. Errors are a cancelled context, an engine that fails,
// and numbers too large for a linear program.
func Bound(ctx context.Context, in *instance.Instance, engine solver.Solver, limits Limits) (bound.Bound, error) {
	if limits.Columns <= 0 {
		limits.Columns = defaultColumns
	}
	return fluidBound(ctx, relax.New(in), engine, limits, fluid.UsualDetail(limits.Columns))
}

func fluidBound(ctx context.Context, m *relax.Model, engine solver.Solver, limits Limits, d fluid.Detail) (bound.Bound, error) {
	f := fluid.New(m, d)
	b := bound.Bound{Proven: relax.Proven{Kind: relax.FluidBound}, LP: bound.LP{Cols: len(f.Linear.Cols)}}
	if len(f.Linear.Cols) == 0 { // nothing can run, and nothing has to
		b.LP.Status = solver.Optimal
		prices, denominator, err := bound.Prices(&f.Linear, make([]float64, len(f.Linear.Rows)), true, bound.PriceBits)
		if err == nil {
			err = f.Prove(&b.Proven, prices, denominator, false)
		}
		b.Certificate = &relax.Certificate{Kind: relax.FluidBound, Columns: limits.Columns, Denominator: denominator, Prices: prices}
		return b, err
	}
	problem, err := bound.Problem(&f.Linear)
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
	b.LP.Status = solution.Status

	duals := solution.RowDual
	refuted := solution.Status == solver.Infeasible
	if refuted {
		duals = solution.Ray
	}
	if duals == nil {
		return b, nil
	}
	prices, denominator, err := bound.Prices(&f.Linear, duals, !refuted, bound.PriceBits)
	if err != nil {
		return b, nil
	}
	if err := f.Prove(&b.Proven, prices, denominator, refuted); err != nil {
		return b, nil // the numbers of the engine prove nothing; its status stands
	}
	b.Certificate = &relax.Certificate{Kind: relax.FluidBound, Columns: limits.Columns, Denominator: denominator, Prices: prices, Infeasible: refuted}
	if solution.Status == solver.Optimal {
		var ranging *solver.Ranging
		if ranger, ok := live.(solver.Ranger); ok {
			// Ranges are optional: without them the sentences are shorter.
			if ranging, err = ranger.Range(ctx); err != nil {
				ranging = nil
			}
		}
		b.Binding = bindings(f, solution, ranging)
	}
	return b, nil
}
