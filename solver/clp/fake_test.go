package clp

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
)

// fake is a table with a CLP that answers what the test says: the model above
// it is tested without CLP, in every build.
type fake struct {
	live int // models not deleted

	// The answer to every solve.
	answer answer
	// onSolve, if set, is called instead of giving the answer.
	onSolve func(h handle, dual bool) answer

	models map[handle]*fakeModel
	last   handle
	duals  int // calls of dual
	prims  int // calls of primal
}

type answer struct {
	status, secondary int32
	iterations        int32
	x, activity       []float64
	y, d              []float64
	infeasible        []float64 // ray, in CLP's sign
	unbounded         []float64
}

type fakeModel struct {
	cols, rows    int
	told          map[string][]float64 // the last data by name, as passed to CLP
	basis         []byte
	answer        answer
	maxIterations int32
}

func newFake(a answer) *fake { return &fake{answer: a, models: map[handle]*fakeModel{}} }

func (f *fake) version() string { return "fake" }

func (f *fake) newModel() handle {
	f.last++
	f.live++
	f.models[f.last] = &fakeModel{}
	return f.last
}

func (f *fake) deleteModel(h handle) {
	f.live--
	delete(f.models, h)
}

func (f *fake) loadProblem(h handle, cols, rows int32, _, _ []int32, _, colLower, colUpper, cost, rowLower, rowUpper []float64) {
	m := f.models[h]
	m.cols, m.rows = int(cols), int(rows)
	m.told = map[string][]float64{}
	f.chgColumnLower(h, colLower)
	f.chgColumnUpper(h, colUpper)
	f.tell(h, "cost", cost)
	f.tell(h, "row lower", rowLower)
	f.tell(h, "row upper", rowUpper)
}

func (f *fake) tell(h handle, name string, v []float64) { f.models[h].told[name] = slices.Clone(v) }

func (f *fake) chgColumnLower(h handle, v []float64) { f.tell(h, "column lower", v) }
func (f *fake) chgColumnUpper(h handle, v []float64) { f.tell(h, "column upper", v) }

func (f *fake) addColumns(h handle, _, _, cost []float64, _, _ []int32, _ []float64) {
	f.models[h].cols += len(cost)
}

func (f *fake) copyinStatus(h handle, status []byte) {
	f.models[h].basis = append([]byte{}, status...)
}

func (f *fake) statusArray(h handle, status []byte) { copy(status, f.models[h].basis) }

func (f *fake) setMaximumIterations(h handle, count int32) { f.models[h].maxIterations = count }

func (f *fake) solve(h handle, dual bool) {
	a := f.answer
	if f.onSolve != nil {
		a = f.onSolve(h, dual)
	}
	f.models[h].answer = a
}

func (f *fake) dual(h handle, _ int32)   { f.duals++; f.solve(h, true) }
func (f *fake) primal(h handle, _ int32) { f.prims++; f.solve(h, false) }

func (f *fake) status(h handle) int32           { return f.models[h].answer.status }
func (f *fake) secondaryStatus(h handle) int32  { return f.models[h].answer.secondary }
func (f *fake) numberIterations(h handle) int32 { return f.models[h].answer.iterations }

func (f *fake) primalColumnSolution(h handle, x []float64) { copy(x, f.models[h].answer.x) }
func (f *fake) primalRowSolution(h handle, a []float64)    { copy(a, f.models[h].answer.activity) }
func (f *fake) dualRowSolution(h handle, y []float64)      { copy(y, f.models[h].answer.y) }
func (f *fake) dualColumnSolution(h handle, d []float64)   { copy(d, f.models[h].answer.d) }

func (f *fake) infeasibilityRay(h handle, ray []float64) bool {
	return copy(ray, f.models[h].answer.infeasible) > 0
}

func (f *fake) unboundedRay(h handle, ray []float64) bool {
	return copy(ray, f.models[h].answer.unbounded) > 0
}

func (*fake) canInterrupt() bool                { return false }
func (*fake) interrupt(handle, bool)            {}
func (*fake) makePortable(handle)               {}
func (*fake) setLogLevel(handle, int32)         {}
func (*fake) setMaximumSeconds(handle, float64) {}
func (*fake) scaling(handle, int32)             {}
func (*fake) setPerturbation(handle, int32)     {}

// demand is min 2x, x >= 3, x in [0, 10].
func demand() *solver.Problem {
	p := &solver.Problem{}
	p.AddRow("demand", 3, math.Inf(1))
	p.AddCol("x", 2, 0, 10, solver.Entry{Row: 0, Value: 1})
	return p
}

// right is the optimum of demand.
func right() answer {
	return answer{iterations: 1, x: []float64{3}, activity: []float64{3}, y: []float64{2}, d: []float64{0}}
}

func loadFake(t *testing.T, f *fake, p *solver.Problem) solver.Model {
	t.Helper()
	m, err := (&live{table: f}).Load(p)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, m.Close())
		require.Zero(t, f.live, "every model is deleted")
	})
	return m
}

func TestRightAnswerIsBelieved(t *testing.T) {
	t.Parallel()
	f := newFake(right())
	s, err := loadFake(t, f, demand()).Solve(t.Context(), solver.Limits{})
	require.NoError(t, err)
	require.Equal(t, solver.Optimal, s.Status)
	require.InDelta(t, 6, s.Objective, 0)
	require.Equal(t, 1, s.Iterations)
	require.Equal(t, 1, f.duals, "one try is enough")
}

// An engine that lies is not trusted, however often it repeats itself.
func TestWrongAnswersAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(a *answer)
		want  string
	}{
		"a worse point":            {func(a *answer) { a.x, a.activity = []float64{4}, []float64{4} }, "primal = dual objective"},
		"a point out of bounds":    {func(a *answer) { a.x, a.activity = []float64{2}, []float64{2} }, "primal feasibility"},
		"a dual that is too small": {func(a *answer) { a.y = []float64{1.9} }, "primal = dual objective"},
		"a dual of the wrong sign": {func(a *answer) { a.y = []float64{-2} }, "dual feasibility"},
		"a reduced cost made up":   {func(a *answer) { a.d = []float64{1} }, "reported values"},
		"an activity made up":      {func(a *answer) { a.activity = []float64{5} }, "reported values"},
		"not a number":             {func(a *answer) { a.x = []float64{math.NaN()} }, "primal feasibility"},
		"no duals at all":          {func(a *answer) { a.y, a.d = nil, nil }, "primal = dual objective"},
		"infeasible, without a ray": {func(a *answer) { *a = answer{status: 1} },
			"a side program, which has an optimum, was called infeasible"},
		"infeasible, with a ray of no use": {func(a *answer) { *a = answer{status: 1, infeasible: []float64{-1}} },
			"a side program, which has an optimum, was called infeasible"},
		"unbounded, with a ray into a bound": {func(a *answer) { *a = answer{status: 2, unbounded: []float64{1}} },
			"a side program, which has an optimum, was called unbounded"},
		"errors": {func(a *answer) { *a = answer{status: 4} }, "stopped with status 4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := right()
			c.spoil(&a)
			f := newFake(a)
			s, err := loadFake(t, f, demand()).Solve(t.Context(), solver.Limits{})
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "clp: solve: no answer stood its check")
			require.Nil(t, s)
		})
	}
}

// One wrong answer costs a second try, not the result.
func TestSecondTryIsTaken(t *testing.T) {
	t.Parallel()
	f := newFake(answer{})
	tries := 0
	f.onSolve = func(handle, bool) answer {
		tries++
		a := right()
		if tries == 1 {
			a.y = []float64{1}
		}
		return a
	}
	s, err := loadFake(t, f, demand()).Solve(t.Context(), solver.Limits{})
	require.NoError(t, err)
	require.Equal(t, solver.Optimal, s.Status)
	require.Equal(t, 2, s.Iterations, "both tries count")
	require.Equal(t, []int{1, 1}, []int{f.duals, f.prims}, "the second try is by the other algorithm")
}

// CLP's Farkas rays have the opposite sign; a right one needs no side program.
func TestFarkasRayIsTurned(t *testing.T) {
	t.Parallel()
	p := demand()
	p.ColUpper[0] = 1
	f := newFake(answer{status: 1, infeasible: []float64{-1}})
	s, err := loadFake(t, f, p).Solve(t.Context(), solver.Limits{})
	require.NoError(t, err)
	require.Equal(t, solver.Infeasible, s.Status)
	require.Equal(t, []float64{1}, s.Ray)
	require.Equal(t, 1, f.duals+f.prims)
}

// The model chooses the algorithm that can continue from its current state.
func TestAlgorithmFollowsTheChange(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		change       func(m solver.Model) error
		duals, prims int
	}{
		"nothing": {func(solver.Model) error { return nil }, 1, 0},
		"column":  {func(m solver.Model) error { return m.AddCols(solver.Column{Cost: 9, Upper: inf}) }, 0, 1},
		"column away from zero": {func(m solver.Model) error {
			return m.AddCols(solver.Column{Cost: 0, Lower: 1e-9, Upper: inf})
		}, 1, 0},
		"bounds": {func(m solver.Model) error { return m.SetColBounds(0, 0, 10) }, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(answer{})
			f.onSolve = func(h handle, _ bool) answer {
				a := right()
				for len(a.x) < f.models[h].cols {
					a.x, a.d = append(a.x, 0), append(a.d, 9)
				}
				if name == "column away from zero" && f.models[h].cols > 1 {
					a.x[1], a.d[1] = 1e-9, 0
				}
				return a
			}
			m := loadFake(t, f, demand())
			_, err := m.Solve(t.Context(), solver.Limits{})
			require.NoError(t, err)
			f.duals, f.prims = 0, 0
			require.NoError(t, c.change(m))
			_, err = m.Solve(t.Context(), solver.Limits{})
			require.NoError(t, err)
			require.Equal(t, []int{c.duals, c.prims}, []int{f.duals, f.prims})
		})
	}
}

// A solve continues slice by slice, counts them, and checks the context between
// them.
func TestSlices(t *testing.T) {
	t.Parallel()
	t.Run("until it is done", func(t *testing.T) {
		t.Parallel()
		f := newFake(answer{})
		f.onSolve = func(handle, bool) answer {
			if f.duals < 5 {
				return answer{status: 3, iterations: 7}
			}
			return right()
		}
		s, err := loadFake(t, f, demand()).Solve(t.Context(), solver.Limits{})
		require.NoError(t, err)
		require.Equal(t, solver.Optimal, s.Status)
		require.Equal(t, 4*7+1, s.Iterations)
	})
	t.Run("until the iterations are used", func(t *testing.T) {
		t.Parallel()
		f := newFake(answer{})
		f.onSolve = func(h handle, _ bool) answer {
			return answer{status: 3, iterations: min(7, f.models[h].maxIterations)}
		}
		s, err := loadFake(t, f, demand()).Solve(t.Context(), solver.Limits{Iterations: 17})
		require.NoError(t, err)
		require.Equal(t, solver.IterationLimit, s.Status)
		require.Equal(t, 17, s.Iterations)
		require.Equal(t, 3, f.duals)
	})
	t.Run("until the context ends", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		f := newFake(answer{})
		f.onSolve = func(handle, bool) answer {
			if f.duals == 3 {
				cancel()
			}
			return answer{status: 3, iterations: 7}
		}
		s, err := loadFake(t, f, demand()).Solve(ctx, solver.Limits{})
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorContains(t, err, "clp: solve: ")
		require.Nil(t, s)
		require.Equal(t, 3, f.duals, "no slice after the end")
	})
	t.Run("not for ever", func(t *testing.T) {
		t.Parallel()
		f := newFake(answer{status: 3, secondary: 9})
		_, err := loadFake(t, f, demand()).Solve(t.Context(), solver.Limits{})
		require.ErrorContains(t, err, "no answer stood its check")
	})
}

// Every change reaches CLP before it solves. The check of the answer would
// detect a lost change, and a fresh copy fix it: this test checks that neither
// is needed.
func TestChangesReachCLP(t *testing.T) {
	t.Parallel()
	f := newFake(right())
	m := loadFake(t, f, demand())
	require.NoError(t, m.SetColBounds(0, 1, 20))
	_, err := m.Solve(t.Context(), solver.Limits{})
	require.NoError(t, err)
	require.Equal(t, map[string][]float64{
		"column lower": {1}, "column upper": {20}, "row lower": {3}, "row upper": {math.MaxFloat64}, "cost": {2},
	}, f.models[f.last].told)

	// Values that differ from what was loaded, one kind at a time.
	for name, change := range map[string]func() error{
		"column lower": func() error { return m.SetColBounds(0, 2.5, 20) },
		"column upper": func() error { return m.SetColBounds(0, 0, 2.5) },
	} {
		require.NoError(t, change())
		f.onSolve = func(h handle, _ bool) answer {
			require.Equal(t, []float64{2.5}, f.models[h].told[name])
			return answer{status: 3, iterations: 1}
		}
		_, err := m.Solve(t.Context(), solver.Limits{Iterations: 1})
		require.NoError(t, err)
	}
}
