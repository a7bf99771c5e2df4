package horizon

import (
	"fmt"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics"
)

// chain makes a unit whose jobs do not end together, for weighted completion: they are admitted by Smith's ratio as
// soon as there is room, in phases. In each phase the running jobs repeat a pattern, until one of them ends.
type chain struct {
	occupants
	f    *former
	unit *unit     // as built so far
	on   []float64 // the number of running jobs on each GPU
	now  instance.Tick
}

// mostOnGPU is the largest number of jobs of a chain on a GPU: two leave it hardly idle.
const mostOnGPU = 2

// paces are the factors by which the first job of a phase may be faster than the others, relative to the length of its
// iterations.
var paces = []float64{1, 2, 4}

// chained makes a chain of jobs, admitted in this order, on nodes; nil if some find no room or there is no pattern.
func (f *former) chained(jobs []instance.JobID, nodes []instance.NodeID) *unit {
	in := f.q.in
	u := &unit{jobs: jobs, nodes: len(nodes), gpus: len(gpusOf(in, nodes)), homes: make([][]instance.GPUID, len(jobs))}
	c := &chain{occupants: occupants{in: in, nodes: nodes, jobs: jobs, homes: u.homes}, f: f, unit: u, on: make([]float64, u.gpus)}
	for _, j := range jobs {
		c.left, u.release = append(c.left, in.Jobs[j].Iterations), max(u.release, in.Jobs[j].Release)
	}
	all := instance.UpTo[int](len(jobs))
	for {
		came := c.enter(all, u.release, c.on, mostOnGPU, func(int) float64 { return 1 })
		load := instance.Tick(0)
		for _, n := range came {
			load = max(load, in.Jobs[jobs[n]].Load)
		}
		if len(came) == 0 && len(c.work) == 0 {
			break
		}
		if c.now == 0 {
			u.load = load
		} else if load > 0 { // the others continue meanwhile
			ready := c.now + load
			if len(c.work) > 0 && !c.run(ready) {
				return nil
			}
			c.now = max(c.now, ready)
		}
		c.work = append(c.work, came...)
		slices.Sort(c.work)
		if !c.run(0) {
			return nil
		}
	}
	if slices.Max(c.left) > 0 {
		return nil
	}
	u.length = c.now
	return u
}

// run repeats the pattern of the running jobs until one of them ends, or until a time; 0: none. It reports whether
// there is a pattern.
func (c *chain) run(until instance.Tick) bool {
	p := c.best()
	if p == nil {
		return false
	}
	var blocks []instance.Block
	blocks, c.now, c.left = c.step(p, instance.UpTo[instance.JobID](len(c.left)), instance.UpTo[instance.GPUID](c.unit.gpus), c.now, until)
	c.unit.blocks = append(c.unit.blocks, blocks...)
	ended := func(n int) bool { return c.left[n] == 0 }
	for _, n := range c.work {
		for _, g := range c.homes[n] {
			if ended(n) {
				c.on[g]--
			}
		}
	}
	c.work = slices.DeleteFunc(c.work, ended)
	return true
}

// best returns, among the patterns of the running jobs, which differ in pace, the one under which most weight ends
// soon: with the largest sum of each weight times the fraction of the job's remaining work that is done in a tick.
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
			sum += float64(float64(c.in.Jobs[c.jobs[j]].Weight) * float64(p.r[n]) / float64(c.left[j]))
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

// paced is the pattern of the running jobs in a chain, on their GPUs, in which the first is pace times as fast as the
// others; identical patterns are made once; nil: there is none.
func (f *former) paced(c *chain, pace float64) *pattern {
	key := fmt.Sprint(pace)
	jobs, homes, want := pick(c.jobs, c.work), pick(c.homes, c.work), make([]float64, len(c.work))
	for n, j := range jobs {
		want[n] = 1 / float64(f.q.in.Jobs[j].FastestFull())
		key += fmt.Sprint(" ", f.q.shape[j], homes[n])
	}
	want[0] *= pace
	for _, n := range c.nodes {
		key += fmt.Sprint(" on ", f.q.kinds[n])
	}
	if p, ok := f.patterns[key]; ok {
		return p
	}
	p := patternInPlace(f.q.in, jobs, c.nodes, homes, want, heuristics.MostPattern)
	return f.patterns.scheduled(key, p, f.seed, pacedTries, nil)
}

// pacedTries is the number of schedules of which such a pattern is the best.
const pacedTries = 32

// pick returns the elements of a list at some positions.
func pick[T any, N ~int | ~int32](list []T, at []N) []T {
	some := make([]T, len(at))
	for n, i := range at {
		some[n] = list[i]
	}
	return some
}
