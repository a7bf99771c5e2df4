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

// mostChoices of nodes are planned.
const mostChoices = 64

// Costs plans a spec on parts of its cluster: on all, half, a quarter, ... of the nodes of each GPU type,
// the first in order. The choice for a budget or a deadline is planned once more with opt. models are where it
// finds its profiles, as [jigsaw.Models].
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
	r := &CostResult{Instance: in, AtLeast: jigsaw.LeastCost(in), Choices: choices(in, spec), Fastest: -1, Cheapest: -1}
	quick := opt.Options
	quick.Quick, quick.Effort = true, 0
	for i := range r.Choices {
		if err := r.Choices[i].plan(ctx, models, quick); err != nil {
			return nil, err
		}
		if opt.Tried != nil {
			opt.Tried(i+1, len(r.Choices))
		}
	}
	m := relax.New(in)
	r.Proof = area.LeastCost(m).Proof(in)
	var dual *jigsaw.Certificate
	if whole := r.Choices[0].Result; whole != nil && whole.Certified {
		r.Dual, dual = whole.Dual, whole.Proof
	}
	limit := new(big.Rat) // the deadline in ticks
	if opt.Deadline > 0 {
		limit.SetInt64(int64(opt.Deadline) / (1000 * in.TickUS))
		by := area.CostBy(m, instance.Tick(limit.Num().Int64()))
		r.CostBy, r.DeadlineProof = by.Value, by.Proof(in)
		if r.TooLate = r.Dual != nil && r.Dual.Cmp(limit) > 0; r.TooLate {
			r.DeadlineProof = dual
		}
		r.Cheapest, err = r.choose(ctx, models, opt.Options, func(c *NodeChoice) bool { return c.Result.Primal.Cmp(limit) <= 0 },
			func(a, b *NodeChoice) int { return cmp.Or(a.Cost.Cmp(b.Cost), a.Result.Primal.Cmp(b.Result.Primal)) })
		if err != nil {
			return nil, err
		}
	}
	if opt.Budget != nil {
		r.Fastest, err = r.choose(ctx, models, opt.Options, func(c *NodeChoice) bool { return c.Cost.Cmp(opt.Budget) <= 0 },
			func(a, b *NodeChoice) int { return cmp.Or(a.Result.Primal.Cmp(b.Result.Primal), a.Cost.Cmp(b.Cost)) })
		if err != nil {
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

// choices lists parts of the cluster, the whole of it first.
func choices(in *instance.Instance, spec *instance.Spec) (list []NodeChoice) {
	nodes := make([][]string, len(in.Types))
	used := 0
	for _, n := range in.Nodes {
		nodes[n.Type] = append(nodes[n.Type], n.Name)
	}
	for _, names := range nodes {
		if len(names) > 0 {
			used++
		}
	}
	parts := 1 // of each type: none, and so many halves
	for math.Pow(float64(parts+2), float64(used)) <= mostChoices {
		parts++
	}
	counts := make([]int, len(nodes))
	var extend func(t int, left []string)
	extend = func(t int, left []string) {
		if t == len(nodes) {
			if slices.Max(counts) > 0 {
				c := NodeChoice{Nodes: slices.Clone(counts), Spec: spec}
				if len(left) > 0 {
					changed := *spec
					changed.Cluster.FailedNodes = slices.Concat(spec.Cluster.FailedNodes, left)
					c.Spec = &changed
				}
				list = append(list, c)
			}
			return
		}
		names := nodes[t]
		for n, i := len(names), 0; ; n /= 2 {
			if i++; i > parts {
				n = 0
			}
			counts[t] = n
			if extend(t+1, slices.Concat(left, names[n:])); n == 0 {
				return
			}
		}
	}
	extend(0, nil)
	return list
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

// choose returns the first, in an order, of the choices that do, planned once more with all of opt; of equal ones that of fewest
// nodes; -1 if none does.
func (r *CostResult) choose(ctx context.Context, models instance.ProfileSource, opt jigsaw.Options, does func(*NodeChoice) bool, order func(a, b *NodeChoice) int) (int, error) {
	first := -1
	for i := range r.Choices {
		c := &r.Choices[i]
		if c.Cost != nil && does(c) && (first < 0 || cmp.Or(order(c, &r.Choices[first]), c.size()-r.Choices[first].size()) < 0) {
			first = i
		}
	}
	if first < 0 || opt.Quick || ctx.Err() != nil {
		return first, nil
	}
	again := r.Choices[first]
	if err := again.plan(ctx, models, opt); err != nil {
		return first, err
	}
	if again.Cost != nil && does(&again) && order(&again, &r.Choices[first]) < 0 {
		r.Choices[first] = again
	}
	return first, nil
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
