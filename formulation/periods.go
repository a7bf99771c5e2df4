package formulation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/solver"
	"jigsaw/solver/tree"
)

// PeriodLimits of [Periods].
type PeriodLimits struct {
	// Until returns the value of the best schedule known, nil for none: a bound
	// that meets it is the best there is.
	Until func() *big.Rat
	// Nodes is the largest number of nodes; 0 means that the search goes on with
	// larger programs while that may help, each of up to [MostPeriodNodes] nodes.
	Nodes int
	// Event, if not nil, is told of the number of nodes solved.
	Event func(nodes int)
	// Improved, if not nil, is told of better bounds before the last.
	Improved func(Bound)
}

// MostPeriodNodes keeps the certificate of a tree to some megabytes.
const MostPeriodNodes = 8000

// mostPeriodSize bounds the periods times the columns of the program of one.
const mostPeriodSize = 1 << 16

// wholeCompanies are the numbers of companies that may have variables of their
// own in the program of a period; the more, the stronger and the slower.
var wholeCompanies = []int{60, 150, mostCompanies}

// Periods returns the bound on a periodic objective that whole numbers give,
// where the instance bounds the period. In a plan of period P iterations, tasks
// and GPUs are counted in whole numbers: the fluid program of rates, stated for
// that period, is one in integers. For every P it is searched by branch and bound,
// all in one tree, the period of the largest bound first. Every leaf is proven by
// prices in exact arithmetic when it is made, so that the bound holds whenever
// the search ends. Bound.Value is nil if not all periods were looked at, or if
// they are too many.
func Periods(ctx context.Context, in *instance.Instance, engine solver.Solver, limits PeriodLimits) (Bound, error) {
	best := Bound{Kind: PeriodsBound}
	size := 0 // of the program before
	for _, companies := range wholeCompanies {
		m := newModel(in).whole(companies)
		if m == nil {
			break
		}
		t := &periodTree{m: m, engine: engine, until: limits.Until, periods: map[int64]*period{}, root: &periodNode{}, most: limits.Nodes}
		cols := len(t.open(int64(in.MaxPeriod)).p.cols)
		if cols == size {
			break
		}
		size = cols
		b, status, err := t.search(ctx, limits)
		if err != nil {
			return best, fmt.Errorf("formulation: program of a period: %w", err)
		}
		if best = Best(in, best, b); best.Value == nil {
			return b, nil
		}
		known := limits.Until()
		if status != tree.Closed || limits.Nodes > 0 || known != nil && best.Value.Cmp(known) <= 0 {
			break
		}
	}
	return best, nil
}

// proofs is how often the proofs of all nodes could be made in the time that is kept
// for the last list and its proof.
const proofs = 2

// search searches the tree and returns what it proves.
func (t *periodTree) search(ctx context.Context, limits PeriodLimits) (Bound, tree.Status, error) {
	options := tree.Options[*periodNode]{Nodes: limits.Nodes, Plunge: 1, Cutoff: t.cutoff}
	if options.Nodes == 0 {
		options.Nodes = MostPeriodNodes
	}
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	end, limited := ctx.Deadline()
	// When all periods were looked at, then as the tree grows by a quarter and if there is news.
	tell, told := 1+int(t.m.in.MaxPeriod), math.Inf(-1)
	options.Events = func(e tree.Event) {
		if limits.Event != nil {
			limits.Event(e.Nodes)
		}
		if limited && time.Until(end) < proofs*t.proving {
			enough() // in time to write the tree down and to prove it
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
		return Bound{}, r.Status, err
	}
	b := t.bound()
	if b.LP.Status = solver.Optimal; r.Status != tree.Closed {
		b.LP.Status = solver.IterationLimit
	}
	return b, r.Status, nil
}

// whole returns the model as the programs of periods need it, nil where the
// instance has none that are small enough. companies is a number of wholeCompanies.
func (m *model) whole(companies int) *model {
	if !m.in.Objective.Periodic() || m.in.MaxPeriod <= 0 || !slices.Contains(wholeCompanies, companies) {
		return nil
	}
	if s := m.split(); len(s.demands) > len(m.demands) {
		// Jobs that are alike are told apart where there is room for that.
		if one := s.whole(companies); one != nil {
			return one
		}
	}
	m.companies = companies
	if f := m.periodProgram(int64(m.in.MaxPeriod), nil); len(f.p.cols) == 0 || int64(len(f.p.cols)) > mostPeriodSize/int64(m.in.MaxPeriod) {
		return nil
	}
	return m
}

// periodProgram states the fluid program of plans with a period of so many
// ticks, and of jobs with limits; nil for none. All its columns count something,
// but the smallest rate.
func (m *model) periodProgram(ticks int64, limits []interval) *fluid {
	f := &fluid{m: m, scale: big.NewInt(1), time: -1, least: -1, p: program{name: "period"}}
	f.buildRates(ticks, limits)
	return f
}

// within returns the program of a node, whose rows depend on the limits of rates,
// and the bounds of its columns. f is the program of the whole period. The rows of
// a node begin with those of the node above.
func (f *fluid) within(n *narrowing) (at *fluid, lower, upper []int64) {
	lower, upper = f.bounds(n)
	cuts := n.cuts()
	if n == nil || f.rates == nil && cuts == nil {
		return f, lower, upper
	}
	var limits []interval
	if f.rates != nil {
		limits = f.rates.within(lower, upper)
	}
	at = f.m.periodProgram(f.period, limits)
	for _, c := range cuts {
		at.cut(c)
	}
	return at, lower, upper
}

// attainable returns the largest value that a plan of the period can have and
// that is not above v: rates are whole numbers of iterations in a period.
func (f *fluid) attainable(v *big.Rat) *big.Rat {
	down := func(unit *big.Rat) *big.Rat {
		n := new(big.Rat).Quo(v, unit)
		whole := new(big.Int).Div(n.Num(), n.Denom())
		return n.Mul(unit, n.SetInt(whole))
	}
	if f.m.in.Objective == instance.Throughput {
		return down(big.NewRat(1, f.period))
	}
	best := new(big.Rat)
	for i := range f.shapes {
		for _, c := range f.shapes[i].classes {
			job := f.m.demands[c].job
			unit := new(big.Rat).SetFrac(big.NewInt(int64(job.FastestFull())), mul(job.Weight, f.period))
			if at := down(unit); at.Cmp(best) > 0 {
				best = at
			}
		}
	}
	return best
}

// periodTree is the problem of the search.
type periodTree struct {
	m       *model
	engine  solver.Solver
	until   func() *big.Rat
	root    *periodNode
	periods map[int64]*period
	// stuck is the largest bound of nodes that cannot be split.
	stuck      *big.Rat
	iterations int
	proving    time.Duration // that stating and proving all nodes so far took
	// Of programs of GPUs: what the next begins with, how many prices helped, the value of the
	// last that was solved, and rounds times rows.
	start     gpuStart
	gpuPrices int
	reached   float64
	gpuWork   int
	most      int // nodes; 0 for no limit
}

// period is the program of one period, and what branching in it has taught.
type period struct {
	*fluid
	costs tree.PseudoCosts
}

// open returns a period.
func (t *periodTree) open(ticks int64) *period {
	if t.periods[ticks] == nil {
		f := t.m.periodProgram(ticks, nil)
		t.periods[ticks] = &period{f, tree.NewPseudoCosts(len(f.p.cols))}
	}
	return t.periods[ticks]
}

// periodNode is a node of the tree: the root, whose children are the periods, or
// the plans of a period within narrowed bounds of the columns.
type periodNode struct {
	period int64
	narrow *narrowing
	value  *big.Rat // no plan is better
	proof  *priceProof
	// inherited says that value and proof are those of the node above.
	inherited bool
	cuts      []*contentCut // which the node above lacks
	cutting   int           // how often it was cut since the last split
	gpus      *gpuStart     // not nil where single GPUs are looked at, too
	split     *narrowing    // the lower part, nil where there are not two
	parts     []*periodNode
	basis     *solver.Basis
}

// narrowing is a change of the bounds of a column, or a cut, after those of its
// parent.
type narrowing struct {
	parent       *narrowing
	col          int
	lower, upper int64
	cut          *contentCut
}

// cuts lists the cuts of a node, the first first.
func (n *narrowing) cuts() (list []*contentCut) {
	for ; n != nil; n = n.parent {
		if n.cut != nil {
			list = append(list, n.cut)
		}
	}
	slices.Reverse(list)
	return list
}

// priceProof are prices of a program's rows, and what they prove; empty says that
// it is that there is no plan at all, gpus that the program is that of [gpuProgram].
type priceProof struct {
	prices      []int64
	denominator int64
	value       *big.Int // over the denominator
	empty, gpus bool
}

// cutoff is what a bound has to be above to be of interest, negated.
func (t *periodTree) cutoff() float64 {
	c := math.Inf(1)
	for _, v := range []*big.Rat{t.until(), t.stuck} {
		if v != nil {
			f, _ := v.Float64()
			c = min(c, -f)
		}
	}
	return c
}

// bounds returns those of the columns in a node.
func (f *fluid) bounds(n *narrowing) (lower, upper []int64) {
	lower, upper = make([]int64, len(f.p.cols)), make([]int64, len(f.p.cols))
	for j := range upper {
		upper[j] = f.p.cols[j].upper
	}
	for ; n != nil; n = n.parent {
		if n.cut != nil {
			continue
		}
		lower[n.col], upper[n.col] = max(lower[n.col], n.lower), min(upper[n.col], n.upper)
	}
	return lower, upper
}

// Evaluate implements [tree.Problem].
func (t *periodTree) Evaluate(ctx context.Context, n *periodNode, _ float64) (tree.Outcome[*periodNode], error) {
	if n.period == 0 {
		for ticks := int64(t.m.in.MaxPeriod); ticks >= 1; ticks-- {
			n.parts = append(n.parts, &periodNode{period: ticks})
		}
		return tree.Outcome[*periodNode]{Bound: math.Inf(-1), Children: n.parts}, nil
	}
	r, err := t.relax(n)
	if err != nil {
		return tree.Outcome[*periodNode]{}, err
	}
	defer func() { _ = r.live.Close() }()
	s, err := t.solve(ctx, r, n)
	if err != nil {
		return tree.Outcome[*periodNode]{}, err
	}
	if n.proof != nil && n.proof.empty {
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
		out.Closed = known != nil && n.value.Cmp(known) <= 0 || t.stuck != nil && n.value.Cmp(t.stuck) <= 0
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
	if out.Children = n.parts; n.parts == nil && n.value != nil && (t.stuck == nil || n.value.Cmp(t.stuck) > 0) {
		t.stuck = n.value
	}
	return out, nil
}

// divide cuts the solution of a node off, which leaves one part, or splits the node.
func (t *periodTree) divide(ctx context.Context, r *relaxation, n *periodNode, s *solver.Solution) error {
	if left := mostCuts - len(n.narrow.cuts()); n.cutting < cutRounds && left > 0 {
		cuts, err := t.separate(ctx, r, s.Primal)
		if err != nil {
			return err
		}
		if cuts = cuts[:min(left, len(cuts))]; len(cuts) > 0 {
			part := n.part(n.narrow)
			for _, c := range cuts {
				part.narrow = &narrowing{parent: part.narrow, cut: c}
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
	*fluid
	problem      *solver.Problem
	live         solver.Model
	lower, upper []int64 // of the columns
}

func (t *periodTree) relax(n *periodNode) (*relaxation, error) {
	r, begun := &relaxation{}, time.Now()
	r.fluid, r.lower, r.upper = t.open(n.period).within(n.narrow)
	t.proving += time.Since(begun)
	var err error
	if r.problem, err = r.p.problem(); err != nil {
		return nil, err
	}
	for j := range r.lower {
		r.problem.ColLower[j], r.problem.ColUpper[j] = float64(r.lower[j]), float64(r.upper[j])
	}
	r.live, err = t.engine.Load(r.problem)
	return r, err
}

// solve solves the relaxation of a node and keeps what its prices prove, or what
// those of its parent do if that is more. The solution is nil where the engine
// fails; an error is the context's.
func (t *periodTree) solve(ctx context.Context, r *relaxation, n *periodNode) (*solver.Solution, error) {
	if n.basis != nil && t.engine.Caps().WarmStart {
		_ = r.live.SetBasis(n.basis) // a hint
	}
	s, err := r.live.Solve(ctx, solver.Limits{})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, nil
	}
	t.iterations += s.Iterations
	n.basis = s.Basis
	y, bits, empty := s.RowDual, leafBits, s.Status == solver.Infeasible
	if empty {
		y, bits = unit(s.Ray), emptyBits
	}
	prices, denominator, err := r.p.price(y, !empty, bits)
	if err != nil || !denominator.IsInt64() {
		return s, nil
	}
	list, err := small(prices)
	if err != nil {
		return s, nil
	}
	proof := &priceProof{prices: list, denominator: denominator.Int64(), empty: empty}
	begun := time.Now()
	v, err := r.proven(proof, r.lower, r.upper)
	t.proving += time.Since(begun)
	if err == nil && (empty || n.value == nil || v.Cmp(n.value) <= 0) {
		n.proof, n.value, n.inherited = proof, v, false
	}
	return s, nil
}

// Precision of the prices of leaves. Values are rounded down to what plans can
// have, so that few bits do; that there is no plan may be a close thing.
const (
	leafBits  = 28
	emptyBits = 50
)

// errNotEmpty is of prices that should have proven that there is no plan.
var errNotEmpty = errors.New("formulation: the prices do not prove that there is no plan")

// proven returns the value that no plan within the bounds is above, nil where
// there is no plan, and notes what the prices prove, over their denominator. The
// last rows may have none.
func (f *fluid) proven(proof *priceProof, lower, upper []int64) (*big.Rat, error) {
	if proof.gpus {
		return f.provenGPUs(proof)
	}
	prices, denominator := make([]*big.Int, max(len(proof.prices), len(f.p.rows))), big.NewInt(proof.denominator)
	for i := range prices {
		prices[i] = new(big.Int)
		if i < len(proof.prices) {
			prices[i].SetInt64(proof.prices[i])
		}
	}
	sum, err := f.p.evaluateWithin(prices, denominator, !proof.empty, lower, upper)
	if err != nil {
		return nil, err
	}
	proof.value = sum
	switch {
	case !proof.empty:
		return f.attainable(f.value(new(big.Rat).SetFrac(sum, denominator))), nil
	case sum.Sign() <= 0:
		return nil, errNotEmpty
	}
	return nil, nil
}

// holds reports whether a point is of the columns and within their bounds, so that
// a node can be split at it. What else the engine says of it is not believed.
func (r *relaxation) holds(x []float64) bool {
	if len(x) != len(r.lower) {
		return false
	}
	for j, v := range x {
		if !(v >= float64(r.lower[j])-tree.IntegralityTol && v <= float64(r.upper[j])+tree.IntegralityTol) {
			return false
		}
	}
	return true
}

// unit scales a ray, whose length means nothing, such that its largest entry is 1.
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
