package periodic

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
)

// cyclicSequence is a periodic plan as a search changes it: who lives where, how many
// iterations each job has in a period, their depths and rate levels, and the
// order in which all operations, tasks and synchronisations, start within the
// period. The order on every GPU and link is that of the list, cyclic: what
// comes first waits for what came last, a period earlier. Every such order is a
// valid plan with the least period that [periodClock] finds for it, as long as
// the iterations of each job come round in turn and memory suffices; and every
// periodic plan has such an order, that of its starts modulo the period.
//
// The operations of an iteration are numbered one after the other from its
// first: the tasks by worker, of which those of a gang are one operation, the
// first, and then the synchronisation, where there is one.
type cyclicSequence struct {
	*residencyTable
	// residency[j] is where job j lives; nil without iterations.
	residency []*assignment
	// chain[j] are the first operations of job j's iterations, in their cyclic
	// order. A chain is never changed but replaced.
	chain  [][]int32
	list   []int32
	period instance.Tick

	// Per operation:
	owner []int32         // its job
	slot  []int32         // its worker; of a synchronisation the number of workers
	ticks []instance.Tick // its length
	depth []uint8         // of a task; of a synchronisation its rate level
	at    []instance.Tick // start modulo the period, when last found out

	moved []pendingMove // operations that settle is to put elsewhere in the list
	spare []int32       // memory for the list
}

// pendingMove puts an operation at a time, before or after those that start then.
type pendingMove struct {
	op   int32
	at   instance.Tick
	late bool
}

func newCyclicSequence(a *residencyTable) *cyclicSequence {
	return &cyclicSequence{residencyTable: a, period: 1, residency: make([]*assignment, len(a.in.Jobs)), chain: make([][]int32, len(a.in.Jobs))}
}

// read makes r that of a valid periodic plan in canonical order.
func (r *cyclicSequence) read(s *instance.Schedule) {
	r.period = s.Period
	y := 0
	for n := 0; n < len(s.Tasks); {
		j := int32(s.Tasks[n].Job)
		job := &r.in.Jobs[j]
		if r.residency[j] == nil {
			r.residency[j] = r.assignment(j, slices.Clone(s.Residency[j]))
		}
		b := r.grow(j)
		for w := range job.Workers {
			t := &s.Tasks[n+w]
			r.depth[int(b)+w], r.at[int(b)+w] = uint8(t.Depth), residue(t.Start, s.Period)
		}
		if job.HasSync() {
			sync := &s.Syncs[y]
			r.depth[int(b)+job.Workers] = uint8(slices.Index(r.in.RateLevels, sync.Rate))
			r.at[int(b)+job.Workers] = residue(sync.Start, s.Period)
			y++
		}
		r.measure(b)
		r.chain[j] = append(r.chain[j], b)
		n += job.Workers
	}
	for _, chain := range r.chain {
		for _, b := range chain {
			r.list = r.events(r.list, b)
		}
	}
	// Operations of no length are before what they let start.
	slices.SortStableFunc(r.list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(r.at[a], r.at[b]), cmp.Compare(min(1, r.ticks[a]), min(1, r.ticks[b])))
	})
}

// grow adds the operations of an iteration of job j and returns the first.
func (r *cyclicSequence) grow(j int32) int32 {
	b := int32(len(r.owner))
	for n := range r.width(j) {
		r.owner, r.slot = append(r.owner, j), append(r.slot, n)
	}
	n := len(r.owner) - int(b)
	r.ticks = append(r.ticks, make([]instance.Tick, n)...)
	r.depth = append(r.depth, make([]uint8, n)...)
	r.at = append(r.at, make([]instance.Tick, n)...)
	return b
}

// width is the number of operations of an iteration of job j.
func (r *cyclicSequence) width(j int32) int32 {
	job := &r.in.Jobs[j]
	if job.HasSync() {
		return int32(job.Workers) + 1
	}
	return int32(job.Workers)
}

// sync returns the synchronisation of the iteration that begins with operation
// b; -1: none.
func (r *cyclicSequence) sync(b int32) int32 {
	if job := &r.in.Jobs[r.owner[b]]; job.HasSync() {
		return b + int32(job.Workers)
	}
	return -1
}

// last is the operation after which the next iteration may begin.
func (r *cyclicSequence) last(b int32) int32 { return max(b, r.sync(b)) }

// events appends the operations of an iteration that have places in the list.
func (r *cyclicSequence) events(to []int32, b int32) []int32 {
	job := &r.in.Jobs[r.owner[b]]
	tasks := int32(job.Workers)
	if job.Gang {
		tasks = 1
	}
	for t := range tasks {
		to = append(to, b+t)
	}
	if y := r.sync(b); y >= 0 {
		to = append(to, y)
	}
	return to
}

// measure works out the lengths of the operations of an iteration.
func (r *cyclicSequence) measure(b int32) {
	j := r.owner[b]
	job, residency := &r.in.Jobs[j], r.residency[j]
	var some [16]int
	counts := some[:]
	if len(job.Depths) > len(counts) {
		counts = make([]int, len(job.Depths))
	}
	counts = counts[:len(job.Depths)]
	for w := range job.Workers {
		d := r.depth[int(b)+w]
		counts[d]++
		r.ticks[int(b)+w] = residency.time[w][d]
	}
	if y := r.sync(b); y >= 0 {
		volume, level := job.Volume(counts, residency.parties), int(r.depth[y])
		r.ticks[y] = r.in.SyncTicks(volume, residency.rate[level])
		// The slowest that takes no longer.
		for level++; level < len(residency.rate) && r.in.SyncTicks(volume, residency.rate[level]) == r.ticks[y]; level++ {
			r.depth[y] = uint8(level)
		}
	}
}

// longest returns the length of the longest task of an iteration.
func (r *cyclicSequence) longest(b int32) instance.Tick {
	return slices.Max(r.ticks[b : int(b)+r.in.Jobs[r.owner[b]].Workers])
}

// copyFrom makes r a copy of o, in the memory it has.
func (r *cyclicSequence) copyFrom(o *cyclicSequence) {
	r.residencyTable, r.period = o.residencyTable, o.period
	r.residency = append(r.residency[:0], o.residency...)
	r.chain = append(r.chain[:0], o.chain...)
	r.list = append(r.list[:0], o.list...)
	r.owner = append(r.owner[:0], o.owner...)
	r.slot = append(r.slot[:0], o.slot...)
	r.ticks = append(r.ticks[:0], o.ticks...)
	r.depth = append(r.depth[:0], o.depth...)
	r.at = append(r.at[:0], o.at...)
	r.moved = r.moved[:0]
}

// move puts an operation at another time, which may lie outside the period.
func (r *cyclicSequence) move(op int32, at instance.Tick, late bool) {
	at = residue(at, r.period)
	r.at[op] = at
	r.moved = append(r.moved, pendingMove{op, at, late})
}

// settle brings the moved operations to their places in the list.
func (r *cyclicSequence) settle() {
	if len(r.moved) == 0 {
		return
	}
	for _, m := range r.moved {
		r.at[m.op] = -1 // a mark
	}
	slices.SortStableFunc(r.moved, func(a, b pendingMove) int { return cmp.Compare(a.at, b.at) })
	list := r.spare[:0]
	next := 0
	for _, op := range r.list {
		at := r.at[op]
		if at < 0 {
			continue
		}
		for next < len(r.moved) && (r.moved[next].at < at || r.moved[next].at == at && !r.moved[next].late) {
			list = append(list, r.moved[next].op)
			next++
		}
		list = append(list, op)
	}
	for ; next < len(r.moved); next++ {
		list = append(list, r.moved[next].op)
	}
	for _, m := range r.moved {
		r.at[m.op] = m.at
	}
	r.moved = r.moved[:0]
	r.list, r.spare = list, r.list
}

// open makes room of the given length at a time: what starts then or later
// starts so much later, in a period so much longer.
func (r *cyclicSequence) open(at, length instance.Tick) {
	for _, op := range r.list {
		if r.at[op] >= at {
			r.at[op] += length
		}
	}
	for n := range r.moved {
		if m := &r.moved[n]; m.at >= at {
			m.at += length
			r.at[m.op] = m.at
		}
	}
	r.period += length
}

// drop takes iteration n of job j out.
func (r *cyclicSequence) drop(j int32, n int) {
	b := r.chain[j][n]
	r.chain[j] = slices.Delete(slices.Clone(r.chain[j]), n, n+1)
	if len(r.chain[j]) == 0 {
		r.chain[j], r.residency[j] = nil, nil
	}
	end := b + r.width(j)
	r.list = slices.DeleteFunc(r.list, func(op int32) bool { return op >= b && op < end })
}

// add makes room for an iteration of job j after its iteration n, and puts a
// copy of that there. Without iterations it is put at time at, with depths for
// the caller to choose.
func (r *cyclicSequence) add(j int32, n int, at instance.Tick, counts []int) {
	b := r.grow(j)
	job := &r.in.Jobs[j]
	if len(r.chain[j]) > 0 {
		from := r.chain[j][n]
		copy(r.depth[b:], r.depth[from:from+r.width(j)])
		n++
		end := r.last(from)
		at = residue(r.at[end]+r.ticks[end], r.period)
	} else {
		w := int(b)
		for d, count := range counts {
			for range count {
				r.depth[w] = uint8(d)
				w++
			}
		}
	}
	r.chain[j] = slices.Insert(slices.Clone(r.chain[j]), n, b)
	r.measure(b)
	length := r.longest(b)
	total := length
	y := r.sync(b)
	if y >= 0 {
		total += r.ticks[y]
	}
	r.open(at, total)
	for t := range job.Workers {
		if t == 0 || !job.Gang {
			r.move(b+int32(t), at, false)
		}
	}
	if y >= 0 {
		r.move(y, at+length, false)
	}
}

// compact renumbers the operations without those that were dropped.
func (r *cyclicSequence) compact() {
	o := &cyclicSequence{}
	o.copyFrom(r)
	r.owner, r.slot, r.ticks, r.depth, r.at = nil, nil, nil, nil, nil
	number := make([]int32, len(o.owner))
	for j, chain := range o.chain {
		r.chain[j] = nil
		for _, b := range chain {
			to := r.grow(int32(j))
			for n := range r.width(int32(j)) {
				number[b+n] = to + n
			}
			copy(r.ticks[to:], o.ticks[b:b+r.width(int32(j))])
			copy(r.depth[to:], o.depth[b:b+r.width(int32(j))])
			copy(r.at[to:], o.at[b:b+r.width(int32(j))])
			r.chain[j] = append(r.chain[j], to)
		}
	}
	for n, op := range r.list {
		r.list[n] = number[op]
	}
}

// twice returns a plan with a period that holds everything twice.
func twice(in *instance.Instance, s *instance.Schedule) *instance.Schedule {
	d := &instance.Schedule{Period: 2 * s.Period, Residency: s.Residency, Tasks: slices.Clone(s.Tasks), Syncs: slices.Clone(s.Syncs)}
	iterations := s.Iterations(in)
	for _, t := range s.Tasks {
		t.Iteration += iterations[t.Job]
		t.Start, t.End = t.Start+s.Period, t.End+s.Period
		d.Tasks = append(d.Tasks, t)
	}
	for _, y := range s.Syncs {
		y.Iteration += iterations[y.Job]
		y.Start, y.End = y.Start+s.Period, y.End+s.Period
		d.Syncs = append(d.Syncs, y)
	}
	d.Sort()
	return d
}

// schedule writes the plan out. Every chain begins within the first period.
func (r *cyclicSequence) schedule() *instance.Schedule {
	in := r.in
	s := &instance.Schedule{Period: r.period, Residency: make([][]instance.GPUID, len(in.Jobs))}
	for j := range in.Jobs {
		if r.residency[j] == nil {
			continue
		}
		job := &in.Jobs[j]
		s.Residency[j] = slices.Clone(r.residency[j].gpus)
		ready := instance.Tick(0)
		for n, b := range r.chain[j] {
			if n == 0 {
				// The first iteration begins with its first task in turn after
				// the end of the last.
				end := r.last(r.chain[j][len(r.chain[j])-1])
				ready = r.at[end] + r.ticks[end]
				least := r.period
				for t := range job.Workers {
					if t == 0 || !job.Gang {
						least = min(least, residue(r.at[int(b)+t]-ready, r.period))
					}
				}
				ready = residue(ready+least, r.period)
			}
			end := ready
			for w, g := range r.residency[j].gpus {
				op := int(b)
				if !job.Gang {
					op += w
				}
				start := ready + residue(r.at[op]-ready, r.period)
				s.Tasks = append(s.Tasks, instance.Task{
					Job: instance.JobID(j), Iteration: n + 1, GPU: g, Depth: int(r.depth[int(b)+w]),
					Start: start, End: start + r.ticks[int(b)+w],
				})
				end = max(end, start+r.ticks[int(b)+w])
			}
			if y := r.sync(b); y >= 0 {
				start := end + residue(r.at[y]-end, r.period)
				end = start + r.ticks[y]
				s.Syncs = append(s.Syncs, instance.Sync{
					Job: instance.JobID(j), Iteration: n + 1, Start: start, End: end, Rate: in.RateLevels[r.depth[y]],
				})
			}
			ready = end
		}
	}
	s.Sort()
	return s
}
