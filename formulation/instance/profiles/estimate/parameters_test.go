package estimate

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func readConfig(t *testing.T, name string) *Transformer {
	t.Helper()
	file, err := os.Open("testdata/" + name + ".json")
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
		"gpt2_xl": 1_557_611_200, "bert_large": 335_141_888, "vit_l16": 304_326_632,
	} {
		c := readConfig(t, name)
		assert.Equal(t, want, c.network(shape{batch: 1, sequence: 16, precision: BF16}).parameters(), name)
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
