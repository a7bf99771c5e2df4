package jigsaw

import (
	"context"
	"math/big"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// A schedule that the bounds at hand leave open waits for the fluid bound, and that
// settles; the end of the run ends the wait.
func TestUnbeatableWaitsForFluid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p, stop := newPlanner(ctx, &instance.Instance{Objective: instance.Makespan}, Options{})
		defer stop()
		p.settledDual = big.NewRat(5, 1)
		require.False(t, p.unbeatable()(big.NewRat(6, 1)), "there is nothing to wait for")

		p.fluidIn = make(chan struct{})
		unbeatable := p.unbeatable()
		begun := time.Now()
		require.True(t, unbeatable(big.NewRat(5, 1)))
		require.Zero(t, time.Since(begun), "it waited")
		time.AfterFunc(time.Second, func() {
			p.fluidDual = big.NewRat(7, 1)
			close(p.fluidIn)
		})
		require.True(t, unbeatable(big.NewRat(7, 1)))
		require.False(t, unbeatable(big.NewRat(8, 1)))
		p.settleFluid()
		require.Equal(t, big.NewRat(7, 1), p.settledDual)

		p.fluidIn = make(chan struct{})
		time.AfterFunc(time.Second, cancel)
		require.False(t, p.unbeatable()(big.NewRat(8, 1)))
	})
}

// With a time limit the bounds count as they come, once they are certified.
func TestUnbeatableFollowsBounds(t *testing.T) {
	t.Parallel()
	p, stop := newPlanner(t.Context(), &instance.Instance{Objective: instance.Makespan}, Options{Time: time.Hour})
	defer stop()
	unbeatable := p.unbeatable()
	require.False(t, unbeatable(big.NewRat(7, 1)))
	p.result.Dual = big.NewRat(7, 1)
	require.False(t, unbeatable(big.NewRat(7, 1)))
	p.result.Certified = true
	require.True(t, unbeatable(big.NewRat(7, 1)))
	require.False(t, unbeatable(big.NewRat(8, 1)))
}
