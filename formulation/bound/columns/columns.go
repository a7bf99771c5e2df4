package columns

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/columns"
	"jigsaw/formulation/relax/exact"
	"jigsaw/solver"
	"jigsaw/solver/colgen"
	"jigsaw/solver/eventloop"
)

// Limits of a columns bound. The zero value is useful.
type Limits struct {
	// Start is a schedule of the instance; its jobs are the initial columns, and
	// its length is the horizon. Without one the bound takes longer.
	Start *instance.Schedule
	// Known is a bound already proven. Makespan continues from there.
	Known *big.Rat
	// Work limits the pricing: about how many steps of its recursions may be taken
	// in all; 0 means 10^10, negative means no limit.
	Work int64
	// Improved, if not nil, is called with every better bound on the way.
	Improved func(bound.Bound)
}

// Bound computes the bound of the Dantzig-Wolfe reformulation on pools: one
// column is a whole plan of one job (docs/problem.md section 6.5). The time
// axes get finer as long as the limits permit; a stage's bound counts only
// after its prices are proven in exact arithmetic. For makespan the bound is
// the smallest due by which plans for all jobs exist. There is no such bound
// for the periodic objectives.
//
// If an engine fails or a context ends, the error is returned together with the
// best bound so far.
func Bound(ctx context.Context, in *instance.Instance, engine solver.Solver, limits Limits) (bound.Bound, error) {
	if in.Objective.Periodic() {
		return bound.Bound{}, fmt.Errorf("formulation: the columns bound is not about %s", in.Objective)
	}
	if limits.Work == 0 {
		limits.Work = bound.DefaultWork
	}
	c := &search{m: relax.New(in), engine: engine, limits: limits, best: bound.Bound{Proven: relax.Proven{Kind: relax.ColumnsBound}}, pace: firstPace}
	if limits.Work < 0 {
		c.limits.Work = math.MaxInt64
	}
	if !c.m.AllRun() {
		return bound.Bound{}, nil // infeasible, which others report
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
	return c.best, err
}

// search is one computation of [Bound].
type search struct {
	m      *relax.Model
	engine solver.Solver
	limits Limits
	best   bound.Bound
	// last is the master solved last, and plans, by class, are those with positive
	// weight in its solution.
	last  *Master
	plans [][]Plan
	pace  float64 // of proofs, in nanoseconds for a step of master.work
}

// closeGap ends column generation: the remaining gain is smaller than that of
// finer time axes.
const closeGap = 1e-4

// horizon is the length of the start, or a guess, in ticks.
func (c *search) horizon() int64 {
	if c.limits.Start != nil {
		return max(1, int64(c.limits.Start.Makespan(c.m.Instance)))
	}
	longest := c.m.AreaEnd()
	for i := range c.m.Classes {
		d := &c.m.Classes[i]
		if v := new(big.Rat).SetInt(d.Chain(d.Iteration)); v.Cmp(longest) > 0 {
			longest = v
		}
	}
	end := exact.Floor(new(big.Rat).Mul(longest, big.NewRat(5, 4)))
	if !end.IsInt64() || end.Int64() > columns.MaxHorizon {
		return columns.MaxHorizon
	}
	return max(1, end.Int64())
}

// grains lists the time axes to use, from coarse to fine. With few ticks all are
// points from the start: coarser buckets weaken the bound less than coarser
// points, and plans can be reused on the next axes.
func grains(horizon int64) []columns.Grain {
	if horizon > finest {
		return []columns.Grain{{Points: 128, Buckets: 32}, {Points: 512, Buckets: 64}, {Points: 1024, Buckets: 128}, {Points: 2048, Buckets: 128}}
	}
	list := []columns.Grain{{Points: horizon, Buckets: horizon}}
	if coarse := columns.NewCalendar(horizon, fewBuckets); coarse.Width > 1 {
		list = slices.Insert(list, 0, columns.Grain{Points: coarse.Horizon, Buckets: fewBuckets})
	}
	return list
}

const (
	finest     = 320 // the longest horizon in ticks whose every tick is a point
	fewBuckets = 32  // of the coarse axes of such a horizon
)

// completion bounds the weighted completion.
func (c *search) completion(ctx context.Context) error {
	horizon := c.horizon()
	if horizon > columns.MaxHorizon {
		return nil
	}
	var before *Master
	var prices [][]int64
	for _, grain := range grains(horizon) {
		s := NewMaster(columns.New(c.m, horizon, -1, grain))
		if !s.Fits() || s.Work() > c.limits.Work/typicalRounds {
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

func (c *search) options(s *Master) colgen.Options {
	return colgen.Options{
		Smoothing: bound.Smoothing, Gap: closeGap,
		Event:  func(colgen.Event) { c.limits.Work -= s.Work() },
		Rounds: int(max(1, min(10_000, c.limits.Work/max(1, s.Work())))),
	}
}

// generate solves a master, proves the bound that its prices give, and returns
// the prices. Before the context's deadline it stops generating while there is
// time left to prove them.
func (c *search) generate(ctx context.Context, s *Master, opt colgen.Options) ([][]int64, error) {
	early, cancel := c.before(ctx, s)
	defer cancel()
	live, result, err := s.Run(early, c.engine, c.known(s), opt)
	if live != nil {
		defer func() { _ = live.Close() }()
		c.keep(s, live, &result)
	}
	if result.Prices == nil || opt.Cutoff != nil && result.Status != colgen.Cutoff || ctx.Err() != nil {
		return nil, err
	}
	prices := s.Prices(result.Prices)
	b := bound.Bound{Proven: relax.Proven{Kind: relax.ColumnsBound}, LP: bound.LP{Status: solver.IterationLimit}}
	if result.Status == colgen.Optimal {
		b.LP.Status = solver.Optimal
	}
	if live != nil {
		b.LP.Cols = len(live.Columns())
	}
	b.Certificate = s.certificate(prices)
	begun := time.Now()
	m := *c.m
	m.Context = ctx
	proof := columns.Prove(&m, &b.Proven, b.Certificate)
	b.Proving = time.Since(begun)
	c.pace = float64(b.Proving) / float64(max(1, s.Work()))
	if proof == nil && bound.Best(c.m.Instance, c.best, b).Certificate == b.Certificate {
		b.Binding = s.bindings(prices, b.Value)
		c.best = b
		if c.limits.Improved != nil {
			c.limits.Improved(b)
		}
	}
	return prices, err
}

// before returns a context that ends before the given one, in time for two proofs:
// that of the master's prices, and another one by callers with a deadline. It leaves
// half of the time, since fine axes take less than coarse ones suggest.
func (c *search) before(ctx context.Context, s *Master) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	proofs := min(time.Duration(2*c.pace*float64(s.Work())), time.Until(deadline)/2)
	early, cancel := context.WithDeadline(ctx, deadline.Add(-proofs))
	return eventloop.Context(early), cancel
}

// firstPace is the assumed pace of proofs before one was measured.
const firstPace = 0.5

// known lists initial plans by class for a master: those of the schedule, and
// those of the last master if they mean the same in both.
func (c *search) known(s *Master) [][]Plan {
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

// keep remembers the plans with positive weight in a solution.
func (c *search) keep(s *Master, live *colgen.Master[Plan], r *colgen.Result[Plan]) {
	c.last, c.plans = s, make([][]Plan, len(s.Classes))
	columns := live.Columns()
	for j, weight := range r.Weights {
		if weight >= LeastWeight {
			class := s.ClassOf(&columns[j])
			c.plans[class] = append(c.plans[class], columns[j].Data)
		}
	}
}

// alike reports whether the plans of one master are valid in another, as far as
// they end in time: in both every tick is a point, and the same links have rows.
func (s *Master) alike(o *Master) bool {
	for c := range s.Classes {
		for _, g := range []*columns.Grid{&s.Classes[c].Plans.Grid, &o.Classes[c].Plans.Grid} {
			if g.Parts != g.Chain {
				return false
			}
		}
	}
	return slices.EqualFunc(s.Groups, o.Groups, func(a, b columns.Group) bool { return a.Capacity == b.Capacity })
}

// dues bounds the makespan by the largest due that no plans meet.
func (c *search) dues(ctx context.Context) error {
	low := int64(1) // no schedule ends before this
	for i := range c.m.Classes {
		d := &c.m.Classes[i]
		if chain := d.Chain(d.Iteration); chain.IsInt64() {
			low = max(low, chain.Int64())
		}
	}
	if c.limits.Known != nil && exact.Ceil(c.limits.Known).IsInt64() {
		low = max(low, exact.Ceil(c.limits.Known).Int64())
	}
	high := max(low, min(relax.MaxHorizon, c.horizon())) // some schedule may end by this
	return bound.Climb(low, high, func(due int64) (bool, error) {
		if c.limits.Work <= 0 {
			return false, nil
		}
		return c.refute(ctx, due)
	})
}

// refute tries to prove that no schedule ends by the due.
func (c *search) refute(ctx context.Context, due int64) (bool, error) {
	if due > relax.MaxHorizon {
		return false, nil
	}
	value := c.best.Value
	for _, grain := range grains(due) {
		if due > finest && grain.Points > mostDuePoints {
			break
		}
		s := NewMaster(columns.New(c.m, due, due, grain))
		if !s.Fits() || s.Work() > c.limits.Work/typicalRounds {
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

// mostDuePoints limits the points for a due, since many dues have to be tried.
const mostDuePoints = 256
