package burst

import "jigsaw/formulation/instance"

// Stage is a run of layers on the same GPUs. Forward stages go from the first to the last;
// then backward stages go back, each on the same GPUs.
type Stage struct {
	// GPUs: the stage uses that many of the job's GPUs, from the first.
	GPUs int `json:"gpus"`
	// First and Last of its layers, from 0.
	First int `json:"first"`
	Last  int `json:"last"`
	// Move is the time of moving its input, before the forward stage, and its gradient, after
	// the backward stage.
	Move instance.Duration `json:"move"`
	// Forward and Backward are the times of its layers; Sync that of their all-reduces,
	// each after its layer's backward pass.
	Forward  instance.Duration `json:"forward"`
	Backward instance.Duration `json:"backward"`
	Sync     instance.Duration `json:"sync"`
}

// Stages returns the stages of a plan of the chain.
func (c *Chain) Stages(p Plan) []Stage {
	var stages []Stage
	for l, g := range p.Widths {
		j := c.index(g)
		layer := &c.Layers[l]
		if l == 0 || g != p.Widths[l-1] {
			s := Stage{GPUs: g, First: l}
			if l > 0 {
				s.Move = layer.Move[c.index(p.Widths[l-1])][j]
			}
			stages = append(stages, s)
		}
		s := &stages[len(stages)-1]
		s.Last = l
		s.Forward += layer.Forward[j]
		s.Backward += layer.Backward[j]
		s.Sync += layer.Sync[j]
	}
	return stages
}
