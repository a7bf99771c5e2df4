package packing

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/packing"
	"jigsaw/solver"
	"jigsaw/solver/colgen"
)

// Limits of a packing bound. The zero value is useful, except for Known.
type Limits struct {
	// Known is a bound already proven, from which to continue, and Until the value
	// of some schedule, beyond which there is nothing to prove; nil if none is
	// known.
	Known, Until *big.Rat
	// Work limits the pricing, as in columns.Limits.
	Work int64
	// Improved, if not nil, is called with every better bound on the way.
	Improved func(bound.Bound)
}

// Bound returns the bound on the makespan of whole workers living on whole
// GPUs; its value is nil if it proves nothing new. Errors are those of
// columns.Bound.
func Bound(ctx context.Context, in *instance.Instance, engine solver.Solver, limits Limits) (bound.Bound, error) {
	best := bound.Bound{Proven: relax.Proven{Kind: relax.PackingBound}}
	m := relax.New(in)
	if limits.Known == nil || !packing.Packable(m) {
		return best, nil
	}
	if limits.Until == nil {
		limits.Until = new(big.Rat).Mul(limits.Known, big.NewRat(2, 1)) // far enough to search
	}
	if limits.Work == 0 {
		limits.Work = bound.DefaultWork
	}
	left := limits.Work
	var known Result
	refuted := func(due int64) (bool, error) {
		s := NewSearch(m, due, nil)
		work := s.work()
		if limits.Work > 0 && left < work {
			return false, nil
		}
		var r Result
		var err error
		if work > mostPackWork {
			r, err = s.solveAggregated(ctx, engine)
		} else {
			r, err = s.Solve(ctx, engine, known)
			known = r
		}
		left -= r.work
		if r.Prices == nil {
			return false, err
		}
		b := bound.Bound{Proven: relax.Proven{Kind: relax.PackingBound, Certificate: s.certificate(r.Prices)}, LP: bound.LP{Status: solver.Optimal}}
		begun := time.Now()
		proof := *m
		proof.Context = ctx
		if packing.Prove(&proof, &b.Proven, b.Certificate) != nil {
			return false, err
		}
		b.Proving = time.Since(begun)
		b.Binding = s.bindings(r.Prices)
		best = b
		if limits.Improved != nil {
			limits.Improved(b)
		}
		return true, err
	}
	low, high := exact.Ceil(limits.Known), exact.Ceil(limits.Until)
	if !low.IsInt64() || !high.IsInt64() || high.Int64() > relax.MaxHorizon {
		return best, nil
	}
	if err := bound.Climb(low.Int64(), high.Int64(), refuted); err != nil {
		return best, fmt.Errorf("formulation: packing: %w", err)
	}
	return best, nil
}

// search looks for prices of a packing program.
type search struct {
	*packing.Program
	// ticks are those of a task of a class on its fastest GPUs, by depth known to the rule.
	ticks [][]float64
}

// NewSearch states the program of a due; see [packing.New].
func NewSearch(m *relax.Model, due int64, homes [][]instance.GPUID) search {
	s := search{packing.New(m, due, homes), make([][]float64, len(m.Classes))}
	for c := range m.Classes {
		for _, depth := range s.Classes[c].Depths {
			s.ticks[c] = append(s.ticks[c], float64(max(0, m.Classes[c].Shortest[depth])))
		}
	}
	return s
}

// work is about how many steps pricing once takes.
func (s search) work() (sum int64) {
	for p := range s.Pools {
		sum += packWork(&s.Pools[p])
	}
	return sum
}

// packWork is about how many steps pricing the pool takes.
func packWork(p *packing.Pool) (sum int64) {
	for i := range p.Slots {
		sum += int64(len(p.Slots[i].Ticks)) * p.Room
	}
	return sum
}

// bindings says which GPUs limit the plan: growing them by a fraction reduces the makespan by
// that fraction of their share of the cost of all GPUs.
func (s search) bindings(prices []int64) []bound.Binding {
	total := 0.0
	for p := range s.Pools {
		total += float64(s.Pools[p].GPUs) * float64(prices[s.Prices+p])
	}
	var found []bound.Binding
	for p := range s.Pools {
		at := &s.Model.Network.Pools[p]
		cost := float64(s.Pools[p].GPUs) * float64(prices[s.Prices+p])
		found = append(found, bound.Binding{Resource: "gpu", Subject: at.GPUName(), Row: at.ID + ".gpu", Effect: -cost / total})
	}
	return bound.Bindings(s.Model.Instance.Objective, found)
}

// mostPackWork bounds the steps of pricing a program once; a larger one is aggregated.
const mostPackWork = 2_000_000

// Result is the outcome of the program of a due.
type Result struct {
	Prices   []int64           // that refute the due; nil if none do
	contents [][]configuration // of the solution, by pool
	unit     int64             // of contents
	work     int64             // steps that pricing took
}

// Solve looks for prices that prove that sigma is positive, starting from contents of similar
// programs. The check rounds the mixes of depths that it examines. If it finds contents valued
// above their true value, prices with a larger sigma leave a margin for a higher price of GPUs.
func (s search) Solve(ctx context.Context, engine solver.Solver, known Result) (Result, error) {
	program, model := *s.Program, *s.Model
	model.Context, program.Model = ctx, &model // a proof may take long, too
	s.Program = &program
	work := int64(0)
	for _, margin := range []float64{0, 1e-3} {
		r, err := s.solve(ctx, engine, known, margin)
		r.work += work
		if err != nil || r.Prices == nil {
			return r, err
		}
		if _, ok := s.Prove(r.Prices); ok {
			return r, nil
		}
		known, work = r, r.work
	}
	known.Prices = nil
	return known, nil
}

// solve looks for prices for which sigma is larger than the margin.
func (s search) solve(ctx context.Context, engine solver.Solver, known Result, margin float64) (Result, error) {
	q := s.problem()
	r := Result{unit: s.Unit, contents: make([][]configuration, len(s.Pools))}
	live, err := colgen.NewMaster[*configuration](engine, q)
	if err != nil {
		return r, err
	}
	defer func() { _ = live.Close() }()
	var pricers []colgen.Pricer[*configuration]
	for p := range s.Pools {
		pricers = append(pricers, &pricer{search: s, pool: p})
		var first []colgen.Column[*configuration]
		if len(s.Pools[p].Fixed) == 0 {
			first = append(first, s.column(p, nil))
		}
		if known.unit == s.Unit {
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
	some, none := max(1e-6, margin), max(1e-9, margin)
	found, err := live.Run(ctx, pricers, colgen.Options{Smoothing: bound.Smoothing, Prices: s.begin(q.Rows()), Cutoff: &some, Enough: &none})
	for _, p := range pricers {
		r.work += p.(*pricer).work
	}
	if found.Solution != nil {
		for j, weight := range found.Weights {
			if content := *live.Columns()[j].Data; weight > 1e-9 && len(content) > 0 {
				p := slices.IndexFunc(live.Columns()[j].Entries, func(e solver.Entry) bool { return int(e.Row) >= s.Prices })
				pool := int(live.Columns()[j].Entries[p].Row) - s.Prices
				r.contents[pool] = append(r.contents[pool], content)
			}
		}
	}
	if found.Prices != nil && found.Bound >= some {
		prices, cost := s.integers(s.moderate(found.Prices))
		r.Prices = append(prices, s.gpuPrices(prices, cost, margin)...)
	}
	return r, err
}

// gpuPrices returns prices of a GPU of each pool, near the given ones, that no content exceeds in
// value, plus a margin.
func (s search) gpuPrices(prices, about []int64, margin float64) (list []int64) {
	for p := range s.Pools {
		f := s.fill(p, prices)
		worth := f.worth()
		if worth > about[p] {
			_, worth = f.best(about[p])
		}
		// If decided jobs cannot share their GPUs there is no content, and any price will do.
		list = append(list, max(-exact.MostWorth, worth+max(packSlack*s.Due, int64(float64(worth)*margin/4))))
	}
	return list
}

// begin returns initial prices: a tick has the same price everywhere, as in the area bound.
func (s search) begin(rows int) []float64 {
	y := make([]float64, rows)
	sum := 0.0
	for i := range s.Classes {
		c := &s.Classes[i]
		ticks := s.ticks[i]
		workers := float64(c.Jobs * c.Workers * c.Iterations)
		if !c.Decided {
			y[c.At] = workers * ticks[0]
		}
		for n := range c.Depths[1:] {
			y[c.At+1+n] = workers * max(0, ticks[n+1]-ticks[n])
		}
		mix := math.Inf(1)
		for _, deeper := range c.Deeper {
			pays := 0.0
			for n, count := range deeper {
				pays += y[c.At+1+n] * float64(count) / float64(c.Workers)
			}
			mix = min(mix, pays)
		}
		y[s.Prices+len(s.Pools)+i] = mix
		sum += y[c.At] + mix
	}
	for p := range s.Pools {
		y[s.Prices+p] = -float64(s.Pools[p].Room * s.Unit)
	}
	for i := range y {
		y[i] /= sum
	}
	return y
}

// problem returns the rows, (1) and (2) divided by their right-hand sides or the number of
// tasks, and the columns of mixes and sigma.
func (s search) problem() *solver.Problem {
	q := &solver.Problem{Name: "packing"}
	var sigma []solver.Entry
	for i := range s.Classes {
		if s.Classes[i].Decided {
			q.AddRow("", math.Inf(-1), math.Inf(1))
		} else {
			sigma = append(sigma, solver.Entry{Row: q.AddRow("", 1, 1), Value: 1})
		}
		for range s.Classes[i].Depths[1:] {
			q.AddRow("", 0, math.Inf(1))
		}
	}
	for p := range s.Pools {
		gpus := float64(s.Pools[p].GPUs)
		if row := q.AddRow("", gpus, gpus); len(s.Pools[p].Fixed) > 0 {
			sigma = append(sigma, solver.Entry{Row: row, Value: gpus}) // there may be no content
		}
	}
	for i := range s.Classes {
		c := &s.Classes[i]
		all := q.AddRow("", 1, 1)
		sigma = append(sigma, solver.Entry{Row: all, Value: 1})
		for _, deeper := range c.Deeper {
			mix := []solver.Entry{{Row: all, Value: 1}}
			for d, n := range deeper {
				if n > 0 {
					mix = append(mix, solver.Entry{Row: solver.Row(c.At + 1 + d), Value: -float64(n) / float64(c.Workers)})
				}
			}
			q.AddCol("mix", 0, 0, 1, mix...)
		}
	}
	q.AddCol("sigma", 1, 0, 1, sigma...)
	return q
}

// column returns the column of a content of a pool.
func (s search) column(pool int, content configuration) colgen.Column[*configuration] {
	values := map[int]float64{s.Prices + pool: 1}
	key := binary.AppendUvarint(nil, uint64(pool))
	for _, w := range content {
		c := &s.Classes[w.class]
		key = binary.AppendUvarint(key, uint64(w.class))
		key = binary.AppendUvarint(key, uint64(w.units))
		key = append(key, byte(w.shallow), byte(w.deep))
		if !c.Decided {
			values[c.At] += 1 / float64(c.Jobs*c.Workers)
		}
		for d, tasks := range s.deeper(pool, w) {
			values[c.At+1+d] += tasks / float64(c.Jobs*c.Workers*c.Iterations)
		}
	}
	return colgen.Column[*configuration]{Key: string(key), Data: &content, Entries: bound.Entries(values)}
}

// deeper returns, for each depth from the second on, how many tasks of a worker are at that
// depth or deeper.
func (s search) deeper(pool int, w packedWorker) []float64 {
	c := &s.Classes[w.class]
	tasks := make([]float64, len(c.Depths)-1)
	for d := range tasks {
		switch {
		case d < w.shallow:
			tasks[d] = float64(c.Iterations)
		case d < w.deep:
			ticks := ticksOf(&s.Pools[pool], w.class)
			from, to := ticks[w.shallow], ticks[w.deep]
			tasks[d] = float64(c.Iterations*(s.Unit*(w.units+1)-1-from)) / float64(to-from)
		}
	}
	return tasks
}

// ticksOf are the ticks of a worker of the class.
func ticksOf(p *packing.Pool, class int) []int64 {
	return p.Slots[slices.IndexFunc(p.Slots, func(slot packing.Slot) bool { return slot.Class == class })].Ticks
}

// holds reports whether a content of a pool fits by this due.
func (s search) holds(pool int, content configuration) bool {
	p := &s.Pools[pool]
	var slots []int
	left := int64(0)
	for _, w := range content {
		slot := slices.IndexFunc(p.Slots, func(o packing.Slot) bool { return o.Class == w.class })
		for slices.Contains(slots, slot) && slot < len(p.Slots) {
			slot++ // its identical slot
		}
		if slot < 0 || slot == len(p.Slots) || p.Slots[slot].Class != w.class {
			return false
		}
		slots, left = append(slots, slot), left-w.units
	}
	return left+s.Limit(p, slots) >= 0
}

// PackScale is the integer price of 1 of sigma.
const PackScale = 1 << 50

// integers turns the prices of the engine's rows into those of the program, and returns the
// price of a GPU of each pool.
func (s search) integers(y []float64) (prices, cost []int64) {
	prices = make([]int64, s.Prices)
	for i := range s.Classes {
		c := &s.Classes[i]
		workers := float64(c.Jobs * c.Workers)
		prices[c.At] = int64(y[c.At] * PackScale / workers)
		for d := range c.Depths[1:] {
			prices[c.At+1+d] = int64(max(0, y[c.At+1+d]) * PackScale / (workers * float64(c.Iterations)))
		}
	}
	for p := range s.Pools {
		cost = append(cost, int64(-y[s.Prices+p]*PackScale))
	}
	return prices, cost
}

// moderate scales prices down to a size that the check accepts: if decided homes leave little
// choice, some are too large.
func (s search) moderate(y []float64) []float64 {
	most := 0.0
	for i := range s.Classes {
		c := &s.Classes[i]
		worth := 0.0
		for _, price := range y[c.At : c.At+len(c.Depths)] {
			worth += math.Abs(price) / float64(c.Jobs*c.Workers)
		}
		most = max(most, worth)
	}
	for p := range s.Pools {
		most = max(most, math.Abs(y[s.Prices+p]))
	}
	y = slices.Clone(y)
	for i := range y {
		y[i] *= min(1, exact.MostWorth/2/PackScale/most)
	}
	return y
}

// packSlack is by how much, per tick of the due, the check may overestimate a content, since it
// rounds the value of a tick up for more mixes of depths.
const packSlack = 2

// pricer prices the contents of the GPUs of a pool.
type pricer struct {
	search
	pool int
	work int64 // steps so far
}

// Multiplicity implements [colgen.Pricer]: each GPU has one content.
func (p *pricer) Multiplicity() (least, most float64) {
	n := float64(p.Pools[p.pool].GPUs)
	return n, n
}

// Price implements [colgen.Pricer]. Sets of workers come from the knapsack; their other
// conditions are checked if the sets themselves gain next to nothing of what the knapsack
// promises. It cannot wait until none of them gains: prices of an engine are inexact, so a
// content that already is a column may still gain a little, and then only the knapsack's bound
// would be proven.
func (p *pricer) Price(y []float64, _ bool) colgen.Priced[*configuration] {
	prices, cost := p.integers(y)
	f := p.fill(p.pool, prices)
	p.work += packWork(&p.Pools[p.pool])
	hope := f.worth() - cost[p.pool]
	priced := colgen.Priced[*configuration]{Bound: float64(-hope) / PackScale}
	for _, set := range f.sets(cost[p.pool]) {
		if content, worth := f.fit(set); worth > cost[p.pool]+max(hope/packHope, packSlack*p.Due) {
			priced.Columns = append(priced.Columns, p.column(p.pool, content))
		}
	}
	if len(priced.Columns) == 0 && hope > 0 {
		contents, worth := f.best(cost[p.pool])
		p.work += f.looked * packWork(&p.Pools[p.pool]) / int64(max(1, len(f.pool.Slots))) // each set adds a worker
		priced.Bound = float64(cost[p.pool]-worth) / PackScale
		for _, content := range contents[max(0, len(contents)-mostOffered):] {
			priced.Columns = append(priced.Columns, p.column(p.pool, content))
		}
	}
	return priced
}

// mostOffered is the number of contents found one by one that a pricer offers, the best ones.
const mostOffered = 64

// packHope is the divisor of the knapsack's promise: a content should gain at least that part
// of it.
const packHope = 16

func (s search) certificate(prices []int64) *relax.Certificate {
	terms := &relax.PlanTerms{Due: s.Due, Horizon: s.Due, Points: 1, Buckets: 1}
	return &relax.Certificate{Kind: relax.PackingBound, Denominator: big.NewInt(PackScale), Prices: bound.Integers(prices), Plans: terms}
}
