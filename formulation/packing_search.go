package formulation

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/solver"
	"jigsaw/solver/colgen"
)

// PackingLimits of a packing bound. The zero value is useful but for Known.
type PackingLimits struct {
	// Known is a bound already proven, from which to go on, and Until a value
	// that some schedule has, past which there is nothing to prove; nil where
	// none is known.
	Known, Until *big.Rat
	// Work limits the pricing, as in [ColumnLimits].
	Work int64
	// Improved, if not nil, is told of every better bound on the way.
	Improved func(Bound)
	// Solver limits each solve of the program.
	Solver solver.Limits
}

// Packing returns the bound on the makespan of whole workers living on whole
// GPUs; its value is nil where it proves nothing that is not known. Errors are
// those of [Columns].
func Packing(ctx context.Context, in *instance.Instance, engine solver.Solver, limits PackingLimits) (Bound, error) {
	best := Bound{Kind: PackingBound}
	m := newModel(in)
	if limits.Known == nil || !packable(m) {
		return best, nil
	}
	if limits.Until == nil {
		limits.Until = new(big.Rat).Mul(limits.Known, big.NewRat(2, 1)) // far enough
	}
	if limits.Work == 0 {
		limits.Work = defaultWork
	}
	left := limits.Work
	var known packResult
	refuted := func(due int64) (bool, error) {
		s := newPacking(m, due, nil)
		work := int64(0)
		for p := range s.pools {
			work += s.pools[p].work()
		}
		if work > mostPackWork || limits.Work > 0 && left < work {
			return false, nil
		}
		r, err := s.solve(ctx, engine, known, limits.Solver)
		left -= r.work
		known = r
		if r.prices == nil {
			return false, err
		}
		b := Bound{Kind: PackingBound, Certificate: s.certificate(r.prices), LP: LP{Rows: r.rows, Iterations: r.rounds, Status: solver.Optimal}}
		if m.provePacking(&b, b.Certificate) != nil {
			return false, err
		}
		best = b
		if limits.Improved != nil {
			limits.Improved(b)
		}
		return true, err
	}
	low, high := ceil(limits.Known), ceil(limits.Until)
	if !low.IsInt64() || !high.IsInt64() || high.Int64() > maxHorizon {
		return best, nil
	}
	if err := climb(low.Int64(), high.Int64(), refuted); err != nil {
		return best, fmt.Errorf("formulation: packing: %w", err)
	}
	return best, nil
}

// climb looks for the largest due in [low, high) that is refuted, to about a
// thousandth: first low itself, then further and further, then between.
func climb(low, high int64, refuted func(due int64) (bool, error)) error {
	for due, step := low, max(1, (high-low)/16); due < high; {
		yes, err := refuted(due)
		if err != nil {
			return err
		}
		if !yes && due == low {
			return nil
		}
		if yes {
			low = due + 1
		} else {
			high = due
		}
		if yes && low+step < high && high-low > step {
			due = low + step - 1
			step *= 2
		} else {
			due, step = low+(high-low)/2, max(1, step/2)
		}
		if high-low <= low/1000 {
			return nil
		}
	}
	return nil
}

// work is about how many steps pricing the pool takes.
func (p *packPool) work() (sum int64) {
	for i := range p.slots {
		sum += int64(len(p.slots[i].ticks)) * p.room
	}
	return sum
}

// mostPackWork bounds the steps of pricing a program once: where so many workers may share a
// GPU little is lost by spreading their work.
const mostPackWork = 2_000_000

// packResult is what the program of a due says.
type packResult struct {
	prices       []int64         // that refute the due; nil where none do
	contents     [][]packContent // of the solution, by pool
	unit         int64           // of contents
	rows, rounds int
	work         int64 // steps that pricing took
}

// solve looks for prices that make sigma positive, beginning with contents of similar programs.
func (s *packing) solve(ctx context.Context, engine solver.Solver, known packResult, limits solver.Limits) (packResult, error) {
	q := s.problem()
	r := packResult{rows: q.Rows(), unit: s.unit, contents: make([][]packContent, len(s.pools))}
	live, err := colgen.NewMaster[packContent](engine, q)
	if err != nil {
		return r, err
	}
	defer func() { _ = live.Close() }()
	begin := s.begin(q.Rows())
	cover := s.cover(begin)
	var pricers []colgen.Pricer[packContent]
	for p := range s.pools {
		pricers = append(pricers, &packPricer{packing: s, pool: p})
		var first []colgen.Column[packContent]
		if len(s.pools[p].fixed) == 0 {
			first = append(first, s.column(p, nil))
		}
		for _, content := range cover[p] {
			first = append(first, s.column(p, content))
		}
		if known.unit == s.unit {
			for _, content := range known.contents[p] {
				if s.holds(p, content) {
					first = append(first, s.column(p, content))
				}
			}
		}
		if _, err := live.Add(first...); err != nil {
			return r, err
		}
	}
	some, none := 1e-6, 1e-9
	found, err := live.Run(ctx, pricers, colgen.Options{Smoothing: smoothing, Prices: begin, Cutoff: &some, Enough: &none, Solver: limits})
	r.rounds = found.Rounds
	for _, p := range pricers {
		r.work += p.(*packPricer).work
	}
	if found.Solution != nil {
		for j, weight := range found.Weights {
			if content := live.Columns()[j].Data; weight > 1e-9 && len(content) > 0 {
				p := slices.IndexFunc(live.Columns()[j].Entries, func(e solver.Entry) bool { return int(e.Row) >= s.prices })
				pool := int(live.Columns()[j].Entries[p].Row) - s.prices
				r.contents[pool] = append(r.contents[pool], content)
			}
		}
	}
	if found.Prices != nil && found.Bound >= some {
		prices, cost := s.integers(found.Prices)
		r.prices = prices
		for p := range s.pools {
			f := s.fill(p, prices)
			worth := f.worth()
			if worth > cost[p] {
				_, worth = f.best(cost[p])
			}
			r.prices = append(r.prices, worth+packSlack*s.due)
		}
	}
	return r, err
}

// begin returns prices to begin with: a tick is worth the same everywhere, as in the area bound.
func (s *packing) begin(rows int) []float64 {
	y := make([]float64, rows)
	sum := 0.0
	for i := range s.classes {
		c := &s.classes[i]
		d := &s.m.demands[i]
		ticks := func(n int) float64 { return float64(max(0, d.least[c.depths[n]])) }
		workers := float64(c.jobs * c.workers * c.iterations)
		if !c.decided {
			y[c.at] = workers * ticks(0)
		}
		for n := range c.depths[1:] {
			y[c.at+1+n] = workers * max(0, ticks(n+1)-ticks(n))
		}
		mix := math.Inf(1)
		for _, deeper := range c.deeper {
			pays := 0.0
			for n, count := range deeper {
				pays += y[c.at+1+n] * float64(count) / float64(c.workers)
			}
			mix = min(mix, pays)
		}
		y[s.prices+len(s.pools)+i] = mix
		sum += y[c.at] + mix
	}
	for p := range s.pools {
		y[s.prices+p] = -float64(s.pools[p].room * s.unit)
	}
	for i := range y {
		y[i] /= sum
	}
	return y
}

// cover returns contents that hold many of the workers, if not all of them, by pool: the best
// at the prices, then the best of those that are left.
func (s *packing) cover(y []float64) [][]packContent {
	prices, _ := s.integers(y)
	list := make([][]packContent, len(s.pools))
	left := make([]int64, len(s.classes))
	for i := range s.classes {
		left[i] = s.classes[i].jobs * s.classes[i].workers
	}
	for p := range s.pools {
		for gpus := s.pools[p].gpus; gpus > 0; {
			f := s.fill(p, prices)
			best, most := f.fit(nil)
			for _, set := range f.sets(0) {
				if content, worth := f.fit(set); worth > most {
					best, most = content, worth
				}
			}
			if best == nil {
				break
			}
			list[p] = append(list[p], best)
			times := gpus
			for _, w := range best {
				if !s.classes[w.class].decided {
					times = min(times, left[w.class])
				}
			}
			times = max(1, times)
			gpus -= times
			for _, w := range best {
				if left[w.class] -= times; left[w.class] <= 0 && !s.classes[w.class].decided {
					prices[s.classes[w.class].at] = -mostWorth
				}
			}
		}
	}
	return list
}

// problem returns the rows, (1) and (2) divided by their right sides or the number of tasks,
// and the columns of mixes and sigma.
func (s *packing) problem() *solver.Problem {
	q := &solver.Problem{Name: "packing"}
	var sigma []solver.Entry
	for i := range s.classes {
		if s.classes[i].decided {
			q.AddRow("", math.Inf(-1), math.Inf(1))
		} else {
			sigma = append(sigma, solver.Entry{Row: q.AddRow("", 1, 1), Value: 1})
		}
		for range s.classes[i].depths[1:] {
			q.AddRow("", 0, math.Inf(1))
		}
	}
	for p := range s.pools {
		gpus := float64(s.pools[p].gpus)
		if row := q.AddRow("", gpus, gpus); len(s.pools[p].fixed) > 0 {
			sigma = append(sigma, solver.Entry{Row: row, Value: gpus}) // there may be no content
		}
	}
	for i := range s.classes {
		c := &s.classes[i]
		all := q.AddRow("", 1, 1)
		sigma = append(sigma, solver.Entry{Row: all, Value: 1})
		for _, deeper := range c.deeper {
			mix := []solver.Entry{{Row: all, Value: 1}}
			for d, n := range deeper {
				if n > 0 {
					mix = append(mix, solver.Entry{Row: solver.Row(c.at + 1 + d), Value: -float64(n) / float64(c.workers)})
				}
			}
			q.AddCol("mix", 0, 0, 1, mix...)
		}
	}
	q.AddCol("sigma", 1, 0, 1, sigma...)
	return q
}

// column returns that of a content of a pool.
func (s *packing) column(pool int, content packContent) colgen.Column[packContent] {
	values := map[int]float64{s.prices + pool: 1}
	key := binary.AppendUvarint(nil, uint64(pool))
	for _, w := range content {
		c := &s.classes[w.class]
		key = binary.AppendUvarint(key, uint64(w.class))
		key = binary.AppendUvarint(key, uint64(w.units))
		key = append(key, byte(w.shallow), byte(w.deep))
		if !c.decided {
			values[c.at] += 1 / float64(c.jobs*c.workers)
		}
		for d, tasks := range s.deeper(pool, w) {
			values[c.at+1+d] += tasks / float64(c.jobs*c.workers*c.iterations)
		}
	}
	column := colgen.Column[packContent]{Key: string(key), Data: content}
	for row, v := range values {
		if v != 0 {
			column.Entries = append(column.Entries, solver.Entry{Row: solver.Row(row), Value: v})
		}
	}
	slices.SortFunc(column.Entries, func(a, b solver.Entry) int { return int(a.Row - b.Row) })
	return column
}

// deeper returns how many tasks of a worker are at each depth from the second on or deeper.
func (s *packing) deeper(pool int, w packWorker) []float64 {
	c := &s.classes[w.class]
	tasks := make([]float64, len(c.depths)-1)
	for d := range tasks {
		switch {
		case d < w.shallow:
			tasks[d] = float64(c.iterations)
		case d < w.deep:
			ticks := s.pools[pool].ticks(w.class)
			from, to := ticks[w.shallow], ticks[w.deep]
			tasks[d] = float64(c.iterations*(s.unit*(w.units+1)-1-from)) / float64(to-from)
		}
	}
	return tasks
}

// ticks are those of a worker of the class.
func (p *packPool) ticks(class int) []int64 {
	return p.slots[slices.IndexFunc(p.slots, func(slot packSlot) bool { return slot.class == class })].ticks
}

// holds reports whether a content of a pool fits by this due.
func (s *packing) holds(pool int, content packContent) bool {
	p := &s.pools[pool]
	var slots []int
	left := int64(0)
	for _, w := range content {
		slot := slices.IndexFunc(p.slots, func(o packSlot) bool { return o.class == w.class })
		for slices.Contains(slots, slot) && slot < len(p.slots) {
			slot++ // its twin
		}
		if slot < 0 || slot == len(p.slots) || p.slots[slot].class != w.class {
			return false
		}
		slots, left = append(slots, slot), left-w.units
	}
	return left+s.limit(p, slots) >= 0
}

// packScale is what integer prices are per 1 of sigma.
const packScale = 1 << 50

// integers turns the prices of the engine's rows into those of the program, and what a GPU of
// each pool costs.
func (s *packing) integers(y []float64) (prices, cost []int64) {
	prices = make([]int64, s.prices)
	for i := range s.classes {
		c := &s.classes[i]
		workers := float64(c.jobs * c.workers)
		prices[c.at] = int64(y[c.at] * packScale / workers)
		for d := range c.depths[1:] {
			prices[c.at+1+d] = int64(max(0, y[c.at+1+d]) * packScale / (workers * float64(c.iterations)))
		}
	}
	for p := range s.pools {
		cost = append(cost, int64(-y[s.prices+p]*packScale))
	}
	return prices, cost
}

// packSlack is how far, per tick of the due, the check may find a content worth more, for it
// rounds the worth of a tick up for more mixes of depths.
const packSlack = 2

// packPricer prices the contents of the GPUs of a pool.
type packPricer struct {
	*packing
	pool int
	work int64 // steps so far
}

// Multiplicity implements [colgen.Pricer]: each GPU has one content.
func (p *packPricer) Multiplicity() (least, most float64) {
	n := float64(p.pools[p.pool].gpus)
	return n, n
}

// Price implements [colgen.Pricer]. Sets of workers come from the knapsack; what else is to be
// known of them is looked at where these pay next to nothing of what the knapsack hopes for. To
// wait until none of them pays would not do: prices of an engine are inexact, so that a content
// may pay a little that is a column already, and then the knapsack would be all that is proven.
func (p *packPricer) Price(y []float64, _ bool) colgen.Priced[packContent] {
	prices, cost := p.integers(y)
	f := p.fill(p.pool, prices)
	p.work += p.pools[p.pool].work()
	hope := f.worth() - cost[p.pool]
	priced := colgen.Priced[packContent]{Bound: float64(-hope) / packScale}
	for _, set := range f.sets(cost[p.pool]) {
		if content, worth := f.fit(set); worth > cost[p.pool]+max(hope/packHope, packSlack*p.due) {
			priced.Columns = append(priced.Columns, p.column(p.pool, content))
		}
	}
	if len(priced.Columns) == 0 && hope > 0 {
		contents, worth := f.best(cost[p.pool])
		p.work += f.looked * p.pools[p.pool].work() / int64(max(1, len(f.pool.slots))) // each adds a worker
		priced.Bound = float64(cost[p.pool]-worth) / packScale
		for _, content := range contents[max(0, len(contents)-mostOffered):] {
			priced.Columns = append(priced.Columns, p.column(p.pool, content))
		}
	}
	return priced
}

// mostOffered is how many contents a pricer offers of those that were found one by one, the best.
const mostOffered = 64

// packHope is what part of what the knapsack hopes for a content of it should pay.
const packHope = 16

func (s *packing) certificate(prices []int64) *Certificate {
	c := &Certificate{Kind: PackingBound, Denominator: big.NewInt(packScale), Plans: &PlanTerms{Due: s.due, Horizon: s.due, Points: 1, Buckets: 1}}
	for _, price := range prices {
		c.Prices = append(c.Prices, big.NewInt(price))
	}
	return c
}
