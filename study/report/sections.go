package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jigsaw/study/store"
	"jigsaw/study/sweep"
)

// group is the rows of a sweep that differ in their seeds only.
type group struct {
	label  string
	number float64 // of the first axis, where it has numbers
	// series is the label of the axes behind the first.
	series string
	rows   []*store.Row
}

// groups sets a sweep's results out by its axes, in the order of the study. A
// sample is set out by the first axis alone.
func groups(study *sweep.Study, w *sweep.Sweep, results []sweep.Result) (axes []sweep.Axis, all []*group) {
	axes = study.Varying(w)
	if w.Sample != nil {
		axes = axes[:1]
	}
	index := map[string]*group{}
	for _, r := range results {
		if r.Sweep != w || r.Row == nil || r.Row.Plan == nil {
			continue
		}
		var rest []string
		for _, a := range axes[1:] {
			rest = append(rest, a.Of(r.Cell))
		}
		g := group{label: axes[0].Of(r.Cell), series: strings.Join(rest, ", ")}
		if axes[0].Number != nil {
			g.number = axes[0].Number(r.Cell)
		}
		key := g.label + "\n" + g.series
		if index[key] == nil {
			index[key] = &g
			all = append(all, &g)
		}
		index[key].rows = append(index[key].rows, r.Row)
	}
	if w.Sample != nil {
		// A sample may meet the values in any order.
		slices.SortStableFunc(all, func(a, b *group) int { return cmp.Compare(a.number, b.number) })
	}
	return axes, all
}

// sweepSection is the table and the plot of a sweep.
func sweepSection(study *sweep.Study, w *sweep.Sweep, results []sweep.Result) Section {
	axes, all := groups(study, w, results)
	s := Section{ID: "sweep-" + w.Name, Title: strings.ToUpper(w.Name[:1]) + strings.ReplaceAll(w.Name[1:], "-", " ")}
	s.Text = strings.TrimSpace(w.Question + " " + unplanned(w, results))
	if len(all) == 0 {
		return s
	}
	head := []string{axes[0].Title}
	if len(axes) > 1 {
		var titles []string
		for _, a := range axes[1:] {
			titles = append(titles, a.Title)
		}
		head = append(head, strings.Join(titles, ", "))
	}
	const over = "Medians over the cells of a line"
	head = slices.Clip(head)
	gains := Table{
		Caption: "Gains. " + over + "; the least and the greatest in brackets. At most: the median of what any schedule can gain, by the proven bounds.", Words: len(head),
		Head: append(head, "cells", "over exclusive", "at most", "over interleaved", "at most", "gap of plan to bound"),
	}
	use := Table{
		Caption: "Efficiency, and use of the cluster. " + over + ".", Words: len(head),
		Head: append(head, "exclusive", "interleaved", "greedy", "plan", "at most", "GPUs busy: exclusive", "interleaved", "plan", "NICs", "busiest link"),
	}
	for _, g := range all {
		label := []string{g.label}
		if len(axes) > 1 {
			label = append(label, g.series)
		}
		label = slices.Clip(label)
		of := func(column func(*store.Row) *float64) spread { return spreadOf(g.rows, known(column)) }
		gains.Rows = append(gains.Rows, append(label, strconv.Itoa(len(g.rows)),
			spreadOf(g.rows, overExclusive).percent(), spreadOf(g.rows, mostOverExclusive).signed(),
			spreadOf(g.rows, overInterleaved).percent(), spreadOf(g.rows, mostOverInterleaved).signed(),
			of(func(r *store.Row) *float64 { return r.Gap }).share(),
		))
		use.Rows = append(use.Rows, append(label,
			of(func(r *store.Row) *float64 { return r.ExclusiveEfficiency }).number(),
			of(func(r *store.Row) *float64 { return r.InterleavedFullEfficiency }).number(),
			of(func(r *store.Row) *float64 { return r.GreedyEfficiency }).number(),
			of(func(r *store.Row) *float64 { return r.PlanEfficiency }).number(),
			of(mostEfficiency).number(),
			of(func(r *store.Row) *float64 { return r.ExclusiveGPUs }).share(),
			of(func(r *store.Row) *float64 { return r.InterleavedFullGPUs }).share(),
			of(func(r *store.Row) *float64 { return r.PlanGPUs }).share(),
			of(func(r *store.Row) *float64 { return r.PlanNICs }).share(),
			of(func(r *store.Row) *float64 { return r.PlanLink }).share(),
		))
	}
	s.Tables = []Table{gains, use}
	s.Figures = []Figure{efficiencyFigure(w, axes[0], all)}
	return s
}

// unplanned says which cells of a sweep its tables leave out; empty where they have all.
func unplanned(w *sweep.Sweep, results []sweep.Result) string {
	cells, without := 0, map[string]int{}
	for _, r := range results {
		if r.Sweep != w {
			continue
		}
		cells++
		if r.Row == nil {
			without[missing]++
		} else if r.Row.Plan == nil {
			without[r.Row.Status]++
		}
	}
	n, reasons := tally(without)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Without a plan: %d of its %s (%s).", n, count(cells, "cell"), reasons)
}

// headline is the section on where the paper's figure lies.
func headline(all []methodRows) Section {
	t := Table{Caption: "Cells with partial backpropagation.", Words: 2, Head: []string{"method", "gain", "least", "median", "greatest", "28 % or more"}}
	for _, method := range all {
		for _, line := range []struct {
			name string
			of   func(*store.Row) (float64, bool)
		}{
			{"plan over exclusive", overExclusive},
			{"plan over interleaved at full depth", overInterleaved},
			{"interleaved at full depth over exclusive", interleavedOverExclusive},
			{"any schedule over exclusive, at most", mostOverExclusive},
			{"any schedule over interleaved, at most", mostOverInterleaved},
		} {
			s, above := spreadOf(method.rows, line.of), 0
			for _, r := range method.rows {
				if g, ok := line.of(r); ok && g >= abstract {
					above++
				}
			}
			if s.N > 0 {
				t.Rows = append(t.Rows, []string{method.name, line.name, signed(s.Low), signed(s.Median), signed(s.High), fmt.Sprintf("%d of %d", above, s.N)})
			}
		}
	}
	s := Section{
		ID: "headline", Title: "Where the 28 % lie",
		Text: "The paper's abstract (arXiv 2111.10672) puts the gain in cluster efficiency as high as 28 %. " +
			"Against which scheduler that is meant, the text at hand does not say; both candidates are here. Each curve counts the cells whose gain is at most that far to the right.",
		Figures: []Figure{gainFigure(all[0].rows, among(all))},
		Tables:  []Table{t},
	}
	s.Text += population(all)
	if len(all) > 1 {
		s.Text += " Methods are told apart, for a quick one makes the baselines quickly, too."
	}
	return s
}

// population says what else there is to know of the cells of the first method: their
// objectives, where there are several, and how many share their jobs.
func population(all []methodRows) (text string) {
	type jobs struct {
		mix           string
		gpus, workers int64
		load          float64
		seed          int64
	}
	drawn, counts, order := map[jobs]bool{}, map[string]int{}, []string(nil)
	for _, r := range all[0].rows {
		drawn[jobs{r.Mix, r.GPUs, r.Workers, r.Load, r.Seed}] = true
		if counts[r.Objective]++; counts[r.Objective] == 1 {
			order = append(order, r.Objective)
		}
	}
	if cells := len(all[0].rows); len(drawn) < cells {
		text += fmt.Sprintf(" The %s%s run %s of jobs, so they tell less than as many that have nothing in common.", count(cells, "cell"), among(all), count(len(drawn), "set"))
	}
	if len(order) > 1 {
		for i, o := range order {
			order[i] = fmt.Sprintf("%d for %s", counts[o], o)
		}
		text += fmt.Sprintf(" A gain is in the cell's own objective: %s.", strings.Join(order, ", "))
	}
	return text
}
