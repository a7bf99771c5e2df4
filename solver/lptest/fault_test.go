package lptest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/solver"
)

// sound is an engine that knows the answer to one program:
// min x + 2 y, 2 <= x + y <= 10, -10 <= x - y <= 1, 0 <= x, y <= 3.
func sound() (solver.Solver, *solver.Problem) {
	p := &solver.Problem{}
	p.AddRow("", 2, 10)
	p.AddRow("", -10, 1)
	p.AddCol("", 1, 0, 3, solver.Entry{Row: 0, Value: 1}, solver.Entry{Row: 1, Value: 1})
	p.AddCol("", 2, 0, 3, solver.Entry{Row: 0, Value: 1}, solver.Entry{Row: 1, Value: -1})
	answer := solver.Solution{
		Status: solver.Optimal, Objective: 2.5, Primal: []float64{1.5, 0.5}, RowActivity: []float64{2, 1},
		RowDual: []float64{1.5, -0.5}, ReducedCost: []float64{0, 0},
	}
	return solver.OneShot{Title: "sound", Optimise: func(ctx context.Context, _ *solver.Problem, _ solver.Limits) (*solver.Solution, error) {
		s := answer
		return &s, ctx.Err()
	}}, p
}

// TestFaulty: every fault shows, except that of a deaf engine in time, and none
// before its turn.
func TestFaulty(t *testing.T) {
	engine, p := sound()
	for _, fault := range Faults() {
		t.Run(fault.String(), func(t *testing.T) {
			faulty := solver.Guard(Faulty(engine, FaultPlan{Fault: fault, After: 2, Delay: 600 * time.Millisecond}))
			assert.Contains(t, faulty.Name(), fault.String())
			for call := range 4 {
				wrong := func() bool {
					m, err := faulty.Load(p)
					if err != nil {
						return true
					}
					defer m.Close()
					if err := m.SetColBounds(0, p.ColLower[0], p.ColUpper[0]); err != nil {
						return true
					}
					ctx := context.Background()
					if fault == Deaf {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, 300*time.Millisecond)
						defer cancel()
						s, err := m.Solve(ctx, solver.Limits{})
						require.True(t, (s == nil) == errors.Is(err, context.DeadlineExceeded))
						return ctx.Err() != nil
					}
					s, err := m.Solve(ctx, solver.Limits{})
					return err != nil || s.Status != solver.Optimal || solver.Verify(p, s) != nil
				}()
				assert.Equal(t, call >= 2, wrong, "call %d", call)
			}
		})
	}
}

// TestFaultyRate: faults occur at the given rate, and the seed reproduces them.
func TestFaultyRate(t *testing.T) {
	engine, p := sound()
	pattern := func(seed uint64) (list []bool) {
		faulty := Faulty(engine, FaultPlan{Fault: FailSolve, Rate: 0.25, Seed: seed})
		m, err := faulty.Load(p)
		require.NoError(t, err)
		for range 400 {
			_, err := m.Solve(context.Background(), solver.Limits{})
			list = append(list, err != nil)
		}
		return list
	}
	wrong := 0
	for _, w := range pattern(1) {
		if w {
			wrong++
		}
	}
	assert.InDelta(t, 100, wrong, 40)
	assert.Equal(t, pattern(1), pattern(1))
	assert.NotEqual(t, pattern(1), pattern(2))
}
