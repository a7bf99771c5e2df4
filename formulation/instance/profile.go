package instance

import (
	"cmp"
	"fmt"
	"strings"
)

// Profile holds the layer costs of one model on one GPU type at one batch
// size. Depth d of a worker is the number of layers it back-propagates,
// counted from the loss: layers[L-d:], for d = 1..L.
type Profile struct {
	// Model is the name jobs refer to.
	Model string `yaml:"model" json:"model"`
	// GPU is the GPU type the times were measured on.
	GPU string `yaml:"gpu" json:"gpu"`
	// Batch is the number of samples per worker and iteration.
	Batch int `yaml:"batch" json:"batch"`
	// GPUs of a node that a worker has, where times are those of all of them together and bytes those
	// of all: jobs that have so many gpus_per_worker run it. 0 means 1.
	GPUs int `yaml:"gpus,omitempty" json:"gpus,omitempty" absent:"1"`
	// Precision of weights and gradients: "bf16" or "fp16" where the optimizer keeps a copy of the
	// weights, and its states, in 32 bit beside them. Empty means that all are alike.
	Precision string `yaml:"precision,omitempty" json:"precision,omitempty" absent:"optimizers keep what weights are kept in"`
	// Workspace is memory a task needs besides its activations: the most of any depth.
	Workspace Bytes `yaml:"workspace,omitempty" json:"workspace,omitempty"`
	// Source says where the figures come from; shipped profiles all have one.
	Source *Source `yaml:"source,omitempty" json:"source,omitempty"`
	// Estimated says what the profile was estimated from; empty if it was measured.
	Estimated string `yaml:"estimated,omitempty" json:"estimated,omitempty"`
	// Layers in order of the forward pass; L = len(Layers) >= 1.
	Layers []Layer `yaml:"layers" json:"layers"`
}

// Layer is one step of the forward pass and its share of the backward pass.
type Layer struct {
	Name     string   `yaml:"name" json:"name"`
	Forward  Duration `yaml:"forward" json:"forward"`
	Backward Duration `yaml:"backward" json:"backward"`
	// Parameters is the size of the layer's weights.
	Parameters Bytes `yaml:"parameters,omitempty" json:"parameters,omitempty"`
	// Activations is what the layer keeps from its forward pass for its
	// backward pass.
	Activations Bytes `yaml:"activations,omitempty" json:"activations,omitempty"`
	// Input is what comes into the layer: all that a block keeps that begins here, with
	// checkpointing. 0 means that it was not measured.
	Input Bytes `yaml:"input,omitempty" json:"input,omitempty"`
	// Output is the size of what the layer passes on, where [Profile.Output] could not
	// tell it from the activations.
	Output Bytes `yaml:"output,omitempty" json:"output,omitempty"`
	// Workspace of tasks that stop at this layer; 0 stands for the profile's, which it does not exceed.
	Workspace Bytes `yaml:"workspace,omitempty" json:"workspace,omitempty" absent:"the profile's"`
	// Joined marks a layer inside a block: back-propagation cannot stop just
	// before it, so no depth begins at this layer. Meaningless on the first layer.
	Joined bool `yaml:"joined,omitempty" json:"joined,omitempty"`
}

// Source is the provenance of a profile.
type Source struct {
	Repository string `yaml:"repository" json:"repository"`
	Commit     string `yaml:"commit" json:"commit"`
	File       string `yaml:"file" json:"file"`
	Licence    string `yaml:"licence" json:"licence"`
	// Note says what the import did to the figures, and which of them are
	// derived rather than measured.
	Note string `yaml:"note,omitempty" json:"note,omitempty"`
}

// Group returns how many GPUs a worker has.
func (p *Profile) Group() int { return max(1, p.GPUs) }

// Totals are sums over all layers of a profile.
type Totals struct {
	Forward, Backward       Duration
	Parameters, Activations Bytes
}

// Totals sums the layers.
func (p *Profile) Totals() Totals {
	var t Totals
	for _, l := range p.Layers {
		t.Forward += l.Forward
		t.Backward += l.Backward
		t.Parameters += l.Parameters
		t.Activations += l.Activations
	}
	return t
}

// Output is the size of what layer l passes to the next one: as stated, or what it keeps,
// or, of a layer that keeps nothing (a view, an operation in place), what it was given.
// It is 0 where no layer up to l keeps anything.
func (p *Profile) Output(l int) Bytes {
	for ; l >= 0; l-- {
		if size := p.Layers[l].Output; size > 0 {
			return size
		}
		if size := p.Layers[l].Activations; size > 0 {
			return size
		}
	}
	return 0
}

// CutAllowed reports whether a worker may have depth d: it may always be
// full, and otherwise the layer it stops at must begin a block.
func (p *Profile) CutAllowed(d int) bool {
	n := len(p.Layers)
	return d == n || d >= 1 && d < n && !p.Layers[n-d].Joined
}

// WorkspaceOf returns the workspace of tasks of depth d.
func (p *Profile) WorkspaceOf(d int) Bytes {
	return cmp.Or(p.Layers[len(p.Layers)-d].Workspace, p.Workspace)
}

// Limits of a profile. Every figure and every sum is at most 2^56.
const (
	MaxLayers = 100_000
	MaxBatch  = 1 << 24
)

// Validate reports all that is wrong with the profile, with paths relative to
// it: names, batch, figures that are negative or too large, singly or in sum,
// and a profile that takes no time.
func (p *Profile) Validate() Problems {
	var problems Problems
	name := func(path, name, what string) {
		if strings.TrimSpace(name) == "" || len(name) > 200 || !printable(name) {
			problems.Add(path, "%q: %s needs a printable name of 1 to 200 bytes", Clip(name), what)
		}
	}
	name("model", p.Model, "a model")
	name("gpu", p.GPU, "the GPU it was measured on")
	if p.Batch < 1 || p.Batch > MaxBatch {
		problems.Add("batch", "the batch size is %d; choose 1 to %d", p.Batch, MaxBatch)
	}
	if p.GPUs < 0 || p.GPUs > MaxNodeGPUs {
		problems.Add("gpus", "a worker of %d GPUs; choose 1 to %d", p.GPUs, MaxNodeGPUs)
	}
	if p.Precision != "" && p.Precision != "bf16" && p.Precision != "fp16" {
		problems.Add("precision", "unknown precision %q; write bf16 or fp16, or leave it out if the optimizer keeps the weights' precision", Clip(p.Precision))
	}
	if p.Workspace < 0 || p.Workspace > MaxQuantity {
		problems.Add("workspace", "%d bytes is not between 0 and 2^56", int64(p.Workspace))
	}
	if n := len(p.Layers); n == 0 || n > MaxLayers {
		problems.Add("layers", "a profile needs 1 to %d layers, not %d", MaxLayers, n)
		return problems
	}
	figures := [6]string{"forward", "backward", "parameters", "activations", "input", "output"}
	var sums [6]int64
	for i := range p.Layers {
		l := &p.Layers[i]
		path := fmt.Sprintf("layers[%d]", i)
		if l.Name != "" {
			name(path+".name", l.Name, "a layer")
		}
		if l.Workspace < 0 || l.Workspace > p.Workspace {
			problems.Add(path+".workspace", "%d is not between 0 and the profile's workspace, %d", int64(l.Workspace), int64(p.Workspace))
		}
		for k, v := range [6]int64{int64(l.Forward), int64(l.Backward), int64(l.Parameters), int64(l.Activations), int64(l.Input), int64(l.Output)} {
			if v < 0 || v > MaxQuantity {
				problems.Add(path+"."+figures[k], "%d is not between 0 and 2^56", v)
			} else if sums[k] <= MaxQuantity {
				sums[k] += v // stops well before it could overflow
			}
		}
	}
	for k, v := range sums {
		if v > MaxQuantity {
			problems.Add("layers", "the sum of %s is above 2^56", figures[k])
		}
	}
	if sums[0]+sums[1] == 0 {
		problems.Add("layers", "no layer takes any time")
	}
	return problems
}

// ProfileSource finds the profiles of a model, whatever their GPU type and
// batch size. An unknown model has none.
type ProfileSource interface {
	Profiles(model string) []*Profile
	// Models returns the names of all models, in order.
	Models() []string
}
