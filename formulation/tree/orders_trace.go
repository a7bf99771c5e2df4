package tree

import "slices"

// sequenceTrail is the way to a state, found step by step.
type sequenceTrail struct {
	wanted []int16 // the next state
	cost   int64
	tasks  []appended
	stands []int // by GPU: which it stands for, alike ones being brought into order
	found  bool
}

// trace returns the tasks of the best way that run found.
func (s *sequenceSearch) trace() []appended {
	last := len(s.layers) - 1
	costs := s.layers[last].costs
	steps := [][2]int{{last, slices.Index(costs, slices.Min(costs))}}
	for steps[0][0] > 0 {
		steps = slices.Insert(steps, 0, s.layers[steps[0][0]].from[steps[0][1]])
	}
	s.trail = &sequenceTrail{}
	for g := range s.Residents {
		s.trail.stands = append(s.trail.stands, g)
	}
	for i, to := range steps[1:] {
		at := steps[i]
		s.trail.wanted, s.trail.cost, s.trail.found = s.state(to[0], to[1]), s.layers[to[0]].costs[to[1]], false
		s.expand(at[0], s.state(at[0], at[1]), s.layers[at[0]].costs[at[1]])
	}
	return s.trail.tasks
}

// follow takes the step to a child if it is wanted.
func (s *sequenceSearch) follow(x []int16, cost int64) {
	t := s.trail
	stands := slices.Clone(t.stands)
	if s.sort(x, stands); t.found || cost != t.cost || !slices.Equal(x, t.wanted) {
		return
	}
	for _, task := range s.moved {
		task.gpu = t.stands[task.gpu]
		t.tasks = append(t.tasks, task)
	}
	t.stands, t.found = stands, true
}
