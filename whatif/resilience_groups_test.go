package whatif_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/whatif"
)

// TestResilienceOfGroups: where workers have several GPUs, plans whose jobs may all stay are repaired, too.
func TestResilienceOfGroups(t *testing.T) {
	repaired := 0
	for seed := range instancetest.Many(uint64(100), 25) {
		spec := instancetest.GroupedSpec(rand.New(rand.NewPCG(seed, 51)), instancetest.Options{Objective: instance.Makespan})
		r, err := whatif.Resilience(t.Context(), spec, nil, whatif.ResilienceOptions{Failures: 1, NoLP: true})
		require.NoError(t, err, "seed %d", seed)
		for _, h := range r.Harm {
			if h.Repaired != nil {
				repaired++
			}
		}
	}
	require.NotZero(t, repaired)
}
