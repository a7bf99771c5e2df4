package orders

import (
	"encoding/binary"
	"slices"
)

// examinedState says what is done, and when jobs and GPUs may continue.
type examinedState struct {
	all   []int64 // backing array of the slices that follow
	done  []int64 // by job: iterations done
	begun []int64 // by GPU: residents that have begun the current iteration, as bits
	dealt []int64 // by job, depth: workers that have begun it
	ready []int64 // by job: when it may begin
	over  []int64 // by job: end of the tasks that have begun
	free  []int64 // by GPU: when it is free
	cost  int64   // sum w C of the jobs that have ended
	score int64   // lower is more promising
	dead  bool    // another state dominates, or enough are more promising
	// For a traced way: the GPU that each GPU stands for, as identical ones are sorted; the trail
	// of the state, and the tasks since.
	stands []int
	trail  *trail
	tasks  []Placed
}

// examinedLayer holds the states in which a given number of tasks are appended, in the
// order in which they were made, and by what is done in them.
type examinedLayer struct {
	states []*examinedState
	alike  map[string][]*examinedState
}

// Limits on the memory of the check: numbers in all states at a time, the overhead of a state
// in the same unit, and pairs of remainders remembered.
const (
	mostHeld      = 1 << 26
	stateOverhead = 40
	mostDeeper    = 1 << 20
)

// state returns a new state to fill in. If there is no memory for more, the examination
// ends.
func (e *Examiner) state() *examinedState {
	if n := len(e.spare); n > 0 {
		x := e.spare[n-1]
		e.spare = e.spare[:n-1]
		return x
	}
	jobs, gpus, last := len(e.Jobs), len(e.Residents), len(e.Jobs)-1
	depths := e.orders[last].first + len(e.Jobs[last].Job.Depths)
	x := &examinedState{all: make([]int64, 3*jobs+2*gpus+depths)}
	if e.held += len(x.all) + stateOverhead; e.held > mostHeld {
		e.Steps = -1
	}
	if e.Trace {
		x.stands = make([]int, gpus)
	}
	all := x.all
	take := func(n int) []int64 {
		list := all[:n:n]
		all = all[n:]
		return list
	}
	x.done, x.begun, x.dealt, x.ready, x.over, x.free = take(jobs), take(gpus), take(depths), take(jobs), take(jobs), take(gpus)
	return x
}

func (e *Examiner) clone(x *examinedState) *examinedState {
	y := e.state()
	copy(y.all, x.all)
	copy(y.stands, x.stands)
	y.cost, y.dead, y.trail, y.tasks = x.cost, false, x.trail, y.tasks[:0]
	return y
}

// keep adds a state to a layer unless another state there dominates it.
func (e *Examiner) keep(to int, x *examinedState) {
	for _, alike := range e.Alike {
		for i := range alike {
			for k := i; k > 0; k-- {
				a, b := alike[k-1], alike[k]
				if x.begun[a] < x.begun[b] || x.begun[a] == x.begun[b] && x.free[a] <= x.free[b] {
					break
				}
				x.begun[a], x.begun[b], x.free[a], x.free[b] = x.begun[b], x.begun[a], x.free[b], x.free[a]
				if e.Trace {
					x.stands[a], x.stands[b] = x.stands[b], x.stands[a]
				}
			}
		}
	}
	e.key = e.key[:0]
	for _, n := range x.all[:len(x.done)+len(x.begun)] {
		e.key = binary.LittleEndian.AppendUint32(e.key, uint32(n))
	}
	key := string(e.key)
	l := &e.layers[to]
	if l.alike == nil {
		l.alike = map[string][]*examinedState{}
	}
	list := l.alike[key]
	e.Steps -= len(list) / comparisons
	for _, o := range list {
		if e.dominates(o, x) {
			e.spare = append(e.spare, x)
			return
		}
	}
	list = slices.DeleteFunc(list, func(o *examinedState) bool {
		o.dead = e.dominates(x, o)
		return o.dead
	})
	if e.Trace {
		x.trail, x.tasks = &trail{x.trail, x.tasks}, nil
	}
	l.alike[key] = append(list, x)
	l.states = append(l.states, x)
}

func (e *Examiner) dominates(a, b *examinedState) bool {
	if a.cost > b.cost {
		return false
	}
	times := len(a.done) + len(a.begun) + len(a.dealt)
	for i, t := range b.all[times:] {
		if a.all[times+i] > t {
			return false
		}
	}
	if !slices.Equal(a.dealt, b.dealt) {
		for j := range e.Jobs {
			if !e.dealtDeeper(j, e.dealt(a, j), e.dealt(b, j)) {
				return false
			}
		}
	}
	return true
}

// dealtDeeper reports whether workers have begun tasks so deep that, whatever may be
// left in the other state with as many begun, some possible remainder here is no
// deeper, task by task.
func (e *Examiner) dealtDeeper(j int, a, b []int64) bool {
	o := &e.orders[j]
	if slices.Equal(a, b) || !o.monotone {
		return slices.Equal(a, b)
	}
	p, q := e.remainder(j, a), e.remainder(j, b)
	deeper, ok := o.deeper[[2]*remainder{p, q}]
	if ok {
		return deeper
	}
	deeper = true
	for y := range q.left {
		found := false
		for x := range p.left {
			more, good := int64(0), p.pause[x] <= q.pause[y] // remaining tasks that are at least as deep
			for d := len(a) - 1; d >= 0; d-- {
				more += p.left[x][d] - q.left[y][d]
				good = good && more <= 0
			}
			found = found || good
		}
		deeper = deeper && found
	}
	if len(o.deeper) < mostDeeper {
		o.deeper[[2]*remainder{p, q}] = deeper
	}
	return deeper
}
