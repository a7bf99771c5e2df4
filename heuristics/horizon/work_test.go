package horizon

import (
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
	require.InDelta(t, cells[0].level(), cells[1].level(), 1e-9)
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
