package relax

import (
	"cmp"
	"jigsaw/formulation/relax/exact"
	"math/big"
	"slices"
)

// Multipliers are fractions of MultiplierScale; the jobs of a load are cut into at most
// about completionParts parts in all.
const (
	MultiplierScale = 64
	completionParts = 30_000
)

// Machine is a load served by a single machine, for the weighted completion; see
// [Model.ProveArea].
type Machine struct {
	m      *Model
	load   Load
	parts  []part     // by time of availability
	Chain  []*big.Rat // by item: chain of a job
	offset []*big.Rat // by item: C_j - M_j by (1)
}

// part is work of one class that becomes available at a time.
type part struct {
	at     int64 // ticks x speed
	amount int64
	item   int // index into load.items
}

// NewMachine returns the machine of a load; ok is false if numbers exceed 64 bits.
func (m *Model) NewMachine(wide *Load) (s *Machine, ok bool) {
	s = &Machine{m: m, load: wide.narrow()}
	for _, item := range s.load.Items {
		d := &m.Classes[item.Class]
		s.Chain = append(s.Chain, new(big.Rat).SetInt(d.Chain(d.Iteration)))
		offset := new(big.Rat).SetFrac(exact.Mul(int64(d.Job.Iterations)-1, int64(d.Iteration)), big.NewInt(2))
		s.offset = append(s.offset, offset.Add(offset, item.after(d, s.load.Resource)))
	}
	if !s.load.capacity.IsInt64() {
		return s, false
	}
	s.parts, ok = s.cut()
	return s, ok
}

// delay returns a lower bound on how much the weighted completion of the jobs of a load
// exceeds that of their chains, at some multipliers.
func (m *Model) delay(l *Load, multipliers []int64) (*big.Rat, error) {
	s, ok := m.NewMachine(l)
	if !ok || len(multipliers) != len(l.Items) ||
		slices.ContainsFunc(multipliers, func(v int64) bool { return v < 0 || v > MultiplierScale }) {
		return nil, errLoads
	}
	return s.Delay(s.Ends(multipliers), multipliers), nil
}

// Delay returns that for the machine, from the ends of jobs by (1) at these multipliers.
func (s *Machine) Delay(ends []*big.Rat, multipliers []int64) *big.Rat {
	sum := new(big.Rat)
	for i, end := range ends {
		more := new(big.Rat).Sub(end, s.Chain[i])
		more.Mul(more, big.NewRat(multipliers[i], MultiplierScale))
		sum.Add(sum, more.Mul(more, s.m.classWeight(s.load.Items[i].Class)))
	}
	return sum
}

// Ends returns, by item, the mean end of its jobs by (1).
func (s *Machine) Ends(multipliers []int64) []*big.Rat {
	ends := s.meanBusy(multipliers)
	for i := range ends {
		ends[i].Add(ends[i], s.offset[i])
	}
	return ends
}

// narrow divides capacity and amounts of a load of links by a common unit, so
// that they fit the machine's integers; capacity is rounded up, amounts down.
func (l *Load) narrow() Load {
	unit := new(big.Int).Rsh(l.capacity, 20)
	if unit.Cmp(big.NewInt(1)) <= 0 {
		return *l
	}
	small := *l
	small.capacity = exact.Ceil(new(big.Rat).SetFrac(l.capacity, unit))
	small.Items = slices.Clone(l.Items)
	for i := range small.Items {
		small.Items[i].amount = new(big.Int).Quo(l.Items[i].amount, unit)
	}
	return small
}

// after is a lower bound on the time between the mean at which an iteration's
// part of the load is worked on and the iteration's end: by (1) for GPUs, half
// the synchronisation for links, as that uses them evenly.
func (item *loadItem) after(d *Class, resource string) *big.Rat {
	if resource != "gpu" {
		return big.NewRat(int64(d.Sync), 2)
	}
	half := new(big.Rat).Quo(d.Moment, new(big.Rat).SetInt(exact.Mul(2, max(1, d.Work))))
	return half.Add(half, new(big.Rat).SetInt64(int64(d.Sync)))
}

// cut divides the load into parts by time of availability. With too many iterations,
// several in a row share a part, available with the first.
func (s *Machine) cut() ([]part, bool) {
	l, speed := &s.load, s.load.capacity.Int64()
	each := max(1, completionParts/len(l.Items))
	var parts []part
	total := new(big.Int)
	for i, item := range l.Items {
		d := &s.m.Classes[item.Class]
		if !item.amount.IsInt64() || item.amount.Sign() == 0 {
			return nil, false
		}
		group := (d.Job.Iterations + each - 1) / each
		end := d.Chain(d.Iteration)
		if end.Mul(end, big.NewInt(speed)).BitLen() > 60 { // twice their sum is a machine integer
			return nil, false
		}
		total.Add(total, new(big.Int).Mul(exact.Mul(d.Count(), int64(d.Job.Iterations)), item.amount))
		if total.BitLen() > 60 { // twice their sum is a machine integer
			return nil, false
		}
		for first := 0; first < d.Job.Iterations; first += group {
			size := int64(min(group, d.Job.Iterations-first))
			parts = append(parts, part{
				at:     (item.Head + int64(first)*int64(d.Iteration)) * speed,
				amount: size * d.Count() * item.amount.Int64(),
				item:   i,
			})
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.at, b.at) })
	return parts, true
}

// meanBusy serves the parts by preemptive WSPT with the weights times v, and returns by item
// the mean busy time of its jobs. Time runs in units of 1/speed ticks, so that all numbers
// are integers.
func (s *Machine) meanBusy(v []int64) []*big.Rat {
	l, parts := &s.load, s.parts
	// Ranks by falling v w / (R W), compared exactly.
	rank := make([]int, len(l.Items))
	order := make([]int, len(l.Items))
	worth := make([]*big.Int, len(l.Items))
	size := make([]*big.Int, len(l.Items))
	for i, item := range l.Items {
		d := &s.m.Classes[item.Class]
		order[i] = i
		worth[i] = exact.Mul(d.Job.Weight, v[i])
		size[i] = new(big.Int).Mul(big.NewInt(int64(d.Job.Iterations)), item.amount)
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return new(big.Int).Mul(worth[y], size[x]).Cmp(new(big.Int).Mul(worth[x], size[y]))
	})
	for place, i := range order {
		rank[i] = place
	}

	sum := make([]*big.Int, len(l.Items)) // by item: 2 x integral of time x work
	for i := range sum {
		sum[i] = new(big.Int)
	}
	waiting := make([]int64, len(l.Items)) // by rank
	var queue []int                        // ranks of what waits, ascending
	now := int64(0)
	var a, b big.Int
	for next := 0; next < len(parts) || len(queue) > 0; {
		if len(queue) == 0 {
			now = max(now, parts[next].at)
		}
		for ; next < len(parts) && parts[next].at <= now; next++ {
			r := rank[parts[next].item]
			if waiting[r] == 0 {
				at, _ := slices.BinarySearch(queue, r)
				queue = slices.Insert(queue, at, r)
			}
			waiting[r] += parts[next].amount
		}
		r := queue[0]
		x := waiting[r]
		if next < len(parts) {
			x = min(x, parts[next].at-now)
		}
		a.SetInt64(x)
		b.SetInt64(2*now + x)
		sum[order[r]].Add(sum[order[r]], a.Mul(&a, &b))
		now += x
		if waiting[r] -= x; waiting[r] == 0 {
			queue = queue[1:]
		}
	}
	mean := make([]*big.Rat, len(l.Items))
	for i, item := range l.Items {
		work := new(big.Int).Mul(size[i], big.NewInt(s.m.Classes[item.Class].Count()))
		mean[i] = new(big.Rat).SetFrac(sum[i], work.Mul(work, exact.Mul(2, l.capacity.Int64())))
	}
	return mean
}
