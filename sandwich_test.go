package jigsaw_test

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// sandwich holds Plan against brute force on random tiny instances of a kind: every bound <=
// optimum <= every schedule (turned round for the maximised objectives), "infeasible" and
// "optimal" only where that is so. That plans pass the check is Plan's own rule.
type sandwich struct {
	draw       func(*rand.Rand, instancetest.Options) *instance.Instance
	options    instancetest.Options
	stream     uint64
	per, short int  // instances of each objective, in long and short tests
	quick      bool // plans that repeat are quick ones
	also       func(*instance.Instance, *instance.Schedule)
}

// met counts what the instances of one objective turned out to be.
type met struct{ solved, infeasible, proven, optimal, tight int }

// run calls the check with each objective's counts.
func (s sandwich) run(t *testing.T, check func(*testing.T, met, int)) {
	per := s.per
	if testing.Short() {
		per = s.short
	}
	for _, objective := range instance.Objectives() {
		t.Run(string(objective), func(t *testing.T) {
			t.Parallel()
			var m met
			for seed := range uint64(per) {
				options := s.options
				options.Objective = objective
				in := s.draw(rand.New(rand.NewPCG(seed, s.stream)), options)
				best, schedule, status := instancetest.OptimumWithin(in, 200_000)
				if status == instancetest.Skipped {
					continue
				}
				r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Seed: seed, Quick: s.quick && objective.Periodic()})
				require.NoError(t, err, "seed %d", seed)
				if status == instancetest.Infeasible {
					m.infeasible++
					require.Nil(t, r.Schedule, "seed %d: a schedule of an infeasible instance", seed)
					if r.Status == jigsaw.Infeasible {
						m.proven++
						require.NotEmpty(t, r.Reasons)
					}
					continue
				}
				m.solved++
				if s.also != nil {
					s.also(in, schedule)
				}
				require.NotEqual(t, jigsaw.Infeasible, r.Status, "seed %d: %v", seed, r.Reasons)
				for _, b := range r.Bounds {
					require.True(t, b.Certified, "seed %d: %s", seed, b.Kind)
					require.False(t, objective.Better(best, b.Value), "seed %d: %s bound %s, optimum %s", seed, b.Kind, b.Value, best)
				}
				for name, h := range map[string]jigsaw.Baseline{"plan": {Value: r.Primal}, "greedy": r.Greedy, "interleaved-full": r.InterleavedFull, "exclusive": r.Exclusive} {
					if h.Value != nil {
						require.False(t, objective.Better(h.Value, best), "seed %d: %s %s, optimum %s", seed, name, h.Value, best)
					}
				}
				if r.Primal != nil && r.Primal.Cmp(best) == 0 {
					m.tight++
				}
				if r.Status == jigsaw.Optimal {
					m.optimal++
					require.Zero(t, r.Primal.Cmp(best), "seed %d: optimal %s, optimum %s", seed, r.Primal, best)
				}
			}
			t.Logf("of %d: %+v", per, m)
			check(t, m, per)
		})
	}
}

// TestBoundsOptimumHeuristics draws SPB rules, memories and networks.
func TestBoundsOptimumHeuristics(t *testing.T) {
	sandwich{draw: instancetest.Random, stream: 2111_10672, per: 550, short: 8}.run(t, func(t *testing.T, m met, per int) {
		assert.Greater(t, m.solved+m.infeasible, per*9/10)
		assert.Greater(t, m.tight, m.solved/2)
		assert.Greater(t, m.optimal, m.solved/10)
	})
}

// TestWide draws jobs of which many have more workers than there are GPUs of one kind in a rack, or in the cluster.
func TestWide(t *testing.T) {
	options := instancetest.Options{Jobs: 2, Workers: 4}
	var wide atomic.Int32 // jobs on all GPUs of a cluster of several types
	t.Cleanup(func() { assert.Positive(t, wide.Load()) })
	also := func(in *instance.Instance, schedule *instance.Schedule) {
		for _, home := range schedule.Residency {
			if len(in.Types) > 1 && len(home) == len(in.GPUs) {
				wide.Add(1)
			}
		}
	}
	sandwich{draw: instancetest.Random, options: options, stream: 31, per: 200, short: 8, quick: true, also: also}.run(t, func(t *testing.T, m met, _ int) {
		assert.Greater(t, m.tight, m.solved/2)
	})
}

// TestGrouped draws jobs whose workers have several GPUs.
func TestGrouped(t *testing.T) {
	options := instancetest.Options{Jobs: 2, Workers: 4}
	sandwich{draw: instancetest.Grouped, options: options, stream: 23, per: 60, short: 6, quick: true}.run(t, func(t *testing.T, m met, _ int) {
		assert.Greater(t, m.tight, m.solved*3/5)
	})
}

// TestPolicies draws jobs that obey policies.
func TestPolicies(t *testing.T) {
	options := instancetest.Options{Jobs: 2, Workers: 4}
	var changed atomic.Int32 // jobs whose policy changes their speed
	t.Cleanup(func() { assert.Positive(t, changed.Load()) })
	also := func(in *instance.Instance, schedule *instance.Schedule) {
		for j, home := range schedule.Residency {
			with, _ := in.SpanOf(&in.Jobs[j], home)
			if without, ok := in.Span(home); ok && len(home) > 0 && with.Slowest != without.Slowest {
				changed.Add(1)
			}
		}
	}
	sandwich{draw: instancetest.Policed, options: options, stream: 29, per: 40, short: 6, quick: true, also: also}.run(t, func(t *testing.T, m met, _ int) {
		assert.Greater(t, m.tight, m.solved/2)
	})
}

// TestBoundsOfSharding draws jobs that shard their states, accumulate gradients and keep checkpoints.
func TestBoundsOfSharding(t *testing.T) {
	sandwich{draw: sharded, options: instancetest.Options{Jobs: 2}, stream: 1910_02054, per: 100, short: 4}.run(t, func(t *testing.T, m met, per int) {
		assert.Greater(t, m.solved, per/2)
	})
}

// sharded draws a tiny instance and makes its jobs shard their states.
func sharded(rng *rand.Rand, options instancetest.Options) *instance.Instance {
	for {
		spec := instancetest.RandomSpec(rng, options)
		for _, p := range spec.Profiles {
			for i := range p.Layers {
				p.Layers[i].Input = instance.Bytes(1 + rng.IntN(20))
			}
		}
		for i := range spec.Jobs {
			j := &spec.Jobs[i]
			j.Sharding = []string{"", "zero1", "zero2", "zero3", "zero3"}[rng.IntN(5)]
			j.Accumulate = rng.IntN(3)
			j.Checkpointing = rng.IntN(3) == 0
		}
		if in, err := instance.Compile(spec, nil); err == nil { // memory may be too tight by now
			return in
		}
	}
}
