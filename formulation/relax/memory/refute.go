package memory

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"

	"jigsaw/formulation/instance"
)

// Refute reports whether it proves, within the given number of steps (GPUs examined),
// that there is no placement. It places the jobs in one fixed order and keeps every
// memory state that the cluster can then be in, once up to exchanging GPUs of a node,
// nodes of a rack, and racks. States are dropped if a remaining job has too few GPUs,
// or all together have too little memory. The GPUs of a worker are required to be of
// one node and one depth. It shares with the search for placements only the list of
// multisets.
func Refute(ctx context.Context, in *instance.Instance, steps int) bool {
	r := &refuter{ctx: ctx, in: in, steps: steps, reach: Components(in)}
	for j := range in.Jobs {
		list, all := Multisets(&in.Jobs[j])
		if !all {
			return false
		}
		r.options = append(r.options, list)
		shallowest := in.Jobs[j].Full()
		for _, counts := range list {
			shallowest = min(shallowest, slices.IndexFunc(counts, func(n int) bool { return n > 0 }))
		}
		r.shallowest = append(r.shallowest, shallowest)
		r.order = append(r.order, instance.JobID(j))
	}
	slices.SortStableFunc(r.order, func(a, b instance.JobID) int { return cmp.Compare(r.size(b), r.size(a)) })
	states := []state{make(state, len(in.GPUs))}
	if !r.alive(states[0], 0) {
		return true
	}
	for at := range r.order {
		r.seen, r.next = map[string]bool{}, nil
		for _, s := range states {
			for _, counts := range r.options[r.order[at]] {
				r.at, r.left, r.chosen = at, slices.Clone(counts), r.chosen[:0]
				r.walk(slices.Clone(s), s, 0)
			}
			if r.steps < 0 || ctx.Err() != nil {
				return false
			}
		}
		if states = r.next; len(states) == 0 {
			return true
		}
	}
	return false
}

// state is what the memory of each GPU holds.
type state []instance.Memory

type refuter struct {
	ctx        context.Context
	in         *instance.Instance
	steps      int
	reach      []int
	options    [][][]int // per job
	shallowest []int     // per job: the least depth of any option
	order      []instance.JobID

	at     int   // position in the order of the job being placed
	left   []int // its workers to be placed, by depth
	chosen []instance.GPUID
	deal   []int // per GPU: 0, or one more than the depth of the worker there
	seen   map[string]bool
	next   []state
}

// size is the key of the order in which jobs are placed: the most bytes of a worker
// at full depth.
func (r *refuter) size(j instance.JobID) instance.Bytes {
	job, most := &r.in.Jobs[j], instance.Bytes(0)
	for _, c := range job.On {
		if c != nil {
			most = max(most, c.Memory(job.Full()).Sum())
		}
	}
	return most
}

// walk assigns the remaining workers to GPUs from g on. s becomes the state, from is
// the state before the job.
func (r *refuter) walk(s, from state, g instance.GPUID) {
	if r.steps--; r.steps < 0 || r.steps&4095 == 0 && r.ctx.Err() != nil {
		r.steps = min(r.steps, -1)
		return
	}
	workers := 0
	for _, n := range r.left {
		workers += n
	}
	if workers == 0 {
		r.keep(s)
		return
	}
	if workers > len(s)-int(g) {
		return
	}
	if r.deal == nil {
		r.deal = make([]int, len(s))
	}
	j := r.order[r.at]
	job, t := &r.in.Jobs[j], r.in.GPUs[g].Type
	first := r.in.Nodes[r.in.GPUs[g].Node].FirstGPU
	if each := job.Group(); g == first && slices.ContainsFunc(r.left, func(n int) bool { return n%each > 0 }) {
		return // the previous node has part of a worker
	}
	// Of GPUs of a node in the same state, the first ones take the deepest workers.
	most := len(r.left)
	for other := g - 1; other >= first; other-- {
		if from[other] == from[g] {
			most = r.deal[other]
			break
		}
	}
	if c := job.On[t]; c != nil && r.joins(job, g) {
		before := s[g]
		for d := most - 1; d >= 0; d-- {
			if r.left[d] == 0 || before.With(c.Memory(d)).Sum() > r.in.Types[t].Memory {
				continue
			}
			r.left[d]--
			r.deal[g] = d + 1
			s[g] = before.With(c.Memory(d))
			r.chosen = append(r.chosen, g)
			r.walk(s, from, g+1)
			r.chosen = r.chosen[:len(r.chosen)-1]
			r.left[d]++
			s[g] = before
			if r.steps < 0 {
				return
			}
		}
	}
	r.deal[g] = 0
	r.walk(s, from, g+1)
}

// keepCost is the cost of examining a whole state, in steps per GPU.
const keepCost = 8

// joins reports whether the job's placement limits permit adding GPU g to those
// chosen.
func (r *refuter) joins(job *instance.Job, g instance.GPUID) bool {
	return len(r.chosen) == 0 || r.in.MayJoin(job, r.in.GPUs[r.chosen[0]].Node, r.in.GPUs[g].Node)
}

// keep adds a state unless an equal one exists, or it is evidently hopeless.
func (r *refuter) keep(s state) {
	if len(r.chosen) > 1 {
		if _, ok := r.in.Span(r.chosen); !ok {
			return
		}
	}
	r.steps -= keepCost * len(s)
	if key := r.key(s); !r.seen[key] {
		r.seen[key] = true
		if r.alive(s, r.at+1) {
			r.next = append(r.next, slices.Clone(s))
		}
	}
}

// alive is false if the jobs from the given position in the order on cannot be placed:
// one has too few GPUs with room, or their parameters exceed the memory left.
func (r *refuter) alive(s state, at int) bool {
	var need, have instance.Bytes
	usable := make([]bool, len(r.in.Types))
	for _, j := range r.order[at:] {
		job, gpus, least := &r.in.Jobs[j], 0, instance.Bytes(-1)
		for g := range s {
			t := r.in.GPUs[g].Type
			c := job.On[t]
			if c == nil {
				continue
			}
			usable[t] = true
			if least < 0 || c.Persistent < least {
				least = c.Persistent
			}
			if s[g].With(c.Memory(r.shallowest[j])).Sum() <= r.in.Types[t].Memory {
				gpus++
			}
		}
		if gpus < job.Workers {
			return false
		}
		need += least * instance.Bytes(job.Workers)
	}
	for g := range s {
		if t := r.in.GPUs[g].Type; usable[t] {
			have += max(0, r.in.Types[t].Memory-s[g].Sum())
		}
	}
	return need <= have
}

// key is equal for states that become equal by exchanging GPUs of a node, nodes of a
// rack with the same GPUs and links, and such racks.
func (r *refuter) key(s state) string {
	racks := make([]string, 0, len(r.in.Racks))
	for _, rack := range r.in.Racks {
		nodes := make([]string, 0, len(rack.Nodes))
		for _, n := range rack.Nodes {
			node := &r.in.Nodes[n]
			gpus := slices.Clone(s[node.FirstGPU : node.FirstGPU+instance.GPUID(node.GPUs)])
			slices.SortFunc(gpus, func(a, b instance.Memory) int {
				return cmp.Or(cmp.Compare(a.Persistent, b.Persistent), cmp.Compare(a.Ephemeral, b.Ephemeral))
			})
			fabric := uint64(0)
			if r.in.Links[node.Fabric].Failed {
				fabric = 1
			}
			var b []byte
			for _, v := range []uint64{uint64(node.Type), uint64(r.reach[n] + 1), fabric, uint64(len(gpus))} {
				b = binary.AppendUvarint(b, v)
			}
			for _, g := range gpus {
				b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(g.Persistent)), uint64(g.Ephemeral))
			}
			nodes = append(nodes, string(b))
		}
		racks = append(racks, join(nodes))
	}
	return join(racks)
}

// join concatenates texts in order of their bytes, each after its length.
func join(texts []string) string {
	slices.Sort(texts)
	var b []byte
	for _, t := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(t))), t...)
	}
	return string(b)
}
