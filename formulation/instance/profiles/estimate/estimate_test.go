package estimate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

func TestProfile(t *testing.T) {
	c := readConfig(t, "llama3_8b")
	p, s, err := Profile(Options{Model: "mine", Transformer: c, GPU: "h100", Batch: 2, Sequence: 4096})
	require.NoError(t, err)
	assert.Empty(t, p.Validate())
	assert.Equal(t, "mine", p.Model)
	assert.Equal(t, "h100", p.GPU)
	assert.Equal(t, 2, p.Batch)
	require.Len(t, p.Layers, 34)
	assert.Equal(t, instance.Bytes(2*8_030_261_248), p.Totals().Parameters, "bf16")
	assert.EqualValues(t, 8_030_261_248, s.Parameters)
	assert.EqualValues(t, 8192, s.Tokens)
	assert.InDelta(t, 0.42, s.MFU, 0.06, "as of models of its size, see throughputs")
	assert.Contains(t, p.Estimated, "bf16, 989.4 TFLOP/s")
	assert.Contains(t, p.Estimated, "4096 tokens")

	scaled, s2, err := Profile(Options{Model: "mine", Transformer: c, GPU: "h100", Batch: 2, Sequence: 4096, MFU: instance.One / 4})
	require.NoError(t, err)
	assert.InDelta(t, 0.25, s2.MFU, 0.001)
	assert.InEpsilon(t, s.MFU/0.25, float64(scaled.Layers[5].Backward)/float64(p.Layers[5].Backward), 0.01)

	assert.Equal(t, "bf16", p.Precision)
	assert.Equal(t, instance.Bytes(2*8192*4096), p.Layers[5].Input, "what comes into a block: 8192 tokens of width 4096")

	saved, s3, err := Profile(Options{Model: "mine", Transformer: c, GPU: "h100", Batch: 2, Sequence: 4096, Checkpointing: true})
	require.NoError(t, err)
	assert.Less(t, s3.Activations+s3.Workspace, s.Activations/2)
	assert.InDelta(t, float64(p.Layers[5].Backward+p.Layers[5].Forward), float64(saved.Layers[5].Backward), 100_000)
	assert.Equal(t, p.Layers[5].Forward, saved.Layers[5].Forward)
	assert.Zero(t, saved.Layers[5].Input)
}

func TestPrecisionByGPU(t *testing.T) {
	for gpu, want := range map[string]string{"p100": "fp32", "t4": "fp16", "v100": "fp16", "a100": "bf16", "l4": "bf16"} {
		p, _, err := Profile(Options{Model: "m", Net: "resnet50", GPU: gpu, Batch: 32})
		require.NoError(t, err)
		assert.Contains(t, p.Estimated, "; "+want+", ", gpu)
	}
}

func TestCommonPrecision(t *testing.T) {
	for _, c := range []struct {
		gpus []string
		want Precision
	}{{nil, ""}, {[]string{"h100", "a100"}, BF16}, {[]string{"h100", "v100"}, FP16}, {[]string{"v100", "h100"}, FP16}, {[]string{"v100", "p100", "h100"}, FP32}, {[]string{"none", "t4"}, FP16}} {
		assert.Equal(t, c.want, Common(c.gpus), "%v", c.gpus)
	}
}

func TestEveryGPUHasItsFigures(t *testing.T) {
	for _, g := range GPUs() {
		assert.NotEmpty(t, g.Sheet, g.Name)
		assert.Positive(t, g.Peak[FP32], g.Name)
		assert.Positive(t, g.Bandwidth, g.Name)
		assert.Positive(t, int64(g.Memory), g.Name)
		for _, p := range Precisions() {
			if g.Peak[p] == 0 {
				continue
			}
			estimated, s, err := Profile(Options{Model: "m", Net: "resnet50", GPU: g.Name, Batch: 32, Precision: p})
			require.NoError(t, err)
			assert.Positive(t, s.MFU)
			assert.Less(t, s.MFU, 1.0, "%s %s: %s", g.Name, p, estimated.Estimated)
		}
	}
}

func TestImpossibleOptions(t *testing.T) {
	llama, vit, gpt := readConfig(t, "llama3_8b"), readConfig(t, "vit_l16"), readConfig(t, "gpt2_xl")
	odd := *llama
	odd.Heads, odd.HeadSize, odd.KVHeads = 33, 0, 0
	for want, o := range map[string]Options{
		`GPU "h1000" is not known; choose a10, a100,`:                {Transformer: llama, GPU: "h1000", Batch: 1},
		`v100 has no "bf16"; choose fp32, fp16`:                      {Transformer: llama, GPU: "v100", Batch: 1, Precision: BF16},
		`h100 has no "int4"; choose fp32, tf32, fp16, bf16`:          {Transformer: llama, GPU: "h100", Batch: 1, Precision: "int4"},
		`a batch of 0 is out of range`:                               {Transformer: llama, GPU: "h100"},
		`a batch of 1048576 samples of 16777216 tokens is too large`: {Transformer: llama, GPU: "h100", Batch: 1 << 20, Sequence: 1 << 24},
		`a sequence of -1 tokens is out of range`:                    {Transformer: llama, GPU: "h100", Batch: 1, Sequence: -1},
		`longer than the 1024 positions`:                             {Transformer: gpt, GPU: "h100", Batch: 1, Sequence: 2000},
		`follows from image and patch`:                               {Transformer: vit, GPU: "h100", Batch: 1, Sequence: 100},
		`belong to transformers`:                                     {Net: "vgg16", GPU: "h100", Batch: 1, Checkpointing: true},
		`"vgg17" is not known; known are llama, mistral,`:            {Net: "vgg17", GPU: "h100", Batch: 1},
		`give either a transformer or a convolutional net`:           {GPU: "h100", Batch: 1},
		`a hidden size of 4096 does not divide by 33 heads`:          {Transformer: &odd, GPU: "h100", Batch: 1},
		`a utilisation of 1.5 is out of range`:                       {Net: "vgg16", GPU: "h100", Batch: 1, MFU: 3 * instance.One / 2},
		`model: "": a model needs a printable name`:                  {Net: "vgg16", GPU: "h100", Batch: 1},
	} {
		_, _, err := Profile(o)
		assert.ErrorContains(t, err, want)
	}
}

func TestBadConfigs(t *testing.T) {
	for text, want := range map[string]string{
		``:                         "the file ends too early",
		`{"model_type": `:          "the file ends too early",
		`[1]`:                      "expected the config.json",
		`{}`:                       "no model_type",
		`{"model_type": "falcon"}`: `the architecture "falcon" (model_type) is not known; known are llama, mistral, qwen2, qwen3, phi3`,
		`{"model_type": "gemma3", "text_config": {}}`:         `"gemma3" (model_type) has several parts; for the language part alone, write the value of text_config into a file of its own`,
		`{"model_type": "mixtral"}`:                           "the config of a mixtral lacks hidden_size, num_hidden_layers, num_attention_heads, intermediate_size, vocab_size, num_experts_per_tok, num_local_experts",
		`{"model_type": "qwen3_moe", "mlp_only_layers": [3]}`: "mlp_only_layers has 3; known are models in which they are the first",
		`{"model_type": "deepseek_v3", "moe_layer_freq": 2}`:  "moe_layer_freq is 2; known are models in which it is 1",
		`{"model_type": "gemma3_text", "sliding_window": 8, "layer_types": ["sliding_attention", "full_attention", "full_attention"]}`:                                                             `the last of each 2 layers looks to the beginning, but layer 2 is of type "full_attention"`,
		`{"model_type": "mixtral", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 8, "vocab_size": 8, "num_experts_per_tok": 3, "num_local_experts": 2}`: "the number of experts of a token is 3; choose 1 to 2",
		`{"model_type": "llama", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 8, "vocab_size": 8, "head_dim": 99999999}`:                               "1 heads of 99999999 are too wide",
		`{"model_type": "llama"}`:                  "the config of a llama lacks hidden_size, num_hidden_layers, num_attention_heads, intermediate_size, vocab_size",
		`{"model_type": "gpt2", "n_embd": "wide"}`: "n_embd is a string; expected a whole number",
		`{"model_type": "gpt2", "n_embd": 8, "n_layer": 0, "n_head": 1, "n_positions": 4, "vocab_size": 4}`:                                                     "the number of layers is 0; choose 1 to 10000",
		`{"model_type": "gpt2", "n_embd": -8, "n_layer": 1, "n_head": 1, "n_positions": 4, "vocab_size": 4}`:                                                    "the hidden size is -8; choose 1 to",
		`{"model_type": "gpt2", "n_embd": 8, "n_layer": 99999999, "n_head": 1, "n_positions": 4, "vocab_size": 4}`:                                              "the number of layers is 99999999",
		`{"model_type": "bert", "architectures": ["BertForQuestionAnswering"]}`:                                                                                 `the head "BertForQuestionAnswering" of BERT is not known`,
		`{"model_type": "vit", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 8, "image_size": 30, "patch_size": 16}`: "an image of 30 pixels does not divide into patches of 16",
	} {
		_, err := ReadConfig(strings.NewReader(text))
		assert.ErrorContains(t, err, want, text)
	}
	_, err := ReadConfig(strings.NewReader(strings.Repeat(" ", maxConfig+1)))
	assert.ErrorContains(t, err, "larger than")
}

// FuzzReadConfig: what is read can be estimated or is refused.
func FuzzReadConfig(f *testing.F) {
	f.Add(`{"model_type": "gpt2", "n_embd": 8, "n_layer": 1, "n_head": 1, "n_positions": 4, "vocab_size": 4}`)
	f.Add(`{"model_type": "deepseek_v3", "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 1, "intermediate_size": 8, "vocab_size": 4, "num_experts_per_tok": 1, "n_routed_experts": 2, "moe_intermediate_size": 8, "kv_lora_rank": 2, "qk_nope_head_dim": 2, "qk_rope_head_dim": 2, "v_head_dim": 2}`)
	f.Add(`{"model_type": "vit", "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 8, "image_size": 32, "patch_size": 16}`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ReadConfig(strings.NewReader(text))
		if err != nil {
			return
		}
		p, _, err := Profile(Options{Model: "m", Transformer: c, GPU: "h100", Batch: 1})
		if err == nil && len(p.Validate()) > 0 {
			t.Fatal(p.Validate())
		}
	})
}
