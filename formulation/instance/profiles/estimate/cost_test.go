package estimate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tiny is a GPT-2 of which everything can be worked out by hand.
func tiny(t *testing.T) *Transformer {
	t.Helper()
	c := &Transformer{Type: "gpt2", Layers: 2, Hidden: 8, Heads: 2, Vocabulary: 10, Positions: 6, Tied: true, Dropout: true, AttentionDropout: true}
	require.NoError(t, c.Complete())
	return c
}

// TestActivationsOfABlock: Korthikanti et al., arXiv 2205.05198, section 4.1, equation 1:
// s b h (34 + 5 a s / h) bytes in 16 bit. Our fused attention keeps the sums of the rows instead of scores.
func TestActivationsOfABlock(t *testing.T) {
	c := tiny(t)
	const s, b, h, a = 6, 3, 8, 2
	eager := c.block(0, shape{batch: b, sequence: s, precision: FP16})
	assert.EqualValues(t, 34*s*b*h+5*a*s*s*b, eager.kept)
	fused := c.block(0, shape{batch: b, sequence: s, precision: FP16, fused: true})
	assert.EqualValues(t, 34*s*b*h+4*a*s*b, fused.kept)
	assert.EqualValues(t, 2*s*b*h, fused.input)

	n := c.network(shape{batch: b, sequence: s, precision: FP16, fused: true, checkpointing: true})
	for _, l := range n.layers[1:3] {
		assert.EqualValues(t, 2*s*b*h, l.kept, l.name)
	}
	assert.EqualValues(t, 34*s*b*h+4*a*s*b-2*s*b*h, n.workspace, "one block at a time is worked out again")
}

// TestBlockByHand counts a block of width 8, feed-forward 32, on 6 tokens of 1 sample.
func TestBlockByHand(t *testing.T) {
	l := tiny(t).block(0, shape{batch: 1, sequence: 6, precision: FP32})
	assert.EqualValues(t, 3*(8*8+8)+(8*8+8)+(8*32+32)+(32*8+8)+4*8, l.parameters)
	flops, back := 0.0, 0.0
	for _, o := range l.operations {
		flops += o.flops
		back += o.backFlops
	}
	products := 2 * 6 * (4*8*8 + 2*8*32)
	scores := 2 * 2 * 6 * 6 * 8 // two products of 6 x 6 pairs and width 8
	assert.EqualValues(t, products+scores, flops)
	assert.EqualValues(t, 2*(products+scores), back)

	fused := tiny(t).block(0, shape{batch: 1, sequence: 6, precision: FP32, fused: true})
	flops, back = 0, 0
	for _, o := range fused.operations {
		flops += o.flops
		back += o.backFlops
	}
	assert.EqualValues(t, products+scores/2, flops, "causal: half of the pairs")
	assert.EqualValues(t, 2*products+5*scores/4, back, "five products for two")
}

func TestWindowLimitsAttention(t *testing.T) {
	flops := func(window int64) float64 {
		c := *readConfig(t, "mistral_7b")
		c.Window = window
		n := c.network(shape{batch: 1, sequence: 8192, precision: BF16, fused: true})
		return n.flops(product)
	}
	all, half := flops(0), flops(4096)
	pairs := 8192.0 * 8192 / 2
	left := 8192.0*4096 - 4096.0*4096/2
	assert.InDelta(t, all-half, 7*2*32*4096*(pairs-left), 1, "2 products forward, 5 backward, 32 layers")
	assert.Equal(t, all, flops(8192))
}

// TestWindows: layers look back as far as the family or layer_types says.
func TestWindows(t *testing.T) {
	windows := func(c *Transformer) (list []int64) {
		for i := range min(c.Layers, 8) {
			list = append(list, c.window(i))
		}
		return list
	}
	assert.Equal(t, []int64{4096, 0, 4096, 0, 4096, 0, 4096, 0}, windows(readConfig(t, "gemma2_9b")))
	assert.Equal(t, []int64{512, 512, 512, 512, 512, 0, 512, 512}, windows(readConfig(t, "gemma3_1b")))
	assert.Equal(t, []int64{128, 0, 128, 0, 128, 0, 128, 0}, windows(readConfig(t, "gpt_oss_20b")))
	assert.Equal(t, make([]int64, 8), windows(readConfig(t, "qwen3_8b")))
	small := `{"model_type": "qwen3", "hidden_size": 8, "num_hidden_layers": 4, "num_attention_heads": 1, "intermediate_size": 8, "vocab_size": 8,
		"use_sliding_window": true, "sliding_window": 16, `
	for keys, want := range map[string][]int64{
		`"max_window_layers": 2}`: {0, 0, 16, 16},
		`"layer_types": ["full_attention", "sliding_attention", "sliding_attention", "sliding_attention"]}`: {0, 16, 16, 16},
		`"layer_types": ["sliding_attention", "sliding_attention", "full_attention", "sliding_attention"]}`: {16, 16, 0, 16},
		`"layer_types": ["full_attention", "full_attention", "full_attention", "full_attention"]}`:          {0, 0, 0, 0},
	} {
		c, err := ReadConfig(strings.NewReader(small + keys))
		require.NoError(t, err)
		assert.Equal(t, want, windows(c), keys)
	}
}

// TestExpertsByHand: width 8, 4 experts of width 16 of which a token meets 2, on 6 tokens.
func TestExpertsByHand(t *testing.T) {
	c := &Transformer{Type: "mixtral", Layers: 1, Hidden: 8, Heads: 2, Intermediate: 16, Vocabulary: 10, Experts: &Experts{Number: 4, Active: 2, Intermediate: 16}}
	require.NoError(t, c.Complete())
	dense := &Transformer{Type: "llama", Layers: 1, Hidden: 8, Heads: 2, Intermediate: 16, Vocabulary: 10}
	require.NoError(t, dense.Complete())
	s := shape{batch: 1, sequence: 6, precision: BF16}
	l, d := c.block(0, s), dense.block(0, s)
	const expert, router = 3 * 8 * 16, 8 * 4
	assert.EqualValues(t, d.parameters+3*expert+router, l.parameters)
	assert.EqualValues(t, 2*expert, l.idle)
	flops, back := 0.0, 0.0
	for _, o := range l.operations {
		flops, back = flops+o.flops, back+o.backFlops
	}
	for _, o := range d.operations {
		flops, back = flops-o.flops, back-o.backFlops
	}
	assert.EqualValues(t, 2*6*(expert+router), flops, "one expert more for each token, and the router")
	assert.EqualValues(t, 4*6*(expert+router), back)
	assert.EqualValues(t, 2*6*(4+2*(2*8+4*16)-4*16), l.kept-d.kept, "the router's scores, two experts for one feed-forward part")

	c.Experts.DenseFirst = 1
	assert.Equal(t, d, c.block(0, s), "a layer without experts")
}

// TestLatentByHand: 2 heads of 4 and 2 for queries and keys, 3 for values, by vectors of 5 and 7.
func TestLatentByHand(t *testing.T) {
	c := &Transformer{Type: "deepseek_v2", Layers: 1, Hidden: 8, Heads: 2, HeadSize: 4, Intermediate: 16, Vocabulary: 10,
		Latent: &Latent{QueryRank: 5, Rank: 7, Rotary: 2, ValueSize: 3}, Experts: &Experts{Number: 4, Active: 2, Intermediate: 16, DenseFirst: 1}}
	require.NoError(t, c.Complete())
	l := c.block(0, shape{batch: 1, sequence: 6, precision: BF16})
	products := 8*5 + 5*2*6 + 8*(7+2) + 7*2*(4+3) + 2*3*8 + 3*8*16
	assert.EqualValues(t, products+5+7+2*8, l.parameters)
	flops, back := 0.0, 0.0
	for _, o := range l.operations {
		flops, back = flops+o.flops, back+o.backFlops
	}
	scores := 2 * 2 * 6 * 6 * (6 + 3) // of 2 heads: width 6 with keys, 3 with values
	assert.EqualValues(t, 2*6*products+scores, flops)
	assert.EqualValues(t, 4*6*products+2*scores, back)
}

// TestFLOPsPerToken: 6 for each parameter that multiplies a token, and attention
// (Kaplan et al., arXiv 2001.08361, section 2.1), within 1 %.
func TestFLOPsPerToken(t *testing.T) {
	for _, name := range []string{
		"llama3_8b", "llama3_70b", "mistral_7b", "qwen2_7b", "gpt2_xl", "qwen3_8b", "phi3_mini", "gemma2_9b", "gemma3_1b", "olmo2_7b",
		"mixtral_8x7b", "qwen1_5_moe", "qwen3_30b_a3b", "deepseek_v2_lite", "deepseek_v3", "gpt_oss_20b",
	} {
		c := readConfig(t, name)
		const sequence = 1024
		n := c.network(shape{batch: 2, sequence: sequence, precision: BF16})
		multiplying := n.active()
		if !c.Tied { // the lookup multiplies nothing
			multiplying -= c.Vocabulary * c.Hidden
		}
		want := 6*float64(multiplying) + n.attention
		assert.InEpsilon(t, want, n.flops(product)/(2*sequence), 0.01, name)
	}
}

// TestNetFLOPs: torchvision's documentation gives multiplications and additions of one image, in 10^9.
func TestNetFLOPs(t *testing.T) {
	for name, want := range map[string]float64{"alexnet": 0.71, "vgg16": 15.47, "resnet18": 1.81, "resnet50": 4.09, "resnet101": 7.80, "resnet152": 11.51, "wrn101_2": 22.75} {
		forward := 0.0
		for _, l := range net(name, 1, TF32).layers {
			for _, o := range l.operations {
				forward += o.flops
			}
		}
		assert.InDelta(t, want, forward/2e9, 0.006, name)
	}
}

// TestWinograd: 3 x 3 convolutions of stride 1 are cheaper without tensor cores; what counts as useful is not.
func TestWinograd(t *testing.T) {
	plain, saved := net("vgg16", 1, TF32), net("vgg16", 1, FP32)
	assert.InEpsilon(t, plain.flops(convolution)/2.25, saved.flops(convolution), 1e-9)
	assert.InEpsilon(t, plain.useful, saved.useful, 1e-9)
}

func TestRooflineByHand(t *testing.T) {
	r := roofline{peak: 100, bandwidth: 10, efficiency: Efficiency{Products: 0.5, Convolutions: 0.25, Memory: 0.5, BatchNorms: 0.25}, launch: 2, gpus: 1, fabric: 5}
	forward, backward := r.layer(&layer{operations: []operation{
		{product, 500, 1000, 5, 10},        // 10 s by its operations, 20
		{convolution, 500, 1000, 150, 300}, // 30 s by its bytes, 60
		{movement, 0, 0, 1, 30},            // launched in 2 s, 6 s by its bytes
		{batchNorm, 0, 0, 10, 30},          // 4 s, 12
	}})
	assert.InDelta(t, 10+30+2+4, forward, 1e-9)
	assert.InDelta(t, 20+60+6+12, backward, 1e-9)

	// Four GPUs do a quarter each, and send 3/2 of what they add up.
	r.gpus = 4
	forward, backward = r.layer(&layer{reduced: 10, backReduced: 30, operations: []operation{{product, 500, 1000, 5, 10}, {movement, 0, 0, 1, 30}}})
	assert.InDelta(t, 2.5+2+1.5*10/5, forward, 1e-9)
	assert.InDelta(t, 5+4+1.5*30/5, backward, 1e-9)
}

// flops of an iteration of one kind.
func (n *network) flops(of kind) (total float64) {
	for i := range n.layers {
		for _, o := range n.layers[i].operations {
			if o.kind == of {
				total += o.flops + o.backFlops
			}
		}
	}
	return total
}
