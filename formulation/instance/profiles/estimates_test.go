package profiles

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/profiles/estimate"
)

// estimates are the models of the library that were not measured on each GPU, with the parameters
// that others publish. Their configs are in estimate/configs.
var estimates = []struct {
	model           string
	config          bool
	batch, sequence int
	parameters      int64
	groups          []int // of GPUs that share every layer, beside one GPU
}{
	{"bert_large", true, 16, 512, 335_141_888, nil},
	{"gpt2_xl", true, 4, 1024, 1_557_611_200, nil},
	{"llama3_70b", true, 1, 4096, 70_553_706_496, []int{8}},
	{"llama3_8b", true, 1, 4096, 8_030_261_248, []int{2}},
	{"mistral_7b", true, 1, 4096, 7_241_732_096, nil},
	{"qwen2_7b", true, 1, 4096, 7_615_616_512, nil},
	{"resnet152", false, 64, 0, 60_192_808, nil},
	{"vit_l16", true, 64, 0, 304_326_632, nil},
}

// measured are the files of the library that profiler/jigsaw_profile.py wrote: with --dtype bf16, and
// --blocks 'layer?.*' for ResNets.
var measured = []string{
	"bert_large_h100", "gpt2_xl_h100", "llama3_8b_h100", "mistral_7b_h100", "qwen2_7b_h100",
	"resnet50_h100", "resnet152_h100", "vgg16_h100", "vit_l16_h100",
}

// TestMeasuredLayers holds measured profiles against the estimates of the same models: a job may use both,
// so they have the same layers; and what is counted in bytes was counted twice.
func TestMeasuredLayers(t *testing.T) {
	lib, err := Builtin()
	require.NoError(t, err)
	for _, e := range estimates {
		m, found := lib.Find(e.model, "h100", e.batch)
		require.True(t, found)
		if !slices.Contains(measured, e.model+"_h100") {
			require.NotEmpty(t, m.Estimated)
			continue
		}
		assert.Empty(t, m.Estimated)
		a, found := lib.Find(e.model, "a100", e.batch)
		require.True(t, found)
		require.Len(t, m.Layers, len(a.Layers), e.model)
		for i := range m.Layers {
			assert.Equal(t, a.Layers[i].Parameters, m.Layers[i].Parameters, "%s %s", e.model, m.Layers[i].Name)
			assert.Equal(t, a.Layers[i].Joined, m.Layers[i].Joined, "%s %s", e.model, m.Layers[i].Name)
		}
		assert.InDelta(t, 1, float64(a.Totals().Activations)/float64(m.Totals().Activations), 0.4, e.model)
	}
}

// TestLibraryMatchesEstimates holds the estimated profiles of the library against what the
// estimate gives now, in bf16 on a100 and h100. With -update it writes them.
func TestLibraryMatchesEstimates(t *testing.T) {
	for _, e := range estimates {
		t.Run(e.model, func(t *testing.T) {
			var all []*instance.Profile
			for _, gpu := range []string{"a100", "h100"} {
				o := estimate.Options{Model: e.model, GPU: gpu, Batch: e.batch, Sequence: e.sequence, Precision: estimate.BF16}
				if e.config {
					file, err := os.Open(filepath.Join("estimate", "configs", e.model+".json"))
					require.NoError(t, err)
					defer file.Close()
					o.Transformer, err = estimate.ReadConfig(file)
					require.NoError(t, err)
				} else {
					o.Net = e.model
				}
				for _, o.GPUs = range append([]int{1}, e.groups...) {
					if o.GPUs == 1 && slices.Contains(measured, e.model+"_"+gpu) {
						continue
					}
					p, summary, err := estimate.Profile(o)
					require.NoError(t, err)
					assert.Equal(t, e.parameters, summary.Parameters)
					assert.Equal(t, instance.Bytes(2*e.parameters), p.Totals().Parameters)
					all = append(all, p)
				}
			}
			var want bytes.Buffer
			require.NoError(t, Encode(&want, all))
			name := filepath.Join("library", e.model+".json")
			if *update {
				require.NoError(t, os.WriteFile(name, want.Bytes(), 0o644))
			}
			got, err := os.ReadFile(name)
			require.NoError(t, err)
			require.True(t, bytes.Equal(want.Bytes(), got), "%s is not what the estimate gives now; run with -update and look at the difference", name)
		})
	}
}

func TestFamilies(t *testing.T) {
	library, err := Builtin()
	require.NoError(t, err)
	for _, model := range library.Models() {
		assert.NotEmpty(t, Family(model), model)
		assert.Contains(t, Families(), Family(model))
	}
	assert.Empty(t, Family("mine"))
	assert.Equal(t, "language models", Family("llama3_8b"))
}
