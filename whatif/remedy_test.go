package whatif

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw"
)

// TestRemediesOfSeveral: where several jobs have no plan even alone, each gets remedies, and one of each together give a plan; the
// job that has one gets none, even if it is the first with a deadline.
func TestRemediesOfSeveral(t *testing.T) {
	t.Parallel()
	spec, _ := decode(t, `
version: 1
residence: run
cluster:
  gpu_types: [{name: v100, memory: 5GiB}]
  racks: [{nodes: 1, gpus: 4, gpu: v100, nic: 25Gbit/s, fabric: 400Gbit/s}]
jobs:
  - {name: fine, model: gnmt, workers: 2, iterations: 20000, deadline: 40h}
  - {name: bert, model: bert24, workers: 4, iterations: 3, optimizer: adam}
  - {name: rush, model: gnmt, workers: 2, iterations: 60000, deadline: 1h}
`)
	models, err := jigsaw.Models()
	require.NoError(t, err)
	m, err := Remedies(t.Context(), spec, models)
	require.NoError(t, err)
	require.Equal(t, 2, m.Jobs)
	at := func(want string) Remedy {
		n := slices.IndexFunc(m.Remedies, func(r Remedy) bool { return r.Text == want })
		require.GreaterOrEqual(t, n, 0, "%s in %v", want, m.Remedies)
		return m.Remedies[n]
	}
	for _, first := range []Remedy{at(`optimizer: momentum for job "bert"`), at(`deadline: 2h for job "rush"`)} {
		rest, err := Remedies(t.Context(), first.Spec, models)
		require.NoError(t, err)
		require.Zero(t, rest.Jobs, first.Text)
		require.NotEmpty(t, rest.Remedies, first.Text)
		for _, second := range rest.Remedies {
			require.True(t, planned(t.Context(), second.Spec, models), "%s, %s", first.Text, second.Text)
			none, err := Remedies(t.Context(), second.Spec, models)
			require.NoError(t, err)
			require.Empty(t, none.Remedies)
		}
	}
	require.False(t, slices.ContainsFunc(m.Remedies, func(r Remedy) bool { return r.Text == `without job "fine"` }))
}
