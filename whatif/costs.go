package whatif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"jigsaw"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// CostOptions of [Costs].
type CostOptions struct {
	jigsaw.Options
	// Budget that a plan may cost; nil: none is asked for.
	Budget *big.Rat
	// Deadline of the makespan; 0: none is asked for.
	Deadline instance.Duration
	// Tried is told of each choice of nodes as it was planned, and of how many there are.
	Tried func(done, all int)
}

// CostResult says what plans on parts of a cluster take and cost.
type CostResult struct {
	Instance *instance.Instance
	// Choices of nodes, all of them first.
	Choices []NodeChoice
	// AtLeast is what no plan costs less than.
	AtLeast *big.Rat
	// Proofs of the bounds that answer nothing but AtLeast, the budget and the deadline, if these were asked for: of a budget it
	// may be that of Dual, or that nothing within it ends just before Earliest.
	Proof, BudgetProof, DeadlineProof *jigsaw.Certificate
	// Fastest of the choices within the budget, and Cheapest of those that meet the deadline; -1 where none does, or
	// none was asked for.
	Fastest, Cheapest int
	// Earliest is the end, in ticks, before which no plan ends that is within the budget; nil where none was
	// asked for, and where none is, ever: of a budget below AtLeast.
	Earliest *big.Rat
	// CostBy is what no plan costs less than that meets the deadline; nil where none was asked for.
	CostBy *big.Rat
	// TooLate: it is proven that no plan meets the deadline.
	TooLate bool
	// Dual is the bound of the makespan, whatever a plan costs, and certified.
	Dual *big.Rat
}

// NodeChoice is a part of the cluster, and the plan on it.
type NodeChoice struct {
	// Nodes is how many there are of each type of GPU, by type.
	Nodes []int
	// Spec is the instance in which the other nodes are out of service.
	Spec *instance.Spec
	// Result is nil where the jobs do not fit in at all; Reason says so.
	Result *jigsaw.Result
	Reason string
	// Cost of the plan; nil without one.
	Cost *big.Rat
	// Efficient choices are not beaten in makespan and cost alike, nor equalled by one of fewer nodes.
	Efficient bool
}

// mostChoices of halves are planned.
const mostChoices = 64

// fineness: numbers of nodes are tried until they differ by a part so small.
const fineness = 32

// Costs plans a spec on parts of its cluster: on all, half, a quarter, ... of the nodes of each GPU type, and for a budget or a deadline
// on numbers between those that do and those that do not; those with more nodes first. The choice for a budget or a deadline is planned once
// more with opt. models are where it finds its profiles, as [jigsaw.Models].
func Costs(ctx context.Context, spec *instance.Spec, models instance.ProfileSource, opt CostOptions) (*CostResult, error) {
	in, err := instance.Compile(spec, models)
	if err != nil {
		return nil, err
	}
	switch {
	case in.Objective != instance.Makespan:
		return nil, instance.Problems{{Path: "objective", Message: fmt.Sprintf("costs are compared only for makespan, not %s", in.Objective)}}
	case !in.Priced():
		return nil, instance.Problems{{Path: "cluster.gpu_types", Message: "no type of GPU has a price; give price_per_hour"}}
	}
	r := &CostResult{Instance: in, AtLeast: jigsaw.LeastCost(in), Fastest: -1, Cheapest: -1}
	p := newParts(in, spec, models, opt)
	halves := p.halves()
	for _, counts := range halves {
		if _, err := p.try(ctx, counts, len(halves)); err != nil {
			return nil, err
		}
	}
	limit := new(big.Rat).SetInt64(int64(opt.Deadline) / (1000 * in.TickUS)) // the deadline in ticks
	cheapest := aim{
		fewer: true,
		does:  func(c *NodeChoice) bool { return c.Result.Primal.Cmp(limit) <= 0 },
		order: func(a, b *NodeChoice) int { return cmp.Or(a.Cost.Cmp(b.Cost), a.Result.Primal.Cmp(b.Result.Primal)) },
	}
	fastest := aim{
		does:  func(c *NodeChoice) bool { return c.Cost.Cmp(opt.Budget) <= 0 },
		order: func(a, b *NodeChoice) int { return cmp.Or(a.Result.Primal.Cmp(b.Result.Primal), a.Cost.Cmp(b.Cost)) },
	}
	if opt.Deadline > 0 {
		if err := p.narrow(ctx, cheapest); err != nil {
			return nil, err
		}
	}
	if opt.Budget != nil {
		if err := p.narrow(ctx, fastest); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(p.choices, func(a, b NodeChoice) int { return slices.Compare(b.Nodes, a.Nodes) })
	r.Choices = p.choices

	m := relax.New(in)
	r.Proof = area.LeastCost(m).Proof(in)
	var dual *jigsaw.Certificate
	if whole := r.Choices[0].Result; whole != nil && whole.Certified {
		r.Dual, dual = whole.Dual, whole.Proof
	}
	if opt.Deadline > 0 {
		by := area.CostBy(m, instance.Tick(limit.Num().Int64()))
		r.CostBy, r.DeadlineProof = by.Value, by.Proof(in)
		if r.TooLate = r.Dual != nil && r.Dual.Cmp(limit) > 0; r.TooLate {
			r.DeadlineProof = dual
		}
		if r.Cheapest, err = p.choose(ctx, cheapest); err != nil {
			return nil, err
		}
	}
	if opt.Budget != nil {
		if r.Fastest, err = p.choose(ctx, fastest); err != nil {
			return nil, err
		}
		r.earliest(m, opt.Budget, dual)
	}
	for _, proof := range []*jigsaw.Certificate{r.Proof, r.BudgetProof, r.DeadlineProof} {
		if proof != nil && proof != dual {
			if _, err := jigsaw.Certify(context.Background(), in, proof); err != nil {
				return nil, err
			}
		}
	}
	for i := range r.Choices {
		a := &r.Choices[i]
		a.Efficient = a.Cost != nil && !slices.ContainsFunc(r.Choices, func(b NodeChoice) bool {
			return b.Cost != nil && b.Cost.Cmp(a.Cost) <= 0 && b.Result.Primal.Cmp(a.Result.Primal) <= 0 && (b.Cost.Cmp(a.Cost) < 0 || b.Result.Primal.Cmp(a.Result.Primal) < 0 || b.size() < a.size())
		})
	}
	return r, nil
}

// parts plans on parts of a cluster.
type parts struct {
	spec   *instance.Spec
	models instance.ProfileSource
	opt    CostOptions
	// nodes by name that are in service, by type of GPU.
	nodes   [][]string
	choices []NodeChoice
}

func newParts(in *instance.Instance, spec *instance.Spec, models instance.ProfileSource, opt CostOptions) *parts {
	p := &parts{spec: spec, models: models, opt: opt, nodes: make([][]string, len(in.Types))}
	for _, n := range in.Nodes {
		p.nodes[n.Type] = append(p.nodes[n.Type], n.Name)
	}
	return p
}

// halves lists numbers of nodes by type: all with half, a quarter, ... of them, and none; the whole first.
func (p *parts) halves() (list [][]int) {
	used := 0
	for _, names := range p.nodes {
		if len(names) > 0 {
			used++
		}
	}
	most := 1 // of each type: none, and so many halves
	for math.Pow(float64(most+2), float64(used)) <= mostChoices {
		most++
	}
	counts := make([]int, len(p.nodes))
	var extend func(t int)
	extend = func(t int) {
		if t == len(p.nodes) {
			if slices.Max(counts) > 0 {
				list = append(list, slices.Clone(counts))
			}
			return
		}
		for n, i := len(p.nodes[t]), 0; ; n /= 2 {
			if i++; i > most {
				n = 0
			}
			counts[t] = n
			if extend(t + 1); n == 0 {
				return
			}
		}
	}
	extend(0)
	return list
}

// try plans quickly on the first so many nodes of each type, unless that was done before. all is how many such choices are known to be planned.
func (p *parts) try(ctx context.Context, counts []int, all int) (*NodeChoice, error) {
	if tried := slices.IndexFunc(p.choices, func(c NodeChoice) bool { return slices.Equal(c.Nodes, counts) }); tried >= 0 {
		return &p.choices[tried], nil
	}
	c := NodeChoice{Nodes: slices.Clone(counts), Spec: p.spec}
	var left []string
	for t, n := range counts {
		left = append(left, p.nodes[t][n:]...)
	}
	if len(left) > 0 {
		changed := *p.spec
		changed.Cluster.FailedNodes = slices.Concat(p.spec.Cluster.FailedNodes, left)
		c.Spec = &changed
	}
	quick := p.opt.Options
	quick.Quick, quick.Effort = true, 0
	if err := c.plan(ctx, p.models, quick); err != nil {
		return nil, err
	}
	p.choices = append(p.choices, c)
	if p.opt.Tried != nil {
		p.opt.Tried(len(p.choices), max(all, len(p.choices)))
	}
	return &c, nil
}

// narrow tries numbers of nodes between the best choice so far and the next that does not do, type by type, by bisection: the
// cheapest plan that meets a deadline is likely on the fewest nodes, and the fastest within a budget on the most.
func (p *parts) narrow(ctx context.Context, a aim) error {
	for t := range p.nodes {
		best := p.best(a)
		if best < 0 {
			return nil
		}
		counts := slices.Clone(p.choices[best].Nodes)
		does, not := counts[t], -1
		for i := range p.choices {
			n := p.choices[i].Nodes[t]
			if a.fewer && n < does && n > not || !a.fewer && n > does && (not < 0 || n < not) {
				not = n
			}
		}
		if not < 0 {
			continue
		}
		for max(does-not, not-does) > max(1, does/fineness) && ctx.Err() == nil {
			counts[t] = (does + not) / 2
			c, err := p.try(ctx, counts, 0)
			if err != nil {
				return err
			}
			if c.Cost != nil && a.does(c) {
				does = counts[t]
			} else {
				not = counts[t]
			}
		}
	}
	return nil
}

// size is the number of nodes. GPUs without jobs are not paid for, so nodes that no job needs do not show in the cost.
func (c *NodeChoice) size() (n int) {
	for _, of := range c.Nodes {
		n += of
	}
	return n
}

// plan plans on the choice.
func (c *NodeChoice) plan(ctx context.Context, models instance.ProfileSource, opt jigsaw.Options) error {
	in, err := instance.Compile(c.Spec, models)
	var problems instance.Problems
	if errors.As(err, &problems) {
		c.Reason = problems[0].Message
		return nil
	}
	if err != nil {
		return err
	}
	if c.Result, err = jigsaw.Plan(ctx, in, opt); err != nil {
		return err
	}
	if c.Cost = c.Result.Cost(); c.Cost == nil {
		c.Reason = append(slices.Clone(c.Result.Reasons), "no plan was found")[0]
	}
	return nil
}

// aim is what is asked of a choice with a plan: that it does, the first in an order; fewer: with fewer nodes it may no longer do, otherwise
// with more.
type aim struct {
	fewer bool
	does  func(*NodeChoice) bool
	order func(a, b *NodeChoice) int
}

// best is the first of the choices that do; of equal ones that of fewest nodes; -1 if none does.
func (p *parts) best(a aim) int {
	best := -1
	for i := range p.choices {
		c := &p.choices[i]
		if c.Cost != nil && a.does(c) && (best < 0 || cmp.Or(a.order(c, &p.choices[best]), c.size()-p.choices[best].size()) < 0) {
			best = i
		}
	}
	return best
}

// choose is best, planned once more with all of the options.
func (p *parts) choose(ctx context.Context, a aim) (int, error) {
	best := p.best(a)
	if best < 0 || p.opt.Quick || ctx.Err() != nil {
		return best, nil
	}
	again := p.choices[best]
	if err := again.plan(ctx, p.models, p.opt.Options); err != nil {
		return best, err
	}
	if again.Cost != nil && a.does(&again) && a.order(&again, &p.choices[best]) < 0 {
		p.choices[best] = again
	}
	return best, nil
}

// earliest finds the least end by which a plan may be within the budget, by bisection on what plans cost at least that
// end by then. dual is the certificate of the bound of the makespan.
func (r *CostResult) earliest(m *relax.Model, budget *big.Rat, dual *jigsaw.Certificate) {
	if r.AtLeast.Cmp(budget) > 0 {
		r.BudgetProof = r.Proof
		return
	}
	within := func(end instance.Tick) bool { return area.CostBy(m, end).Value.Cmp(budget) <= 0 }
	low, high := instance.Tick(0), instance.Tick(1)
	for high < instance.MaxTime && !within(high) {
		low, high = high, 2*high
	}
	for low+1 < high { // none by low; high may do
		if middle := low + (high-low)/2; within(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	r.Earliest = new(big.Rat).SetInt64(int64(high))
	if r.Dual != nil && r.Dual.Cmp(r.Earliest) > 0 {
		r.Earliest, r.BudgetProof = r.Dual, dual
	} else if low > 0 {
		r.BudgetProof = area.CostBy(m, low).Proof(r.Instance)
	}
}
