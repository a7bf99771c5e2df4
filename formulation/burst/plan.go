package burst

import (
	"fmt"
	"math/bits"

	"jigsaw/formulation/instance"
)

// Plan says how many GPUs each layer has.
type Plan struct {
	// Widths is the number of GPUs by layer.
	Widths []int `json:"widths"`
	// Time of an iteration, and the GPU-time it takes: (1) summed, plain and times GPUs.
	Time    instance.Duration `json:"time"`
	GPUTime instance.Duration `json:"gpu_time"`
	// Amplification is the largest of any layer.
	Amplification float64 `json:"amplification"`
}

// Unlimited permits every transition.
const Unlimited instance.Ratio = 0

// permits is (2) for layer l on GPUs[j] entered from GPUs[i], and the condition on joined layers.
func (c *Chain) permits(limit instance.Ratio, l, i, j int) bool {
	if c.Layers[l].Joined && i != j {
		return false
	}
	if limit == Unlimited {
		return true
	}
	high, low := bits.Mul64(uint64(c.time(l, i, j))*uint64(c.GPUs[j]), uint64(instance.One))
	h, w := bits.Mul64(uint64(c.alone(l)), uint64(limit))
	return high < h || high == h && low <= w
}

// cost is what a plan is compared by: the first of time and GPU-time that differs.
type cost struct{ time, gpu instance.Duration }

func (a cost) less(b cost) bool { return a.time < b.time || a.time == b.time && a.gpu < b.gpu }

func (c *Chain) enter(from cost, l, i, j int) cost {
	t := c.time(l, i, j)
	return cost{from.time + t, from.gpu + t*instance.Duration(c.GPUs[j])}
}

// Fastest is the plan of least time within a limit of amplification, at least 1 or
// [Unlimited], and of least GPU-time among those: (3). There is one, since one GPU
// amplifies nothing.
func (c *Chain) Fastest(limit instance.Ratio) Plan {
	n := len(c.GPUs)
	best := make([]cost, n)
	from := make([][]int, len(c.Layers)) // [layer][number of GPUs]: of the layer before
	reached := make([]bool, n)
	for l := range c.Layers {
		from[l] = make([]int, n)
		next, now := make([]cost, n), make([]bool, n)
		for j := range n {
			for i := range n {
				if l == 0 && i > 0 || l > 0 && !reached[i] || l > 0 && !c.permits(limit, l, i, j) || l == 0 && !c.permits(limit, l, j, j) {
					continue
				}
				if k := c.enter(best[i], l, i, j); !now[j] || k.less(next[j]) {
					next[j], now[j], from[l][j] = k, true, i
				}
			}
		}
		best, reached = next, now
	}
	last := -1
	for j := range n {
		if reached[j] && (last < 0 || best[j].less(best[last])) {
			last = j
		}
	}
	widths := make([]int, len(c.Layers))
	for l := len(c.Layers) - 1; l >= 0; l-- {
		widths[l] = c.GPUs[last]
		last = from[l][last]
	}
	return c.Evaluate(widths)
}

// DataParallel is the plan that has every layer on g of the chain's numbers of GPUs.
func (c *Chain) DataParallel(g int) Plan {
	widths := make([]int, len(c.Layers))
	for l := range widths {
		widths[l] = g
	}
	return c.Evaluate(widths)
}

// Evaluate adds up the costs of a plan with these numbers of GPUs by layer, each one of the
// chain's. It heeds no limit.
func (c *Chain) Evaluate(widths []int) Plan {
	p := Plan{Widths: widths}
	i := 0
	for l, g := range widths {
		j := c.index(g)
		t := c.time(l, i, j)
		p.Time += t
		p.GPUTime += t * instance.Duration(g)
		if alone := c.alone(l); alone > 0 {
			p.Amplification = max(p.Amplification, float64(t)*float64(g)/float64(alone))
		}
		i = j
	}
	return p
}

// index finds a number of GPUs among the chain's.
func (c *Chain) index(g int) int {
	j := bits.Len(uint(g)) - 1
	if j < 0 || j >= len(c.GPUs) || c.GPUs[j] != g {
		panic(fmt.Sprintf("burst: %d GPUs are not one of %v", g, c.GPUs))
	}
	return j
}
