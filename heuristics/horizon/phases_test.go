package horizon_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/horizon"
)

// TestPhases: phases make valid plans with no more weighted completion, or that end no later, in which nobody ends after the limit or
// their deadlines, and the same again.
func TestPhases(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 10))
	made, better := 0, 0
	for n := range instancetest.Many(6000, 600) {
		objective := []instance.Objective{instance.Makespan, instance.WeightedCompletion}[n%2]
		in := draw(rng, objective)
		for _, alike := range in.Classes() {
			iterations := 1 + rng.IntN(300)
			for _, j := range alike {
				in.Jobs[j].Iterations = iterations
			}
		}
		var s *instance.BlockSchedule
		var err error
		if n%3 == 0 {
			s, _, err = horizon.Config{Rounds: 20}.Orders(context.Background(), in, rand.New(rand.NewPCG(1, 1)))
		} else {
			s, err = cells(horizon.Config{Quick: true}, in)
		}
		if err != nil || len(check.Blocks(in, s)) > 0 {
			continue
		}
		made++
		_, ends := s.Spans(in)
		by := []instance.Tick{0, s.Makespan(in), s.Makespan(in) * 11 / 10}[rng.IntN(3)]
		if rng.IntN(3) == 0 {
			for j := range in.Jobs {
				in.Jobs[j].Deadline = ends[j] + instance.Tick(rng.IntN(int(ends[j])))
			}
		}
		phased := horizon.Config{Rounds: 1}.Phases(context.Background(), in, s, by, rand.New(rand.NewPCG(1, 1)))
		require.Empty(t, check.Blocks(in, phased), "%d", n)
		written, err := phased.Expand(in)
		require.NoError(t, err)
		require.Empty(t, check.Schedule(in, written), "%d", n)
		if by > 0 {
			require.LessOrEqual(t, phased.Makespan(in), by)
		}
		weighted := *in
		weighted.Objective = instance.WeightedCompletion
		before, after := weighted.BlockValue(s), weighted.BlockValue(phased)
		if by == 0 && objective == instance.Makespan { // it is the ends of groups that count
			require.LessOrEqual(t, phased.Makespan(in), s.Makespan(in), "%d", n)
		} else {
			require.LessOrEqual(t, after.Cmp(before), 0, "%d", n)
		}
		if after.Cmp(before) < 0 {
			better++
		}
		again := horizon.Config{Rounds: 1}.Phases(context.Background(), in, s, by, rand.New(rand.NewPCG(1, 1)))
		require.Equal(t, phased, again)
	}
	t.Logf("%d of %d plans are better", better, made)
	require.Greater(t, better, made/12)
}

// TestOrdersMeetDeadlines: where orders miss deadlines that a plan meets, the search finds others.
func TestOrdersMeetDeadlines(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 11))
	met, all := 0, 0
	for range instancetest.Many(400, 150) {
		in := draw(rng, instance.WeightedCompletion)
		shortest := *in
		shortest.Objective = instance.Makespan
		s, _, err := horizon.Config{Rounds: 40, Whole: true}.Orders(context.Background(), &shortest, rand.New(rand.NewPCG(2, 2)))
		if err != nil {
			continue
		}
		_, ends := s.Spans(in)
		for j := range in.Jobs {
			in.Jobs[j].Deadline = ends[j]
		}
		all++
		d, _, err := horizon.Config{Rounds: 60, Whole: true}.Orders(context.Background(), in, rand.New(rand.NewPCG(1, 1)))
		if err == nil {
			met++
			require.Empty(t, check.Blocks(in, d))
		}
	}
	t.Logf("%d of %d are met", met, all)
	require.Greater(t, met, all*95/100)
}
