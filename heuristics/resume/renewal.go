package resume

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics"
	"jigsaw/heuristics/pattern"
	"jigsaw/heuristics/repair"
	"jigsaw/heuristics/state"
)

// renewal is a unit with a new pattern.
type renewal struct {
	members       []instance.JobID
	nodes         []instance.NodeID
	apart         bool // other jobs live on its nodes as well
	pattern       *pattern.Pattern
	drained, body []part // what first ends as planned, and the new pattern
	begun         bool
	left          []instance.JobID // jobs without room in it
}

// renew repairs the planned pattern of a unit for the GPUs that it still has; nil: there is no such pattern. Jobs
// that neither move nor change first finish their current repeats as planned; then the new pattern begins.
func (r *Resumption) renew(unit int, jobs []instance.JobID) *renewal {
	key := fmt.Sprint(unit, jobs)
	if x, ok := r.renewed[key]; ok {
		return x
	}
	r.renewed[key] = nil
	open := r.units[unit].gpus
	var nodes []instance.NodeID
	for _, g := range open {
		nodes = append(nodes, r.in.GPUs[g].Node)
	}
	x := &renewal{members: slices.Clone(jobs), nodes: slices.Compact(nodes), begun: r.units[unit].begun}
	for x.pattern == nil {
		whole := r.in.Part(x.members, x.nodes, nil)
		template, iterations := r.template(x.members)
		small := whole.Miniature(iterations)
		closed := make([]bool, len(whole.GPUsOf))
		for g, of := range whole.GPUsOf {
			_, found := slices.BinarySearch(open, of)
			closed[g] = !found
			x.apart = x.apart || !found
		}
		fixed, err := repair.Repair(small, template, repair.Damage{Closed: closed, GPU: func(j instance.JobID, g instance.GPUID) (instance.GPUID, bool) {
			at, ok := r.was.GPU(g)
			if !ok || r.was.Moves[x.members[j]] {
				return 0, false
			}
			here, ok := slices.BinarySearch(whole.GPUsOf, at)
			return instance.GPUID(here), ok
		}})
		var none *repair.NoRoom
		if errors.As(err, &none) && len(x.members) > 1 {
			x.left = append(x.left, x.members[none.Job])
			x.members = slices.Delete(x.members, int(none.Job), int(none.Job)+1)
			continue
		}
		if err != nil {
			return nil
		}
		x.pattern = &pattern.Pattern{Part: whole, Iterations: iterations, Schedule: fixed.Schedule}
	}
	r.write(x)
	r.renewed[key] = x
	return x
}

// better searches for a better pattern of a unit with no other jobs on its nodes.
func (r *Resumption) better(ctx context.Context, x *renewal, rng *rand.Rand) {
	rounds := patternRounds
	if _, limited := ctx.Deadline(); limited {
		rounds = 0
	}
	before := *x
	p := *x.pattern
	if p.Search(ctx, rng, rounds, true) != nil {
		return
	}
	x.pattern = &p
	if r.write(x); len(x.body) == 0 || x.body[0].to > before.body[0].to {
		*x = before
	}
}

// write makes the parts of a renewal from its pattern.
func (r *Resumption) write(x *renewal) {
	c, in := x.pattern, r.in
	x.drained, x.body = nil, nil
	c.Close(c.Part.Miniature(c.Iterations))
	rest := make([]int, len(x.members))
	start := r.was.Now
	for n, j := range x.members {
		rest[n] = in.Jobs[j].Iterations
		start = max(start, in.Jobs[j].Release+in.Jobs[j].Load)
	}
	if drained, taken := r.drain(x.members); x.begun && len(drained.jobs) > 0 {
		for n, j := range x.members {
			rest[n] -= taken[j]
		}
		x.drained, start = append(x.drained, drained), max(start, drained.to)
	}
	body := part{}
	for n, home := range c.Schedule.Residency {
		if rest[n] > 0 {
			body.jobs, body.homes = append(body.jobs, x.members[n]), append(body.homes, state.Pick(c.Part.GPUsOf, home))
		}
	}
	if body.blocks, _ = c.Blocks(x.members, c.Part.GPUsOf, rest, start); len(body.blocks) > 0 {
		r.finish(&body)
		x.body = append(x.body, body)
	}
}

// template collects what jobs do in one repeat: of each job, in the block in which it has most iterations. Jobs
// are numbered as in the list. A job that joins, or should have ended, gets its iterations divided by the number of repeats.
func (r *Resumption) template(jobs []instance.JobID) (*instance.Schedule, []int) {
	s, most, from := &instance.Schedule{}, make([]int, len(jobs)), make([]int, len(jobs))
	blocks := r.blocks(slices.DeleteFunc(slices.Clone(jobs), func(j instance.JobID) bool { return r.was.Moves[j] }))
	at := map[instance.JobID]int{}
	for n, j := range jobs {
		at[j] = n
		s.Residency = append(s.Residency, r.was.Plan.Residency[j])
	}
	for i := range blocks {
		for _, t := range blocks[i].Tasks {
			if n := at[t.Job]; t.Iteration > most[n] {
				most[n], from[n] = t.Iteration, i
			}
		}
	}
	length := instance.Tick(0)
	for i := range blocks {
		for _, t := range blocks[i].Tasks {
			if n := at[t.Job]; from[n] == i {
				length = max(length, t.End)
				t.Job = instance.JobID(n)
				s.Tasks = append(s.Tasks, t)
			}
		}
		for _, y := range blocks[i].Syncs {
			if n := at[y.Job]; from[n] == i {
				y.Job = instance.JobID(n)
				s.Syncs = append(s.Syncs, y)
			}
		}
	}
	repeats := 1.0
	for n, j := range jobs {
		if most[n] > 0 {
			repeats = max(repeats, float64(r.in.Jobs[j].Iterations)/float64(most[n]))
		}
	}
	for n, j := range jobs {
		if most[n] > 0 {
			continue
		}
		most[n] = min(heuristics.MostPattern, int(math.Ceil(float64(r.in.Jobs[j].Iterations)/repeats)))
		for i := range most[n] {
			repair.AddTurn(s, instance.JobID(n), i+1, length*instance.Tick(i)/instance.Tick(most[n]), r.queue.Counts[j], r.in.Jobs[j].HasSync(), r.in.RateLevels[0])
		}
	}
	s.Sort()
	return s, most
}

// drain returns the repeats in progress that a running unit finishes before its new pattern begins, and how many
// iterations of each job they contain.
func (r *Resumption) drain(jobs []instance.JobID) (part, map[instance.JobID]int) {
	now, taken := r.was.Now, map[instance.JobID]int{}
	stay := slices.DeleteFunc(slices.Clone(jobs), func(j instance.JobID) bool { return r.was.Moves[j] || r.was.Changed[j] })
	p := r.asPlanned(stay, true, now)
	var kept []instance.Block
	for _, b := range p.blocks {
		begun := map[[2]int]bool{} // job and iteration: started
		first := instance.Tick(-1)
		for _, t := range b.Tasks {
			if first < 0 || t.Start < first {
				first = t.Start
			}
			begun[[2]int{int(t.Job), t.Iteration}] = begun[[2]int{int(t.Job), t.Iteration}] || b.Start+t.Start < now
		}
		if b.Start+first >= now {
			continue
		}
		if b.Repeats > 1 {
			if b.Repeats = min(b.Repeats, int64((now-1-b.Start-first)/b.Period)+1); b.Repeats == 1 {
				b.Period = 0
			}
		} else {
			b.Tasks = slices.DeleteFunc(slices.Clone(b.Tasks), func(t instance.Task) bool { return !begun[[2]int{int(t.Job), t.Iteration}] })
			b.Syncs = slices.DeleteFunc(slices.Clone(b.Syncs), func(y instance.Sync) bool { return !begun[[2]int{int(y.Job), y.Iteration}] })
		}
		for j, n := range b.IterationsOf() {
			taken[j] += n * int(b.Repeats)
		}
		kept = append(kept, b)
	}
	drained := part{begun: true, fixed: true, turn: now, blocks: kept}
	for n, j := range p.jobs {
		if taken[j] > 0 {
			drained.jobs, drained.homes = append(drained.jobs, j), append(drained.homes, p.homes[n])
		}
	}
	if len(drained.jobs) > 0 {
		r.finish(&drained)
	}
	return drained, taken
}
