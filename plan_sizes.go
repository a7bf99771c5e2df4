package jigsaw

import (
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics"
	"jigsaw/heuristics/repair"
	"jigsaw/method"
)

const (
	// Up to mostSizes sizes of workers, bySize tries all divisions into neighbouring sizes, in all orders; of more, every size by itself, ascending and descending.
	mostSizes = 3
	// bySize tries mostTurns orders at effort 1, and fewer where that would be more than mostTurnTasks tasks in all.
	mostTurns, mostTurnTasks = 1000, 1_000_000
	// sizesPart is the part of a run whose random choices are those of bySize; see planner.rng.
	sizesPart = 10
)

// bySize plans jobs whose workers have different numbers of GPUs. Greedy gives every size GPUs of its own; here all GPUs
// serve the workers of one size, or of neighbouring sizes, and then those of the next, and everything starts as early as that
// order allows. A search for better orders goes on from there.
func (p *planner) bySize() {
	in := p.in
	var sizes []int
	for j := range in.Jobs {
		sizes = append(sizes, in.Jobs[j].Group())
	}
	slices.Sort(sizes)
	if sizes = slices.Compact(sizes); len(sizes) < 2 || in.Objective.Periodic() || p.opt.Without[method.Sizes] || p.result.Primal != nil && p.goodEnough()(p.result.Primal) {
		return
	}
	whole := repair.Damage{GPU: func(_ instance.JobID, g instance.GPUID) (instance.GPUID, bool) { return g, true }}
	var best, order *instance.Schedule
	try := func(s *instance.Schedule) {
		if p.ctx.Err() != nil || len(p.check(in, s)) > 0 { // together they may need more memory than there is
			return
		}
		if early, err := repair.Repair(in, s, whole); err == nil && in.Late(early.Schedule.Completion(in)) == instance.NoJob &&
			(best == nil || in.Objective.Better(in.Value(early.Schedule), in.Value(best))) {
			best, order = early.Schedule, s
		}
	}
	parts := map[[2]int]*sized{}
	for cuts := 1; cuts < 1<<(len(sizes)-1); cuts++ { // between sizes
		if len(sizes) > mostSizes && cuts+1 < 1<<(len(sizes)-1) {
			continue
		}
		var list []*sized
		for from := 0; from < len(sizes); {
			to := from + 1
			for to < len(sizes) && cuts>>(to-1)&1 == 0 {
				to++
			}
			key := [2]int{sizes[from], sizes[to-1]}
			if parts[key] == nil {
				parts[key] = p.ofSizes(sizes[from], sizes[to-1])
			}
			list, from = append(list, parts[key]), to
		}
		switch {
		case slices.ContainsFunc(list, func(s *sized) bool { return s.schedule == nil }):
		case len(list) > mostSizes:
			try(after(in, list))
			slices.Reverse(list)
			try(after(in, list))
		default:
			permute(list, 0, func() { try(after(in, list)) })
		}
	}
	if best == nil {
		return
	}
	search := repair.Search{
		Rounds: min(mostTurns, 1+mostTurnTasks/int(in.Tasks())) * max(1, p.opt.Effort), Stop: p.goodEnough(),
		Improved: func(s *instance.Schedule) { p.improved("sizes", s) },
	}
	p.take("sizes one after the other", search.Improve(p.ctx, in, order, whole, best, p.rng(sizesPart)))
}

// sized is a plan of the jobs whose workers have certain numbers of GPUs; its schedule is nil if there is none.
type sized struct {
	*instance.Part
	schedule *instance.Schedule
}

// ofSizes plans by themselves the jobs whose workers have at least from and at most to GPUs.
func (p *planner) ofSizes(from, to int) *sized {
	var jobs []instance.JobID
	for j := range p.in.Jobs {
		if size := p.in.Jobs[j].Group(); size >= from && size <= to {
			jobs = append(jobs, instance.JobID(j))
		}
	}
	s := &sized{Part: p.in.Part(jobs, p.in.AllNodes(), nil)}
	s.schedule, _ = heuristics.Config{Without: p.opt.Without, Stop: unbeatable(s.Instance)}.Greedy(p.ctx, s.Instance, p.rng(sizesPart))
	return s
}

// after puts plans one after the other.
func after(in *instance.Instance, list []*sized) *instance.Schedule {
	s := &instance.Schedule{Residency: make([][]instance.GPUID, len(in.Jobs))}
	begin := instance.Tick(0)
	for _, part := range list {
		tasks, syncs := len(s.Tasks), len(s.Syncs)
		part.Add(s, part.schedule)
		instance.Shift(s.Tasks[tasks:], s.Syncs[syncs:], begin)
		begin += part.schedule.Makespan(part.Instance)
	}
	s.Sort()
	return s
}

// permute calls f with every order of the elements of a list from an index on.
func permute[E any](list []E, from int, f func()) {
	if from == len(list) {
		f()
	}
	for i := from; i < len(list); i++ {
		list[from], list[i] = list[i], list[from]
		permute(list, from+1, f)
		list[from], list[i] = list[i], list[from]
	}
}
