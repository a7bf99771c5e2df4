package instance

import "math"

// What the checker recomputes, for comparison with the planners' functions.

// CheckedSpan is the checker's own [Instance.Span].
func CheckedSpan(in *Instance, gpus []GPUID) (span Span, ok bool) {
	c := checker{in: in}
	r := c.ring(0, gpus)
	if r.slowest == 0 {
		return Span{}, false
	}
	span = Span{Parties: r.parties, Slowest: in.Rate(BitRate(r.slowest))}
	for _, u := range r.uses {
		span.Uses = append(span.Uses, LinkUse{u.link, int(u.times)})
	}
	return span, true
}

// CheckedVolume is the checker's own [Job.Volume].
func CheckedVolume(j *Job, counts []int, parties int) Bytes {
	return Bytes(syncVolume(j, counts, parties))
}

// CheckedTicks is the checker's own [Instance.SyncTicks]. It saturates as that
// one does; [Check] itself takes no schedule with so long a synchronisation.
func CheckedTicks(in *Instance, volume Bytes, slowest BitRate, level RateLevel) Tick {
	ticks := new(syncLength).ticks(in, int64(volume), int64(slowest), level)
	if !ticks.IsInt64() {
		return math.MaxInt64
	}
	return Tick(ticks.Int64())
}

// CheckedAllows is the checker's own [Job.Allows].
func CheckedAllows(in *Instance, id JobID, counts []int) bool {
	c := checker{in: in}
	w := jobCheck{checker: &c, id: id, job: &in.Jobs[id], counts: counts}
	w.depths(1)
	return c.count[3] == 0
}
