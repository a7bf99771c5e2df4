package periods

import (
	"cmp"
	"jigsaw/formulation/relax/periods"
	"slices"
)

// workerOption is a way in which a GPU may hold a worker, and what it is worth at some prices.
type workerOption struct {
	counts []int64 // tasks by depth
	tasks  int64
	ticks  int64
	worth  int64
}

// options lists those of all workers, by pool and class.
func options(s *periods.GPUProgram) [][][]workerOption {
	list := make([][][]workerOption, len(s.Pools))
	for p := range s.Pools {
		list[p] = make([][]workerOption, len(s.Classes))
		for i := range s.Classes {
			w, limit := s.Pools[p].Holds[i], s.Classes[i].Limit
			if w == nil {
				continue
			}
			for x := max(1, limit.From); x <= limit.To; x++ {
				ways(w, x, s.F.Period, func(counts []int64, ticks int64) {
					if s.Interlock(p, periods.Configuration{{Class: i, Counts: counts}}) {
						list[p][i] = append(list[p][i], workerOption{slices.Clone(counts), x, ticks, 0})
					}
				})
			}
		}
	}
	return list
}

// ways calls f with the numbers of tasks by depth, and their ticks, of so many tasks in a room.
func ways(w *periods.GPUWorker, tasks, room int64, f func(counts []int64, ticks int64)) {
	counts := make([]int64, len(w.Lengths))
	var next func(depth int, left, ticks int64)
	next = func(depth int, left, ticks int64) {
		if left == 0 {
			f(counts, ticks)
			return
		}
		if depth == len(counts) {
			return
		}
		for n := range left + 1 {
			if n > 0 {
				if ticks += w.Lengths[depth]; ticks > room {
					break
				}
			}
			counts[depth] = n
			next(depth+1, left-n, ticks)
		}
		counts[depth] = 0
	}
	next(0, tasks, 0)
}

// gpuFill looks for the most valuable contents of a GPU, by trying all that a knapsack, which
// forgets gaps, says may be better.
type gpuFill struct {
	m     *gpuMaster
	pool  int
	slots []gpuSlot
	after [][]int64 // what the slots from one on are worth by ticks, gaps forgotten
	// Of the search:
	steps, most int
	forced      int // a slot that is in use; -1 for none
	now         []gpuChoice
	loads       [][]int64 // of the gaps of what is chosen, after each choice
	value       int64
	best        []gpuChoice
}

// gpuSlot is a worker of a class, one for each job of the class.
type gpuSlot struct {
	class   int
	worker  *periods.GPUWorker
	options []workerOption // that are worth something, the most valuable first
}

type gpuChoice struct {
	slot   int
	option *workerOption
}

// Limits on how many contents are looked at: in all, to begin with and with one slot, and how often
// there may be more.
const (
	mostGPUContents  = 15_000
	quickGPUContents = 60
	mostCrowded      = 8
)

func (m *gpuMaster) fill(pool int, prices []int64) *gpuFill {
	f := &gpuFill{m: m, pool: pool, forced: -1}
	for i := range m.Classes {
		if slot := m.slot(pool, i, prices); len(slot.options) > 0 {
			for range m.Classes[i].Jobs {
				f.slots = append(f.slots, slot)
			}
		}
	}
	density := func(s gpuSlot) float64 { return float64(s.options[0].worth) / float64(s.options[0].ticks) }
	slices.SortStableFunc(f.slots, func(a, b gpuSlot) int { return cmp.Compare(density(b), density(a)) })
	f.after = make([][]int64, len(f.slots)+1)
	f.after[len(f.slots)] = make([]int64, m.F.Period+1)
	for i := len(f.slots) - 1; i >= 0; i-- {
		f.after[i] = f.slots[i].join(f.after[i+1])
	}
	return f
}

// slot returns the options of a class that are worth something.
func (m *gpuMaster) slot(pool, class int, prices []int64) gpuSlot {
	c := &m.Classes[class]
	s := gpuSlot{class: class, worker: m.Pools[pool].Holds[class]}
	for _, o := range m.options[pool][class] {
		at := c.WorkerPrice(o.tasks)
		o.worth = prices[at]
		for r := range c.Rules {
			if price := prices[at+1+r]; price > 0 {
				for depth, n := range o.counts {
					o.worth += n * c.Rules[r].Weight[depth] * price
				}
			}
		}
		if o.worth > 0 {
			s.options = append(s.options, o)
		}
	}
	slices.SortStableFunc(s.options, func(a, b workerOption) int { return cmp.Compare(b.worth, a.worth) })
	return s
}

// join adds a slot to what others are worth by ticks.
func (s *gpuSlot) join(others []int64) []int64 {
	best := make([]int64, len(others)) // by ticks
	for _, o := range s.options {
		best[o.ticks] = max(best[o.ticks], o.worth)
	}
	worth := slices.Clone(others)
	for t, w := range best {
		if w > 0 {
			for room := t; room < len(worth); room++ {
				worth[room] = max(worth[room], w+others[room-t])
			}
		}
	}
	return worth
}

// knapsack is the worth of the best content, gaps forgotten.
func (f *gpuFill) knapsack() int64 { return f.after[0][f.m.F.Period] }

// worth is that of the best content; an upper limit on it where that is far above the price of
// a GPU, or too many have to be looked at to tell. Where that is so again and again, gaps are
// forgotten.
func (f *gpuFill) worth(price int64) int64 {
	if f.loose() {
		f.look(-1, 0, mostGPUContents)
		return f.knapsack()
	}
	f.look(-1, 0, quickGPUContents)
	if f.value > price+price/4 {
		return f.knapsack()
	}
	best, slots := f.best, f.slots
	// What no knapsack can make better than that is left out.
	f.slots = slices.Clone(slots)
	for i := range slots {
		f.slots[i].options = slices.DeleteFunc(slices.Clone(slots[i].options), func(o workerOption) bool {
			return o.worth+f.after[0][f.m.F.Period-o.ticks] <= f.value
		})
	}
	f.look(-1, f.value, mostGPUContents)
	if f.slots = slots; f.best == nil {
		f.best = best
	}
	if f.steps > f.most {
		f.m.crowded[f.pool]++
		return f.knapsack()
	}
	return f.value
}

// loose reports whether gaps are forgotten.
func (f *gpuFill) loose() bool { return f.m.crowded[f.pool] > mostCrowded }

// contents returns a good content, and good ones with each of the slots, as far as they are
// found worth more than a GPU costs.
func (f *gpuFill) contents(price int64) (list []periods.Configuration) {
	for forced := range f.slots {
		if f.look(forced, price, quickGPUContents); f.best != nil {
			list = append(list, f.content(f.best))
		}
	}
	return list
}

// look looks for the best content that is worth more than that, with a forced slot.
func (f *gpuFill) look(forced int, worth int64, most int) {
	f.forced, f.value, f.best, f.steps, f.most = forced, worth, nil, 0, most
	f.now = f.now[:0]
	if forced < 0 {
		f.search(0, f.m.F.Period, 0)
		return
	}
	f.choose(forced, 0, f.m.F.Period, 0)
}

// search tries all contents of the slots from one on beside what is chosen.
func (f *gpuFill) search(from int, room, worth int64) {
	if worth > f.value {
		f.value, f.best = worth, slices.Clone(f.now)
	}
	for i := from; i < len(f.slots) && worth+f.after[i][room] > f.value && f.steps <= f.most; i++ {
		if i != f.forced {
			f.choose(i, i+1, room, worth)
		}
	}
}

// choose tries all options of a slot, with all contents of the slots from one on.
func (f *gpuFill) choose(slot, from int, room, worth int64) {
	options := f.slots[slot].options
	for i := range options {
		o := &options[i]
		if o.ticks > room || worth+o.worth+f.after[from][room-o.ticks] <= f.value {
			continue
		}
		if f.steps++; f.steps > f.most {
			return
		}
		if f.put(gpuChoice{slot, o}) {
			f.search(from, room-o.ticks, worth+o.worth)
		}
		f.now = f.now[:len(f.now)-1]
	}
}

// put adds to what is chosen and reports whether all gaps hold what is in them.
func (f *gpuFill) put(c gpuChoice) bool {
	if f.loose() {
		f.now = append(f.now, c)
		return true
	}
	level, worker := len(f.now), f.slots[c.slot].worker
	if level == len(f.loads) {
		f.loads = append(f.loads, nil)
	}
	loads, at, ok := f.loads[level][:0], 0, true
	for _, other := range f.now {
		for _, g := range f.slots[other.slot].worker.Gaps {
			load := f.loads[level-1][at] + worker.Beyond(c.option.counts, g.Free)
			loads, ok, at = append(loads, load), ok && load <= f.m.F.Period, at+1
		}
	}
	for i := range worker.Gaps {
		g := &worker.Gaps[i]
		load := g.Takes(c.option.counts)
		for _, other := range f.now {
			load += f.slots[other.slot].worker.Beyond(other.option.counts, g.Free)
		}
		loads, ok = append(loads, load), ok && load <= f.m.F.Period
	}
	f.now, f.loads[level] = append(f.now, c), loads
	return ok
}

// content returns what is chosen, classes ascending.
func (f *gpuFill) content(list []gpuChoice) (content periods.Configuration) {
	for _, c := range list {
		content = append(content, periods.WorkerTasks{Class: f.slots[c.slot].class, Counts: c.option.counts})
	}
	slices.SortStableFunc(content, func(a, b periods.WorkerTasks) int { return cmp.Compare(a.Class, b.Class) })
	return content
}
