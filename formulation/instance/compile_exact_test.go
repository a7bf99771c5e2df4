package instance

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// layered compiles a job with a free rule on a model of these backward times.
func layered(job JobSpec, backward ...Duration) (*Instance, error) {
	p := &Profile{Model: "m", GPU: "v", Batch: 1}
	for _, b := range backward {
		p.Layers = append(p.Layers, Layer{Forward: 1, Backward: b})
	}
	job.Name, job.Model, job.SPB.Rule = "a", "m", "free"
	return Compile(&Spec{
		Version: Version, TickUS: 60_000_000, Profiles: []*Profile{p}, Jobs: []JobSpec{job},
		Cluster: ClusterSpec{
			GPUTypes: []GPUTypeSpec{{Name: "v", Memory: 1 << 40}},
			Racks:    []RackSpec{{Nodes: 1024, GPUs: 1024, GPU: "v", NIC: 1e12, Fabric: 1e12}},
		},
	}, nil)
}

// TestMeanDepthExact: thirds are no decimals, and their sums are compared all the same.
func TestMeanDepthExact(t *testing.T) {
	in, err := layered(JobSpec{Workers: 4, SPB: SPBSpec{MinMeanDepth: 500_000, Cuts: 3}}, 7, 7, 7)
	require.NoError(t, err)
	j := &in.Jobs[0]
	assert.Equal(t, []Depth{{1, 1}, {2, 2}, {3, 3}}, j.Depths)
	assert.Equal(t, int64(6), j.Rule.MinShare, "half of 4 x 3")
	assert.True(t, j.Allows([]int{3, 0, 1}), "1/3 + 1/3 + 1/3 + 1 = 4/2")
	assert.False(t, j.Allows([]int{4, 0, 0}))

	// A mean that no sum has is rounded up: 3 x 3 x 0.333334 is above 3.
	in, err = layered(JobSpec{Workers: 3, SPB: SPBSpec{MinMeanDepth: 333_334, Cuts: 3}}, 7, 7, 7)
	require.NoError(t, err)
	assert.Equal(t, int64(4), in.Jobs[0].Rule.MinShare)
	in, err = layered(JobSpec{Workers: 3, SPB: SPBSpec{MinMeanDepth: 333_333, Cuts: 3}}, 7, 7, 7)
	require.NoError(t, err)
	assert.Equal(t, int64(3), in.Jobs[0].Rule.MinShare)

	// By layers, which are equal parts whatever they take; and where no layer takes any time back.
	in, err = layered(JobSpec{Workers: 3, SPB: SPBSpec{MinMeanDepth: 500_000, Measure: "layers", Depths: []int{1}}}, 1, 5, 11)
	require.NoError(t, err)
	assert.Equal(t, []Depth{{1, 1}, {3, 3}}, in.Jobs[0].Depths)
	assert.Equal(t, int64(5), in.Jobs[0].Rule.MinShare, "ceil(9/2)")
	in, err = layered(JobSpec{Workers: 2, SPB: SPBSpec{MinMeanDepth: 500_000, Depths: []int{1}}}, 0, 0)
	require.NoError(t, err)
	assert.Equal(t, []Depth{{1, 1}, {2, 2}}, in.Jobs[0].Depths)
}

// TestMeanDepthHuge has the longest times and the most workers: sums that would not be
// exact are refused, and a common unit makes them exact again.
func TestMeanDepthHuge(t *testing.T) {
	const long = Duration(1) << 54
	_, err := layered(JobSpec{Workers: 1 << 20, SPB: SPBSpec{MinMeanDepth: 500_000}}, long+1, long, long)
	require.ErrorContains(t, err, `jobs[0].spb.measure "a": the backward times of 1048576 workers have too many digits`)
	require.ErrorContains(t, err, "choose measure: layers")
	for name, job := range map[string]JobSpec{
		"by layers":     {Workers: 1 << 20, SPB: SPBSpec{MinMeanDepth: 500_000, Measure: "layers"}},
		"in fewer bits": {Workers: 1 << 20, SPB: SPBSpec{MinMeanDepth: 500_000}},
	} {
		first := long + 1
		if name == "in fewer bits" {
			first = 2 * long
		}
		in, err := layered(job, first, long, long)
		require.NoError(t, err, name)
		j := &in.Jobs[0]
		assert.LessOrEqual(t, int64(j.Workers)*j.Depths[j.Full()].Share, int64(maxShares))
		half := make([]int, len(j.Depths))
		half[j.Full()] = j.Workers / 2
		half[0] = j.Workers - half[j.Full()]
		assert.True(t, j.Allows(half), name)
	}
	in, err := layered(JobSpec{Workers: 2, SPB: SPBSpec{MinMeanDepth: 1, Depths: []int{1}}}, 1<<50, 1<<50+1)
	require.NoError(t, err)
	j := &in.Jobs[0]
	assert.Equal(t, int64(1<<51+1), j.Depths[1].Share)
	assert.Equal(t, (int64(1<<52)+2+999_999)/1_000_000, j.Rule.MinShare)
}

// TestRatesExact: rates are whole in the parts of a bit/s that the instance counts in, which
// are as few as the levels and the links allow.
func TestRatesExact(t *testing.T) {
	for _, c := range []struct {
		levels []RateLevel
		nic    BitRate
		parts  Rate
	}{{nil, 8e9, 1}, {nil, 6, 2}, {nil, 7, 4}, {[]RateLevel{3, 7}, 5, 21}, {[]RateLevel{3, 7}, 14, 3}} {
		spec := twoNodes(JobSpec{Name: "a", Model: "four", Workers: 4})
		spec.TickUS = 60_000_000
		spec.Cluster.Racks[0].NIC, spec.Cluster.Racks[0].Fabric, spec.Cluster.RateLevels = c.nic, c.nic, c.levels
		in, err := Compile(spec, nil)
		require.NoError(t, err)
		assert.Equal(t, c.parts, in.Rate(1), "%v", c)
		span, ok := in.Span([]GPUID{0, 1, 2, 3})
		require.True(t, ok)
		assert.Equal(t, c.nic, in.BitRate(span.Slowest))
		for _, n := range in.RateLevels {
			assert.Equal(t, in.Capacity(in.Nodes[0].Up), span.Rate(n)*Rate(n), "%v at 1/%d", c, n)
		}
	}
	spec := twoNodes(JobSpec{Name: "a", Model: "four", Workers: 4})
	spec.Cluster.RateLevels = []RateLevel{1024, 1023, 1021, 1019, 1013}
	_, err := Compile(spec, nil)
	require.ErrorContains(t, err, "cluster.rate_levels: the common denominator of the levels is too large")
}
