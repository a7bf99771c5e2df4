package view

import (
	"cmp"
	"math"
	"slices"

	"jigsaw/formulation/instance"
)

// Usage is how much of the cluster a schedule uses, until its makespan or
// within its period.
type Usage struct {
	// Span is the makespan or the period.
	Span instance.Tick
	// GPUs by GPU.
	GPUs []GPUUsage
	// Links by link.
	Links []LinkUsage
}

// GPUUsage is the use of one GPU.
type GPUUsage struct {
	Tasks int
	Busy  instance.Tick
	// Share is Busy / Span.
	Share float64
	// Memory is the peak demand: the persistent bytes of the jobs that are in
	// memory at a time and the largest ephemeral bytes of a task of theirs.
	Memory instance.Bytes
}

// LinkUsage is the use of one link.
type LinkUsage struct {
	// Bytes carried.
	Bytes instance.Bytes
	// Share is Bytes / (capacity x Span).
	Share float64
	// Peak is the largest part of the capacity reserved at any one time;
	// above 1 the schedule is not valid.
	Peak float64
}

// MeanGPU returns the mean busy share over all GPUs.
func (u *Usage) MeanGPU() float64 {
	sum := 0.0
	for _, g := range u.GPUs {
		sum += g.Share
	}
	return sum / float64(max(1, len(u.GPUs)))
}

// Utilisation adds up what a schedule uses of every GPU and link.
func Utilisation(in *instance.Instance, s *instance.Schedule) (*Usage, error) {
	p, err := newPlan(in, s)
	if err != nil {
		return nil, err
	}
	return p.usage(), nil
}

func (p *plan) usage() *Usage {
	in := p.in
	u := &Usage{Span: p.span, GPUs: make([]GPUUsage, len(in.GPUs)), Links: make([]LinkUsage, len(in.Links))}
	for _, t := range p.tasks {
		g := &u.GPUs[t.GPU]
		g.Tasks++
		g.Busy += t.End - t.Start
	}
	for g, stays := range p.stays() {
		u.GPUs[g].Memory = peak(stays)
		if p.span > 0 {
			u.GPUs[g].Share = float64(u.GPUs[g].Busy) / float64(p.span)
		}
	}
	for l, loads := range p.loads() {
		p.linkUsage(&u.Links[l], instance.LinkID(l), loads)
	}
	return u
}

// stay is what a job asks of the memory of one GPU, and when.
type stay struct {
	job                   instance.JobID
	from, to              instance.Tick
	persistent, ephemeral instance.Bytes
}

// stays returns the stays on every GPU: from admission to end where jobs hold memory only
// while they run, else of the whole plan.
func (p *plan) stays() [][]stay {
	in := p.in
	ephemeral := make(map[[2]int]instance.Bytes)
	first := make([]instance.Tick, len(in.Jobs))
	for j := range first {
		first[j] = math.MaxInt64
	}
	for _, t := range p.tasks {
		at := [2]int{int(t.Job), int(t.GPU)}
		ephemeral[at] = max(ephemeral[at], in.Jobs[t.Job].On[in.GPUs[t.GPU].Type].Ephemeral[t.Depth])
		first[t.Job] = min(first[t.Job], t.Start)
	}
	ends := p.s.Completion(in)
	list := make([][]stay, len(in.GPUs))
	for j, gpus := range p.s.Residency {
		job := &in.Jobs[j]
		from, to := instance.Tick(0), instance.Tick(math.MaxInt64)
		if in.Queues() && p.period == 0 {
			if to = ends[j]; job.Resident == nil {
				from = max(0, first[j]-job.Load)
			}
		}
		for _, g := range gpus {
			list[g] = append(list[g], stay{instance.JobID(j), from, to, job.On[in.GPUs[g].Type].Persistent, ephemeral[[2]int{j, int(g)}]})
		}
	}
	return list
}

// peak is the most that stays ask for at a time.
func peak(stays []stay) (most instance.Bytes) {
	slices.SortFunc(stays, func(a, b stay) int { return cmp.Compare(a.from, b.from) })
	var present []stay
	for _, s := range stays {
		present = append(slices.DeleteFunc(present, func(o stay) bool { return o.to <= s.from }), s)
		persistent, ephemeral := instance.Bytes(0), instance.Bytes(0)
		for _, o := range present {
			persistent, ephemeral = persistent+o.persistent, max(ephemeral, o.ephemeral)
		}
		most = max(most, persistent+ephemeral)
	}
	return most
}

// step is a change of a link's load at a time.
type step struct {
	at    instance.Tick
	share float64
}

func (p *plan) linkUsage(u *LinkUsage, l instance.LinkID, loads []jobLoad) {
	var steps []step
	var pieces []piece
	for _, load := range loads {
		first, end := p.syncsOf(load.job)
		for i := first; i < end; i++ {
			u.Bytes += p.moves[i].volume * instance.Bytes(load.times)
			share := p.share(i, load.times, l)
			pieces = p.pieces(pieces[:0], p.syncs[i].Start, p.syncs[i].End)
			for _, part := range pieces {
				if part.from < part.to {
					steps = append(steps, step{part.from, share}, step{part.to, -share})
				}
			}
		}
	}
	// Ends before starts: a sync may begin where another ends.
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.share, b.share)) })
	now := 0.0
	for _, s := range steps {
		now += s.share
		u.Peak = max(u.Peak, now)
	}
	if c := p.in.Links[l].Capacity; c > 0 && p.span > 0 {
		u.Share = float64(u.Bytes) * 8e6 / (float64(c) * float64(p.span) * float64(p.in.TickUS))
	}
}
