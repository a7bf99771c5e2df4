package heuristics

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// balancing says how [balance] goes about it.
type balancing struct {
	ctx    context.Context // ends the search early; nil: nothing does
	counts [][]int
	reach  *reach
	rng    *rand.Rand
	// steps is the number of changes tried.
	steps int
	// near weighs the chains of the jobs, which are shorter on near GPUs.
	near float64
}

// quarters of its iterations in which a job deals its depths one way.
const quarters = 4

// ration is the depth of a worker in each quarter of its iterations.
type ration [quarters]uint8

// balance improves a placement by local search on an estimate that costs far
// less than decoding, the energy. It moves one worker or one job, or swaps two
// workers or two jobs, or the depths of two workers of a job, and keeps what
// loses nothing.
//
// For the makespan the energy is a smooth maximum of the loads of GPUs, the
// loads of links and the chains of jobs. For weighted completion it is the
// weighted sum of the jobs' estimated completions, where a job waits on each of
// its GPUs for the residents of more weight per area.
func balance(in *instance.Instance, where *placement, how balancing) *placement {
	b := newBalancer(in, where, how)
	if len(in.GPUs) == 1 {
		return where
	}
	for n := range how.steps {
		if n&0x3f == 0 && how.ctx != nil && how.ctx.Err() != nil {
			break
		}
		b.step(false)
	}
	return b.out
}

// balancer is a placement under change. Residents of GPUs are kept by rank.
type balancer struct {
	*placer
	rng      *rand.Rand
	near     float64
	rations  [][]ration // per job and worker
	weighted bool
	rank     []int64 // per job: its place in the order of weight per area
	chain    []int64 // per job: if it never waits for others
	weight   []float64
	scale    float64 // 1 / the makespan aimed at

	residents [][]lodged
	ahead     [][]int64 // per job and worker: ticks of the better residents and its own

	// Scratch of a step.
	changes  []change
	stamp    int
	gpuSeen  []int
	jobSeen  []int
	linkSeen []int
	gpus     []instance.GPUID
	links    []instance.LinkID
	jobs     []instance.JobID
}

// lodged is worker n of a job.
type lodged struct {
	job instance.JobID
	n   int
}

// change is a residency of one job, old or new.
type change struct {
	job   instance.JobID
	gpus  []instance.GPUID
	limit []int
	dealt []ration
	span  instance.Span
}

func newBalancer(in *instance.Instance, where *placement, how balancing) *balancer {
	b := &balancer{
		placer: newPlacer(in, placing{counts: how.counts, reach: how.reach}), rng: how.rng, near: how.near, rations: make([][]ration, len(in.Jobs)),
		weighted: in.Objective == instance.WeightedCompletion,
		rank:     make([]int64, len(in.Jobs)),
		chain:    make([]int64, len(in.Jobs)), weight: make([]float64, len(in.Jobs)),
		residents: make([][]lodged, len(in.GPUs)), ahead: make([][]int64, len(in.Jobs)),
		gpuSeen: make([]int, len(in.GPUs)), jobSeen: make([]int, len(in.Jobs)), linkSeen: make([]int, len(in.Links)),
	}
	for at, j := range bySmith(in, how.counts) {
		b.rank[j] = int64(at)
	}
	weights := 0.0
	for j := range in.Jobs {
		job := &in.Jobs[j]
		weights += float64(job.Weight)
		b.ahead[j] = make([]int64, job.Workers)
		b.enter(change{instance.JobID(j), where.gpus[j], where.limit[j], rationed(job, how.counts[j], where.limit[j]), where.span[j]})
	}
	sum, most := int64(0), int64(1)
	for _, load := range b.load {
		sum += int64(load) / int64(len(b.load))
	}
	for j, chain := range b.chain {
		most = max(most, chain)
		b.weight[j] = float64(in.Jobs[j].Weight) * float64(len(in.Jobs)) / weights
	}
	b.scale = 1 / float64(max(sum, most))
	for g := range b.residents {
		b.recount(instance.GPUID(g))
	}
	return b
}

// rationed deals the depths of a job out in turn, so that every worker has
// about the mean; pinned depths stay where they are.
func rationed(job *instance.Job, counts, limit []int) []ration {
	var depths []uint8
	for d, n := range counts {
		for range n {
			depths = append(depths, uint8(d))
		}
	}
	dealt := make([]ration, job.Workers)
	for n := range dealt {
		for q := range quarters {
			dealt[n][q] = depths[(n+q*job.Workers/quarters)%job.Workers]
			if pinned(job, limit) {
				dealt[n][q] = uint8(limit[n])
			}
		}
	}
	return dealt
}

// pinned reports whether workers are bound to depths.
func pinned(job *instance.Job, limit []int) bool {
	return slices.ContainsFunc(limit, func(d int) bool { return d < job.Full() })
}

// work returns the ticks of a worker on GPU type t.
func (b *balancer) work(j instance.JobID, dealt ration, t instance.TypeID) int64 {
	sum := instance.Tick(0)
	for _, d := range dealt {
		sum += b.in.Jobs[j].On[t].Time[d]
	}
	return b.iterations[j] * int64(sum) / quarters
}

// enter makes a residency count.
func (b *balancer) enter(c change) {
	job, longest := &b.in.Jobs[c.job], instance.Tick(0)
	b.out.gpus[c.job], b.out.limit[c.job], b.out.span[c.job], b.rations[c.job] = c.gpus, c.limit, c.span, c.dealt
	for n, g := range c.gpus {
		t := b.in.GPUs[g].Type
		b.load[g] += instance.Tick(b.work(c.job, c.dealt[n], t))
		b.persistent[g] += job.On[t].Persistent
		b.ephemeral[g] = max(b.ephemeral[g], job.On[t].Ephemeral[c.limit[n]])
		longest = max(longest, job.On[t].Time[job.Full()])
		at, _ := slices.BinarySearchFunc(b.residents[g], b.rank[c.job], func(l lodged, r int64) int { return cmp.Compare(b.rank[l.job], r) })
		b.residents[g] = slices.Insert(b.residents[g], at, lodged{c.job, n})
	}
	sync := b.sync(c.job, c.span)
	b.chain[c.job] = int64(job.Release) + b.iterations[c.job]*int64(longest+sync)
	for _, u := range c.span.Uses {
		b.busy[u.Link] += instance.Tick(b.iterations[c.job]) * b.share(sync, c.span, u)
	}
}

// leave is the inverse of enter.
func (b *balancer) leave(j instance.JobID) change {
	c := change{j, b.out.gpus[j], b.out.limit[j], b.rations[j], b.out.span[j]}
	job := &b.in.Jobs[j]
	for n, g := range c.gpus {
		t := b.in.GPUs[g].Type
		b.load[g] -= instance.Tick(b.work(j, c.dealt[n], t))
		b.persistent[g] -= job.On[t].Persistent
		b.ephemeral[g] = 0
		at := 0
		for i, l := range b.residents[g] {
			if l.job == j {
				at = i
			} else {
				b.ephemeral[g] = max(b.ephemeral[g], b.in.Jobs[l.job].On[t].Ephemeral[b.out.limit[l.job][l.n]])
			}
		}
		b.residents[g] = slices.Delete(b.residents[g], at, at+1)
	}
	sync := b.sync(j, c.span)
	for _, u := range c.span.Uses {
		b.busy[u.Link] -= instance.Tick(b.iterations[j]) * b.share(sync, c.span, u)
	}
	return c
}

// recount updates how long the residents of a GPU wait for each other.
func (b *balancer) recount(g instance.GPUID) {
	t, sum := b.in.GPUs[g].Type, int64(0)
	for _, l := range b.residents[g] {
		sum += b.work(l.job, b.rations[l.job][l.n], t)
		b.ahead[l.job][l.n] = sum
	}
}

// steep is a smooth step to the maximum: the eighth power of ticks over the
// makespan aimed at.
func (b *balancer) steep(ticks int64) float64 {
	x := float64(ticks) * b.scale
	x *= x
	x *= x
	return x * x
}

// energy sums up the touched GPUs, links and jobs.
func (b *balancer) energy() float64 {
	sum := 0.0
	for _, l := range b.links {
		sum += b.steep(int64(b.busy[l]))
	}
	for _, j := range b.jobs {
		sum += float64(float64(b.chain[j]) * b.scale * b.near)
	}
	if b.weighted {
		for _, j := range b.jobs {
			end := b.chain[j]
			for _, a := range b.ahead[j] {
				end = max(end, a)
			}
			// The conversion keeps compilers from fusing the sum, which would
			// round otherwise on other machines.
			sum += float64(float64(end) * b.scale * b.weight[j])
		}
		return sum
	}
	for _, g := range b.gpus {
		sum += b.steep(int64(b.load[g]))
	}
	for _, j := range b.jobs {
		sum += b.steep(b.chain[j])
	}
	return sum
}

// touch adds a residency to what the energy is summed over.
func (b *balancer) touch(c change) {
	for _, g := range c.gpus {
		if b.gpuSeen[g] != b.stamp {
			b.gpuSeen[g] = b.stamp
			b.gpus = append(b.gpus, g)
			if b.weighted {
				for _, l := range b.residents[g] {
					b.touchJob(l.job)
				}
			}
		}
	}
	for _, u := range c.span.Uses {
		if b.linkSeen[u.Link] != b.stamp {
			b.linkSeen[u.Link] = b.stamp
			b.links = append(b.links, u.Link)
		}
	}
	b.touchJob(c.job)
}

func (b *balancer) touchJob(j instance.JobID) {
	if b.jobSeen[j] != b.stamp {
		b.jobSeen[j] = b.stamp
		b.jobs = append(b.jobs, j)
	}
}

// step draws a change and keeps it if it loses nothing, or a change of
// residencies whatever it loses. It reports whether it kept one.
func (b *balancer) step(whatever bool) bool {
	b.changes = b.changes[:0]
	var ok bool
	kinds := 12
	if whatever {
		kinds = 8
	}
	switch b.rng.IntN(kinds) {
	case 0, 1, 2:
		ok = b.moveWorker()
	case 3, 4:
		ok = b.swapWorkers()
	case 5, 6:
		ok = b.moveJob()
	case 7:
		ok = b.swapJobs()
	default:
		ok = b.swapDepths()
	}
	if !ok {
		return false
	}
	b.stamp++
	b.gpus, b.links, b.jobs = b.gpus[:0], b.links[:0], b.jobs[:0]
	for _, c := range b.changes {
		b.touch(change{job: c.job, gpus: b.out.gpus[c.job], span: b.out.span[c.job]})
		b.touch(c)
	}
	before := b.energy()
	var old [2]change
	for n, c := range b.changes {
		old[n] = b.leave(c.job)
	}
	fits := true
	for _, c := range b.changes {
		for n, g := range c.gpus {
			fits = fits && b.room(c.job, g, c.limit[n]) >= 0
		}
		b.enter(c)
	}
	b.update()
	if fits && (whatever || b.energy() <= before) {
		return true
	}
	for _, c := range b.changes {
		b.leave(c.job)
	}
	for _, c := range old[:len(b.changes)] {
		b.enter(c)
	}
	b.update()
	return false
}

func (b *balancer) update() {
	if b.weighted {
		for _, g := range b.gpus {
			b.recount(g)
		}
	}
}

// propose adds a residency to the change if it obeys the placement limits.
func (b *balancer) propose(j instance.JobID, gpus []instance.GPUID, limit []int, dealt []ration) bool {
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
		same = same && node == b.in.GPUs[b.out.gpus[j][n]].Node
	}
	span, ok := b.out.span[j], true
	if !same {
		span, ok = b.in.Span(gpus)
	}
	if ok {
		b.changes = append(b.changes, change{j, gpus, limit, dealt, span})
	}
	return ok
}

// proposeWorker proposes that worker n of job j moves to GPU g.
func (b *balancer) proposeWorker(j instance.JobID, n int, g instance.GPUID) bool {
	if slices.Contains(b.out.gpus[j], g) {
		return false
	}
	gpus, limit, dealt := slices.Clone(b.out.gpus[j]), slices.Clone(b.out.limit[j]), slices.Clone(b.rations[j])
	gpus[n] = g
	for ; n > 0 && gpus[n-1] > gpus[n]; n-- {
		gpus[n-1], limit[n-1], dealt[n-1], gpus[n], limit[n], dealt[n] = gpus[n], limit[n], dealt[n], gpus[n-1], limit[n-1], dealt[n-1]
	}
	for ; n+1 < len(gpus) && gpus[n+1] < gpus[n]; n++ {
		gpus[n+1], limit[n+1], dealt[n+1], gpus[n], limit[n], dealt[n] = gpus[n], limit[n], dealt[n], gpus[n+1], limit[n+1], dealt[n+1]
	}
	return b.propose(j, gpus, limit, dealt)
}

// swapDepths exchanges the depths of two workers of a job in a quarter.
func (b *balancer) swapDepths() bool {
	l, ok := b.worker(b.draw(true))
	if !ok || pinned(&b.in.Jobs[l.job], b.out.limit[l.job]) {
		return false
	}
	dealt := slices.Clone(b.rations[l.job])
	q, o := b.rng.IntN(quarters), b.rng.IntN(len(dealt))
	if dealt[l.n][q] == dealt[o][q] {
		return false
	}
	dealt[l.n][q], dealt[o][q] = dealt[o][q], dealt[l.n][q]
	return b.propose(l.job, b.out.gpus[l.job], b.out.limit[l.job], dealt)
}

// draw returns the more loaded of a few random GPUs, or the less loaded.
func (b *balancer) draw(loaded bool) instance.GPUID {
	best := instance.GPUID(b.rng.IntN(len(b.load)))
	for range b.rng.IntN(4) {
		if g := instance.GPUID(b.rng.IntN(len(b.load))); g != best && b.load[g] > b.load[best] == loaded {
			best = g
		}
	}
	return best
}

// worker draws a resident of a GPU.
func (b *balancer) worker(g instance.GPUID) (lodged, bool) {
	if len(b.residents[g]) == 0 {
		return lodged{}, false
	}
	return b.residents[g][b.rng.IntN(len(b.residents[g]))], true
}

// partner draws a GPU to exchange with g: in its node, or anywhere.
func (b *balancer) partner(g instance.GPUID) instance.GPUID {
	if b.rng.IntN(3) == 0 {
		node := &b.in.Nodes[b.in.GPUs[g].Node]
		return node.FirstGPU + instance.GPUID(b.rng.IntN(node.GPUs))
	}
	return b.draw(false)
}

func (b *balancer) moveWorker() bool {
	from := b.draw(true)
	l, ok := b.worker(from)
	return ok && b.proposeWorker(l.job, l.n, b.partner(from))
}

func (b *balancer) swapWorkers() bool {
	from := b.draw(true)
	to := b.partner(from)
	l, ok := b.worker(from)
	o, there := b.worker(to)
	return ok && there && from != to && l.job != o.job && b.proposeWorker(l.job, l.n, to) && b.proposeWorker(o.job, o.n, from)
}

// moveJob moves a job to the least loaded GPUs of a node, and of the nodes
// after it as long as it needs more.
func (b *balancer) moveJob() bool {
	l, ok := b.worker(b.draw(true))
	if !ok {
		return false
	}
	j := l.job
	job := &b.in.Jobs[j]
	first := int(b.in.GPUs[b.draw(false)].Node)
	list := make([]instance.GPUID, 0, job.Workers)
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
				return cmp.Or(cmp.Compare(b.load[x], b.load[y]), cmp.Compare(x, y))
			})
		}
		if len(list) >= job.Workers {
			break
		}
	}
	if len(list) < job.Workers {
		return false
	}
	list = list[:job.Workers]
	slices.Sort(list)
	return !slices.Equal(list, b.out.gpus[j]) && b.propose(j, list, b.out.limit[j], b.rations[j])
}

func (b *balancer) swapJobs() bool {
	l, ok := b.worker(b.draw(true))
	o, there := b.worker(b.draw(false))
	if !ok || !there || len(b.out.gpus[l.job]) != len(b.out.gpus[o.job]) || slices.Equal(b.out.gpus[l.job], b.out.gpus[o.job]) {
		return false
	}
	return b.propose(l.job, b.out.gpus[o.job], b.out.limit[l.job], b.rations[l.job]) && b.propose(o.job, b.out.gpus[l.job], b.out.limit[o.job], b.rations[o.job])
}
