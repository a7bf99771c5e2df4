package formulation

import (
	"cmp"
	"container/heap"
	"fmt"
	"math/big"
	"slices"
	"sort"

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

// load is work that only some resources can do.
type load struct {
	resource string // "gpu", "nic", "uplink" or "fabric"
	subject  string
	// capacity of all the resources together, per tick.
	capacity *big.Int
	items    []loadItem
}

// loadItem is one class of jobs with what each iteration of each asks for.
type loadItem struct {
	class      int
	amount     *big.Int
	head, tail int64 // of the work in an iteration; see Area
}

// classTypes returns the GPU types that the class may use.
func (m *model) classTypes(c int) []bool {
	types := make([]bool, len(m.in.Types))
	for t := range types {
		types[t] = m.demands[c].usable(instance.TypeID(t))
	}
	return types
}

// typeSets returns the sets of GPU types worth a bound: those that some class
// is confined to, and all types.
func (m *model) typeSets() [][]bool {
	all := make([]bool, len(m.in.Types))
	for t := range all {
		all[t] = m.gpus[t] > 0
	}
	sets := [][]bool{all}
	for c := range m.demands {
		s := m.classTypes(c)
		if !slices.ContainsFunc(sets, func(o []bool) bool { return slices.Equal(o, s) }) {
			sets = append(sets, s)
		}
	}
	return sets
}

func subset(a, b []bool) bool {
	for i := range a {
		if a[i] && !b[i] {
			return false
		}
	}
	return true
}

// typesName is a set of GPU types in a sentence.
func (m *model) typesName(set []bool, gpus int64) string {
	var names []string
	all := true
	for t, in := range set {
		if in {
			names = append(names, m.in.Types[t].Name)
		} else if m.gpus[t] > 0 {
			all = false
		}
	}
	if all || len(names) != 1 {
		return plural(gpus, "GPU")
	}
	return plural(gpus, "GPU") + " of type " + names[0]
}

// gpuLoad is the work of the classes confined to a set of GPU types.
func (m *model) gpuLoad(set []bool) load {
	gpus := int64(0)
	for t, in := range set {
		if in {
			gpus += m.gpus[t]
		}
	}
	l := load{resource: "gpu", subject: m.typesName(set, gpus), capacity: big.NewInt(gpus)}
	for c := range m.demands {
		if d := &m.demands[c]; subset(m.classTypes(c), set) {
			l.items = append(l.items, loadItem{c, big.NewInt(d.work), int64(d.job.Release), int64(d.sync)})
		}
	}
	return l
}

// loads lists every load with its resources.
func (m *model) loads() []load {
	var loads []load
	sets := m.typeSets()
	for _, set := range sets {
		loads = append(loads, m.gpuLoad(set))
	}
	for _, set := range sets {
		loads = append(loads, m.nicLoad(set))
	}
	loads = append(loads, m.fabricLoad(), m.uplinkLoad())
	return slices.DeleteFunc(loads, func(l load) bool { return l.capacity.Sign() <= 0 || len(l.items) == 0 })
}

// linkItem is what the synchronisations of a class ask of links of one kind,
// in bit/s x microseconds, where times is how many links carry the volume of
// one party. ok is false for a class that may live in a mode without them.
func (m *model) linkItem(c int, times func(*mode) int) (loadItem, bool) {
	d := &m.demands[c]
	var least *big.Int
	for i := range d.modes {
		mode := &d.modes[i]
		bits := mul(int64(mode.volume), int64(times(mode)))
		if least == nil || bits.Cmp(least) < 0 {
			least = bits
		}
	}
	if least == nil || least.Sign() == 0 {
		return loadItem{}, false
	}
	least.Mul(least, big.NewInt(8_000_000))
	return loadItem{c, least, int64(d.job.Release) + int64(d.full), 0}, true
}

// nicLoad is the traffic of classes that must span nodes, one way, over the
// NICs of the nodes of some GPU types.
func (m *model) nicLoad(set []bool) load {
	l := load{resource: "nic", capacity: new(big.Int)}
	nodes := int64(0)
	for i := range m.network.pools {
		if p := &m.network.pools[i]; set[p.gpuType] && p.nic > 0 {
			l.capacity.Add(l.capacity, mul(int64(p.nic), int64(p.nodes)))
			nodes += int64(p.nodes)
		}
	}
	l.capacity.Mul(l.capacity, big.NewInt(m.in.TickUS))
	l.subject = plural(nodes, "NIC")
	for c := range m.demands {
		if !subset(m.classTypes(c), set) {
			continue
		}
		item, ok := m.linkItem(c, func(o *mode) int {
			if o.kind == inRack || o.kind == spread {
				return o.nodes
			}
			return 0
		})
		if ok {
			l.items = append(l.items, item)
		}
	}
	return l
}

// fabricLoad is the traffic of classes that must live inside one node.
func (m *model) fabricLoad() load {
	l := load{resource: "fabric", capacity: new(big.Int)}
	nodes := int64(0)
	for i := range m.network.pools {
		if p := &m.network.pools[i]; p.fabric > 0 {
			l.capacity.Add(l.capacity, mul(int64(p.fabric), int64(p.nodes)))
			nodes += int64(p.nodes)
		}
	}
	l.capacity.Mul(l.capacity, big.NewInt(m.in.TickUS))
	l.subject = "the fabric of " + plural(nodes, "node")
	for c := range m.demands {
		item, ok := m.linkItem(c, func(o *mode) int {
			if o.kind == inNode {
				return 1
			}
			return 0
		})
		if ok {
			l.items = append(l.items, item)
		}
	}
	return l
}

// uplinkLoad is the traffic of classes that must span racks, one way, over the
// uplinks of the racks. It is empty where the instance does not tell which
// links a rack leaves by.
func (m *model) uplinkLoad() load {
	l := load{resource: "uplink", capacity: new(big.Int)}
	racks := int64(0)
	for i := range m.network.racks {
		r := &m.network.racks[i]
		if r.uplink == unlimited {
			return load{capacity: new(big.Int)}
		}
		l.capacity.Add(l.capacity, mul(int64(r.uplink), int64(len(r.racks))))
		racks += int64(len(r.racks))
	}
	l.capacity.Mul(l.capacity, big.NewInt(m.in.TickUS))
	l.subject = "the uplinks of " + plural(racks, "rack")
	for c := range m.demands {
		item, ok := m.linkItem(c, func(o *mode) int {
			if o.kind == spread {
				return o.racks
			}
			return 0
		})
		if ok {
			l.items = append(l.items, item)
		}
	}
	return l
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

// areaRates is the bound on the periodic objectives.
func (m *model) areaRates() Bound {
	b := m.chain()
	b.Kind = AreaBound
	take := func(v *big.Rat, l *load) {
		if v.Cmp(b.Value) < 0 {
			b.Value, b.Binding = v, []Binding{areaBinding(l)}
		}
	}
	if m.in.Objective == instance.MaxMinThroughput {
		for _, l := range m.loads() {
			need := new(big.Rat) // capacity per tick at normalised rate 1
			for _, item := range l.items {
				d := &m.demands[item.class]
				rate := big.NewRat(d.job.Weight*d.count(), int64(d.job.FastestFull()))
				need.Add(need, rate.Mul(rate, new(big.Rat).SetInt(item.amount)))
			}
			if need.Sign() > 0 {
				take(need.Quo(new(big.Rat).SetInt(l.capacity), need), &l)
			}
		}
		return b
	}
	sum, tight := new(big.Rat), load{}
	for _, l := range m.components() {
		v, full := m.knapsack(&l)
		sum.Add(sum, v)
		if full {
			tight = l
		}
	}
	if tight.capacity != nil {
		take(sum, &tight)
	}
	for _, l := range m.loads() {
		if v, full := m.knapsack(&l); full {
			in := make([]bool, len(m.demands))
			for _, item := range l.items {
				in[item.class] = true
			}
			for c := range m.demands {
				if d := &m.demands[c]; !in[c] && d.runs() {
					v.Add(v, big.NewRat(d.job.Weight*d.count(), max(1, int64(d.iteration))))
				}
			}
			take(v, &l)
		}
	}
	return b
}

// knapsack returns the largest sum of weighted rates that a load allows, and
// whether its capacity binds.
func (m *model) knapsack(l *load) (value *big.Rat, full bool) {
	items := slices.Clone(l.items)
	slices.SortStableFunc(items, func(a, b loadItem) int {
		left := new(big.Int).Mul(big.NewInt(m.demands[a.class].job.Weight), b.amount)
		right := new(big.Int).Mul(big.NewInt(m.demands[b.class].job.Weight), a.amount)
		return right.Cmp(left)
	})
	value = new(big.Rat)
	left := new(big.Rat).SetInt(l.capacity)
	for _, item := range items {
		d := &m.demands[item.class]
		if !d.runs() {
			continue
		}
		rate := big.NewRat(d.count(), max(1, int64(d.iteration)))
		amount := new(big.Rat).SetInt(item.amount)
		if use := new(big.Rat).Mul(rate, amount); use.Cmp(left) > 0 {
			rate.Quo(left, amount)
			full = true
		}
		left.Sub(left, new(big.Rat).Mul(rate, amount))
		value.Add(value, rate.Mul(rate, new(big.Rat).SetInt64(d.job.Weight)))
		if full {
			break
		}
	}
	return value, full
}

// The multipliers of areaCompletion are fractions of multiplierScale; the
// subgradient method takes at most completionSteps steps, and splits the jobs
// into at most completionParts parts in all.
const (
	multiplierScale = 64
	completionSteps = 16
	completionParts = 30_000
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
		if end.Mul(end, big.NewInt(speed)).BitLen() > 61 {
			return nil, false
		}
		total.Add(total, new(big.Int).Mul(mul(d.count(), int64(d.job.Iterations)), item.amount))
		if total.BitLen() > 61 {
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
