package periods

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"
	"time"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/periods"
	"jigsaw/solver"
	"jigsaw/solver/tree"
)

// Limits of [Bound].
type Limits struct {
	// Until returns the value of the best schedule known, nil for none: a bound that
	// reaches it is optimal.
	Until func() *big.Rat
	// Known, if not nil, is another bound on the makespan: the search ends if it is not better after a few nodes.
	Known *big.Rat
	// Nodes is the largest number of nodes; 0 means that the search continues with
	// larger programs while that may help, each of up to [MostPeriodNodes] nodes.
	Nodes int
	// Event, if not nil, is called with the number of nodes solved.
	Event func(nodes int)
	// Improved, if not nil, is called with better bounds before the last.
	Improved func(bound.Bound)
	// Periods, if not nil, is called, if periods have programs of their own, with upper limits on the values of the
	// plans of each period, of 1 tick first, nil where none is known; and with numbers of iterations of all jobs, of
	// better plans than those known, that the last program does not rule out.
	Periods func(most []*big.Rat, iterations [][]int)
}

// MostPeriodNodes keeps the certificate of a tree to a few megabytes.
const MostPeriodNodes = 8000

// Bound returns the bound on a periodic objective, or on the makespan, by branch and bound. If the instance
// bounds the period, and periods are not too many, iterations, tasks and GPUs in a plan of
// period P are counted in whole numbers: the fluid program of rates, stated for that
// period, is an integer program. All periods are in one tree, that of the largest bound
// first. Otherwise one program of rates is about plans of any period. Every leaf is proven
// by prices in exact arithmetic when it is made, so the bound holds whenever
// the search ends. Bound.Value is nil if not all periods were examined, or if there are
// too many jobs.
func Bound(ctx context.Context, in *instance.Instance, engine solver.Solver, limits Limits) (bound.Bound, error) {
	best := bound.Bound{Proven: relax.Proven{Kind: relax.PeriodsBound}}
	var most []*big.Rat
	for t := newSearch(in, engine, limits, 0); t != nil; t = t.larger() {
		b, status, err := t.search(ctx, limits)
		if err != nil {
			return best, fmt.Errorf("formulation: program of a period: %w", err)
		}
		if t.Longest > 0 && limits.Periods != nil {
			if most == nil {
				most = make([]*big.Rat, t.Longest)
			}
			t.lower(most)
			limits.Periods(slices.Clone(most), t.whole)
		}
		if best = bound.Best(in, best, b); best.Value == nil {
			return b, nil
		}
		known := limits.Until()
		if status == tree.NodeLimit || status == tree.Stopped || known != nil && !in.Objective.Better(best.Value, known) {
			break
		}
	}
	return best, nil
}

// newSearch returns the search of one of the sizes of programs, nil if there is none.
func newSearch(in *instance.Instance, engine solver.Solver, limits Limits, size int) *search {
	if size == len(periods.CoResidentSets) {
		return nil
	}
	m := periods.New(relax.New(in), periods.CoResidentSets[size])
	if m == nil {
		return nil
	}
	until := func() *big.Rat { return periods.Reaches(in, limits.Until()) }
	t := &search{Programs: m, in: in, engine: engine, until: until, opened: map[int64]*period{}, root: &periodNode{}, most: limits.Nodes}
	next := sync.OnceValue(func() *search { return newSearch(in, engine, limits, size+1) })
	if m.Longest == 0 {
		// Nodes of one program take longer than those of many periods, but larger programs start with better bounds.
		if next := next(); next != nil && len(next.longest().Linear.Cols) <= mostAnyColumns {
			return next
		}
	}
	t.larger = func() *search {
		if limits.Nodes > 0 || next() == nil || len(next().longest().Linear.Cols) == len(t.longest().Linear.Cols) {
			return nil
		}
		return next()
	}
	return t
}

// longest returns the longest period.
func (t *search) longest() *period { return t.open(t.Longest) }

// mostAnyColumns is up to how many columns a larger program of any period is preferred from the start.
const mostAnyColumns = 1500

// A tree of any period ends if fewNodes nodes have not improved its bound by leastGain of it, or if vainNodes nodes have
// not come near another bound that is known.
const (
	fewNodes  = 100
	leastGain = 2e-4
	vainNodes = 12
)

// proofs is how often the proofs of all nodes could be made in the time that is
// reserved for the last list and its proof.
const proofs = 2

// search searches the tree and returns what it proves.
func (t *search) search(ctx context.Context, limits Limits) (bound.Bound, tree.Status, error) {
	options := tree.Options[*periodNode]{Nodes: limits.Nodes, Plunge: 1, Cutoff: t.cutoff}
	if options.Nodes == 0 {
		options.Nodes = MostPeriodNodes
		if t.Longest == 0 {
			options.Nodes = min(options.Nodes, 4*mostTreePrices/len(t.longest().Linear.Rows))
		}
	}
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	end, limited := ctx.Deadline()
	// Report after all periods were examined, then whenever the tree has grown by a quarter and
	// there is an improvement.
	tell, told := 1+len(t.Periods()), math.Inf(-1)
	begun := math.Inf(-1) // the first bound of plans of any period
	least := math.Inf(1)  // what the bound on a makespan must get to, as a value of the programs
	if v := periods.Reaches(t.in, limits.Known); v != nil {
		least, _ = v.Float64()
	}
	options.Events = func(e tree.Event) {
		if limits.Event != nil {
			limits.Event(e.Nodes)
		}
		if limited && time.Until(end) < proofs*t.proving {
			enough() // in time to write the tree and prove it
		}
		if t.Longest == 0 {
			if math.IsInf(begun, -1) {
				begun = e.Bound
			}
			if e.Nodes >= fewNodes && e.Bound < begun+leastGain*math.Abs(begun) {
				enough() // splits do not help
			}
			if e.Nodes >= vainNodes && e.Bound < -least {
				enough()
			}
		}
		if limits.Improved != nil && e.Nodes >= tell && e.Open > 0 && e.Bound > told {
			tell, told = e.Nodes+e.Nodes/4, e.Bound
			if b := t.bound(); b.Value != nil {
				limits.Improved(b)
			}
		}
	}
	r, err := tree.Search(ctx, t, t.root, options)
	if err != nil {
		return bound.Bound{}, r.Status, err
	}
	b := t.bound()
	if b.LP.Status = solver.Optimal; r.Status == tree.NodeLimit || r.Status == tree.Stopped {
		b.LP.Status = solver.IterationLimit
	}
	return b, r.Status, nil
}

// search is the problem of the search.
type search struct {
	*periods.Programs
	in     *instance.Instance
	engine solver.Solver
	scaled bool            // the engine is given programs in other units
	until  func() *big.Rat // the value of the best schedule known, as one of the programs
	larger func() *search  // that of the next larger program, nil if there is none
	root   *periodNode
	opened map[int64]*period
	// stuck is the largest bound of nodes that cannot be split. Nodes of lesser bounds say in which periods
	// better plans may be, and a few of them are examined for that.
	stuck       *big.Rat
	nodes, last int           // nodes examined: so far, and when those of lesser bounds are left out
	whole       [][]int       // iterations by job of the solutions of such nodes
	proving     time.Duration // time spent so far on stating and proving all nodes
	// For programs of GPUs: initial data for the next one, how many prices helped, the value
	// of the last that was solved, and rounds times rows.
	start     gpuStart
	gpuPrices int
	reached   float64
	gpuWork   int
	most      int // nodes; 0 for no limit
}

// period is the program of one period, with the pseudo-costs learnt from
// branching in it.
type period struct {
	*periods.Program
	costs tree.PseudoCosts
}

// mostLess limits the nodes of lesser bounds that are examined.
const mostLess = 200

// open returns a period.
func (t *search) open(ticks int64) *period {
	if t.opened[ticks] == nil {
		f := t.Program(ticks, nil)
		t.opened[ticks] = &period{f, tree.NewPseudoCosts(len(f.Linear.Cols))}
	}
	return t.opened[ticks]
}

// periodNode is a node of the tree: the root, whose children are the periods, or
// the plans of a period within narrowed bounds of the columns.
type periodNode struct {
	period int64
	narrow *periods.Narrowing
	value  *big.Rat // no plan has a better value
	proof  *periods.Leaf
	// inherited says that value and proof are those of the parent node.
	inherited bool
	cuts      []*periods.Cut     // that the parent node lacks
	cutting   int                // how often it was cut since the last split
	gpus      *gpuStart          // not nil if single GPUs are examined, too
	split     *periods.Narrowing // the lower part, nil if there are not two
	parts     []*periodNode
	basis     *solver.Basis
}

// cutoff is the value, negated, that a bound has to exceed to be of interest.
func (t *search) cutoff() float64 {
	c := math.Inf(1)
	for _, v := range []*big.Rat{t.until(), t.stuck} {
		if v != nil && (v != t.stuck || t.nodes >= t.last) {
			f, _ := v.Float64()
			c = min(c, -f)
		}
	}
	return c
}

// Evaluate implements [tree.Problem].
func (t *search) Evaluate(ctx context.Context, n *periodNode, _ float64) (tree.Outcome[*periodNode], error) {
	t.nodes++
	if n == t.root {
		for _, ticks := range slices.Backward(t.Periods()) {
			n.parts = append(n.parts, &periodNode{period: ticks})
		}
		return tree.Outcome[*periodNode]{Bound: math.Inf(-1), Children: n.parts}, nil
	}
	r, err := t.relax(n)
	if err != nil {
		return tree.Outcome[*periodNode]{}, err
	}
	defer func() {
		if r.live != nil {
			_ = r.live.Close()
		}
	}()
	s, err := t.solve(ctx, r, n)
	if err != nil {
		return tree.Outcome[*periodNode]{}, err
	}
	if n.proof != nil && n.proof.Empty {
		return tree.Outcome[*periodNode]{Bound: math.Inf(1), Closed: true}, nil
	}
	out := tree.Outcome[*periodNode]{Bound: math.Inf(-1)}
	closed := func() bool {
		if n.value == nil {
			return false
		}
		v, _ := n.value.Float64()
		out.Bound = -v
		known := t.until()
		out.Closed = known != nil && n.value.Cmp(known) <= 0 || t.stuck != nil && t.nodes >= t.last && n.value.Cmp(t.stuck) <= 0
		return out.Closed
	}
	if closed() {
		return out, nil
	}
	if s != nil && s.Status == solver.Optimal && r.holds(s.Primal) {
		if err := t.lookAtGPUs(ctx, r, n, s); err != nil || closed() {
			return out, err
		}
		if n.parts == nil {
			if err := t.divide(ctx, r, n, s); err != nil {
				return out, err
			}
		}
	}
	if out.Children = n.parts; n.parts == nil && n.value != nil {
		if t.stuck == nil || n.value.Cmp(t.stuck) > 0 {
			if t.stuck = n.value; t.larger() == nil {
				t.last = t.nodes + min(t.nodes, mostLess)
			}
		}
		if s != nil && s.Status == solver.Optimal {
			t.note(r, s.Primal)
		}
	}
	return out, nil
}

// note keeps the iterations of a solution if there is a column for those of each job.
func (t *search) note(r *relaxation, x []float64) {
	if !r.Whole() || r.Rates == nil || len(x) < len(r.lower) || slices.Contains(r.Rates.Cols, -1) {
		return
	}
	iterations := make([]int, len(t.Model.Instance.Jobs))
	for i, col := range r.Rates.Cols {
		for _, c := range r.Shapes[i].Classes {
			iterations[t.Model.Classes[c].Jobs[0]] = int(math.Round(x[col]))
		}
	}
	t.whole = append(t.whole, iterations)
}

// lower lowers limits on the values of the plans of each period, of 1 tick first, to what is proven.
func (t *search) lower(most []*big.Rat) {
	var value func(n *periodNode) (most *big.Rat, known bool)
	value = func(n *periodNode) (*big.Rat, bool) {
		if n.parts == nil {
			if n.proof != nil && n.proof.Empty {
				return new(big.Rat), true
			}
			return n.value, n.value != nil
		}
		most := new(big.Rat)
		for _, part := range n.parts {
			v, known := value(part)
			if !known {
				return nil, false
			}
			if v.Cmp(most) > 0 {
				most = v
			}
		}
		return most, true
	}
	for _, n := range t.root.parts {
		if v, known := value(n); known && (most[n.period-1] == nil || v.Cmp(most[n.period-1]) < 0) {
			most[n.period-1] = v
		}
	}
}

// divide cuts off the solution of a node, which leaves one part, or splits the node.
func (t *search) divide(ctx context.Context, r *relaxation, n *periodNode, s *solver.Solution) error {
	if left := periods.MostCuts - len(n.narrow.Cuts()); r.Whole() && n.cutting < cutRounds && left > 0 {
		cuts, err := t.separate(ctx, r, s.Primal)
		if err != nil {
			return err
		}
		if cuts = cuts[:min(left, len(cuts))]; len(cuts) > 0 {
			part := n.part(n.narrow)
			for _, c := range cuts {
				part.narrow = &periods.Narrowing{Parent: part.narrow, Cut: c}
			}
			part.cuts, part.cutting = cuts, n.cutting+1
			n.parts = []*periodNode{part}
			n.proof, n.basis = nil, nil
			return nil
		}
	}
	return t.branch(ctx, r, n, s)
}

// relaxation is the linear program of a node, and the engine's copy of it.
type relaxation struct {
	*periods.Program
	problem      *solver.Problem
	live         solver.Model
	lower, upper []int64 // of the columns
}

// within returns the program of a node with its cuts, and the bounds of its columns.
func (t *search) within(n *periodNode) (f *periods.Program, lower, upper []int64) {
	f, lower, upper = t.open(n.period).Within(n.narrow)
	for _, c := range n.narrow.Cuts() {
		f.Cut(c, f.Worth(c))
	}
	return f, lower, upper
}

func (t *search) relax(n *periodNode) (*relaxation, error) {
	r, begun := &relaxation{}, time.Now()
	r.Program, r.lower, r.upper = t.within(n)
	t.proving += time.Since(begun)
	var err error
	if r.problem, err = bound.Problem(&r.Linear); err != nil {
		return nil, err
	}
	for j := range r.lower {
		r.problem.ColLower[j], r.problem.ColUpper[j] = float64(r.lower[j]), float64(r.upper[j])
	}
	r.live, err = t.engine.Load(r.problem)
	return r, err
}

// solve solves the relaxation of a node and keeps what its prices prove, or the
// proof of its parent if that is better. The solution is nil if the engine
// fails; an error is that of the context.
func (t *search) solve(ctx context.Context, r *relaxation, n *periodNode) (*solver.Solution, error) {
	if n.basis != nil && t.engine.Caps().WarmStart {
		_ = r.live.SetBasis(n.basis) // a hint
	}
	s, err := r.live.Solve(ctx, solver.Limits{})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && !r.Whole() && !t.scaled { // iterations and ticks of jobs of hours may be of very different sizes
		t.engine, t.scaled = solver.Scale(t.engine), true
		_ = r.live.Close()
		if r.live, err = t.engine.Load(r.problem); err == nil {
			s, err = r.live.Solve(ctx, solver.Limits{})
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if err != nil {
		return nil, nil
	}
	n.basis = s.Basis
	y, bits, empty := s.RowDual, leafBits, s.Status == solver.Infeasible
	if empty {
		y = unit(s.Ray)
	}
	if empty || !r.Whole() {
		bits = fineBits
	}
	prices, denominator, err := bound.Prices(&r.Linear, y, !empty, bits)
	if err == nil && !denominator.IsInt64() { // all prices are tiny
		prices, denominator, err = bound.Prices(&r.Linear, y, !empty, bits-denominator.BitLen()+63)
	}
	if err != nil || !denominator.IsInt64() {
		return s, nil
	}
	list, err := relax.Int64s(prices)
	if err != nil {
		return s, nil
	}
	proof := &periods.Leaf{Prices: list, Denominator: denominator.Int64(), Empty: empty}
	begun := time.Now()
	proof.Rights = r.Rights
	v, err := r.Proven(proof, r.lower, r.upper)
	t.proving += time.Since(begun)
	if err == nil && (empty || n.value == nil || v.Cmp(n.value) <= 0) {
		n.proof, n.value, n.inherited = proof, v, false
	}
	return s, nil
}

// Precision of the prices of leaves. Values are rounded down to values that plans of a
// period can have, so few bits suffice; those of plans of any period are not, and proofs that there
// is no plan may need more.
const (
	leafBits = 28
	fineBits = 50
)

// holds reports whether a point has all columns and respects their bounds, so that
// a node can be split at it. Nothing else the engine says of it is trusted.
func (r *relaxation) holds(x []float64) bool {
	if len(x) != len(r.lower) {
		return false
	}
	for j, v := range x {
		slack := tree.IntegralityTol
		if !r.Whole() {
			slack *= max(1, float64(r.upper[j]))
		}
		if !(v >= float64(r.lower[j])-slack && v <= float64(r.upper[j])+slack) {
			return false
		}
	}
	return true
}

// unit scales a ray, whose length is arbitrary, so that its largest entry is 1.
func unit(ray []float64) []float64 {
	size := 0.0
	for _, v := range ray {
		size = max(size, math.Abs(v))
	}
	scaled := make([]float64, len(ray))
	for i, v := range ray {
		scaled[i] = v / max(size, math.SmallestNonzeroFloat64)
	}
	return scaled
}
