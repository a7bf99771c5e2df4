package state

import (
	"slices"
	"sort"

	"jigsaw/formulation/instance"
)

// GPUTimeline holds when a GPU is busy: disjoint intervals, ascending, merged
// if they touch.
type GPUTimeline []busyInterval

type busyInterval struct{ from, to instance.Tick }

// Earliest returns the earliest start at or after t of a free stretch of the
// given length, and the index of the interval after it, for Add.
func (l GPUTimeline) Earliest(t, length instance.Tick) (start instance.Tick, next int) {
	i, n := 0, len(l)
	for i < n { // sort.Search, without a call per step
		if m := (i + n) / 2; l[m].to > t {
			n = m
		} else {
			i = m + 1
		}
	}
	for ; i < len(l) && l[i].from < t+length; i++ {
		t = max(t, l[i].to)
	}
	return t, i
}

// Add makes the GPU busy from..to, which must be free, before the interval with index next.
func (l *GPUTimeline) Add(next int, from, to instance.Tick) {
	s := *l
	after := next < len(s) && s[next].from == to
	switch before := next > 0 && s[next-1].to == from; {
	case before && after:
		s[next-1].to = s[next].to
		*l = slices.Delete(s, next, next+1)
	case before:
		s[next-1].to = to
	case after:
		s[next].from = from
	default:
		*l = slices.Insert(s, next, busyInterval{from, to})
	}
}

// LinkTimeline is the load of a link over time: steps[i].load from steps[i].at
// to steps[i+1].at, and 0 after the last step, whose load is 0. Empty: idle.
type LinkTimeline []linkStep

type linkStep struct {
	at   instance.Tick
	load instance.Rate
}

// Earliest returns the earliest start at or after t of a stretch of the given
// length throughout which the load is at most room.
func (l LinkTimeline) Earliest(t, length instance.Tick, room instance.Rate) instance.Tick {
	i := len(l) - 1
	if n := len(l) - 8; n > 0 && l[n].at > t {
		i = sort.Search(n, func(i int) bool { return l[i].at > t }) - 1
	}
	for i > 0 && l[i].at > t { // most searches are near the end
		i--
	}
	for i = max(i, 0); i < len(l) && l[i].at < t+length; i++ {
		if l[i].load > room {
			// The last step has load 0, so there is a next one.
			t = max(t, l[i+1].at)
		}
	}
	return t
}

// Peak returns the greatest load from..to.
func (l LinkTimeline) Peak(from, to instance.Tick) (load instance.Rate) {
	for i, step := range l {
		if step.at < to && (i+1 == len(l) || from < l[i+1].at) {
			load = max(load, step.load)
		}
	}
	return load
}

// Add puts a load on the link from..to.
func (l *LinkTimeline) Add(from, to instance.Tick, load instance.Rate) {
	first, last := l.cut(from), l.cut(to)
	for i := first; i < last; i++ {
		(*l)[i].load += load
	}
}

// cut returns the index of the step that begins at t, and makes it if
// necessary.
func (l *LinkTimeline) cut(t instance.Tick) int {
	s := *l
	i := sort.Search(len(s), func(i int) bool { return s[i].at >= t })
	if i < len(s) && s[i].at == t {
		return i
	}
	load := instance.Rate(0)
	if i > 0 {
		load = s[i-1].load
	}
	*l = slices.Insert(s, i, linkStep{t, load})
	return i
}

// forget drops what happened before tick t.
func (l *LinkTimeline) forget(t instance.Tick) {
	s, n := *l, 0
	for n < len(s) && s[n].at <= t {
		n++
	}
	if n > 1 {
		*l = append(s[:0], s[n-1:]...)
	}
}

// Links are the loads of all links of an instance.
type Links []LinkTimeline

// Clear makes all links idle.
func (l Links) Clear() {
	for i := range l {
		l[i] = l[i][:0]
	}
}

// Copy makes the loads those of other links.
func (l Links) Copy(from Links) {
	for i := range l {
		l[i] = append(l[i][:0], from[i]...)
	}
}

// Forget drops what happened before tick t.
func (l Links) Forget(t instance.Tick) {
	for i := range l {
		l[i].forget(t)
	}
}

// Earliest returns the earliest start at or after t from which all of the links in use have room
// for a synchronisation of that rate and length.
func (l Links) Earliest(in *instance.Instance, uses []instance.LinkUse, rate instance.Rate, t, length instance.Tick) instance.Tick {
	for settled := length == 0; !settled; {
		settled = true
		for _, u := range uses {
			if free := l[u.Link].Earliest(t, length, in.Capacity(u.Link)-rate*instance.Rate(u.Times)); free > t {
				t, settled = free, false
			}
		}
	}
	return t
}

// Add puts a synchronisation on the links that it uses.
func (l Links) Add(uses []instance.LinkUse, rate instance.Rate, from, to instance.Tick) {
	for _, u := range uses {
		if to > from {
			l[u.Link].Add(from, to, rate*instance.Rate(u.Times))
		}
	}
}

// AddFirst puts a synchronisation that may start at t on the links at the one of the levels, fastest first, at
// which it ends first. It returns the index of that level, and the start and end.
func (l Links) AddFirst(in *instance.Instance, uses []instance.LinkUse, levels []SyncLevel, t instance.Tick) (level int, start, end instance.Tick) {
	end = Never
	for n := range levels {
		length := levels[n].Length
		if t+length >= end {
			continue
		}
		if at := l.Earliest(in, uses, levels[n].Rate, t, length); at+length < end {
			level, start, end = n, at, at+length
		}
	}
	l.Add(uses, levels[level].Rate, start, end)
	return level, start, end
}
