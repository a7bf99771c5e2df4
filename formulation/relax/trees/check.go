package trees

import (
	"errors"
	"fmt"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/columns"
	"jigsaw/formulation/relax/exact"
	"math"
	"math/big"
	"slices"
)

// Leaf is the proof that a node holds no schedule better than a target: prices
// of the rows of its master, by group that has rows, then bucket; see nodeMaster.
type Leaf struct {
	Target  int64
	Buckets int64
	Scale   int64
	Prices  []int64
	Value   *big.Int // what they prove, times the scale; nil where some job has no plan
	Sets    []int    // in place of prices: the sequencings that prove it, by first job
	Packed  bool     // the prices are of the contents of GPUs
}

// mostTreeSize is how many numbers the nodes of a certificate's tree may have together.
const mostTreeSize = 1 << 24

// errTreeTicks is of leaves about plans that are too long to look at every tick, or too long at all.
var errTreeTicks = fmt.Errorf("formulation: the certificate's tree is about plans of more than %d ticks, or %d where it looks at no ticks", cases.MostNodeTicks, relax.MaxHorizon)

// ErrOrders is of trees whose leaves ask for more orders than there are steps, or memory, for.
var ErrOrders = errors.New("formulation: the certificate's tree has orders of tasks that are too many to be looked through")

// Prove checks that the leaves of a tree cover the instance and that each
// proves that it holds no schedule better than the claim, all their sets in so many steps.
func Prove(m *relax.Model, b *relax.Proven, c *relax.Certificate, steps int) error {
	switch {
	case m.Instance.Objective.Periodic():
		return errors.New("formulation: a tree certificate is not about periodic plans")
	case len(c.Tree) == 0 || c.Bound == nil || !c.Bound.IsInt() || !c.Bound.Num().IsInt64() || c.Bound.Num().Sign() <= 0 || c.Bound.Num().BitLen() > 48:
		return errors.New("formulation: the certificate has no tree, or a bound that a tree cannot prove")
	}
	m = m.Split()
	target := c.Bound.Num().Int64()
	var ways [][]relax.ModeOptions
	for i := range m.Classes {
		d := &m.Classes[i]
		if !cases.Divisible(m, d) {
			return errors.New("formulation: a tree certificate is not for this instance")
		}
		ways = append(ways, m.ModeOptions(d))
	}
	nodes, prices, proven := c.Tree, c.Prices, int64(math.MaxInt64)
	size := 0                                     // of the limits of nodes
	open := []*cases.Node{cases.Root(m.Instance)} // to be proven, the next last
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if len(nodes) <= len(open) || m.Ended() { // one for each that is open, at the least
			return errors.New("formulation: the certificate's tree lacks nodes")
		}
		p := &nodes[0]
		nodes = nodes[1:]
		if p.Kind != relax.LeafKind && p.Kind != relax.PackedKind {
			how := cases.Split{Kind: cases.SplitKind(p.Kind), Job: p.Job, Iteration: p.Iteration, Worker: p.Worker, At: p.At}
			if !n.Fits(m.Instance, how) {
				return fmt.Errorf("formulation: the certificate has a split %+v that makes no sense", how)
			}
			each := n.ChildSize(m.Instance, how)
			children, ok := n.Children(m.Instance, how, min(len(nodes)-len(open), (mostTreeSize-size)/each))
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
		most := int64(relax.MaxHorizon)
		if p.Kind == relax.LeafKind && len(p.Sets) == 0 {
			most = cases.MostNodeTicks
		}
		if slices.Max(cases.Dues(m, p.Target)) > most {
			return errTreeTicks
		}
		proven = min(proven, p.Target)
		if p.Buckets < 0 || p.Buckets > cases.MostNodeTicks || p.Buckets > 0 && p.Kind == relax.PackedKind {
			return errors.New("formulation: a leaf of the certificate's tree has prices for no buckets, or too many")
		}
		if p.Prices < 0 || p.Prices > len(prices) {
			return errors.New("formulation: the certificate lacks prices of a leaf")
		}
		l := &Leaf{Target: p.Target, Buckets: p.Buckets, Scale: p.Denominator, Sets: p.Sets, Packed: p.Kind == relax.PackedKind}
		if len(p.Sets) > 0 {
			if l.Packed || p.Prices != 0 || p.Buckets != 0 || p.Denominator != 0 || p.Value != nil {
				return errors.New("formulation: a leaf of the certificate's tree has prices beside sets of jobs")
			}
			var ok bool
			switch steps, ok = ProveOrders(m.Context, m, n, ways, l, steps); {
			case steps < 0:
				return ErrOrders
			case !ok:
				return fmt.Errorf("formulation: a leaf of the certificate's tree does not prove the bound %d", p.Target)
			}
			continue
		}
		var err error
		if l.Prices, err = relax.Int64s(prices[:p.Prices]); err != nil {
			return err
		}
		prices = prices[p.Prices:]
		value, ok := ProveLeaf(m, n, ways, l)
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

// ProveLeaf evaluates prices at a node in checked integer arithmetic: do they
// prove that it holds no schedule better than the target? value is nil where
// some job has no plan at all.
func ProveLeaf(m *relax.Model, n *cases.Node, ways [][]relax.ModeOptions, l *Leaf) (value *big.Int, ok bool) {
	if l.Packed {
		return ProvePacked(m, n, l)
	}
	s, some := cases.NewProgram(m, n, ways, l.Target, l.Buckets)
	if !some {
		return nil, len(l.Prices) == 0
	}
	if len(l.Prices) != s.Rows || l.Scale < 1 {
		return nil, false
	}
	prices, sum, ok := s.Sold(l.Prices)
	if !ok {
		return nil, false
	}
	e := columns.NewExaminer(s.Model, s.Calendar, prices)
	for j := range s.Classes {
		class := &s.Classes[j]
		weight := int64(0)
		if !s.Theta {
			weight = e.Mul(class.Class.Job.Weight, l.Scale)
		}
		var least int64
		var found bool
		if home := s.Assigned[j]; home != nil {
			home.Weight = weight
			least, found = cases.AssignedExaminer{Examiner: e}.Cheapest(home)
		} else {
			class.Plans.Weight = weight
			least, found = e.Cheapest(&class.Plans)
		}
		e.Starts = nil
		switch {
		case e.Overflow:
			return nil, false
		case !found:
			return nil, true
		}
		sum.Add(sum, big.NewInt(least))
	}
	if s.Theta {
		return sum, sum.Sign() > 0
	}
	// No schedule of the node is below sum / scale; values are integers.
	return sum, sum.Cmp(exact.Mul(l.Target-1, l.Scale)) > 0
}
