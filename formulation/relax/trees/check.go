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
// of the rows of its program, by group that has rows, then bucket; see [cases.Program].
type Leaf struct {
	Target  int64
	Buckets int64
	Scale   int64
	Prices  []int64
	Value   *big.Int // what they prove, times the scale; nil if some job has no plan
	Sets    []int    // replace prices: the sequencings that prove it, by first job
	Packed  bool     // the prices are of the contents of GPUs
}

// mostTreeSize limits the numbers that all nodes of a certificate's tree store
// together.
const mostTreeSize = 1 << 24

// errTreeTicks reports leaves about plans that are too long to use every tick, or too long at all.
var errTreeTicks = fmt.Errorf("formulation: the certificate's tree is about plans of more than %d ticks, or %d where it looks at no ticks", cases.MostNodeTicks, relax.MaxHorizon)

// ErrOrders reports trees whose leaves need more steps, or memory, for orders than are
// available.
var ErrOrders = errors.New("formulation: the certificate's tree has orders of tasks that are too many to be looked through")

// Prove checks that the leaves of a tree cover the instance and that each proves that it
// holds no schedule better than the claim, with steps for all sets together.
func Prove(m *relax.Model, b *relax.Proven, c *relax.Certificate, steps int) error {
	switch {
	case m.Instance.Objective.Periodic():
		return errors.New("formulation: a tree certificate is not about periodic plans")
	case len(c.Tree) == 0 || c.Bound == nil || !c.Bound.IsInt() || !c.Bound.Num().IsInt64() || c.Bound.Num().Sign() <= 0 || c.Bound.Num().BitLen() > 48:
		return errors.New("formulation: the certificate has no tree, or a bound that a tree cannot prove")
	}
	t := &proof{m: m.Split(), target: c.Bound.Num().Int64(), proven: math.MaxInt64, steps: steps}
	for i := range t.m.Classes {
		d := &t.m.Classes[i]
		if !cases.Divisible(t.m, d) {
			return errors.New("formulation: a tree certificate is not for this instance")
		}
		t.modes = append(t.modes, t.m.ModeOptions(d))
	}
	tree := &relax.Tree{Nodes: c.Tree, Prices: c.Prices}
	if err := relax.Walk(t.m, tree, cases.Root(m.Instance), t.node); err != nil {
		return err
	}
	if t.proven == math.MaxInt64 {
		return errors.New("formulation: the certificate's tree has no leaves")
	}
	b.Certified, b.Value = true, new(big.Rat).SetInt64(t.proven)
	return tree.End()
}

// proof is the proof of a tree.
type proof struct {
	m      *relax.Model
	modes  [][]relax.ModeOptions // by class
	target int64                 // least target permitted for a leaf
	proven int64                 // the least target of leaves
	size   int                   // total size of the limits of nodes
	steps  int                   // left for orders
}

// node returns the children of a split node, and evaluates a leaf.
func (t *proof) node(n *cases.Node, p *relax.ProofNode, prices []int64, room int) ([]*cases.Node, error) {
	if p.Kind == relax.LeafKind || p.Kind == relax.PackedKind {
		return nil, t.leaf(n, p, prices)
	}
	how := cases.Split{Kind: cases.SplitKind(p.Kind), Job: p.Job, Iteration: p.Iteration, Worker: p.Worker, At: p.At}
	if !n.Fits(t.m.Instance, how) {
		return nil, fmt.Errorf("formulation: the certificate has a split %+v that makes no sense", how)
	}
	each := n.ChildSize(t.m.Instance, how)
	children, ok := n.Children(t.m.Instance, how, min(room, (mostTreeSize-t.size)/each))
	if !ok {
		return nil, errors.New("formulation: the certificate has a split of too many branches, of more than it has nodes, or of more than there is memory for")
	}
	t.size += len(children) * each
	return children, nil
}

// leaf checks that a leaf proves its target.
func (t *proof) leaf(n *cases.Node, p *relax.ProofNode, prices []int64) error {
	if p.Target < t.target || p.Target >= 1<<48 {
		return fmt.Errorf("formulation: a leaf of the certificate's tree is about schedules better than %d, not %d", p.Target, t.target)
	}
	l := &Leaf{Target: p.Target, Buckets: p.Buckets, Scale: p.Denominator, Prices: prices, Sets: p.Sets, Packed: p.Kind == relax.PackedKind}
	most := int64(relax.MaxHorizon)
	if !l.Packed && len(l.Sets) == 0 {
		most = cases.MostNodeTicks
	}
	if slices.Max(cases.Dues(t.m, l.Target)) > most {
		return errTreeTicks
	}
	if l.Buckets < 0 || l.Buckets > cases.MostNodeTicks || l.Buckets > 0 && l.Packed {
		return errors.New("formulation: a leaf of the certificate's tree has prices for no buckets, or too many")
	}
	var value *big.Int
	var ok bool
	if len(l.Sets) == 0 {
		value, ok = ProveLeaf(t.m, n, t.modes, l)
	} else {
		if l.Packed || len(prices) != 0 || l.Buckets != 0 || l.Scale != 0 {
			return errors.New("formulation: a leaf of the certificate's tree has prices beside sets of jobs")
		}
		if t.steps, ok = ProveOrders(t.m.Context, t.m, n, t.modes, l, t.steps); t.steps < 0 {
			return ErrOrders
		}
	}
	if !ok {
		return fmt.Errorf("formulation: a leaf of the certificate's tree does not prove the bound %d", l.Target)
	}
	if (value == nil) != (p.Value == nil) || value != nil && value.Cmp(p.Value) != 0 {
		return errors.New("formulation: the certificate's prices were changed: a leaf has another value")
	}
	t.proven = min(t.proven, l.Target)
	return nil
}

// ProveLeaf evaluates prices at a node in overflow-checked integers: do they
// prove that it holds no schedule better than the target? value is nil if some
// job has no plan at all.
func ProveLeaf(m *relax.Model, n *cases.Node, modes [][]relax.ModeOptions, l *Leaf) (value *big.Int, ok bool) {
	if l.Packed {
		return ProvePacked(m, n, l)
	}
	s, some := cases.NewProgram(m, n, modes, l.Target, l.Buckets)
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
