package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
)

// drawSpec draws a cluster of some racks or of a random graph of switches,
// with sizes and speeds from tiny to real, and one job.
func drawSpec(t *rapid.T) *instance.Spec {
	speed := func(label string) instance.BitRate {
		return instance.BitRate(rapid.Int64Range(1, 10).Draw(t, label) * rapid.SampledFrom([]int64{1, 7, 1e3, 1e6, 1e9, 1e11}).Draw(t, label+" unit"))
	}
	c := instance.ClusterSpec{GPUTypes: []instance.GPUTypeSpec{{Name: "v", Memory: 1 << 40}}, Latency: instance.Duration(rapid.Int64Range(0, 3e6).Draw(t, "latency")),
		RateLevels: rapid.SampledFrom([][]instance.RateLevel{nil, {1}, {1, 3}, {2, 3, 7}}).Draw(t, "levels")}
	gpus := 0
	if rapid.Bool().Draw(t, "short form") {
		for range rapid.IntRange(1, 3).Draw(t, "groups") {
			r := instance.RackSpec{Count: rapid.IntRange(1, 2).Draw(t, "count"), Nodes: rapid.IntRange(1, 3).Draw(t, "nodes"), GPUs: rapid.IntRange(1, 3).Draw(t, "GPUs"),
				GPU: "v", NIC: speed("NIC"), Fabric: speed("fabric"), Oversubscription: instance.Ratio(max(1000, rapid.Int64Range(0, 3_000_000).Draw(t, "over")))}
			gpus += r.Count * r.Nodes * r.GPUs
			c.Racks = append(c.Racks, r)
		}
	} else {
		n := rapid.IntRange(1, 6).Draw(t, "switches")
		for s := range n {
			name := fmt.Sprintf("s%d", s)
			c.Switches = append(c.Switches, instance.SwitchSpec{Name: name})
			for m := range rapid.IntRange(0, 2).Draw(t, "nodes") {
				k := rapid.IntRange(1, 2).Draw(t, "GPUs")
				gpus += k
				c.Nodes = append(c.Nodes, instance.NodeSpec{Name: fmt.Sprintf("n%d.%d", s, m), Switch: name, GPUs: k, GPU: "v", NIC: speed("NIC"), Fabric: speed("fabric")})
			}
		}
		if gpus == 0 {
			gpus = 1
			c.Nodes = []instance.NodeSpec{{Name: "n", Switch: "s0", GPUs: 1, GPU: "v", NIC: 1, Fabric: 1}}
		}
		for l := range rapid.IntRange(0, 10).Draw(t, "links") {
			from, to := rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")
			if from != to {
				name := fmt.Sprintf("l%d", l)
				c.Links = append(c.Links, instance.LinkSpec{Name: name, From: c.Switches[from].Name, To: c.Switches[to].Name, Rate: speed("link")})
				if rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
					c.FailedLinks = append(c.FailedLinks, name+rapid.SampledFrom([]string{".fwd", ".rev"}).Draw(t, "direction"))
				}
			}
		}
	}
	p := &instance.Profile{Model: "m", GPU: "v", Batch: 1}
	for range rapid.IntRange(1, 5).Draw(t, "layers") {
		p.Layers = append(p.Layers, instance.Layer{Backward: instance.Duration(rapid.Int64Range(1, 5e6).Draw(t, "backward")),
			Parameters: instance.Bytes(rapid.Int64Range(0, 1000).Draw(t, "parameters") * rapid.SampledFrom([]int64{1, 1e3, 1e6, 1e9}).Draw(t, "unit"))})
	}
	job := instance.JobSpec{Name: "j", Model: "m", Workers: rapid.IntRange(1, gpus).Draw(t, "workers")}
	if rapid.Bool().Draw(t, "free") {
		job.SPB = instance.SPBSpec{Rule: "free", MinFull: rapid.IntRange(0, job.Workers).Draw(t, "full"), MinMeanDepth: instance.Ratio(rapid.Int64Range(0, 1e6).Draw(t, "mean"))}
	}
	job.Sharding, job.Accumulate = rapid.SampledFrom([]string{"", "zero2", "zero3"}).Draw(t, "sharding"), rapid.IntRange(0, 3).Draw(t, "accumulate")
	if len(c.Links) > 0 && rapid.Bool().Draw(t, "policed") {
		element := func(label string) []string {
			return []string{rapid.SampledFrom([]string{c.Switches[0].Name, c.Switches[len(c.Switches)-1].Name, c.Links[0].Name}).Draw(t, label)}
		}
		c.Policies = map[string]instance.PolicySpec{"by": {MustPass: element("pass")}, "round": {Avoid: element("avoid"), Prefer: element("prefer")}}
		job.Placement.Policy = rapid.SampledFrom([]string{"by", "round"}).Draw(t, "policy")
	}
	return &instance.Spec{Version: 1, TickUS: rapid.SampledFrom([]int64{1, 10, 1000, 100_000}).Draw(t, "tick"), Cluster: c,
		Profiles: []*instance.Profile{p}, Jobs: []instance.JobSpec{job}}
}

// TestCheckRecomputes compares what the checker works out for itself with
// what planners use.
func TestCheckRecomputes(t *testing.T) {
	routed, cut := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		in, err := instance.Compile(drawSpec(t), nil)
		if err != nil && strings.Contains(err.Error(), "choose a longer tick_us") {
			return // sizes and speeds that do not go together
		}
		require.NoError(t, err)
		job := &in.Jobs[0]
		all := make([]instance.GPUID, len(in.GPUs))
		for g := range all {
			all[g] = instance.GPUID(g)
		}
		gpus := rapid.Permutation(all).Draw(t, "order")[:job.Workers]
		counts := make([]int, len(job.Depths))
		for range job.Workers {
			counts[rapid.IntRange(0, len(counts)-1).Draw(t, "depth")]++
		}
		require.Equal(t, job.Allows(counts), check.Allows(in, 0, counts))
		if job.Workers == 1 {
			return
		}
		sorted := make([]instance.GPUID, 0, len(gpus)) // as Check passes them on
		for _, g := range all {
			for _, h := range gpus {
				if g == h {
					sorted = append(sorted, g)
				}
			}
		}
		want, wantOK := in.SpanOf(job, gpus)
		got, ok := check.Span(in, job, sorted)
		require.Equal(t, wantOK, ok)
		if !ok {
			cut++
			return
		}
		routed++
		require.Equal(t, want, got)
		volume := job.Volume(counts, want.Parties)
		require.Equal(t, volume, check.Volume(job, counts, want.Parties))
		for _, level := range in.RateLevels {
			require.Equal(t, in.SyncTicks(volume, want.Rate(level)), check.Ticks(in, volume, in.BitRate(want.Slowest), level))
		}
	})
	t.Logf("%d with routes, %d without", routed, cut)
}
