package jigsaw

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/change"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/repair"
)

// Update says what has happened to a plan that is under way.
type Update struct {
	// At is the time since the plan's time 0.
	At instance.Duration
	// Changes of the cluster and of jobs.
	Changes []change.Change
	// Jobs that are new; their releases and deadlines count from At.
	Jobs []instance.JobSpec
}

// rest is what is left of a plan.
type rest struct {
	was    *instance.Instance
	plan   *instance.BlockSchedule
	at     instance.Tick
	origin instance.Tick // time 0 of the rest, at the clock of the plan
	state  *repair.State
	spec   *instance.Spec
	in     *instance.Instance
	// gpu maps GPUs of the plan to GPUs of the rest; -1 if lost.
	gpu []instance.GPUID
	// By job of the plan: what the update says of it, its index in the rest, iterations left.
	fate []fate
	of   []instance.JobID // job of the rest; -1: not there
	left []int
	// old maps jobs of the rest to jobs of the plan; -1 if new.
	old []instance.JobID
	// moves and changed by job of the plan.
	moves, changed []bool
	missed         []string // jobs whose deadlines were given up
}

// fate is what an update says of a job.
type fate int

const (
	goesOn fate = iota
	cancelled
	ended
)

// newRest finds the state of a plan at a time, and makes the instance of what is left.
func newRest(spec *instance.Spec, models instance.ProfileSource, plan *instance.BlockSchedule, u Update) (*rest, error) {
	in, err := instance.Compile(spec, models)
	if err != nil {
		return nil, err
	}
	if in.Objective.Periodic() {
		return nil, instance.Problems{{Path: "objective", Message: "a plan that repeats has no rest to continue; plan the changed instance"}}
	}
	if violations := check.Blocks(in, plan); len(violations) > 0 {
		return nil, instance.Problems{{Message: "the plan is not for this instance: " + violations[0].String()}}
	}
	tick := instance.Duration(in.TickUS * 1000)
	r := &rest{was: in, plan: plan, at: instance.Tick(u.At / tick)}
	if u.At%tick > 0 {
		r.at++
	}
	if end := plan.Makespan(in); u.At < 0 || r.at >= end {
		when := u.At.String()
		if end := in.Duration(end); u.At >= 0 && u.At < end {
			when += fmt.Sprintf(", %v in whole ticks,", end)
		}
		return nil, instance.Problems{{Message: fmt.Sprintf("the time %s is not within the plan, which ends at %v", when, in.Duration(end))}}
	}
	r.state = repair.Cut(in, plan, r.at)
	if err := r.jobs(u.Changes); err != nil {
		return nil, err
	}
	cluster, err := r.cluster(spec, models, u.Changes)
	if err != nil {
		return nil, err
	}
	r.damage(cluster)
	if err := r.compile(models, u.Jobs); err != nil {
		return nil, err
	}
	if r.in == nil {
		r.in = cluster.WithJobs(nil)
	}
	return r, nil
}

// jobs applies what the changes say of jobs.
func (r *rest) jobs(changes []change.Change) error {
	n := len(r.was.Jobs)
	r.fate, r.left, r.moves, r.changed = make([]fate, n), make([]int, n), make([]bool, n), make([]bool, n)
	for j := range r.left {
		if r.left[j] = r.was.Jobs[j].Iterations - r.state.Done[j]; r.left[j] == 0 {
			r.fate[j] = ended
		}
	}
	for i, c := range changes {
		bad := func(err error) error {
			return instance.Problems{{Path: fmt.Sprintf("changes[%d]", i), Message: err.Error()}}
		}
		switch c.Kind {
		case change.DropJob, change.DoneJob, change.Progress, change.Left:
		default:
			if !slices.Contains(change.Kinds(), c.Kind) {
				return bad(change.UnknownKind(c.Kind, change.Kinds()))
			}
			continue
		}
		j := slices.IndexFunc(r.was.Jobs, func(j instance.Job) bool { return j.Name == c.Subject })
		if j < 0 {
			return bad(change.Unknown("job", c.Subject, r.was.Jobs[0].Name))
		}
		left := r.was.Jobs[j].Iterations - c.Iterations
		switch c.Kind {
		case change.DropJob:
			if r.fate[j] != ended {
				r.fate[j] = cancelled
			}
			continue
		case change.DoneJob:
			r.fate[j] = ended
			continue
		case change.Left:
			left = c.Iterations
		}
		switch {
		case c.Iterations < 0 || left < 0:
			return bad(fmt.Errorf("job %q has %d iterations; give a number from 0 to that", c.Subject, r.was.Jobs[j].Iterations))
		case left == 0:
			r.fate[j] = ended
		case !r.state.Begun[j] && c.Kind == change.Progress && c.Iterations > 0:
			return bad(fmt.Errorf("job %q had not begun according to the plan", c.Subject))
		case left != r.left[j]:
			r.fate[j], r.left[j], r.changed[j] = goesOn, left, true
		}
	}
	return nil
}

// cluster applies what the changes say of the cluster, and finds what became of every GPU.
func (r *rest) cluster(spec *instance.Spec, models instance.ProfileSource, changes []change.Change) (*instance.Instance, error) {
	r.spec = r.goOn(spec)
	in := r.was
	for i, c := range changes {
		bad := func(err error) (*instance.Instance, error) {
			return nil, instance.Problems{{Path: fmt.Sprintf("changes[%d]", i), Message: err.Error()}}
		}
		switch c.Kind {
		case change.DropJob, change.DoneJob, change.Progress, change.Left:
			continue
		case change.FailGPU:
			name, place := instance.CutGPU(c.Subject)
			at, err := change.Node(in, name)
			if err != nil {
				return bad(err)
			}
			n := &in.Nodes[at]
			left := instance.NameGPU(name, n.Place(n.FirstGPU))
			switch {
			case place < 0:
				return bad(fmt.Errorf("say which GPU of node %q failed, like %q", name, left))
			case n.At(place) < 0:
				return bad(fmt.Errorf("node %q has no such GPU, or it is out of service already; one in service is %q", name, left))
			}
			if n.GPUs == 1 {
				c = change.Change{Kind: change.FailNode, Subject: name}
			}
		}
		changed, err := c.Apply(r.spec, in)
		if err != nil {
			return bad(err)
		}
		compiled, err := instance.Compile(changed, models)
		var problems instance.Problems
		if errors.As(err, &problems) {
			message := problems[0].Message
			if job := problems[0].Subject; job != "" {
				message = fmt.Sprintf("job %q, which may be dropped: %s", job, message)
			}
			return bad(errors.New("it leaves no valid instance: " + message))
		}
		if err != nil {
			return nil, err
		}
		r.spec, in = changed, compiled
	}
	same := change.SameGPU(r.was, in)
	for g := range r.was.GPUs {
		now, _ := same(instance.GPUID(g))
		r.gpu = append(r.gpu, now)
	}
	return in, nil
}

// goOn returns an instance with an entry for every job of the plan. Jobs that do not go on are disabled, since they
// need no room in the changed cluster. No job is in memory in it, since GPUs have other numbers there.
func (r *rest) goOn(spec *instance.Spec) *instance.Spec {
	list := *spec
	list.Jobs = nil
	some := slices.Contains(r.fate, goesOn)
	for j, at := range spec.Sources() {
		entry := spec.Jobs[at]
		entry.Name, entry.Count, entry.Resident = r.was.Jobs[j].Name, 0, nil
		entry.Disabled = some && r.fate[j] != goesOn // an instance has a job
		list.Jobs = append(list.Jobs, entry)
	}
	return &list
}

// damage finds which jobs have to move, and whose synchronisations change their route or duration.
func (r *rest) damage(now *instance.Instance) {
	moves, changed := change.Affected(r.was, now, r.plan.Residency, r.now)
	for j := range r.moves {
		r.moves[j], r.changed[j] = r.moves[j] || moves[j], r.changed[j] || changed[j]
	}
}

// now is what became of a GPU of the plan; false if it is lost.
func (r *rest) now(g instance.GPUID) (instance.GPUID, bool) { return r.gpu[g], r.gpu[g] >= 0 }

// carriesOn reports whether a job goes on as planned.
func (r *rest) carriesOn(j int) bool {
	return r.fate[j] == goesOn && !r.moves[j] && !r.changed[j]
}

// compile makes the instance of the rest, unless no job is left.
func (r *rest) compile(models instance.ProfileSource, added []instance.JobSpec) error {
	first := r.firstStarts()
	r.origin = r.at
	for j := range first {
		if r.carriesOn(j) && first[j] >= 0 {
			r.origin = min(r.origin, first[j])
		}
	}
	spec := *r.spec
	spec.Jobs, r.old, r.of = nil, nil, make([]instance.JobID, len(r.was.Jobs))
	for j := range r.was.Jobs {
		if r.of[j] = -1; r.fate[j] != goesOn {
			continue
		}
		r.of[j] = instance.JobID(len(r.old))
		spec.Jobs, r.old = append(spec.Jobs, r.entry(j, first[j])), append(r.old, instance.JobID(j))
	}
	for _, job := range added {
		job.Release += r.was.Duration(r.at - r.origin)
		if job.Deadline > 0 {
			job.Deadline += r.was.Duration(r.at - r.origin)
		}
		spec.Jobs = append(spec.Jobs, job)
		for range max(1, job.Count) {
			if !job.Disabled {
				r.old = append(r.old, -1)
			}
		}
	}
	if r.spec = &spec; len(spec.Jobs) == 0 {
		return nil
	}
	var err error
	r.in, err = instance.Compile(&spec, models)
	return ofAdded(err, len(spec.Jobs)-len(added))
}

// firstStarts is by job when what is left of the plan starts; -1: nothing is.
func (r *rest) firstStarts() []instance.Tick {
	first := slices.Repeat([]instance.Tick{-1}, len(r.was.Jobs))
	for i := range r.state.Rest.Blocks {
		b := &r.state.Rest.Blocks[i]
		for _, t := range b.Tasks {
			if start := b.Start + t.Start; first[t.Job] < 0 || start < first[t.Job] {
				first[t.Job] = start
			}
		}
	}
	return first
}

// entry is what is left of a job whose rest starts at a time; times count from r.origin.
func (r *rest) entry(j int, first instance.Tick) instance.JobSpec {
	job, entry := &r.was.Jobs[j], r.spec.Jobs[j]
	entry.Iterations = r.left[j]
	release := max(job.Release, r.at)
	if r.state.Begun[j] && !r.moves[j] {
		for _, g := range r.plan.Residency[j] {
			entry.Resident = append(entry.Resident, int(r.gpu[g]))
		}
		switch loading := r.state.Done[j] == 0 && first > r.at && job.Load > 0; {
		case r.carriesOn(j) && (first < r.at || loading):
			release = first
		case loading:
			release = max(release, first)
		}
	}
	if r.carriesOn(j) {
		entry.Iterations += r.state.Kept[j]
	}
	entry.Release = r.was.Duration(release - r.origin)
	if entry.Deadline > 0 {
		if entry.Deadline -= r.was.Duration(r.origin); entry.Deadline < r.was.Duration(1) || slices.Contains(r.missed, job.Name) {
			entry.Deadline = 0
			if !slices.Contains(r.missed, job.Name) {
				r.missed = append(r.missed, job.Name)
			}
		}
	}
	return entry
}

// ofAdded renumbers problems of jobs from the n-th on by their index among the added jobs.
func ofAdded(err error, n int) error {
	var problems instance.Problems
	if errors.As(err, &problems) {
		for i := range problems {
			var j int
			if _, bad := fmt.Sscanf(problems[i].Path, "jobs[%d]", &j); bad == nil && j >= n {
				_, field, _ := strings.Cut(problems[i].Path, "]")
				problems[i].Path = fmt.Sprintf("jobs[%d]%s", j-n, field)
			}
		}
	}
	return err
}

// late reports whether jobs of a plan end after their deadlines.
func late(in *instance.Instance, s *instance.BlockSchedule) bool {
	_, to := s.Spans(in)
	return in.Late(to) != instance.NoJob
}

func (r *rest) late(s *instance.BlockSchedule) bool { return late(r.in, s) }

// giveUp removes the deadlines that are missed with these ends of jobs; of copies of a job, those of all.
func (r *rest) giveUp(ends []instance.Tick, models instance.ProfileSource) (err error) {
	entries := r.spec.Sources()
	for j, end := range ends {
		if due := r.in.Jobs[j].Deadline; due > 0 && end > due {
			r.spec.Jobs[entries[j]].Deadline = 0
		}
	}
	for j := range r.in.Jobs {
		if r.in.Jobs[j].Deadline > 0 && r.spec.Jobs[entries[j]].Deadline == 0 {
			r.missed = append(r.missed, r.in.Jobs[j].Name)
		}
	}
	r.in, err = instance.Compile(r.spec, models)
	return err
}

// evict makes the instance in which no job is in memory: all may move, and all are loaded again.
func (r *rest) evict(models instance.ProfileSource) error {
	for i := range r.spec.Jobs {
		e := &r.spec.Jobs[i]
		e.Resident = nil
		if i < len(r.old) && r.old[i] >= 0 {
			e.Iterations = r.left[r.old[i]]
			e.Release = max(e.Release, r.was.Duration(r.at-r.origin))
		}
	}
	var err error
	r.in, err = instance.Compile(r.spec, models)
	return err
}
