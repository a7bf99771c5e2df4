package jigsaw_test

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/instance/symmetry"
	"jigsaw/formulation/relax"
	"jigsaw/method"
	"jigsaw/solver"
)

// example compiles a shipped instance.
func example(t *testing.T, name string) *instance.Instance {
	t.Helper()
	document, models := documentAndModels(t, name)
	in, err := document.Compile(models)
	require.NoError(t, err)
	return in
}

// shortened is an example of which each job has a part of its iterations.
func shortened(t *testing.T, name string, part int) *instance.Instance {
	t.Helper()
	document, models := documentAndModels(t, name)
	for i := range document.Spec.Jobs {
		job := &document.Spec.Jobs[i]
		job.Iterations = max(1, job.Iterations/part)
	}
	in, err := document.Compile(models)
	require.NoError(t, err)
	return in
}

// TestExamples plans every shipped instance: its schedule passes the checker
// and its bounds hold, or it is proven infeasible with the reason; its result is as published.
func TestExamples(t *testing.T) {
	examples, err := jigsaw.Examples()
	require.NoError(t, err)
	require.Len(t, examples, 15)
	for _, e := range examples {
		if e.Name == "burst" {
			continue // TestSolve of formulation/burst
		}
		if testing.Short() && (e.Name == "queue" || e.Name == "night") {
			continue // TestQueueQueues, TestNightShares
		}
		t.Run(e.Name, func(t *testing.T) {
			in := example(t, e.Name)
			assert.Equal(t, e.Name, in.Name)
			assert.NotEmpty(t, e.Lesson)
			r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Quick: testing.Short()})
			require.NoError(t, err)
			requireSchema(t, r)
			if e.Name == "infeasible" {
				assert.Equal(t, jigsaw.Infeasible, r.Status)
				require.NotEmpty(t, r.Reasons)
				assert.Contains(t, r.Reasons[0], "rush")
				return
			}
			if r.Blocks != nil {
				requirePlanInBlocks(t, r)
				return
			}
			require.NotNil(t, r.Schedule, r.Reasons)
			assert.Empty(t, check.Schedule(in, r.Schedule))
			assert.Zero(t, in.Value(r.Schedule).Cmp(r.Primal))
			assert.True(t, r.Certified)
			assert.False(t, in.Objective.Better(r.Primal, r.Dual))
			for _, b := range []jigsaw.Baseline{r.Greedy, r.InterleavedFull, r.Exclusive} {
				require.NotNil(t, b.Schedule, b.Reason)
				if !testing.Short() { // a quick plan need not be
					assert.False(t, in.Objective.Better(b.Value, r.Primal), "the plan is the best of all")
				}
			}
		})
	}
}

// TestCrossing holds the example to what it is for: chain and area bounds
// within 10 % of each other.
func TestCrossing(t *testing.T) {
	r, err := jigsaw.Bound(context.Background(), example(t, "crossing"), jigsaw.Options{NoLP: true})
	require.NoError(t, err)
	require.Len(t, r.Bounds, 2)
	assert.Less(t, jigsaw.Gap(r.Bounds[0].Value, r.Bounds[1].Value), 0.1)
}

func TestSameSeedSameAnswer(t *testing.T) {
	in := shortened(t, "quickstart", 6)
	plan := func() *jigsaw.Document {
		r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Seed: 7})
		require.NoError(t, err)
		return r.Document(true)
	}
	want := plan()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	assert.Equal(t, want, plan())
}

// TestCancelled: a plan that is stopped at once is that of a queue.
// TestCanonicalPlans: whatever made a plan, or a baseline, alike nodes and GPUs are in one order.
func TestCanonicalPlans(t *testing.T) {
	for _, name := range []string{"quickstart", "thin-network", "queue"} {
		in := example(t, name)
		for _, opt := range []jigsaw.Options{{Quick: true}, {Quick: true, Seed: 1}, {Effort: 1, NoLP: true}} {
			r, err := jigsaw.Plan(context.Background(), in, opt)
			require.NoError(t, err)
			require.True(t, r.Schedule != nil || r.Blocks != nil)
			for _, b := range []jigsaw.Baseline{{Instance: in, Schedule: r.Schedule, Blocks: r.Blocks}, r.Exclusive, r.Greedy} {
				if b.Schedule != nil {
					assert.Same(t, b.Schedule, symmetry.Canonical(b.Instance, b.Schedule), name)
				}
				if b.Blocks != nil {
					assert.Same(t, b.Blocks, symmetry.CanonicalBlocks(b.Instance, b.Blocks), name)
				}
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := example(t, "crossing")
	r, err := jigsaw.Plan(ctx, in, jigsaw.Options{})
	require.NoError(t, err)
	assert.Equal(t, jigsaw.Feasible, r.Status)
	require.NotNil(t, r.Schedule)
	assert.Empty(t, check.Schedule(in, r.Schedule))
	assert.NotNil(t, r.Queue.Schedule)
	assert.Zero(t, r.Exclusive.Value.Cmp(r.Queue.Value))
	assert.Equal(t, "interrupted before the first schedule was found", r.Greedy.Reason)
	assert.Contains(t, r.Notes, "interrupted: this is the best plan so far")
}

// TestStoppedPlanIsKept stops a plan after its first schedule.
func TestStoppedPlanIsKept(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	in := example(t, "crossing")
	r, err := jigsaw.Plan(ctx, in, jigsaw.Options{NoLP: true, Progress: func(p jigsaw.Point) {
		if p.Primal != nil {
			cancel()
		}
	}})
	require.NoError(t, err)
	require.NotNil(t, r.Schedule)
	assert.Equal(t, jigsaw.Feasible, r.Status)
	assert.Contains(t, r.Notes, "interrupted: this is the best plan so far")
}

// faulty is an LP engine that fails, or works for ever.
type faulty struct{ hang, deaf bool }

func (faulty) Name() string      { return "faulty" }
func (faulty) Caps() solver.Caps { return solver.Caps{} }

func (f faulty) Load(*solver.Problem) (solver.Model, error) {
	if f.hang {
		return stuck{deaf: f.deaf}, nil
	}
	return nil, errors.New("faulty: no licence")
}

// stuck is a model whose Solve ends with its context only, or never.
type stuck struct {
	solver.Model
	deaf bool
}

func (stuck) Close() error { return nil }

func (stuck) AddCols(...solver.Column) error { return nil }

func (m stuck) Solve(ctx context.Context, _ solver.Limits) (*solver.Solution, error) {
	if m.deaf {
		select {}
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestFaultyEngine: the plan comes without the LP engine, and says why a bound is missing.
func TestFaultyEngine(t *testing.T) {
	for name, c := range map[string]struct {
		opt   jigsaw.Options
		limit time.Duration // of the caller's context: the engine has the whole grace period then
		note  string
	}{
		"fails": {jigsaw.Options{Solver: faulty{}}, 0, "no licence"},
		"hangs": {jigsaw.Options{Solver: faulty{hang: true}}, 2 * time.Second, "time limit"},
		"deaf":  {jigsaw.Options{Solver: faulty{hang: true, deaf: true}, Time: 2 * time.Second}, 0, "did not stop"},
		"off":   {jigsaw.Options{NoLP: true}, 0, "switched off"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := shortened(t, "quickstart", 6)
			ctx := context.Background()
			if c.opt.Time+c.limit > 0 {
				in = example(t, "quickstart") // a shorter one may be proven optimal
			}
			if c.limit > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, c.limit)
				defer cancel()
			}
			r, err := jigsaw.Plan(ctx, in, c.opt)
			require.NoError(t, err)
			assert.NotNil(t, r.Schedule)
			assert.Len(t, r.Bounds, 2)
			require.NotEmpty(t, r.Notes)
			assert.Contains(t, r.Notes[0], "no LP bound: ")
			assert.Contains(t, r.Notes[0], c.note)
		})
	}
}

func TestGap(t *testing.T) {
	assert.InDelta(t, 0.1, jigsaw.Gap(big.NewRat(10, 1), big.NewRat(9, 1)), 1e-12)
	assert.InDelta(t, 0.5, jigsaw.Gap(big.NewRat(2, 1), big.NewRat(3, 1)), 1e-12, "maximised: the bound is above")
	assert.True(t, jigsaw.Gap(nil, nil) != jigsaw.Gap(nil, nil), "NaN where one is unknown")
	assert.NotEqual(t, jigsaw.Gap(new(big.Rat), big.NewRat(1, 2)), jigsaw.Gap(new(big.Rat), big.NewRat(1, 2)), "NaN where the plan alone is worth nothing")
}

func TestFormatValue(t *testing.T) {
	in := *example(t, "quickstart")
	for _, c := range []struct {
		objective instance.Objective
		value     *big.Rat
		want      string
	}{
		{instance.Makespan, big.NewRat(10_900, 1), "10.90 s"},
		{instance.Makespan, big.NewRat(5, 1), "0.005 s"},
		{instance.Makespan, big.NewRat(54_321, 1_000_000), "0.00005432 s"},
		{instance.Makespan, new(big.Rat), "0 s"},
		{instance.Makespan, big.NewRat(99_996, 10), "10.00 s"},
		{instance.Makespan, big.NewRat(999_996, 1000), "1.000 s"},
		{instance.Makespan, big.NewRat(600_000, 1), "10.00 min"},
		{instance.Makespan, big.NewRat(8_000_000, 1), "2.222 h"},
		{instance.WeightedCompletion, big.NewRat(12_345_678, 1), "3.429 h × weight"},
		{instance.Throughput, big.NewRat(3, 1000), "3.000 it/s"},
		{instance.MaxMinThroughput, big.NewRat(1, 3), "33.33 %"},
		{instance.Makespan, nil, "-"},
	} {
		in.Objective = c.objective
		assert.Equal(t, c.want, jigsaw.FormatValue(&in, c.value))
	}
	in.Objective = instance.Makespan
	assert.Equal(t, "150.0 min", jigsaw.FormatValueLike(&in, big.NewRat(9_000_000, 1), big.NewRat(700_000, 1)))
}

// TestTimedPlanLeavesTheInstance runs bounds, search and tree side by side, as
// a time limit has it, and checks that none of them changes the instance that
// all share.
func TestTimedPlanLeavesTheInstance(t *testing.T) {
	for seed := range uint64(4) {
		in := instancetest.Random(rand.New(rand.NewPCG(seed, 12)), instancetest.Options{Jobs: 8, GPUs: 6, Workers: 4, Iterations: 4, Objective: instance.Makespan})
		before := in.Digest()
		r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Time: 400 * time.Millisecond, Seed: seed})
		require.NoError(t, err)
		if r.Schedule != nil {
			require.Empty(t, check.Schedule(in, r.Schedule))
		}
		require.Equal(t, before, in.Digest(), "seed %d", seed)
	}
}

// TestNotesComeOnce plans an instance small enough for every part of a plan: a
// note on the missing LP bound is about all of them.
func TestNotesComeOnce(t *testing.T) {
	in := instancetest.Random(rand.New(rand.NewPCG(1, 12)), instancetest.Options{Jobs: 8, GPUs: 4, Objective: instance.Makespan})
	r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{NoLP: true})
	require.NoError(t, err)
	require.Equal(t, jigsaw.Feasible, r.Status, "an instance that is proven at once asks no engine twice")
	assert.Equal(t, []string{"no LP bound: switched off"}, r.Notes)
}

// TestWithout: an unknown method is refused, and one that is known is not missed.
func TestWithout(t *testing.T) {
	in := example(t, "rack")
	_, err := jigsaw.Plan(t.Context(), in, jigsaw.Options{Without: method.Set{"lane": true}})
	require.ErrorContains(t, err, `method: unknown "lane"`)
	_, err = jigsaw.Bound(t.Context(), in, jigsaw.Options{Without: method.Set{"lane": true}})
	require.ErrorContains(t, err, `method: unknown "lane"`)

	r, err := jigsaw.Bound(t.Context(), in, jigsaw.Options{Without: method.Set{method.Columns: true, method.Packing: true}})
	require.NoError(t, err)
	for _, b := range r.Bounds {
		assert.NotContains(t, []relax.Kind{relax.ColumnsBound, relax.PackingBound}, b.Kind)
	}
}

// TestFirewall: jobs of separate racks have to pass one firewall, and share its link, which limits the plan.
func TestFirewall(t *testing.T) {
	in := compiled(t, `
version: 1
cluster:
  gpu_types: [{name: v100, memory: 16GiB}]
  switches: [{name: leaf0}, {name: leaf1}, {name: leaf2}, {name: leaf3}, {name: spine}, {name: firewall}]
  nodes:
    - {name: a0, switch: leaf0, gpus: 4, gpu: v100, nic: 100Gbit/s, fabric: 600Gbit/s}
    - {name: a1, switch: leaf0, gpus: 4, gpu: v100, nic: 100Gbit/s, fabric: 600Gbit/s}
    - {name: b0, switch: leaf1, gpus: 4, gpu: v100, nic: 100Gbit/s, fabric: 600Gbit/s}
    - {name: b1, switch: leaf1, gpus: 4, gpu: v100, nic: 100Gbit/s, fabric: 600Gbit/s}
    - {name: c0, switch: leaf2, gpus: 4, gpu: v100, nic: 100Gbit/s, fabric: 600Gbit/s}
    - {name: c1, switch: leaf2, gpus: 4, gpu: v100, nic: 100Gbit/s, fabric: 600Gbit/s}
    - {name: d0, switch: leaf3, gpus: 4, gpu: v100, nic: 100Gbit/s, fabric: 600Gbit/s}
    - {name: d1, switch: leaf3, gpus: 4, gpu: v100, nic: 100Gbit/s, fabric: 600Gbit/s}
  links:
    - {from: leaf0, to: spine, rate: 100Gbit/s}
    - {from: leaf1, to: spine, rate: 100Gbit/s}
    - {from: leaf2, to: spine, rate: 100Gbit/s}
    - {from: leaf3, to: spine, rate: 100Gbit/s}
    - {from: spine, to: firewall, rate: 10Gbit/s}
  policies: {inspected: {must_pass: [firewall]}}
jobs:
  - {name: fraud, count: 4, model: resnet50, workers: 8, iterations: 4, placement: {policy: inspected}}
`)
	r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Effort: 1})
	require.NoError(t, err)
	require.Empty(t, check.Schedule(in, r.Schedule))
	require.True(t, r.Certified)
	assert.Less(t, r.Gap(), 0.01)
}
