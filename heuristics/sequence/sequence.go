package sequence

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/multiset"
	"jigsaw/heuristics/state"
)

// sequence is a solution of a finite instance as a search changes it: where
// jobs live, the depths of tasks, and the order in which the operations are
// placed. A task starts when its job is ready and the tasks before it on its
// GPU have ended; a synchronisation starts in the first gap of its links. So
// every order of the tasks of a GPU is reachable, including those in which GPUs
// wait on purpose; and every order gives a schedule that is valid up to
// deadlines, as long as each operation comes after those it must wait for.
type sequence struct {
	*state.Operations
	list []int32 // the operations in order
	pos  []int32 // per operation: its place in the list

	gpu   []int32         // per worker
	depth []uint8         // per task
	ticks []instance.Tick // per task: its length
	kind  []int32         // per synchronisation: its multiset's index in sets
	level []uint8         // per synchronisation: the fastest rate level it may use
	sets  [][][]int       // per job: the multisets that its iterations have or may get
	nets  []net           // per job
	used  []int32         // per worker and depth: its tasks of that depth

	persistent []instance.Bytes // per GPU
	load       []instance.Tick  // per GPU: the lengths of its tasks
	residents  [][]int32        // per GPU: its workers

	// The times from the latest accepted decoding.
	times  outcome
	marks  []checkpoint
	energy float64
}

// net is what the synchronisations of a job use, given its residency.
type net struct {
	span   instance.Span
	levels [][]state.SyncLevel // by multiset
}

// outcome holds the times of a decoded sequence.
type outcome struct {
	start      []instance.Tick // per operation
	end        []instance.Tick // per synchronisation
	level      []uint8         // per synchronisation: its rate level
	before     []int32         // per task: the one before it on its GPU; -1: none
	completion []instance.Tick // per job
}

func newOutcome(o *state.Operations) outcome {
	return outcome{
		start: make([]instance.Tick, o.Tasks+o.Syncs), end: make([]instance.Tick, o.Syncs), level: make([]uint8, o.Syncs),
		before: make([]int32, o.Tasks), completion: make([]instance.Tick, len(o.In.Jobs)),
	}
}

// choicesOf returns, for each job, the multisets that changes may give its
// iterations.
func choicesOf(in *instance.Instance) [][][]int {
	choices := make([][][]int, len(in.Jobs))
	for _, class := range in.Classes() {
		job := &in.Jobs[class[0]]
		sets := append(multiset.Choices(job, state.FastestType(in, job)), multiset.Minimal(job)...)
		for _, j := range class {
			choices[j] = slices.Clip(sets)
		}
	}
	return choices
}

// newSequence reads a valid schedule in canonical order; for each job, changes
// may use the multisets of choices and those of the schedule.
func newSequence(o *state.Operations, choices [][][]int, s *instance.Schedule) *sequence {
	in := o.In
	q := &sequence{
		Operations: o,
		list:       make([]int32, o.Tasks+o.Syncs), pos: make([]int32, o.Tasks+o.Syncs),
		gpu: make([]int32, o.Slots), depth: make([]uint8, o.Tasks), ticks: make([]instance.Tick, o.Tasks),
		kind: make([]int32, o.Syncs), level: make([]uint8, o.Syncs), nets: make([]net, len(in.Jobs)), sets: slices.Clone(choices),
		used:       make([]int32, o.Slots*o.Depths),
		persistent: make([]instance.Bytes, len(in.GPUs)), load: make([]instance.Tick, len(in.GPUs)),
		residents: make([][]int32, len(in.GPUs)),
		times:     newOutcome(o),
	}
	for j, gpus := range s.Residency {
		for n, g := range gpus {
			slot := o.SlotAt[j] + n
			q.gpu[slot] = int32(g)
			q.residents[g] = append(q.residents[g], int32(slot))
			q.persistent[g] += in.Jobs[j].On[in.GPUs[g].Type].Persistent
		}
	}
	next := slices.Clone(o.TaskAt[:len(in.Jobs)])
	for _, k := range s.Tasks {
		t := next[k.Job]
		next[k.Job]++
		q.depth[t], q.ticks[t], q.times.start[t] = uint8(k.Depth), k.End-k.Start, k.Start
		q.used[int(o.Slot[t])*o.Depths+k.Depth]++
		q.load[k.GPU] += q.ticks[t]
	}
	y := 0
	for j := range in.Jobs {
		job := &in.Jobs[j]
		for i := 0; job.HasSync() && i < job.Iterations; i++ {
			sync := &s.Syncs[y]
			q.times.start[o.Tasks+y] = sync.Start
			q.level[y] = uint8(slices.Index(in.RateLevels, sync.Rate))
			counts := make([]int, len(job.Depths))
			for n := range job.Workers {
				counts[q.depth[o.TaskAt[j]+i*job.Workers+n]]++
			}
			at := slices.IndexFunc(q.sets[j], func(other []int) bool { return slices.Equal(other, counts) })
			if at < 0 {
				at = len(q.sets[j])
				q.sets[j] = append(q.sets[j], counts)
			}
			q.kind[y] = int32(at)
			y++
		}
	}
	for j := range in.Jobs {
		q.nets[j], _ = q.netOf(int32(j))
	}
	for op := range q.list {
		q.list[op] = int32(op)
	}
	q.sort()
	return q
}

// sort sorts the list by starts. Synchronisations go first: one of no length
// starts when the next iteration does.
func (q *sequence) sort() {
	start := q.times.start
	slices.SortFunc(q.list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(start[a], start[b]), cmp.Compare(b, a))
	})
	for p, op := range q.list {
		q.pos[op] = int32(p)
	}
}

// netOf returns what the synchronisations of job j use on its current GPUs; ok
// is false without a route.
func (q *sequence) netOf(j int32) (n net, ok bool) {
	job := &q.In.Jobs[j]
	if !job.HasSync() {
		return net{}, true
	}
	if n.span, ok = q.In.SpanOf(job, q.residency(j)); !ok {
		return net{}, false
	}
	for _, counts := range q.sets[j] {
		n.levels = append(n.levels, state.AppendSyncLevels(nil, q.In, job, counts, &n.span, 0))
	}
	return n, true
}

// schedule returns the schedule of the latest accepted decoding.
func (q *sequence) schedule() *instance.Schedule {
	residency := make([][]instance.GPUID, len(q.In.Jobs))
	for j := range residency {
		residency[j] = q.residency(int32(j))
	}
	times := state.Times{Start: q.times.start[:q.Tasks], Depth: q.depth, SyncStart: q.times.start[q.Tasks:], SyncEnd: q.times.end, Level: q.times.level}
	s := times.Schedule(q.In, q.Layout, residency)
	s.Sort()
	return s
}

// residency returns the GPUs of job j, by worker.
func (q *sequence) residency(j int32) (gpus []instance.GPUID) {
	for _, g := range q.gpu[q.SlotAt[j]:q.SlotAt[j+1]] {
		gpus = append(gpus, instance.GPUID(g))
	}
	return gpus
}
