// Package memorytime states what memory x time proves of plans in which jobs hold memory only while they run.
//
// # Model
//
// Sets: jobs j with k_j workers, persistent bytes P_j on each of their GPUs, and a shortest stay
// s_j: the load, and R_j iterations of a full-depth task and a synchronisation, wherever these are shortest. GPUs g
// with memory M_g. In the last s_j ticks before its end C_j a job is in memory, on k_j GPUs.
//
//	(1) at any tick, sum over the jobs in memory on g of P_j <= M_g - e_g,
//
// with e_g the least ephemeral bytes of any task that may run on GPUs of that type: while a job is in
// memory on g, the largest ephemeral bytes of the tasks that it has there are kept free.
//
// # Bounds
//
// Let x_j = P_j / max_g (M_g - e_g), and f a dual feasible function: f(x) >= 0, and the sum of f(x_i) is at
// most 1 wherever the sum of the x_i is. Then at any tick the jobs on a GPU have sum of f(x_j) <= 1, so
// that on G GPUs
//
//	sum_j k_j f(x_j) s_j <= G (C_max - min_j r_j)
//
// (Fekete and Schepers, 2001). f(x) = x gives the volume of memory; the others say that two
// jobs of more than half a GPU are never on it together. Each f proves a bound; a certificate names one. For weighted completion the mean of the last s_j ticks of j is C_j - s_j/2, and
// the least weighted sum of such means on a machine of speed G is that of Smith's order (Eastman, Even
// and Isaacs, 1964): with p_j = k_j f(x_j) s_j / G and F_j the sum of p to j in order of w/p,
//
//	sum_j w_j C_j >= sum_j w_j (F_j - p_j/2 + s_j/2).
package memorytime

import (
	"errors"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// item is a job, or several alike.
type item struct {
	jobs    int64
	width   int64 // k
	size    instance.Bytes
	stay    instance.Tick
	weight  int64
	release instance.Tick
}

// Prove evaluates the bound of one dual feasible function. Each job must find room by itself.
func Prove(in *instance.Instance, p *relax.Proven, terms *relax.ShareTerms) error {
	if !in.Queues() {
		return errors.New("formulation: memory x time bounds only plans whose jobs hold memory while they run")
	}
	if terms == nil {
		return errors.New("formulation: the certificate lacks the share of memory that it counts")
	}
	items, room, gpus := list(in)
	f, err := function(*terms, room)
	if err != nil {
		return err
	}
	v := makespan(items, f, gpus)
	if in.Objective == instance.WeightedCompletion {
		v = completion(items, f, gpus)
	}
	p.Exact, p.Value, p.Certified = v, relax.Integral(in, v), true
	return nil
}

// Sizes returns the persistent bytes of each class of jobs, the most memory of a GPU that they may
// take, and how many GPUs there are that jobs may live on.
func Sizes(in *instance.Instance) (sizes []instance.Bytes, room instance.Bytes, gpus int64) {
	items, room, gpus := list(in)
	for _, it := range items {
		sizes = append(sizes, it.size)
	}
	return sizes, room, gpus
}

// list returns the jobs by class, the most memory of a GPU beside the least ephemeral bytes, and how
// many GPUs there are that jobs may live on.
func list(in *instance.Instance) (items []item, room instance.Bytes, gpus int64) {
	spare := make([]instance.Bytes, len(in.Types)) // the least ephemeral bytes there
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
		it := item{jobs: int64(len(class)), width: int64(j.Workers), size: -1, weight: j.Weight, release: j.Release}
		for t, costs := range j.On {
			if costs == nil || !in.RoomFor(id, instance.TypeID(t)) {
				continue
			}
			if e := costs.Ephemeral[0]; spare[t] < 0 || e < spare[t] {
				spare[t] = e
			}
			if it.size < 0 || costs.Persistent < it.size {
				it.size = costs.Persistent
			}
		}
		it.size = max(0, it.size)
		it.stay = j.Load + instance.Tick(j.Iterations)*max(0, iteration[id])
		items = append(items, it)
	}
	for _, g := range in.GPUs {
		if spare[g.Type] >= 0 {
			gpus++
			room = max(room, in.Types[g.Type].Memory-spare[g.Type])
		}
	}
	return items, room, gpus
}

// share is a dual feasible function of sizes, as an exact fraction.
type share func(size instance.Bytes) *big.Rat

// function returns the dual feasible function of the terms for GPUs of that much room.
func function(terms relax.ShareTerms, room instance.Bytes) (share, error) {
	cut := instance.Bytes(terms.Cut)
	if room <= 0 || cut < 0 || cut > room/2 || terms.Parts < 0 || terms.Parts > maxParts || cut > 0 && terms.Parts > 0 {
		return nil, errors.New("formulation: the certificate's share of memory makes no sense")
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

// area returns what a job takes of the time of all GPUs together.
func (it *item) area(f share, gpus int64) *big.Rat {
	a := f(it.size)
	a.Mul(a, new(big.Rat).SetInt64(it.width))
	a.Mul(a, new(big.Rat).SetInt64(int64(it.stay)))
	return a.Quo(a, new(big.Rat).SetInt64(gpus))
}

// makespan adds the areas of the jobs released from some time on to that time, at the time where this is most.
func makespan(items []item, f share, gpus int64) *big.Rat {
	sorted := slices.Clone(items)
	slices.SortFunc(sorted, func(a, b item) int { return int(min(1, max(-1, b.release-a.release))) })
	sum, most := new(big.Rat), new(big.Rat)
	for _, it := range sorted {
		sum.Add(sum, new(big.Rat).Mul(it.area(f, gpus), new(big.Rat).SetInt64(it.jobs)))
		if v := new(big.Rat).Add(sum, new(big.Rat).SetInt64(int64(it.release))); v.Cmp(most) > 0 {
			most = v
		}
	}
	return most
}

// completion is the bound of Smith's order.
func completion(items []item, f share, gpus int64) *big.Rat {
	type turn struct {
		item
		area *big.Rat
	}
	var turns []turn
	for _, it := range items {
		turns = append(turns, turn{it, it.area(f, gpus)})
	}
	// Descending w/p; jobs without an area first.
	slices.SortStableFunc(turns, func(a, b turn) int {
		left := new(big.Rat).Mul(b.area, new(big.Rat).SetInt64(a.weight))
		return new(big.Rat).Mul(a.area, new(big.Rat).SetInt64(b.weight)).Cmp(left)
	})
	half := big.NewRat(1, 2)
	sum, before := new(big.Rat), new(big.Rat)
	for _, t := range turns {
		// n alike, one after the other: the sum of F - p/2 is n before + n^2 p / 2.
		n := new(big.Rat).SetInt64(t.jobs)
		means := new(big.Rat).Mul(n, before)
		square := new(big.Rat).Mul(n, n)
		means.Add(means, square.Mul(square, new(big.Rat).Mul(t.area, half)))
		stays := new(big.Rat).Mul(n, new(big.Rat).SetInt64(int64(t.stay)))
		means.Add(means, stays.Mul(stays, half))
		sum.Add(sum, means.Mul(means, new(big.Rat).SetInt64(t.weight)))
		before.Add(before, new(big.Rat).Mul(n, t.area))
	}
	return sum
}
