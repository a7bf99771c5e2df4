package check_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/instancetest"
)

// drawBlocks draws a tiny instance, where queues says so with jobs that hold memory only
// while they run, and a plan in blocks for it that may or may not be valid.
func drawBlocks(rng *rand.Rand, queues bool) (*instance.Instance, *instance.BlockSchedule) {
	for {
		objective := []instance.Objective{instance.Makespan, instance.WeightedCompletion}[rng.IntN(2)]
		drawn := *instancetest.Random(rng, instancetest.Options{Objective: objective})
		drawn.Jobs = slices.Clone(drawn.Jobs)
		drawn.Types = slices.Clone(drawn.Types)
		for j := range drawn.Jobs {
			drawn.Jobs[j].Deadline = 0
			if queues {
				drawn.Jobs[j].Load = instance.Tick(rng.IntN(4))
			}
		}
		in := &drawn
		if queues {
			in.Residence = instance.WhileRunning
		}
		s, ok := instancetest.ValidSchedule(rng, in.Roomy())
		if !ok {
			continue
		}
		// Jobs move towards one another, so that patterns interleave.
		for j := range in.Jobs {
			mutant{rng, in, s}.shift(instance.JobID(j), -instance.Tick(rng.IntN(1+int(s.Makespan(in))/2)))
		}
		first := slices.MinFunc(s.Tasks, func(a, b instance.Task) int { return int(a.Start - b.Start) }).Start
		end, plan := instance.Tick(0), &instance.BlockSchedule{Residency: s.Residency}
		if rng.IntN(2) == 0 {
			end = instance.Tick(rng.IntN(8))
		}
		repeats := make([]int64, len(in.Jobs))
		for i := 0; i < 3 || slices.Contains(repeats, 0); i++ {
			b := instance.Block{Repeats: int64(1 + rng.IntN(3)), Start: max(0, end+instance.Tick(rng.IntN(4)-1))}
			takes := func(j instance.JobID) bool { return i >= 3 && repeats[j] == 0 || i < 3 && (int(j)+i)%3 != 0 }
			last := instance.Tick(1)
			for _, t := range s.Tasks {
				if takes(t.Job) {
					t.Start, t.End = t.Start-first, t.End-first
					b.Tasks, last = append(b.Tasks, t), max(last, t.End)
				}
			}
			for _, y := range s.Syncs {
				if takes(y.Job) {
					y.Start, y.End = y.Start-first, y.End-first
					b.Syncs, last = append(b.Syncs, y), max(last, y.End)
				}
			}
			for j := range repeats {
				if takes(instance.JobID(j)) {
					repeats[j] += b.Repeats
				}
			}
			if b.Repeats > 1 {
				b.Period = max(1, last-instance.Tick(rng.IntN(1+int(last)/2)))
			}
			end = b.Start + instance.Tick(b.Repeats-1)*b.Period + last
			plan.Blocks = append(plan.Blocks, b)
		}
		for j := range in.Jobs {
			in.Jobs[j].Iterations *= int(repeats[j])
			if in.Jobs[j].Release > 0 && rng.IntN(2) == 0 {
				in.Jobs[j].Release = 0
			}
			if rng.IntN(4) == 0 {
				in.Jobs[j].Deadline = end + instance.Tick(rng.IntN(5)-2)
			}
		}
		if queues {
			for t := range in.Types {
				in.Types[t].Memory = in.Types[t].Memory * instance.Bytes(1+rng.IntN(4)) / 2
			}
		}
		return in, plan
	}
}

// TestBlocksExpandToValidSchedules: what CheckBlocks accepts, the ten rules accept written out.
// What breaks a rule of a single iteration, or of all of a job's, both refuse.
func TestBlocksExpandToValidSchedules(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 1))
	accepted, refused, strict := 0, 0, 0
	for n := range 6000 {
		in, plan := drawBlocks(rng, n%2 == 0)
		if n%3 == 0 {
			damage(rng, plan)
		}
		found := check.Blocks(in, plan)
		if len(found) > 0 && found[0].Rule == 0 {
			refused++
			continue
		}
		written, err := plan.Expand(in)
		require.NoError(t, err)
		expanded := check.Schedule(in, written)
		switch {
		case len(found) == 0:
			accepted++
			require.Empty(t, expanded, "%+v", plan)
			require.Equal(t, in.Value(written), in.Value(plan))
			require.InDelta(t, written.Efficiency(in), plan.Efficiency(in), 1e-9)
			require.EqualValues(t, len(written.Tasks), plan.Tasks())
		case len(expanded) == 0:
			strict++
			for _, v := range found {
				require.Contains(t, []int{4, 6, 8}, v.Rule, "%v", v)
			}
		default:
			refused++
		}
	}
	t.Logf("%d accepted, %d refused, %d refused though their expansion is valid", accepted, refused, strict)
	require.Greater(t, accepted, 600)
	require.Greater(t, refused, 600)
}

// damage changes one number of a plan.
func damage(rng *rand.Rand, plan *instance.BlockSchedule) {
	b := &plan.Blocks[rng.IntN(len(plan.Blocks))]
	by := instance.Tick(rng.IntN(7) - 3)
	switch rng.IntN(7) {
	case 0:
		b.Start += by
	case 1:
		b.Period += by
	case 2:
		b.Repeats += int64(by)
	case 3:
		if len(b.Tasks) > 0 {
			t := &b.Tasks[rng.IntN(len(b.Tasks))]
			t.Start, t.End = t.Start+by, t.End+by
		}
	case 4:
		if len(b.Syncs) > 0 {
			y := &b.Syncs[rng.IntN(len(b.Syncs))]
			y.Start, y.End = y.Start+by, y.End+by
		}
	case 5:
		if len(b.Tasks) > 0 {
			b.Tasks = slices.Delete(b.Tasks, 0, 1)
		}
	case 6:
		if len(b.Syncs) > 0 {
			b.Syncs[0].Iteration++
		}
	}
}

// TestOneBlockIsASchedule: a schedule as one block without repeats is valid where it is by itself.
func TestOneBlockIsASchedule(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 2))
	valid := 0
	for range 1500 {
		in, plan := drawBlocks(rng, rng.IntN(2) == 0)
		s, err := plan.Expand(in)
		require.NoError(t, err)
		if rng.IntN(2) == 0 {
			task := &s.Tasks[rng.IntN(len(s.Tasks))]
			task.Start, task.End = task.Start+1, task.End+1
		}
		want, got := check.Schedule(in, s), check.Blocks(in, s.Block())
		require.Equal(t, len(want) == 0, len(got) == 0, "%v\n%v", want, got)
		if len(want) == 0 {
			valid++
			continue
		}
		var rules, blockRules []int
		for _, v := range want {
			rules = append(rules, v.Rule)
		}
		for _, v := range got {
			blockRules = append(blockRules, v.Rule)
		}
		require.Equal(t, slices.Compact(rules), slices.Compact(blockRules))
	}
	t.Logf("%d valid", valid)
	require.Greater(t, valid, 100)
}

// TestMemoryInTime holds rule 7 against a count tick by tick, of jobs that are loaded, run and go.
func TestMemoryInTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 3))
	short, enough := 0, 0
	for range 3000 {
		in, plan := drawBlocks(rng, true)
		s, err := plan.Expand(in)
		require.NoError(t, err)
		fits := true
		for g := range in.GPUs {
			for now := range s.Makespan(in) {
				used, most := instance.Bytes(0), instance.Bytes(0)
				for j, job := range in.Jobs {
					from, to, here := instance.Tick(1<<40), instance.Tick(0), instance.Bytes(0)
					for _, task := range s.Tasks {
						if int(task.Job) == j {
							from, to = min(from, task.Start), max(to, task.End)
							if int(task.GPU) == g {
								here = max(here, job.On[in.GPUs[g].Type].Ephemeral[task.Depth])
							}
						}
					}
					for _, sync := range s.Syncs {
						if int(sync.Job) == j {
							to = max(to, sync.End)
						}
					}
					if slices.Contains(s.Residency[j], instance.GPUID(g)) && now >= from-job.Load && now < to {
						used += job.On[in.GPUs[g].Type].Persistent
						most = max(most, here)
					}
				}
				fits = fits && used+most <= in.Types[in.GPUs[g].Type].Memory
			}
		}
		found := slices.ContainsFunc(check.Schedule(in, s), func(v check.Violation) bool { return v.Rule == 7 })
		require.Equal(t, fits, !found)
		if fits {
			enough++
		} else {
			short++
		}
	}
	require.Greater(t, min(short, enough), 300)
}

// long is two jobs of a billion iterations on one GPU each, one after the other on the same,
// and a third of two workers that shares both links of its nodes with none.
const long = `
version: 1
name: long
residence: run
cluster:
  gpu_types: [{name: v, memory: 10MB}]
  racks: [{nodes: 2, gpus: 1, gpu: v, nic: 8Mbit/s, fabric: 8Mbit/s}]
  load_rate: 1MB/s
  latency: 2ms
profiles:
  - {model: m, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 2ms, parameters: 2MB, activations: 1MB}]}
  - {model: s, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 2ms, parameters: 4kB, activations: 1MB}]}
jobs:
  - {name: a, model: m, workers: 1, iterations: 1000000000, deadline: 6000h}
  - {name: b, model: m, workers: 1, iterations: 1000000000}
  - {name: c, model: s, workers: 2, iterations: 7, load: 5ms}
`

func longPlan(t *testing.T) (*instance.Instance, *instance.BlockSchedule) {
	t.Helper()
	d, err := codec.Decode([]byte(long))
	require.NoError(t, err)
	in, err := d.Compile(nil)
	require.NoError(t, err)
	require.True(t, in.Long())
	require.EqualValues(t, 2_000_000_014, in.Tasks())
	require.EqualValues(t, 6000, in.Jobs[0].Load) // 6 MB at 1 MB/s
	require.EqualValues(t, 5, in.Jobs[2].Load)
	task := func(j instance.JobID, i int, g instance.GPUID, start instance.Tick) instance.Task {
		return instance.Task{Job: j, Iteration: i, GPU: g, Depth: 0, Start: start, End: start + 3}
	}
	const billion = 1_000_000_000
	// One sync of c: 4 kB twice half at 8 Mbit/s, 4 ms.
	pattern := func(n int64, period, start instance.Tick) instance.Block {
		return instance.Block{Start: start, Period: period, Repeats: n, Tasks: []instance.Task{task(2, 1, 0, 0), task(2, 1, 1, 0)},
			Syncs: []instance.Sync{{Job: 2, Iteration: 1, Start: 3, End: 7, Rate: 1}}}
	}
	end := instance.Tick(6000 + 3*billion)
	return in, &instance.BlockSchedule{
		Residency: [][]instance.GPUID{{0}, {0}, {0, 1}},
		Blocks: []instance.Block{
			{Start: 6000, Period: 3, Repeats: billion, Tasks: []instance.Task{task(0, 1, 0, 0)}},
			{Start: end + 6000, Period: 3, Repeats: billion, Tasks: []instance.Task{task(1, 1, 0, 0)}},
			pattern(6, 7, 2*end), pattern(1, 0, 2*end+42),
		},
	}
}

// TestLongPlans: every rule, broken in a plan of two thousand million tasks, is told.
func TestLongPlans(t *testing.T) {
	in, plan := longPlan(t)
	require.Empty(t, check.Blocks(in, plan))
	require.EqualValues(t, 2_000_000_014, plan.Tasks())
	_, err := plan.Expand(in)
	require.EqualError(t, err, "instance: written out, the plan has 2000000014 tasks, more than 50000000")
	blocks := func(p *instance.BlockSchedule) []instance.Block { return p.Blocks }
	for name, c := range map[string]struct {
		rules  []int
		change func(in *instance.Instance, p *instance.BlockSchedule)
	}{
		"an iteration too few": {[]int{2}, func(_ *instance.Instance, p *instance.BlockSchedule) { p.Blocks[0].Repeats-- }},
		"an iteration too many": {[]int{2}, func(_ *instance.Instance, p *instance.BlockSchedule) {
			p.Blocks[0].Repeats, p.Blocks[0].Period = 1e9, 3
			p.Blocks = append(p.Blocks, p.Blocks[3])
			p.Blocks[4].Start += 7
		}},
		"no repeats":                {[]int{0}, func(_ *instance.Instance, p *instance.BlockSchedule) { p.Blocks[0].Repeats = 0 }},
		"a period of one repeat":    {[]int{0}, func(_ *instance.Instance, p *instance.BlockSchedule) { p.Blocks[3].Period = 7 }},
		"no period":                 {[]int{0}, func(_ *instance.Instance, p *instance.BlockSchedule) { p.Blocks[2].Period = 0 }},
		"beyond all time":           {[]int{0}, func(_ *instance.Instance, p *instance.BlockSchedule) { p.Blocks[0].Period = 1 << 40 }},
		"before the load":           {[]int{4}, func(_ *instance.Instance, p *instance.BlockSchedule) { p.Blocks[0].Start-- }},
		"a period too short":        {[]int{4, 6}, func(_ *instance.Instance, p *instance.BlockSchedule) { p.Blocks[1].Period = 2 }},
		"a seam not closed":         {[]int{4}, func(_ *instance.Instance, p *instance.BlockSchedule) { p.Blocks[2].Period = 6 }},
		"blocks of a job overlap":   {[]int{4, 6, 8}, func(_ *instance.Instance, p *instance.BlockSchedule) { p.Blocks[3].Start -= 5 }},
		"before its block before":   {[]int{4}, func(_ *instance.Instance, p *instance.BlockSchedule) { p.Blocks[3].Start -= 1 }},
		"hulls overlap on a GPU":    {[]int{6, 7}, func(_ *instance.Instance, p *instance.BlockSchedule) { p.Blocks[1].Start = 3_000_000_000 }},
		"memory while it is loaded": {[]int{7}, func(_ *instance.Instance, p *instance.BlockSchedule) { p.Blocks[1].Start-- }},
		"a deadline":                {[]int{10}, func(in *instance.Instance, _ *instance.BlockSchedule) { in.Jobs[0].Deadline = 6000 + 3e9 - 1 }},
		"a sync too early": {[]int{5}, func(_ *instance.Instance, p *instance.BlockSchedule) {
			y := &blocks(p)[2].Syncs[0]
			y.Start, y.End = 2, 6
		}},
		"a sync too short": {[]int{9}, func(_ *instance.Instance, p *instance.BlockSchedule) { blocks(p)[2].Syncs[0].End-- }},
		"a worker too few": {[]int{2}, func(_ *instance.Instance, p *instance.BlockSchedule) { p.Blocks[2].Tasks = p.Blocks[2].Tasks[:1] }},
		"no blocks":        {[]int{2}, func(_ *instance.Instance, p *instance.BlockSchedule) { p.Blocks = nil }},
		"two residents":    {[]int{1, 2}, func(_ *instance.Instance, p *instance.BlockSchedule) { p.Residency[0] = []instance.GPUID{1, 0} }},
	} {
		t.Run(name, func(t *testing.T) {
			in, plan := longPlan(t)
			c.change(in, plan)
			var rules []int
			for _, v := range check.Blocks(in, plan) {
				rules = append(rules, v.Rule)
			}
			assert.Equal(t, c.rules, slices.Compact(rules), "%v", check.Blocks(in, plan))
		})
	}
}

// TestLinksOfBlocks: a block counts with its peak while it repeats, one without repeats as it is.
func TestLinksOfBlocks(t *testing.T) {
	d, err := codec.Decode([]byte(`
version: 1
cluster:
  gpu_types: [{name: v, memory: 10MB}]
  racks: [{nodes: 2, gpus: 2, gpu: v, nic: 8Mbit/s, fabric: 8Mbit/s}]
  latency: 2ms
profiles:
  - {model: s, gpu: v, batch: 1, layers: [{name: a, forward: 1ms, backward: 2ms, parameters: 4kB}]}
jobs:
  - {name: a, model: s, workers: 2, iterations: 10}
  - {name: b, model: s, workers: 2, iterations: 1}
`))
	require.NoError(t, err)
	in, err := d.Compile(nil)
	require.NoError(t, err)
	make := func(at, period instance.Tick, rate instance.RateLevel) *instance.BlockSchedule {
		b := instance.Block{Start: at, Repeats: 1}
		for g := range instance.GPUID(2) {
			b.Tasks = append(b.Tasks, instance.Task{Job: 1, Iteration: 1, GPU: 2*g + 1, End: 3})
		}
		b.Syncs = []instance.Sync{{Job: 1, Iteration: 1, Start: 3, End: 3 + 4*instance.Tick(rate), Rate: rate}}
		a := instance.Block{Repeats: 10, Period: period}
		for g := range instance.GPUID(2) {
			a.Tasks = append(a.Tasks, instance.Task{Iteration: 1, GPU: 2 * g, End: 3})
		}
		a.Syncs = []instance.Sync{{Iteration: 1, Start: 3, End: 11, Rate: 2}}
		return &instance.BlockSchedule{Residency: [][]instance.GPUID{{0, 2}, {1, 3}}, Blocks: []instance.Block{a, b}}
	}
	rules := func(s *instance.BlockSchedule) (found []int) {
		for _, v := range check.Blocks(in, s) {
			found = append(found, v.Rule)
		}
		return found
	}
	// The syncs of a take half of each link, 8 of 11 ticks or 8 of 20; the hull ends at 9 x period + 11.
	assert.Empty(t, rules(make(50, 11, 2)))
	assert.Equal(t, []int{8, 8, 8, 8}, rules(make(50, 11, 1)))
	assert.Empty(t, rules(make(107, 11, 1)), "after the hull")
	assert.Equal(t, []int{8, 8, 8, 8}, rules(make(106, 11, 1)))
	between := make(29, 20, 1) // 31 to 36 is between two syncs of a: 23 to 31 and 43 to 51
	assert.Equal(t, []int{8, 8, 8, 8}, rules(between), "in the hull, with the peak")
	written, err := between.Expand(in)
	require.NoError(t, err)
	assert.Empty(t, check.Schedule(in, written))
	assert.Empty(t, rules(written.Block()), "written out there is room")
}

func TestBlocksInFiles(t *testing.T) {
	in, plan := longPlan(t)
	file := func(in *instance.Instance, plan *instance.BlockSchedule) []byte {
		form, err := json.Marshal(codec.NewScheduleJSON(in, plan))
		require.NoError(t, err)
		return form
	}
	read, err := codec.DecodePlan(in, bytes.NewReader(file(in, plan)))
	require.NoError(t, err)
	require.Equal(t, plan, read)
	_, err = codec.DecodeSchedule(in, bytes.NewReader(file(in, plan)))
	require.EqualError(t, err, "instance: the schedule is one in blocks, and here every task has to be written out")
	require.Contains(t, string(file(in, plan)), `"repeats":6,"jobs":[{"job":"c","starts":[0,0],"depths":[1],"syncs":[3],"sync_times":[4],"rates":[1]}]}`)

	// Whatever a plan's mistakes are, its file has them.
	byJob, byTask := 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 25))
		in, plan := drawBlocks(rng, seed%2 == 0)
		for range seed % 3 {
			damage(rng, plan)
		}
		plan.Blocks = slices.DeleteFunc(plan.Blocks, func(b instance.Block) bool {
			return b.Start < 0 || b.Period < 0 || b.Repeats < 1 || slices.ContainsFunc(b.Tasks, func(t instance.Task) bool { return t.Start < 0 }) ||
				slices.ContainsFunc(b.Syncs, func(y instance.Sync) bool { return y.Start < 0 })
		})
		plan.Sort()
		read, err := codec.DecodePlan(in, bytes.NewReader(file(in, plan)))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(plan), fmt.Sprint(read)) // nil and empty alike
		for _, b := range codec.NewScheduleJSON(in, plan).Blocks {
			byJob, byTask = byJob+len(b.Jobs), byTask+len(b.Tasks)
		}
	}
	require.Greater(t, byJob, 500)
	require.Greater(t, byTask, 100)

	block := func(keys string) string {
		return `{"residency": {"c": [1, 0]}, "blocks": [{"start": 0, "repeats": 1, ` + keys + `}]}`
	}
	for text, want := range map[string]string{
		`{"residency": {}, "blocks": [{"start": 0, "repeats": 1, "tasks": []}]}`:                                                               `instance: line 1, column 30: blocks[0]: the key "syncs" is missing`,
		`{"residency": {}, "blocks": [], "tasks": []}`:                                                                                         `instance: line 1, column 45: the keys "tasks" and "blocks" are both given; blocks have their own`,
		`{"residency": {}, "blocks": {}}`:                                                                                                      `instance: line 1, column 29: blocks: expected a list`,
		`{"residency": {}, "blocks": [7]}`:                                                                                                     `instance: line 1, column 30: blocks[0]: expected an object with the keys start, period, repeats, tasks, syncs, jobs`,
		block(`"tasks": [], "jobs": []`):                                                                                                       `instance: line 1, column 41: blocks[0]: the keys "tasks" and "jobs" are both given; a pattern is written out or given by job`,
		block(`"jobs": [{"job": "c", "starts": [0, 1, 2], "depths": [1]}]`):                                                                    `instance: line 1, column 85: blocks[0].jobs[0].starts: 3 starts are not whole iterations on the 2 GPUs of "c"`,
		block(`"jobs": [{"job": "a", "starts": [0], "depths": [1]}]`):                                                                          `instance: line 1, column 85: blocks[0].jobs[0].starts: 1 starts are not whole iterations on the 0 GPUs of "a"`,
		block(`"jobs": [{"job": "c", "starts": [0, 1, 2, 3, 4, 5], "depths": [1, 1, 1, 1]}]`):                                                  `instance: line 1, column 85: blocks[0].jobs[0].depths: a list of 4, repeated, does not give one of 6`,
		block(`"jobs": [{"job": "c", "starts": [0, 1], "depths": [9]}]`):                                                                       `instance: line 1, column 85: blocks[0].jobs[0].depths: 9 layers are not an allowed depth of "c"; it has 1`,
		block(`"jobs": [{"job": "c", "starts": [0, 1], "depths": [1], "syncs": [4, 5]}]`):                                                      `instance: line 1, column 85: blocks[0].jobs[0].syncs: 2 syncs are not one for each of 1 iterations`,
		block(`"jobs": [{"job": "c", "starts": [0, 1], "depths": [1], "syncs": [4], "sync_times": [2]}]`):                                      `instance: line 1, column 85: blocks[0].jobs[0].rates: a list of 0, repeated, does not give one of 1`,
		block(`"jobs": [{"job": "c", "starts": [-1], "depths": 1, "rates": [0.3]}]`):                                                           "instance: line 1, column 101: blocks[0].jobs[0].starts: -1 is out of range; it goes from 0 to 1152921504606846976\ninstance: line 1, column 116: blocks[0].jobs[0].depths: expected a list\ninstance: line 1, column 129: blocks[0].jobs[0].rates: 0.3 is not the rate of a level; the levels are [1 1/2 1/4]",
		`{"residency": {}, "blocks": [{"start": 0, "repeats": 0, "period": 1, "tasks": [{"job": "z"}], "syncs": [], "more": 1}], "period": 1}`: "instance: line 1, column 54: blocks[0].repeats: 0 is out of range; it goes from 1 to 1000000000\ninstance: line 1, column 80: blocks[0].tasks[0]: the key \"iteration\" is missing",
	} {
		_, err := codec.DecodePlan(in, bytes.NewReader([]byte(text)))
		require.ErrorContains(t, err, want)
	}
}

// TestResidenceOfInstances: what the old model keeps of one whose jobs queue.
func TestResidenceOfInstances(t *testing.T) {
	in, _ := longPlan(t)
	digest := in.Digest()
	resident, roomy := in.Resident(), in.Roomy()
	assert.Equal(t, digest, in.Digest(), "both are copies")
	assert.False(t, resident.Queues())
	assert.EqualValues(t, 6000, resident.Jobs[0].Release)
	assert.Zero(t, resident.Jobs[0].Load)
	assert.EqualValues(t, 6_000_000, resident.Jobs[0].On[0].Persistent)
	assert.Zero(t, roomy.Jobs[0].On[0].Persistent)
	assert.True(t, in.RoomFor(0, 0))
	in.Types[0].Memory = 6_999_999
	assert.False(t, in.RoomFor(0, 0))
	roomy = in.Roomy()
	assert.Greater(t, roomy.Jobs[0].On[0].Ephemeral[0], roomy.Types[0].Memory)
	assert.Zero(t, roomy.Jobs[2].On[0].Ephemeral[0])
	in.Residence = ""
	assert.Same(t, in, in.Resident())
	assert.Same(t, in, in.Roomy())
}

// FuzzCheckBlocks: any numbers whatsoever are told from a valid plan, and break nothing.
func FuzzCheckBlocks(f *testing.F) {
	f.Add(uint64(1), []byte{0, 1, 2, 3})
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) {
		rng := rand.New(rand.NewPCG(seed, 4))
		in, plan := drawBlocks(rng, seed%2 == 0)
		for ; len(data) >= 3; data = data[3:] {
			b, v := &plan.Blocks[int(data[0])%len(plan.Blocks)], value(data[2])
			switch data[1] % 4 {
			case 0:
				b.Start = instance.Tick(v)
			case 1:
				b.Period = instance.Tick(v)
			case 2:
				b.Repeats = int64(v)
			case 3:
				s := instance.Schedule{Residency: plan.Residency, Tasks: b.Tasks, Syncs: b.Syncs}
				scribble(&s, []byte{data[0], data[2], data[1]})
				plan.Residency = s.Residency
			}
		}
		if len(check.Blocks(in, plan)) > 0 || plan.Tasks() > 10_000 {
			return
		}
		written, err := plan.Expand(in)
		require.NoError(t, err)
		require.Empty(t, check.Schedule(in, written))
	})
}
