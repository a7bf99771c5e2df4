package report

import (
	"fmt"
	"math"

	"jigsaw/formulation/instance/view"
	"jigsaw/study/store"
)

// abstract is the largest gain in cluster efficiency claimed in the paper's abstract
// (arXiv 2111.10672).
const abstract = 0.28

// reached counts the rows for which a figure is known, and those of them where it is at
// least the abstract's.
func reached(rows []*store.Row, of figure) (n, total int) {
	for _, row := range rows {
		if g, ok := of(row); ok {
			total++
			if g >= abstract {
				n++
			}
		}
	}
	return n, total
}

// lead states the result of the headline family in sentences.
func (r *Report) lead(f *family, cost accuracy) {
	median := func(of figure) string { return signed(spreadOf(f.rows, of).Median) }
	known := divided(f.rows)
	if len(known) == 0 {
		return
	}
	over := spreadOf(f.rows, overInterleaved)
	r.Lead = append(r.Lead, fmt.Sprintf("Under the depth rule “%s” (%s of the method “%s”, %s) the plan gains in the median %s over first come, first served with backfilling (queue), %s over the best order found of whole jobs on GPUs of their own (exclusive), and %s over interleaving at full depth (from %s to %s).",
		f.rule(), view.Count(len(f.rows), "cell"), f.method, f.objective, median(overQueue), median(overExclusive), signed(over.Median), signed(over.Low), signed(over.High)))

	cells := factorCells(known)
	r.Lead = append(r.Lead, fmt.Sprintf("The gain over the queue, %s in the geometric mean, is the product of %s for the order of jobs, %s for interleaving at full depth, %s for work left out and %s for packing.",
		cells[0], cells[1], cells[2], cells[3], cells[4]))
	r.Lead = append(r.Lead, insteadOf(f.rows, cost)...)
	if text := cost.verdicts(ruleNamed(f.spb)); text != "" {
		r.Lead = append(r.Lead, fmt.Sprintf("What the rule costs: on two small models, accuracy %s. Nothing larger was trained.", text))
	} else {
		r.Lead = append(r.Lead, "What the rule costs in accuracy was not measured.")
	}
	nm, tm := reached(f.rows, mostOverInterleaved)
	nx, tx := reached(f.rows, overExclusive)
	ni, ti := reached(f.rows, overInterleaved)
	if tm > 0 {
		r.Lead = append(r.Lead, fmt.Sprintf("The 28 %% of the paper's abstract is reached in %d of %d cells over exclusive, and in %d of %d over interleaving at full depth. By proven bounds no schedule gains more over the latter than %s in the median, and in %d of %d cells none gains 28 %%.",
			nx, tx, ni, ti, median(mostOverInterleaved), tm-nm, tm))
	}
}

// insteadOf answers whether the work could have been left out without partial
// backpropagation, by full depth on fewer workers.
func insteadOf(rows []*store.Row, cost accuracy) []string {
	over, by := spreadOf(rows, overFewerInterleaved), spreadOf(rows, fewerOverInterleaved)
	alone := spreadOf(rows, overFewerExclusive)
	if over.N == 0 || by.N == 0 {
		return nil
	}
	asGood := 0
	for _, r := range rows {
		if g, ok := overFewerInterleaved(r); ok && g <= 0 {
			asGood++
		}
	}
	answer := "In part"
	switch {
	case over.Median <= 0.005:
		answer = "Yes"
	case by.Median <= 0.005:
		answer = "No"
	case by.Median >= 4*over.Median:
		answer = "Mostly"
	}
	text := fmt.Sprintf("Could that work have been left out without partial backpropagation? %s: full depth on fewer workers, with as much work left out and as many iterations, interleaved, gains %s over all workers at full depth in the median, and the plan %s over that (from %s to %s; in %d of %s the plan is no better)",
		answer, signed(by.Median), signed(over.Median), signed(over.Low), signed(over.High), asGood, view.Count(over.N, "cell"))
	if !math.IsNaN(alone.Median) {
		text += fmt.Sprintf("; over fewer workers with GPUs of their own it gains %s", signed(alone.Median))
	}
	text += "."
	if verdicts := cost.verdicts(fewer); verdicts != "" {
		text += fmt.Sprintf(" With %s, accuracy %s.", fewer, verdicts)
	}
	return []string{text}
}
