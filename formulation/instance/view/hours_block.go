package view

import (
	"fmt"
	"slices"

	"jigsaw/formulation/instance"
)

// closeUp lays out the picture of one block below: a plan of its jobs on their nodes.
func (h *hours) closeUp() error {
	h.block = h.opt.Block - 1
	if h.opt.Block == 0 {
		h.block = h.busiest()
	}
	if h.opt.Block < 0 || h.block < 0 {
		h.block = -1
		return nil
	}
	b := &h.plan.Blocks[h.block]
	jobs, nodes := h.members(b)
	part := h.in.Part(jobs, nodes, nil)
	pattern := (&instance.BlockSchedule{Residency: h.plan.Residency, Blocks: []instance.Block{{Tasks: slices.Clone(b.Tasks), Syncs: slices.Clone(b.Syncs)}}})
	pattern.Sort()
	s := part.Of(&instance.Schedule{Residency: pattern.Residency, Tasks: pattern.Blocks[0].Tasks, Syncs: pattern.Blocks[0].Syncs})
	title := fmt.Sprintf("Block %s of %s close up: once, from %s", integer(h.block+1), integer(len(h.plan.Blocks)), seconds(h.in, float64(b.Start)))
	if b.Repeats > 1 {
		s.Period = b.Period
		title = fmt.Sprintf("Block %s of %s close up: one of %s periods of %s, from %s", integer(h.block+1), integer(len(h.plan.Blocks)),
			integer(b.Repeats), seconds(h.in, float64(b.Period)), seconds(h.in, float64(b.Start)))
	}
	p, err := newPlan(part.Miniature(s.Iterations(part.Instance)), s)
	if err != nil {
		return err
	}
	h.close = &chart{plan: p, opt: GanttOptions{Title: title, Width: int(h.width)}, lim: h.lim, use: p.usage(), byGPU: p.tasksByGPU(), y: h.height}
	for _, j := range jobs {
		h.close.colour = append(h.close.colour, h.colour[j])
	}
	h.close.layout()
	h.height += h.close.height
	return nil
}

// busiest returns the block with the most GPU time, -1 without any.
func (h *hours) busiest() int {
	best, most := -1, 0.0
	for i := range h.plan.Blocks {
		b := &h.plan.Blocks[i]
		work := 0.0
		for _, t := range b.Tasks {
			work += float64(t.End-t.Start) * float64(b.Repeats)
		}
		if best < 0 || work > most {
			best, most = i, work
		}
	}
	return best
}

// members returns the jobs of a block, and the nodes that they live on.
func (h *hours) members(b *instance.Block) (jobs []instance.JobID, nodes []instance.NodeID) {
	for _, t := range b.Tasks {
		jobs = append(jobs, t.Job)
	}
	slices.Sort(jobs)
	jobs = slices.Compact(jobs)
	for _, j := range jobs {
		for _, g := range h.plan.Residency[j] {
			nodes = append(nodes, h.in.GPUs[g].Node)
		}
	}
	slices.Sort(nodes)
	return jobs, slices.Compact(nodes)
}

// drawBlock marks the block's jobs among all, and draws it close up.
func (h *hours) drawBlock() {
	if h.close == nil {
		return
	}
	jobs, _ := h.members(&h.plan.Blocks[h.block])
	h.str(`<path class="w" d="`)
	for _, b := range h.bars {
		if _, ok := slices.BinarySearch(jobs, b.job); ok {
			h.box(h.px(float64(h.admitted(b.job)))-5, h.top+b.y, 4, b.h)
		}
	}
	h.str(`"/>` + "\n")
	h.label("w", h.x0, h.bottom+16, fmt.Sprintf("Marked at the left: block %s, close up below", integer(h.block+1)))
	h.close.svg, h.close.opt.Title = h.svg, h.close.title()
	h.close.draw()
	h.svg = h.close.svg
}
