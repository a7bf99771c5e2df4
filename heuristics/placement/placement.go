package placement

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/memory"
	"jigsaw/heuristics/state"
)

// Placement holds where every job lives.
type Placement struct {
	// GPUs[j] are the k distinct GPUs of job j, ascending.
	GPUs [][]instance.GPUID
	// Limit[j][n] is the deepest depth for which the memory of GPUs[j][n] is
	// reserved: rule 7 holds as long as no task of j there is deeper. The limits of
	// a job always leave room for its whole multiset.
	Limit [][]int
	// Span[j] is what synchronisations among GPUs[j] use.
	Span []instance.Span
}

// Options sets how [Place] works. The zero value places the jobs with the
// longest chains first, each where loads and its own chain are lowest.
type Options struct {
	// Counts[j] is the depth multiset of job j; see package multiset. Required.
	Counts [][]int
	// Order of placement; nil: decreasing length of the chain.
	Order []instance.JobID
	// Iterations[j] scales the load of job j; nil: Job.Iterations.
	Iterations []int64
	// Scatter prefers balance to locality: the chain of a job weighs less.
	Scatter bool
	// Noise perturbs the loads that are compared, for restarts; nil: none.
	Noise *rand.Rand
	// Reach is the [NewReach] of the instance; nil: computed.
	Reach *Reach
	// Steps limits the search for a placement if memory is tight, in workers placed; 0: [memorySteps].
	Steps int
}

// placeOnce chooses the residency of every job under rules 1 and 7, balancing
// loads of GPUs and links and keeping jobs in one node, or else one rack, if
// that ends them sooner. The error is a *NoPlan.
func placeOnce(in *instance.Instance, how Options) (*Placement, error) {
	p := NewPlacer(in, how)
	order := how.Order
	if order == nil {
		order = p.ByChain()
	}
	if in.Resumes() { // jobs in memory have no choice
		order = slices.Clone(order)
		slices.SortStableFunc(order, func(a, b instance.JobID) int {
			return cmp.Compare(len(in.Jobs[b].Resident), len(in.Jobs[a].Resident))
		})
	}
	for _, j := range order {
		if !p.Put(j) {
			return nil, state.Refusal(p.in, j, func(g instance.GPUID) bool { return p.Room(j, g, in.Jobs[j].Full()) >= 0 })
		}
	}
	return p.Out, nil
}

// Place places all jobs one by one or, if memory is too tight for that, by [memory.Search], which
// may need other multisets than how.Counts. It returns the multisets for which the placement has
// room. The error is a *NoPlan.
func Place(ctx context.Context, in *instance.Instance, how Options) (*Placement, [][]int, error) {
	out, first := placeOnce(in, how)
	if first == nil {
		return out, how.Counts, nil
	}
	big := how
	big.Order = NewPlacer(in, how).byMemory()
	if out, err := placeOnce(in, big); err == nil {
		return out, how.Counts, nil
	}
	if in.Resumes() {
		if out, counts := settled(in, how); out != nil {
			return out, counts, nil
		}
		return nil, nil, first
	}
	found, _ := memory.Search(ctx, in, cmp.Or(how.Steps, memorySteps))
	if found == nil {
		return nil, nil, first
	}
	out = &Placement{GPUs: found.GPUs, Limit: found.Depths, Span: make([]instance.Span, len(in.Jobs))}
	counts := make([][]int, len(in.Jobs))
	for j := range in.Jobs {
		out.Span[j], _ = in.SpanOf(&in.Jobs[j], found.GPUs[j])
		counts[j] = found.Counts(in, instance.JobID(j))
	}
	return out, counts, nil
}

// memorySteps limits the search for a placement if memory is tight, in workers
// placed: about a second.
const memorySteps = 300_000

// Placer is a placement under construction.
type Placer struct {
	in         *instance.Instance
	how        Options
	iterations []int64
	Out        *Placement

	Load  []instance.Tick   // per GPU: ticks of tasks placed there
	Held  []instance.Memory // per GPU
	Busy  []instance.Tick   // per link: ticks of synchronisations at full rate
	reach *Reach

	// Scratch.
	*Reach           // of the job being placed
	cost     []int64 // per GPU: what the choice minimises
	fitting  [][]instance.GPUID
	nodeCost []int64
	heap     []instance.GPUID
}

// NewPlacer starts with no job placed.
func NewPlacer(in *instance.Instance, how Options) *Placer {
	p := &Placer{
		in: in, how: how, iterations: how.Iterations,
		Out: &Placement{
			GPUs: make([][]instance.GPUID, len(in.Jobs)), Limit: make([][]int, len(in.Jobs)),
			Span: make([]instance.Span, len(in.Jobs)),
		},
		Load: make([]instance.Tick, len(in.GPUs)), Held: make([]instance.Memory, len(in.GPUs)),
		Busy: make([]instance.Tick, len(in.Links)),
		cost: make([]int64, len(in.GPUs)), fitting: make([][]instance.GPUID, len(in.Nodes)),
		nodeCost: make([]int64, len(in.Nodes)),
	}
	if p.iterations == nil {
		p.iterations = make([]int64, len(in.Jobs))
		for j := range in.Jobs {
			p.iterations[j] = int64(in.Jobs[j].Iterations)
		}
	}
	if p.reach = how.Reach; p.reach == nil {
		p.reach = NewReach(in)
	}
	return p
}

// Reach says where jobs can be on several nodes, see
// [instance.Instance.Scopes].
type Reach struct {
	racks, groups [][]instance.NodeID
	// near has for each rack, itself first, those with routes to it, the fastest first; nil in trees of racks, and of more than
	// mostNearRacks racks.
	near    [][]int
	obeying []*Reach // by policy: for jobs that have one
}

// For is the reach of a job's synchronisations under its policy.
func (r *Reach) For(job *instance.Job) *Reach {
	if job.Policy == 0 {
		return r
	}
	return r.obeying[job.Policy-1]
}

// NewReach finds which nodes can reach each other.
func NewReach(in *instance.Instance) *Reach {
	r := newReach(in, 0)
	for i := range in.Policies {
		r.obeying = append(r.obeying, newReach(in, i+1))
	}
	return r
}

func newReach(in *instance.Instance, policy int) *Reach {
	racks, groups := in.Scopes(&instance.Job{Policy: policy})
	return &Reach{racks: racks, groups: groups, near: nearRacks(in, policy)}
}

// nearRacks orders racks by the speed of routes from each of them, and back; see [Reach].
func nearRacks(in *instance.Instance, policy int) (near [][]int) {
	if !in.Switched() || len(in.Racks) > mostNearRacks {
		return nil
	}
	speed := make([]instance.Rate, len(in.Racks)*len(in.Racks)) // both ways
	at := func(from, to int) *instance.Rate { return &speed[max(from, to)*len(in.Racks)+min(from, to)] }
	in.Routes(func(p, from, to int, links []instance.LinkID) {
		if p != policy {
			return
		}
		s := at(from, to)
		for _, l := range links {
			if c := in.Capacity(l); *s == 0 || c < *s {
				*s = c
			}
		}
	})
	for r := range in.Racks {
		var list []int
		for o := range in.Racks {
			if o != r && *at(r, o) > 0 {
				list = append(list, o)
			}
		}
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(*at(r, b), *at(r, a)) })
		near = append(near, append([]int{r}, list...))
	}
	return near
}

// mostNearRacks bounds the candidates for a job.
const mostNearRacks = 16

// work returns the mean task time of job j on GPU type t, rounded up.
func (p *Placer) work(j instance.JobID, t instance.TypeID) instance.Tick {
	return state.MeanTime(&p.in.Jobs[j], t, p.how.Counts[j])
}

// ByArea orders the jobs by decreasing GPU-ticks.
func (p *Placer) ByArea() []instance.JobID {
	return state.OrderBy(len(p.in.Jobs), func(j instance.JobID) int64 {
		job := &p.in.Jobs[j]
		return -p.iterations[j] * int64(job.Workers) * state.LeastOverTypes(job, func(t instance.TypeID) int64 { return int64(p.work(j, t)) })
	})
}

// ByChain orders the jobs by descending compute time of their chain: jobs that
// take long whatever happens choose first, and the others fill in.
func (p *Placer) ByChain() []instance.JobID {
	return state.OrderBy(len(p.in.Jobs), func(j instance.JobID) int64 {
		job := &p.in.Jobs[j]
		return -int64(job.Release) - p.iterations[j]*int64(job.On[state.FastestType(p.in, job)].Time[job.Full()])
	})
}

// byMemory orders the jobs by decreasing bytes on a GPU.
func (p *Placer) byMemory() []instance.JobID {
	return state.OrderBy(len(p.in.Jobs), func(j instance.JobID) int64 {
		job := &p.in.Jobs[j]
		bytes := state.LeastOverTypes(job, func(t instance.TypeID) int64 {
			return int64(job.On[t].Persistent) + int64(job.On[t].Ephemeral[job.Full()])/4
		})
		return -bytes
	})
}

// Room returns the memory left on GPU g if job j came to live there with depths
// up to d; negative if it does not fit.
func (p *Placer) Room(j instance.JobID, g instance.GPUID, d int) instance.Bytes {
	t := p.in.GPUs[g].Type
	c := p.in.Jobs[j].On[t]
	return p.in.Types[t].Memory - p.Held[g].With(c.Memory(d)).Sum()
}

// Put places one job. It reports whether the job fitted anywhere.
func (p *Placer) Put(j instance.JobID) bool {
	p.Price(j)
	full := p.in.Jobs[j].Full()
	p.Collect(j, func(g instance.GPUID) bool { return p.Room(j, g, full) >= 0 })
	return p.Take(j)
}

// choice is a candidate residency with its criteria.
type choice struct {
	gpus  []instance.GPUID
	span  instance.Span
	score int64
}

// Settle makes the residency of job j final.
func (p *Placer) Settle(j instance.JobID, gpus []instance.GPUID, limit []int, span instance.Span) {
	job := &p.in.Jobs[j]
	p.Out.GPUs[j], p.Out.Limit[j], p.Out.Span[j] = gpus, limit, span
	for n, g := range gpus {
		t := p.in.GPUs[g].Type
		p.Load[g] += instance.Tick(p.iterations[j]) * p.work(j, t)
		p.Held[g] = p.Held[g].With(job.On[t].Memory(limit[n]))
	}
	sync := state.FullSync(p.in, job, p.how.Counts[j], &span)
	for _, u := range span.Uses {
		p.Busy[u.Link] += instance.Tick(p.iterations[j]) * share(p.in, sync, &span, u)
	}
}

// Of is the placement of a schedule. Where memory has no room for all jobs of a GPU at full depth, they are limited to the depths of their tasks
// there.
func Of(in *instance.Instance, s *instance.Schedule) *Placement {
	p := &Placement{GPUs: s.Residency, Limit: make([][]int, len(in.Jobs)), Span: make([]instance.Span, len(in.Jobs))}
	held := make([]instance.Memory, len(in.GPUs))
	for j, home := range s.Residency {
		p.Limit[j] = make([]int, len(home))
		p.Span[j], _ = in.SpanOf(&in.Jobs[j], home)
		for _, g := range home {
			held[g] = held[g].With(in.Jobs[j].On[in.GPUs[g].Type].Memory(in.Jobs[j].Full()))
		}
	}
	for _, t := range s.Tasks {
		at := &p.Limit[t.Job][slices.Index(s.Residency[t.Job], t.GPU)]
		*at = max(*at, t.Depth)
	}
	for j, home := range s.Residency {
		for n, g := range home {
			if held[g].Sum() <= in.Types[in.GPUs[g].Type].Memory {
				p.Limit[j][n] = in.Jobs[j].Full()
			}
		}
	}
	return p
}
