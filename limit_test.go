package jigsaw_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
)

// TestPlanAtAnyLimit: a run that is over before it begins has a plan, for every objective
// and also where the rules do not admit full depth.
func TestPlanAtAnyLimit(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, name := range []string{"quickstart", "crossing"} {
		for _, objective := range []instance.Objective{instance.Makespan, instance.WeightedCompletion, instance.Throughput, instance.MaxMinThroughput} {
			in := *example(t, name)
			in.Objective = objective
			r, err := jigsaw.Plan(ctx, &in, jigsaw.Options{NoLP: true})
			require.NoError(t, err)
			require.NotNil(t, r.Schedule, "%s %s", name, objective)
			assert.Empty(t, check.Schedule(&in, r.Schedule))
			assert.NotEmpty(t, r.Schedule.Tasks, "%s %s", name, objective)
		}
	}
}
