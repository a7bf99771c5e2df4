package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"jigsaw/study/report/page"
	"jigsaw/study/store"
)

// part is a factor of a gain; see [store.Factors].
type part struct {
	name string
	of   figure
}

// parts are the factors in order.
func parts() []part {
	of := func(factor func(store.Factors) *float64) figure {
		return column(func(r *store.Row) *float64 { return factor(r.Factors()) })
	}
	return []part{
		{"order of jobs", of(func(f store.Factors) *float64 { return f.Order })},
		{"interleaving", of(func(f store.Factors) *float64 { return f.Interleaving })},
		{"work left out", of(func(f store.Factors) *float64 { return f.LeftOut })},
		{"packing", of(func(f store.Factors) *float64 { return f.Packing })},
	}
}

// divided returns the rows all of whose factors are known.
func divided(rows []*store.Row) (known []*store.Row) {
	for _, r := range rows {
		f := r.Factors()
		if f.Gain != nil && f.Order != nil && f.Interleaving != nil && f.LeftOut != nil && f.Packing != nil {
			known = append(known, r)
		}
	}
	return known
}

// mean is the geometric mean of a figure over rows where it is known and above 0; NaN
// without any. The mean of a product is the product of such means.
func mean(rows []*store.Row, of figure) float64 {
	sum, n := 0.0, 0
	for _, r := range rows {
		if v, ok := of(r); ok && v > 0 {
			sum += math.Log(v)
			n++
		}
	}
	return math.Exp(sum / float64(n))
}

// times writes a factor.
func times(f float64) string {
	if math.IsNaN(f) {
		return "–"
	}
	return fmt.Sprintf("×%.2f", f)
}

// factorHead and factorCells are the columns of a gain over the queue and its factors.
func factorHead() []string {
	head := []string{"gain over queue"}
	for _, p := range parts() {
		head = append(head, p.name)
	}
	return head
}

func factorCells(rows []*store.Row) []string {
	rows = divided(rows)
	cells := []string{times(mean(rows, func(r *store.Row) (float64, bool) { return *r.Factors().Gain, true }))}
	for _, p := range parts() {
		cells = append(cells, times(mean(rows, p.of)))
	}
	return cells
}

// factorText defines the factors.
const factorText = "The gain of the plan over the queue is a product, cell by cell. " +
	"Order of jobs: the best order found of whole jobs on GPUs of their own (exclusive), relative to first come, first served with backfilling (queue). " +
	"Interleaving: iterations that share GPUs at full depth, relative to exclusive. " +
	"Work left out: the GPU time of the plan's iterations at full depth, divided by their GPU time at the plan's depths; a cluster without idle time would gain exactly this. " +
	"Packing: the remaining factor, above 1 if the plan idles less than interleaving at full depth, below 1 if it idles more: the longest job takes as long, with less work to pack around it. " +
	"Exclusive and interleaving at full depth were searched for as long as the plan."

// factorSection shows the factors of the gains of all families, beside the costs of
// their rules.
func factorSection(all []*family, cost accuracy) page.Section {
	methods, objectives := map[string]bool{}, map[string]bool{}
	for _, f := range all {
		methods[f.method], objectives[f.objective] = true, true
	}
	labels := func(f *family) (cells []string) {
		if len(methods) > 1 {
			cells = append(cells, f.method)
		}
		if len(objectives) > 1 {
			cells = append(cells, f.objective)
		}
		return append(cells, f.rule())
	}
	var head []string
	if len(methods) > 1 {
		head = append(head, "method")
	}
	if len(objectives) > 1 {
		head = append(head, "objective")
	}
	head = append(head, "depth rule")
	t := page.Table{
		Caption: "Geometric means over the cells of a row, so that the factors of a row multiply to its gain. Over fewer workers: the gain over interleaving at full depth on fewer workers, which leave out as much work. " + cost.note(),
		Words:   len(head),
	}
	t.Head = append(append(append(head, "cells"), factorHead()...), "over fewer workers")
	t.Head = append(t.Head, accuracyHead()...)
	var bars []stack
	for _, f := range all {
		rows := divided(f.rows)
		if len(rows) == 0 {
			continue
		}
		line := append(labels(f), strconv.Itoa(len(rows)))
		line = append(line, factorCells(rows)...)
		line = append(line, times(mean(rows, func(r *store.Row) (float64, bool) {
			g, ok := overFewerInterleaved(r)
			return 1 + g, ok
		})))
		t.Rows = append(t.Rows, append(line, cost.cells(ruleNamed(f.spb))...))
		bar := stack{label: strings.Join(labels(f), ", ")}
		for _, p := range parts() {
			bar.factors = append(bar.factors, mean(rows, p.of))
		}
		bars = append(bars, bar)
	}
	s := page.Section{ID: "factors", Title: "What the gain is made of", Text: factorText}
	if len(t.Rows) == 0 {
		return s
	}
	s.Tables = []page.Table{t, cost.table()}
	s.Figures = []page.Figure{stackFigure(bars)}
	return s
}
