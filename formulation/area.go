package formulation

import (
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// Area returns the bound that the total work proves: the work that every
// schedule does on the GPUs of a set of types, or sends over a class of links,
// against what those can do. Only jobs that cannot do the work elsewhere count,
// each task at its shortest over the GPU types that the job may use.
//
// # Makespan
//
// Iteration i of a job starts at r + (i-1) l at the earliest and its tasks end
// at T - sync - (R-i) l at the latest, with l as in [Chain]. For any head h and
// tail q the iterations that start after h and end before T - q have to be done
// in between by the m GPUs, so
//
//	T >= h + q + (work of those iterations) / m.
//
// Links work alike, with heads r + p(L) + (i-1) l and tails (R-i) l.
//
// # Weighted completion
//
// Call M_j the mean time at which job j is worked on. A task of iteration i that
// lasts p ends at C_j - sync - (R-i) l at the latest. Of every task keep its
// first a ticks, a <= p, such that an iteration's parts sum to W, its least
// work: they are worked on at a mean time of at most C_j - sync - (R-i) l - a/2
// each. Averaged over all parts, weighted by their lengths a,
//
//	C_j >= M_j + sync + (R-1) l / 2 + sum a^2 / (2 W).          (1)
//
// The parts of all jobs take m GPUs, which together are no faster than one
// machine of speed m; on that machine, with preemption, serving at any time the
// available part of greatest w_j / (R_j W_j) minimises sum w_j M_j (preemptive
// WSPT, which is optimal for mean busy times with releases; M. X. Goemans et
// al., Single machine scheduling with release dates, 2002). Parts of iteration i
// are available from r + (i-1) l. On links a synchronisation works evenly, so
// that sync / 2 takes the place of sync + sum a^2 / (2 W) in (1). Jobs whose chain is longer than (1) should
// count with their chain instead: for any multipliers 0 <= v_j <= 1
//
//	sum w_j C_j >= sum (1-v_j) w_j chain_j + min sum v_j w_j C_j by (1),
//
// and a few subgradient steps choose good ones. Each is evaluated exactly.
//
// # Throughput
//
// sum_j W_j x_j <= m and x_j <= 1/l_j for the rates x_j: a fractional knapsack,
// filled by falling w_j / W_j. Max-min: one rate for all.
func Area(in *instance.Instance) Bound { return newModel(in).area() }

func (m *model) area() Bound {
	switch {
	case m.in.Objective == instance.WeightedCompletion:
		return m.areaCompletion()
	case m.in.Objective.Periodic():
		return m.areaRates()
	}
	return m.areaMakespan()
}

// late returns how many of R iterations, l ticks apart, keep a distance of at
// least bound when the nearest has the distance first.
func late(bound, first, l int64, iterations int) int64 {
	if bound <= first {
		return int64(iterations)
	}
	return int64(iterations) - (bound-first+l-1)/l
}

// confined returns the amount of a load that is done at or after head h and has
// a distance of at least q to the end of the schedule.
func (m *model) confined(l *load, h, q int64) *big.Int {
	sum, n := new(big.Int), new(big.Int)
	for i := range l.items {
		item := &l.items[i]
		d := &m.demands[item.class]
		r, step := d.job.Iterations, max(1, int64(d.iteration))
		count := late(h, item.head, step, r) + late(q, item.tail, step, r) - int64(r)
		if count > 0 {
			n.SetInt64(count * d.count())
			sum.Add(sum, n.Mul(n, item.amount))
		}
	}
	return sum
}

// candidates thins sorted distinct values to at most limit of them, keeping the
// first. Every head or tail gives a valid bound, so any choice will do.
func candidates(values []int64, limit int) []int64 {
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) <= limit {
		return values
	}
	kept := make([]int64, limit)
	for i := range kept {
		kept[i] = values[i*(len(values)-1)/(limit-1)]
	}
	return kept
}

func (m *model) areaMakespan() Bound {
	b := Bound{Kind: AreaBound, Certified: true, Value: new(big.Rat)}
	for _, l := range m.loads() {
		var heads, tails []int64
		longest := int64(0)
		for _, item := range l.items {
			d := &m.demands[item.class]
			heads, tails = append(heads, item.head), append(tails, item.tail)
			if c := d.chain(d.iteration); c.IsInt64() {
				longest = max(longest, c.Int64())
			}
		}
		// Beyond the heads and tails of whole jobs, cut into long chains.
		least := slices.Min(heads)
		for i := int64(1); i < 8 && longest < 1<<58; i++ {
			heads, tails = append(heads, least+longest/8*i), append(tails, longest/8*i)
		}
		heads, tails = candidates(heads, 24), candidates(tails, 24)
		binding := false
		for _, h := range heads {
			for _, q := range tails {
				work := m.confined(&l, h, q)
				if work.Sign() == 0 {
					break // longer tails confine less
				}
				end := ceil(new(big.Rat).SetFrac(work, l.capacity))
				end.Add(end, big.NewInt(h+q))
				if v := new(big.Rat).SetInt(end); v.Cmp(b.Value) > 0 {
					b.Value, binding = v, true
				}
			}
		}
		if binding {
			b.Binding = []Binding{areaBinding(&l)}
		}
	}
	return b
}

func areaBinding(l *load) Binding {
	return Binding{Resource: l.resource, Subject: l.subject,
		Text: fmt.Sprintf("%s %s the plan: all of the work has to pass there", l.subject, limits(l.subject))}
}

// components groups the classes so that no two groups share a GPU type, and
// returns the load of each group on its types.
func (m *model) components() []load {
	set := make([]int, len(m.in.Types)) // union-find by type
	for t := range set {
		set[t] = t
	}
	var root func(t int) int
	root = func(t int) int {
		if set[t] != t {
			set[t] = root(set[t])
		}
		return set[t]
	}
	for c := range m.demands {
		first := -1
		for t, in := range m.classTypes(c) {
			if in && first < 0 {
				first = t
			} else if in {
				set[root(t)] = root(first)
			}
		}
	}
	var loads []load
	for t := range set {
		if root(t) != t || m.gpus[t] == 0 {
			continue
		}
		types := make([]bool, len(set))
		for o := range set {
			types[o] = root(o) == t && m.gpus[o] > 0
		}
		if l := m.gpuLoad(types); len(l.items) > 0 {
			loads = append(loads, l)
		}
	}
	return loads
}
