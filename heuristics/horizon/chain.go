package horizon

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics"
)

// chain makes a unit whose jobs do not end together, for weighted completion: they come in by Smith's ratio as soon as there is
// room, in phases. In each phase the jobs at work repeat a pattern, until one of them ends.
type chain struct {
	f     *former
	unit  *unit // what there is of it
	nodes []instance.NodeID
	left  []int // iterations of each job
	work  []int // the jobs at work, by number in the unit and ascending
	on    []int // how many jobs at work each GPU has
	now   instance.Tick
}

// mostOnGPU is how many jobs of a chain share a GPU at most: two leave it hardly idle.
const mostOnGPU = 2

// paces are how many times as fast as the others the first job of a phase may be, for the length of its iterations.
var paces = []float64{1, 2, 4}

// chained makes a chain of jobs, which come in in this order, on nodes; nil where some find no room or there is no pattern.
func (f *former) chained(jobs []instance.JobID, nodes []instance.NodeID) *unit {
	in := f.q.in
	u := &unit{jobs: jobs, nodes: len(nodes), gpus: len(gpusOf(in, nodes)), homes: make([][]instance.GPUID, len(jobs))}
	c := &chain{f: f, unit: u, nodes: nodes, on: make([]int, u.gpus)}
	for _, j := range jobs {
		c.left, u.release = append(c.left, in.Jobs[j].Iterations), max(u.release, in.Jobs[j].Release)
	}
	for {
		came, load := c.enter()
		if len(came) == 0 && len(c.work) == 0 {
			break
		}
		if c.now == 0 {
			u.load = load
		} else if load > 0 { // the others go on meanwhile
			ready := c.now + load
			if len(c.work) > 0 && !c.run(&ready) {
				return nil
			}
			c.now = max(c.now, ready)
		}
		c.work = append(c.work, came...)
		slices.Sort(c.work)
		if !c.run(nil) {
			return nil
		}
	}
	if slices.Max(c.left) > 0 {
		return nil
	}
	u.length = c.now
	return u
}

// enter gives GPUs to the jobs that find room, and returns them and how long the longest load takes.
func (c *chain) enter() (came []int, load instance.Tick) {
	for n, j := range c.unit.jobs {
		if c.unit.homes[n] != nil {
			continue
		}
		job := &c.f.q.in.Jobs[j]
		if home := c.room(job); home != nil {
			c.unit.homes[n] = home
			for _, g := range home {
				c.on[g]++
			}
			came, load = append(came, n), max(load, job.Load)
		}
	}
	return came, load
}

// room returns GPUs for a job: those with fewest jobs, of one node where one has as many. nil: there are none.
func (c *chain) room(job *instance.Job) (best []instance.GPUID) {
	in, least, first := c.f.q.in, 0, instance.GPUID(0)
	choose := func(gpus []instance.GPUID) {
		if len(gpus) < job.Workers {
			return
		}
		slices.SortStableFunc(gpus, func(a, b instance.GPUID) int { return c.on[a] - c.on[b] })
		sum := 0
		for _, g := range gpus[:job.Workers] {
			sum += c.on[g]
		}
		if best == nil || sum < least {
			best, least = slices.Sorted(slices.Values(gpus[:job.Workers])), sum
		}
	}
	var all []instance.GPUID
	for _, n := range c.nodes {
		var here []instance.GPUID
		for g := first; g < first+instance.GPUID(in.Nodes[n].GPUs); g++ {
			if c.on[g] < mostOnGPU && c.fits(job, g, in.Nodes[n].Type) {
				here = append(here, g)
			}
		}
		first += instance.GPUID(in.Nodes[n].GPUs)
		here = here[:len(here)-len(here)%job.Group()]
		all = append(all, here...)
		choose(here)
	}
	if best == nil && job.Within != instance.WithinNode {
		choose(all)
	}
	return best
}

// fits reports whether a job has room in the memory of a GPU, beside the jobs at work there or, where jobs are in memory for the
// whole plan, beside all that had it.
func (c *chain) fits(job *instance.Job, g instance.GPUID, t instance.TypeID) bool {
	in := c.f.q.in
	persistent, ephemeral := job.On[t].Persistent, job.On[t].Ephemeral[job.Full()]
	for n, home := range c.unit.homes {
		if (c.left[n] > 0 || !in.Queues()) && slices.Contains(home, g) {
			other := &in.Jobs[c.unit.jobs[n]]
			persistent, ephemeral = persistent+other.On[t].Persistent, max(ephemeral, other.On[t].Ephemeral[other.Full()])
		}
	}
	return persistent+ephemeral <= in.Types[t].Memory
}

// run repeats the pattern of the jobs at work until one of them ends, or until a time. It reports whether there is one.
func (c *chain) run(until *instance.Tick) bool {
	p := c.best()
	if p == nil {
		return false
	}
	jobs, gpus, repeats := make([]instance.JobID, len(p.at)), instance.UpTo[instance.GPUID](c.unit.gpus), c.left[c.work[0]]
	for n, at := range p.at {
		jobs[n] = instance.JobID(c.work[at])
		repeats = min(repeats, c.left[c.work[at]]/p.r[n])
	}
	last := true // until one ends, which does less in the last repeat
	if until != nil {
		if most := int((*until - c.now + p.period - 1) / p.period); most <= repeats {
			repeats, last = most, false
		}
	}
	takes := slices.Clone(p.r)
	take := func(repeats int) {
		var b instance.Block
		b, c.now = p.block(jobs, gpus, takes, repeats, c.now)
		c.unit.blocks = append(c.unit.blocks, b)
		for n, j := range jobs {
			c.left[j] -= takes[n] * repeats
		}
	}
	if repeats > 0 {
		take(repeats)
	}
	ended := func(n int) bool { return c.left[n] == 0 }
	if last && !slices.ContainsFunc(c.work, ended) {
		for n, j := range jobs {
			takes[n] = min(p.r[n], c.left[j])
		}
		take(1)
	}
	for _, n := range c.work {
		for _, g := range c.unit.homes[n] {
			if ended(n) {
				c.on[g]--
			}
		}
	}
	c.work = slices.DeleteFunc(c.work, ended)
	return true
}

// best returns of the patterns of the jobs at work, which differ in pace, the one under which most weight ends soon: with the greatest
// sum of each weight times the part that is done of what is left of the job in a tick.
func (c *chain) best() (best *pattern) {
	most := 0.0
	for _, pace := range paces {
		p := c.f.paced(c, pace)
		if p == nil {
			continue
		}
		sum := 0.0
		for n, at := range p.at {
			j := c.work[at]
			sum += float64(float64(c.f.q.in.Jobs[c.unit.jobs[j]].Weight) * float64(p.r[n]) / float64(c.left[j]))
		}
		if sum /= float64(p.period); sum > most {
			best, most = p, sum
		}
		if len(c.work) == 1 {
			break
		}
	}
	return best
}

// paced is the pattern of the jobs at work in a chain, on the GPUs that they have, in which the first is so many times as fast as the others, of
// alike ones made once; nil: there is none.
func (f *former) paced(c *chain, pace float64) *pattern {
	in := f.q.in
	key := fmt.Sprint(pace)
	var jobs []instance.JobID
	for _, n := range c.work {
		jobs = append(jobs, c.unit.jobs[n])
		key += fmt.Sprint(" ", f.q.shape[c.unit.jobs[n]], c.unit.homes[n])
	}
	for _, n := range c.nodes {
		key += fmt.Sprint(" on ", f.q.kinds[n])
	}
	if p, ok := f.patterns[key]; ok {
		return p
	}
	p := &pattern{part: in.Part(slices.Sorted(slices.Values(jobs)), c.nodes, nil), list: listed}
	want := make([]float64, len(jobs))
	for n, j := range p.part.JobsOf {
		at := slices.Index(jobs, j)
		if want[n] = 1 / float64(in.Jobs[j].FastestFull()); at == 0 {
			want[n] *= pace
		}
		p.at = append(p.at, at)
		p.part.Jobs[n].Resident = c.unit.homes[c.work[at]]
	}
	p.r = heuristics.Pattern(p.part.Instance, want, heuristics.MostPattern)
	small := p.part.Miniature(p.r)
	s, err := heuristics.Config{Tries: pacedTries}.Greedy(context.Background(), small, rand.New(rand.NewPCG(f.seed, 0)))
	f.patterns[key] = nil
	if err != nil {
		return nil
	}
	p.s = s
	p.close(small)
	f.patterns[key] = p
	return p
}

// pacedTries is how many schedules such a pattern is the best of.
const pacedTries = 32
