package colgen_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/solver"
	"jigsaw/solver/colgen"
	"jigsaw/solver/lptest"
)

type priced = colgen.Priced[uint]

// TestFaultyPricers: a pricer's claims about its columns are not trusted, and
// what it does not prove does not count.
func TestFaultyPricers(t *testing.T) {
	e := engine(t)
	useless := colgen.Column[uint]{Cost: 1e6, Key: "useless", Entries: []solver.Entry{{Row: 0, Value: 1}}}
	for name, c := range map[string]struct {
		spoil   func(priced) priced
		status  []colgen.Status // one of them
		solves  bool            // the value is still the optimum
		bounded bool            // and so is the bound
		err     string
	}{
		"columns that do not price out": {
			spoil:  func(p priced) priced { p.Columns = append([]colgen.Column[uint]{useless}, p.Columns...); return p },
			status: []colgen.Status{colgen.Optimal}, solves: true, bounded: true,
		},
		"duplicates": {
			spoil:  func(p priced) priced { p.Columns = append(p.Columns, p.Columns...); return p },
			status: []colgen.Status{colgen.Optimal}, solves: true, bounded: true,
		},
		"nothing proven": {
			spoil:  func(p priced) priced { p.Bound = math.Inf(-1); return p },
			status: []colgen.Status{colgen.Stalled}, solves: true,
		},
		"no number proven": {
			spoil:  func(p priced) priced { p.Bound = math.NaN(); return p },
			status: []colgen.Status{colgen.Stalled}, solves: true,
		},
		"no columns": {
			spoil:  func(p priced) priced { p.Columns = nil; return p },
			status: []colgen.Status{colgen.Stalled, colgen.Optimal},
		},
		"a weak bound": {
			spoil:  func(p priced) priced { p.Bound = 2*p.Bound - 1; return p },
			status: []colgen.Status{colgen.Stalled}, solves: true,
		},
		"a row that is not there": {
			spoil: func(p priced) priced {
				p.Columns = []colgen.Column[uint]{{Key: "stray", Entries: []solver.Entry{{Row: 99, Value: 1}}}}
				return p
			},
			err: "offers a column with row 99",
		},
		"costs that are no numbers": {
			spoil: func(p priced) priced {
				for _, cost := range []float64{math.Inf(-1), math.NaN()} {
					p.Columns = append([]colgen.Column[uint]{{Key: "useless", Cost: cost, Entries: []solver.Entry{{Row: 0, Value: 1}}}}, p.Columns...)
				}
				return p
			},
			status: []colgen.Status{colgen.Optimal}, solves: true, bounded: true,
		},
		"an entry that is no number": {
			spoil: func(p priced) priced {
				p.Columns = []colgen.Column[uint]{{Key: "endless", Cost: -1, Entries: []solver.Entry{{Row: 0, Value: math.Inf(1)}}}}
				return p
			},
			status: []colgen.Status{colgen.Stalled, colgen.Optimal}, err: "colgen: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range programs() / 4 {
				p := randomPacking(rand.New(rand.NewPCG(seed, 5)))
				want := p.optimum(t, e, anything)
				m := p.master(t, e)
				r, err := m.Run(context.Background(), p.pricers(anything, c.spoil), colgen.Options{Smoothing: 0.5 * float64(seed%2)})
				require.LessOrEqual(t, r.Bound, want+1e-6*want, "seed %d", seed)
				if c.err != "" && (c.status == nil || err != nil) {
					require.ErrorContains(t, err, c.err)
					continue
				}
				require.NoError(t, err, "seed %d", seed)
				require.Contains(t, c.status, r.Status, "seed %d", seed)
				if c.solves {
					require.InDelta(t, want, r.Value, 1e-5*max(1, want), "seed %d", seed)
				}
				if c.bounded {
					require.InDelta(t, want, r.Bound, 1e-4*max(1, want), "seed %d", seed)
				}
				require.Equal(t, r.Prices == nil, math.IsInf(r.Bound, -1), "prices come with a bound")
				require.False(t, math.IsNaN(r.Bound))
				keys := map[string]bool{}
				for _, column := range m.Columns() {
					require.NotEqual(t, "useless", column.Key)
					require.False(t, keys[column.Key], "a column joined twice")
					keys[column.Key] = true
				}
			}
		})
	}
}

// TestFaultyEngines: whatever the engine answers, the bound is valid, and comes
// with prices.
func TestFaultyEngines(t *testing.T) {
	e := engine(t)
	for _, fault := range lptest.Faults() {
		if fault == lptest.Deaf {
			continue // its answers are correct
		}
		t.Run(fault.String(), func(t *testing.T) {
			failed, proven := 0, 0
			for seed := range programs() / 2 {
				rng := rand.New(rand.NewPCG(seed, 7))
				p := randomPacking(rng)
				want := p.optimum(t, e, anything)
				plan := lptest.FaultPlan{Fault: fault, After: rng.IntN(5), Rate: []float64{0, 0.4}[seed%2], Seed: seed}
				m, err := colgen.NewMaster[uint](solver.Guard(lptest.Faulty(e, plan)), p.rows)
				if err != nil {
					failed++
					continue
				}
				var start []colgen.Column[uint]
				for _, sets := range p.sets {
					start = append(start, sets[0])
				}
				if _, err := m.Add(start...); err != nil {
					failed++
					require.NoError(t, m.Close())
					continue
				}
				r, err := m.Run(context.Background(), p.pricers(anything, nil), colgen.Options{Smoothing: 0.5 * float64(seed/2%2), Rounds: 200})
				if err != nil || r.Status != colgen.Optimal {
					failed++
				}
				require.LessOrEqual(t, r.Bound, want+1e-6*want, "seed %d", seed)
				require.False(t, math.IsNaN(r.Bound))
				require.Equal(t, r.Prices == nil, math.IsInf(r.Bound, -1))
				if r.Prices != nil {
					proven++
				}
				require.NoError(t, m.Close())
			}
			t.Logf("%d runs failed or ended early, %d proved a bound", failed, proven)
		})
	}
}

// TestNoPricers: a program without any is a linear program, and one that the
// explicit columns cannot solve is called infeasible.
func TestNoPricers(t *testing.T) {
	e := engine(t)
	run := func(demand float64) colgen.Result[uint] {
		rows := &solver.Problem{}
		rows.AddRow("", demand, math.Inf(1))
		rows.AddCol("", 2, 0, 5, solver.Entry{Row: 0, Value: 1})
		m, err := colgen.NewMaster[uint](e, rows)
		require.NoError(t, err)
		defer m.Close()
		r, err := m.Run(context.Background(), nil, colgen.Options{Smoothing: 0.5})
		require.NoError(t, err)
		return r
	}
	r := run(3)
	assert.Equal(t, colgen.Optimal, r.Status)
	assert.InDelta(t, 6, r.Value, 1e-9)
	assert.InDelta(t, 6, r.Bound, 1e-9)
	assert.Equal(t, colgen.Infeasible, run(7).Status)
}
