package jigsaw_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
)

// TestOptimalTellsOfNoLimit: what ends a run once its plan is proven optimal took nothing
// from the plan, and is not in the notes.
func TestOptimalTellsOfNoLimit(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	in, err := jigsaw.Load([]byte(`version: 1
cluster: {gpu_types: [{name: v100, memory: 32GiB}], racks: [{nodes: 1, gpus: 4, gpu: v100, nic: 25Gbit/s, fabric: 400Gbit/s}]}
jobs: [{name: a, model: vgg16, workers: 4, iterations: 3}]`))
	require.NoError(t, err)
	r, err := jigsaw.Plan(ctx, in, jigsaw.Options{Progress: func(p jigsaw.Point) {
		if p.Event == "proven" {
			stop()
		}
	}})
	require.NoError(t, err)
	require.Error(t, ctx.Err())
	assert.Equal(t, jigsaw.Optimal, r.Status)
	for _, note := range r.Notes {
		if strings.HasPrefix(note, "no LP bound: ") {
			continue // this build has no engine
		}
		assert.Contains(t, note, "before the first schedule was found") // of a baseline
	}
}

// TestUnfinishedStatus: a run that was stopped is told from one that gave up.
func TestUnfinishedStatus(t *testing.T) {
	in := example(t, "quickstart")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	r, err := jigsaw.Bound(ctx, in, jigsaw.Options{NoLP: true})
	require.NoError(t, err)
	assert.Equal(t, jigsaw.Limit, r.Status)
	r, err = jigsaw.Bound(t.Context(), in, jigsaw.Options{NoLP: true})
	require.NoError(t, err)
	assert.NotEqual(t, jigsaw.Limit, r.Status)
	// A plan has the queue's schedule whatever happens.
	r, err = jigsaw.Plan(ctx, in, jigsaw.Options{NoLP: true, Quick: true})
	require.NoError(t, err)
	assert.Equal(t, jigsaw.Feasible, r.Status)
}
