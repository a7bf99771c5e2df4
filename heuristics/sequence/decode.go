package sequence

import (
	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

const (
	// maxCheckpoints is the largest number of states kept of a decoding.
	maxCheckpoints = 64
	// leastApart is the least number of operations between two of them.
	leastApart = 128
)

// sequenceDecoder places the operations of a sequence one after the other. It
// starts at the latest checkpoint before what has changed, and gives up as soon
// as the rest cannot end in time.
type sequenceDecoder struct {
	now   checkpoint
	out   outcome
	marks []checkpoint // made during the decoding: the first fresh ones
	fresh int
	kept  int // checkpoints of the sequence that stay valid
	from  int // where the latest decoding started in the list
	work  int // operations placed so far, in all decodings
	apart int // leastApart, except in tests
	// run counts the decodings; ganged[j] is the one that placed the latest
	// iteration of job j, a gang.
	run    int
	ganged []int
}

// checkpoint is the state of a decoding before an operation of the list.
type checkpoint struct {
	at int // place in the list
	// Per GPU: the end of its last task, that task, the ticks of its tasks so far.
	free []instance.Tick
	last []int32
	done []instance.Tick
	// Per job: when it is ready for its next iteration, the latest end of the tasks
	// of this one, and how many of them have not been placed.
	ready, ends []instance.Tick
	open        []int32
	// bound is a lower bound on the final energy.
	bound      float64
	completion []instance.Tick // per job, a lower bound
	busy       state.Links
}

func newCheckpoint(o *state.Operations) checkpoint {
	gpus, jobs := len(o.In.GPUs), len(o.In.Jobs)
	return checkpoint{
		free: make([]instance.Tick, gpus), last: make([]int32, gpus), done: make([]instance.Tick, gpus),
		ready: make([]instance.Tick, jobs), ends: make([]instance.Tick, jobs), open: make([]int32, jobs),
		completion: make([]instance.Tick, jobs), busy: make(state.Links, len(o.In.Links)),
	}
}

func (c *checkpoint) copy(from *checkpoint) {
	c.at, c.bound = from.at, from.bound
	copy(c.free, from.free)
	copy(c.last, from.last)
	copy(c.done, from.done)
	copy(c.ready, from.ready)
	copy(c.ends, from.ends)
	copy(c.open, from.open)
	copy(c.completion, from.completion)
	c.busy.Copy(from.busy)
}

func newSequenceDecoder(o *state.Operations) *sequenceDecoder {
	return &sequenceDecoder{now: newCheckpoint(o), out: newOutcome(o), apart: leastApart, ganged: make([]int, len(o.In.Jobs))}
}

// begin sets the state before the first operation.
func (d *sequenceDecoder) begin(q *sequence) {
	s := &d.now
	s.at, s.bound = 0, 0
	for g := range s.free {
		s.free[g], s.last[g], s.done[g] = 0, -1, 0
	}
	for j := range s.ready {
		job := &q.In.Jobs[j]
		s.ready[j], s.ends[j], s.open[j] = job.Release, 0, int32(job.Workers)
		s.completion[j] = job.Release + instance.Tick(job.Iterations)*q.Least[j]
		if q.In.Objective == instance.WeightedCompletion {
			s.bound += float64(float64(job.Weight) * float64(s.completion[j]))
		}
	}
	s.busy.Clear()
}

// decode places the operations from the given place of the list on. It reports
// false if the energy exceeds the limit; d.out is then useless.
func (d *sequenceDecoder) decode(q *sequence, from int, limit float64) (energy float64, ok bool) {
	s := &d.now
	d.kept, d.fresh = 0, 0
	d.run++
	for d.kept < len(q.marks) && q.marks[d.kept].at <= from {
		d.kept++
	}
	if d.kept > 0 {
		s.copy(&q.marks[d.kept-1])
	} else {
		d.begin(q)
	}
	d.from = s.at
	weighted := q.In.Objective == instance.WeightedCompletion
	latest := state.Never
	if !weighted {
		latest = q.latest(limit)
	}
	apart := max(len(q.list)/maxCheckpoints, d.apart)
	next := (d.from/apart + 1) * apart
	tasks := int32(q.Tasks)
	for p := d.from; p < len(q.list); p++ {
		if p == next {
			next += apart
			d.mark(q, p)
		}
		op := q.list[p]
		j := q.Job[op]
		job := &q.In.Jobs[j]
		switch {
		case op >= tasks:
			d.sync(q, j, op-tasks)
		case s.open[j] == 0: // its gang has been placed, perhaps before the checkpoint
			if d.ganged[j] != d.run {
				d.out.start[op], d.out.before[op] = q.times.start[op], q.times.before[op]
			}
			continue
		case job.Gang && job.Workers > 1:
			if d.gang(q, j, q.Iteration[op]) > latest {
				d.work += p - d.from
				return 0, false
			}
			continue
		default:
			g := q.gpu[q.Slot[op]]
			start := max(s.ready[j], s.free[g])
			end := start + q.ticks[op]
			d.out.start[op], d.out.before[op] = start, s.last[g]
			s.free[g], s.last[g] = end, op
			s.done[g] += q.ticks[op]
			s.ends[j] = max(s.ends[j], end)
			s.open[j]--
			if end+q.load[g]-s.done[g] > latest {
				d.work += p - d.from
				return 0, false
			}
			if job.HasSync() {
				continue
			}
			d.close(q, j, q.Iteration[op], end)
		}
		if s.completion[j] > latest || weighted && s.bound > limit {
			d.work += p - d.from
			return 0, false
		}
	}
	d.work += len(q.list) - d.from
	copy(d.out.completion, s.completion)
	energy = q.energyOf(s)
	return energy, energy <= limit
}

// gang places all tasks of an iteration at once. It returns a lower bound on
// the end of the last of their GPUs.
func (d *sequenceDecoder) gang(q *sequence, j, iteration int32) instance.Tick {
	s := &d.now
	first, _ := q.TasksOf(j, iteration)
	residency := q.gpu[q.SlotAt[j]:q.SlotAt[j+1]]
	start, latest := s.ready[j], instance.Tick(0)
	for _, g := range residency {
		start = max(start, s.free[g])
	}
	for n, g := range residency {
		t := first + int32(n)
		end := start + q.ticks[t]
		d.out.start[t], d.out.before[t] = start, s.last[g]
		s.free[g], s.last[g] = end, t
		s.done[g] += q.ticks[t]
		s.ends[j] = max(s.ends[j], end)
		latest = max(latest, end+q.load[g]-s.done[g])
	}
	s.open[j], d.ganged[j] = 0, d.run
	return latest
}

// sync places synchronisation y of job j at the rate level that ends it first.
func (d *sequenceDecoder) sync(q *sequence, j, y int32) {
	net := &q.nets[j]
	level, start, end := d.now.busy.AddFirst(q.In, net.span.Uses, net.levels[q.kind[y]][q.level[y]:], d.now.ends[j])
	d.out.start[q.Tasks+int(y)], d.out.end[y], d.out.level[y] = start, end, q.level[y]+uint8(level)
	d.close(q, j, q.Iteration[q.Tasks+int(y)], end)
}

// close ends an iteration of job j at the given tick.
func (d *sequenceDecoder) close(q *sequence, j, iteration int32, end instance.Tick) {
	s, job := &d.now, &q.In.Jobs[j]
	s.ready[j], s.ends[j], s.open[j] = end, 0, int32(job.Workers)
	completion := end + instance.Tick(int32(job.Iterations)-1-iteration)*q.Least[j]
	if q.In.Objective == instance.WeightedCompletion {
		s.bound += float64(float64(job.Weight) * float64(completion-s.completion[j]))
	}
	s.completion[j] = completion
}

// mark keeps the state before place p of the list. It drops from the links
// everything before the time at which any job can use them again.
func (d *sequenceDecoder) mark(q *sequence, p int) {
	s := &d.now
	floor := state.Never
	for j, ready := range s.ready {
		if ready < s.completion[j] { // not finished
			floor = min(floor, ready)
		}
	}
	s.busy.Forget(floor)
	s.at = p
	if d.fresh == len(d.marks) {
		d.marks = append(d.marks, newCheckpoint(q.Operations))
	}
	d.marks[d.fresh].copy(s)
	d.fresh++
}

// accept makes the latest decoding, which must have succeeded, that of q.
func (d *sequenceDecoder) accept(q *sequence, energy float64) {
	for _, op := range q.list[d.from:] {
		q.times.start[op] = d.out.start[op]
		if y := int(op) - q.Tasks; y >= 0 {
			q.times.end[y], q.times.level[y] = d.out.end[y], d.out.level[y]
		} else {
			q.times.before[op] = d.out.before[op]
		}
	}
	copy(q.times.completion, d.out.completion)
	q.energy = energy
	q.marks = q.marks[:min(cap(q.marks), d.kept+d.fresh)] // those beyond its length are reused
	for n := range d.fresh {
		if d.kept+n == len(q.marks) {
			q.marks = append(q.marks, newCheckpoint(q.Operations))
		}
		if q.marks[d.kept+n].free == nil {
			q.marks[d.kept+n] = newCheckpoint(q.Operations)
		}
		q.marks[d.kept+n], d.marks[n] = d.marks[n], q.marks[d.kept+n]
	}
}

// lateness is the weight of a tick past a deadline in ticks of the objective.
const lateness = 1000

// endWeight is the weight of the mean end of the GPUs in the energy under
// makespan: it guides the search across plateaus, towards less idle time.
const endWeight = 0.25

// energyOf returns what the search minimises, once everything is placed.
func (q *sequence) energyOf(s *checkpoint) float64 {
	late, energy := 0.0, 0.0
	latest := instance.Tick(0)
	for j, c := range s.completion {
		job := &q.In.Jobs[j]
		if job.Deadline > 0 && c > job.Deadline {
			late += float64(c - job.Deadline)
		}
		latest = max(latest, c)
		if q.In.Objective == instance.WeightedCompletion {
			energy += float64(float64(job.Weight) * float64(c))
		}
	}
	if q.In.Objective == instance.WeightedCompletion {
		return energy * (1 + float64(late*lateness))
	}
	ends := instance.Tick(0)
	for _, free := range s.free {
		ends += free
	}
	return float64(latest) + float64(endWeight*float64(ends)/float64(len(s.free))) + float64(late*lateness)
}

// latest returns a makespan that certainly exceeds the limit of the energy.
func (q *sequence) latest(limit float64) instance.Tick {
	if limit >= 1<<62 {
		return state.Never
	}
	load := instance.Tick(0)
	for _, l := range q.load {
		load += l
	}
	return instance.Tick(limit-float64(endWeight*float64(load)/float64(len(q.load)))) + 1
}
