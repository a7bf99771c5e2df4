package cases

import (
	"jigsaw/formulation/relax/columns"
	"jigsaw/formulation/relax/exact"
	"slices"
)

// AssignedExaminer finds the cheapest plans of jobs with homes.
type AssignedExaminer struct{ *columns.Examiner }

// Cheapest returns the price of the cheapest plan of a job with a home. It
// works tick by tick: the cheapest tasks between two ticks, by worker and
// depth, are assigned by recursion over the workers.
func (e AssignedExaminer) Cheapest(p *AssignedPlans) (best int64, ok bool) {
	release := int64(p.Job.Release)
	if p.Due <= release {
		return exact.NoPrice, false
	}
	band := p.Due - release - int64(p.Job.Iterations-1)*p.Iteration // the most ticks that one iteration may take
	if band < 1 {
		return exact.NoPrice, false
	}
	var single [][]int64 // prices of tasks; see singles
	var gangs [][][]int64
	var tasks [][][]int64 // by begin, multiset, end: see tasks
	now := map[int64]int64{release: 0}
	for i := range p.Job.Iterations {
		if i == 0 || p.Limits.Tasks != nil {
			single, tasks = e.singles(p, i), make([][][]int64, p.Due+1)
			if p.Job.Gang {
				gangs = e.gangs(p, single)
			}
		}
		last := p.Due - int64(p.Job.Iterations-1-i)*p.Iteration
		next := map[int64]int64{}
		for begin := release; begin < last; begin++ {
			before, reached := now[begin]
			if !reached {
				continue
			}
			if e.Over() {
				return exact.NoPrice, false
			}
			if tasks[begin] == nil {
				tasks[begin] = e.tasks(p, single, gangs, begin, min(p.Due, begin+band))
			}
			for d := range p.Multisets {
				for level := range p.Levels() {
					for start := begin + 1; start <= begin+band && start+p.Length(d, level) <= last; start++ {
						end, price := start+p.Length(d, level), tasks[begin][d][start]
						if price >= exact.NoPrice || !p.Limits.Ends[i].Holds(end) || !p.MayStart(i, start) {
							continue
						}
						sum := e.Add(before, price)
						if p.Job.HasSync() {
							for _, c := range p.Loads {
								sum = e.Add(sum, e.span(c.Group, c.Amounts[level], start, end))
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
	best = exact.NoPrice
	for end, sum := range now {
		best = min(best, e.Add(sum, e.Mul(p.Weight, end)))
	}
	return best, best < exact.NoPrice
}

// span is the price of amount units of a group in [from, to).
func (e AssignedExaminer) span(g int, amount, from, to int64) int64 {
	return e.Mul(amount, e.Before(g, to)-e.Before(g, from))
}

// singles returns the price of a task of iteration i, indexed by worker and
// depth as one number, and by start; exact.NoPrice if it may not start there.
func (e AssignedExaminer) singles(p *AssignedPlans, i int) [][]int64 {
	depths := len(p.Job.Depths)
	out := make([][]int64, p.Job.Workers*depths)
	for at := range out {
		w, depth := at/depths, at%depths
		out[at] = make([]int64, p.Due+1)
		for start := range p.Due + 1 {
			if e.Over() {
				break // before allocating a list that is as long as it should be
			}
			end := start + p.Time[w][depth]
			if end > p.Due || !p.MayRun(i, w, depth, start) {
				out[at][start] = exact.NoPrice
				continue
			}
			for _, g := range p.GPUs[w] {
				out[at][start] = e.Add(out[at][start], e.span(g, 1, start, end))
			}
		}
	}
	return out
}

// gangs returns the least price of the tasks of every multiset that all start
// together, by start, for each number of ticks that they may take.
func (e AssignedExaminer) gangs(p *AssignedPlans, single [][]int64) [][][]int64 {
	depths, longest := len(p.Job.Depths), p.longest()
	together := make([]int64, len(single))
	out := make([][][]int64, len(p.Multisets))
	for d := range out {
		out[d] = make([][]int64, p.Due+1)
		for start := range p.Due + 1 {
			if e.Over() {
				return out
			}
			out[d][start] = make([]int64, longest+1)
			for ticks := range longest + 1 {
				for at := range together {
					if together[at] = exact.NoPrice; p.Time[at/depths][at%depths] <= ticks {
						together[at] = single[at][start]
					}
				}
				out[d][start][ticks] = e.deal(p.Multisets[d].Counts, together)
			}
		}
	}
	return out
}

// tasks returns, for every multiset, the least price of tasks that start at begin or
// later, by the tick by which all have ended, at most last; exact.NoPrice if they
// cannot.
func (e AssignedExaminer) tasks(p *AssignedPlans, single [][]int64, gangs [][][]int64, begin, last int64) [][]int64 {
	depths, longest := len(p.Job.Depths), p.longest()
	cheapest := make([]int64, len(single))
	for at := range cheapest {
		cheapest[at] = exact.NoPrice
	}
	out, least := make([][]int64, len(p.Multisets)), make([]int64, len(p.Multisets))
	for d := range out {
		least[d], out[d] = exact.NoPrice, make([]int64, last+1)
		for end := range begin + 1 {
			out[d][end] = exact.NoPrice
		}
	}
	for end := begin + 1; end <= last && !e.Over(); end++ {
		cheaper := false
		for at := range cheapest { // the start that becomes possible with this end
			if start := end - p.Time[at/depths][at%depths]; start >= begin && single[at][start] < cheapest[at] {
				cheapest[at], cheaper = single[at][start], true
			}
		}
		for d := range p.Multisets {
			if p.Job.Gang {
				// Gangs that started earlier were handled with an earlier end.
				for start := max(begin, end-longest); start < end; start++ {
					least[d] = min(least[d], gangs[d][start][end-start])
				}
			} else if cheaper {
				least[d] = e.deal(p.Multisets[d].Counts, cheapest)
			}
			out[d][end] = least[d]
		}
	}
	return out
}

// deal returns the least sum of cost[w x depths + d] over the ways to give
// every worker one depth, counts[d] of them depth d: by recursion over the
// workers, each state solved once.
func (e AssignedExaminer) deal(counts []int, cost []int64) int64 {
	left, units, size := slices.Clone(counts), make([]int, len(counts)), 1
	for d, n := range counts {
		units[d] = size
		size *= n + 1 // up to mostDeals
	}
	known := make([]int64, size) // by what the previous workers have; 0: not solved
	var give func(w, state int) int64
	give = func(w, state int) int64 {
		if w*len(counts) == len(cost) {
			return 0
		}
		if known[state] > 0 {
			return known[state] - 1
		}
		best := int64(exact.NoPrice)
		for d := range left {
			if price := cost[w*len(counts)+d]; left[d] > 0 && price < exact.NoPrice {
				left[d]--
				if rest := give(w+1, state+units[d]); rest < exact.NoPrice {
					best = min(best, e.Add(price, rest))
				}
				left[d]++
			}
		}
		known[state] = best + 1
		return best
	}
	return give(0, 0)
}
