package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/view"
	"jigsaw/study/report/page"
	"jigsaw/study/store"
	"jigsaw/study/sweep"
)

// mostPlans is the number of plans a report draws.
const mostPlans = 2

// planSection draws the plans with the largest gain over interleaving, among
// those small enough to be stored, at most one of each sweep.
func planSection(study *sweep.Study, from *store.Store, results []sweep.Result) (page.Section, error) {
	s := page.Section{ID: "plans", Title: "Plans", Text: "The plans that gain most, one per sweep, among those whose schedule was small enough to be kept. Each row is a GPU; each box is a worker's forward and backward pass in one iteration, paler the shallower it is; below are the links. The dashed line is the bound."}
	best := map[string]sweep.Result{}
	var order []string
	for _, r := range results {
		if r.Row == nil || r.Row.Plan == nil || r.Row.Objective != string(instance.Makespan) || r.Row.Tasks > mostDrawn {
			continue
		}
		g, ok := overInterleaved(r.Row)
		if !ok {
			continue
		}
		name := r.Sweep.Name
		held, found := best[name]
		if !found {
			order = append(order, name)
		} else if h, _ := overInterleaved(held.Row); h >= g {
			continue
		}
		best[name] = r
	}
	slices.SortStableFunc(order, func(a, b string) int {
		x, _ := overInterleaved(best[a].Row)
		y, _ := overInterleaved(best[b].Row)
		return cmp.Compare(y, x)
	})
	drawn := map[string]bool{}
	for _, name := range order {
		r := best[name]
		if len(s.Figures) >= mostPlans || drawn[r.Row.Key] {
			continue
		}
		f, err := planFigure(study, from, r)
		if err != nil {
			return s, err
		}
		if f == nil {
			continue
		}
		drawn[r.Row.Key] = true
		s.Figures = append(s.Figures, *f)
	}
	return s, nil
}

// mostDrawn is the largest number of tasks of a drawn plan: larger pictures do
// not fit a page.
const mostDrawn = 1500

// planFigure draws one plan; nil if its schedule was not stored.
func planFigure(study *sweep.Study, from *store.Store, r sweep.Result) (*page.Figure, error) {
	data, err := from.Schedule(r.Row.Key)
	if err != nil || data == nil {
		return nil, err
	}
	in, err := r.Cell.Instance(study.Library())
	if err != nil {
		return nil, fmt.Errorf("report: cell %.12s: %w", r.Row.Key, err)
	}
	if in.Digest() != r.Row.Digest {
		return nil, nil // this program makes other instances of the cell
	}
	schedule, err := codec.DecodeSchedule(in, bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("report: cell %.12s: %w", r.Row.Key, err)
	}
	options := view.GanttOptions{Certified: r.Row.Certified, Width: 960}
	if r.Row.Bound != nil {
		options.Bound = *r.Row.Bound
	}
	var b bytes.Buffer
	if err := view.Gantt(&b, in, schedule, options); err != nil {
		return nil, err
	}
	g, _ := overInterleaved(r.Row)
	return &page.Figure{
		Name:    "plan-" + r.Row.Key[:12],
		Caption: fmt.Sprintf("Sweep %s: %s on %d GPUs, %s over interleaving at full depth. Its instance: jigsaw study instance %s.db %s", r.Sweep.Name, r.Row.Mix, r.Row.GPUs, signed(g), study.Name, r.Row.Key[:12]),
		Alt:     "The plan as a Gantt chart.", Drawing: b.Bytes(),
	}, nil
}
