package estimate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
)

// Transformer is the architecture of a transformer, by the names of Hugging Face's config.json.
type Transformer struct {
	// Type is the family: one of [TransformerTypes].
	Type string
	// Layers, Hidden (model width), Heads, KVHeads (of keys and values), HeadSize and
	// Intermediate (width of the feed-forward part).
	Layers, Hidden, Heads, KVHeads, HeadSize, Intermediate int64
	// Vocabulary, and Positions that are learned or, of models with rotary ones, the longest
	// sequence.
	Vocabulary, Positions int64
	// Window is how far back attention looks; 0 means to the beginning, as it does for all that in the first
	// GlobalFirst layers and in the last of each GlobalEvery, where that is above 0.
	Window, GlobalFirst, GlobalEvery int64
	// Latent, if not nil, says how queries, keys and values are worked out in two steps.
	Latent *Latent
	// Experts, if not nil, stand in place of feed-forward parts.
	Experts *Experts
	// TokenTypes of BERT.
	TokenTypes int64
	// Image and Patch are sides in pixels, Channels and Labels numbers, of a vision transformer.
	Image, Patch, Channels, Labels int64
	// Tied says that the output embedding is the input embedding.
	Tied bool
	// AttentionBias and FeedForwardBias say which products add a bias, of models that leave it open;
	// QueryBias that queries, keys and values do, and the output does not.
	AttentionBias, FeedForwardBias, QueryBias bool
	// Dropout says that masks are kept, of attention and of what leaves each part.
	AttentionDropout, Dropout bool
	// Head is what stands on top: "lm", "masked-lm", "pretraining", "pooler", "classifier" or "none".
	Head string
}

// Latent is multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1): keys and values come from
// a vector of Rank numbers, queries from one of QueryRank or, where that is 0, from the hidden state. A head of queries and
// keys has HeadSize numbers without positions and Rotary with, which in keys all heads share;
// one of values has ValueSize.
type Latent struct{ QueryRank, Rank, Rotary, ValueSize int64 }

// Experts are feed-forward parts of which a router chooses Active of Number for each token
// (Shazeer et al., arXiv 1701.06538). Tokens are taken to be dealt out evenly.
type Experts struct {
	Number, Active int64
	// Intermediate is the width of each, Shared that of the part which all tokens go through
	// besides; SharedGate says that it has a gate.
	Intermediate, Shared int64
	SharedGate           bool
	// The first DenseFirst layers have a feed-forward part without experts, and so have, where Every is above 1, all but
	// the last of each so many.
	DenseFirst, Every int64
}

// family is what the models of a type have in common beside their figures.
type family struct {
	bidirectional bool // tokens see those after them
	// plain feed-forward parts are two products and norms have a bias; the others are gated, as SwiGLU is, with
	// rotary positions.
	plain bool
	norms int64 // of a block; 0: two
	// queryNorm says that queries and keys are normed: their heads, or their whole width.
	queryNorm normed
	latent    bool
	experts   bool
	// expertBias says that experts and router add biases, correction that a number for each expert balances their load, and
	// sinks that each head has a number for attending to nothing.
	expertBias, correction, sinks bool
}

type normed int

const (
	notNormed normed = iota
	headNormed
	widthNormed
)

var families = map[string]family{
	"llama": {}, "mistral": {}, "qwen2": {}, "phi3": {}, "gemma": {},
	"qwen3":       {queryNorm: headNormed},
	"gemma2":      {norms: 4},
	"gemma3_text": {norms: 4, queryNorm: headNormed},
	"olmo2":       {queryNorm: widthNormed},
	"mixtral":     {experts: true},
	"qwen2_moe":   {experts: true},
	"qwen3_moe":   {experts: true, queryNorm: headNormed},
	"deepseek_v2": {experts: true, latent: true},
	"deepseek_v3": {experts: true, latent: true, correction: true},
	"gpt_oss":     {experts: true, expertBias: true, sinks: true},
	"gpt2":        {plain: true},
	"bert":        {plain: true, bidirectional: true},
	"vit":         {plain: true, bidirectional: true},
}

// TransformerTypes lists the families that are known.
func TransformerTypes() []string {
	return []string{"llama", "mistral", "qwen2", "qwen3", "phi3", "gemma", "gemma2", "gemma3_text", "olmo2",
		"mixtral", "qwen2_moe", "qwen3_moe", "deepseek_v2", "deepseek_v3", "gpt_oss", "gpt2", "bert", "vit"}
}

// Architectures lists the names of all that a few figures describe: families of transformers without experts, and convolutional nets.
func Architectures() []string {
	types := slices.DeleteFunc(TransformerTypes(), func(name string) bool { return families[name].experts })
	return slices.Concat(types, Nets())
}

func (t *Transformer) family() family { return families[t.Type] }

// causal says whether a token sees the ones before it only.
func (t *Transformer) causal() bool { return !t.family().bidirectional }

// gated says whether the feed-forward part multiplies two products, as SwiGLU does, and norms
// have a weight alone.
func (t *Transformer) gated() bool { return !t.family().plain }

// window is how far back attention looks in a layer; 0 means to the beginning.
func (t *Transformer) window(layer int64) int64 {
	if layer < t.GlobalFirst || t.GlobalEvery > 0 && (layer+1)%t.GlobalEvery == 0 {
		return 0
	}
	return t.Window
}

// expertsIn returns the experts of a layer, nil where it has none.
func (t *Transformer) expertsIn(layer int64) *Experts {
	if e := t.Experts; e != nil && layer >= e.DenseFirst && (e.Every <= 1 || (layer+1)%e.Every == 0) {
		return e
	}
	return nil
}

// querySize and valueSize are how many numbers a head of queries and keys has, and one of values.
func (t *Transformer) querySize() int64 {
	if t.Latent != nil {
		return t.HeadSize + t.Latent.Rotary
	}
	return t.HeadSize
}

func (t *Transformer) valueSize() int64 {
	if t.Latent != nil {
		return t.Latent.ValueSize
	}
	return t.HeadSize
}

// Complete puts in the defaults of the family and reports what is impossible.
func (t *Transformer) Complete() error {
	if !slices.Contains(TransformerTypes(), t.Type) {
		return fmt.Errorf("estimate: the architecture %q is not known; known are %s", instance.Clip(t.Type), strings.Join(Architectures(), ", "))
	}
	t.fill()
	if err := t.checkNumbers(); err != nil {
		return err
	}
	if t.HeadSize == 0 {
		if t.Hidden%t.Heads != 0 {
			return fmt.Errorf("estimate: a hidden size of %d does not divide by %d heads", t.Hidden, t.Heads)
		}
		t.HeadSize = t.Hidden / t.Heads
	}
	return t.checkShape()
}

// fill fills in what configurations may leave out.
func (t *Transformer) fill() {
	set := func(v *int64, to int64) {
		if *v == 0 {
			*v = to
		}
	}
	set(&t.KVHeads, t.Heads)
	set(&t.Channels, 3)
	switch t.Type {
	case "gpt2":
		set(&t.Intermediate, 4*t.Hidden)
	case "gemma", "gemma2", "gemma3_text":
		set(&t.HeadSize, 256) // Hugging Face's default
	case "bert":
		set(&t.TokenTypes, 2)
		if t.Head == "" {
			t.Head = "pooler"
		}
	case "vit":
		set(&t.Intermediate, 4*t.Hidden)
		set(&t.Labels, 2) // Hugging Face's default
		if t.Head == "" {
			t.Head = "classifier"
		}
	}
	if t.Head == "" {
		t.Head = "lm"
	}
}

// checkNumbers says which numbers are missing or out of range, each for itself.
func (t *Transformer) checkNumbers() error {
	var errs []error
	within := func(what string, v, most int64) {
		switch {
		case v == 0:
			errs = append(errs, fmt.Errorf("estimate: %s is missing", what))
		case v == writtenZero:
			errs = append(errs, fmt.Errorf("estimate: %s is 0; choose 1 to %d", what, most))
		case v < 0 || v > most:
			errs = append(errs, fmt.Errorf("estimate: %s is %d; choose 1 to %d", what, v, most))
		}
	}
	within("the number of layers", t.Layers, 10_000)
	within("the hidden size", t.Hidden, 1_000_000)
	within("the number of heads", t.Heads, 10_000)
	if t.Heads > 0 {
		within("the number of key-value heads", t.KVHeads, 10_000)
	}
	within("the intermediate size", t.Intermediate, 10_000_000)
	kind := t.family()
	if e := t.Experts; kind.experts != (e != nil) || kind.latent != (t.Latent != nil) {
		errs = append(errs, fmt.Errorf("estimate: a model of the family %s can be described only by its config.json", t.Type))
	} else if e != nil {
		within("the number of experts", e.Number, 100_000)
		within("the number of experts of a token", e.Active, max(1, e.Number))
		within("the intermediate size of an expert", e.Intermediate, 10_000_000)
		if e.Shared < 0 || e.Shared > 10_000_000 {
			errs = append(errs, fmt.Errorf("estimate: the shared experts have an intermediate size of %d; choose 0 to %d", e.Shared, 10_000_000))
		}
	}
	if l := t.Latent; l != nil {
		within("the rank of keys and values", l.Rank, 1_000_000)
		within("the part of a head with positions", l.Rotary, 100_000)
		within("the size of a value head", l.ValueSize, 100_000)
		within("the part of a head without positions", t.HeadSize, 100_000)
		if l.QueryRank < 0 || l.QueryRank > 1_000_000 {
			errs = append(errs, fmt.Errorf("estimate: the rank of queries is %d; choose 0 to %d", l.QueryRank, 1_000_000))
		}
	}
	if t.Type == "vit" {
		within("the image size", t.Image, 100_000)
		within("the patch size", t.Patch, 10_000)
		within("the number of channels", t.Channels, 100)
		within("the number of labels", t.Labels, 10_000_000)
	} else {
		within("the vocabulary", t.Vocabulary, 100_000_000)
	}
	if t.Type == "gpt2" || t.Type == "bert" {
		within("the number of positions", t.Positions, 100_000_000)
	}
	if t.HeadSize < 0 || t.Window < 0 || t.Positions < 0 || t.GlobalFirst < 0 || t.GlobalEvery < 0 {
		errs = append(errs, errors.New("estimate: head size, window and positions must not be negative"))
	}
	return errors.Join(errs...)
}

// checkShape says which numbers do not go together.
func (t *Transformer) checkShape() error {
	const most = 10_000_000 // beyond which numbers of bytes could overflow
	if width := float64(t.Heads) * float64(t.querySize()+t.valueSize()); width > most {
		return fmt.Errorf("estimate: %d heads of %d are too wide", t.Heads, t.HeadSize)
	}
	if e := t.Experts; e != nil && (float64(e.Active)*float64(e.Intermediate+t.Hidden) > most || float64(e.Number)*float64(e.Intermediate)*float64(t.Hidden) > 1e14) {
		return fmt.Errorf("estimate: %d experts, %d for each token, of width %d are too many", e.Number, e.Active, e.Intermediate)
	}
	if t.Heads%t.KVHeads != 0 {
		return fmt.Errorf("estimate: %d heads do not divide by %d key-value heads", t.Heads, t.KVHeads)
	}
	if t.Type == "vit" && (t.Image%t.Patch != 0 || t.Image < t.Patch) {
		return fmt.Errorf("estimate: an image of %d pixels does not divide into patches of %d", t.Image, t.Patch)
	}
	return nil
}
