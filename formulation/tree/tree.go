package tree

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/columns"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/trees"
	"jigsaw/solver"
	"jigsaw/solver/colgen"
	"jigsaw/solver/tree"
)

// Limits of [BranchAndPrice].
type Limits struct {
	// Start is a schedule of the instance: the first incumbent. Plans are limited to what may beat it.
	// It is nil if none is known and all jobs have deadlines, which also limit the plans.
	Start *instance.Schedule
	// Known is a bound already proven, from which to continue; nil for none.
	Known *big.Rat
	// Seen, if not nil, returns the value of the best schedule known to others.
	Seen func() *big.Rat
	// Nodes is the largest number of nodes solved; 0 means no limit.
	Nodes int
	// Improved, if not nil, is called with every better schedule.
	Improved func(*instance.Schedule)
	// Bounded, if not nil, is called with every better bound.
	Bounded func(bound.Bound)
	// Event, if not nil, is called with the number of nodes solved and of columns.
	Event func(nodes, columns int)
	long  bool // treat even short schedules as long, for tests
}

// Result is the outcome of a search.
type Result struct {
	// Schedule is the best known, at worst the start. Without one, a bound above
	// [instance.Instance.ByDeadlines] proves that there is none.
	Schedule *instance.Schedule
	// Bound is the highest target for which the tree was closed; its certificate
	// covers the tree. If Status is [tree.Closed] it is the value of the best
	// schedule known, to the tree or to others.
	Bound  bound.Bound
	Status tree.Status
	Nodes  int
}

// BranchAndPrice proves a schedule optimal or finds better ones, for makespan and weighted
// completion; see the package comment. It is for instances of a few jobs and GPUs and up
// to [cases.MostTicks] ticks. For longer schedules, with makespan only, there are no
// linear programs with every tick: only homes are decided, and nodes are closed by the
// contents of GPUs and by a few orders, for the highest target that all of them allow.
func BranchAndPrice(ctx context.Context, in *instance.Instance, engine solver.Solver, limits Limits) (Result, error) {
	r := Result{Schedule: limits.Start}
	value, end := beyond(in, limits.Start)
	if value == nil {
		return r, fmt.Errorf("formulation: branch-and-price needs a schedule to start from, or deadlines of all jobs, and an objective that is not periodic")
	}
	if !value.Num().IsInt64() || value.Num().BitLen() > 48 {
		return r, fmt.Errorf("formulation: branch-and-price is not for values beyond 2^48")
	}
	t := newTreeProblem(in, engine, limits)
	if t == nil {
		return r, fmt.Errorf("formulation: branch-and-price is not for jobs of that many depths")
	}
	t.long = limits.long || end > cases.MostTicks || slices.Max(cases.Dues(t.m, t.target)) > cases.MostNodeTicks
	if t.long && (in.Objective != instance.Makespan || end > relax.MaxHorizon) {
		return r, fmt.Errorf("formulation: branch-and-price is for plans of up to %d ticks, or for makespan", cases.MostTicks)
	}
	var err error
	for err == nil && (r.Bound.Value == nil || r.Bound.Value.Cmp(t.value()) < 0) {
		t.goal(r.Bound.Value)
		var result tree.Result
		result, err = tree.Search(ctx, t, t.root, tree.Options[*node]{
			Nodes: limits.Nodes, Cutoff: func() float64 { return float64(t.target) },
			Events: func(e tree.Event) {
				if limits.Event != nil {
					limits.Event(r.Nodes+e.Nodes, t.columns)
				}
			},
		})
		r.Schedule, r.Status, r.Nodes = t.best, result.Status, r.Nodes+result.Nodes
		if errors.Is(err, errOpen) {
			err = nil
			break
		}
		if result.Status != tree.Closed {
			break
		}
		certificate, proving := t.certificate()
		if proven := new(big.Rat).Set(&certificate.Bound.Rat); r.Bound.Value == nil || proven.Cmp(r.Bound.Value) > 0 {
			// Every leaf was examined when it was made.
			r.Bound = bound.Bound{Proven: relax.Proven{Kind: relax.TreeBound, Certificate: certificate, Certified: true, Value: proven}, Proving: proving}
			if limits.Bounded != nil {
				limits.Bounded(r.Bound)
			}
		}
		if t.lowered {
			r.Status = tree.Failed
			break
		}
		if limits.Nodes > 0 {
			if limits.Nodes -= result.Nodes; limits.Nodes < 1 && r.Bound.Value.Cmp(t.value()) < 0 {
				r.Status = tree.NodeLimit
				break
			}
		}
	}
	return r, err
}

// beyond returns a value that all schedules of interest are better than (that of the first one
// known or, if there is none, of one that misses deadlines), and when the last of them may end; nil
// if there is no such value.
func beyond(in *instance.Instance, start *instance.Schedule) (value *big.Rat, end instance.Tick) {
	switch {
	case in.Objective.Periodic():
		return nil, 0
	case start != nil:
		return in.Value(start), start.Makespan(in)
	}
	if value, end = in.ByDeadlines(); value != nil {
		value.Add(value, big.NewRat(1, 1))
	}
	return value, end
}

// goals is about the number of steps in which the bound is raised from the
// known one to the value of the best schedule.
const goals = 8

// goal sets a target somewhat above the bound already proven. The tree grows:
// what had to be split has to be split for higher targets, too.
func (t *search) goal(proven *big.Rat) {
	if proven == nil {
		proven = t.limits.Known
	}
	t.target = t.value().Num().Int64()
	if proven != nil {
		from := exact.Ceil(proven).Int64()
		t.proven = from
		if t.step == 0 {
			t.step = max(1, (t.target-from+goals-1)/goals)
		}
		if t.target = min(t.target, from+t.step); t.long {
			t.step *= goals // the next one is lowered if it is too high
		}
	}
}

// value returns that of the best schedule known.
func (t *search) value() *big.Rat {
	value := t.beyond
	if t.best != nil {
		value = t.in.Value(t.best)
	}
	if t.limits.Seen != nil {
		if seen := t.limits.Seen(); seen != nil && seen.Cmp(value) < 0 {
			return seen
		}
	}
	return value
}

// leafProof is a leaf, and the time it took to prove.
type leafProof struct {
	trees.Leaf
	took time.Duration
}

// node is a node of the search, with its place in the proof.
type node struct {
	node     *cases.Node
	split    *cases.Split
	children []*node
	proof    *leafProof
	yielded  bool // see yield
}

// search evaluates nodes.
type search struct {
	in      *instance.Instance
	engine  solver.Solver
	limits  Limits
	m       *relax.Model // each job a class of its own
	modes   [][]relax.ModeOptions
	root    *node
	best    *instance.Schedule
	beyond  *big.Rat         // the value while there is no schedule
	target  int64            // schedules must be better
	proven  int64            // of all nodes, by the targets before
	step    int64            // from one target to the next
	known   [][]columns.Plan // by job
	keys    map[string]bool
	columns int
	// sequenced holds the outcomes of sequencings, steps the work spent on them,
	// and credit how much more it may be.
	sequenced     map[string]sequenceResult
	steps, credit int
	linked        bool // a schedule of orders was invalid because of links, which orders ignore
	long          bool // schedules have too many ticks for linear programs of each
	lowered       bool // the target was lowered to the most that is proven of some leaf, see lower
}

func newTreeProblem(in *instance.Instance, engine solver.Solver, limits Limits) *search {
	m := relax.New(in).Split()
	for i := range m.Classes {
		d := &m.Classes[i]
		if !cases.Divisible(m, d) {
			return nil
		}
	}
	t := &search{in: in, engine: engine, limits: limits, m: m, root: &node{node: cases.Root(in)}, keys: map[string]bool{}, sequenced: map[string]sequenceResult{}, credit: budgets[in.Objective].first, known: make([][]columns.Plan, len(in.Jobs))}
	t.best = limits.Start
	t.beyond, _ = beyond(in, t.best)
	t.target = t.beyond.Num().Int64()
	for i := range m.Classes {
		t.modes = append(t.modes, m.ModeOptions(&m.Classes[i]))
	}
	return t
}

// improve makes a better schedule the incumbent.
func (t *search) improve(s *instance.Schedule) {
	t.best, t.target = s, min(t.target, t.in.Value(s).Num().Int64())
	if t.limits.Improved != nil {
		t.limits.Improved(s)
	}
}

// mostKnown is the number of plans of a job, the latest found, that a program
// starts with.
const mostKnown = 150

// margin is by how much the bound of a node must exceed the value before the
// target, so that rounding its prices cannot invalidate the proof.
const margin = 0.02

// unproven is subtracted from the bounds that the search gets: they order its
// nodes, but none is pruned without a proof.
const unproven = 1e12

// Evaluate implements [tree.Problem].
func (t *search) Evaluate(ctx context.Context, at *node, _ float64) (tree.Outcome[*node], error) {
	if len(at.children) > 0 {
		return tree.Outcome[*node]{Bound: -unproven, Children: at.children}, nil
	}
	before := at.proof
	if before != nil && before.Target >= t.target {
		return closed, nil
	}
	if at.proof = t.sequences(ctx, at.node, quickSteps); at.proof != nil {
		return closed, nil
	}
	if at.proof = t.packed(ctx, at.node); at.proof != nil {
		return closed, nil
	}
	if before != nil && (before.Packed || before.Sets != nil) {
		before = nil // for other prices
	}
	// Few prices suffice to prove most homes bad, and while some are undecided the
	// next split is known.
	how, tries := homeless(at.node, t.in), nodeBuckets
	var children []*cases.Node
	listed := false
	if how != nil {
		if children, listed = at.node.Children(t.in, *how, cases.MostAssignments); listed {
			tries = tries[:1]
		}
	}
	if before != nil {
		tries = tries[max(0, slices.Index(tries, before.Buckets)):]
	}
	n, err := t.prove(ctx, at, tries, before)
	if err != nil || at.proof != nil {
		return closed, err
	}
	if !listed {
		if n.result.Weights == nil || n.result.Status == colgen.Limit || n.result.Status == colgen.Infeasible {
			return n.outcome, nil // unresolved
		}
		if how = choose(at.node, t.in, n.bundles); how == nil {
			if schedule := t.schedule(n.bundles); schedule != nil {
				t.improve(schedule)
				value := float64(t.target)
				n.outcome.Incumbent, n.outcome.Children = &value, []*node{t.again(at)}
				return n.outcome, nil
			}
			if at.node.Single {
				return n.outcome, nil
			}
			how = &cases.Split{Kind: cases.SplitSingle}
		}
		if children, listed = at.node.Children(t.in, *how, cases.MostAssignments); !listed {
			return n.outcome, nil
		}
	}
	at.split = how
	for _, c := range children {
		at.children = append(at.children, &node{node: c})
	}
	if len(children) == 0 { // nowhere to live
		return closed, nil
	}
	n.outcome.Children = at.children
	return n.outcome, nil
}

// closed is the outcome of a node that holds nothing better.
var closed = tree.Outcome[*node]{Bound: math.Inf(1), Closed: true}

// nodeBuckets are about how many buckets prices have, in the order in which they are
// tried; 0 is one for each tick.
var nodeBuckets = []int64{12, 40, 0}

// solved is the outcome of column generation at a node that could not be closed:
// the plans in its solution, and an outcome to which children may be added.
type solved struct {
	outcome tree.Outcome[*node]
	result  colgen.Result[columns.Plan]
	bundles []bundle
}

// close tries to prove that a node holds nothing better than the target, with
// prices in about the given number of buckets; see [nodeSearch]. Prices that
// proved this for a lower target, if there are any, are tried first.
func (t *search) close(ctx context.Context, at *node, buckets int64, before *leafProof) (solved, error) {
	s, ok := newNodeSearch(t.m, at.node, t.modes, t.target, buckets)
	if !ok {
		at.proof = &leafProof{Leaf: trees.Leaf{Target: t.target, Buckets: buckets}}
		return solved{}, nil
	}
	// If some job has no plan at all, no prices are needed.
	idle := &leafProof{Leaf: trees.Leaf{Target: t.target, Buckets: buckets, Scale: 1, Prices: make([]int64, s.Rows)}}
	if !s.Planned() {
		if idle.Value, ok = trees.ProveLeaf(t.m, at.node, t.modes, &idle.Leaf); ok {
			at.proof = idle
			return solved{}, nil
		}
	}
	cutoff := (float64(t.target) - 1 + margin) / s.Unit
	if s.Theta {
		cutoff = 1 + 1e-6
	}
	// If the node cannot be closed it is split. If rounded prices do not prove a
	// bound at the cutoff, those of a better solution may.
	opt := colgen.Options{Smoothing: bound.Smoothing, Cutoff: &cutoff, Enough: &cutoff, Gap: 1e-8}
	if before != nil {
		opt.Prices = warm(s, before)
	}
	result, columns, err := t.generate(ctx, at, s, opt, cutoff, buckets)
	if err == nil && at.proof == nil && (result.Bound >= cutoff || buckets == 0 && t.dead(at, s, columns, result.Weights)) {
		// Or if the current solution neither differs nor gives a schedule.
		opt.Cutoff, opt.Enough, opt.Prices = nil, nil, nil
		result, columns, err = t.generate(ctx, at, s, opt, cutoff, buckets)
	}
	if err != nil || at.proof != nil {
		return solved{}, err
	}
	n := solved{result: result, bundles: t.bundles(s, columns, result.Weights)}
	n.outcome.Bound = -unproven
	if bound := result.Bound * s.Unit; !s.Theta && !math.IsInf(bound, 1) { // infinite if the engine finds no plans
		n.outcome.Bound += max(0, bound)
	}
	return n, nil
}

// generate solves the master of a node, starting from the known plans, and
// keeps its prices if they prove that the node holds nothing better than the
// target.
func (t *search) generate(ctx context.Context, at *node, s *nodeSearch, opt colgen.Options, cutoff float64, buckets int64) (colgen.Result[columns.Plan], []colgen.Column[columns.Plan], error) {
	known := make([][]columns.Plan, len(s.Classes))
	for j := range known {
		for i := len(t.known[j]) - 1; i >= 0 && len(known[j]) < mostKnown; i-- {
			if p := &t.known[j][i]; p.Completion <= s.Classes[j].Plans.Due && allows(at.node.Jobs[j], p) && fitsHome(s.homes[j], p) {
				known[j] = append(known[j], *p)
			}
		}
	}
	live, result, err := s.Run(ctx, t.engine, known, opt)
	t.credit += result.Rounds * s.Rows * budgets[t.in.Objective].row
	if live == nil {
		return result, nil, err
	}
	defer func() { _ = live.Close() }()
	t.remember(s, live.Columns())
	if err == nil && result.Prices != nil && result.Bound >= cutoff {
		proof := &leafProof{Leaf: trees.Leaf{Target: t.target, Buckets: buckets, Scale: s.Scale, Prices: s.Flat(s.Prices(result.Prices))}}
		var ok bool
		begun := time.Now()
		if proof.Value, ok = trees.ProveLeaf(t.m, at.node, t.modes, &proof.Leaf); ok {
			proof.took, at.proof = time.Since(begun), proof
		}
	}
	return result, live.Columns(), err
}

// dead reports whether a solution offers neither a split nor a schedule.
func (t *search) dead(at *node, s *nodeSearch, columns []colgen.Column[columns.Plan], weights []float64) bool {
	if weights == nil || !at.node.Single {
		return false
	}
	bundles := t.bundles(s, columns, weights)
	return choose(at.node, t.in, bundles) == nil && t.schedule(bundles) == nil
}

// again puts a node that is to be examined once more below itself.
func (t *search) again(at *node) *node {
	child := &node{node: at.node}
	at.children = []*node{child}
	return child
}

// remember keeps the plans for other nodes.
func (t *search) remember(s *nodeSearch, columns []colgen.Column[columns.Plan]) {
	t.columns += len(columns)
	for i := range columns {
		c := &columns[i]
		p := &c.Data
		if p.Ends == nil {
			continue
		}
		j := s.ClassOf(c)
		key := []byte(c.Key) // what it takes when, not which choices lead to it
		for i, end := range p.Ends {
			key = binary.AppendUvarint(key, uint64(end))
			if p.Assignment == nil {
				continue
			}
			for _, task := range p.Tasks[i] {
				key = binary.AppendUvarint(key, uint64(task.Depth))
			}
			key = binary.AppendUvarint(key, uint64(p.Syncs[i].Level))
		}
		if !t.keys[string(key)] {
			t.keys[string(key)] = true
			t.known[j] = append(t.known[j], *p)
		}
	}
}

// schedule combines one plan of every job to a schedule, or returns nil if it
// is not valid or not better than the target.
func (t *search) schedule(bundles []bundle) *instance.Schedule {
	s := &instance.Schedule{Residency: make([][]instance.GPUID, len(t.in.Jobs))}
	for j := range bundles {
		if len(bundles[j].plans) == 0 {
			return nil
		}
		job, id, p := &t.in.Jobs[j], instance.JobID(j), bundles[j].plans[0]
		s.Residency[j] = slices.Clone(p.Assignment)
		for i := range p.Ends {
			for w, g := range p.Assignment {
				task := p.Tasks[i][w]
				s.Tasks = append(s.Tasks, t.in.Task(id, i+1, g, task.Depth, instance.Tick(task.Start)))
			}
			if job.HasSync() {
				s.Syncs = append(s.Syncs, instance.Sync{
					Job: id, Iteration: i + 1, Start: instance.Tick(p.Syncs[i].Start), End: instance.Tick(p.Ends[i]), Rate: t.in.RateLevels[p.Syncs[i].Level],
				})
			}
		}
	}
	s.Sort()
	if len(check.Schedule(t.in, s)) > 0 || t.in.Value(s).Cmp(new(big.Rat).SetInt64(t.target)) >= 0 {
		return nil
	}
	return s
}

// nodeSearch is the master of a node.
type nodeSearch struct {
	*columns.Master
	homes []*cases.AssignedPlans
}

// newNodeSearch returns the master of a node.
func newNodeSearch(m *relax.Model, n *cases.Node, modes [][]relax.ModeOptions, target, buckets int64) (*nodeSearch, bool) {
	program, ok := cases.NewProgram(m, n, modes, target, buckets)
	if !ok {
		return nil, false
	}
	s := &nodeSearch{columns.NewMaster(program.Program), program.Assigned}
	for j, home := range s.homes {
		if home != nil {
			home.Weight = s.Classes[j].Plans.Weight
			s.Pricers[j] = newHomePricer(home)
		}
	}
	s.NoPlan = 4 * max(1, float64(target)/s.Unit)
	return s, true
}
