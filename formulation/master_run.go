package formulation

import (
	"context"
	"math"
	"math/big"
	"sync"

	"jigsaw/formulation/instance"
	"jigsaw/solver"
	"jigsaw/solver/colgen"
)

// classPricer is the pricer of a class as column generation calls it.
type classPricer struct {
	s     *master
	class int
	desk  *desk
	found []plan // in the rounds before
}

// desk is what the pricers of a master share: the tariff of the latest prices,
// and scratch memory.
type desk struct {
	mu       sync.Mutex
	prices   []float64
	tariff   *tariff
	kitchens []*kitchen
}

// open returns the tariff of the prices and scratch memory to be handed back.
func (d *desk) open(s *master, prices []float64) (*tariff, *kitchen) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tariff == nil || &d.prices[0] != &prices[0] {
		d.prices, d.tariff = prices, newTariff(s.calendar, s.prices(prices))
	}
	if last := len(d.kitchens) - 1; last >= 0 {
		k := d.kitchens[last]
		d.kitchens = d.kitchens[:last]
		return d.tariff, k
	}
	return d.tariff, &kitchen{}
}

func (d *desk) close(k *kitchen) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kitchens = append(d.kitchens, k)
}

// Multiplicity implements [colgen.Pricer]: a class has as many plans as jobs.
func (p *classPricer) Multiplicity() (least, most float64) {
	n := float64(p.s.classes[p.class].d.count())
	return n, n
}

// Price implements [colgen.Pricer].
func (p *classPricer) Price(prices []float64, _ bool) colgen.Priced[plan] {
	t, k := p.desk.open(p.s, prices)
	defer p.desk.close(k)
	best, ok := p.cheapest(t, k)
	if !ok {
		return colgen.Priced[plan]{Bound: math.Inf(1)}
	}
	reduced := float64(best.price)/float64(p.s.scale)/p.s.unit - prices[p.s.convexity(p.class)]
	return colgen.Priced[plan]{Columns: []colgen.Column[plan]{p.s.column(p.class, best)}, Bound: reduced}
}

// cheapest returns the cheapest plan, and false where there is none. The plans of
// the rounds before are the heuristic stage: what the cheapest of them costs now
// tells the exact one how far to look.
func (p *classPricer) cheapest(t *tariff, k *kitchen) (plan, bool) {
	class := &p.s.classes[p.class]
	if class.home != nil {
		return class.home.solve(t)
	}
	best := plan{price: noPrice}
	for _, o := range p.found {
		if o.price = class.pricer.priceOf(t, &o); o.price < best.price {
			best = o
		}
	}
	if o, ok := class.pricer.solve(t, k, best.price); ok {
		p.found = append(p.found, o)
		return o, true
	}
	return best, best.price < noPrice
}

// postponed is the plan of a job that waits for the horizon and then meets
// nobody: with it the program has a solution from the start.
func (s *master) postponed(class int) plan {
	p := &s.classes[class].pricer
	start := max(s.calendar.horizon, p.grid.release)
	return plan{completion: start + int64(s.classes[class].d.job.Iterations)*p.iteration}
}

// free is the tariff at which nothing has a price.
func (s *master) free() *tariff {
	t := &tariff{calendar: s.calendar, sum: make([][]int64, len(s.groups))}
	for g := range t.sum {
		t.sum[g] = make([]int64, s.calendar.horizon+1)
	}
	return t
}

// planned reports whether every class has a plan.
func (s *master) planned() bool {
	free, k := s.free(), &kitchen{}
	for c := range s.classes {
		if _, ok := s.classes[c].solve(free, k); !ok {
			return false
		}
	}
	return true
}

// start adds the columns that the program begins with.
func (s *master) start(ctx context.Context, live *colgen.Master[plan], known [][]plan) error {
	var columns []colgen.Column[plan]
	free, k := s.free(), &kitchen{}
	for c := range s.classes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.due < 0 {
			columns = append(columns, s.column(c, s.postponed(c)))
		} else if p, ok := s.classes[c].solve(free, k); ok {
			columns = append(columns, s.column(c, p))
		}
		if known == nil {
			continue
		}
		for _, p := range known[c] {
			if s.due < 0 || p.completion <= s.due {
				columns = append(columns, s.column(c, p))
			}
		}
	}
	_, err := live.Add(columns...)
	return err
}

// run generates columns for the master.
func (s *master) run(ctx context.Context, engine solver.Solver, known [][]plan, opt colgen.Options) (*colgen.Master[plan], colgen.Result[plan], error) {
	live, err := colgen.NewMaster[plan](engine, s.problem())
	if err != nil {
		return nil, colgen.Result[plan]{}, err
	}
	if err := s.start(ctx, live, known); err != nil {
		_ = live.Close()
		return nil, colgen.Result[plan]{}, err
	}
	shared := &desk{}
	pricers := make([]colgen.Pricer[plan], len(s.classes))
	for c := range pricers {
		pricers[c] = &classPricer{s: s, class: c, desk: shared}
	}
	result, err := live.Run(ctx, pricers, opt)
	return live, result, err
}

// classOf returns the class that a column belongs to: its last entry is that of
// the convexity row.
func (s *master) classOf(c *colgen.Column[plan]) int {
	return int(c.Entries[len(c.Entries)-1].Row) - s.rows
}

// known writes the jobs of a schedule, if there is one, down as plans by class:
// columns to start from.
func (s *master) known(schedule *instance.Schedule) [][]plan {
	if schedule == nil {
		return nil
	}
	list := make([][]plan, len(s.classes))
	in := s.m.in
	class := make([]int, len(in.Jobs))
	for c, jobs := range in.Classes() {
		for _, j := range jobs {
			class[j] = c
		}
	}
	plans := make([]plan, len(in.Jobs))
	for j, end := range schedule.Completion(in) {
		plans[j].completion = int64(end)
	}
	for _, t := range schedule.Tasks {
		p := &plans[t.Job]
		p.visits = append(p.visits, visit{[]charge{{s.m.network.of[in.GPUs[t.GPU].Node], 1, int64(t.End - t.Start)}}, int64(t.Start), 1})
	}
	spans := make([]instance.Span, len(in.Jobs))
	for j, gpus := range schedule.Residency {
		spans[j], _ = in.Span(gpus)
	}
	links := s.linkGroups()
	for _, y := range schedule.Syncs {
		rate := spans[y.Job].Rate(y.Rate)
		var charges []charge
		for _, use := range spans[y.Job].Uses {
			if at, ok := links[use.Link]; ok {
				charges = append(charges, charge{at.group, int64(use.Times) * share(rate, at.speed), int64(y.End - y.Start)})
			}
		}
		if len(charges) > 0 {
			p := &plans[y.Job]
			p.visits = append(p.visits, visit{charges, int64(y.Start), 1})
		}
	}
	for j := range plans {
		list[class[j]] = append(list[class[j]], plans[j])
	}
	return list
}

// linkGroups returns the group of rows that each link counts in, and the speed
// that capacities there are about. Of the two directions of a NIC and of a
// trunk, one stands for both.
func (s *master) linkGroups() map[instance.LinkID]supplyLink {
	in, n := s.m.in, s.m.network
	groups := map[instance.LinkID]supplyLink{}
	for i := range in.Nodes {
		p := n.of[i]
		groups[in.Nodes[i].Fabric] = supplyLink{s.fabric(p), n.pools[p].fabric}
		groups[in.Nodes[i].Up] = supplyLink{s.nic(p), n.pools[p].nic}
	}
	class := map[string]int{}
	for k := range n.racks {
		for _, r := range n.racks[k].racks {
			class[in.Racks[r].Name+".up"] = k
		}
	}
	for l := range in.Links {
		if k, ok := class[in.Links[l].Name]; ok && in.Links[l].Kind == instance.RackUp {
			groups[instance.LinkID(l)] = supplyLink{s.uplink(k), n.racks[k].uplink}
		}
	}
	return groups
}

// supplyLink is a link as a part of a group of rows.
type supplyLink struct {
	group int
	speed instance.BitRate
}

// certificate writes prices down.
func (s *master) certificate(prices [][]int64) *Certificate {
	c := &Certificate{Kind: ColumnsBound, Denominator: big.NewInt(s.scale), Prices: []*big.Int{}, Plans: &PlanTerms{
		Due: max(0, s.due), Horizon: s.horizon, Points: s.grain.points, Buckets: s.grain.buckets,
	}}
	for g := range prices {
		if s.groups[g].capacity > 0 {
			for _, price := range prices[g] {
				c.Prices = append(c.Prices, big.NewInt(price))
			}
		}
	}
	return c
}

// resample returns prices for the engine's rows from those of a master with
// other buckets.
func (s *master) resample(o *master, prices [][]int64) []float64 {
	y := make([]float64, s.rows+len(s.classes))
	for g := range s.groups {
		if s.groups[g].capacity == 0 || o.groups[g].capacity == 0 {
			continue
		}
		factor := float64(s.groups[g].capacity*s.calendar.width) / s.unit / float64(o.scale)
		for b := range s.calendar.buckets() {
			at := min(int64(o.calendar.buckets())-1, (int64(b)*s.calendar.width+s.calendar.width/2)/o.calendar.width)
			y[s.row(g, b)] = -float64(prices[g][at]) * factor
		}
	}
	return y
}
