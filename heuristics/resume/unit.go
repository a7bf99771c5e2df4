package resume

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/groups"
	"jigsaw/heuristics/state"
)

// part is a unit of what is left: blocks on GPUs of their own for as long as it lasts, or,
// without blocks, one job that has to find GPUs.
type part struct {
	jobs  []instance.JobID
	homes [][]instance.GPUID // by job
	// begun ones are running, and hold their GPUs already; fixed ones keep their times as well.
	begun, fixed bool
	blocks       []instance.Block
	gpus         []instance.GPUID
	holds        []hold
	// from and to are when it holds its GPUs, from including the loads of its jobs; ready is the
	// earliest from possible.
	from, to, ready instance.Tick
	turn            instance.Tick // position in the order of the plan
}

// hold is the largest demand of a block on a link.
type hold struct {
	link instance.LinkID
	use
}

// use is a rate on a link for some time.
type use struct {
	From, To instance.Tick
	Rate     instance.Rate
}

// group finds the units: jobs that share blocks, or a GPU at the same time.
func (r *Resumption) group() {
	plan := r.was.Plan
	var pairs [][2]instance.JobID
	r.blocksOf = make([][]int, len(r.in.Jobs))
	for i := range plan.Blocks {
		for _, t := range plan.Blocks[i].Tasks {
			if of := &r.blocksOf[t.Job]; len(*of) == 0 || (*of)[len(*of)-1] != i {
				*of = append(*of, i)
				pairs = append(pairs, [2]instance.JobID{plan.Blocks[i].Tasks[0].Job, t.Job})
			}
		}
	}
	from, to := plan.Spans(r.in)
	for j := range from {
		if from[j] -= r.in.Jobs[j].Load; r.was.Begun[j] {
			from[j] = min(from[j], r.was.Now)
		}
	}
	for _, jobs := range groups.Sharing(plan, from, to, pairs) {
		u := group{jobs: jobs}
		for _, j := range jobs {
			u.end = max(u.end, to[j])
			for _, g := range plan.Residency[j] {
				if now, ok := r.was.GPU(g); ok {
					u.gpus = append(u.gpus, now)
				}
			}
			if !r.was.Moves[j] {
				u.stay, u.begun, u.work = append(u.stay, j), u.begun || r.was.Begun[j], u.work+r.queue.Work(j)
			}
		}
		r.units = append(r.units, u)
	}
	for n := range r.units {
		slices.Sort(r.units[n].gpus)
		r.units[n].gpus = slices.Compact(r.units[n].gpus)
	}
}

// blocks returns the plan's blocks of some jobs, on the previous GPUs.
func (r *Resumption) blocks(jobs []instance.JobID) (list []instance.Block) {
	some := map[instance.JobID]bool{}
	var in []int
	for _, j := range jobs {
		some[j] = true
		in = append(in, r.blocksOf[j]...)
	}
	slices.Sort(in)
	for _, i := range slices.Compact(in) {
		list = append(list, r.was.Plan.Blocks[i].Of(func(j instance.JobID) instance.JobID {
			if some[j] {
				return j
			}
			return instance.NoJob
		}))
	}
	return list
}

// asPlanned is a unit that continues, or will start, as planned. All its GPUs exist.
func (r *Resumption) asPlanned(jobs []instance.JobID, begun bool, turn instance.Tick) part {
	p := part{jobs: jobs, begun: begun, fixed: begun, turn: turn, blocks: r.blocks(jobs)}
	for i := range p.blocks {
		// It starts with its first task, which is not before time 0 if it continues.
		b := &p.blocks[i]
		first := slices.MinFunc(b.Tasks, func(a, b instance.Task) int { return cmp.Compare(a.Start, b.Start) }).Start
		b.Start += first
		instance.Shift(b.Tasks, b.Syncs, -first)
		for n := range b.Tasks {
			b.Tasks[n].GPU, _ = r.was.GPU(b.Tasks[n].GPU)
		}
	}
	for _, j := range jobs {
		var home []instance.GPUID
		for _, g := range r.was.Plan.Residency[j] {
			now, _ := r.was.GPU(g)
			home = append(home, now)
		}
		p.homes = append(p.homes, home)
	}
	r.finish(&p)
	return p
}

// finish computes what a part with blocks holds.
func (r *Resumption) finish(p *part) {
	from := map[instance.JobID]instance.Tick{}
	for i := range p.blocks {
		b := &p.blocks[i]
		last := b.Start + instance.Tick(b.Repeats-1)*b.Period
		for _, t := range b.Tasks {
			if start, ok := from[t.Job]; !ok || b.Start+t.Start < start {
				from[t.Job] = b.Start + t.Start
			}
			p.to = max(p.to, last+t.End)
		}
		for _, y := range b.Syncs {
			p.to = max(p.to, last+y.End)
		}
	}
	shift := instance.Tick(-1 << 60) // the least delay of the whole part
	for n, j := range p.jobs {
		job := &r.in.Jobs[j]
		p.gpus = append(p.gpus, p.homes[n]...)
		admitted := from[j] - job.Load
		if n == 0 || admitted < p.from {
			p.from = admitted
		}
		shift = max(shift, job.Release-admitted)
	}
	p.ready = p.from
	if !p.fixed {
		p.ready = p.from + max(shift, r.was.Now-p.from)
	}
	slices.Sort(p.gpus)
	p.gpus = slices.Compact(p.gpus)
	for i := range p.blocks {
		p.holds = append(p.holds, r.holdsOf(p, &p.blocks[i])...)
	}
}

// holdsOf is the demand of a block on links: the largest sum of rates in its period, from its first
// start on the link to its last end.
func (r *Resumption) holdsOf(p *part, b *instance.Block) (list []hold) {
	loads := map[instance.LinkID]*state.LinkTimeline{} // in the period
	at := map[instance.LinkID]int{}
	for _, y := range b.Syncs {
		span, ok := r.in.SpanOf(&r.in.Jobs[y.Job], p.homes[slices.Index(p.jobs, y.Job)])
		if !ok || y.Start == y.End {
			continue
		}
		for _, u := range span.Uses {
			rate := span.Rate(y.Rate) * instance.Rate(u.Times)
			if loads[u.Link] == nil {
				loads[u.Link], at[u.Link] = &state.LinkTimeline{}, len(list)
				list = append(list, hold{u.Link, use{From: b.Start + y.Start}})
			}
			h, load := &list[at[u.Link]], loads[u.Link]
			h.From = min(h.From, b.Start+y.Start)
			h.To = max(h.To, b.Start+y.End+instance.Tick(b.Repeats-1)*b.Period)
			start, length := y.Start, y.End-y.Start
			for ; b.Repeats > 1 && length >= b.Period; length -= b.Period {
				load.Add(0, b.Period, rate)
			}
			if b.Repeats > 1 {
				if start %= b.Period; start+length > b.Period {
					load.Add(0, start+length-b.Period, rate)
					length = b.Period - start
				}
			}
			load.Add(start, start+length, rate)
		}
	}
	for i := range list {
		list[i].Rate = loads[list[i].link].Peak(0, state.Never)
	}
	return list
}
