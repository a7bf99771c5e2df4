package jigsaw_test

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
)

func exampleDocument(t *testing.T, name string) *instance.Document {
	t.Helper()
	examples, err := jigsaw.Examples()
	require.NoError(t, err)
	i := slices.IndexFunc(examples, func(e jigsaw.Example) bool { return e.Name == name })
	require.GreaterOrEqual(t, i, 0)
	document, err := instance.Decode(examples[i].Data)
	require.NoError(t, err)
	return document
}

func resilienceOf(t *testing.T, name string, opt jigsaw.ResilienceOptions) *jigsaw.ResilienceResult {
	t.Helper()
	document := exampleDocument(t, name)
	models, err := jigsaw.Models()
	require.NoError(t, err)
	r, err := jigsaw.Resilience(context.Background(), document.Spec, models, opt)
	require.NoError(t, err)
	return r
}

// TestResilience holds the harm of every failure to what is true of all.
func TestResilience(t *testing.T) {
	names := []string{"quickstart", "crossing"}
	if testing.Short() {
		names = names[:1]
	}
	for _, name := range names {
		r := resilienceOf(t, name, jigsaw.ResilienceOptions{Failures: 1})
		in := r.Plan.Instance
		require.Equal(t, len(in.Links)+len(in.Nodes), r.Cases)
		require.Len(t, r.Harm, r.Cases)
		touched := 0
		for i, h := range r.Harm {
			if len(h.Touched) == 0 {
				assert.Zero(t, h.Repaired.Cmp(r.Plan.Primal), "who is not touched goes on")
				assert.Empty(t, h.Moved)
			} else {
				touched++
			}
			assert.Subset(t, h.Touched, h.Moved, "only who is touched moves")
			if h.Bound != nil && h.Replanned != nil {
				assert.LessOrEqual(t, h.Bound.Cmp(h.Replanned), 0)
			}
			if h.Repaired != nil {
				assert.LessOrEqual(t, h.Replanned.Cmp(h.Repaired), 0)
			}
			if i > 0 && h.Repaired != nil && r.Harm[i-1].Repaired != nil && h.Replanned != nil && len(h.Infeasible) == 0 {
				assert.LessOrEqual(t, h.Repaired.Cmp(r.Harm[i-1].Repaired), 0, "sorted by harm")
			}
		}
		assert.Positive(t, touched)

		before := runtime.GOMAXPROCS(1)
		again := resilienceOf(t, name, jigsaw.ResilienceOptions{Failures: 1})
		runtime.GOMAXPROCS(before)
		assert.Equal(t, r.Harm, again.Harm, "whatever the number of cores")
	}
}

func TestResilienceOfPairs(t *testing.T) {
	r := resilienceOf(t, "quickstart", jigsaw.ResilienceOptions{Failures: 2, Sample: 12, Seed: 3})
	require.Len(t, r.Harm, 12)
	for _, h := range r.Harm {
		require.Len(t, h.Failures, 2)
		require.NotEqual(t, h.Failures[0], h.Failures[1])
	}
	ctx, stop := context.WithCancel(context.Background())
	document := exampleDocument(t, "quickstart")
	models, err := jigsaw.Models()
	require.NoError(t, err)
	r, err = jigsaw.Resilience(ctx, document.Spec, models, jigsaw.ResilienceOptions{Failures: 1, Progress: func(n, _ int) {
		if n == 3 {
			stop()
		}
	}})
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(r.Harm), 3)
	assert.Less(t, len(r.Harm), r.Cases, "what is there when it is interrupted")
}
