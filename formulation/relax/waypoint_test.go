package relax_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// TestSlowSwitches: the links between switches that a ring has to take limit its speed. The chain bound is that of the
// best home, of all homes one by one.
func TestSlowSwitches(t *testing.T) {
	spine := []instance.LinkSpec{{From: "a", To: "s", Rate: 4e6}, {From: "b", To: "s", Rate: 3e6}, {From: "c", To: "s", Rate: 2e6}, {From: "s", To: "f", Rate: 8e6}}
	for name, c := range map[string]struct {
		nodes   []string // their switches
		workers int
		policy  instance.PolicySpec
		slower  bool // than without links between switches
	}{
		"within a rack":              {[]string{"a", "a", "b", "b"}, 2, instance.PolicySpec{}, false},
		"two racks":                  {[]string{"a", "a", "b", "b"}, 3, instance.PolicySpec{}, true},
		"three racks":                {[]string{"a", "b", "c"}, 3, instance.PolicySpec{}, true},
		"a firewall, within a rack":  {[]string{"a", "a"}, 2, instance.PolicySpec{MustPass: []string{"f"}}, true},
		"a firewall, between racks":  {[]string{"a", "b", "c"}, 2, instance.PolicySpec{MustPass: []string{"f"}}, true},
		"a firewall, in three racks": {[]string{"a", "b", "c"}, 3, instance.PolicySpec{MustPass: []string{"f"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			spec := &instance.Spec{
				Version: instance.Version, Profiles: []*instance.Profile{boundtest.FourLayers()},
				Cluster: instance.ClusterSpec{GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}}, Links: spine},
				Jobs:    []instance.JobSpec{{Name: "wide", Model: "four", Workers: c.workers}},
			}
			if len(c.policy.MustPass) > 0 {
				spec.Cluster.Policies = map[string]instance.PolicySpec{"inspected": c.policy}
				spec.Jobs[0].Placement.Policy = "inspected"
			}
			for _, s := range []string{"a", "b", "c", "s", "f"} {
				spec.Cluster.Switches = append(spec.Cluster.Switches, instance.SwitchSpec{Name: s})
			}
			for n, s := range c.nodes {
				spec.Cluster.Nodes = append(spec.Cluster.Nodes, instance.NodeSpec{Name: string(rune('m' + n)), Switch: s, GPUs: 1, GPU: "v100", NIC: 8e6, Fabric: 8e6})
			}
			in := boundtest.Compile(t, spec)
			job := &in.Jobs[0]
			best, free := instance.Tick(-1), in.SyncTicks(relax.LeastVolume(job, c.workers), in.Rate(8e6))
			for set := range 1 << len(in.GPUs) {
				var home []instance.GPUID
				for g := range in.GPUs {
					if set>>g&1 == 1 {
						home = append(home, instance.GPUID(g))
					}
				}
				if span, ok := in.SpanOf(job, home); ok && len(home) == c.workers {
					if sync := in.SyncTicks(relax.LeastVolume(job, c.workers), span.Rate(in.RateLevels[0])); best < 0 || sync < best {
						best = sync
					}
				}
			}
			require.Positive(t, best)
			assert.Equal(t, c.slower, best > free, "%d, %d", best, free)
			chain, _ := relax.New(in).Chain()
			want := int64(job.Iterations) * int64(job.On[0].Time[job.Full()]+best)
			assert.Equal(t, new(big.Rat).SetInt64(want), chain)
		})
	}
}
