package fluid

import (
	"fmt"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/linear"
	"math/big"
	"slices"
)

// Limits on the intervals of the program of the weighted completion.
const (
	minIntervals = 4
	maxIntervals = 192
)

// buildCompletion states the program of the weighted completion. Time is cut
// into intervals. Columns f0[c,t] and f1[c,t] count iterations' worth of the
// work of class c in interval t, where an iteration's worth is Class.Work and
// the parts of tasks that count are those of the area bound: work done at a time within
// the interval is split between its left and its right end so that its mean
// time is kept. With (1) of [relax.Model.ProveArea], times 2 R,
//
//	(14) 2 R C_c >= sum_t 2 (left_t f0 + right_t f1) + sum_m (2 sync_m + (R-1) l_m) does_m + n R sum a^2 / W.
//
// An amount A of work that m GPUs do in an interval of length D is done at a
// mean of at least A / 2m after its left end, so that A^2 / 2m <= D x (amount at
// the right end). With the tangent of the square at A = m D this becomes
//
//	(9) (amount at the left end) <= m D / 2,
//
// so that the loss due to intervals is quadratic in their length. The last
// interval has no end and no capacity limit, so the program is feasible without
// a known horizon. C_c is the sum of the class's completion times. The columns
// budget determines the number of intervals.
func (f *Program) buildCompletion() {
	m := f.Model
	f.shape(f.releases(), nil)
	f.residency()
	f.activity(func(s *Shape) int64 { return s.iterations })
	f.deadlines()
	series := 0 // of columns, one per interval each
	for i := range f.Shapes {
		series += 2 * len(f.Shapes[i].Classes)
		if places := len(f.Places(&f.Shapes[i])); places > 1 {
			series += 2 * places
		}
	}
	grid := Intervals{Ends: f.intervals(f.Columns, max(1, series))}
	for p := range m.Network.Pools {
		at := &m.Network.Pools[p]
		var gpu, early []int
		for t := range grid.Ends {
			left, right := grid.Interval(t)
			a := linear.About{Resource: "gpu", Subject: at.GPUName(), Capacity: -1}
			gpu = append(gpu, f.Linear.Row(fmt.Sprintf("%s.gpu.t%d", at.ID, t), linear.AtMost, exact.Multiply(at.Size(), right-left), a))
			early = append(early, f.Linear.Row(fmt.Sprintf("%s.early.t%d", at.ID, t), linear.AtMost, exact.Multiply(at.Size(), right-left), a))
		}
		grid.gpu, grid.early = append(grid.gpu, gpu), append(grid.early, early)
	}
	for i := range f.Shapes {
		s := &f.Shapes[i]
		places := f.Places(s)
		if len(places) == 1 {
			for _, c := range s.Classes {
				release := int64(m.Classes[c].Job.Release)
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
		for t := range len(grid.Ends) + 1 {
			for end := range pooled {
				row := -1
				if end == 0 || t < len(grid.Ends) {
					row = f.Linear.Row(fmt.Sprintf("%s.pooled.t%d.%d", s.ID, t, end), linear.Equal, 0, linear.About{})
					for at, p := range places {
						x := f.Linear.Col(fmt.Sprintf("%s.work.%s.t%d.%d", s.ID, m.Network.Pools[p].ID, t, end), 0, s.iterations)
						f.Linear.Term(row, x, 1)
						f.Linear.Term(done[at], x, 1)
						f.occupy(&grid, s, p, t, end, s.Release, x)
					}
				}
				pooled[end] = append(pooled[end], row)
			}
		}
		for _, c := range s.Classes {
			f.classCompletion(s, c, &grid, s.Release, func(t, end, x int) { f.Linear.Term(pooled[end][t], x, -1) })
		}
	}
}

// Intervals holds the right ends of the intervals but the last, and by pool and
// interval the rows (8) and (9).
type Intervals struct {
	Ends       []int64
	gpu, early [][]int
}

// Interval returns the ends of an interval; right is -1 for the last.
func (g *Intervals) Interval(t int) (left, right int64) {
	if t > 0 {
		left = g.Ends[t-1]
	}
	if t == len(g.Ends) {
		return left, -1
	}
	return left, g.Ends[t]
}

// occupy enters a column of work at one end of an interval into the rows of a
// pool. For work released within the interval the left end is its release: then
// its amount at the true left end is smaller in proportion.
func (f *Program) occupy(g *Intervals, s *Shape, p, t, end int, release int64, x int) {
	left, right := g.Interval(t)
	if right < 0 {
		return
	}
	slow := s.Class.Slowdown(f.Model.Network.Pools[p].GPUType)
	f.Linear.Term(g.gpu[p][t], x, slow)
	if end == 0 {
		part := new(big.Int).Mul(exact.Mul(2, slow), big.NewInt(max(0, right-max(left, release))))
		f.Linear.Term(g.early[p][t], x, exact.Saturate(part.Quo(part, big.NewInt(right-left))))
	}
}

// classCompletion adds the columns and rows of one class, none of whose work
// begins before release. place enters the column of its work at an end of an
// interval into the rows of pools.
func (f *Program) classCompletion(s *Shape, c int, g *Intervals, release int64, place func(t, end, x int)) {
	d := &f.Model.Classes[c]
	n, r := d.Count(), int64(d.Job.Iterations)
	end := f.Linear.Col(fmt.Sprintf("c%d.C", c), d.Job.Weight, linear.NoUpper)

	constant := new(big.Rat).Quo(d.Moment, new(big.Rat).SetInt64(max(1, d.Work)))
	constant.Mul(constant, new(big.Rat).SetInt(exact.Mul(n, r)))
	chain := new(big.Int).Mul(big.NewInt(n), big.NewInt(int64(d.Job.Release)))
	alone := len(s.Classes) == 1 // then its chain depends on the modes
	if !alone {
		each := exact.Mul(r-1, int64(d.Iteration))
		each.Add(each, big.NewInt(2*int64(d.Sync)))
		constant.Add(constant, new(big.Rat).SetInt(each.Mul(each, big.NewInt(n*r))))
		chain.Mul(big.NewInt(n), d.Chain(d.Iteration))
	}
	mean := f.Linear.Row(fmt.Sprintf("c%d.mean", c), linear.AtLeast, exact.Saturate(exact.Floor(constant)), linear.About{}) // (14)
	first := f.Linear.Row(fmt.Sprintf("c%d.chain", c), linear.AtLeast, exact.Saturate(chain), linear.About{Resource: "job", Subject: f.Model.ClassName(c), Capacity: -1})
	f.Linear.Term(mean, end, 2*r)
	f.Linear.Term(first, end, 1) // (12)
	if alone {
		for i := range d.Modes {
			o := &d.Modes[i]
			f.Linear.Term(mean, s.does[i], -(2*int64(o.Sync) + exact.Multiply(r-1, int64(o.Iteration()))))
			f.Linear.Term(first, s.does[i], -int64(o.Iteration()))
		}
	}

	all := f.Linear.Row(fmt.Sprintf("c%d.work", c), linear.Equal, n*r, linear.About{}) // (15)
	last := -1                                                                         // column of the iterations' worth done so far
	open := true
	for t := range len(g.Ends) + 1 {
		left, right := g.Interval(t)
		if right >= 0 && right <= int64(d.Job.Release) {
			continue
		}
		if d.Runs() && d.Job.Deadline > 0 && left >= int64(d.Job.Deadline)-int64(d.Sync) {
			break
		}
		columns := []int{f.Linear.Col(fmt.Sprintf("c%d.work.t%d.0", c, t), 0, n*r)}
		f.Linear.Term(all, columns[0], 1)
		f.Linear.Term(mean, columns[0], -2*max(left, release))
		place(t, 0, columns[0])
		if right >= 0 {
			columns = append(columns, f.Linear.Col(fmt.Sprintf("c%d.work.t%d.1", c, t), 0, n*r))
			f.Linear.Term(all, columns[1], 1)
			f.Linear.Term(mean, columns[1], -2*right)
			place(t, 1, columns[1])
		}
		// (16) By the end of an interval no more iterations have begun than
		// their chain allows.
		if begun := f.begun(d, right); open && right >= 0 && begun < r {
			so := f.Linear.Row(fmt.Sprintf("c%d.begun.t%d", c, t), linear.Equal, 0, linear.About{})
			now := f.Linear.Col(fmt.Sprintf("c%d.begun.t%d", c, t), 0, n*begun)
			f.Linear.Term(so, now, 1)
			for _, x := range columns {
				f.Linear.Term(so, x, -1)
			}
			if last >= 0 {
				f.Linear.Term(so, last, -1)
			}
			last = now
		} else {
			open = false
		}
	}
}

// begun is how many iterations of a job can have begun before a tick.
func (f *Program) begun(d *relax.Class, before int64) int64 {
	l := max(1, int64(d.Iteration))
	return min(int64(d.Job.Iterations), (before-int64(d.Job.Release)+l-1)/l)
}

// Places returns the pools that the modes of a shape use, ascending.
func (f *Program) Places(s *Shape) []int {
	var places []int
	for i := range s.Class.Modes {
		for _, p := range s.Class.Modes[i].Pools {
			if !slices.Contains(places, p) {
				places = append(places, p)
			}
		}
	}
	slices.Sort(places)
	return places
}

// share adds the rows that tie the work in a pool to the iterations done there,
// and returns the first row: iterations inside the pool do all their work
// there, and a task elsewhere in it counts for at most least[full].
//
//	(17) does_p <= sum_t work <= does_p + least[full] / W busy_p
//
// in iterations' worth, as sum_t work - does_p - s = 0 with a column s between
// 0 and the last term.
func (f *Program) share(s *Shape, p int) int {
	d, id := s.Class, f.Model.Network.Pools[p].ID
	row := f.Linear.Row(fmt.Sprintf("%s.share.%s", s.ID, id), linear.Equal, 0, linear.About{})
	more := f.Linear.Col(fmt.Sprintf("%s.share.%s", s.ID, id), 0, s.iterations)
	f.Linear.Term(row, more, -1)
	limit := f.Linear.Row(fmt.Sprintf("%s.workers.%s", s.ID, id), linear.AtMost, 0, linear.About{})
	f.Linear.Term(limit, more, max(1, d.Work))
	for i := range d.Modes {
		switch at := slices.Index(d.Modes[i].Pools, p); {
		case at < 0:
		case s.busy[i] == nil:
			f.Linear.Term(row, s.does[i], -1)
		default:
			f.Linear.Term(limit, s.busy[i][at], -int64(d.Shortest[d.Job.Full()]))
		}
	}
	return row
}

// intervals returns the right ends of the intervals except the last. They are
// even up to the larger of chain and area, slightly extended; work that the
// optimum does later counts at the last end.
func (f *Program) intervals(columns, places int) []int64 {
	count := min(maxIntervals, max(minIntervals, columns/places))
	horizon := f.Model.AreaEnd()
	for c := range f.Model.Classes {
		d := &f.Model.Classes[c]
		if v := new(big.Rat).SetInt(d.Chain(d.Iteration)); v.Cmp(horizon) > 0 {
			horizon.Set(v)
		}
	}
	horizon.Mul(horizon, big.NewRat(5, 4))
	var ends []int64
	for t := 1; t <= count; t++ {
		end := exact.Floor(new(big.Rat).Mul(horizon, big.NewRat(int64(t), int64(count))))
		if !end.IsInt64() || end.Int64() > exact.MaxExact {
			return nil
		}
		if e := end.Int64(); e > 0 && (len(ends) == 0 || e > ends[len(ends)-1]) {
			ends = append(ends, e)
		}
	}
	return ends
}
