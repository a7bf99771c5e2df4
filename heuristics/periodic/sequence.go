package periodic

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
)

// cyclicSequence is the order in which all operations of a plan, tasks and
// synchronisations, start within the period. The order on every GPU and link is
// that of the list, cyclic: the first waits for the last, a period earlier.
// Every such order is a valid plan with the least period that [periodClock]
// finds for it, as long as the iterations of each job follow each other.
// Conversely, every periodic plan has such an order, that of its starts modulo
// the period.
//
// The operations of an iteration are numbered consecutively from its first: the
// tasks by GPU, where those that start together, of a gang or of a worker with several
// GPUs, are one operation, the first, and then the synchronisation, if there is one.
type cyclicSequence struct {
	in        *instance.Instance
	residency [][]instance.GPUID // per job; empty without iterations
	spans     []instance.Span    // per job; empty without synchronisations
	chain     [][]int32          // per job: the first operations of its iterations, in their order
	list      []int32
	period    instance.Tick

	// Per operation:
	owner []int32              // its job
	slot  []int32              // its place in the residency; for a synchronisation the number of places
	ticks []instance.Tick      // its length
	depth []uint8              // of a task
	level []instance.RateLevel // of a synchronisation
	at    []instance.Tick      // start modulo the period, when last computed
}

// newCyclicSequence converts a valid periodic plan in canonical order.
func newCyclicSequence(in *instance.Instance, s *instance.Schedule) *cyclicSequence {
	r := &cyclicSequence{in: in, period: s.Period, residency: s.Residency, spans: make([]instance.Span, len(in.Jobs)), chain: make([][]int32, len(in.Jobs))}
	add := func(j, slot int, start, length instance.Tick) (op int32) {
		r.owner, r.slot = append(r.owner, int32(j)), append(r.slot, int32(slot))
		r.ticks, r.at = append(r.ticks, length), append(r.at, residue(start, s.Period))
		r.depth, r.level = append(r.depth, 0), append(r.level, 0)
		return int32(len(r.owner) - 1)
	}
	for j, chain := range readChains(in, s) {
		job := &in.Jobs[j]
		if len(chain) > 0 && job.HasSync() {
			r.spans[j], _ = in.SpanOf(job, s.Residency[j])
		}
		for _, it := range chain {
			b := int32(len(r.owner))
			for w, g := range s.Residency[j] {
				op := add(j, w, it.start[w], job.On[in.GPUs[g].Type].Time[it.depth[w]])
				if r.depth[op] = it.depth[w]; (op-b)%together(job) == 0 {
					r.list = append(r.list, op)
				}
			}
			if job.HasSync() {
				y := add(j, job.Workers, it.sync, it.end-it.sync)
				r.level[y], r.list = in.RateLevels[it.level], append(r.list, y)
			}
			r.chain[j] = append(r.chain[j], b)
		}
	}
	// Operations of no length come before those that wait for them.
	slices.SortStableFunc(r.list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(r.at[a], r.at[b]), cmp.Compare(min(1, r.ticks[a]), min(1, r.ticks[b])))
	})
	return r
}

// together is the number of tasks of an iteration that start together: all of a gang, or those of a worker.
func together(job *instance.Job) int32 {
	if job.Gang {
		return int32(job.Workers)
	}
	return int32(job.Group())
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

// longest returns the length of the longest task of an iteration.
func (r *cyclicSequence) longest(b int32) instance.Tick {
	return slices.Max(r.ticks[b : int(b)+r.in.Jobs[r.owner[b]].Workers])
}

// schedule returns the plan. Every chain begins within the first period.
func (r *cyclicSequence) schedule() *instance.Schedule {
	s := &instance.Schedule{Period: r.period, Residency: r.residency}
	for j, chain := range r.chain {
		ready := instance.Tick(0)
		step := together(&r.in.Jobs[j])
		for n, b := range chain {
			if n == 0 {
				// The first iteration begins with its first task in order after the end of the
				// last.
				end := r.last(chain[len(chain)-1])
				ready = r.at[end] + r.ticks[end]
				least := r.period
				for op := b; op < b+int32(len(r.residency[j])); op += step {
					least = min(least, residue(r.at[op]-ready, r.period))
				}
				ready = residue(ready+least, r.period)
			}
			end := ready
			for w, g := range r.residency[j] {
				op := b + int32(w)
				t := instance.Task{Job: instance.JobID(j), Iteration: n + 1, GPU: g, Depth: int(r.depth[op])}
				t.Start = ready + residue(r.at[b+int32(w)/step*step]-ready, r.period)
				t.End = t.Start + r.ticks[op]
				s.Tasks, end = append(s.Tasks, t), max(end, t.End)
			}
			if y := r.sync(b); y >= 0 {
				start := end + residue(r.at[y]-end, r.period)
				end = start + r.ticks[y]
				s.Syncs = append(s.Syncs, instance.Sync{Job: instance.JobID(j), Iteration: n + 1, Start: start, End: end, Rate: r.level[y]})
			}
			ready = end
		}
	}
	s.Sort()
	return s
}
