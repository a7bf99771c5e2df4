package check

import (
	"math"

	"jigsaw/formulation/instance"
)

// What the checker recomputes, for comparison with the planners' functions.

// Span is the checker's own [Instance.SpanOf].
func Span(in *instance.Instance, job *instance.Job, gpus []instance.GPUID) (span instance.Span, ok bool) {
	c := checker{in: in}
	r := c.ring(job, gpus)
	if r.slowest == 0 {
		return instance.Span{}, false
	}
	span = instance.Span{Parties: r.parties, Slowest: in.Rate(instance.BitRate(r.slowest))}
	for _, u := range r.uses {
		span.Uses = append(span.Uses, instance.LinkUse{Link: u.link, Times: int(u.times)})
	}
	return span, true
}

// Volume is the checker's own [Job.Volume].
func Volume(j *instance.Job, counts []int, parties int) instance.Bytes {
	return instance.Bytes(syncVolume(j, counts, parties))
}

// Ticks is the checker's own [Instance.SyncTicks]. It saturates as that
// one does; [Schedule] itself takes no schedule with so long a synchronisation.
func Ticks(in *instance.Instance, volume instance.Bytes, slowest instance.BitRate, level instance.RateLevel) instance.Tick {
	ticks := new(syncLength).ticks(in, int64(volume), int64(slowest), level)
	if !ticks.IsInt64() {
		return math.MaxInt64
	}
	return instance.Tick(ticks.Int64())
}

// Allows is the checker's own [Job.Allows].
func Allows(in *instance.Instance, id instance.JobID, counts []int) bool {
	c := checker{in: in}
	w := jobCheck{checker: &c, id: id, job: &in.Jobs[id], counts: counts}
	w.depths(1)
	return c.count[3] == 0
}
