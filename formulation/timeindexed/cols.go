package timeindexed

import (
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/linear"
)

// tasks makes the columns x of an iteration, site and depth.
func (s *tiState) tasks(i, n, d int) {
	b, site := s.b, s.sites[n]
	if !s.fits[n][d] {
		return
	}
	costs := s.On[b.sites[site].kind]
	length := costs.Time[d]
	if s.periodic && length > b.options.Period {
		return
	}
	lone, final := !s.HasSync(), !s.periodic && i == s.iterations
	for start := b.tasksFrom(s.tiJob, i); start+length <= b.tasksUntil(s.tiJob, i) && b.err == nil; start++ {
		end := start + length
		cost := int64(0)
		if lone && final && b.in.Objective == instance.WeightedCompletion {
			cost = s.Weight * int64(end)
		}
		col := b.col(tiColumn{kind: ofTask, job: s.id, iteration: i, site: site, depth: d, start: start, end: end},
			cost, s.most[n], "x_j%d_i%d_%s_d%d_t%d", s.id, i, b.sites[site].id, d, start)
		one := func(row int) {
			if row >= 0 {
				b.term(row, col, 1)
			}
		}
		all := func(rows []int) {
			for _, row := range rows {
				b.term(row, col, 1)
			}
		}
		one(s.begun[i-1][n])
		one(s.whole[i-1])
		one(s.depths[i-1][d])
		if s.share[i-1] >= 0 {
			b.term(s.share[i-1], col, s.Depths[d].Share)
		}
		at := n
		if lone {
			at = 0
			if i < s.iterations {
				all(s.next[i-1][0].between(0, end))
			}
			if s.periodic && i > 1 {
				all(s.wrap[i-1][0].between(0, end-b.options.Period))
			}
		} else {
			all(s.after[i-1][n].between(0, end))
		}
		if i > 1 {
			all(s.next[i-2][at].between(start, always))
		} else if s.periodic {
			for _, wrap := range s.wrap {
				if len(wrap) > 0 {
					all(wrap[at].between(start, always))
				}
			}
		}
		if s.Gang {
			all(s.gang[i-1].between(start, start+1))
		}
		if s.memory[i-1] != nil && s.memory[i-1][n] >= 0 {
			b.term(s.memory[i-1][n], col, int64(costs.Ephemeral[d])/b.unit(site))
		}
		b.occupy(col, site, start, end)
		if lone && final {
			s.finish(col, end)
		}
	}
}

// syncs makes the columns z of an iteration, home and class of depths.
func (s *tiState) syncs(i, h, c int) {
	b, home := s.b, &s.homes[h]
	final := !s.periodic && i == s.iterations
	for _, r := range home.rates[c] {
		if s.periodic && r.length > b.options.Period {
			continue
		}
		from := b.tasksFrom(s.tiJob, i) + home.full
		for start := from; start+r.length <= b.syncUntil(s.tiJob, i) && b.err == nil; start++ {
			end := start + r.length
			cost := int64(0)
			if final && b.in.Objective == instance.WeightedCompletion {
				cost = s.Weight * int64(end)
			}
			col := b.col(tiColumn{kind: ofSync, job: s.id, iteration: i, site: h, depth: c, level: r.level, start: start, end: end},
				cost, 1, "z_j%d_i%d_h%d_c%d_n%d_t%d", s.id, i, h, c, r.level, start)
			b.term(s.homed[i-1][h], col, 1)
			if s.synced[i-1] >= 0 {
				b.term(s.synced[i-1], col, 1)
			}
			if s.classed[i-1] != nil {
				b.term(s.classed[i-1][c], col, 1)
			}
			for n := range s.sites {
				all := func(rows []int) {
					for _, row := range rows {
						b.term(row, col, s.most[n])
					}
				}
				all(s.after[i-1][n].between(start, always))
				if i < s.iterations {
					all(s.next[i-1][n].between(0, end))
				}
				if s.periodic {
					all(s.wrap[i-1][n].between(0, end-b.options.Period))
				}
			}
			for _, use := range home.uses {
				b.loads[use.Link] = append(b.loads[use.Link], tiLoad{col, s.id, int64(r.rate) * int64(use.Times), start, end})
			}
			if final {
				s.finish(col, end)
			}
		}
	}
}

// finish records that a column ends the job.
func (s *tiState) finish(col int, end instance.Tick) {
	s.b.ends[s.id] = append(s.b.ends[s.id], linear.Term{Row: col, Value: int64(end)})
	for _, row := range s.last.between(0, end) { // (13)
		s.b.term(row, col, 1)
	}
}
