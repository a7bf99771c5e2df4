package jigsaw

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"sync"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics"
)

// Greedy returns the schedule that is the baseline "greedy" of [Plan]: a list
// scheduler with SPB, without bounds and without a search. It is for callers that
// ask for many plans of small instances.
func Greedy(ctx context.Context, in *instance.Instance, seed uint64) (*instance.Schedule, error) {
	if err := beyond(in, "list scheduling"); err != nil {
		return nil, err
	}
	s, err := heuristics.Config{Stop: unbeatable(in)}.Greedy(ctx, in, rand.New(rand.NewPCG(seed, greedyPart)))
	if err != nil {
		return nil, err
	}
	if violations := check.Schedule(in, s); len(violations) > 0 {
		return nil, fmt.Errorf("jigsaw: greedy made an invalid schedule: %v", violations[0])
	}
	return s, nil
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

// unbeatable is the same of the plan's instance: by the bounds that were there when
// the run last settled and the fluid bound or, with a time limit, by all that are
// there now.
func (p *planner) unbeatable() func(*big.Rat) bool {
	meets := func(dual, value *big.Rat) bool { return dual != nil && !p.in.Objective.Better(dual, value) }
	settled := p.settledDual
	return func(value *big.Rat) bool {
		if p.opt.Time == 0 {
			return meets(settled, value) || meets(p.awaitFluid(), value)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.result.Certified && meets(p.result.Dual, value)
	}
}
