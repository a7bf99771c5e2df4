package relax

import (
	"errors"
	"math"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/exact"
)

// LoadTerms say how an area certificate uses a load: the work of some jobs that only
// some resources can do.
type LoadTerms struct {
	// Load is its index: first the loads of sets of GPU types, then of NICs, fabrics and
	// uplinks, then of groups of GPU types that share no class.
	Load int `json:"load"`
	// Head and Tail, for the makespan, select the iterations that count: those that start
	// at or after the head and end at least the tail before the end, in ticks.
	Head int64 `json:"head,omitempty"`
	Tail int64 `json:"tail,omitempty"`
	// Multipliers, for the weighted completion, are by class of the load in parts of 64:
	// the weight with which the class counts with its completion by the load instead of its
	// chain.
	Multipliers []int64 `json:"multipliers,omitempty"`
}

// errLoads reports invalid loads in an area certificate.
var errLoads = errors.New("formulation: the certificate's loads make no sense")

// ProveArea evaluates the area bound: the work that every schedule does on the
// GPUs of a set of types, or sends over a class of links, against what those can
// do. Only jobs that cannot do the work elsewhere count, with the shortest
// length of each task over the GPU types that the job may use.
//
// # Makespan
//
// Iteration i of a job starts at r + (i-1) l at the earliest and its tasks end
// at T - sync - (R-i) l at the latest, with l as in [Model.Chain]. For any head h and
// tail q the iterations that start after h and end before T - q have to be done
// in between by the m GPUs, so
//
//	T >= h + q + (work of those iterations) / m.
//
// Links work alike, with heads r + p(L) + (i-1) l and tails (R-i) l. Besides, there is [Model.CrowdedNICs].
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
// that sync / 2 takes the place of sync + sum a^2 / (2 W) in (1). Jobs whose
// chain is longer than (1) should count with their chain instead: For any
// multipliers 0 <= v_j <= 1
//
//	sum w_j C_j >= sum (1-v_j) w_j chain_j + min sum v_j w_j C_j by (1).
//
// Jobs of no load that is looked at count with their chains.
//
// # Throughput
//
// sum_j W_j x_j <= m and x_j <= 1/l_j for the rates x_j: a fractional knapsack,
// filled by falling w_j / W_j. Max-min: one rate for all; and where there are more workers
// than GPUs, what [Model.crowded] says.
func (m *Model) ProveArea(p *Proven, terms []LoadTerms) error {
	loads := m.AreaLoads()
	taken := make([]bool, len(m.Classes)) // classes of the loads so far
	for _, t := range terms {
		if t.Load < 0 || t.Load >= len(loads) || t.Head < 0 || t.Tail < 0 || t.Head > maxHead || t.Tail > maxHead ||
			m.Instance.Objective != instance.Makespan && t.Head+t.Tail != 0 || m.Instance.Objective != instance.WeightedCompletion && t.Multipliers != nil {
			return errLoads
		}
		for _, item := range loads[t.Load].Items {
			if taken[item.Class] && m.Instance.Objective != instance.Makespan && m.Instance.Objective != instance.MaxMinThroughput {
				return errLoads
			}
			taken[item.Class] = true
		}
	}
	var value *big.Rat
	switch m.Instance.Objective {
	case instance.Makespan:
		value = m.CrowdedNICs()
		for _, t := range terms {
			if end, work := m.ConfinedEnd(&loads[t.Load], t.Head, t.Tail); work && end.Cmp(value) > 0 {
				value = end
			}
		}
	case instance.WeightedCompletion:
		value, _ = m.Chain()
		for _, t := range terms {
			more, err := m.delay(&loads[t.Load], t.Multipliers)
			if err != nil {
				return err
			}
			value.Add(value, more)
		}
		value = Integral(m.Instance, value)
	default:
		value, _ = m.Chain()
		for _, v := range append(m.areaRates(terms, loads, taken), m.crowded()...) {
			if v.Cmp(value) < 0 {
				value = v
			}
		}
	}
	p.Certified, p.Value = true, value
	return nil
}

// maxHead keeps sums of heads and tails far from overflow.
const maxHead = int64(1) << 61

// late returns how many of R iterations, l ticks apart, keep a distance of at
// least bound when the nearest has the distance first.
func late(bound, first, l int64, iterations int) int64 {
	if bound <= first {
		return int64(iterations)
	}
	return int64(iterations) - (bound-first+l-1)/l
}

// ConfinedEnd returns a lower limit on the end of a schedule from the work of a load that is
// done at or after head h and at least q before the end; work is false if there is none.
func (m *Model) ConfinedEnd(l *Load, h, q int64) (end *big.Rat, work bool) {
	sum, _ := m.confined(l, h, func(*Class) (int64, bool) { return q, true })
	if sum.Sign() == 0 {
		return nil, false
	}
	ticks := exact.Ceil(new(big.Rat).SetFrac(sum, l.capacity))
	return new(big.Rat).SetInt(ticks.Add(ticks, big.NewInt(h+q))), true
}

// confined is the work of a load that is done at or after head h and at least some distance before
// the end or the deadline, and the number of its jobs. tail returns that distance for each class
// that counts.
func (m *Model) confined(l *Load, h int64, tail func(d *Class) (q int64, counts bool)) (work *big.Int, jobs int64) {
	work = new(big.Int)
	for i := range l.Items {
		item := &l.Items[i]
		d := &m.Classes[item.Class]
		q, counts := tail(d)
		r, step := d.Job.Iterations, max(1, int64(d.Iteration))
		if count := late(h, item.Head, step, r) + late(q, item.Tail, step, r) - int64(r); counts && count > 0 {
			n := big.NewInt(count * d.Count())
			work.Add(work, n.Mul(n, item.amount))
			jobs += d.Count()
		}
	}
	return work, jobs
}

// AreaEnd is the earliest end of a schedule because of all work of some load.
func (m *Model) AreaEnd() *big.Rat {
	best := new(big.Rat)
	for _, l := range m.loads() {
		head, tail := l.Items[0].Head, l.Items[0].Tail
		for _, item := range l.Items {
			head, tail = min(head, item.Head), min(tail, item.Tail)
		}
		if end, work := m.ConfinedEnd(&l, head, tail); work && end.Cmp(best) > 0 {
			best = end
		}
	}
	return best
}

// areaRates lists upper limits that loads put on a periodic objective: for throughput all
// loads together, for the smallest rate each load.
func (m *Model) areaRates(terms []LoadTerms, loads []Load, taken []bool) (values []*big.Rat) {
	if m.Instance.Objective == instance.MaxMinThroughput {
		for _, t := range terms {
			l := &loads[t.Load]
			need := new(big.Rat) // capacity per tick at normalised rate 1
			for _, item := range l.Items {
				d := &m.Classes[item.Class]
				rate := big.NewRat(d.Job.Weight*d.Count(), int64(d.Job.FastestFull()))
				need.Add(need, rate.Mul(rate, new(big.Rat).SetInt(item.amount)))
			}
			if need.Sign() > 0 {
				values = append(values, need.Quo(new(big.Rat).SetInt(l.capacity), need))
			}
		}
		return values
	}
	sum := new(big.Rat)
	for _, t := range terms {
		v, _ := m.Knapsack(&loads[t.Load])
		sum.Add(sum, v)
	}
	for c := range m.Classes {
		if d := &m.Classes[c]; !taken[c] && d.Runs() {
			sum.Add(sum, big.NewRat(d.Job.Weight*d.Count(), max(1, int64(d.Iteration))))
		}
	}
	return []*big.Rat{sum}
}

// crowded is an upper limit on the smallest rate from the GPU that has most workers: at least the number of workers per
// GPU, rounded up. They belong to as many jobs, and each has a task there in each iteration, no shallower than the
// shallowest of its rule. nil for other objectives.
func (m *Model) crowded() []*big.Rat {
	if m.Instance.Objective != instance.MaxMinThroughput || !m.AllRun() {
		return nil
	}
	var shares []*big.Rat // of the GPU's time, for the jobs at normalised rate 1
	workers := 0
	for c := range m.Classes {
		d := &m.Classes[c]
		shallowest := max(0, slices.IndexFunc(d.Job.Rule.Fixed, func(n int) bool { return n > 0 }))
		share := new(big.Rat).SetFrac(exact.Mul(d.Job.Weight, max(0, int64(d.Shortest[shallowest]))), big.NewInt(int64(d.Job.FastestFull())))
		for range d.Count() {
			shares, workers = append(shares, share), workers+d.Job.Workers
		}
	}
	slices.SortFunc(shares, (*big.Rat).Cmp)
	need, gpus := new(big.Rat), len(m.Instance.GPUs)
	for _, share := range shares[:min(len(shares), (workers+gpus-1)/gpus)] {
		need.Add(need, share)
	}
	if need.Sign() == 0 {
		return nil
	}
	return []*big.Rat{need.Inv(need)}
}

// CrowdedNICs returns a lower limit on the makespan from the network card that serves most jobs; 0 if no job needs one. Of any
// jobs that all synchronise over the network, each from q of N nodes or more, some node has at least the sum of q divided by
// N, rounded up: its card sends what the jobs there send, which is no less than if these are the ones that send least.
func (m *Model) CrowdedNICs() *big.Rat {
	speed, cards := instance.Rate(0), int64(0)
	for i := range m.Network.Pools {
		if p := &m.Network.Pools[i]; p.NIC > 0 {
			speed, cards = max(speed, p.NIC), cards+int64(p.Nodes)
		}
	}
	var senders []int // classes
	nodes, bits := make([]int64, len(m.Classes)), make([]*big.Int, len(m.Classes))
	for c := range m.Classes {
		d := &m.Classes[c]
		nodes[c] = cards
		volume := instance.Bytes(math.MaxInt64)
		for i := range d.Modes {
			o := &d.Modes[i]
			nodes[c], volume = min(nodes[c], int64(o.Crosses(&LinkClass{Resource: "nic"}))), min(volume, o.Volume)
		}
		if nodes[c] > 0 && len(d.Modes) > 0 {
			bits[c] = exact.Mul(int64(d.Job.Iterations), int64(volume))
			bits[c].Mul(bits[c], exact.Mul(8_000_000, int64(m.Instance.Rate(1)))) // x microseconds, like [Load.capacity]
			senders = append(senders, c)
		}
	}
	slices.SortStableFunc(senders, func(a, b int) int { return bits[b].Cmp(bits[a]) })
	best, sum, head := new(big.Rat), int64(0), maxHead
	sums := []*big.Int{new(big.Int)} // of the bits of the first jobs
	for _, c := range senders {
		d := &m.Classes[c]
		head = min(head, int64(d.Job.Release)+int64(d.Full))
		for range d.Count() {
			sum += nodes[c]
			last := len(sums)
			sums = append(sums, new(big.Int).Add(sums[last-1], bits[c]))
			here := new(big.Int).Sub(sums[last], sums[last-int((sum+cards-1)/cards)])
			ticks := new(big.Rat).SetFrac(here, exact.Mul(int64(speed), m.Instance.TickUS))
			if ticks.Add(ticks, new(big.Rat).SetInt64(head)); ticks.Cmp(best) > 0 {
				best = ticks
			}
		}
	}
	return new(big.Rat).SetInt(exact.Ceil(best))
}

// Knapsack returns the largest sum of weighted rates that a load allows, and
// whether its capacity binds.
func (m *Model) Knapsack(l *Load) (value *big.Rat, full bool) {
	items := slices.Clone(l.Items)
	slices.SortStableFunc(items, func(a, b loadItem) int {
		left := new(big.Int).Mul(big.NewInt(m.Classes[a.Class].Job.Weight), b.amount)
		right := new(big.Int).Mul(big.NewInt(m.Classes[b.Class].Job.Weight), a.amount)
		return right.Cmp(left)
	})
	value = new(big.Rat)
	left := new(big.Rat).SetInt(l.capacity)
	for _, item := range items {
		d := &m.Classes[item.Class]
		if !d.Runs() {
			continue
		}
		rate := big.NewRat(d.Count(), max(1, int64(d.Iteration)))
		amount := new(big.Rat).SetInt(item.amount)
		if use := new(big.Rat).Mul(rate, amount); use.Cmp(left) > 0 {
			rate.Quo(left, amount)
			full = true
		}
		left.Sub(left, new(big.Rat).Mul(rate, amount))
		value.Add(value, rate.Mul(rate, new(big.Rat).SetInt64(d.Job.Weight)))
		if full {
			break
		}
	}
	return value, full
}
