package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/view"
	"jigsaw/study/report/page"
	"jigsaw/study/store"
	"jigsaw/study/sweep"
)

// group is the rows of a sweep that only differ in their seeds.
type group struct {
	label  string
	number float64 // of the first axis, if it has numbers
	// series is the label of the axes after the first.
	series string
	spb    instance.SPBSpec // of all cells, if an axis distinguishes rules
	rows   []*store.Row
}

// groups divides a sweep's results by its axes, in the order of the study. A
// sample is grouped by the first axis alone.
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
		g := group{label: axes[0].Of(r.Cell), series: strings.Join(rest, ", "), spb: r.Cell.SPB}
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
		// A sample may contain the values in any order.
		slices.SortStableFunc(all, func(a, b *group) int { return cmp.Compare(a.number, b.number) })
	}
	return axes, all
}

// sweepSection contains the tables and the plot of a sweep.
func sweepSection(study *sweep.Study, w *sweep.Sweep, results []sweep.Result, cost accuracy) page.Section {
	axes, all := groups(study, w, results)
	s := page.Section{ID: "sweep-" + w.Name, Title: strings.ToUpper(w.Name[:1]) + strings.ReplaceAll(w.Name[1:], "-", " ")}
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
	const over = "Medians over the cells of a row"
	head = slices.Clip(head)
	gains := page.Table{
		Caption: "Gains. " + over + ", with minimum and maximum in brackets. At most: the median of what any schedule can gain, by the proven bounds.", Words: len(head),
		Head: append(head, "cells", "over queue", "over exclusive", "at most", "over interleaved", "at most", "over fewer workers", "gap of plan to bound"),
	}
	factors := page.Table{
		Caption: "What the gain is made of. Geometric means over the cells of a row, so that its factors multiply.", Words: len(head),
		Head: append(head, factorHead()...),
	}
	// If the sweep compares depth rules, their costs are shown beside their gain.
	rules := slices.ContainsFunc(axes, func(a sweep.Axis) bool { return a.Name == "spb" })
	if rules {
		factors.Caption += " " + cost.note()
		factors.Head = append(factors.Head, accuracyHead()...)
	}
	use := page.Table{
		Caption: "Efficiency, and use of the cluster. " + over + ".", Words: len(head),
		Head: append(head, "queue", "exclusive", "interleaved", "greedy", "plan", "at most", "GPUs busy: exclusive", "interleaved", "plan", "NICs", "busiest link"),
	}
	for _, g := range all {
		label := []string{g.label}
		if len(axes) > 1 {
			label = append(label, g.series)
		}
		label = slices.Clip(label)
		of := func(field func(*store.Row) *float64) spread { return spreadOf(g.rows, column(field)) }
		gains.Rows = append(gains.Rows, append(label, strconv.Itoa(len(g.rows)),
			spreadOf(g.rows, overQueue).percent(),
			spreadOf(g.rows, overExclusive).percent(), spreadOf(g.rows, mostOverExclusive).signed(),
			spreadOf(g.rows, overInterleaved).percent(), spreadOf(g.rows, mostOverInterleaved).signed(),
			spreadOf(g.rows, overFewerInterleaved).percent(),
			of(func(r *store.Row) *float64 { return r.Gap }).share(),
		))
		line := append(label, factorCells(g.rows)...)
		if rules {
			line = append(line, cost.cells(ruleNamed(g.spb))...)
		}
		factors.Rows = append(factors.Rows, line)
		use.Rows = append(use.Rows, append(label,
			of(func(r *store.Row) *float64 { return r.QueueEfficiency }).number(),
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
	s.Tables = []page.Table{gains, factors, use}
	s.Figures = []page.Figure{efficiencyFigure(w, axes[0], all)}
	return s
}

// unplanned says which cells of a sweep are missing in its tables; empty if none are.
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
	return fmt.Sprintf("Without a plan: %d of its %s (%s).", n, view.Count(cells, "cell"), reasons)
}

// headline is the section that compares with the paper's figure, by the families
// of the study's own depth rule.
func headline(all []*family) page.Section {
	t := page.Table{Caption: "Cells of the depth rule " + all[0].rule() + ".", Words: 2, Head: []string{"method", "gain", "least", "median", "greatest", "28 % or more"}}
	for _, f := range all {
		for _, line := range []struct {
			name string
			of   figure
		}{
			{"plan over queue", overQueue},
			{"plan over exclusive", overExclusive},
			{"plan over interleaved at full depth", overInterleaved},
			{"plan over fewer workers, exclusive", overFewerExclusive},
			{"plan over fewer workers, interleaved", overFewerInterleaved},
			{"interleaved at full depth over exclusive", interleavedOverExclusive},
			{"any schedule over exclusive, at most", mostOverExclusive},
			{"any schedule over interleaved, at most", mostOverInterleaved},
		} {
			if s := spreadOf(f.rows, line.of); s.N > 0 {
				above, of := reached(f.rows, line.of)
				t.Rows = append(t.Rows, []string{f.method, line.name, signed(s.Low), signed(s.Median), signed(s.High), fmt.Sprintf("%d of %d", above, of)})
			}
		}
	}
	s := page.Section{
		ID: "headline", Title: "Where the 28 % lie",
		Text: "The paper's abstract (arXiv 2111.10672) puts the gain in cluster efficiency as high as 28 %. " +
			"The available text does not say relative to which scheduler and under which depth rule; here are the candidates, under this study's own rule. Each curve shows the share of cells whose gain is at most the value on the axis.",
		Figures: []page.Figure{gainFigure(all[0])},
		Tables:  []page.Table{t},
	}
	s.Text += population(all[0])
	if len(all) > 1 {
		s.Text += " Methods are listed separately, because a quick method makes the baselines quickly, too."
	}
	return s
}

// population says how many cells of a family share their jobs.
func population(f *family) string {
	type jobs struct {
		mix           string
		gpus, workers int64
		load          float64
		seed          int64
	}
	drawn := map[jobs]bool{}
	for _, r := range f.rows {
		drawn[jobs{r.Mix, r.GPUs, r.Workers, r.Load, r.Seed}] = true
	}
	cells := len(f.rows)
	if len(drawn) == cells {
		return ""
	}
	return fmt.Sprintf(" The %s of the method %q run %s of jobs, so they say less than as many independent cells.", view.Count(cells, "cell"), f.method, view.Count(len(drawn), "set"))
}
