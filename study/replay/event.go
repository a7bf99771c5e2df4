package replay

import "math"

// event is the end of a job, as it is expected by one version of its run.
type event struct {
	time    float64
	job     int
	version int
}

func (e event) before(o event) bool { return e.time < o.time || e.time == o.time && e.job < o.job }

// nextEnd returns the time of the first event that still holds, dropping those
// before it that do not; +Inf without one.
func (s *sim) nextEnd() float64 {
	for len(s.ends) > 0 {
		e := s.ends[0]
		if r := &s.runs[e.job]; r.group != nil && r.version == e.version {
			return e.time
		}
		s.ends.pop()
	}
	return math.Inf(1)
}
