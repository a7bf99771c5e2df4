//go:build cgo && !noclp && !js

package clp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"jigsaw/solver"
	"jigsaw/solver/clp"
)

// BenchmarkAfter20Columns solves a covering program of 300 rows and 3,000 columns
// again after 20 columns more, as column generation does: warm, on the live model
// that solved the program before, and cold, on a new model of the same data. The
// added columns cost 5 % less than they are worth at the current duals. Time is
// that of the solve with its optimality check, and for cold and one-shot also of
// the load, which they need.
func BenchmarkAfter20Columns(b *testing.B) {
	const rows, cols, covers, more = 300, 3000, 30, 20
	live, err := clp.New()
	if err != nil {
		b.Fatal(err)
	}
	once, err := clp.NewOneShot()
	if err != nil {
		b.Fatal(err)
	}
	for _, seed := range []uint64{1, 2, 3} {
		p := covering(rand.New(rand.NewPCG(seed, 2)), rows, cols, covers)
		run := func(name string, engine solver.Solver, warm bool) {
			b.Run(fmt.Sprintf("%s/seed=%d", name, seed), func(b *testing.B) {
				model := load(b, engine, p)
				defer func() { model.Close() }()
				prices := solve(b, model).RowDual
				first := model.Basis()
				rng := rand.New(rand.NewPCG(seed, 3))
				iterations, solves := 0, 0
				for b.Loop() {
					b.StopTimer()
					if warm {
						// Back to before the columns were added.
						model.Close()
						model = load(b, engine, p)
						if err := model.SetBasis(first); err != nil {
							b.Fatal(err)
						}
						solve(b, model)
					}
					joined := coverColumns(rng, more, rows, covers)
					for k := range joined {
						joined[k].Cost = 0
						for _, e := range joined[k].Entries {
							joined[k].Cost += 0.95 * prices[e.Row] * e.Value
						}
					}
					if warm {
						b.StartTimer()
						if err := model.AddCols(joined...); err != nil {
							b.Fatal(err)
						}
						iterations += solve(b, model).Iterations
					} else {
						q := p.Clone()
						for _, c := range joined {
							q.AddCol(c.Name, c.Cost, c.Lower, c.Upper, c.Entries...)
						}
						b.StartTimer()
						model.Close()
						model = load(b, engine, q)
						iterations += solve(b, model).Iterations
					}
					solves++
				}
				if engine.Caps().WarmStart {
					b.ReportMetric(float64(iterations)/float64(solves), "iterations/op")
				}
			})
		}
		run("warm", live, true)
		run("cold", live, false)
		run("oneshot", once, false)
	}
}

func load(b *testing.B, engine solver.Solver, p *solver.Problem) solver.Model {
	b.Helper()
	m, err := engine.Load(p)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

func solve(b *testing.B, m solver.Model) *solver.Solution {
	b.Helper()
	s, err := m.Solve(context.Background(), solver.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	if s.Status != solver.Optimal {
		b.Fatalf("status %v", s.Status)
	}
	return s
}
