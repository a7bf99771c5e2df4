package queue

import (
	"fmt"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics"
	"jigsaw/heuristics/pattern"
	"jigsaw/heuristics/state"
)

// chain makes a unit whose jobs do not end together, for weighted completion: they are admitted by Smith's ratio as
// soon as there is room, in phases. In each phase the running jobs repeat a pattern, until one of them ends.
type chain struct {
	pattern.Occupants
	f    *former
	unit *Unit     // as built so far
	on   []float64 // the number of running jobs on each GPU
	now  instance.Tick
}

// mostOnGPU is the largest number of jobs of a chain on a GPU: two leave it hardly idle.
const mostOnGPU = 2

// paces are the factors by which the first job of a phase may be faster than the others, relative to the length of its
// iterations.
var paces = []float64{1, 2, 4}

// chained makes a chain of jobs, admitted in this order, on nodes; nil if some find no room or there is no pattern.
func (f *former) chained(jobs []instance.JobID, nodes []instance.NodeID) *Unit {
	in := f.q.in
	u := &Unit{Jobs: jobs, Nodes: len(nodes), GPUs: len(in.GPUsOn(nodes)), Homes: make([][]instance.GPUID, len(jobs))}
	c := &chain{Occupants: pattern.Occupants{In: in, Nodes: nodes, Jobs: jobs, Homes: u.Homes}, f: f, unit: u, on: make([]float64, u.GPUs)}
	for _, j := range jobs {
		c.Left, u.Release = append(c.Left, in.Jobs[j].Iterations), max(u.Release, in.Jobs[j].Release)
	}
	all := instance.UpTo[int](len(jobs))
	for {
		came := c.Enter(all, u.Release, c.on, mostOnGPU, func(int) float64 { return 1 })
		load := instance.Tick(0)
		for _, n := range came {
			load = max(load, in.Jobs[jobs[n]].Load)
		}
		if len(came) == 0 && len(c.Work) == 0 {
			break
		}
		if c.now == 0 {
			u.Load = load
		} else if load > 0 { // the others continue meanwhile
			ready := c.now + load
			if len(c.Work) > 0 && !c.run(ready) {
				return nil
			}
			c.now = max(c.now, ready)
		}
		c.Work = append(c.Work, came...)
		slices.Sort(c.Work)
		if !c.run(0) {
			return nil
		}
	}
	if slices.Max(c.Left) > 0 {
		return nil
	}
	u.Length = c.now
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
	blocks, c.now, c.Left = c.Step(p, instance.UpTo[instance.JobID](len(c.Left)), instance.UpTo[instance.GPUID](c.unit.GPUs), c.now, until)
	c.unit.Blocks = append(c.unit.Blocks, blocks...)
	ended := func(n int) bool { return c.Left[n] == 0 }
	for _, n := range c.Work {
		for _, g := range c.Homes[n] {
			if ended(n) {
				c.on[g]--
			}
		}
	}
	c.Work = slices.DeleteFunc(c.Work, ended)
	return true
}

// best returns, among the patterns of the running jobs, which differ in pace, the one under which most weight ends
// soon: with the largest sum of each weight times the fraction of the job's remaining work that is done in a tick.
func (c *chain) best() (best *pattern.Pattern) {
	most := 0.0
	for _, pace := range paces {
		p := c.f.paced(c, pace)
		if p == nil {
			continue
		}
		sum := 0.0
		for n, at := range p.At {
			j := c.Work[at]
			sum += float64(float64(c.In.Jobs[c.Jobs[j]].Weight) * float64(p.Iterations[n]) / float64(c.Left[j]))
		}
		if sum /= float64(p.Period); sum > most {
			best, most = p, sum
		}
		if len(c.Work) == 1 {
			break
		}
	}
	return best
}

// paced is the pattern of the running jobs in a chain, on their GPUs, in which the first is pace times as fast as the
// others; identical patterns are made once; nil: there is none.
func (f *former) paced(c *chain, pace float64) *pattern.Pattern {
	key := fmt.Sprint(pace)
	jobs, homes, want := state.Pick(c.Jobs, c.Work), state.Pick(c.Homes, c.Work), make([]float64, len(c.Work))
	for n, j := range jobs {
		want[n] = 1 / float64(f.q.in.Jobs[j].FastestFull())
		key += fmt.Sprint(" ", f.q.shape[j], homes[n])
	}
	want[0] *= pace
	for _, n := range c.Nodes {
		key += fmt.Sprint(" on ", f.q.kinds[n])
	}
	if p, ok := f.patterns[key]; ok {
		return p
	}
	p := pattern.InPlace(f.q.in, jobs, c.Nodes, homes, want, heuristics.MostPattern)
	return f.patterns.Scheduled(key, p, f.seed, pacedTries, nil)
}

// pacedTries is the number of schedules of which such a pattern is the best.
const pacedTries = 32
