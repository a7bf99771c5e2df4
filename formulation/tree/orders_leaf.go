package tree

import (
	"context"
	"fmt"
	"slices"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/orders"
	"jigsaw/formulation/relax/trees"
)

// Limits on the work of sequencings; a step takes a few microseconds.
const (
	quickSteps = 2_000      // before a linear program of few rows
	openSteps  = 10_000     // while homes are undecided
	nodeSteps  = 20_000     // for each node that a search without a time limit may have
	leafSteps  = 20_000_000 // of a leaf, at most
)

// Widths of a sequencing: how many states of a layer are expanded at first, and the growth
// factor each time that no way was found among them.
const (
	firstWidth = 16
	widen      = 8
)

// budget limits the steps of sequencings: initial steps, steps for each row and
// round of the linear programs, which say less about makespan, and take longer, and steps of
// a node of which homes are decided, and nothing else.
type budget struct{ first, row, home int }

var budgets = map[instance.Objective]budget{
	instance.Makespan:           {2_000_000, 15, 5_000_000},
	instance.WeightedCompletion: {50_000, 3, 1_000_000},
}

// sequences tries to prove by sequencings that a node holds nothing better than the
// target or, with few steps, than the best schedule, which skips the targets between.
// Better schedules that it finds are kept.
func (t *search) sequences(ctx context.Context, n *cases.Node, steps int) *leafProof {
	if steps < quickSteps || !slices.ContainsFunc(n.Jobs, func(b *cases.JobLimits) bool { return b.Assignment != nil }) {
		return nil
	}
	if steps == quickSteps {
		if proof := t.orders(ctx, n, t.value().Num().Int64(), steps); proof != nil {
			return proof
		}
	}
	before := t.steps
	proof := t.orders(ctx, n, t.target, steps)
	switch spent := t.steps - before; {
	case settled(n) && !t.linked:
	case proof == nil || t.in.Objective != instance.Makespan:
		t.credit -= spent
	case spent > quickSteps:
		t.credit = min(leafSteps, 2*max(t.credit, spent))
	}
	return proof
}

// orders tries to prove that a node holds nothing better than a target, or than the
// schedules that it finds. It records whether links make the best of these invalid.
func (t *search) orders(ctx context.Context, n *cases.Node, target int64, steps int) *leafProof {
	for {
		proof, schedule := t.order(ctx, n, target, steps)
		if schedule == nil || t.in.Value(schedule).Cmp(t.value()) >= 0 {
			return proof
		}
		if len(check.Schedule(t.in, schedule)) > 0 {
			t.linked = true
			return proof
		}
		t.improve(schedule)
		target = min(target, t.in.Value(schedule).Num().Int64())
	}
}

// effort is the number of steps to spend on the sequencings of a node. If links matter
// it is the steps that linear programs took, minus those spent before. For makespan,
// about which linear programs say less, each proof doubles it.
func (t *search) effort(n *cases.Node) int {
	steps := min(t.credit, leafSteps)
	if !n.Decided() || t.long {
		steps = openSteps
	} else if settled(n) && !t.linked {
		steps = budgets[t.in.Objective].home
	}
	if t.limits.Nodes > 0 {
		steps = min(steps, t.limits.Nodes*nodeSteps-t.steps)
	}
	return steps
}

// order tries to prove by sequencings, within the given steps each, that a node
// holds nothing better than the target. If all homes are decided, and all
// sequencings are solved, it returns the schedule that they form together,
// ignoring links.
func (t *search) order(ctx context.Context, n *cases.Node, target int64, steps int) (*leafProof, *instance.Schedule) {
	s, ok := cases.NewProgram(t.m, n, t.modes, target, 1)
	if !ok {
		return &leafProof{Leaf: trees.Leaf{Target: target}}, nil
	}
	list := orders.Problems(s, n, target)
	sum, proof, jobs := orders.Chains(s, list), &leafProof{Leaf: trees.Leaf{Target: target}}, 0
	schedule := &instance.Schedule{}
	for _, q := range list {
		found := t.sequence(ctx, n, q, target, target-1-(sum-q.Chains), steps, len(list) == 1)
		switch found.verdict {
		case noWay:
			proof.Sets, proof.took = append(proof.Sets, q.First()), proof.took+found.took
			return proof, nil
		case someWay:
			jobs += len(q.Jobs)
			schedule.Tasks, schedule.Syncs = append(schedule.Tasks, found.tasks...), append(schedule.Syncs, found.syncs...)
			if q.Weighted && found.cost > q.Chains {
				proof.Sets, proof.took = append(proof.Sets, q.First()), proof.took+found.took
				sum += found.cost - q.Chains
			}
		}
	}
	if jobs < len(n.Jobs) {
		return nil, nil
	}
	for _, b := range n.Jobs {
		schedule.Residency = append(schedule.Residency, slices.Clone(b.Assignment))
	}
	schedule.Sort()
	return nil, schedule
}

// sequenceResult is the outcome of a sequencing within a number of steps.
type sequenceResult struct {
	verdict verdict
	steps   int
	took    time.Duration // of the last attempt
	cost    int64
	tasks   []instance.Task
	syncs   []instance.Sync
}

// sequence solves a sequencing, once for all nodes that have it.
func (t *search) sequence(ctx context.Context, n *cases.Node, q *orders.Problem, target, most int64, steps int, only bool) sequenceResult {
	key := fmt.Sprint(target, most, only)
	for j := range q.Jobs {
		b := n.Jobs[q.Jobs[j].ID]
		key += fmt.Sprint(" ", q.Jobs[j].ID, b.Assignment, b.Ends)
	}
	if r, known := t.sequenced[key]; known && (r.verdict != unknown || r.steps >= steps) {
		return r
	}
	r := sequenceResult{steps: steps, verdict: unknown}
	left := steps
	for width := firstWidth; r.verdict == unknown && left >= 0; width *= widen {
		begun := time.Now()
		e := orders.Examiner{Ctx: ctx, Problem: q, Most: most, Steps: left, Width: width, Trace: true}
		cost, all := e.Examine()
		left, r.took = e.Steps, time.Since(begun)
		switch {
		case left < 0:
		case cost < exact.NoPrice && (all || !q.Weighted || only): // any way will do, or it is the best
			r.verdict, r.cost = someWay, cost
			r.tasks, r.syncs = scheduleOf(t.in, q, e.Way)
		case all:
			r.verdict = noWay
		}
	}
	t.steps += steps - max(0, left)
	t.sequenced[key] = r
	return r
}

// verdict is the outcome of a sequencing.
type verdict int

const (
	noWay   verdict = iota // nothing ends in time
	someWay                // something does
	unknown                // it takes too long
)

// scheduleOf converts what was found to a schedule, with each synchronisation at the
// lowest rate that is as fast as the fastest.
func scheduleOf(in *instance.Instance, q *orders.Problem, way []orders.Placed) (tasks []instance.Task, syncs []instance.Sync) {
	type iteration struct{ job, number int }
	over, dealt := map[iteration]int64{}, map[iteration][]int{}
	for _, a := range way {
		job := &q.Jobs[a.Job]
		w, at := slices.Index(job.GPUs, a.GPU), iteration{a.Job, a.Iteration}
		end := a.Start + job.Time[w][a.Depth]
		tasks = append(tasks, instance.Task{
			Job: job.ID, Iteration: a.Iteration + 1, GPU: job.Limits.Assignment[w], Depth: a.Depth, Start: instance.Tick(a.Start), End: instance.Tick(end),
		})
		over[at] = max(over[at], end)
		if dealt[at] == nil {
			dealt[at] = make([]int, len(job.Job.Depths))
		}
		dealt[at][a.Depth]++
		multiset := slices.IndexFunc(job.Multisets, func(o cases.Multiset) bool { return slices.Equal(o.Counts, dealt[at]) })
		if multiset < 0 || !job.Job.HasSync() {
			continue
		}
		pause, level, lengths := job.Pause[multiset], 0, job.Multisets[multiset].Sync
		for level+1 < len(lengths) && lengths[level+1] == pause {
			level++
		}
		start := max(over[at], job.Limits.Ends[a.Iteration].From-pause)
		syncs = append(syncs, instance.Sync{
			Job: job.ID, Iteration: a.Iteration + 1, Start: instance.Tick(start), End: instance.Tick(start + pause), Rate: in.RateLevels[level],
		})
	}
	return tasks, syncs
}
