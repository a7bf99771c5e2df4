package jigsaw_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
)

// crowd is of jobs whose parameters take 35 % of a GPU, so that two share one and three do not: the memory of two GPUs is
// enough for five by its sum.
func crowd(jobs string) string {
	return `version: 1
objective: makespan
cluster:
  gpu_types: [{name: a, memory: 13GB}]
  racks: [{nodes: 1, gpus: 2, gpu: a, nic: 10Gbit/s, fabric: 100Gbit/s}]
profiles:
  - {model: m, gpu: a, batch: 1, layers: [{name: l, forward: 1ms, backward: 2ms, parameters: 1500MB, activations: 1MB}]}
jobs:
  - {name: j, count: ` + jobs + `, model: m, workers: 1, iterations: 2}
`
}

func TestMemoryThatCannotHoldAllJobs(t *testing.T) {
	for jobs, want := range map[string]jigsaw.Status{"4": jigsaw.Optimal, "5": jigsaw.Infeasible} {
		in, err := jigsaw.Load([]byte(crowd(jobs)))
		require.NoError(t, err)
		result, err := jigsaw.Plan(t.Context(), in, jigsaw.Options{})
		require.NoError(t, err)
		require.Equal(t, want, result.Status, "%v", result.Reasons)
		if want == jigsaw.Infeasible {
			assert.Contains(t, result.Reasons[0], "GPU memory cannot hold the 5 jobs together")
			assert.True(t, result.Certified)
			_, err := jigsaw.Certify(t.Context(), in, result.Proof)
			assert.NoError(t, err)
		}
	}
}
