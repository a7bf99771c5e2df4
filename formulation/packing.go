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

// packing is the program of residencies on whole GPUs: a worker of a job lives
// on one GPU and holds it for at least R shortest tasks, however depths rotate,
// so that work cannot be spread evenly where few workers fit on a GPU. One
// column is what one GPU of a pool may hold:
//
//	min sigma
//	(1) sum_patterns workers of class c + n_c k_c sigma >= n_c k_c
//	(2) sum_patterns ticks of class c + W_c sigma >= W_c, W_c = n_c R x (least work of an iteration)
//	(3) patterns of pool p = GPUs of p
//
// A pattern holds some jobs, at most one worker of each, the worker of a job of
// class c for l ticks, R p(shallowest) <= l <= R p(L), with a sum of at most
// the due less the earliest release and the shortest last synchronisation. When
// sigma must be positive no schedule ends by the due. The relaxation forgets
// when anything happens; the columns of [master] remember that and forget
// where.
//
// Times are counted in units, a worker's rounded down and one unit added for
// its work, so that long schedules stay tractable.
type packing struct {
	m     *model
	due   int64
	unit  int64 // ticks
	bins  []bin
	items []packItem // by class
}

// bin is a pool with GPUs that somebody can live on.
type bin struct {
	pool  int
	gpus  int64
	room  int64 // units
	holds []packed
}

// packed is a class in a bin.
type packed struct {
	class       int
	copies      int   // that fit
	least, most int64 // units of a worker
}

// packItem is what a class asks for in all.
type packItem struct {
	workers, work int64
}

// mostRoom is how many units a GPU has at the most.
const mostRoom = 8192

func newPacking(m *model, due int64) *packing {
	s := &packing{m: m, due: due, unit: (due + mostRoom - 1) / mostRoom}
	release, tail := int64(math.MaxInt64), int64(math.MaxInt64)
	for c := range m.demands {
		d := &m.demands[c]
		release, tail = min(release, int64(d.job.Release)), min(tail, int64(d.sync))
		s.items = append(s.items, packItem{
			workers: d.count() * int64(d.job.Workers),
			work:    d.count() * int64(d.job.Iterations) * d.work,
		})
	}
	for p := range m.network.pools {
		at := &m.network.pools[p]
		b := bin{pool: p, gpus: at.size(), room: max(0, due-release-tail) / s.unit}
		for c := range m.demands {
			if h, ok := s.hold(c, p, b.room); ok {
				b.holds = append(b.holds, h)
			}
		}
		s.bins = append(s.bins, b)
	}
	return s
}

// hold returns what a worker of the class takes of a GPU of the pool, and
// false where none can live.
func (s *packing) hold(c, pool int, room int64) (packed, bool) {
	d := &s.m.demands[c]
	if !slices.ContainsFunc(d.modes, func(o mode) bool { return slices.Contains(o.pools, pool) }) {
		return packed{}, false
	}
	shallowest := d.job.Full()
	if list := s.m.multisets(d); d.relaxedRule() {
		shallowest = 0
	} else {
		for _, counts := range list {
			shallowest = min(shallowest, slices.IndexFunc(counts, func(n int) bool { return n > 0 }))
		}
	}
	t := s.m.network.pools[pool].gpuType
	least, most := int64(-1), int64(0)
	for depth := shallowest; depth <= d.job.Full(); depth++ {
		if d.fits[t][depth] {
			ticks := int64(d.job.Iterations) * int64(d.job.On[t].Time[depth])
			if least < 0 || ticks < least {
				least = ticks
			}
			most = max(most, ticks)
		}
	}
	least, most = least/s.unit, most/s.unit
	if least < 0 || least > room {
		return packed{}, false
	}
	copies := min(d.count(), room/max(1, least))
	return packed{c, int(copies), least, min(most, room)}, true
}

// work is about how many steps pricing all bins once takes.
func (s *packing) work() int64 {
	sum := int64(0)
	for i := range s.bins {
		for _, h := range s.bins[i].holds {
			sum += int64(h.copies) * s.bins[i].room
		}
	}
	return sum
}

// pattern is what a GPU holds: for some classes, units of one worker each.
type pattern struct {
	value int64
	class []int
	units []int64
}

// tags are integer prices of a worker and of a unit of each class.
type tags struct{ worker, unit []int64 }

// fill finds the most valuable pattern of a bin: the knapsack recursion over
// the copies of its classes, f(x) = max(f(x), pi + omega (l + 1) + f(x - l))
// over least <= l <= most, where the best l slides along.
func (b *bin) fill(t tags) pattern {
	room := int(b.room)
	f, g := make([]int64, room+1), make([]int64, room+1)
	var took [][]int32
	var whose []packed
	queue := make([]int32, room+1) // y of falling f(y) - omega y
	for _, h := range b.holds {
		worker, unit := t.worker[h.class], t.unit[h.class]
		if worker == 0 && unit == 0 {
			continue
		}
		for range h.copies {
			choice := make([]int32, room+1)
			head, tail := 0, 0
			better := false
			for x := range f {
				if y := x - int(h.least); y >= 0 {
					for tail > head && f[queue[tail-1]]-unit*int64(queue[tail-1]) <= f[y]-unit*int64(y) {
						tail--
					}
					queue[tail] = int32(y)
					tail++
				}
				for tail > head && int64(queue[head]) < int64(x)-h.most {
					head++
				}
				g[x], choice[x] = f[x], -1
				if tail > head {
					y := int(queue[head])
					if v := f[y] + worker + unit*int64(x-y+1); v > f[x] {
						g[x], choice[x] = v, int32(x-y)
						better = true
					}
				}
			}
			if !better {
				break
			}
			f, g = g, f
			took, whose = append(took, choice), append(whose, h)
		}
	}
	p := pattern{value: f[room]}
	for i, x := len(took)-1, room; i >= 0; i-- {
		if l := took[i][x]; l >= 0 {
			p.class, p.units = append(p.class, whose[i].class), append(p.units, int64(l))
			x -= int(l)
		}
	}
	return p
}

// packingScale is what integer prices are per 1 of sigma.
const packingScale = 1 << 40

// tags turns the prices of the engine's rows into integers.
func (s *packing) tags(y []float64) tags {
	t := tags{make([]int64, len(s.items)), make([]int64, len(s.items))}
	for c, item := range s.items {
		t.worker[c] = int64(max(0, y[2*c]) * packingScale / float64(item.workers))
		t.unit[c] = int64(max(0, y[2*c+1]) * packingScale * float64(s.unit) / float64(item.work))
	}
	return t
}

// binPricer is the pricer of a bin.
type binPricer struct {
	s   *packing
	bin int
}

// Multiplicity implements [colgen.Pricer]: each GPU has one pattern.
func (p *binPricer) Multiplicity() (least, most float64) {
	n := float64(p.s.bins[p.bin].gpus)
	return n, n
}

// Price implements [colgen.Pricer].
func (p *binPricer) Price(prices []float64, _ bool) colgen.Priced[pattern] {
	found := p.s.bins[p.bin].fill(p.s.tags(prices))
	bound := -float64(found.value)/packingScale - prices[2*len(p.s.items)+p.bin]
	return colgen.Priced[pattern]{Columns: []colgen.Column[pattern]{p.s.column(p.bin, found)}, Bound: bound}
}

func (s *packing) column(b int, p pattern) colgen.Column[pattern] {
	c := colgen.Column[pattern]{Data: p}
	key := binary.AppendUvarint(nil, uint64(b))
	workers, work := map[int]int64{}, map[int]int64{}
	var classes []int
	for i, class := range p.class {
		if workers[class] == 0 {
			classes = append(classes, class)
		}
		workers[class]++
		work[class] += (p.units[i] + 1) * s.unit
		key = binary.AppendUvarint(key, uint64(class))
		key = binary.AppendUvarint(key, uint64(p.units[i]))
	}
	slices.Sort(classes)
	for _, class := range classes {
		c.Entries = append(c.Entries,
			solver.Entry{Row: solver.Row(2 * class), Value: float64(workers[class]) / float64(s.items[class].workers)},
			solver.Entry{Row: solver.Row(2*class + 1), Value: float64(work[class]) / float64(s.items[class].work)})
	}
	c.Entries = append(c.Entries, solver.Entry{Row: solver.Row(2*len(s.items) + b), Value: 1})
	c.Key = string(key)
	return c
}

// problem returns rows (1) to (3), the first two divided by their right sides.
func (s *packing) problem() *solver.Problem {
	q := &solver.Problem{Name: "packing"}
	var sigma []solver.Entry
	for range 2 * len(s.items) {
		sigma = append(sigma, solver.Entry{Row: q.AddRow("", 1, math.Inf(1)), Value: 1})
	}
	for i := range s.bins {
		q.AddRow("", float64(s.bins[i].gpus), float64(s.bins[i].gpus))
	}
	q.AddCol("sigma", 1, 0, 1, sigma...)
	return q
}

// PackingLimits of a packing bound. The zero value is useful but for Known.
type PackingLimits struct {
	// Known is a bound already proven, from which to go on, and Until a value
	// that some schedule has, past which there is nothing to prove.
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
	if in.Objective != instance.Makespan || limits.Known == nil || limits.Until == nil {
		return best, nil
	}
	m := newModel(in)
	for i := range m.demands {
		if d := &m.demands[i]; d.short || d.unplaced {
			return best, nil
		}
	}
	if limits.Work == 0 {
		limits.Work = defaultWork
	}
	left := limits.Work
	refuted := func(due int64) (bool, error) {
		s := newPacking(m, due)
		if limits.Work > 0 {
			if left < s.work() {
				return false, nil
			}
		}
		prices, rounds, err := s.solve(ctx, engine, limits.Solver)
		left -= int64(rounds) * s.work()
		if prices == nil {
			return false, err
		}
		b := Bound{Kind: PackingBound, Certificate: s.certificate(*prices), LP: LP{Rows: 2*len(s.items) + len(s.bins), Iterations: rounds, Status: solver.Optimal}}
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

// solve returns prices that make sigma positive, nil if there are none.
func (s *packing) solve(ctx context.Context, engine solver.Solver, limits solver.Limits) (*tags, int, error) {
	live, err := colgen.NewMaster[pattern](engine, s.problem())
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = live.Close() }()
	var pricers []colgen.Pricer[pattern]
	var empty []colgen.Column[pattern]
	for b := range s.bins {
		pricers = append(pricers, &binPricer{s, b})
		empty = append(empty, s.column(b, pattern{}))
	}
	if _, err := live.Add(empty...); err != nil {
		return nil, 0, err
	}
	some, none := 1e-6, 1e-9
	r, err := live.Run(ctx, pricers, colgen.Options{Smoothing: smoothing, Cutoff: &some, Enough: &none, Solver: limits})
	if r.Prices == nil || r.Bound < some {
		return nil, r.Rounds, err
	}
	t := s.tags(r.Prices)
	return &t, r.Rounds, err
}

func (s *packing) certificate(t tags) *Certificate {
	c := &Certificate{Kind: PackingBound, Denominator: big.NewInt(packingScale), Prices: []*big.Int{}, Plans: &PlanTerms{Due: s.due, Horizon: s.due, Points: 1, Buckets: 1}}
	for i := range t.worker {
		c.Prices = append(c.Prices, big.NewInt(t.worker[i]), big.NewInt(t.unit[i]))
	}
	return c
}

// provePacking checks that no patterns of all GPUs are worth, at the prices,
// what the jobs ask for: the knapsacks anew, by range minima.
func (m *model) provePacking(b *Bound, c *Certificate) error {
	switch {
	case m.in.Objective != instance.Makespan:
		return fmt.Errorf("formulation: a packing certificate is about makespan")
	case c.Plans == nil || c.Plans.Due < 1 || c.Plans.Due > maxHorizon || c.Plans.Horizon != c.Plans.Due || c.Plans.Points != 1 || c.Plans.Buckets != 1:
		return fmt.Errorf("formulation: the due of a packing certificate is missing or out of range")
	case len(c.Prices) != 2*len(m.demands) || c.Denominator == nil || c.Denominator.Sign() <= 0:
		return errPrices
	}
	s := newPacking(m, c.Plans.Due)
	t := tags{}
	sum, v := new(big.Int), new(big.Int)
	for i, price := range c.Prices {
		if price == nil || price.Sign() < 0 || price.BitLen() > 48 {
			return errPrices
		}
		if i%2 == 0 {
			t.worker = append(t.worker, price.Int64())
			sum.Add(sum, v.Mul(price, big.NewInt(s.items[i/2].workers)))
		} else {
			// Of each worker's units one is a gift.
			t.unit = append(t.unit, price.Int64())
			sum.Add(sum, v.Div(v.Mul(price, big.NewInt(s.items[i/2].work)), big.NewInt(s.unit)))
		}
	}
	for i := range s.bins {
		value, ok := s.bins[i].worth(t)
		if !ok {
			return errPrices
		}
		sum.Sub(sum, v.Mul(big.NewInt(s.bins[i].gpus), big.NewInt(value)))
	}
	if sum.Sign() <= 0 {
		return errPrices
	}
	b.Certified, b.exact, b.Value = true, new(big.Rat).SetFrac(sum, c.Denominator), new(big.Rat).SetInt64(s.due+1)
	return nil
}

// worth returns the value of the best pattern of a bin; ok is false where the
// numbers are too large.
func (b *bin) worth(t tags) (value int64, ok bool) {
	f := make([]int64, b.room+1)
	for _, h := range b.holds {
		worker, unit := t.worker[h.class], t.unit[h.class]
		// Prices are below 2^48 and units at most mostRoom + 1.
		for range h.copies {
			negated := make([]int64, len(f)) // -(f(y) - omega y), to be least
			for y := range f {
				negated[y] = unit*int64(y) - f[y]
			}
			minima := newRangeMinima(negated)
			next := slices.Clone(f)
			for x := h.least; x <= b.room; x++ {
				next[x] = max(next[x], worker+unit*(x+1)-minima.least(int(max(0, x-h.most)), int(x-h.least)))
			}
			if slices.Equal(f, next) {
				break
			}
			if f = next; f[b.room] > noPrice {
				return 0, false
			}
		}
	}
	return f[b.room], true
}
