package formulation

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/solver"
	"jigsaw/solver/colgen"
)

// master is the Dantzig-Wolfe reformulation over pools: one column is a whole
// plan of one job, one row is what a group of identical GPUs or links can do in
// a bucket of time, and one convexity row per class says how many plans it has.
//
//	makespan D?           min theta  sum_plans use <= theta capacity, plans end by D
//	weighted completion   min sum w C  sum_plans use <= capacity
//
// The first proves that no schedule ends by D when its optimum is above 1.
// Weighted completion has no rows past the horizon: what a plan does there is free.
type master struct {
	m        *model
	calendar calendar
	groups   []supply
	rows     int // of all groups
	classes  []planClass
	horizon  int64 // as asked for; the calendar's is rounded up
	grain    planGrain
	due      int64 // D; -1 where plans may end at any time
	theta    bool  // minimise theta, not weighted completion
	// Of a node of branch-and-price: the group of the first GPU, and that all
	// links that could be overloaded get rows.
	firstGPU  int
	like      []instance.GPUID // by GPU: the first of those that share its rows
	noPlan    float64          // cost of doing without a plan
	everyLink bool
	// pooled tells of each link the group of its pool.
	pooled map[instance.LinkID]supplyLink
	scale  int64 // integer prices are per 1/scale of a unit of the objective
	unit   float64
}

// supply is a group of identical GPUs or links with one row per bucket.
type supply struct {
	name     string
	capacity int64 // units; a GPU is one, a link linkUnit; 0: no rows
	first    int   // its first row
}

// planClass is a class of identical jobs in a master.
type planClass struct {
	d      *demand
	ways   []way
	pricer planPricer
	home   *homePricer // in place of the pricer, where the home is decided
}

// solve returns the cheapest plan of the class.
func (c *planClass) solve(t *tariff, k *kitchen) (plan, bool) {
	if c.home != nil {
		return c.home.solve(t)
	}
	return c.pricer.solve(t, k, noPrice)
}

// planGrain is how fine a master is. As long as the horizon has no more ticks
// than points and buckets, nothing is rounded.
type planGrain struct {
	points, buckets int64
}

// newMaster builds the rows and pricers for plans up to the horizon. due is the
// latest end of all plans, or -1.
func newMaster(m *model, horizon, due int64, grain planGrain) *master {
	s := &master{
		m: m, due: due, horizon: horizon, grain: grain, calendar: newCalendar(horizon, grain.buckets),
		classes: make([]planClass, len(m.demands)), theta: due >= 0,
	}
	for c := range m.demands {
		d := &m.demands[c]
		s.classes[c] = planClass{d: d, ways: m.ways(d)}
	}
	s.supplies()
	s.number()
	for c := range s.classes {
		s.classes[c].pricer = s.newPricer(&s.classes[c])
	}
	s.measure()
	return s
}

// number gives every group its rows.
func (s *master) number() {
	s.rows = 0
	for g := range s.groups {
		s.groups[g].first = s.rows
		if s.groups[g].capacity > 0 {
			s.rows += s.calendar.buckets()
		}
	}
}

// measure chooses the units of prices: the engine counts weighted completion in
// that of jobs that never wait, and integer prices are as fine as 64 bits permit.
func (s *master) measure() {
	heaviest := 1.0
	s.unit = 0
	for c := range s.classes {
		d, p := s.classes[c].d, &s.classes[c].pricer
		chain := float64(d.job.Iterations) * float64(p.iteration)
		if !s.theta {
			heaviest = max(heaviest, (float64(max(s.calendar.horizon, p.grid.release))+chain)*float64(d.job.Weight))
			s.unit += float64(d.count()) * float64(d.job.Weight) * (float64(p.grid.release) + chain)
		}
	}
	s.scale = 1
	for s.scale < 1<<40 && heaviest*float64(s.scale) < 1<<40 {
		s.scale *= 2
	}
	s.unit = max(1, s.unit)
	if !s.theta {
		for c := range s.classes {
			class := &s.classes[c]
			class.pricer.weight = class.d.job.Weight * s.scale
		}
	}
}

// fits reports whether the numbers of the program are small enough for exact
// prices, and its time axes for the memory at hand.
func (s *master) fits() bool {
	if s.calendar.buckets() > maxPoints {
		return false
	}
	for c := range s.classes {
		p := &s.classes[c].pricer
		if p.iteration > maxHorizon || p.grid.points > 2*maxPoints {
			return false
		}
		end := new(big.Int).Mul(big.NewInt(int64(s.classes[c].d.job.Iterations)), big.NewInt(p.iteration))
		end.Add(end, big.NewInt(max(s.calendar.horizon, p.grid.release)))
		if end.Mul(end, big.NewInt(max(1, p.weight))).BitLen() > 57 {
			return false
		}
	}
	return true
}

// supplies lists the groups of rows: the GPUs of every pool, and those links
// that all jobs together could overload.
func (s *master) supplies() {
	for p := range s.m.network.pools {
		at := &s.m.network.pools[p]
		s.groups = append(s.groups, supply{name: at.id + ".gpu", capacity: at.size()})
	}
	add := func(name string, links int64, speed instance.BitRate, uses func(o *mode) bool) {
		capacity, peak, work := links*linkUnit, 0.0, 0.0
		for c := range s.classes {
			class := &s.classes[c]
			most, each := 0.0, 0.0
			for w := range class.ways {
				o := class.ways[w].mode
				if !uses(o) {
					continue
				}
				for r := range class.ways[w].recipes {
					for _, p := range s.paces(o, &class.ways[w].recipes[r]) {
						amount := float64(share(p.rate, speed))
						most, each = max(most, amount), max(each, amount*float64(p.length))
					}
				}
			}
			peak += float64(class.d.count()) * most
			work += float64(class.d.count()) * float64(class.d.job.Iterations) * each
		}
		if peak <= float64(capacity) || !s.everyLink && work < float64(capacity)*float64(s.calendar.horizon)*leastLinkLoad {
			capacity = 0
		}
		s.groups = append(s.groups, supply{name: name, capacity: capacity})
	}
	for p := range s.m.network.pools {
		at := &s.m.network.pools[p]
		add(at.id+".fabric", int64(at.nodes), at.fabric, func(o *mode) bool { return o.kind == inNode && o.pools[0] == p })
	}
	for p := range s.m.network.pools {
		at := &s.m.network.pools[p]
		add(at.id+".nic", int64(at.nodes), at.nic, func(o *mode) bool {
			return (o.kind == inRack || o.kind == spread) && slices.Contains(o.pools, p)
		})
	}
	for r := range s.m.network.racks {
		rack := &s.m.network.racks[r]
		if rack.uplink == 0 || rack.uplink == unlimited {
			s.groups = append(s.groups, supply{name: fmt.Sprintf("k%d.uplink", r)})
			continue
		}
		add(fmt.Sprintf("k%d.uplink", r), int64(len(rack.racks)), rack.uplink, func(o *mode) bool {
			return o.kind == spread && slices.ContainsFunc(o.pools, func(p int) bool { return s.m.network.pools[p].rack == r })
		})
	}
}

// leastLinkLoad is the part of what links could carry below which they get no
// rows.
const leastLinkLoad = 0.05

// Groups of rows, in order: GPUs, fabrics, NICs by pool, uplinks by rack class.
func (s *master) fabric(pool int) int { return len(s.m.network.pools) + pool }
func (s *master) nic(pool int) int    { return 2*len(s.m.network.pools) + pool }
func (s *master) uplink(rack int) int { return 3*len(s.m.network.pools) + rack }

// newPricer makes the pricer of a class.
func (s *master) newPricer(class *planClass) planPricer {
	d := class.d
	p := planPricer{due: s.due}
	if s.due >= 0 && d.job.Deadline > 0 {
		p.due = min(s.due, int64(d.job.Deadline))
	}
	iteration := int64(math.MaxInt64)
	for w := range class.ways {
		way := &class.ways[w]
		if s.beaten(class.ways, w) {
			continue
		}
		for r := range way.recipes {
			iteration = min(iteration, int64(way.mode.full)+way.recipes[r].sync)
			p.menus = append(p.menus, s.newMenu(d, way, w, &way.recipes[r]))
		}
	}
	for i := range p.menus {
		p.ways = max(p.ways, p.menus[i].way+1)
		for n := range p.menus[i].items {
			p.menus[i].items[n].stock = p.stocks
			p.stocks += len(p.menus[i].items[n].alts)
		}
	}
	p.iteration = max(1, iteration)
	if p.iteration > maxHorizon {
		return p // see fits; time axes would overflow
	}
	p.grid = newGrid(int64(d.job.Release), p.iteration, d.job.Iterations, s.calendar.horizon, s.grain.points)
	if p.due >= 0 {
		p.grid.points = max(0, p.grid.at(max(p.due, p.grid.release)))
	} else {
		p.grid.points = p.grid.at(max(s.calendar.horizon, p.grid.release)+p.grid.chain) + 1
	}
	return p
}

// beaten reports whether another way is as good as this one in every respect:
// it reaches at least the same pools, loads no link that has rows, and never
// synchronises longer.
func (s *master) beaten(ways []way, w int) bool {
	last := func(v *way) int64 { return v.recipes[len(v.recipes)-1].sync }
	for o := range ways {
		a, b := &ways[o], &ways[w]
		if o == w || last(a) > b.recipes[0].sync || s.loads(a.mode) || last(a) == b.recipes[0].sync && len(a.mode.pools) == len(b.mode.pools) && o > w && !s.loads(b.mode) {
			continue
		}
		covers := true
		for _, p := range b.mode.pools {
			covers = covers && slices.Contains(a.mode.pools, p)
		}
		if covers {
			return true
		}
	}
	return false
}

// loads reports whether a mode uses links that have rows.
func (s *master) loads(o *mode) bool {
	for _, p := range o.pools {
		switch {
		case o.kind == inNode && s.groups[s.fabric(p)].capacity > 0,
			(o.kind == inRack || o.kind == spread) && s.groups[s.nic(p)].capacity > 0,
			o.kind == spread && s.groups[s.uplink(s.m.network.pools[p].rack)].capacity > 0:
			return true
		}
	}
	return false
}

// newMenu writes a recipe in a way down as items: the depths, and the
// synchronisation where its links have rows.
func (s *master) newMenu(d *demand, w *way, index int, r *recipe) menu {
	menu := menu{way: index, sync: r.sync}
	task := func(pool, depth int) (int64, bool) {
		t := s.m.network.pools[pool].gpuType
		if !d.fits[t][depth] {
			return 0, false
		}
		return int64(d.job.On[t].Time[depth]), true
	}
	if d.job.Gang && len(w.mode.pools) == 1 {
		// All start together, so that a multiset is one item.
		pool := w.mode.pools[0]
		for _, counts := range r.counts {
			var alt alternative
			for depth, n := range counts {
				if n > 0 {
					length, _ := task(pool, depth)
					alt.length = max(alt.length, length)
					alt.charges = append(alt.charges, charge{pool, int64(n), length})
				}
			}
			menu.dishes = append(menu.dishes, dish{[]int{len(menu.items)}, []int64{1}})
			menu.items = append(menu.items, item{tail: r.sync, alts: []alternative{alt}})
		}
	} else {
		at := make([]int, len(d.job.Depths))
		for depth := range at {
			at[depth] = -1
		}
		for _, counts := range r.counts {
			var o dish
			for depth, n := range counts {
				if n == 0 {
					continue
				}
				if at[depth] < 0 {
					at[depth] = len(menu.items)
					it := item{tail: r.sync}
					for _, pool := range w.mode.pools {
						if length, ok := task(pool, depth); ok {
							it.alts = append(it.alts, alternative{length, []charge{{pool, 1, length}}})
						}
					}
					menu.items = append(menu.items, it)
				}
				o.items, o.counts = append(o.items, at[depth]), append(o.counts, int64(n))
			}
			menu.dishes = append(menu.dishes, o)
		}
	}
	if alts := s.syncs(w.mode, r); len(alts) > 0 {
		for i := range menu.dishes {
			o := &menu.dishes[i]
			o.items, o.counts = append(o.items, len(menu.items)), append(o.counts, 1)
		}
		menu.items = append(menu.items, item{head: int64(w.mode.full), alts: alts})
	}
	return menu
}

// rackClasses lists the classes of racks that a mode's pools are in.
func (s *master) rackClasses(o *mode) []int {
	var list []int
	for _, p := range o.pools {
		if r := s.m.network.pools[p].rack; !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// row is the row of a group in a bucket.
func (s *master) row(group, bucket int) solver.Row {
	return solver.Row(s.groups[group].first + bucket)
}

// convexity is the row that counts the plans of a class.
func (s *master) convexity(class int) solver.Row {
	return solver.Row(s.rows + class)
}

// mostTheta bounds the column theta, for an exact bound needs one.
const mostTheta = 1 << 20

// problem returns the rows as an engine takes them, scaled by their
// capacities, and the explicit column theta where it is minimised.
func (s *master) problem() *solver.Problem {
	q := &solver.Problem{Name: "master"}
	var theta []solver.Entry
	for row := range s.rows {
		upper := 1.0
		if s.theta {
			upper = 0
			theta = append(theta, solver.Entry{Row: solver.Row(row), Value: -1})
		}
		q.AddRow("", math.Inf(-1), upper)
	}
	for c := range s.classes {
		count := float64(s.classes[c].d.count())
		q.AddRow("", count, count)
	}
	switch {
	case s.theta:
		q.AddCol("theta", 1, 0, mostTheta, theta...)
	case s.due >= 0:
		// Plans that all end by a due may not exist.
		for c := range s.classes {
			q.AddCol("none", s.noPlan, 0, float64(s.classes[c].d.count()), solver.Entry{Row: s.convexity(c), Value: 1})
		}
	}
	return q
}

// column turns a plan of a class into a column.
func (s *master) column(class int, p plan) colgen.Column[plan] {
	c := colgen.Column[plan]{Key: p.key(class), Data: p}
	if !s.theta {
		c.Cost = float64(s.classes[class].d.job.Weight) * float64(p.completion) / s.unit
	}
	load := map[solver.Row]float64{}
	var rows []solver.Row
	for _, v := range p.visits {
		for _, use := range v.charges {
			group := s.group(use.group)
			if s.groups[group].capacity == 0 {
				continue
			}
			each := float64(v.repeat*use.amount) / float64(s.groups[group].capacity*s.calendar.width)
			s.calendar.spread(v.start, v.start+use.length, func(bucket int, ticks int64) {
				row := s.row(group, bucket)
				if _, ok := load[row]; !ok {
					rows = append(rows, row)
				}
				load[row] += each * float64(ticks)
			})
		}
	}
	slices.Sort(rows)
	for _, row := range rows {
		c.Entries = append(c.Entries, solver.Entry{Row: row, Value: load[row]})
	}
	c.Entries = append(c.Entries, solver.Entry{Row: s.convexity(class), Value: 1})
	return c
}

// prices turns the prices of the engine's rows into integer prices of a unit
// of each group in each tick of a bucket. Any non-negative prices prove a bound.
func (s *master) prices(y []float64) [][]int64 {
	heaviest := s.heaviest()
	list := make([][]int64, len(s.groups))
	for g := range s.groups {
		list[g] = make([]int64, s.calendar.buckets())
		if s.groups[g].capacity == 0 {
			continue
		}
		most := math.Exp2(52) / max(1, heaviest[g])
		factor := s.unit * float64(s.scale) / float64(s.groups[g].capacity*s.calendar.width)
		for b := range list[g] {
			v := math.Round(-y[s.row(g, b)] * factor)
			list[g][b] = int64(max(0, min(v, most)))
		}
	}
	return list
}

// heaviest returns an upper limit on the units x ticks that a plan takes of
// each group.
func (s *master) heaviest() []float64 {
	list := make([]float64, len(s.groups))
	add := func(iterations int, charges []charge, count float64) {
		for _, use := range charges {
			list[use.group] = max(list[use.group], float64(iterations)*count*float64(use.amount)*float64(use.length))
		}
	}
	for c := range s.classes {
		class := &s.classes[c]
		job := class.d.job
		if class.home != nil {
			class.home.charges(func(u charge) { add(job.Iterations, []charge{u}, float64(job.Workers)) })
			continue
		}
		for i := range class.pricer.menus {
			menu := &class.pricer.menus[i]
			for at := range menu.items {
				for _, alt := range menu.items[at].alts {
					add(job.Iterations, alt.charges, float64(job.Workers))
				}
			}
		}
	}
	return list
}
