package formulation

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/solver"
	"jigsaw/solver/colgen"
	"jigsaw/solver/tree"
)

// TreeLimits of [BranchAndPrice].
type TreeLimits struct {
	// Start is a schedule of the instance: the first incumbent. It is needed:
	// plans are limited to what may beat it.
	Start *instance.Schedule
	// Nodes is the largest number of nodes solved; 0 means no limit.
	Nodes int
	// Improved, if not nil, is told of every better schedule.
	Improved func(*instance.Schedule)
	// Event, if not nil, is told of the number of nodes solved and of columns.
	Event func(nodes, columns int)
	// Solver limits each solve of a master.
	Solver solver.Limits
}

// TreeResult is what a search ended with.
type TreeResult struct {
	// Schedule is the best known, the start at worst.
	Schedule *instance.Schedule
	// Bound is set where the tree was closed: it equals the schedule's value,
	// and its certificate covers the tree.
	Bound  Bound
	Status tree.Status
	Nodes  int
}

// MostTicks is the longest schedule whose every tick branch-and-price looks at.
const MostTicks = 400

// BranchAndPrice proves a schedule optimal or finds better ones, for makespan
// and weighted completion: the columns program at every node of a tree, with
// every tick a point. Jobs live on pools until their homes are decided, last of
// all; with all homes, windows, depths and rates decided a node is a schedule,
// so that the search is exact. It is for instances of some jobs and GPUs and up
// to [MostTicks] ticks; larger ones are an error.
func BranchAndPrice(ctx context.Context, in *instance.Instance, engine solver.Solver, limits TreeLimits) (TreeResult, error) {
	r := TreeResult{Schedule: limits.Start}
	if limits.Start == nil || in.Objective.Periodic() {
		return r, fmt.Errorf("formulation: branch-and-price needs a schedule to start from, and an objective that is not periodic")
	}
	value := in.Value(limits.Start)
	if limits.Start.Makespan(in) > MostTicks || !value.Num().IsInt64() || value.Num().BitLen() > 48 {
		return r, fmt.Errorf("formulation: branch-and-price is for schedules of up to %d ticks", MostTicks)
	}
	t := newTreeProblem(in, engine, limits)
	if t == nil {
		return r, fmt.Errorf("formulation: branch-and-price is not for jobs of that many depths")
	}
	root := rootNode(in)
	result, err := tree.Search(ctx, t, &treeNode{node: root}, tree.Options[*treeNode]{
		Nodes: limits.Nodes, Cutoff: func() float64 { return float64(t.target) },
		Events: func(e tree.Event) {
			if limits.Event != nil {
				limits.Event(e.Nodes, t.columns)
			}
		},
	})
	r.Schedule, r.Status, r.Nodes = t.best, result.Status, result.Nodes
	if result.Status == tree.Closed {
		b := Bound{Kind: TreeBound, Certificate: t.certificate()}
		if proveErr := newModel(in).proveTree(&b, b.Certificate); proveErr == nil {
			r.Bound = b
		} else {
			r.Status = tree.Unresolved
		}
	}
	return r, err
}

// treeNode is a node as the search holds it, with its place in the proof.
type treeNode struct {
	node     *branchNode
	split    *split
	children []*treeNode
	proof    *leaf
}

// treeProblem evaluates nodes.
type treeProblem struct {
	in      *instance.Instance
	engine  solver.Solver
	limits  TreeLimits
	m       *model // each job a class of its own
	ways    [][]way
	root    *treeNode
	best    *instance.Schedule
	target  int64    // its value: schedules must be better
	known   [][]plan // by job
	keys    map[string]bool
	columns int
}

// split returns the model with every job a class of its own.
func (m *model) split() *model {
	out := *m
	out.demands = nil
	of := make([]int, len(m.in.Jobs))
	for c := range m.demands {
		for _, j := range m.demands[c].jobs {
			of[j] = c
		}
	}
	for j := range m.in.Jobs {
		d := m.demands[of[j]]
		d.jobs = []instance.JobID{instance.JobID(j)}
		d.job = &m.in.Jobs[j]
		out.demands = append(out.demands, d)
	}
	return &out
}

func newTreeProblem(in *instance.Instance, engine solver.Solver, limits TreeLimits) *treeProblem {
	m := newModel(in).split()
	for i := range m.demands {
		d := &m.demands[i]
		if m.multisets(d); d.relaxedRule() || d.short || d.unplaced || len(d.job.Depths) > mostBits {
			return nil
		}
	}
	t := &treeProblem{in: in, engine: engine, limits: limits, m: m, keys: map[string]bool{}, known: make([][]plan, len(in.Jobs))}
	t.accept(limits.Start)
	for i := range m.demands {
		t.ways = append(t.ways, m.ways(&m.demands[i]))
	}
	return t
}

// accept makes a schedule the incumbent.
func (t *treeProblem) accept(s *instance.Schedule) {
	t.best, t.target = s, t.in.Value(s).Num().Int64()
}

// dues returns by when each job must end in a schedule that is better than the
// target: the others cannot end before their chains.
func (m *model) dues(target int64) []int64 {
	dues := make([]int64, len(m.demands))
	for j := range m.demands {
		job := m.demands[j].job
		dues[j] = target - 1
		if m.in.Objective == instance.WeightedCompletion {
			rest := big.NewInt(target - 1)
			for o := range m.demands {
				if o != j {
					chain := m.demands[o].chain(m.demands[o].iteration)
					rest.Sub(rest, chain.Mul(chain, big.NewInt(m.demands[o].job.Weight)))
				}
			}
			rest.Div(rest, big.NewInt(job.Weight))
			dues[j] = -1
			if rest.IsInt64() {
				dues[j] = max(-1, rest.Int64())
			}
		}
		if job.Deadline > 0 {
			dues[j] = min(dues[j], int64(job.Deadline))
		}
	}
	return dues
}

// nodeMaster builds the master of a node for schedules better than the target.
// ok is false where some job has no time left.
func (m *model) nodeMaster(n *branchNode, ways [][]way, target int64) (s *master, ok bool) {
	dues := m.dues(target)
	horizon := max(1, slices.Max(dues))
	for j := range dues {
		if d := &m.demands[j]; d.chain(d.iteration).Cmp(big.NewInt(dues[j])) > 0 {
			return nil, false
		}
	}
	s = &master{
		m: m, due: horizon, horizon: horizon, grain: planGrain{horizon, horizon}, calendar: newCalendar(horizon, horizon), everyLink: true,
		classes: make([]planClass, len(m.demands)), theta: m.in.Objective == instance.Makespan,
	}
	for j := range m.demands {
		s.classes[j] = planClass{d: &m.demands[j], ways: ways[j]}
	}
	s.supplies()
	s.settle(n)
	s.number()
	for j := range s.classes {
		class := &s.classes[j]
		class.pricer = s.newPricer(class)
		class.pricer.due, class.pricer.ends = dues[j], n.jobs[j].ends
		class.pricer.grid.points = class.pricer.grid.at(max(dues[j], class.pricer.grid.release))
		if n.jobs[j].home != nil {
			class.home = s.newHomePricer(n, j)
		}
	}
	s.measure()
	s.noPlan = 4 * max(1, float64(target)/s.unit)
	for j := range s.classes {
		if s.classes[j].home != nil {
			s.classes[j].home.weight = s.classes[j].pricer.weight
		}
	}
	return s, true
}

// settle adds the groups of single GPUs and links; those that decided homes use
// have rows. Where all homes are decided the pools have none. Groups have the
// same numbers at every node, so that plans can move between them.
func (s *master) settle(n *branchNode) {
	in := s.m.in
	if n.decided() {
		for g := range s.groups {
			s.groups[g].capacity = 0
		}
	}
	s.firstGPU = len(s.groups)
	s.like = n.likenesses(in)
	for g := range in.GPUs {
		s.groups = append(s.groups, supply{name: fmt.Sprintf("g%d", g)})
	}
	for l := range in.Links {
		s.groups = append(s.groups, supply{name: in.Links[l].Name})
	}
	peak := make([]int64, len(in.Links)) // of all synchronisations together
	for _, b := range n.jobs {
		if b.home == nil {
			continue
		}
		for _, g := range b.home {
			if s.groups[s.gpuGroup(g)].capacity == 0 {
				s.groups[s.gpuGroup(g)].capacity = int64(len(s.sharers(g)))
			}
		}
		span, _ := in.Span(b.home)
		for _, use := range span.Uses {
			peak[use.Link] += int64(span.Rate(in.RateLevels[0])) * int64(use.Times)
		}
	}
	for l := range in.Links {
		if capacity := int64(in.Links[l].Capacity); peak[l] > capacity {
			unit := s.linkUnit(instance.LinkID(l))
			s.groups[s.linkGroup(instance.LinkID(l))].capacity = (capacity + unit - 1) / unit
		}
	}
}

// gpuGroup is the group of a GPU: that of the first GPU like it.
func (s *master) gpuGroup(g instance.GPUID) int { return s.firstGPU + int(s.like[g]) }

// sharers lists the GPUs that share the rows of one.
func (s *master) sharers(g instance.GPUID) (list []instance.GPUID) {
	for o := range s.like {
		if s.like[o] == s.like[g] {
			list = append(list, instance.GPUID(o))
		}
	}
	return list
}

// group returns the group that stands for a group of a plan, which names
// every GPU's own.
func (s *master) group(own int) int {
	if g := own - s.firstGPU; s.like != nil && g >= 0 && g < len(s.like) {
		return s.firstGPU + int(s.like[g])
	}
	return own
}

// likenesses returns for every GPU the first of those that share its rows.
func (n *branchNode) likenesses(in *instance.Instance) []instance.GPUID {
	first := map[string]instance.GPUID{}
	like := make([]instance.GPUID, len(in.GPUs))
	for g := range in.GPUs {
		id := instance.GPUID(g)
		like[g] = id
		if n.single {
			continue
		}
		key := fmt.Sprint(in.GPUs[g].Node)
		for j, b := range n.jobs {
			if slices.Contains(b.home, id) {
				key += fmt.Sprint(" ", j)
			}
		}
		if _, known := first[key]; !known {
			first[key] = id
		}
		like[g] = first[key]
	}
	return like
}

func (s *master) linkGroup(l instance.LinkID) int { return s.firstGPU + len(s.m.in.GPUs) + int(l) }

// linkUnit is the bit/s that the group of a link counts in: such that the rate
// levels of the links are whole numbers of it, unless it would be so small that
// it left no room for prices. Then capacities are rounded up and what is taken
// of them down.
func (s *master) linkUnit(l instance.LinkID) int64 {
	in := s.m.in
	unit := int64(0)
	for i := range in.Links {
		if !in.Links[i].Failed {
			unit = gcd(unit, int64(in.Links[i].Capacity))
		}
	}
	for _, level := range in.RateLevels {
		unit = gcd(unit, unit/int64(level))
	}
	return max(1, unit, int64(in.Links[l].Capacity)>>14)
}

// margin is by how much the bound of a node must pass the value before the
// target, so that the rounding of its prices cannot spoil the proof.
const margin = 0.02

// unproven is taken off the bounds that the search gets to see: they order its
// nodes, but none is pruned without a proof.
const unproven = 1e12

// Evaluate implements [tree.Problem].
func (t *treeProblem) Evaluate(ctx context.Context, at *treeNode, _ float64) (tree.Outcome[*treeNode], error) {
	if t.root == nil {
		t.root = at
	}
	s, ok := t.m.nodeMaster(at.node, t.ways, t.target)
	if !ok {
		at.proof = &leaf{target: t.target}
		return tree.Outcome[*treeNode]{Bound: math.Inf(1), Closed: true}, nil
	}
	// Where some job has no plan at all, no prices are needed.
	idle := &leaf{target: t.target, scale: 1, prices: make([]int64, s.rows)}
	if !s.planned() {
		if _, ok = t.m.proveLeaf(at.node, t.ways, idle); ok {
			at.proof = idle
			return tree.Outcome[*treeNode]{Bound: math.Inf(1), Closed: true}, nil
		}
	}
	cutoff := (float64(t.target) - 1 + margin) / s.unit
	if s.theta {
		cutoff = 1 + 1e-6
	}
	// Once the node cannot be closed it is split. Where rounded prices do not
	// prove a bound at the cutoff, those of a better one may.
	opt := colgen.Options{Smoothing: smoothing, Cutoff: &cutoff, Enough: &cutoff, Gap: 1e-8, Solver: t.limits.Solver}
	result, columns, err := t.generate(ctx, at, s, opt, cutoff)
	if err == nil && at.proof == nil && (result.Bound >= cutoff || t.dead(at, s, columns, result.Weights)) {
		// Or where the solution at hand neither differs nor works.
		opt.Cutoff, opt.Enough = nil, nil
		result, columns, err = t.generate(ctx, at, s, opt, cutoff)
	}
	if err != nil {
		return tree.Outcome[*treeNode]{}, err
	}
	if at.proof != nil {
		return tree.Outcome[*treeNode]{Bound: math.Inf(1), Closed: true}, nil
	}
	bound := -unproven
	if !s.theta {
		bound += max(0, result.Bound*s.unit)
	}
	if result.Weights == nil || result.Status == colgen.Limit || result.Status == colgen.Infeasible {
		return tree.Outcome[*treeNode]{Bound: bound}, nil // unresolved
	}
	bundles := t.bundles(s, columns, result.Weights)
	how := at.node.choose(t.in, bundles)
	if how == nil {
		if schedule := t.schedule(bundles); schedule != nil {
			t.accept(schedule)
			if t.limits.Improved != nil {
				t.limits.Improved(schedule)
			}
			value := float64(t.target)
			return tree.Outcome[*treeNode]{Bound: bound, Incumbent: &value, Children: []*treeNode{t.again(at)}}, nil
		}
		if at.node.single {
			return tree.Outcome[*treeNode]{Bound: bound}, nil
		}
		how = &split{Kind: splitSingle}
	}
	children, ok := at.node.children(t.in, *how)
	if !ok {
		return tree.Outcome[*treeNode]{Bound: bound}, nil
	}
	at.split = how
	for _, c := range children {
		at.children = append(at.children, &treeNode{node: c})
	}
	if len(children) == 0 { // nowhere to live
		return tree.Outcome[*treeNode]{Bound: math.Inf(1), Closed: true}, nil
	}
	return tree.Outcome[*treeNode]{Bound: bound, Children: at.children}, nil
}

// generate solves the master of a node, from the plans known, and keeps its
// prices where they prove that the node holds nothing better than the target.
func (t *treeProblem) generate(ctx context.Context, at *treeNode, s *master, opt colgen.Options, cutoff float64) (colgen.Result[plan], []colgen.Column[plan], error) {
	known := make([][]plan, len(s.classes))
	for j := range known {
		for i := range t.known[j] {
			if p := &t.known[j][i]; p.completion <= s.classes[j].pricer.due && at.node.jobs[j].allows(p) {
				known[j] = append(known[j], *p)
			}
		}
	}
	live, result, err := s.run(ctx, t.engine, known, opt)
	if live == nil {
		return result, nil, err
	}
	defer func() { _ = live.Close() }()
	t.remember(s, live.Columns())
	if result.Prices != nil && result.Bound >= cutoff {
		proof := &leaf{target: t.target, scale: s.scale, prices: s.flat(s.prices(result.Prices))}
		var ok bool
		if proof.value, ok = t.m.proveLeaf(at.node, t.ways, proof); ok {
			at.proof = proof
		}
	}
	return result, live.Columns(), err
}

// dead reports whether a solution gives nothing to split at and no schedule.
func (t *treeProblem) dead(at *treeNode, s *master, columns []colgen.Column[plan], weights []float64) bool {
	if weights == nil || !at.node.single {
		return false
	}
	bundles := t.bundles(s, columns, weights)
	return at.node.choose(t.in, bundles) == nil && t.schedule(bundles) == nil
}

// again puts a node that is to be looked at once more below itself.
func (t *treeProblem) again(at *treeNode) *treeNode {
	child := &treeNode{node: at.node}
	at.children = []*treeNode{child}
	return child
}

// remember keeps the plans for other nodes.
func (t *treeProblem) remember(s *master, columns []colgen.Column[plan]) {
	t.columns += len(columns)
	for i := range columns {
		c := &columns[i]
		p := &c.Data
		if p.ends == nil {
			continue
		}
		j := s.classOf(c)
		key := fmt.Sprint(j, p.home, p.ends, p.tasks, p.syncs, p.visits)
		if !t.keys[key] {
			t.keys[key] = true
			t.known[j] = append(t.known[j], *p)
		}
	}
}

// bundle is the plans that a solution mixes for a job.
type bundle struct {
	plans   []*plan
	weights []float64
}

func (t *treeProblem) bundles(s *master, columns []colgen.Column[plan], weights []float64) []bundle {
	list := make([]bundle, len(s.classes))
	for i := range columns {
		if i >= len(weights) || weights[i] < leastWeight || columns[i].Data.ends == nil {
			continue
		}
		b := &list[s.classOf(&columns[i])]
		b.plans = append(b.plans, &columns[i].Data)
		b.weights = append(b.weights, weights[i])
	}
	return list
}

// spread returns the mean and the variance of a number of the plans, and
// whether it differs at all.
func (b *bundle) spread(of func(*plan) int64) (mean, variance float64, differs bool) {
	sum := 0.0
	for i, p := range b.plans {
		mean += b.weights[i] * float64(of(p))
		sum += b.weights[i]
		differs = differs || of(p) != of(b.plans[0])
	}
	mean /= sum
	for i, p := range b.plans {
		variance += b.weights[i] / sum * (float64(of(p)) - mean) * (float64(of(p)) - mean)
	}
	return mean, variance, differs
}

// mostNarrowed is how many ends a job are split, on average, before homes are.
const mostNarrowed = 3

// narrowed counts the ends that are limited.
func (n *branchNode) narrowed() int {
	count := 0
	for _, b := range n.jobs {
		for _, end := range b.ends {
			if end.from > anyTime.from {
				count++
			}
			if end.to < anyTime.to {
				count++
			}
		}
	}
	return count
}

// fewHomes is the number of homes up to which they are decided first.
const fewHomes = 6

// homeless returns the split of the homes of the largest job without one.
func (n *branchNode) homeless(in *instance.Instance) *split {
	var best *split
	largest := int64(-1)
	for j := range n.jobs {
		job := &in.Jobs[j]
		if size := int64(job.Workers) * int64(job.Iterations); n.jobs[j].home == nil && size > largest {
			best, largest = &split{Kind: splitHome, Job: j}, size
		}
	}
	return best
}

// choose returns the split for a fractional solution. For weighted completion
// it is the end that differs most among the plans of a job, whose price then
// tells, unless a home can be decided in few ways; makespan has a price on the
// last end only, so that homes come first. After both come starts, and depths and levels. It returns nil where every job
// has one plan with a home.
func (n *branchNode) choose(in *instance.Instance, bundles []bundle) *split {
	var best *split
	most := 0.0
	try := func(b *bundle, s split, of func(*plan) int64) {
		mean, variance, differs := b.spread(of)
		if differs && (best == nil || variance > most) {
			s.At = int64(math.Floor(mean))
			best, most = &s, variance
		}
	}
	ends := func() *split {
		for j := range bundles {
			for i := range n.jobs[j].ends {
				if len(bundles[j].plans) > 1 {
					try(&bundles[j], split{Kind: splitEnd, Job: j, Iteration: i}, func(p *plan) int64 { return p.ends[i] })
				}
			}
		}
		return best
	}
	home := n.homeless(in)
	if home != nil && in.Objective == instance.WeightedCompletion && n.narrowed() < mostNarrowed*len(n.jobs) {
		if homes, ok := n.homes(in, home.Job); (!ok || len(homes) > fewHomes) && ends() != nil {
			return best
		}
	}
	if home != nil {
		return home
	}
	if ends() != nil {
		return best
	}
	for j := range bundles {
		b := &bundles[j]
		if len(b.plans) < 2 {
			continue
		}
		for i := range n.jobs[j].ends {
			for w := range in.Jobs[j].Workers {
				try(b, split{Kind: splitStart, Job: j, Iteration: i, Worker: w}, func(p *plan) int64 { return p.tasks[i][w].start })
			}
			if in.Jobs[j].HasSync() {
				try(b, split{Kind: splitSync, Job: j, Iteration: i}, func(p *plan) int64 { return p.syncs[i].start })
			}
		}
	}
	if best != nil {
		return best
	}
	// Depths and levels are no numbers: split off one of them.
	for j := range bundles {
		b := &bundles[j]
		for i := range n.jobs[j].ends {
			for w := range in.Jobs[j].Workers {
				if _, _, differs := b.spread(func(p *plan) int64 { return int64(p.tasks[i][w].depth) }); differs {
					return &split{Kind: splitDepth, Job: j, Iteration: i, Worker: w, At: int64(b.plans[0].tasks[i][w].depth)}
				}
			}
			if _, _, differs := b.spread(func(p *plan) int64 { return int64(p.syncs[i].level) }); differs {
				return &split{Kind: splitLevel, Job: j, Iteration: i, At: int64(b.plans[0].syncs[i].level)}
			}
		}
	}
	return nil
}

// schedule writes one plan of every job down as a schedule, or nil if it is
// not valid and better than the target.
func (t *treeProblem) schedule(bundles []bundle) *instance.Schedule {
	s := &instance.Schedule{Residency: make([][]instance.GPUID, len(t.in.Jobs))}
	for j := range bundles {
		if len(bundles[j].plans) == 0 {
			return nil
		}
		job, id, p := &t.in.Jobs[j], instance.JobID(j), bundles[j].plans[0]
		s.Residency[j] = slices.Clone(p.home)
		for i := range p.ends {
			for w, g := range p.home {
				task := p.tasks[i][w]
				start := instance.Tick(task.start)
				s.Tasks = append(s.Tasks, instance.Task{
					Job: id, Iteration: i + 1, GPU: g, Depth: task.depth, Start: start, End: start + job.On[t.in.GPUs[g].Type].Time[task.depth],
				})
			}
			if job.HasSync() {
				s.Syncs = append(s.Syncs, instance.Sync{
					Job: id, Iteration: i + 1, Start: instance.Tick(p.syncs[i].start), End: instance.Tick(p.ends[i]), Rate: t.in.RateLevels[p.syncs[i].level],
				})
			}
		}
	}
	s.Sort()
	if len(instance.Check(t.in, s)) > 0 || t.in.Value(s).Cmp(new(big.Rat).SetInt64(t.target)) >= 0 {
		return nil
	}
	return s
}
