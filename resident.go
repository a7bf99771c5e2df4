package jigsaw

import (
	"context"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// roomy returns the instance to plan in place of one whose jobs hold memory only while they run, if that makes no
// difference: all jobs together fit on every GPU, and their tasks are few enough to be planned one by one. nil otherwise.
func roomy(in *instance.Instance) *instance.Instance {
	if !in.Queues() || in.Resumes() || long(in.Resident()) || state.MayLackMemory(in) {
		return nil
	}
	return in.Roomy()
}

// planRoomy is [plan] of an instance for which [roomy] returns one, which is the instance of the baselines.
func planRoomy(ctx context.Context, in, free *instance.Instance, opt Options) (*Result, error) {
	if tell := opt.Blocks; tell != nil {
		opt.Incumbent = func(s *instance.Schedule) { tell(s.Block()) }
	}
	r, err := plan(ctx, free, opt)
	if r == nil {
		return nil, err
	}
	r.Instance = in
	if r.Schedule != nil {
		if r.Blocks = r.Schedule.Block(); r.Blocks.Tasks() > mostExpanded {
			r.Schedule = nil
		}
	}
	for _, b := range r.everyBaseline() {
		if b.Schedule != nil {
			b.Blocks, b.Schedule = b.Schedule.Block(), nil
		}
	}
	return r, err
}

// residents plans jobs that hold memory only while they run as if all held it for the whole plan, task by task, if tasks are few. It
// takes a third of the time that is left.
func (p *planner) residents() {
	free := p.in.Resident()
	if !p.in.Queues() || long(free) || p.opt.Quick || p.ctx.Err() != nil || p.result.Primal != nil && p.goodEnough()(p.result.Primal) {
		return
	}
	opt := Options{Seed: p.opt.Seed, Effort: p.opt.Effort, NoLP: true, NoBaselines: true, Without: p.opt.Without}
	if p.opt.Time > 0 {
		opt.Time = max(time.Millisecond, time.Until(p.start.Add(p.opt.Time))/3)
	}
	opt.Progress = func(now Point) {
		if now.Primal != nil {
			p.see("search", now.Primal)
		}
	}
	r, err := plan(p.ctx, free, opt)
	if err != nil {
		p.faults = append(p.faults, err)
	} else if r.Schedule != nil {
		p.takeBlocks("the search", r.Schedule.Block())
	}
}
