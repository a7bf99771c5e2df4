package tree

import (
	"jigsaw/formulation/relax/orders"
	"slices"
)

// sort brings alike GPUs into order. What each stands for goes with them.
func (s *sequenceSearch) sort(x []int16, stands []int) {
	for _, alike := range s.Alike {
		for i := 1; i < len(alike); i++ {
			for k := i; k > 0; k-- {
				a, b := alike[k-1], alike[k]
				if x[s.begun+a] < x[s.begun+b] || x[s.begun+a] == x[s.begun+b] && x[s.free+a] <= x[s.free+b] {
					break
				}
				x[s.begun+a], x[s.begun+b] = x[s.begun+b], x[s.begun+a]
				x[s.free+a], x[s.free+b] = x[s.free+b], x[s.free+a]
				if stands != nil {
					stands[a], stands[b] = stands[b], stands[a]
				}
			}
		}
	}
}

// As many comparisons of two states, or depths given to workers of a gang, take as long as
// another step.
const (
	handsPerStep = 8
)

// keep adds a state to a layer unless one there dominates it.
func (s *sequenceSearch) keep(to int, x []int16, cost int64) {
	l := &s.layers[to]
	if l.of == nil {
		l.of = map[string][]int{}
	}
	s.key = s.key[:0]
	for at, word := range x[:s.ready] {
		if at < len(s.Jobs) || at >= s.begun {
			s.key = append(s.key, byte(word), byte(word>>8))
		}
	}
	list := l.of[string(s.key)]
	s.steps -= len(list) / orders.Comparisons
	for _, o := range list {
		if l.costs[o] <= cost && s.dominates(s.state(to, o), x) {
			return
		}
	}
	list = slices.DeleteFunc(list, func(o int) bool {
		l.dead[o] = cost <= l.costs[o] && s.dominates(x, s.state(to, o))
		return l.dead[o]
	})
	l.of[string(s.key)] = append(list, len(l.costs))
	l.words, l.costs = append(l.words, x...), append(l.costs, cost)
	l.scores = append(l.scores, s.score)
	l.dead, l.from = append(l.dead, false), append(l.from, s.before)
	s.kept++
}

// dominates reports whether a state in which the same has begun is at least as good
// as another, costs apart: nothing is free later, and jobs have no more left to deal.
func (s *sequenceSearch) dominates(a, b []int16) bool {
	for i := s.ready; i < s.width; i++ {
		if a[i] > b[i] {
			return false
		}
	}
	for j, at := range s.dealt {
		if !s.deals[j].dominates(a[at:], b[at:]) {
			return false
		}
	}
	return true
}
