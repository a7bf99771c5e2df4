package columns

import (
	"context"
	"math"
	"math/big"
	"sync"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/columns"
	"jigsaw/formulation/relax/exact"
	"jigsaw/solver"
	"jigsaw/solver/colgen"
)

// classPricer is the pricer of a class as column generation calls it.
type classPricer struct {
	s       *Master
	class   int
	pricing *pricing
	found   []Plan // in previous rounds
}

// pricing is what the pricers of a master share: the tariff of the latest prices,
// and scratch memory.
type pricing struct {
	mu        sync.Mutex
	prices    []float64
	tariff    *Tariff
	scratches sync.Pool
}

// at returns the tariff of the prices.
func (d *pricing) at(s *Master, prices []float64) *Tariff {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tariff == nil || &d.prices[0] != &prices[0] {
		d.prices, d.tariff = prices, newTariff(s.Calendar, s.Prices(prices))
	}
	return d.tariff
}

// Multiplicity implements [colgen.Pricer]: a class has as many plans as jobs.
func (p *classPricer) Multiplicity() (least, most float64) {
	n := float64(p.s.Classes[p.class].Class.Count())
	return n, n
}

// Price implements [colgen.Pricer].
func (p *classPricer) Price(prices []float64, _ bool) colgen.Priced[Plan] {
	k := p.pricing.scratches.Get().(*Scratch)
	defer p.pricing.scratches.Put(k)
	best, ok := p.cheapest(p.pricing.at(p.s, prices), k)
	if !ok {
		return colgen.Priced[Plan]{Bound: math.Inf(1)}
	}
	reduced := float64(best.Price)/float64(p.s.Scale)/p.s.Unit - prices[p.s.convexity(p.class)]
	return colgen.Priced[Plan]{Columns: []colgen.Column[Plan]{p.s.column(p.class, best)}, Bound: reduced}
}

// cheapest returns the cheapest plan, and false if there is none. The plans of
// previous rounds are the heuristic stage: the current price of the cheapest of
// them limits how far the exact stage has to search.
func (p *classPricer) cheapest(t *Tariff, k *Scratch) (Plan, bool) {
	pricer, usual := p.s.Pricers[p.class].(*planPricer)
	if !usual {
		return p.s.Pricers[p.class].Solve(t, k, exact.NoPrice)
	}
	best := Plan{Price: exact.NoPrice}
	for _, o := range p.found {
		if o.Price = pricer.priceOf(t, &o); o.Price < best.Price {
			best = o
		}
	}
	if o, ok := pricer.Solve(t, k, best.Price); ok {
		p.found = append(p.found, o)
		return o, true
	}
	return best, best.Price < exact.NoPrice
}

// postponed is the plan of a job that waits for the horizon and then shares
// nothing with others: with it the program has a solution from the start.
func (s *Master) postponed(class int) Plan {
	p := &s.Classes[class].Plans
	start := max(s.Calendar.Horizon, p.Grid.Release)
	return Plan{Completion: start + int64(s.Classes[class].Class.Job.Iterations)*p.Iteration}
}

// Planned reports whether every class has a plan.
func (s *Master) Planned() bool {
	free, k := s.free(), &Scratch{}
	for c := range s.Classes {
		if _, ok := s.Pricers[c].Solve(free, k, exact.NoPrice); !ok {
			return false
		}
	}
	return true
}

// start adds the columns that the program begins with.
func (s *Master) start(ctx context.Context, live *colgen.Master[Plan], known [][]Plan) error {
	var columns []colgen.Column[Plan]
	free, k := s.free(), &Scratch{}
	for c := range s.Classes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.Due < 0 {
			columns = append(columns, s.column(c, s.postponed(c)))
		} else if p, ok := s.Pricers[c].Solve(free, k, exact.NoPrice); ok {
			columns = append(columns, s.column(c, p))
		}
		if known == nil {
			continue
		}
		for _, p := range known[c] {
			if s.Due < 0 || p.Completion <= s.Due {
				columns = append(columns, s.column(c, p))
			}
		}
	}
	_, err := live.Add(columns...)
	return err
}

// Run generates columns for the master.
func (s *Master) Run(ctx context.Context, engine solver.Solver, known [][]Plan, opt colgen.Options) (*colgen.Master[Plan], colgen.Result[Plan], error) {
	live, err := colgen.NewMaster[Plan](engine, s.problem())
	if err != nil {
		return nil, colgen.Result[Plan]{}, err
	}
	if err := s.start(ctx, live, known); err != nil {
		_ = live.Close()
		return nil, colgen.Result[Plan]{}, err
	}
	shared := &pricing{scratches: sync.Pool{New: func() any { return &Scratch{} }}}
	pricers := make([]colgen.Pricer[Plan], len(s.Classes))
	for c := range pricers {
		pricers[c] = &classPricer{s: s, class: c, pricing: shared}
	}
	result, err := live.Run(ctx, pricers, opt)
	return live, result, err
}

// ClassOf returns the class that a column belongs to: its last entry is that of
// the convexity row.
func (s *Master) ClassOf(c *colgen.Column[Plan]) int {
	return int(c.Entries[len(c.Entries)-1].Row) - s.Rows
}

// known writes the jobs of a schedule, if there is one, as plans by class:
// initial columns.
func (s *Master) known(schedule *instance.Schedule) [][]Plan {
	if schedule == nil {
		return nil
	}
	list := make([][]Plan, len(s.Classes))
	in := s.Model.Instance
	class := in.ClassOf()
	plans := make([]Plan, len(in.Jobs))
	for j, end := range schedule.Completion(in) {
		plans[j].Completion = int64(end)
	}
	for _, t := range schedule.Tasks {
		p := &plans[t.Job]
		p.Visits = append(p.Visits, Visit{[]columns.Use{{Group: s.Model.Network.PoolOf[in.GPUs[t.GPU].Node], Amount: 1, Length: int64(t.End - t.Start)}}, int64(t.Start), 1})
	}
	spans := make([]instance.Span, len(in.Jobs))
	for j, gpus := range schedule.Residency {
		spans[j], _ = in.SpanOf(&in.Jobs[j], gpus)
	}
	links := s.LinkGroups()
	ends := make([][]instance.Tick, len(in.Jobs)) // of the synchronisations, by iteration
	for j := range ends {
		ends[j] = make([]instance.Tick, in.Jobs[j].Iterations+1)
	}
	for _, y := range schedule.Syncs {
		ends[y.Job][y.Iteration] = y.End
	}
	for _, y := range schedule.Syncs {
		rate, last := spans[y.Job].Rate(y.Rate), int64(ends[y.Job][y.Iteration-1])
		var charges []columns.Use
		for _, use := range spans[y.Job].Uses {
			for _, at := range links[use.Link] {
				charges = append(charges, columns.Use{Group: at, Amount: int64(use.Times) * columns.Share(rate, s.Groups[at].Speed), Length: int64(y.End - y.Start)})
				if gap := int64(y.Start) - last; last > 0 && gap < s.Groups[at].Alone {
					held := columns.Use{Group: at, Amount: int64(use.Times) * columns.Share(rate, s.Groups[at].Speed), Length: gap}
					plans[y.Job].Visits = append(plans[y.Job].Visits, Visit{[]columns.Use{held}, last, 1})
				}
			}
		}
		if len(charges) > 0 {
			p := &plans[y.Job]
			p.Visits = append(p.Visits, Visit{charges, int64(y.Start), 1})
		}
	}
	for j := range plans {
		list[class[j]] = append(list[class[j]], plans[j])
	}
	return list
}

// certificate returns prices as a certificate.
func (s *Master) certificate(prices [][]int64) *relax.Certificate {
	return &relax.Certificate{Kind: relax.ColumnsBound, Denominator: big.NewInt(s.Scale), Prices: bound.Integers(s.Flat(prices)), Plans: &relax.PlanTerms{
		Due: max(0, s.Due), Horizon: s.Horizon, Points: s.Grain.Points, Buckets: s.Grain.Buckets,
	}}
}

// Flat lists prices by row.
func (s *Master) Flat(prices [][]int64) (list []int64) {
	for g := range prices {
		if s.Groups[g].Capacity > 0 {
			list = append(list, prices[g]...)
		}
	}
	return list
}

// resample returns prices for the engine's rows from those of a master with
// other buckets.
func (s *Master) resample(o *Master, prices [][]int64) []float64 {
	y := make([]float64, s.Rows+len(s.Classes))
	for g := range s.Groups {
		if s.Groups[g].Capacity == 0 || o.Groups[g].Capacity == 0 {
			continue
		}
		factor := float64(s.Groups[g].Capacity*s.Calendar.Width) / s.Unit / float64(o.Scale)
		for b := range s.Calendar.Buckets() {
			at := min(int64(o.Calendar.Buckets())-1, (int64(b)*s.Calendar.Width+s.Calendar.Width/2)/o.Calendar.Width)
			y[s.Row(g, b)] = -float64(prices[g][at]) * factor
		}
	}
	return y
}
