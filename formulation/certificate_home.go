package formulation

import "slices"

// cheapestAtHome returns the price of the cheapest plan of a job with a home.
// It works tick by tick: the cheapest tasks between two ticks, by worker and
// depth, are dealt by recursion over the workers.
func (e *planExaminer) cheapestAtHome(p *homePricer) (best int64, ok bool) {
	release := int64(p.job.Release)
	if p.due <= release {
		return noPrice, false
	}
	band := p.due - release - int64(p.job.Iterations-1)*p.iteration // the most ticks that one iteration may take
	if band < 1 {
		return noPrice, false
	}
	var single [][]int64 // prices of tasks; see singles
	var gangs [][][]int64
	var tasks [][][]int64 // by begin, dish, end: see tasks
	now := map[int64]int64{release: 0}
	for i := range p.job.Iterations {
		if i == 0 || p.limits.tasks != nil {
			single, tasks = e.singles(p, i), make([][][]int64, p.due+1)
			if p.job.Gang {
				gangs = e.gangs(p, single)
			}
		}
		last := p.due - int64(p.job.Iterations-1-i)*p.iteration
		next := map[int64]int64{}
		for begin := release; begin < last; begin++ {
			before, reached := now[begin]
			if !reached {
				continue
			}
			if e.over() {
				return noPrice, false
			}
			if tasks[begin] == nil {
				tasks[begin] = e.tasks(p, single, gangs, begin, min(p.due, begin+band))
			}
			for d := range p.dishes {
				for level := range p.levels() {
					for start := begin + 1; start <= begin+band && start+p.length(d, level) <= last; start++ {
						end, price := start+p.length(d, level), tasks[begin][d][start]
						if price >= noPrice || !p.limits.ends[i].holds(end) || !p.mayStart(i, level, start) {
							continue
						}
						sum := e.add(before, price)
						if p.job.HasSync() {
							for _, c := range p.loads {
								sum = e.add(sum, e.span(c.group, c.amounts[level], start, end))
							}
						}
						if old, known := next[end]; !known || sum < old {
							next[end] = sum
						}
					}
				}
			}
		}
		now = next
	}
	best = noPrice
	for end, sum := range now {
		best = min(best, e.add(sum, e.mul(p.weight, end)))
	}
	return best, best < noPrice
}

// span is the price of amount units of a group in [from, to).
func (e *planExaminer) span(g int, amount, from, to int64) int64 {
	return e.mul(amount, e.before(g, to)-e.before(g, from))
}

// singles returns the price of a task of iteration i, by worker and depth as
// one number, and start; noPrice where it may not be.
func (e *planExaminer) singles(p *homePricer, i int) [][]int64 {
	depths := len(p.job.Depths)
	out := make([][]int64, p.job.Workers*depths)
	for at := range out {
		w, depth := at/depths, at%depths
		out[at] = make([]int64, p.due+1)
		for start := range p.due + 1 {
			if e.over() {
				break // before a list that is as long as it should be
			}
			end := start + p.time[w][depth]
			if end > p.due || !p.mayRun(i, w, depth, start) {
				out[at][start] = noPrice
				continue
			}
			for _, g := range p.gpus[w] {
				out[at][start] = e.add(out[at][start], e.span(g, 1, start, end))
			}
		}
	}
	return out
}

// gangs returns the least price of the tasks of every dish that all start
// together, by start, for each number of ticks that they may take.
func (e *planExaminer) gangs(p *homePricer, single [][]int64) [][][]int64 {
	depths, longest := len(p.job.Depths), p.longest()
	together := make([]int64, len(single))
	out := make([][][]int64, len(p.dishes))
	for d := range out {
		out[d] = make([][]int64, p.due+1)
		for start := range p.due + 1 {
			if e.over() {
				return out
			}
			out[d][start] = make([]int64, longest+1)
			for ticks := range longest + 1 {
				for at := range together {
					if together[at] = noPrice; p.time[at/depths][at%depths] <= ticks {
						together[at] = single[at][start]
					}
				}
				out[d][start][ticks] = e.deal(p.dishes[d].counts, together)
			}
		}
	}
	return out
}

// longest returns the ticks of the job's longest task.
func (p *homePricer) longest() int64 {
	longest := int64(0)
	for w := range p.time {
		longest = max(longest, slices.Max(p.time[w]))
	}
	return longest
}

// tasks returns for every dish the least price of tasks that start at begin or
// later, by the tick that all have ended by, which is the last at most; noPrice
// where they cannot.
func (e *planExaminer) tasks(p *homePricer, single [][]int64, gangs [][][]int64, begin, last int64) [][]int64 {
	depths, longest := len(p.job.Depths), p.longest()
	cheapest := make([]int64, len(single))
	for at := range cheapest {
		cheapest[at] = noPrice
	}
	out, least := make([][]int64, len(p.dishes)), make([]int64, len(p.dishes))
	for d := range out {
		least[d], out[d] = noPrice, make([]int64, last+1)
		for end := range begin + 1 {
			out[d][end] = noPrice
		}
	}
	for end := begin + 1; end <= last && !e.over(); end++ {
		cheaper := false
		for at := range cheapest { // the start that this end adds
			if start := end - p.time[at/depths][at%depths]; start >= begin && single[at][start] < cheapest[at] {
				cheapest[at], cheaper = single[at][start], true
			}
		}
		for d := range p.dishes {
			if p.job.Gang {
				// Gangs that started before were done by the end before.
				for start := max(begin, end-longest); start < end; start++ {
					least[d] = min(least[d], gangs[d][start][end-start])
				}
			} else if cheaper {
				least[d] = e.deal(p.dishes[d].counts, cheapest)
			}
			out[d][end] = least[d]
		}
	}
	return out
}

// deal returns the least sum of cost[w x depths + d] over the ways to give
// every worker one depth, counts[d] of them depth d: by recursion over the
// workers, each state solved once.
func (e *planExaminer) deal(counts []int, cost []int64) int64 {
	left, units, size := slices.Clone(counts), make([]int, len(counts)), 1
	for d, n := range counts {
		units[d] = size
		size *= n + 1 // up to mostDeals
	}
	known := make([]int64, size) // by what the workers before have; 0: not solved
	var give func(w, state int) int64
	give = func(w, state int) int64 {
		if w*len(counts) == len(cost) {
			return 0
		}
		if known[state] > 0 {
			return known[state] - 1
		}
		best := int64(noPrice)
		for d := range left {
			if price := cost[w*len(counts)+d]; left[d] > 0 && price < noPrice {
				left[d]--
				if rest := give(w+1, state+units[d]); rest < noPrice {
					best = min(best, e.add(price, rest))
				}
				left[d]++
			}
		}
		known[state] = best + 1
		return best
	}
	return give(0, 0)
}
