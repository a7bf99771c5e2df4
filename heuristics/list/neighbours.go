package list

import (
	"context"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// A search that judges decisions by more than their schedules ([jigsaw/heuristics/horizon.Config.Scaled]) uses a portfolio step
// by step.

// Start makes the first decisions.
func (p *Portfolio) Start() error {
	if err := p.Construct(); err != nil {
		return err
	}
	p.slowDown()
	return nil
}

// Within is the portfolio with another context.
func (p *Portfolio) Within(ctx context.Context) *Portfolio {
	other := *p
	other.ctx = ctx
	return &other
}

// stepPart is the part of a greedy's work that [Portfolio.Step] does.
const stepPart = 4

// Step improves the best decision.
func (p *Portfolio) Step() {
	p.Budget = decodeBudget / stepPart
	p.Improve()
}

// Neighbours returns changes of a decision whose jobs end then: of a batch those with the best schedules, at most so many, the best one first.
// The portfolio's own best remains what it is.
func (p *Portfolio) Neighbours(of *Decision, ends []instance.Tick, most int) []*Decision {
	m := newMutation(p, of, state.ValueOf(p.In, ends), ends)
	var list []*Decision
	for range batch {
		if d := m.neighbour(); d != nil {
			list = append(list, d)
		}
	}
	best, value, chosen := p.Best, p.Value, p.Chosen
	p.Best, p.Budget = nil, len(list)*p.Cost
	p.try(list)
	p.Best, p.Value, p.Chosen = best, value, chosen
	order := slices.DeleteFunc(instance.UpTo[int](len(list)), func(i int) bool { return !p.tried[i].ok })
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := p.tried[a].value, p.tried[b].value; {
		case x.Ahead(y):
			return -1
		case y.Ahead(x):
			return 1
		}
		return 0
	})
	return state.Pick(list, order[:min(most, len(order))])
}
