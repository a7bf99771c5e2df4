package periods

import (
	"context"
	"math/big"
	"time"

	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/periods"
	"jigsaw/solver"
)

// lookAtGPUs solves the program of GPUs for a node, keeps what its prices prove if that is
// better, and splits the node at a rate if it can. The first time that a node asks for it, the
// result is one part, so that the most promising nodes come first; likewise if others have
// become more promising meanwhile.
func (t *search) lookAtGPUs(ctx context.Context, r *relaxation, n *periodNode, s *solver.Solution) error {
	if n.gpus == nil {
		if n.narrow == nil && r.busy(s.RowDual) && r.GPUs() != nil {
			n.again(&gpuStart{})
		}
		return nil
	}
	start := n.gpus
	if start.classes == nil {
		start = &t.start
	}
	n.gpus = nil // unless it helps
	g := r.GPUs()
	if g == nil || n.value == nil || t.gpuPrices+g.Prices > mostTreePrices || t.most > 0 && t.gpuWork > t.most*gpuWork {
		return nil
	}
	value, _ := n.value.Float64()
	value *= float64(n.period)
	least := max(t.interest(n.period), min(t.reached*float64(n.period), value*(1-leastStep)))
	found, err := solveGPUs(ctx, g, t.engine, start, least, value)
	if err != nil || found == nil {
		return ctx.Err()
	}
	t.gpuWork += found.rounds * g.Prices
	begun := time.Now()
	found.proof.Rights = r.Rights
	v, err := r.Proven(found.proof, r.lower, r.upper)
	t.proving += time.Since(begun)
	if err != nil || n.narrow == nil && v.Cmp(n.value) >= 0 {
		return nil
	}
	n.gpus, t.start = &found.gpuStart, found.gpuStart
	if v.Cmp(n.value) < 0 {
		n.proof, n.value, n.inherited = found.proof, v, false
		t.gpuPrices += g.Prices
		if known := t.until(); known != nil && v.Cmp(known) <= 0 {
			return nil
		}
		if !found.solved {
			n.again(n.gpus)
			return nil
		}
		t.reached, _ = v.Float64()
	}
	// The column that gives the program a solution may leave out a job that must run: such a mix
	// lies outside the rate's limits.
	if col, at := r.mixed(g, found.shares); col >= 0 && r.lower[col] <= at && at < r.upper[col] {
		n.divide(r, col, at)
	}
	return nil
}

// gpuWork is the number of rounds of column generation, times rows, for each node that the
// search may have.
const gpuWork = 500

// leastStep is the fraction by which solving the program of GPUs has to lower a bound before
// others come first.
const leastStep = 0.005

// again leaves one part, the node itself, to be examined later.
func (n *periodNode) again(start *gpuStart) {
	part := n.part(n.narrow)
	part.gpus = start
	n.parts = []*periodNode{part}
	n.proof, n.basis = nil, nil
}

// mostTreePrices bounds the number of prices of GPU programs in a certificate.
const mostTreePrices = 1 << 20

// busy reports whether the time of GPUs has a price.
func (r *relaxation) busy(y []float64) bool {
	for i := range r.Linear.Rows {
		if r.Linear.Rows[i].About.Resource == "gpu" && y[i] < -1e-9 {
			return true
		}
	}
	return false
}

// interest is the value, in weight times iterations of a period, up to which values are of no
// interest any more, nor are any below the next whole number.
func (t *search) interest(period int64) float64 {
	known := t.until()
	if known == nil {
		return 0
	}
	whole := exact.Floor(new(big.Rat).Mul(known, new(big.Rat).SetInt64(period)))
	v, _ := new(big.Float).SetInt(whole).Float64()
	return v + 1 - gpuTolerance/10
}

// mixed returns the column of the rate that is mixed most, and a value that splits the mix; -1
// if no rate is mixed.
func (r *relaxation) mixed(g *periods.GPUProgram, shares [][]float64) (col int, at int64) {
	col = -1
	if r.Rates == nil {
		return col, 0
	}
	most := 1e-6
	for i := range shares {
		if r.Rates.Cols[i] < 0 {
			continue
		}
		mean, square, least, last := 0.0, 0.0, int64(-1), int64(0)
		for x, part := range shares[i] {
			if part > 1e-6 {
				if least < 0 {
					least = int64(x)
				}
				last = int64(x)
				mean, square = mean+part*float64(x), square+part*float64(x*x)
			}
		}
		if spread := float64(g.Classes[i].Weight) * (square - mean*mean); spread > most && least < last {
			most, col, at = spread, r.Rates.Cols[i], max(least, min(int64(mean), last-1))
		}
	}
	return col, at
}
