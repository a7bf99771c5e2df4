package bench

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// The group that ends last is planned alone; other objectives are refused.
func TestGroupStudy(t *testing.T) {
	var b strings.Builder
	g := GroupStudy{Row: Row{"tiny", "chain", instance.Makespan, 1}, Limit: time.Second, Each: time.Second, Count: 1}
	require.NoError(t, g.Run(t.Context(), &b))
	assert.Regexp(t, `\| 1 \| \d+ \| \d+ \| (\d+) \| \d+ \| \d+ \|\n$`, b.String())
	g.Row.Objective = instance.WeightedCompletion
	require.ErrorContains(t, g.Run(t.Context(), &b), "makespan")
}
