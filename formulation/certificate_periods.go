package formulation

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"
)

// The kinds of the nodes of a periods certificate that are not leaves of
// values; see [ProofNode].
const (
	columnKind = "column" // a split
	cutKind    = "cut"    // of one child, which has a row more
	emptyKind  = "empty"  // a leaf without plans
	gpusKind   = "gpus"   // a leaf with prices of the program of GPUs
)

// bound returns what the tree proves, as far as it was looked at, with a list of
// the trees of all periods, 1 first; without a value where a leaf has no proof yet.
func (t *periodTree) bound() Bound {
	b := Bound{Kind: PeriodsBound, LP: LP{Iterations: t.iterations}}
	best := new(big.Rat)
	leaves, again, begun := 0, 0, time.Now()
	c := &Certificate{Kind: PeriodsBound, Columns: t.m.companies, Denominator: big.NewInt(1), Prices: []*big.Int{}}
	var write func(n *periodNode) bool
	write = func(n *periodNode) bool {
		for _, cut := range n.cuts {
			c.Tree = append(c.Tree, ProofNode{Kind: cutKind, Column: cut.group, Prices: len(cut.weights)})
			for _, w := range cut.weights {
				c.Prices = append(c.Prices, big.NewInt(w))
			}
		}
		if n.split != nil {
			c.Tree = append(c.Tree, ProofNode{Kind: columnKind, Column: n.split.col, At: n.split.upper})
		}
		if n.parts != nil {
			return !slices.ContainsFunc(n.parts, func(part *periodNode) bool { return !write(part) })
		}
		if n.proof == nil {
			return false
		}
		proof, value := *n.proof, n.value
		if leaves++; n.inherited {
			again++
			f, lower, upper := t.open(n.period).within(n.narrow)
			value, _ = f.proven(&proof, lower, upper) // which succeeded when the prices were made
		}
		leaf := ProofNode{Kind: leafKind, Prices: len(proof.prices), Denominator: proof.denominator, Value: proof.value}
		switch {
		case proof.empty:
			leaf.Kind = emptyKind
		case proof.gpus:
			leaf.Kind = gpusKind
		}
		if !proof.empty && value.Cmp(best) > 0 {
			best = value
		}
		c.Tree = append(c.Tree, leaf)
		for _, price := range proof.prices {
			c.Prices = append(c.Prices, big.NewInt(price))
		}
		return true
	}
	for i := len(t.root.parts) - 1; i >= 0; i-- {
		if !write(t.root.parts[i]) {
			return b
		}
	}
	if len(c.Tree) > 0 {
		b.Certificate, b.Certified, b.Value = c, true, best
	}
	// The next list takes as long, and the last proof looks at every leaf.
	b.Proving = time.Since(begun) / time.Duration(max(1, again)) * time.Duration(leaves+again)
	return b
}

// provePeriods checks that the leaves cover all periods and evaluates their
// prices: the bound is the largest value that a leaf leaves.
func (m *model) provePeriods(b *Bound, c *Certificate) error {
	if m = m.whole(c.Columns); m == nil {
		return errors.New("formulation: a periods certificate is not for this instance")
	}
	nodes, prices, best := c.Tree, c.Prices, new(big.Rat)
	for ticks := int64(1); ticks <= int64(m.in.MaxPeriod); ticks++ {
		whole := m.periodProgram(ticks, nil)
		open := []*narrowing{nil} // to be proven, the next last
		for len(open) > 0 {
			n := open[len(open)-1]
			open = open[:len(open)-1]
			if len(nodes) <= len(open) || m.ended() { // one for each that is open, at the least
				return errors.New("formulation: the certificate lacks nodes")
			}
			p := &nodes[0]
			nodes = nodes[1:]
			f, lower, upper := whole.within(n)
			if p.Kind == columnKind {
				if p.Column < 0 || p.Column >= len(lower) || p.Column == f.least || p.At < lower[p.Column] || p.At >= upper[p.Column] {
					return fmt.Errorf("formulation: the certificate has a split of column %d at %d that makes no sense", p.Column, p.At)
				}
				open = append(open, &narrowing{parent: n, col: p.Column, lower: p.At + 1, upper: upper[p.Column]}, &narrowing{parent: n, col: p.Column, upper: p.At})
				continue
			}
			if p.Kind != leafKind && p.Kind != emptyKind && p.Kind != gpusKind && p.Kind != cutKind {
				return fmt.Errorf("formulation: a periods certificate has no nodes of kind %q", p.Kind)
			}
			if p.Prices < 0 || p.Prices > len(prices) {
				return errors.New("formulation: the certificate lacks prices of a leaf")
			}
			list, err := small(prices[:p.Prices])
			if err != nil {
				return err
			}
			if p.Kind == cutKind {
				prices = prices[p.Prices:]
				cut := &contentCut{p.Column, list}
				if err := f.admits(cut); err != nil {
					return err
				}
				if len(n.cuts()) == mostCuts {
					return errors.New("formulation: the certificate has too many cuts")
				}
				open = append(open, &narrowing{parent: n, cut: cut})
				continue
			}
			if err := f.confirm(n.cuts()); err != nil {
				return err
			}
			proof := &priceProof{prices: list, denominator: p.Denominator, empty: p.Kind == emptyKind, gpus: p.Kind == gpusKind}
			v, err := f.proven(proof, lower, upper)
			if err != nil {
				return err
			}
			if p.Value == nil || p.Value.Cmp(proof.value) != 0 {
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
