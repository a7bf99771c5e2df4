package state

import (
	"math"
	"math/bits"

	"jigsaw/formulation/instance"
)

// Value orders schedules: first by missed deadlines, then by the objective of
// the instance. Lower is better. The objective is a 128-bit integer, because
// weights times ticks times jobs exceed 64 bits.
type Value struct {
	Late   instance.Tick // sum over jobs of ticks past the deadline
	hi, Lo uint64
	// tie is the sum of completion times. It guides searches across plateaus of the
	// makespan and is not used otherwise.
	tie instance.Tick
}

// Less reports whether v is better than o.
func (v Value) Less(o Value) bool {
	switch {
	case v.Late != o.Late:
		return v.Late < o.Late
	case v.hi != o.hi:
		return v.hi < o.hi
	}
	return v.Lo < o.Lo
}

// same reports whether the schedules have the same value.
func (v Value) same(o Value) bool { return v.Late == o.Late && v.hi == o.hi && v.Lo == o.Lo }

// Ahead is [Value.Less] with ties broken.
func (v Value) Ahead(o Value) bool { return v.Less(o) || v.same(o) && v.tie < o.tie }

// Near reports whether v is at most the given fraction of o worse than o.
func (v Value) Near(o Value, part float64) bool {
	return v.Late == o.Late && v.Float() <= o.Float()*(1+part)
}

// Float is the objective, rounded.
func (v Value) Float() float64 { return float64(v.hi)*(1<<64) + float64(v.Lo) }

// ValueOf computes the value of a schedule with the given completion times.
func ValueOf(in *instance.Instance, completion []instance.Tick) Value {
	var v Value
	for j, c := range completion {
		job := &in.Jobs[j]
		v.tie += c
		if job.Deadline > 0 && c > job.Deadline {
			v.Late += c - job.Deadline
		}
		if in.Objective == instance.WeightedCompletion {
			hi, lo := bits.Mul64(uint64(job.Weight), uint64(c))
			var carry uint64
			v.Lo, carry = bits.Add64(v.Lo, lo, 0)
			v.hi += hi + carry
		} else {
			v.Lo = max(v.Lo, uint64(c))
		}
	}
	return v
}

// Never is later than every event.
const Never = instance.Tick(math.MaxInt64)

// Incumbent is a schedule with its value; nil: none yet.
type Incumbent struct {
	Schedule *instance.Schedule
	Value    Value
}

// SumOfEnds adds up the ends of the jobs of a plan, to compare plans of equal value.
func SumOfEnds(in *instance.Instance, s *instance.BlockSchedule) (sum instance.Tick) {
	_, to := s.Spans(in)
	for _, end := range to {
		sum += end
	}
	return sum
}
