package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/study/store"
	"jigsaw/study/sweep"
)

func TestGain(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	row := func(objective string, plan, exclusive *float64) *store.Row {
		r := &store.Row{}
		r.Objective, r.Plan, r.Exclusive = objective, plan, exclusive
		return r
	}
	for name, test := range map[string]struct {
		row  *store.Row
		want float64
		ok   bool
	}{
		"makespan":   {row("makespan", f(100), f(128)), 0.28, true},
		"throughput": {row("throughput", f(1.28), f(1)), 0.28, true},
		"loss":       {row("makespan", f(200), f(100)), -0.5, true},
		"unknown":    {row("makespan", f(200), nil), 0, false},
		"nothing":    {row("throughput", f(1), f(0)), 0, false},
	} {
		got, ok := overExclusive(test.row)
		assert.Equal(t, test.ok, ok, name)
		assert.InDelta(t, test.want, got, 1e-12, name)
	}
}

func TestSpread(t *testing.T) {
	assert.Equal(t, spread{2.5, 1, 10, 4, 4}, spreadOfValues([]float64{10, 1, 2, 3}))
	assert.Equal(t, spread{3, 1, 10, 3, 3}, spreadOfValues([]float64{10, 1, 3}))
	assert.Equal(t, "–", spreadOfValues(nil).percent())
	assert.Equal(t, "+3 %", spreadOfValues([]float64{0.031, 0.029}).percent())
	assert.Equal(t, "+15 % (-10 … +40)", spreadOfValues([]float64{0.4, -0.1}).percent())
}

// TestGainFigure: outliers that do not fit the figure are mentioned below it.
func TestGainFigure(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	var rows []*store.Row
	for range 19 {
		r := &store.Row{}
		r.Objective, r.Plan, r.Exclusive = "makespan", f(100), f(150)
		rows = append(rows, r)
	}
	assert.NotContains(t, gainFigure(&family{rows: rows}).Caption, "left out")
	rows[0].Exclusive = f(300)
	assert.Contains(t, gainFigure(&family{rows: rows}).Caption, " Gains beyond 60 %, up to 200, are left out.")
}

// TestPartlyKnown: a figure that is known for some rows says for how many, and is
// not drawn beside those of all.
func TestPartlyKnown(t *testing.T) {
	g := group{}
	for _, v := range []float64{0.1, 0.2, 0.4} {
		g.rows = append(g.rows, &store.Row{Outcome: store.Outcome{PlanEfficiency: &v}})
	}
	plan := series{of: func(r *store.Row) *float64 { return r.PlanEfficiency }}
	median, ok := plan.median(&g)
	assert.True(t, ok)
	assert.Equal(t, 0.2, median)
	g.rows = append(g.rows, &store.Row{})
	_, ok = plan.median(&g)
	assert.False(t, ok)
	s := spreadOf(g.rows, column(plan.of))
	assert.Equal(t, "+20 % (+10 … +40, n = 3)", s.percent())
	assert.Equal(t, []string{"+20 % (n = 3)", "20.0 % (n = 3)", "0.200 (n = 3)"}, []string{s.signed(), s.share(), s.number()})
}

// TestProven: a bound that exact arithmetic has not confirmed proves nothing.
func TestProven(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	r := &store.Row{Outcome: store.Outcome{Exclusive: f(15), InterleavedFull: f(12), Bound: f(10), BoundEfficiency: f(1.2)}}
	for _, want := range []bool{false, true} {
		r.Certified = want
		_, exclusive := mostOverExclusive(r)
		_, interleaved := mostOverInterleaved(r)
		assert.Equal(t, []bool{want, want, want}, []bool{exclusive, interleaved, mostEfficiency(r) != nil})
	}
}

// TestSavings: a model of two equal layers, whose ladder of two workers is half
// and full depth, by hand. Forward 2 x 1 ms, backward 2 x 2 ms.
func TestSavings(t *testing.T) {
	study, err := sweep.Decode([]byte(`
version: 1
name: s
profiles:
  - model: two
    gpu: v100
    batch: 1
    layers:
      - {name: a, forward: 1ms, backward: 2ms, parameters: 1MB, activations: 1MB}
      - {name: b, forward: 1ms, backward: 2ms, parameters: 1MB, activations: 1MB}
  - model: weightless
    gpu: v100
    batch: 1
    layers:
      - {name: a, forward: 1ms, backward: 2ms}
      - {name: b, forward: 1ms, backward: 2ms}
mixes: [{name: m, models: [{model: two}], workers: [{workers: 1}]}]
base: {clusters: [1x1x1]}
sweeps: [{name: a}]
`))
	require.NoError(t, err)
	p := study.Library().Profiles("two")[0]
	got, err := savingOf(study, p, 2, instance.SPBSpec{})
	require.NoError(t, err)
	assert.InDelta(t, 1-(4.0+6)/(2*6), got.compute, 1e-12)
	assert.InDelta(t, 1-(1.0+2)/(2*2), got.activations, 1e-12)
	// Full depth: each layer 1/2 to reduce and 1/2 to broadcast. The layer that one
	// worker contributes alone needs no reduction.
	assert.InDelta(t, 1-(1.0+0.5)/(1+1), got.bytes, 1e-12)

	p = study.Library().Profiles("weightless")[0]
	got, err = savingOf(study, p, 2, instance.SPBSpec{})
	require.NoError(t, err)
	assert.Equal(t, saving{compute: got.compute}, got, "nothing is saved of nothing")
}
