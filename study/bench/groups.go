package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/groups"
)

// GroupStudy says where the gap of a plan of many nodes comes from. The plan falls apart into groups
// of nodes that share no job. If a group planned alone ends earlier than in the plan, the schedule
// within groups is to blame; if its own bound is as high as its end, it is which jobs share a group;
// and if its bound stays low, the bound may be.
type GroupStudy struct {
	Row Row
	// Limit of the time of the whole plan, and of that of each group.
	Limit, Each time.Duration
	// Count of groups that are planned alone: evenly spread from the one that ends last to the
	// one that ends first.
	Count int
}

// Run plans the row and then groups of its plan, and writes a table of them.
func (g *GroupStudy) Run(ctx context.Context, w io.Writer) error {
	if g.Row.Objective != instance.Makespan {
		return errors.New("bench: groups are studied for the makespan")
	}
	c, err := Generate(g.Row)
	if err != nil {
		return err
	}
	in := c.Instance
	r, err := jigsaw.Plan(ctx, in, jigsaw.Options{Seed: g.Row.Seed, Time: g.Limit})
	if err != nil {
		return err
	}
	if r.Schedule == nil {
		return errors.New("bench: there is no plan to divide")
	}
	list := slices.DeleteFunc(groups.Of(in, r.Schedule), func(g groups.Group) bool { return len(g.Jobs) == 0 })
	slices.SortStableFunc(list, func(a, b groups.Group) int { return cmp.Compare(b.End, a.End) })
	var load, ends float64
	for _, t := range r.Schedule.Tasks {
		load += float64(t.End - t.Start)
	}
	for _, g := range list {
		ends += float64(g.End)
	}
	fmt.Fprintf(w, "%v after %v, commit %s: the plan ends at %s, its bound is %s. It falls apart into %d groups, which end at %.0f in the mean.\n",
		g.Row, g.Limit, commit(), ticks(jigsaw.Number(r.Primal)), ticks(jigsaw.Number(r.Dual)), len(list), ends/float64(len(list)))
	fmt.Fprintf(w, "Tasks take %.0f ticks of each GPU. Groups planned alone for %v each:\n\n", load/float64(len(in.GPUs)), g.Each)
	fmt.Fprintln(w, "| place | nodes | jobs | end | alone | its bound |\n|--:|--:|--:|--:|--:|--:|")
	for at := 0; at < len(list); at += max(1, len(list)/max(1, g.Count)) {
		one := list[at]
		r, err := jigsaw.Plan(ctx, groups.Part(in, list, nil, at).Instance, jigsaw.Options{Seed: g.Row.Seed, Time: g.Each})
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %d | %d | %d | %d | %s | %s |\n", at+1, len(one.Nodes), len(one.Jobs), one.End, ticks(jigsaw.Number(r.Primal)), ticks(jigsaw.Number(r.Dual)))
	}
	return nil
}

func ticks(x *float64) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f", *x)
}
