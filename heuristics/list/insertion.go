package list

import (
	"cmp"
	"context"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// inserter is the serial decoder: it takes iterations in order of their keys
// and puts each into the earliest gaps of the GPUs and links, never moving what
// is already placed. With keys that do not change from iteration to iteration
// it inserts whole jobs, so that the first jobs run as if alone and the others
// fill in. It leaves GPUs idle when the dispatcher would start a task. It
// ignores patience.
type inserter struct {
	in     *instance.Instance
	layout *state.Layout
	gpus   []state.GPUTimeline
	links  state.Links
	queue  []insertion // heap
	slots  []insertSlot
	depths []int
	syncs  [][]state.SyncLevel // per job
	times  [][]instance.Tick   // per worker slot: of its tasks, by depth
}

// insertion is the next iteration of a job.
type insertion struct {
	key       int64
	job       int32
	iteration int32
	ready     instance.Tick
}

func (a insertion) before(b insertion) bool {
	return a.key < b.key || a.key == b.key && a.job < b.job
}

// insertSlot is a possible start of a task at the depth limit of a GPU.
type insertSlot struct {
	n     int // index in the job's residency
	start instance.Tick
	next  int // see [state.GPUTimeline.Earliest]
}

func newInserter(in *instance.Instance, l *state.Layout) *inserter {
	return &inserter{
		in: in, layout: l, gpus: make([]state.GPUTimeline, len(in.GPUs)), links: make(state.Links, len(in.Links)),
		syncs: make([][]state.SyncLevel, len(in.Jobs)), times: make([][]instance.Tick, l.Slots),
	}
}

func (s *inserter) Decode(ctx context.Context, d *Decision, out *Record) error {
	out.where = d.Where
	for g := range s.gpus {
		s.gpus[g] = s.gpus[g][:0]
	}
	s.links.Clear()
	s.queue = s.queue[:0]
	for j := range s.in.Jobs {
		s.syncs[j] = d.syncs(s.syncs[j][:0], s.in, j)
		for n, g := range d.Where.GPUs[j] {
			s.times[s.layout.SlotAt[j]+n] = s.in.Jobs[j].On[s.in.GPUs[g].Type].Time
		}
		if s.in.Jobs[j].Iterations > 0 { // otherwise it only holds memory
			s.queue = append(s.queue, insertion{d.key(int32(j), 0), int32(j), 0, s.in.Jobs[j].Release})
		}
	}
	state.Heapify(s.queue, insertion.before)
	for rounds := 0; len(s.queue) > 0; rounds++ {
		if rounds&0xff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		next := &s.queue[0]
		next.ready = s.insert(d, out, *next)
		next.iteration++
		if int(next.iteration) < s.in.Jobs[next.job].Iterations {
			next.key = d.key(next.job, next.iteration)
			state.SiftDown(s.queue, 0, insertion.before)
		} else {
			out.Completion[next.job] = next.ready
			state.Pop(&s.queue, insertion.before)
		}
	}
	return nil
}

// insert places one iteration and returns when the next one is ready.
func (s *inserter) insert(d *Decision, out *Record, it insertion) instance.Tick {
	job := &s.in.Jobs[it.job]
	gpus, limits := d.Where.GPUs[it.job], d.Where.Limit[it.job]
	times := s.times[s.layout.SlotAt[it.job]:]

	// As in the dispatcher, the GPUs that are free first take the deepest tasks:
	// sort them by when a task at their limit could start.
	s.slots = s.slots[:0]
	sorted, latest := true, it.ready
	for n, g := range gpus {
		start, next := s.gpus[g].Earliest(it.ready, times[n][limits[n]])
		s.slots = append(s.slots, insertSlot{n, start, next})
		sorted, latest = sorted && start >= latest, start
	}
	if !sorted {
		slices.SortFunc(s.slots, func(a, b insertSlot) int {
			return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.n, b.n))
		})
	}
	left := append(s.depths[:0], d.Counts[it.job]...)
	s.depths = left
	at := s.layout.TaskAt[it.job] + int(it.iteration)*len(gpus)
	end := it.ready
	common := it.ready
	for _, slot := range s.slots {
		depth := limits[slot.n]
		for left[depth] == 0 {
			depth--
		}
		left[depth]--
		out.times.Depth[at+slot.n] = uint8(depth)
		if job.Gang {
			continue
		}
		length, start, next := times[slot.n][depth], slot.start, slot.next
		timeline := &s.gpus[gpus[slot.n]]
		if depth < limits[slot.n] { // a shorter task may fit earlier
			start, next = timeline.Earliest(it.ready, length)
		}
		timeline.Add(next, start, start+length)
		out.times.Start[at+slot.n] = start
		end = max(end, start+length)
	}
	if job.Gang {
		for settled := false; !settled; {
			settled = true
			for n, g := range gpus {
				if start, _ := s.gpus[g].Earliest(common, times[n][out.times.Depth[at+n]]); start > common {
					common, settled = start, false
				}
			}
		}
		for n, g := range gpus {
			length := times[n][out.times.Depth[at+n]]
			_, next := s.gpus[g].Earliest(common, length) // this is common itself
			s.gpus[g].Add(next, common, common+length)
			out.times.Start[at+n] = common
			end = max(end, common+length)
		}
	}
	if !job.HasSync() {
		return end
	}
	level, start, end := s.links.AddFirst(s.in, d.Where.Span[it.job].Uses, s.syncs[it.job], end)
	y := s.layout.SyncAt[it.job] + int(it.iteration)
	out.times.SyncStart[y], out.times.SyncEnd[y], out.times.Level[y] = start, end, uint8(d.fastest(int(it.job))+level)
	return end
}
