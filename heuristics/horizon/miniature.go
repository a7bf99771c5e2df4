package horizon

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics"
	"jigsaw/heuristics/periodic"
)

// pattern is what some jobs that are in memory together do on some nodes, repeatedly until all of them are done. Its
// jobs and GPUs are those of the part.
type pattern struct {
	part *instance.Part
	at   []int // position of each job of the part in the list of jobs for which the pattern was made
	r    []int // iterations of each job in the pattern; 0: it is only in memory
	// s is the schedule of the pattern as the search left it, shifted to its first start.
	s      *instance.Schedule
	period instance.Tick
}

// listTries is the number of list schedules the best of which starts a pattern.
const listTries = 16

// iterations chooses how many iterations of each job a pattern contains: about in proportion to their remaining
// iterations, so that they end together.
func iterations(in *instance.Instance, pattern int) []int {
	most, r, want := 0, make([]int, len(in.Jobs)), make([]float64, len(in.Jobs))
	for j := range in.Jobs {
		r[j] = in.Jobs[j].Iterations
		most, want[j] = max(most, r[j]), float64(r[j])
	}
	if most <= pattern {
		return r
	}
	return heuristics.Pattern(in, want, pattern)
}

// newPattern makes the pattern of jobs, in any order, on nodes, ascending, by list scheduling: the best of the given
// number of schedules, which do not depend on the clock.
func newPattern(ctx context.Context, in *instance.Instance, rng *rand.Rand, jobs []instance.JobID, nodes []instance.NodeID, tries int) (*pattern, error) {
	p := patternOf(in, jobs, nodes)
	p.r = iterations(p.part.Instance, heuristics.MostPattern)
	if err := p.schedule(ctx, rng, tries); err != nil {
		return nil, err
	}
	return p, nil
}

// patternInPlace is a pattern of jobs on the GPUs they already have, with at most the given number of iterations, in
// proportion to want. It has no schedule yet.
func patternInPlace(in *instance.Instance, jobs []instance.JobID, nodes []instance.NodeID, homes [][]instance.GPUID, want []float64, most int) *pattern {
	p := patternOf(in, jobs, nodes)
	wanted := make([]float64, len(jobs))
	for n, at := range p.at {
		p.part.Jobs[n].Resident, wanted[n] = homes[at], want[at]
	}
	p.r = heuristics.Pattern(p.part.Instance, wanted, most)
	return p
}

// smaller takes fewer iterations of the jobs of a pattern, in proportion to want and at most the given number, until it has
// so few tasks: a plan of thousands of patterns is a file of hundreds of megabytes otherwise.
func (p *pattern) smaller(want []float64, most, tasks int) {
	size := func() (sum int) {
		for j, r := range p.r {
			sum += r * p.part.Jobs[j].Workers
		}
		return sum
	}
	want = pick(want, p.at)
	for most > 1 && size() > tasks {
		most -= max(1, most/4)
		p.r = heuristics.Pattern(p.part.Instance, want, most)
	}
}

// patternOf is a pattern of jobs, in any order, on nodes, without iterations and schedule.
func patternOf(in *instance.Instance, jobs []instance.JobID, nodes []instance.NodeID) *pattern {
	p := &pattern{part: in.Part(slices.Sorted(slices.Values(jobs)), nodes, nil)}
	for _, j := range p.part.JobsOf {
		p.at = append(p.at, slices.Index(jobs, j))
	}
	return p
}

// schedule gives the pattern the best of the given number of list schedules.
func (p *pattern) schedule(ctx context.Context, rng *rand.Rand, tries int) (err error) {
	small := p.part.Miniature(p.r)
	if p.s, err = (heuristics.Config{Tries: tries}).Greedy(context.WithoutCancel(ctx), small, rng); err == nil {
		p.close(small)
	}
	return err
}

// patterns are those already made, by name; nil: it could not be made.
type patterns map[string]*pattern

// scheduled gives a pattern without a schedule the best of the given number of list schedules, and caches it. nil:
// there is none.
func (known patterns) scheduled(name string, p *pattern, seed uint64, tries int, slack []float64) *pattern {
	if p, ok := known[name]; ok {
		return p
	}
	if p.schedule(context.Background(), rand.New(rand.NewPCG(seed, 0)), tries) != nil || !p.loosen(slack) {
		p = nil
	}
	known[name] = p
	return p
}

// search searches for a better pattern by the finite search: rounds 0 means until the context ends. With anew it
// continues from the best of a few starts, with patterns of several sizes: small ones are searched faster, and chance
// at the start matters most.
func (p *pattern) search(ctx context.Context, rng *rand.Rand, rounds int, anew bool) error {
	best := *p
	if anew {
		within, cancel := Portion(ctx, 0.5)
		defer cancel()
		starts, short := 6, startRounds
		if rounds > 0 {
			starts, short = 3, rounds
		}
		for n := 0; n < starts && within.Err() == nil; n++ {
			c := *p
			if c.r = iterations(p.part.Instance, heuristics.MostPattern>>(n%3)); n > 0 && n < 3 && slices.Equal(c.r, p.r) {
				break // short jobs, with all iterations in the pattern
			}
			small := p.part.Miniature(c.r)
			var err error
			if c.s, err = (heuristics.Config{Tries: listTries}).Greedy(context.WithoutCancel(ctx), small, rng); err != nil {
				continue
			}
			if c.s, err = (heuristics.Config{Rounds: short}).Improve(within, small, rng, c.s); err == nil && c.slowness() < best.slowness() {
				best = c
			}
		}
	}
	small := p.part.Miniature(best.r)
	s, err := heuristics.Config{Rounds: rounds}.Improve(ctx, small, rng, best.s)
	if err != nil {
		return err
	}
	best.s = s
	best.close(small)
	*p = best
	return nil
}

// startRounds is the number of rounds for each start if the clock ends the search.
const startRounds = 4

// slowness is about how long all iterations of the jobs take with the pattern.
func (p *pattern) slowness() float64 {
	most := 0.0
	for j := range p.r {
		most = max(most, float64(p.part.Jobs[j].Iterations)/float64(p.r[j]))
	}
	return most * float64(p.s.Makespan(p.part.Instance))
}

// close makes the pattern repeat, with the least period that its orders permit.
func (p *pattern) close(in *instance.Instance) {
	p.s = periodic.Repeated(in, p.s)
	p.period, p.s.Period = p.s.Period, 0
	start := slices.MinFunc(p.s.Tasks, func(a, b instance.Task) int { return int(a.Start - b.Start) }).Start
	instance.Shift(p.s.Tasks, p.s.Syncs, -start)
}

// loosen stretches a pattern by the slack factor of the largest number of jobs that share a GPU, and reports whether so
// many may; see [Config]. Starts and period grow by the same factor, rounded up; lengths do not. So what does not
// overlap, in a repeat or from one to the next, still does not: for whole d, from x + d <= y follows ceil(f x) + d <=
// ceil(f y) if f >= 1.
func (p *pattern) loosen(slack []float64) bool {
	if slack == nil {
		return true
	}
	most, on := 0, make([]int, len(p.part.GPUs)) // jobs that share a GPU
	for _, home := range p.s.Residency {
		for _, g := range home {
			on[g]++
			most = max(most, on[g])
		}
	}
	if most > len(slack) {
		return false
	}
	thousandths := instance.Tick(math.Ceil(max(1, slack[most-1])*1000 - 1e-6))
	longer := func(t instance.Tick) instance.Tick { return (t*thousandths + 999) / 1000 }
	delay := func(start, end *instance.Tick) { *start, *end = longer(*start), *end+longer(*start)-*start }
	for n := range p.s.Tasks {
		delay(&p.s.Tasks[n].Start, &p.s.Tasks[n].End)
	}
	for n := range p.s.Syncs {
		delay(&p.s.Syncs[n].Start, &p.s.Syncs[n].End)
	}
	p.period = longer(p.period)
	return true
}

// blocks returns all iterations of the jobs of the pattern, on the given GPUs in order of those of
// the part, with the first task at start or later. end is the end of the last of them. left are the
// iterations of each job, which it counts down.
func (p *pattern) blocks(jobs []instance.JobID, gpus []instance.GPUID, left []int, start instance.Tick) (list []instance.Block, end instance.Tick) {
	for end = start; slices.Max(left) > 0; {
		// Whole patterns of the jobs that have enough iterations left, as often as all of these do; finally the remaining
		// iterations of each job, which are fewer.
		repeats := 0
		for n, r := range p.r {
			if r > 0 && left[n] >= r && (repeats == 0 || left[n]/r < repeats) {
				repeats = left[n] / r
			}
		}
		takes := make([]int, len(jobs))
		for n := range left {
			switch {
			case repeats == 0:
				takes[n] = left[n]
			case left[n] >= p.r[n]:
				takes[n] = p.r[n]
			}
		}
		list, end = p.take(list, jobs, gpus, left, takes, max(1, repeats), end)
	}
	return list, end
}

// evenly is like blocks, but once a job has too few iterations left for the pattern, all repeat a smaller one that is in
// proportion to what is left of them, and so on. So jobs end at about the same time, and there are fewer blocks: otherwise
// every job that ends begins another, with all tasks of those that go on.
func (p *pattern) evenly(jobs []instance.JobID, gpus []instance.GPUID, left []int, start instance.Tick) (list []instance.Block, end instance.Tick) {
	end = start
	for slices.Max(left) > 0 {
		if repeats := p.whole(left); repeats > 0 {
			list, end = p.take(list, jobs, gpus, left, p.r, repeats, end)
		}
		if slices.Max(left) > 0 {
			rest := p.rest(left)
			if rest == nil {
				more, last := p.blocks(jobs, gpus, left, end)
				return append(list, more...), last
			}
			p = rest
		}
	}
	return list, end
}

// whole is how often all jobs of the pattern have enough iterations left for it.
func (p *pattern) whole(left []int) int {
	repeats := math.MaxInt
	for n, r := range p.r {
		if r > 0 {
			repeats = min(repeats, left[n]/r)
		}
	}
	return repeats
}

// restPattern is the largest number of iterations of a job in a pattern of what is left.
const restPattern = 16

// rest is a pattern in proportion to what is left of the jobs of a pattern, on the GPUs that they have; nil: there is none.
func (p *pattern) rest(left []int) *pattern {
	jobs, want := slices.Clone(p.part.Jobs), make([]float64, len(left))
	for n := range jobs {
		jobs[n].Resident, want[n] = p.s.Residency[n], float64(left[n])
	}
	part := *p.part
	part.Instance = part.WithJobs(jobs)
	q := &pattern{part: &part, at: p.at, r: slices.Clone(left)}
	if slices.Max(left) > restPattern {
		q.r = heuristics.Pattern(part.Instance, want, restPattern)
	}
	if q.schedule(context.Background(), rand.New(rand.NewPCG(0, 0)), listTries) != nil {
		return nil
	}
	q.s.Residency = p.s.Residency
	return q
}

// phase repeats the pattern until one of its jobs has done all its iterations, or until a time; 0: none. A job that
// ends does so in the last repeat, which may be shorter. Otherwise it is like blocks.
func (p *pattern) phase(jobs []instance.JobID, gpus []instance.GPUID, left []int, start, until instance.Tick) (list []instance.Block, end instance.Tick) {
	end = start
	repeats, cut := p.whole(left), false
	if until > 0 {
		if most := int((until - start + p.period - 1) / p.period); most <= repeats {
			repeats, cut = most, true
		}
	}
	if repeats > 0 {
		list, end = p.take(list, jobs, gpus, left, p.r, repeats, end)
	}
	last, ended := make([]int, len(left)), false
	for n, r := range p.r {
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
func (p *pattern) take(list []instance.Block, jobs []instance.JobID, gpus []instance.GPUID, left, takes []int, repeats int, start instance.Tick) ([]instance.Block, instance.Tick) {
	b := instance.Block{Start: start, Repeats: int64(repeats)}
	if repeats > 1 {
		b.Period = p.period
	}
	last := instance.Tick(0)
	for _, t := range p.s.Tasks {
		if t.Iteration <= takes[t.Job] {
			last = max(last, t.End)
			t.Job, t.GPU = jobs[t.Job], gpus[t.GPU]
			b.Tasks = append(b.Tasks, t)
		}
	}
	for _, y := range p.s.Syncs {
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

// key identifies patterns by the kinds of their jobs and nodes.
func key(class, kinds []int, jobs []instance.JobID, nodes []instance.NodeID) string {
	var of []int
	for _, j := range jobs {
		of = append(of, class[j])
	}
	for _, n := range nodes {
		of = append(of, -1-kinds[n])
	}
	return fmt.Sprint(of)
}
