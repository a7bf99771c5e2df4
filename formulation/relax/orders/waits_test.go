package orders

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
)

// TestWaits: on two GPUs one job has five iterations of a task of 5 ticks and a synchronisation
// of 2, another has one iteration. Tasks take 30 ticks of each GPU, and of the four waits between
// the tasks of the first job at most one is filled: with the last synchronisation that gives 38,
// as 5 ticks do not fit into 2. No order of tasks is needed to prove that no end before 38 is
// possible.
func TestWaits(t *testing.T) {
	profile := &instance.Profile{Model: "m", GPU: "v100", Batch: 1, Layers: []instance.Layer{{Name: "l", Forward: 2e6, Backward: 3e6, Parameters: 4000}}}
	in, err := instance.Compile(&instance.Spec{
		Version: 1, TickUS: 1000, Objective: instance.Makespan, Profiles: []*instance.Profile{profile},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 1, GPUs: 2, GPU: "v100", NIC: 8e6, Fabric: 16e6}},
		},
		Jobs: []instance.JobSpec{{Name: "a", Model: "m", Workers: 2, Iterations: 5}, {Name: "b", Model: "m", Workers: 2, Iterations: 1}},
	}, nil)
	require.NoError(t, err)
	m, node := relax.New(in).Split(), cases.Root(in)
	var modes [][]relax.ModeOptions
	for j := range m.Classes {
		node = node.With(j, func(b *cases.JobLimits) { b.Assignment = []instance.GPUID{0, 1} })
		modes = append(modes, m.ModeOptions(&m.Classes[j]))
	}
	for _, c := range []struct {
		target, steps int
		way           bool
	}{{38, 2, false}, {39, 1000, true}} {
		s, ok := cases.NewProgram(m, node, modes, int64(c.target), 1)
		require.True(t, ok)
		list := Problems(s, node, int64(c.target))
		require.Len(t, list, 1)
		e := Examiner{Ctx: context.Background(), Problem: list[0], Steps: 1 << 20}
		least, ok := e.Examine()
		require.True(t, ok)
		require.Equal(t, c.way, least == 0)
		require.LessOrEqual(t, 1<<20-e.Steps, c.steps)
	}
}
