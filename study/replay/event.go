package replay

import "math"

// event is the expected end of a job for one version of its run.
type event struct {
	time    float64
	job     int
	version int
}

func sooner(a, b event) bool { return a.time < b.time || a.time == b.time && a.job < b.job }

// nextEnd returns the time of the first valid event, dropping invalid ones
// before it; +Inf if there is none.
func (s *sim) nextEnd() float64 {
	for len(s.ends.items) > 0 {
		e := s.ends.items[0]
		if r := &s.runs[e.job]; r.group != nil && r.version == e.version {
			return e.time
		}
		s.ends.pop()
	}
	return math.Inf(1)
}
