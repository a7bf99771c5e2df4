package instance

import "math/big"

// RateLevel n stands for the speed 1/n of the slowest link on a
// synchronisation's routes.
type RateLevel int

// Rate is the speed of a synchronisation, or what a link carries, in parts of a bit/s: so
// many of them, for each instance, that every rate level of every span is whole.
type Rate int64

// Capacity returns what link l carries, whether or not it failed.
func (in *Instance) Capacity(l LinkID) Rate { return in.Rate(in.Links[l].Capacity) }

// Rate returns a speed in whole bit/s as a rate.
func (in *Instance) Rate(r BitRate) Rate { return Rate(r) * in.rateParts }

// BitRate returns a rate in bit/s, rounded down.
func (in *Instance) BitRate(r Rate) BitRate { return BitRate(r / in.rateParts) }

// RateOf returns the rate that moves volume bytes in that many ticks, rounded down.
func (in *Instance) RateOf(volume Bytes, ticks Tick) *big.Int {
	rate := new(big.Int).Mul(big.NewInt(int64(volume)), big.NewInt(8_000_000))
	rate.Mul(rate, big.NewInt(int64(in.rateParts)))
	return rate.Quo(rate, new(big.Int).Mul(big.NewInt(int64(ticks)), big.NewInt(in.TickUS)))
}

// LinkUse says how often a synchronisation's ring crosses a link: running at
// rate x it takes Times*x of the link's capacity.
type LinkUse struct {
	Link  LinkID
	Times int
}

// Span is what the synchronisations of a job use, given its residency.
type Span struct {
	// Parties q: the nodes the job lives on, or its workers if that is one node.
	Parties int
	// Uses of links, by ascending link. Empty for a lone GPU.
	Uses []LinkUse
	// Slowest is the rate at level 1: min over Uses of capacity/times, each rounded down to
	// whole bit/s.
	Slowest Rate
}

// SpanOf returns the links used by synchronisations of a job among the given GPUs.
// ok is false where a failed link, or the job's policy, leaves two nodes without a route.
func (in *Instance) SpanOf(job *Job, gpus []GPUID) (span Span, ok bool) {
	if len(gpus) <= 1 && (job.Bundle == 0 || !job.HasSync()) {
		return Span{Parties: 1}, true
	}
	return in.SpanNodesOf(job, in.NodesOf(gpus), len(gpus))
}

// Span is [Instance.SpanOf] of a job without a policy.
func (in *Instance) Span(gpus []GPUID) (span Span, ok bool) { return in.SpanOf(&Job{}, gpus) }

// SpanNodes is [Instance.SpanNodesOf] of a job without a policy.
func (in *Instance) SpanNodes(nodes []NodeID, k int) (span Span, ok bool) {
	return in.SpanNodesOf(&Job{}, nodes, k)
}

// SpanNodesOf is [Instance.SpanOf] for k > 1 GPUs on the given nodes, which
// must be ascending and distinct.
func (in *Instance) SpanNodesOf(job *Job, nodes []NodeID, k int) (span Span, ok bool) {
	if len(nodes) == 1 {
		l := in.Nodes[nodes[0]].Fabric
		if in.Links[l].Failed {
			return Span{}, false
		}
		return Span{job.Parties(k), []LinkUse{{l, 1}}, in.Capacity(l)}, true
	}
	uses, ok := in.ring(job.Policy, nodes)
	if !ok {
		return Span{}, false
	}
	span = Span{Parties: len(nodes), Uses: uses}
	for i, u := range uses {
		if r := in.Rate(in.Links[u.Link].Capacity / BitRate(u.Times)); i == 0 || r < span.Slowest {
			span.Slowest = r
		}
	}
	return span, span.Slowest > 0
}

// Volume returns the bytes that every party of a synchronisation sends, and
// receives, when counts[d] GPUs ran at depth d (docs/problem.md section 4):
// segment s of G bytes with n contributors among q parties costs
// G(min(q,n)-1)/min(q,n) for each reduction plus G(q-1)/q for each broadcast,
// each rounded up to whole bytes.
func (j *Job) Volume(counts []int, parties int) Bytes {
	q, v, n := int64(parties), Bytes(0), int64(0)
	for s := len(counts) - 1; s >= 0; s-- {
		n += int64(counts[s])
		if n == 0 {
			continue
		}
		workers := j.Parties(int(n))
		if j.Contributors != nil {
			workers = j.Contributors[s]
		}
		qs := min(q, int64(workers))
		g := int64(j.SegmentBytes[s])
		v += Bytes((1+j.MoreReductions)*ceilMulDiv(g, qs-1, qs) + (1+j.MoreGathers)*ceilMulDiv(g, q-1, q))
	}
	return v
}

// LeastSpan is a part of what [Instance.SpanOf] says that nodes which are alike without a
// policy have alike: links that every ring through the nodes crosses at least so often. ok is
// false only where SpanOf's is. Without a policy it is all.
func (in *Instance) LeastSpan(job *Job, gpus []GPUID) (span Span, ok bool) {
	free := *job
	free.Policy = 0
	span, ok = in.SpanOf(&free, gpus)
	if !ok || job.Policy == 0 {
		return span, ok
	}
	// In a tree of racks no route is shorter; between the switches of the full form a policy
	// may take quite another one.
	least := Span{Parties: span.Parties}
	for _, u := range span.Uses {
		if in.Links[u.Link].Kind == Trunk {
			continue
		}
		if r := in.Rate(in.Links[u.Link].Capacity / BitRate(u.Times)); len(least.Uses) == 0 || r < least.Slowest {
			least.Slowest = r
		}
		least.Uses = append(least.Uses, u)
	}
	return least, true
}

// Links lists the links that the span uses.
func (s Span) Links() (list []LinkID) {
	for _, u := range s.Uses {
		list = append(list, u.Link)
	}
	return list
}

// Rate returns the speed of a synchronisation at the given level, exactly.
func (s Span) Rate(level RateLevel) Rate { return s.Slowest / Rate(level) }

// SyncTicks returns the length of a synchronisation that moves volume bytes
// per party at the given speed: rounded up to whole ticks, at least the latency.
func (in *Instance) SyncTicks(volume Bytes, rate Rate) Tick {
	// ceil(ceil(a/b)/c) = ceil(a/(bc)). Compile refuses instances whose
	// microseconds would not fit.
	microseconds := ceilMulDiv(int64(volume), 8_000_000*int64(in.rateParts), int64(rate))
	return max(in.Latency, Tick(ceilMulDiv(microseconds, 1, in.TickUS)))
}
