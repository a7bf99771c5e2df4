package jigsaw

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/change"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/horizon"
	"jigsaw/method"
)

// underWay draws a small instance and its plan; nil where there is none. In every fifth some workers have two GPUs.
func underWay(t *testing.T, seed uint64, queues bool) (*instance.Spec, *instance.Instance, *instance.BlockSchedule) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 21))
	draw := instancetest.RandomSpec
	if seed%5 == 4 {
		draw = instancetest.GroupedSpec
	}
	spec := draw(rng, instancetest.Options{
		Jobs: 4, Iterations: 6, GPUs: 5, Objective: []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2],
	})
	if queues {
		spec.Residence = instance.WhileRunning
		for i := range spec.Jobs {
			spec.Jobs[i].Iterations *= 1 + rng.IntN(40)
			spec.Jobs[i].Load = instance.Duration(rng.IntN(4)) * instance.Duration(max(1, spec.TickUS)) * 1000
		}
	}
	in, err := instance.Compile(spec, nil)
	if err != nil {
		return nil, nil, nil
	}
	r, err := Plan(t.Context(), in, Options{Quick: true, NoLP: true})
	require.NoError(t, err)
	switch {
	case r.Blocks != nil:
		return spec, in, r.Blocks
	case r.Schedule != nil:
		return spec, in, r.Schedule.Block()
	}
	return nil, nil, nil
}

// checkReplan tests what holds of all rests.
func checkReplan(t *testing.T, in *instance.Instance, plan *instance.BlockSchedule, r *ReplanResult) {
	t.Helper()
	rest, err := instance.Compile(r.Spec, nil)
	require.NoError(t, err)
	require.Equal(t, rest.Digest(), r.Instance.Digest())
	if r.Blocks == nil && r.Schedule == nil {
		require.Contains(t, []Status{Infeasible, Unknown}, r.Status)
		return
	}
	s := r.Blocks
	if s == nil {
		s = r.Schedule.Block()
	}
	require.Empty(t, check.Blocks(rest, s))
	written, err := s.Expand(rest)
	require.NoError(t, err)
	require.Empty(t, check.Schedule(rest, written))
	if r.Dual != nil {
		require.False(t, in.Objective.Better(r.Primal, r.Dual))
	}
}

// TestReplanNothing: where nothing changes, jobs go on where they are, and the plan ends no later.
func TestReplanNothing(t *testing.T) {
	seeds := instancetest.Many(uint64(120), 40)
	done := 0
	for seed := range seeds {
		spec, in, plan := underWay(t, seed, seed%3 > 0)
		if plan == nil {
			continue
		}
		end := plan.Makespan(in)
		at := instance.Duration(rand.New(rand.NewPCG(seed, 1)).Int64N(int64(end)) * in.TickUS * 1000)
		for round := range 2 { // the plan of the rest can be replanned as well
			r, err := Replan(t.Context(), spec, nil, plan, Update{At: at}, Options{Quick: true, NoLP: true})
			require.NoError(t, err, "seed %d", seed)
			checkReplan(t, in, plan, r)
			require.NotNil(t, r.Primal, "seed %d", seed)
			last := 0.0
			for _, c := range r.Jobs {
				require.Contains(t, []JobChoice{JobStays, JobWaits, JobDone}, c.What, "seed %d: %+v", seed, c)
				last = max(last, *c.After)
			}
			if in.Objective == instance.Makespan {
				require.LessOrEqual(t, last, float64(end*instance.Tick(in.TickUS))/1e6, "seed %d", seed)
			}
			done++
			if round == 0 {
				spec, in, plan = r.Spec, r.Instance, r.Blocks
				end = plan.Makespan(in)
				at = instance.Duration(int64(end) * 2 / 3 * in.TickUS * 1000)
			}
		}
	}
	require.Greater(t, done, int(seeds))
}

// TestReplanAfterFailure: only jobs that lived on the node that failed move.
func TestReplanAfterFailure(t *testing.T) {
	seeds := instancetest.Many(uint64(150), 80)
	moved, stayed, anew := 0, 0, 0
	for seed := range seeds {
		spec, in, plan := underWay(t, seed, seed%3 > 0)
		if plan == nil || len(in.Nodes) < 2 {
			continue
		}
		node := in.Nodes[seed%uint64(len(in.Nodes))].Name
		at := instance.Duration(int64(plan.Makespan(in)) / 3 * in.TickUS * 1000)
		r, err := Replan(t.Context(), spec, nil, plan, Update{At: at, Changes: []change.Change{{Kind: change.FailNode, Subject: node}}}, Options{Quick: true, NoLP: true})
		if err != nil {
			var problems instance.Problems
			require.ErrorAs(t, err, &problems, "seed %d", seed) // a job has no GPUs any more
			continue
		}
		checkReplan(t, in, plan, r)
		if slices.ContainsFunc(r.Notes, func(n string) bool { return n[:min(8, len(n))] == "the jobs" }) {
			anew++
			continue
		}
		for _, c := range r.Jobs {
			require.NotContains(t, c.To, node)
			switch c.What {
			case JobMoves:
				moved++
				require.Contains(t, c.From, node, "seed %d: %+v", seed, c)
			case JobStays:
				stayed++
				require.NotContains(t, c.From, node)
				require.Equal(t, c.From, c.To)
			}
		}
	}
	t.Logf("%d jobs moved, %d stayed; %d planned anew", moved, stayed, anew)
	assert.Greater(t, moved, int(seeds/12))
	assert.Greater(t, stayed, int(seeds/8))
	assert.Less(t, anew, int(seeds/8))
}

// TestReplanShared: jobs that share GPUs as they come go on after a failure, and the plan is as good as the best that was found.
func TestReplanShared(t *testing.T) {
	found := 0
	for n := range instancetest.Many(uint64(40), 4) {
		seed := 15 + n // the first ones have jobs that run on GPUs after others of another unit
		rng := rand.New(rand.NewPCG(seed, 31))
		spec := heuristicstest.NightSpec(5, 60, 30_000, instance.Makespan)
		for j := range spec.Jobs {
			spec.Jobs[j].Release = instance.Duration(rng.Int64N(12 * 3600 * 1e9))
		}
		in, err := instance.Compile(spec, nil)
		require.NoError(t, err)
		plan, err := horizon.Config{Quick: true}.Arrivals(t.Context(), in, rng)
		require.NoError(t, err)
		at := in.Duration(plan.Makespan(in)) / instance.Duration(2+rng.IntN(3))
		r, err := Replan(t.Context(), spec, nil, plan, Update{At: at, Changes: []change.Change{{Kind: change.FailNode, Subject: "r0n3"}}}, Options{Quick: true, NoLP: true, NoBound: true})
		require.NoError(t, err)
		require.Empty(t, check.Blocks(r.Instance, r.Blocks))
		for _, point := range r.Series {
			if point.Event == "search" {
				found++
				require.LessOrEqual(t, r.Primal.Cmp(point.Primal), 0, "seed %d", seed)
			}
		}
	}
	require.Positive(t, found)
}

// weightedNight plans jobs of hours of different weights, and has a node fail after a quarter of the plan.
func weightedNight(t *testing.T, jobs int, rng *rand.Rand) (spec *instance.Spec, plan *instance.BlockSchedule, planned instance.Duration, u Update) {
	t.Helper()
	spec = heuristicstest.NightSpec(3, jobs, 20_000, instance.WeightedCompletion)
	for j := range spec.Jobs {
		spec.Jobs[j].Weight = 1 + rng.Int64N(9)
	}
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	plan, err = horizon.Config{}.Scaled(t.Context(), in, rng)
	require.NoError(t, err)
	planned = in.Duration(plan.Makespan(in))
	return spec, plan, planned, Update{At: planned / 4, Changes: []change.Change{{Kind: change.FailNode, Subject: "r0n1"}}}
}

// TestReplanAnew: after a failure, what is left is planned anew beside the jobs that stay, and weighted completions are better for it.
func TestReplanAnew(t *testing.T) {
	t.Parallel()
	repaired, anew := 0.0, 0.0
	for seed := range instancetest.Many(uint64(8), 1) {
		spec, plan, _, u := weightedNight(t, 20, rand.New(rand.NewPCG(seed, 37)))
		opt := Options{NoLP: true, NoBound: true}
		r, err := Replan(t.Context(), spec, nil, plan, u, opt)
		require.NoError(t, err)
		for _, c := range r.Jobs {
			require.False(t, c.What == JobMoves && !slices.Contains(c.From, "r0n1"), "%+v", c)
		}
		opt.Without = method.Set{method.Scaling: true}
		old, err := Replan(t.Context(), spec, nil, plan, u, opt)
		require.NoError(t, err)
		require.LessOrEqual(t, r.Primal.Cmp(old.Primal), 0)
		repaired, anew = repaired+*Number(old.Primal), anew+*Number(r.Primal)
	}
	t.Logf("%.3f of what repairs have", anew/repaired)
	assert.Less(t, anew, 0.97*repaired)
}

// TestReplanLate: a deadline that the repair misses is given up only if the search finds no plan that meets it, and neither
// makes jobs move that can stay.
func TestReplanLate(t *testing.T) {
	t.Parallel()
	for seed := range instancetest.Many(uint64(8), 1) {
		spec, plan, planned, u := weightedNight(t, 14, rand.New(rand.NewPCG(seed, 38)))
		opt := Options{NoLP: true, NoBound: true}
		replan := func() (r *ReplanResult, last instance.Duration) {
			r, err := Replan(t.Context(), spec, nil, plan, u, opt)
			require.NoError(t, err)
			for _, c := range r.Jobs {
				require.False(t, c.What == JobMoves && !slices.Contains(c.From, "r0n1"), "%+v", c)
				last = max(last, instance.Duration(*c.After*1e9))
			}
			return r, last
		}
		opt.Quick = true
		_, end := replan()
		for j := range spec.Jobs {
			spec.Jobs[j].Deadline = end - 60e9 // the repair is late
		}
		r, last := replan()
		if !strings.Contains(fmt.Sprint(r.Notes), "deadlines given up") { // the quick search sometimes finds a plan, too
			require.LessOrEqual(t, last, end-60e9)
		}
		opt.Quick = false
		r, last = replan()
		require.NotContains(t, fmt.Sprint(r.Notes), "deadlines given up")
		require.LessOrEqual(t, last, end-60e9)
		for j := range spec.Jobs {
			spec.Jobs[j].Deadline = planned // with a node less, impossible
		}
		r, _ = replan()
		require.Contains(t, fmt.Sprint(r.Notes), "deadlines given up")
	}
}

// TestReplanSpreads: where jobs share nodes for hours and one node fails, those that lived there spread over the others, and the
// plan ends about as early as one that may move all of them.
func TestReplanSpreads(t *testing.T) {
	t.Parallel()
	data, err := exampleFiles.ReadFile("testdata/examples/night.yaml")
	require.NoError(t, err)
	document, err := codec.Decode(data)
	require.NoError(t, err)
	models, err := Models()
	require.NoError(t, err)
	spec := document.Spec
	spec.Cluster.Racks[0].Nodes, spec.Jobs = 10, spec.Jobs[:5]
	in, err := instance.Compile(spec, models)
	require.NoError(t, err)
	plan, err := Plan(t.Context(), in, Options{NoLP: true, Quick: true})
	require.NoError(t, err)
	r, err := Replan(t.Context(), spec, models, plan.Blocks, Update{At: 3600e9, Changes: []change.Change{{Kind: change.FailNode, Subject: "r0n3"}}}, Options{NoLP: true, Quick: testing.Short()})
	require.NoError(t, err)
	for _, c := range r.Jobs {
		require.Equal(t, slices.Contains(c.From, "r0n3"), c.What == JobMoves, "%+v", c)
	}
	free := *r.Spec
	for j := range free.Jobs {
		free.Jobs[j].Resident = nil
	}
	in, err = instance.Compile(&free, models)
	require.NoError(t, err)
	fresh, err := Plan(t.Context(), in, Options{NoLP: true, Quick: true})
	require.NoError(t, err)
	late, _ := new(big.Rat).Quo(r.Primal, fresh.Primal).Float64()
	assert.Less(t, late, 1.08, "%s after the failure, where all may move %s", FormatValue(in, r.Primal), FormatValue(in, fresh.Primal))
}

// TestReplanQueue: where all that runs is cancelled, what waits is planned about as well as from nothing.
func TestReplanQueue(t *testing.T) {
	seeds := instancetest.Many(uint64(150), 60)
	sum, compared := 0.0, 0
	for seed := range seeds {
		spec, in, plan := underWay(t, seed, true)
		if plan == nil {
			continue
		}
		at := plan.Makespan(in) / 8
		from, _ := plan.Spans(in)
		u := Update{At: instance.Duration(int64(at) * in.TickUS * 1000)}
		for j := range in.Jobs {
			if from[j]-in.Jobs[j].Load < at {
				u.Changes = append(u.Changes, change.Change{Kind: change.DropJob, Subject: in.Jobs[j].Name})
			}
		}
		if len(u.Changes) == len(in.Jobs) {
			continue
		}
		r, err := Replan(t.Context(), spec, nil, plan, u, Options{NoLP: true})
		require.NoError(t, err)
		checkReplan(t, in, plan, r)
		anew, err := Plan(t.Context(), r.Instance, Options{NoLP: true})
		require.NoError(t, err)
		a, _ := r.Primal.Float64()
		b, _ := anew.Primal.Float64()
		sum, compared = sum+a/b, compared+1
	}
	require.Greater(t, compared, int(seeds/15))
	assert.Less(t, sum/float64(compared), 1.02)
}

// TestReplanAnything: whatever changes, what comes out is valid, and accounts for every job.
func TestReplanAnything(t *testing.T) {
	seeds := instancetest.Many(uint64(400), 40)
	planned := 0
	for seed := range seeds {
		spec, in, plan := underWay(t, seed, seed%3 > 0)
		if plan == nil {
			continue
		}
		rng := rand.New(rand.NewPCG(seed, 22))
		u := Update{At: instance.Duration(rng.Int64N(int64(plan.Makespan(in))) * in.TickUS * 1000)}
		for range 1 + rng.IntN(3) {
			job := &in.Jobs[rng.IntN(len(in.Jobs))]
			u.Changes = append(u.Changes, []change.Change{
				{Kind: change.DropJob, Subject: job.Name}, {Kind: change.DoneJob, Subject: job.Name},
				{Kind: change.Left, Subject: job.Name, Iterations: 1 + rng.IntN(job.Iterations)},
				{Kind: change.LinkSpeed, Subject: in.Links[rng.IntN(len(in.Links))].Name, Factor: []float64{0.5, 0.9, 2}[rng.IntN(3)]},
				{Kind: change.CutLink, Subject: in.Links[rng.IntN(len(in.Links))].Name},
				{Kind: change.AddGPU, Subject: in.Nodes[rng.IntN(len(in.Nodes))].Name},
				{Kind: change.Network, Factor: 0.7},
				{Kind: change.FailGPU, Subject: fmt.Sprintf("%s.gpu%d", in.Nodes[0].Name, rng.IntN(in.Nodes[0].GPUs))},
				{Kind: change.MoreMemory, Subject: in.Types[0].Name, Factor: 0.6},
			}[rng.IntN(9)])
		}
		if rng.IntN(2) == 0 {
			job := spec.Jobs[0]
			job.Name, job.Count, job.Disabled, job.Deadline, job.Resident = "late", 0, false, 0, nil
			u.Jobs = append(u.Jobs, job)
		}
		opt := Options{Quick: seed%8 > 0, NoLP: true}
		r, err := Replan(t.Context(), spec, nil, plan, u, opt)
		if err != nil {
			var problems instance.Problems
			require.ErrorAs(t, err, &problems, "seed %d: %v", seed, u.Changes)
			continue
		}
		require.Len(t, r.Jobs, len(in.Jobs)+len(u.Jobs))
		if len(r.Instance.Jobs) == 0 {
			require.Nil(t, r.Blocks)
			continue
		}
		checkReplan(t, in, plan, r)
		if r.Primal != nil {
			planned++
		}
		again, err := Replan(t.Context(), spec, nil, plan, u, opt)
		require.NoError(t, err)
		require.Equal(t, r.Blocks, again.Blocks, "seed %d: same seed, same plan", seed)
	}
	require.Greater(t, planned, int(seeds/3))
}

// TestReplanErrors: mistakes are told with where they are.
func TestReplanErrors(t *testing.T) {
	spec, in, plan := underWay(t, 1, true)
	require.NotNil(t, plan)
	end := in.Duration(plan.Makespan(in))
	for name, test := range map[string]struct {
		u    Update
		want string
	}{
		"late":     {Update{At: 1 << 60}, "is not within the plan"},
		"latest":   {Update{At: math.MaxInt64}, "is not within the plan"},
		"last":     {Update{At: end - 1}, fmt.Sprintf(", %v in whole ticks, is not within the plan, which ends at %v", end, end)},
		"job":      {Update{Changes: []change.Change{{Kind: change.DropJob, Subject: "nobody"}}}, `changes[0]: there is no job "nobody"`},
		"node":     {Update{Changes: []change.Change{{Kind: change.DropJob, Subject: in.Jobs[0].Name}, {Kind: change.FailNode, Subject: "x"}}}, `changes[1]: there is no node "x"`},
		"kind":     {Update{Changes: []change.Change{{Kind: "explode"}}}, `unknown change "explode"`},
		"gpu":      {Update{Changes: []change.Change{{Kind: change.FailGPU, Subject: in.Nodes[0].Name}}}, "say which GPU"},
		"no gpu":   {Update{Changes: []change.Change{{Kind: change.FailGPU, Subject: in.Nodes[0].Name + ".gpu99"}}}, "has no such GPU, or it is out of service already"},
		"progress": {Update{Changes: []change.Change{{Kind: change.Progress, Subject: in.Jobs[0].Name, Iterations: 1 << 40}}}, "give a number from 0 to that"},
		"twice":    {Update{Jobs: []instance.JobSpec{spec.Jobs[0]}}, "jobs["},
	} {
		_, err := Replan(context.Background(), spec, nil, plan, test.u, Options{Quick: true})
		var problems instance.Problems
		require.ErrorAs(t, err, &problems, name)
		assert.Contains(t, err.Error(), test.want, name)
	}
}

// TestReplanBoundOfResidents: the bound knows that a job on a slow GPU stays there.
func TestReplanBoundOfResidents(t *testing.T) {
	document, err := codec.Decode([]byte(`version: 1
residence: run
cluster:
  gpu_types: [{name: v100, memory: 16GiB}, {name: slow, memory: 16GiB, profiled_as: [{gpu: v100, speed: 0.4}]}]
  racks: [{nodes: 1, gpus: 1, gpu: v100, nic: 25Gbit/s, fabric: 300Gbit/s}, {nodes: 1, gpus: 1, gpu: slow, nic: 25Gbit/s, fabric: 300Gbit/s}]
jobs: [{name: a, count: 3, model: resnet50, workers: 1, iterations: 1000}]`))
	require.NoError(t, err)
	models, err := Models()
	require.NoError(t, err)
	in, err := document.Compile(models)
	require.NoError(t, err)
	plan, err := Plan(t.Context(), in, Options{Quick: true, NoLP: true})
	require.NoError(t, err)
	r, err := Replan(t.Context(), document.Spec, models, plan.Blocks, Update{At: instance.Duration(10e9)}, Options{Quick: true, NoLP: true})
	require.NoError(t, err)
	require.True(t, r.Instance.Resumes())
	assert.Equal(t, Optimal, r.Status, "the one that the plan began on the slow GPU ends last")
	proven, err := Certify(t.Context(), r.Instance, r.Proof)
	require.NoError(t, err)
	assert.Zero(t, proven.Value.Cmp(r.Primal))
}
