package cli

import (
	"bytes"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"jigsaw"
	"jigsaw/formulation/instance"
)

// TestEventLogSteps checks which incumbents get a line: large steps, steps of another search, and small ones once a second; and every
// bound.
func TestEventLogSteps(t *testing.T) {
	var b bytes.Buffer
	l := newEventLog(&b, &instance.Instance{TickUS: 1_000_000, Objective: instance.Makespan}, false)
	for _, p := range []struct {
		ms            int
		event         string
		primal, bound int64
	}{
		{0, "greedy", 10_000, 9_000},
		{100, "greedy", 9_990, 9_000},    // small
		{200, "greedy", 9_970, 9_000},    // large against the line before
		{300, "search", 9_969, 9_000},    // another search
		{400, "search", 9_968, 9_000},    // small
		{500, "fluid", 9_968, 9_100},     // a bound
		{600, "search", 9_967, 9_100},    // after the bound's line
		{700, "search", 9_966, 9_100},    // small
		{1_650, "search", 9_965, 9_100},  // a second later
		{1_700, "optimal", 9_964, 9_100}, // another event
	} {
		l.Show(jigsaw.Point{Elapsed: time.Duration(p.ms) * time.Millisecond, Event: p.event, Primal: big.NewRat(p.primal, 1), Dual: big.NewRat(p.bound, 1)})
	}
	var times []string
	for line := range strings.Lines(b.String()) {
		times = append(times, strings.Fields(line)[0])
	}
	assert.Equal(t, []string{"time", "0.00", "0.20", "0.30", "0.50", "0.60", "1.65", "1.70"}, times)
}
