package columns

// Calendar is the time axis of a master program: ticks from the start to the
// horizon in buckets of equal length, each with its own prices.
type Calendar struct {
	Horizon int64 // ticks; a multiple of Width
	Width   int64 // ticks in a bucket
}

// NewCalendar covers the ticks to the horizon with about the given number of
// buckets.
func NewCalendar(horizon, buckets int64) Calendar {
	width := max(1, (horizon+buckets-1)/buckets)
	return Calendar{Horizon: (horizon + width - 1) / width * width, Width: width}
}

// Buckets is how many there are.
func (c Calendar) Buckets() int { return int(c.Horizon / c.Width) }

// Grid is the time axis of the plans of a class: points spaced so that a job
// that never waits goes from point to point, and no chain is rounded.
type Grid struct {
	Release int64
	Chain   int64 // ticks of a block of iterations that never waits
	Parts   int64 // points in a chain
	Block   int   // iterations in a block; the last block may have fewer
	Blocks  int
	Last    int // iterations in the last block
	Points  int // the last index; point n is at tick(n)
}

// newGrid spaces about the given number of points from the release to past the
// horizon. As long as they suffice, every tick is a point and every iteration a
// block.
func newGrid(release, iteration int64, iterations int, horizon, points int64) Grid {
	g := Grid{Release: release}
	span := max(1, horizon-release)
	block := min(int64(iterations), max(1, (span+points*iteration-1)/(points*iteration)))
	g.Block = int(block)
	g.Blocks = (iterations + g.Block - 1) / g.Block
	g.Last = iterations - (g.Blocks-1)*g.Block
	g.Chain = block * iteration
	g.Parts = min(g.Chain, max(1, points*g.Chain/span))
	if span <= points {
		g.Parts = g.Chain
	}
	return g
}

// Tick returns the tick of point n.
func (g *Grid) Tick(n int) int64 { return g.Release + int64(n)*g.Chain/g.Parts }

// At returns the last point that is not after the tick.
func (g *Grid) At(tick int64) int {
	n := int((tick - g.Release) * g.Parts / g.Chain)
	for g.Tick(n+1) <= tick {
		n++
	}
	return n
}

// Iterations of block i.
func (g *Grid) Iterations(i int) int {
	if i == g.Blocks-1 {
		return g.Last
	}
	return g.Block
}

// Steps is the least number of points that block i takes.
func (g *Grid) Steps(i int) int {
	if i < g.Blocks-1 {
		return int(g.Parts)
	}
	return int(int64(g.Last) * g.Parts / int64(g.Block))
}
