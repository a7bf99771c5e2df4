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
	shares  []gpuShare
	scale   float64         // of integer prices
	options [][][]gpuOption // by pool and class
	crowded []int           // by pool: how often there were too many contents
}

// gpuShare is an explicit column share[c,m,x].
type gpuShare struct {
	class int
	x     int64
}

// gpuScale is what integer prices are per iteration of weight 1, where weights permit.
const gpuScale = 1 << 40

func (s *gpuProgram) master() *gpuMaster {
	m := &gpuMaster{gpuProgram: s, scale: gpuScale, options: s.options(), crowded: make([]int, len(s.pools))}
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
	tag := int64(max(0, price) * p.scale)
	priced := colgen.Priced[gpuContent]{Bound: price - float64(f.worth(tag))/p.scale}
	list := []gpuContent{f.content(f.best)}
	for _, content := range append(list, f.contents(tag)...) {
		priced.Columns = append(priced.Columns, p.column(p.pool, content))
	}
	return priced
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
	crowded  []int // by pool: how often there were too many contents
}

// solve searches prices whose bound, in weight times iterations, is below least or else as
// low as can be, unless none is below enough.
func (s *gpuProgram) solve(ctx context.Context, engine solver.Solver, start *gpuStart, least, enough float64) (*gpuResult, error) {
	m := s.master()
	copy(m.crowded, start.crowded)
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
			if s.holds(p, content) && (m.crowded[p] > mostCrowded || s.interlock(p, content)) {
				first = append(first, m.column(p, content))
			}
		}
		if _, err := live.Add(first...); err != nil {
			return nil, err
		}
	}
	cutoff, value := -least, -enough
	r, err := live.Run(ctx, pricers, colgen.Options{
		Smoothing: smoothing, Cutoff: &cutoff, Enough: &value, Gap: gpuTolerance / max(1, enough), Prices: m.begin(q, start),
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if r.Prices == nil {
		return nil, err
	}
	found := &gpuResult{proof: m.proof(r.Prices), solved: r.Status == colgen.Optimal, rounds: r.Rounds}
	found.crowded = m.crowded
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
		y[len(m.f.groups)+p] = -float64(m.fill(p, prices).worth(never)) / m.scale
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

// gpuTolerance is how close the bound has to come to the value of the program, in weight times
// iterations, which are whole numbers.
const gpuTolerance = 0.05

// proof returns integer prices, of pools what a GPU can be worth.
func (m *gpuMaster) proof(y []float64) *priceProof {
	prices := m.integers(y)
	for p := range m.pools {
		crowded := m.crowded[p]
		m.crowded[p] = 0 // these prices may be from before
		prices[len(m.f.groups)+p] = m.fill(p, prices).worth(never)
		m.crowded[p] = crowded
	}
	return &priceProof{prices: prices, denominator: int64(m.scale), gpus: true, value: new(big.Int)}
}
