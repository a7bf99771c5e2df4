package estimate

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"jigsaw/formulation/instance"
)

// Options say what to estimate. Exactly one of Transformer and Net is given.
type Options struct {
	// Model is the profile's name, for jobs.
	Model string
	// Transformer, of [ReadConfig] or put together.
	Transformer *Transformer
	// Net is one of [Nets].
	Net string
	// GPU is one of [GPUs].
	GPU string
	// Batch is how many samples a worker has in an iteration.
	Batch int
	// Sequence is how many tokens a sample has, of language models; 0 means Positions, at
	// most 2048.
	Sequence int
	// Precision of products; empty means that models are trained in on the GPU: bf16, fp16 or fp32.
	Precision Precision
	// Eager attention writes its scores to memory; otherwise it is fused, as FlashAttention is.
	Eager bool
	// Checkpointing keeps the input of each block alone.
	Checkpointing bool
	// GPUs of a node that share every layer (tensor and sequence parallel); 0 means 1.
	GPUs int
	// MFU, where above 0, is the model FLOPs utilisation that the whole iteration is to
	// have, and scales what the roofline gives.
	MFU instance.Ratio

	calibration *calibration // for tests; nil means what was fitted
}

// Limits of what is estimated.
const (
	maxBatch    = 1 << 20
	maxSequence = 1 << 24
)

// Summary is what an estimate comes to.
type Summary struct {
	// Parameters counts numbers, Active those that a token meets: of experts it meets some.
	Parameters, Active int64
	// Batch, and Tokens of an iteration: Batch x sequence, or 0 for nets of images.
	Batch, Tokens int64
	// Forward and Backward times of all layers.
	Forward, Backward instance.Duration
	// Activations and Workspace in bytes.
	Activations, Workspace instance.Bytes
	// MFU is the model FLOPs utilisation: useful operations of the iteration over those of the
	// peak (Chowdhery et al., arXiv 2204.02311, appendix B).
	MFU float64
}

// Profile estimates a profile. The errors say which option is impossible.
func Profile(o Options) (*instance.Profile, *Summary, error) {
	gpu, err := FindGPU(o.GPU)
	if err != nil {
		return nil, nil, err
	}
	if o.Precision == "" {
		o.Precision = gpu.best()
	}
	peak, err := gpu.peak(o.Precision)
	if err != nil {
		return nil, nil, err
	}
	n, what, err := o.network()
	if err != nil {
		return nil, nil, err
	}
	fit := fitted()
	if o.calibration != nil {
		fit = *o.calibration
	}
	efficiency, like := fit.efficiency(gpu, o.Precision)
	group := max(1, o.GPUs)
	seconds := roofline{peak, gpu.Bandwidth * 1e9, efficiency, fit.launch, float64(group), gpu.Fabric * 1e9}
	scale := 1.0
	if o.MFU < 0 || o.MFU > instance.One {
		return nil, nil, fmt.Errorf("estimate: a utilisation of %v is out of range; choose more than 0, at most 1", o.MFU)
	}
	if o.MFU > 0 {
		scale = n.modelFLOPs() / (float64(o.MFU) / float64(instance.One) * peak * float64(group)) / seconds.iteration(n)
	}
	p := &instance.Profile{Model: o.Model, GPU: gpu.Name, Batch: o.Batch, Workspace: instance.Bytes(n.workspace)}
	if group > 1 {
		p.GPUs = group
		what += fmt.Sprintf("; shared by %d GPUs, over %g GB/s each way", group, gpu.Fabric)
	}
	if o.Precision.width() == 2 {
		p.Precision = string(o.Precision)
	}
	for i := range n.layers {
		l := &n.layers[i]
		forward, backward := seconds.layer(l)
		p.Layers = append(p.Layers, instance.Layer{
			Name: l.name, Forward: microseconds(scale * forward), Backward: microseconds(scale * backward),
			Parameters: instance.Bytes(l.parameters * o.Precision.width()), Activations: instance.Bytes(l.kept), Input: instance.Bytes(l.input),
		})
		if o.Checkpointing { // it is in the profile already, and jobs cannot ask for it once more
			p.Layers[i].Input = 0
		}
	}
	how := fmt.Sprintf("products %.0f %%, convolutions %.0f %%, batch norms %.0f %%, memory %.0f %%, as measured on %s",
		100*efficiency.Products, 100*efficiency.Convolutions, 100*efficiency.BatchNorms, 100*efficiency.Memory, like)
	if o.MFU > 0 {
		how += fmt.Sprintf("; scaled to an MFU of %v", o.MFU)
	}
	p.Estimated = fmt.Sprintf("%s; %s, %g TFLOP/s and %g GB/s (%s), of which %s", what, o.Precision, gpu.Peak[o.Precision], gpu.Bandwidth, gpu.Sheet, how)
	if problems := p.Validate(); len(problems) > 0 {
		return nil, nil, fmt.Errorf("estimate: %s: %s", problems[0].Path, problems[0].Message)
	}
	total := p.Totals()
	s := &Summary{
		Parameters: n.parameters(), Active: n.active(), Batch: n.samples, Forward: total.Forward, Backward: total.Backward,
		Activations: total.Activations, Workspace: p.Workspace,
		MFU: n.modelFLOPs() / peak / float64(group) / (float64(total.Forward+total.Backward) / 1e9),
	}
	if o.Net == "" {
		s.Tokens = n.tokens
	}
	return p, s, nil
}

// Common returns the precision that models are trained in on all of these GPUs; empty
// where none is given or known.
func Common(gpus []string) (common Precision) {
	for _, name := range gpus {
		g, err := FindGPU(name)
		if err != nil {
			continue
		}
		switch best := g.best(); {
		case common == "":
			common = best
		case common == FP32 || best == FP32:
			common = FP32
		case common != best: // one of them is older than bf16
			common = FP16
		}
	}
	return common
}

// network checks the options of the model and lists its costs, and says in words what it is.
func (o *Options) network() (n *network, what string, err error) {
	if o.Batch < 1 || o.Batch > maxBatch {
		return nil, "", fmt.Errorf("estimate: a batch of %d is out of range; choose 1 to %d", o.Batch, maxBatch)
	}
	if o.GPUs < 0 || o.GPUs > instance.MaxNodeGPUs {
		return nil, "", fmt.Errorf("estimate: %d GPUs a worker; choose 1 to %d", o.GPUs, instance.MaxNodeGPUs)
	}
	switch {
	case (o.Transformer == nil) == (o.Net == ""):
		return nil, "", errors.New("estimate: give either a transformer or a convolutional net")
	case o.Net != "":
		if o.Sequence != 0 || o.Checkpointing || o.Eager || o.GPUs > 1 {
			return nil, "", fmt.Errorf("estimate: sequence, checkpointing, attention and several GPUs a worker belong to transformers; %s is a convolutional net", instance.Clip(o.Net))
		}
		if n = net(o.Net, int64(o.Batch), o.Precision); n == nil {
			return nil, "", fmt.Errorf("estimate: the architecture %q is not known; known are %s", instance.Clip(o.Net), strings.Join(Architectures(), ", "))
		}
		return n, o.Net + " of images of 224 x 224 pixels", nil
	}
	t := *o.Transformer
	if err := t.Complete(); err != nil {
		return nil, "", err
	}
	widths := []int64{t.Intermediate}
	if e := t.Experts; e != nil {
		widths = []int64{t.Intermediate, e.Intermediate, e.Shared}
	}
	for _, width := range widths {
		if group := int64(max(1, o.GPUs)); t.Heads%group != 0 || width%group != 0 {
			return nil, "", fmt.Errorf("estimate: %d heads and a feed-forward part of %d cannot be divided evenly among %d GPUs", t.Heads, width, group)
		}
	}
	sequence := int64(o.Sequence)
	switch {
	case t.Type == "vit":
		if sequence != 0 {
			return nil, "", errors.New("estimate: a vision transformer's sequence follows from image and patch; leave it out")
		}
		sequence = t.patches() + 1
	case sequence == 0:
		if sequence = 2048; t.Positions > 0 {
			sequence = min(sequence, t.Positions)
		}
	case sequence < 0 || sequence > maxSequence:
		return nil, "", fmt.Errorf("estimate: a sequence of %d tokens is out of range; choose 1 to %d", sequence, maxSequence)
	case (t.Type == "gpt2" || t.Type == "bert") && sequence > t.Positions:
		return nil, "", fmt.Errorf("estimate: a sequence of %d tokens is longer than the %d positions that the model has", sequence, t.Positions)
	}
	// Beyond these, products of 64-bit numbers could overflow.
	if tokens := float64(o.Batch) * float64(sequence); tokens > 1<<32 || tokens*float64(sequence)*float64(t.Heads) > 1<<56 {
		return nil, "", fmt.Errorf("estimate: a batch of %d samples of %d tokens is too large", o.Batch, sequence)
	}
	n = t.network(shape{int64(o.Batch), sequence, o.Precision, !o.Eager, o.Checkpointing})
	what = fmt.Sprintf("%s of %d blocks, width %d, %d heads (%d of keys), feed-forward %d", t.Type, t.Layers, t.Hidden, t.Heads, t.KVHeads, t.Intermediate)
	if e := t.Experts; e != nil {
		what += fmt.Sprintf(", %d experts of width %d, %d for each token, dealt out evenly", e.Number, e.Intermediate, e.Active)
		if e.Shared > 0 {
			what += fmt.Sprintf(", and %d for all", e.Shared)
		}
	}
	if t.Type == "vit" {
		what += fmt.Sprintf(", patches of %d in images of %d", t.Patch, t.Image)
	} else {
		what += fmt.Sprintf(", vocabulary %d; %d tokens a sample", t.Vocabulary, sequence)
	}
	what += map[bool]string{false: "; fused attention", true: "; eager attention"}[o.Eager]
	if o.Checkpointing {
		what += "; checkpointing"
	}
	return n, what, nil
}

// microseconds is the nearest whole number of them, at least 1.
func microseconds(seconds float64) instance.Duration {
	return instance.Duration(max(1, math.Round(seconds*1e6))) * 1000
}
