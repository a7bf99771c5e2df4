package instance

import (
	"math"
	"slices"
)

// Residence says how long a job holds its persistent memory on its GPUs.
type Residence string

const (
	// WholePlan means: all jobs are in memory for the whole plan. This is the default.
	WholePlan Residence = "plan"
	// WhileRunning means: a job is in memory from its admission, [Job.Load] before
	// its first task starts, until its end.
	WhileRunning Residence = "run"
)

// Queues reports whether jobs hold memory only while they run, so that jobs that do not
// fit together may run one after the other.
func (in *Instance) Queues() bool { return in.Residence == WhileRunning }

// Resumes reports whether some jobs are in memory when the plan begins, so that it continues
// another plan.
func (in *Instance) Resumes() bool {
	return slices.ContainsFunc(in.Jobs, func(j Job) bool { return j.Resident != nil })
}

// MayLive reports whether a job may live on a GPU: on one of its types or, if it is in memory when the plan begins, where it is.
func (in *Instance) MayLive(j JobID, g GPUID) bool {
	job := &in.Jobs[j]
	return job.Runs(in.GPUs[g].Type) && (job.Resident == nil || slices.Contains(job.Resident, g))
}

// MayJoin reports whether the placement limit of a job lets it live on both nodes.
func (in *Instance) MayJoin(job *Job, a, b NodeID) bool {
	return a == b || job.Within == WithinCluster || job.Within == WithinRack && in.Nodes[a].Rack == in.Nodes[b].Rack
}

// MostWritten is how many tasks a plan may have if it lists every one of them.
const MostWritten = 50_000_000

// Tasks returns how many tasks a plan that runs once has: the sum of workers x iterations,
// or the largest integer where that is more.
func (in *Instance) Tasks() int64 {
	sum := int64(0)
	for i := range in.Jobs {
		j := &in.Jobs[i]
		tasks := saturatingMul(int64(j.Workers), int64(j.Iterations))
		if sum > math.MaxInt64-tasks {
			return math.MaxInt64
		}
		sum += tasks
	}
	return sum
}

// Long reports whether the plan has more tasks than can be written out one by one: its
// schedules are [BlockSchedule]s. Of periodic objectives, which do not use the
// iterations of jobs, no instance is long.
func (in *Instance) Long() bool { return !in.Objective.Periodic() && in.Tasks() > MostWritten }

// Resident returns the instance in which every job is in memory for the whole plan and
// is released when it could first have been loaded: WholePlan, without loads. It is a
// restriction of the receiver: its schedules are valid for the receiver, too. The
// receiver itself where nothing changes.
func (in *Instance) Resident() *Instance {
	if !in.Queues() {
		return in
	}
	jobs := slices.Clone(in.Jobs)
	for i := range jobs {
		j := &jobs[i]
		j.Release, j.Load = j.Release+j.Load, 0
	}
	resident := in.WithJobs(jobs)
	resident.Residence = ""
	return resident
}

// Roomy returns [Instance.Resident] with memory for all jobs at once: what of a job has room
// on an otherwise empty GPU needs nothing there, and what has not needs all of it while it runs; a job that is in memory when the plan begins may live on all GPUs of the
// types that it is on. It is a relaxation of the
// receiver: whatever schedule is valid for the receiver is valid for it, and so holds a bound on it
// for the receiver. The receiver itself where jobs hold memory for the whole plan.
func (in *Instance) Roomy() *Instance {
	if !in.Queues() {
		return in
	}
	roomy := in.Resident()
	for i := range roomy.Jobs {
		j := &roomy.Jobs[i]
		j.On = slices.Clone(j.On)
		for t, costs := range j.On {
			if costs == nil {
				continue
			}
			if j.Resident != nil && !slices.ContainsFunc(j.Resident, func(g GPUID) bool { return int(in.GPUs[g].Type) == t }) {
				j.On[t] = nil
				continue
			}
			free := &Costs{Time: costs.Time, Ephemeral: make([]Bytes, len(costs.Ephemeral))}
			for d, kept := range costs.Ephemeral {
				if costs.Persistent > in.Types[t].Memory-kept {
					free.Ephemeral[d] = kept + min(costs.Persistent, math.MaxInt64-kept)
				}
			}
			j.On[t] = free
		}
		j.Resident = nil
	}
	roomy.classify()
	return roomy
}

// RoomFor reports whether a worker of the job at its shallowest admissible depth finds room
// on an otherwise empty GPU of that type.
func (in *Instance) RoomFor(id JobID, t TypeID) bool {
	j := &in.Jobs[id]
	return j.On[t] != nil && j.On[t].Persistent <= in.Types[t].Memory-j.LeastEphemeral(t)
}

// LeastEphemeral returns the ephemeral bytes of a task of the shallowest admissible depth on a GPU of a type
// that the job may use.
func (j *Job) LeastEphemeral(t TypeID) Bytes {
	least := 0
	if j.Rule.Fixed != nil {
		for j.Rule.Fixed[least] == 0 {
			least++
		}
	}
	return j.On[t].Ephemeral[least]
}

// LeastDepth returns the least depth that the n-th shallowest worker of an iteration can have; n is 1 to Workers.
func (j *Job) LeastDepth(n int) int {
	if j.Rule.Fixed != nil {
		d := 0
		for n -= j.Rule.Fixed[0]; n > 0; n -= j.Rule.Fixed[d] {
			d++
		}
		return d
	}
	// A rule that any n workers at a depth meet is met by them beside workers at full depth.
	counts := make([]int, len(j.Depths))
	for d := range j.Full() {
		counts[d], counts[j.Full()] = n, j.Workers-n
		if j.Allows(counts) {
			return d
		}
		counts[d] = 0
	}
	return j.Full()
}

// residence compiles how long jobs are in memory.
func (c *compiler) residence() {
	switch c.spec.Residence {
	case "", WholePlan:
	case WhileRunning:
		if c.in.Objective.Periodic() {
			c.problems.Add("residence", "a plan that repeats has all its jobs in memory all the time; remove residence, or change the objective")
			return
		}
		c.in.Residence = WhileRunning
	default:
		c.problems.Add("residence", "unknown residence %q; choose plan or run", Clip(string(c.spec.Residence)))
	}
	rate := c.spec.Cluster.LoadRate
	switch {
	case rate < 0:
		c.problems.Add("cluster.load_rate", "must not be negative")
	case rate > 0 && !c.in.Queues():
		c.problems.Add("cluster.load_rate", "jobs are loaded during a plan only with residence: run; add that or remove load_rate")
	}
}

// load compiles how long a job takes from its admission to its first tasks.
func (c *compiler) load(path string, s *JobSpec, j *Job) {
	switch rate := c.spec.Cluster.LoadRate; {
	case s.Load < 0:
		c.problems.Add(path+".load", "must not be negative")
	case s.Load > 0 && !c.in.Queues():
		c.problems.Add(path+".load", "jobs are loaded during a plan only with residence: run; add that or remove load")
	case s.Load > 0:
		j.Load = c.ceilTicks(path+".load", s.Load, One)
	case rate > 0:
		for _, costs := range j.On { // the same on all types
			if costs != nil {
				// bytes x 8 / rate seconds, in ticks of tick_us microseconds
				microseconds := ceilMulDiv(int64(costs.Persistent), 8_000_000, int64(rate))
				ticks := Tick(ceilMulDiv(microseconds, 1, c.in.TickUS))
				if ticks > maxTicks {
					c.problems.Add(path+".load", "%v at %v take more than %d ticks; choose a longer tick_us or a faster load_rate", costs.Persistent, rate, maxTicks)
					ticks = 0
				}
				j.Load = ticks
				return
			}
		}
	}
}

// resident compiles where a job is in memory when the plan begins: it is not loaded then.
func (c *compiler) resident(path string, s *JobSpec, j *Job) {
	if len(s.Resident) == 0 {
		return
	}
	bad := func(format string, args ...any) { c.problems.Add(path+".resident", format, args...) }
	switch {
	case c.in.Objective.Periodic():
		bad("a plan that repeats has no beginning; remove resident, or change the objective")
		return
	case s.Count > 1:
		bad("%d jobs cannot be in memory in one place; give each an entry of its own", s.Count)
		return
	case len(s.Resident) != j.Workers:
		bad("%d GPUs for the %d of the workers; give one for each", len(s.Resident), j.Workers)
		return
	}
	for _, g := range s.Resident {
		if g < 0 || g >= len(c.in.GPUs) {
			bad("there is no GPU %d; they are numbered 0 to %d", g, len(c.in.GPUs)-1)
			return
		}
		j.Resident = append(j.Resident, GPUID(g))
	}
	slices.Sort(j.Resident)
	if len(slices.Compact(slices.Clone(j.Resident))) < j.Workers {
		bad("a GPU is listed twice")
	}
	j.Load = 0
}

// Miniature returns the instance with so many iterations of every job, at least 1, all of
// them released at once and without deadlines, for the makespan, those in memory where they are: its schedules are patterns of a [Block].
func (in *Instance) Miniature(iterations []int) *Instance {
	resident := in.Resident()
	jobs := slices.Clone(resident.Jobs)
	for i := range jobs {
		j := &jobs[i]
		j.Iterations, j.Release, j.Deadline = iterations[i], 0, 0
	}
	small := resident.WithJobs(jobs)
	small.Objective = Makespan
	return small
}
