package periodic

import (
	"slices"
	"sort"

	"jigsaw/formulation/instance"
)

// gpuCycle is the busy time of one GPU modulo a period: disjoint intervals
// within [0, period), ascending, merged if they touch. A task that crosses the
// end of the period is two intervals. With lists of intervals instead of an
// array of ticks, a period of a million ticks is as cheap as one of ten.
type gpuCycle struct {
	period instance.Tick
	busy   []arc
	load   instance.Tick // sum of the busy intervals
}

// arc is the time from..to, modulo a period, from < to.
type arc struct{ from, to instance.Tick }

// residue returns t modulo the period, for t of any sign.
func residue(t, period instance.Tick) instance.Tick {
	if t %= period; t < 0 {
		t += period
	}
	return t
}

// first returns the earliest start at or after t of a free stretch of the
// given length.
func (w *gpuCycle) first(t, length instance.Tick) (start instance.Tick, ok bool) {
	n := len(w.busy)
	switch {
	case length > w.period:
		return 0, false
	case n == 0:
		return t, true
	}
	at := residue(t, w.period)
	base := t - at
	i := sort.Search(n, func(i int) bool { return w.busy[i].to > at })
	cur, lap := at, instance.Tick(0)
	for cur-at < w.period {
		if i == n {
			i, lap = 0, lap+w.period
		}
		if w.busy[i].from+lap-cur >= length {
			return base + cur, true
		}
		cur = max(cur, w.busy[i].to+lap)
		i++
	}
	return 0, false
}

// within returns the start of a task of the given length in a free stretch
// inside the window [t, limit). late requests the latest start. Otherwise it is
// in the smallest stretch with enough room, at an end of that stretch if the
// window permits, so that little time is left in pieces too short to use.
func (w *gpuCycle) within(t, limit, length instance.Tick, late bool) (start instance.Tick, ok bool) {
	n := len(w.busy)
	switch {
	case length > w.period || limit-t < length:
		return 0, false
	case n == 0 && late:
		return limit - length, true
	case n == 0:
		return t, true
	}
	at := residue(t, w.period)
	base := t - at
	i := sort.Search(n, func(i int) bool { return w.busy[i].from > at })
	for smallest := w.period + 1; ; i++ {
		if i == n {
			i, base = 0, base+w.period
		}
		from, to := base+w.busy[(i+n-1)%n].to, base+w.busy[i].from
		if i == 0 {
			from -= w.period
		}
		if from >= limit || from-t >= w.period {
			return start, ok
		}
		lo, hi := max(from, t), min(to, limit)
		if hi-lo < length {
			continue
		}
		switch {
		case late:
			start, ok = hi-length, true
		case to-from >= smallest:
		default:
			smallest, ok = to-from, true
			if start = lo; from < t && to <= limit {
				start = to - length
			}
		}
	}
}

// lay returns [start, start+length) within a period: one arc, or two if it
// crosses the end; those of no length are empty.
func lay(start, length, period instance.Tick) (arc, arc) {
	from := residue(start, period)
	to := from + length
	return arc{from, min(to, period)}, arc{0, max(0, to-period)}
}

// add marks [start, start+length) busy; it must be free.
func (w *gpuCycle) add(start, length instance.Tick) {
	w.load += length
	a, b := lay(start, length, w.period)
	w.insert(a.from, a.to)
	w.insert(b.from, b.to)
}

func (w *gpuCycle) insert(from, to instance.Tick) {
	if from == to {
		return
	}
	i := sort.Search(len(w.busy), func(i int) bool { return w.busy[i].from >= from })
	left := i > 0 && w.busy[i-1].to == from
	right := i < len(w.busy) && w.busy[i].from == to
	switch {
	case left && right:
		w.busy[i-1].to = w.busy[i].to
		w.busy = slices.Delete(w.busy, i, i+1)
	case left:
		w.busy[i-1].to = to
	case right:
		w.busy[i].from = from
	default:
		w.busy = slices.Insert(w.busy, i, arc{from, to})
	}
}

// remove frees [start, start+length), all of it busy.
func (w *gpuCycle) remove(start, length instance.Tick) {
	w.load -= length
	a, b := lay(start, length, w.period)
	w.cut(a.from, a.to)
	w.cut(b.from, b.to)
}

func (w *gpuCycle) cut(from, to instance.Tick) {
	if from == to {
		return
	}
	i := sort.Search(len(w.busy), func(i int) bool { return w.busy[i].to > from })
	switch a := &w.busy[i]; {
	case a.from == from && a.to == to:
		w.busy = slices.Delete(w.busy, i, i+1)
	case a.from == from:
		a.from = to
	case a.to == to:
		a.to = from
	default:
		rest := arc{to, a.to}
		a.to = from
		w.busy = slices.Insert(w.busy, i+1, rest)
	}
}

// linkCycle is the used rate of a link modulo a period, as a step function:
// used[i] from at[i] to at[i+1], the last step to the period. at[0] is 0.
type linkCycle struct {
	period   instance.Tick
	capacity instance.Rate
	at       []instance.Tick
	used     []instance.Rate
}

// first returns the earliest start at or after t at which rate is free for the
// given length, as [gpuCycle.first].
func (w *linkCycle) first(t, length instance.Tick, rate instance.Rate) (start instance.Tick, ok bool) {
	room := w.capacity - rate
	switch {
	case length > w.period || room < 0:
		return 0, false
	case length == 0 || len(w.at) == 0:
		return t, true
	}
	at := residue(t, w.period)
	base := t - at
	n := len(w.at)
	i := sort.Search(n, func(i int) bool { return w.at[i] > at }) - 1
	cur, lap := at, instance.Tick(0)
	for cur-at < w.period {
		end := w.period + lap
		if i+1 < n {
			end = w.at[i+1] + lap
		}
		if w.used[i] > room {
			cur = end
		} else if end-cur >= length {
			return base + cur, true
		}
		if i++; i == n {
			i, lap = 0, lap+w.period
		}
	}
	return 0, false
}

// add takes rate over [start, start+length); it must be free.
func (w *linkCycle) add(start, length instance.Tick, rate instance.Rate) {
	if len(w.at) == 0 {
		w.at, w.used = append(w.at, 0), append(w.used, 0)
	}
	a, b := lay(start, length, w.period)
	w.take(a.from, a.to, rate)
	w.take(b.from, b.to, rate)
}

func (w *linkCycle) take(from, to instance.Tick, rate instance.Rate) {
	if from == to {
		return
	}
	first, end := w.split(from), len(w.at)
	if to < w.period {
		end = w.split(to)
	}
	for i := first; i < end; i++ {
		w.used[i] += rate
	}
	if rate < 0 { // some steps may be merged
		w.join(end)
		w.join(first)
	}
}

// join merges step i with the step before if they are equal.
func (w *linkCycle) join(i int) {
	if i > 0 && i < len(w.at) && w.used[i] == w.used[i-1] {
		w.at = slices.Delete(w.at, i, i+1)
		w.used = slices.Delete(w.used, i, i+1)
	}
}

// split makes a step begin at t and returns its index.
func (w *linkCycle) split(t instance.Tick) int {
	i, found := slices.BinarySearch(w.at, t)
	if !found {
		w.at = slices.Insert(w.at, i, t)
		w.used = slices.Insert(w.used, i, w.used[i-1])
	}
	return i
}
