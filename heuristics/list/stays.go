package list

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
)

// stays admits jobs to memory, which they hold from their load to the end of their last iteration. A job that is released
// waits until all its GPUs have room; whenever jobs come or leave, those that wait are tried in order of their keys.
type stays struct {
	in      *instance.Instance
	inside  [][]int32 // jobs in memory, by GPU
	outside []int32   // jobs that are released and wait
	changed bool      // a job came or left
	kept    []bool    // scratch, by GPU: for a job that waits
}

func newStays(in *instance.Instance) *stays {
	return &stays{in: in, inside: make([][]int32, len(in.GPUs)), kept: make([]bool, len(in.GPUs))}
}

func (y *stays) clear() {
	for g := range y.inside {
		y.inside[g] = y.inside[g][:0]
	}
	y.outside, y.changed = y.outside[:0], false
}

// fits reports whether a GPU has room for a job.
func (y *stays) fits(j int32, g instance.GPUID) bool {
	t := y.in.GPUs[g].Type
	held := y.in.Jobs[j].On[t].Memory(y.in.Jobs[j].Full())
	for _, o := range y.inside[g] {
		held = held.With(y.in.Jobs[o].On[t].Memory(y.in.Jobs[o].Full()))
	}
	return held.Sum() <= y.in.Types[t].Memory
}

// arrive has a job wait that is released.
func (s *Dispatcher) arrive(j int32) {
	s.stays.outside, s.stays.changed = append(s.stays.outside, j), true
}

// depart frees the memory of a job that has ended.
func (s *Dispatcher) depart(j int32) {
	for _, g := range s.d.Where.GPUs[j] {
		s.stays.inside[g] = slices.DeleteFunc(s.stays.inside[g], func(o int32) bool { return o == j })
	}
	s.stays.changed = true
}

// enter lets in the jobs that have room. Those in memory when the plan begins are there.
func (s *Dispatcher) enter() {
	y := s.stays
	y.changed = false
	slices.SortFunc(y.outside, s.compare)
	slices.SortStableFunc(y.outside, func(a, b int32) int { return cmp.Compare(len(y.in.Jobs[b].Resident), len(y.in.Jobs[a].Resident)) })
	clear(y.kept)
	y.outside = slices.DeleteFunc(y.outside, func(j int32) bool {
		home := s.d.Where.GPUs[j]
		if slices.ContainsFunc(home, func(g instance.GPUID) bool { return y.kept[g] || !y.fits(j, g) }) {
			for _, g := range home {
				y.kept[g] = y.kept[g] || s.d.Strict
			}
			return false
		}
		for _, g := range home {
			y.inside[g] = append(y.inside[g], j)
		}
		s.jobs[j].next = s.now + s.in.Jobs[j].Load
		s.push(event{s.jobs[j].next, ready, j})
		return true
	})
}
