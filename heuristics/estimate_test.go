package heuristics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// TestEstimate: a group comes to no less than its longest chain and its mean load, and
// to more with one job more; what passes its memory is out of the question.
func TestEstimate(t *testing.T) {
	for _, objective := range []instance.Objective{instance.Makespan, instance.WeightedCompletion} {
		in := manyNodes(t, "plain", 1)
		in.Objective = objective
		e, b := newEstimate(in), &bench{}
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

// TestEstimateDelay: long tasks hold up the iterations of a job that leaves its GPUs
// for less, and not the other way round.
func TestEstimateDelay(t *testing.T) {
	e := &estimate{
		in:   &instance.Instance{Jobs: []instance.Job{{Iterations: 40}, {Iterations: 5}}},
		task: []float64{10, 80}, rest: []float64{20, 20},
	}
	assert.InDelta(t, waiting*5*(80-20), e.delay(0, 1), 0)
	assert.Zero(t, e.delay(1, 0))
}

// TestMean: the meeting of two times is told to two thousandths.
func TestMean(t *testing.T) {
	for x := 0.0; x <= 1; x += 0.01 {
		want := 7 * math.Pow(1+math.Pow(x, meeting), 1.0/meeting)
		assert.InEpsilon(t, want, mean(7, 7*x), 2e-3)
		assert.InDelta(t, mean(7*x, 7), mean(7, 7*x), 0)
	}
	assert.Zero(t, mean(0, 0))
}
