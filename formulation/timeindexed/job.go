package timeindexed

import (
	"fmt"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/linear"
)

// tiState is one job while its rows and columns are made. Slices by iteration
// have iteration i at i-1; sites are positions in the job's list.
type tiState struct {
	*tiJob
	b        *tiBuilder
	periodic bool
	most     []int64 // workers on a site, at most
	live     []int   // columns by site
	home     []int   // columns by home
	does     []int   // columns by iteration, of periodic plans

	begun   [][]int     // (4): rows by iteration, site
	whole   []int       // (4): rows sum x = k does, of periodic plans
	depths  [][]int     // (5): rows by iteration, depth
	share   []int       // (5): rows of a free rule, by iteration
	homed   [][]int     // (6): rows by iteration, home
	synced  []int       // (6): rows sum z = does, of periodic plans
	classed [][]int     // (6): rows by iteration, class
	after   [][]tiTicks // (7): rows by iteration, site
	next    [][]tiTicks // (8): rows by iteration, site; lone workers: one site
	wrap    [][]tiTicks // (14): likewise
	gang    []tiTicks   // (12): rows by iteration
	memory  [][]int     // (11): rows by iteration, site; nil if memory is ample
	last    tiTicks     // (13)
}

// state makes the rows and columns of a job.
func (b *tiBuilder) state(j *tiJob) {
	s := &tiState{b: b, tiJob: j, periodic: b.in.Objective.Periodic()}
	s.residency()
	for i := 1; i <= j.iterations && b.err == nil; i++ {
		s.rows(i)
	}
	if b.late != nil { // (13)
		s.last = b.ticks(b.from, b.options.Horizon, 0, fmt.Sprintf("end_j%d", j.id))
		for n, row := range s.last.rows {
			b.term(row, b.late[n], -1)
		}
	}
	for i := 1; i <= j.iterations && b.err == nil; i++ {
		for n := range j.sites {
			for d := range j.Depths {
				s.tasks(i, n, d)
			}
		}
		for h := range j.homes {
			for c := range j.homes[h].rates {
				s.syncs(i, h, c)
			}
		}
	}
	b.live[j.id] = s.live
	for i, col := range s.does {
		s.b.ends[j.id] = append(s.b.ends[j.id], linear.Term{Row: col, Value: -1})
		if b.in.Objective == instance.MaxMinThroughput && i == 0 { // (15)
			row := b.row(linear.AtMost, 0, "least_j%d", j.id)
			b.term(row, b.least, 1)
			for _, col := range s.does {
				b.term(row, col, -b.normal(j))
			}
		}
	}
	if b.in.Objective == instance.MaxMinThroughput && len(s.does) == 0 {
		b.term(b.row(linear.AtMost, 0, "least_j%d", j.id), b.least, 1)
	}
}

// residency makes live, home and does, and the rows (1) to (3) and (14).
func (s *tiState) residency() {
	k := int64(s.Workers)
	workers, homes := s.b.row(linear.Equal, k, "workers_j%d", s.id), -1
	if s.HasSync() {
		homes = s.b.row(linear.Equal, 1, "homes_j%d", s.id)
	}
	if s.periodic {
		s.b.p.Rows[workers].Rhs = 0
		if homes >= 0 {
			s.b.p.Rows[homes].Rhs = 0
		}
		for i := 1; i <= s.iterations && s.b.err == nil; i++ {
			cost := int64(0)
			if s.b.in.Objective == instance.Throughput {
				cost = -s.Weight
			}
			s.does = append(s.does, s.b.col(tiColumn{kind: ofDoes, job: s.id, iteration: i}, cost, 1, "does_j%d_i%d", s.id, i))
			if i == 1 {
				s.b.term(workers, s.does[0], -k)
				if homes >= 0 {
					s.b.term(homes, s.does[0], -1)
				}
			} else { // (14)
				row := s.b.row(linear.AtMost, 0, "prefix_j%d_i%d", s.id, i)
				s.b.term(row, s.does[i-1], 1)
				s.b.term(row, s.does[i-2], -1)
			}
		}
	}
	for n, site := range s.sites {
		s.most = append(s.most, min(k, int64(s.b.sites[site].room)))
		s.live = append(s.live, s.b.col(tiColumn{kind: ofLive, job: s.id, site: site}, 0, s.most[n],
			"live_j%d_%s", s.id, s.b.sites[site].id))
		s.b.term(workers, s.live[n], 1)
	}
	if homes < 0 {
		return
	}
	for h := range s.homes {
		s.home = append(s.home, s.b.col(tiColumn{kind: ofHome, job: s.id, site: h}, 0, 1, "home_j%d_h%d", s.id, h))
		s.b.term(homes, s.home[h], 1)
	}
	for n, site := range s.sites { // (3), at most
		row := s.b.row(linear.AtMost, 0, "in_j%d_%s", s.id, s.b.sites[site].id)
		s.b.term(row, s.live[n], 1)
		for h := range s.homes {
			if at := slices.Index(s.homes[h].sites, site); at >= 0 {
				s.b.term(row, s.home[h], -int64(s.homes[h].most[at]))
			}
		}
	}
	seen := map[int]int{} // row by first site of a group
	for h := range s.homes {
		for _, group := range s.homes[h].groups { // (3), at least
			row, ok := seen[group[0]]
			if !ok {
				row = s.b.row(linear.AtLeast, 0, "on_j%d_%s", s.id, s.b.sites[group[0]].id)
				seen[group[0]] = row
				for _, site := range group {
					s.b.term(row, s.live[slices.Index(s.sites, site)], 1)
				}
			}
			s.b.term(row, s.home[h], -1)
		}
	}
}

// rows makes the rows of iteration i.
func (s *tiState) rows(i int) {
	b, id := s.b, s.id
	bound := linear.Equal
	if s.periodic && i > 1 {
		bound = linear.AtMost
	}
	// once is the right-hand side of a row that holds for every iteration done; in
	// periodic plans the term in does replaces it.
	once := func(v int64, sense linear.Sense, format string, args ...any) int {
		if !s.periodic {
			return b.row(sense, v, format, args...)
		}
		row := b.row(sense, 0, format, args...)
		b.term(row, s.does[i-1], -v)
		return row
	}
	begun := make([]int, len(s.sites))
	for n, site := range s.sites { // (4)
		begun[n] = b.row(bound, 0, "begun_j%d_i%d_%s", id, i, b.sites[site].id)
		b.term(begun[n], s.live[n], -1)
	}
	s.begun = append(s.begun, begun)
	if s.periodic && i > 1 {
		s.whole = append(s.whole, once(int64(s.Workers), linear.Equal, "whole_j%d_i%d", id, i))
	} else {
		s.whole = append(s.whole, -1)
	}
	s.rule(i, once)
	s.order(i)
	if s.Gang { // (12)
		s.gang = append(s.gang, b.gangRows(s, i, once))
	}
	s.memory = append(s.memory, nil)
	for n, site := range s.sites { // (11)
		if !b.scarce(site) {
			continue
		}
		if s.memory[i-1] == nil {
			s.memory[i-1] = slices.Repeat([]int{-1}, len(s.sites))
		}
		at := &b.sites[site]
		row := b.row(linear.AtMost, int64(at.memory)/b.unit(site)*int64(at.room)+int64(at.memory)%b.unit(site)*int64(at.room)/b.unit(site),
			"memory_j%d_i%d_%s", id, i, at.id)
		s.memory[i-1][n] = row
		b.memory = append(b.memory, tiMemory{row, site})
	}
}

// rule makes the rows (5) and (6) of iteration i.
func (s *tiState) rule(i int, once func(int64, linear.Sense, string, ...any) int) {
	b, id := s.b, s.id
	depths, share := slices.Repeat([]int{-1}, len(s.Depths)), -1
	switch {
	case s.sets != nil:
		for d := range depths {
			depths[d] = b.row(linear.Equal, 0, "depth_j%d_i%d_d%d", id, i, d)
		}
	case s.Rule.Fixed != nil:
		for d, n := range s.Rule.Fixed {
			depths[d] = once(int64(n), linear.Equal, "depth_j%d_i%d_d%d", id, i, d)
		}
	default:
		depths[s.Full()] = once(int64(s.Rule.MinFull), linear.AtLeast, "full_j%d_i%d", id, i)
		if s.Rule.MinShare > 0 {
			share = once(s.Rule.MinShare, linear.AtLeast, "share_j%d_i%d", id, i)
		}
	}
	s.depths, s.share = append(s.depths, depths), append(s.share, share)

	if !s.HasSync() {
		return
	}
	bound := linear.Equal
	if s.periodic && i > 1 {
		bound = linear.AtMost
	}
	homed := make([]int, len(s.homes))
	for h := range homed {
		homed[h] = b.row(bound, 0, "homed_j%d_i%d_h%d", id, i, h)
		b.term(homed[h], s.home[h], -1)
	}
	s.homed = append(s.homed, homed)
	synced := -1
	if s.periodic && i > 1 {
		synced = once(1, linear.Equal, "synced_j%d_i%d", id, i)
	}
	s.synced = append(s.synced, synced)
	var class []int
	if s.sets != nil {
		for c := range s.classes {
			class = append(class, b.row(linear.Equal, 0, "class_j%d_i%d_c%d", id, i, c))
		}
		for m, counts := range s.sets {
			col := b.col(tiColumn{kind: ofDepths, job: id, iteration: i, depth: m}, 0, 1, "depths_j%d_i%d_m%d", id, i, m)
			b.term(class[s.class[m]], col, -1)
			for d, n := range counts {
				b.term(depths[d], col, -int64(n))
			}
		}
	}
	s.classed = append(s.classed, class)
}

// order makes the rows (7), (8) and (14) of iteration i.
func (s *tiState) order(i int) {
	b := s.b
	sites := len(s.sites)
	if !s.HasSync() {
		sites = min(sites, 1) // one worker: one row for all sites
	}
	var after, next, wrap []tiTicks
	for n := range sites {
		name, c := b.sites[s.sites[n]].id, s.most[n]
		if s.HasSync() {
			after = append(after, b.ticks(b.syncFrom(s.tiJob, i), b.tasksUntil(s.tiJob, i), c, fmt.Sprintf("after_j%d_i%d_%s", s.id, i, name)))
		}
		if i < s.iterations {
			next = append(next, b.ticks(b.tasksFrom(s.tiJob, i+1), b.syncUntil(s.tiJob, i), c, fmt.Sprintf("next_j%d_i%d_%s", s.id, i, name)))
		}
		if s.periodic && (s.HasSync() || i > 1) {
			wrap = append(wrap, b.ticks(s.first, s.end-b.options.Period, c, fmt.Sprintf("wrap_j%d_i%d_%s", s.id, i, name)))
		}
	}
	s.after, s.next, s.wrap = append(s.after, after), append(s.next, next), append(s.wrap, wrap)
}

// gangRows makes the columns and rows (12) of iteration i.
func (b *tiBuilder) gangRows(s *tiState, i int, once func(int64, linear.Sense, string, ...any) int) tiTicks {
	r := tiTicks{from: b.tasksFrom(s.tiJob, i)}
	one := once(1, linear.Equal, "gang_j%d_i%d", s.id, i)
	for t := r.from; t < b.tasksUntil(s.tiJob, i) && b.err == nil; t++ {
		row := b.row(linear.Equal, 0, "gang_j%d_i%d_t%d", s.id, i, t)
		col := b.col(tiColumn{kind: ofGang, job: s.id, iteration: i, start: t}, 0, 1, "start_j%d_i%d_t%d", s.id, i, t)
		b.term(one, col, 1)
		b.term(row, col, -int64(s.Workers))
		r.rows = append(r.rows, row)
	}
	return r
}
