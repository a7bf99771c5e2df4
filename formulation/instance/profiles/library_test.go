package profiles

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// TestBuiltin also pins layers and cuts: a change of the order would move them.
func TestBuiltin(t *testing.T) {
	lib, err := Builtin()
	require.NoError(t, err)
	type key struct {
		model, gpu   string
		batch        int
		layers, cuts int
	}
	var got []key
	for _, r := range Rows(lib.All()) {
		got = append(got, key{r.Model, r.GPU, r.Batch, r.Layers, r.Cuts})
		assert.NotZero(t, r.Forward, r.Model)
		assert.NotZero(t, r.Backward, r.Model)
		assert.NotZero(t, r.Parameters, r.Model)
		assert.NotZero(t, r.Activations, r.Model)
		if r.Estimated {
			assert.Equal(t, "an estimate", r.Source)
		} else {
			assert.Regexp(t, "https://github.com/|jigsaw_profile@PyTorch", r.Source)
		}
	}
	want := []key{
		{"alexnet", "v100", 256, 20, 12},                                       // 5+3 weights, 3 pools, 2 dropouts
		{"bert24", "v100", 2, 27, 24},                                          // 24 blocks; the first is one with the embedding
		{"bert_large", "a100", 16, 26, 25}, {"bert_large", "h100", 16, 26, 25}, // 24 blocks, embedding, head
		{"densenet121", "v100", 64, 426, 72}, // 58 dense layers, 3 transitions of 3 steps, stem 3, head 3, less the first
		{"gnmt", "v100", 32, 24, 6},
		{"gpt2_xl", "a100", 4, 50, 49}, {"gpt2_xl", "h100", 4, 50, 49},
		{"inception_v3", "v100", 128, 321, 26},
		{"llama3_70b", "a100", 1, 82, 81}, {"llama3_70b", "a100", 1, 82, 81}, {"llama3_70b", "h100", 1, 82, 81}, {"llama3_70b", "h100", 1, 82, 81}, // of one GPU, and of eight
		{"llama3_8b", "a100", 1, 34, 33}, {"llama3_8b", "a100", 1, 34, 33}, {"llama3_8b", "h100", 1, 34, 33}, {"llama3_8b", "h100", 1, 34, 33}, // of one, and of two
		{"mistral_7b", "a100", 1, 34, 33}, {"mistral_7b", "h100", 1, 34, 33},
		{"qwen2_7b", "a100", 1, 30, 29}, {"qwen2_7b", "h100", 1, 30, 29},
		{"resnet101", "v100", 64, 344, 37},                                   // 33 blocks, stem 3, head 2
		{"resnet152", "a100", 64, 52, 51}, {"resnet152", "h100", 64, 52, 51}, // 50 blocks, stem, head
		{"resnet50", "h100", 256, 18, 17}, {"resnet50", "v100", 128, 174, 20}, // 16 blocks, stem 3 or 1, head 2 or 1
	}
	for _, b := range []int{1, 2, 3, 4, 6, 8, 16, 32, 64} {
		want = append(want, key{"vgg16", "a100", b, 22, 21})
	}
	want = append(want, key{"vgg16", "h100", 256, 32, 13}, key{"vgg16", "v100", 128, 38, 22}, key{"vit_l16", "a100", 64, 26, 25}, key{"vit_l16", "h100", 64, 26, 25})
	for _, b := range []int{1, 2, 3, 4, 6, 8, 16, 32} {
		want = append(want, key{"wrn101_2", "a100", b, 38, 37})
	}
	assert.Equal(t, want, got)
	for _, p := range lib.All() {
		if p.Estimated != "" {
			assert.Contains(t, p.Estimated, "TFLOP/s")
			continue
		}
		require.NotNil(t, p.Source)
		for _, s := range []string{p.Source.Repository, p.Source.Commit, p.Source.File, p.Source.Licence, p.Source.Note} {
			assert.NotEmpty(t, s, "source of %s", p.Model)
		}
	}
}

func TestLibraryLookup(t *testing.T) {
	lib, err := Builtin()
	require.NoError(t, err)
	vgg := lib.Profiles("vgg16")
	require.Len(t, vgg, 11)
	assert.Equal(t, "a100", vgg[0].GPU)
	assert.Equal(t, 1, vgg[0].Batch)
	assert.Equal(t, "v100", vgg[10].GPU)
	assert.Empty(t, lib.Profiles("vgg"))
	assert.Empty(t, lib.Profiles("zzz"))
	p, found := lib.Find("vgg16", "a100", 16)
	require.True(t, found)
	assert.Equal(t, 16, p.Batch)
	_, found = lib.Find("vgg16", "a100", 17)
	assert.False(t, found)

	// Callers may reorder what they are given.
	slices.Reverse(lib.All())
	slices.Reverse(lib.Profiles("vgg16"))
	assert.Equal(t, "alexnet", lib.All()[0].Model)
	assert.Equal(t, 1, lib.Profiles("vgg16")[0].Batch)
}

func TestLibraryWith(t *testing.T) {
	lib, err := Builtin()
	require.NoError(t, err)
	mine := tiny("mine", "v100", 4)
	more, err := lib.With(mine)
	require.NoError(t, err)
	assert.Len(t, more.All(), len(lib.All())+1)
	assert.Empty(t, lib.Profiles("mine"), "the library itself does not change")
	assert.Equal(t, []*instance.Profile{mine}, more.Profiles("mine"))

	again := tiny("vgg16", "v100", 128)
	more, err = lib.With(again)
	require.NoError(t, err)
	assert.Len(t, more.All(), len(lib.All()), "one's own takes the place of the library's")
	found, _ := more.Find("vgg16", "v100", 128)
	assert.Same(t, again, found)
	other := tiny("vgg16", "v100", 128)
	other.Source = &instance.Source{File: "my.json"}
	_, err = lib.With(again, other)
	assert.EqualError(t, err, "profiles: two profiles of vgg16 on v100 at batch 128, from an unnamed source and from my.json; rename or remove one")
	_, err = New(tiny("a", "b", 1), tiny("a", "b", 1))
	assert.ErrorContains(t, err, "two profiles of a on b at batch 1, from an unnamed source and from an unnamed source")
	_, err = lib.With(nil)
	assert.ErrorContains(t, err, "profiles[0].profile is missing")
	_, err = lib.With(&instance.Profile{Model: "x"})
	assert.ErrorContains(t, err, "profiles[0].batch: the batch size is 0")
}

func tiny(model, gpu string, batch int) *instance.Profile {
	return &instance.Profile{Model: model, GPU: gpu, Batch: batch, Layers: []instance.Layer{{Name: "only", Forward: 1, Backward: 2}}}
}

// A source that decodes model by model has what the library has.
func TestShippedIsBuiltin(t *testing.T) {
	t.Parallel()
	library, err := Builtin()
	require.NoError(t, err)
	for _, p := range library.All() {
		require.Equal(t, library.Profiles(p.Model), Shipped().Profiles(p.Model))
	}
	for _, none := range []string{"", "vgg", "wrn101", "wrn101_2_", "_"} {
		require.Empty(t, Shipped().Profiles(none))
	}
}
