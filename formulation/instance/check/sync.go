package check

import (
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// checkedRing is what the synchronisations of a job use, counted by the
// checker itself.
type checkedRing struct {
	parties int // q of docs/problem.md section 4
	// uses of links, ascending, and how often the ring crosses each.
	uses []ringUse
	// slowest is the rate at level 1 in whole bit/s, and 0 where there is no
	// way to synchronise; broken then says why.
	slowest int64
	broken  string
}

type ringUse struct {
	link  instance.LinkID
	times int64
}

// ring walks the ring of a job with at least two GPUs: around its nodes in
// ascending order and back to the first, hop by hop over the route tree.
func (c *checker) ring(job *instance.Job, gpus []instance.GPUID) *checkedRing {
	in, policy := c.in, job.Policy
	var nodes []instance.NodeID
	for _, g := range gpus { // ascending GPUs are on ascending nodes
		if n := in.GPUs[g].Node; len(nodes) == 0 || nodes[len(nodes)-1] != n {
			nodes = append(nodes, n)
		}
	}
	r := &checkedRing{parties: len(nodes)}
	times := map[instance.LinkID]int64{}
	if len(nodes) == 1 {
		r.parties = len(gpus) / group(job)
		times[in.Nodes[nodes[0]].Fabric] = 1
	} else {
		for i := range nodes {
			from, to := &in.Nodes[nodes[i]], &in.Nodes[nodes[(i+1)%len(nodes)]]
			times[from.Up]++
			times[to.Down]++
			if policy > 0 {
				route, ok := in.PolicyRoute(policy, from.Rack, to.Rack)
				if !ok {
					r.broken = fmt.Sprintf("there is no route from node %s to node %s that obeys policy %s", from.Name, to.Name, in.Policies[policy-1])
					return r
				}
				for _, l := range route {
					times[l]++
				}
				continue
			}
			for s := in.Switch(to.Rack); s != in.Switch(from.Rack); {
				l, ok := in.LastHop(from.Rack, s)
				if !ok {
					r.broken = fmt.Sprintf("there is no route from node %s to node %s", from.Name, to.Name)
					return r
				}
				times[l]++
				s, _, _ = in.Ends(l)
			}
		}
	}
	for l, n := range times {
		r.uses = append(r.uses, ringUse{l, n})
	}
	slices.SortFunc(r.uses, func(a, b ringUse) int { return int(a.link) - int(b.link) })
	for i, u := range r.uses {
		link := &in.Links[u.link]
		share := int64(link.Capacity) / u.times
		if link.Failed {
			r.slowest, r.broken = 0, fmt.Sprintf("link %s has failed and carries nothing", link.Name)
			return r
		}
		if share == 0 {
			r.slowest, r.broken = 0, fmt.Sprintf("link %s of %d bit/s cannot be crossed %d times at once", link.Name, link.Capacity, u.times)
			return r
		}
		if i == 0 || share < r.slowest {
			r.slowest = share
		}
	}
	return r
}

// syncVolume returns the bytes each of q parties sends when the GPUs of whole workers, counts[d]
// of them, are at depth d: for a segment of G bytes with n contributors, G(m-1)/m +
// G(q-1)/q with m = min(q, n), each rounded up. G(q-1)/q rounded up is G less
// G/q rounded down, so nothing here can overflow: the segments of a model add
// up to less than 2^60 bytes.
func syncVolume(job *instance.Job, counts []int, q int) int64 {
	var volume int64
	for s, bytes := range job.SegmentBytes {
		n := 0 // workers that back-propagate the segment
		for _, deep := range counts[s:] {
			n += deep / group(job)
		}
		if n == 0 {
			continue
		}
		g := int64(bytes)
		volume += (g - g/int64(min(q, n))) * (job.MoreReductions + 1)
		volume += (g - g/int64(q)) * (job.MoreGathers + 1)
	}
	return volume
}

// syncLength computes lengths of synchronisations and remembers the last one,
// for those of a job are mostly alike.
type syncLength struct {
	volume, slowest int64
	level           instance.RateLevel
	want            *big.Int
}

// ticks returns ceil(volume x 8e6 x level / (slowest x tick_us)), at least the
// latency, for a volume in bytes and the rate at level 1 in bit/s.
func (l *syncLength) ticks(in *instance.Instance, volume, slowest int64, level instance.RateLevel) *big.Int {
	if l.want != nil && l.volume == volume && l.slowest == slowest && l.level == level {
		return l.want
	}
	bits := new(big.Int).Mul(big.NewInt(volume), big.NewInt(8_000_000*int64(level))) // and microseconds per second
	perTick := new(big.Int).Mul(big.NewInt(slowest), big.NewInt(in.TickUS))
	want, rest := bits.QuoRem(bits, perTick, new(big.Int))
	if rest.Sign() > 0 {
		want.Add(want, big.NewInt(1))
	}
	if latency := big.NewInt(int64(in.Latency)); want.Cmp(latency) < 0 {
		want = latency
	}
	*l = syncLength{volume, slowest, level, want}
	return want
}
