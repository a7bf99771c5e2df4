package formulation

import (
	"slices"

	"jigsaw/formulation/instance"
)

// homePricer finds the cheapest plan of a job whose GPUs are decided. It is
// exact: every task is on its GPU, every synchronisation takes its links at
// one of the rate levels. Every tick is a point.
type homePricer struct {
	in     *instance.Instance
	job    *instance.Job
	limits *branchJob
	// gpus[w] are the groups of rows that a task of worker w takes one unit of,
	// own[w] the group of its GPU alone.
	gpus   [][]int
	own    []int
	depths []uint64     // by worker: those that fit
	time   [][]int64    // by worker, depth
	links  []linkCharge // the groups of single links
	loads  []linkCharge // these, and those of the pools that the links belong to
	dishes []homeDish
	weight int64
	due    int64
	// iteration is a lower limit on the ticks between the ends of two
	// synchronisations.
	iteration int64
}

// linkCharge is what a synchronisation takes of a link, by rate level.
type linkCharge struct {
	group   int
	amounts []int64
}

// homeDish is a multiset with the length of its synchronisation at each level.
type homeDish struct {
	counts []int
	sync   []int64 // by rate level
	dealer *dealer
}

// homeTask and homeSync are what a plan with a home decides.
type homeTask struct {
	start int64
	depth int
}

type homeSync struct {
	start int64
	level int
}

// shelf is the scratch memory of a home pricer: prices by start and latest end
// of the tasks of an iteration, both in ticks from the release.
type shelf struct {
	deal [][][]int64 // by dish, start, end; nothing where the end is more than band after the start
	cost [][]int64   // by worker and depth, end
	sync [][]int64   // price by dish and level, end of the synchronisation
	band int         // the most ticks that an iteration may take
}

// solve returns the cheapest plan, and false where there is none.
func (p *homePricer) solve(t *tariff) (plan, bool) {
	release := int64(p.job.Release)
	points := int(p.due - release)
	if points < 1 {
		return plan{}, false
	}
	rounds := p.job.Iterations
	f := square[int64](nil, rounds+1, points+1)
	from := square[[3]int32](nil, rounds+1, points+1) // start, dish, level
	for i := range f {
		for m := range f[i] {
			f[i][m] = noPrice
		}
	}
	f[0][0] = 0
	s := shelf{band: points - (rounds-1)*int(p.iteration)}
	if s.band < 1 {
		return plan{}, false
	}
	p.sound(t, &s, points)
	for i := range rounds {
		if i == 0 || p.limits.tasks != nil {
			p.fill(t, &s, points, i)
		}
		last := points - (rounds-1-i)*int(p.iteration)
		for n := range last {
			if f[i][n] < noPrice {
				p.extend(&s, i, n, f[i][n], f[i+1][:last+1], from[i+1])
			}
		}
	}
	best, at := int64(noPrice), 0
	for m, price := range f[rounds] {
		if price >= noPrice {
			continue
		}
		if sum := price + p.weight*(release+int64(m)); sum < best {
			best, at = sum, m
		}
	}
	if best >= noPrice {
		return plan{}, false
	}
	out := plan{
		price: best, completion: release + int64(at), home: p.limits.home,
		ends: make([]int64, rounds), tasks: make([][]homeTask, rounds), syncs: make([]homeSync, rounds),
	}
	for i := rounds; i > 0; i-- {
		out.ends[i-1] = release + int64(at)
		choice := from[i][at]
		p.trace(t, &out, i-1, int64(choice[0]), int64(at), int(choice[1]), int(choice[2]))
		at = int(choice[0])
	}
	return out, true
}

// extend tries all that iteration i may do from a start on.
func (p *homePricer) extend(s *shelf, i, n int, price int64, next []int64, from [][3]int32) {
	release := int64(p.job.Release)
	for d := range p.dishes {
		deal := s.deal[d][n]
		for level := range p.levels() {
			length := int(p.length(d, level))
			sync := s.sync[d*p.levels()+level]
			for m := n + length + 1; m < len(next); m++ {
				sum := price + deal[m-length] + sync[m]
				if sum >= next[m] {
					continue
				}
				if end := release + int64(m); p.limits.ends[i].holds(end) && p.mayStart(i, level, end-int64(length)) {
					next[m], from[m] = sum, [3]int32{int32(n), int32(d), int32(level)}
				}
			}
		}
	}
}

// sound computes shelf.sync.
func (p *homePricer) sound(t *tariff, s *shelf, points int) {
	s.sync = square(s.sync, len(p.dishes)*p.levels(), points+1)
	for at := range s.sync {
		level := at % p.levels()
		length := p.length(at/p.levels(), level)
		for m := int(length); m <= points; m++ {
			end := int64(p.job.Release) + int64(m)
			s.sync[at][m] = p.linkPrice(t, level, end-length, end)
		}
	}
}

// levels is the number of rate levels; a job that does not synchronise has one.
func (p *homePricer) levels() int {
	if !p.job.HasSync() {
		return 1
	}
	return len(p.in.RateLevels)
}

func (p *homePricer) length(dish, level int) int64 {
	if !p.job.HasSync() {
		return 0
	}
	return p.dishes[dish].sync[level]
}

func (p *homePricer) mayStart(i, level int, start int64) bool {
	if p.limits.syncs == nil {
		return true
	}
	limit := p.limits.syncs[i]
	return limit.start.holds(start) && limit.levels>>level&1 == 1
}

func (p *homePricer) linkPrice(t *tariff, level int, start, end int64) int64 {
	sum := int64(0)
	if p.job.HasSync() {
		for _, c := range p.loads {
			sum += c.amounts[level] * (t.through(c.group, end) - t.through(c.group, start))
		}
	}
	return sum
}

// taskPrice is what a task of worker w costs from a start.
func (p *homePricer) taskPrice(t *tariff, w, depth int, start int64) int64 {
	sum := int64(0)
	for _, g := range p.gpus[w] {
		sum += t.through(g, start+p.time[w][depth]) - t.through(g, start)
	}
	return sum
}

// mayRun reports whether the task of iteration i on worker w may be so.
func (p *homePricer) mayRun(i, w, depth int, start int64) bool {
	if p.depths[w]>>depth&1 == 0 {
		return false
	}
	if p.limits.tasks == nil {
		return true
	}
	limit := p.limits.tasks[i][w]
	return limit.start.holds(start) && limit.depths>>depth&1 == 1
}

// twin reports whether a worker is in the same position as the one before.
func (p *homePricer) twin(w int) bool {
	return w > 0 && p.limits.tasks == nil && p.depths[w] == p.depths[w-1] &&
		slices.Equal(p.gpus[w], p.gpus[w-1]) && slices.Equal(p.time[w], p.time[w-1])
}

// fill computes shelf.deal for iteration i: the price of the tasks of a dish
// when they start at or after n and end by x.
func (p *homePricer) fill(t *tariff, s *shelf, points, i int) {
	release := int64(p.job.Release)
	workers, depths := p.job.Workers, len(p.job.Depths)
	if s.deal == nil {
		s.deal = make([][][]int64, len(p.dishes))
	}
	for d := range s.deal {
		s.deal[d] = square(s.deal[d], points+1, points+1)
	}
	// cost[w*depths+d][x] is the cheapest start from n on that ends by x.
	s.cost = square(s.cost, workers*depths, points+1)
	cost, now, dealt := slices.Clone(s.cost), make([]int64, workers*depths), make([]int64, workers*depths)
	// fresh[x]: a start at n makes some task that ends by x cheaper. Elsewhere
	// all is as from n+1 on, so that few deals differ.
	fresh := make([]bool, points+1)
	for _, row := range cost {
		for x := range row {
			row[x] = noPrice
		}
	}
	for n := points; n >= 0; n-- {
		start := release + int64(n)
		clear(fresh)
		for w := range workers {
			if p.twin(w) {
				for d := range depths {
					cost[w*depths+d] = cost[(w-1)*depths+d]
				}
				continue
			}
			for d := range depths {
				row := cost[w*depths+d]
				if p.job.Gang {
					for x := n; x <= min(points, n+s.band+1); x++ { // all start at n
						row[x] = noPrice
					}
				}
				if !p.mayRun(i, w, d, start) {
					continue
				}
				price := p.taskPrice(t, w, d, start)
				for x := n + int(p.time[w][d]); x <= min(points, n+s.band) && price < row[x]; x++ {
					row[x], fresh[x] = price, true
				}
			}
		}
		for d := range p.dishes {
			row, least := s.deal[d][n], int64(noPrice)
			for at := range dealt {
				dealt[at] = noPrice
			}
			row[n] = noPrice
			for x := n + 1; x <= min(points, n+s.band); x++ {
				row[x] = s.deal[d][n+1][x]
				if fresh[x] {
					for at := range now {
						now[at] = cost[at][x]
					}
					if !slices.Equal(now, dealt) {
						least = p.dishes[d].dealer.deal(now)
						now, dealt = dealt, now
					}
					row[x] = min(row[x], least)
				}
			}
		}
	}
}

// trace writes iteration i of a plan down: from start n, its synchronisation
// ending at m, both in ticks from the release.
func (p *homePricer) trace(t *tariff, out *plan, i int, n, m int64, dish, level int) {
	release := int64(p.job.Release)
	workers, depths := p.job.Workers, len(p.job.Depths)
	length := p.length(dish, level)
	latest := release + m - length
	cost := make([]int64, workers*depths)
	starts := make([]int64, workers*depths)
	look := func(first, last int64) {
		for at := range cost {
			cost[at] = noPrice
			w, d := at/depths, at%depths
			for s := first; s <= min(last, latest-p.time[w][d]); s++ {
				if price := p.taskPrice(t, w, d, s); p.mayRun(i, w, d, s) && price < cost[at] {
					cost[at], starts[at] = price, s
				}
			}
		}
	}
	chosen := make([]int, workers)
	deal := func() int64 { return p.dishes[dish].dealer.deal(cost) }
	if p.job.Gang {
		best, at := int64(noPrice), release+n
		for s := release + n; s < latest; s++ {
			look(s, s)
			if price := deal(); price < best {
				best, at = price, s
			}
		}
		look(at, at)
	} else {
		look(release+n, latest)
	}
	deal()
	p.dishes[dish].dealer.depths(chosen, depths)
	for w, d := range chosen {
		start := starts[w*depths+d]
		out.tasks[i] = append(out.tasks[i], homeTask{start, d})
		var charges []charge
		for _, g := range []int{p.own[w], p.gpus[w][1]} {
			charges = append(charges, charge{g, 1, p.time[w][d]})
		}
		out.visits = append(out.visits, visit{charges, start, 1})
	}
	out.syncs[i] = homeSync{latest, level}
	if p.job.HasSync() && length > 0 {
		var charges []charge
		for _, c := range p.loads {
			charges = append(charges, charge{c.group, c.amounts[level], length})
		}
		out.visits = append(out.visits, visit{charges, latest, 1})
	}
}

// charges lists all that a task or a synchronisation may take.
func (p *homePricer) charges(add func(charge)) {
	for w := range p.gpus {
		for _, g := range p.gpus[w] {
			add(charge{g, 1, p.time[w][p.job.Full()]})
		}
	}
	for _, c := range p.loads {
		for level, amount := range c.amounts {
			for d := range p.dishes {
				add(charge{c.group, amount, p.dishes[d].sync[level]})
			}
		}
	}
}

// fits reports whether the memory that the node's decided jobs leave is enough
// for a plan. A job without a home has no pricer, and no such limit.
func (p *homePricer) fits(o *plan) bool {
	if p == nil {
		return true
	}
	for i := range o.tasks {
		for w, task := range o.tasks[i] {
			if p.depths[w]>>task.depth&1 == 0 {
				return false
			}
		}
	}
	return true
}

// newHomePricer makes the pricer of a job whose home is decided at the node.
func (s *master) newHomePricer(n *branchNode, j int) *homePricer {
	in, limits := s.m.in, n.jobs[j]
	job := &in.Jobs[j]
	d := s.classes[j].d
	p := &homePricer{in: in, job: job, limits: limits, due: s.classes[j].pricer.due}
	for _, g := range limits.home {
		costs := job.On[in.GPUs[g].Type]
		p.gpus = append(p.gpus, []int{s.gpuGroup(g), s.m.network.of[in.GPUs[g].Node]})
		p.own = append(p.own, s.firstGPU+int(g))
		p.depths = append(p.depths, n.depthsOn(in, j, g))
		times := make([]int64, len(job.Depths))
		for depth, time := range costs.Time {
			times[depth] = int64(time)
		}
		p.time = append(p.time, times)
	}
	span, _ := in.Span(limits.home)
	var pooled []linkCharge
	for _, use := range span.Uses {
		if at, ok := s.pooled[use.Link]; ok && s.groups[at.group].capacity > 0 {
			c := linkCharge{group: at.group}
			for _, level := range in.RateLevels {
				c.amounts = append(c.amounts, int64(use.Times)*share(span.Rate(level), at.speed))
			}
			pooled = append(pooled, c)
		}
		c := linkCharge{group: s.linkGroup(use.Link)}
		for _, level := range in.RateLevels {
			c.amounts = append(c.amounts, int64(span.Rate(level))*int64(use.Times)/s.linkUnit(use.Link))
		}
		p.links = append(p.links, c)
	}
	p.loads = slices.Concat(p.links, pooled)
	for _, counts := range s.m.multisets(d) {
		dish := homeDish{counts: counts, dealer: newDealer(counts)}
		if job.HasSync() {
			volume := job.Volume(counts, span.Parties)
			for _, level := range in.RateLevels {
				dish.sync = append(dish.sync, int64(in.SyncTicks(volume, span.Rate(level))))
			}
		}
		p.dishes = append(p.dishes, dish)
	}
	p.iteration = p.shortest()
	return p
}

// shortest returns a lower limit on the ticks of an iteration: its longest task,
// wherever it runs fastest, and the synchronisation.
func (p *homePricer) shortest() int64 {
	least := int64(maxHorizon)
	for d := range p.dishes {
		longest := int64(0)
		for depth, n := range p.dishes[d].counts {
			if n == 0 {
				continue
			}
			fastest := p.time[0][depth]
			for w := range p.time {
				fastest = min(fastest, p.time[w][depth])
			}
			longest = max(longest, fastest)
		}
		for level := range p.levels() {
			least = min(least, longest+p.length(d, level))
		}
	}
	return max(1, least)
}
