package jigsaw_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
)

// TestPlanExact: sevenths of a model and thirds of a link are no decimals, and optima
// rest on them.
func TestPlanExact(t *testing.T) {
	const ms = instance.Duration(1e6)
	model := func(name string, layers int, forward, backward instance.Duration, parameters instance.Bytes) *instance.Profile {
		p := &instance.Profile{Model: name, GPU: "v", Batch: 1}
		for range layers {
			p.Layers = append(p.Layers, instance.Layer{Forward: forward, Backward: backward, Parameters: parameters})
		}
		return p
	}
	cluster := func(gpus int, fabric instance.BitRate, levels ...instance.RateLevel) instance.ClusterSpec {
		return instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v", Memory: 1 << 30}}, RateLevels: levels,
			Racks: []instance.RackSpec{{Nodes: 1, GPUs: gpus, GPU: "v", NIC: fabric, Fabric: fabric}},
		}
	}
	for name, c := range map[string]struct {
		spec instance.Spec
		want int64
	}{
		// 1 + 3/7 + 2/7 + 2/7 is half of 4: 21, 13, 11 and 11 ticks, and what fills them up.
		"mean depth": {instance.Spec{
			Cluster:  cluster(4, 8e9),
			Profiles: []*instance.Profile{model("seven", 7, ms, 2*ms, 0), model("eight", 1, 4*ms, 4*ms, 0), model("ten", 1, 5*ms, 5*ms, 0)},
			Jobs: []instance.JobSpec{
				{Name: "a", Model: "seven", Workers: 4, SPB: instance.SPBSpec{Rule: "free", MinMeanDepth: 500_000, Depths: []int{2, 3}}},
				{Name: "b", Model: "eight", Workers: 1}, {Name: "c", Model: "ten", Workers: 1, Count: 2},
			},
		}, 21},
		// 16 bits at 5/3 bit/s are 9.6 s, after 2 ms.
		"rate": {instance.Spec{
			Cluster: cluster(2, 5, 3), Profiles: []*instance.Profile{model("one", 1, ms, ms, 1)},
			Jobs: []instance.JobSpec{{Name: "a", Model: "one", Workers: 2}},
		}, 9602},
	} {
		t.Run(name, func(t *testing.T) {
			c.spec.Version = instance.Version
			in, err := instance.Compile(&c.spec, nil)
			require.NoError(t, err)
			r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{})
			require.NoError(t, err)
			require.Empty(t, check.Schedule(in, r.Schedule))
			assert.Zero(t, big.NewRat(c.want, 1).Cmp(in.Value(r.Schedule)), "%v", in.Value(r.Schedule))
			assert.Equal(t, jigsaw.Optimal, r.Status)
		})
	}
}
