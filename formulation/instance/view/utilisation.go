package view

import (
	"cmp"
	"iter"
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
	Busy instance.Tick
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
		u.GPUs[t.GPU].Busy += t.End - t.Start
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
	if !p.in.Queues() || p.period > 0 {
		return staysOf(p.in, p.s.Residency, nil, nil, slices.Values(p.tasks))
	}
	first := make([]instance.Tick, len(p.in.Jobs))
	for j := range first {
		first[j] = math.MaxInt64
	}
	for i := range p.tasks {
		t := &p.tasks[i]
		first[t.Job] = min(first[t.Job], t.Start)
	}
	return staysOf(p.in, p.s.Residency, first, p.s.Completion(p.in), slices.Values(p.tasks))
}

// staysOf returns the stays on every GPU of jobs with these first starts and ends, nil: of the whole plan, and these tasks.
func staysOf(in *instance.Instance, residency [][]instance.GPUID, first, ends []instance.Tick, tasks iter.Seq[instance.Task]) [][]stay {
	list := make([][]stay, len(in.GPUs))
	for j, gpus := range residency {
		s := stay{job: instance.JobID(j), to: math.MaxInt64}
		if ends != nil {
			if s.to = ends[j]; in.Jobs[j].Resident == nil {
				s.from = first[j] - in.Jobs[j].Load
			}
		}
		for _, g := range gpus {
			s.persistent = in.Jobs[j].On[in.GPUs[g].Type].Persistent
			list[g] = append(list[g], s)
		}
	}
	for t := range tasks {
		for n := range list[t.GPU] {
			if s := &list[t.GPU][n]; s.job == t.Job {
				s.ephemeral = max(s.ephemeral, in.Jobs[t.Job].On[in.GPUs[t.GPU].Type].Ephemeral[t.Depth])
			}
		}
	}
	return list
}

// peak is the most that stays ask for at a time: when one begins.
func peak(stays []stay) (most instance.Bytes) {
	for n, s := range stays {
		if n > 0 && s.from == stays[n-1].from {
			continue
		}
		persistent, ephemeral := instance.Bytes(0), instance.Bytes(0)
		for _, o := range stays {
			if o.from <= s.from && s.from < o.to {
				persistent, ephemeral = persistent+o.persistent, max(ephemeral, o.ephemeral)
			}
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
