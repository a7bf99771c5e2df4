package periods

import (
	"errors"
	"fmt"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"math/big"
)

// Prove checks that the leaves cover all periods and evaluates their prices:
// the bound is the largest value of a leaf.
func Prove(m *relax.Model, b *relax.Proven, c *relax.Certificate) error {
	programs := New(m, c.Columns)
	if programs == nil {
		return errors.New("formulation: a periods certificate is not for this instance")
	}
	tree, best := &relax.Tree{Nodes: c.Tree, Prices: c.Prices}, new(big.Rat)
	for _, ticks := range programs.Periods() {
		p := &proof{whole: programs.Program(ticks, nil), best: best}
		if err := relax.Walk(programs.Model, tree, nil, p.node); err != nil {
			return err
		}
	}
	if b.Value = Bound(m.Instance, best); b.Value == nil {
		return errors.New("formulation: a periods certificate does not bound the makespan")
	}
	b.Certified = true
	return tree.End()
}

// proof is the proof of a period.
type proof struct {
	whole *Program
	best  *big.Rat // the largest value of a leaf
}

// node returns the parts of a case that is split or cut, and evaluates a leaf.
func (t *proof) node(n *Narrowing, p *relax.ProofNode, prices []int64, _ int) ([]*Narrowing, error) {
	f, lower, upper := t.whole.Within(n)
	switch p.Kind {
	case relax.ColumnKind:
		if p.Column >= 0 && p.Column < len(lower) {
			if parts, ok := f.Split(n, p.Column, p.At, lower[p.Column], upper[p.Column]); ok {
				return parts[:], nil
			}
		}
		return nil, fmt.Errorf("formulation: the certificate has a split of column %d at %d that makes no sense", p.Column, p.At)
	case relax.CutKind:
		cut := &Cut{p.Column, prices}
		if err := f.admits(cut); err != nil {
			return nil, err
		}
		if len(n.Cuts()) == MostCuts {
			return nil, errors.New("formulation: the certificate has too many cuts")
		}
		return []*Narrowing{{Parent: n, Cut: cut}}, nil
	case relax.LeafKind, relax.EmptyKind, relax.GPUsKind:
		cuts := n.Cuts()
		if len(p.Rights) != len(cuts) {
			return nil, errors.New("formulation: the certificate lacks right sides of cuts")
		}
		for i, cut := range cuts {
			if p.Rights[i] < 0 || p.Rights[i] > exact.MostWorth {
				return nil, relax.ErrPrices
			}
			f.Cut(cut, p.Rights[i])
		}
		if err := f.Confirm(cuts); err != nil {
			return nil, err
		}
		leaf := &Leaf{Prices: prices, Denominator: p.Denominator, Empty: p.Kind == relax.EmptyKind, GPUs: p.Kind == relax.GPUsKind}
		v, err := f.Proven(leaf, lower, upper)
		if err != nil {
			return nil, err
		}
		if p.Value == nil || p.Value.Cmp(leaf.Value) != 0 {
			return nil, errors.New("formulation: the certificate's prices were changed: a leaf has another value")
		}
		if v != nil && v.Cmp(t.best) > 0 {
			t.best.Set(v)
		}
		return nil, nil
	}
	return nil, fmt.Errorf("formulation: a periods certificate has no nodes of kind %q", p.Kind)
}
