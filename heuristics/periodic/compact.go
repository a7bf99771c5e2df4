package periodic

import (
	"cmp"
	"context"
	"slices"

	"jigsaw/formulation/instance"
)

// compactor shortens the period of a plan while every resource keeps its
// cyclic order of tasks and synchronisations. With the orders fixed, what
// remains are difference constraints between starts x:
//
//	x[to] + laps·P >= x[from] + length
//
// along chains, on GPUs from each task to the next, and on links from each
// synchronisation to those that waited for its capacity. The least P for which
// they have a solution is a maximum cycle ratio; it is found by bisection with
// longest paths, all in integers.
type compactor struct {
	m *moduloScheduler
	// base[i] + n·stride[i] is the first event of iteration n of resident i: its
	// tasks by worker (one event for a whole gang), then its synchronisation.
	base, stride []int
	x            []instance.Tick // start of each event in the plan as it is
	edges        []orderEdge
}

// orderEdge asks event to to wait for event from, laps periods earlier.
type orderEdge struct {
	from, to int32
	laps     int32
	length   instance.Tick
}

// compactRounds bounds the sweeps over the constraints for one period; a
// period that is not settled by then counts as too short. Events are swept in
// order of time, so few sweeps are needed unless there is no solution.
const compactRounds = 50

// compact returns the plan with a shorter period, or nil if its orders admit
// none.
func (m *moduloScheduler) compact(ctx context.Context) *moduloScheduler {
	c := compactor{m: m}
	c.events()
	if len(c.x) == 0 {
		return nil
	}
	least := c.chains()
	least = max(least, c.gpus())
	c.links()
	c.sortEdges()

	good, goodX := m.period, []instance.Tick(nil)
	// Gains below a thousandth of the period are not worth a sweep of a large plan.
	grain := instance.Tick(1)
	if len(c.x) > 2000 {
		grain += m.period / 1000
	}
	for try := least; good-least >= grain && ctx.Err() == nil; try = least + (good-least)/2 {
		if x := c.solve(try); x != nil {
			good, goodX = try, x
		} else {
			least = try + 1
		}
	}
	if goodX == nil {
		return nil
	}
	short := newModuloScheduler(m.in, m.residents, good)
	short.style = m.style
	// Syncs that overlapped in pairs might now overlap all at once.
	if !short.load(c.moved(goodX)) {
		return nil
	}
	return short
}

// sortEdges orders the edges by when they begin, ties as they came: there are many more
// of them than of events.
func (c *compactor) sortEdges() {
	order := make([]int32, len(c.x))
	for e := range order {
		order[e] = int32(e)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(c.x[a], c.x[b]) })
	rank, last := make([]int32, len(c.x)), int32(0) // of the tick among those of all events
	for n, e := range order {
		if n > 0 && c.x[e] > c.x[order[n-1]] {
			last++
		}
		rank[e] = last
	}
	at := make([]int, last+2) // where the edges of a rank go
	for _, e := range c.edges {
		at[rank[e.from]+1]++
	}
	for r := range last {
		at[r+1] += at[r]
	}
	sorted := make([]orderEdge, len(c.edges))
	for _, e := range c.edges {
		r := rank[e.from]
		sorted[at[r]] = e
		at[r]++
	}
	c.edges = sorted
}

// events numbers the starts and notes where they are.
func (c *compactor) events() {
	n := 0
	for i, l := range c.m.residents {
		stride := len(l.gpus)
		if l.job.Gang {
			stride = 1
		}
		if len(l.syncs) > 0 {
			stride++
		}
		c.base, c.stride = append(c.base, n), append(c.stride, stride)
		n += stride * len(c.m.chains[i])
	}
	c.x = make([]instance.Tick, n)
	for i, l := range c.m.residents {
		for n := range c.m.chains[i] {
			it := &c.m.chains[i][n]
			for w := range l.gpus {
				c.x[c.task(i, n, w)] = it.start[w]
			}
			if len(l.syncs) > 0 {
				c.x[c.sync(i, n)] = it.sync
			}
		}
	}
}

func (c *compactor) task(i, n, w int) int {
	if c.m.residents[i].job.Gang {
		w = 0
	}
	return c.base[i] + n*c.stride[i] + w
}

func (c *compactor) sync(i, n int) int { return c.base[i] + (n+1)*c.stride[i] - 1 }

func (c *compactor) edge(from, to int, length instance.Tick, laps int) {
	c.edges = append(c.edges, orderEdge{int32(from), int32(to), int32(laps), length})
}

// chains adds the order of iterations (rules 4 and 5) and returns the longest
// chain, which no period can be shorter than.
func (c *compactor) chains() (longest instance.Tick) {
	for i, l := range c.m.residents {
		chain := c.m.chains[i]
		sum := instance.Tick(0)
		for n := range chain {
			next, laps := n+1, 0
			if next == len(chain) {
				next, laps = 0, 1
			}
			deepest := instance.Tick(0)
			for w := range l.gpus {
				length := l.time[w][chain[n].depth[w]]
				deepest = max(deepest, length)
				if len(l.syncs) == 0 {
					c.edge(c.task(i, n, w), c.task(i, next, w), length, laps)
					continue
				}
				c.edge(c.task(i, n, w), c.sync(i, n), length, 0)
				if w == 0 || !l.job.Gang {
					c.edge(c.sync(i, n), c.task(i, next, w), l.syncs[chain[n].level].Length, laps)
				}
			}
			if sum += deepest; len(l.syncs) > 0 {
				sum += l.syncs[chain[n].level].Length
			}
		}
		longest = max(longest, sum)
	}
	return longest
}

// stay is the use of a GPU or link by an event.
type stay struct {
	event  int
	at     instance.Tick // start modulo the period
	length instance.Tick
	rate   instance.Rate // of a link
}

func byStart(a, b stay) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.event, b.event)) }

// laps returns how many periods after event a event b may start at the
// earliest: the least n with x[b] + n·P >= x[a] + length.
func (c *compactor) laps(a, b int, length instance.Tick) int {
	gap := c.x[a] + length - c.x[b]
	n := gap / c.m.period
	if n*c.m.period < gap {
		n++
	}
	return int(n)
}

// gpus adds the cyclic order of the tasks on every GPU (rule 6) and returns
// the greatest load.
func (c *compactor) gpus() (greatest instance.Tick) {
	on := make([][]stay, len(c.m.gpus))
	for i, l := range c.m.residents {
		for n := range c.m.chains[i] {
			it := &c.m.chains[i][n]
			for w, g := range l.gpus {
				on[g] = append(on[g], stay{
					event: c.task(i, n, w), at: residue(it.start[w], c.m.period), length: l.time[w][it.depth[w]],
				})
			}
		}
	}
	for _, list := range on {
		slices.SortFunc(list, byStart)
		load := instance.Tick(0)
		for n, a := range list {
			load += a.length
			if b := list[(n+1)%len(list)]; a.event != b.event {
				c.edge(a.event, b.event, a.length, c.laps(a.event, b.event, a.length))
			}
		}
		greatest = max(greatest, load)
	}
	return greatest
}

// links adds the order of synchronisations that shared no time on a link,
// where not all of the link's could run at once (rule 8). An edge that
// follows from two others is left out.
func (c *compactor) links() {
	on := make([][]stay, len(c.m.links))
	for i, l := range c.m.residents {
		for n := range c.m.chains[i] {
			it := &c.m.chains[i][n]
			if len(l.syncs) == 0 || l.syncs[it.level].Length == 0 {
				continue
			}
			s := l.syncs[it.level]
			for _, u := range l.span.Uses {
				on[u.Link] = append(on[u.Link], stay{
					c.sync(i, n), residue(it.sync, c.m.period), s.Length, s.Rate * instance.Rate(u.Times),
				})
			}
		}
	}
	period := c.m.period
	for link, list := range on {
		room := c.m.links[link].capacity
		for _, s := range list {
			room -= s.rate
		}
		if room >= 0 {
			continue
		}
		slices.SortFunc(list, func(a, b stay) int {
			return cmp.Or(cmp.Compare(residue(a.at+a.length, period), residue(b.at+b.length, period)), byStart(a, b))
		})
		n := len(list)
		for _, b := range list {
			// Back through those that had ended when b began, latest first.
			from, _ := slices.BinarySearchFunc(list, b.at, func(s stay, at instance.Tick) int {
				if residue(s.at+s.length, period) <= at {
					return -1
				}
				return 1
			})
			begun := -period // the latest start of those seen, relative to b
			for back := range n {
				a := list[(from-1-back+2*n)%n]
				since := residue(b.at-a.at-a.length, period) // from the end of a to the start of b
				if -since <= begun {
					break
				}
				if a.event != b.event {
					c.edge(a.event, b.event, a.length, c.laps(a.event, b.event, a.length))
				}
				begun = max(begun, -since-a.length)
			}
		}
	}
}

// solve returns starts that meet all constraints with the given period, none
// earlier than now, or nil.
func (c *compactor) solve(period instance.Tick) []instance.Tick {
	x := slices.Clone(c.x)
	for range min(compactRounds, len(x)+1) {
		c.m.tasks += len(c.edges) / 32
		settled := true
		for n := range c.edges {
			e := &c.edges[n]
			if t := x[e.from] + e.length - instance.Tick(e.laps)*period; t > x[e.to] {
				x[e.to] = t
				settled = false
			}
		}
		if settled {
			return x
		}
	}
	return nil
}

// moved returns the chains of the plan with new starts.
func (c *compactor) moved(x []instance.Tick) [][]iteration {
	chains := make([][]iteration, len(c.m.chains))
	for i, l := range c.m.residents {
		chains[i] = slices.Clone(c.m.chains[i])
		for n := range chains[i] {
			it := &chains[i][n]
			it.start = slices.Clone(it.start)
			it.end = 0
			for w := range l.gpus {
				it.start[w] = x[c.task(i, n, w)]
				it.end = max(it.end, it.start[w]+l.time[w][it.depth[w]])
			}
			if len(l.syncs) > 0 {
				it.sync = x[c.sync(i, n)]
				it.end = it.sync + l.syncs[it.level].Length
			}
		}
	}
	return chains
}
