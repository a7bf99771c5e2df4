package assign

import (
	"slices"

	"jigsaw/formulation/instance"
)

// draft is a candidate change: its moves, and their effect on the loads.
type draft struct {
	moves   []move
	touched []int32 // GPUs
	diff    []int64 // per GPU
	seen    []uint32
	stamp   uint32
}

// move of a job between GPUs.
type move struct{ job, from, to int32 }

// add changes a load.
func (d *draft) add(i int32, ticks int64) {
	if d.seen[i] != d.stamp {
		d.seen[i], d.diff[i] = d.stamp, 0
		d.touched = append(d.touched, i)
	}
	d.diff[i] += ticks
}

// job draws a job, those of loaded GPUs more often.
func (s *Search) job() int32 {
	a := int32(s.rng.IntN(len(s.gpu)))
	if s.rng.IntN(2) == 0 {
		if g := s.rng.IntN(len(s.residents)); s.load[g] > s.load[s.gpu[a]] && len(s.residents[g]) > 0 {
			return s.residents[g][s.rng.IntN(len(s.residents[g]))]
		}
	}
	return a
}

// goal draws a GPU for a job among its good types, the better ones more often.
func (s *Search) goal(j int32) int32 {
	u := s.rng.Float64()
	list := s.gpus[s.good[j][int(u*u*float64(len(s.good[j])))]]
	g := list[0]
	if len(list) > 1 {
		g = list[s.rng.IntN(len(list))]
		if s.rng.IntN(2) == 0 {
			if o := list[s.rng.IntN(len(list))]; s.load[o] < s.load[g] {
				g = o
			}
		}
	}
	return g
}

// draw fills in the moves of a random change, and reports whether there is one: a job moves,
// and may eject another.
func (s *Search) draw() bool {
	s.moves = s.moves[:0]
	a := s.job()
	from, to := s.gpu[a], s.goal(a)
	if to == from {
		return false
	}
	s.moves = append(s.moves, move{a, from, to})
	if s.rng.IntN(2) == 0 || len(s.residents[to]) == 0 {
		return true
	}
	b := s.residents[to][s.rng.IntN(len(s.residents[to]))]
	goal := from
	if s.rng.IntN(2) == 0 {
		goal = s.goal(b)
	}
	if goal == to {
		return false
	}
	s.moves = append(s.moves, move{b, to, goal})
	return true
}

// weigh computes the effect of the moves on the loads, and reports whether they are
// legal.
func (s *Search) weigh() bool {
	s.stamp++
	s.touched = s.touched[:0]
	for _, m := range s.moves {
		row := s.row(int(m.job))
		work := row[s.kind[m.to]]
		if work < 0 {
			return false
		}
		s.add(m.from, -row[s.kind[m.from]])
		s.add(m.to, work)
	}
	return !s.tight || s.fits()
}

// fits reports whether rule 7 holds after the moves.
func (s *Search) fits() bool {
	for _, m := range s.moves {
		t := s.in.GPUs[m.to].Type
		held := instance.Memory{}
		count := func(j int32) { held = held.With(s.in.Jobs[j].On[t].Memory(s.limit[j])) }
		for _, w := range s.residents[m.to] {
			if !slices.ContainsFunc(s.moves, func(o move) bool { return o.job == w }) {
				count(w)
			}
		}
		for _, o := range s.moves {
			if o.to == m.to {
				count(o.job)
			}
		}
		if held.Sum() > s.in.Types[t].Memory {
			return false
		}
	}
	return true
}
