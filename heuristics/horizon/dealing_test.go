package horizon

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/pattern"
)

// TestDealBySpeed: of ten identical jobs, GPUs that are four times as fast get eight.
func TestDealBySpeed(t *testing.T) {
	in := heuristicstest.TwoSpeeds(t, 10, heuristicstest.TypeOf("fast", 2_000_000), heuristicstest.TypeOf("slow", 500_000))
	d := dealer{in: in, class: in.ClassOf(), strays: pattern.Strays(in)}
	d.works, d.on = works(in)
	cells := d.cut(1)
	require.NoError(t, d.deal(cells))
	require.Len(t, cells, 2)
	require.Len(t, cells[0].jobs, 8)
	require.InDelta(t, d.level(&cells[0], cells[0].demand), d.level(&cells[1], cells[1].demand), 1e-9)
}

// TestDealByMemory: two jobs whose memory does not fit side by side go to different cells although their work would be balanced in one; with
// two more of them, by work alone.
func TestDealByMemory(t *testing.T) {
	deal := func(big, iterations []int) [][]instance.JobID {
		in := heuristicstest.TwoSpeeds(t, len(iterations), heuristicstest.TypeOf("fast", 1_000_000), heuristicstest.TypeOf("slow", 1_000_000))
		for j, n := range iterations {
			job := &in.Jobs[j]
			job.Iterations, job.On = n, slices.Clone(job.On)
			for i, costs := range job.On {
				job.On[i] = &instance.Costs{Time: costs.Time, Persistent: 10, Ephemeral: []instance.Bytes{5}}
				if slices.Contains(big, j) {
					job.On[i].Persistent = 60
				}
			}
		}
		for i := range in.Types {
			in.Types[i].Memory = 100
		}
		d := dealer{in: in, class: in.ClassOf(), strays: pattern.Strays(in)}
		d.works, d.on = works(in)
		cells := d.cut(1)
		require.NoError(t, d.deal(cells))
		for i := range cells { // as if counted anew
			require.Equal(t, d.demand(&cells[i]), cells[i].demand)
			for _, j := range cells[i].jobs {
				rest := cells[i]
				rest.jobs = slices.DeleteFunc(slices.Clone(rest.jobs), func(k instance.JobID) bool { return k == j })
				require.InDelta(t, d.level(&rest, d.demand(&rest)), d.changed(&cells[i], j, instance.NoJob), 1e-9)
			}
		}
		return [][]instance.JobID{cells[0].jobs, cells[1].jobs}
	}
	require.ElementsMatch(t, [][]instance.JobID{{0}, {1, 2, 3}}, deal([]int{0, 3}, []int{30, 20, 20, 10}))
	require.ElementsMatch(t, [][]instance.JobID{{0, 3}, {1, 2}}, deal([]int{0, 1, 2, 3}, []int{30, 20, 20, 10}))
}

// TestWork: a job's work is that on its fastest GPUs, wherever these are in the file.
func TestWork(t *testing.T) {
	compile := func(types ...instance.GPUTypeSpec) *instance.Instance {
		return heuristicstest.TwoSpeeds(t, 1, types...)
	}
	fast, slow := heuristicstest.TypeOf("fast", 2_000_000), heuristicstest.TypeOf("slow", 500_000)
	least, on := works(compile(fast, slow))
	require.Equal(t, []float64{40}, least)
	require.Equal(t, [][]float64{{40, 160}}, on)
	least, on = works(compile(slow, fast))
	require.Equal(t, []float64{40}, least)
	require.Equal(t, [][]float64{{160, 40}}, on)
}
