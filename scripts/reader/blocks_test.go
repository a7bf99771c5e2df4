package reader_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
)

// TestBlocks compares plans in blocks, which this reader writes out, as they are and with one repeat too many.
func TestBlocks(t *testing.T) {
	r := newReader(t)
	plans, repeating := 0, 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 18))
		spec, _ := randomSpec(rng, instance.Makespan)
		for j := range spec.Jobs {
			spec.Jobs[j].Iterations = 1 + rng.IntN(300)
			spec.Jobs[j].Deadline = 0
		}
		if spec.Residence != instance.WhileRunning {
			continue
		}
		in, err := instance.Compile(spec, nil)
		require.NoError(t, err)
		result, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Quick: true, NoLP: true})
		require.NoError(t, err)
		if result.Blocks == nil {
			continue
		}
		whole := codec.NewScheduleJSON(in, result.Blocks)
		more := codec.NewScheduleJSON(in, result.Blocks)
		for i := range more.Blocks {
			if b := &more.Blocks[i]; b.Repeats > 1 {
				b.Repeats++
				repeating++
				break
			}
		}
		a := r.ask(requestOf(t, spec, []*codec.ScheduleJSON{whole, more}, nil))
		require.Empty(t, a.Refused)
		require.Empty(t, a.Schedules[0].Violations)
		require.Equal(t, in.Value(result.Blocks).RatString(), a.Schedules[0].Value)
		require.InDelta(t, result.Blocks.Efficiency(in), a.Schedules[0].Efficiency, 1e-9)
		plans++
		if encode(whole) != encode(more) {
			require.NotEmpty(t, a.Schedules[1].Violations)
		}
	}
	t.Logf("%d plans, %d of which repeat", plans, repeating)
	require.Greater(t, plans, 4)
	require.Positive(t, repeating)
}
