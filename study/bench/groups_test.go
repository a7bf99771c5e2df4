package bench

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// Groups share no job and no node, hold all jobs, and end with the last of their jobs.
func TestGroupsOf(t *testing.T) {
	c, err := Generate(Row{"large", "area", instance.Makespan, 1})
	require.NoError(t, err)
	in := c.Instance
	s, err := greedy(t.Context(), c)
	require.NoError(t, err)
	list := groupsOf(in, s)
	require.Greater(t, len(list), 1)
	of, jobs, end := map[instance.NodeID]int{}, 0, s.Completion(in)
	for k, g := range list {
		for _, n := range g.nodes {
			require.NotContains(t, of, n)
			of[n] = k
		}
	}
	for k, g := range list {
		jobs += len(g.jobs)
		last := instance.Tick(0)
		for _, j := range g.jobs {
			last = max(last, end[j])
			for _, gpu := range s.Residency[j] {
				require.Equal(t, k, of[in.GPUs[gpu].Node])
			}
		}
		require.Equal(t, last, g.end)
		require.True(t, k == 0 || g.end <= list[k-1].end)
	}
	require.Len(t, in.Jobs, jobs)
}

func TestGroupStudy(t *testing.T) {
	var b strings.Builder
	g := GroupStudy{Row: Row{"tiny", "chain", instance.Makespan, 1}, Limit: time.Second, Each: time.Second, Count: 1}
	require.NoError(t, g.Run(t.Context(), &b))
	assert.Regexp(t, `\| 1 \| \d+ \| \d+ \| (\d+) \| \d+ \| \d+ \|\n$`, b.String())
	g.Row.Objective = instance.WeightedCompletion
	require.ErrorContains(t, g.Run(t.Context(), &b), "makespan")
}
