package formulation

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/solver"
)

// Limits of a fluid bound. The zero value sets no limit on the engine and the
// default size of the program.
type Limits struct {
	Solver solver.Limits
	// Columns is about how many columns the interval-indexed program of the
	// weighted completion may have; 0 means 40,000. The bound is coarser below.
	Columns int
}

const defaultColumns = 40_000

// Fluid returns the bound of the fluid program of the package comment, solved
// by the given engine and proven in exact arithmetic. A limit of the engine is
// no error: Bound.LP.Status tells, and Value is nil unless the duals at hand
// prove something. Errors are a cancelled context, an engine that fails, and
// numbers beyond what a linear program can hold.
func Fluid(ctx context.Context, in *instance.Instance, engine solver.Solver, limits Limits) (Bound, error) {
	if limits.Columns <= 0 {
		limits.Columns = defaultColumns
	}
	f := newModel(in).fluid(limits.Columns)
	b := Bound{Kind: FluidBound, LP: LP{
		Rows: len(f.p.rows), Cols: len(f.p.cols), Entries: f.p.entries(), Note: f.note,
	}}
	if len(f.p.cols) == 0 { // nothing can run, and nothing has to
		b.Value, b.Certified, b.LP.Status = new(big.Rat), true, solver.Optimal
		return b, nil
	}
	problem, err := f.p.problem()
	if err != nil {
		return b, err
	}
	live, err := engine.Load(problem)
	if err != nil {
		return b, fmt.Errorf("formulation: fluid program: %w", err)
	}
	defer live.Close()
	solution, err := live.Solve(ctx, limits.Solver)
	if err != nil {
		return b, fmt.Errorf("formulation: fluid program: %w", err)
	}
	b.LP.Status, b.LP.Iterations = solution.Status, solution.Iterations

	duals := solution.RowDual
	refuted := solution.Status == solver.Infeasible
	if refuted {
		duals = solution.Ray
	} else if solution.Primal != nil {
		b.LP.Objective, _ = f.value(toRat(solution.Objective)).Float64()
	}
	if duals == nil {
		return b, nil
	}
	prices, denominator, err := f.p.price(duals, !refuted)
	if err != nil {
		return b, nil
	}
	if err := f.prove(&b, prices, denominator, refuted); err != nil {
		return b, nil // the numbers of the engine prove nothing; its status stands
	}
	b.Certificate = &Certificate{
		Columns: limits.Columns, Denominator: denominator, Prices: prices, Infeasible: refuted, Bound: b.Value,
	}
	if solution.Status == solver.Optimal {
		var ranging *solver.Ranging
		if ranger, ok := live.(solver.Ranger); ok {
			// Ranges are an extra: without them the sentences are shorter.
			if ranging, err = ranger.Range(ctx); err != nil {
				ranging = nil
			}
		}
		b.Binding = f.bindings(solution, ranging)
	}
	return b, nil
}

// FluidProgram returns the fluid program as plain data, to be printed or
// written to a file. Its objective is minimised and scaled to integers.
func FluidProgram(in *instance.Instance, limits Limits) (*solver.Problem, error) {
	if limits.Columns <= 0 {
		limits.Columns = defaultColumns
	}
	return newModel(in).fluid(limits.Columns).p.problem()
}

func toRat(v float64) *big.Rat {
	if r := new(big.Rat).SetFloat64(v); r != nil {
		return r
	}
	return new(big.Rat)
}

// prove evaluates prices and enters what they prove into the bound.
func (f *fluid) prove(b *Bound, prices []*big.Int, denominator *big.Int, refuted bool) error {
	sum, err := f.p.evaluate(prices, denominator, !refuted)
	if err != nil {
		return err
	}
	b.Certified = true
	if refuted {
		if sum.Sign() <= 0 {
			b.Certified = false
			return errPrices
		}
		b.Infeasible = f.reasons(prices)
		return nil
	}
	b.Value = integral(f.m.in, f.value(new(big.Rat).SetFrac(sum, denominator)))
	return nil
}

// value turns an objective of the program into one of the instance.
func (f *fluid) value(objective *big.Rat) *big.Rat {
	v := new(big.Rat).Quo(objective, new(big.Rat).SetInt(f.scale))
	if f.m.in.Objective.Periodic() {
		v.Neg(v)
	}
	return v
}

// fluid builds the program. One block of columns stands for each class of
// identical jobs.
type fluid struct {
	m *model
	p program
	// scale divides the objective: rates are counted per period ticks, weighted
	// completion in halves.
	scale  *big.Int
	period int64
	note   string

	time   int     // column of the makespan; -1 for other objectives
	blocks []block // by class
}

// block holds the columns of one class. Slices by mode are nil or -1 where a
// class has no such column.
type block struct {
	live []int   // by mode: jobs that live so
	does []int   // by mode: iterations per period, or the same as live
	home [][]int // by mode of several pools, by its pools: resident workers
	busy [][]int // likewise: workers at work, or the same as home
	node [][]int // likewise: nodes that take part in the synchronisations
	rack [][]int // by mode of several rack classes, by rackList: racks that take part
	// tasks[pool][depth] per iteration, of the workers in modes of several pools.
	tasks map[int][]int
}

func (m *model) fluid(columns int) *fluid {
	f := &fluid{m: m, scale: big.NewInt(1), time: -1, p: program{name: "fluid"}}
	switch {
	case m.in.Objective.Periodic():
		f.buildRates()
	case m.in.Objective == instance.WeightedCompletion:
		f.buildCompletion(columns)
	default:
		f.buildMakespan()
	}
	return f
}

// runs reports whether jobs of the class can run at all.
func (d *demand) runs() bool { return !d.short && !d.unplaced }

// rackList returns the rack classes of the pools of a mode, ascending.
func (f *fluid) rackList(o *mode) []int {
	var racks []int
	for _, p := range o.pools {
		if r := f.m.network.pools[p].rack; !slices.Contains(racks, r) {
			racks = append(racks, r)
		}
	}
	slices.Sort(racks)
	return racks
}

// modeID names a mode in row and column names.
func (o *mode) id() string {
	switch o.kind {
	case lone, inNode:
		return fmt.Sprintf("node.p%d", o.pools[0])
	case inRack:
		return fmt.Sprintf("rack.k%d", o.rack)
	}
	return "spread"
}

// residency adds the columns of where the jobs of each class live, and rows
//
//	(1) every job lives somewhere (or, with optional set, somewhere or nowhere),
//	(2) in modes of several pools, all workers are placed.
func (f *fluid) residency(optional bool) {
	f.blocks = make([]block, len(f.m.demands))
	for c := range f.m.demands {
		d, b := &f.m.demands[c], &f.blocks[c]
		if !d.runs() && optional {
			continue
		}
		n, k := d.count(), int64(d.job.Workers)
		s := equal
		if optional {
			s = atMost
		}
		one := f.p.row(fmt.Sprintf("c%d.lives", c), s, n, about{})
		for i := range d.modes {
			o := &d.modes[i]
			y := f.p.col(fmt.Sprintf("c%d.live.%s", c, o.id()), 0, n)
			f.p.term(one, y, 1)
			b.live = append(b.live, y)
			var home []int
			if len(o.pools) > 1 {
				all := f.p.row(fmt.Sprintf("c%d.workers.%s", c, o.id()), equal, 0, about{})
				f.p.term(all, y, -k)
				for _, p := range o.pools {
					at := &f.m.network.pools[p]
					u := f.p.col(fmt.Sprintf("c%d.home.%s.%s", c, o.id(), at.id), 0, n*min(k, at.size()))
					f.p.term(all, u, 1)
					home = append(home, u)
				}
			}
			b.home = append(b.home, home)
		}
	}
	f.memory()
}

// memory adds rows (3): the parameters of the resident workers of a pool fit in
// the memory that the smallest task there leaves free. Rows that cannot bind
// are left out.
func (f *fluid) memory() {
	for p := range f.m.network.pools {
		at := &f.m.network.pools[p]
		t := at.gpuType
		smallest := instance.Bytes(-1)
		most := new(big.Int)
		for c := range f.m.demands {
			d := &f.m.demands[c]
			if f.blocks[c].live == nil || !d.usable(t) {
				continue
			}
			for depth, ok := range d.fits[t] {
				if d.job.Rule.Fixed != nil && d.job.Rule.Fixed[depth] == 0 {
					ok = false
				}
				if e := d.job.On[t].Ephemeral[depth]; ok && (smallest < 0 || e < smallest) {
					smallest = e
				}
			}
			most.Add(most, new(big.Int).Mul(mul(int64(d.job.On[t].Persistent), d.count()), big.NewInt(int64(d.job.Workers))))
		}
		if smallest < 0 || most.Cmp(mul(max(0, int64(at.memory-smallest)), at.size())) <= 0 {
			continue
		}
		free := max(0, int64(at.memory-smallest))
		unit := int64(1) // of bytes, so that a GPU holds about a million
		for free/unit > 1<<20 {
			unit *= 2
		}
		row := f.p.row(at.id+".memory", atMost, (free+unit-1)/unit*at.size(),
			about{"memory", "the memory of " + at.gpuName(), -1})
		for c := range f.m.demands {
			d, b := &f.m.demands[c], &f.blocks[c]
			if b.live == nil || d.job.On[t] == nil {
				continue
			}
			each := int64(d.job.On[t].Persistent) / unit
			for i := range d.modes {
				switch at := slices.Index(d.modes[i].pools, p); {
				case at < 0:
				case b.home[i] == nil:
					f.p.term(row, b.live[i], each*int64(d.job.Workers))
				default:
					f.p.term(row, b.home[i][at], each)
				}
			}
		}
	}
}

// activity adds the columns of what an iteration of each class does and where,
// and rows
//
//	(4) every worker has one task in an iteration,
//	(5) the depths meet the SPB rule,
//	(6) the nodes, and racks, that take part hold the workers, and are no fewer
//	    than any residency has.
//
// They are in jobs for the makespan, where does and busy are live and home, and
// in iterations per period for rates, with most of them per class as a limit.
func (f *fluid) activity(most func(*demand) int64) {
	n := f.m.network
	for c := range f.m.demands {
		d, b := &f.m.demands[c], &f.blocks[c]
		if b.live == nil {
			continue
		}
		k, limit := int64(d.job.Workers), most(d)
		b.node, b.rack = make([][]int, len(d.modes)), make([][]int, len(d.modes))
		b.tasks = map[int][]int{}
		var several []int // modes of several pools
		var pools []int
		for i := range d.modes {
			if o := &d.modes[i]; len(o.pools) > 1 {
				several = append(several, i)
				for _, p := range o.pools {
					if !slices.Contains(pools, p) {
						pools = append(pools, p)
					}
				}
				f.parties(c, i, limit)
			}
		}
		if several == nil {
			continue
		}
		slices.Sort(pools)
		// (4)
		for _, p := range pools {
			row := f.p.row(fmt.Sprintf("c%d.tasks.%s", c, n.pools[p].id), equal, 0, about{})
			for _, i := range several {
				if at := slices.Index(d.modes[i].pools, p); at >= 0 {
					f.p.term(row, b.busy[i][at], -1)
				}
			}
			b.tasks[p] = make([]int, len(d.job.Depths))
			for depth, ok := range d.fits[n.pools[p].gpuType] {
				b.tasks[p][depth] = -1
				if d.job.Rule.Fixed != nil && d.job.Rule.Fixed[depth] == 0 {
					ok = false
				}
				if ok {
					z := f.p.col(fmt.Sprintf("c%d.task.%s.d%d", c, n.pools[p].id, depth), 0, limit*k)
					f.p.term(row, z, 1)
					b.tasks[p][depth] = z
				}
			}
		}
		// (5)
		rule := func(name string, s sense, perJob int64, weight func(depth int) int64) {
			row := f.p.row(fmt.Sprintf("c%d.%s", c, name), s, 0, about{})
			for _, i := range several {
				f.p.term(row, b.does[i], -perJob)
			}
			for _, p := range pools {
				for depth, z := range b.tasks[p] {
					if z >= 0 {
						f.p.term(row, z, weight(depth))
					}
				}
			}
		}
		if fixed := d.job.Rule.Fixed; fixed != nil {
			for depth, count := range fixed {
				if count > 0 && int64(count) < k {
					rule(fmt.Sprintf("depth.d%d", depth), equal, int64(count), func(o int) int64 {
						if o == depth {
							return 1
						}
						return 0
					})
				}
			}
			continue
		}
		rule("full", atLeast, int64(d.job.Rule.MinFull), func(o int) int64 {
			if o == d.job.Full() {
				return 1
			}
			return 0
		})
		rule("share", atLeast, d.job.Rule.MinShare, func(o int) int64 { return int64(d.job.Depths[o].Share) })
	}
}

// parties adds columns and rows (6) for one mode of several pools.
func (f *fluid) parties(c, i int, limit int64) {
	d, b, n := &f.m.demands[c], &f.blocks[c], f.m.network
	o, k := &d.modes[i], int64(d.job.Workers)
	count := f.p.row(fmt.Sprintf("c%d.nodes.%s", c, o.id()), atLeast, 0, about{})
	f.p.term(count, b.does[i], -int64(o.nodes))
	for at, p := range o.pools {
		v := f.p.col(fmt.Sprintf("c%d.nodes.%s.%s", c, o.id(), n.pools[p].id), 0, limit*k)
		f.p.term(count, v, 1)
		hold := f.p.row(fmt.Sprintf("c%d.nodes.%s.%s", c, o.id(), n.pools[p].id), atLeast, 0, about{})
		f.p.term(hold, v, int64(n.pools[p].gpus))
		f.p.term(hold, b.busy[i][at], -1)
		b.node[i] = append(b.node[i], v)
	}
	racks := f.rackList(o)
	if o.kind != spread || len(racks) < 2 {
		return
	}
	count = f.p.row(fmt.Sprintf("c%d.racks.%s", c, o.id()), atLeast, 0, about{})
	f.p.term(count, b.does[i], -int64(o.racks))
	for _, r := range racks {
		h := f.p.col(fmt.Sprintf("c%d.racks.k%d", c, r), 0, limit*k)
		f.p.term(count, h, 1)
		hold := f.p.row(fmt.Sprintf("c%d.racks.k%d", c, r), atLeast, 0, about{})
		gpus := int64(0)
		for at, p := range o.pools {
			if n.pools[p].rack == r {
				gpus += int64(n.pools[p].gpus) * int64(n.pools[p].perRack)
				f.p.term(hold, b.busy[i][at], -1)
			}
		}
		f.p.term(hold, h, gpus)
		b.rack[i] = append(b.rack[i], h)
	}
}

// pay adds what the class does in a pool per iteration to a row, times factor:
// the tasks of its workers there, at their lengths.
func (f *fluid) pay(row, c, p int, factor int64) {
	d, b := &f.m.demands[c], &f.blocks[c]
	if b.live == nil {
		return
	}
	t := f.m.network.pools[p].gpuType
	for i := range d.modes {
		if o := &d.modes[i]; len(o.pools) == 1 && o.pools[0] == p {
			f.p.term(row, b.does[i], factor*d.workOn(t))
		}
	}
	for depth, z := range b.tasks[p] {
		if z >= 0 {
			f.p.term(row, z, factor*int64(d.job.On[t].Time[depth]))
		}
	}
}

// workOn is the least work of an iteration whose tasks all run on type t.
func (d *demand) workOn(t instance.TypeID) int64 {
	least := make([]instance.Tick, len(d.job.Depths))
	for depth, ok := range d.fits[t] {
		least[depth] = -1
		if ok {
			least[depth] = d.job.On[t].Time[depth]
		}
	}
	work, _ := leastWork(d.job, least)
	return work
}

// linkUnit is how many parts of a tick link times are counted in.
const linkUnit = 1000

// linkTicks is how long volume bytes take a link of that speed, in parts of a
// tick, rounded down.
func (f *fluid) linkTicks(volume instance.Bytes, speed instance.BitRate) int64 {
	num := mul(int64(volume), 8_000_000*linkUnit)
	num.Quo(num, mul(int64(speed), f.m.in.TickUS))
	if !num.IsInt64() {
		return math.MaxInt64
	}
	return min(num.Int64(), int64(maxSync))
}

// fabricTicks is the least time of a node's fabric that a synchronisation of
// that volume takes, in parts of a tick: at rate 1/n it takes that share for as
// long as it lasts.
func (f *fluid) fabricTicks(volume instance.Bytes, speed instance.BitRate) int64 {
	span := instance.Span{Slowest: speed}
	least := int64(-1)
	for _, level := range f.m.in.RateLevels {
		rate := span.Rate(level)
		num := mul(int64(min(maxSync, f.m.in.SyncTicks(volume, rate))), int64(rate))
		num.Mul(num, big.NewInt(linkUnit)).Quo(num, big.NewInt(int64(speed)))
		if v := min(int64(maxSync), num.Int64()); least < 0 || v < least {
			least = v
		}
	}
	return max(0, least)
}

// links adds rows (8) to (10), fabrics, NICs and uplinks: with iterations of
// factor(d) per column of activity, their time must not exceed what open
// returns for a row over the given classes and number of links.
func (f *fluid) links(factor func(*demand) int64, open func(name string, links int64, classes []int, a about) int) {
	n := f.m.network
	type use struct {
		class, col int
		time       int64
	}
	add := func(name string, links int64, uses []use, a about) {
		if len(uses) == 0 {
			return
		}
		var classes []int
		for _, u := range uses {
			if last := len(classes) - 1; last < 0 || classes[last] != u.class {
				classes = append(classes, u.class)
			}
		}
		row := open(name, links, classes, a)
		for _, u := range uses {
			f.p.term(row, u.col, -u.time*factor(&f.m.demands[u.class]))
		}
	}
	for p := range n.pools {
		at := &n.pools[p]
		var fabric, nic []use
		for c := range f.m.demands {
			d, b := &f.m.demands[c], &f.blocks[c]
			if b.live == nil {
				continue
			}
			for i := range d.modes {
				o := &d.modes[i]
				where := slices.Index(o.pools, p)
				if where < 0 || o.kind == lone {
					continue
				}
				if o.kind == inNode {
					if v := f.fabricTicks(o.volume, at.fabric); v > 0 {
						fabric = append(fabric, use{c, b.does[i], v})
					}
					continue
				}
				v := f.linkTicks(o.volume, at.nic)
				switch {
				case v == 0:
				case len(o.pools) == 1:
					nic = append(nic, use{c, b.does[i], v * int64(o.nodes)})
				default:
					nic = append(nic, use{c, b.node[i][where], v})
				}
			}
		}
		add(at.id+".fabric", int64(at.nodes), fabric, about{"fabric", "the fabrics of " + at.nodeName(), f.time})
		add(at.id+".nic", int64(at.nodes), nic, about{"nic", "the NICs of " + at.nodeName(), f.time})
	}
	for r := range n.racks {
		rack := &n.racks[r]
		if rack.uplink == 0 || rack.uplink == unlimited {
			continue
		}
		var uplink []use
		for c := range f.m.demands {
			d, b := &f.m.demands[c], &f.blocks[c]
			if b.live == nil {
				continue
			}
			for i := range d.modes {
				o := &d.modes[i]
				if o.kind != spread {
					continue
				}
				racks := f.rackList(o)
				where := slices.Index(racks, r)
				v := f.linkTicks(o.volume, rack.uplink)
				switch {
				case where < 0 || v == 0:
				case len(racks) == 1:
					uplink = append(uplink, use{c, b.does[i], v * int64(o.racks)})
				default:
					uplink = append(uplink, use{c, b.rack[i][where], v})
				}
			}
		}
		add(fmt.Sprintf("k%d.uplink", r), int64(len(rack.racks)), uplink, about{"uplink", "the uplinks of " + rack.name, f.time})
	}
}

// Limits on the heads, tails and deadlines that get rows of their own.
const (
	maxHeads     = 5
	maxTails     = 3
	maxDeadlines = 4
)

// buildMakespan states the program of the package comment with T minimised.
func (f *fluid) buildMakespan() {
	f.time = f.p.col("T", 1, noUpper)
	f.residency(false)
	for c := range f.blocks {
		f.blocks[c].does, f.blocks[c].busy = f.blocks[c].live, f.blocks[c].home
	}
	f.activity((*demand).count)

	// (7) GPU time of each pool, from some head to some tail.
	var heads, tails []int64
	for c := range f.m.demands {
		d := &f.m.demands[c]
		heads, tails = append(heads, int64(d.job.Release)), append(tails, int64(d.sync))
	}
	heads, tails = candidates(heads, maxHeads), candidates(tails, maxTails)
	for p := range f.m.network.pools {
		at := &f.m.network.pools[p]
		seen := map[string]bool{}
		for _, h := range heads {
			for _, q := range tails {
				var set []int
				head, tail := int64(math.MaxInt64), int64(math.MaxInt64)
				for c := range f.m.demands {
					d := &f.m.demands[c]
					if int64(d.job.Release) >= h && int64(d.sync) >= q && d.usable(at.gpuType) {
						set = append(set, c)
						head, tail = min(head, int64(d.job.Release)), min(tail, int64(d.sync))
					}
				}
				key := fmt.Sprint(set)
				if len(set) == 0 || seen[key] {
					continue
				}
				seen[key] = true
				row := f.p.row(fmt.Sprintf("%s.gpu.r%d.s%d", at.id, head, tail), atLeast, at.size()*(head+tail),
					about{"gpu", at.gpuName(), f.time})
				f.p.term(row, f.time, at.size())
				for _, c := range set {
					f.pay(row, c, p, -int64(f.m.demands[c].job.Iterations))
				}
			}
		}
	}
	f.deadlines()
	f.links(func(d *demand) int64 { return int64(d.job.Iterations) },
		func(name string, links int64, classes []int, a about) int {
			head := int64(math.MaxInt64)
			for _, c := range classes {
				d := &f.m.demands[c]
				head = min(head, int64(d.job.Release)+int64(d.full))
			}
			row := f.p.row(name, atLeast, linkUnit*links*head, a)
			f.p.term(row, f.time, linkUnit*links)
			return row
		})
	f.chains(f.time)
}

// chains adds rows (11): the class's mean completion is no earlier than the
// mean of its jobs' chains. With end the column of the makespan, which is above
// all of them.
func (f *fluid) chains(end int) {
	for c := range f.m.demands {
		d, b := &f.m.demands[c], &f.blocks[c]
		n, r := d.count(), int64(d.job.Iterations)
		full := int64(0) // full-depth workers, where the chain counts them by pool
		if d.job.Rule.Fixed != nil && f.mixed(c) {
			full = int64(d.job.Rule.Fixed[d.job.Full()])
		}
		times := max(1, full)
		row := f.p.row(fmt.Sprintf("c%d.chain", c), atLeast, times*n*int64(d.job.Release),
			about{"job", f.m.className(c), end})
		f.p.term(row, end, times*n)
		for i := range d.modes {
			o := &d.modes[i]
			if full > 0 && len(o.pools) > 1 {
				f.p.term(row, b.does[i], -times*r*int64(o.sync))
			} else {
				f.p.term(row, b.does[i], -times*r*int64(o.iteration()))
			}
		}
		if full == 0 {
			continue
		}
		// The full-depth tasks of an iteration last no longer than it on
		// average, and a fixed rule has as many in every iteration.
		for p := range f.m.network.pools {
			if z := b.tasks[p]; z != nil && z[d.job.Full()] >= 0 {
				t := f.m.network.pools[p].gpuType
				f.p.term(row, z[d.job.Full()], -r*int64(d.job.On[t].Time[d.job.Full()]))
			}
		}
	}
}

// mixed reports whether the class has a mode whose pools differ in GPU type.
func (f *fluid) mixed(c int) bool {
	for _, o := range f.m.demands[c].modes {
		for _, p := range o.pools {
			if f.m.network.pools[p].gpuType != f.m.network.pools[o.pools[0]].gpuType {
				return true
			}
		}
	}
	return false
}

// deadlines adds rows (12): what has to be done before a deadline fits between
// the earliest release and it.
func (f *fluid) deadlines() {
	var dates []int64
	for c := range f.m.demands {
		if d := &f.m.demands[c]; d.job.Deadline > 0 {
			dates = append(dates, int64(d.job.Deadline)-int64(d.sync))
		}
	}
	if dates == nil {
		return
	}
	for _, date := range candidates(dates, maxDeadlines) {
		for p := range f.m.network.pools {
			at := &f.m.network.pools[p]
			var set []int
			head := int64(math.MaxInt64)
			for c := range f.m.demands {
				d := &f.m.demands[c]
				if d.job.Deadline > 0 && int64(d.job.Deadline)-int64(d.sync) <= date && d.usable(at.gpuType) {
					set = append(set, c)
					head = min(head, int64(d.job.Release))
				}
			}
			if len(set) == 0 {
				continue
			}
			row := f.p.row(fmt.Sprintf("%s.before.%d", at.id, date), atMost, max(0, date-head)*at.size(),
				about{"gpu", fmt.Sprintf("%s before tick %d", at.gpuName(), date), -1})
			for _, c := range set {
				f.pay(row, c, p, int64(f.m.demands[c].job.Iterations))
			}
		}
	}
}
