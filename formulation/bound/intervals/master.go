package intervals

import (
	"context"
	"encoding/binary"
	"math"
	"math/big"
	"sync"
	"time"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/intervals"
	"jigsaw/solver"
	"jigsaw/solver/colgen"
)

// master is the linear program that column generation solves, with rows scaled by their capacities and costs in units of
// the value when jobs never wait.
type master struct {
	*intervals.Program
	first []int // row of each group
	rows  int
	scale int64 // integer prices are in units of 1/scale of the objective's unit
	unit  float64
}

func newMaster(s *intervals.Program) *master {
	q := &master{Program: s, first: make([]int, len(s.Groups)), scale: 1}
	for g := range s.Groups {
		if q.first[g] = q.rows; s.Groups[g].Capacity > 0 {
			q.rows += len(s.Ends)
		}
	}
	horizon, heaviest := float64(s.Ends[len(s.Ends)-1]), 1.0
	for c := range s.Classes {
		class := &s.Classes[c]
		shortest := math.Inf(1)
		for w := range class.Modes {
			ticks := float64(class.Modes[w].Ticks)
			shortest = min(shortest, ticks)
			heaviest = max(heaviest, float64(class.Weight)*(max(horizon, float64(class.Release))+ticks))
		}
		q.unit += float64(class.Count) * float64(class.Weight) * (float64(class.Release) + shortest)
	}
	q.unit = max(1, q.unit)
	for q.scale < 1<<30 && heaviest*float64(q.scale) < 1<<50 {
		q.scale *= 2
	}
	return q
}

// width is the length of an interval.
func (q *master) width(t int) float64 { return float64(q.To(t) - q.From(t)) }

// capacity is that of a row, in unit ticks.
func (q *master) capacity(group, t int) float64 {
	return float64(q.Groups[group].Capacity) * q.width(t)
}

// convexity is the row that counts the plans of a class.
func (q *master) convexity(class int) int { return q.rows + class }

// problem returns the rows.
func (q *master) problem() *solver.Problem {
	p := &solver.Problem{Name: "intervals"}
	for range q.rows {
		p.AddRow("", math.Inf(-1), 1)
	}
	for c := range q.Classes {
		n := float64(q.Classes[c].Count)
		p.AddRow("", n, n)
	}
	return p
}

// prices turns prices of the engine's rows into integers, by group and interval. Any that are not negative prove a bound.
func (q *master) prices(y []float64) [][]int64 {
	list := make([][]int64, len(q.Groups))
	for g := range list {
		if q.Groups[g].Capacity == 0 {
			continue
		}
		list[g] = make([]int64, len(q.Ends))
		for t := range list[g] {
			v := math.Round(-y[q.first[g]+t] * q.unit * float64(q.scale) / q.capacity(g, t))
			list[g][t] = int64(max(0, min(v, 1<<60)))
		}
	}
	return list
}

// resample returns prices for the engine's rows of a master with other intervals.
func (q *master) resample(o *master, prices [][]int64) []float64 {
	y := make([]float64, o.rows+len(o.Classes))
	for g, list := range prices {
		if list == nil {
			continue
		}
		at := 0
		for t := range o.Ends {
			for at < len(q.Ends)-1 && q.To(at) <= o.From(t) {
				at++
			}
			y[o.first[g]+t] = -float64(list[at]) * o.capacity(g, t) / o.unit / float64(q.scale)
		}
	}
	return y
}

// column turns a plan of a class into a column, with what its iterations take at the prices for which it was made.
func (q *master) column(class int, p *intervals.Plan, at *intervals.Payer) colgen.Column[*ending] {
	c := &q.Classes[class]
	mode := &c.Modes[p.Mode]
	load := map[int]float64{q.convexity(class): 1}
	key := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(class)), uint64(p.Mode))
	key = binary.AppendUvarint(key, uint64(p.Completion))
	for t, work := range p.Work {
		if key = binary.AppendUvarint(key, uint64(work)); work == 0 || t == len(q.Ends) {
			continue
		}
		for _, a := range at.Taken(mode, t) {
			key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(a.Group)), uint64(a.Ticks))
			load[q.first[a.Group]+t] += float64(work) / float64(mode.Iteration) * float64(a.Ticks) / q.capacity(a.Group, t)
		}
	}
	return colgen.Column[*ending]{
		Cost: float64(c.Weight) * float64(p.Completion) / q.unit, Entries: bound.Entries(load), Key: string(key), Data: &ending{max(0, len(p.Work)-1), float64(c.Weight)},
	}
}

// pricer finds plans of a class.
type pricer struct {
	*master
	class  int
	shared *shared
}

// shared are the integer prices of the latest prices, and payers at these.
type shared struct {
	guard  sync.Mutex
	given  []float64
	payers *sync.Pool
}

// at returns the payers at these prices.
func (d *shared) at(q *master, y []float64) *sync.Pool {
	d.guard.Lock()
	defer d.guard.Unlock()
	if d.payers == nil || &d.given[0] != &y[0] {
		prices := q.prices(y)
		d.given, d.payers = y, &sync.Pool{New: func() any {
			payer := q.NewPayer(prices)
			payer.Uncorrected = true
			return payer
		}}
	}
	return d.payers
}

// Multiplicity implements [colgen.Pricer]: a class has as many plans as jobs.
func (p *pricer) Multiplicity() (least, most float64) {
	n := float64(p.Classes[p.class].Count)
	return n, n
}

// Price implements [colgen.Pricer].
func (p *pricer) Price(y []float64, _ bool) colgen.Priced[*ending] {
	pool := p.shared.at(p.master, y)
	payer := pool.Get().(*intervals.Payer)
	defer pool.Put(payer)
	best, err := payer.Least(&p.Classes[p.class], p.scale)
	if err != nil {
		return colgen.Priced[*ending]{Bound: math.Inf(-1)}
	}
	bound := float64(best.Price)/float64(p.scale)/p.unit - y[p.convexity(p.class)]
	return colgen.Priced[*ending]{Columns: []colgen.Column[*ending]{p.column(p.class, &best, payer)}, Bound: bound}
}

// ending is where a column ends: its last interval, and the weight of the job there.
type ending struct {
	interval int
	weight   float64
}

// solution is what column generation ends with.
type solution struct {
	prices  [][]int64 // integer prices; nil if there are none
	columns int       // number of columns
	loss    []float64 // by interval; see refined
}

// solve generates columns.
func (q *master) solve(ctx context.Context, engine solver.Solver, opt colgen.Options) (found solution, err error) {
	live, err := colgen.NewMaster[*ending](engine, q.problem())
	if err != nil {
		return found, err
	}
	defer func() { _ = live.Close() }()
	shared := &shared{}
	free := q.NewPayer(q.prices(make([]float64, q.rows)))
	pricers := make([]colgen.Pricer[*ending], len(q.Classes))
	for c := range q.Classes {
		class := &q.Classes[c]
		plan, err := free.Least(class, q.scale)
		if err != nil {
			return found, nil // numbers are too large, or a deadline cannot be met, which others report
		}
		// With a plan after the horizon for each class there is a solution, whether or not it meets deadlines.
		mode := &class.Modes[plan.Mode]
		late := intervals.Plan{Mode: plan.Mode, Completion: max(q.From(len(q.Ends)), class.Release) + mode.Ticks}
		if _, err := live.Add(q.column(c, &plan, free), q.column(c, &late, free)); err != nil {
			return found, err
		}
		pricers[c] = &pricer{q, c, shared}
	}
	result, err := live.Run(ctx, pricers, opt)
	columns := live.Columns()
	found.columns = len(columns)
	if result.Prices != nil {
		found.prices = q.prices(result.Prices)
	}
	found.loss = make([]float64, len(q.Ends)+1)
	for j, weight := range result.Weights {
		at := columns[j].Data
		found.loss[at.interval] += weight * at.weight
	}
	for t := range q.Ends {
		found.loss[t] *= q.width(t)
	}
	return found, err
}

// proven is what prices prove, without a value if nothing.
func (q *master) proven(ctx context.Context, m *relax.Model, found solution) bound.Bound {
	var flat []int64
	for _, list := range found.prices {
		flat = append(flat, list...)
	}
	b := bound.Bound{Proven: relax.Proven{Kind: relax.IntervalsBound}, LP: bound.LP{Cols: found.columns, Status: solver.Optimal}}
	b.Certificate = &relax.Certificate{Kind: b.Kind, Denominator: big.NewInt(q.scale), Prices: bound.Integers(flat), Ends: q.Ends}
	proof := *m
	proof.Context = ctx
	begun := time.Now()
	if intervals.Prove(&proof, &b.Proven, b.Certificate) == nil {
		b.Binding = q.bindings(m.Instance, found.prices, b.Value)
	}
	b.Proving = time.Since(begun)
	return b
}

// bindings says which resources limit the plan: growing one by a factor 1 + e reduces the bound by e times the cost of all of it.
func (q *master) bindings(in *instance.Instance, prices [][]int64, value *big.Rat) []bound.Binding {
	total, _ := value.Float64()
	var found []bound.Binding
	for g, list := range prices {
		cost := 0.0
		for t, price := range list {
			cost += float64(price) * q.capacity(g, t) / float64(q.scale)
		}
		if cost > 0 {
			at := &q.Groups[g]
			found = append(found, bound.Binding{Resource: at.Resource, Subject: at.Subject, Row: at.Name, Effect: -cost / total})
		}
	}
	return bound.Bindings(in.Objective, found)
}
