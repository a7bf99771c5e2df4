package instance

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fourLayers is a model whose depth costs are easy to add up by hand:
// forward 1 ms and backward 2 ms per layer, 8 MB of parameters per layer.
func fourLayers() *Profile {
	p := &Profile{Model: "four", GPU: "v100", Batch: 32, Workspace: 10}
	for range 4 {
		p.Layers = append(p.Layers, Layer{Name: "l", Forward: 1e6, Backward: 2e6, Parameters: 8e6, Activations: 1000})
	}
	return p
}

func twoNodes(jobs ...JobSpec) *Spec {
	return &Spec{
		Version:  1,
		Profiles: []*Profile{fourLayers()},
		Cluster: ClusterSpec{
			GPUTypes: []GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
			Racks:    []RackSpec{{Nodes: 2, GPUs: 2, GPU: "v100", NIC: 8e9, Fabric: 80e9}},
		},
		Jobs: jobs,
	}
}

func TestCompileByHand(t *testing.T) {
	in, err := Compile(twoNodes(
		JobSpec{Name: "a", Model: "four", Workers: 4, Iterations: 3, Count: 2},
		JobSpec{Name: "b", Model: "four", Workers: 2, SPB: SPBSpec{Rule: "free", MinMeanDepth: 600_000}},
	), nil)
	require.NoError(t, err)
	require.Len(t, in.Jobs, 3)
	assert.Equal(t, [][]JobID{{0, 1}, {2}}, in.Classes())

	a := &in.Jobs[0]
	assert.Equal(t, "a-1", a.Name)
	assert.Equal(t, []Depth{{1, 1}, {2, 2}, {3, 3}, {4, 4}}, a.Depths)
	assert.Equal(t, []Tick{6, 8, 10, 12}, a.On[0].Time, "4 ms forward + 2 ms per layer back")
	assert.Equal(t, []Bytes{1010, 2010, 3010, 4010}, a.On[0].Ephemeral)
	assert.Equal(t, Bytes(96e6), a.On[0].Persistent, "momentum keeps three copies")
	assert.Equal(t, []int{1, 1, 1, 1}, a.Rule.Fixed)

	// Two nodes; segments 0..3 have 4, 3, 2, 1 contributors, so q_s = 2, 2, 2, 1:
	// 8e6 x (1/2 + 1/2) three times and 8e6 x (0 + 1/2) once.
	assert.Equal(t, Bytes(28e6), a.Volume([]int{1, 1, 1, 1}, 2))
	assert.Equal(t, Bytes(32e6), a.Volume([]int{0, 0, 0, 4}, 2), "full depth is the ring's 2(q-1)/q")

	span, ok := in.Span([]GPUID{0, 1, 2, 3})
	require.True(t, ok)
	assert.Equal(t, 2, span.Parties)
	assert.Equal(t, BitRate(8e9), in.BitRate(span.Slowest))
	assert.Len(t, span.Uses, 4, "two NICs, up and down")
	assert.Equal(t, Tick(28), in.SyncTicks(28e6, span.Rate(1)), "28e6 bytes at 1e9 bytes/s")
	assert.Equal(t, Tick(56), in.SyncTicks(28e6, span.Rate(2)))

	b := &in.Jobs[2]
	assert.True(t, b.Allows([]int{1, 0, 0, 1}))
	assert.False(t, b.Allows([]int{0, 0, 2, 0}), "nobody at full depth")
	span, _ = in.Span([]GPUID{2, 3})
	assert.Equal(t, []LinkUse{{in.Nodes[1].Fabric, 1}}, span.Uses)
	assert.Equal(t, 2, span.Parties)
}

// TestCompileRefusesOverflow: times that planners could not add up.
func TestCompileRefusesOverflow(t *testing.T) {
	slow := twoNodes(JobSpec{Name: "a", Model: "four", Workers: 2})
	slow.Cluster.Racks[0].NIC = 1
	slow.Profiles[0].Layers[0].Parameters = 1 << 40
	_, err := Compile(slow, nil)
	assert.ErrorContains(t, err, `a synchronisation of "a" may take more than`)

	long := twoNodes(JobSpec{Name: "a", Model: "four", Workers: 1, Count: 40, Iterations: MaxIterations})
	long.TickUS = 1
	for i := range long.Profiles[0].Layers {
		long.Profiles[0].Layers[i].Forward = Duration(maxTicks) * 1000 / 5
	}
	_, err = Compile(long, nil)
	assert.ErrorContains(t, err, "more than 2^60 ticks")

	late := twoNodes(JobSpec{Name: "a", Model: "four", Workers: 1, Release: 1<<63 - 1, Deadline: 1<<63 - 1})
	late.TickUS = 1
	_, err = Compile(late, nil)
	assert.ErrorContains(t, err, `jobs[0].release "a": `)
	assert.ErrorContains(t, err, `jobs[0].deadline "a": `)
	assert.ErrorContains(t, err, "more than 1099511627776; choose a longer tick_us")
	late = twoNodes(JobSpec{Name: "a", Model: "four", Workers: 1})
	late.TickUS, late.Objective, late.MaxPeriod = 1, Throughput, 1<<63-1
	_, err = Compile(late, nil)
	assert.ErrorContains(t, err, "max_period: ")
	assert.ErrorContains(t, err, "more than 1099511627776; choose a longer tick_us")

	negative := twoNodes(JobSpec{Name: "a", Model: "four", Workers: 1, Release: -1, Deadline: -1})
	_, err = Compile(negative, nil)
	assert.ErrorContains(t, err, `jobs[0].release "a": must not be negative`)
	assert.ErrorContains(t, err, `jobs[0].deadline "a": must not be negative`)
}

// TestUplinkTooFast: the fastest NIC times many nodes is more than an int64 holds.
func TestUplinkTooFast(t *testing.T) {
	spec := twoNodes(JobSpec{Name: "a", Model: "four", Workers: 1})
	spec.Cluster.Racks[0] = RackSpec{Count: 2, Nodes: 500, GPUs: 1, GPU: "v100", NIC: MaxQuantity, Fabric: 1}
	_, err := Compile(spec, nil)
	require.ErrorContains(t, err, "cluster.racks[0].nic: the NICs of 500 nodes make an uplink that is too fast; give its speed as uplink")
	spec.Cluster.Racks[0].Count = 1 // without uplinks
	_, err = Compile(spec, nil)
	require.NoError(t, err)
}
