package heuristics

import (
	"context"
	"math/bits"

	"jigsaw/formulation/instance"
)

// decision is everything that a decoder needs to make one definite schedule.
// Searches change decisions, never schedules.
type decision struct {
	// counts[j] is the depth multiset of job j in every iteration.
	counts [][]int
	where  *placement
	// Job j's iteration i = 0.. has the priority key base[j] + i*slope[j];
	// lower goes first, ties by job index.
	base, slope []int64
	// rule is what base and slope come from, up to changes of single jobs.
	rule rule
	// keys, if not nil, are used instead: keys[j][i].
	keys [][]int64
	// patience, in quarters: a GPU stays idle rather than start a task if a
	// job with a better key comes back within that part of the task's length.
	// 0 never waits.
	patience int
	// eager: a synchronisation claims its links already when the last task
	// before it starts, so that worse ones do not get in its way.
	eager bool
	// even: an iteration's deep tasks go to the GPUs with the least work left,
	// not to the first to start.
	even bool
	// slow[j] is the fastest rate level that job j may use, as an index into
	// Instance.RateLevels, so that others may share its links; nil: all levels.
	slow []uint8
	// latest, unless 0, lets the event-driven decoder give up once the makespan
	// looks like passing it.
	latest instance.Tick
	// serial asks for the serial decoder; see insertion.go.
	serial bool
}

// key returns the priority key of iteration i of job j.
func (d *decision) key(j int32, i int32) int64 {
	if d.keys != nil {
		return d.keys[j][i]
	}
	return d.base[j] + int64(i)*d.slope[j]
}

// fastest returns the index of the fastest rate level that job j may use.
func (d *decision) fastest(j int) int {
	if d.slow == nil {
		return 0
	}
	return int(d.slow[j])
}

// syncLevel is a speed that a job's synchronisations may have.
type syncLevel struct {
	level  instance.RateLevel
	rate   instance.BitRate
	length instance.Tick
}

// appendSyncs appends the speeds from the given index of in.RateLevels on, fastest
// first, for a job with this multiset and span; a job that has no synchronisations has none.
func appendSyncs(list []syncLevel, in *instance.Instance, job *instance.Job, counts []int, span *instance.Span, fastest int) []syncLevel {
	if !job.HasSync() {
		return list
	}
	volume := job.Volume(counts, span.Parties)
	for _, level := range in.RateLevels[fastest:] {
		rate := span.Rate(level)
		list = append(list, syncLevel{level, rate, in.SyncTicks(volume, rate)})
	}
	return list
}

// syncs appends the speeds that job j may synchronise at.
func (d *decision) syncs(list []syncLevel, in *instance.Instance, j int) []syncLevel {
	return appendSyncs(list, in, &in.Jobs[j], d.counts[j], &d.where.span[j], d.fastest(j))
}

// value orders schedules: first by missed deadlines, then by the objective of
// the instance. Lower is better. The objective is a 128-bit integer, because
// weights times ticks times jobs pass 64 bits.
type value struct {
	late   instance.Tick // sum over jobs of ticks past the deadline
	hi, lo uint64
	// tie is the sum of completion times. It leads searches across plateaus
	// of the makespan and counts for nothing else.
	tie instance.Tick
}

func (v value) less(o value) bool {
	switch {
	case v.late != o.late:
		return v.late < o.late
	case v.hi != o.hi:
		return v.hi < o.hi
	}
	return v.lo < o.lo
}

// same reports whether the schedules are worth the same.
func (v value) same(o value) bool { return v.late == o.late && v.hi == o.hi && v.lo == o.lo }

// ahead is less with ties broken.
func (v value) ahead(o value) bool { return v.less(o) || v.same(o) && v.tie < o.tie }

// near reports whether v is at most the given part of o worse than o.
func (v value) near(o value, part float64) bool {
	return v.late == o.late && v.float() <= o.float()*(1+part)
}

func (v value) float() float64 { return float64(v.hi)*(1<<64) + float64(v.lo) }

// valueOf computes the value of a schedule with the given completion times.
func valueOf(in *instance.Instance, completion []instance.Tick) value {
	var v value
	for j, c := range completion {
		job := &in.Jobs[j]
		v.tie += c
		if job.Deadline > 0 && c > job.Deadline {
			v.late += c - job.Deadline
		}
		if in.Objective == instance.WeightedCompletion {
			hi, lo := bits.Mul64(uint64(job.Weight), uint64(c))
			var carry uint64
			v.lo, carry = bits.Add64(v.lo, lo, 0)
			v.hi += hi + carry
		} else {
			v.lo = max(v.lo, uint64(c))
		}
	}
	return v
}

// record holds the times of one schedule, flat. The tasks of job j, iteration
// i = 0.., resident n are at taskAt[j] + i*k + n; its syncs at syncAt[j] + i.
type record struct {
	start     []instance.Tick
	depth     []uint8
	syncStart []instance.Tick
	level     []uint8 // index into Instance.RateLevels
	// completion per job.
	completion []instance.Tick
	where      *placement
	counts     [][]int
}

// layout is where a record keeps what; it depends on the instance only.
type layout struct {
	slotAt              []int // per job: its first worker among all workers of all jobs
	taskAt              []int
	syncAt              []int
	slots, tasks, syncs int
}

func newLayout(in *instance.Instance) *layout {
	l := &layout{
		slotAt: make([]int, len(in.Jobs)+1), taskAt: make([]int, len(in.Jobs)+1), syncAt: make([]int, len(in.Jobs)+1),
	}
	for j := range in.Jobs {
		job := &in.Jobs[j]
		l.slotAt[j], l.taskAt[j], l.syncAt[j] = l.slots, l.tasks, l.syncs
		l.slots += job.Workers
		l.tasks += job.Workers * job.Iterations
		if job.HasSync() {
			l.syncs += job.Iterations
		}
	}
	l.slotAt[len(in.Jobs)], l.taskAt[len(in.Jobs)], l.syncAt[len(in.Jobs)] = l.slots, l.tasks, l.syncs
	return l
}

func (l *layout) newRecord(jobs int) *record {
	return &record{
		start: make([]instance.Tick, l.tasks), depth: make([]uint8, l.tasks),
		syncStart: make([]instance.Tick, l.syncs), level: make([]uint8, l.syncs),
		completion: make([]instance.Tick, jobs),
	}
}

// schedule writes the record out in canonical order.
func (r *record) schedule(in *instance.Instance, l *layout) *instance.Schedule {
	s := &instance.Schedule{
		Residency: make([][]instance.GPUID, len(in.Jobs)),
		Tasks:     make([]instance.Task, 0, l.tasks),
		Syncs:     make([]instance.Sync, 0, l.syncs),
	}
	for j := range in.Jobs {
		job, id := &in.Jobs[j], instance.JobID(j)
		gpus, span := r.where.gpus[j], r.where.span[j]
		s.Residency[j] = append([]instance.GPUID(nil), gpus...)
		volume := instance.Bytes(0)
		if job.HasSync() {
			volume = job.Volume(r.counts[j], span.Parties)
		}
		at := l.taskAt[j]
		for i := range job.Iterations {
			for n, g := range gpus {
				start, d := r.start[at+n], int(r.depth[at+n])
				s.Tasks = append(s.Tasks, instance.Task{
					Job: id, Iteration: i + 1, GPU: g, Depth: d,
					Start: start, End: start + job.On[in.GPUs[g].Type].Time[d],
				})
			}
			at += job.Workers
			if job.HasSync() {
				start, rate := r.syncStart[l.syncAt[j]+i], in.RateLevels[r.level[l.syncAt[j]+i]]
				s.Syncs = append(s.Syncs, instance.Sync{
					Job: id, Iteration: i + 1, Start: start, End: start + in.SyncTicks(volume, span.Rate(rate)), Rate: rate,
				})
			}
		}
	}
	return s
}

// decoder turns decisions into schedules. It keeps its memory from call to
// call; one decoder serves one goroutine.
type decoder interface {
	// decode fills out. The error is that of the context.
	decode(ctx context.Context, d *decision, out *record) error
}
