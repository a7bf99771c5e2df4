package periods

import (
	"jigsaw/formulation/bound"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/periods"
	"math/big"
	"slices"
	"time"
)

// bound returns what the tree proves so far, with a list of the trees of all
// periods, 1 first; without a value if a leaf has no proof yet.
func (t *search) bound() bound.Bound {
	b := bound.Bound{Proven: relax.Proven{Kind: relax.PeriodsBound}}
	best := new(big.Rat)
	leaves, again, begun := 0, 0, time.Now()
	c := &relax.Certificate{Kind: relax.PeriodsBound, Columns: t.CoResidentSets, Denominator: big.NewInt(1), Prices: []*big.Int{}}
	var write func(n *periodNode) bool
	write = func(n *periodNode) bool {
		for _, cut := range n.cuts {
			c.Tree = append(c.Tree, relax.ProofNode{Kind: relax.CutKind, Column: cut.Group, Prices: len(cut.Weights)})
			c.Prices = append(c.Prices, bound.Integers(cut.Weights)...)
		}
		if n.split != nil {
			c.Tree = append(c.Tree, relax.ProofNode{Kind: relax.ColumnKind, Column: n.split.Col, At: n.split.Upper})
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
			f, lower, upper := t.within(n)
			proof.Rights = f.Rights
			value, _ = f.Proven(&proof, lower, upper) // cannot fail: it succeeded when the prices were made
		}
		leaf := relax.ProofNode{Kind: relax.LeafKind, Prices: len(proof.Prices), Denominator: proof.Denominator, Value: proof.Value, Rights: proof.Rights}
		switch {
		case proof.Empty:
			leaf.Kind = relax.EmptyKind
		case proof.GPUs:
			leaf.Kind = relax.GPUsKind
		}
		if !proof.Empty && value.Cmp(best) > 0 {
			best = value
		}
		c.Tree = append(c.Tree, leaf)
		c.Prices = append(c.Prices, bound.Integers(proof.Prices)...)
		return true
	}
	for i := len(t.root.parts) - 1; i >= 0; i-- {
		if !write(t.root.parts[i]) {
			return b
		}
	}
	if len(c.Tree) > 0 {
		b.Value = periods.Bound(t.in, best)
	}
	if b.Value != nil {
		b.Certificate, b.Certified = c, true
	}
	// The next list takes as long, and the final proof checks every leaf.
	b.Proving = time.Since(begun) / time.Duration(max(1, again)) * time.Duration(leaves+again)
	return b
}
