package memory

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/memory"
)

// Search looks for a placement within the given number of steps, workers placed. It
// returns nil and true if it has searched everywhere, which is not a proof that
// others can check (see [memory.Refute]), and nil and false if steps or ctx ended
// it.
func Search(ctx context.Context, in *instance.Instance, steps int) (*Placement, bool) {
	if len(in.Jobs)*len(in.Classes())*len(in.GPUs) > mostWork {
		return nil, false
	}
	s := newSearcher(ctx, in)
	// If there are many placements, a way of choosing GPUs that goes wrong early stays
	// wrong for long. So several ways get a part of the steps each, and the last gets the
	// rest.
	ways := []way{alike, tightest, roomiest, random, random, alike}
	for n, way := range ways {
		part := steps / 10
		if n == len(ways)-1 {
			part = steps - n*part
		}
		found, everywhere := s.try(way, part)
		if found || everywhere {
			if !found {
				return nil, true
			}
			return s.placement(), false
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, false
}

// mostWork limits jobs x classes of jobs x GPUs, the cost of descending once to a
// placement.
const mostWork = 500_000_000

// way is the order in which GPUs are tried for a worker.
type way int

const (
	alike    way = iota // smallest difference between the largest ephemeral bytes there and the worker's, as they are not summed
	tightest            // least memory left over
	roomiest            // most memory left over
	random
)

// searcher backtracks over jobs, the one with the fewest available GPUs first, and
// over their workers, the deepest first. GPUs that the cluster's symmetries exchange
// are tried once: GPUs of a node in the same state, nodes of a rack with GPUs in the
// same states, and racks with such nodes. States are identified by 64-bit hashes.
type searcher struct {
	ctx    context.Context
	in     *instance.Instance
	way    way
	rng    *rand.Rand
	budget int
	whole  bool // nothing was left out except because of the budget

	options [][][]int // per job: multisets
	class   []int     // per job: identical jobs have equal numbers
	reach   []int     // per node: its component

	held               []instance.Memory // per GPU
	taken              []bool            // per GPU: used by the job being placed
	gpuHash            []uint64          // per GPU: its state
	nodeHash, rackHash []uint64          // sums over GPUs, and over nodes
	total              uint64            // over racks
	left               []instance.JobID  // not placed yet
	dead               map[uint64]bool   // states, with the jobs left, that cannot be completed

	gpus   [][]instance.GPUID
	depths [][]int
}

func newSearcher(ctx context.Context, in *instance.Instance) *searcher {
	s := &searcher{
		ctx: ctx, in: in, rng: rand.New(rand.NewPCG(1, 2)), whole: len(in.Policies) == 0, reach: memory.Components(in),
		class: in.ClassOf(), held: make([]instance.Memory, len(in.GPUs)),
		taken: make([]bool, len(in.GPUs)), gpuHash: make([]uint64, len(in.GPUs)), nodeHash: make([]uint64, len(in.Nodes)),
		rackHash: make([]uint64, len(in.Racks)), gpus: make([][]instance.GPUID, len(in.Jobs)), depths: make([][]int, len(in.Jobs)),
		dead: map[uint64]bool{},
	}
	for j := range in.Jobs {
		list, all := memory.Multisets(&in.Jobs[j])
		s.options = append(s.options, list)
		s.whole = s.whole && all
	}
	return s
}

// try searches from the beginning. It reports whether a placement was found, and
// whether it searched everywhere.
func (s *searcher) try(w way, steps int) (found, everywhere bool) {
	s.way, s.budget = w, steps
	clear(s.held)
	clear(s.nodeHash)
	clear(s.rackHash)
	s.total = 0
	for g := range s.in.GPUs {
		s.gpuHash[g] = 0
	}
	for r := range s.in.Racks {
		s.total += mix(s.rackHash[r])
	}
	for g := range s.in.GPUs {
		s.rehash(instance.GPUID(g))
	}
	s.left = s.left[:0]
	for j := range s.in.Jobs {
		s.left = append(s.left, instance.JobID(j))
	}
	if s.jobs() {
		return true, false
	}
	return false, s.budget >= 0 && s.whole && s.ctx.Err() == nil
}

// mix spreads the bits of x (splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// rehash updates the hashes with the state of a GPU.
func (s *searcher) rehash(g instance.GPUID) {
	node := &s.in.Nodes[s.in.GPUs[g].Node]
	n, r := s.in.GPUs[g].Node, node.Rack
	now := mix(uint64(s.held[g].Persistent)) + 3*mix(uint64(s.held[g].Ephemeral)^0x5555)
	if s.taken[g] {
		now ^= 0xabcdef12345
	}
	now = mix(now)
	s.total -= mix(s.rackHash[r])
	s.rackHash[r] -= s.nodeKey(n)
	s.nodeHash[n] += now - s.gpuHash[g]
	s.gpuHash[g] = now
	s.rackHash[r] += s.nodeKey(n)
	s.total += mix(s.rackHash[r])
}

// nodeKey is equal for nodes that can be exchanged within their rack.
func (s *searcher) nodeKey(n instance.NodeID) uint64 {
	node := &s.in.Nodes[n]
	fabric := uint64(0)
	if s.in.Links[node.Fabric].Failed {
		fabric = 1
	}
	if len(s.in.Policies) > 0 {
		fabric += 2 * uint64(n+1) // routes may distinguish any two nodes
	}
	return mix(s.nodeHash[n] + mix(uint64(node.Type)<<32+uint64(node.GPUs)) + mix(uint64(s.reach[n]+1)<<1+fabric)*5)
}

// room returns the memory left on g beside a worker of job j at depth d; negative if
// it does not fit.
func (s *searcher) room(j instance.JobID, g instance.GPUID, d int) instance.Bytes {
	t := s.in.GPUs[g].Type
	c := s.in.Jobs[j].On[t]
	if c == nil {
		return -1
	}
	return s.in.Types[t].Memory - s.held[g].With(c.Memory(d)).Sum()
}

// jobs places all jobs that are left.
func (s *searcher) jobs() bool {
	if len(s.left) == 0 {
		return true
	}
	if s.budget < 0 || s.ctx.Err() != nil {
		return false
	}
	// The remaining jobs and the state of the cluster determine everything that can
	// follow.
	key := s.total
	for _, j := range s.left {
		key += mix(uint64(s.class[j]) + 0x77777777)
	}
	if s.dead[key] {
		return false
	}
	at, ok := s.hardest()
	if ok && s.parametersFit() {
		j := s.left[at]
		s.left = slices.Delete(slices.Clone(s.left), at, at+1)
		left := s.left
		for _, counts := range s.options[j] {
			if s.place(j, counts) {
				return true
			}
			s.left = left
		}
		s.left = slices.Insert(slices.Clone(left), at, j)
	}
	if s.budget >= 0 && s.ctx.Err() == nil {
		s.dead[key] = true
	}
	return false
}

// hardest returns the index in left of the job with the fewest GPUs beyond those it
// needs, and false if a job has too few.
func (s *searcher) hardest() (int, bool) {
	best, least := 0, int(^uint(0)>>1)
	seen := make(map[int]bool, len(s.left))
	for at, j := range s.left {
		if seen[s.class[j]] {
			continue
		}
		seen[s.class[j]] = true
		job := &s.in.Jobs[j]
		shallowest := job.Full()
		for _, counts := range s.options[j] {
			shallowest = min(shallowest, slices.IndexFunc(counts, func(n int) bool { return n > 0 }))
		}
		most := 0 // in one domain: node, rack or cluster
		for r := range s.in.Racks {
			inRack := 0
			for _, n := range s.in.Racks[r].Nodes {
				inNode := 0
				for g := range s.in.Nodes[n].All() {
					if s.room(j, g, shallowest) >= 0 {
						inNode++
					}
				}
				if job.Within == instance.WithinNode {
					most = max(most, inNode)
				}
				inRack += inNode
			}
			switch job.Within {
			case instance.WithinRack:
				most = max(most, inRack)
			case instance.WithinCluster:
				most += inRack
			}
		}
		slack := most - job.Workers
		if slack < 0 {
			return 0, false
		}
		// Ties go to the job with the most workers.
		slack = slack*1024 - min(1023, job.Workers)
		if slack < least {
			best, least = at, slack
		}
	}
	return best, true
}

// parametersFit reports whether there is memory for the parameters of the jobs left, if
// they could be divided into bytes.
func (s *searcher) parametersFit() bool {
	need, have := instance.Bytes(0), instance.Bytes(0)
	usable := make([]bool, len(s.in.Types))
	for _, j := range s.left {
		job := &s.in.Jobs[j]
		least := instance.Bytes(-1)
		for t, c := range job.On {
			if c != nil {
				usable[t] = true
				if least < 0 || c.Persistent < least {
					least = c.Persistent
				}
			}
		}
		need += least * instance.Bytes(job.Workers)
	}
	for g := range s.in.GPUs {
		if t := s.in.GPUs[g].Type; usable[t] {
			have += max(0, s.in.Types[t].Memory-s.held[g].Sum())
		}
	}
	return need <= have
}

// place places the workers of job j, with the given depths, and all jobs left.
func (s *searcher) place(j instance.JobID, counts []int) bool {
	var depths []int // deepest first
	for d := len(counts) - 1; d >= 0; d-- {
		for range counts[d] {
			depths = append(depths, d)
		}
	}
	s.gpus[j], s.depths[j] = s.gpus[j][:0], depths
	return s.worker(j, 0)
}

// worker places the workers from n on of job j, and all jobs left.
func (s *searcher) worker(j instance.JobID, n int) bool {
	depths := s.depths[j]
	if n == len(depths) {
		return s.close(j)
	}
	d, from := depths[n], instance.GPUID(0)
	if n > 0 && depths[n-1] == d {
		from = s.gpus[j][n-1] + 1 // workers of equal depth in ascending order
	}
	for _, g := range s.candidates(j, n, d, from) {
		if s.budget--; s.budget < 0 || s.budget&1023 == 0 && s.ctx.Err() != nil {
			return false
		}
		c := s.in.Jobs[j].On[s.in.GPUs[g].Type]
		before := s.held[g]
		s.held[g] = before.With(c.Memory(d))
		s.taken[g] = true
		s.rehash(g)
		s.gpus[j] = append(s.gpus[j][:n], g)
		if s.worker(j, n+1) {
			return true
		}
		s.held[g], s.taken[g] = before, false
		s.rehash(g)
		if s.budget < 0 {
			return false
		}
	}
	return false
}

// close continues with the other jobs once job j has its GPUs.
func (s *searcher) close(j instance.JobID) bool {
	gpus := slices.Clone(s.gpus[j])
	sorted := slices.Clone(gpus)
	slices.Sort(sorted)
	if _, ok := s.in.SpanOf(&s.in.Jobs[j], sorted); !ok {
		return false
	}
	for _, g := range gpus {
		s.taken[g] = false
		s.rehash(g)
	}
	if s.jobs() {
		return true
	}
	s.gpus[j] = gpus
	for _, g := range gpus {
		s.taken[g] = true
		s.rehash(g)
	}
	return false
}

// candidates lists GPUs from the given one on for worker n of job j at depth d, one of each set of
// GPUs that symmetries exchange, best first.
func (s *searcher) candidates(j instance.JobID, n, d int, from instance.GPUID) []instance.GPUID {
	type candidate struct {
		g    instance.GPUID
		cost int64
	}
	var list []candidate
	seen := map[[3]uint64]bool{}
	for g := from; int(g) < len(s.in.GPUs); g++ {
		if s.taken[g] || !s.within(j, n, s.in.GPUs[g].Node) {
			continue
		}
		room := s.room(j, g, d)
		if room < 0 {
			continue
		}
		node := s.in.GPUs[g].Node
		key := [3]uint64{s.rackHash[s.in.Nodes[node].Rack], s.nodeKey(node), s.gpuHash[g]}
		if seen[key] {
			continue
		}
		seen[key] = true
		cost := int64(room)
		switch s.way {
		case alike:
			e := s.in.Jobs[j].On[s.in.GPUs[g].Type].Ephemeral[d]
			cost = int64(max(e, s.held[g].Ephemeral) - min(e, s.held[g].Ephemeral))
			if s.held[g].Ephemeral == 0 {
				cost = int64(e) / 2
			}
		case roomiest:
			cost = -cost
		case random:
			cost = s.rng.Int64()
		}
		list = append(list, candidate{g, cost})
	}
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.g, b.g)) })
	gpus := make([]instance.GPUID, len(list))
	for i, c := range list {
		gpus[i] = c.g
	}
	return gpus
}

// within reports whether worker n of job j may live on the node, given the previous
// workers.
func (s *searcher) within(j instance.JobID, n int, node instance.NodeID) bool {
	if n == 0 {
		return true
	}
	first := s.in.GPUs[s.gpus[j][0]].Node
	return node == first || s.in.MayJoin(&s.in.Jobs[j], first, node) && s.reach[node] >= 0 && s.reach[node] == s.reach[first]
}

// placement returns what was found, GPUs in ascending order.
func (s *searcher) placement() *Placement {
	p := &Placement{GPUs: make([][]instance.GPUID, len(s.gpus)), Depths: make([][]int, len(s.gpus))}
	for j := range s.gpus {
		order := instance.UpTo[int](len(s.gpus[j]))
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(s.gpus[j][a], s.gpus[j][b]) })
		for _, n := range order {
			p.GPUs[j] = append(p.GPUs[j], s.gpus[j][n])
			p.Depths[j] = append(p.Depths[j], s.depths[j][n])
		}
	}
	return p
}
