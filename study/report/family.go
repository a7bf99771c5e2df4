package report

import (
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/study/store"
	"jigsaw/study/sweep"
)

// family is the cells of one method, objective and depth rule. Gains can only be
// compared within a family: a quick method also makes quick baselines, objectives have
// different units, and rules differ in their cost in accuracy.
type family struct {
	method, objective string
	spb               instance.SPBSpec
	rows              []*store.Row
}

// rule is the depth rule in a few words.
func (f *family) rule() string { return sweep.RuleName(f.spb) }

// full reports whether the family does not use partial backpropagation.
func (f *family) full() bool { return f.spb.Rule == "full" }

// families divides the cells that have a plan, each once: sweeps may share cells. They
// are in the order of the study's methods, then of the results.
func families(study *sweep.Study, results []sweep.Result) []*family {
	var all []*family
	seen := map[string]bool{}
	for _, r := range results {
		if r.Row == nil || r.Row.Plan == nil || seen[r.Row.Key] {
			continue
		}
		seen[r.Row.Key] = true
		i := slices.IndexFunc(all, func(f *family) bool {
			return f.method == r.Row.Method && f.objective == r.Row.Objective && f.rule() == r.Row.SPB
		})
		if i < 0 {
			i = len(all)
			all = append(all, &family{method: r.Row.Method, objective: r.Row.Objective, spb: r.Cell.SPB})
		}
		all[i].rows = append(all[i].rows, r.Row)
	}
	methods := study.MethodNames()
	slices.SortStableFunc(all, func(a, b *family) int { return slices.Index(methods, a.method) - slices.Index(methods, b.method) })
	return all
}

// headlines are the families of the study's own objective and depth rule, one for each
// method: those of the base, or else of the first family with partial backpropagation.
// The base's method comes first.
func headlines(study *sweep.Study, all []*family) []*family {
	all = slices.DeleteFunc(slices.Clone(all), (*family).full)
	if len(all) == 0 {
		return nil
	}
	base := study.Defaults()
	main := all[0]
	for _, f := range all {
		if f.method == base.Methods[0] && f.objective == string(base.Objectives[0]) && f.rule() == sweep.RuleName(base.SPB[0]) {
			main = f
		}
	}
	same := []*family{main}
	for _, f := range all {
		if f != main && f.objective == main.objective && f.rule() == main.rule() {
			same = append(same, f)
		}
	}
	return same
}
