package policy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"jigsaw/solver"
)

// counting sums the simplex iterations of its models.
type counting struct {
	solver.Solver
	iterations *int
}

type countingModel struct {
	solver.Model
	iterations *int
}

func (c counting) Load(p *solver.Problem) (solver.Model, error) {
	m, err := c.Solver.Load(p)
	return countingModel{m, c.iterations}, err
}

func (m countingModel) Solve(ctx context.Context, l solver.Limits) (*solver.Solution, error) {
	s, err := m.Model.Solve(ctx, l)
	if err == nil {
		*m.iterations += s.Iterations
	}
	return s, err
}

// tangent is a row, from a lower bound, by column.
type tangent struct {
	lower  float64
	values map[solver.Col]float64
}

// with is a program with additional rows.
func with(p *solver.Problem, tangents []tangent) *solver.Problem {
	q := &solver.Problem{}
	for i := range p.Rows() {
		q.AddRow("", p.RowLower[i], p.RowUpper[i])
	}
	for _, row := range tangents {
		q.AddRow("", row.lower, math.Inf(1))
	}
	for j := range p.Cols() {
		var entries []solver.Entry
		rows, values := p.Column(solver.Col(j))
		for k, i := range rows {
			entries = append(entries, solver.Entry{Row: i, Value: values[k]})
		}
		for n, row := range tangents {
			if v, ok := row.values[solver.Col(j)]; ok {
				entries = append(entries, solver.Entry{Row: solver.Row(p.Rows() + n), Value: v})
			}
		}
		q.AddCol("", p.Cost[j], p.ColLower[j], p.ColUpper[j], entries...)
	}
	return q
}

// simpleFinishTime is finish-time fairness without Newton's method or a warm start: the
// tangents of all steps stay in one program.
func simpleFinishTime(t require.TestingT, engine solver.Solver, gpus []int, jobs []Demand) float64 {
	a := allocator{ctx: context.Background(), gpus: gpus, jobs: jobs}
	theta, expected := make([]float64, len(jobs)), make([]float64, len(jobs))
	least, high := 0.0, 0.0
	for i, j := range jobs {
		expected[i] = j.Isolated + j.Remaining/a.isolated(i)
		theta[i] = j.Since / expected[i]
		least = max(least, theta[i])
	}
	for i, j := range jobs {
		high = max(high, theta[i]-least+(j.Remaining/a.isolated(i))/expected[i])
	}
	a.build(1, func(int) float64 { return 0 }, func(int) float64 { return 1 }, func(int) float64 { return 0 })
	var tangents []tangent // of all steps
	for at, before := high, math.Inf(-1); ; {
		for i, j := range jobs {
			f := 1 / (at - (theta[i] - least))
			row := tangent{1 + f*at, map[solver.Col]float64{a.value: f}}
			for k, col := range a.cols[i] {
				if col >= 0 {
					row.values[col] = expected[i] / j.Remaining / f * j.Rate[k]
				}
			}
			tangents = append(tangents, row)
		}
		m, err := engine.Load(with(&a.problem, tangents))
		require.NoError(t, err)
		s, err := m.Solve(context.Background(), solver.Limits{})
		require.NoError(t, err)
		require.NoError(t, m.Close())
		require.Equal(t, solver.Optimal, s.Status)
		value := s.Primal[a.value]
		if value > 0 && math.Abs(value-before) <= 1e-10*value {
			return value + least
		}
		before = value
		if at = value; at <= 0 {
			high /= 2
			at = high
		}
	}
}

// crowd is a set of jobs that arrive, progress, and leave.
type crowd struct {
	rng  *rand.Rand
	next int
	ids  []int
	jobs []Demand
}

func (c *crowd) arrive(kinds int) {
	j := Demand{
		GPUs: 1 << c.rng.IntN(4), Weight: 1, Rate: make([]float64, kinds), Remaining: math.Exp(14 * c.rng.Float64()),
		Since: 1e5 * c.rng.Float64(), Isolated: 1e4 * c.rng.Float64(),
	}
	for t := range j.Rate {
		if t == c.next%kinds || c.rng.IntN(4) > 0 {
			j.Rate[t] = math.Exp(3 * c.rng.Float64())
		}
	}
	c.ids, c.jobs = append(c.ids, c.next), append(c.jobs, j)
	c.next++
}

// pass advances time, after which the oldest jobs have left.
func (c *crowd) pass(gone int) {
	for i := range c.jobs {
		c.jobs[i].Remaining *= 0.9 + 0.1*c.rng.Float64()
		c.jobs[i].Since += 2000
		c.jobs[i].Isolated += 100 * c.rng.Float64()
	}
	gone = min(gone, len(c.ids)-1)
	c.ids, c.jobs = slices.Clone(c.ids[gone:]), c.jobs[gone:]
}

// TestWarmStart: allocations that start from the end of the last one have the same
// value as those from scratch.
func TestWarmStart(t *testing.T) {
	lp := engine(t)
	rapid.Check(t, func(t *rapid.T) {
		gpus := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 3).Draw(t, "gpus")
		c := crowd{rng: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))}
		warm := map[Objective]*warmStart{MaxMin: {}, Makespan: {}, FinishTime: {}}
		for range rapid.IntRange(2, 6).Draw(t, "decisions") {
			for range rapid.IntRange(1, 20).Draw(t, "come") {
				c.arrive(len(gpus))
			}
			for _, objective := range []Objective{MaxMin, Makespan, FinishTime} {
				warm[objective].ids = c.ids
				got, err := allocate(context.Background(), lp, objective, gpus, c.jobs, warm[objective])
				require.NoError(t, err)
				requireFits(t, gpus, c.jobs, got)
				want, err := Allocate(context.Background(), lp, objective, gpus, c.jobs)
				require.NoError(t, err)
				require.InEpsilon(t, want.Value, got.Value, 1e-6, objective)
				if objective == FinishTime {
					require.InEpsilon(t, simpleFinishTime(t, lp, gpus, c.jobs), got.Value, 1e-6)
				}
			}
			c.pass(rapid.IntRange(0, 20).Draw(t, "go"))
		}
	})
}

// TestWarmStartIsQuick: with hundreds of jobs a warm start saves nearly all of the work.
func TestWarmStartIsQuick(t *testing.T) {
	lp := engine(t)
	warmly, simply := 0, 0
	gpus := []int{12, 12, 12}
	c := crowd{rng: rand.New(rand.NewPCG(1, 2))}
	for range 300 {
		c.arrive(len(gpus))
	}
	var warm warmStart
	for k := range 10 {
		warm.ids = c.ids
		got, err := allocate(context.Background(), counting{lp, &warmly}, FinishTime, gpus, c.jobs, &warm)
		require.NoError(t, err)
		if k == 0 {
			warmly = 0 // the first one has no warm start
		} else {
			require.InEpsilon(t, simpleFinishTime(t, counting{lp, &simply}, gpus, c.jobs), got.Value, 1e-6)
		}
		c.pass(1)
		c.arrive(len(gpus))
	}
	t.Logf("simplex iterations: %d, and %d without a warm start", warmly, simply)
	require.Less(t, 10*warmly, simply)
}
