package instance

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// threeBlocks has layers of 1 ms forward and 2 ms backward in blocks of 1, 2 and 1, of 6, 4 + 8
// and 10 bytes of parameters.
func threeBlocks() *Profile {
	layer := func(parameters, activations, input Bytes, joined bool) Layer {
		return Layer{Name: "l", Forward: 1e6, Backward: 2e6, Parameters: parameters, Activations: activations, Input: input, Joined: joined}
	}
	return &Profile{Model: "blocks", GPU: "v100", Batch: 1, Workspace: 7, Layers: []Layer{
		layer(6, 100, 3, false), layer(4, 200, 5, false), layer(8, 50, 11, true), layer(10, 30, 2, false),
	}}
}

func compileBlocks(t *testing.T, precision string, job JobSpec) *Job {
	t.Helper()
	job.Name, job.Model, job.SPB.Depths = "a", "blocks", []int{1, 3}
	spec := twoNodes(job)
	spec.Profiles = []*Profile{threeBlocks()}
	spec.Profiles[0].Precision = precision
	in, err := Compile(spec, nil)
	require.NoError(t, err)
	return &in.Jobs[0]
}

// TestPersistentByHand: 28 bytes of parameters and as many of gradients, and what the optimizer keeps.
func TestPersistentByHand(t *testing.T) {
	for _, c := range []struct {
		precision, optimizer, sharding string
		want                           Bytes // on each of 3 workers
	}{
		{"", "sgd", "", 56}, {"", "", "", 84}, {"", "momentum", "", 84}, {"", "adam", "", 112},
		// 16 bit: a copy of the weights in 32 bit, 56, and for each state as much.
		{"bf16", "sgd", "", 56 + 56}, {"fp16", "momentum", "", 56 + 112}, {"bf16", "adam", "", 56 + 168},
		{"", "adam", "zero1", 56 + 19}, // 56 / 3 = 18.7
		{"", "adam", "zero2", 28 + 28}, // 84 / 3
		{"", "adam", "zero3", 38},      // 112 / 3 = 37.3
		{"", "sgd", "zero1", 56},       // no states
		{"bf16", "adam", "zero1", 56 + 56},
		{"bf16", "adam", "zero2", 28 + 66}, // 196 / 3 = 65.3
		{"bf16", "adam", "zero3", 75},      // 224 / 3 = 74.7
	} {
		j := compileBlocks(t, c.precision, JobSpec{Workers: 3, Optimizer: c.optimizer, Sharding: c.sharding})
		assert.Equal(t, c.want, j.On[0].Persistent, "%+v", c)
	}
	assert.Equal(t, Bytes(112), compileBlocks(t, "", JobSpec{Workers: 1, Optimizer: "adam", Sharding: "zero3"}).On[0].Persistent, "a lone worker keeps all")
}

// TestEphemeralByHand: activations of the last 1, 3 and 4 layers are 30, 280 and 380 bytes.
func TestEphemeralByHand(t *testing.T) {
	for _, c := range []struct {
		sharding      string
		checkpointing bool
		want          []Bytes
	}{
		{"", false, []Bytes{37, 287, 387}},
		{"zero1", false, []Bytes{37, 287, 387}},
		{"zero2", false, []Bytes{37 + 12, 287 + 12, 387 + 12}}, // gradients of a block of 4 + 8 bytes
		{"zero3", false, []Bytes{37 + 24, 287 + 24, 387 + 24}}, // and its parameters
		// The inputs of blocks, 2, 5 and 3 bytes, and the largest block of 30, 250 and 100.
		{"", true, []Bytes{7 + 2 + 30, 7 + 7 + 250, 7 + 10 + 250}},
		{"zero3", true, []Bytes{39 + 24, 264 + 24, 267 + 24}},
	} {
		j := compileBlocks(t, "", JobSpec{Workers: 3, Sharding: c.sharding, Checkpointing: c.checkpointing})
		assert.Equal(t, c.want, j.On[0].Ephemeral, "%+v", c)
	}
}

// TestWorkspaceByDepth: a layer says what tasks that stop at it need, but no task needs less than a shallower one, and
// with checkpointing all need the most.
func TestWorkspaceByDepth(t *testing.T) {
	spec := twoNodes(JobSpec{Name: "a", Model: "blocks", Workers: 3, SPB: SPBSpec{Depths: []int{1, 2, 3}}})
	p := threeBlocks()
	p.Workspace, p.Layers[1].Workspace, p.Layers[0].Workspace, p.Layers[2].Joined = 300, 10, 1, false
	spec.Profiles = []*Profile{p}
	in, err := Compile(spec, nil)
	require.NoError(t, err)
	assert.Equal(t, []Bytes{300 + 30, 300 + 80, 300 + 80, 1 + 380}, in.Jobs[0].On[0].Ephemeral, "at depth 3 280 + 10 were measured")
	spec.Jobs[0].Checkpointing = true
	in, err = Compile(spec, nil)
	require.NoError(t, err)
	assert.Equal(t, []Bytes{300 + 2 + 30, 300 + 13 + 50, 300 + 18 + 200, 300 + 21 + 200}, in.Jobs[0].On[0].Ephemeral)
}

// TestKeptActivationsByHand: what a task of full depth takes, 387 bytes, is held beside 84 of parameters.
func TestKeptActivationsByHand(t *testing.T) {
	spec := twoNodes(JobSpec{Name: "a", Model: "blocks", Workers: 3, SPB: SPBSpec{Depths: []int{1, 3}}})
	spec.Profiles = []*Profile{threeBlocks()}
	spec.Residence, spec.Cluster.LoadRate, spec.TickUS = WhileRunning, 8, 1_000_000 // a byte a tick
	spec.Activations = Kept
	in, err := Compile(spec, nil)
	require.NoError(t, err)
	costs := in.Jobs[0].On[0]
	assert.Equal(t, Bytes(84+387), costs.Persistent)
	assert.Equal(t, []Bytes{0, 0, 0}, costs.Ephemeral)
	assert.Equal(t, Tick(84), in.Jobs[0].Load, "there are no activations to load")

	spec.Activations = "both"
	_, err = Compile(spec, nil)
	assert.ErrorContains(t, err, `activations: unknown activations "both"; choose shared or kept`)
}

func TestTimesOfTrainingByHand(t *testing.T) {
	assert.Equal(t, []Tick{6, 10, 12}, compileBlocks(t, "", JobSpec{Workers: 3}).On[0].Time, "4 ms forward, 2, 6 and 8 ms backward")
	assert.Equal(t, []Tick{30, 50, 60}, compileBlocks(t, "", JobSpec{Workers: 3, Accumulate: 5}).On[0].Time)
	assert.Equal(t, []Tick{7, 13, 16}, compileBlocks(t, "", JobSpec{Workers: 3, Checkpointing: true}).On[0].Time, "1, 3 and 4 layers forward once more")
	assert.Equal(t, []Tick{14, 26, 32}, compileBlocks(t, "", JobSpec{Workers: 3, Checkpointing: true, Accumulate: 2}).On[0].Time)
	assert.Equal(t, []int64{1, 3, 4}, func() (shares []int64) {
		for _, d := range compileBlocks(t, "", JobSpec{Workers: 3, Checkpointing: true, Accumulate: 2}).Depths {
			shares = append(shares, d.Share)
		}
		return shares
	}(), "fractions are of one backward pass")
}

// TestVolumeOfShardingByHand: segments of 10, 12 and 6 bytes, back-propagated by 3, 2 and 1 of 3 workers
// on GPUs of their own: reduced 7 + 6 + 0, sent to all 7 + 8 + 4 bytes.
func TestVolumeOfShardingByHand(t *testing.T) {
	for _, c := range []struct {
		sharding   string
		accumulate int
		want       Bytes
	}{
		{"", 0, 13 + 19}, {"", 4, 13 + 19}, {"zero1", 0, 13 + 19}, {"zero1", 4, 13 + 19},
		{"zero2", 1, 13 + 19}, {"zero2", 4, 4*13 + 19},
		{"zero3", 1, 13 + 2*19}, {"zero3", 4, 4*13 + 8*19},
	} {
		j := compileBlocks(t, "", JobSpec{Workers: 3, Sharding: c.sharding, Accumulate: c.accumulate})
		assert.Equal(t, c.want, j.Volume([]int{1, 1, 1}, 3), "%+v", c)
	}
	j := compileBlocks(t, "", JobSpec{Workers: 4, Sharding: "zero3"})
	all := compileBlocks(t, "", JobSpec{Workers: 4}).Volume([]int{0, 0, 4}, 2)
	assert.Equal(t, all*3/2, j.Volume([]int{0, 0, 4}, 2), "at full depth half as much again")
}

func TestTrainingIsChecked(t *testing.T) {
	for want, job := range map[string]JobSpec{
		`jobs[0].sharding "a": unknown sharding "zero4"; choose zero1, zero2 or zero3`: {Sharding: "zero4"},
		`jobs[0].accumulate "a": 1025 micro-batches; choose 1 to 1024`:                 {Accumulate: 1025},
		`jobs[0].accumulate "a": -1 micro-batches`:                                     {Accumulate: -1},
		`jobs[0].optimizer "a": unknown optimizer "lion"`:                              {Optimizer: "lion"},
		`jobs[0].checkpointing "a": the profile of "four" on "v100" does not have`:     {Checkpointing: true},
	} {
		job.Name, job.Model, job.Workers = "a", "four", 2
		_, err := Compile(twoNodes(job), nil)
		assert.ErrorContains(t, err, want)
	}
	spec := twoNodes(JobSpec{Name: "a", Model: "four", Workers: 2})
	spec.Profiles[0].Precision = "bf8"
	_, err := Compile(spec, nil)
	assert.ErrorContains(t, err, `profiles[0].precision: unknown precision "bf8"`)

	huge := twoNodes(JobSpec{Name: "a", Model: "four", Workers: 2, Sharding: "zero3", Accumulate: 1024})
	huge.Profiles[0].Layers[0].Parameters = 1 << 55
	huge.TickUS = MaxTickUS
	huge.Cluster.Racks[0].NIC, huge.Cluster.Racks[0].Fabric = 1<<56, 1<<56
	_, err = Compile(huge, nil)
	assert.ErrorContains(t, err, `may move more than 2^60 bytes`)
}
