package relax

import (
	"fmt"
	"slices"
)

// Misplaced returns the first number of a certificate that does not belong where it is, as a
// path and a reason; "" if all belong. A proof does not read such numbers, so nothing else
// would detect an error in them.
func (c *Certificate) Misplaced() (path, why string) {
	branched := c.Kind == TreeBound || c.Kind == PeriodsBound
	priced := c.Kind == FluidBound || c.Kind == ColumnsBound || c.Kind == PackingBound || c.Kind == IntervalsBound
	if !priced && (c.Denominator == nil || !c.Denominator.IsInt64() || c.Denominator.Int64() != 1) {
		if branched {
			return "denominator", "this must be 1 where there are nodes, whose leaves have their own"
		}
		return "denominator", "this must be 1 in proofs of kind " + string(c.Kind) + ", whose numbers are whole"
	}
	for i := range c.Tree {
		if key := c.Tree[i].misplaced(c.Kind); key != "" {
			return fmt.Sprintf("tree[%d].%s", i, key), "this key does not belong to nodes of kind " + c.Tree[i].Kind
		}
	}
	return "", ""
}

// misplaced returns the first key of a node that its kind does not have in certificates of
// the given kind.
func (n *ProofNode) misplaced(in Kind) string {
	var own []string
	switch kind := n.Kind; {
	case in == PeriodsBound && kind == ColumnKind:
		own = []string{"column", "at"}
	case in == PeriodsBound && kind == CutKind:
		own = []string{"column", "prices"}
	case in == PeriodsBound:
		own = []string{"prices", "denominator", "value", "rights"}
	case kind == LeafKind && len(n.Sets) > 0:
		own = []string{"target", "sets"}
	case kind == LeafKind:
		own = []string{"target", "buckets", "prices", "denominator", "value"}
	case kind == PackedKind:
		own = []string{"target", "prices", "denominator", "value"}
	case kind == "home":
		own = []string{"job"}
	case kind == "end" || kind == "sync" || kind == "level":
		own = []string{"job", "iteration", "at"}
	case kind == "start" || kind == "depth":
		own = []string{"job", "iteration", "worker", "at"}
	}
	for _, k := range []struct {
		name  string
		given bool
	}{
		{"job", n.Job != 0}, {"iteration", n.Iteration != 0}, {"worker", n.Worker != 0}, {"at", n.At != 0},
		{"column", n.Column != 0}, {"target", n.Target != 0}, {"buckets", n.Buckets != 0}, {"prices", n.Prices != 0},
		{"denominator", n.Denominator != 0}, {"value", n.Value != nil}, {"rights", n.Rights != nil}, {"sets", len(n.Sets) > 0},
	} {
		if k.given && !slices.Contains(own, k.name) {
			return k.name
		}
	}
	return ""
}
