// Package horizon bounds plans in which jobs hold memory only while they run: it chooses the dual feasible
// function, or the jobs no two of which are in memory together, with which package memorytime proves most.
package horizon

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/memorytime"
)

// Memory returns the bound of memory x time, in exact arithmetic; without a value if jobs hold memory for the
// whole plan, or if the smallest memory exceeds every job's demand. Each job must fit by itself.
func Memory(in *instance.Instance) bound.Bound {
	best := bound.Bound{}
	if !in.Queues() {
		return best
	}
	jobs := memorytime.New(in)
	for _, terms := range append(shares(jobs.Items, jobs.Room), relax.ShareTerms{Apart: apart(jobs.Items, jobs.GPUs)}) {
		p := relax.Proven{Kind: relax.MemoryTimeBound}
		if jobs.Prove(&p, &terms) == nil && (best.Value == nil || p.Value.Cmp(best.Value) > 0) {
			p.Certificate = &relax.Certificate{Kind: p.Kind, Denominator: big.NewInt(1), Prices: []*big.Int{}, Share: &terms}
			best.Proven = p
		}
	}
	if best.Value != nil {
		text := "the jobs' parameters and optimizer states, each for as long as its own iterations take, fill the memory of the GPUs"
		if n := len(best.Certificate.Share.Apart); n > 1 {
			text = fmt.Sprintf("%d jobs share a GPU wherever they are placed, and no two of them fit in its memory: they run one after the other", n)
		}
		subject := "the memory of the GPU"
		if jobs.GPUs > 1 {
			subject = fmt.Sprintf("the memory of %d GPUs", jobs.GPUs)
		}
		best.Binding = []bound.Binding{{Resource: "memory", Subject: subject, Text: text, Effect: -1}}
	}
	return best
}

const (
	mostCuts  = 64
	mostParts = 8
)

// shares lists the dual feasible functions to try: the identity (volume); those in which small jobs do not
// count and large ones count whole, with the jobs' sizes as thresholds; and those rounded to few parts.
func shares(items []memorytime.Item, room instance.Bytes) []relax.ShareTerms {
	list := []relax.ShareTerms{{}}
	var cuts []instance.Bytes
	for i := range items {
		size := items[i].Size
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

// apart returns jobs with long stays no two of which can be in memory together: starting from each class in
// turn, it adds all classes compatible with those chosen, the longest first.
func apart(items []memorytime.Item, gpus int64) (best []instance.JobID) {
	widest := int64(0)
	for i := range items {
		widest = max(widest, items[i].Width)
	}
	items = slices.DeleteFunc(slices.Clone(items), func(it memorytime.Item) bool { return it.Width+widest <= gpus })
	stay := func(it *memorytime.Item) (jobs int, length int64) {
		jobs = 1
		if it.Excludes(it, gpus) {
			jobs = len(it.Jobs)
		}
		return jobs, int64(jobs) * int64(it.Stay)
	}
	slices.SortStableFunc(items, func(a, b memorytime.Item) int {
		_, x := stay(&a)
		_, y := stay(&b)
		return cmp.Compare(y, x)
	})
	most := int64(0)
	for first := range items[:min(len(items), mostCuts)] {
		var some []*memorytime.Item
		var jobs []instance.JobID
		sum := int64(0)
		for n := range items {
			it := &items[(first+n)%len(items)]
			if !slices.ContainsFunc(some, func(other *memorytime.Item) bool { return !it.Excludes(other, gpus) }) {
				n, length := stay(it)
				some, jobs, sum = append(some, it), append(jobs, it.Jobs[:n]...), sum+length
			}
		}
		if sum > most {
			best, most = jobs, sum
		}
	}
	slices.Sort(best)
	return best
}
