package formulation

import (
	"cmp"
	"container/heap"
	"math/big"
	"slices"
	"sort"
)

// areaCompletion is the bound on the weighted completion: that of the GPUs, or
// that of the links of one kind with the chains of all classes that need not use
// them. See [Area].
func (m *model) areaCompletion() Bound {
	chain := m.chain()
	b := Bound{Kind: AreaBound, Certified: true, Value: new(big.Rat), Binding: chain.Binding}
	var binding []Binding
	for _, l := range m.components() {
		v, busy := m.completion(&l)
		b.Value.Add(b.Value, v)
		if busy {
			binding = append(binding, areaBinding(&l))
		}
	}
	if binding != nil {
		b.Binding = binding
	}
	for _, l := range m.loads() {
		if l.resource == "gpu" {
			continue
		}
		v, busy := m.completion(&l)
		if !busy {
			continue
		}
		v.Add(v, chain.Value)
		for _, item := range l.items {
			d := &m.demands[item.class]
			v.Sub(v, new(big.Rat).Mul(new(big.Rat).SetInt(d.chain(d.iteration)), m.classWeight(item.class)))
		}
		if v.Cmp(b.Value) > 0 {
			b.Value, b.Binding = v, []Binding{areaBinding(&l)}
		}
	}
	b.Value = integral(m.in, b.Value)
	return b
}

// narrow divides capacity and amounts of a load of links by a common unit, so
// that they fit the machine's integers; capacity is rounded up, amounts down.
func (l *load) narrow() load {
	unit := new(big.Int).Rsh(l.capacity, 20)
	if unit.Cmp(big.NewInt(1)) <= 0 {
		return *l
	}
	small := *l
	small.capacity = ceil(new(big.Rat).SetFrac(l.capacity, unit))
	small.items = slices.Clone(l.items)
	for i := range small.items {
		small.items[i].amount = new(big.Int).Quo(l.items[i].amount, unit)
	}
	return small
}

// part is work of one class that becomes available at a time.
type part struct {
	at     int64 // ticks x speed
	amount int64
	item   int // index into load.items
}

// completion bounds the weighted completion of the classes of a load. busy says
// that the machine, not only the chains, makes the bound.
func (m *model) completion(wide *load) (best *big.Rat, busy bool) {
	narrow := wide.narrow()
	l := &narrow
	n := len(l.items)
	chain := make([]*big.Rat, n)  // by item: weighted chain of all its jobs
	offset := make([]*big.Rat, n) // by item: C_j - M_j by (1)
	best = new(big.Rat)
	for i, item := range l.items {
		d := &m.demands[item.class]
		chain[i] = new(big.Rat).SetInt(d.chain(d.iteration))
		best.Add(best, new(big.Rat).Mul(chain[i], m.classWeight(item.class)))
		offset[i] = new(big.Rat).SetFrac(mul(int64(d.job.Iterations)-1, int64(d.iteration)), big.NewInt(2))
		offset[i].Add(offset[i], item.after(d, l.resource))
	}
	speed := l.capacity.Int64()
	parts, ok := m.parts(l, speed)
	if !ok {
		return best, false // numbers beyond the machine's: the chains stand
	}

	v := make([]int64, n) // multipliers
	for i := range v {
		v[i] = multiplierScale
	}
	for step := range completionSteps {
		busyTime := m.meanBusy(l, parts, speed, v)
		value, moved := new(big.Rat), false
		excess := make([]float64, n) // by which (1) is above the chain, relative
		for i, item := range l.items {
			end := new(big.Rat).Add(busyTime[i], offset[i])
			if chain[i].Sign() > 0 { // else no schedule exists, and anything goes
				excess[i], _ = new(big.Rat).Quo(new(big.Rat).Sub(end, chain[i]), chain[i]).Float64()
			}
			share := big.NewRat(v[i], multiplierScale)
			end.Sub(end, chain[i]).Mul(end, share).Add(end, chain[i])
			value.Add(value, end.Mul(end, m.classWeight(item.class)))
		}
		if value.Cmp(best) > 0 {
			best, busy = value, true
		}
		for i := range v {
			move := int64(excess[i] * 4 * multiplierScale / float64(step+1))
			if move == 0 && excess[i] != 0 {
				move = int64(cmp.Compare(excess[i], 0))
			}
			next := min(multiplierScale, max(0, v[i]+move))
			moved = moved || next != v[i]
			v[i] = next
		}
		if !moved {
			break
		}
	}
	return best, busy
}

// after is the time between the mean at which an iteration's part of the load
// is worked on and the iteration's end, at the least: by (1) for GPUs, half the
// synchronisation for links, as that uses them evenly.
func (item *loadItem) after(d *demand, resource string) *big.Rat {
	if resource != "gpu" {
		return big.NewRat(int64(d.sync), 2)
	}
	half := new(big.Rat).Quo(d.moment, new(big.Rat).SetInt(mul(2, max(1, d.work))))
	return half.Add(half, new(big.Rat).SetInt64(int64(d.sync)))
}

func (m *model) classWeight(c int) *big.Rat {
	d := &m.demands[c]
	return new(big.Rat).SetInt(mul(d.job.Weight, d.count()))
}

// parts cuts the load into parts by time of availability. Where there are too
// many iterations several in a row share a part, available with the first.
func (m *model) parts(l *load, speed int64) ([]part, bool) {
	each := max(1, completionParts/len(l.items))
	var parts []part
	total := new(big.Int)
	for i, item := range l.items {
		d := &m.demands[item.class]
		if !item.amount.IsInt64() || item.amount.Sign() == 0 {
			return nil, false
		}
		group := (d.job.Iterations + each - 1) / each
		end := d.chain(d.iteration)
		if end.Mul(end, big.NewInt(speed)).BitLen() > 60 { // twice their sum is a machine integer
			return nil, false
		}
		total.Add(total, new(big.Int).Mul(mul(d.count(), int64(d.job.Iterations)), item.amount))
		if total.BitLen() > 60 { // twice their sum is a machine integer
			return nil, false
		}
		for first := 0; first < d.job.Iterations; first += group {
			size := int64(min(group, d.job.Iterations-first))
			parts = append(parts, part{
				at:     (item.head + int64(first)*int64(d.iteration)) * speed,
				amount: size * d.count() * item.amount.Int64(),
				item:   i,
			})
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.at, b.at) })
	return parts, true
}

// meanBusy serves the parts by preemptive WSPT with the weights times v, on one
// machine of the given speed, and returns by item the mean busy time of its
// jobs. Time runs in units of 1/speed ticks, so that all numbers are integers.
func (m *model) meanBusy(l *load, parts []part, speed int64, v []int64) []*big.Rat {
	// Ranks by falling v w / (R W), compared exactly.
	rank := make([]int, len(l.items))
	order := make([]int, len(l.items))
	worth := make([]*big.Int, len(l.items))
	size := make([]*big.Int, len(l.items))
	for i, item := range l.items {
		d := &m.demands[item.class]
		order[i] = i
		worth[i] = mul(d.job.Weight, v[i])
		size[i] = new(big.Int).Mul(big.NewInt(int64(d.job.Iterations)), item.amount)
	}
	sort.SliceStable(order, func(a, b int) bool {
		x, y := order[a], order[b]
		return new(big.Int).Mul(worth[x], size[y]).Cmp(new(big.Int).Mul(worth[y], size[x])) > 0
	})
	for place, i := range order {
		rank[i] = place
	}

	sum := make([]*big.Int, len(l.items)) // by item: 2 x integral of time x work
	for i := range sum {
		sum[i] = new(big.Int)
	}
	waiting := make([]int64, len(l.items)) // by rank
	queue := &ranks{}
	now := int64(0)
	var a, b big.Int
	for next := 0; next < len(parts) || queue.Len() > 0; {
		if queue.Len() == 0 {
			now = max(now, parts[next].at)
		}
		for ; next < len(parts) && parts[next].at <= now; next++ {
			r := rank[parts[next].item]
			if waiting[r] == 0 {
				heap.Push(queue, r)
			}
			waiting[r] += parts[next].amount
		}
		r := (*queue)[0]
		x := waiting[r]
		if next < len(parts) {
			x = min(x, parts[next].at-now)
		}
		a.SetInt64(x)
		b.SetInt64(2*now + x)
		sum[order[r]].Add(sum[order[r]], a.Mul(&a, &b))
		now += x
		if waiting[r] -= x; waiting[r] == 0 {
			heap.Pop(queue)
		}
	}
	mean := make([]*big.Rat, len(l.items))
	for i, item := range l.items {
		work := new(big.Int).Mul(size[i], big.NewInt(m.demands[item.class].count()))
		mean[i] = new(big.Rat).SetFrac(sum[i], work.Mul(work, mul(2, speed)))
	}
	return mean
}

// ranks is a heap of ranks, the smallest first.
type ranks []int

func (q ranks) Len() int           { return len(q) }
func (q ranks) Less(a, b int) bool { return q[a] < q[b] }
func (q ranks) Swap(a, b int)      { q[a], q[b] = q[b], q[a] }
func (q *ranks) Push(x any)        { *q = append(*q, x.(int)) }
func (q *ranks) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
