package sequence

import (
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// mover draws changes of a sequence from what determines its objective: the
// critical path, which leads back in time from a job's completion, at each
// operation to the one that it waited for.
type mover struct {
	edits
	rng *rand.Rand
	// path holds the tasks of the critical path from its end to its start. blocked
	// are those of them that waited for the previous task on their GPU.
	path, blocked []int32
	fresh         bool // path is that of the current sequence
}

// moveKinds is the number of kinds of changes. redealing is for jobs whose iterations have a choice of multisets,
// hastening for synchronisations that are slower than they could be.
const (
	moveKinds = 9
	redealing = 7
	hastening = 8
)

// kinds lists the kinds of changes that are possible in the sequence.
func (m *mover) kinds() (list []int) {
	for kind := range moveKinds {
		switch {
		case kind == redealing && !slices.ContainsFunc(m.sets, func(sets [][]int) bool { return len(sets) > 1 }):
		case kind == hastening && !slices.ContainsFunc(m.level, func(level uint8) bool { return level > 0 }):
		default:
			list = append(list, kind)
		}
	}
	return list
}

// trace finds a critical path: of the last job to end, or of one drawn by weight.
func (m *mover) trace() {
	j := m.goal()
	m.path, m.blocked = m.path[:0], m.blocked[:0]
	op := m.After(j, int32(m.In.Jobs[j].Iterations))
	start := m.times.start
	for op >= 0 {
		if y := int(op) - m.Tasks; y >= 0 {
			latest, end := m.TasksOf(m.Job[op], m.Iteration[op])
			for t := latest + 1; t < end; t++ {
				if start[t]+m.ticks[t] > start[latest]+m.ticks[latest] {
					latest = t
				}
			}
			op = latest
			continue
		}
		m.path = append(m.path, op)
		j := m.Job[op]
		ready := m.In.Jobs[j].Release
		a := m.After(j, m.Iteration[op])
		switch {
		case a >= int32(m.Tasks):
			ready = m.times.end[int(a)-m.Tasks]
		case a >= 0:
			ready = start[a] + m.ticks[a]
		}
		if start[op] == ready {
			op = a
			continue
		}
		m.blocked = append(m.blocked, op)
		if m.times.before[op] < 0 || start[m.times.before[op]]+m.ticks[m.times.before[op]] < start[op] {
			// A gang waited for another of its GPUs.
			op = m.holder(op)
			continue
		}
		op = m.times.before[op]
	}
}

// holder returns the task that delayed the gang of task op.
func (m *mover) holder(op int32) int32 {
	for t, end := m.TasksOf(m.Job[op], m.Iteration[op]); t < end; t++ {
		if b := m.times.before[t]; b >= 0 && m.times.start[b]+m.ticks[b] == m.times.start[op] {
			return b
		}
	}
	return -1
}

// goal returns the job whose completion is to be improved.
func (m *mover) goal() int32 {
	if m.In.Objective == instance.WeightedCompletion {
		return int32(m.rng.IntN(len(m.In.Jobs)))
	}
	latest := 0
	for j, c := range m.times.completion {
		if c > m.times.completion[latest] {
			latest = j
		}
	}
	return int32(latest)
}

// draw makes one random change. It reports whether there is one; if not,
// partial steps must be undone.
func (m *mover) draw(kind int) bool {
	if !m.fresh || m.In.Objective == instance.WeightedCompletion {
		m.trace()
		m.fresh = true
	}
	move := [...]struct {
		of    []int32 // the tasks from which the change is drawn
		apply func(*mover, int32) bool
	}{
		{m.blocked, (*mover).overtake}, {m.blocked, (*mover).insert}, {m.path, (*mover).swapRoles}, {m.path, (*mover).swapManyRoles},
		{m.path, (*mover).moveWorker}, {m.path, (*mover).swapWorkers}, {m.blocked, (*mover).hurry}, {m.path, (*mover).redeal},
		{m.path, (*mover).hasten},
	}[kind]
	return len(move.of) > 0 && move.apply(m, pick(m.rng, move.of))
}

func pick(rng *rand.Rand, list []int32) int32 { return list[rng.IntN(len(list))] }

// overtake puts a blocked task before the one it waited for.
func (m *mover) overtake(u int32) bool {
	v := m.times.before[u]
	if v < 0 {
		return false
	}
	return m.place(u, m.pos[v]) || m.place(v, m.pos[u])
}

// insert puts a blocked task before several others of its GPU, or before one of
// those after it.
func (m *mover) insert(u int32) bool {
	v := m.times.before[u]
	for range m.rng.IntN(6) {
		if v < 0 || m.times.before[v] < 0 {
			break
		}
		v = m.times.before[v]
	}
	if v < 0 {
		return false
	}
	if m.rng.IntN(2) == 0 {
		return m.place(u, m.pos[v]) || m.place(v, m.pos[u])
	}
	return m.place(v, m.pos[u]) || m.place(u, m.pos[v])
}

// swapRoles makes a critical task shallower, and another of its iteration deeper.
func (m *mover) swapRoles(t int32) bool {
	j := m.Job[t]
	k := m.In.Jobs[j].Workers
	if k == 1 {
		return false
	}
	first, _ := m.TasksOf(j, m.Iteration[t])
	for range 4 {
		if o := first + int32(m.rng.IntN(k)); m.depth[o] < m.depth[t] && m.swapDepths(t, o) {
			return true
		}
	}
	return false
}

// swapManyRoles exchanges the roles of two workers over many iterations, so
// that the load of the first one's GPU falls.
func (m *mover) swapManyRoles(t int32) bool {
	j := m.Job[t]
	k := m.In.Jobs[j].Workers
	if k == 1 {
		return false
	}
	o := m.rng.IntN(k)
	n := int(m.Slot[t]) - m.SlotAt[j]
	total := m.In.Jobs[j].Iterations
	length := 1 + m.rng.IntN(min(total, 1<<m.rng.IntN(8)))
	from := max(0, min(total-length, int(m.Iteration[t])-m.rng.IntN(length)))
	done := false
	for i := from; i < from+length; i++ {
		a, b := int32(m.TaskAt[j]+i*k+n), int32(m.TaskAt[j]+i*k+o)
		if m.depth[a] > m.depth[b] {
			done = m.swapDepths(a, b) || done
		}
	}
	return done
}

// redeal gives the iteration of a critical task another multiset of depths, in which
// that task is shallower, if possible.
func (m *mover) redeal(t int32) bool {
	j := m.Job[t]
	if len(m.sets[j]) < 2 || !m.In.Jobs[j].HasSync() {
		return false
	}
	return m.setDepths(t, m.rng.IntN(len(m.sets[j])))
}

// hasten lets the synchronisations of some iterations, from that of a critical task on, be faster.
func (m *mover) hasten(t int32) (done bool) {
	j, i := m.Job[t], m.Iteration[t]
	job := &m.In.Jobs[j]
	if !job.HasSync() {
		return false
	}
	first := int32(m.SyncAt[j])
	level := m.level[first+i]
	if level == 0 {
		return false
	}
	level = uint8(m.rng.IntN(int(level)))
	last := min(i+int32(m.rng.IntN(1<<m.rng.IntN(7))), int32(job.Iterations)-1)
	for ; i <= last; i++ {
		done = m.setLevel(first+i, level) || done
	}
	return done
}

// other draws a target GPU for a worker: in its node, or anywhere, preferably
// one with less load.
func (m *mover) other(g int32) int32 {
	node := &m.In.Nodes[m.In.GPUs[g].Node]
	best := int32(-1)
	for range 1 + m.rng.IntN(3) {
		o := int32(m.rng.IntN(len(m.In.GPUs)))
		if m.rng.IntN(2) == 0 {
			o = int32(node.FirstGPU) + int32(m.rng.IntN(node.GPUs))
		}
		if o != g && (best < 0 || m.load[o] < m.load[best]) {
			best = o
		}
	}
	return best
}

// moveWorker moves the worker of a critical task, or one that shares its GPU,
// to another GPU.
func (m *mover) moveWorker(t int32) bool {
	g := m.gpu[m.Slot[t]]
	slot := pick(m.rng, m.residents[g])
	to := m.other(g)
	if to < 0 {
		return false
	}
	return m.setHome(slot, to) && m.settled(m.Owner[slot])
}

// swapWorkers exchanges the GPUs of two workers of different jobs.
func (m *mover) swapWorkers(t int32) bool {
	g := m.gpu[m.Slot[t]]
	a := pick(m.rng, m.residents[g])
	to := m.other(g)
	if to < 0 || len(m.residents[to]) == 0 {
		return false
	}
	b := pick(m.rng, m.residents[to])
	if m.Owner[a] == m.Owner[b] {
		return false
	}
	return m.setHome(a, to) && m.setHome(b, g) && m.settled(m.Owner[a]) && m.settled(m.Owner[b])
}

// hurry moves iterations of a job on the critical path earlier in the order,
// or those of a job in its way later.
func (m *mover) hurry(u int32) bool {
	v := m.times.before[u]
	if v < 0 {
		return false
	}
	wait := m.times.start[u] - m.times.start[v]
	ticks := 1 + instance.Tick(m.rng.Int64N(int64(4*wait)))
	if m.rng.IntN(2) == 0 {
		first := m.Iteration[u]
		last := min(first+int32(m.rng.IntN(1<<m.rng.IntN(7))), int32(m.In.Jobs[m.Job[u]].Iterations)-1)
		m.relist(m.Job[u], first, last, -ticks)
	} else {
		m.relist(m.Job[v], m.Iteration[v], 0, ticks)
	}
	return true
}
