package formulation

import (
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// Limits on the intervals of the program of the weighted completion.
const (
	minIntervals = 4
	maxIntervals = 192
)

// buildCompletion states the program of the weighted completion. Time is cut
// into intervals. Columns f0[c,t] and f1[c,t] count iterations' worth of the
// work of class c in interval t, where an iteration's worth is demand.work and
// the parts of tasks that count are those of [Area]: work done at a time within
// the interval is split between its left and its right end so that its mean
// time is kept. With Area's (1), times 2 R,
//
//	(14) 2 R C_c >= sum_t 2 (left_t f0 + right_t f1) + sum_m (2 sync_m + (R-1) l_m) does_m + n R sum a^2 / W.
//
// An amount A of work that m GPUs do in an interval of length D is done at a mean
// of at least A / 2m after its left end, so that A^2 / 2m <= D x (amount at the
// right end). The tangent of the square at A = m D makes of that
//
//	(9) (amount at the left end) <= m D / 2,
//
// which keeps the loss by intervals quadratic in their length. The last interval
// has no end and no capacity, so that the program is feasible and no horizon has
// to be known. C_c is the sum of the class's completion times. The columns
// budget decides how many intervals there are.
func (f *fluid) buildCompletion(columns int) {
	m := f.m
	f.shape(f.releases(), nil)
	f.residency()
	f.activity(func(s *shape) int64 { return s.iterations })
	f.deadlines()
	series := 0 // of columns, one per interval each
	for i := range f.shapes {
		series += 2 * len(f.shapes[i].classes)
		if places := len(f.places(&f.shapes[i])); places > 1 {
			series += 2 * places
		}
	}
	grid := intervals{ends: f.intervals(columns, max(1, series))}
	for p := range m.network.pools {
		at := &m.network.pools[p]
		var gpu, early []int
		for t := range grid.ends {
			left, right := grid.interval(t)
			a := about{"gpu", at.gpuName(), -1}
			gpu = append(gpu, f.p.row(fmt.Sprintf("%s.gpu.t%d", at.id, t), atMost, multiply(at.size(), right-left), a))
			early = append(early, f.p.row(fmt.Sprintf("%s.early.t%d", at.id, t), atMost, multiply(at.size(), right-left), a))
		}
		grid.gpu, grid.early = append(grid.gpu, gpu), append(grid.early, early)
	}
	for i := range f.shapes {
		s := &f.shapes[i]
		places := f.places(s)
		if len(places) == 1 {
			for _, c := range s.classes {
				release := int64(m.demands[c].job.Release)
				f.classCompletion(s, c, &grid, release, func(t, end, x int) {
					f.occupy(&grid, s, places[0], t, end, release, x)
				})
			}
			continue
		}
		// (18) The work of the classes in an interval is done in the pools.
		done := make([]int, len(places))
		for at, p := range places {
			done[at] = f.share(s, p)
		}
		var pooled [2][]int // rows by end and interval
		for t := range len(grid.ends) + 1 {
			for end := range pooled {
				row := -1
				if end == 0 || t < len(grid.ends) {
					row = f.p.row(fmt.Sprintf("%s.pooled.t%d.%d", s.id, t, end), equal, 0, about{})
					for at, p := range places {
						x := f.p.col(fmt.Sprintf("%s.work.%s.t%d.%d", s.id, m.network.pools[p].id, t, end), 0, s.iterations)
						f.p.term(row, x, 1)
						f.p.term(done[at], x, 1)
						f.occupy(&grid, s, p, t, end, s.release, x)
					}
				}
				pooled[end] = append(pooled[end], row)
			}
		}
		for _, c := range s.classes {
			f.classCompletion(s, c, &grid, s.release, func(t, end, x int) { f.p.term(pooled[end][t], x, -1) })
		}
	}
}

// intervals holds the right ends of the intervals but the last, and by pool and
// interval the rows (8) and (9).
type intervals struct {
	ends       []int64
	gpu, early [][]int
}

// interval returns the ends of an interval; right is -1 for the last.
func (g *intervals) interval(t int) (left, right int64) {
	if t > 0 {
		left = g.ends[t-1]
	}
	if t == len(g.ends) {
		return left, -1
	}
	return left, g.ends[t]
}

// occupy enters a column of work at one end of an interval into the rows of a
// pool. Work released within the interval has its release for the left end:
// then its amount at the true left end is smaller in proportion.
func (f *fluid) occupy(g *intervals, s *shape, p, t, end int, release int64, x int) {
	left, right := g.interval(t)
	if right < 0 {
		return
	}
	slow := s.d.slowdown(f.m.network.pools[p].gpuType)
	f.p.term(g.gpu[p][t], x, slow)
	if end == 0 {
		part := new(big.Int).Mul(mul(2, slow), big.NewInt(max(0, right-max(left, release))))
		f.p.term(g.early[p][t], x, saturate(part.Quo(part, big.NewInt(right-left))))
	}
}

// classCompletion adds the columns and rows of one class, no work of which
// begins before release. place enters the column of its work at an end of an
// interval into the rows of pools.
func (f *fluid) classCompletion(s *shape, c int, g *intervals, release int64, place func(t, end, x int)) {
	d := &f.m.demands[c]
	n, r := d.count(), int64(d.job.Iterations)
	end := f.p.col(fmt.Sprintf("c%d.C", c), d.job.Weight, noUpper)

	constant := new(big.Rat).Quo(d.moment, new(big.Rat).SetInt64(max(1, d.work)))
	constant.Mul(constant, new(big.Rat).SetInt(mul(n, r)))
	chain := new(big.Int).Mul(big.NewInt(n), big.NewInt(int64(d.job.Release)))
	alone := len(s.classes) == 1 // then its chain depends on the modes
	if !alone {
		each := mul(r-1, int64(d.iteration))
		each.Add(each, big.NewInt(2*int64(d.sync)))
		constant.Add(constant, new(big.Rat).SetInt(each.Mul(each, big.NewInt(n*r))))
		chain.Mul(big.NewInt(n), d.chain(d.iteration))
	}
	mean := f.p.row(fmt.Sprintf("c%d.mean", c), atLeast, saturate(floor(constant)), about{}) // (14)
	first := f.p.row(fmt.Sprintf("c%d.chain", c), atLeast, saturate(chain), about{"job", f.m.className(c), -1})
	f.p.term(mean, end, 2*r)
	f.p.term(first, end, 1) // (12)
	if alone {
		for i := range d.modes {
			o := &d.modes[i]
			f.p.term(mean, s.does[i], -(2*int64(o.sync) + multiply(r-1, int64(o.iteration()))))
			f.p.term(first, s.does[i], -int64(o.iteration()))
		}
	}

	all := f.p.row(fmt.Sprintf("c%d.work", c), equal, n*r, about{}) // (15)
	last := -1                                                      // column of the iterations' worth done so far
	open := true
	for t := range len(g.ends) + 1 {
		left, right := g.interval(t)
		if right >= 0 && right <= int64(d.job.Release) {
			continue
		}
		if d.runs() && d.job.Deadline > 0 && left >= int64(d.job.Deadline)-int64(d.sync) {
			break
		}
		columns := []int{f.p.col(fmt.Sprintf("c%d.work.t%d.0", c, t), 0, n*r)}
		f.p.term(all, columns[0], 1)
		f.p.term(mean, columns[0], -2*max(left, release))
		place(t, 0, columns[0])
		if right >= 0 {
			columns = append(columns, f.p.col(fmt.Sprintf("c%d.work.t%d.1", c, t), 0, n*r))
			f.p.term(all, columns[1], 1)
			f.p.term(mean, columns[1], -2*right)
			place(t, 1, columns[1])
		}
		// (16) By the end of an interval no more iterations have begun than
		// their chain allows.
		if begun := f.begun(d, right); open && right >= 0 && begun < r {
			so := f.p.row(fmt.Sprintf("c%d.begun.t%d", c, t), equal, 0, about{})
			now := f.p.col(fmt.Sprintf("c%d.begun.t%d", c, t), 0, n*begun)
			f.p.term(so, now, 1)
			for _, x := range columns {
				f.p.term(so, x, -1)
			}
			if last >= 0 {
				f.p.term(so, last, -1)
			}
			last = now
		} else {
			open = false
		}
	}
}

// saturate keeps a constant that is too large for a program recognisable.
func saturate(v *big.Int) int64 {
	switch {
	case v.IsInt64():
		return kept(v.Int64())
	case v.Sign() < 0:
		return -maxExact - 1
	}
	return maxExact + 1
}

// begun is how many iterations of a job can have begun before a tick.
func (f *fluid) begun(d *demand, before int64) int64 {
	l := max(1, int64(d.iteration))
	return min(int64(d.job.Iterations), (before-int64(d.job.Release)+l-1)/l)
}

// slowdown is the least GPU time that an iteration's worth of the work takes on
// type t: work times the least ratio of a task's time there to its time anywhere.
func (d *demand) slowdown(t instance.TypeID) int64 {
	over, under := instance.Tick(0), instance.Tick(0) // the least ratio; 0/0: none
	for depth, ok := range d.fits[t] {
		if here, least := d.job.On[t].Time[depth], d.least[depth]; ok && least > 0 {
			if under == 0 || mul(int64(here), int64(under)).Cmp(mul(int64(over), int64(least))) < 0 {
				over, under = here, least
			}
		}
	}
	if under == 0 {
		return d.work
	}
	work := mul(d.work, int64(over))
	return saturate(work.Quo(work, big.NewInt(int64(under))))
}

// places returns the pools that the modes of a shape use, ascending.
func (f *fluid) places(s *shape) []int {
	var places []int
	for i := range s.d.modes {
		for _, p := range s.d.modes[i].pools {
			if !slices.Contains(places, p) {
				places = append(places, p)
			}
		}
	}
	slices.Sort(places)
	return places
}

// share adds the rows that tie the work in a pool to what is done there, and
// returns the first: iterations inside the pool do all their work there, and a
// task elsewhere in it counts for at most least[full].
//
//	(17) does_p <= sum_t work <= does_p + least[full] / W busy_p
//
// in iterations' worth, as sum_t work - does_p - s = 0 with a column s between
// 0 and the last term.
func (f *fluid) share(s *shape, p int) int {
	d, id := s.d, f.m.network.pools[p].id
	row := f.p.row(fmt.Sprintf("%s.share.%s", s.id, id), equal, 0, about{})
	more := f.p.col(fmt.Sprintf("%s.share.%s", s.id, id), 0, s.iterations)
	f.p.term(row, more, -1)
	limit := f.p.row(fmt.Sprintf("%s.workers.%s", s.id, id), atMost, 0, about{})
	f.p.term(limit, more, max(1, d.work))
	for i := range d.modes {
		switch at := slices.Index(d.modes[i].pools, p); {
		case at < 0:
		case s.busy[i] == nil:
			f.p.term(row, s.does[i], -1)
		default:
			f.p.term(limit, s.busy[i][at], -int64(d.least[d.job.Full()]))
		}
	}
	return row
}

// intervals returns the right ends of the intervals but the last. They are even
// up to the larger of chain and area, stretched a little: what the optimum does
// later has the last end for its time.
func (f *fluid) intervals(columns, places int) []int64 {
	count := min(maxIntervals, max(minIntervals, columns/places))
	if count < maxIntervals {
		note := fmt.Sprintf("%d intervals keep the program near %d columns", count, columns)
		if f.note != "" {
			note = f.note + "; " + note
		}
		f.note = note
	}
	horizon := new(big.Rat).Set(f.m.areaMakespan().Value)
	for c := range f.m.demands {
		d := &f.m.demands[c]
		if v := new(big.Rat).SetInt(d.chain(d.iteration)); v.Cmp(horizon) > 0 {
			horizon.Set(v)
		}
	}
	horizon.Mul(horizon, big.NewRat(5, 4))
	var ends []int64
	for t := 1; t <= count; t++ {
		end := floor(new(big.Rat).Mul(horizon, big.NewRat(int64(t), int64(count))))
		if !end.IsInt64() || end.Int64() > maxExact {
			return nil
		}
		if e := end.Int64(); e > 0 && (len(ends) == 0 || e > ends[len(ends)-1]) {
			ends = append(ends, e)
		}
	}
	return ends
}
