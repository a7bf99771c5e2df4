package periods

import (
	"context"
	"encoding/binary"
	"math"
	"math/big"
	"slices"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/periods"
	"jigsaw/solver"
	"jigsaw/solver/colgen"
)

// gpuMaster is the linear program of a [periods.GPUProgram]. Its rows are those of the prices, in
// their order, and (32) for each class.
type gpuMaster struct {
	*periods.GPUProgram
	shares  []gpuShare
	scale   float64 // of integer prices
	crowded []int   // by pool: how often there were too many contents
}

// gpuShare is an explicit column share[c,m,x].
type gpuShare struct {
	class int
	x     int64
}

// gpuScale is the integer price of one iteration of weight 1, if weights permit.
const gpuScale = 1 << 40

func newGPUMaster(s *periods.GPUProgram) *gpuMaster {
	m := &gpuMaster{GPUProgram: s, scale: gpuScale, crowded: make([]int, len(s.Pools))}
	gain := 1.0 // about the largest sum
	for i := range s.Classes {
		gain += float64(s.Classes[i].Jobs) * float64(s.Classes[i].Weight) * float64(s.F.Period) * float64(s.Classes[i].Workers)
	}
	for m.scale > 1 && m.scale*gain > exact.MostWorth {
		m.scale /= 2
	}
	return m
}

// problem returns the rows and the columns of shares, negated, since programs are
// minimised. In (34), weights are divided by the largest.
func (m *gpuMaster) problem() *solver.Problem {
	q := &solver.Problem{Name: "gpus"}
	for g := range m.F.Groups {
		q.AddRow("", math.Inf(-1), float64(m.F.Groups[g].Links*m.F.Period))
	}
	for p := range m.Pools {
		q.AddRow("", float64(m.Pools[p].GPUs), float64(m.Pools[p].GPUs))
	}
	for range m.Prices - q.Rows() {
		q.AddRow("", 0, math.Inf(1))
	}
	for i := range m.Classes {
		c := &m.Classes[i]
		least := 0.0
		if c.Limit.From > 0 {
			least = float64(c.Jobs)
		}
		all := q.AddRow("", least, float64(c.Jobs))
		q.AddCol("", float64(m.F.Period*c.Weight), 0, float64(c.Jobs), solver.Entry{Row: all, Value: 1}) // so that there is a solution
		m.shares = append(m.shares, gpuShare{})
		for mode := range c.Modes {
			for x := max(1, c.Limit.From); x <= min(c.Limit.To, c.Modes[mode].Most); x++ {
				at := c.WorkerPrice(x)
				entries := []solver.Entry{{Row: all, Value: 1}, {Row: solver.Row(at), Value: -float64(c.Workers)}}
				for r := range c.Rules {
					entries = append(entries, solver.Entry{Row: solver.Row(at + 1 + r), Value: -float64(c.Rules[r].Need*x) / unitOf(&c.Rules[r])})
				}
				for g, use := range c.Modes[mode].Use {
					if use > 0 {
						entries = append(entries, solver.Entry{Row: solver.Row(g), Value: float64(use*x) / relax.LinkUnit})
					}
				}
				q.AddCol("", -float64(c.Weight*x), 0, float64(c.Jobs), entries...)
				m.shares = append(m.shares, gpuShare{i, x})
			}
		}
	}
	return q
}

// unitOf is the largest weight.
func unitOf(r *periods.GPURule) float64 { return float64(max(1, slices.Max(r.Weight))) }

// iterations is the number of tasks of a worker, one per iteration.
func iterations(t *periods.WorkerTasks) (n int64) {
	for _, c := range t.Counts {
		n += c
	}
	return n
}

// column returns the column of a content of a pool.
func (m *gpuMaster) column(pool int, content periods.Configuration) colgen.Column[*periods.Configuration] {
	values := map[int]float64{len(m.F.Groups) + pool: 1}
	key := binary.AppendUvarint(nil, uint64(pool))
	for i := range content {
		t := &content[i]
		c := &m.Classes[t.Class]
		at := c.WorkerPrice(iterations(t))
		values[at]++
		key = binary.AppendUvarint(key, uint64(t.Class))
		for depth, n := range t.Counts {
			key = binary.AppendUvarint(key, uint64(n))
			for r := range c.Rules {
				if w := c.Rules[r].Weight[depth] * n; w > 0 {
					values[at+1+r] += float64(w) / unitOf(&c.Rules[r])
				}
			}
		}
	}
	return colgen.Column[*periods.Configuration]{Key: string(key), Data: &content, Entries: bound.Entries(values)}
}

// integers converts the prices of the engine's rows into those of the program, except the
// prices of pools.
func (m *gpuMaster) integers(y []float64) []int64 {
	prices := make([]int64, m.Prices)
	for g := range m.F.Groups {
		prices[g] = int64(max(0, -y[g]) * m.scale / relax.LinkUnit)
	}
	for i := range m.Classes {
		c := &m.Classes[i]
		for x := int64(1); x <= c.Most; x++ {
			at := c.WorkerPrice(x)
			prices[at] = int64(max(0, y[at]) * m.scale)
			for r := range c.Rules {
				prices[at+1+r] = int64(max(0, y[at+1+r]) * m.scale / unitOf(&c.Rules[r]))
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
	n := float64(p.Pools[p.pool].GPUs)
	return n, n
}

// Price implements [colgen.Pricer].
func (p *gpuPricer) Price(y []float64, _ bool) colgen.Priced[*periods.Configuration] {
	f := p.fill(p.pool, p.integers(y))
	price := -y[len(p.F.Groups)+p.pool]
	tag := int64(max(0, price) * p.scale)
	priced := colgen.Priced[*periods.Configuration]{Bound: price - float64(f.worth(tag))/p.scale}
	for _, content := range append(f.list, nil) { // each better than the one before
		priced.Columns = append(priced.Columns, p.column(p.pool, content))
	}
	return priced
}

// gpuResult is the outcome of searching a node's program of GPUs.
type gpuResult struct {
	proof *periods.Leaf
	// solved says that value is close to that of the program, and that shares are the
	// distribution of its jobs by class and iterations.
	solved bool
	shares [][]float64
	rounds int
	gpuStart
}

// gpuStart is initial data from a similar program: contents of its solution, and its prices
// of links and, by class, of workers and rules.
type gpuStart struct {
	contents []periods.Configuration
	links    []float64
	classes  [][]float64
	crowded  []int // by pool: how often there were too many contents
}

// solveGPUs searches for prices whose bound, in weight times iterations, is below least or
// otherwise as low as possible. It gives up if no prices can give a bound below enough.
func solveGPUs(ctx context.Context, s *periods.GPUProgram, engine solver.Solver, start *gpuStart, least, enough float64) (*gpuResult, error) {
	m := newGPUMaster(s)
	copy(m.crowded, start.crowded)
	q := m.problem()
	live, err := colgen.NewMaster[*periods.Configuration](engine, q)
	if err != nil {
		return nil, err
	}
	defer func() { _ = live.Close() }()
	var pricers []colgen.Pricer[*periods.Configuration]
	for p := range s.Pools {
		pricers = append(pricers, &gpuPricer{m, p})
		first := []colgen.Column[*periods.Configuration]{m.column(p, nil)}
		for _, content := range start.contents {
			if holds(s, p, content) && (m.crowded[p] > mostCrowded || s.Interlock(p, content)) {
				first = append(first, m.column(p, content))
			}
		}
		if _, err := live.Add(first...); err != nil {
			return nil, err
		}
	}
	cutoff, value := -least, -enough
	r, err := live.Run(ctx, pricers, colgen.Options{
		Smoothing: bound.Smoothing, Cutoff: &cutoff, Enough: &value, Gap: gpuTolerance / max(1, enough), Prices: m.begin(q, start),
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if r.Prices == nil {
		return nil, err
	}
	found := &gpuResult{proof: m.proof(r.Prices), solved: r.Status == colgen.Optimal, rounds: r.Rounds}
	found.crowded = m.crowded
	found.links = r.Prices[:len(s.F.Groups)]
	for i := range s.Classes {
		c := &s.Classes[i]
		found.classes = append(found.classes, r.Prices[c.At:c.WorkerPrice(c.Most+1)])
		found.shares = append(found.shares, make([]float64, c.Most+1))
		found.shares[i][0] = float64(c.Jobs)
	}
	if r.Solution == nil {
		found.contents = start.contents
		return found, nil
	}
	for j, weight := range r.Weights {
		if content := *live.Columns()[j].Data; weight > 1e-9 && len(content) > 0 {
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

// begin returns the initial prices of the rows, nil if none are known: those of a similar
// program; if that has fewer iterations of a class, those of its largest number.
func (m *gpuMaster) begin(q *solver.Problem, start *gpuStart) []float64 {
	if len(start.links) != len(m.F.Groups) || len(start.classes) != len(m.Classes) {
		return nil
	}
	y := make([]float64, q.Rows())
	copy(y, start.links)
	for i := range m.Classes {
		c, known := &m.Classes[i], start.classes[i]
		size := 1 + len(c.Rules)
		for x := int64(1); x <= c.Most && len(known) >= size; x++ {
			from := min(int(x-1)*size, len(known)-size)
			copy(y[c.WorkerPrice(x):c.WorkerPrice(x+1)], known[from:from+size])
		}
	}
	prices := m.integers(y)
	for p := range m.Pools {
		y[len(m.F.Groups)+p] = -float64(m.fill(p, prices).worth(exact.Never)) / m.scale
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

// proof returns integer prices; the price of a pool is the largest value of a GPU's
// content.
func (m *gpuMaster) proof(y []float64) *periods.Leaf {
	prices := m.integers(y)
	for p := range m.Pools {
		crowded := m.crowded[p]
		m.crowded[p] = 0 // these prices may be old
		prices[len(m.F.Groups)+p] = m.fill(p, prices).worth(exact.Never)
		m.crowded[p] = crowded
	}
	return &periods.Leaf{Prices: prices, Denominator: int64(m.scale), GPUs: true, Value: new(big.Int)}
}

// holds reports whether a GPU of a pool has the time for a content.
func holds(s *periods.GPUProgram, pool int, content periods.Configuration) bool {
	ticks := int64(0)
	for a := range content {
		t := &content[a]
		if t.Class >= len(s.Classes) {
			return false
		}
		c, w := &s.Classes[t.Class], s.Pools[pool].Holds[t.Class]
		if n := iterations(t); w == nil || len(w.Lengths) != len(t.Counts) || n < c.Limit.From || n > c.Limit.To {
			return false
		}
		for depth, n := range t.Counts {
			if n > 0 {
				ticks += n * min(w.Lengths[depth], s.F.Period+1)
			}
		}
	}
	return ticks <= s.F.Period
}
