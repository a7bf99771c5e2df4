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
	// weighted completion may have; 0 means 20,000. The bound is coarser below.
	Columns int
}

const defaultColumns = 20_000

// Fluid returns the bound of the fluid program of the package comment, solved
// by the given engine and proven in exact arithmetic. A limit of the engine is
// no error: Bound.LP.Status tells, and Value is nil unless the duals at hand
// prove something. Errors are a cancelled context, an engine that fails, and
// numbers beyond what a linear program can hold.
func Fluid(ctx context.Context, in *instance.Instance, engine solver.Solver, limits Limits) (Bound, error) {
	if limits.Columns <= 0 {
		limits.Columns = defaultColumns
	}
	return newModel(in).fluidBound(ctx, engine, limits)
}

func (m *model) fluidBound(ctx context.Context, engine solver.Solver, limits Limits) (Bound, error) {
	f := m.fluid(limits.Columns)
	b := Bound{Kind: FluidBound, LP: LP{
		Rows: len(f.p.rows), Cols: len(f.p.cols), Entries: f.p.entries(), Note: f.note,
	}}
	if len(f.p.cols) == 0 { // nothing can run, and nothing has to
		b.LP.Status = solver.Optimal
		prices, denominator, err := f.p.price(make([]float64, len(f.p.rows)), true)
		if err == nil {
			err = f.prove(&b, prices, denominator, false)
		}
		b.Certificate = &Certificate{Columns: limits.Columns, Denominator: denominator, Prices: prices, Bound: b.Value}
		return b, err
	}
	problem, err := f.p.problem()
	if err != nil {
		return b, err
	}
	live, err := engine.Load(problem)
	if err != nil {
		return b, fmt.Errorf("formulation: fluid program: %w", err)
	}
	defer func() { _ = live.Close() }()
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

// fluid builds the program. One shape stands for the classes whose jobs differ
// in nothing that the rows see: while there are few classes each is a shape of
// its own, so that nothing is lost.
type fluid struct {
	m *model
	p program
	// scale divides the objective: rates are counted per period ticks.
	scale  *big.Int
	period int64
	note   string

	time   int   // column of the makespan; -1 for other objectives
	tight  []int // pools whose memory rows may bind
	shapes []shape
}

// shape is a set of classes with the same costs, workers, rule and modes, and
// the columns that say how they live and work. Slices by mode.
type shape struct {
	id      string
	classes []int
	d       *demand // of the first class
	// jobs and iterations are the sums over the classes, fewest and most the
	// extremes of R; release is the earliest.
	jobs, iterations, fewest, most int64
	release                        int64

	live []int   // jobs that live in the mode; nil where no memory row needs it
	home [][]int // by pool of the mode if it has several: resident workers; else nil
	// In iterations, of all jobs and all R, or per period for rates:
	does []int   // iterations done in the mode
	busy [][]int // by pool of the mode if it has several: tasks
	node [][]int // likewise: nodes that take part in the synchronisations
	rack [][]int // by rackList if that has several: racks that take part
	// tasks[pool][depth], of the workers in modes of several pools.
	tasks map[int][]int
}

// fewClasses is the number of classes up to which each is a shape of its own.
const fewClasses = 200

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

// shape groups the classes. heads are the releases that get rows of their own;
// classes whose chain is longer than half the known bound stay alone, because
// the chain may then depend on where they live.
func (f *fluid) shape(heads []int64, half *big.Int) {
	index := map[string]int{}
	for c := range f.m.demands {
		d := &f.m.demands[c]
		n, r := d.count(), int64(d.job.Iterations)
		if f.m.in.Objective.Periodic() {
			if !d.runs() {
				continue
			}
			r = 1
		}
		key := fmt.Sprint(c)
		if len(f.m.demands) > f.m.few && (half == nil || d.chain(d.iteration).Cmp(half) < 0) {
			bucket := 0
			for bucket < len(heads) && heads[bucket] <= int64(d.job.Release) {
				bucket++
			}
			j := *d.job
			j.Name, j.Iterations, j.Weight, j.Release, j.On = "", 0, 0, 0, nil
			costs := make([]instance.Costs, len(d.job.On))
			for t, o := range d.job.On {
				if o != nil {
					costs[t] = *o
				}
			}
			key = fmt.Sprintf("%v %+v %+v %+v", bucket, j, costs, d.modes)
		}
		at, ok := index[key]
		if !ok {
			at = len(f.shapes)
			index[key] = at
			f.shapes = append(f.shapes, shape{
				id: fmt.Sprintf("s%d", at), d: d, fewest: r, most: r, release: int64(d.job.Release),
			})
		}
		s := &f.shapes[at]
		s.classes = append(s.classes, c)
		s.jobs += n
		s.iterations += n * r
		s.fewest, s.most = min(s.fewest, r), max(s.most, r)
		s.release = min(s.release, int64(d.job.Release))
	}
	if len(f.shapes) < len(f.m.demands) && len(f.m.demands) > f.m.few {
		f.note = fmt.Sprintf("%d classes of jobs taken together as %d", len(f.m.demands), len(f.shapes))
	}
	f.tight = f.tightPools()
}

// tightPools returns the pools whose memory cannot hold all the jobs that may
// live there.
func (f *fluid) tightPools() []int {
	var tight []int
	for p := range f.m.network.pools {
		at := &f.m.network.pools[p]
		most := new(big.Int)
		for i := range f.shapes {
			if s := &f.shapes[i]; s.d.usable(at.gpuType) {
				kept := mul(int64(s.d.job.On[at.gpuType].Persistent), s.jobs)
				most.Add(most, kept.Mul(kept, big.NewInt(int64(s.d.job.Workers))))
			}
		}
		if most.Cmp(mul(f.freeMemory(p), at.size())) > 0 {
			tight = append(tight, p)
		}
	}
	return tight
}

// freeMemory is what the smallest task of a pool leaves of a GPU's memory.
func (f *fluid) freeMemory(p int) int64 {
	at := &f.m.network.pools[p]
	smallest := instance.Bytes(-1)
	for i := range f.shapes {
		d := f.shapes[i].d
		for depth, ok := range d.fits[at.gpuType] {
			if d.job.Rule.Fixed != nil && d.job.Rule.Fixed[depth] == 0 || !ok {
				continue
			}
			if e := d.job.On[at.gpuType].Ephemeral[depth]; smallest < 0 || e < smallest {
				smallest = e
			}
		}
	}
	return max(0, int64(at.memory-max(0, smallest)))
}

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

// id names a mode in row and column names.
func (o *mode) id() string {
	switch o.kind {
	case lone, inNode:
		return fmt.Sprintf("node.p%d", o.pools[0])
	case inRack:
		return fmt.Sprintf("rack.k%d", o.rack)
	}
	return "spread"
}

// residency adds, where memory may bind, the columns of where jobs live and rows
//
//	(1) every job lives somewhere (or, for rates, somewhere or nowhere),
//	(2) all workers of a mode of several pools are placed,
//	(3) the parameters of the resident workers of a pool fit in the memory that
//	    the smallest task there leaves free.
func (f *fluid) residency() {
	if len(f.tight) == 0 {
		return
	}
	lives := equal
	if f.m.in.Objective.Periodic() {
		lives = atMost
	}
	for i := range f.shapes {
		s := &f.shapes[i]
		k := int64(s.d.job.Workers)
		one := f.p.row(s.id+".lives", lives, s.jobs, about{})
		s.live = []int{}
		for i := range s.d.modes {
			o := &s.d.modes[i]
			y := f.p.col(fmt.Sprintf("%s.live.%s", s.id, o.id()), 0, s.jobs)
			f.p.term(one, y, 1)
			s.live = append(s.live, y)
			var home []int
			if len(o.pools) > 1 {
				all := f.p.row(fmt.Sprintf("%s.home.%s", s.id, o.id()), equal, 0, about{})
				f.p.term(all, y, -k)
				for _, p := range o.pools {
					at := &f.m.network.pools[p]
					u := f.p.col(fmt.Sprintf("%s.home.%s.%s", s.id, o.id(), at.id), 0, s.jobs*min(k, f.inReach(o, p)))
					f.p.term(all, u, 1)
					home = append(home, u)
				}
			}
			s.home = append(s.home, home)
		}
	}
	for _, p := range f.tight {
		at := &f.m.network.pools[p]
		free, unit := f.freeMemory(p), int64(1)
		for free/unit > 1<<20 { // in units of which a GPU holds about a million
			unit *= 2
		}
		row := f.p.row(at.id+".memory", atMost, (free+unit-1)/unit*at.size(),
			about{"memory", "the memory of " + at.gpuName(), -1})
		for i := range f.shapes {
			s := &f.shapes[i]
			if !s.d.usable(at.gpuType) {
				continue
			}
			each := int64(s.d.job.On[at.gpuType].Persistent) / unit
			for i := range s.d.modes {
				switch where := slices.Index(s.d.modes[i].pools, p); {
				case where < 0:
				case s.home[i] == nil:
					f.p.term(row, s.live[i], each*int64(s.d.job.Workers))
				default:
					f.p.term(row, s.home[i][where], each)
				}
			}
		}
	}
}

// activity adds the columns of what is done where, at most limit iterations of
// each shape, and rows
//
//	(4) all iterations are done (not for rates), by jobs and workers that live there,
//	(5) every worker has one task in an iteration,
//	(6) the depths meet the SPB rule,
//	(7) the nodes, and racks, that take part hold the workers, and are no fewer
//	    than any residency has.
func (f *fluid) activity(limit func(*shape) int64) {
	rates := f.m.in.Objective.Periodic()
	for i := range f.shapes {
		s := &f.shapes[i]
		d, most, k := s.d, limit(s), int64(s.d.job.Workers)
		all := -1
		if !rates {
			all = f.p.row(s.id+".iterations", equal, s.iterations, about{})
		}
		s.node, s.rack = make([][]int, len(d.modes)), make([][]int, len(d.modes))
		for i := range d.modes {
			o := &d.modes[i]
			x := f.p.col(fmt.Sprintf("%s.does.%s", s.id, o.id()), 0, most)
			s.does = append(s.does, x)
			if all >= 0 {
				f.p.term(all, x, 1)
				if s.live != nil {
					f.tie(s, fmt.Sprintf("%s.tie.%s", s.id, o.id()), x, s.live[i])
				}
			}
			var busy []int
			if len(o.pools) > 1 {
				workers := f.p.row(fmt.Sprintf("%s.busy.%s", s.id, o.id()), equal, 0, about{})
				f.p.term(workers, x, -k)
				for at, p := range o.pools {
					id := f.m.network.pools[p].id
					w := f.p.col(fmt.Sprintf("%s.busy.%s.%s", s.id, o.id(), id), 0, most*min(k, f.inReach(o, p)))
					f.p.term(workers, w, 1)
					busy = append(busy, w)
					if all >= 0 && s.live != nil {
						f.tie(s, fmt.Sprintf("%s.tie.%s.%s", s.id, o.id(), id), w, s.home[i][at])
					}
				}
			}
			s.busy = append(s.busy, busy)
			if busy != nil {
				f.parties(s, i, most)
			}
		}
		f.depths(s, most)
	}
}

// inReach is how many GPUs of a pool one job can use in a mode.
func (f *fluid) inReach(o *mode, p int) int64 {
	at := &f.m.network.pools[p]
	if o.kind == inRack {
		return int64(at.gpus) * int64(at.perRack)
	}
	return at.size()
}

// tie adds the row that says that each of the residents does R iterations.
func (f *fluid) tie(s *shape, name string, does, live int) {
	if s.fewest == s.most {
		row := f.p.row(name, equal, 0, about{})
		f.p.term(row, does, 1)
		f.p.term(row, live, -s.most)
		return
	}
	row := f.p.row(name+".most", atMost, 0, about{})
	f.p.term(row, does, 1)
	f.p.term(row, live, -s.most)
	row = f.p.row(name+".fewest", atLeast, 0, about{})
	f.p.term(row, does, 1)
	f.p.term(row, live, -s.fewest)
}

// depths adds columns and rows (5) and (6). They concern the modes of several
// pools only: in one pool the cheapest depths are known.
func (f *fluid) depths(s *shape, most int64) {
	d, n := s.d, f.m.network
	var several []int
	var pools []int
	for i := range d.modes {
		if s.busy[i] != nil {
			several = append(several, i)
			for _, p := range d.modes[i].pools {
				if !slices.Contains(pools, p) {
					pools = append(pools, p)
				}
			}
		}
	}
	if several == nil {
		return
	}
	slices.Sort(pools)
	s.tasks = map[int][]int{}
	for _, p := range pools { // (5)
		row := f.p.row(fmt.Sprintf("%s.tasks.%s", s.id, n.pools[p].id), equal, 0, about{})
		for _, i := range several {
			if at := slices.Index(d.modes[i].pools, p); at >= 0 {
				f.p.term(row, s.busy[i][at], -1)
			}
		}
		s.tasks[p] = make([]int, len(d.job.Depths))
		for depth, ok := range d.fits[n.pools[p].gpuType] {
			s.tasks[p][depth] = -1
			if d.job.Rule.Fixed != nil && d.job.Rule.Fixed[depth] == 0 {
				ok = false
			}
			if ok {
				z := f.p.col(fmt.Sprintf("%s.tasks.%s.d%d", s.id, n.pools[p].id, depth), 0, most*min(int64(d.job.Workers), n.pools[p].size()))
				f.p.term(row, z, 1)
				s.tasks[p][depth] = z
			}
		}
	}
	// (6)
	rule := func(name string, is sense, perIteration int64, weight func(depth int) int64) {
		row := f.p.row(s.id+"."+name, is, 0, about{})
		for _, i := range several {
			f.p.term(row, s.does[i], -perIteration)
		}
		for _, p := range pools {
			for depth, z := range s.tasks[p] {
				if z >= 0 {
					f.p.term(row, z, weight(depth))
				}
			}
		}
	}
	only := func(depth int) func(int) int64 {
		return func(o int) int64 {
			if o == depth {
				return 1
			}
			return 0
		}
	}
	if fixed := d.job.Rule.Fixed; fixed != nil {
		for depth, count := range fixed {
			if count > 0 && count < d.job.Workers {
				rule(fmt.Sprintf("depth.d%d", depth), equal, int64(count), only(depth))
			}
		}
		return
	}
	rule("full", atLeast, int64(d.job.Rule.MinFull), only(d.job.Full()))
	rule("share", atLeast, d.job.Rule.MinShare, func(o int) int64 { return int64(d.job.Depths[o].Share) })
}

// parties adds columns and rows (7) for one mode of several pools.
func (f *fluid) parties(s *shape, i int, most int64) {
	n, o := f.m.network, &s.d.modes[i]
	count := f.p.row(fmt.Sprintf("%s.nodes.%s", s.id, o.id()), atLeast, 0, about{})
	f.p.term(count, s.does[i], -int64(o.nodes))
	for at, p := range o.pools {
		name := fmt.Sprintf("%s.nodes.%s.%s", s.id, o.id(), n.pools[p].id)
		nodes := f.inReach(o, p) / int64(n.pools[p].gpus)
		v := f.p.col(name, 0, most*min(int64(s.d.job.Workers), nodes))
		f.p.term(count, v, 1)
		hold := f.p.row(name, atLeast, 0, about{})
		f.p.term(hold, v, int64(n.pools[p].gpus))
		f.p.term(hold, s.busy[i][at], -1)
		s.node[i] = append(s.node[i], v)
	}
	racks := f.rackList(o)
	if o.kind != spread || len(racks) < 2 {
		return
	}
	count = f.p.row(fmt.Sprintf("%s.racks.%s", s.id, o.id()), atLeast, 0, about{})
	f.p.term(count, s.does[i], -int64(o.racks))
	for _, r := range racks {
		name := fmt.Sprintf("%s.racks.k%d", s.id, r)
		h := f.p.col(name, 0, most*min(int64(s.d.job.Workers), int64(len(n.racks[r].racks))))
		f.p.term(count, h, 1)
		hold := f.p.row(name, atLeast, 0, about{})
		gpus := int64(0)
		for at, p := range o.pools {
			if n.pools[p].rack == r {
				gpus += int64(n.pools[p].gpus) * int64(n.pools[p].perRack)
				f.p.term(hold, s.busy[i][at], -1)
			}
		}
		f.p.term(hold, h, gpus)
		s.rack[i] = append(s.rack[i], h)
	}
}

// pay adds the GPU time that the shape takes in a pool to a row, times sign:
// whole iterations at the least work, and tasks of modes of several pools at
// their lengths.
func (f *fluid) pay(row int, s *shape, p int, sign int64) {
	t := f.m.network.pools[p].gpuType
	for i := range s.d.modes {
		if o := &s.d.modes[i]; len(o.pools) == 1 && o.pools[0] == p {
			f.p.term(row, s.does[i], sign*s.d.workOn(t))
		}
	}
	for depth, z := range s.tasks[p] {
		if z >= 0 {
			f.p.term(row, z, sign*int64(s.d.job.On[t].Time[depth]))
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

// links adds rows (9) to (11), fabrics, NICs and uplinks. Their time, times
// sign, goes into the row that open returns for the given shapes and number of
// links.
func (f *fluid) links(sign int64, open func(name string, links int64, shapes []*shape, a about) int) {
	n := f.m.network
	type use struct {
		s    *shape
		col  int
		time int64
	}
	add := func(name string, links int64, uses []use, a about) {
		if len(uses) == 0 {
			return
		}
		var shapes []*shape
		for _, u := range uses {
			if last := len(shapes) - 1; last < 0 || shapes[last] != u.s {
				shapes = append(shapes, u.s)
			}
		}
		row := open(name, links, shapes, a)
		for _, u := range uses {
			f.p.term(row, u.col, sign*u.time)
		}
	}
	for p := range n.pools {
		at := &n.pools[p]
		var fabric, nic []use
		for i := range f.shapes {
			s := &f.shapes[i]
			for i := range s.d.modes {
				o := &s.d.modes[i]
				where := slices.Index(o.pools, p)
				if where < 0 || o.kind == lone {
					continue
				}
				if o.kind == inNode {
					if v := f.fabricTicks(o.volume, at.fabric); v > 0 {
						fabric = append(fabric, use{s, s.does[i], v})
					}
					continue
				}
				v := f.linkTicks(o.volume, at.nic)
				switch {
				case v == 0:
				case len(o.pools) == 1:
					nic = append(nic, use{s, s.does[i], v * int64(o.nodes)})
				default:
					nic = append(nic, use{s, s.node[i][where], v})
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
		for i := range f.shapes {
			s := &f.shapes[i]
			for i := range s.d.modes {
				o := &s.d.modes[i]
				if o.kind != spread {
					continue
				}
				racks := f.rackList(o)
				where := slices.Index(racks, r)
				v := f.linkTicks(o.volume, rack.uplink)
				switch {
				case where < 0 || v == 0:
				case len(racks) == 1:
					uplink = append(uplink, use{s, s.does[i], v * int64(o.racks)})
				default:
					uplink = append(uplink, use{s, s.rack[i][where], v})
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

// releases and tails are the heads and tails that get rows of their own.
func (f *fluid) releases() []int64 {
	var heads []int64
	for c := range f.m.demands {
		heads = append(heads, int64(f.m.demands[c].job.Release))
	}
	return candidates(heads, maxHeads)
}

func (f *fluid) tails() []int64 {
	var tails []int64
	for c := range f.m.demands {
		tails = append(tails, int64(f.m.demands[c].sync))
	}
	return candidates(tails, maxTails)
}

// buildMakespan states the program of the package comment with T minimised.
func (f *fluid) buildMakespan() {
	heads, tails := f.releases(), f.tails()
	half := ceil(new(big.Rat).Mul(big.NewRat(1, 2), Best(f.m.in, f.m.chain(), f.m.area()).Value))
	f.time = f.p.col("T", 1, noUpper)
	f.shape(heads, half)
	f.residency()
	f.activity(func(s *shape) int64 { return s.iterations })

	// (8) GPU time of each pool, from some head to some tail.
	for p := range f.m.network.pools {
		at := &f.m.network.pools[p]
		seen := map[string]bool{}
		for _, h := range heads {
			for _, q := range tails {
				var set []int
				head, tail := int64(math.MaxInt64), int64(math.MaxInt64)
				for i := range f.shapes {
					s := &f.shapes[i]
					if s.release >= h && int64(s.d.sync) >= q && s.d.usable(at.gpuType) {
						set = append(set, i)
						head, tail = min(head, s.release), min(tail, int64(s.d.sync))
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
				for _, i := range set {
					f.pay(row, &f.shapes[i], p, -1)
				}
			}
		}
	}
	f.deadlines()
	f.links(-1, func(name string, links int64, shapes []*shape, a about) int {
		head := int64(math.MaxInt64)
		for _, s := range shapes {
			head = min(head, s.release+int64(s.d.full))
		}
		row := f.p.row(name, atLeast, linkUnit*links*head, a)
		f.p.term(row, f.time, linkUnit*links)
		return row
	})
	f.chains()
}

// chains adds rows (12): the makespan is no earlier than the mean of the chains
// of a class of identical jobs, wherever they live, nor than any chain at its
// shortest.
func (f *fluid) chains() {
	var longest *big.Int
	var which int
	for i := range f.shapes {
		s := &f.shapes[i]
		if len(s.classes) == 1 {
			f.classChain(s)
			continue
		}
		for _, c := range s.classes {
			d := &f.m.demands[c]
			if end := d.chain(d.iteration); longest == nil || end.Cmp(longest) > 0 {
				longest, which = end, c
			}
		}
	}
	if longest != nil {
		row := f.p.row("chain", atLeast, saturate(longest), about{"job", f.m.className(which), f.time})
		f.p.term(row, f.time, 1)
	}
}

func (f *fluid) classChain(s *shape) {
	d := s.d
	full := int64(0) // full-depth workers, where the chain counts them by pool
	if d.job.Rule.Fixed != nil && f.mixed(d) {
		full = int64(d.job.Rule.Fixed[d.job.Full()])
	}
	times := max(1, full)
	row := f.p.row(s.id+".chain", atLeast, times*s.jobs*s.release, about{"job", f.m.className(s.classes[0]), f.time})
	f.p.term(row, f.time, times*s.jobs)
	for i := range d.modes {
		o := &d.modes[i]
		if full > 0 && s.busy[i] != nil {
			f.p.term(row, s.does[i], -times*int64(o.sync))
		} else {
			f.p.term(row, s.does[i], -times*int64(o.iteration()))
		}
	}
	if full == 0 {
		return
	}
	// The full-depth tasks of an iteration last no longer than its compute
	// phase on average, and a fixed rule has as many in every iteration.
	for p := range f.m.network.pools {
		if z := s.tasks[p]; z != nil && z[d.job.Full()] >= 0 {
			t := f.m.network.pools[p].gpuType
			f.p.term(row, z[d.job.Full()], -int64(d.job.On[t].Time[d.job.Full()]))
		}
	}
}

// mixed reports whether the class has a mode whose pools differ in GPU type.
func (f *fluid) mixed(d *demand) bool {
	for _, o := range d.modes {
		for _, p := range o.pools {
			if f.m.network.pools[p].gpuType != f.m.network.pools[o.pools[0]].gpuType {
				return true
			}
		}
	}
	return false
}

// deadlines adds rows (13): what has to be done before a deadline fits between
// the earliest release and it.
func (f *fluid) deadlines() {
	var dates []int64
	for i := range f.shapes {
		if d := f.shapes[i].d; d.job.Deadline > 0 {
			dates = append(dates, int64(d.job.Deadline)-int64(d.sync))
		}
	}
	for _, date := range candidates(dates, maxDeadlines) {
		for p := range f.m.network.pools {
			at := &f.m.network.pools[p]
			var set []*shape
			head := int64(math.MaxInt64)
			for i := range f.shapes {
				s := &f.shapes[i]
				if s.d.job.Deadline > 0 && int64(s.d.job.Deadline)-int64(s.d.sync) <= date && s.d.usable(at.gpuType) {
					set = append(set, s)
					head = min(head, s.release)
				}
			}
			if len(set) == 0 {
				continue
			}
			row := f.p.row(fmt.Sprintf("%s.before.%d", at.id, date), atMost, max(0, date-head)*at.size(),
				about{"gpu", fmt.Sprintf("%s before tick %d", at.gpuName(), date), -1})
			for _, s := range set {
				f.pay(row, s, p, 1)
			}
		}
	}
}
