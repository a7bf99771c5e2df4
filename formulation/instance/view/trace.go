package view

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"jigsaw/formulation/instance"
)

// maxFlowTasks is the size up to which a trace has arrows: a task costs about
// four events for them, which a viewer of a large trace is better without.
const maxFlowTasks = 20_000

// tracePeriods is how often the period of a periodic plan is repeated: enough
// to see every boundary with a whole period on either side.
const tracePeriods = 3

// Trace writes the schedule in the trace event format of Chrome, as an object
// with traceEvents, which https://ui.perfetto.dev and chrome://tracing open.
//
//	process  node           thread  GPU     slices  tasks
//	process  "network"      thread  link    slices  syncs, on every link they use
//	counter  share of a link's capacity in use, in percent
//	flow     task to the sync of its iteration, sync to the tasks of the next
//
// Slices of one thread must not overlap, so syncs that share a link get
// further threads for it. Times are in microseconds. A periodic plan is
// repeated three times. Flows are left out above 20,000 tasks.
func Trace(w io.Writer, in *instance.Instance, s *instance.Schedule) error {
	p, err := newPlan(in, s)
	if err != nil {
		return err
	}
	t := &tracer{plan: p, w: bufio.NewWriterSize(w, 1<<16), repeat: 1, iterations: s.Iterations(in)}
	if p.period > 0 {
		t.repeat = tracePeriods
	}
	t.str(`{"displayTimeUnit":"ms","otherData":{"instance":`).text(in.Name)
	t.str(`,"objective":`).text(string(in.Objective)).str(`,"tick_us":"`).str(strconv.FormatInt(in.TickUS, 10))
	if p.period > 0 {
		t.str(`","period_us":"`).str(micros(in, p.period))
	}
	t.str(`"},"traceEvents":[`)
	t.gpus()
	t.network()
	if len(p.tasks) <= maxFlowTasks {
		t.flows()
	}
	t.str("\n]}\n")
	return t.w.Flush()
}

// tracer writes one trace. Errors of the writer stick to w and surface when
// it is flushed.
type tracer struct {
	*plan
	w          *bufio.Writer
	some       bool // an event has been written
	repeat     int
	iterations []int // of each job, in a period

	taskThread []int // thread of each task
	syncThread []int // thread of each sync on the first link it uses, 0 if it uses none
	flow       int   // flows so far
}

func (t *tracer) str(s string) *tracer {
	t.w.WriteString(s)
	return t
}

func (t *tracer) int(v int) *tracer { return t.str(strconv.Itoa(v)) }

// text writes a JSON string.
func (t *tracer) text(s string) *tracer {
	b, err := json.Marshal(clean(s))
	if err != nil {
		panic(err) // a string can always be marshalled
	}
	t.w.Write(b)
	return t
}

// event opens an event of the given phase on a thread; the caller goes on
// with further fields and the closing brace.
func (t *tracer) event(phase string, pid, tid int) *tracer {
	if t.some {
		t.str(",")
	}
	t.some = true
	return t.str("\n" + `{"ph":"`).str(phase).str(`","pid":`).int(pid).str(`,"tid":`).int(tid)
}

// at writes the time of a tick.
func (t *tracer) at(tick instance.Tick) *tracer { return t.str(`,"ts":`).str(micros(t.in, tick)) }

func (t *tracer) slice(pid, tid int, start, end instance.Tick) *tracer {
	return t.event("X", pid, tid).at(start).str(`,"dur":`).str(micros(t.in, end-start))
}

func (t *tracer) process(pid int, name string) {
	t.event("M", pid, 0).str(`,"name":"process_name","args":{"name":`).text(name).str("}}")
	t.event("M", pid, 0).str(`,"name":"process_sort_index","args":{"sort_index":`).int(pid).str("}}")
}

func (t *tracer) thread(pid, tid int, name string) {
	t.event("M", pid, tid).str(`,"name":"thread_name","args":{"name":`).text(name).str("}}")
	t.event("M", pid, tid).str(`,"name":"thread_sort_index","args":{"sort_index":`).int(tid).str("}}")
}

// slot is an interval to be put on a thread.
type slot struct {
	index      int // of the task or sync
	repeat     int
	start, end instance.Tick
	times      int // crossings of the link
}

// lanes puts the slots, which it sorts, on the least number of lanes where
// none overlap, and returns the lane of each and how many there are.
func lanes(slots []slot) (lane []int, n int) {
	slices.SortFunc(slots, func(a, b slot) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end), cmp.Compare(a.index, b.index))
	})
	lane = make([]int, len(slots))
	var free []instance.Tick // when each lane is free
	for i, s := range slots {
		l := 0
		for l < len(free) && free[l] > s.start {
			l++
		}
		if l == len(free) {
			free = append(free, 0)
		}
		lane[i], free[l] = l, s.end
	}
	return lane, len(free)
}

func laneName(name string, lane int) string {
	if lane > 0 {
		name += " (" + strconv.Itoa(lane+1) + ")"
	}
	return name
}

// slots appends the repetitions of an interval.
func (t *tracer) slots(list []slot, index int, start, end instance.Tick, times int) []slot {
	for r := range t.repeat {
		shift := instance.Tick(r) * t.period
		list = append(list, slot{index, r, start + shift, end + shift, times})
	}
	return list
}

// gpus writes the nodes with their tasks. A valid schedule needs one thread
// for each GPU; one that is not may need more.
func (t *tracer) gpus() {
	in := t.in
	byGPU := t.tasksByGPU()
	t.taskThread = make([]int, len(t.tasks))
	for n := range in.Nodes {
		node, tid := &in.Nodes[n], 0
		t.process(n+1, node.Name+" · "+in.Types[node.Type].Name)
		for g := range node.GPUs {
			id := int(node.FirstGPU) + g
			var slots []slot
			for _, i := range byGPU[id] {
				slots = t.slots(slots, int(i), t.tasks[i].Start, t.tasks[i].End, 0)
			}
			lane, used := lanes(slots)
			for l := range max(1, used) {
				t.thread(n+1, tid+l+1, laneName("GPU "+strconv.Itoa(id), l))
			}
			for i, s := range slots {
				if s.repeat == 0 {
					t.taskThread[s.index] = tid + lane[i] + 1
				}
				t.task(n+1, tid+lane[i]+1, s)
			}
			tid += max(1, used)
		}
	}
}

func (t *tracer) task(pid, tid int, s slot) {
	task := &t.tasks[s.index]
	job := &t.in.Jobs[task.Job]
	iteration := task.Iteration + s.repeat*t.iterations[task.Job]
	t.slice(pid, tid, s.start, s.end).str(`,"cat":"task","name":`).text(job.Name + " · " + strconv.Itoa(iteration))
	t.str(`,"args":{"job":`).text(job.Name).str(`,"iteration":`).int(iteration)
	t.str(`,"depth":`).int(job.Depths[task.Depth].Layers).str(`,"layers":`).int(job.Depths[job.Full()].Layers)
	t.str(`,"gpu":`).int(int(task.GPU)).str(`,"start_tick":`).int(int(s.start)).str(`,"end_tick":`).int(int(s.end)).str("}}")
}

// network writes the links with their syncs and load.
func (t *tracer) network() {
	in := t.in
	pid, tid := len(in.Nodes)+1, 0
	t.process(pid, "network")
	t.syncThread = make([]int, len(t.syncs))
	for l, loads := range t.loads() {
		var slots []slot
		for _, load := range loads {
			first, end := t.syncsOf(load.job)
			for i := first; i < end; i++ {
				slots = t.slots(slots, i, t.syncs[i].Start, t.syncs[i].End, load.times)
			}
		}
		if len(slots) == 0 {
			continue
		}
		lane, used := lanes(slots)
		for n := range used {
			t.thread(pid, tid+n+1, laneName(in.Links[l].Name, n))
		}
		for i, s := range slots {
			if s.repeat == 0 && t.syncThread[s.index] == 0 {
				t.syncThread[s.index] = tid + lane[i] + 1
			}
			t.sync(pid, tid+lane[i]+1, instance.LinkID(l), s)
		}
		t.counter(pid, instance.LinkID(l), slots)
		tid += used
	}
}

func (t *tracer) sync(pid, tid int, l instance.LinkID, s slot) {
	sync, move := &t.syncs[s.index], t.moves[s.index]
	job := &t.in.Jobs[sync.Job]
	iteration := sync.Iteration + s.repeat*t.iterations[sync.Job]
	t.slice(pid, tid, s.start, s.end).str(`,"cat":"sync","name":`).text(job.Name + " · " + strconv.Itoa(iteration))
	t.str(`,"args":{"job":`).text(job.Name).str(`,"iteration":`).int(iteration)
	t.str(`,"bytes":`).int(int(move.volume)).str(`,"rate_bit_s":`).int(int(move.rate))
	t.str(`,"rate_level":`).text(sync.Rate.String())
	t.str(`,"capacity_percent":`).str(shortNumber(100 * t.share(s.index, s.times, l)))
	t.str(`,"start_tick":`).int(int(s.start)).str(`,"end_tick":`).int(int(s.end)).str("}}")
}

// counter writes the load of a link whenever it changes.
func (t *tracer) counter(pid int, l instance.LinkID, slots []slot) {
	steps := make([]step, 0, 2*len(slots))
	for _, s := range slots {
		share := t.share(s.index, s.times, l)
		steps = append(steps, step{s.start, share}, step{s.end, -share})
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.share, b.share)) })
	now := 0.0
	for i, s := range steps {
		now += s.share
		if i+1 < len(steps) && steps[i+1].at == s.at {
			continue
		}
		t.event("C", pid, 0).at(s.at).str(`,"name":`).text(t.in.Links[l].Name + " load")
		// Sums of shares leave residues of rounding.
		t.str(`,"args":{"percent":`).str(shortNumber(max(0, 100*now))).str("}}")
	}
}

// flows writes the arrows of the first repetition. An arrow binds to the slice
// that is open at its time, so it leaves a slice one microsecond before the end.
func (t *tracer) flows() {
	network := len(t.in.Nodes) + 1
	for i, sync := range t.syncs {
		if t.syncThread[i] == 0 || sync.Start == sync.End {
			continue
		}
		for n := range t.tasksOf(sync.Job, sync.Iteration) {
			task := &t.tasks[n]
			if task.Start < task.End {
				t.arrow("s", int(t.in.GPUs[task.GPU].Node)+1, t.taskThread[n]).before(task.End)
				t.arrow("f", network, t.syncThread[i]).at(sync.Start).str("}")
				t.flow++
			}
		}
		for n := range t.tasksOf(sync.Job, sync.Iteration+1) {
			task := &t.tasks[n]
			if task.Start < task.End {
				t.arrow("s", network, t.syncThread[i]).before(sync.End)
				t.arrow("f", int(t.in.GPUs[task.GPU].Node)+1, t.taskThread[n]).at(task.Start).str("}")
				t.flow++
			}
		}
	}
}

func (t *tracer) arrow(phase string, pid, tid int) *tracer {
	return t.event(phase, pid, tid).str(`,"bp":"e","cat":"iteration","name":"iteration","id":`).int(t.flow)
}

func (t *tracer) before(tick instance.Tick) {
	t.str(`,"ts":`).str(beforeMicros(t.in, tick)).str("}")
}

// shortNumber writes a finite number for JSON, to six digits after the point.
func shortNumber(v float64) string {
	b := strconv.AppendFloat(nil, v, 'f', 6, 64)
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if b[len(b)-1] == '.' {
		b = b[:len(b)-1]
	}
	return string(b)
}
