package exchange

import (
	"cmp"
	"math"
	"slices"

	"jigsaw/formulation/instance"
)

// Under weighted completion it matters when jobs are there: two that follow one
// another do not share anything. So the estimate is a fluid model. A job that never
// waits keeps each of its GPUs busy for a fraction of the time, and if it needs
// several nodes also their NICs. If these fractions exceed the capacity, jobs of less
// weight per area slow down. A job chooses its GPUs when it is released.

// flow is a job of a group.
type flow struct {
	// uses are its GPUs, followed by NICs, as indices of scratch.free; parts are the
	// fractions of the time it takes there if it never waits.
	uses  []int32
	parts []float64
	left  float64 // ticks until it ends if it never waits again
	rate  float64 // relative to never waiting
	runs  bool    // it is released and has not ended
}

// flowEnd is the number of ticks that a job may fall short, and the smallest rate:
// sums of fractions are inexact.
const flowEnd = 1e-6

// flow returns the weighted completion of the jobs of the scratch, listed by rank, on
// its GPUs, listed by node.
func (e *estimate) flow(b *scratch, nodes []instance.NodeID) float64 {
	for len(b.flows) < len(b.jobs) {
		b.flows = append(b.flows, flow{})
	}
	release := func(n int32) float64 { return float64(e.in.Jobs[b.jobs[n]].Release) }
	flows := b.flows[:len(b.jobs)]
	b.releases = b.releases[:0]
	for n := range flows {
		flows[n].left, flows[n].runs = e.chain[b.jobs[n]]-release(int32(n)), false
		b.releases = append(b.releases, int32(n))
	}
	slices.SortFunc(b.releases, func(x, y int32) int { return cmp.Or(cmp.Compare(release(x), release(y)), cmp.Compare(x, y)) })
	b.free = append(b.free[:0], make([]float64, len(b.gpuStates)+len(nodes))...)
	value, now := 0.0, 0.0
	for coming, done := b.releases, 0; done < len(flows); {
		for ; len(coming) > 0 && release(coming[0]) <= now; coming = coming[1:] {
			if !e.settle(b, nodes, coming[0]) {
				return math.Inf(1)
			}
		}
		step := math.Inf(1)
		if len(coming) > 0 {
			step = release(coming[0]) - now
		}
		step = min(step, b.share(flows))
		now += step
		for n := range flows {
			f := &flows[n]
			if !f.runs {
				continue
			}
			ran := float64(step * f.rate)
			for i, u := range f.uses {
				if int(u) < len(b.gpuStates) {
					b.gpuStates[u].load -= float64(ran * f.parts[i])
				}
			}
			if f.left -= ran; f.left < flowEnd {
				f.runs = false
				value += float64(float64(e.in.Jobs[b.jobs[n]].Weight) * now)
				done++
			}
		}
	}
	return value
}

// share assigns rates to the running flows, the first as much as it can use, and
// returns when the first of them will end.
func (b *scratch) share(flows []flow) float64 {
	end := math.Inf(1)
	for u := range b.free {
		b.free[u] = 1
	}
	for n := range flows {
		f := &flows[n]
		if !f.runs {
			continue
		}
		f.rate = 1
		for i, u := range f.uses {
			if free := b.free[u]; free < float64(f.rate*f.parts[i]) {
				f.rate = free / f.parts[i]
			}
		}
		if f.rate < flowEnd {
			f.rate = 0
			continue
		}
		for i, u := range f.uses {
			b.free[u] -= float64(f.rate * f.parts[i])
		}
		end = min(end, f.left/f.rate)
	}
	return end
}

// settle gives flow n the GPUs with the least work left, in one node if possible. It
// reports false if there is no room.
func (e *estimate) settle(b *scratch, nodes []instance.NodeID, n int32) bool {
	j, f := b.jobs[n], &b.flows[n]
	workers := e.in.Jobs[j].Workers
	first, last, least := 0, len(b.gpuStates), math.Inf(1)
	if len(nodes) > 1 {
		for at, node := 0, 0; node < len(nodes); node++ {
			from := at
			at += e.in.Nodes[nodes[node]].GPUs
			if e.fill(b, j, from, at); len(b.order) >= workers && b.gpuStates[b.order[workers-1]].load < least {
				first, last, least = from, at, b.gpuStates[b.order[workers-1]].load
			}
		}
	}
	if e.fill(b, j, first, last); len(b.order) < workers {
		return false
	}
	f.uses, f.parts, f.runs = append(f.uses[:0], b.order[:workers]...), f.parts[:0], true
	for _, u := range f.uses {
		p := &b.gpuStates[u]
		e.board(p, j)
		f.parts = append(f.parts, e.work[j][e.in.Nodes[p.node].Type]/f.left)
	}
	if e.nic[j] > 0 {
		for node, id := range nodes {
			if slices.ContainsFunc(f.uses[:workers], func(u int32) bool { return b.gpuStates[u].node == id }) {
				f.uses, f.parts = append(f.uses, int32(len(b.gpuStates)+node)), append(f.parts, e.nic[j])
			}
		}
	}
	return true
}

// fill lists those of some GPUs that have room for a job, the ones with the least work
// left first.
func (e *estimate) fill(b *scratch, j instance.JobID, first, last int) {
	b.order = b.order[:0]
	for u := int32(first); u < int32(last); u++ {
		if !e.room(&b.gpuStates[u], j) {
			continue
		}
		n := len(b.order)
		b.order = append(b.order, u)
		for ; n > 0 && b.gpuStates[b.order[n-1]].load > b.gpuStates[u].load; n-- {
			b.order[n] = b.order[n-1]
		}
		b.order[n] = u
	}
}
