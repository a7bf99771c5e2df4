// Package horizon bounds plans in which jobs hold memory only while they run: it chooses the dual
// feasible function by which [memorytime] proves most.
package horizon

import (
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/memorytime"
)

// Memory returns the bound that memory x time proves, in exact arithmetic; without a value where
// jobs hold memory for the whole plan, or where the least of memory is more than any job's. Each job must find room by itself.
func Memory(in *instance.Instance) bound.Bound {
	best := bound.Bound{}
	if !in.Queues() {
		return best
	}
	sizes, room, gpus := memorytime.Sizes(in)
	for _, terms := range shares(sizes, room) {
		p := relax.Proven{Kind: relax.MemoryTimeBound}
		if memorytime.Prove(in, &p, &terms) == nil && (best.Value == nil || p.Value.Cmp(best.Value) > 0) {
			p.Certificate = &relax.Certificate{Kind: p.Kind, Denominator: big.NewInt(1), Prices: []*big.Int{}, Share: &terms}
			best.Proven = p
		}
	}
	if best.Value != nil {
		best.Binding = []bound.Binding{{Resource: "memory", Subject: fmt.Sprintf("the memory of %d GPUs", gpus),
			Text: "the jobs' parameters and optimizer states, each for as long as its own iterations take, fill the memory of the GPUs", Effect: -1}}
	}
	return best
}

const (
	mostCuts  = 64
	mostParts = 8
)

// shares lists the dual feasible functions that are tried: that of the volume; those in which small jobs do not
// count and large ones count whole, at the sizes of the jobs; and those rounded to few parts.
func shares(sizes []instance.Bytes, room instance.Bytes) []relax.ShareTerms {
	list := []relax.ShareTerms{{}}
	var cuts []instance.Bytes
	for _, size := range sizes {
		for _, cut := range []instance.Bytes{size, size + 1, room - size, room - size + 1} {
			if cut > 0 && cut <= room/2 {
				cuts = append(cuts, cut)
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for _, cut := range cuts[:min(len(cuts), mostCuts)] {
		list = append(list, relax.ShareTerms{Cut: int64(cut)})
	}
	for n := range int64(mostParts) {
		list = append(list, relax.ShareTerms{Parts: n + 1})
	}
	return list
}
