package jigsaw

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	longer "jigsaw/formulation/bound/horizon"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/view"
	"jigsaw/formulation/relax"
	"jigsaw/heuristics/baseline"
	"jigsaw/heuristics/queue"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

// beyond is the error of functions that do not model long plans: in these, jobs hold memory only while they
// run, or the plan has too many tasks to be written out. nil for other instances.
func beyond(in *instance.Instance, what string) error {
	switch {
	case in.Queues():
		return errors.New("jigsaw: " + what + ": not for jobs that hold memory only while they run; with residence: plan they hold it all the time")
	case in.Long():
		return errors.New("jigsaw: " + what + ": not for plans of this many tasks; with fewer iterations they can be written out")
	case in.Resumes():
		return errors.New("jigsaw: " + what + ": not for instances with jobs in memory when the plan begins; leave resident out")
	}
	return nil
}

// long reports whether an instance is planned in blocks: where jobs hold memory only while they run, where
// a plan cannot be written out, or where jobs have so many iterations that repeating a short plan beats
// planning a long one. Many short jobs on a large cluster are planned one task at a time.
func long(in *instance.Instance) bool {
	if in.Queues() || in.Objective.Periodic() {
		return in.Queues()
	}
	workers := 0
	for j := range in.Jobs {
		workers += in.Jobs[j].Workers
	}
	return in.Long() || in.Tasks() > mostPlanned && in.Tasks() > manyIterations*int64(workers)
}

const (
	// mostPlanned is how many tasks are planned one by one, at most, if workers have more than manyIterations
	// on average.
	mostPlanned    = 200_000
	manyIterations = 400
	// queueRounds is how many queues are tried without a time limit at effort 1, or, if there are few jobs, as many as place
	// queuePlaced jobs in all; quickRounds with [Options.Quick].
	queueRounds = 300
	queuePlaced = 12_000
	quickRounds = 20
	// These baselines take one part in horizonExclusive and in horizonInterleaved of the time that is left; the second runs beside the
	// search for the plan.
	horizonExclusive, horizonInterleaved = 10, 3
	// mostExpanded is how many tasks a plan in blocks may have to be written out as well.
	mostExpanded = 100_000
	// horizonPart draws from a source of its own; see planner.rng.
	horizonPart  = 9
	cellsPart    = 10
	phasesPart   = 11
	scalingPart  = 13
	arrivalsPart = 14
)

// Queue runs whole jobs on GPUs of their own in order of release: the plan before any search, for callers
// that continue it with [Replan].
func Queue(in *instance.Instance) (*instance.BlockSchedule, error) { return queue.FirstCome(in) }

// horizon plans jobs that come, run for hours, and go. Its plans are in blocks; it begins with the queue, so that there
// is a plan at any time limit.
func (p *planner) horizon() (*Result, error) {
	r := p.result
	r.FewerExclusive.Reason, r.FewerInterleaved.Reason = notAsked, notAsked
	if p.horizonBounds() {
		return p.finish()
	}
	deep := p.in.FullDepth()
	r.Queue = p.blocksOf(deep, func() (*instance.BlockSchedule, error) { return queue.FirstCome(deep) })
	p.takeBaseline("queue", &r.Queue)
	shallow, err := queue.FirstCome(p.in)
	if err == nil {
		p.takeBlocks("queue", shallow)
	}
	if r.Primal == nil && err != nil {
		r.Greedy.Reason = unprefixed(err)
		if p.overdue(); p.noPlan() {
			return p.finish()
		}
	}
	if r.Primal != nil && r.Queue.Value != nil && p.close(r.Primal, p.settledDual) && p.close(r.Queue.Value, p.settledDual) {
		// Nothing ends earlier: what whole jobs wait for is their own length.
		r.Exclusive, r.InterleavedFull = r.Queue, r.Queue
		return p.writtenOut()
	}
	bounds := p.horizonPrograms()
	var orders []queue.Order // the best known
	r.Exclusive = p.opt.exclusive
	if r.Exclusive.Blocks == nil {
		var best queue.Order
		if r.Exclusive, best = p.wholeBlocks(deep, horizonExclusive); best.Jobs != nil {
			orders = append(orders, best)
		}
	}
	p.takeBaseline("exclusive", &r.Exclusive)
	if v := r.Exclusive.Value; v != nil && p.goodEnough()(v) {
		r.InterleavedFull = r.Exclusive
		p.endBounds()
		p.wait(bounds)
		return p.writtenOut()
	}
	interleaved := p.longInterleaved(deep, orders)
	p.residents()
	if s, err := p.together(p.in, orders, 1); err == nil {
		p.takeBlocks("the search for orders", s)
	} else {
		p.note("no plan in which jobs share GPUs: %v", err)
	}
	interleaved()
	p.endBounds()
	p.wait(bounds)
	return p.writtenOut()
}

// longInterleaved starts to plan jobs that share GPUs at full depth, if depths make a difference; that then runs beside the search for
// the plan. The function waits for it, and makes the result the plan if it is better.
func (p *planner) longInterleaved(deep *instance.Instance, orders []queue.Order) (take func()) {
	if deep == p.in {
		p.result.InterleavedFull = p.result.Exclusive
		return func() {}
	}
	var b Baseline
	done := make(chan struct{})
	go func() {
		defer close(done)
		b = p.blocksOf(deep, func() (*instance.BlockSchedule, error) { return p.together(deep, orders, horizonInterleaved) })
	}()
	return func() {
		<-done
		p.takeBaseline("interleaved-full", &b)
		r := p.result
		if r.InterleavedFull = r.Exclusive; b.Value != nil && (r.Exclusive.Value == nil || b.Value.Cmp(r.Exclusive.Value) < 0) {
			r.InterleavedFull = b
		}
	}
}

// wholeBlocks is the baseline of whole jobs in the best order found in a part of the time, and that order.
func (p *planner) wholeBlocks(deep *instance.Instance, part int) (b Baseline, order queue.Order) {
	ctx, rounds, cancel := p.part(part)
	defer cancel()
	b = p.blocksOf(deep, func() (s *instance.BlockSchedule, err error) {
		s, order, err = queue.Search{Rounds: rounds, Whole: true, Prompt: p.opt.Without[method.Reservations], Stop: p.goodEnough()}.Orders(ctx, deep, p.rng(orderPart))
		return s, err
	})
	return b, order
}

// WrittenOut returns a plan in blocks task by task; nil where it is too long.
func WrittenOut(in *instance.Instance, plan *instance.BlockSchedule) (*instance.Schedule, error) {
	if plan.Tasks() > mostExpanded {
		return nil, nil
	}
	return plan.Expand(in)
}

// writtenOut finishes a plan in blocks, and writes it out task by task as well if it is short.
func (p *planner) writtenOut() (*Result, error) {
	r := p.result
	if r.plan() != nil {
		r.Greedy.Reason = "" // why there was none at first
	}
	if r.Blocks != nil {
		s, err := WrittenOut(p.in, r.Blocks)
		if err != nil {
			return nil, err
		}
		if s == nil {
			return p.finish()
		}
		if violations := p.check(p.in, s); len(violations) > 0 {
			p.fault("a plan in blocks is invalid written out: %v", violations[0])
		} else {
			r.Schedule = s
		}
	}
	return p.finish()
}

// part is how long a search goes on: for one part in so many of the time that is left or, without a time limit, for a number of rounds.
func (p *planner) part(part int) (ctx context.Context, rounds int, cancel context.CancelFunc) {
	switch {
	case p.opt.Time > 0:
	case p.opt.Quick:
		rounds = quickRounds
	default:
		rounds = max(queueRounds, queuePlaced/len(p.in.Jobs)) * max(1, p.opt.Effort)
	}
	ctx, cancel = p.limited(max(0, time.Until(p.start.Add(p.opt.Time))) / time.Duration(part))
	return ctx, rounds, cancel
}

// blocksOf is the plan in blocks of a baseline. An invalid one is found by [planner.takeBaseline].
func (p *planner) blocksOf(in *instance.Instance, plan func() (*instance.BlockSchedule, error)) Baseline {
	s, err := plan()
	if err != nil {
		return Baseline{Instance: in, Reason: unprefixed(err)}
	}
	return Baseline{Instance: in, Blocks: s, Value: in.Value(s), Efficiency: s.Efficiency(in)}
}

// takeBaseline checks the plan in blocks of a baseline and, at the depths that the rules ask for, makes it the plan if it is better.
func (p *planner) takeBaseline(name string, b *Baseline) {
	if b.Blocks == nil {
		return
	}
	if violations := check.Blocks(b.Instance, b.Blocks); len(violations) > 0 {
		p.fault("%s made an invalid plan: %v", name, violations[0])
		*b = Baseline{Instance: b.Instance, Reason: "its plan was invalid"}
		return
	}
	s := b.Blocks
	if b.Instance != p.in && len(check.Blocks(p.in, s)) > 0 {
		s = baseline.Shallower(p.in, s)
	}
	p.takeBlocks(name, s)
}

// takeBlocks makes a plan in blocks the plan if it is better. It should be valid.
func (p *planner) takeBlocks(name string, s *instance.BlockSchedule) {
	if violations := p.offerBlocks(name, s); len(violations) > 0 {
		p.fault("%s made an invalid plan: %v", name, violations[0])
	}
}

// offerBlocks makes a plan in blocks the plan if it is valid and better.
func (p *planner) offerBlocks(name string, s *instance.BlockSchedule) []check.Violation {
	r := p.result
	if s == r.Blocks {
		return nil
	}
	if violations := check.Blocks(p.in, s); len(violations) > 0 {
		return violations
	}
	v := p.in.Value(s)
	if r.Primal == nil || p.in.Objective.Better(v, r.Primal) || r.Blocks != nil && v.Cmp(r.Primal) == 0 && state.SumOfEnds(p.in, s) < state.SumOfEnds(p.in, r.Blocks) {
		r.Blocks, r.Primal = s, v
		p.see(name, v)
		if p.checked(v); p.opt.Blocks != nil {
			p.opt.Blocks(s)
		}
	}
	return nil
}

// horizonBounds computes the bounds of the roomy instance that need no engine and whose cost does not grow with the iterations
// of jobs, and that of memory x time. It reports whether it is proven that there is no plan.
func (p *planner) horizonBounds() (none bool) {
	roomy := p.in.Roomy()
	if p.infeasible(relax.Infeasible(roomy)) {
		return true
	}
	p.combinatorial(roomy)
	p.bound(longer.Memory(p.in))
	p.settle()
	return p.refuted != nil
}

// mostClasses is the largest number of kinds of jobs for which the fluid program of a long plan is solved: its memory grows
// with their square.
const mostClasses = 200

// horizonPrograms starts the bounds of long plans that need linear programs. All are bounds of the roomy instance: for weighted
// completion the intervals program, for the makespan the fluid program and then, unless the plan is quick, the packing of whole
// workers on whole GPUs. The channel is closed when all are done; [planner.endBounds] ends those that take long.
func (p *planner) horizonPrograms() <-chan struct{} {
	done := make(chan struct{})
	ctx, enough := p.longBounds()
	p.lp = p.engine()
	value, length := p.result.Primal, instance.Tick(0)
	if s := p.result.Blocks; s != nil {
		length = s.Makespan(p.in)
	}
	go func() {
		defer close(done)
		defer enough()
		if p.lp == nil {
			return
		}
		roomy := p.in.Roomy()
		kinds := len(p.in.Classes())
		weighted := p.in.Objective == instance.WeightedCompletion
		if weighted {
			p.intervalsBound(ctx, roomy, p.lp, length)
		}
		// Of weighted completions it is the weaker one, but may prove that deadlines cannot be met.
		if !weighted || !p.lpBound() || slices.ContainsFunc(p.in.Jobs, func(j instance.Job) bool { return j.Deadline > 0 }) {
			switch {
			case p.ctx.Err() != nil:
				return
			case kinds <= mostClasses:
				p.fluid(roomy, p.lp)
			case !p.lpBound():
				p.note("no LP bound: %d kinds of jobs are more than the fluid program takes, %d", kinds, mostClasses)
				return
			}
		}
		if !weighted && !p.opt.Quick && p.ctx.Err() == nil && !p.noPlan() {
			p.packingBound(ctx, roomy, p.lp, value)
			if p.ctx.Err() == nil && !p.noPlan() {
				p.periodsBound(ctx, roomy, p.lp, value)
			}
		}
	}()
	return done
}

// Stay is a line of the table by job: where and when a job runs. Times are in
// seconds.
type Stay struct {
	Job  string
	GPUs []instance.GPUID
	// Nodes by name that the GPUs are in.
	Nodes                []string
	Admitted, Start, End float64
	// Wait is from the release to the admission.
	Wait float64
	// Slowdown is the time from release to end divided by that of the job alone on the empty
	// cluster at full depth, its load included; 0 if that is not known.
	Slowdown float64
}

// Stays returns a line for every job of a plan in blocks, in order of the instance; nil where r has none.
func (r *Result) Stays() []Stay {
	if r.Blocks == nil {
		return nil
	}
	return Stays(r.Instance, r.Blocks)
}

// Stays returns a line for every job of a plan, in order of the instance.
func Stays(in *instance.Instance, plan *instance.BlockSchedule) []Stay {
	second := float64(in.TickUS) / 1e6
	from, to := plan.Spans(in)
	alone := queue.Alone(in)
	stays := make([]Stay, len(in.Jobs))
	for i := range stays {
		j := &in.Jobs[i]
		s := Stay{
			Job: j.Name, GPUs: plan.Residency[i], Nodes: nodesOf(in, plan.Residency[i]), Start: float64(from[i]) * second, End: float64(to[i]) * second,
			Admitted: float64(max(0, from[i]-j.Load)) * second, Wait: float64(max(0, from[i]-j.Load-j.Release)) * second,
		}
		if alone[i] > 0 {
			s.Slowdown = float64(to[i]-j.Release) / (float64(j.Load) + float64(j.Iterations)*float64(alone[i]))
		}
		stays[i] = s
	}
	return stays
}

// ExplainBlocks is [view.ExplainBlocks], with iterations alone as [Stay.Slowdown] has them.
func ExplainBlocks(in *instance.Instance, s *instance.BlockSchedule, begin time.Time) (jobs []string, chain []view.StayLink) {
	return view.ExplainBlocks(in, s, queue.Alone(in), begin)
}

// moment is so many seconds after a time, to the second.
func moment(begin time.Time, seconds float64) string {
	return begin.Add(time.Duration(seconds * 1e9)).Format("2006-01-02T15:04:05")
}

// WriteStays writes the table by job as CSV, with times of the clock where it is known when the plan begins.
func WriteStays(w io.Writer, stays []Stay, begin time.Time) error {
	rows := [][]string{{"job", "nodes", "gpus", "admitted_s", "start_s", "end_s", "wait_s", "slowdown"}}
	if !begin.IsZero() {
		rows[0] = append(rows[0], "admitted", "start", "end")
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
	for _, s := range stays {
		gpus := strings.Trim(fmt.Sprint(s.GPUs), "[]")
		row := []string{s.Job, strings.Join(s.Nodes, " "), gpus, number(s.Admitted), number(s.Start), number(s.End), number(s.Wait), number(s.Slowdown)}
		if !begin.IsZero() {
			row = append(row, moment(begin, s.Admitted), moment(begin, s.Start), moment(begin, s.End))
		}
		rows = append(rows, row)
	}
	return csv.NewWriter(w).WriteAll(rows)
}
