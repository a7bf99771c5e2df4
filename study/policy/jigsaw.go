package policy

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/change"
	"jigsaw/study/replay"
)

// jigSaw carries one plan on, by [jigsaw.Replan], whenever jobs arrive. Running jobs stay on their GPUs, except that
// they make way for more urgent ones if that reduces the sum of completion times, including loads. See statement.go for
// what the plans know of a workload.
type jigSaw struct {
	name string
	o    Options
}

func newJigSaw(_ context.Context, name string, o Options) (replay.Policy, error) {
	return &jigSaw{name, o}, nil
}

func (p *jigSaw) Name() string { return p.name }

// Shares reports that jobs share GPUs.
func (p *jigSaw) Shares() bool { return true }

// Replay carries the plan on at the ends of rounds in which jobs arrived.
func (p *jigSaw) Replay(ctx context.Context, w *replay.Workload, config replay.Config) (*replay.Timetable, error) {
	r, err := newRolling(w, config, p.o, p.name == "jigsaw")
	for err == nil && r.next < len(w.Jobs) && ctx.Err() == nil {
		err = r.step(ctx)
	}
	if ctx.Err() != nil {
		r.cut()
		return r.table, nil
	}
	if err != nil {
		return nil, err
	}
	r.pass(instance.MaxTime)
	return r.table, nil
}

// rolling is a replay in progress.
type rolling struct {
	*stated
	w      *replay.Workload
	config replay.Config
	opt    jigsaw.Options

	spec   *instance.Spec
	in     *instance.Instance
	plan   *instance.BlockSchedule // nil: nothing is planned
	origin instance.Tick           // of its clock
	now    instance.Tick

	next  int    // next job to arrive
	open  []bool // by job: whether it is in memory
	table *replay.Timetable
}

func newRolling(w *replay.Workload, config replay.Config, o Options, quick bool) (*rolling, error) {
	stated, err := state(w, config.Cluster)
	if err != nil {
		return nil, err
	}
	r := &rolling{
		stated: stated, w: w, config: config, opt: jigsaw.Options{Seed: o.Seed, Quick: quick, NoBound: true}, open: make([]bool, len(w.Jobs)),
		table: &replay.Timetable{Stays: make([][]replay.Stay, len(w.Jobs)), Finish: slices.Repeat([]float64{-1}, len(w.Jobs))},
	}
	for n := range o.Share {
		r.opt.Interference = append(r.opt.Interference, w.Slowdown(n+1))
	}
	return r, nil
}

// step advances to the end of the round in which the next job arrives, and plans.
func (r *rolling) step(ctx context.Context) error {
	now := replay.NextRound(r.config.Round, r.w.Jobs[r.next].Arrival)
	var come []int
	for ; r.next < len(r.w.Jobs) && r.w.Jobs[r.next].Arrival <= now; r.next++ {
		come = append(come, r.next)
	}
	r.now = r.ticks(now)
	r.pass(r.now)
	return r.decide(ctx, r.now, come)
}

// pass records what the plan does until a time.
func (r *rolling) pass(at instance.Tick) {
	if r.plan == nil {
		return
	}
	from, to := r.plan.Spans(r.in)
	over := true
	for j := range r.in.Jobs {
		i := index(r.in.Jobs[j].Name)
		admitted, end := r.origin+from[j]-r.in.Jobs[j].Load, r.origin+to[j]
		if admitted < at && !r.open[i] {
			r.open[i] = true
			stay := replay.Stay{From: r.seconds(admitted)}
			for _, g := range r.plan.Residency[j] {
				stay.GPUs = append(stay.GPUs, int(g))
			}
			r.table.Stays[i] = append(r.table.Stays[i], stay)
		}
		if end > at {
			over = false
			continue
		}
		r.leave(i, end)
		r.table.Finish[i] = r.seconds(end)
	}
	if over {
		r.plan = nil
	}
}

// leave ends the stay of a job.
func (r *rolling) leave(i int, at instance.Tick) {
	stays := r.table.Stays[i]
	stays[len(stays)-1].To, r.open[i] = r.seconds(at), false
}

// cut ends the replay early.
func (r *rolling) cut() {
	r.table.Cut, r.table.End = true, r.seconds(r.now)
	for i := range r.open {
		if r.open[i] {
			r.leave(i, r.now)
		}
	}
}

// decide plans newly arrived jobs together with those already there.
func (r *rolling) decide(ctx context.Context, at instance.Tick, come []int) error {
	r.table.Decisions++
	jobs := make([]instance.JobSpec, len(come))
	for n, i := range come {
		jobs[n] = r.job(r.w, i, r.w.Jobs[i].Iterations, r.config.RestartAll)
	}
	if r.plan == nil {
		spec := r.empty
		spec.Jobs = jobs
		in, err := instance.Compile(&spec, nil)
		if err != nil {
			return err
		}
		plan, err := jigsaw.Queue(in)
		if err != nil {
			return err
		}
		r.spec, r.in, r.plan, r.origin, jobs = &spec, in, plan, at, nil
		if len(come) == 1 {
			return nil
		}
	}
	best, err := r.replan(ctx, at, nil, jobs)
	if err != nil {
		return err
	}
	stay, gone := best, []change.Change(nil)
	for _, all := range []bool{false, true} {
		stops, again := r.yield(stay, all)
		if len(stops) == 0 || all && len(stops) == len(gone) {
			continue
		}
		other, err := r.replan(ctx, at, stops, append(slices.Clone(jobs), again...))
		if err != nil {
			return err
		}
		if completions(other) < completions(best) {
			best, gone = other, stops
		}
	}
	for _, c := range gone {
		r.leave(index(c.Subject), at)
	}
	r.spec, r.in, r.plan = best.Spec, best.Instance, best.Blocks
	r.origin += instance.Tick(int64(best.Origin) / (r.in.TickUS * 1000))
	return nil
}

func (r *rolling) replan(ctx context.Context, at instance.Tick, stops []change.Change, come []instance.JobSpec) (*jigsaw.ReplanResult, error) {
	u := jigsaw.Update{At: instance.Duration(int64(at-r.origin) * r.in.TickUS * 1000), Changes: stops, Jobs: come}
	result, err := jigsaw.Replan(ctx, r.spec, nil, r.plan, u, r.opt)
	if err == nil && result.Blocks == nil {
		err = fmt.Errorf("policy: there is no plan: %v", result.Reasons)
	}
	return result, err
}

// completions sums the ends of jobs, on the clock of the previous plan.
func completions(r *jigsaw.ReplanResult) (sum float64) {
	for _, c := range r.Jobs {
		if c.What != jigsaw.JobCancelled && c.What != jigsaw.JobDone {
			sum += *c.After
		}
	}
	return sum
}

// yield returns which running jobs would make way in a plan, and how they would be resubmitted. Jobs of least remaining
// time x GPUs are urgent, as many as there are GPUs for. Running jobs that share no GPU with an urgent one make way,
// the least urgent first, until all waiting urgent ones have room or, unless all is set, the first of them that had
// none.
func (r *rolling) yield(plan *jigsaw.ReplanResult, all bool) (stops []change.Change, again []instance.JobSpec) {
	type active struct {
		job, left int
		service   float64
		group     int // group of running jobs that share GPUs
	}
	var list []active
	owner := make([]int, r.config.Cluster.Total()) // the group that holds a GPU, from 1
	groups := 0
	for _, c := range plan.Jobs {
		if c.What == jigsaw.JobCancelled || c.What == jigsaw.JobDone {
			continue
		}
		i := index(c.Job)
		class := r.w.ClassOf(i)
		a := active{job: i, left: c.Left, service: float64(c.Left) * class.Fastest() * float64(class.GPUs)}
		if r.open[i] {
			groups++
			a.group = groups
			stays := r.table.Stays[i]
			var joined []int
			for _, g := range stays[len(stays)-1].GPUs {
				if owner[g] > 0 && !slices.Contains(joined, owner[g]) {
					joined = append(joined, owner[g])
				}
				owner[g] = a.group
			}
			for g, of := range owner {
				if slices.Contains(joined, of) {
					owner[g] = a.group
				}
			}
			for n := range list {
				if slices.Contains(joined, list[n].group) {
					list[n].group = a.group
				}
			}
		}
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b active) int { return cmp.Or(cmp.Compare(a.service, b.service), cmp.Compare(a.job, b.job)) })
	holds := make([]int, groups+1) // GPUs by group, index 0: held by none
	for _, of := range owner {
		holds[of]++
	}
	stays := make([]bool, groups+1)
	room, need, some := len(owner), -holds[0], false // some: room is already needed for one job
	for _, a := range list {
		gpus := r.w.ClassOf(a.job).GPUs
		if gpus > room {
			continue
		}
		if room -= gpus; a.group == 0 && (all || need+gpus <= 0 || !some) {
			need += gpus
			some = need > 0
		}
		stays[a.group] = true
	}
	gone := make([]bool, groups+1)
	for _, a := range slices.Backward(list) { // the last of a group is not its most urgent; this matters little
		if need <= 0 {
			break
		}
		if a.group > 0 && !stays[a.group] && !gone[a.group] {
			gone[a.group] = true
			need -= holds[a.group]
		}
	}
	for _, a := range list {
		if gone[a.group] {
			job := r.job(r.w, a.job, int64(a.left), true)
			stops, again = append(stops, change.Change{Kind: change.DropJob, Subject: job.Name}), append(again, job)
		}
	}
	return stops, again
}

// index is the number of the job of that name.
func index(name string) int {
	i, err := strconv.Atoi(name)
	if err != nil {
		panic("policy: a job has another name than its number: " + err.Error())
	}
	return i
}

// ticks is the first tick at or after a time in seconds.
func (s *stated) ticks(t float64) instance.Tick {
	return instance.Tick(math.Ceil(t * 1e6 / float64(s.empty.TickUS)))
}

func (s *stated) seconds(t instance.Tick) float64 { return float64(t) * float64(s.empty.TickUS) / 1e6 }
