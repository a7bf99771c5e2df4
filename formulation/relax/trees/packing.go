package trees

import (
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/packing"
	"math/big"
)

// ProvePacked proves a leaf by the contents of GPUs.
func ProvePacked(m *relax.Model, n *cases.Node, l *Leaf) (value *big.Int, ok bool) {
	if m.Instance.Objective != instance.Makespan || l.Scale < 1 || l.Target < 2 {
		return nil, false
	}
	return packing.New(m, l.Target-1, n.Residency()).Prove(l.Prices)
}
