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
	// Time of an iteration, and its GPU-time: (1) summed, plain and times GPUs.
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

// Fastest is the plan of least time within a limit of amplification, at least 1 or
// [Unlimited], and of least GPU-time among those: (3). One always exists, since
// one GPU has amplification 1.
func (c *Chain) Fastest(limit instance.Ratio) Plan {
	plans, _ := c.Front(limit, 1) // the fastest way to a layer on a number of GPUs is enough
	return plans[0]
}

// DataParallel is the plan with every layer on g GPUs, one of the chain's numbers.
func (c *Chain) DataParallel(g int) Plan {
	widths := make([]int, len(c.Layers))
	for l := range widths {
		widths[l] = g
	}
	return c.Evaluate(widths)
}

// Evaluate sums the costs of a plan with these numbers of GPUs by layer, each one of the
// chain's. It ignores limits.
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
