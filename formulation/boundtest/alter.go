package boundtest

import (
	"math/big"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/relax"
)

// Alter changes one number of a tree, or one node.
func Alter(rng *rand.Rand, c *relax.Certificate) {
	step := int64(1 - 2*rng.IntN(2))
	if len(c.Prices) > 0 && rng.IntN(3) == 0 {
		i := rng.IntN(len(c.Prices))
		c.Prices[i] = new(big.Int).Add(c.Prices[i], big.NewInt(step<<rng.IntN(20)))
		return
	}
	i := rng.IntN(len(c.Tree))
	n := &c.Tree[i]
	switch rng.IntN(4) {
	case 0:
		c.Tree = slices.Delete(c.Tree, i, i+1)
	case 1:
		c.Tree = slices.Insert(c.Tree, i, c.Tree[rng.IntN(len(c.Tree))])
	default:
		if n.Kind == relax.LeafKind || n.Kind == relax.PackedKind {
			switch {
			case len(n.Sets) > 0:
				n.Sets = slices.Clone(n.Sets)
				n.Sets[rng.IntN(len(n.Sets))] += int(step)
			case rng.IntN(3) == 0:
				n.Denominator += step
			case rng.IntN(2) == 0:
				n.Prices += int(step)
			case n.Value != nil:
				n.Value = new(big.Int).Add(n.Value, big.NewInt(step))
			}
			return
		}
		switch rng.IntN(4) {
		case 0:
			n.Job += int(step)
		case 1:
			n.Iteration += int(step)
		case 2:
			n.Worker += int(step)
		default:
			n.At += step
		}
	}
}
