package periods

import (
	"errors"
	"fmt"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"math/big"
)

// Prove checks that the leaves cover all periods and evaluates their
// prices: the bound is the largest value that a leaf leaves.
func Prove(m *relax.Model, b *relax.Proven, c *relax.Certificate) error {
	programs := New(m, c.Columns)
	if programs == nil {
		return errors.New("formulation: a periods certificate is not for this instance")
	}
	nodes, prices, best := c.Tree, c.Prices, new(big.Rat)
	for ticks := int64(1); ticks <= int64(m.Instance.MaxPeriod); ticks++ {
		whole := programs.Program(ticks, nil)
		open := []*Narrowing{nil} // to be proven, the next last
		for len(open) > 0 {
			n := open[len(open)-1]
			open = open[:len(open)-1]
			if len(nodes) <= len(open) || m.Ended() { // one for each that is open, at the least
				return errors.New("formulation: the certificate lacks nodes")
			}
			p := &nodes[0]
			nodes = nodes[1:]
			f, lower, upper := whole.Within(n)
			if p.Kind == relax.ColumnKind {
				if p.Column < 0 || p.Column >= len(lower) || p.Column == f.Least || p.At < lower[p.Column] || p.At >= upper[p.Column] {
					return fmt.Errorf("formulation: the certificate has a split of column %d at %d that makes no sense", p.Column, p.At)
				}
				open = append(open, &Narrowing{Parent: n, Col: p.Column, Lower: p.At + 1, Upper: upper[p.Column]}, &Narrowing{Parent: n, Col: p.Column, Upper: p.At})
				continue
			}
			if p.Kind != relax.LeafKind && p.Kind != relax.EmptyKind && p.Kind != relax.GPUsKind && p.Kind != relax.CutKind {
				return fmt.Errorf("formulation: a periods certificate has no nodes of kind %q", p.Kind)
			}
			if p.Prices < 0 || p.Prices > len(prices) {
				return errors.New("formulation: the certificate lacks prices of a leaf")
			}
			list, err := relax.Int64s(prices[:p.Prices])
			if err != nil {
				return err
			}
			if p.Kind == relax.CutKind {
				prices = prices[p.Prices:]
				cut := &Cut{p.Column, list}
				if err := f.admits(cut); err != nil {
					return err
				}
				if len(n.Cuts()) == MostCuts {
					return errors.New("formulation: the certificate has too many cuts")
				}
				open = append(open, &Narrowing{Parent: n, Cut: cut})
				continue
			}
			cuts := n.Cuts()
			if len(p.Rights) != len(cuts) {
				return errors.New("formulation: the certificate lacks right sides of cuts")
			}
			for i, cut := range cuts {
				if p.Rights[i] < 0 || p.Rights[i] > exact.MostWorth {
					return relax.ErrPrices
				}
				f.Cut(cut, p.Rights[i])
			}
			if err := f.Confirm(cuts); err != nil {
				return err
			}
			proof := &Leaf{Prices: list, Denominator: p.Denominator, Empty: p.Kind == relax.EmptyKind, GPUs: p.Kind == relax.GPUsKind}
			v, err := f.Proven(proof, lower, upper)
			if err != nil {
				return err
			}
			if p.Value == nil || p.Value.Cmp(proof.Value) != 0 {
				return errors.New("formulation: the certificate's prices were changed: a leaf has another value")
			}
			prices = prices[p.Prices:]
			if v != nil && v.Cmp(best) > 0 {
				best = v
			}
		}
	}
	if len(prices) > 0 || len(nodes) > 0 {
		return errors.New("formulation: the certificate has nodes or prices left over")
	}
	b.Certified, b.Value = true, best
	return nil
}
