package jigsaw_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
)

// TestLargeModelsNeedSharding: what the examples of large models plan fits no GPU without it.
func TestLargeModelsNeedSharding(t *testing.T) {
	for name, want := range map[string]string{
		"finetune-7b":     `job "llama": a worker needs at least 125.65 GiB of memory, the GPUs it may use have 80.00 GiB`,
		"pretrain-70b":    `job "llama": a worker needs at least 1061.41 GiB of memory, the GPUs it may use have 80.00 GiB`,
		"tensor-parallel": `job "llama": a worker needs at least 132.68 GiB of memory`,
	} {
		document, models := documentAndModels(t, name)
		for i := range document.Spec.Jobs {
			document.Spec.Jobs[i].Sharding = ""
		}
		in, err := document.Compile(models)
		require.NoError(t, err)
		r, err := jigsaw.Plan(t.Context(), in, jigsaw.Options{Quick: true})
		require.NoError(t, err)
		assert.Equal(t, jigsaw.Infeasible, r.Status, name)
		assert.Contains(t, strings.Join(r.Reasons, "\n"), want, name)
	}
}

// TestPersistentOfLlama is worked out by hand: 16 bytes for each of 8,030,261,248 parameters over 16 workers.
func TestPersistentOfLlama(t *testing.T) {
	document, models := documentAndModels(t, "finetune-7b")
	in, err := document.Compile(models)
	require.NoError(t, err)
	assert.Equal(t, instance.Bytes(8_030_261_248), in.Jobs[0].On[0].Persistent)
	// The largest block is the head, a norm and 128256 x 4096 numbers of 2 bytes: its gradients and itself.
	// Kept are 32 blocks' inputs of 4096 x 4096 numbers, the head's, and the ids and labels of 4096 tokens. The
	// head is the largest block: it was measured to keep four bytes for each of 4096 x 128256 logits, and
	// for its norm and its product four vectors of 4096 x 4096 numbers, less ends. The workspace is the gradient of
	// the logits in 32 and in 16 bit, less two of these vectors.
	head, vector, logits := instance.Bytes((128256+1)*4096*2), instance.Bytes(4096*4096*2), instance.Bytes(4096*128256)
	const kept, workspace = 2_235_613_196, 3_084_854_260
	assert.InEpsilon(t, kept, int64(4*logits+4*vector), 1e-4)
	assert.InEpsilon(t, workspace, int64(6*logits-2*vector), 1e-4)
	assert.Equal(t, 2*head+33*vector+2*8*4096+kept+workspace, in.Jobs[0].On[0].Ephemeral[in.Jobs[0].Full()])
}

func documentAndModels(t *testing.T, name string) (*codec.Document, instance.ProfileSource) {
	t.Helper()
	models, err := jigsaw.Models()
	require.NoError(t, err)
	data, err := os.ReadFile("testdata/examples/" + name + ".yaml")
	require.NoError(t, err)
	document, err := codec.Decode(data)
	require.NoError(t, err)
	return document, models
}

// compiled is the instance of a text, with the models that are built in.
func compiled(tb testing.TB, text string) *instance.Instance {
	tb.Helper()
	document, err := codec.Decode([]byte(text))
	require.NoError(tb, err)
	models, err := jigsaw.Models()
	require.NoError(tb, err)
	in, err := document.Compile(models)
	require.NoError(tb, err)
	return in
}
