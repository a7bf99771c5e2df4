package heuristics

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// manyNodes is a medium instance on 15 nodes in three racks.
func manyNodes(t *testing.T, name string, seed uint64) *instance.Instance {
	m := mediums()[name]
	m.racks, m.nodes, m.jobs, m.iterations, m.objective = 3, 5, 24, 2, finite(seed)
	return m.instance(t, seed)
}

func TestGroups(t *testing.T) {
	for seed := range uint64(6) {
		in := manyNodes(t, "plain", seed)
		s, err := Config{Quick: true}.Greedy(t.Context(), in, source(seed))
		require.NoError(t, err)
		of := make([]int, len(in.Nodes))
		used := map[instance.LinkID]int{}
		jobs := 0
		for n, g := range groupsOf(in, s) {
			gpus := 0
			for _, node := range g.nodes {
				require.Zero(t, of[node], "a node in two groups")
				of[node] = n + 1
				gpus += in.Nodes[node].GPUs
			}
			require.Equal(t, gpus, g.gpus)
			require.True(t, slices.IsSorted(g.jobs))
			jobs += len(g.jobs)
			for _, l := range g.trunks {
				used[l] = n + 1
			}
		}
		require.Equal(t, len(in.Jobs), jobs)
		require.NotContains(t, of, 0)
		for j, home := range s.Residency {
			span, ok := in.Span(home)
			require.True(t, ok)
			for _, g := range home {
				require.Equal(t, of[in.GPUs[home[0]].Node], of[in.GPUs[g].Node], "job %d in two groups", j)
			}
			for _, l := range in.Trunks(span) {
				require.Equal(t, of[in.GPUs[home[0]].Node], used[l], "job %d uses another group's trunk", j)
			}
		}
	}
}

func TestDivide(t *testing.T) {
	divided := 0
	for name := range mediums() {
		for seed := range uint64(4) {
			in := manyNodes(t, name, seed)
			s := divide(t.Context(), in, source(seed))
			if s == nil {
				continue
			}
			divided++
			require.Empty(t, instance.Check(in, s), "%s, seed %d", name, seed)
			assert.GreaterOrEqual(t, len(groupsOf(in, s)), 3, "%s, seed %d", name, seed)
		}
	}
	assert.Greater(t, divided, 12)
}

// TestPieces: every batch leaves a valid schedule that is no worse, and most runs
// gain. One core or two make no difference.
func TestPieces(t *testing.T) {
	runs, gained := 0, 0
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1
	}
	for _, name := range []string{"plain", "limits"} {
		for seed := range seeds {
			in := manyNodes(t, name, seed)
			run := func(cores int) *instance.Schedule {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
				p := newPieces(in, source(seed))
				start := divide(t.Context(), in, source(seed))
				if start == nil {
					return nil
				}
				p.take(find{start, valueOf(in, start.Completion(in))})
				if p.best.schedule == nil {
					return nil
				}
				first := p.best.value
				for range 3 {
					before := p.best.value
					p.batch(t.Context())
					require.False(t, before.less(p.best.value), "%s, seed %d", name, seed)
					require.Empty(t, instance.Check(in, p.best.schedule), "%s, seed %d", name, seed)
					require.Equal(t, valueOf(in, p.best.schedule.Completion(in)), p.best.value)
				}
				if p.best.value.less(first) {
					gained++
				}
				return p.best.schedule
			}
			one := run(1)
			require.Equal(t, one, run(2))
			if one != nil {
				runs += 2
			}
		}
	}
	t.Logf("%d of %d runs gained", gained, runs)
	assert.GreaterOrEqual(t, runs, 4*int(seeds)-2)
	assert.Greater(t, 2*gained, runs)
}
