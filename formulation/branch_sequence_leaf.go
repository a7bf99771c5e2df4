package formulation

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"time"

	"jigsaw/formulation/instance"
)

// Limits on the work on sequencings; a step is a microsecond or two, for the
// examiner some more.
const (
	quickSteps  = 2_000      // before a linear program of few rows
	askSteps    = 200_000    // to learn whether links matter
	openSteps   = 10_000     // while homes are open
	homeSteps   = 5_000_000  // where homes are decided, and nothing else
	nodeSteps   = 20_000     // for each node that a search without a time limit may have
	leafSteps   = 20_000_000 // of a leaf, at most
	proofSteps  = 1 << 30    // of all leaves of a certificate, at most
	mostStates  = 300_000    // that are held at a time
	mostTenants = 14         // on a GPU
)

// linkSteps limits the steps taken at a time where links are crowded: then linear programs may be
// quicker. Of sum w C they have been tried before.
var linkSteps = map[instance.Objective]int{instance.Makespan: 50_000, instance.WeightedCompletion: 200_000}

// stake is what sequencings may take: steps to begin with, and for each row and round
// of the linear programs, which tell less of makespan, and take longer.
type stake struct{ first, row int }

var stakes = map[instance.Objective]stake{
	instance.Makespan:           {2_000_000, 15},
	instance.WeightedCompletion: {50_000, 3},
}

// chains returns the sum w C of all jobs if none ever waits, homes permitting.
func (s *master) chains(list []*sequencing) int64 {
	sum, decided := int64(0), map[instance.JobID]bool{}
	for _, q := range list {
		sum += q.chains
		for j := range q.jobs {
			decided[q.jobs[j].id] = true
		}
	}
	for j := range s.classes {
		if d := s.classes[j].d; !decided[instance.JobID(j)] {
			chain := d.chain(d.iteration)
			sum += chain.Mul(chain, big.NewInt(d.job.Weight)).Int64()
		}
	}
	return sum
}

// first is the first job of a sequencing, by which certificates know it.
func (q *sequencing) first() int {
	first := q.jobs[0].id
	for j := range q.jobs {
		first = min(first, q.jobs[j].id)
	}
	return int(first)
}

// sequences tries to prove by sequencings that a node holds nothing better than the
// target, or, with few steps, than the best schedule, which spares the targets between.
// Better schedules that it comes upon are kept.
func (t *treeProblem) sequences(ctx context.Context, n *branchNode, steps int) *leaf {
	if steps < quickSteps || !slices.ContainsFunc(n.jobs, func(b *branchJob) bool { return b.home != nil }) {
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
	case n.settled() && !t.linked:
	case proof == nil || t.in.Objective != instance.Makespan:
		t.credit -= spent
	case spent > quickSteps:
		t.credit = min(leafSteps, 2*max(t.credit, spent))
	}
	return proof
}

// ask sequences the first node at which homes alone are decided for the best value, to
// learn whether links matter: then linear programs come first, which know of them.
func (t *treeProblem) ask(ctx context.Context, n *branchNode) *leaf {
	if t.asked || !n.settled() {
		return nil
	}
	t.asked = true
	return t.orders(ctx, n, t.value().Num().Int64(), askSteps)
}

// orders tries to prove that a node holds nothing better than a target, or than the
// schedules that it finds. It learns whether links keep the best of these from being valid.
func (t *treeProblem) orders(ctx context.Context, n *branchNode, target int64, steps int) *leaf {
	for {
		proof, schedule := t.order(ctx, n, target, steps)
		if schedule == nil || t.in.Value(schedule).Cmp(t.value()) >= 0 {
			return proof
		}
		if len(instance.Check(t.in, schedule)) > 0 {
			t.linked = true
			return proof
		}
		t.improve(schedule)
		target = min(target, t.in.Value(schedule).Num().Int64())
	}
}

// effort is how many steps the sequencings of a node are worth. Where links matter they
// may have as many as linear programs took, less those before, and for makespan, about
// which linear programs tell less, a proof doubles them.
func (t *treeProblem) effort(n *branchNode) int {
	steps := min(t.credit, leafSteps)
	if !n.decided() {
		steps = openSteps
	} else if n.settled() && !t.linked {
		steps = homeSteps
	}
	if t.limits.Nodes > 0 {
		steps = min(steps, t.limits.Nodes*nodeSteps-t.steps)
	}
	return steps
}

// order tries to prove by sequencings, in so many steps each, that a node holds
// nothing better than the target. Where all homes are decided, and all sequencings
// are solved, it returns the schedule that they make together, links forgotten.
func (t *treeProblem) order(ctx context.Context, n *branchNode, target int64, steps int) (*leaf, *instance.Schedule) {
	s, ok := t.m.nodeMaster(n, t.ways, target, 1)
	if !ok {
		return &leaf{target: target}, nil
	}
	list := s.sequencings(n, target)
	sum, proof, jobs := s.chains(list), &leaf{target: target}, 0
	schedule := &instance.Schedule{}
	for _, q := range list {
		found := t.sequence(ctx, n, q, target, target-1-(sum-q.chains), steps, len(list) == 1)
		switch found.verdict {
		case noWay:
			proof.sets, proof.alike = append(proof.sets, q.first()), found.alike
			begun := time.Now()
			if _, ok := t.m.proveOrder(ctx, n, t.ways, proof, 2*leafSteps); !ok {
				return nil, nil
			}
			proof.took = time.Since(begun)
			return proof, nil
		case someWay:
			jobs += len(q.jobs)
			schedule.Tasks, schedule.Syncs = append(schedule.Tasks, found.tasks...), append(schedule.Syncs, found.syncs...)
			if q.weighted && found.cost > q.chains {
				proof.sets = append(proof.sets, q.first())
				sum += found.cost - q.chains
			}
		}
	}
	if jobs < len(n.jobs) {
		return nil, nil
	}
	for _, b := range n.jobs {
		schedule.Residency = append(schedule.Residency, slices.Clone(b.home))
	}
	schedule.Sort()
	return nil, schedule
}

// proveOrder checks that the sequencings that a leaf names prove that its node holds
// no schedule better than the target, and returns how many of the steps are left.
func (m *model) proveOrder(ctx context.Context, n *branchNode, ways [][]way, l *leaf, steps int) (left int, ok bool) {
	s, some := m.nodeMaster(n, ways, l.target, 1)
	if !some {
		return steps, true
	}
	list := s.sequencings(n, l.target)
	sum := s.chains(list)
	for i, first := range l.sets {
		at := slices.IndexFunc(list, func(q *sequencing) bool { return q.first() == first })
		if at < 0 || i > 0 && first <= l.sets[i-1] {
			return steps, false
		}
		q := list[at]
		if l.alike != 0 && i+1 == len(l.sets) {
			if q = q.outlook(l.alike); q == nil {
				return steps, false
			}
		}
		e := sequenceExaminer{ctx: ctx, sequencing: q, most: l.target - 1 - (sum - list[at].chains), steps: steps}
		least, done := e.examine()
		steps = e.steps
		switch {
		case !done:
			return steps, false
		case least == noPrice: // the sum, too, is the target or more
			return steps, true
		case !s.theta:
			sum += max(0, least-list[at].chains)
		}
	}
	return steps, false
}

// sequenceResult is what became of a sequencing in so many steps.
type sequenceResult struct {
	verdict verdict
	alike   int // the view that tells; 0: that of all GPUs
	steps   int
	cost    int64
	tasks   []instance.Task
	syncs   []instance.Sync
}

// sequence solves a sequencing, once for all nodes that have it.
func (t *treeProblem) sequence(ctx context.Context, n *branchNode, q *sequencing, target, most int64, steps int, only bool) sequenceResult {
	key := fmt.Sprint(target, most, only)
	for j := range q.jobs {
		b := n.jobs[q.jobs[j].id]
		key += fmt.Sprint(" ", q.jobs[j].id, b.home, b.ends)
	}
	if r, known := t.sequenced[key]; known && (r.verdict != unknown || r.steps >= steps) {
		return r
	}
	r, left := sequenceResult{steps: steps}, steps
	look := func(q *sequencing, steps int, anyWay bool) *sequenceSearch {
		if len(q.shares) > 0 {
			steps = min(steps, linkSteps[t.in.Objective])
		}
		search := newSequenceSearch(ctx, q, most, steps)
		r.verdict, r.cost = search.run(anyWay)
		left -= steps - max(0, search.steps)
		return search
	}
	// Few of alike GPUs tell in no time what all would tell late.
	gpus := 0
	for r.verdict = someWay; r.verdict == someWay; {
		v := q.view(r.alike + 1)
		if v == nil {
			break
		}
		r.alike++
		if len(v.residents) > gpus { // a view of its own
			gpus = len(v.residents)
			look(v, left/2, true)
		}
	}
	if r.verdict != noWay {
		r.alike = 0
		if search := look(q, left, !q.weighted || only); r.verdict == someWay {
			r.tasks, r.syncs = search.schedule(t.in)
		}
	}
	t.steps += steps - left
	t.sequenced[key] = r
	return r
}

// schedule writes down what was found, each synchronisation at the lowest rate that
// is as fast as the fastest.
func (s *sequenceSearch) schedule(in *instance.Instance) (tasks []instance.Task, syncs []instance.Sync) {
	type iteration struct{ job, number int }
	over, dealt := map[iteration]int64{}, map[iteration][]int{}
	for _, a := range s.trace() {
		job := &s.jobs[a.job]
		if a.gpu < 0 {
			_, dish := job.pauseOf(func(d int) int { return dealt[iteration{a.job, a.iteration}][d] })
			syncs = append(syncs, instance.Sync{
				Job: job.id, Iteration: a.iteration + 1, Start: instance.Tick(a.start), End: instance.Tick(a.start + job.dishes[dish].sync[a.depth]), Rate: in.RateLevels[a.depth],
			})
			continue
		}
		w, at := slices.Index(job.gpus, a.gpu), iteration{a.job, a.iteration}
		end := a.start + job.time[w][a.depth]
		tasks = append(tasks, instance.Task{
			Job: job.id, Iteration: a.iteration + 1, GPU: job.limits.home[w], Depth: a.depth, Start: instance.Tick(a.start), End: instance.Tick(end),
		})
		over[at] = max(over[at], end)
		if dealt[at] == nil {
			dealt[at] = make([]int, len(job.job.Depths))
		}
		dealt[at][a.depth]++
		pause, dish := job.pauseOf(func(d int) int { return dealt[at][d] })
		if dish < 0 || !job.job.HasSync() || len(job.links) > 0 {
			continue
		}
		level, lengths := 0, job.dishes[dish].sync
		for level+1 < len(lengths) && lengths[level+1] == pause {
			level++
		}
		start := max(over[at], job.limits.ends[a.iteration].from-pause)
		syncs = append(syncs, instance.Sync{
			Job: job.id, Iteration: a.iteration + 1, Start: instance.Tick(start), End: instance.Tick(start + pause), Rate: in.RateLevels[level],
		})
	}
	return tasks, syncs
}
