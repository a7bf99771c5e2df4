package timeindexed

import (
	"slices"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/instance"
)

// Size returns a lower bound on the number of rows, columns and coefficients of the
// program, without building it: those of tasks and synchronisations in rows (4) to (9).
// If neither horizon nor value is given it uses a value no schedule beats. The error is
// [ErrTooLarge] if the bound exceeds the options.
func Size(in *instance.Instance, options Options) (least float64, err error) {
	if !in.Objective.Periodic() && options.Horizon == 0 && options.Value == nil {
		options.Value = bound.Best(in, area.Chain(in), area.Bound(in)).Value
	}
	b := &tiBuilder{in: in, options: options}
	if err := b.prepare(); err != nil {
		return 0, err
	}
	least = b.leastSize()
	return least, b.err
}

// enoughSize is the factor over the limit at which counting stops.
const enoughSize = 1000

// leastSize sums the bound of [Size], and fails if it is too large.
func (b *tiBuilder) leastSize() float64 {
	size := 0.0
	for i := range b.jobs {
		j := &b.jobs[i]
		for n := 1; n <= j.iterations && size <= enoughSize*float64(b.options.Coefficients); n++ {
			size += b.tasksSize(j, n) + b.syncsSize(j, n)
			if n == 2 && !b.in.Objective.Periodic() && j.iterations > 3 {
				// Those between the second and the last are alike.
				size += float64(j.iterations-3) * (b.tasksSize(j, 2) + b.syncsSize(j, 2))
				n = j.iterations - 1
			}
		}
	}
	if size > float64(b.options.Coefficients) {
		b.fail("it has at least %.3g rows, columns and coefficients, more than %d", size, b.options.Coefficients)
	}
	return size
}

// tasksSize counts the columns x of iteration i and their coefficients.
func (b *tiBuilder) tasksSize(j *tiJob, i int) float64 {
	from, until, size := b.tasksFrom(j, i), b.tasksUntil(j, i), 0.0
	for n, times := range b.alikeSites(j) {
		for d, fits := range j.fits[n] {
			length := j.On[b.sites[j.sites[n]].kind].Time[d]
			starts := float64(until - length - from + 1)
			if !fits || starts <= 0 || b.in.Objective.Periodic() && length > b.options.Period {
				continue
			}
			columns := starts * float64(2+length) // itself, (4), (9)
			if j.HasSync() {
				columns += sumTo(until-b.syncFrom(j, i)) - sumTo(from+length-b.syncFrom(j, i)-1) // (7)
			}
			if i > 1 {
				columns += sumTo(b.syncUntil(j, i-1)-from) - sumTo(b.syncUntil(j, i-1)-(until-length)-1) // (8)
			}
			size += float64(times) * columns
		}
	}
	return size
}

// syncsSize counts the columns z of iteration i and their coefficients.
func (b *tiBuilder) syncsSize(j *tiJob, i int) float64 {
	until, sites, size := b.syncUntil(j, i), float64(len(j.sites)), 0.0
	for h := range j.homes {
		from := b.tasksFrom(j, i) + j.homes[h].full
		for _, rates := range j.homes[h].rates {
			for _, r := range rates {
				starts := float64(until - r.length - from + 1)
				if starts <= 0 || b.in.Objective.Periodic() && r.length > b.options.Period {
					continue
				}
				size += 2 * starts                                                                              // itself, (6)
				size += sites * (sumTo(b.tasksUntil(j, i)-from) - sumTo(b.tasksUntil(j, i)-(until-r.length)-1)) // (7)
				if i < j.iterations && !b.in.Objective.Periodic() {
					next := b.tasksFrom(j, i+1)
					size += sites * (sumTo(until-next) - sumTo(from+r.length-next-1)) // (8)
				}
			}
		}
	}
	return size
}

// alikeSites returns a position in the job's sites for every kind of site, and the
// number of sites of that kind.
func (b *tiBuilder) alikeSites(j *tiJob) map[int]int {
	times := map[int]int{}
	for n, site := range j.sites {
		first := n
		for known := range times {
			if b.sites[j.sites[known]].kind == b.sites[site].kind && slices.Equal(j.fits[known], j.fits[n]) {
				first = known
			}
		}
		times[first]++
	}
	return times
}

// sumTo is 1 + 2 + ... + n, and 0 if n is less.
func sumTo(n instance.Tick) float64 { return float64(max(0, n)) * float64(n+1) / 2 }
