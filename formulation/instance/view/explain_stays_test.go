package view

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
)

// TestExplainBlocks: jobs of one GPU on two; of each, what a person sees in the plan.
func TestExplainBlocks(t *testing.T) {
	in := &instance.Instance{TickUS: 3_600_000_000 / 1000, Residence: instance.WhileRunning, Nodes: []instance.Node{{Name: "n0", GPUs: 2}}, GPUs: make([]instance.GPU, 2)}
	plan := &instance.BlockSchedule{}
	job := func(name string, gpu instance.GPUID, iterations int, release, load instance.Tick) instance.JobID {
		in.Jobs = append(in.Jobs, instance.Job{Name: name, Workers: 1, Iterations: iterations, Release: release, Load: load})
		plan.Residency = append(plan.Residency, []instance.GPUID{gpu})
		return instance.JobID(len(in.Jobs) - 1)
	}
	block := func(start, period instance.Tick, repeats int64, tasks ...instance.Task) {
		plan.Blocks = append(plan.Blocks, instance.Block{Start: start, Period: period, Repeats: repeats, Tasks: tasks})
	}
	task := func(j instance.JobID, start, end instance.Tick) instance.Task {
		return instance.Task{Job: j, Iteration: 1, GPU: plan.Residency[j][0], Start: start, End: end}
	}
	first := job("first", 0, 1000, 0, 0)
	block(0, 4, 1000, task(first, 0, 4)) // to 4 h
	second := job("second", 0, 500, 1000, 0)
	block(4000, 4, 500, task(second, 0, 4)) // waits for the first, to 6 h
	loose := job("loose", 0, 100, 0, 100)
	block(6600, 4, 100, task(loose, 0, 4)) // half an hour of room, then its load
	a, b := job("a", 1, 100, 0, 0), job("b", 1, 100, 2000, 0)
	block(2000, 10, 100, task(a, 0, 5), task(b, 5, 10)) // a waits for b
	late := job("late", 1, 10, 5000, 0)
	block(5000, 4, 5, task(late, 0, 4))
	block(5520, 4, 5, task(late, 0, 4)) // a pause of half an hour
	over := job("over", 1, 10, 0, 200)
	block(5540, 4, 10, task(over, 0, 4)) // is loaded while the one before it ends

	jobs, chain := ExplainBlocks(in, plan, []instance.Tick{4, 4, 4, 5, 0, 4, 4}, time.Time{})
	assert.Equal(t, []string{
		`"first" ends at 4 h: 4 h for its 1,000 iterations`,
		`"second" ends at 6 h: 3 h waiting for "first", 2 h for its 500 iterations; it is released at 60 min`,
		`"loose" ends at 7 h: 6.5 h waiting, longer than for "second", the last job before it there, 360 s loading, 24 min for its 100 iterations`,
		`"a" ends at 2.995 h: 2 h waiting for "b", 59.7 min for its 100 iterations beside "b" (30 min alone at full depth)`,
		`"b" ends at 3 h: 59.7 min for its 100 iterations beside "a"; it is released at 2 h`,
		`"late" ends at 5.54 h: 144 s for its 10 iterations, 30 min between blocks; it is released at 5 h`,
		`"over" ends at 5.58 h: 5.34 h waiting for "late", 12 min loading, 144 s for its 10 iterations`,
	}, jobs)
	assert.Equal(t, []StayLink{
		{loose, 6500, 7000, Slack, `the plan has slack: the last job before it there, "second", leaves n0 at 6 h, 30 min sooner`},
		{second, 4000, 6000, Memory, `"first" is on n0 until then`},
		{first, 0, 4000, Start, "the plan begins"},
	}, chain)
}

// TestExplainBlocksAlways: of any plan every job has a sentence, and the chain goes back in time.
func TestExplainBlocksAlways(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan})
		s, ok := instancetest.ValidSchedule(rng, in)
		if !ok {
			continue
		}
		plan := s.Block()
		require.Empty(t, check.Blocks(in, plan))
		jobs, chain := ExplainBlocks(in, plan, make([]instance.Tick, len(in.Jobs)), time.Time{})
		require.Len(t, jobs, len(in.Jobs))
		require.Equal(t, plan.Makespan(in), chain[0].Ends)
		for n, link := range chain[1:] {
			require.LessOrEqual(t, link.Admitted, chain[n].Admitted)
			require.NotEmpty(t, link.Text)
		}
	}
}
