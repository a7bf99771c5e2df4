package placement

import (
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// BalanceOptions says how [balance] goes about it.
type BalanceOptions struct {
	Ctx    context.Context // ends the search early; nil: nothing does
	Counts [][]int
	Reach  *Reach
	Rng    *rand.Rand
	// Steps is the number of changes tried.
	Steps int
	// Near weighs the chains of the jobs, which are shorter on near GPUs.
	Near float64
}

// quarters of its iterations in which a job deals its depths one way.
const quarters = 4

// ration is the depth of a worker in each quarter of its iterations.
type ration [quarters]uint8

// Balance improves a placement by local search on an estimate that costs far
// less than decoding, the energy. It moves one worker or one job, or swaps two
// workers or two jobs, or the depths of two workers of a job, and keeps what
// loses nothing.
//
// For the makespan the energy is a smooth maximum of the loads of GPUs, the
// loads of links and the chains of jobs. For weighted completion it is the
// weighted sum of the jobs' estimated completions, where a job waits on each of
// its GPUs for the residents of more weight per area.
func Balance(in *instance.Instance, where *Placement, how BalanceOptions) *Placement {
	b := NewBalancer(in, where, how)
	if len(in.GPUs) == 1 {
		return where
	}
	for n := range how.Steps {
		if n&0x3f == 0 && how.Ctx != nil && how.Ctx.Err() != nil {
			break
		}
		b.Step(false)
	}
	return b.Out
}

// Balancer is a placement under change. Residents of GPUs are kept by rank.
type Balancer struct {
	*Placer
	rng      *rand.Rand
	near     float64
	rations  [][]ration // per job and worker
	weighted bool
	rank     []int64 // per job: its place in the order of weight per area
	chain    []int64 // per job: if it never waits for others
	weight   []float64
	scale    float64 // 1 / the makespan aimed at

	residents [][]resident
	ahead     [][]int64       // per job and worker: ticks of the better residents and its own
	syncs     []instance.Tick // per job: of its span, at the highest rate

	// Scratch of a step.
	changes  []change
	drafts   [2]draft // for the changes
	stamp    int
	gpuSeen  []int
	jobSeen  []int
	linkSeen []int
	gpus     []instance.GPUID
	links    []instance.LinkID
	jobs     []instance.JobID
}

// resident is worker n of a job, with the ticks of its tasks on its GPU and the memory
// reserved for one of them.
type resident struct {
	job       instance.JobID
	n         int
	work      int64
	ephemeral instance.Bytes
}

// change is a residency of one job, old or new.
type change struct {
	job   instance.JobID
	gpus  []instance.GPUID
	limit []int
	dealt []ration
	span  instance.Span
	sync  instance.Tick // of the span, at the highest rate
	// routed says that the other one has another span.
	routed bool
}

// draft is memory for a change, which takes it along when it is kept.
type draft struct {
	gpus  []instance.GPUID
	limit []int
	dealt []ration
}

// NewBalancer begins with a placement, which stays as it is.
func NewBalancer(in *instance.Instance, where *Placement, how BalanceOptions) *Balancer {
	b := &Balancer{
		Placer: NewPlacer(in, Options{Counts: how.Counts, Reach: how.Reach}), rng: how.Rng, near: how.Near, rations: make([][]ration, len(in.Jobs)),
		weighted: in.Objective == instance.WeightedCompletion,
		rank:     make([]int64, len(in.Jobs)),
		chain:    make([]int64, len(in.Jobs)), weight: make([]float64, len(in.Jobs)),
		residents: make([][]resident, len(in.GPUs)), ahead: make([][]int64, len(in.Jobs)), syncs: make([]instance.Tick, len(in.Jobs)),
		gpuSeen: make([]int, len(in.GPUs)), jobSeen: make([]int, len(in.Jobs)), linkSeen: make([]int, len(in.Links)),
	}
	for at, j := range state.BySmith(in, how.Counts) {
		b.rank[j] = int64(at)
	}
	weights := 0.0
	b.reserve(where)
	for j := range in.Jobs {
		job := &in.Jobs[j]
		weights += float64(job.Weight)
		b.enter(change{
			job: instance.JobID(j), gpus: where.GPUs[j], limit: where.Limit[j], dealt: rationed(b.rations[j], job, how.Counts[j], where.Limit[j]),
			span: where.Span[j], sync: b.sync(instance.JobID(j), where.Span[j]), routed: true,
		})
	}
	sum, most := int64(0), int64(1)
	for _, load := range b.Load {
		sum += int64(load) / int64(len(b.Load))
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

// reserve makes what is kept by worker and by GPU, all at once.
func (b *Balancer) reserve(where *Placement) {
	slots, count := 0, make([]int, len(b.in.GPUs))
	for _, gpus := range where.GPUs {
		slots += len(gpus)
		for _, g := range gpus {
			count[g]++
		}
	}
	rations, ahead := make([]ration, slots), make([]int64, slots)
	for j, gpus := range where.GPUs {
		k := len(gpus)
		b.rations[j], rations = rations[:k:k], rations[k:]
		b.ahead[j], ahead = ahead[:k:k], ahead[k:]
	}
	const more = 2 // than now
	residents := make([]resident, slots+more*len(count))
	for g, n := range count {
		b.residents[g], residents = residents[:0:n+more], residents[n+more:]
	}
}

// rationed deals the depths of a job out in turn, so that every worker has
// about the mean; pinned depths stay where they are.
func rationed(dealt []ration, job *instance.Job, counts, limit []int) []ration {
	depths := make([]uint8, 0, 64)
	for d, n := range counts {
		for range n {
			depths = append(depths, uint8(d))
		}
	}
	fixed := pinned(job, limit)
	for n := range dealt {
		for q := range quarters {
			dealt[n][q] = depths[(n+q*job.Workers/quarters)%job.Workers]
			if fixed {
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

// work returns the ticks of a worker where tasks cost so much.
func (b *Balancer) work(j instance.JobID, dealt ration, costs *instance.Costs) int64 {
	sum := instance.Tick(0)
	for _, d := range dealt {
		sum += costs.Time[d]
	}
	return b.iterations[j] * int64(sum) / quarters
}

// enter makes a residency count.
func (b *Balancer) enter(c change) {
	b.tally(&c, 1)
	b.admit(&c)
}

// residency returns that of a job. routed is as in change.
func (b *Balancer) residency(j instance.JobID, routed bool) change {
	return change{j, b.Out.GPUs[j], b.Out.Limit[j], b.rations[j], b.Out.Span[j], b.syncs[j], routed}
}

// tally adds what a residency asks of GPUs and links, and its chain, or with sign
// -1 takes it away.
func (b *Balancer) tally(c *change, sign instance.Tick) {
	job, longest := &b.in.Jobs[c.job], instance.Tick(0)
	for n, g := range c.gpus {
		costs := job.On[b.in.GPUs[g].Type]
		b.Load[g] += sign * instance.Tick(b.work(c.job, c.dealt[n], costs))
		longest = max(longest, costs.Time[job.Full()])
	}
	b.chain[c.job] = int64(job.Release) + b.iterations[c.job]*int64(longest+c.sync)
	if c.routed {
		for _, u := range c.span.Uses {
			b.Busy[u.Link] += sign * instance.Tick(b.iterations[c.job]) * b.Share(c.sync, c.span, u)
		}
	}
}

// admit makes the workers of a residency residents of their GPUs.
func (b *Balancer) admit(c *change) {
	j, job := c.job, &b.in.Jobs[c.job]
	b.Out.GPUs[j], b.Out.Limit[j], b.rations[j], b.Out.Span[j], b.syncs[j] = c.gpus, c.limit, c.dealt, c.span, c.sync
	rank := b.rank[j]
	for n, g := range c.gpus {
		costs := job.On[b.in.GPUs[g].Type]
		l := resident{j, n, b.work(j, c.dealt[n], costs), costs.Ephemeral[c.limit[n]]}
		b.Persistent[g] += costs.Persistent
		b.Ephemeral[g] = max(b.Ephemeral[g], l.ephemeral)
		list := append(b.residents[g], l)
		at := len(list) - 1
		for ; at > 0 && b.rank[list[at-1].job] > rank; at-- {
			list[at] = list[at-1]
		}
		list[at] = l
		b.residents[g] = list
	}
}

// evict is the inverse of admit.
func (b *Balancer) evict(c *change) {
	for _, g := range c.gpus {
		b.Persistent[g] -= b.in.Jobs[c.job].On[b.in.GPUs[g].Type].Persistent
		b.Ephemeral[g] = 0
		kept := b.residents[g][:0]
		for _, l := range b.residents[g] {
			if l.job != c.job {
				b.Ephemeral[g] = max(b.Ephemeral[g], l.ephemeral)
				kept = append(kept, l)
			}
		}
		b.residents[g] = kept
	}
}

// recount updates how long the residents of a GPU wait for each other.
func (b *Balancer) recount(g instance.GPUID) {
	sum := int64(0)
	for _, l := range b.residents[g] {
		sum += l.work
		b.ahead[l.job][l.n] = sum
	}
}

// steep is a smooth step to the maximum: the eighth power of ticks over the
// makespan aimed at.
func (b *Balancer) steep(ticks int64) float64 {
	x := float64(ticks) * b.scale
	x *= x
	x *= x
	return x * x
}

// energy sums up the touched GPUs, links and jobs.
func (b *Balancer) energy() float64 {
	sum := 0.0
	for _, l := range b.links {
		sum += b.steep(int64(b.Busy[l]))
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
		sum += b.steep(int64(b.Load[g]))
	}
	for _, j := range b.jobs {
		sum += b.steep(b.chain[j])
	}
	return sum
}

// touch adds a residency of a job to what the energy is summed over.
func (b *Balancer) touch(j instance.JobID, gpus []instance.GPUID, uses []instance.LinkUse) {
	for _, g := range gpus {
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
	for _, u := range uses {
		if b.linkSeen[u.Link] != b.stamp {
			b.linkSeen[u.Link] = b.stamp
			b.links = append(b.links, u.Link)
		}
	}
	b.touchJob(j)
}

func (b *Balancer) touchJob(j instance.JobID) {
	if b.jobSeen[j] != b.stamp {
		b.jobSeen[j] = b.stamp
		b.jobs = append(b.jobs, j)
	}
}

// Step draws a change and keeps it if it loses nothing, or a change of
// residencies whatever it loses. It reports whether it kept one.
func (b *Balancer) Step(whatever bool) bool {
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
		return b.swapDepths()
	}
	if !ok {
		return false
	}
	b.untouch()
	for i := range b.changes {
		c := &b.changes[i]
		b.touch(c.job, b.Out.GPUs[c.job], b.Out.Span[c.job].Uses)
		b.touch(c.job, c.gpus, c.span.Uses)
	}
	before := b.energy()
	var old [2]change
	for n := range b.changes {
		c := &b.changes[n]
		old[n] = b.residency(c.job, c.routed)
		b.tally(&old[n], -1)
	}
	for n := range b.changes {
		b.tally(&b.changes[n], 1)
	}
	// Without weights that is all that the energy looks at, and most changes end here.
	if whatever || b.weighted || b.energy() <= before {
		if b.exchange(old[:len(b.changes)], b.changes) && (whatever || b.energy() <= before) {
			b.drafts = [2]draft{}
			return true
		}
		b.exchange(b.changes, old[:len(b.changes)])
	}
	for n := range b.changes {
		b.tally(&b.changes[n], -1)
	}
	for n := range b.changes {
		b.tally(&old[n], 1)
	}
	return false
}

// exchange lets residents go and others come, and reports whether these have the
// memory that they need.
func (b *Balancer) exchange(out, in []change) bool {
	for n := range out {
		b.evict(&out[n])
	}
	fits := true
	for i := range in {
		c := &in[i]
		for n, g := range c.gpus {
			fits = fits && b.Room(c.job, g, c.limit[n]) >= 0
		}
		b.admit(c)
	}
	if b.weighted {
		for _, g := range b.gpus {
			b.recount(g)
		}
	}
	return fits
}

// untouch begins a new sum.
func (b *Balancer) untouch() {
	b.stamp++
	b.gpus, b.links, b.jobs = b.gpus[:0], b.links[:0], b.jobs[:0]
}
