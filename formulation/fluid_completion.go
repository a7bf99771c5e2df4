package formulation

import (
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// Limits on the intervals of the program of the weighted completion.
const (
	minIntervals = 8
	maxIntervals = 192
)

// buildCompletion states the program of the weighted completion. Time is cut
// into intervals; f[c,P,t] counts iterations' worth of the work of class c that
// pool P does in interval t, where an iteration's worth is demand.work and the
// parts of tasks that count are those of [Area]. Work in an interval is worked
// on no earlier than its left end, so with Area's (1), times 2 R,
//
//	(13) 2 R C_c >= sum_{P,t} 2 left_t f + sum_m R (2 sync_m + (R-1) l_m) y_m + n R sum a^2 / W.
//
// The last interval has no end and no capacity row, so that the program is
// feasible and no horizon has to be known. C_c is the sum of the class's
// completion times. The columns budget decides how many intervals there are.
func (f *fluid) buildCompletion(columns int) {
	m := f.m
	f.residency(false)
	places := 0
	for c := range f.blocks {
		b := &f.blocks[c]
		b.does, b.busy = b.live, b.home
		places += len(f.places(c))
	}
	// Depths and links have rows of their own only against the makespan: here
	// the work counts as the cheapest depths make it.
	ends := f.intervals(columns, max(1, places))

	type gpuRow struct{ row int }
	gpu := make([][]gpuRow, len(m.network.pools))
	for p := range m.network.pools {
		at := &m.network.pools[p]
		left := int64(0)
		for t, end := range ends {
			row := f.p.row(fmt.Sprintf("%s.gpu.t%d", at.id, t), atMost, at.size()*(end-left), about{"gpu", at.gpuName(), -1})
			gpu[p] = append(gpu[p], gpuRow{row})
			left = end
		}
	}
	for c := range m.demands {
		d, b := &m.demands[c], &f.blocks[c]
		n, r := d.count(), int64(d.job.Iterations)
		end := f.p.col(fmt.Sprintf("c%d.C", c), d.job.Weight, noUpper)
		f.blocks[c] = *b

		constant := new(big.Rat).Quo(d.moment, new(big.Rat).SetInt64(max(1, d.work)))
		constant.Mul(constant, new(big.Rat).SetInt(mul(n, r)))
		mean := f.p.row(fmt.Sprintf("c%d.mean", c), atLeast, saturate(floor(constant)), about{})
		f.p.term(mean, end, 2*r)
		for i := range d.modes {
			o := &d.modes[i]
			f.p.term(mean, b.live[i], -r*(2*int64(o.sync)+(r-1)*int64(o.iteration())))
		}
		f.chain(c, end)

		// (14) All the work is done; the work in a pool is that of the workers there.
		all := f.p.row(fmt.Sprintf("c%d.work", c), equal, n*r, about{})
		places := f.places(c)
		var done []int // by place
		if len(places) > 1 {
			for _, p := range places {
				done = append(done, f.share(c, p))
			}
		}
		last := -1 // column of the iterations' worth done so far
		open := true
		for t := range len(ends) + 1 {
			left, right := int64(0), int64(-1)
			if t > 0 {
				left = ends[t-1]
			}
			if t < len(ends) {
				right = ends[t]
			}
			if right >= 0 && right <= int64(d.job.Release) {
				continue
			}
			if d.job.Deadline > 0 && left >= int64(d.job.Deadline)-int64(d.sync) {
				break
			}
			// (15) By the end of an interval no more iterations have begun than
			// their chain allows.
			so := -1
			if begun := f.begun(d, right); open && right >= 0 && begun < r {
				so = f.p.row(fmt.Sprintf("c%d.begun.t%d", c, t), equal, 0, about{})
				now := f.p.col(fmt.Sprintf("c%d.done.t%d", c, t), 0, n*begun)
				f.p.term(so, now, 1)
				if last >= 0 {
					f.p.term(so, last, -1)
				}
				last = now
			} else {
				open = false
			}
			for at, p := range places {
				t0 := max(left, int64(d.job.Release))
				x := f.p.col(fmt.Sprintf("c%d.f.%s.t%d", c, m.network.pools[p].id, t), 0, n*r)
				f.p.term(all, x, 1)
				f.p.term(mean, x, -2*t0)
				if so >= 0 {
					f.p.term(so, x, -1)
				}
				if done != nil {
					f.p.term(done[at], x, 1)
				}
				if t < len(ends) {
					f.p.term(gpu[p][t].row, x, d.slowdown(m.network.pools[p].gpuType))
				}
			}
		}
	}
}

// saturate keeps a constant that is too large for a program recognisable.
func saturate(v *big.Int) int64 {
	if v.IsInt64() {
		return v.Int64()
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
	var least *big.Rat
	for depth, ok := range d.fits[t] {
		if ok && d.least[depth] > 0 {
			if r := big.NewRat(int64(d.job.On[t].Time[depth]), int64(d.least[depth])); least == nil || r.Cmp(least) < 0 {
				least = r
			}
		}
	}
	if least == nil {
		return d.work
	}
	return floor(least.Mul(least, new(big.Rat).SetInt64(d.work))).Int64()
}

// places returns the pools that the modes of a class use, ascending.
func (f *fluid) places(c int) []int {
	var places []int
	for i := range f.m.demands[c].modes {
		for _, p := range f.m.demands[c].modes[i].pools {
			if !slices.Contains(places, p) {
				places = append(places, p)
			}
		}
	}
	slices.Sort(places)
	return places
}

// share adds the rows that tie the work in a pool to the workers there, and
// returns the first: jobs that live in the pool alone do all their work there,
// and every other worker adds at most a full-depth task per iteration, of which
// parts of at most least[full] count.
//
//	(16) R y_p <= sum_t f <= R y_p + R least[full] / work u_p
//
// in iterations' worth; both are rows of sum_t f - R y_p - s with a column s
// between 0 and the last term.
func (f *fluid) share(c, p int) int {
	d, b, id := &f.m.demands[c], &f.blocks[c], f.m.network.pools[p].id
	r := int64(d.job.Iterations)
	row := f.p.row(fmt.Sprintf("c%d.share.%s", c, id), equal, 0, about{})
	s := f.p.col(fmt.Sprintf("c%d.share.%s", c, id), 0, d.count()*r)
	f.p.term(row, s, -1)
	limit := f.p.row(fmt.Sprintf("c%d.workers.%s", c, id), atMost, 0, about{})
	f.p.term(limit, s, max(1, d.work))
	for i := range d.modes {
		switch at := slices.Index(d.modes[i].pools, p); {
		case at < 0:
		case b.home[i] == nil:
			f.p.term(row, b.live[i], -r)
		default:
			f.p.term(limit, b.home[i][at], -r*int64(d.least[d.job.Full()]))
		}
	}
	return row
}

// chain adds row (11) of one class with the sum of its completions.
func (f *fluid) chain(c, end int) {
	d, b := &f.m.demands[c], &f.blocks[c]
	n, r := d.count(), int64(d.job.Iterations)
	row := f.p.row(fmt.Sprintf("c%d.chain", c), atLeast, n*int64(d.job.Release), about{"job", f.m.className(c), -1})
	f.p.term(row, end, 1)
	for i := range d.modes {
		f.p.term(row, b.live[i], -r*int64(d.modes[i].iteration()))
	}
}

// intervals returns the right ends of the intervals but the last. They are even
// up to the larger of chain and area, stretched a little: what the optimum does
// later has the last end for its time.
func (f *fluid) intervals(columns, places int) []int64 {
	count := min(maxIntervals, max(minIntervals, columns/places))
	if count < maxIntervals {
		f.note = fmt.Sprintf("%d intervals keep the program near %d columns", count, columns)
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
