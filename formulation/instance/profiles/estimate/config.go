package estimate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
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
	// Window is how far back attention looks; 0 means to the beginning.
	Window int64
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

// TransformerTypes lists the families that are known.
func TransformerTypes() []string { return []string{"llama", "mistral", "qwen2", "gpt2", "bert", "vit"} }

// config has the keys of config.json that matter, of all families.
type config struct {
	ModelType     string   `json:"model_type"`
	Architectures []string `json:"architectures"`

	HiddenSize            *int64 `json:"hidden_size"`
	NumHiddenLayers       *int64 `json:"num_hidden_layers"`
	NumAttentionHeads     *int64 `json:"num_attention_heads"`
	NumKeyValueHeads      *int64 `json:"num_key_value_heads"`
	HeadDim               *int64 `json:"head_dim"`
	IntermediateSize      *int64 `json:"intermediate_size"`
	VocabSize             *int64 `json:"vocab_size"`
	MaxPositionEmbeddings *int64 `json:"max_position_embeddings"`
	TieWordEmbeddings     *bool  `json:"tie_word_embeddings"`
	AttentionBias         bool   `json:"attention_bias"`
	MLPBias               bool   `json:"mlp_bias"`
	SlidingWindow         *int64 `json:"sliding_window"`
	UseSlidingWindow      *bool  `json:"use_sliding_window"`

	NEmbd      *int64 `json:"n_embd"`
	NLayer     *int64 `json:"n_layer"`
	NHead      *int64 `json:"n_head"`
	NPositions *int64 `json:"n_positions"`
	NInner     *int64 `json:"n_inner"`

	TypeVocabSize *int64 `json:"type_vocab_size"`

	ImageSize   *int64          `json:"image_size"`
	PatchSize   *int64          `json:"patch_size"`
	NumChannels *int64          `json:"num_channels"`
	QKVBias     *bool           `json:"qkv_bias"`
	NumLabels   *int64          `json:"num_labels"`
	Labels      json.RawMessage `json:"id2label"`

	HiddenDropout    *float64 `json:"hidden_dropout_prob"`
	ProbsDropout     *float64 `json:"attention_probs_dropout_prob"`
	ResidDropout     *float64 `json:"resid_pdrop"`
	AttnDropout      *float64 `json:"attn_pdrop"`
	AttentionDropout *float64 `json:"attention_dropout"`
}

// maxConfig is the largest config.json read, in bytes; id2label makes some of them long.
const maxConfig = 4 << 20

// writtenZero stands for a zero that a config has, where 0 is what it lacks: it is refused, not completed.
const writtenZero = math.MinInt64

// ReadConfig reads a Hugging Face config.json. The errors name keys and families.
func ReadConfig(r io.Reader) (*Transformer, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxConfig+1))
	if err != nil {
		return nil, fmt.Errorf("estimate: %w", err)
	}
	if len(data) > maxConfig {
		return nil, fmt.Errorf("estimate: the config is larger than %d bytes", maxConfig)
	}
	var c config
	decoder := json.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&c); err != nil {
		return nil, fmt.Errorf("estimate: line %d: %w; expected the config.json of a Hugging Face model",
			1+bytes.Count(data[:min(decoder.InputOffset(), int64(len(data)))], []byte("\n")), jsonError(err))
	}
	if !slices.Contains(TransformerTypes(), c.ModelType) {
		if c.ModelType == "" {
			return nil, errors.New("estimate: the config has no model_type; expected the config.json of a Hugging Face model")
		}
		return nil, fmt.Errorf("estimate: the architecture %q (model_type) is not known; known are %s; describe a model that is built like one of them by flags, from --architecture llama --layers 32 on",
			instance.Clip(c.ModelType), strings.Join(TransformerTypes(), ", "))
	}
	t, err := c.transformer()
	if err != nil {
		return nil, err
	}
	return t, t.Complete()
}

// jsonError says what is wrong with JSON in the file's words.
func jsonError(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("%s is a %s; expected %s", kind.Field, kind.Value, map[bool]string{true: "a whole number", false: "another kind of value"}[kind.Type.Kind().String() == "int64"])
	case errors.Is(err, io.EOF):
		return errors.New("the file is empty")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the file ends too early")
	}
	return err
}

// transformer takes what the file says; [Transformer.Complete] checks and completes it.
func (c *config) transformer() (*Transformer, error) {
	var missing []string
	need := func(key string, v *int64) int64 {
		if v == nil {
			missing = append(missing, key)
			return 0
		}
		if *v == 0 {
			return writtenZero
		}
		return *v
	}
	or := func(v *int64) int64 {
		if v == nil {
			return 0
		}
		return *v
	}
	on := func(v *float64, byDefault float64) bool {
		if v != nil {
			byDefault = *v
		}
		return byDefault > 0
	}
	t := &Transformer{Type: c.ModelType}
	head := ""
	if len(c.Architectures) > 0 {
		head = c.Architectures[0]
	}
	switch c.ModelType {
	case "gpt2":
		t.Hidden, t.Layers, t.Heads = need("n_embd", c.NEmbd), need("n_layer", c.NLayer), need("n_head", c.NHead)
		t.Positions, t.Vocabulary, t.Intermediate = need("n_positions", c.NPositions), need("vocab_size", c.VocabSize), or(c.NInner)
		t.Tied = c.TieWordEmbeddings == nil || *c.TieWordEmbeddings
		t.Dropout, t.AttentionDropout = on(c.ResidDropout, 0.1), on(c.AttnDropout, 0.1)
		t.Head = "lm"
	default:
		t.Hidden, t.Layers, t.Heads = need("hidden_size", c.HiddenSize), need("num_hidden_layers", c.NumHiddenLayers), need("num_attention_heads", c.NumAttentionHeads)
		t.Intermediate = need("intermediate_size", c.IntermediateSize)
	}
	switch c.ModelType {
	case "llama", "mistral", "qwen2":
		t.Vocabulary, t.Positions = need("vocab_size", c.VocabSize), or(c.MaxPositionEmbeddings)
		t.KVHeads, t.HeadSize = or(c.NumKeyValueHeads), or(c.HeadDim)
		t.Tied = c.TieWordEmbeddings != nil && *c.TieWordEmbeddings
		t.AttentionDropout = on(c.AttentionDropout, 0)
		t.Head = "lm"
		switch c.ModelType {
		case "llama":
			t.AttentionBias, t.FeedForwardBias = c.AttentionBias, c.MLPBias
		case "mistral":
			t.Window = or(c.SlidingWindow)
		case "qwen2":
			t.QueryBias = true
			if c.UseSlidingWindow != nil && *c.UseSlidingWindow {
				t.Window = or(c.SlidingWindow)
			}
		}
	case "bert":
		t.Vocabulary, t.Positions = need("vocab_size", c.VocabSize), need("max_position_embeddings", c.MaxPositionEmbeddings)
		t.TokenTypes = or(c.TypeVocabSize)
		t.Tied = c.TieWordEmbeddings == nil || *c.TieWordEmbeddings
		t.Dropout, t.AttentionDropout = on(c.HiddenDropout, 0.1), on(c.ProbsDropout, 0.1)
		switch head {
		case "BertForMaskedLM":
			t.Head = "masked-lm"
		case "BertForPreTraining":
			t.Head = "pretraining"
		case "", "BertModel":
			t.Head = "pooler"
		default:
			return nil, fmt.Errorf("estimate: the head %q of BERT is not known; write BertModel, BertForMaskedLM or BertForPreTraining as architectures", instance.Clip(head))
		}
	case "vit":
		t.Image, t.Patch, t.Channels = need("image_size", c.ImageSize), need("patch_size", c.PatchSize), or(c.NumChannels)
		t.Dropout, t.AttentionDropout = on(c.HiddenDropout, 0), on(c.ProbsDropout, 0)
		t.QueryBias = c.QKVBias == nil || *c.QKVBias
		t.Head = "pooler"
		if strings.HasSuffix(head, "ForImageClassification") {
			t.Head, t.Labels = "classifier", or(c.NumLabels)
			var labels map[string]json.RawMessage
			if json.Unmarshal(c.Labels, &labels) == nil && len(labels) > 0 {
				t.Labels = int64(len(labels))
			}
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("estimate: the config of a %s lacks %s", c.ModelType, strings.Join(missing, ", "))
	}
	return t, nil
}

// Complete puts in the defaults of the family and reports what is impossible.
func (t *Transformer) Complete() error {
	if !slices.Contains(TransformerTypes(), t.Type) {
		return fmt.Errorf("estimate: the architecture %q is not known; known are %s", instance.Clip(t.Type), strings.Join(Architectures(), ", "))
	}
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
	if t.HeadSize < 0 || t.Window < 0 || t.Positions < 0 {
		errs = append(errs, errors.New("estimate: head size, window and positions must not be negative"))
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	if t.HeadSize == 0 {
		if t.Hidden%t.Heads != 0 {
			return fmt.Errorf("estimate: a hidden size of %d does not divide by %d heads", t.Hidden, t.Heads)
		}
		t.HeadSize = t.Hidden / t.Heads
	}
	if t.Heads%t.KVHeads != 0 {
		return fmt.Errorf("estimate: %d heads do not divide by %d key-value heads", t.Heads, t.KVHeads)
	}
	if t.Type == "vit" && (t.Image%t.Patch != 0 || t.Image < t.Patch) {
		return fmt.Errorf("estimate: an image of %d pixels does not divide into patches of %d", t.Image, t.Patch)
	}
	return nil
}

// causal says whether a token sees the ones before it only.
func (t *Transformer) causal() bool { return t.Type != "bert" && t.Type != "vit" }

// gated says whether the feed-forward part multiplies two products, as SwiGLU does, and norms
// have a weight alone.
func (t *Transformer) gated() bool { return t.causal() && t.Type != "gpt2" }
