package report

import (
	"fmt"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/study/quality"
	"jigsaw/study/report/page"
	"jigsaw/study/sweep"
)

// accuracy holds the cost of depth rules in accuracy, as measured by make
// spb-quality.
type accuracy struct{ *quality.Figures }

func newAccuracy() (accuracy, error) {
	f, err := quality.Published()
	return accuracy{f}, err
}

// models and workers trained.
var (
	models  = []quality.Model{quality.Perceptron, quality.Convolutional}
	trained = []int{2, 4, 8}
)

// fewer is the rule of full depth on fewer workers, in the study of accuracy.
const fewer = "a quarter fewer workers"

// ruleNamed is the name of a depth rule in the study of accuracy; empty if it was not
// measured.
func ruleNamed(spb instance.SPBSpec) string {
	for _, rule := range quality.Rules() {
		if !rule.Fewer && !rule.Control && sweep.RuleName(rule.SPB) == sweep.RuleName(spb) {
			return rule.Name
		}
	}
	return ""
}

// marks of verdicts in tables.
var marks = map[quality.Verdict]string{quality.Holds: "✓", quality.Open: "?", quality.Loses: "↓"}

// unknown marks what was not measured.
const unknown = "–"

// accuracyHead returns the heads of the columns of [accuracy.cells].
func accuracyHead() (head []string) {
	for _, k := range trained {
		head = append(head, fmt.Sprintf("accuracy, k = %d", k))
	}
	return head
}

// cells are the cost of a rule with each number of workers: for both models, in
// points.
func (a accuracy) cells(rule string) (cells []string) {
	for _, k := range trained {
		var both []string
		for _, m := range models {
			switch f := a.Of(m, k, rule); {
			case f != nil:
				points, _, _ := strings.Cut(f.Points(), " ")
				both = append(both, points+marks[f.Verdict])
			case rule == quality.Rules()[0].Name:
				both = append(both, "0")
			default:
				both = append(both, unknown)
			}
		}
		cells = append(cells, strings.Join(both, " / "))
	}
	return cells
}

// note explains the columns.
func (a accuracy) note() string {
	return fmt.Sprintf("Accuracy, perceptron / convolutional: the difference to full backpropagation in points, of two small models that k workers trained on digits with depths rotating; ✓ is a loss of less than a point with 95 %% confidence, ↓ a loss, ? neither, %s not measured.", unknown)
}

// table is the cost of all rules, with intervals.
func (a accuracy) table() page.Table {
	t := page.Table{
		Caption: fmt.Sprintf("What depth rules cost in accuracy: the difference to full backpropagation in points with a 95 %% interval over %d seeds, samples dealt at random and depths rotating, and in brackets the work left out. "+
			"From %s; docs/spb-quality.md says how it was measured, and what such small models cannot show.", a.Seeds, a.Command),
		Head: []string{"depth rule"}, Words: 1,
	}
	for _, m := range models {
		for _, k := range trained {
			t.Head = append(t.Head, fmt.Sprintf("%s, k = %d", m, k))
		}
	}
	for _, rule := range quality.Rules()[1:] {
		name := sweep.RuleName(rule.SPB)
		if rule.Fewer || rule.Control {
			name = rule.Name
		}
		line := []string{name}
		for _, m := range models {
			for _, k := range trained {
				cell := unknown
				if f := a.Of(m, k, rule.Name); f != nil {
					cell = fmt.Sprintf("%s %s (%.0f %%)", f.Points(), marks[f.Verdict], 100*f.WorkSaved)
				}
				line = append(line, cell)
			}
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// verdicts summarises a rule in words; empty if it was not measured.
func (a accuracy) verdicts(rule string) string {
	counts := map[quality.Verdict]int{}
	var worst *quality.Figure
	n := 0
	for _, m := range models {
		for _, k := range trained {
			f := a.Of(m, k, rule)
			if f == nil {
				continue
			}
			n++
			counts[f.Verdict]++
			if worst == nil || f.Accuracy.Mean < worst.Accuracy.Mean {
				worst = f
			}
		}
	}
	if n == 0 {
		return ""
	}
	var parts []string
	for _, v := range []quality.Verdict{quality.Holds, quality.Open, quality.Loses} {
		words := map[quality.Verdict]string{quality.Holds: "holds in %d", quality.Open: "is open in %d", quality.Loses: "is lower in %d"}[v]
		if counts[v] > 0 {
			parts = append(parts, fmt.Sprintf(words, counts[v]))
		}
	}
	return fmt.Sprintf("%s of %d trainings (at worst %s points: %s with %d workers)", strings.Join(parts, ", "), n, worst.Points(), worst.Model, worst.Workers)
}
