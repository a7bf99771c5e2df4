package columns

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/solver/colgen"
)

// TestSlowSynchronisations compares columns bounds with brute force when two
// jobs' synchronisations meet on a link, and rate levels make their lengths
// other than whole multiples of the shortest: the optimum may run them in
// parallel, both slow, and the bound must not exceed it.
func TestSlowSynchronisations(t *testing.T) {
	engine := boundtest.LiveEngine(t)
	solved, slow := 0, 0
	for _, levels := range [][]instance.RateLevel{{1}, {1, 2}, {1, 2, 4}, {2, 4}} {
		for _, where := range []string{"node", "rack", "trunk"} {
			for bytes := instance.Bytes(250); bytes <= 4000; bytes += 250 {
				for _, objective := range []instance.Objective{instance.Makespan, instance.WeightedCompletion} {
					in := crossing(t, objective, levels, where, bytes)
					best, schedule, status := instancetest.Optimum(in)
					if status != instancetest.Optimal {
						continue
					}
					b, err := Bound(context.Background(), in, engine, Limits{})
					require.NoError(t, err)
					if b.Value == nil {
						continue
					}
					solved++
					require.False(t, objective.Better(best, b.Value), "%s, levels %v, in a %s, %d bytes: bound %s, optimum %s",
						objective, levels, where, bytes, b.Value.RatString(), best.RatString())
					for _, y := range schedule.Syncs {
						if y.Rate > in.RateLevels[0] {
							slow++
							break
						}
					}
				}
			}
		}
	}
	t.Logf("%d bounds, %d optima with a slow synchronisation", solved, slow)
	assert.Greater(t, solved, 50)
	assert.Greater(t, slow, 5)
}

// TestAlone compares bounds with brute force where the gap between two synchronisations of a job may be too short for one
// of another job. That the job then keeps its links must hold only if no two synchronisations fit on them at a time, and must
// raise some bounds.
func TestAlone(t *testing.T) {
	engine := boundtest.LiveEngine(t)
	n := instancetest.Many(300, 60)
	compared, raised := 0, 0
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 6))
		levels := [][]instance.RateLevel{{1}, {1}, {1, 2}}[rng.IntN(3)]
		spec := boundtest.TwoNodes(1)
		spec.Objective = []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]
		spec.Cluster.RateLevels, spec.Profiles = levels, nil
		spec.Cluster.Racks[0].NIC, spec.Cluster.Racks[0].Fabric = 8e6, 8e9
		for _, name := range []string{"a", "b", "c"} {
			layer := instance.Layer{Name: "l", Forward: 5e5, Backward: instance.Duration(1+2*rng.IntN(3)) * 5e5, Parameters: instance.Bytes(500 * (2 + rng.IntN(9)))}
			spec.Profiles = append(spec.Profiles, &instance.Profile{Model: name, GPU: "v100", Batch: 8, Layers: []instance.Layer{layer}})
			spec.Jobs = append(spec.Jobs, instance.JobSpec{
				Name: name, Model: name, Workers: 2, Iterations: 1 + rng.IntN(2), Weight: int64(1 + rng.IntN(4)),
				Release: instance.Duration(rng.IntN(3)) * 1e6, SPB: instance.SPBSpec{Rule: "full"},
			})
		}
		in := boundtest.Compile(t, spec)
		best, schedule, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		b, err := Bound(context.Background(), in, engine, Limits{Start: schedule})
		require.NoError(t, err)
		if b.Value == nil {
			continue
		}
		compared++
		require.False(t, in.Objective.Better(best, b.Value), "seed %d: bound %s, optimum %s", seed, b.Value, best)

		s := fineMaster(in, int64(schedule.Makespan(in)))
		nic := s.Groups[2]
		require.Equal(t, "nic", nic.Resource)
		if len(levels) > 1 {
			require.Zero(t, nic.Alone, "seed %d: two synchronisations share a NIC", seed)
		}
		if in.Objective == instance.Makespan || nic.Capacity == 0 {
			continue
		}
		value := func() float64 {
			live, result, err := s.Run(context.Background(), engine, nil, colgen.Options{Gap: closeGap})
			require.NoError(t, err)
			require.NoError(t, live.Close())
			return result.Bound
		}
		with := value()
		for c := range s.Classes {
			for _, option := range s.Classes[c].Plans.Options {
				for _, item := range option.Items {
					for a := range item.Alts {
						item.Alts[a].Alone = 0
					}
				}
			}
		}
		if without := value(); with > without*1.001 {
			raised++
			require.Positive(t, nic.Alone, "seed %d", seed)
		}
	}
	t.Logf("%d bounds, %d raised", compared, raised)
	assert.Greater(t, compared, n/3)
	assert.Positive(t, raised)
}

// crossing is an instance of two jobs that synchronise the given bytes over the
// same links of 1000 bytes a tick: the fabric of a node, the NICs of two nodes in
// a rack, or those of two nodes whose switches are joined by a slower link, which
// relaxations ignore.
func crossing(t *testing.T, objective instance.Objective, levels []instance.RateLevel, where string, bytes instance.Bytes) *instance.Instance {
	t.Helper()
	const ms = instance.Duration(1e6)
	s := &instance.Spec{Version: instance.Version, Name: "crossing", Objective: objective}
	s.Cluster = instance.ClusterSpec{GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 30}}, RateLevels: levels}
	rack := instance.RackSpec{Nodes: 1, GPUs: 4, GPU: "a", NIC: 8e6, Fabric: 8e6}
	workers := 2
	switch where {
	case "rack":
		rack.Nodes, rack.GPUs, workers = 2, 2, 3
		fallthrough
	case "node":
		s.Cluster.Racks = []instance.RackSpec{rack}
	case "trunk":
		for _, name := range []string{"0", "1"} {
			s.Cluster.Switches = append(s.Cluster.Switches, instance.SwitchSpec{Name: "s" + name})
			s.Cluster.Nodes = append(s.Cluster.Nodes, instance.NodeSpec{
				Name: "n" + name, Switch: "s" + name, GPUs: 1, GPU: "a", NIC: 8e6, Fabric: 8e6,
			})
		}
		s.Cluster.Links = []instance.LinkSpec{{From: "s0", To: "s1", Rate: 6e6}}
	}
	s.Profiles = []*instance.Profile{{Model: "m", GPU: "a", Batch: 8, Layers: []instance.Layer{
		{Name: "l", Forward: ms, Backward: ms, Parameters: bytes},
	}}}
	for _, name := range []string{"x", "y"} {
		s.Jobs = append(s.Jobs, instance.JobSpec{Name: name, Model: "m", Workers: workers, Iterations: 1, SPB: instance.SPBSpec{Rule: "full"}})
	}
	in, err := instance.Compile(s, nil)
	require.NoError(t, err)
	return in
}
