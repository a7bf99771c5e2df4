package sequence

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
)

// edits changes a sequence in small steps that can be undone.
type edits struct {
	*sequence
	done []edit
	// from is the first place of the list that a step touched.
	from int
	// nets are the previous values of changed nets.
	nets []oldNet
	// relisted is the list from place relistedAt on, before relist.
	relisted   []int32
	relistedAt int
	moved      []int32 // scratch
	others     []int32 // scratch
	order      []int32 // scratch
	deal       []uint8 // scratch
}

// edit is one step, with the data to undo it.
type edit struct {
	kind editKind
	a, b int32
}

type editKind uint8

const (
	editPlace editKind = iota // the operation at place a went to place b
	editDepth                 // task a had depth b
	editHome                  // worker a lived on GPU b
	editSet                   // synchronisation a belonged to multiset b of its job
	editLevel                 // synchronisation a had b as its fastest rate level
	editList                  // the list was rewritten
)

type oldNet struct {
	job int32
	net net
}

// begin starts a new set of steps.
func (e *edits) begin() {
	e.done, e.nets, e.from = e.done[:0], e.nets[:0], len(e.list)
}

// touch marks the list to be decoded anew from place p on.
func (e *edits) touch(p int32) { e.from = min(e.from, int(p)) }

// undo reverts all steps.
func (e *edits) undo() {
	for n := len(e.done) - 1; n >= 0; n-- {
		switch d := e.done[n]; d.kind {
		case editPlace:
			e.shift(d.b, d.a)
		case editDepth:
			e.deepen(d.a, uint8(d.b))
		case editHome:
			e.house(d.a, d.b)
		case editSet:
			e.kind[d.a] = d.b
		case editLevel:
			e.level[d.a] = uint8(d.b)
		case editList:
			copy(e.list[e.relistedAt:], e.relisted)
			for p := e.relistedAt; p < e.relistedAt+len(e.relisted); p++ {
				e.pos[e.list[p]] = int32(p)
			}
		}
	}
	for n := len(e.nets) - 1; n >= 0; n-- {
		e.sequence.nets[e.nets[n].job] = e.nets[n].net
	}
}

// shift moves the operation at place a of the list to place b.
func (e *edits) shift(a, b int32) {
	op := e.list[a]
	if a < b {
		copy(e.list[a:b], e.list[a+1:b+1])
	} else {
		copy(e.list[b+1:a+1], e.list[b:a])
	}
	e.list[b] = op
	for p := min(a, b); p <= max(a, b); p++ {
		e.pos[e.list[p]] = p
	}
}

// place moves an operation to place b of the list, if that is permitted.
func (e *edits) place(op, b int32) bool {
	a := e.pos[op]
	if low, high := e.reachOf(op); a == b || b < low || b > high {
		return false
	}
	e.shift(a, b)
	e.done = append(e.done, edit{kind: editPlace, a: a, b: b})
	e.touch(min(a, b))
	return true
}

// reachOf returns the places between which an operation may be moved, with the
// others staying in order.
func (e *edits) reachOf(op int32) (low, high int32) {
	j, i := e.Job[op], e.Iteration[op]
	job := &e.In.Jobs[j]
	low, high = 0, int32(len(e.list)-1)
	if int(op) < e.Tasks {
		if a := e.After(j, i); a >= 0 {
			low = e.pos[a] + 1
		}
		if job.HasSync() {
			high = e.pos[e.After(j, i+1)] - 1
		} else if int(i)+1 < job.Iterations {
			high = e.pos[op+1] - 1
		}
		return low, high
	}
	for t, end := e.TasksOf(j, i); t < end; t++ {
		low = max(low, e.pos[t]+1)
	}
	if int(i)+1 < job.Iterations {
		for t, end := e.TasksOf(j, i+1); t < end; t++ {
			high = min(high, e.pos[t]-1)
		}
	}
	return low, high
}

// deepen gives a task another depth.
func (e *edits) deepen(t int32, depth uint8) {
	slot := e.Slot[t]
	g := e.gpu[slot]
	ticks := e.In.Jobs[e.Job[t]].On[e.In.GPUs[g].Type].Time[depth]
	e.load[g] += ticks - e.ticks[t]
	e.used[int(slot)*e.Depths+int(e.depth[t])]--
	e.used[int(slot)*e.Depths+int(depth)]++
	e.depth[t], e.ticks[t] = depth, ticks
}

// allows reports whether the memory of a worker's GPU allows the depth.
func (e *edits) allows(slot, j int32, depth uint8) bool {
	g := e.gpu[slot]
	t := e.In.GPUs[g].Type
	return e.In.Jobs[j].On[t].Ephemeral[depth] <= e.In.Types[t].Memory-e.persistent[g]
}

// setDepth is deepen as a step.
func (e *edits) setDepth(t int32, depth uint8) {
	e.done = append(e.done, edit{kind: editDepth, a: t, b: int32(e.depth[t])})
	e.deepen(t, depth)
	e.touch(e.pos[t])
	// A gang is placed all at once, at the first of its tasks in the list.
	if j := e.Job[t]; e.In.Jobs[j].Gang {
		e.touchTasks(j, e.Iteration[t])
	}
}

// swapDepths exchanges the depths of two tasks of an iteration.
func (e *edits) swapDepths(a, b int32) bool {
	j := e.Job[a]
	da, db := e.depth[a], e.depth[b]
	if da == db || !e.allows(e.Slot[a], j, db) || !e.allows(e.Slot[b], j, da) {
		return false
	}
	e.setDepth(a, db)
	e.setDepth(b, da)
	return true
}

// house moves a worker to GPU g, with all its tasks.
func (e *edits) house(slot, g int32) {
	job := &e.In.Jobs[e.Owner[slot]]
	old := e.gpu[slot]
	costs := job.On[e.In.GPUs[g].Type]
	e.persistent[old] -= job.On[e.In.GPUs[old].Type].Persistent
	e.persistent[g] += costs.Persistent
	n := slices.Index(e.residents[old], slot)
	last := len(e.residents[old]) - 1
	e.residents[old][n] = e.residents[old][last]
	e.residents[old] = e.residents[old][:last]
	e.residents[g] = append(e.residents[g], slot)
	for i := range job.Iterations {
		t := e.taskOf(slot, i)
		e.load[old] -= e.ticks[t]
		e.ticks[t] = costs.Time[e.depth[t]]
		e.load[g] += e.ticks[t]
	}
	e.gpu[slot] = g
}

// taskOf returns the task of a worker in iteration i.
func (e *edits) taskOf(slot int32, i int) int32 {
	j := e.Owner[slot]
	return int32(e.TaskAt[j] + i*e.In.Jobs[j].Workers + int(slot) - e.SlotAt[j])
}

// setHome is house as a step, if the worker's job may live on GPU g. The caller
// checks the result with settled.
func (e *edits) setHome(slot, g int32) bool {
	if !e.In.MayLive(instance.JobID(e.Owner[slot]), instance.GPUID(g)) {
		return false
	}
	e.done = append(e.done, edit{kind: editHome, a: slot, b: e.gpu[slot]})
	e.house(slot, g)
	e.touchTasks(e.Owner[slot], 0)
	return true
}

// touchTasks touches the tasks of iteration i of job j.
func (e *edits) touchTasks(j, i int32) {
	for t, end := e.TasksOf(j, i); t < end; t++ {
		e.touch(e.pos[t])
	}
}

// settled reports whether job j may live on its current GPUs, and updates what
// its synchronisations use.
func (e *edits) settled(j int32) bool {
	job := &e.In.Jobs[j]
	residency := e.gpu[e.SlotAt[j]:e.SlotAt[j+1]]
	first := e.In.GPUs[residency[0]].Node
	for n, g := range residency {
		gpu := &e.In.GPUs[g]
		if slices.Contains(residency[:n], g) || !job.Runs(gpu.Type) || !e.fits(g) || !e.In.MayJoin(job, first, gpu.Node) {
			return false
		}
	}
	net, ok := e.netOf(j)
	if ok {
		e.nets = append(e.nets, oldNet{j, e.sequence.nets[j]})
		e.sequence.nets[j] = net
	}
	return ok
}

// fits reports whether the memory of a GPU holds its residents (rule 7).
func (e *edits) fits(g int32) bool {
	t := e.In.GPUs[g].Type
	room := e.In.Types[t].Memory - e.persistent[g]
	for _, slot := range e.residents[g] {
		costs := e.In.Jobs[e.Owner[slot]].On[t]
		for d := len(costs.Ephemeral) - 1; d >= 0; d-- {
			if e.used[int(slot)*e.Depths+d] > 0 {
				if costs.Ephemeral[d] > room {
					return false
				}
				break
			}
		}
	}
	return room >= 0
}

// setDepths gives the workers of an iteration a multiset of their job: each about its
// previous depth, and task t, if possible, a shallower one.
func (e *edits) setDepths(t int32, set int) bool {
	j := e.Job[t]
	y := int32(e.SyncAt[j]) + e.Iteration[t]
	if int(e.kind[y]) == set {
		return false
	}
	e.order = e.order[:0]
	for o, end := e.TasksOf(j, e.Iteration[t]); o < end; o++ {
		e.order = append(e.order, o)
	}
	slices.SortFunc(e.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(e.depth[a], e.depth[b]), cmp.Compare(a, b))
	})
	e.deal = e.deal[:0]
	for d, count := range e.sets[j][set] {
		for range count {
			e.deal = append(e.deal, uint8(d))
		}
	}
	// Task t moves to the first place with a smaller depth than it has.
	n := slices.Index(e.order, t)
	for ; n > 0 && e.deal[n] >= e.depth[t]; n-- {
		e.order[n] = e.order[n-1]
	}
	e.order[n] = t
	for n, o := range e.order {
		if !e.allows(e.Slot[o], j, e.deal[n]) {
			return false
		}
		if e.depth[o] != e.deal[n] {
			e.setDepth(o, e.deal[n])
		}
	}
	e.done = append(e.done, edit{kind: editSet, a: y, b: e.kind[y]})
	e.kind[y] = int32(set)
	e.touch(e.pos[int32(e.Tasks)+y])
	return true
}

// setLevel lets a synchronisation be as fast as a rate level, if so far it had to be slower.
func (e *edits) setLevel(y int32, level uint8) bool {
	if e.level[y] <= level {
		return false
	}
	e.done = append(e.done, edit{kind: editLevel, a: y, b: int32(e.level[y])})
	e.level[y] = level
	e.touch(e.pos[int32(e.Tasks)+y])
	return true
}

// relist moves the operations of iterations first..last of job j in the list as
// if they started ticks later, or earlier if that is negative. Those that move
// later push the following iterations along.
func (e *edits) relist(j, first, last int32, ticks instance.Tick) {
	job := &e.In.Jobs[j]
	start := e.times.start
	from, end := int32(0), int32(len(e.list))
	if ticks < 0 {
		if a := e.After(j, first); a >= 0 {
			from = e.pos[a] + 1
		}
		end = 0
		for i := first; i <= last; i++ {
			e.each(j, i, func(op int32) { end = max(end, e.pos[op]+1) })
		}
	} else {
		last = int32(job.Iterations) - 1
		from = end
		e.each(j, first, func(op int32) { from = min(from, e.pos[op]) })
	}
	e.relisted = append(e.relisted[:0], e.list[from:end]...)
	e.relistedAt = int(from)
	e.moved, e.others = e.moved[:0], e.others[:0]
	for _, op := range e.relisted {
		if e.Job[op] == j && e.Iteration[op] >= first && e.Iteration[op] <= last {
			e.moved = append(e.moved, op)
		} else {
			e.others = append(e.others, op)
		}
	}
	m, o := e.moved, e.others
	for p := from; p < end; p++ {
		if len(o) == 0 || len(m) > 0 && (start[m[0]]+ticks < start[o[0]] || e.Job[o[0]] == j) {
			e.list[p], m = m[0], m[1:]
		} else {
			e.list[p], o = o[0], o[1:]
		}
		e.pos[e.list[p]] = p
	}
	e.done = append(e.done, edit{kind: editList})
	e.touch(from)
}

// each calls f with the operations of an iteration.
func (e *edits) each(j, i int32, f func(op int32)) {
	for t, end := e.TasksOf(j, i); t < end; t++ {
		f(t)
	}
	if e.In.Jobs[j].HasSync() {
		f(int32(e.Tasks+e.SyncAt[j]) + i)
	}
}
