package instance

import (
	"cmp"
	"math/big"
	"slices"
)

// Schedule is a plan for an [Instance]: where every job lives and when each of
// its iterations computes and synchronises. The package check decides whether it is
// valid; the methods below are for valid schedules.
//
// In a periodic plan times are unrolled: they may pass the period, a GPU or
// link is busy at a time modulo the period, and the first iteration of the
// next period starts Period after the first iteration of this one.
type Schedule struct {
	// Period of a periodic plan in ticks; 0 for a plan that runs once.
	Period Tick
	// Residency[j] lists the distinct GPUs of job j, ascending. Empty only in
	// a periodic plan, for a job that gets no iterations.
	Residency [][]GPUID
	// Tasks by job, iteration, GPU; see [Schedule.Sort].
	Tasks []Task
	// Syncs by job, iteration. Jobs with one worker have none.
	Syncs []Sync
}

// Task is the forward and backward pass of one worker in one iteration.
type Task struct {
	Job       JobID
	Iteration int // counts from 1
	GPU       GPUID
	Depth     int // index into Job.Depths
	Start     Tick
	End       Tick
}

// Task returns a task; its end follows from the time that its depth takes on that GPU.
func (in *Instance) Task(j JobID, iteration int, g GPUID, depth int, start Tick) Task {
	return Task{j, iteration, g, depth, start, start + in.Jobs[j].On[in.GPUs[g].Type].Time[depth]}
}

// Sync is the synchronisation that ends an iteration.
type Sync struct {
	Job       JobID
	Iteration int // counts from 1
	Start     Tick
	End       Tick
	Rate      RateLevel
}

// Sort brings residencies, tasks and syncs into their canonical order.
func (s *Schedule) Sort() {
	for _, gpus := range s.Residency {
		slices.Sort(gpus)
	}
	slices.SortFunc(s.Tasks, Task.Compare)
	slices.SortFunc(s.Syncs, Sync.Compare)
}

// Sorted reports whether the schedule is as [Schedule.Sort] leaves it.
func (s *Schedule) Sorted() bool {
	return slices.IsSortedFunc(s.Tasks, Task.Compare) && slices.IsSortedFunc(s.Syncs, Sync.Compare) &&
		!slices.ContainsFunc(s.Residency, func(gpus []GPUID) bool { return !slices.IsSorted(gpus) })
}

// Compare orders tasks by job, iteration and GPU.
func (t Task) Compare(u Task) int {
	switch { // without cmp.Or, which compares all of it
	case t.Job != u.Job:
		return cmp.Compare(t.Job, u.Job)
	case t.Iteration != u.Iteration:
		return cmp.Compare(t.Iteration, u.Iteration)
	}
	return cmp.Compare(t.GPU, u.GPU)
}

// Compare orders synchronisations by job and iteration.
func (y Sync) Compare(z Sync) int {
	return cmp.Or(cmp.Compare(y.Job, z.Job), cmp.Compare(y.Iteration, z.Iteration))
}

// Clone returns a copy that shares nothing with the schedule.
func (s *Schedule) Clone() *Schedule {
	c := &Schedule{Period: s.Period, Tasks: slices.Clone(s.Tasks), Syncs: slices.Clone(s.Syncs)}
	for _, gpus := range s.Residency {
		c.Residency = append(c.Residency, slices.Clone(gpus))
	}
	return c
}

// Completion implements [Plan].
func (s *Schedule) Completion(in *Instance) []Tick {
	c := make([]Tick, len(in.Jobs))
	for _, t := range s.Tasks {
		c[t.Job] = max(c[t.Job], t.End)
	}
	for _, y := range s.Syncs {
		c[y.Job] = max(c[y.Job], y.End)
	}
	return c
}

// Makespan implements [Plan].
func (s *Schedule) Makespan(in *Instance) Tick {
	return slices.Max(append(s.Completion(in), 0))
}

// Iterations returns how many iterations of every job the schedule holds: the
// job's R, or its iterations in one period.
func (s *Schedule) Iterations(in *Instance) []int {
	r := make([]int, len(in.Jobs))
	for _, t := range s.Tasks {
		r[t.Job] = max(r[t.Job], t.Iteration)
	}
	return r
}

// Plan is a valid schedule in either form: a [*Schedule] or a [*BlockSchedule].
type Plan interface {
	// Completion returns for every job the end of its last synchronisation, or of
	// its last task if it has no synchronisations.
	Completion(in *Instance) []Tick
	// Makespan returns the largest completion time.
	Makespan(in *Instance) Tick
	// Efficiency returns the full-backpropagation work delivered per GPU-tick
	// available until the makespan, or within a period (docs/problem.md section 5).
	// It is 0 for an empty plan.
	Efficiency(in *Instance) float64

	value(in *Instance) *big.Rat
	cost(in *Instance) *big.Rat
}

// Value returns the plan's objective, exactly: ticks for makespan,
// weight-ticks for weighted completion, weighted iterations per tick for
// throughput, and a fraction of the full-depth speed for its max-min form.
func (in *Instance) Value(p Plan) *big.Rat { return p.value(in) }

func (s *Schedule) value(in *Instance) *big.Rat {
	if in.Objective.Periodic() {
		return in.RateValue(s.Iterations(in), s.Period)
	}
	return in.ValueAt(s.Completion(in))
}

// ValueAt returns the value of a plan that runs once whose jobs end at these ticks, one for each job.
func (in *Instance) ValueAt(completion []Tick) *big.Rat {
	if in.Objective == WeightedCompletion {
		return new(big.Rat).SetInt(weighted(in, completion))
	}
	return new(big.Rat).SetInt64(int64(slices.Max(append(completion, 0))))
}

// ByDeadlines returns the value of a plan whose jobs all end at their deadlines, which no valid plan exceeds, and when the last
// of them ends; nil if a job has no deadline.
func (in *Instance) ByDeadlines() (value *big.Rat, last Tick) {
	ends := make([]Tick, len(in.Jobs))
	for j := range ends {
		if ends[j] = in.Jobs[j].Deadline; ends[j] == 0 || in.Objective.Periodic() {
			return nil, 0
		}
	}
	return in.ValueAt(ends), slices.Max(append(ends, 0))
}

// Late returns the first job that ends after its deadline if jobs end at these ticks; [NoJob] if none does.
func (in *Instance) Late(completion []Tick) JobID {
	for j, end := range completion {
		if due := in.Jobs[j].Deadline; due > 0 && end > due {
			return JobID(j)
		}
	}
	return NoJob
}

// weighted returns the sum of the jobs' weights times a number of each.
func weighted[N ~int | ~int64](in *Instance, of []N) *big.Int {
	sum := new(big.Int)
	for j, n := range of {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(in.Jobs[j].Weight), big.NewInt(int64(n))))
	}
	return sum
}

// RateValue returns the value of completing iterations[j] of every job j in
// each period, under the instance's periodic objective.
func (in *Instance) RateValue(iterations []int, period Tick) *big.Rat {
	if in.Objective == Throughput {
		return new(big.Rat).SetFrac(weighted(in, iterations), big.NewInt(int64(period)))
	}
	var least *big.Rat
	for j := range in.Jobs {
		job := &in.Jobs[j]
		num := new(big.Int).Mul(big.NewInt(int64(iterations[j])), big.NewInt(int64(job.FastestFull())))
		den := new(big.Int).Mul(big.NewInt(int64(period)), big.NewInt(job.Weight))
		if rate := new(big.Rat).SetFrac(num, den); least == nil || rate.Cmp(least) < 0 {
			least = rate
		}
	}
	return least
}

// Better reports whether objective value a is strictly better than b.
func (o Objective) Better(a, b *big.Rat) bool {
	if o.Periodic() {
		return a.Cmp(b) > 0
	}
	return a.Cmp(b) < 0
}

// FastestFull returns the shortest full-depth task over the GPU types the job
// runs on: the yardstick of its normalised rate.
func (j *Job) FastestFull() Tick {
	var best Tick
	for _, c := range j.On {
		if c != nil && (best == 0 || c.Time[j.Full()] < best) {
			best = c.Time[j.Full()]
		}
	}
	return best
}

// Efficiency implements [Plan].
func (s *Schedule) Efficiency(in *Instance) float64 {
	span := s.Period
	if span == 0 {
		span = s.Makespan(in)
	}
	return in.efficiency(s.Residency, s.Iterations(in), span)
}

// efficiency is the work of a number of iterations of each job on its GPUs, divided by the GPU-ticks of a span.
func (in *Instance) efficiency(residency [][]GPUID, iterations []int, span Tick) float64 {
	if span == 0 {
		return 0
	}
	work := 0.0
	for j, gpus := range residency {
		job := &in.Jobs[j]
		for _, g := range gpus {
			work += float64(iterations[j]) * float64(job.On[in.GPUs[g].Type].Time[job.Full()])
		}
	}
	return work / (float64(len(in.GPUs)) * float64(span))
}

// Shift moves tasks and synchronisations in time, in place.
func Shift(tasks []Task, syncs []Sync, by Tick) {
	for i := range tasks {
		tasks[i].Start, tasks[i].End = tasks[i].Start+by, tasks[i].End+by
	}
	for i := range syncs {
		syncs[i].Start, syncs[i].End = syncs[i].Start+by, syncs[i].End+by
	}
}
