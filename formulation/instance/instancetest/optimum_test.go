package instancetest_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
)

// seeded returns the generator of a test.
func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func TestRandomIsDeterministic(t *testing.T) {
	for seed := range uint64(20) {
		assert.Equal(t, instancetest.RandomSpec(seeded(seed), instancetest.Options{}),
			instancetest.RandomSpec(seeded(seed), instancetest.Options{}))
	}
}

// TestRandomDrawsEverything guards the generator against a loss of variety.
func TestRandomDrawsEverything(t *testing.T) {
	rng := seeded(1)
	seen := map[string]int{}
	note := func(what string, is bool) {
		if is {
			seen[what]++
		}
	}
	const n = 500
	for range n {
		in := instancetest.Random(rng, instancetest.Options{})
		note(string(in.Objective), true)
		note("one node", len(in.Nodes) == 1)
		note("racks", len(in.Racks) > 1)
		note("nodes in a rack", len(in.Nodes) > len(in.Racks))
		note("three nodes", len(in.Nodes) == 3)
		note("types", len(in.Types) == 2)
		note("tight memory", in.Types[0].Memory < 1<<30)
		note("latency", in.Latency > 0)
		note("identical jobs", len(in.Classes()) < len(in.Jobs))
		for _, l := range in.Links {
			note("failed", l.Failed)
		}
		for j := range in.Jobs {
			job := &in.Jobs[j]
			note("gang", job.Gang && job.Workers > 1)
			note("release", job.Release > 0)
			note("deadline", job.Deadline > 0)
			note("rack limit", job.Within == instance.WithinRack)
			note("node limit", job.Within == instance.WithinNode)
			note("free rule", job.Rule.Fixed == nil)
			note("three workers", job.Workers == 3)
			note("two iterations", job.Iterations == 2)
			note("three depths", len(job.Depths) == 3)
		}
	}
	t.Log(seen)
	assert.Len(t, seen, 22)
	for what, count := range seen {
		assert.GreaterOrEqual(t, count, 10, what)
	}
}

func TestOptimum(t *testing.T) {
	rng := seeded(2)
	n := instancetest.Many(400, 100)
	for _, objective := range instance.Objectives() {
		count := map[instancetest.Status]int{}
		zero := 0
		for range n {
			in := instancetest.Random(rng, instancetest.Options{Objective: objective})
			value, s, status := instancetest.Optimum(in)
			count[status]++
			if status != instancetest.Optimal {
				require.Nil(t, value)
				require.Nil(t, s)
			} else {
				require.Empty(t, check.Schedule(in, s))
				require.Zero(t, value.Cmp(in.Value(s)))
				if value.Sign() == 0 {
					zero++
				}
			}
			if other, ok := instancetest.ValidSchedule(rng, in); ok {
				require.Empty(t, check.Schedule(in, other))
				require.NotEqual(t, instancetest.Infeasible, status, "there is a valid schedule")
				if status == instancetest.Optimal {
					require.False(t, objective.Better(in.Value(other), value), "a plain schedule is better than the optimum")
				}
			}
		}
		t.Logf("%s: %v, %d of value 0", objective, count, zero)
		assert.Less(t, count[instancetest.Skipped], n/20)
		assert.Less(t, zero, n*2/5)
	}
}

// BenchmarkOptimum solves one random instance of any objective per iteration.
func BenchmarkOptimum(b *testing.B) {
	rng := seeded(5)
	skipped, n := 0, 0
	for b.Loop() {
		n++
		if _, _, status := instancetest.Optimum(instancetest.Random(rng, instancetest.Options{})); status == instancetest.Skipped {
			skipped++
		}
	}
	b.ReportMetric(100*float64(skipped)/float64(n), "%skipped")
}
