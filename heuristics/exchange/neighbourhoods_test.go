package exchange

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/groups"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/list"
	"jigsaw/heuristics/state"
)

// manyNodes is a medium instance on 15 nodes in three racks.
func manyNodes(t *testing.T, name string, seed uint64) *instance.Instance {
	m := heuristicstest.Mediums()[name]
	m.Racks, m.Nodes, m.Jobs, m.Iterations, m.Objective = 3, 5, 24, 2, heuristicstest.Finite(seed)
	return m.Instance(t, seed)
}

func TestGroups(t *testing.T) {
	for seed := range uint64(6) {
		in := manyNodes(t, "plain", seed)
		s, err := list.Greedy(t.Context(), state.Options{Quick: true}, in, heuristicstest.Source(seed))
		require.NoError(t, err)
		of := make([]int, len(in.Nodes))
		used := map[instance.LinkID]int{}
		jobs := 0
		for n, g := range groups.Of(in, s) {
			gpus := 0
			for _, node := range g.Nodes {
				require.Zero(t, of[node], "a node in two groups")
				of[node] = n + 1
				gpus += in.Nodes[node].GPUs
			}
			require.Equal(t, gpus, g.GPUs)
			require.True(t, slices.IsSorted(g.Jobs))
			jobs += len(g.Jobs)
			for _, l := range g.Trunks {
				used[l] = n + 1
			}
		}
		require.Equal(t, len(in.Jobs), jobs)
		require.NotContains(t, of, 0)
		for j, residency := range s.Residency {
			span, ok := in.Span(residency)
			require.True(t, ok)
			for _, g := range residency {
				require.Equal(t, of[in.GPUs[residency[0]].Node], of[in.GPUs[g].Node], "job %d in two groups", j)
			}
			for _, l := range in.Trunks(span.Links()) {
				require.Equal(t, of[in.GPUs[residency[0]].Node], used[l], "job %d uses another group's trunk", j)
			}
		}
	}
}

func TestDivide(t *testing.T) {
	seeds, divided := 4, 0
	if testing.Short() {
		seeds = 1
	}
	for name := range heuristicstest.Mediums() {
		for seed := range uint64(seeds) {
			in := manyNodes(t, name, seed)
			s := Divide(t.Context(), in, heuristicstest.Source(seed))
			if s == nil {
				continue
			}
			divided++
			require.Empty(t, check.Schedule(in, s), "%s, seed %d", name, seed)
			assert.GreaterOrEqual(t, len(groups.Of(in, s)), 3, "%s, seed %d", name, seed)
		}
	}
	assert.Greater(t, divided, 3*seeds)
}

// TestNeighbourhoods: every batch leaves a valid schedule that is no worse, and half of the runs
// gain.
func TestNeighbourhoods(t *testing.T) {
	runs, gained := improves(t, func(in *instance.Instance, seed uint64) (best *state.Incumbent, step func()) {
		p := NewNeighbourhoods(in, heuristicstest.Source(seed), nil)
		start := Divide(t.Context(), in, heuristicstest.Source(seed))
		if start == nil {
			return nil, nil
		}
		p.take(state.Incumbent{Schedule: start, Value: state.ValueOf(in, start.Completion(in))})
		if p.Best.Schedule == nil {
			return nil, nil
		}
		return &p.Best, func() { p.batch(t.Context()) }
	})
	assert.GreaterOrEqual(t, 2*gained, runs)
}

// TestFewGroups: neighbourhoods of three groups are searched if these are large, of five in
// any case.
func TestFewGroups(t *testing.T) {
	for racks, want := range map[int]map[int]float64{5: {2: 0, 3: 0.5, 4: 0.5, 8: 0.5, 16: 0.75}, 2: {4: 0, 5: 0.2, 16: 0.75}} {
		m := heuristicstest.Mediums()["plain"]
		m.Racks, m.Nodes, m.Jobs, m.Iterations = racks, 2, 4, 1
		in := m.Instance(t, 1)
		s, err := list.Greedy(t.Context(), state.Options{Quick: true}, in, heuristicstest.Source(1))
		require.NoError(t, err)
		p := NewNeighbourhoods(in, heuristicstest.Source(1), nil)
		p.Best = state.Incumbent{Schedule: s, Value: state.ValueOf(in, s.Completion(in))}
		for n, part := range want {
			p.groups = make([]groups.Group, n)
			assert.InDelta(t, part, p.Follow(p.Best, p.Best), 1e-9, "%d groups on %d GPUs", n, len(in.GPUs))
		}
	}
}

// improves runs a search of many nodes, which starts with the best schedule that it
// has and a step to take, or with nil if it has nothing to do. Each of some steps
// leaves a valid schedule that is no worse and has the value that the search
// claims. One core or two make no difference. It returns the number of runs, and
// how many gained.
func improves(t *testing.T, begin func(in *instance.Instance, seed uint64) (best *state.Incumbent, step func())) (runs, gained int) {
	t.Helper()
	seeds, steps := uint64(4), 3
	if testing.Short() {
		seeds, steps = 2, 2 // one seed of each objective
	}
	for _, name := range []string{"plain", "limits"} {
		for seed := range seeds {
			in := manyNodes(t, name, seed)
			run := func(cores int) *instance.Schedule {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
				best, step := begin(in, seed)
				if best == nil {
					return nil
				}
				first := best.Value
				for range steps {
					before := best.Value
					step()
					require.False(t, before.Less(best.Value), "%s, seed %d", name, seed)
					require.Empty(t, check.Schedule(in, best.Schedule), "%s, seed %d", name, seed)
					require.Equal(t, state.ValueOf(in, best.Schedule.Completion(in)), best.Value)
				}
				runs++
				if best.Value.Less(first) {
					gained++
				}
				return best.Schedule
			}
			require.Equal(t, run(1), run(2))
		}
	}
	t.Logf("%d of %d runs gained", gained, runs)
	assert.GreaterOrEqual(t, runs, 4*int(seeds)-2)
	return runs, gained
}
