package placement

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
)

// propose adds a residency to the change if it obeys the placement limits.
func (b *Balancer) propose(j instance.JobID, gpus []instance.GPUID, limit []int, dealt []ration) bool {
	job := &b.in.Jobs[j]
	for _, g := range gpus {
		if !job.Runs(b.in.GPUs[g].Type) {
			return false
		}
	}
	first, last := b.in.GPUs[gpus[0]].Node, b.in.GPUs[gpus[len(gpus)-1]].Node
	if job.Within == instance.WithinNode && first != last {
		return false
	}
	same := true
	for n, g := range gpus {
		node := b.in.GPUs[g].Node
		if job.Within == instance.WithinRack && b.in.Nodes[node].Rack != b.in.Nodes[first].Rack {
			return false
		}
		same = same && node == b.in.GPUs[b.Out.GPUs[j][n]].Node
	}
	span, sync := b.Out.Span[j], b.syncs[j]
	if !same {
		var ok bool
		if span, ok = b.in.SpanOf(job, gpus); !ok {
			return false
		}
		sync = b.sync(j, span)
	}
	b.changes = append(b.changes, change{j, gpus, limit, dealt, span, sync, !same})
	return true
}

// proposeWorker proposes that worker n of job j moves to GPU g.
func (b *Balancer) proposeWorker(j instance.JobID, n int, g instance.GPUID) bool {
	if slices.Contains(b.Out.GPUs[j], g) {
		return false
	}
	d := &b.drafts[len(b.changes)]
	d.gpus, d.limit, d.dealt = append(d.gpus[:0], b.Out.GPUs[j]...), append(d.limit[:0], b.Out.Limit[j]...), append(d.dealt[:0], b.rations[j]...)
	gpus, limit, dealt := d.gpus, d.limit, d.dealt
	gpus[n] = g
	for ; n > 0 && gpus[n-1] > gpus[n]; n-- {
		gpus[n-1], limit[n-1], dealt[n-1], gpus[n], limit[n], dealt[n] = gpus[n], limit[n], dealt[n], gpus[n-1], limit[n-1], dealt[n-1]
	}
	for ; n+1 < len(gpus) && gpus[n+1] < gpus[n]; n++ {
		gpus[n+1], limit[n+1], dealt[n+1], gpus[n], limit[n], dealt[n] = gpus[n], limit[n], dealt[n], gpus[n+1], limit[n+1], dealt[n+1]
	}
	return b.propose(j, gpus, limit, dealt)
}

// swapDepths exchanges the depths of two workers of a job in a quarter, and keeps
// that if it loses nothing: a whole step, for all else stays as it is.
func (b *Balancer) swapDepths() bool {
	l, ok := b.worker(b.draw(true))
	if !ok || pinned(&b.in.Jobs[l.job], b.Out.Limit[l.job]) {
		return false
	}
	j, dealt := l.job, b.rations[l.job]
	q, o := b.rng.IntN(quarters), b.rng.IntN(len(dealt))
	if dealt[l.n][q] == dealt[o][q] {
		return false
	}
	b.untouch()
	b.touch(j, b.Out.GPUs[j], b.Out.Span[j].Uses)
	before := b.energy()
	swap := func() {
		dealt[l.n][q], dealt[o][q] = dealt[o][q], dealt[l.n][q]
		b.redeal(j, l.n)
		b.redeal(j, o)
	}
	if swap(); b.energy() <= before {
		return true
	}
	swap()
	return false
}

// redeal has the new depths of a worker count.
func (b *Balancer) redeal(j instance.JobID, n int) {
	g := b.Out.GPUs[j][n]
	list := b.residents[g]
	for i := range list {
		if l := &list[i]; l.job == j {
			work := b.work(j, b.rations[j][n], b.in.Jobs[j].On[b.in.GPUs[g].Type])
			b.Load[g] += instance.Tick(work - l.work)
			l.work = work
		}
	}
	if b.weighted {
		b.recount(g)
	}
}

// draw returns the more loaded of a few random GPUs, or the less loaded.
func (b *Balancer) draw(loaded bool) instance.GPUID {
	best := instance.GPUID(b.rng.IntN(len(b.Load)))
	for range b.rng.IntN(4) {
		if g := instance.GPUID(b.rng.IntN(len(b.Load))); g != best && b.Load[g] > b.Load[best] == loaded {
			best = g
		}
	}
	return best
}

// worker draws a resident of a GPU.
func (b *Balancer) worker(g instance.GPUID) (resident, bool) {
	if len(b.residents[g]) == 0 {
		return resident{}, false
	}
	return b.residents[g][b.rng.IntN(len(b.residents[g]))], true
}

// partner draws a GPU to exchange with g: in its node, or anywhere.
func (b *Balancer) partner(g instance.GPUID) instance.GPUID {
	if b.rng.IntN(3) == 0 {
		node := &b.in.Nodes[b.in.GPUs[g].Node]
		return node.FirstGPU + instance.GPUID(b.rng.IntN(node.GPUs))
	}
	return b.draw(false)
}

func (b *Balancer) moveWorker() bool {
	from := b.draw(true)
	l, ok := b.worker(from)
	return ok && b.proposeWorker(l.job, l.n, b.partner(from))
}

func (b *Balancer) swapWorkers() bool {
	from := b.draw(true)
	to := b.partner(from)
	l, ok := b.worker(from)
	o, there := b.worker(to)
	return ok && there && from != to && l.job != o.job && b.proposeWorker(l.job, l.n, to) && b.proposeWorker(o.job, o.n, from)
}

// moveJob moves a job to the least loaded GPUs of a node, and of the nodes
// after it as long as it needs more.
func (b *Balancer) moveJob() bool {
	l, ok := b.worker(b.draw(true))
	if !ok {
		return false
	}
	j := l.job
	job := &b.in.Jobs[j]
	first := int(b.in.GPUs[b.draw(false)].Node)
	list := b.drafts[0].gpus[:0]
	for n := range b.in.Nodes {
		node := &b.in.Nodes[(first+n)%len(b.in.Nodes)]
		if !job.Runs(node.Type) || n > 0 && job.Within == instance.WithinNode {
			continue
		}
		from := len(list)
		for g := node.FirstGPU; g < node.FirstGPU+instance.GPUID(node.GPUs); g++ {
			list = append(list, g)
		}
		if here := list[from:]; len(list) > job.Workers {
			slices.SortFunc(here, func(x, y instance.GPUID) int {
				return cmp.Or(cmp.Compare(b.Load[x], b.Load[y]), cmp.Compare(x, y))
			})
		}
		if len(list) >= job.Workers {
			break
		}
	}
	b.drafts[0].gpus = list
	if len(list) < job.Workers {
		return false
	}
	list = list[:job.Workers]
	slices.Sort(list)
	return !slices.Equal(list, b.Out.GPUs[j]) && b.propose(j, list, b.Out.Limit[j], b.rations[j])
}

func (b *Balancer) swapJobs() bool {
	l, ok := b.worker(b.draw(true))
	o, there := b.worker(b.draw(false))
	if !ok || !there || len(b.Out.GPUs[l.job]) != len(b.Out.GPUs[o.job]) || slices.Equal(b.Out.GPUs[l.job], b.Out.GPUs[o.job]) {
		return false
	}
	return b.propose(l.job, b.Out.GPUs[o.job], b.Out.Limit[l.job], b.rations[l.job]) && b.propose(o.job, b.Out.GPUs[l.job], b.Out.Limit[o.job], b.rations[o.job])
}
