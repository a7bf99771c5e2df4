package tree_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/solver"
	"jigsaw/solver/backend"
	"jigsaw/solver/tree"
)

// engines returns those of this build; without one, the test is skipped.
func engines(t *testing.T) map[string]solver.Solver {
	t.Helper()
	live, err := backend.Default()
	if errors.Is(err, backend.ErrNone) {
		t.Skip("no linear programming engine in this build")
	}
	require.NoError(t, err)
	cold, err := backend.OneShot()
	require.NoError(t, err)
	return map[string]solver.Solver{"live": live, "cold": cold}
}

// randomMIP draws a program over few integer columns in small boxes, sometimes
// with a continuous column that relieves a row at a price.
func randomMIP(rng *rand.Rand) *solver.Problem {
	p := &solver.Problem{}
	rows := 1 + rng.IntN(4)
	for i := range rows {
		lower, upper := math.Inf(-1), math.Inf(1)
		switch rng.IntN(4) {
		case 0:
			lower = float64(rng.IntN(9) - 2)
		case 1:
			lower = float64(rng.IntN(5))
			upper = lower + float64(rng.IntN(3))
		default:
			upper = float64(rng.IntN(12))
		}
		p.AddRow(fmt.Sprintf("r%d", i), lower, upper)
	}
	for j := range 2 + rng.IntN(5) {
		var entries []solver.Entry
		for i := range rows {
			if v := rng.IntN(11) - 4; v != 0 && rng.IntN(4) > 0 {
				entries = append(entries, solver.Entry{Row: solver.Row(i), Value: float64(v)})
			}
		}
		lower := float64(-rng.IntN(2))
		col := p.AddCol(fmt.Sprintf("x%d", j), float64(rng.IntN(21)-12), lower, lower+float64(1+rng.IntN(3)), entries...)
		p.SetInteger(col)
	}
	if rng.IntN(3) == 0 {
		p.AddCol("relief", 3, 0, 5, solver.Entry{Row: 0, Value: float64(1 - 2*rng.IntN(2))})
	}
	return p
}

// enumerate returns the optimum by trying all integers. A last continuous
// column has one entry, so its best value is a matter of one row.
func enumerate(p *solver.Problem) float64 {
	best := math.Inf(1)
	x := make([]float64, p.Cols())
	var choose func(j int)
	choose = func(j int) {
		if j < p.Cols() && p.Integer[j] {
			for x[j] = p.ColLower[j]; x[j] <= p.ColUpper[j]; x[j]++ {
				choose(j + 1)
			}
			return
		}
		lower, upper, value := 0.0, 0.0, 0.0
		if j < p.Cols() {
			lower, upper = p.ColLower[j], p.ColUpper[j]
		}
		activity := make([]float64, p.Rows())
		for i := range j {
			rows, values := p.Column(solver.Col(i))
			for k, r := range rows {
				activity[r] += values[k] * x[i]
			}
			value += p.Cost[i] * x[i]
		}
		for i, a := range activity {
			lo, hi := p.RowLower[i]-a, p.RowUpper[i]-a
			if i == 0 && j < p.Cols() {
				_, values := p.Column(solver.Col(j))
				if values[0] < 0 {
					lo, hi = -hi, -lo
				}
				lower, upper = max(lower, lo), min(upper, hi)
			} else if lo > 0 || hi < 0 {
				return
			}
		}
		if lower > upper {
			return
		}
		if j < p.Cols() {
			value += p.Cost[j] * lower
		}
		best = min(best, value)
	}
	choose(0)
	return best
}

func feasible(t *testing.T, p *solver.Problem, x []float64, objective float64) {
	t.Helper()
	sum, activity := 0.0, make([]float64, p.Rows())
	for j, v := range x {
		require.LessOrEqual(t, p.ColLower[j]-1e-9, v)
		require.GreaterOrEqual(t, p.ColUpper[j]+1e-9, v)
		if p.Integer != nil && p.Integer[j] {
			require.Equal(t, math.Round(v), v)
		}
		sum += p.Cost[j] * v
		rows, values := p.Column(solver.Col(j))
		for k, r := range rows {
			activity[r] += values[k] * v
		}
	}
	for i, a := range activity {
		require.LessOrEqual(t, p.RowLower[i]-1e-6, a)
		require.GreaterOrEqual(t, p.RowUpper[i]+1e-6, a)
	}
	require.InDelta(t, objective, sum, 1e-6)
}

func TestMIPAgainstEnumeration(t *testing.T) {
	n := 1500
	if testing.Short() {
		n = 150
	}
	for name, engine := range engines(t) {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 6))
			infeasible, branched := 0, 0
			for range n {
				p := randomMIP(rng)
				want := enumerate(p)
				var options tree.MIPOptions
				if continuous := p.Cols() > 0 && !p.Integer[p.Cols()-1]; !continuous && rng.IntN(2) == 0 {
					options.Step = 1
				}
				if rng.IntN(3) == 0 {
					for range p.Cols() {
						options.Priority = append(options.Priority, rng.IntN(2))
					}
				}
				before := p.Clone()
				r, err := tree.MIP(context.Background(), engine, p, options)
				require.NoError(t, err)
				require.Equal(t, before, p, "the program is the caller's")
				require.Equal(t, tree.Closed, r.Status)
				if r.Nodes > 1 {
					branched++
				}
				if math.IsInf(want, 1) {
					infeasible++
					require.Nil(t, r.Primal)
					require.Equal(t, math.Inf(1), r.Bound)
					continue
				}
				require.InDelta(t, want, r.Objective, 1e-6)
				require.InDelta(t, want, r.Bound, 1e-5)
				feasible(t, p, r.Primal, r.Objective)
			}
			t.Logf("%d programs, %d infeasible, %d with more than a node", n, infeasible, branched)
			assert.Greater(t, infeasible, n/50)
			assert.Greater(t, branched, n/10)
		})
	}
}

// A cutoff hides what is no better, and a start counts.
func TestMIPCutoffAndStart(t *testing.T) {
	engine := engines(t)["live"]
	rng := rand.New(rand.NewPCG(7, 8))
	for range 200 {
		p := randomMIP(rng)
		want := enumerate(p)
		if math.IsInf(want, 1) {
			continue
		}
		above, at := want+1, want
		options := tree.MIPOptions{Cutoff: &above}
		if whole := p.Integer[p.Cols()-1]; whole { // nor does one between two values
			above, options.Step = want+0.3, 1
		}
		r, err := tree.MIP(context.Background(), engine, p, options)
		require.NoError(t, err)
		require.InDelta(t, want, r.Objective, 1e-6)
		best := r.Primal
		r, err = tree.MIP(context.Background(), engine, p, tree.MIPOptions{Cutoff: &at})
		require.NoError(t, err)
		require.Equal(t, tree.Closed, r.Status)
		require.InDelta(t, want, r.Bound, 1e-5)
		r, err = tree.MIP(context.Background(), engine, p, tree.MIPOptions{Start: best, Nodes: 1})
		require.NoError(t, err)
		require.InDelta(t, want, r.Objective, 1e-6)
		require.LessOrEqual(t, r.Bound, want+1e-5)
	}
}

func TestMIPRefusesNonsense(t *testing.T) {
	engine := engines(t)["live"]
	p := &solver.Problem{}
	row := p.AddRow("r", 1, 1)
	p.SetInteger(p.AddCol("x", 1, 0, 1, solver.Entry{Row: row, Value: 1}))
	_, err := tree.MIP(context.Background(), engine, p, tree.MIPOptions{Start: []float64{0}})
	assert.ErrorContains(t, err, "the start is not feasible: row 0")
	_, err = tree.MIP(context.Background(), engine, p, tree.MIPOptions{Priority: []int{1, 2}})
	assert.ErrorContains(t, err, "2 branching priorities for 1 columns")
	free := &solver.Problem{}
	free.AddRow("r", 0, math.Inf(1))
	free.SetInteger(free.AddCol("x", -1, 0, math.Inf(1), solver.Entry{Row: 0, Value: 1}))
	_, err = tree.MIP(context.Background(), engine, free, tree.MIPOptions{})
	assert.ErrorContains(t, err, "unbounded")
	p.RowLower[0] = math.NaN()
	_, err = tree.MIP(context.Background(), engine, p, tree.MIPOptions{})
	assert.Error(t, err)
}

// unreliable is an engine that fails or lies every few solves.
type unreliable struct {
	solver.Solver
	rng *rand.Rand
	bad *int
}

func (u unreliable) Load(p *solver.Problem) (solver.Model, error) {
	if u.rng.IntN(20) == 0 {
		return nil, errors.New("no memory")
	}
	m, err := u.Solver.Load(p)
	return unreliableModel{m, u}, err
}

type unreliableModel struct {
	solver.Model
	engine unreliable
}

func (m unreliableModel) Solve(ctx context.Context, limits solver.Limits) (*solver.Solution, error) {
	s, err := m.Model.Solve(ctx, limits)
	if err != nil || m.engine.rng.IntN(3) > 0 {
		return s, err
	}
	*m.engine.bad++
	switch m.engine.rng.IntN(5) {
	case 0:
		return nil, errors.New("broken")
	case 1:
		return &solver.Solution{Status: solver.Numerical}, nil
	case 2: // a lie about feasibility
		return &solver.Solution{Status: solver.Infeasible, Ray: make([]float64, m.engineRows())}, nil
	case 3: // a lie about the value
		if s.Status == solver.Optimal {
			s.Objective += 5
		}
	default: // a point that is none
		if s.Status == solver.Optimal && len(s.Primal) > 0 {
			s.Primal[0] += 0.5
		}
	}
	return s, nil
}

func (m unreliableModel) engineRows() int {
	rows, _ := m.Dims()
	return rows
}

// An engine that fails or lies costs time, never the truth: what is closed is
// right, and what is not closed says so.
func TestMIPSurvivesItsEngine(t *testing.T) {
	live := engines(t)["live"]
	n := 400
	if testing.Short() {
		n = 60
	}
	rng := rand.New(rand.NewPCG(9, 10))
	bad, closed, found := 0, 0, 0
	for range n {
		p := randomMIP(rng)
		want := enumerate(p)
		r, err := tree.MIP(context.Background(), unreliable{live, rng, &bad}, p, tree.MIPOptions{})
		if err != nil {
			require.ErrorContains(t, err, "no memory", "only the first load may end the search")
			continue
		}
		require.LessOrEqual(t, r.Bound, want+1e-5)
		require.GreaterOrEqual(t, r.Objective, want-1e-6)
		if r.Primal != nil {
			found++
			feasible(t, p, r.Primal, r.Objective)
		}
		if r.Status == tree.Closed {
			closed++
			if !math.IsInf(want, 1) {
				require.InDelta(t, want, r.Objective, 1e-6)
			}
		} else {
			require.Equal(t, tree.Unresolved, r.Status)
		}
	}
	t.Logf("%d bad answers; %d of %d closed, %d with a point", bad, closed, n, found)
	assert.Greater(t, bad, n)
	assert.Greater(t, closed, n/4)
}

// The same program gives the same search, and a context or a node limit ends it
// with a bound.
func TestMIPLimitsAndRepeats(t *testing.T) {
	engine := engines(t)["live"]
	p := marketSplit(rand.New(rand.NewPCG(11, 12)), 4, 24)
	var first []tree.Event
	for range 2 {
		var events []tree.Event
		r, err := tree.MIP(context.Background(), engine, p, tree.MIPOptions{Nodes: 60, Step: 1, Events: func(e tree.Event) { events = append(events, e) }})
		require.NoError(t, err)
		require.Equal(t, tree.NodeLimit, r.Status)
		require.Equal(t, 60, r.Nodes)
		if first == nil {
			first = events
		}
		require.Equal(t, first, events)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, err := tree.MIP(ctx, engine, p, tree.MIPOptions{Step: 1, Events: func(e tree.Event) {
		if e.Nodes == 20 {
			cancel()
		}
	}})
	require.NoError(t, err)
	assert.Equal(t, tree.Stopped, r.Status)
	assert.Equal(t, 20, r.Nodes)
	assert.LessOrEqual(t, r.Bound, r.Objective)
}

// marketSplit is the problem of G. Cornuejols and M. Dawande (1998), hard for
// branch-and-bound by design: halve m market totals at once.
func marketSplit(rng *rand.Rand, rows, cols int) *solver.Problem {
	p := &solver.Problem{}
	sum := make([]int, rows)
	d := make([][]int, cols)
	for j := range d {
		for i := range rows {
			v := rng.IntN(100)
			d[j] = append(d[j], v)
			sum[i] += v
		}
	}
	for i := range rows {
		p.AddRow("", float64(sum[i]/2), float64(sum[i]/2))
	}
	for i := range rows {
		for _, sign := range []float64{1, -1} {
			p.SetInteger(p.AddCol("", 1, 0, 1000, solver.Entry{Row: solver.Row(i), Value: sign}))
		}
	}
	for j := range d {
		var entries []solver.Entry
		for i, v := range d[j] {
			if v > 0 {
				entries = append(entries, solver.Entry{Row: solver.Row(i), Value: float64(v)})
			}
		}
		p.SetInteger(p.AddCol("", 0, 0, 1, entries...))
	}
	return p
}
