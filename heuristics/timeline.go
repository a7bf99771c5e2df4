package heuristics

import (
	"slices"
	"sort"

	"jigsaw/formulation/instance"
)

// gpuTimeline is when a GPU is busy: disjoint intervals, ascending, merged
// where they touch.
type gpuTimeline []busyInterval

type busyInterval struct{ from, to instance.Tick }

// earliest returns the earliest start at or after t of a free stretch of the
// given length.
func (l gpuTimeline) earliest(t, length instance.Tick) instance.Tick {
	i := sort.Search(len(l), func(i int) bool { return l[i].to > t })
	for ; i < len(l) && l[i].from < t+length; i++ {
		t = max(t, l[i].to)
	}
	return t
}

// add makes the GPU busy from..to, which must be free.
func (l *gpuTimeline) add(from, to instance.Tick) {
	s := *l
	i := sort.Search(len(s), func(i int) bool { return s[i].to >= from })
	before := i < len(s) && s[i].to == from
	if before {
		s[i].to = to
		if i+1 < len(s) && s[i+1].from == to {
			s[i].to = s[i+1].to
			*l = slices.Delete(s, i+1, i+2)
		}
		return
	}
	if i < len(s) && s[i].from == to {
		s[i].from = from
		return
	}
	*l = slices.Insert(s, i, busyInterval{from, to})
}

// linkTimeline is the load of a link over time: steps[i].load from steps[i].at
// to steps[i+1].at, and 0 after the last step, whose load is 0. Empty: idle.
type linkTimeline []linkStep

type linkStep struct {
	at   instance.Tick
	load instance.BitRate
}

// earliest returns the earliest start at or after t of a stretch of the given
// length throughout which the load is at most room.
func (l linkTimeline) earliest(t, length instance.Tick, room instance.BitRate) instance.Tick {
	i := len(l) - 1
	if n := len(l) - 8; n > 0 && l[n].at > t {
		i = sort.Search(n, func(i int) bool { return l[i].at > t }) - 1
	}
	for i > 0 && l[i].at > t { // most look near the end
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

// add puts a load on the link from..to.
func (l *linkTimeline) add(from, to instance.Tick, load instance.BitRate) {
	for i := l.cut(from); i < l.cut(to); i++ {
		(*l)[i].load += load
	}
}

// cut returns the index of the step that begins at t, making it if need be.
func (l *linkTimeline) cut(t instance.Tick) int {
	s := *l
	i := sort.Search(len(s), func(i int) bool { return s[i].at >= t })
	if i < len(s) && s[i].at == t {
		return i
	}
	load := instance.BitRate(0)
	if i > 0 {
		load = s[i-1].load
	}
	*l = slices.Insert(s, i, linkStep{t, load})
	return i
}

// forget drops what happened before tick t.
func (l *linkTimeline) forget(t instance.Tick) {
	s, n := *l, 0
	for n < len(s) && s[n].at <= t {
		n++
	}
	if n > 1 {
		*l = append(s[:0], s[n-1:]...)
	}
}
