package tree

import (
	"jigsaw/formulation/bound"
	"jigsaw/formulation/relax"
	"math"
	"math/big"
	"time"
)

// certificate converts the closed tree to a certificate, and returns how long
// the proofs of its leaves took. It proves the least target of these.
func (t *search) certificate() (c *relax.Certificate, proving time.Duration) {
	c = &relax.Certificate{Kind: relax.TreeBound, Denominator: big.NewInt(1), Prices: []*big.Int{}}
	proven := int64(math.MaxInt64)
	var write func(n *node)
	write = func(n *node) {
		switch {
		case n.split != nil:
			c.Tree = append(c.Tree, relax.ProofNode{
				Kind: string(n.split.Kind), Job: n.split.Job, Iteration: n.split.Iteration, Worker: n.split.Worker, At: n.split.At,
			})
		case n.proof != nil:
			proven = min(proven, n.proof.Target)
			proving += n.proof.took
			kind := relax.LeafKind
			if n.proof.Packed {
				kind = relax.PackedKind
			}
			c.Tree = append(c.Tree, relax.ProofNode{
				Kind: kind, Target: n.proof.Target, Buckets: n.proof.Buckets, Prices: len(n.proof.Prices), Denominator: n.proof.Scale, Value: n.proof.Value, Sets: n.proof.Sets,
			})
			c.Prices = append(c.Prices, bound.Integers(n.proof.Prices)...)
		}
		for _, child := range n.children { // for a node examined once more: itself
			write(child)
		}
	}
	write(t.root)
	c.Bound = relax.NewClaim(new(big.Rat).SetInt64(proven))
	return c, proving
}
