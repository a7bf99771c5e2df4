package formulation

import (
	"context"
	"encoding/binary"
	"math"
	"math/big"
	"slices"

	"jigsaw/solver"
	"jigsaw/solver/colgen"
)

// gpuContent are workers that share a GPU: their classes, ascending, and their tasks by depth.
type gpuContent []gpuTasks

type gpuTasks struct {
	class  int
	counts []int64
}

// count is the number of tasks.
func (t *gpuTasks) count() (n int64) {
	for _, c := range t.counts {
		n += c
	}
	return n
}

// gpuMaster is the linear program of a [gpuProgram]. Its rows are those of the prices, in
// their order, and (32) for each class.
type gpuMaster struct {
	*gpuProgram
	shares []gpuShare
	scale  float64 // of integer prices
}

// gpuShare is an explicit column share[c,m,x].
type gpuShare struct {
	class int
	x     int64
}

// gpuScale is what integer prices are per iteration of weight 1, where weights permit.
const gpuScale = 1 << 40

func (s *gpuProgram) master() *gpuMaster {
	m := &gpuMaster{gpuProgram: s, scale: gpuScale}
	gain := 1.0 // about the largest sum that is added up
	for i := range s.classes {
		gain += float64(s.classes[i].jobs) * float64(s.classes[i].weight) * float64(s.f.period) * float64(s.classes[i].workers)
	}
	for m.scale > 1 && m.scale*gain > mostWorth {
		m.scale /= 2
	}
	return m
}

// problem returns the rows and the columns of shares, negated: programs are minimised. In
// (34), weights are divided by the largest.
func (m *gpuMaster) problem() *solver.Problem {
	q := &solver.Problem{Name: "gpus"}
	for g := range m.f.groups {
		q.AddRow("", math.Inf(-1), float64(m.f.groups[g].links*m.f.period))
	}
	for p := range m.pools {
		q.AddRow("", float64(m.pools[p].gpus), float64(m.pools[p].gpus))
	}
	for range m.prices - q.Rows() {
		q.AddRow("", 0, math.Inf(1))
	}
	for i := range m.classes {
		c := &m.classes[i]
		least := 0.0
		if c.limit.from > 0 {
			least = float64(c.jobs)
		}
		all := q.AddRow("", least, float64(c.jobs))
		q.AddCol("", float64(m.f.period*c.weight), 0, float64(c.jobs), solver.Entry{Row: all, Value: 1}) // so that there is a solution
		m.shares = append(m.shares, gpuShare{})
		for mode := range c.modes {
			for x := max(1, c.limit.from); x <= min(c.limit.to, c.modes[mode].most); x++ {
				at := c.home(x)
				entries := []solver.Entry{{Row: all, Value: 1}, {Row: solver.Row(at), Value: -float64(c.workers)}}
				for r := range c.rules {
					entries = append(entries, solver.Entry{Row: solver.Row(at + 1 + r), Value: -float64(c.rules[r].need*x) / c.rules[r].unit()})
				}
				for g, use := range c.modes[mode].use {
					if use > 0 {
						entries = append(entries, solver.Entry{Row: solver.Row(g), Value: float64(use*x) / linkUnit})
					}
				}
				q.AddCol("", -float64(c.weight*x), 0, float64(c.jobs), entries...)
				m.shares = append(m.shares, gpuShare{i, x})
			}
		}
	}
	return q
}

// unit is the largest weight.
func (r *gpuRule) unit() float64 { return float64(max(1, slices.Max(r.weight))) }

// column returns that of a content of a pool.
func (m *gpuMaster) column(pool int, content gpuContent) colgen.Column[gpuContent] {
	values := map[int]float64{len(m.f.groups) + pool: 1}
	key := binary.AppendUvarint(nil, uint64(pool))
	for i := range content {
		t := &content[i]
		c := &m.classes[t.class]
		at := c.home(t.count())
		values[at]++
		key = binary.AppendUvarint(key, uint64(t.class))
		for depth, n := range t.counts {
			key = binary.AppendUvarint(key, uint64(n))
			for r := range c.rules {
				if w := c.rules[r].weight[depth] * n; w > 0 {
					values[at+1+r] += float64(w) / c.rules[r].unit()
				}
			}
		}
	}
	column := colgen.Column[gpuContent]{Key: string(key), Data: content}
	for row, v := range values {
		column.Entries = append(column.Entries, solver.Entry{Row: solver.Row(row), Value: v})
	}
	slices.SortFunc(column.Entries, func(a, b solver.Entry) int { return int(a.Row - b.Row) })
	return column
}

// integers turns the prices of the engine's rows into those of the program, all but the
// prices of pools.
func (m *gpuMaster) integers(y []float64) []int64 {
	prices := make([]int64, m.prices)
	for g := range m.f.groups {
		prices[g] = int64(max(0, -y[g]) * m.scale / linkUnit)
	}
	for i := range m.classes {
		c := &m.classes[i]
		for x := int64(1); x <= c.most; x++ {
			at := c.home(x)
			prices[at] = int64(max(0, y[at]) * m.scale)
			for r := range c.rules {
				prices[at+1+r] = int64(max(0, y[at+1+r]) * m.scale / c.rules[r].unit())
			}
		}
	}
	return prices
}

// gpuPricer prices the contents of the GPUs of a pool.
type gpuPricer struct {
	*gpuMaster
	pool int
}

// Multiplicity implements [colgen.Pricer]: each GPU has one content.
func (p *gpuPricer) Multiplicity() (least, most float64) {
	n := float64(p.pools[p.pool].gpus)
	return n, n
}

// Price implements [colgen.Pricer].
func (p *gpuPricer) Price(y []float64, _ bool) colgen.Priced[gpuContent] {
	f := p.fill(p.pool, p.integers(y))
	price := -y[len(p.f.groups)+p.pool]
	priced := colgen.Priced[gpuContent]{Bound: price - float64(f.worth())/p.scale}
	for _, content := range f.contents(int64(price * p.scale)) {
		priced.Columns = append(priced.Columns, p.column(p.pool, content))
	}
	return priced
}

// gpuFill is the knapsack recursion over the workers that a GPU may hold.
type gpuFill struct {
	m      *gpuMaster
	pool   int
	prices []int64
	slots  []gpuSlot
	// before[i][t] is what the slots before i are worth in t ticks, after[i][t] those from i on.
	before, after [][]int64
}

// gpuSlot is a worker of a class, one for each job of the class.
type gpuSlot struct {
	class  int
	worth  []int64 // by ticks; below 0 where it cannot take so many
	choice []int64 // iterations
}

func (m *gpuMaster) fill(pool int, prices []int64) *gpuFill {
	f := &gpuFill{m: m, pool: pool, prices: prices}
	for i := range m.classes {
		if m.pools[pool].holds[i] == nil {
			continue
		}
		slot := f.slot(i)
		if slices.Max(slot.worth) <= 0 {
			continue
		}
		for range m.classes[i].jobs {
			f.slots = append(f.slots, slot)
		}
	}
	ticks := int(m.f.period) + 1
	f.before = append(f.before, make([]int64, ticks))
	for i := range f.slots {
		f.before = append(f.before, f.slots[i].join(f.before[i]))
	}
	f.after = make([][]int64, len(f.slots)+1)
	f.after[len(f.slots)] = make([]int64, ticks)
	for i := len(f.slots) - 1; i >= 0; i-- {
		f.after[i] = f.slots[i].join(f.after[i+1])
	}
	return f
}

// join adds a slot to what others are worth by ticks.
func (s *gpuSlot) join(others []int64) []int64 {
	worth := slices.Clone(others)
	for t, w := range s.worth {
		if w > 0 {
			for room := t; room < len(worth); room++ {
				worth[room] = max(worth[room], w+others[room-t])
			}
		}
	}
	return worth
}

// slot finds the most valuable tasks of a worker for all numbers of ticks.
func (f *gpuFill) slot(class int) gpuSlot {
	c := &f.m.classes[class]
	s := gpuSlot{class: class, worth: make([]int64, f.m.f.period+1), choice: make([]int64, f.m.f.period+1)}
	for x := max(1, c.limit.from); x <= c.limit.to; x++ {
		tables := f.tasks(class, x)
		for t, w := range tables[x] {
			if w += f.prices[c.home(x)]; w > s.worth[t] {
				s.worth[t], s.choice[t] = w, x
			}
		}
	}
	return s
}

// tasks returns what so many tasks of a worker of x iterations are worth, by ticks, for all
// numbers of tasks up to x.
func (f *gpuFill) tasks(class int, x int64) [][]int64 {
	worth, lengths := f.taskWorth(class, x), f.m.pools[f.pool].holds[class]
	ticks := int(f.m.f.period) + 1
	tables := [][]int64{make([]int64, ticks)}
	for t := range tables[0] {
		tables[0][t] = -never
	}
	tables[0][0] = 0
	for n := range x {
		last, next := tables[n], make([]int64, ticks)
		for t := range next {
			next[t] = -never
			for depth, length := range lengths {
				if length <= int64(t) && last[t-int(length)] >= 0 {
					next[t] = max(next[t], last[t-int(length)]+worth[depth])
				}
			}
		}
		tables = append(tables, next)
	}
	return tables
}

// taskWorth returns what a task of a worker of x iterations is worth, by depth.
func (f *gpuFill) taskWorth(class int, x int64) []int64 {
	c := &f.m.classes[class]
	worth := make([]int64, len(f.m.pools[f.pool].holds[class]))
	for depth := range worth {
		for r := range c.rules {
			worth[depth] += c.rules[r].weight[depth] * f.prices[c.home(x)+1+r]
		}
	}
	return worth
}

// worth is that of the best content.
func (f *gpuFill) worth() int64 { return slices.Max(f.before[len(f.slots)]) }

// contents returns the best content, and the best with each of the slots, as far as they are
// worth more than a GPU costs.
func (f *gpuFill) contents(price int64) (list []gpuContent) {
	period := int(f.m.f.period)
	if f.worth() > price {
		list = append(list, f.trace(len(f.slots), period))
	}
	for i := range f.slots {
		best, at, others := price, -1, -1
		for t, w := range f.slots[i].worth {
			if w <= 0 {
				continue
			}
			for before := 0; before+t <= period; before++ {
				if v := w + f.before[i][before] + f.after[i+1][period-t-before]; v > best {
					best, at, others = v, t, before
				}
			}
		}
		if at < 0 {
			continue
		}
		content := append(f.trace(i, others), f.worker(i, at))
		list = append(list, append(content, f.traceAfter(i+1, period-at-others)...))
	}
	return list
}

// trace returns a content of the first so many slots in a room.
func (f *gpuFill) trace(slots, room int) (content gpuContent) {
	for i := slots - 1; i >= 0; i-- {
		if t := f.took(i, f.before[i], f.before[i+1][room], room); t > 0 {
			content = append(content, f.worker(i, t))
			room -= t
		}
	}
	slices.Reverse(content)
	return content
}

// traceAfter does so for the slots from one on.
func (f *gpuFill) traceAfter(from, room int) (content gpuContent) {
	for i := from; i < len(f.slots); i++ {
		if t := f.took(i, f.after[i+1], f.after[i][room], room); t > 0 {
			content = append(content, f.worker(i, t))
			room -= t
		}
	}
	return content
}

// took returns how many ticks a slot takes of a room that is worth so much, beside others.
func (f *gpuFill) took(slot int, others []int64, worth int64, room int) int {
	if others[room] == worth {
		return 0
	}
	for t, w := range f.slots[slot].worth[:room+1] {
		if w > 0 && w+others[room-t] == worth {
			return t
		}
	}
	return 0
}

// worker returns the tasks of a slot in so many ticks.
func (f *gpuFill) worker(slot, ticks int) gpuTasks {
	s := &f.slots[slot]
	x := s.choice[ticks]
	worth, lengths := f.taskWorth(s.class, x), f.m.pools[f.pool].holds[s.class]
	tables := f.tasks(s.class, x)
	t := gpuTasks{s.class, make([]int64, len(lengths))}
	for n := x; n > 0; n-- {
		for depth, length := range lengths {
			if left := int64(ticks) - length; left >= 0 && tables[n-1][left] >= 0 && tables[n-1][left]+worth[depth] == tables[n][ticks] {
				t.counts[depth]++
				ticks = int(left)
				break
			}
		}
	}
	return t
}

// gpuResult is what the search of a node's program of GPUs found.
type gpuResult struct {
	proof *priceProof
	// solved says that the value is about that of the program, and shares how its jobs are
	// shared out, by class and iterations.
	solved bool
	shares [][]float64
	rounds int
	gpuStart
}

// gpuStart is what a similar program begins with: contents of its solution, and its prices of
// links and, by class, of workers and rules.
type gpuStart struct {
	contents []gpuContent
	links    []float64
	classes  [][]float64
}

// solve searches prices whose bound, in weight times iterations, is below least or else as
// low as can be, unless none is below enough.
func (s *gpuProgram) solve(ctx context.Context, engine solver.Solver, start *gpuStart, least, enough float64) (*gpuResult, error) {
	m := s.master()
	q := m.problem()
	live, err := colgen.NewMaster[gpuContent](engine, q)
	if err != nil {
		return nil, err
	}
	defer func() { _ = live.Close() }()
	var pricers []colgen.Pricer[gpuContent]
	for p := range s.pools {
		pricers = append(pricers, &gpuPricer{m, p})
		first := []colgen.Column[gpuContent]{m.column(p, nil)}
		for _, content := range start.contents {
			if s.holds(p, content) {
				first = append(first, m.column(p, content))
			}
		}
		if _, err := live.Add(first...); err != nil {
			return nil, err
		}
	}
	cutoff, value := -least, -enough
	r, err := live.Run(ctx, pricers, colgen.Options{
		Smoothing: smoothing, Cutoff: &cutoff, Enough: &value, Gap: gpuGap / max(1, enough), Prices: m.begin(q, start),
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if r.Prices == nil {
		return nil, err
	}
	found := &gpuResult{proof: m.proof(r.Prices), solved: r.Status == colgen.Optimal, rounds: r.Rounds}
	found.links = r.Prices[:len(s.f.groups)]
	for i := range s.classes {
		c := &s.classes[i]
		found.classes = append(found.classes, r.Prices[c.at:c.home(c.most+1)])
		found.shares = append(found.shares, make([]float64, c.most+1))
		found.shares[i][0] = float64(c.jobs)
	}
	if r.Solution == nil {
		found.contents = start.contents
		return found, nil
	}
	for j, weight := range r.Weights {
		if content := live.Columns()[j].Data; weight > 1e-9 && len(content) > 0 {
			found.contents = append(found.contents, content)
		}
	}
	for j, share := range m.shares {
		if share.x > 0 {
			found.shares[share.class][share.x] += r.Solution.Primal[j]
			found.shares[share.class][0] -= r.Solution.Primal[j]
		}
	}
	return found, nil
}

// begin returns the prices of the rows to begin with, nil if none are known: those of a
// similar program, where it has no more iterations of a class those of its most.
func (m *gpuMaster) begin(q *solver.Problem, start *gpuStart) []float64 {
	if len(start.links) != len(m.f.groups) || len(start.classes) != len(m.classes) {
		return nil
	}
	y := make([]float64, q.Rows())
	copy(y, start.links)
	for i := range m.classes {
		c, known := &m.classes[i], start.classes[i]
		size := 1 + len(c.rules)
		for x := int64(1); x <= c.most && len(known) >= size; x++ {
			from := min(int(x-1)*size, len(known)-size)
			copy(y[c.home(x):c.home(x+1)], known[from:from+size])
		}
	}
	prices := m.integers(y)
	for p := range m.pools {
		y[len(m.f.groups)+p] = -float64(m.fill(p, prices).worth()) / m.scale
	}
	for j, share := range m.shares {
		rows, values := q.Column(solver.Col(j))
		gain := -q.Cost[j]
		for n, row := range rows[1:] {
			gain += y[row] * values[1+n]
		}
		if share.x > 0 {
			y[rows[0]] = min(y[rows[0]], -gain)
		}
	}
	return y
}

// gpuGap is how close the bound has to come to the value of the program, in weight times
// iterations, which are whole numbers.
const gpuGap = 0.05

// holds reports whether a content fits a pool of the program.
func (s *gpuProgram) holds(pool int, content gpuContent) bool {
	ticks := int64(0)
	for i := range content {
		t := &content[i]
		if t.class >= len(s.classes) {
			return false
		}
		c, lengths := &s.classes[t.class], s.pools[pool].holds[t.class]
		if n := t.count(); lengths == nil || len(lengths) != len(t.counts) || n < c.limit.from || n > c.limit.to {
			return false
		}
		for depth, n := range t.counts {
			if n > 0 {
				ticks += n * min(lengths[depth], s.f.period+1)
			}
		}
	}
	return ticks <= s.f.period
}

// proof returns integer prices, of pools what a GPU can be worth.
func (m *gpuMaster) proof(y []float64) *priceProof {
	prices := m.integers(y)
	for p := range m.pools {
		prices[len(m.f.groups)+p] = m.fill(p, prices).worth()
	}
	return &priceProof{prices: prices, denominator: int64(m.scale), gpus: true, value: new(big.Int)}
}
