package check_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
)

// byHand is an instance whose schedule can be checked with pencil and paper.
// Nodes r0n0 and r0n1 have two GPUs "v" each (0, 1 and 2, 3) and a NIC of
// 1000 bytes per tick; node r1n0 has one GPU "w" (4). The model has two
// layers of 1 tick forward, 2 ticks backward and 2000 bytes, so depths 0 and 1
// take 4 and 6 ticks; residents need 12000 bytes and tasks 1000 or 2000.
func byHand(t *testing.T, memory instance.Bytes, more ...func(*instance.Spec)) *instance.Instance {
	layer := instance.Layer{Forward: 1e6, Backward: 2e6, Parameters: 2000, Activations: 1000}
	spec := &instance.Spec{
		Version:  1,
		Profiles: []*instance.Profile{{Model: "two", GPU: "v", Batch: 1, Layers: []instance.Layer{layer, layer}}},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v", Memory: memory}, {Name: "w", Memory: memory}},
			Racks: []instance.RackSpec{
				{Nodes: 2, GPUs: 2, GPU: "v", NIC: 8e6, Fabric: 80e6},
				{Nodes: 1, GPUs: 1, GPU: "w", NIC: 8e6, Fabric: 80e6},
			},
		},
		Jobs: []instance.JobSpec{
			{Name: "a", Model: "two", Workers: 2, Iterations: 2},
			{Name: "b", Model: "two", Workers: 2, Gang: true, Release: 4e6, Deadline: 20e6, SPB: instance.SPBSpec{Rule: "free"}},
			{Name: "c", Model: "two", Workers: 1, Iterations: 2},
		},
	}
	for _, f := range more {
		f(spec)
	}
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	return in
}

// handSchedule is valid on byHand(26000). Synchronisations of a have 3000
// bytes: both workers share the last layer, one brings the first. Those of b
// have 4000. At half rate they take 6 and 8 ticks, and two fit a NIC.
func handSchedule() *instance.Schedule {
	return &instance.Schedule{
		Residency: [][]instance.GPUID{{0, 2}, {0, 2}, {1}},
		Tasks: []instance.Task{
			{Job: 0, Iteration: 1, GPU: 0, Depth: 0, Start: 0, End: 4},
			{Job: 0, Iteration: 1, GPU: 2, Depth: 1, Start: 0, End: 6},
			{Job: 0, Iteration: 2, GPU: 0, Depth: 1, Start: 12, End: 18},
			{Job: 0, Iteration: 2, GPU: 2, Depth: 0, Start: 12, End: 16},
			{Job: 1, Iteration: 1, GPU: 0, Depth: 1, Start: 6, End: 12},
			{Job: 1, Iteration: 1, GPU: 2, Depth: 1, Start: 6, End: 12},
			{Job: 2, Iteration: 1, GPU: 1, Depth: 1, Start: 0, End: 6},
			{Job: 2, Iteration: 2, GPU: 1, Depth: 1, Start: 6, End: 12},
		},
		Syncs: []instance.Sync{
			{Job: 0, Iteration: 1, Start: 6, End: 12, Rate: 2},
			{Job: 0, Iteration: 2, Start: 18, End: 24, Rate: 2},
			{Job: 1, Iteration: 1, Start: 12, End: 20, Rate: 2},
		},
	}
}

// brokenRules returns the rules that the violations name, ascending.
func brokenRules(violations []check.Violation) []int {
	var rules []int
	for _, v := range violations {
		rules = append(rules, v.Rule)
	}
	slices.Sort(rules)
	return slices.Compact(rules)
}

func TestCheckByHand(t *testing.T) {
	in := byHand(t, 26000)
	require.Empty(t, check.Schedule(in, handSchedule()))

	for _, test := range []struct {
		name   string
		rule   int
		damage func(*instance.Schedule)
		want   string // the first violation
	}{
		{"GPU type", 1, func(s *instance.Schedule) {
			s.Residency[2] = []instance.GPUID{4}
			s.Tasks[6].GPU, s.Tasks[7].GPU = 4, 4
		}, `rule 1 (residency): job 2 "c": r1n0.gpu0 is of type "w", which it may not run on`},
		{"GPU twice", 1, func(s *instance.Schedule) {
			s.Residency[2] = []instance.GPUID{1, 1}
		}, `rule 1 (residency): job 2 "c": r0n0.gpu1 is listed twice`},
		{"missing task", 2, func(s *instance.Schedule) { s.Tasks = s.Tasks[:7] },
			`rule 2 (tasks): job 2 "c", iteration 2: iterations 2 to 2 have no tasks`},
		{"task too long", 2, func(s *instance.Schedule) { s.Tasks[7].End++ },
			`rule 2 (tasks): job 2 "c", iteration 2, tick 6: the task on r0n0.gpu1 at depth 2 takes 7 ticks; it should take 6`},
		{"strange GPU", 2, func(s *instance.Schedule) { s.Tasks[7].GPU = 3 },
			`rule 2 (tasks): job 2 "c", iteration 2: there is no task on r0n0.gpu1`},
		{"iteration too many", 2, func(s *instance.Schedule) {
			s.Tasks = append(s.Tasks, instance.Task{Job: 2, Iteration: 3, GPU: 1, Depth: 1, Start: 12, End: 18})
		}, `rule 2 (tasks): job 2 "c", iteration 3: the job has only 2 iterations`},
		{"depths", 3, func(s *instance.Schedule) {
			s.Tasks[2].Depth, s.Tasks[2].End, s.Syncs[1].End = 0, 16, 22
		}, `rule 3 (depths): job 0 "a", iteration 2: 2 workers are at depth 1; the rule asks for 1`},
		{"before the sync before", 4, func(s *instance.Schedule) { s.Syncs[0].Start, s.Syncs[0].End = 7, 13 },
			`rule 4 (order of iterations): job 0 "a", iteration 2, tick 12: the task on r0n0.gpu0 starts before the iteration before ends at tick 13`},
		{"gang", 4, func(s *instance.Schedule) { s.Tasks[4].Start, s.Tasks[4].End = 5, 11 },
			`rule 4 (order of iterations): job 1 "b", iteration 1, tick 6: the task on r0n1.gpu0 does not start at tick 5 with the others of its gang`},
		{"sync too early", 5, func(s *instance.Schedule) { s.Syncs[1].Start, s.Syncs[1].End = 17, 23 },
			`rule 5 (sync after tasks): job 0 "a", iteration 2, tick 17: the synchronisation starts before the tasks end at tick 18`},
		{"no sync", 5, func(s *instance.Schedule) { s.Syncs = s.Syncs[:2] },
			`rule 5 (sync after tasks): job 1 "b", iteration 1: the iteration has no synchronisation`},
		{"sync of a lone worker", 5, func(s *instance.Schedule) {
			s.Syncs = append(s.Syncs, instance.Sync{Job: 2, Iteration: 1, Start: 6, End: 6, Rate: 1})
		}, `rule 5 (sync after tasks): job 2 "c", iteration 1, tick 6: a lone worker has no synchronisations`},
		{"two tasks on a GPU", 6, func(s *instance.Schedule) {
			for i := range 2 {
				s.Tasks[4+i].Start, s.Tasks[4+i].End = 5, 11
			}
		}, `rule 6 (one task per GPU): job 1 "b", iteration 1, tick 5: r0n1.gpu0 is busy with job "a", iteration 1, until tick 6`},
		{"link", 8, func(s *instance.Schedule) { s.Syncs[1].Rate, s.Syncs[1].End = 1, 21 },
			`rule 8 (link capacity): job 0 "a", iteration 2, tick 18: link r0n0.up would carry 12000000 bit/s but has 8000000`},
		{"sync too long", 9, func(s *instance.Schedule) { s.Syncs[1].End++ },
			`rule 9 (sync length): job 0 "a", iteration 2, tick 18: the synchronisation of 3000 bytes at level 1/2 of 8000000 bit/s takes 7 ticks; it should take 6`},
		{"deadline", 10, func(s *instance.Schedule) { s.Syncs[2].Start, s.Syncs[2].End = 13, 21 },
			`rule 10 (deadline): job 1 "b", iteration 1, tick 21: it ends after its deadline at tick 20`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := handSchedule()
			test.damage(s)
			got := check.Schedule(in, s)
			require.NotEmpty(t, got)
			assert.Equal(t, []int{test.rule}, brokenRules(got))
			assert.Equal(t, test.want, got[0].String())
		})
	}

	t.Run("release", func(t *testing.T) {
		in := byHand(t, 26000, func(s *instance.Spec) { s.Jobs[1].Release = 7e6 })
		got := check.Schedule(in, handSchedule())
		require.Len(t, got, 2)
		assert.Equal(t, `rule 4 (order of iterations): job 1 "b", iteration 1, tick 6: the task on r0n0.gpu0 starts before the release at tick 7`, got[0].String())
	})
	t.Run("mean depth", func(t *testing.T) {
		s := handSchedule() // b with one worker at each depth: three quarters on average
		s.Tasks[4].Depth, s.Tasks[4].End, s.Syncs[2].End = 0, 10, 18
		for mean, want := range map[instance.Ratio][]int{750_000: nil, 750_001: {3}} {
			in := byHand(t, 26000, func(s *instance.Spec) { s.Jobs[1].SPB.MinMeanDepth = mean })
			assert.Equal(t, want, brokenRules(check.Schedule(in, s)))
		}
	})
	t.Run("memory", func(t *testing.T) {
		got := check.Schedule(byHand(t, 25999), handSchedule())
		require.Len(t, got, 2)
		assert.Equal(t, `rule 7 (memory): job 0 "a", iteration 2, tick 12: r0n0.gpu0 needs 24000 bytes for its residents and 2000 for its largest task, but has 25999`, got[0].String())
	})
	t.Run("node limit", func(t *testing.T) {
		in := byHand(t, 26000, func(s *instance.Spec) { s.Jobs[0].Placement.Within = "node" })
		got := check.Schedule(in, handSchedule())
		require.Len(t, got, 1)
		assert.Equal(t, `rule 1 (residency): job 0 "a": r0n0.gpu0 and r0n1.gpu0 are not within one node`, got[0].String())
	})
	t.Run("failed link", func(t *testing.T) {
		in := byHand(t, 26000, func(s *instance.Spec) { s.Cluster.FailedLinks = []string{"r0n1.down"} })
		got := check.Schedule(in, handSchedule())
		require.Len(t, got, 2, "once for each job that uses it")
		assert.Equal(t, `rule 8 (link capacity): job 0 "a", iteration 1, tick 6: link r0n1.down has failed and carries nothing`, got[0].String())
	})
}

func TestCheckMalformed(t *testing.T) {
	in := byHand(t, 26000)
	for name, f := range map[string]func(*instance.Schedule){
		"period":                 func(s *instance.Schedule) { s.Period = 1 },
		"residencies":            func(s *instance.Schedule) { s.Residency = s.Residency[:2] },
		"resident":               func(s *instance.Schedule) { s.Residency[0][1] = 5 },
		"resident below":         func(s *instance.Schedule) { s.Residency[0][0] = -1 },
		"job":                    func(s *instance.Schedule) { s.Tasks[0].Job = 3 },
		"job below":              func(s *instance.Schedule) { s.Tasks[0].Job = -1 },
		"iteration":              func(s *instance.Schedule) { s.Tasks[0].Iteration = 0 },
		"GPU":                    func(s *instance.Schedule) { s.Tasks[0].GPU = 5 },
		"depth":                  func(s *instance.Schedule) { s.Tasks[0].Depth = 2 },
		"depth below":            func(s *instance.Schedule) { s.Tasks[0].Depth = -1 },
		"end before start":       func(s *instance.Schedule) { s.Tasks[0].End = -1 },
		"length that overflows":  func(s *instance.Schedule) { s.Tasks[0].Start, s.Tasks[0].End = math.MinInt64, math.MaxInt64 },
		"job of sync":            func(s *instance.Schedule) { s.Syncs[0].Job = 3 },
		"iteration of sync":      func(s *instance.Schedule) { s.Syncs[0].Iteration = -7 },
		"rate":                   func(s *instance.Schedule) { s.Syncs[0].Rate = 3 },
		"rate 0":                 func(s *instance.Schedule) { s.Syncs[0].Rate = 0 },
		"sync end before start":  func(s *instance.Schedule) { s.Syncs[0].End = 5 },
		"sync starts before all": func(s *instance.Schedule) { s.Syncs[0].Start = -1 },
	} {
		s := handSchedule()
		f(s)
		assert.Equal(t, []int{0}, brokenRules(check.Schedule(in, s)), name)
	}
	assert.Equal(t, []int{0}, brokenRules(check.Schedule(in, nil)))
	empty := &instance.Schedule{Residency: make([][]instance.GPUID, 3)}
	assert.Equal(t, []int{1, 2}, brokenRules(check.Schedule(in, empty)))
}

func TestCheckLimitsItsReport(t *testing.T) {
	in := byHand(t, 26000)
	s := handSchedule()
	for range 1000 {
		s.Tasks = append(s.Tasks, s.Tasks[0])
	}
	got := check.Schedule(in, s)
	perRule := map[int][]check.Violation{}
	for _, v := range got {
		perRule[v.Rule] = append(perRule[v.Rule], v)
	}
	require.Len(t, perRule[2], 20)
	assert.Contains(t, perRule[2][19].Message, "(and 980 more violations of rule 2)")
	assert.Len(t, perRule[6], 20)
}
