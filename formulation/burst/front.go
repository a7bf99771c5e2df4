package burst

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
)

// cost is the pair by which ways are compared: time, and GPU-time or bytes.
type cost struct{ time, gpu instance.Duration }

// label is a way to a layer on a number of GPUs that no other way dominates.
type label struct {
	cost
	gpus int    // index
	from *label // of the layer before
}

// Front returns the plans within a limit that no other one dominates in time and
// GPU-time, the fastest first; of several with the same costs, one. If more than most
// ways to a layer on a number of GPUs are open, it keeps the first, the last and evenly
// spread ones between, and exact is false: the plans are valid, but some may be missing.
func (c *Chain) Front(limit instance.Ratio, most int) (plans []Plan, exact bool) {
	ends, exact := c.front(limit, most, func(l, i, j int) (cost, bool) {
		t := c.time(l, i, j)
		return cost{t, t * instance.Duration(c.GPUs[j])}, true
	})
	for _, end := range ends {
		plans = append(plans, c.plan(end))
	}
	return plans, exact
}

// plan is the plan of a label of the last layer.
func (c *Chain) plan(end *label) Plan {
	widths := make([]int, len(c.Layers))
	for l := len(widths) - 1; l >= 0; l-- {
		widths[l] = c.GPUs[end.gpus]
		end = end.from
	}
	return c.Evaluate(widths)
}

// front returns the ways to the last layer that are undominated in the sums over layers.
func (c *Chain) front(limit instance.Ratio, most int, adds func(l, i, j int) (cost, bool)) (ends []*label, exact bool) {
	exact = true
	labels := make([][]*label, len(c.GPUs)) // by number of GPUs
	for l := range c.Layers {
		next := make([][]*label, len(c.GPUs))
		for j := range c.GPUs {
			if l == 0 {
				if first, ok := adds(l, j, j); ok && c.permits(limit, l, j, j) {
					next[j] = []*label{{first, j, nil}}
				}
				continue
			}
			var open []*label
			for i := range c.GPUs {
				more, ok := adds(l, i, j)
				if !ok || !c.permits(limit, l, i, j) {
					continue
				}
				for _, from := range labels[i] {
					open = append(open, &label{cost{from.time + more.time, min(from.gpu+more.gpu, maxGPUTime)}, j, from})
				}
			}
			next[j] = undominated(open)
			if len(next[j]) > most {
				next[j], exact = thinned(next[j], most), false
			}
		}
		labels = next
	}
	return undominated(slices.Concat(labels...)), exact
}

// undominated keeps the labels that are better in time or GPU-time than every other, by
// ascending time; of equal ones the first.
func undominated(labels []*label) []*label {
	slices.SortStableFunc(labels, func(a, b *label) int { return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.gpu, b.gpu)) })
	kept := labels[:0]
	for _, l := range labels {
		if len(kept) == 0 || l.gpu < kept[len(kept)-1].gpu {
			kept = append(kept, l)
		}
	}
	return slices.Clip(kept)
}

// thinned keeps n of the labels, evenly spread, including the first and the last.
func thinned(labels []*label, n int) []*label {
	kept := make([]*label, n)
	for k := range kept {
		kept[k] = labels[k*(len(labels)-1)/max(n-1, 1)]
	}
	return kept
}
