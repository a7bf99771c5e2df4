package timeindexed

import (
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/linear"
	"jigsaw/solver"
)

// tiBuilder states a time-indexed program. It keeps the first error and does
// nothing after it.
type tiBuilder struct {
	in      *instance.Instance
	options Options
	pools   *relax.Model // for ByPool
	sites   []tiSite
	jobs    []tiJob
	scale   int64 // least is the smallest normalised rate x period x scale
	err     error

	p       linear.Program
	meaning []tiColumn // by column
	size    int        // rows, columns and coefficients so far

	from   instance.Tick // first tick of late
	late   []int         // columns by tick from b.from on
	least  int           // column
	busy   [][]int       // (9): rows by site and tick; -1 for none yet
	loads  [][]tiLoad    // of each link, for (10)
	memory []tiMemory    // (11)
	live   [][]int       // columns by job and position in its sites
	ends   [][]linear.Term
}

// tiLoad is the load of a column on a link while its synchronisation runs.
type tiLoad struct {
	col        int
	job        instance.JobID
	speed      int64 // bit/s
	start, end instance.Tick
}

// tiMemory is a row (11) of a site.
type tiMemory struct{ row, site int }

// tiTicks are rows, one for each tick from a first one on.
type tiTicks struct {
	from instance.Tick
	rows []int
}

// between returns the rows of the ticks lo <= t < hi.
func (r tiTicks) between(lo, hi instance.Tick) []int {
	lo, hi = max(lo-r.from, 0), min(hi-r.from, instance.Tick(len(r.rows)))
	if lo >= hi {
		return nil
	}
	return r.rows[lo:hi]
}

const always = instance.Tick(1) << 62

func (b *tiBuilder) row(s linear.Sense, rhs int64, format string, args ...any) int {
	b.grow()
	return b.p.Row(fmt.Sprintf(format, args...), s, rhs, linear.About{})
}

func (b *tiBuilder) col(m tiColumn, cost, upper int64, format string, args ...any) int {
	b.grow()
	b.meaning = append(b.meaning, m)
	return b.p.Col(fmt.Sprintf(format, args...), cost, upper)
}

func (b *tiBuilder) term(row, col int, value int64) {
	b.grow()
	b.p.Term(row, col, value)
}

func (b *tiBuilder) grow() {
	if b.size++; b.size > b.options.Coefficients {
		b.fail("it passes %d rows, columns and coefficients", b.options.Coefficients)
	}
}

// ticks makes a row <= rhs for each tick from <= t < to.
func (b *tiBuilder) ticks(from, to instance.Tick, rhs int64, name string) tiTicks {
	r := tiTicks{from: from}
	for t := from; t < to && b.err == nil; t++ {
		r.rows = append(r.rows, b.row(linear.AtMost, rhs, "%s_t%d", name, t))
	}
	return r
}

// build states the whole program.
func (b *tiBuilder) build() {
	b.busy = make([][]int, len(b.sites))
	b.loads = make([][]tiLoad, len(b.in.Links))
	b.live = make([][]int, len(b.jobs))
	b.ends = make([][]linear.Term, len(b.jobs))
	b.goal()
	for j := range b.jobs {
		if b.err == nil {
			b.state(&b.jobs[j])
		}
	}
	if b.err == nil {
		b.links()
		b.memories()
		b.alike()
	}
}

// goal makes the columns of the objective that do not belong to jobs.
func (b *tiBuilder) goal() {
	switch b.in.Objective {
	case instance.Makespan:
		b.from = b.proven()
		once := b.row(linear.Equal, 1, "once")
		b.term(once, b.col(tiColumn{kind: ofElapsed}, int64(b.from), 1, "elapsed"), 1)
		for t := b.from; t < b.options.Horizon && b.err == nil; t++ {
			b.late = append(b.late, b.col(tiColumn{kind: ofLate, start: t}, 1, 1, "late_t%d", t))
			if n := len(b.late); n > 1 { // (13)
				falls := b.row(linear.AtMost, 0, "falls_t%d", t)
				b.term(falls, b.late[n-1], 1)
				b.term(falls, b.late[n-2], -1)
			}
		}
	case instance.MaxMinThroughput:
		weights := big.NewInt(1)
		for j := range b.in.Jobs {
			w := big.NewInt(b.in.Jobs[j].Weight)
			weights.Mul(weights, new(big.Int).Div(w, new(big.Int).GCD(nil, nil, weights, w)))
			if weights.Cmp(big.NewInt(exact.MaxExact)) > 0 {
				b.fail("the weights have no common multiple below 2^53")
				return
			}
		}
		b.scale = weights.Int64()
		most := int64(-1)
		for j := range b.jobs {
			if m := b.normal(&b.jobs[j]) * int64(b.jobs[j].iterations); most < 0 || m < most {
				most = m
			}
		}
		b.least = b.col(tiColumn{kind: ofLeast}, -1, most, "least")
	}
}

// normal is the scaled normalised rate of one iteration in each period.
func (b *tiBuilder) normal(j *tiJob) int64 {
	m := exact.Mul(int64(j.FastestFull()), b.scale/j.Weight)
	if !m.IsInt64() || m.Int64() > exact.MaxExact/int64(max(1, j.iterations)) {
		b.fail("the normalised rate of job %q, over all weights, exceeds 2^53", j.Name)
		return 0
	}
	return m.Int64()
}

// proven is the lower bound on the makespan from the cheap bounds, within the
// horizon.
func (b *tiBuilder) proven() instance.Tick {
	best := bound.Best(b.in, area.Chain(b.in), area.Bound(b.in))
	if best.Value == nil {
		return 0
	}
	v := exact.Ceil(best.Value)
	if !v.IsInt64() || v.Int64() > int64(b.options.Horizon) {
		return b.options.Horizon
	}
	return instance.Tick(v.Int64())
}

// occupy adds a task to the rows (9) of its site.
func (b *tiBuilder) occupy(col, site int, start, end instance.Tick) {
	length := b.options.Horizon
	if b.in.Objective.Periodic() {
		length = b.options.Period
	}
	if b.busy[site] == nil {
		b.busy[site] = slices.Repeat([]int{-1}, int(length))
	}
	for t := start; t < end; t++ {
		at, room := t%length, int64(b.sites[site].room)
		row := b.busy[site][at]
		if row < 0 {
			if late := int(at - b.from); b.late != nil && late >= 0 && late < len(b.late) {
				row = b.row(linear.AtMost, 0, "busy_%s_t%d", b.sites[site].id, at)
				b.term(row, b.late[late], -room)
			} else {
				row = b.row(linear.AtMost, room, "busy_%s_t%d", b.sites[site].id, at)
			}
			b.busy[site][at] = row
		}
		b.term(row, col, 1)
	}
}

// links makes the rows (10), of links that could be overloaded.
func (b *tiBuilder) links() {
	for l, loads := range b.loads {
		most := make([]int64, len(b.jobs))
		unit := int64(0)
		for _, a := range loads {
			most[a.job] = max(most[a.job], a.speed)
			unit = exact.GCD(unit, a.speed)
		}
		sum := new(big.Int)
		for _, m := range most {
			sum.Add(sum, big.NewInt(m))
		}
		capacity := int64(b.in.Capacity(instance.LinkID(l)))
		if sum.Cmp(big.NewInt(capacity)) <= 0 {
			continue
		}
		rows := map[instance.Tick]int{}
		for _, a := range loads {
			for t := a.start; t < a.end && b.err == nil; t++ {
				at := t
				if b.in.Objective.Periodic() {
					at %= b.options.Period
				}
				row, ok := rows[at]
				if !ok {
					row = b.row(linear.AtMost, capacity/unit, "link_l%d_t%d", l, at)
					rows[at] = row
				}
				b.term(row, a.col, a.speed/unit)
			}
		}
	}
}

// memories adds the residents to the rows (11).
func (b *tiBuilder) memories() {
	for _, m := range b.memory {
		for j := range b.jobs {
			if n := slices.Index(b.jobs[j].sites, m.site); n >= 0 {
				b.term(m.row, b.live[j][n], int64(b.jobs[j].On[b.sites[m.site].kind].Persistent)/b.unit(m.site))
			}
		}
	}
}

// unit is the greatest common divisor of the jobs' demands on a site.
func (b *tiBuilder) unit(site int) int64 {
	unit := int64(0)
	for j := range b.jobs {
		if costs := b.jobs[j].On[b.sites[site].kind]; costs != nil {
			unit = exact.GCD(unit, int64(costs.Persistent))
			for _, e := range costs.Ephemeral {
				unit = exact.GCD(unit, int64(e))
			}
		}
	}
	return max(1, unit)
}

// scarce reports whether the memory of a site could be too small for all jobs
// that may live there.
func (b *tiBuilder) scarce(site int) bool {
	need, most := new(big.Int), int64(0)
	for j := range b.jobs {
		costs := b.jobs[j].On[b.sites[site].kind]
		if n := slices.Index(b.jobs[j].sites, site); costs == nil || n < 0 {
			continue
		}
		workers := int64(min(b.jobs[j].Workers, b.sites[site].room))
		need.Add(need, exact.Mul(workers, int64(costs.Persistent)))
		for _, e := range costs.Ephemeral {
			most = max(most, workers*int64(e))
		}
	}
	need.Add(need, big.NewInt(most))
	return need.Cmp(exact.Mul(int64(b.sites[site].memory), int64(b.sites[site].room))) > 0
}

// alike breaks symmetries: (16) the GPUs of a node, by the first job, and (17)
// identical jobs, by completion or by number of iterations.
func (b *tiBuilder) alike() {
	if first := &b.jobs[0]; b.options.Granularity == ByGPU {
		for n := 1; n < len(first.sites); n++ {
			if b.sites[first.sites[n]].node == b.sites[first.sites[n-1]].node {
				row := b.row(linear.AtMost, 0, "fill_%s", b.sites[first.sites[n]].id)
				b.term(row, b.live[0][n], 1)
				b.term(row, b.live[0][n-1], -1)
			}
		}
	}
	for _, class := range b.in.Classes() {
		for n := 1; n < len(class); n++ {
			row := b.row(linear.AtMost, 0, "order_j%d", class[n])
			for _, t := range b.ends[class[n-1]] {
				b.term(row, t.Row, t.Value)
			}
			for _, t := range b.ends[class[n]] {
				b.term(row, t.Row, -t.Value)
			}
		}
	}
}

func (b *tiBuilder) problem() (*solver.Problem, error) { return bound.Problem(&b.p) }
