package tree

import (
	"jigsaw/formulation/bound/columns"
	"jigsaw/formulation/relax/cases"
	program "jigsaw/formulation/relax/columns"
	"jigsaw/formulation/relax/exact"
	"slices"
)

// homePricer finds the cheapest plan of a job whose GPUs are decided.
type homePricer struct {
	*cases.AssignedPlans
	dealers []*dealer // by multiset
}

func newHomePricer(plans *cases.AssignedPlans) *homePricer {
	p := &homePricer{AssignedPlans: plans}
	for d := range plans.Multisets {
		p.dealers = append(p.dealers, newDealer(plans.Multisets[d].Counts))
	}
	return p
}

// shelf is the scratch memory of a home pricer: prices by start and latest end
// of the tasks of an iteration, both in ticks from the release.
type shelf struct {
	deal [][][]int64 // by multiset, start, end; nothing where the end is more than band after the start
	cost [][]int64   // by worker and depth, end
	sync [][]int64   // price by multiset and level, end of the synchronisation
	band int         // the most ticks that an iteration may take
}

// Solve returns the cheapest plan, and false if there is none.
func (p *homePricer) Solve(t *columns.Tariff, _ *columns.Scratch, _ int64) (columns.Plan, bool) {
	release := int64(p.Job.Release)
	points := int(p.Due - release)
	if points < 1 {
		return columns.Plan{}, false
	}
	rounds := p.Job.Iterations
	f := columns.Square[int64](nil, rounds+1, points+1)
	from := columns.Square[[3]int32](nil, rounds+1, points+1) // start, multiset, level
	for i := range f {
		for m := range f[i] {
			f[i][m] = exact.NoPrice
		}
	}
	f[0][0] = 0
	s := shelf{band: points - (rounds-1)*int(p.Iteration)}
	if s.band < 1 {
		return columns.Plan{}, false
	}
	p.sound(t, &s, points)
	for i := range rounds {
		if i == 0 || p.Limits.Tasks != nil {
			p.fill(t, &s, points, i)
		}
		last := points - (rounds-1-i)*int(p.Iteration)
		for n := range last {
			if f[i][n] < exact.NoPrice {
				p.extend(&s, i, n, f[i][n], f[i+1][:last+1], from[i+1])
			}
		}
	}
	best, at := int64(exact.NoPrice), 0
	for m, price := range f[rounds] {
		if price >= exact.NoPrice {
			continue
		}
		if sum := price + p.Weight*(release+int64(m)); sum < best {
			best, at = sum, m
		}
	}
	if best >= exact.NoPrice {
		return columns.Plan{}, false
	}
	out := columns.Plan{
		Price: best, Completion: release + int64(at), Assignment: p.Limits.Assignment,
		Ends: make([]int64, rounds), Tasks: make([][]columns.TaskStart, rounds), Syncs: make([]columns.SyncStart, rounds),
	}
	for i := rounds; i > 0; i-- {
		out.Ends[i-1] = release + int64(at)
		choice := from[i][at]
		p.trace(t, &out, i-1, int64(choice[0]), int64(at), int(choice[1]), int(choice[2]))
		at = int(choice[0])
	}
	return out, true
}

// extend tries all possibilities of iteration i from a start on.
func (p *homePricer) extend(s *shelf, i, n int, price int64, next []int64, from [][3]int32) {
	release := int64(p.Job.Release)
	for d := range p.Multisets {
		deal := s.deal[d][n]
		for level := range p.Levels() {
			length := int(p.Length(d, level))
			sync := s.sync[d*p.Levels()+level]
			for m := n + length + 1; m < len(next); m++ {
				sum := price + deal[m-length] + sync[m]
				if sum >= next[m] {
					continue
				}
				if end := release + int64(m); p.Limits.Ends[i].Holds(end) && p.MayStart(i, end-int64(length)) {
					next[m], from[m] = sum, [3]int32{int32(n), int32(d), int32(level)}
				}
			}
		}
	}
}

// sound computes shelf.sync.
func (p *homePricer) sound(t *columns.Tariff, s *shelf, points int) {
	s.sync = columns.Square(s.sync, len(p.Multisets)*p.Levels(), points+1)
	for at := range s.sync {
		level := at % p.Levels()
		length := p.Length(at/p.Levels(), level)
		for m := int(length); m <= points; m++ {
			end := int64(p.Job.Release) + int64(m)
			s.sync[at][m] = p.linkPrice(t, level, end-length, end)
		}
	}
}

func (p *homePricer) linkPrice(t *columns.Tariff, level int, start, end int64) int64 {
	sum := int64(0)
	if p.Job.HasSync() {
		for _, c := range p.Loads {
			sum += c.Amounts[level] * (t.Through(c.Group, end) - t.Through(c.Group, start))
		}
	}
	return sum
}

// taskPrice is the cost of a task of worker w at a start.
func (p *homePricer) taskPrice(t *columns.Tariff, w, depth int, start int64) int64 {
	sum := int64(0)
	for _, g := range p.GPUs[w] {
		sum += t.Through(g, start+p.Time[w][depth]) - t.Through(g, start)
	}
	return sum
}

// twin reports whether a worker is in the same position as the one before.
func (p *homePricer) twin(w int) bool {
	return w > 0 && p.Limits.Tasks == nil && p.Depths[w] == p.Depths[w-1] &&
		slices.Equal(p.GPUs[w], p.GPUs[w-1]) && slices.Equal(p.Time[w], p.Time[w-1])
}

// fill computes shelf.deal for iteration i: the price of the tasks of a multiset
// when they start at or after n and end by x.
func (p *homePricer) fill(t *columns.Tariff, s *shelf, points, i int) {
	release := int64(p.Job.Release)
	workers, depths := p.Job.Workers, len(p.Job.Depths)
	if s.deal == nil {
		s.deal = make([][][]int64, len(p.Multisets))
	}
	for d := range s.deal {
		s.deal[d] = columns.Square(s.deal[d], points+1, points+1)
	}
	// cost[w*depths+d][x] is the cheapest start from n on that ends by x.
	s.cost = columns.Square(s.cost, workers*depths, points+1)
	cost, now, dealt := slices.Clone(s.cost), make([]int64, workers*depths), make([]int64, workers*depths)
	// fresh[x]: a start at n makes some task that ends by x cheaper. Otherwise
	// everything is as from n+1 on, so few deals differ.
	fresh := make([]bool, points+1)
	for _, row := range cost {
		for x := range row {
			row[x] = exact.NoPrice
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
				if p.Job.Gang {
					for x := n; x <= min(points, n+s.band+1); x++ { // all start at n
						row[x] = exact.NoPrice
					}
				}
				if !p.MayRun(i, w, d, start) {
					continue
				}
				price := p.taskPrice(t, w, d, start)
				for x := n + int(p.Time[w][d]); x <= min(points, n+s.band) && price < row[x]; x++ {
					row[x], fresh[x] = price, true
				}
			}
		}
		for d := range p.Multisets {
			row, least := s.deal[d][n], int64(exact.NoPrice)
			for at := range dealt {
				dealt[at] = exact.NoPrice
			}
			row[n] = exact.NoPrice
			for x := n + 1; x <= min(points, n+s.band); x++ {
				row[x] = s.deal[d][n+1][x]
				if fresh[x] {
					for at := range now {
						now[at] = cost[at][x]
					}
					if !slices.Equal(now, dealt) {
						least = p.dealers[d].deal(now)
						now, dealt = dealt, now
					}
					row[x] = min(row[x], least)
				}
			}
		}
	}
}

// trace writes iteration i into a plan: from start n, its synchronisation
// ending at m, both in ticks from the release.
func (p *homePricer) trace(t *columns.Tariff, out *columns.Plan, i int, n, m int64, multiset, level int) {
	release := int64(p.Job.Release)
	workers, depths := p.Job.Workers, len(p.Job.Depths)
	length := p.Length(multiset, level)
	latest := release + m - length
	cost := make([]int64, workers*depths)
	starts := make([]int64, workers*depths)
	look := func(first, last int64) {
		for at := range cost {
			cost[at] = exact.NoPrice
			w, d := at/depths, at%depths
			for s := first; s <= min(last, latest-p.Time[w][d]); s++ {
				if price := p.taskPrice(t, w, d, s); p.MayRun(i, w, d, s) && price < cost[at] {
					cost[at], starts[at] = price, s
				}
			}
		}
	}
	chosen := make([]int, workers)
	deal := func() int64 { return p.dealers[multiset].deal(cost) }
	if p.Job.Gang {
		best, at := int64(exact.NoPrice), release+n
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
	p.dealers[multiset].depths(chosen, depths)
	for w, d := range chosen {
		start := starts[w*depths+d]
		out.Tasks[i] = append(out.Tasks[i], columns.TaskStart{Start: start, Depth: d})
		var charges []program.Use
		for _, g := range []int{p.Own[w], p.GPUs[w][1]} {
			charges = append(charges, program.Use{Group: g, Amount: 1, Length: p.Time[w][d]})
		}
		out.Visits = append(out.Visits, columns.Visit{Charges: charges, Start: start, Repeat: 1})
	}
	out.Syncs[i] = columns.SyncStart{Start: latest, Level: level}
	if p.Job.HasSync() && length > 0 {
		var charges []program.Use
		for _, c := range p.Loads {
			charges = append(charges, program.Use{Group: c.Group, Amount: c.Amounts[level], Length: length})
		}
		out.Visits = append(out.Visits, columns.Visit{Charges: charges, Start: latest, Repeat: 1})
	}
}

// Charges lists everything that a task or a synchronisation may take.
func (p *homePricer) Charges(add func(program.Use)) {
	for w := range p.GPUs {
		for _, g := range p.GPUs[w] {
			add(program.Use{Group: g, Amount: 1, Length: p.Time[w][p.Job.Full()]})
		}
	}
	for _, c := range p.Loads {
		for level, amount := range c.Amounts {
			for d := range p.Multisets {
				add(program.Use{Group: c.Group, Amount: amount, Length: p.Multisets[d].Sync[level]})
			}
		}
	}
}

// fitsHome reports whether the memory that the node's decided jobs leave is enough
// for a plan. A job without a home has no such pricer, and no such limit.
func fitsHome(p *cases.AssignedPlans, o *columns.Plan) bool {
	if p == nil {
		return true
	}
	for i := range o.Tasks {
		for w, task := range o.Tasks[i] {
			if p.Depths[w]>>task.Depth&1 == 0 {
				return false
			}
		}
	}
	return true
}
