package formulation

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/solver"
	"jigsaw/solver/colgen"
	"jigsaw/solver/eventloop"
)

// ColumnLimits of a columns bound. The zero value is useful.
type ColumnLimits struct {
	// Start is a schedule of the instance; its jobs are columns to begin with,
	// and its length is the horizon. Without one the bound takes longer.
	Start *instance.Schedule
	// Known is a bound already proven. Makespan goes on from there.
	Known *big.Rat
	// Work limits the pricing: about how many steps of its recursions may be
	// taken in all; 0 means 10^10. Negative means no limit.
	Work int64
	// Improved, if not nil, is told of every better bound on the way.
	Improved func(Bound)
	// Solver limits each solve of the master.
	Solver solver.Limits
}

const defaultWork = 10_000_000_000

// Columns returns the bound of the Dantzig-Wolfe reformulation on pools: one
// column is a whole plan of one job (docs/problem.md section 6.5). The time axes
// get finer as long as the limits permit; every stage's prices are proven in
// exact arithmetic before its bound counts. For makespan the bound is the
// smallest due by which plans for all jobs exist. There is no such bound for
// the periodic objectives.
//
// The guide, which is nil where there is no bound, tells when the plans that
// the bound mixes end their iterations. An engine that fails, or a context that
// ends, is an error beside which the best bound so far is returned.
func Columns(ctx context.Context, in *instance.Instance, engine solver.Solver, limits ColumnLimits) (Bound, *Guide, error) {
	if in.Objective.Periodic() {
		return Bound{}, nil, fmt.Errorf("formulation: the columns bound is not about %s", in.Objective)
	}
	if limits.Work == 0 {
		limits.Work = defaultWork
	}
	c := &columns{m: newModel(in), engine: engine, limits: limits, best: Bound{Kind: ColumnsBound}, pace: firstPace}
	if limits.Work < 0 {
		c.limits.Work = math.MaxInt64
	}
	for i := range c.m.demands {
		if d := &c.m.demands[i]; d.short || d.unplaced {
			return Bound{}, nil, nil // infeasible, which is for others to say
		}
	}
	var err error
	if in.Objective == instance.Makespan {
		err = c.dues(ctx)
	} else {
		err = c.completion(ctx)
	}
	if err != nil {
		err = fmt.Errorf("formulation: columns: %w", err)
	}
	return c.best, c.guide, err
}

// columns is one computation of [Columns].
type columns struct {
	m      *model
	engine solver.Solver
	limits ColumnLimits
	best   Bound
	guide  *Guide
	// last is the master solved last, and plans, by class, are those that its
	// solution mixes.
	last  *master
	plans [][]plan
	pace  float64 // of proofs, in nanoseconds for a step of master.work
}

// smoothing of the prices, see package colgen; 0.5 saves a fifth of the rounds.
const smoothing = 0.5

// closeGap ends column generation: what is left to gain is below what finer
// time axes bring.
const closeGap = 1e-4

// horizon is the length of the start, or a guess.
func (c *columns) horizon() int64 {
	if c.limits.Start != nil {
		return max(1, int64(c.limits.Start.Makespan(c.m.in)))
	}
	longest := c.m.areaMakespan().Value
	for i := range c.m.demands {
		d := &c.m.demands[i]
		if v := new(big.Rat).SetInt(d.chain(d.iteration)); v.Cmp(longest) > 0 {
			longest = v
		}
	}
	end := floor(new(big.Rat).Mul(longest, big.NewRat(5, 4)))
	if !end.IsInt64() || end.Int64() > maxHorizon {
		return maxHorizon
	}
	return max(1, end.Int64())
}

// work is about how many steps pricing all classes once takes.
func (s *master) work() int64 {
	sum := int64(0)
	for c := range s.classes {
		p := &s.classes[c].pricer
		each := int64(p.grid.blocks) / 2
		for i := range p.menus {
			for d := range p.menus[i].dishes {
				each += int64(len(p.menus[i].dishes[d].items))
			}
		}
		sum += int64(p.grid.points) * int64(p.grid.points) * each
	}
	return sum
}

// grains lists the time axes to go through, from coarse to fine. Where ticks are
// few all are points from the start: buckets cost the bound less than points, and
// plans serve the next axes, too.
func grains(horizon int64) []planGrain {
	if horizon > finest {
		return []planGrain{{64, 32}, {128, 32}, {256, 64}, {512, 64}, {1024, 64}, {2048, 128}}
	}
	list := []planGrain{{horizon, horizon}}
	if coarse := newCalendar(horizon, fewBuckets); coarse.width > 1 {
		list = slices.Insert(list, 0, planGrain{coarse.horizon, fewBuckets})
	}
	return list
}

const (
	finest     = 320 // the longest horizon in ticks whose every tick is a point
	fewBuckets = 32  // of the coarse axes of such a horizon
)

// completion bounds the weighted completion.
func (c *columns) completion(ctx context.Context) error {
	horizon := c.horizon()
	if horizon > maxHorizon {
		return nil
	}
	var before *master
	var prices [][]int64
	for _, grain := range grains(horizon) {
		s := newMaster(c.m, horizon, -1, grain)
		if !s.fits() || s.work() > c.limits.Work/typicalRounds {
			return nil
		}
		opt := c.options(s)
		if before != nil {
			opt.Prices = s.resample(before, prices)
		}
		found, err := c.generate(ctx, s, opt)
		if found != nil {
			before, prices = s, found
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// typicalRounds is a guess at how many rounds column generation takes.
const typicalRounds = 50

func (c *columns) options(s *master) colgen.Options {
	return colgen.Options{
		Smoothing: smoothing, Gap: closeGap, Solver: c.limits.Solver,
		Event:  func(colgen.Event) { c.limits.Work -= s.work() },
		Rounds: int(max(1, min(10_000, c.limits.Work/max(1, s.work())))),
	}
}

// generate solves a master, proves what its prices give, and returns the
// prices. Before the context's deadline it stops generating while there is time
// left to prove them.
func (c *columns) generate(ctx context.Context, s *master, opt colgen.Options) ([][]int64, error) {
	early, cancel := c.before(ctx, s)
	defer cancel()
	live, result, err := s.run(early, c.engine, c.known(s), opt)
	if live != nil {
		defer func() { _ = live.Close() }()
		c.keep(s, live, &result)
	}
	if result.Prices == nil || opt.Cutoff != nil && result.Status != colgen.Cutoff || ctx.Err() != nil {
		return nil, err
	}
	prices := s.prices(result.Prices)
	b := Bound{Kind: ColumnsBound, LP: LP{Rows: s.rows + len(s.classes), Status: solver.IterationLimit, Iterations: result.Rounds, Objective: result.Value * s.unit}}
	if result.Status == colgen.Optimal {
		b.LP.Status = solver.Optimal
	}
	if live != nil {
		b.LP.Cols = len(live.Columns())
	}
	b.Certificate = s.certificate(prices)
	begun := time.Now()
	m := *c.m
	m.ctx = ctx
	proof := m.provePlans(&b, b.Certificate)
	b.Proving = time.Since(begun)
	c.pace = float64(b.Proving) / float64(max(1, s.work()))
	if proof == nil && Best(c.m.in, c.best, b).Certificate == b.Certificate {
		c.best = b
		if result.Weights != nil && live != nil {
			c.guide = s.newGuide(live.Columns(), result.Weights)
		}
		if c.limits.Improved != nil {
			c.limits.Improved(b)
		}
	}
	return prices, err
}

// before returns a context that ends before the given one does, in time for two
// proofs: that of the master's prices, and whoever has a deadline proves them once
// more. It leaves half of the time, for fine axes take less than coarse ones foretell.
func (c *columns) before(ctx context.Context, s *master) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	proofs := min(time.Duration(2*c.pace*float64(s.work())), time.Until(deadline)/2)
	early, cancel := context.WithDeadline(ctx, deadline.Add(-proofs))
	return eventloop.Context(early), cancel
}

// firstPace is that of proofs before one was measured.
const firstPace = 0.5

// known lists plans by class for a master to begin with: those of the schedule,
// and those of the last master where both mean the same.
func (c *columns) known(s *master) [][]plan {
	list := s.known(c.limits.Start)
	if c.last == nil || !s.alike(c.last) {
		return list
	}
	if list == nil {
		return c.plans
	}
	for class := range list {
		list[class] = append(list[class], c.plans[class]...)
	}
	return list
}

// keep remembers the plans that a solution mixes.
func (c *columns) keep(s *master, live *colgen.Master[plan], r *colgen.Result[plan]) {
	c.last, c.plans = s, make([][]plan, len(s.classes))
	columns := live.Columns()
	for j, weight := range r.Weights {
		if weight >= leastWeight {
			class := s.classOf(&columns[j])
			c.plans[class] = append(c.plans[class], columns[j].Data)
		}
	}
}

// alike reports whether the plans of one master are those of another, as far as
// they end in time: in both every tick is a point, and the same links have rows.
func (s *master) alike(o *master) bool {
	for c := range s.classes {
		for _, g := range []*grid{&s.classes[c].pricer.grid, &o.classes[c].pricer.grid} {
			if g.parts != g.chain {
				return false
			}
		}
	}
	return slices.EqualFunc(s.groups, o.groups, func(a, b supply) bool { return a.capacity == b.capacity })
}

// dues bounds the makespan by the largest due that no plans meet.
func (c *columns) dues(ctx context.Context) error {
	low := int64(1) // no schedule ends before
	for i := range c.m.demands {
		d := &c.m.demands[i]
		if chain := d.chain(d.iteration); chain.IsInt64() {
			low = max(low, chain.Int64())
		}
	}
	if c.limits.Known != nil && ceil(c.limits.Known).IsInt64() {
		low = max(low, ceil(c.limits.Known).Int64())
	}
	high := max(low, c.horizon()) // some schedule may end by then
	return climb(low, high, func(due int64) (bool, error) {
		if c.limits.Work <= 0 {
			return false, nil
		}
		return c.refute(ctx, due)
	})
}

// refute tries to prove that no schedule ends by the due.
func (c *columns) refute(ctx context.Context, due int64) (bool, error) {
	if due > maxHorizon {
		return false, nil
	}
	value := c.best.Value
	for _, grain := range grains(due) {
		if due > finest && grain.points > mostDuePoints {
			break
		}
		s := newMaster(c.m, due, due, grain)
		if !s.fits() || s.work() > c.limits.Work/typicalRounds {
			break
		}
		opt := c.options(s)
		above := 1 + 1e-9
		opt.Cutoff, opt.Enough = &above, &above
		_, err := c.generate(ctx, s, opt)
		if refuted := c.best.Value != nil && (value == nil || c.best.Value.Cmp(value) > 0); refuted || err != nil {
			return refuted, err
		}
	}
	return false, nil
}

// mostDuePoints is how many points dues are worth, of which there are many to try.
const mostDuePoints = 256
