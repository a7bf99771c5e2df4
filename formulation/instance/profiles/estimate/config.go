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
	"jigsaw/formulation/instance/strictjson"
)

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
	AttentionBias         *bool  `json:"attention_bias"`
	MLPBias               bool   `json:"mlp_bias"`

	SlidingWindow        *int64   `json:"sliding_window"`
	UseSlidingWindow     *bool    `json:"use_sliding_window"`
	SlidingWindowPattern *int64   `json:"sliding_window_pattern"`
	MaxWindowLayers      *int64   `json:"max_window_layers"`
	LayerTypes           []string `json:"layer_types"`

	NumLocalExperts  *int64  `json:"num_local_experts"`
	NumExperts       *int64  `json:"num_experts"`
	NRoutedExperts   *int64  `json:"n_routed_experts"`
	NumExpertsPerTok *int64  `json:"num_experts_per_tok"`
	MoEIntermediate  *int64  `json:"moe_intermediate_size"`
	SharedSize       *int64  `json:"shared_expert_intermediate_size"`
	NSharedExperts   *int64  `json:"n_shared_experts"`
	FirstDense       *int64  `json:"first_k_dense_replace"`
	SparseStep       *int64  `json:"decoder_sparse_step"`
	MoELayerFreq     *int64  `json:"moe_layer_freq"`
	MLPOnlyLayers    []int64 `json:"mlp_only_layers"`

	QLoRARank  *int64 `json:"q_lora_rank"`
	KVLoRARank *int64 `json:"kv_lora_rank"`
	QKNope     *int64 `json:"qk_nope_head_dim"`
	QKRope     *int64 `json:"qk_rope_head_dim"`
	VHeadDim   *int64 `json:"v_head_dim"`

	TextConfig json.RawMessage `json:"text_config"`

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
	var c reading
	decoder := json.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&c.config); err != nil {
		return nil, fmt.Errorf("estimate: line %d: %w; expected the config.json of a Hugging Face model",
			1+bytes.Count(data[:min(decoder.InputOffset(), int64(len(data)))], []byte("\n")), strictjson.Describe(err))
	}
	if !slices.Contains(TransformerTypes(), c.ModelType) {
		if c.ModelType == "" {
			return nil, errors.New("estimate: the config has no model_type; expected the config.json of a Hugging Face model")
		}
		if c.TextConfig != nil {
			return nil, fmt.Errorf("estimate: %q (model_type) has several parts; for the language part alone, write the value of text_config into a file of its own", instance.Clip(c.ModelType))
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

// reading is a config of which what is missing is noted.
type reading struct {
	config
	missing []string
}

// need takes a figure that the file must have.
func (c *reading) need(key string, v *int64) int64 {
	switch {
	case v == nil:
		c.missing = append(c.missing, key)
		return 0
	case *v == 0:
		return writtenZero
	}
	return *v
}

// or is what the file says or, where it says nothing, the default of the family.
func or[T any](v *T, byDefault T) T {
	if v != nil {
		return *v
	}
	return byDefault
}

// transformer takes what the file says; [Transformer.Complete] checks and completes it.
func (c *reading) transformer() (*Transformer, error) {
	t := &Transformer{Type: c.ModelType}
	head := ""
	if len(c.Architectures) > 0 {
		head = c.Architectures[0]
	}
	if c.ModelType != "gpt2" {
		t.Hidden, t.Layers, t.Heads = c.need("hidden_size", c.HiddenSize), c.need("num_hidden_layers", c.NumHiddenLayers), c.need("num_attention_heads", c.NumAttentionHeads)
		t.Intermediate = c.need("intermediate_size", c.IntermediateSize)
	}
	switch c.ModelType {
	default: // language models with rotary positions
		if err := c.language(t); err != nil {
			return nil, err
		}
	case "gpt2":
		t.Hidden, t.Layers, t.Heads = c.need("n_embd", c.NEmbd), c.need("n_layer", c.NLayer), c.need("n_head", c.NHead)
		t.Positions, t.Vocabulary, t.Intermediate = c.need("n_positions", c.NPositions), c.need("vocab_size", c.VocabSize), or(c.NInner, 0)
		t.Tied = or(c.TieWordEmbeddings, true)
		t.Dropout, t.AttentionDropout = or(c.ResidDropout, 0.1) > 0, or(c.AttnDropout, 0.1) > 0
		t.Head = "lm"
	case "bert":
		t.Vocabulary, t.Positions = c.need("vocab_size", c.VocabSize), c.need("max_position_embeddings", c.MaxPositionEmbeddings)
		t.TokenTypes = or(c.TypeVocabSize, 0)
		t.Tied = or(c.TieWordEmbeddings, true)
		t.Dropout, t.AttentionDropout = or(c.HiddenDropout, 0.1) > 0, or(c.ProbsDropout, 0.1) > 0
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
		t.Image, t.Patch, t.Channels = c.need("image_size", c.ImageSize), c.need("patch_size", c.PatchSize), or(c.NumChannels, 0)
		t.Dropout, t.AttentionDropout = or(c.HiddenDropout, 0) > 0, or(c.ProbsDropout, 0) > 0
		t.QueryBias = or(c.QKVBias, true)
		t.Head = "pooler"
		if strings.HasSuffix(head, "ForImageClassification") {
			t.Head, t.Labels = "classifier", or(c.NumLabels, 0)
			var labels map[string]json.RawMessage
			if json.Unmarshal(c.Labels, &labels) == nil && len(labels) > 0 {
				t.Labels = int64(len(labels))
			}
		}
	}
	if len(c.missing) > 0 {
		return nil, fmt.Errorf("estimate: the config of a %s lacks %s", c.ModelType, strings.Join(c.missing, ", "))
	}
	return t, nil
}

// language takes what is of language models with rotary positions.
func (c *reading) language(t *Transformer) error {
	t.Vocabulary, t.Positions = c.need("vocab_size", c.VocabSize), or(c.MaxPositionEmbeddings, 0)
	t.KVHeads, t.HeadSize = or(c.NumKeyValueHeads, 0), or(c.HeadDim, 0)
	t.Tied = or(c.TieWordEmbeddings, strings.HasPrefix(c.ModelType, "gemma"))
	t.AttentionDropout, t.Dropout = or(c.AttentionDropout, 0) > 0, or(c.ResidDropout, 0) > 0
	t.Head = "lm"
	if err := c.windows(t); err != nil {
		return err
	}
	switch c.ModelType {
	case "llama":
		t.AttentionBias, t.FeedForwardBias = or(c.AttentionBias, false), c.MLPBias
	case "gemma", "gemma2", "gemma3_text", "olmo2", "qwen3", "qwen3_moe", "deepseek_v2", "deepseek_v3":
		t.AttentionBias = or(c.AttentionBias, false)
	case "gpt_oss":
		t.AttentionBias = or(c.AttentionBias, true)
	case "qwen2":
		t.QueryBias = true
	case "qwen2_moe":
		t.QueryBias = or(c.QKVBias, true)
	}
	if t.family().experts {
		var err error
		if t.Experts, err = c.experts(t); err != nil {
			return err
		}
	}
	if t.family().latent {
		t.Latent = &Latent{or(c.QLoRARank, 0), c.need("kv_lora_rank", c.KVLoRARank), c.need("qk_rope_head_dim", c.QKRope), c.need("v_head_dim", c.VHeadDim)}
		t.HeadSize, t.KVHeads = c.need("qk_nope_head_dim", c.QKNope), t.Heads
	}
	return nil
}

// windows says how far back attention looks, and in which layers to the beginning: by layer_types or, where
// the config is older, as the family has it.
func (c *reading) windows(t *Transformer) error {
	if c.SlidingWindow == nil {
		return nil
	}
	switch c.ModelType {
	case "mistral", "mixtral", "phi3":
	case "qwen2", "qwen2_moe", "qwen3", "qwen3_moe":
		if !or(c.UseSlidingWindow, false) {
			return nil
		}
		t.GlobalFirst = or(c.MaxWindowLayers, 28)
	case "gemma2", "gpt_oss":
		t.GlobalEvery = 2
	case "gemma3_text":
		t.GlobalEvery = or(c.SlidingWindowPattern, 6)
	default:
		return nil
	}
	t.Window = *c.SlidingWindow
	if len(c.LayerTypes) == 0 {
		return nil
	}
	t.GlobalFirst, t.GlobalEvery = 0, 0
	global := func(kind string) bool { return kind != "sliding_attention" }
	if first := slices.Index(c.LayerTypes, "sliding_attention"); first < 0 {
		t.Window = 0
		return nil
	} else if !slices.ContainsFunc(c.LayerTypes[first:], global) {
		t.GlobalFirst = int64(first)
		return nil
	}
	t.GlobalEvery = 1 + int64(slices.IndexFunc(c.LayerTypes, global))
	for i, kind := range c.LayerTypes {
		if global(kind) != (t.window(int64(i)) == 0) {
			return fmt.Errorf("estimate: layer_types has no pattern that is known: the last of each %d layers looks to the beginning, but layer %d is of type %q", t.GlobalEvery, i, instance.Clip(kind))
		}
	}
	return nil
}

// experts takes what the file says of them.
func (c *reading) experts(t *Transformer) (*Experts, error) {
	e := &Experts{Active: c.need("num_experts_per_tok", c.NumExpertsPerTok)}
	switch c.ModelType {
	case "mixtral", "gpt_oss":
		e.Number, e.Intermediate = c.need("num_local_experts", c.NumLocalExperts), t.Intermediate
		return e, nil
	case "qwen2_moe", "qwen3_moe":
		e.Number, e.Every = c.need("num_experts", c.NumExperts), or(c.SparseStep, 0)
		if c.ModelType == "qwen2_moe" {
			e.Shared, e.SharedGate = c.need("shared_expert_intermediate_size", c.SharedSize), true
		}
		e.DenseFirst = int64(len(c.MLPOnlyLayers))
		for i, layer := range slices.Sorted(slices.Values(c.MLPOnlyLayers)) {
			if layer != int64(i) {
				return nil, fmt.Errorf("estimate: mlp_only_layers has %d; known are models in which they are the first", layer)
			}
		}
	default:
		e.Number, e.DenseFirst = c.need("n_routed_experts", c.NRoutedExperts), or(c.FirstDense, 0)
		if step := or(c.MoELayerFreq, 0); step > 1 {
			return nil, fmt.Errorf("estimate: moe_layer_freq is %d; known are models in which it is 1", step)
		}
	}
	e.Intermediate = c.need("moe_intermediate_size", c.MoEIntermediate)
	e.Shared += or(c.NSharedExperts, 0) * e.Intermediate
	return e, nil
}
