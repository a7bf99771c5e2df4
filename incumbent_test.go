package jigsaw

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
)

func quickPlan(t *testing.T, opt Options) *Result {
	t.Helper()
	examples, err := Examples()
	require.NoError(t, err)
	for _, e := range examples {
		if e.Name == "quickstart" {
			in, err := Load(e.Data)
			require.NoError(t, err)
			opt.Quick = true
			r, err := Plan(t.Context(), in, opt)
			require.NoError(t, err)
			return r
		}
	}
	panic("there is no quickstart")
}

// A quick plan is a plan: valid, bounded, with its baselines, the same each time.
func TestQuickPlan(t *testing.T) {
	t.Parallel()
	shown := 0
	r := quickPlan(t, Options{Seed: 7, Incumbent: func(s *instance.Schedule) { shown++ }})
	require.Equal(t, Feasible, r.Status)
	require.True(t, r.Certified)
	require.Empty(t, check.Schedule(r.Instance, r.Schedule))
	require.Positive(t, shown)
	for _, b := range []Baseline{r.Exclusive, r.InterleavedFull, r.Greedy} {
		require.NotNil(t, b.Value)
		require.GreaterOrEqual(t, b.Value.Cmp(r.Primal), 0)
	}
	again := quickPlan(t, Options{Seed: 7})
	require.Equal(t, r.Schedule, again.Schedule)
	require.Equal(t, r.Dual, again.Dual)
}

// Of a burst the first and the last are shown, and nothing that is invalid or late.
func TestShowcase(t *testing.T) {
	t.Parallel()
	r := quickPlan(t, Options{NoLP: true})
	synctest.Test(t, func(t *testing.T) {
		var told []*instance.Schedule
		var at []time.Duration
		begin := time.Now()
		c := newShowcase(r.Instance, func(s *instance.Schedule) { told, at = append(told, s), append(at, time.Since(begin)) })
		burst := []*instance.Schedule{r.Schedule.Clone(), r.Schedule.Clone(), r.Schedule.Clone()}
		for _, s := range burst {
			c.offer(s)
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		require.Len(t, told, 2)
		require.Same(t, burst[0], told[0])
		require.Same(t, burst[2], told[1])
		require.Equal(t, []time.Duration{0, showEvery}, at)

		broken := r.Schedule.Clone()
		broken.Tasks[0].Start--
		c.offer(broken)
		require.Len(t, told, 2)

		c.offer(burst[1]) // held back, and then too late
		c.close()
		time.Sleep(time.Second)
		synctest.Wait()
		require.Len(t, told, 2)
	})
	var none *showcase
	none.offer(r.Schedule)
	none.close()
}
