package jigsaw_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/relax"
	"jigsaw/method"
	"jigsaw/solver/backend"
)

// crowded has so many jobs of a worker that keeps 60 MB and computes for 21 ms, on two GPUs; top and job say more of the file and of the jobs.
func crowded(t *testing.T, jobs int, memory, top, job string) *instance.Instance {
	t.Helper()
	d, err := codec.Decode(fmt.Appendf(nil, `
version: 1
%s
cluster:
  gpu_types: [{name: v, memory: %s}]
  racks: [{nodes: 1, gpus: 2, gpu: v, nic: 80Mbit/s, fabric: 800Mbit/s}]
profiles:
  - {model: m, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 2ms, parameters: 30MB}]}
jobs:
  - {name: a, count: %d, model: m, workers: 1, iterations: 7, optimizer: sgd%s}
`, top, memory, jobs, job))
	require.NoError(t, err)
	in, err := d.Compile(nil)
	require.NoError(t, err)
	return in
}

// certifies requires that a certificate is read and holds.
func certifies(t *testing.T, in *instance.Instance, c *jigsaw.Certificate) {
	t.Helper()
	require.NotNil(t, c)
	var file bytes.Buffer
	require.NoError(t, jigsaw.EncodeCertificate(&file, c))
	read, err := jigsaw.DecodeCertificate(in, &file)
	require.NoError(t, err)
	_, err = jigsaw.Certify(context.Background(), in, read)
	require.NoError(t, err)
}

// TestLeastRateOfAll: where memory cannot hold all jobs, by its sum or only GPU by GPU, one has no iterations in any
// plan, which is proven.
func TestLeastRateOfAll(t *testing.T) {
	for _, jobs := range []int{3, 4} {
		in := crowded(t, jobs, "100MB", "objective: max_min_throughput", "")
		for name, plan := range map[string]func(context.Context, *instance.Instance, jigsaw.Options) (*jigsaw.Result, error){"plan": jigsaw.Plan, "first": jigsaw.First} {
			r, err := plan(context.Background(), in, jigsaw.Options{})
			require.NoError(t, err)
			assert.Equal(t, jigsaw.Optimal, r.Status, "%s of %d", name, jobs)
			require.True(t, r.Certified)
			assert.Zero(t, r.Dual.Sign())
			assert.Equal(t, relax.PresolveProof, r.Proof.Kind)
			assert.Contains(t, r.Notes[0], "the least rate is 0: ")
			certifies(t, in, r.Proof)
		}
	}
	in := crowded(t, 2, "100MB", "objective: max_min_throughput", "")
	b := relax.Refuted(in, nil)
	assert.False(t, b.Certified)
	assert.Nil(t, b.Value)
	assert.Nil(t, relax.NoPlacement(context.Background(), crowded(t, 3, "100MB", "objective: throughput", ""), 1000))
}

// TestTogetherTooLate: each job could meet its deadline, and so could two of them, or all by their work, but not all three: two of them
// share a GPU.
func TestTogetherTooLate(t *testing.T) {
	if _, err := backend.Default(); err != nil {
		t.Skip(err)
	}
	for _, objective := range []instance.Objective{instance.Makespan, instance.WeightedCompletion} {
		in := crowded(t, 3, "1GB", "objective: "+string(objective), ", deadline: 41ms")
		for name, opt := range map[string]jigsaw.Options{"no limit": {}, "a limit": {Time: time.Minute}, "a tree": {Without: method.Set{method.Packing: true, method.Periods: true}}} {
			r, err := jigsaw.Plan(context.Background(), in, opt)
			require.NoError(t, err)
			require.Equal(t, jigsaw.Infeasible, r.Status, "%s, %s", objective, name)
			require.Len(t, r.Reasons, 1)
			assert.Contains(t, r.Reasons[0], "all jobs have deadlines")
			kind := relax.PackingBound
			if opt.Without[method.Packing] {
				kind = relax.TreeBound
			}
			assert.Equal(t, kind, r.Proof.Kind, name)
			certifies(t, in, r.Proof)
		}
		r, err := jigsaw.Plan(context.Background(), crowded(t, 3, "1GB", "objective: "+string(objective), ", deadline: 42ms"), jigsaw.Options{})
		require.NoError(t, err)
		require.Equal(t, jigsaw.Optimal, r.Status)
	}
}

// due is an example whose jobs are to end by a time.
func due(t *testing.T, name string, objective instance.Objective, by time.Duration) *instance.Instance {
	t.Helper()
	document, models := documentAndModels(t, name)
	document.Spec.Objective = objective
	for i := range document.Spec.Jobs {
		document.Spec.Jobs[i].Deadline = instance.Duration(by)
	}
	in, err := document.Compile(models)
	require.NoError(t, err)
	return in
}

// TestTooLateByMakespan: that deadlines cannot be met is proven by a bound on the makespan whatever the objective, and its certificate
// proves nothing else: not with later deadlines, and not that schedules cost as much.
func TestTooLateByMakespan(t *testing.T) {
	if _, err := backend.Default(); err != nil {
		t.Skip(err)
	}
	in := due(t, "queue", instance.WeightedCompletion, 25*time.Second)
	for name, plan := range map[string]func(context.Context, *instance.Instance, jigsaw.Options) (*jigsaw.Result, error){"plan": jigsaw.Plan, "bound": jigsaw.Bound} {
		r, err := plan(context.Background(), in, jigsaw.Options{Quick: true})
		require.NoError(t, err)
		require.Equal(t, jigsaw.Infeasible, r.Status, name)
		require.Len(t, r.Reasons, 1)
		assert.Contains(t, r.Reasons[0], "all jobs have deadlines, and with them a makespan of at most 25.00 s")
		require.True(t, r.Certified)
		certifies(t, in, r.Proof)
		proven, err := jigsaw.Certify(context.Background(), in, r.Proof)
		require.NoError(t, err)
		assert.Equal(t, r.Reasons, proven.Infeasible)
		assert.Nil(t, proven.Value, "of another objective")
	}
	// Of a bound that the deadlines do not refute.
	loose := due(t, "queue", instance.WeightedCompletion, 40*time.Second)
	r, err := jigsaw.Bound(context.Background(), due(t, "queue", instance.Makespan, 40*time.Second), jigsaw.Options{Quick: true})
	require.NoError(t, err)
	_, err = jigsaw.Certify(context.Background(), loose, r.Proof)
	require.ErrorContains(t, err, "does not prove that the deadlines cannot be met")
	without := example(t, "queue")
	without.Objective = instance.WeightedCompletion
	r, err = jigsaw.Bound(context.Background(), example(t, "queue"), jigsaw.Options{Quick: true})
	require.NoError(t, err)
	_, err = jigsaw.Certify(context.Background(), without, r.Proof)
	require.ErrorContains(t, err, "about another instance")
}

// TestInTime: where list scheduling misses deadlines, the search finds a schedule that meets them.
func TestInTime(t *testing.T) {
	for _, objective := range []instance.Objective{instance.Makespan, instance.WeightedCompletion} {
		r, err := jigsaw.Plan(context.Background(), due(t, "quickstart", objective, 9350*time.Millisecond), jigsaw.Options{NoLP: true})
		require.NoError(t, err)
		assert.NotEmpty(t, r.Greedy.Reason, "what this test is about: the greedy plan is late")
		assert.Equal(t, jigsaw.Feasible, r.Status, objective)
	}
}

// TestNoBoundsOfNothing: where the fluid program proves that there is no schedule, bounds on one are not looked for, which would rise
// for ever.
func TestNoBoundsOfNothing(t *testing.T) {
	if _, err := backend.Default(); err != nil {
		t.Skip(err)
	}
	in, err := jigsaw.Load([]byte(`version: 1
cluster: {gpu_types: [{name: v100, memory: 16GiB}], racks: [{nodes: 1, gpus: 2, gpu: v100, nic: 25Gbit/s, fabric: 300Gbit/s}]}
jobs: [{name: a, count: 40, model: resnet50, workers: 1, iterations: 30}]`))
	require.NoError(t, err)
	for name, plan := range map[string]func(context.Context, *instance.Instance, jigsaw.Options) (*jigsaw.Result, error){"plan": jigsaw.Plan, "bound": jigsaw.Bound} {
		r, err := plan(context.Background(), in, jigsaw.Options{})
		require.NoError(t, err)
		require.Equal(t, jigsaw.Infeasible, r.Status, name)
		require.Equal(t, relax.FluidBound, r.Proof.Kind, name)
		for _, b := range r.Bounds {
			require.NotEqual(t, relax.PackingBound, b.Kind, name)
		}
	}
	in.Objective = instance.MaxMinThroughput
	r, err := jigsaw.Bound(context.Background(), in, jigsaw.Options{})
	require.NoError(t, err)
	require.Zero(t, r.Dual.Sign(), "the least rate of jobs of which one is left out")
}
