package estimate

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func readConfig(t *testing.T, name string) *Transformer {
	t.Helper()
	file, err := os.Open("configs/" + name + ".json")
	require.NoError(t, err)
	defer file.Close()
	c, err := ReadConfig(file)
	require.NoError(t, err)
	return c
}

// TestParametersArePublished holds counts against those that others publish: Hugging Face's
// model cards (safetensors), torchvision's documentation, and the throughput tables of MPT.
func TestParametersArePublished(t *testing.T) {
	for name, want := range map[string]int64{
		"llama3_8b": 8_030_261_248, "llama3_70b": 70_553_706_496, "mistral_7b": 7_241_732_096, "qwen2_7b": 7_615_616_512,
		"qwen3_8b": 8_190_735_360, "phi3_mini": 3_821_079_552, "gemma_7b": 8_537_680_896, "gemma2_9b": 9_241_705_984, "gemma3_1b": 999_885_952, "olmo2_7b": 7_298_617_344,
		"mixtral_8x7b": 46_702_792_704, "qwen1_5_moe": 14_315_784_192, "qwen3_30b_a3b": 30_532_122_624, "deepseek_v2_lite": 15_706_484_224,
		"deepseek_v3": 671_026_419_200, "gpt_oss_20b": 20_914_757_184,
		"gpt2_xl": 1_557_611_200, "bert_large": 335_141_888, "vit_l16": 304_326_632,
	} {
		c := readConfig(t, name)
		assert.Equal(t, want, c.network(shape{batch: 1, sequence: 16, precision: BF16}).parameters(), name)
	}
	// What a token meets: the papers of Mixtral (arXiv 2401.04088) and Qwen3 (2505.09388), and DeepSeek-V3's README_WEIGHTS.
	for name, want := range map[string]float64{"mixtral_8x7b": 12.9e9, "qwen3_30b_a3b": 3.3e9, "deepseek_v3": 36.7e9 + 0.9e9} {
		assert.InEpsilon(t, want, readConfig(t, name).network(shape{batch: 1, sequence: 16, precision: BF16}).active(), 0.02, name)
	}
	bert := *readConfig(t, "bert_large")
	for head, want := range map[string]int64{"masked-lm": 335_174_458, "pretraining": 336_226_108} {
		bert.Head, bert.Tied = head, true
		assert.Equal(t, want, bert.network(shape{batch: 1, sequence: 16, precision: BF16}).parameters(), head)
	}
	small := Transformer{Type: "gpt2", Layers: 12, Hidden: 768, Heads: 12, Vocabulary: 50257, Positions: 1024, Tied: true}
	require.NoError(t, small.Complete())
	assert.EqualValues(t, 124_439_808, small.network(shape{batch: 1, sequence: 16, precision: BF16}).parameters())

	for name, want := range map[string]int64{
		"alexnet": 61_100_840, "vgg11": 132_863_336, "vgg13": 133_047_848, "vgg16": 138_357_544, "vgg19": 143_667_240,
		"resnet18": 11_689_512, "resnet34": 21_797_672, "resnet50": 25_557_032, "resnet101": 44_549_160, "resnet152": 60_192_808,
		"wrn50_2": 68_883_240, "wrn101_2": 126_886_696,
	} {
		assert.Contains(t, Nets(), name)
		assert.Equal(t, want, net(name, 1, FP32).parameters(), name)
	}
	assert.Len(t, Nets(), 12)

	for _, row := range throughputs() {
		c := *row.options.Transformer
		require.NoError(t, c.Complete())
		assert.Equal(t, row.parameters, c.network(shape{batch: 1, sequence: 16, precision: BF16}).parameters(), row.options.Model)
	}
}
