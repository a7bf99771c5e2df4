package formulation

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"
)

// leaf is the proof that a node holds no schedule better than a target: prices
// of the rows of its master, by group that has rows, then bucket; see nodeMaster.
type leaf struct {
	target  int64
	buckets int64
	scale   int64
	prices  []int64
	value   *big.Int // what they prove, times the scale; nil where some job has no plan
	sets    []int    // in place of prices: the sequencings that prove it, by first job
	alike   int      // the view of the last of these; 0: of all GPUs
	packed  bool     // the prices are of the contents of GPUs
	took    time.Duration
}

// ProofNode is a node of a tree in a [Certificate]. The nodes are listed depth
// first: a split is followed by its children, as many as cover it; a leaf says
// which prices prove that it holds no schedule better than a target.
type ProofNode struct {
	// Kind is that of a split, "leaf", or "packed" for a leaf with prices of contents of GPUs.
	Kind string `json:"kind"`
	// Of a split; see [split].
	Job       int   `json:"job,omitempty"`
	Iteration int   `json:"iteration,omitempty"`
	Worker    int   `json:"worker,omitempty"`
	At        int64 `json:"at,omitempty"`
	// Column of the program of a period: it is at most At, or above.
	Column int `json:"column,omitempty"`
	// Of a leaf: the target, at least the bound, that no schedule in it beats;
	// the number of its prices, which follow those of the leaves before it,
	// their denominator, and what they prove: nil where some job has no plan.
	// Prices are constant in about as many buckets as Buckets says, or, where
	// that is 0, in ticks.
	Target      int64    `json:"target,omitempty"`
	Buckets     int64    `json:"buckets,omitempty"`
	Prices      int      `json:"prices,omitempty"`
	Denominator int64    `json:"denominator,omitempty"`
	Value       *big.Int `json:"value,omitempty"`
	// Sets are in place of prices: the leaf is proven by the order of tasks on the
	// GPUs, for the sets of jobs that share some; each is named by its first job.
	Sets []int `json:"sets,omitempty"`
	// Alike says how many of each set of alike GPUs that have most to do, and half of how many
	// of the others, are looked at in the last of these sets; 0: all. Tasks elsewhere never wait.
	Alike int `json:"alike,omitempty"`
}

// The kinds of nodes that are not split: leaves with prices of plans or sets of jobs, and
// leaves with prices of the contents of GPUs.
const (
	leafKind   = "leaf"
	packedKind = "packed"
)

// flat lists prices by row.
func (s *master) flat(prices [][]int64) []int64 {
	var list []int64
	for g := range s.groups {
		if s.groups[g].capacity > 0 {
			list = append(list, prices[g]...)
		}
	}
	return list
}

// warm returns the prices of a leaf for the engine's rows; nil where they are of
// other groups. What lies past their horizon costs nothing.
func (s *master) warm(l *leaf) []float64 {
	groups := 0
	for g := range s.groups {
		if s.groups[g].capacity > 0 {
			groups++
		}
	}
	if groups == 0 || len(l.prices) == 0 || len(l.prices)%groups != 0 {
		return nil
	}
	y, buckets := make([]float64, s.rows+len(s.classes)), len(l.prices)/groups
	first := 0
	for g := range s.groups {
		if s.groups[g].capacity == 0 {
			continue
		}
		factor := float64(s.groups[g].capacity*s.calendar.width) / s.unit / float64(l.scale)
		for b := range min(buckets, s.calendar.buckets()) {
			y[s.row(g, b)] = -float64(l.prices[first+b]) * factor
		}
		first += buckets
	}
	return y
}

// certificate writes the closed tree down, and tells how long the proofs of its
// leaves took. It proves the least target of these.
func (t *treeProblem) certificate() (c *Certificate, proving time.Duration) {
	c = &Certificate{Kind: TreeBound, Denominator: big.NewInt(1), Prices: []*big.Int{}}
	proven := int64(math.MaxInt64)
	var write func(n *treeNode)
	write = func(n *treeNode) {
		switch {
		case n.split != nil:
			c.Tree = append(c.Tree, ProofNode{
				Kind: string(n.split.Kind), Job: n.split.Job, Iteration: n.split.Iteration, Worker: n.split.Worker, At: n.split.At,
			})
		case n.proof != nil:
			proven = min(proven, n.proof.target)
			proving += n.proof.took
			kind := leafKind
			if n.proof.packed {
				kind = packedKind
			}
			c.Tree = append(c.Tree, ProofNode{
				Kind: kind, Target: n.proof.target, Buckets: n.proof.buckets, Prices: len(n.proof.prices), Denominator: n.proof.scale, Value: n.proof.value, Sets: n.proof.sets, Alike: n.proof.alike,
			})
			for _, price := range n.proof.prices {
				c.Prices = append(c.Prices, big.NewInt(price))
			}
		}
		for _, child := range n.children { // of a node looked at once more: itself
			write(child)
		}
	}
	write(t.root)
	c.Bound = NewClaim(new(big.Rat).SetInt64(proven))
	return c, proving
}

// mostTreeSize is how many numbers the nodes of a certificate's tree may have together.
const mostTreeSize = 1 << 24

// errTreeTicks is of trees about plans that are too long to look at every tick.
var errTreeTicks = fmt.Errorf("formulation: the certificate's tree is about plans of more than %d ticks", mostNodeTicks)

// errOrders is of trees whose leaves ask for more orders than there are steps, or memory, for.
var errOrders = errors.New("formulation: the certificate's tree has orders of tasks that are too many to be looked through")

// proveTree checks that the leaves of a tree cover the instance and that each
// proves that it holds no schedule better than the claim, all their sets in so many steps.
func (m *model) proveTree(b *Bound, c *Certificate, steps int) error {
	switch {
	case m.in.Objective.Periodic():
		return errors.New("formulation: a tree certificate is not about periodic plans")
	case len(c.Tree) == 0 || c.Bound == nil || !c.Bound.IsInt() || !c.Bound.Num().IsInt64() || c.Bound.Num().Sign() <= 0 || c.Bound.Num().BitLen() > 48:
		return errors.New("formulation: the certificate has no tree, or a bound that a tree cannot prove")
	}
	m = m.split()
	target := c.Bound.Num().Int64()
	if slices.Max(m.dues(target)) > mostNodeTicks {
		return errTreeTicks
	}
	var ways [][]way
	for i := range m.demands {
		d := &m.demands[i]
		if !m.divisible(d) {
			return errors.New("formulation: a tree certificate is not for this instance")
		}
		ways = append(ways, m.ways(d))
	}
	nodes, prices, proven := c.Tree, c.Prices, int64(math.MaxInt64)
	size := 0                             // of the limits of nodes
	open := []*branchNode{rootNode(m.in)} // to be proven, the next last
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if len(nodes) <= len(open) || m.ended() { // one for each that is open, at the least
			return errors.New("formulation: the certificate's tree lacks nodes")
		}
		p := &nodes[0]
		nodes = nodes[1:]
		if p.Kind != leafKind && p.Kind != packedKind {
			how := split{splitKind(p.Kind), p.Job, p.Iteration, p.Worker, p.At}
			if !n.fits(m.in, how) {
				return fmt.Errorf("formulation: the certificate has a split %+v that makes no sense", how)
			}
			each := n.childSize(m.in, how)
			children, ok := n.children(m.in, how, min(len(nodes)-len(open), (mostTreeSize-size)/each))
			if !ok {
				return errors.New("formulation: the certificate has a split of too many branches, of more than it has nodes, or of more than there is memory for")
			}
			size += len(children) * each
			slices.Reverse(children)
			open = append(open, children...)
			continue
		}
		if p.Target < target || p.Target >= 1<<48 {
			return fmt.Errorf("formulation: a leaf of the certificate's tree is about schedules better than %d, not %d", p.Target, target)
		}
		if slices.Max(m.dues(p.Target)) > mostNodeTicks {
			return errTreeTicks
		}
		proven = min(proven, p.Target)
		if p.Buckets < 0 || p.Buckets > mostNodeTicks || p.Buckets > 0 && p.Kind == packedKind {
			return errors.New("formulation: a leaf of the certificate's tree has prices for no buckets, or too many")
		}
		if p.Prices < 0 || p.Prices > len(prices) {
			return errors.New("formulation: the certificate lacks prices of a leaf")
		}
		l := &leaf{target: p.Target, buckets: p.Buckets, scale: p.Denominator, sets: p.Sets, alike: p.Alike, packed: p.Kind == packedKind}
		if len(p.Sets) > 0 {
			if l.packed || p.Prices != 0 || p.Buckets != 0 || p.Denominator != 0 || p.Value != nil {
				return errors.New("formulation: a leaf of the certificate's tree has prices beside sets of jobs")
			}
			var ok bool
			switch steps, ok = m.proveOrder(m.ctx, n, ways, l, steps); {
			case steps < 0:
				return errOrders
			case !ok:
				return fmt.Errorf("formulation: a leaf of the certificate's tree does not prove the bound %d", p.Target)
			}
			continue
		}
		var err error
		if l.prices, err = small(prices[:p.Prices]); err != nil {
			return err
		}
		prices = prices[p.Prices:]
		value, ok := m.proveLeaf(n, ways, l)
		if !ok {
			return fmt.Errorf("formulation: a leaf of the certificate's tree does not prove the bound %d", p.Target)
		}
		if (value == nil) != (p.Value == nil) || value != nil && value.Cmp(p.Value) != 0 {
			return errors.New("formulation: the certificate's prices were changed: a leaf has another value")
		}
	}
	if proven == math.MaxInt64 {
		return errors.New("formulation: the certificate's tree has no leaves")
	}
	if len(prices) > 0 || len(nodes) > 0 {
		return errors.New("formulation: the certificate has nodes or prices left over")
	}
	b.Certified, b.Value = true, new(big.Rat).SetInt64(proven)
	return nil
}

// proveLeaf evaluates prices at a node in checked integer arithmetic: do they
// prove that it holds no schedule better than the target? value is nil where
// some job has no plan at all.
func (m *model) proveLeaf(n *branchNode, ways [][]way, l *leaf) (value *big.Int, ok bool) {
	if l.packed {
		return m.provePacked(n, l)
	}
	s, some := m.nodeMaster(n, ways, l.target, l.buckets)
	if !some {
		return nil, len(l.prices) == 0
	}
	if len(l.prices) != s.rows || l.scale < 1 {
		return nil, false
	}
	prices := make([][]int64, len(s.groups))
	sum, v := new(big.Int), new(big.Int)
	for g := range s.groups {
		if s.groups[g].capacity == 0 {
			continue
		}
		prices[g] = make([]int64, s.calendar.buckets())
		for b := range prices[g] {
			price := l.prices[int(s.row(g, b))]
			if price < 0 {
				return nil, false
			}
			prices[g][b] = price
			v.Mul(big.NewInt(price), big.NewInt(s.groups[g].capacity))
			sum.Sub(sum, v.Mul(v, big.NewInt(s.calendar.width)))
		}
	}
	e := newPlanExaminer(s.m, s.calendar, prices)
	for j := range s.classes {
		class := &s.classes[j]
		weight := int64(0)
		if !s.theta {
			weight = e.mul(class.d.job.Weight, l.scale)
		}
		var least int64
		var found bool
		if class.home != nil {
			class.home.weight = weight
			least, found = e.cheapestAtHome(class.home)
		} else {
			class.pricer.weight = weight
			least, found = e.cheapest(&class.pricer)
		}
		e.starts = nil
		switch {
		case e.overflow:
			return nil, false
		case !found:
			return nil, true
		}
		sum.Add(sum, big.NewInt(least))
	}
	if s.theta {
		return sum, sum.Sign() > 0
	}
	// No schedule of the node is below sum / scale; values are integers.
	return sum, sum.Cmp(v.Mul(big.NewInt(l.target-1), big.NewInt(l.scale))) > 0
}
