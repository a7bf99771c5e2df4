// Package memorytime states the bounds from memory x time, for plans in which jobs hold memory only while they run.
//
// # Model
//
// Sets: jobs j with k_j workers, persistent bytes P_j on each of their GPUs, and a shortest stay s_j: the load, and R_j
// iterations of a full-depth task and a synchronisation, each at its shortest. GPUs g with memory M_g. In the last s_j
// ticks before its end C_j a job is in memory, on k_j GPUs.
//
//	(1) at any tick, sum over the jobs in memory on g of P_j <= M_g - e_g,
//
// with e_g the least ephemeral bytes of any task that may run on GPUs of that type: while a job is in
// memory on g, the largest ephemeral bytes of the tasks that it has there are kept free.
//
// # Bounds
//
// Let x_j = P_j / max_g (M_g - e_g), and f a dual feasible function: f(x) >= 0, and the sum of f(x_i) is at most 1
// whenever the sum of the x_i is. Then at any tick the jobs on a GPU satisfy sum of f(x_j) <= 1, so on G GPUs
//
//	sum_j k_j f(x_j) s_j <= G (C_max - min_j r_j)
//
// (Fekete and Schepers, 2001). f(x) = x gives the volume of memory; the others express that two jobs of more than half
// a GPU are never on it together. Each f proves a bound; a certificate names one. For weighted completion the mean of
// the last s_j ticks of j is C_j - s_j/2, and the least weighted sum of such means on a machine of speed G is achieved
// by Smith's order (Eastman, Even and Isaacs, 1964): with p_j = k_j f(x_j) s_j / G and F_j the sum of p up to j in
// order of w/p,
//
//	sum_j w_j C_j >= sum_j w_j (F_j - p_j/2 + s_j/2).
//
// Two jobs that together have more workers than there are GPUs share at least s = k_i + k_j - G of these, wherever they
// live. On one of them job i has a task at least as deep as the s-th shallowest worker of an iteration must be, with at
// least e_i(s) ephemeral bytes. If no GPU type has room for both jobs beside this task, P_i + P_j + max(e_i(s), e_j(1))
// > M, or beside such a task of j, their stays do not overlap. If that holds for any two of a set of jobs, these run
// one after the other, as on a machine of speed 1: both bounds hold with s_j in place of k_j f(x_j) s_j / G, and 0 for
// all other jobs.
package memorytime

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// Item is a class of identical jobs.
type Item struct {
	Jobs  []instance.JobID
	Width int64          // k
	Size  instance.Bytes // P
	Stay  instance.Tick  // s

	job     *instance.Job
	needs   []*need // by GPU type; nil if it does not fit
	weight  int64
	release instance.Tick
	area    *big.Rat // the share of each job in the time of all GPUs together
}

// need is the least that a job takes of a GPU.
type need struct{ persistent, ephemeral, memory instance.Bytes }

// Prove evaluates the bound of one dual feasible function. Each job must fit by itself.
func Prove(in *instance.Instance, p *relax.Proven, terms *relax.ShareTerms) error {
	if !in.Queues() {
		return errors.New("formulation: memory x time bounds only plans whose jobs hold memory while they run")
	}
	return New(in).Prove(p, terms)
}

// Jobs are the jobs of an instance by class, the most memory of a GPU beside the least ephemeral bytes, and the
// number of GPUs that jobs may live on.
type Jobs struct {
	Items []Item
	Room  instance.Bytes
	GPUs  int64

	in *instance.Instance
}

// Prove is the function of that name, for use with several dual feasible functions.
func (s *Jobs) Prove(p *relax.Proven, terms *relax.ShareTerms) error {
	if terms == nil {
		return errors.New("formulation: the certificate lacks the share of memory that it counts")
	}
	items := slices.Clone(s.Items)
	if f, err := function(*terms, s.Room); err != nil {
		return err
	} else if len(terms.Apart) > 0 {
		if items, err = apart(items, *terms, s.GPUs); err != nil {
			return err
		}
	} else {
		for i := range items {
			it := &items[i]
			it.area = new(big.Rat).Mul(f(it.Size), big.NewRat(it.Width, s.GPUs))
			it.area.Mul(it.area, new(big.Rat).SetInt64(int64(it.Stay)))
		}
	}
	v := makespan(items)
	if s.in.Objective == instance.WeightedCompletion {
		v = completion(items)
	}
	p.Exact, p.Value, p.Certified = v, relax.Integral(s.in, v), true
	return nil
}

// New returns the [Jobs] of an instance.
func New(in *instance.Instance) *Jobs {
	s := &Jobs{in: in}
	spare := make([]instance.Bytes, len(in.Types)) // the least ephemeral bytes on the type
	for t := range spare {
		spare[t] = -1
	}
	// The shortest iterations are those of the kernel, on the roomy instance.
	iteration := make([]instance.Tick, len(in.Jobs))
	for _, class := range relax.New(in.Roomy()).Classes {
		for _, j := range class.Jobs {
			iteration[j] = class.Iteration
		}
	}
	for _, class := range in.Classes() {
		id := class[0]
		j := &in.Jobs[id]
		it := Item{job: j, Jobs: class, Width: int64(j.Workers), Size: -1, needs: make([]*need, len(in.Types)), weight: j.Weight, release: j.Release}
		for t, costs := range j.On {
			if costs == nil || !in.RoomFor(id, instance.TypeID(t)) {
				continue
			}
			if e := costs.Ephemeral[0]; spare[t] < 0 || e < spare[t] {
				spare[t] = e
			}
			if it.Size < 0 || costs.Persistent < it.Size {
				it.Size = costs.Persistent
			}
			it.needs[t] = &need{costs.Persistent, j.LeastEphemeral(instance.TypeID(t)), in.Types[t].Memory}
		}
		it.Size = max(0, it.Size)
		it.Stay = j.Load + instance.Tick(j.Iterations)*max(0, iteration[id])
		s.Items = append(s.Items, it)
	}
	for _, g := range in.GPUs {
		if spare[g.Type] >= 0 {
			s.GPUs++
			s.Room = max(s.Room, in.Types[g.Type].Memory-spare[g.Type])
		}
	}
	return s
}

// share is a dual feasible function of sizes, as an exact fraction.
type share func(size instance.Bytes) *big.Rat

// function returns the dual feasible function of the terms for GPUs with that much room.
func function(terms relax.ShareTerms, room instance.Bytes) (share, error) {
	cut := instance.Bytes(terms.Cut)
	if room <= 0 || cut < 0 || cut > room/2 || terms.Parts < 0 || terms.Parts > maxParts || cut > 0 && terms.Parts > 0 {
		return nil, errNoShare
	}
	plain := func(size instance.Bytes) *big.Rat { return big.NewRat(int64(size), int64(room)) }
	switch n := terms.Parts; {
	case cut > 0:
		return func(size instance.Bytes) *big.Rat {
			switch {
			case size < cut:
				return new(big.Rat)
			case size > room-cut:
				return big.NewRat(1, 1)
			}
			return plain(size)
		}, nil
	case n > 0:
		return func(size instance.Bytes) *big.Rat {
			scaled := new(big.Rat).Mul(plain(size), big.NewRat(n+1, 1))
			if scaled.IsInt() {
				return plain(size)
			}
			whole := new(big.Int).Quo(scaled.Num(), scaled.Denom())
			return new(big.Rat).SetFrac(whole, big.NewInt(n))
		}, nil
	}
	return plain, nil
}

// maxParts keeps n+1 a number.
const maxParts = 1 << 30

// Excludes reports whether two jobs, of one class or of two, are never in memory together. If they were, they would
// share at least s GPUs, on one of which a task of either job is at least as deep as its s-th shallowest worker
// must be.
func (it *Item) Excludes(other *Item, gpus int64) bool {
	shared := it.Width + other.Width - gpus
	return shared > 0 && (it.crowdsOut(other, shared) || other.crowdsOut(it, shared))
}

// crowdsOut reports whether no GPU has room for both jobs beside a task of this job at the depth of its n-th
// shallowest worker.
func (it *Item) crowdsOut(other *Item, n int64) bool {
	g := int64(it.job.Group())
	depth := it.job.LeastDepth(int(min((n+g-1)/g, it.Width))) // the GPUs of a worker have one depth
	for t, a := range it.needs {
		if b := other.needs[t]; a != nil && b != nil && a.persistent <= a.memory-max(it.job.On[t].Ephemeral[depth], b.ephemeral)-b.persistent {
			return false
		}
	}
	return true
}

// apart returns the jobs of the terms, which run one after the other; the others do not count.
func apart(items []Item, terms relax.ShareTerms, gpus int64) (list []Item, err error) {
	if terms.Cut != 0 || terms.Parts != 0 || !slices.IsSorted(terms.Apart) {
		return nil, errNoShare
	}
	found := 0
	for _, it := range items {
		some, others := it, it
		some.Jobs, others.Jobs = nil, nil
		for _, j := range it.Jobs {
			if _, ok := slices.BinarySearch(terms.Apart, j); ok {
				some.Jobs = append(some.Jobs, j)
			} else {
				others.Jobs = append(others.Jobs, j)
			}
		}
		some.area, others.area = new(big.Rat).SetInt64(int64(it.Stay)), new(big.Rat)
		for i := range list {
			if before := &list[i]; len(some.Jobs) > 0 && before.area.Sign() > 0 && !before.Excludes(&some, gpus) {
				return nil, fmt.Errorf("formulation: the certificate's jobs %d and %d may be in memory together", before.Jobs[0], some.Jobs[0])
			}
		}
		if len(some.Jobs) > 1 && !some.Excludes(&some, gpus) {
			return nil, fmt.Errorf("formulation: the certificate's jobs %d and %d may be in memory together", some.Jobs[0], some.Jobs[1])
		}
		found += len(some.Jobs)
		for _, part := range []Item{some, others} {
			if len(part.Jobs) > 0 {
				list = append(list, part)
			}
		}
	}
	if found != len(terms.Apart) {
		return nil, errNoShare // jobs that do not exist, or are listed twice
	}
	return list, nil
}

var errNoShare = errors.New("formulation: the certificate's share of memory makes no sense")

// makespan is the maximum, over release times, of that time plus the areas of the jobs released from then on.
func makespan(items []Item) *big.Rat {
	sorted := slices.Clone(items)
	slices.SortFunc(sorted, func(a, b Item) int { return cmp.Compare(b.release, a.release) })
	sum, most := new(big.Rat), new(big.Rat)
	for _, it := range sorted {
		sum.Add(sum, new(big.Rat).Mul(it.area, new(big.Rat).SetInt64(int64(len(it.Jobs)))))
		if v := new(big.Rat).Add(sum, new(big.Rat).SetInt64(int64(it.release))); v.Cmp(most) > 0 {
			most = v
		}
	}
	return most
}

// completion is the bound of Smith's order.
func completion(items []Item) *big.Rat {
	turns := slices.Clone(items)
	// Descending w/p; jobs without an area first.
	slices.SortStableFunc(turns, func(a, b Item) int {
		left := new(big.Rat).Mul(b.area, new(big.Rat).SetInt64(a.weight))
		return new(big.Rat).Mul(a.area, new(big.Rat).SetInt64(b.weight)).Cmp(left)
	})
	half := big.NewRat(1, 2)
	sum, before := new(big.Rat), new(big.Rat)
	for _, t := range turns {
		// n identical jobs, one after the other: the sum of F - p/2 is n before + n^2 p / 2.
		n := new(big.Rat).SetInt64(int64(len(t.Jobs)))
		means := new(big.Rat).Mul(n, before)
		square := new(big.Rat).Mul(n, n)
		means.Add(means, square.Mul(square, new(big.Rat).Mul(t.area, half)))
		stays := new(big.Rat).Mul(n, new(big.Rat).SetInt64(int64(t.Stay)))
		means.Add(means, stays.Mul(stays, half))
		sum.Add(sum, means.Mul(means, new(big.Rat).SetInt64(t.weight)))
		before.Add(before, new(big.Rat).Mul(n, t.area))
	}
	return sum
}
