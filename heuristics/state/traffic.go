package state

import (
	"slices"

	"jigsaw/formulation/instance"
)

// Traffic is the synchronisations that are running in a simulation; [Links] also has those that begin later, and the gaps between.
type Traffic struct {
	in *instance.Instance
	// Load is the sum of their rates, per link.
	Load    []instance.Rate
	running [][]transfer // per link, the first to end first
}

// transfer is a running synchronisation on a link.
type transfer struct {
	job  int32
	end  instance.Tick
	rate instance.Rate
}

// NewTraffic returns one without any.
func NewTraffic(in *instance.Instance) Traffic {
	return Traffic{in, make([]instance.Rate, len(in.Links)), make([][]transfer, len(in.Links))}
}

// Clear ends all.
func (t *Traffic) Clear() {
	clear(t.Load)
	for l := range t.running {
		t.running[l] = t.running[l][:0]
	}
}

// Begin starts the synchronisation of a job at a rate until its end.
func (t *Traffic) Begin(job int32, uses []instance.LinkUse, rate instance.Rate, end instance.Tick) {
	for _, u := range uses {
		r := rate * instance.Rate(u.Times)
		t.Load[u.Link] += r
		list := append(t.running[u.Link], transfer{})
		i := len(list) - 1
		for ; i > 0 && list[i-1].end > end; i-- {
			list[i] = list[i-1]
		}
		list[i] = transfer{job, end, r}
		t.running[u.Link] = list
	}
}

// End ends that of a job, if one is running.
func (t *Traffic) End(job int32, uses []instance.LinkUse) {
	for _, u := range uses {
		list := t.running[u.Link]
		if i := slices.IndexFunc(list, func(r transfer) bool { return r.job == job }); i >= 0 {
			t.Load[u.Link] -= list[i].rate
			t.running[u.Link] = append(list[:i], list[i+1:]...)
		}
	}
}

// Last is when the last of those on a link ends, 0 if there is none.
func (t *Traffic) Last(l instance.LinkID) instance.Tick {
	if n := len(t.running[l]); n > 0 {
		return t.running[l][n-1].end
	}
	return 0
}

// RoomAt returns when those that are running now leave room for another at a rate.
func (t *Traffic) RoomAt(now instance.Tick, uses []instance.LinkUse, rate instance.Rate) instance.Tick {
	for _, u := range uses {
		lack := t.Load[u.Link] + rate*instance.Rate(u.Times) - t.in.Capacity(u.Link)
		for _, r := range t.running[u.Link] {
			if lack <= 0 {
				break
			}
			lack -= r.rate
			now = max(now, r.end)
		}
	}
	return now
}
