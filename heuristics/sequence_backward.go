package heuristics

import "jigsaw/formulation/instance"

// latestStarts returns for every operation how late it may start if the order
// on the GPUs stays and all jobs end by the given tick, or by their deadlines.
// Links are not looked at.
func (q *sequence) latestStarts(end instance.Tick) []instance.Tick {
	late := make([]instance.Tick, len(q.list))
	gpu := make([]instance.Tick, len(q.in.GPUs)) // when the GPU's next task must start
	job := make([]instance.Tick, len(q.in.Jobs)) // when the job's next operations must start
	next := make([]instance.Tick, len(q.in.Jobs))
	for g := range gpu {
		gpu[g] = end
	}
	for j := range job {
		job[j], next[j] = end, end
		if d := q.in.Jobs[j].Deadline; d > 0 && d < end {
			job[j], next[j] = d, d
		}
	}
	for p := len(q.list) - 1; p >= 0; p-- {
		op := q.list[p]
		j := q.job[op]
		if y := int(op) - q.tasks; y >= 0 {
			late[op] = next[j] - (q.times.end[y] - q.times.start[op])
			job[j], next[j] = late[op], late[op]
			continue
		}
		g := q.gpu[q.slot[op]]
		late[op] = min(gpu[g], job[j]) - q.ticks[op]
		gpu[g] = late[op]
		next[j] = min(next[j], late[op])
		if q.in.Jobs[j].Workers == 1 {
			job[j] = late[op]
		}
	}
	return late
}
