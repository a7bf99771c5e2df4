package periods

import (
	"cmp"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"math/big"
	"slices"
)

// ProvenGPUs is Proven for prices of the program of GPUs. It looks for contents that are worth
// more than the price of a GPU, first with upper limits on the value of tasks by ticks, then,
// if these are inconclusive, by enumeration.
func (f *Program) ProvenGPUs(proof *Leaf) (*big.Rat, error) {
	s := f.GPUs()
	if s == nil || len(proof.Prices) != s.Prices || proof.Denominator <= 0 || slices.ContainsFunc(proof.Prices, func(price int64) bool { return price < 0 }) {
		return nil, relax.ErrPrices
	}
	for p := range s.Pools {
		look := s.Look(p, proof.Prices)
		if look == nil || look.Exceeds(proof.Prices[len(f.Groups)+p]) {
			return nil, relax.ErrPrices
		}
	}
	sum, ok := s.bound(proof.Prices, proof.Denominator)
	if !ok {
		return nil, relax.ErrPrices
	}
	proof.Value = sum.Neg(sum)
	return f.attainable(f.Value(new(big.Rat).SetFrac(sum, big.NewInt(proof.Denominator)))), nil
}

// mostGPULooks bounds how many alternatives of workers a check examines.
const mostGPULooks = 20_000_000

// GPUExaminer looks for contents of a GPU of a pool at some prices.
type GPUExaminer struct {
	s      *GPUProgram
	pool   int
	prices []int64
	tasks  [][][]int64   // value of a task, by class, iterations less one and depth
	jobs   []int         // the classes of the jobs that may live there
	rest   [][]int64     // value of the jobs from one on, by room, ignoring gaps
	most   int64         // the value that must not be exceeded
	ways   [][]workerWay // alternatives of a worker, by class, if the value can be exceeded
	holds  Configuration
	looks  int
	// For a search, not a check: how many alternatives it may examine; the callback for contents
	// with ever larger values; and whether gaps are ignored.
	Looks  int
	Better func(content Configuration, worth int64)
	Loose  bool
}

// workerWay is an alternative of a worker.
type workerWay struct {
	counts       []int64 // tasks by depth
	ticks, worth int64
}

// Look starts an examination, nil if numbers are too large.
func (s *GPUProgram) Look(pool int, prices []int64) *GPUExaminer {
	l := &GPUExaminer{s: s, pool: pool, prices: prices, Looks: mostGPULooks, tasks: make([][][]int64, len(s.Classes))}
	if slices.Max(prices) > exact.MostWorth {
		return nil
	}
	lists := make([][]filling, len(s.Classes)) // of a worker, by class
	var order []int
	for i := range s.Classes {
		if s.Pools[pool].Holds[i] != nil {
			if !l.value(i) {
				return nil
			}
			lists[i], order = l.worker(i), append(order, i)
		}
	}
	// The largest value per tick comes first, so that little is left for later ones.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(density(lists[a]), density(lists[b])) })
	all := []filling{{}}
	l.rest = [][]int64{make([]int64, s.F.Period+1)}
	for _, i := range order {
		for range s.Classes[i].Jobs {
			var both []filling
			for _, a := range all {
				for _, b := range lists[i] {
					if a.ticks+b.ticks <= s.F.Period {
						both = append(both, filling{a.ticks + b.ticks, a.worth + b.worth})
					}
				}
			}
			all = undominated(both, s.F.Period)
			if all[len(all)-1].worth > exact.MostWorth {
				return nil
			}
			rest := make([]int64, s.F.Period+1)
			for _, r := range all {
				for room := r.ticks; room <= s.F.Period; room++ {
					rest[room] = r.worth
				}
			}
			l.rest, l.jobs = slices.Insert(l.rest, 0, rest), slices.Insert(l.jobs, 0, i)
		}
	}
	return l
}

// filling is a part of a period, in ticks, and its value.
type filling struct{ ticks, worth int64 }

// undominated returns the fillings of a list that take less time than all others of at least
// their value, in ascending order.
func undominated(list []filling, period int64) (kept []filling) {
	best := make([]int64, period+1)
	for _, r := range list {
		best[r.ticks] = max(best[r.ticks], 1+r.worth)
	}
	most := int64(0)
	for ticks, worth := range best {
		if worth > most {
			kept, most = append(kept, filling{int64(ticks), worth - 1}), worth
		}
	}
	return kept
}

// density is the largest value of a tick.
func density(list []filling) (most float64) {
	for _, r := range list {
		if r.ticks > 0 {
			most = max(most, float64(r.worth)/float64(r.ticks))
		}
	}
	return most
}

// value computes the value of a task of a class, by iterations less one and depth; false if
// numbers are too large.
func (l *GPUExaminer) value(class int) bool {
	c := &l.s.Classes[class]
	for x := int64(1); x <= c.Limit.To; x++ {
		var list []int64
		for depth := range l.s.Pools[l.pool].Holds[class].Lengths {
			worth := new(big.Int)
			for r := range c.Rules {
				worth.Add(worth, exact.Mul(c.Rules[r].Weight[depth], l.prices[c.WorkerPrice(x)+1+r]))
			}
			if new(big.Int).Mul(worth, big.NewInt(x)).Cmp(big.NewInt(exact.MostWorth)) > 0 {
				return false
			}
			list = append(list, worth.Int64())
		}
		l.tasks[class] = append(l.tasks[class], list)
	}
	return true
}

// worker lists the fillings of a worker of a class, or of none, ignoring gaps.
func (l *GPUExaminer) worker(class int) (list []filling) {
	c, w, period := &l.s.Classes[class], l.s.Pools[l.pool].Holds[class], l.s.F.Period
	list = []filling{{}}
	for x := max(1, c.Limit.From); x <= c.Limit.To; x++ {
		tasks := []filling{{0, l.prices[c.WorkerPrice(x)]}}
		for range x {
			var longer []filling
			for depth, length := range w.Lengths {
				for _, r := range tasks {
					if length < exact.Never && r.ticks+length <= period {
						longer = append(longer, filling{r.ticks + length, r.worth + l.tasks[class][x-1][depth]})
					}
				}
			}
			tasks = undominated(longer, period)
		}
		list = append(list, tasks...)
	}
	return undominated(list, period)
}

// Knapsack is the value of the best content, ignoring gaps.
func (l *GPUExaminer) Knapsack() int64 { return l.rest[0][l.s.F.Period] }

// Exceeds reports whether some content is worth more than most, or there are too many to
// decide; with a callback for better contents, only the latter.
func (l *GPUExaminer) Exceeds(most int64) bool {
	if l.Knapsack() <= most {
		return false
	}
	l.most, l.looks, l.ways = most, 0, make([][]workerWay, len(l.s.Classes))
	for i, list := range l.tasks {
		limit := l.s.Classes[i].Limit
		for x := max(1, limit.From); list != nil && x <= limit.To; x++ {
			l.deal(i, list[x-1], make([]int64, len(list[x-1])), 0, x, 0, l.prices[l.s.Classes[i].WorkerPrice(x)])
		}
	}
	for _, ways := range l.ways {
		slices.SortStableFunc(ways, func(a, b workerWay) int { return cmp.Compare(b.worth, a.worth) })
	}
	return l.exceed(0, l.s.F.Period, 0)
}

// deal lists the alternatives of a worker whose tasks, with these values by depth, are already
// assigned to the depths before one, with left tasks remaining: those with which others beside
// it can exceed the value.
func (l *GPUExaminer) deal(class int, values, counts []int64, depth int, left, ticks, worth int64) {
	best := worth
	if left > 0 {
		if depth == len(values) {
			return
		}
		best += left * slices.Max(values[depth:])
	}
	if ticks > l.s.F.Period || best+l.rest[0][l.s.F.Period-ticks] <= l.most {
		return
	}
	if left == 0 {
		l.ways[class] = append(l.ways[class], workerWay{slices.Clone(counts), ticks, worth})
		return
	}
	length := min(l.s.Pools[l.pool].Holds[class].Lengths[depth], l.s.F.Period+1)
	for n := range left + 1 {
		counts[depth] = n
		l.deal(class, values, counts, depth+1, left-n, ticks+n*length, worth+n*values[depth])
	}
	counts[depth] = 0
}

// exceed reports whether some content is worth too much: the current one, with this value,
// plus some of the jobs from one on in the remaining room.
func (l *GPUExaminer) exceed(from int, room, worth int64) bool {
	if worth > l.most {
		if l.Better == nil {
			return true
		}
		l.most = worth
		l.Better(l.holds, worth)
	}
	for ; worth+l.rest[from][room] > l.most; from++ {
		class, rest := l.jobs[from], l.rest[from+1]
		if l.looks += len(l.ways[class]); l.looks > l.Looks || l.s.F.Model.Ended() {
			return true
		}
		for _, w := range l.ways[class] {
			if w.ticks > room || worth+w.worth+rest[room-w.ticks] <= l.most {
				continue
			}
			l.holds = append(l.holds, WorkerTasks{class, w.counts})
			more := (l.Loose || l.s.Interlock(l.pool, l.holds)) && l.exceed(from+1, room-w.ticks, worth+w.worth)
			if l.holds = l.holds[:len(l.holds)-1]; more {
				return true
			}
		}
	}
	return false
}
