package horizon

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// twoSpeeds has the given number of jobs of two workers, and a node of two GPUs of each of the two given types.
func twoSpeeds(t *testing.T, jobs int, types ...instance.GPUTypeSpec) *instance.Instance {
	t.Helper()
	in, err := instance.Compile(&instance.Spec{
		Version:  1,
		Profiles: []*instance.Profile{{Model: "any", GPU: "a", Batch: 1, Layers: []instance.Layer{{Name: "l", Forward: 4e6}}}},
		Jobs:     []instance.JobSpec{{Name: "one", Count: jobs, Model: "any", Workers: 2, Iterations: 10}},
		Cluster: instance.ClusterSpec{GPUTypes: types, Racks: []instance.RackSpec{
			{Nodes: 1, GPUs: 2, GPU: "fast", NIC: 1e9, Fabric: 1e9}, {Nodes: 1, GPUs: 2, GPU: "slow", NIC: 1e9, Fabric: 1e9},
		}},
	}, nil)
	require.NoError(t, err)
	return in
}

// typeOf is a type of GPU with a speed.
func typeOf(name string, speed instance.Ratio) instance.GPUTypeSpec {
	return instance.GPUTypeSpec{Name: name, Memory: 1 << 30, ProfiledAs: []instance.ProfiledAs{{GPU: "a", Speed: speed}}}
}

// TestDealBySpeed: of ten identical jobs, GPUs that are four times as fast get eight.
func TestDealBySpeed(t *testing.T) {
	in := twoSpeeds(t, 10, typeOf("fast", 2_000_000), typeOf("slow", 500_000))
	d := dealer{in: in, class: in.ClassOf(), strays: straying(in)}
	d.works, d.on = works(in)
	cells := d.cut(1)
	require.NoError(t, d.deal(cells))
	require.Len(t, cells, 2)
	require.Len(t, cells[0].jobs, 8)
	require.InDelta(t, cells[0].level(), cells[1].level(), 1e-9)
}

// TestWork: a job's work is that on its fastest GPUs, wherever these are in the file.
func TestWork(t *testing.T) {
	compile := func(types ...instance.GPUTypeSpec) *instance.Instance { return twoSpeeds(t, 1, types...) }
	fast, slow := typeOf("fast", 2_000_000), typeOf("slow", 500_000)
	least, on := works(compile(fast, slow))
	require.Equal(t, []float64{40}, least)
	require.Equal(t, [][]float64{{40, 160}}, on)
	least, on = works(compile(slow, fast))
	require.Equal(t, []float64{40}, least)
	require.Equal(t, [][]float64{{160, 40}}, on)
}

// TestPatience: on GPUs that are four times as fast two jobs end sooner one after the other than side by side;
// of five jobs one goes to the slow ones.
func TestPatience(t *testing.T) {
	fast, slow := typeOf("fast", 2_000_000), typeOf("slow", 500_000)
	in := twoSpeeds(t, 2, slow, fast)
	s, err := Queue(in)
	require.NoError(t, err)
	require.EqualValues(t, 40, s.Makespan(in))
	in = twoSpeeds(t, 5, slow, fast)
	s, _, err = Config{Whole: true, Rounds: 50}.Orders(context.Background(), in, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	require.EqualValues(t, 80, s.Makespan(in))
}

// TestUnitsOnEachKind: a unit is made on any kind of nodes, whatever comes first in the file, and stays on nodes of its kind.
func TestUnitsOnEachKind(t *testing.T) {
	in := twoSpeeds(t, 3, typeOf("fast", 2_000_000), typeOf("slow", 500_000))
	rng := rand.New(rand.NewPCG(1, 1))
	f := newFormer(newQueue(in), rng, nil)
	known := map[int]instance.Tick{}
	for range 20 {
		u := f.q.unit(f.form(t.Context(), in.AllJobs()[:2], -1, rng))
		require.NotNil(t, u)
		known[u.kind] = u.length
		again := f.q.unit(f.form(t.Context(), in.AllJobs(), u.kind, rng))
		require.NotNil(t, again)
		require.Equal(t, u.kind, again.kind)
	}
	require.Len(t, known, 2)
	require.Equal(t, 4*known[f.q.kinds[0]], known[f.q.kinds[1]])
}
