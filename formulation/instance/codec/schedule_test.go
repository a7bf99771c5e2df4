package codec

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"jigsaw/formulation/instance"
)

// scheduled is an instance to have schedules of: jobs a-1, a-2 and b.
func scheduled(t require.TestingT) *instance.Instance {
	spec := twoNodes(
		instance.JobSpec{Name: "a", Model: "four", Workers: 4, Iterations: 3, Count: 2},
		instance.JobSpec{Name: `b "é" <`, Model: "four", Workers: 1, SPB: instance.SPBSpec{Depths: []int{3}}},
	)
	spec.Cluster.RateLevels = []instance.RateLevel{1, 2, 3, 7, 1024}
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	return in
}

// drawSchedule makes a schedule that refers to in, valid or not.
func drawSchedule(t *rapid.T, in *instance.Instance) *instance.Schedule {
	s := &instance.Schedule{Residency: make([][]instance.GPUID, len(in.Jobs)), Period: instance.Tick(rapid.Int64Range(0, int64(instance.MaxTime)).Draw(t, "period"))}
	job := rapid.IntRange(0, len(in.Jobs)-1)
	gpu := rapid.IntRange(0, len(in.GPUs)-1)
	tick := rapid.Map(rapid.Int64Range(0, int64(instance.MaxTime)), func(v int64) instance.Tick { return instance.Tick(v) })
	iteration := rapid.IntRange(1, instance.MaxIterations)
	for range rapid.IntRange(0, 5).Draw(t, "residents") {
		j := job.Draw(t, "job")
		s.Residency[j] = append(s.Residency[j], instance.GPUID(gpu.Draw(t, "gpu")))
		if len(s.Residency[j]) > len(in.GPUs) {
			s.Residency[j] = s.Residency[j][1:]
		}
	}
	for range rapid.IntRange(0, 5).Draw(t, "tasks") {
		j := job.Draw(t, "job")
		depth := rapid.IntRange(0, len(in.Jobs[j].Depths)-1).Draw(t, "depth")
		s.Tasks = append(s.Tasks, instance.Task{Job: instance.JobID(j), Iteration: iteration.Draw(t, "i"), GPU: instance.GPUID(gpu.Draw(t, "gpu")), Depth: depth, Start: tick.Draw(t, "start"), End: tick.Draw(t, "end")})
	}
	for range rapid.IntRange(0, 5).Draw(t, "syncs") {
		s.Syncs = append(s.Syncs, instance.Sync{Job: instance.JobID(job.Draw(t, "job")), Iteration: iteration.Draw(t, "i"), Start: tick.Draw(t, "start"), End: tick.Draw(t, "end"), Rate: rapid.SampledFrom(in.RateLevels).Draw(t, "rate")})
	}
	s.Sort()
	return s
}

func TestScheduleDecodeEncodeIsIdentity(t *testing.T) {
	in := scheduled(t)
	rapid.Check(t, func(t *rapid.T) {
		s := drawSchedule(t, in)
		var bare bytes.Buffer
		require.NoError(t, EncodeSchedule(&bare, in, s))
		form, err := json.Marshal(NewScheduleJSON(in, s))
		require.NoError(t, err)
		require.JSONEq(t, string(form), bare.String())

		result, err := json.Marshal(map[string]any{"status": "feasible", "schedule": NewScheduleJSON(in, s), "tasks": 7, "series": [][]int{{1, 2}}})
		require.NoError(t, err)
		marked := append([]byte("\uFEFF"), form...)
		for _, file := range [][]byte{bare.Bytes(), form, result, marked} {
			got, err := DecodeSchedule(in, bytes.NewReader(file))
			require.NoError(t, err)
			require.Equal(t, s, got)
		}
	})
}

func TestEncodeScheduleForPeople(t *testing.T) {
	in := scheduled(t)
	s := &instance.Schedule{Period: 40, Residency: [][]instance.GPUID{{0, 1, 2, 3}, nil, {3}},
		Tasks: []instance.Task{{Job: 0, Iteration: 1, GPU: 0, Depth: 0, Start: 0, End: 6}, {Job: 2, Iteration: 1, GPU: 3, Depth: 1, Start: 12, End: 24}}, Syncs: []instance.Sync{{Job: 0, Iteration: 1, Start: 12, End: 40, Rate: 3}}}
	var b bytes.Buffer
	require.NoError(t, EncodeSchedule(&b, in, s))
	golden(t, "testdata/schedule.json", b.Bytes())
	b.Reset()
	require.NoError(t, EncodeSchedule(&b, in, &instance.Schedule{Residency: make([][]instance.GPUID, 3)}))
	assert.JSONEq(t, `{"residency": {"a-1": [], "a-2": [], "b \"é\" <": []}, "tasks": [], "syncs": []}`, b.String())

	assert.EqualError(t, EncodeSchedule(io.Discard, in, &instance.Schedule{}), "instance: the schedule has residencies of 0 jobs, the instance has 3 jobs")
	s.Tasks[0].Depth = 4
	assert.EqualError(t, EncodeSchedule(io.Discard, in, s), "instance: tasks[0]: job 0 at depth 4 is not of the instance")
	s.Tasks[0].Depth, s.Syncs[0].Rate = 0, 0
	assert.EqualError(t, EncodeSchedule(io.Discard, in, s), "instance: syncs[0]: job 0 at level 0 is not of the instance")
}

func TestDecodeScheduleErrors(t *testing.T) {
	in := scheduled(t)
	tests := map[string]struct{ file, want string }{
		"empty":           {"", `line 1, column 1: a schedule is a JSON object, as jigsaw plan -o json prints; it begins with {`},
		"YAML":            {"tasks: []", `line 1, column 1: a schedule is a JSON object, as jigsaw plan -o json prints; it begins with {`},
		"UTF-16":          {"\xff\xfe{\x00", `the file is UTF-16; save it as UTF-8`},
		"cut short":       {"{\"tasks\": [{\n", `line 2, column 1: invalid JSON: unexpected end of the file`},
		"no schedule":     {`{"status": "infeasible", "schedule": null}`, `line 1, column 38: the plan holds no schedule`},
		"schedule a text": {`{"schedule": "x"}`, `line 1, column 14: the key "schedule" must hold an object`},
		"two schedules":   {`{"schedule": {}, "schedule": {}}`, `line 1, column 30: the key "schedule" is given twice`},
		"trailing":        {`{"residency": {}, "tasks": [], "syncs": []} {`, `line 1, column 45: invalid JSON: found { instead of the end of the file`},
		"cut in text":     {"{\n \"tasks", `line 2, column 2: invalid JSON: what begins here does not end`},
		"comma":           {"{\"tas\u00e9\": [1,\n,2]}", `line 2, column 1: invalid JSON: invalid character ',' looking for beginning of value`},
		"word":            {"{\"\u00e9\": [1, nul]}", `line 1, column 11: invalid JSON: invalid character ']' in literal null (expecting 'l')`},
		"not UTF-8":       {"{\"tasks\": [{\"job\": \"a-1\xff\"}]}", `line 1, column 20: the text is not UTF-8`},
		"nested":          {`{"x": ` + strings.Repeat("[", 100), `line 1, column 70: lists and objects are nested deeper than 64 levels`},
		"missing":         {`{"schedule": {"tasks": []}}`, "line 1, column 28: schedule: the key \"residency\" is missing\ninstance: line 1, column 28: schedule: the key \"syncs\" is missing"},
		"unknown, repeated": {`{"residency": {}, "tasks": [], "syncs": [], "tasks": [{}], "sync": [[1]]}`,
			"line 1, column 45: the key \"tasks\" is given twice\ninstance: line 1, column 60: unknown key \"sync\"; the keys here are period, residency, tasks, syncs, blocks"},
		"residency": {`{"period": 0, "tasks": [], "syncs": [],
 "residency": {"a-1": [0, 1.5, "x", 4], "a-3": [7], "a-2": 3, "a-1": []}}`, strings.Join([]string{
			`line 1, column 12: period: 0 is out of range; it goes from 1 to 1152921504606846976`,
			`instance: line 2, column 27: residency: 1.5 is not a whole number in plain decimal digits`,
			`instance: line 2, column 32: residency: expected a whole number`,
			`instance: line 2, column 37: residency: 4 is out of range; it goes from 0 to 3`,
			`instance: line 2, column 41: residency: the instance has no job "a-3"`,
			`instance: line 2, column 60: residency: expected a list of the GPUs of "a-2"`,
			`instance: line 2, column 63: residency: the job "a-1" is given twice`}, "\n")},
		"jobs of another instance": {`{"residency": {"a-7": [0]}, "syncs": [], "tasks": [{"job": "a-7", "iteration": 1, "gpu": 0, "depth": 1, "start": 0, "end": 4}, {"job": "a-7", "iteration": 2, "gpu": 0, "depth": 1, "start": 4, "end": 8}]}`,
			`line 1, column 16: residency: the instance has no job "a-7"`},
		"residency too long": {`{"tasks": [], "syncs": [], "residency": {"a-1": [0, 1, 2, 3, 0]}}`, `line 1, column 62: residency: the job "a-1" has more GPUs than the instance`},
		"entries": {`{"residency": [], "syncs": 3, "tasks": [5, {"job": "a-9", "iteration": 0, "gpu": -1, "depth": 1e3, "start": -1, "end": 99999999999999999999},
 {"job": 3, "iteration": "1", "gpu": null, "depth": 5, "start": 0, "stop": 3},
 {"depth": 1, "job": "b \"\u00e9\" <", "iteration": 1, "gpu": 0, "start": 0, "end": 4}]}`, strings.Join([]string{
			`line 1, column 15: residency: expected an object that lists the GPUs of every job`,
			`instance: line 1, column 28: syncs: expected a list`,
			`instance: line 1, column 41: tasks[0]: expected an object with the keys job, iteration, gpu, depth, start, end`,
			`instance: line 1, column 52: tasks[1].job: the instance has no job "a-9"`,
			`instance: line 1, column 72: tasks[1].iteration: 0 is out of range; it goes from 1 to 1000000000`,
			`instance: line 1, column 82: tasks[1].gpu: -1 is out of range; it goes from 0 to 3`,
			`instance: line 1, column 95: tasks[1].depth: 1e3 is not a whole number in plain decimal digits`,
			`instance: line 1, column 109: tasks[1].start: -1 is out of range; it goes from 0 to 1152921504606846976`,
			`instance: line 1, column 120: tasks[1].end: 99999999999999999999 is out of range; it goes from 0 to 1152921504606846976`,
			`instance: line 2, column 2: tasks[2]: the key "end" is missing`,
			`instance: line 2, column 10: tasks[2].job: expected the name of a job`,
			`instance: line 2, column 26: tasks[2].iteration: expected a whole number`,
			`instance: line 2, column 38: tasks[2].gpu: expected a whole number`,
			`instance: line 2, column 68: tasks[2]: unknown key "stop"; the keys here are job, iteration, gpu, depth, start, end`,
			`instance: line 3, column 12: tasks[3].depth: 1 layers are not an allowed depth of "b \"é\" <"; it has 3, 4`}, "\n")},
		"rates": {`{"schedule": {"residency": {}, "tasks": [], "syncs": [{"job": "a-1", "iteration": 1, "start": 1, "end": 2, "rate": 0.25},
 {"job": "a-1", "iteration": 1, "start": 1, "end": 2, "rate": "1/2"}, {"job": "a-1", "iteration": 1, "start": 1, "end": 2, "rate": 1e999},
 {"job": "a-1", "iteration": 1, "start": 1, "end": 2, "rate": 0.333333}]}}`, strings.Join([]string{
			`line 1, column 116: schedule.syncs[0].rate: 0.25 is not the rate of a level; the levels are [1 1/2 1/3 1/7 1/1024]`,
			`instance: line 2, column 63: schedule.syncs[1].rate: expected a number like 0.5`,
			`instance: line 2, column 132: schedule.syncs[2].rate: 1e999 is not the rate of a level; the levels are [1 1/2 1/3 1/7 1/1024]`,
			`instance: line 3, column 63: schedule.syncs[3].rate: 0.333333 is not the rate of a level; the levels are [1 1/2 1/3 1/7 1/1024]`}, "\n")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := DecodeSchedule(in, strings.NewReader(test.file))
			assert.EqualError(t, err, "instance: "+test.want)
		})
	}
}

// blanks yields as many spaces as it has left.
type blanks struct{ left int64 }

func (z *blanks) Read(p []byte) (int, error) {
	if z.left <= 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), z.left)
	for i := range p[:n] {
		p[i] = ' '
	}
	z.left -= n
	return int(n), nil
}

func TestDecodeScheduleLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("large inputs")
	}
	in := scheduled(t)
	blank := func(n int64) io.Reader { return &blanks{n} }
	_, err := DecodeSchedule(in, io.MultiReader(strings.NewReader(`{"x": "`), blank(100<<20)))
	assert.EqualError(t, err, "instance: line 1, column 7: a text or a run of blanks is longer than 16 MiB")
	_, err = DecodeSchedule(in, io.MultiReader(strings.NewReader("{"), blank(100<<20)))
	assert.ErrorContains(t, err, ": a text or a run of blanks is longer than 16 MiB")
	_, err = DecodeSchedule(in, io.MultiReader(strings.NewReader(`{"schedule": {"tasks": `), strings.NewReader(strings.Repeat("[", 10<<20))))
	assert.EqualError(t, err, "instance: line 1, column 86: lists and objects are nested deeper than 64 levels")
	large := []io.Reader{strings.NewReader(`{"x": [0`)}
	for range maxScheduleBytes / (10 << 20) {
		large = append(large, strings.NewReader(`, "`), blank(5<<20), strings.NewReader(`"`), blank(5<<20))
	}
	_, err = DecodeSchedule(in, io.MultiReader(append(large, blank(10<<20))...))
	assert.EqualError(t, err, "instance: the schedule is larger than 512 MiB")
	many := `{"schedule": {"tasks": [` + strings.Repeat("{},", 1<<20) + `{}]}}`
	_, err = DecodeSchedule(in, strings.NewReader(many))
	assert.Len(t, err, instance.MaxProblems)
}

func BenchmarkDecodeSchedule(b *testing.B) {
	in := scheduled(b)
	s := &instance.Schedule{Residency: make([][]instance.GPUID, len(in.Jobs))}
	for i := range 1_000_000 {
		s.Tasks = append(s.Tasks, instance.Task{Job: 0, Iteration: i/4 + 1, GPU: instance.GPUID(i % 4), Depth: i % 4, Start: instance.Tick(i), End: instance.Tick(i + 10)})
	}
	var file bytes.Buffer
	require.NoError(b, EncodeSchedule(&file, in, s))
	b.SetBytes(int64(file.Len()))
	for b.Loop() {
		_, err := DecodeSchedule(in, bytes.NewReader(file.Bytes()))
		require.NoError(b, err)
	}
}

func BenchmarkEncodeSchedule(b *testing.B) {
	in := scheduled(b)
	s := &instance.Schedule{Residency: make([][]instance.GPUID, len(in.Jobs))}
	for i := range 1_000_000 {
		s.Tasks = append(s.Tasks, instance.Task{Job: 0, Iteration: i/4 + 1, GPU: instance.GPUID(i % 4), Depth: i % 4, Start: instance.Tick(i), End: instance.Tick(i + 10)})
	}
	for b.Loop() {
		require.NoError(b, EncodeSchedule(io.Discard, in, s))
	}
}
