package report

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/study/quality"
	"jigsaw/study/store"
	"jigsaw/study/sweep"
)

// TestHeadlineRule: the built-in studies lead with the rule that leaves out the most
// work among those that lose accuracy in no training.
func TestHeadlineRule(t *testing.T) {
	cost, err := newAccuracy()
	require.NoError(t, err)
	best, most := "", 0.0
	for _, rule := range quality.Rules()[1:] {
		saved, loses := 0.0, rule.Fewer || rule.Control
		for _, m := range models {
			for _, k := range trained {
				f := cost.Of(m, k, rule.Name)
				require.NotNil(t, f, rule.Name)
				saved += f.WorkSaved
				loses = loses || f.Verdict == quality.Loses
			}
		}
		if !loses && saved > most {
			best, most = sweep.RuleName(rule.SPB), saved
		}
	}
	studies, err := sweep.Builtins()
	require.NoError(t, err)
	for _, b := range studies {
		study, err := sweep.Decode(b.Data)
		require.NoError(t, err)
		assert.Equal(t, best, sweep.RuleName(study.Defaults().SPB[0]), b.Name)
	}
}

// TestHeadlines: the family of the study's own rule and objective leads, one for each
// method, wherever its cells are; full depth never does.
func TestHeadlines(t *testing.T) {
	study, err := sweep.Decode([]byte(`
version: 1
name: s
mixes: [{name: m, models: [{model: alexnet}], workers: [{workers: 2}]}]
methods: [{name: quick, quick: true}, {name: plan}]
base: {clusters: [1x1x2], methods: [plan], spb: [{rule: free}]}
sweeps:
  - {name: a, axes: {methods: [quick, plan], spb: [{rule: full}, {rule: ladder}, {rule: free}]}}
  - {name: b, axes: {objectives: [throughput]}}
`))
	require.NoError(t, err)
	value := 1.0
	var results []sweep.Result
	for i := range study.Sweeps {
		cells := study.Cells(&study.Sweeps[i])
		for k := range cells {
			row := &store.Row{Parameters: store.Parameters{Key: cells[k].Key(sweep.Program{}), Method: cells[k].Method.Name, Objective: string(cells[k].Objective), SPB: sweep.RuleName(cells[k].SPB)}}
			row.Plan = &value
			results = append(results, sweep.Result{Sweep: &study.Sweeps[i], Cell: &cells[k], Row: row})
		}
	}
	names := func(all []*family) (names []string) {
		for _, f := range all {
			names = append(names, f.method+" "+f.objective+" "+f.rule())
		}
		return names
	}
	all := families(study, append(results, results...))
	assert.Equal(t, []string{"quick makespan full", "quick makespan ladder 4", "quick makespan free 4", "plan makespan full", "plan makespan ladder 4", "plan makespan free 4", "plan throughput free 4"}, names(all))
	for _, f := range all {
		assert.Len(t, f.rows, 1, "each cell once")
	}
	assert.Equal(t, []string{"plan makespan free 4", "quick makespan free 4"}, names(headlines(study, all)))
	assert.Empty(t, headlines(study, []*family{{spb: instance.SPBSpec{Rule: "full"}}}))
}

// TestGeometricMeans: the factors of a line multiply to its gain.
func TestGeometricMeans(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	w := func(v int64) *int64 { return &v }
	rows := []*store.Row{
		{Parameters: store.Parameters{Objective: "makespan"}, Outcome: store.Outcome{Queue: f(120), Exclusive: f(100), InterleavedFull: f(80), Plan: f(50), FullWork: w(500), PlanWork: w(400)}},
		{Parameters: store.Parameters{Objective: "throughput"}, Outcome: store.Outcome{Queue: f(1), Exclusive: f(2), InterleavedFull: f(3), Plan: f(9), FullWork: w(900), PlanWork: w(300)}},
		{Outcome: store.Outcome{Plan: f(50)}}, // too little of it is known
	}
	known := divided(rows)
	require.Len(t, known, 2)
	product := 1.0
	for _, p := range parts() {
		product *= mean(known, p.of)
	}
	assert.InEpsilon(t, mean(known, column(func(r *store.Row) *float64 { return r.Factors().Gain })), product, 1e-12)
	assert.Equal(t, []string{"×4.65", "×1.55", "×1.37", "×1.94", "×1.13"}, factorCells(rows))
	assert.Equal(t, []string{"–", "–", "–", "–", "–"}, factorCells(rows[2:]))
}
