package jigsaw

import (
	"context"
	"errors"
	"math/big"
	"sync"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/verify"
	"jigsaw/heuristics"
)

// ErrNotFirst is the error of [First] for instances that only [Plan] can plan.
var ErrNotFirst = errors.New("jigsaw: a plan in blocks takes more than a first plan has")

// First is [Plan] with [Options.Quick] and [Options.NoLP]. A program that calls nothing
// else needs neither linear programs nor the search, and is half as large: what a page on
// a slow network shows first.
func First(ctx context.Context, in *instance.Instance, opt Options) (*Result, error) {
	if err := opt.Without.Check(); err != nil {
		return nil, err
	}
	if in.Resumes() || long(in) {
		return nil, ErrNotFirst
	}
	opt.Quick, opt.NoLP, opt.EqualBaselines = true, true, false
	p, stop := newPlannerOf(ctx, in, opt, proveFirst)
	defer stop()
	if p.begin() {
		p.schedules(make(chan *instance.Schedule, 1), heuristics.Config.Greedy)
		p.unplaceable()
	}
	r, err := p.finish()
	r.canonical()
	return r, err
}

// proveFirst is [Certify] for the bounds that take no linear program.
func proveFirst(ctx context.Context, in *instance.Instance, c *Certificate) (relax.Proven, error) {
	return verify.Combinatorial(ctx, subject(in, c.Kind), c)
}

// greedyPart is the part of a run whose random choices are those of greedy; see
// planner.rng.
const greedyPart = 1

// unbeatable returns the test whether no schedule has a better value, by the
// bounds that take no linear program. The second is computed where the first leaves
// that open.
func unbeatable(in *instance.Instance) func(*big.Rat) bool {
	meets := func(b bound.Bound, value *big.Rat) bool {
		return b.Certified && b.Value != nil && !in.Objective.Better(b.Value, value)
	}
	chain, area := area.Chain(in), sync.OnceValue(func() bound.Bound { return area.Bound(in) })
	return func(value *big.Rat) bool { return meets(chain, value) || meets(area(), value) }
}

// unbeatable is the same for the plan's instance: it uses the bounds known when
// the run last settled and the fluid bound or, with a time limit, all that are
// known now.
func (p *planner) unbeatable() func(*big.Rat) bool {
	meets := func(dual, value *big.Rat) bool { return dual != nil && !p.in.Objective.Better(dual, value) }
	settled := p.settledDual
	return func(value *big.Rat) bool {
		if p.opt.Time == 0 {
			return meets(settled, value) || meets(p.awaitFluid(), value)
		}
		dual, certified := p.dual()
		return certified && meets(dual, value)
	}
}
