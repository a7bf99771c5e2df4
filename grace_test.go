package jigsaw

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestGrace: what is left for an engine to stop in ends soon after the time limit.
func TestGrace(t *testing.T) {
	left := func(limit, gone time.Duration) time.Duration {
		return (&planner{opt: Options{Time: limit}, start: time.Now().Add(-gone)}).grace()
	}
	assert.Equal(t, grace, left(0, time.Hour), "no limit")
	assert.Equal(t, grace, left(time.Minute, time.Second), "interrupted long before it")
	assert.LessOrEqual(t, left(time.Minute, time.Minute), overtime/2)
	assert.Equal(t, leastGrace, left(time.Minute, 2*time.Minute), "schedules that ended late")
}
