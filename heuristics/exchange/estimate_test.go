package exchange

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// TestEstimate: the estimate of a group is at least its longest chain and its mean load,
// and grows with an additional job; it is infinite if memory is exceeded.
func TestEstimate(t *testing.T) {
	for _, objective := range []instance.Objective{instance.Makespan, instance.WeightedCompletion} {
		in := manyNodes(t, "plain", 1)
		in.Objective = objective
		e, b := newEstimate(in), &scratch{}
		nodes := []instance.NodeID{0}
		var jobs []instance.JobID
		before, load, chain := 0.0, 0.0, 0.0
		for j := range in.Jobs {
			if in.Jobs[j].Workers > in.Nodes[0].GPUs {
				continue
			}
			jobs = append(jobs, instance.JobID(j))
			value := e.of(b, nodes, jobs)
			if math.IsInf(value, 1) {
				break
			}
			load += float64(in.Jobs[j].Workers) * e.work[j][0] / float64(in.Nodes[0].GPUs)
			chain = max(chain, e.chain[j])
			if objective == instance.Makespan {
				require.GreaterOrEqual(t, value, max(load, chain))
			} else {
				require.Greater(t, value, before)
			}
			before = value
		}
		require.Greater(t, len(jobs), 4)
		for j := range in.Types {
			in.Types[j].Memory = 1
		}
		assert.True(t, math.IsInf(e.of(b, nodes, jobs), 1))
	}
}

// flowing returns an estimate of jobs on nodes of two GPUs each, without memory. A job has a
// weight, a release, workers, ticks of work on each GPU and of a chain, and the fraction of
// it on NICs.
func flowing(nodes int, jobs ...[6]float64) (e *estimate, all []instance.NodeID) {
	in := &instance.Instance{Objective: instance.WeightedCompletion, Types: []instance.GPUType{{}}}
	for n := range nodes {
		in.Nodes = append(in.Nodes, instance.Node{GPUs: 2})
		all = append(all, instance.NodeID(n))
	}
	e = &estimate{in: in}
	for n, j := range jobs {
		in.Jobs = append(in.Jobs, instance.Job{
			Weight: int64(j[0]), Release: instance.Tick(j[1]), Workers: int(j[2]), Depths: make([]instance.Depth, 1),
			On: []*instance.Costs{{Ephemeral: make([]instance.Bytes, 1)}},
		})
		e.work, e.chain, e.nic = append(e.work, []float64{j[3]}), append(e.chain, j[1]+j[4]), append(e.nic, j[5])
		e.rank = append(e.rank, int32(n))
	}
	return e, all
}

// TestEstimateFlow: of jobs that share resources, those of lower rank slow down, and no
// others do.
func TestEstimateFlow(t *testing.T) {
	for name, c := range map[string]struct {
		nodes int
		jobs  [][6]float64
		want  float64
	}{
		"interlocking":  {1, [][6]float64{{1, 0, 2, 50, 100, 0}, {1, 0, 2, 50, 100, 0}}, 100 + 100},
		"too much":      {1, [][6]float64{{3, 0, 2, 80, 100, 0}, {1, 0, 2, 50, 100, 0}}, 300 + 160}, // 40 of 100 ticks, then alone
		"one by one":    {1, [][6]float64{{3, 0, 2, 80, 100, 0}, {1, 100, 2, 50, 100, 0}}, 300 + 200},
		"overtaken":     {1, [][6]float64{{1, 50, 2, 100, 100, 0}, {1, 0, 2, 100, 100, 0}}, 150 + 200},
		"apart":         {1, [][6]float64{{1, 0, 1, 100, 100, 0}, {1, 0, 1, 100, 100, 0}}, 100 + 100},
		"least left":    {1, [][6]float64{{1, 0, 1, 100, 100, 0}, {1, 0, 1, 20, 20, 0}, {1, 20, 1, 80, 80, 0}}, 100 + 20 + 100},
		"in one node":   {2, [][6]float64{{1, 0, 1, 90, 90, 0}, {1, 0, 1, 10, 10, 0}, {1, 0, 1, 20, 20, 0}, {1, 0, 2, 50, 50, 0}}, 90 + 10 + 20 + 70},
		"across":        {2, [][6]float64{{1, 0, 3, 10, 100, 0.5}, {1, 0, 3, 10, 100, 0.5}}, 100 + 100},
		"NICs too full": {2, [][6]float64{{1, 0, 4, 10, 100, 0.8}, {1, 0, 4, 10, 100, 0.8}}, 100 + 175}, // 25 of 100 ticks, then alone
		"no room":       {1, [][6]float64{{1, 0, 3, 10, 10, 0}}, math.Inf(1)},
	} {
		e, nodes := flowing(c.nodes, c.jobs...)
		var jobs []instance.JobID
		for j := range c.jobs {
			jobs = append(jobs, instance.JobID(j))
		}
		b := &scratch{}
		for range 2 { // the second time in reused memory
			if got := e.of(b, nodes, jobs); math.IsInf(c.want, 1) {
				assert.True(t, math.IsInf(got, 1), name)
			} else {
				assert.InDelta(t, c.want, got, 1e-3, name)
			}
		}
	}
}

// TestEstimateNICs: also under makespan, jobs that need several nodes take turns on their NICs.
func TestEstimateNICs(t *testing.T) {
	e, nodes := flowing(2, [6]float64{1, 0, 3, 10, 100, 0.8}, [6]float64{1, 50, 3, 10, 100, 0.8})
	e.in.Objective, e.task, e.rest = instance.Makespan, make([]float64, 2), make([]float64, 2)
	assert.InDelta(t, 80+80, e.of(&scratch{}, nodes, []instance.JobID{0, 1}), 1e-9)
	assert.InDelta(t, 100, e.of(&scratch{}, nodes, []instance.JobID{0}), 1)
}

// TestEstimateDelay: long tasks delay the iterations of a job that leaves its GPUs free
// for less time, but not vice versa.
func TestEstimateDelay(t *testing.T) {
	e := &estimate{
		in:   &instance.Instance{Jobs: []instance.Job{{Iterations: 40}, {Iterations: 5}}},
		task: []float64{10, 80}, rest: []float64{20, 20}, waiting: 0.5,
	}
	assert.InDelta(t, 0.5*5*(80-20), e.delay(0, 1), 0)
	assert.Zero(t, e.delay(1, 0))
}

// TestMean: the mean of two times is accurate to two thousandths.
func TestMean(t *testing.T) {
	for x := 0.0; x <= 1; x += 0.01 {
		want := 7 * math.Pow(1+math.Pow(x, meeting), 1.0/meeting)
		assert.InEpsilon(t, want, mean(7, 7*x), 2e-3)
		assert.InDelta(t, mean(7*x, 7), mean(7, 7*x), 0)
	}
	assert.Zero(t, mean(0, 0))
}
