package jigsaw

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

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
