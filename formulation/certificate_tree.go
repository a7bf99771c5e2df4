package formulation

import (
	"errors"
	"fmt"
	"math/big"
)

// leaf is the proof that a node holds no schedule better than a target: prices
// of the rows of its master, by group that has rows, then tick.
type leaf struct {
	target int64
	scale  int64
	prices []int64
	value  *big.Int // what they prove, times the scale; nil where some job has no plan
}

// ProofNode is a node of a tree in a [Certificate]: it is split, or its prices
// prove that it holds no schedule better than the bound.
type ProofNode struct {
	Split    *split      `json:"split,omitempty"`
	Children []ProofNode `json:"children,omitempty"`
	// Of a leaf: the target, at least the bound, that no schedule in it beats;
	// the number of its prices, which follow those of the leaves
	// before it, their denominator, and what they prove.
	Target      int64    `json:"target,omitempty"`
	Prices      int      `json:"prices,omitempty"`
	Denominator int64    `json:"denominator,omitempty"`
	Value       *big.Int `json:"value,omitempty"`
}

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

// certificate writes the closed tree down.
func (t *treeProblem) certificate() *Certificate {
	c := &Certificate{Kind: TreeBound, Denominator: big.NewInt(1), Prices: []*big.Int{}, Bound: NewClaim(new(big.Rat).SetInt64(t.target))}
	var write func(n *treeNode) ProofNode
	write = func(n *treeNode) ProofNode {
		if n.proof == nil && n.split == nil && len(n.children) == 1 {
			return write(n.children[0]) // looked at once more
		}
		p := ProofNode{Split: n.split}
		for _, child := range n.children {
			p.Children = append(p.Children, write(child))
		}
		if n.proof != nil {
			p.Target, p.Prices, p.Denominator = n.proof.target, len(n.proof.prices), n.proof.scale
			for _, price := range n.proof.prices {
				c.Prices = append(c.Prices, big.NewInt(price))
			}
			p.Value = n.proof.value
		}
		return p
	}
	if t.root != nil {
		root := write(t.root)
		c.Tree = &root
	}
	return c
}

// proveTree checks that the leaves of a tree cover the instance and that each
// proves that it holds no schedule better than the claim.
func (m *model) proveTree(b *Bound, c *Certificate) error {
	switch {
	case m.in.Objective.Periodic():
		return errors.New("formulation: a tree certificate is not about periodic plans")
	case c.Tree == nil || c.Bound == nil || !c.Bound.IsInt() || !c.Bound.Num().IsInt64() || c.Bound.Num().Sign() <= 0 || c.Bound.Num().BitLen() > 48:
		return errors.New("formulation: the certificate has no tree, or a bound that a tree cannot prove")
	}
	m = m.split()
	target := c.Bound.Num().Int64()
	var ways [][]way
	for i := range m.demands {
		d := &m.demands[i]
		if m.multisets(d); d.relaxedRule() || d.short || d.unplaced || len(d.job.Depths) > mostBits {
			return errors.New("formulation: a tree certificate is not for this instance")
		}
		ways = append(ways, m.ways(d))
	}
	prices := c.Prices
	var check func(p *ProofNode, n *branchNode, depth int) error
	check = func(p *ProofNode, n *branchNode, depth int) error {
		if depth > mostDepth {
			return errors.New("formulation: the certificate's tree is too deep")
		}
		if p.Split != nil {
			if !n.fits(m.in, *p.Split) {
				return fmt.Errorf("formulation: the certificate has a split %+v that makes no sense", *p.Split)
			}
			children, ok := n.children(m.in, *p.Split)
			if !ok || len(children) != len(p.Children) {
				return fmt.Errorf("formulation: the certificate's tree has %d branches where %d cover the node", len(p.Children), len(children))
			}
			for i := range children {
				if err := check(&p.Children[i], children[i], depth+1); err != nil {
					return err
				}
			}
			return nil
		}
		if p.Target < target || p.Target >= 1<<48 {
			return fmt.Errorf("formulation: a leaf of the certificate's tree is about schedules better than %d, not %d", p.Target, target)
		}
		if p.Prices < 0 || p.Prices > len(prices) {
			return errors.New("formulation: the certificate lacks prices of a leaf")
		}
		l := &leaf{target: p.Target, scale: p.Denominator}
		for _, price := range prices[:p.Prices] {
			if price == nil || !price.IsInt64() {
				return errPrices
			}
			l.prices = append(l.prices, price.Int64())
		}
		prices = prices[p.Prices:]
		value, ok := m.proveLeaf(n, ways, l)
		if !ok {
			return fmt.Errorf("formulation: a leaf of the certificate's tree does not prove the bound %d", p.Target)
		}
		if (value == nil) != (p.Value == nil) || value != nil && value.Cmp(p.Value) != 0 {
			return errors.New("formulation: the certificate's prices were changed: a leaf has another value")
		}
		return nil
	}
	if err := check(c.Tree, rootNode(m.in), 0); err != nil {
		return err
	}
	if len(prices) > 0 {
		return errors.New("formulation: the certificate has prices left over")
	}
	b.Certified, b.Value = true, new(big.Rat).SetInt64(target)
	return nil
}

// mostDepth of a tree keeps a hostile certificate from exhausting the stack.
const mostDepth = 100_000

// proveLeaf evaluates prices at a node in checked integer arithmetic: do they
// prove that it holds no schedule better than the target? value is nil where
// some job has no plan at all.
func (m *model) proveLeaf(n *branchNode, ways [][]way, l *leaf) (value *big.Int, ok bool) {
	s, some := m.nodeMaster(n, ways, l.target)
	if !some {
		return nil, len(l.prices) == 0
	}
	if len(l.prices) != s.rows || l.scale < 1 {
		return nil, false
	}
	prices := make([][]int64, len(s.groups))
	sum, v := new(big.Int), new(big.Int)
	for g := range s.groups {
		prices[g] = make([]int64, s.calendar.buckets())
		if s.groups[g].capacity == 0 {
			continue
		}
		for b := range prices[g] {
			price := l.prices[int(s.row(g, b))]
			if price < 0 {
				return nil, false
			}
			prices[g][b] = price
			sum.Sub(sum, v.Mul(big.NewInt(price), big.NewInt(s.groups[g].capacity)))
		}
	}
	e := planExaminer{calendar: s.calendar, prices: prices}
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

// cheapestAtHome returns the price of the cheapest plan of a job with a home.
// It tries every start of every task anew for every window: slow and simple.
func (e *planExaminer) cheapestAtHome(p *homePricer) (best int64, ok bool) {
	release, points := int64(p.job.Release), p.due-int64(p.job.Release)
	if points < 1 {
		return noPrice, false
	}
	// during[g][t] is the price of a unit of the group in tick t.
	price := func(g int, amount, from, to int64) int64 {
		sum := int64(0)
		for t := from; t < to; t++ {
			sum = e.add(sum, e.mul(amount, e.prices[g][t]))
		}
		return sum
	}
	now := map[int64]int64{release: 0} // by end of the iteration before
	for i := range p.job.Iterations {
		next := map[int64]int64{}
		for begin := release; begin <= p.due; begin++ {
			before, reached := now[begin]
			if !reached {
				continue
			}
			for end := begin + 1; end <= p.due; end++ {
				if !p.limits.ends[i].holds(end) {
					continue
				}
				for d := range p.dishes {
					for level := range p.levels() {
						start := end - p.length(d, level)
						if start <= begin || !p.mayStart(i, level, start) {
							continue
						}
						tasks := e.deal(p, price, i, p.dishes[d].counts, begin, start)
						if tasks == noPrice {
							continue
						}
						sum := e.add(before, tasks)
						if p.job.HasSync() {
							for _, c := range p.links {
								sum = e.add(sum, price(c.group, c.amounts[level], start, end))
							}
						}
						if old, known := next[end]; !known || sum < old {
							next[end] = sum
						}
					}
				}
			}
		}
		now = next
	}
	best = noPrice
	for end := release; end <= p.due; end++ {
		if sum, reached := now[end]; reached {
			best = min(best, e.add(sum, e.mul(p.weight, end)))
		}
	}
	return best, best < noPrice
}

// deal returns the least price of the tasks of an iteration between two ticks
// when the workers' depths make up the multiset: every permutation is tried.
func (e *planExaminer) deal(p *homePricer, price func(g int, amount, from, to int64) int64, i int, counts []int, begin, end int64) int64 {
	left := append([]int(nil), counts...)
	var try func(w int, first, last int64) int64
	try = func(w int, first, last int64) int64 {
		if w == p.job.Workers {
			return 0
		}
		best := int64(noPrice)
		for depth := range left {
			if left[depth] == 0 {
				continue
			}
			least := int64(noPrice)
			for start := first; start <= last && start+p.time[w][depth] <= end; start++ {
				if !p.mayRun(i, w, depth, start) {
					continue
				}
				sum := int64(0)
				for _, g := range p.gpus[w] {
					sum = e.add(sum, price(g, 1, start, start+p.time[w][depth]))
				}
				least = min(least, sum)
			}
			if least == noPrice {
				continue
			}
			left[depth]--
			if rest := try(w+1, first, last); rest < noPrice {
				best = min(best, e.add(least, rest))
			}
			left[depth]++
		}
		return best
	}
	if !p.job.Gang {
		return try(0, begin, end)
	}
	best := int64(noPrice)
	for start := begin; start < end; start++ {
		best = min(best, try(0, start, start))
	}
	return best
}
