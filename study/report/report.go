package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jigsaw/study/report/page"
	"jigsaw/study/store"
	"jigsaw/study/sweep"
)

// Report is the page of a study.
type Report struct{ page.Page }

// New reads the study in the store.
func New(from *store.Store) (*Report, error) {
	study, err := sweep.Held(from)
	if err != nil {
		return nil, err
	}
	results, err := sweep.Results(study, from)
	if err != nil {
		return nil, err
	}
	r := &Report{page.Page{Title: "JigSaw study: " + study.Name, Question: study.Question}}
	r.Source.Title, r.Source.Text = "The study's file", string(study.Data) // the only place for its mixes, methods and axes
	r.facts(study, results)
	cost, err := newAccuracy()
	if err != nil {
		return nil, err
	}
	all := families(study, results)
	first := headlines(study, all)
	if len(first) > 0 {
		r.lead(first[0], cost)
	}
	if len(all) > 0 {
		r.Sections = append(r.Sections, factorSection(all, cost))
	}
	if len(first) > 0 {
		r.Sections = append(r.Sections, headline(first))
	}
	for i := range study.Sweeps {
		r.Sections = append(r.Sections, sweepSection(study, &study.Sweeps[i], results, cost))
	}
	savings, err := savingsSection(study)
	if err != nil {
		return nil, err
	}
	r.Sections = append(r.Sections, savings)
	plans, err := planSection(study, from, results)
	if err != nil {
		return nil, err
	}
	if len(plans.Figures) > 0 {
		r.Sections = append(r.Sections, plans)
	}
	r.rows(results)
	return r, nil
}

// facts and commands.
func (r *Report) facts(study *sweep.Study, results []sweep.Result) {
	var program sweep.Program
	statuses := map[string]int{}
	for _, row := range distinctRows(results) {
		program = sweep.Program{Planner: row.Planner, Engine: row.Engine}
		statuses[row.Status]++
	}
	absent := 0
	for _, result := range results {
		if result.Row == nil {
			absent++
		}
	}
	planned, counts := tally(statuses)
	r.Facts = [][2]string{
		{"Cells planned", strings.TrimSuffix(fmt.Sprintf("%d: %s", planned, counts), ": ")},
		{"JigSaw", program.Planner},
		{"Linear programs", program.Engine},
	}
	if absent > 0 {
		r.Facts = append(r.Facts, [2]string{"Missing", fmt.Sprintf("%d cells of sweeps have not been planned: this report covers a part of the study", absent)})
	}
	name := study.Name
	r.Commands = []string{
		fmt.Sprintf("jigsaw study run %s --db %s.db", r.studyArgument(study), name),
		fmt.Sprintf("jigsaw report %s.db --file %s.html", name, name),
		fmt.Sprintf("jigsaw study export %s.db -o csv > %s.csv", name, name),
	}
	r.Note = fmt.Sprintf("The instance of a cell, with the command that plans it as the study did: jigsaw study instance %s.db KEY, the key being in the last column of all cells.", name)
}

// missing is the status of a cell without a row.
const missing = "not planned"

// tally sums cells by status, and writes that out.
func tally(statuses map[string]int) (sum int, text string) {
	var counts []string
	for _, s := range []string{"optimal", "feasible", "infeasible", "limit", "unknown", store.Failed, missing} {
		if n := statuses[s]; n > 0 {
			sum += n
			counts = append(counts, fmt.Sprintf("%d %s", n, s))
		}
	}
	return sum, strings.Join(counts, ", ")
}

// studyArgument names a built-in study, or the file in which one is expected.
func (r *Report) studyArgument(study *sweep.Study) string {
	builtins, err := sweep.Builtins()
	if err == nil && slices.ContainsFunc(builtins, func(b sweep.Builtin) bool { return string(b.Data) == string(study.Data) }) {
		return study.Name
	}
	return study.Name + ".yaml"
}

// distinctRows returns the rows, each once: sweeps may share cells.
func distinctRows(results []sweep.Result) []*store.Row {
	seen := map[string]bool{}
	var rows []*store.Row
	for _, r := range results {
		if r.Row != nil && !seen[r.Row.Key] {
			seen[r.Row.Key] = true
			rows = append(rows, r.Row)
		}
	}
	return rows
}

func signed(f float64) string { return fmt.Sprintf("%+.0f %%", percents(f)) }

// percents rounds to whole percentages; 0 has no sign.
func percents(f float64) float64 {
	if whole := math.Round(100 * f); whole != 0 {
		return whole
	}
	return 0
}

// rows makes the table of everything. What all cells have in common is in its caption.
func (r *Report) rows(results []sweep.Result) {
	results = slices.DeleteFunc(slices.Clone(results), func(result sweep.Result) bool { return result.Row == nil })
	r.Rows.Title = "All cells"
	r.Rows.Table = page.Table{Caption: "Every cell. Efficiency is full-depth work delivered per GPU-second.", Head: []string{"sweep", "cluster"}}
	var axes []sweep.Axis
	var common []string
	for _, a := range sweep.AllAxes()[1:] { // the first is the cluster's size
		values := map[string]bool{}
		for _, result := range results {
			values[a.Of(result.Cell)] = true
		}
		if len(values) > 1 {
			axes = append(axes, a)
			r.Rows.Head = append(r.Rows.Head, a.Title)
		} else if len(values) == 1 {
			common = append(common, a.Title+" "+a.Of(results[0].Cell))
		}
	}
	if len(common) > 0 {
		r.Rows.Caption += " In all of them: " + strings.Join(common, ", ") + "."
	}
	r.Rows.Words = len(r.Rows.Head)
	r.Rows.Head = append(r.Rows.Head, "jobs", "status", "queue", "exclusive", "interleaved", "greedy", "plan", "at most", "gap", "gain over queue")
	for _, p := range parts() {
		r.Rows.Head = append(r.Rows.Head, p.name)
	}
	r.Rows.Head = append(r.Rows.Head, "key")
	for _, result := range results {
		row := result.Row
		one := []*store.Row{row}
		number := func(v *float64) string { return spreadOf(one, column(func(*store.Row) *float64 { return v })).number() }
		line := []string{result.Sweep.Name, row.Cluster}
		for _, a := range axes {
			line = append(line, a.Of(result.Cell))
		}
		line = append(line, fmt.Sprint(row.Jobs), row.Status,
			number(row.QueueEfficiency), number(row.ExclusiveEfficiency), number(row.InterleavedFullEfficiency), number(row.GreedyEfficiency), number(row.PlanEfficiency), number(mostEfficiency(row)),
			spreadOf(one, column(func(r *store.Row) *float64 { return r.Gap })).share())
		r.Rows.Rows = append(r.Rows.Rows, append(append(line, factorCells(one)...), row.Key[:12]))
	}
}
