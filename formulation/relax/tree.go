package relax

import (
	"errors"
	"math/big"
	"slices"
)

// Int64s returns prices as 64-bit integers, or an error if one does not fit.
func Int64s(prices []*big.Int) ([]int64, error) {
	list := make([]int64, len(prices))
	for i, price := range prices {
		if price == nil || !price.IsInt64() {
			return nil, ErrPrices
		}
		list[i] = price.Int64()
	}
	return list, nil
}

// ErrPrices reports prices that prove nothing.
var ErrPrices = errors.New("formulation: the prices prove nothing")

// The kinds of the nodes of a periods certificate that are not leaves of
// values; see [ProofNode].
const (
	ColumnKind = "column" // a split
	CutKind    = "cut"    // with one child, which has one more row
	EmptyKind  = "empty"  // a leaf without plans
	GPUsKind   = "gpus"   // a leaf with prices of the program of GPUs
)

// ProofNode is a node of a tree in a [Certificate]. The nodes are listed depth
// first: a split is followed by its children, which cover it; a leaf says which
// prices prove that it holds no schedule better than a target.
type ProofNode struct {
	// Kind is that of a split, or "leaf", or "packed" for a leaf with prices of contents of
	// GPUs.
	Kind string `json:"kind"`
	// For a split; see package cases.
	Job       int   `json:"job,omitempty"`
	Iteration int   `json:"iteration,omitempty"`
	Worker    int   `json:"worker,omitempty"`
	At        int64 `json:"at,omitempty"`
	// Column of the program of a period: it is at most At, or above.
	Column int `json:"column,omitempty"`
	// Rights are the right-hand sides of the cuts above a leaf of a period, first cut first:
	// upper limits on the value of the contents of a link at the cut's weights.
	Rights []int64 `json:"rights,omitempty"`
	// For a leaf: the target, at least the bound, that no schedule in it beats; the
	// number of its prices, which follow those of the leaves before it; their
	// denominator; and what they prove, nil if some job has no plan. Prices are
	// constant in about Buckets buckets or, if that is 0, in ticks.
	Target      int64    `json:"target,omitempty"`
	Buckets     int64    `json:"buckets,omitempty"`
	Prices      int      `json:"prices,omitempty"`
	Denominator int64    `json:"denominator,omitempty"`
	Value       *big.Int `json:"value,omitempty"`
	// Sets replace prices: the leaf is proven by the order of tasks on the GPUs, for sets of
	// jobs that share GPUs; each set is named by its first job.
	Sets []int `json:"sets,omitempty"`
}

// The kinds of nodes that are not split: leaves with prices of plans or sets of jobs, and
// leaves with prices of the contents of GPUs.
const (
	LeafKind   = "leaf"
	PackedKind = "packed"
)

// Tree reads the nodes and prices of a certificate in the order in which they are listed.
type Tree struct {
	Nodes  []ProofNode // those not yet read
	Prices []*big.Int  // of these nodes
}

// Walk reads the nodes of a case distinction from the root on, depth first. visit is given a case,
// its node and the node's prices, and returns the cases that cover it, in the order of their
// nodes; none if the node proves it. There are nodes for at most room of them.
func Walk[Case any](m *Model, t *Tree, root Case, visit func(at Case, p *ProofNode, prices []int64, room int) ([]Case, error)) error {
	for open := []Case{root}; len(open) > 0; { // a stack: the next case is last
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if len(t.Nodes) <= len(open) || m.Ended() { // at least one node for each open case
			return errors.New("formulation: the certificate lacks nodes")
		}
		p := &t.Nodes[0]
		t.Nodes = t.Nodes[1:]
		if p.Prices < 0 || p.Prices > len(t.Prices) {
			return errors.New("formulation: the certificate lacks prices of a leaf")
		}
		prices, err := Int64s(t.Prices[:p.Prices])
		if err != nil {
			return err
		}
		t.Prices = t.Prices[p.Prices:]
		covering, err := visit(at, p, prices, len(t.Nodes)-len(open))
		if err != nil {
			return err
		}
		slices.Reverse(covering)
		open = append(open, covering...)
	}
	return nil
}

// End returns an error if a tree does not end after its last case.
func (t *Tree) End() error {
	if len(t.Prices) > 0 || len(t.Nodes) > 0 {
		return errors.New("formulation: the certificate has nodes or prices left over")
	}
	return nil
}
