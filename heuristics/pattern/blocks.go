package pattern

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics"
)

// Blocks returns all iterations of the jobs of the pattern, on the given GPUs in order of those of
// the part, with the first task at start or later. end is the end of the last of them. left are the
// iterations of each job, which it counts down.
func (p *Pattern) Blocks(jobs []instance.JobID, gpus []instance.GPUID, left []int, start instance.Tick) (list []instance.Block, end instance.Tick) {
	for end = start; slices.Max(left) > 0; {
		// Whole patterns of the jobs that have enough iterations left, as often as all of these do; finally the remaining
		// iterations of each job, which are fewer.
		repeats := 0
		for n, r := range p.Iterations {
			if r > 0 && left[n] >= r && (repeats == 0 || left[n]/r < repeats) {
				repeats = left[n] / r
			}
		}
		takes := make([]int, len(jobs))
		for n := range left {
			switch {
			case repeats == 0:
				takes[n] = left[n]
			case left[n] >= p.Iterations[n]:
				takes[n] = p.Iterations[n]
			}
		}
		list, end = p.take(list, jobs, gpus, left, takes, max(1, repeats), end)
	}
	return list, end
}

// Evenly is like Blocks, but once a job has too few iterations left for the pattern, all repeat a smaller one that is in
// proportion to what is left of them, and so on. So jobs end at about the same time, and there are fewer blocks: otherwise
// every job that ends begins another, with all tasks of those that go on.
func (p *Pattern) Evenly(jobs []instance.JobID, gpus []instance.GPUID, left []int, start instance.Tick) (list []instance.Block, end instance.Tick) {
	end = start
	for slices.Max(left) > 0 {
		if repeats := p.whole(left); repeats > 0 {
			list, end = p.take(list, jobs, gpus, left, p.Iterations, repeats, end)
		}
		if slices.Max(left) > 0 {
			rest := p.rest(left)
			if rest == nil {
				more, last := p.Blocks(jobs, gpus, left, end)
				return append(list, more...), last
			}
			p = rest
		}
	}
	return list, end
}

// whole is how often all jobs of the pattern have enough iterations left for it.
func (p *Pattern) whole(left []int) int {
	repeats := math.MaxInt
	for n, r := range p.Iterations {
		if r > 0 {
			repeats = min(repeats, left[n]/r)
		}
	}
	return repeats
}

// restPattern is the largest number of iterations of a job in a pattern of what is left.
const restPattern = 16

// rest is a pattern in proportion to what is left of the jobs of a pattern, on the GPUs that they have; nil: there is none.
func (p *Pattern) rest(left []int) *Pattern {
	jobs, want := slices.Clone(p.Part.Jobs), make([]float64, len(left))
	for n := range jobs {
		jobs[n].Resident, want[n] = p.Schedule.Residency[n], float64(left[n])
	}
	part := *p.Part
	part.Instance = part.WithJobs(jobs)
	q := &Pattern{Part: &part, At: p.At, Iterations: slices.Clone(left)}
	if slices.Max(left) > restPattern {
		q.Iterations = heuristics.Pattern(part.Instance, want, restPattern)
	}
	if q.ListSchedule(context.Background(), rand.New(rand.NewPCG(0, 0)), ListTries) != nil {
		return nil
	}
	q.Schedule.Residency = p.Schedule.Residency
	return q
}

// Phase repeats the pattern until one of its jobs has done all its iterations, or until a time; 0: none. A job that
// ends does so in the last repeat, which may be shorter. Otherwise it is like Blocks.
func (p *Pattern) Phase(jobs []instance.JobID, gpus []instance.GPUID, left []int, start, until instance.Tick) (list []instance.Block, end instance.Tick) {
	end = start
	repeats, cut := p.whole(left), false
	if until > 0 {
		if most := int((until - start + p.Period - 1) / p.Period); most <= repeats {
			repeats, cut = most, true
		}
	}
	if repeats > 0 {
		list, end = p.take(list, jobs, gpus, left, p.Iterations, repeats, end)
	}
	last, ended := make([]int, len(left)), false
	for n, r := range p.Iterations {
		last[n] = min(r, left[n])
		ended = ended || r > 0 && left[n] == 0
	}
	if !cut && !ended {
		list, end = p.take(list, jobs, gpus, left, last, 1, end)
	}
	return list, end
}

// take appends a block that repeats the given number of iterations of each job in the pattern, which it takes
// from those left, and returns its end.
func (p *Pattern) take(list []instance.Block, jobs []instance.JobID, gpus []instance.GPUID, left, takes []int, repeats int, start instance.Tick) ([]instance.Block, instance.Tick) {
	b := instance.Block{Start: start, Repeats: int64(repeats)}
	if repeats > 1 {
		b.Period = p.Period
	}
	last := instance.Tick(0)
	for _, t := range p.Schedule.Tasks {
		if t.Iteration <= takes[t.Job] {
			last = max(last, t.End)
			t.Job, t.GPU = jobs[t.Job], gpus[t.GPU]
			b.Tasks = append(b.Tasks, t)
		}
	}
	for _, y := range p.Schedule.Syncs {
		if y.Iteration <= takes[y.Job] {
			last = max(last, y.End)
			y.Job = jobs[y.Job]
			b.Syncs = append(b.Syncs, y)
		}
	}
	for n := range left {
		left[n] -= takes[n] * repeats
	}
	return append(list, b), b.Start + instance.Tick(b.Repeats-1)*b.Period + last
}

// Renumbered returns a block of other jobs on other GPUs.
func Renumbered(b instance.Block, job func(instance.JobID) instance.JobID, gpu func(instance.GPUID) instance.GPUID) instance.Block {
	b = b.Of(job)
	for i := range b.Tasks {
		b.Tasks[i].GPU = gpu(b.Tasks[i].GPU)
	}
	return b
}

// Through maps numbers through a list.
func Through[N ~int32 | ~int](list []N) func(N) N { return func(n N) N { return list[n] } }
