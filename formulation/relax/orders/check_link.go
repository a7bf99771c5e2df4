package orders

import (
	"jigsaw/formulation/relax/cases"
	"math"
	"slices"
)

// pausing reports whether a job only has to synchronise, over links that others need, to
// end the iteration at hand.
func (e *Examiner) pausing(x *sequenceState, j int) bool {
	job := &e.Jobs[j]
	if job.Links == nil || e.finished(x, j) {
		return false
	}
	for w := range job.GPUs {
		if e.waits(x, j, w) {
			return false
		}
	}
	return true
}

// share is the number of the first share of a link.
func (e *Examiner) share(link int) (first int) {
	for _, n := range e.Shares[:link] {
		first += n
	}
	return first
}

// opens is when the links of a job let it synchronise so, once its tasks are over.
func (e *Examiner) opens(x *sequenceState, j int, o cases.SyncLevel, over int64) int64 {
	at := max(over, e.Jobs[j].Limits.Ends[x.done[j]].From-o.Length)
	for i, l := range e.Jobs[j].Links {
		if o.Shares[i] > 0 {
			at = max(at, x.links[e.share(l)+o.Shares[i]-1])
		}
	}
	return at
}

// crossed is when a job has synchronised after the tasks of a dish, at the earliest.
func (e *Examiner) crossed(x *sequenceState, j, dish int, over int64) int64 {
	if e.Jobs[j].Links == nil {
		return over + e.Jobs[j].Pause[dish]
	}
	soonest := int64(math.MaxInt64)
	for _, o := range e.Jobs[j].SyncLevels[dish] {
		soonest = min(soonest, e.opens(x, j, o, over)+o.Length)
	}
	return soonest
}

// briefer reports whether a job synchronises as fast after the tasks of one dish as after those
// of another, at each rate.
func (e *Examiner) briefer(j, dish, other int) bool {
	job := &e.Jobs[j]
	if job.Links == nil {
		return job.Pause[dish] <= job.Pause[other]
	}
	for level := range job.Multisets[dish].Sync {
		if job.Multisets[dish].Sync[level] > job.Multisets[other].Sync[level] {
			return false
		}
	}
	return true
}

// send makes the states in which a job has synchronised next.
func (e *Examiner) send(at int, x *sequenceState, j int, before int64) {
	job := &e.Jobs[j]
	if !slices.ContainsFunc(job.Links, func(l int) bool { return e.rivals[len(e.Residents)+l] }) {
		return
	}
	for _, o := range job.SyncLevels[e.menu(j, e.dealt(x, j)).dish[0]] {
		start := e.opens(x, j, o, x.over[j])
		if start >= before {
			continue
		}
		e.step()
		y := e.clone(x)
		for i, l := range job.Links {
			first := e.share(l)
			for n := range o.Shares[i] {
				y.links[first+n] = start + o.Length
			}
			slices.Sort(y.links[first : first+e.Shares[l]])
		}
		for g := range y.free {
			if e.rivals[g] {
				y.free[g] = max(y.free[g], start)
			}
		}
		e.close(y, start)
		if e.conclude(y, j, start+o.Length) && e.promises(y) {
			e.keep(at+1, y)
		} else {
			e.spare = append(e.spare, y)
		}
	}
}

// close lets nothing more start before a tick on the links that compete.
func (e *Examiner) close(x *sequenceState, tick int64) {
	at := 0
	for l, n := range e.Shares {
		for range n {
			if e.rivals[len(e.Residents)+l] {
				x.links[at] = max(x.links[at], tick)
			}
			at++
		}
	}
}

// idle raises when links may be needed again.
func (e *Examiner) idle(x *sequenceState) {
	at := 0
	for l, n := range e.Shares {
		soonest := int64(math.MaxInt64)
		for j := range e.Jobs {
			if !e.finished(x, j) && slices.Contains(e.Jobs[j].Links, l) {
				soonest = min(soonest, e.last[j])
			}
		}
		for range n {
			if x.links[at] = max(x.links[at], soonest); soonest == math.MaxInt64 {
				x.links[at] = 0
			}
			at++
		}
	}
}

// gate makes a crew of those who synchronise over a link.
func (e *Examiner) gate(l int) {
	c := sequenceCrew{link: true, first: e.share(l), shares: e.Shares[l]}
	for j := range e.Jobs {
		at := slices.Index(e.Jobs[j].Links, l)
		if at < 0 {
			continue
		}
		var tolls []int64
		for _, tempos := range e.Jobs[j].SyncLevels {
			toll := int64(math.MaxInt64)
			for _, o := range tempos {
				toll = min(toll, int64(o.Shares[at])*o.Length)
			}
			tolls = append(tolls, toll)
		}
		c.jobs, c.tolls = append(c.jobs, j), append(c.tolls, tolls)
	}
	e.crews = append(e.crews, c)
}

// charge adds what job i of a link has to synchronise.
func (e *Examiner) charge(x *sequenceState, c *sequenceCrew, i int) {
	j := c.jobs[i]
	job := &e.Jobs[j]
	d := sequenceDuty{job: j, now: math.MaxInt64, each: slices.Min(c.tolls[i]), later: int64(job.Job.Iterations) - x.done[j] - 1, period: job.Iteration}
	for _, dish := range e.menus[j].dish {
		d.now = min(d.now, c.tolls[i][dish])
	}
	d.by, d.all = e.dues[j]-d.later*d.period, d.now+d.later*d.each
	e.duties = append(e.duties, d)
}

// times lists when the GPUs of a crew, or the shares of its link, are free.
func (e *Examiner) times(x *sequenceState, c *sequenceCrew) []int64 {
	if c.link {
		return x.links[c.first : c.first+c.shares]
	}
	e.free = e.free[:0]
	for _, g := range c.gpus {
		e.free = append(e.free, x.free[g])
	}
	return e.free
}
