package resume

import (
	"cmp"
	"context"
	"math/big"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/alloc"
	"jigsaw/heuristics/pattern"
	"jigsaw/heuristics/queue"
)

// reorder searches among orders of what waits, as [Search.Orders] does, beside what is running.
func (r *Resumption) reorder(ctx context.Context, c queue.Search, rng *rand.Rand) {
	q, order := r.waiting()
	if len(order) == 0 || ctx.Err() != nil {
		return
	}
	if c.Rounds > 0 {
		c.Rounds = min(c.Rounds, 1+mostPlaced/len(order))
	}
	if tell := c.Improved; tell != nil {
		c.Improved = func(v *big.Rat) {
			if r.merit.late > 0 || v.Cmp(r.merit.value) < 0 {
				tell(v)
			}
		}
	}
	known := []queue.Order{{Jobs: order}}
	if r.in.Objective == instance.WeightedCompletion {
		known = append(known, queue.Order{Jobs: r.among(q, order)})
	}
	list, _, err := c.Timetable(ctx, q, rng, known...)
	if err != nil {
		return
	}
	r.offer(q.Plan(list))
}

// among inserts jobs that are new since the plan into the order of those that wait, by Smith's ratio instead of at
// the end.
func (r *Resumption) among(q *queue.Simulation, order []instance.JobID) []instance.JobID {
	ratio := func(id instance.JobID) float64 {
		if u := q.Unit(id); u != nil {
			weight := int64(0)
			for _, j := range u.Jobs {
				weight += r.in.Jobs[j].Weight
			}
			return float64(u.GPUs) * float64(u.Load+u.Length) / float64(weight)
		}
		return q.Smith(id)
	}
	var known, came []instance.JobID
	for _, id := range order {
		if q.Unit(id) == nil && r.was.Plan.Residency[id] == nil {
			came = append(came, id)
		} else {
			known = append(known, id)
		}
	}
	slices.SortStableFunc(came, func(a, b instance.JobID) int { return cmp.Compare(ratio(a), ratio(b)) })
	for _, id := range came {
		at := slices.IndexFunc(known, func(other instance.JobID) bool { return ratio(other) > ratio(id) })
		if at < 0 {
			at = len(known)
		}
		known = slices.Insert(known, at, id)
	}
	return known
}

// mostPlaced is the number of jobs placed without a time limit, in all orders together.
const mostPlaced = 100_000

// waiting returns a queue on the GPUs and links that running units leave, and what waits, in the order of the plan.
func (r *Resumption) waiting() (q *queue.Simulation, order []instance.JobID) {
	if !r.in.Queues() {
		return nil, nil
	}
	q = queue.New(r.in)
	q.Now = r.was.Now
	var begun []*part
	for i := range r.parts {
		if p := &r.parts[i]; p.begun {
			begun = append(begun, p)
		}
	}
	// GPUs of several parts are free when the last of these ends.
	slices.SortStableFunc(begun, func(a, b *part) int { return cmp.Compare(b.to, a.to) })
	taken := make([]bool, len(r.in.GPUs))
	for _, p := range begun {
		s := &alloc.Site{Rate: 1}
		for _, g := range p.gpus {
			if !taken[g] {
				s.GPUs, taken[g] = append(s.GPUs, g), true
			}
		}
		for _, h := range p.holds {
			s.Uses = append(s.Uses, instance.LinkUse{Link: h.link, Times: int(h.Rate)})
		}
		u := r.unit(p)
		u.On = p.gpus
		q.Units = append(q.Units, u)
		q.Begun = append(q.Begun, queue.Stint{Job: q.Last(), Site: s, Start: p.from, End: p.to})
	}
	for i := range r.parts {
		p := &r.parts[i]
		switch kind, nodes, racks := q.WholeNodes(p.gpus); {
		case p.begun:
		case len(p.jobs) > 1 && nodes > 0:
			u := r.unit(p)
			u.Kind, u.Nodes, u.Racks = kind, nodes, racks
			q.Units = append(q.Units, u)
			order = append(order, q.Last())
			q.Jobs = append(q.Jobs, p.jobs...)
		default:
			order, q.Jobs = append(order, p.jobs...), append(q.Jobs, p.jobs...)
		}
	}
	slices.Sort(q.Jobs)
	return q, order
}

// unit converts a part with blocks to a unit of the queue.
func (r *Resumption) unit(p *part) *queue.Unit {
	u := &queue.Unit{Jobs: p.jobs, GPUs: len(p.gpus), Release: p.ready, Length: p.to - p.from}
	gpu := func(g instance.GPUID) instance.GPUID {
		at, _ := slices.BinarySearch(p.gpus, g)
		return instance.GPUID(at)
	}
	job := func(j instance.JobID) instance.JobID { return instance.JobID(slices.Index(p.jobs, j)) }
	for _, home := range p.homes {
		here := make([]instance.GPUID, len(home))
		for n, g := range home {
			here[n] = gpu(g)
		}
		u.Homes = append(u.Homes, here)
	}
	for _, b := range p.blocks {
		b.Start -= p.from
		u.Blocks = append(u.Blocks, pattern.Renumbered(b, job, gpu))
	}
	u.Ends = instance.EndsOf(u.Blocks, len(u.Jobs))
	return u
}
