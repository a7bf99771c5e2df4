package check_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
)

// network compiles the full form: a node of two GPUs on each switch, with the
// given NIC speeds, and jobs of the model of byHand.
func network(t *testing.T, nics []instance.BitRate, links []instance.LinkSpec, workers ...int) *instance.Instance {
	layer := instance.Layer{Backward: 1e6, Parameters: 4000}
	spec := &instance.Spec{
		Version:  1,
		Profiles: []*instance.Profile{{Model: "one", GPU: "v", Batch: 1, Layers: []instance.Layer{layer}}},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v", Memory: 1 << 30}},
			Links:    links,
		},
	}
	for n, nic := range nics {
		name := string(rune('A' + n))
		spec.Cluster.Switches = append(spec.Cluster.Switches, instance.SwitchSpec{Name: name})
		spec.Cluster.Nodes = append(spec.Cluster.Nodes, instance.NodeSpec{Name: "n" + name, Switch: name, GPUs: 2, GPU: "v", NIC: nic, Fabric: 80e6})
	}
	for j, k := range workers {
		spec.Jobs = append(spec.Jobs, instance.JobSpec{Name: string(rune('a' + j)), Model: "one", Workers: k})
	}
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	return in
}

// syncsTogether runs one iteration of each job from tick 0 and their syncs from tick 1.
func syncsTogether(in *instance.Instance, residency [][]instance.GPUID, levels ...instance.RateLevel) *instance.Schedule {
	s := &instance.Schedule{Residency: residency}
	for j, gpus := range residency {
		for _, g := range gpus {
			s.Tasks = append(s.Tasks, instance.Task{Job: instance.JobID(j), Iteration: 1, GPU: g, Start: 0, End: 1})
		}
		span, _ := in.Span(gpus)
		length := in.SyncTicks(in.Jobs[j].Volume([]int{len(gpus)}, span.Parties), span.Rate(levels[j]))
		s.Syncs = append(s.Syncs, instance.Sync{Job: instance.JobID(j), Iteration: 1, Start: 1, End: 1 + length, Rate: levels[j]})
	}
	return s
}

func TestCheckLinkToTheBit(t *testing.T) {
	links := []instance.LinkSpec{{From: "A", To: "B", Rate: 80e6}, {From: "A", To: "C", Rate: 80e6}}
	// a takes half of A's NIC, b what C's NIC lets through.
	for nic, want := range map[instance.BitRate][]int{4_000_000: nil, 4_000_001: {8}} {
		in := network(t, []instance.BitRate{8e6, 8e6, nic}, links, 2, 2)
		s := syncsTogether(in, [][]instance.GPUID{{0, 2}, {1, 4}}, 2, 1)
		assert.Equal(t, want, brokenRules(check.Schedule(in, s)), "%d bit/s", nic)
	}
}

// TestCheckLinkFractions has three jobs whose NICs of 3 bit/s give them 3/2 bit/s each at
// the level 1/2, which a link of 5 bit/s holds and one of 4 bit/s does not.
func TestCheckLinkFractions(t *testing.T) {
	for rate, want := range map[instance.BitRate][]int{5: nil, 4: {8}} {
		in := network(t, []instance.BitRate{3, 3, 3, 3, 3, 3}, []instance.LinkSpec{
			{From: "A", To: "C", Rate: 9}, {From: "B", To: "C", Rate: 9}, {From: "E", To: "C", Rate: 9},
			{From: "C", To: "D", Rate: rate}, {From: "D", To: "F", Rate: 9},
		}, 2, 2, 2)
		s := syncsTogether(in, [][]instance.GPUID{{0, 6}, {2, 7}, {8, 10}}, 2, 2, 2)
		// 2 x 1/2 of 4000 bytes at 3/2 bit/s, in ticks of a millisecond.
		assert.Equal(t, instance.Tick(21_333_334), s.Syncs[0].End-s.Syncs[0].Start)
		violations := check.Schedule(in, s)
		assert.Equal(t, want, brokenRules(violations), "%d bit/s", rate)
		if len(violations) > 0 {
			assert.Equal(t, "link C-D.fwd would carry 5 bit/s but has 4", violations[0].Message)
		}
	}
}

// TestCheckLinkCrossedTwice has a chain A-C-B-D of switches, whose ring
// A, B, C, D, A crosses the links between B and C twice each way.
func TestCheckLinkCrossedTwice(t *testing.T) {
	in := network(t, []instance.BitRate{80e6, 80e6, 80e6, 80e6}, []instance.LinkSpec{
		{From: "A", To: "C", Rate: 80e6}, {From: "C", To: "B", Rate: 16e6}, {From: "B", To: "D", Rate: 80e6},
	}, 4, 2)
	residency := [][]instance.GPUID{{0, 2, 4, 6}, {3, 5}}
	// a runs at 8 Mbit/s, half of the link; b alone at 16, or 8, or 4.
	for _, test := range []struct {
		a, b instance.RateLevel
		want []int
	}{{1, 4, []int{8}}, {2, 2, nil}, {2, 1, []int{8}}, {4, 2, nil}} {
		s := syncsTogether(in, residency, test.a, test.b)
		assert.Equal(t, test.want, brokenRules(check.Schedule(in, s)), "levels %v and %v", test.a, test.b)
	}
	s := syncsTogether(in, residency, 1, 1)
	// 2 x 3/4 of 4000 bytes at 8 Mbit/s, which is 1000 bytes per tick.
	assert.Equal(t, instance.Tick(6), s.Syncs[0].End-s.Syncs[0].Start)
}
