package formulation

import "math"

// calendar is the time axis of a master program: ticks from start to
// horizon in buckets of equal length, each with its own prices.
type calendar struct {
	horizon int64 // ticks; a multiple of width
	width   int64 // ticks in a bucket
}

// newCalendar covers the ticks to the horizon with about the given number of
// buckets.
func newCalendar(horizon, buckets int64) calendar {
	width := max(1, (horizon+buckets-1)/buckets)
	return calendar{horizon: (horizon + width - 1) / width * width, width: width}
}

func (c calendar) buckets() int { return int(c.horizon / c.width) }

// spread calls put with every bucket that [from, to) meets, and the ticks that
// it has there. What lies past the horizon is left out.
func (c calendar) spread(from, to int64, put func(bucket int, ticks int64)) {
	to = min(to, c.horizon)
	for from < to {
		b := from / c.width
		end := min(to, (b+1)*c.width)
		put(int(b), end-from)
		from = end
	}
}

// tariff holds integer prices of a master's rows: what a unit costs from 0 to
// each tick, by group of rows.
type tariff struct {
	calendar calendar
	// sum[g][t] is the price of a unit of group g through [0, t); length
	// horizon + 1.
	sum [][]int64
}

// newTariff adds prices up: prices[g][b] is what a unit costs in each tick of
// bucket b.
func newTariff(c calendar, prices [][]int64) *tariff {
	t := &tariff{calendar: c, sum: make([][]int64, len(prices))}
	for g, list := range prices {
		sum := make([]int64, c.horizon+1)
		total, at := int64(0), 0
		for _, price := range list {
			for range c.width {
				total += price
				at++
				sum[at] = total
			}
		}
		t.sum[g] = sum
	}
	return t
}

// through is the price of a unit of the group in [0, tick).
func (t *tariff) through(g int, tick int64) int64 {
	return t.sum[g][min(tick, t.calendar.horizon)]
}

// grid is the time axis of the plans of a class: points so spaced that a job
// that never waits goes from point to point, and no chain is rounded.
type grid struct {
	release int64
	chain   int64 // ticks of a block of iterations that never waits
	parts   int64 // points in a chain
	block   int   // iterations in a block; the last block may have fewer
	blocks  int
	last    int // iterations in the last block
	points  int // the last index; point n is at tick(n)
}

// newGrid spaces about the given number of points from the release to past
// the horizon. As long as they suffice, every tick is a point and every
// iteration a block.
func newGrid(release, iteration int64, iterations int, horizon, points int64) grid {
	g := grid{release: release}
	span := max(1, horizon-release)
	block := min(int64(iterations), max(1, (span+points*iteration-1)/(points*iteration)))
	g.block = int(block)
	g.blocks = (iterations + g.block - 1) / g.block
	g.last = iterations - (g.blocks-1)*g.block
	g.chain = block * iteration
	g.parts = min(g.chain, max(1, points*g.chain/span))
	if span <= points {
		g.parts = g.chain
	}
	return g
}

// tick returns where point n is.
func (g *grid) tick(n int) int64 { return g.release + int64(n)*g.chain/g.parts }

// at returns the last point that is not after the tick.
func (g *grid) at(tick int64) int {
	n := int((tick - g.release) * g.parts / g.chain)
	for g.tick(n+1) <= tick {
		n++
	}
	return n
}

// iterations of block i.
func (g *grid) iterations(i int) int {
	if i == g.blocks-1 {
		return g.last
	}
	return g.block
}

// steps is the least number of points that block i takes.
func (g *grid) steps(i int) int { return int(int64(g.iterations(i)) * g.parts / int64(g.block)) }

// noPrice marks what cannot be; it stays larger than all prices when added up.
const noPrice = math.MaxInt64 / 8
