package repair

import "jigsaw/formulation/instance"

// State is the state of a plan at a moment.
type State struct {
	// Done[j] iterations of job j have ended.
	Done []int
	// Begun[j] reports whether job j is in memory, or being loaded.
	Begun []bool
	// Rest is what is left: of a block without repeats the iterations that have not ended, of one that
	// repeats the repeats that have not ended. Times are those of the plan.
	Rest *instance.BlockSchedule
	// Kept[j] iterations of job j have ended but are in the rest, as they belong to a
	// repeat that has not ended.
	Kept []int
}

// Cut returns the state of a valid plan at a moment.
func Cut(in *instance.Instance, s *instance.BlockSchedule, at instance.Tick) *State {
	c := &State{
		Done: make([]int, len(in.Jobs)), Begun: make([]bool, len(in.Jobs)), Kept: make([]int, len(in.Jobs)),
		Rest: &instance.BlockSchedule{Residency: s.Residency},
	}
	from, _ := s.Spans(in)
	for j := range in.Jobs {
		c.Begun[j] = !in.Queues() || in.Jobs[j].Resident != nil || from[j]-in.Jobs[j].Load < at
	}
	for i := range s.Blocks {
		c.cut(&s.Blocks[i], at)
	}
	return c
}

// cut adds what is left of a block.
func (c *State) cut(b *instance.Block, at instance.Tick) {
	ends := map[instance.JobID][]instance.Tick{} // by iteration
	length := instance.Tick(0)
	note := func(j instance.JobID, iteration int, end instance.Tick) {
		for len(ends[j]) < iteration {
			ends[j] = append(ends[j], 0)
		}
		ends[j][iteration-1] = max(ends[j][iteration-1], end)
		length = max(length, end)
	}
	for _, t := range b.Tasks {
		note(t.Job, t.Iteration, t.End)
	}
	for _, y := range b.Syncs {
		note(y.Job, y.Iteration, y.End)
	}
	over := func(j instance.JobID, start instance.Tick) (n int) { // ended iterations of a repeat
		for n < len(ends[j]) && start+ends[j][n] <= at {
			n++
		}
		return n
	}
	rest := instance.Block{Start: b.Start, Period: b.Period, Repeats: b.Repeats}
	if b.Repeats > 1 {
		gone := int64(0)
		if at >= b.Start+length {
			gone = min(b.Repeats, int64((at-b.Start-length)/b.Period)+1)
		}
		rest.Start, rest.Repeats = b.Start+instance.Tick(gone)*b.Period, b.Repeats-gone
		for j, list := range ends {
			c.Done[j] += len(list) * int(gone)
			for m := range rest.Repeats {
				n := over(j, rest.Start+instance.Tick(m)*b.Period)
				if n == 0 {
					break
				}
				c.Done[j], c.Kept[j] = c.Done[j]+n, c.Kept[j]+n
			}
		}
		if rest.Repeats == 0 {
			return
		}
		if rest.Tasks, rest.Syncs = b.Tasks, b.Syncs; rest.Repeats == 1 {
			rest.Period = 0
		}
		c.Rest.Blocks = append(c.Rest.Blocks, rest)
		return
	}
	before := map[instance.JobID]int{}
	for j := range ends {
		before[j] = over(j, b.Start)
		c.Done[j] += before[j]
	}
	for _, t := range b.Tasks {
		if t.Iteration -= before[t.Job]; t.Iteration > 0 {
			rest.Tasks = append(rest.Tasks, t)
		}
	}
	for _, y := range b.Syncs {
		if y.Iteration -= before[y.Job]; y.Iteration > 0 {
			rest.Syncs = append(rest.Syncs, y)
		}
	}
	if len(rest.Tasks) > 0 {
		c.Rest.Blocks = append(c.Rest.Blocks, rest)
	}
}
