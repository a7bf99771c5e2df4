package colgen_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/solver"
	"jigsaw/solver/colgen"
)

// packing is a random program whose columns can all be listed: agents take sets
// of tasks that fit their capacity (generalised assignment, D. W. Cattrysse, L.
// N. Van Wassenhove, Eur. J. Oper. Res. 60 (1992)). Every task is done, by an
// agent or by an explicit column at a penalty; agents come in numbers, all of
// which take a set, perhaps the empty one.
type packing struct {
	tasks  int
	counts []float64               // agents of each kind
	sets   [][]colgen.Column[uint] // by kind of agent; Data is the set of tasks
	rows   *solver.Problem
}

func randomPacking(rng *rand.Rand) *packing {
	p := &packing{tasks: 3 + rng.IntN(6), rows: &solver.Problem{}}
	for range p.tasks {
		p.rows.AddRow("", 1, 1)
	}
	for a := range 1 + rng.IntN(4) {
		p.counts = append(p.counts, float64(1+rng.IntN(3)))
		p.rows.AddRow("", p.counts[a], p.counts[a])
		weight, cost := make([]int, p.tasks), make([]int, p.tasks)
		for i := range weight {
			weight[i], cost[i] = 1+rng.IntN(9), rng.IntN(20)
		}
		capacity := 5 + rng.IntN(15)
		var sets []colgen.Column[uint]
		for set := range uint(1) << p.tasks {
			c := colgen.Column[uint]{Key: fmt.Sprint(a, set), Data: set}
			used := 0
			for i := range p.tasks {
				if set>>i&1 == 1 {
					used += weight[i]
					c.Cost += float64(cost[i])
					c.Entries = append(c.Entries, solver.Entry{Row: solver.Row(i), Value: 1})
				}
			}
			c.Cost += float64(rng.IntN(5))
			c.Entries = append(c.Entries, solver.Entry{Row: solver.Row(p.tasks + a), Value: 1})
			if used <= capacity {
				sets = append(sets, c)
			}
		}
		p.sets = append(p.sets, sets)
	}
	for i := range p.tasks {
		p.rows.AddCol("", 50, 0, 1, solver.Entry{Row: solver.Row(i), Value: 1})
	}
	return p
}

// optimum solves the program with all its permitted columns.
func (p *packing) optimum(t *testing.T, e solver.Solver, allowed func(uint) bool) float64 {
	t.Helper()
	all := p.rows.Clone()
	for _, sets := range p.sets {
		for _, c := range sets {
			if allowed(c.Data) {
				all.AddCol("", c.Cost, 0, math.Inf(1), c.Entries...)
			}
		}
	}
	m, err := e.Load(all)
	require.NoError(t, err)
	defer m.Close()
	s, err := m.Solve(context.Background(), solver.Limits{})
	require.NoError(t, err)
	require.Equal(t, solver.Optimal, s.Status)
	require.NoError(t, solver.Verify(all, s))
	return s.Objective
}

func anything(uint) bool { return true }

// master loads the rows and the empty sets.
func (p *packing) master(t *testing.T, e solver.Solver) *colgen.Master[uint] {
	t.Helper()
	m, err := colgen.NewMaster[uint](e, p.rows)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	for _, sets := range p.sets {
		added, err := m.Add(sets[0])
		require.NoError(t, err)
		require.Equal(t, 1, added)
	}
	return m
}

// search is a pricer that enumerates all sets of a kind of agent.
type search struct {
	*packing
	kind    int
	allowed func(uint) bool
	spoil   func(colgen.Priced[uint]) colgen.Priced[uint] // nil for a sound pricer
}

func (s search) Multiplicity() (least, most float64) { return s.counts[s.kind], s.counts[s.kind] }

func (s search) Price(prices []float64, _ bool) colgen.Priced[uint] {
	priced := colgen.Priced[uint]{Bound: math.Inf(1)}
	best := -1
	for i, c := range s.sets[s.kind] {
		if !s.allowed(c.Data) {
			continue
		}
		d := c.Cost
		for _, e := range c.Entries {
			d -= prices[e.Row] * e.Value
		}
		if d < priced.Bound {
			priced.Bound, best = d, i
		}
	}
	if best >= 0 {
		priced.Columns = append(priced.Columns, s.sets[s.kind][best])
	}
	if s.spoil != nil {
		return s.spoil(priced)
	}
	return priced
}

func (p *packing) pricers(allowed func(uint) bool, spoil func(colgen.Priced[uint]) colgen.Priced[uint]) []colgen.Pricer[uint] {
	var list []colgen.Pricer[uint]
	for kind := range p.sets {
		list = append(list, search{p, kind, allowed, spoil})
	}
	return list
}

// programs is the number of random programs in a test.
func programs() uint64 {
	if testing.Short() {
		return 40
	}
	return 400
}

// TestEnumerated compares column generation with the program that has all its
// columns: same optimum with and without smoothing, and at every round a valid
// bound that never decreases.
func TestEnumerated(t *testing.T) {
	e := engine(t)
	rounds := 0
	for seed := range programs() {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := randomPacking(rng)
		want := p.optimum(t, e, anything)
		for _, smoothing := range []float64{0, 0.3, 0.5, 0.8} {
			best := math.Inf(-1)
			r, err := p.master(t, e).Run(context.Background(), p.pricers(anything, nil), colgen.Options{Smoothing: smoothing, Event: func(e colgen.Event) {
				rounds++
				require.LessOrEqual(t, e.Bound, want+1e-6*want, "seed %d, round %d", seed, e.Round)
				require.GreaterOrEqual(t, e.Value, want-1e-6*want)
				require.GreaterOrEqual(t, e.Bound, best)
				best = e.Bound
			}})
			require.NoError(t, err)
			require.Equal(t, colgen.Optimal, r.Status, "seed %d", seed)
			require.InDelta(t, want, r.Value, 1e-5*max(1, want), "seed %d, smoothing %g", seed, smoothing)
			require.InDelta(t, want, r.Bound, 1e-4*max(1, want), "seed %d, smoothing %g", seed, smoothing)
			require.Len(t, r.Weights, len(r.Solution.Primal)-p.tasks)
		}
	}
	assert.Greater(t, rounds, 4*int(programs()), "programs that need rounds")
}

// TestCores: bit-identical runs on any number of cores.
func TestCores(t *testing.T) {
	e := engine(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for seed := range programs() / 8 {
		p := randomPacking(rand.New(rand.NewPCG(seed, 2)))
		run := func(cores int) (colgen.Result[uint], []colgen.Column[uint]) {
			runtime.GOMAXPROCS(cores)
			m := p.master(t, e)
			r, err := m.Run(context.Background(), p.pricers(anything, nil), colgen.Options{Smoothing: 0.5})
			require.NoError(t, err)
			return r, m.Columns()
		}
		want, columns := run(1)
		for _, cores := range []int{2, 8} {
			got, same := run(cores)
			require.Equal(t, want, got, "seed %d", seed)
			require.Equal(t, columns, same, "seed %d", seed)
		}
	}
}

// TestEarlyEnds: a run that ends at a limit keeps a valid bound and says why.
func TestEarlyEnds(t *testing.T) {
	e := engine(t)
	cut, limited := 0, 0
	for seed := range programs() / 4 {
		p := randomPacking(rand.New(rand.NewPCG(seed, 3)))
		want := p.optimum(t, e, anything)

		cutoff := want - 0.3*math.Abs(want)
		r, err := p.master(t, e).Run(context.Background(), p.pricers(anything, nil), colgen.Options{Cutoff: &cutoff})
		require.NoError(t, err)
		require.GreaterOrEqual(t, r.Bound, cutoff)
		if r.Status == colgen.Cutoff {
			cut++
		}

		r, err = p.master(t, e).Run(context.Background(), p.pricers(anything, nil), colgen.Options{Rounds: 1})
		require.NoError(t, err)
		require.LessOrEqual(t, r.Rounds, 1)
		require.LessOrEqual(t, r.Bound, want+1e-6*want)
		if r.Status == colgen.Limit {
			limited++
			require.NotNil(t, r.Prices)
		}

		// Cancelled in the middle of a round.
		ctx, cancel := context.WithCancel(context.Background())
		rounds := 0
		r, err = p.master(t, e).Run(ctx, p.pricers(anything, nil), colgen.Options{Event: func(colgen.Event) {
			if rounds++; rounds == 2 {
				cancel()
			}
		}})
		cancel()
		if rounds >= 2 && r.Status != colgen.Optimal {
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, 2, r.Rounds)
		}
		require.LessOrEqual(t, r.Bound, want+1e-6*want)

		// With the best prices at the start, the optimum is proven before the first
		// solve.
		done, err := p.master(t, e).Run(context.Background(), p.pricers(anything, nil), colgen.Options{})
		require.NoError(t, err)
		again, err := p.master(t, e).Run(context.Background(), p.pricers(anything, nil), colgen.Options{Prices: done.Prices, Rounds: 1})
		require.NoError(t, err)
		require.GreaterOrEqual(t, again.Bound, done.Bound)
	}
	assert.Greater(t, cut, int(programs()/20))
	assert.Greater(t, limited, int(programs()/20))

	p := randomPacking(rand.New(rand.NewPCG(0, 3)))
	_, err := p.master(t, e).Run(context.Background(), p.pricers(anything, nil), colgen.Options{Prices: []float64{1}})
	require.ErrorContains(t, err, "do not fit the rows")
}
