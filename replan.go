package jigsaw

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/change"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/heuristics"
	"jigsaw/heuristics/horizon"
	"jigsaw/heuristics/queue"
	"jigsaw/heuristics/repair"
	"jigsaw/heuristics/resume"
	"jigsaw/heuristics/state"
	"jigsaw/method"
	"jigsaw/solver/eventloop"
)

// ReplanResult is the continuation of a plan that was under way.
type ReplanResult struct {
	// Result is the plan of what is left, the rest, with its instance and bound.
	*Result
	// Spec is the instance of the rest: jobs have the iterations that they have left, and those in memory have
	// their GPUs. Its time 0 is at Origin of the plan before.
	Spec   *instance.Spec
	Origin instance.Duration
	// Jobs are those of the plan before, in its order, and then new ones.
	Jobs []JobChange
}

// JobChange says what becomes of a job. Times are in seconds at the clock of the plan before.
type JobChange struct {
	Job  string    `json:"job"`
	What JobChoice `json:"what"`
	// From and To are the nodes that its GPUs are in, before and after.
	From []string `json:"from,omitempty"`
	To   []string `json:"to,omitempty"`
	// Left is how many iterations it had left.
	Left int `json:"left"`
	// Before and After are its ends; nil where there is none.
	Before *float64 `json:"end_before"`
	After  *float64 `json:"end_after"`
	// Delay is After - Before.
	Delay *float64 `json:"delay"`
}

// JobChoice is one of the ways that a job may go.
type JobChoice string

// What becomes of jobs.
const (
	JobStays     JobChoice = "stays"     // it is in memory, and goes on there
	JobMoves     JobChoice = "moves"     // it was in memory, and goes on elsewhere, where it is loaded first
	JobWaits     JobChoice = "waits"     // it had not begun
	JobNew       JobChoice = "new"       // it came
	JobCancelled JobChoice = "cancelled" // it goes no further
	JobDone      JobChoice = "done"      // it has ended
)

// Replan continues a plan that is under way, from the time of an update on; docs/problem.md section 10 defines
// what is done, in flight and left then. spec is the instance of the plan, and models where it finds its
// profiles, as [Models]. Jobs in memory stay on their GPUs unless they must move; those that move are loaded
// again. There is a plan at any time limit: the old order, repaired. The time that is left, or a fixed
// amount of work, goes into better orders. If the repair misses deadlines, a part of it goes into a plan that meets all; those that are
// missed still are given up, with a note. Mistakes in
// the update are [instance.Problems]. If no job is left there is nothing to plan, and the result has neither a plan nor values. The
// rest and its plan can be replanned again.
func Replan(ctx context.Context, spec *instance.Spec, models instance.ProfileSource, plan *instance.BlockSchedule, u Update, opt Options) (*ReplanResult, error) {
	r, err := newRest(spec, models, plan, u)
	if err != nil {
		return nil, err
	}
	if len(r.in.Jobs) == 0 {
		return r.result(&Result{Instance: r.in, Status: Optimal, Seed: opt.Seed, Notes: []string{"no job is left: there is nothing to plan"}}), nil
	}
	p, stop := newPlanner(ctx, r.in, opt)
	defer func() { stop() }()
	repaired, improve, err := r.repair()
	var onTime *instance.BlockSchedule // or as little late as was found
	if err == nil {
		if onTime = repaired; !opt.Quick && r.late(repaired) {
			onTime = p.punctual(improve)
		}
		if r.late(onTime) {
			_, ends := onTime.Spans(r.in)
			if err := r.giveUp(ends, models); err != nil {
				return nil, err
			}
			if repaired, improve, err = r.repair(); err != nil {
				return nil, err
			}
		}
		if r.late(repaired) {
			repaired = onTime
		}
		if len(check.Blocks(r.in, repaired)) > 0 {
			repaired = nil
		}
	}
	if repaired == nil {
		anew, err := r.again(ctx, models, opt)
		if err != nil {
			return nil, err
		}
		return r.result(anew), nil
	}
	p.in, p.result.Instance, p.show = r.in, r.in, newShowcase(r.in, opt.Incumbent)
	p.result.FewerExclusive.Reason, p.result.FewerInterleaved.Reason = notAsked, notAsked
	p.takeBlocks("repair", repaired)
	p.offerBlocks("the search for a plan on time", onTime)
	result, err := p.replan(improve)
	return r.result(result), err
}

// again plans all jobs again, none of them in memory: with less memory or a smaller network there is no room for all that should stay. If no
// plan is on time, deadlines are given up.
func (r *rest) again(ctx context.Context, models instance.ProfileSource, opt Options) (*Result, error) {
	if err := r.evict(models); err != nil {
		return nil, err
	}
	anew, err := Plan(ctx, r.in, opt)
	if err != nil {
		return nil, err
	}
	if anew.plan() == nil && slices.ContainsFunc(r.in.Jobs, func(j instance.Job) bool { return j.Deadline > 0 }) {
		if err := r.giveUp(slices.Repeat([]instance.Tick{math.MaxInt64}, len(r.in.Jobs)), models); err != nil {
			return nil, err
		}
		opt.Quick = true // the time may be over
		if anew, err = Plan(ctx, r.in, opt); err != nil {
			return nil, err
		}
		if anew.plan() == nil {
			r.missed = nil // deadlines are not to blame
		}
	}
	anew.Notes = append(anew.Notes, "the running jobs cannot continue side by side, or not beside those that move: all are planned again")
	return anew, nil
}

// improver searches on from a repair and reports better plans, for the given number of rounds or, if that is 0, until the
// context ends or a plan without late jobs is good enough. The result is the best plan known; of those with late jobs, the one that is least late.
type improver func(ctx context.Context, p *planner, rounds int, enough func(*big.Rat) bool) *instance.BlockSchedule

// punctual searches for a plan without late jobs, in a part of the time. The result is as little late as was found.
func (p *planner) punctual(improve improver) *instance.BlockSchedule {
	ctx, rounds, cancel := p.part(3)
	defer cancel()
	return improve(ctx, p, rounds, func(*big.Rat) bool { return true })
}

// replan bounds the rest, and improves its plan.
func (p *planner) replan(improve improver) (*Result, error) {
	var bounds <-chan struct{} // nil: none
	if long(p.in) && p.opt.NoBound {
		p.note("no bound: switched off")
	} else {
		var none bool
		if bounds, none = p.boundsAlone(); none {
			return p.finish()
		}
	}
	rounds := 0
	switch {
	case p.opt.Quick:
		rounds = quickRounds
	case p.opt.Time == 0:
		rounds = queueRounds * max(1, p.opt.Effort)
	}
	if !p.in.Resumes() {
		p.residents() // as in a new plan
	}
	ctx, cancel := p.limited(time.Until(p.start.Add(p.opt.Time)) * 9 / 10)
	defer cancel()
	if !p.close(p.result.Primal, p.settledDual) {
		improve(ctx, p, rounds, p.goodEnough())
	}
	if bounds != nil {
		p.endBounds()
		p.wait(bounds)
	}
	return p.writtenOut()
}

// repair carries the old plan on, and says how to go on from there.
func (r *rest) repair() (*instance.BlockSchedule, improver, error) {
	if r.in.Queues() || r.in.Grouped() || len(r.plan.Blocks) != 1 || r.plan.Blocks[0].Repeats > 1 || r.in.Tasks() > mostPlanned {
		return r.resume()
	}
	old, damage := r.tasks(), repair.Damage{Now: r.at - r.origin, GPU: func(j instance.JobID, g instance.GPUID) (instance.GPUID, bool) {
		if r.old[j] < 0 || r.moves[r.old[j]] || r.gpu[g] < 0 {
			return 0, false
		}
		return r.gpu[g], true
	}}
	fixed, err := repair.Repair(r.in, old, damage)
	if err != nil {
		return nil, nil, err
	}
	return fixed.Schedule.Block(), func(ctx context.Context, p *planner, rounds int, enough func(*big.Rat) bool) *instance.BlockSchedule {
		improved := func(s *instance.Schedule) { p.improved("search", s) }
		near, done := state.Portion(ctx, repairShare)
		defer done()
		search := repair.Search{Rounds: rounds, Stop: enough, Improved: improved}
		best := search.Improve(near, p.in, old, damage, fixed.Schedule, p.rng(horizonPart)).Block()
		if !late(p.in, best) {
			p.takeBlocks("the search after the repair", best)
		}
		if p.opt.Quick || p.result.Primal != nil && enough(p.result.Primal) {
			return best
		}
		c := heuristics.Config{Rounds: lateRounds * max(1, p.opt.Effort), Without: p.opt.Without, Stop: enough}
		if p.opt.Time > 0 {
			c.Rounds = 0
		}
		planner := func(in *instance.Instance) (*instance.Schedule, error) {
			return c.Improve(ctx, in, p.rng(anewPart), nil)
		}
		if anew := repair.Anew(p.in, old, damage, planner); anew != nil {
			p.offerBlocks("the plan made anew", anew.Block()) // there may be no memory for jobs that have just ended
		}
		if s := p.result.Blocks; s != nil {
			return s
		}
		return best
	}, nil
}

// repairShare is the part of the time in which repairs of a short plan keep to its order, resumeShare that in which those of a plan in blocks keep to its
// units; anewPart draws from a source of its own.
const (
	repairShare = 0.3
	resumeShare = 0.4
	anewPart    = 15
)

// resume is repair of a plan in blocks.
func (r *rest) resume() (*instance.BlockSchedule, improver, error) {
	was := resume.Interrupted{
		Plan: &instance.BlockSchedule{Residency: make([][]instance.GPUID, len(r.in.Jobs))}, Now: r.at - r.origin,
		GPU:   r.now,
		Begun: make([]bool, len(r.in.Jobs)), Moves: make([]bool, len(r.in.Jobs)), Changed: make([]bool, len(r.in.Jobs)),
		Left: make([]bool, len(r.in.Jobs)),
	}
	for j, before := range r.old {
		if before >= 0 {
			was.Plan.Residency[j] = r.plan.Residency[before]
			was.Begun[j], was.Moves[j], was.Changed[j] = r.state.Begun[before], r.moves[before], r.changed[before]
		}
	}
	for i := range r.state.Rest.Blocks {
		whole := &r.state.Rest.Blocks[i]
		b := whole.Of(func(j instance.JobID) instance.JobID { return r.of[j] })
		if b.Start -= r.origin; len(b.Tasks) == 0 {
			continue
		}
		was.Plan.Blocks = append(was.Plan.Blocks, b)
		if len(b.Tasks) < len(whole.Tasks) {
			for j := range b.IterationsOf() {
				was.Left[j] = true
			}
		}
	}
	carried, err := resume.Resume(r.in, was)
	if err != nil {
		return nil, nil, err
	}
	return carried.Plan, goOn(carried), nil
}

// goOn searches on from a plan in blocks that was carried on: first with its units, then with a plan made anew.
func goOn(carried *resume.Resumption) improver {
	return func(ctx context.Context, p *planner, rounds int, enough func(*big.Rat) bool) *instance.BlockSchedule {
		anew, share := !p.opt.Quick && p.opt.Interference == nil && !p.opt.Without[method.Scaling] && horizon.Scales(p.in), 1.0
		if anew {
			share = resumeShare
		}
		near, done := state.Portion(ctx, share)
		defer done()
		search := queue.Search{Rounds: rounds, Slack: p.opt.Interference, Stop: enough, Improved: func(v *big.Rat) { p.see("search", v) }}
		p.offerBlocks("the search for orders", carried.Improve(near, search, p.rng(horizonPart)))
		if !anew || p.result.Primal != nil && enough(p.result.Primal) {
			return carried.Plan
		}
		p.offerBlocks("the plan made anew", carried.Anew(func(in *instance.Instance, known *instance.BlockSchedule, free []instance.Tick) (*instance.BlockSchedule, error) {
			c := horizon.Config{Rounds: rounds, Without: p.opt.Without, Free: free}
			if known != nil {
				c.Starts = append(c.Starts, known)
			}
			return c.Scaled(eventloop.Context(ctx), in, p.rng(anewPart))
		}))
		return carried.Plan
	}
}

// tasks is what is left of a plan that writes every task out, with the jobs and clock of the
// rest and the GPUs of the plan. New jobs, and iterations that the plan does not have, follow one after the other.
func (r *rest) tasks() *instance.Schedule {
	now := r.at - r.origin
	s := &instance.Schedule{Residency: make([][]instance.GPUID, len(r.in.Jobs))}
	have := make([]int, len(r.in.Jobs))
	next := make([]instance.Tick, len(r.in.Jobs)) // when an iteration more has its turn
	lengths := queue.Alone(r.in)
	left := func(j instance.JobID, iteration int) bool { return iteration <= r.in.Jobs[j].Iterations }
	turn := func(j instance.JobID, start instance.Tick) instance.Tick {
		if r.carriesOn(int(r.old[j])) {
			return start
		}
		return max(start, now)
	}
	for _, b := range r.state.Rest.Blocks {
		b = b.Of(func(j instance.JobID) instance.JobID { return r.of[j] })
		instance.Shift(b.Tasks, b.Syncs, b.Start-r.origin)
		for _, t := range b.Tasks {
			if left(t.Job, t.Iteration) {
				t.Start = turn(t.Job, t.Start)
				s.Tasks = append(s.Tasks, t)
				have[t.Job], next[t.Job] = max(have[t.Job], t.Iteration), max(next[t.Job], t.End)
			}
		}
		for _, y := range b.Syncs {
			if left(y.Job, y.Iteration) {
				y.Start = turn(y.Job, y.Start)
				s.Syncs = append(s.Syncs, y)
				next[y.Job] = max(next[y.Job], y.End)
			}
		}
	}
	counts := state.CheapestMultisets(r.in)
	for j := range s.Residency {
		job := &r.in.Jobs[j]
		if before := r.old[j]; before >= 0 {
			s.Residency[j] = r.plan.Residency[before]
		} else {
			for g := range job.Workers {
				s.Residency[j] = append(s.Residency[j], instance.GPUID(g)) // it moves
			}
		}
		at := max(next[j], now, job.Release)
		for i := have[j] + 1; i <= job.Iterations; i++ {
			repair.AddTurn(s, instance.JobID(j), i, at, counts[j], job.HasSync(), r.in.RateLevels[0])
			at += max(1, lengths[j])
		}
	}
	s.Sort()
	return s
}

// result says for each job what the plan of the rest changes.
func (r *rest) result(plan *Result) *ReplanResult {
	out := &ReplanResult{Result: plan, Spec: r.spec, Origin: r.was.Duration(r.origin)}
	if some := r.missed; len(some) > 0 {
		const shown = 10
		if more := len(some) - shown; more > 0 {
			some = append(some[:shown:shown], fmt.Sprintf("and %d more", more))
		}
		plan.Notes = append(plan.Notes, "deadlines given up, since no plan that meets them was found: "+strings.Join(some, ", "))
	}
	seconds := func(t instance.Tick) *float64 { return new(float64(t) * float64(r.was.TickUS) / 1e6) }
	_, before := r.plan.Spans(r.was)
	s := plan.Blocks
	if s == nil && plan.Schedule != nil {
		s = plan.Schedule.Block()
	}
	var after []instance.Tick
	if s != nil {
		_, after = s.Spans(r.in)
	}
	for j := range r.was.Jobs {
		c := JobChange{Job: r.was.Jobs[j].Name, Left: r.left[j], From: nodesOf(r.was, r.plan.Residency[j]), Before: seconds(before[j])}
		now := r.of[j]
		switch {
		case r.fate[j] == cancelled:
			c.What = JobCancelled
		case r.fate[j] == ended:
			c.What, c.Left, c.After = JobDone, 0, seconds(min(before[j], r.at))
		case s == nil:
			c.What = JobWaits
		default:
			c.To, c.After = nodesOf(r.in, s.Residency[now]), seconds(after[now]+r.origin)
			same := slices.EqualFunc(r.plan.Residency[j], s.Residency[now], func(a, b instance.GPUID) bool { return r.gpu[a] == b })
			switch {
			case !r.state.Begun[j]:
				c.What = JobWaits
			case same && r.in.Jobs[now].Resident != nil:
				c.What = JobStays
			default:
				c.What = JobMoves
			}
		}
		out.Jobs = append(out.Jobs, c)
	}
	for j := range r.in.Jobs {
		if r.old[j] >= 0 {
			continue
		}
		c := JobChange{Job: r.in.Jobs[j].Name, What: JobNew, Left: r.in.Jobs[j].Iterations}
		if s != nil {
			c.To, c.After = nodesOf(r.in, s.Residency[j]), seconds(after[j]+r.origin)
		}
		out.Jobs = append(out.Jobs, c)
	}
	for i := range out.Jobs {
		if c := &out.Jobs[i]; c.Before != nil && c.After != nil {
			c.Delay = new(*c.After - *c.Before)
		}
	}
	return out
}

// nodesOf names the nodes of GPUs, ascending, each once, in order.
func nodesOf(in *instance.Instance, gpus []instance.GPUID) (names []string) {
	last := instance.NodeID(-1)
	for _, g := range gpus {
		if n := in.GPUs[g].Node; n != last {
			names, last = append(names, in.Nodes[n].Name), n
		}
	}
	return names
}

// changesFile is a file of changes.
type changesFile struct {
	Version int `yaml:"version"`
	Changes []struct {
		Kind       string         `yaml:"kind"`
		Subject    string         `yaml:"subject,omitempty"`
		Factor     instance.Ratio `yaml:"factor,omitempty"`
		Iterations int            `yaml:"iterations,omitempty"`
	} `yaml:"changes,omitempty"`
	Jobs []instance.JobSpec `yaml:"jobs,omitempty"`
}

// DecodeChanges reads a file of changes, YAML or JSON: version 1, a list changes of objects with kind, subject and, for the
// kinds that have them, factor or iterations, and a list jobs of those that come, as an instance file has them. Mistakes are
// [instance.Problems] with line and column; the file finds those of paths of [Replan]'s.
func DecodeChanges(r io.Reader) (Update, codec.File, error) {
	data, err := io.ReadAll(io.LimitReader(r, codec.MostJobBytes+1))
	if err != nil {
		return Update{}, codec.File{}, err
	}
	var f changesFile
	file, err := codec.DecodeFile(data, instance.Version, &f)
	if err != nil {
		return Update{}, file, err
	}
	u := Update{Jobs: f.Jobs}
	for _, c := range f.Changes {
		u.Changes = append(u.Changes, change.Change{Kind: change.Kind(c.Kind), Subject: c.Subject, Factor: c.Factor.Float(), Iterations: c.Iterations})
	}
	return u, file, nil
}

// WriteJobChanges writes what becomes of every job as CSV; times are in seconds and, where it is known when the plan before
// began, by the clock.
func WriteJobChanges(w io.Writer, jobs []JobChange, begin time.Time) error {
	rows := [][]string{{"job", "what", "from", "to", "left", "end_before_s", "end_after_s", "delay_s"}}
	if !begin.IsZero() {
		rows[0] = append(rows[0], "end_before", "end_after")
	}
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'f', 3, 64)
	}
	for _, c := range jobs {
		row := []string{c.Job, string(c.What), strings.Join(c.From, " "), strings.Join(c.To, " "), fmt.Sprint(c.Left), number(c.Before), number(c.After), number(c.Delay)}
		if !begin.IsZero() {
			for _, end := range []*float64{c.Before, c.After} {
				if row = append(row, ""); end != nil {
					row[len(row)-1] = moment(begin, *end)
				}
			}
		}
		rows = append(rows, row)
	}
	return csv.NewWriter(w).WriteAll(rows)
}
