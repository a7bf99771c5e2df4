package resume

import (
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/alloc"
	"jigsaw/heuristics/state"
)

// occupied holds when GPUs belong to units, and the link capacity these use.
type occupied struct {
	in    *instance.Instance
	gpus  [][]stretch // by GPU
	links []state.LinkTimeline
	ends  []instance.Tick // of units
}

// stretch is a half-open interval of time.
type stretch struct{ from, to instance.Tick }

// free reports whether a GPU is unused from one time to another; if not, until when it is used.
func (o *occupied) free(g instance.GPUID, from, to instance.Tick) (bool, instance.Tick) {
	for _, s := range o.gpus[g] {
		if s.from < to && from < s.to {
			return false, s.to
		}
	}
	return true, 0
}

// take reserves what a part holds, shifted by a delay against the times in its blocks.
func (o *occupied) take(gpus []instance.GPUID, from, to instance.Tick, holds []hold, shift instance.Tick) {
	for _, g := range gpus {
		o.gpus[g] = append(o.gpus[g], stretch{from, to})
	}
	for _, h := range holds {
		o.links[h.link].Add(h.From+shift, h.To+shift, h.Rate)
	}
	o.ends = append(o.ends, to)
}

// earliest is the first time from which a part may hold its GPUs and links.
func (o *occupied) earliest(p *part) instance.Tick {
	at := p.ready
	for {
		next := at
		for _, g := range p.gpus {
			if ok, until := o.free(g, at, at+p.to-p.from); !ok {
				next = max(next, until)
			}
		}
		for _, h := range p.holds {
			shift := at - p.from
			if later := o.links[h.link].Earliest(h.From+shift, h.To-h.From, o.in.Capacity(h.link)-h.Rate); later > h.From+shift {
				next = max(next, later-h.From+p.from)
			}
		}
		if next == at {
			return at
		}
		at = next
	}
}

// place is serial schedule generation: it starts all parts in order, each as early as possible, so that none delays one
// before it. With gaps, parts that can start no later than planned come first; then the jobs that would be delayed, or
// that move, take any free GPUs.
func (r *Resumption) place(parts []part, gaps bool) (*instance.BlockSchedule, error) {
	in := r.in
	o := &occupied{in: in, gpus: make([][]stretch, len(in.GPUs)), links: make([]state.LinkTimeline, len(in.Links))}
	plan := &instance.BlockSchedule{Residency: make([][]instance.GPUID, len(in.Jobs))}
	f := alloc.New(in, r.queue.Counts)
	settled := map[instance.JobID]bool{}
	for i := range parts {
		r.settle(f, &parts[i], settled)
	}
	put := func(p *part, anywhere bool) error {
		if p.blocks == nil || anywhere {
			return r.seek(o, f, plan, p.jobs[0])
		}
		at := p.from
		if !p.fixed {
			at = o.earliest(p)
		}
		held := at
		if p.begun {
			held = min(at, r.was.Now) // it is running: its jobs are in memory there
		}
		o.take(p.gpus, held, at+p.to-p.from, p.holds, at-p.from)
		for _, b := range p.blocks {
			b.Start += at - p.from
			plan.Blocks = append(plan.Blocks, b)
		}
		for n, j := range p.jobs {
			plan.Residency[j] = p.homes[n]
		}
		return nil
	}
	var later []*part
	for i := range parts {
		p := &parts[i]
		if gaps && !p.fixed && !p.begun && (p.blocks == nil || o.earliest(p) > p.from) {
			later = append(later, p)
		} else if err := put(p, false); err != nil {
			return nil, err
		}
	}
	for _, p := range later {
		if err := put(p, len(p.jobs) == 1); err != nil {
			return nil, err
		}
	}
	// The repeats in progress of a unit precede its new pattern.
	slices.SortStableFunc(plan.Blocks, func(a, b instance.Block) int { return int(min(1, max(-1, a.Start-b.Start))) })
	for j := range plan.Residency {
		plan.Residency[j] = slices.Clone(plan.Residency[j])
	}
	plan.Sort()
	return plan, nil
}

// settle records what jobs that have GPUs keep there, if they are in memory for the whole plan.
func (r *Resumption) settle(f *alloc.Free, p *part, settled map[instance.JobID]bool) {
	if f.Held == nil {
		return
	}
	for n, j := range p.jobs {
		if p.blocks == nil || settled[j] {
			continue
		}
		settled[j] = true
		for _, g := range p.homes[n] {
			f.Held[g].Persistent += r.in.Jobs[j].On[r.in.GPUs[g].Type].Persistent
		}
	}
	for i := range p.blocks {
		for _, t := range p.blocks[i].Tasks {
			f.Held[t.GPU].Ephemeral = max(f.Held[t.GPU].Ephemeral, r.in.Jobs[t.Job].On[r.in.GPUs[t.GPU].Type].Ephemeral[t.Depth])
		}
	}
}

// seek starts a job with GPUs of its own at the earliest time from which enough are free until it ends.
func (r *Resumption) seek(o *occupied, f *alloc.Free, plan *instance.BlockSchedule, id instance.JobID) error {
	job := &r.in.Jobs[id]
	ready := max(job.Release, r.was.Now)
	times := []instance.Tick{ready}
	for _, end := range o.ends {
		if end > ready {
			times = append(times, end)
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	length := job.Load + instance.Tick(job.Iterations)*job.FastestFull()
	for n, at := range times {
		for range 3 {
			for g := range r.in.GPUs {
				if ok, _ := o.free(instance.GPUID(g), at, at+length); ok != f.Has(instance.GPUID(g)) {
					f.Take([]instance.GPUID{instance.GPUID(g)}, ok)
				}
			}
			if f.Idle < job.Workers {
				break
			}
			for l := range f.Carried {
				f.Carried[l] = o.links[l].Peak(at, at+length)
			}
			s := f.Find(id)
			if s == nil && n == len(times)-1 {
				s = r.queue.Alone(f, id)
			}
			if s == nil {
				break
			}
			lasts := r.queue.Length(id, s)
			if lasts > length {
				length = lasts // whether they are free until then is checked below
				continue
			}
			b := s.Block(id, r.in, at+job.Load)
			var holds []hold
			for _, u := range s.Uses {
				holds = append(holds, hold{u.Link, use{From: at, To: at + lasts, Rate: s.Rate * instance.Rate(u.Times)}})
			}
			o.take(s.GPUs, at, at+lasts, holds, 0)
			plan.Blocks, plan.Residency[id] = append(plan.Blocks, b), s.GPUs
			r.settle(f, &part{jobs: []instance.JobID{id}, homes: [][]instance.GPUID{s.GPUs}, blocks: []instance.Block{b}}, map[instance.JobID]bool{})
			return nil
		}
		length = job.Load + instance.Tick(job.Iterations)*job.FastestFull()
	}
	return r.queue.NoPlace(id)
}
