package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"jigsaw/formulation/instance"
)

// StayLink is a job of the chain that a plan in blocks ends with: it is there from its
// admission to its end, in ticks.
type StayLink struct {
	Job            instance.JobID
	Admitted, Ends instance.Tick
	// Because of what it did not come sooner, and the same as a clause.
	Because Cause
	Text    string
}

// ExplainBlocks says in a sentence for every job of a plan in blocks when it ends and why, and
// returns the chain of the job that ends last: what that waited for, what this waited for in turn,
// and so on back to a release or the beginning. alone is the ticks of an iteration of each job on the empty cluster at full depth,
// 0 where they are not known. begin is when the plan begins, by the clock; zero: not known. The plan must be valid.
func ExplainBlocks(in *instance.Instance, s *instance.BlockSchedule, alone []instance.Tick, begin time.Time) (jobs []string, chain []StayLink) {
	e := newStays(in, s)
	e.begin = begin
	for j := range in.Jobs {
		jobs = append(jobs, e.sentence(instance.JobID(j), alone[j]))
	}
	last := instance.JobID(0)
	for j := range in.Jobs {
		if e.to[j] > e.to[last] {
			last = instance.JobID(j)
		}
	}
	for seen := map[instance.JobID]bool{}; last != instance.NoJob && !seen[last]; {
		seen[last] = true
		link, next := e.why(last)
		chain, last = append(chain, link), next
	}
	return jobs, chain
}

// stays knows when each job of a plan is there and at work.
type stays struct {
	in       *instance.Instance
	plan     *instance.BlockSchedule
	begin    time.Time       // by the clock; zero: not known
	from, to []instance.Tick // by job: first task, end
	work     []instance.Tick // by job: from the first to the last of its tasks and syncs of a block, over all blocks
	first    []firstBlock
	onGPU    [][]instance.JobID
}

// firstBlock is that of a job, and its period: a start so much later may be the job's turn in the pattern.
type firstBlock struct {
	block  int
	period instance.Tick
}

func newStays(in *instance.Instance, s *instance.BlockSchedule) *stays {
	e := &stays{in: in, plan: s, work: make([]instance.Tick, len(in.Jobs)), first: make([]firstBlock, len(in.Jobs)), onGPU: make([][]instance.JobID, len(in.GPUs))}
	e.from, e.to = s.Spans(in)
	for i := range s.Blocks {
		b := &s.Blocks[i]
		first, last := map[instance.JobID]instance.Tick{}, map[instance.JobID]instance.Tick{}
		for _, t := range b.Tasks {
			if start, ok := first[t.Job]; !ok || t.Start < start {
				first[t.Job] = t.Start
			}
			last[t.Job] = max(last[t.Job], t.End)
		}
		for _, y := range b.Syncs {
			last[y.Job] = max(last[y.Job], y.End)
		}
		for j, start := range first {
			if e.work[j] == 0 {
				e.first[j] = firstBlock{i, b.Period}
			}
			e.work[j] += b.LastStart() + last[j] - start
		}
	}
	for j, gpus := range s.Residency {
		for _, g := range gpus {
			e.onGPU[g] = append(e.onGPU[g], instance.JobID(j))
		}
	}
	return e
}

// admitted is when a job comes: its load before its first task.
func (e *stays) admitted(j instance.JobID) instance.Tick {
	return max(0, e.from[j]-e.in.Jobs[j].Load)
}

// why says why a job did not come sooner, and which job it waited for.
func (e *stays) why(j instance.JobID) (link StayLink, next instance.JobID) {
	job, admitted, turn := &e.in.Jobs[j], e.admitted(j), e.first[j].period
	link, next = StayLink{Job: j, Admitted: admitted, Ends: e.to[j]}, instance.NoJob
	if admitted-job.Release <= turn {
		if link.Because, link.Text = Release, "it is released then"; job.Release == 0 {
			link.Because, link.Text = Start, "the plan begins"
		}
		return link, next
	}
	// Of those who were on its GPUs before the last to end; of mates the last to come.
	before, mate := instance.NoJob, instance.NoJob
	var gpu instance.GPUID
	for _, g := range e.plan.Residency[j] {
		for _, o := range e.onGPU[g] {
			switch {
			case o == j:
			case e.to[o] <= e.from[j]: // it may be loaded while they end
				if before == instance.NoJob || e.to[o] > e.to[before] {
					before, gpu = o, g
				}
			case e.first[o].block == e.first[j].block && e.in.Jobs[o].Release+e.in.Jobs[o].Load+turn >= e.from[j] && e.in.Jobs[o].Release > job.Release:
				if mate == instance.NoJob || e.from[o] > e.from[mate] {
					mate = o
				}
			}
		}
	}
	node := func() string { return clean(e.in.Nodes[e.in.GPUs[gpu].Node].Name) }
	switch {
	case before != instance.NoJob && admitted-e.to[before] <= turn:
		link.Because, link.Text = TaskBefore, fmt.Sprintf("%s is on %s until then", e.name(before), node())
		if e.in.Queues() && e.to[before] <= admitted {
			link.Because = Memory
		}
		return link, before
	case mate != instance.NoJob:
		link.Because, link.Text = Release, fmt.Sprintf("it takes turns with %s, which is released then", e.name(mate))
		return link, mate
	case before != instance.NoJob:
		link.Because, link.Text = Slack, fmt.Sprintf("the plan has slack: the last job before it there, %s, leaves %s at %s, %s sooner", e.name(before), node(), e.moment(e.to[before]), e.at(admitted-e.to[before]))
		return link, before
	}
	link.Because, link.Text = Slack, fmt.Sprintf("the plan has slack: no other job leaves its GPUs between its release at %s and then", e.moment(job.Release))
	return link, next
}

// sentence says when a job ends, and what the time until then went to.
func (e *stays) sentence(j instance.JobID, alone instance.Tick) string {
	job := &e.in.Jobs[j]
	link, next := e.why(j)
	var list []string
	little := e.to[j] / 1000 // not worth a word
	if wait := link.Admitted - job.Release; wait > little && (next != instance.NoJob || link.Because == Slack) {
		text := e.at(wait) + " waiting"
		switch {
		case next != instance.NoJob && link.Because == Slack:
			text += fmt.Sprintf(", longer than for %s, the last job before it there", e.name(next))
		case next != instance.NoJob:
			text += " for " + e.name(next)
		}
		list = append(list, text)
	}
	if load := e.from[j] - link.Admitted; load > little {
		list = append(list, e.at(load)+" loading")
	}
	text := fmt.Sprintf("%s for its %s", e.at(e.work[j]), Count(job.Iterations, "iteration"))
	mates := e.mates(j)
	if len(mates) > 0 {
		text += " beside " + e.names(mates)
		if alone > 0 {
			text += fmt.Sprintf(" (%s alone at full depth)", e.at(instance.Tick(job.Iterations)*alone))
		}
	}
	list = append(list, text)
	if pause := e.to[j] - e.from[j] - e.work[j]; pause > little {
		list = append(list, e.at(pause)+" between blocks")
	}
	text = fmt.Sprintf("%s ends at %s: %s", e.name(j), e.moment(e.to[j]), strings.Join(list, ", "))
	if job.Release > 0 {
		text += "; it is released at " + e.moment(job.Release)
	}
	return text
}

// mates returns the jobs that share GPUs with a job while it is at work.
func (e *stays) mates(j instance.JobID) []instance.JobID {
	var mates []instance.JobID
	for _, g := range e.plan.Residency[j] {
		for _, o := range e.onGPU[g] {
			if o != j && e.from[o] < e.to[j] && e.from[j] < e.to[o] {
				mates = append(mates, o)
			}
		}
	}
	slices.Sort(mates)
	return slices.Compact(mates)
}

// namedMates is how many jobs a sentence names.
const namedMates = 3

func (e *stays) names(list []instance.JobID) string {
	var names []string
	for _, j := range list[:min(len(list), namedMates)] {
		names = append(names, e.name(j))
	}
	if more := len(list) - namedMates; more > 0 {
		names = append(names, Count(more, "other"))
	}
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " and " + names[n]
	}
	return names[0]
}

// at writes so many ticks, and moment when they are over.
func (e *stays) at(t instance.Tick) string { return seconds(e.in, float64(t)) }

func (e *stays) moment(t instance.Tick) string {
	if e.begin.IsZero() {
		return e.at(t)
	}
	second := float64(e.in.TickUS) / 1e6
	return MomentLike(e.begin, float64(t)*second, float64(slices.Max(e.to))*second)
}

func (e *stays) name(j instance.JobID) string { return fmt.Sprintf("%q", clean(e.in.Jobs[j].Name)) }
