package burst

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"jigsaw/formulation/instance"
)

// Chain holds the cost of each layer of a job on each number of GPUs.
type Chain struct {
	// GPUs are the numbers of GPUs that a layer may have, ascending, the first 1.
	GPUs []int `json:"gpus"`
	// Layers in order of the forward pass.
	Layers []Layer `json:"layers"`
}

// Layer is one layer of a chain. Its figures are by index into [Chain.GPUs].
type Layer struct {
	Name string `json:"name"`
	// Joined: the layer has the GPUs of the layer before it.
	Joined                  bool                `json:"joined,omitempty"`
	Forward, Backward, Sync []instance.Duration // by number of GPUs
	// Move is the time of moving the layer's input, one way, from the GPUs of the
	// layer before it (first index) to its own. The first layer has none.
	Move [][]instance.Duration
}

// Largest number of GPUs of a job, and largest sum of GPU-time, in ns.
const (
	MaxGPUs    = 1 << 16
	maxGPUTime = 1 << 62
)

// NewChain makes the chain of a job with a global batch on at most gpus GPUs, a power of
// two, from the profiles of its model on one type of GPU. Batches that no profile has
// are interpolated between their neighbours, or scaled from the nearest: guessed lists
// them, ascending. It returns an error for profiles that do not match, and for figures
// too large to add up.
func NewChain(profiles []*instance.Profile, batch, gpus int, net Network) (c *Chain, guessed []int, err error) {
	switch {
	case len(profiles) == 0:
		return nil, nil, errors.New("burst: no profile of the model on that GPU")
	case gpus < 1 || gpus > MaxGPUs || gpus&(gpus-1) != 0:
		return nil, nil, fmt.Errorf("burst: %d GPUs: choose a power of two up to %d", gpus, MaxGPUs)
	case batch < 1 || batch > instance.MaxBatch:
		return nil, nil, fmt.Errorf("burst: the global batch is %d; choose 1 to %d", batch, instance.MaxBatch)
	case net.Rate < 1 || net.Latency < 0:
		return nil, nil, errors.New("burst: the network needs a rate above 0, and a latency of at least 0")
	}
	if slices.ContainsFunc(profiles, func(p *instance.Profile) bool { return p.GPUs > 1 }) {
		return nil, nil, errors.New("burst: a profile of several GPUs together (gpus) is of no use here; give profiles of one GPU")
	}
	table, err := newScaling(profiles)
	if err != nil {
		return nil, nil, err
	}
	c = &Chain{}
	for g := 1; g <= gpus && batch%g == 0; g *= 2 {
		c.GPUs = append(c.GPUs, g)
		if !table.measured(batch / g) {
			guessed = append(guessed, batch/g)
		}
	}
	slices.Sort(guessed)
	ref := table.nearest(batch)
	for l := range ref.Layers {
		layer := Layer{Name: ref.Layers[l].Name, Joined: l > 0 && ref.Layers[l].Joined}
		for _, g := range c.GPUs {
			forward, backward := table.times(l, batch/g)
			layer.Forward, layer.Backward = append(layer.Forward, forward), append(layer.Backward, backward)
			layer.Sync = append(layer.Sync, net.sync(ref.Layers[l].Parameters, g))
		}
		if l > 0 {
			for _, f := range c.GPUs {
				var row []instance.Duration
				for _, g := range c.GPUs {
					row = append(row, net.move(ref.Output(l-1), int64(ref.Batch), batch, f, g))
				}
				layer.Move = append(layer.Move, row)
			}
		}
		c.Layers = append(c.Layers, layer)
	}
	return c, guessed, c.check()
}

// check returns an error for chains whose sums may overflow.
func (c *Chain) check() error {
	sum := uint64(0)
	for l := range c.Layers {
		worst := uint64(0)
		for j, g := range c.GPUs {
			for i := range c.GPUs {
				high, low := bits.Mul64(uint64(c.time(l, i, j)), uint64(g))
				if high > 0 || low > maxGPUTime {
					return errTooLong
				}
				worst = max(worst, low)
			}
		}
		if sum += worst; sum > maxGPUTime {
			return errTooLong
		}
	}
	return nil
}

var errTooLong = errors.New("burst: the times of the layers are too long to be added up; use a smaller batch, fewer GPUs or a faster network")

// time is (1): layer l on GPUs[j], entered from GPUs[i]; the first layer is entered from none.
func (c *Chain) time(l, i, j int) instance.Duration {
	layer := &c.Layers[l]
	t := layer.Forward[j] + layer.Backward[j] + layer.Sync[j]
	if l > 0 {
		t += 2 * layer.Move[i][j]
	}
	return t
}

// alone is the time of layer l on one GPU.
func (c *Chain) alone(l int) instance.Duration {
	layer := &c.Layers[l]
	return layer.Forward[0] + layer.Backward[0]
}
