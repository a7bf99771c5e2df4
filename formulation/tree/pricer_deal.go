package tree

import (
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/exact"
)

// dealer assigns the depths of a multiset to the workers at the least cost, one
// worker after the other. A state is the number of workers assigned to each
// depth, as digits of a number; worker w leads to states whose digits sum to w
// + 1.
type dealer struct {
	steps []dealStep // by state reached
	best  []int64    // scratch, by state
	last  []int32    // the step that led there, by state
}

// dealStep gives worker w depth d.
type dealStep struct {
	to, from int32
	at       int32 // w * depths + d
}

func newDealer(counts []int) *dealer {
	size := cases.DealStates(counts)
	s := &dealer{best: make([]int64, size), last: make([]int32, size)}
	for state := 1; state < size; state++ {
		rest, dealt := state, 0
		for _, n := range counts {
			dealt += rest % (n + 1)
			rest /= n + 1
		}
		rest, unit := state, 1
		for d, n := range counts {
			if rest%(n+1) > 0 {
				s.steps = append(s.steps, dealStep{int32(state), int32(state - unit), int32((dealt-1)*len(counts) + d)})
			}
			rest /= n + 1
			unit *= n + 1
		}
	}
	return s
}

// deal returns the least cost, where cost[w * depths + d] is that of depth d
// for worker w.
func (s *dealer) deal(cost []int64) int64 {
	for i := range s.best {
		s.best[i] = exact.NoPrice
	}
	s.best[0] = 0
	for i, step := range s.steps {
		if before, c := s.best[step.from], cost[step.at]; before < exact.NoPrice && c < exact.NoPrice && before+c < s.best[step.to] {
			s.best[step.to], s.last[step.to] = before+c, int32(i)
		}
	}
	return s.best[len(s.best)-1]
}

// depths writes the depth of each worker of the last deal.
func (s *dealer) depths(chosen []int, depths int) {
	for state := int32(len(s.best) - 1); state > 0; {
		step := s.steps[s.last[state]]
		chosen[int(step.at)/depths] = int(step.at) % depths
		state = step.from
	}
}
