package fluid

import (
	"context"
	"fmt"
	"math/big"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/fluid"
	"jigsaw/solver"
)

// Bound returns the bound of the fluid program of the package comment, for the periodic
// objectives, solved by the given engine and proven in exact arithmetic. A limit of the engine is
// no error: Bound.LP.Status tells, and Value is nil unless the duals at hand
// prove something. Errors are a cancelled context, an engine that fails, and
// numbers beyond what a linear program can hold.
func Bound(ctx context.Context, in *instance.Instance, engine solver.Solver, limits solver.Limits) (bound.Bound, error) {
	if !in.Objective.Periodic() {
		return bound.Bound{}, fmt.Errorf("formulation: the fluid bound is not about %s", in.Objective)
	}
	return detailed(ctx, relax.New(in), engine, limits, fluid.UsualDetail)
}

func detailed(ctx context.Context, m *relax.Model, engine solver.Solver, limits solver.Limits, d fluid.Detail) (bound.Bound, error) {
	f := fluid.New(m, d)
	b := bound.Bound{Proven: relax.Proven{Kind: relax.FluidBound}, LP: bound.LP{
		Rows: len(f.Linear.Rows), Cols: len(f.Linear.Cols), Entries: bound.Entries(&f.Linear), Note: f.Note,
	}}
	if len(f.Linear.Cols) == 0 { // nothing can run, and nothing has to
		b.LP.Status = solver.Optimal
		return prove(f, b, make([]float64, len(f.Linear.Rows))), nil
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
	solution, err := live.Solve(ctx, limits)
	if err != nil {
		return b, fmt.Errorf("formulation: fluid program: %w", err)
	}
	b.LP.Status, b.LP.Iterations = solution.Status, solution.Iterations
	if solution.Primal != nil {
		if v := new(big.Rat).SetFloat64(solution.Objective); v != nil {
			b.LP.Objective, _ = f.Value(v).Float64()
		}
	}
	if solution.RowDual == nil {
		return b, nil
	}
	b = prove(f, b, solution.RowDual)
	if solution.Status == solver.Optimal && b.Certified {
		var ranging *solver.Ranging
		if ranger, ok := live.(solver.Ranger); ok {
			// Ranges are an extra: without them the sentences are shorter.
			if ranging, err = ranger.Range(ctx); err != nil {
				ranging = nil
			}
		}
		b.Binding = bindings(f, solution, ranging)
	}
	return b, nil
}

// prove enters what the engine's prices prove; where that is nothing its status stands.
func prove(f *fluid.Program, b bound.Bound, duals []float64) bound.Bound {
	prices, denominator, err := bound.Prices(&f.Linear, duals, bound.PriceBits)
	if err == nil && f.Prove(&b.Proven, prices, denominator) == nil {
		b.Certificate = &relax.Certificate{Kind: relax.FluidBound, Denominator: denominator, Prices: prices}
	}
	return b
}
