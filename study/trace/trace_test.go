package trace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance/profiles"
	"jigsaw/study/replay"
)

const muriHead = "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time,resource_time_0,resource_time_1,resource_time_2,priority\n"

// Small files of every format.
var samples = map[Format]string{
	Muri: muriHead +
		"0,8,1000,100,gpt2,4,43700,91000,437,0.6,419,49,0\n" +
		"1,1,0,1000,dqn,128,490000,10000,490,500,8,0,1\n",
	Gavel: "ResNet-18 (batch size 128)\tpython3 main.py\timage\t--num_steps\t1\t925982\t4\t1\t-1.000000\t20\n" +
		"A3C\tpython3 main.py\trl\t--n\t1\t17\t1\t5\t-1.000000\t0\n",
	Tiresias: "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n0,1,0,606,vgg19,164,30\n1,8,30,133,vgg11,147,23\n",
	Philly:   "timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-09 07:01:55,66.0,1,66.0,11cb48\n2017-10-09 06:01:55,10.0,2,20.0,11cb48\n",
	Pollux:   "name,time,application,num_replicas,batch_size\ncifar10-0,53,cifar10,6,2048\ncifar10-1,154,cifar10,6,2048\n",
	Helios: "job_id,user,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n" +
		"7,u1,8,64,1,COMPLETED,2020-04-01 00:00:10,2020-04-01 00:00:12,2020-04-01 00:01:12,60,2\n" +
		"8,u1,0,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:12,2020-04-01 00:01:12,60,2\n" +
		"9,u2,1,4,1,CANCELLED,2020-04-01 00:00:05,2020-04-01 00:00:12,2020-04-01 00:00:42,30,2\n",
}

const gavelSeven = "LM (batch size 5)\tcd x && python3 main.py \t--steps\t1\t1973720\t188011.000000\t8\nLM (batch size 10)\tx\t--steps\t1\t3\t0.000000\t2\n"

func TestRead(t *testing.T) {
	for format, text := range samples {
		got, err := Read("t", strings.NewReader(text), "")
		require.NoError(t, err, format)
		require.Equal(t, format, got.Format)
		require.Len(t, got.Jobs, 2, format)
		require.Zero(t, got.Jobs[0].Arrival)
		named, err := Read("t", strings.NewReader("\ufeff"+strings.ReplaceAll(text, "\n", "\r\n")), format)
		if format != Gavel { // has no header before which to put a mark
			require.NoError(t, err, format)
			require.Len(t, named.Jobs, 2)
			head, rows, _ := strings.Cut(text, "\n")
			quoted := `"` + strings.ReplaceAll(strings.ToUpper(head), ",", `","`) + "\"\n" + rows
			for _, other := range []string{quoted, strings.ReplaceAll(text, ",", ";"), strings.ReplaceAll(text, ",", "\t")} {
				same, err := Read("t", strings.NewReader(other), "")
				require.NoError(t, err, other)
				require.Equal(t, named.Format, same.Format)
				require.Len(t, same.Jobs, 2)
			}
		}
	}
	floats, err := Read("t", strings.NewReader(strings.Replace(samples[Tiresias], "\n0,1,", "\n0,1.0,", 1)), "")
	require.NoError(t, err)
	require.Equal(t, 1, floats.Jobs[0].GPUs, "as tables write columns that have empty cells")
	read := func(f Format) []Job {
		got, err := Read("t", strings.NewReader(samples[f]), f)
		require.NoError(t, err)
		return got.Jobs
	}
	muri := read(Muri)
	require.Equal(t, "1", muri[0].ID, "by arrival")
	require.Equal(t, 1.0, muri[1].Arrival)
	require.Equal(t, 43.7, muri[1].Duration)
	require.InDelta(t, 0.437, muri[1].Iteration, 1e-12)
	require.InDelta(t, 419.0/437, muri[1].Stages.GPU, 1e-12)
	require.Equal(t, 1.0, muri[0].Stages.Load, "a stage is at most the iteration")
	gavel := read(Gavel)
	require.Equal(t, []string{"A3C", "ResNet-18"}, []string{gavel[0].Model, gavel[1].Model})
	require.Equal(t, Job{ID: "0", Arrival: 20, GPUs: 4, Model: "ResNet-18", Batch: 128, Iterations: 925982, Weight: 1, line: 1, gpusAt: 71, modelAt: 1}, gavel[1])
	require.Equal(t, 5.0, gavel[0].Weight)
	seven, err := Read("t", strings.NewReader(gavelSeven), "")
	require.NoError(t, err)
	require.Equal(t, Gavel, seven.Format)
	require.Equal(t, 8, seven.Jobs[1].GPUs)
	require.Equal(t, 188011.0, seven.Jobs[1].Arrival)
	require.EqualValues(t, 1973720, seven.Jobs[1].Iterations)
	philly := read(Philly)
	require.Equal(t, 3600.0, philly[1].Arrival)
	require.Equal(t, 66.0, philly[1].Duration)
	tiresias := read(Tiresias)
	require.InDelta(t, 164.0/606, tiresias[0].Iteration, 1e-12)
	require.Equal(t, 2048, read(Pollux)[0].Batch)
	helios, err := Read("t", strings.NewReader(samples[Helios]), "")
	require.NoError(t, err)
	require.Equal(t, []string{"1 jobs that ask for no GPU are left out"}, helios.Notes)
	require.Equal(t, 5.0, helios.Jobs[1].Arrival)
}

// TestBroken: every error is reported with file, line and column.
func TestBroken(t *testing.T) {
	muri := func(row string) string { return muriHead + row + "\n" }
	for name, c := range map[string]struct {
		format Format
		text   string
		want   string
	}{
		"empty":             {Muri, "", "t:1:1: the file is empty; it begins with the column names job_id,num_gpu"},
		"empty, any format": {"", "", "t:1:1: the file is empty"},
		"unknown":           {"", "a,b\n1,2\n", "t:1:1: this is not a known kind of trace"},
		"missing column":    {Muri, strings.Replace(samples[Muri], "iteration_time", "it", 1), `t:1:1: the column "iteration_time" is missing`},
		"two columns":       {Pollux, "name,name,time,application,num_replicas,batch_size\n", `t:1:6: there are two columns "name"`},
		"negative time":     {Muri, muri("0,8,-5,100,gpt2,4,43700,0,437,0.6,419,49,0"), "t:2:5: submit_time: -5 is negative"},
		"negative stage":    {Muri, muri("0,8,5,100,gpt2,4,43700,0,437,-0.6,419,49,0"), "t:2:30: resource_time_0: -0.6 is negative"},
		"no number":         {Muri, muri("0,8,abc,100,gpt2,4,43700,0,437,0.6,419,49,0"), `t:2:5: submit_time: "abc" is not a number`},
		"not finite":        {Muri, muri("0,8,NaN,100,gpt2,4,43700,0,437,0.6,419,49,0"), `t:2:5: submit_time: "NaN" is not a number`},
		"no iterations":     {Muri, muri("0,8,0,0,gpt2,4,43700,0,437,0.6,419,49,0"), "t:2:7: iterations: 0 is not from 1 to"},
		"half an iteration": {Muri, muri("0,8,0,1.5,gpt2,4,43700,0,437,0.6,419,49,0"), `t:2:7: iterations: "1.5" is not a whole number`},
		"seconds for ms":    {Muri, muri("0,8,0,100000,gpt2,4,43700,0,437,0.6,419,49,0") + "1,8,0,100000,gpt2,4,43,0,437,0.6,419,49,0\n", "t:3:21: duration: 0.043 s, but 100000 iterations of 0.437 s take 43700 s; all times are in milliseconds"},
		"no GPUs":           {Muri, muri("0,0,0,100,gpt2,4,43700,0,437,0.6,419,49,0"), "t:2:3: num_gpu: 0 is not from 1 to"},
		"no model":          {Muri, muri("0,1,0,100,,4,43700,0,437,0.6,419,49,0"), "t:2:11: model_name: the job names no model"},
		"twice":             {Muri, samples[Muri] + "0,8,1000,100,gpt2,4,43700,91000,437,0.6,419,49,0\n", `t:4:1: the job "0" is in line 2 already`},
		"no identifier":     {Muri, muri(",8,0,100,gpt2,4,43700,0,437,0.6,419,49,0"), "t:2:1: the job has no identifier"},
		"short line":        {Tiresias, samples[Tiresias] + "2,1,3\n", "t:4:1: the line has more or fewer fields than the first line has names"},
		"quote":             {Tiresias, samples[Tiresias] + "2,\"1,3,3,vgg11,7,1\n", "t:4:20: extraneous or missing"},
		"years":             {Tiresias, "job_id,num_gpu,submit_time,iterations,model_name,duration\n0,1,1e13,606,vgg19,164\n", "t:2:5: submit_time: 1e13 is more than a hundred years; the tiresias format counts in seconds"},
		"no date":           {Philly, "timestamp,duration,num_gpus\n12345,66,1\n", `t:2:1: timestamp: "12345" is not a date like 2017-10-09 07:01:55`},
		"minutes for s":     {Philly, "timestamp,duration,num_gpus,gpu_time\n2017-10-09 07:01:55,66,1,3960\n", "t:2:26: gpu_time: 3960 is not duration 66 x 1 GPUs; both are in seconds"},
		"fields":            {Gavel, "a\tb\n", "t:1:1: the line has 2 tab-separated fields; a Gavel trace has 10, or 7"},
		"mixed fields":      {Gavel, gavelSeven + samples[Gavel], "t:3:1: the line has 10 fields, those before it have 7"},
		"negative arrival":  {Gavel, strings.Replace(samples[Gavel], "\t20\n", "\t-20\n", 1), "t:1:85: arrival time: -20 is negative"},
		"steps":             {Gavel, strings.Replace(samples[Gavel], "925982", "many", 1), `t:1:64: total steps: "many" is not a whole number`},
		"no jobs":           {Muri, muriHead, "t:1:1: the trace has no jobs"},
		"unknown format":    {"yarn", "x", `unknown format "yarn"; choose one of [muri gavel`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read("t", strings.NewReader(c.text), c.format)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := Read("t", strings.NewReader(muri("0,8,0,100,gpt2,4,43700,0,,0.6,419,49,0")), "")
	require.EqualError(t, err, `t:2:26: iteration_time: "" is not a number; the muri format counts in milliseconds`, "one mistake is told once")
	_, err = Read("t", strings.NewReader(muriHead+strings.Repeat("x,y,z,1,2,3,4,5,6,7,8,9,0\n", 1000)), "")
	require.Len(t, err, mostProblems, "not a thousand lines of the same")
}

func table(t *testing.T, text string) *Table {
	t.Helper()
	got, err := ReadTable("table", strings.NewReader("version: 1\n"+text))
	require.NoError(t, err)
	return got
}

func workload(t *testing.T, f Format, text string, table *Table, cluster string) (*replay.Workload, error) {
	t.Helper()
	tr, err := Read("t", strings.NewReader(text), f)
	require.NoError(t, err)
	c, err := replay.ParseCluster(cluster)
	require.NoError(t, err)
	library, err := profiles.Builtin()
	require.NoError(t, err)
	return Workload(tr, table, library, c, Options{Seed: 1})
}

func TestWorkload(t *testing.T) {
	muri, err := BuiltinTable("muri")
	require.NoError(t, err)
	w, err := workload(t, Muri, samples[Muri], muri, "1x8")
	require.NoError(t, err)
	require.Len(t, w.Classes, 2)
	gpt2 := w.ClassOf(1)
	require.Equal(t, "bert24", gpt2.Shape.Model)
	require.Equal(t, 10.0, gpt2.Restart)
	require.InDelta(t, 1.015*43.7, w.Alone(1), 1e-9, "100 iterations of 437 ms, longer as the table says")
	require.InDeltaSlice(t, []float64{1, 1.33 / 1.015, 1.5 / 1.015, 1.37 / 1.015}, w.Interference, 1e-12)
	require.Equal(t, 5.0, w.ClassOf(0).Restart)

	unnamed, err := BuiltinTable("unnamed")
	require.NoError(t, err)
	w, err = workload(t, Philly, samples[Philly], unnamed, "1x8")
	require.NoError(t, err)
	for i, want := range []float64{10, 66} {
		require.InDelta(t, want, w.Alone(i), w.ClassOf(i).Fastest(), "the duration, up to an iteration")
	}

	current, err := BuiltinTable("current")
	require.NoError(t, err)
	w, err = workload(t, Philly, samples[Philly], current, "1x8")
	require.NoError(t, err)
	for i, want := range []float64{10, 66} {
		require.InDelta(t, want, w.Alone(i), w.ClassOf(i).Fastest(), "the duration, up to an iteration")
		require.Equal(t, "h100", w.ClassOf(i).Shape.GPU)
	}

	byType := table(t, "models:\n  - {name: cifar10, iterations: 50, iteration_s: {v100: {6: 0.5}, any: {6: 2}}, restart_s: {4: 3, 8: 5}, gpu_part: 0.75}\n")
	w, err = workload(t, Pollux, samples[Pollux], byType, "1x8:v100,1x8:k80")
	require.NoError(t, err)
	require.Equal(t, []float64{0.5, 2}, w.Classes[0].Iteration)
	require.Equal(t, 3.0, w.Classes[0].Restart, "that of the next smaller number of GPUs")
	require.Equal(t, replay.Stages{GPU: 0.75, Network: 0.25}, w.Classes[0].Stages)
	require.Equal(t, 25.0, w.Alone(0))
	require.Equal(t, 1.0, w.Slowdown(3), "without interference in the table")
}

// TestSkipUnknown: jobs without figures in the table are left out on request, and
// counted; the others are unchanged.
func TestSkipUnknown(t *testing.T) {
	const text = "A3C\tc\td\t-n\t0\t100\t4\t1\t-1\t0\n" +
		"A3C\tc\td\t-n\t0\t100\t1\t1\t-1\t50\n" +
		"LM (batch size 7)\tc\td\t-n\t0\t100\t1\t1\t-1\t60\n" +
		"A3C\tc\td\t-n\t0\t100\t4\t1\t-1\t70\n" +
		"A3C\tc\td\t-n\t0\t100\t1\t1\t-1\t80\n"
	gavel, err := BuiltinTable("gavel")
	require.NoError(t, err)
	read := func(text string, o Options) (*replay.Workload, error) {
		tr, err := Read("t", strings.NewReader(text), Gavel)
		require.NoError(t, err)
		c, err := replay.ParseCluster("1x8:v100")
		require.NoError(t, err)
		return Workload(tr, gavel, nil, c, o)
	}
	_, err = read(text, Options{})
	require.Equal(t, 2, strings.Count(err.Error(), "\n")+1, "one problem for each kind of job: %v", err)
	w, err := read(text, Options{SkipUnknown: true})
	require.NoError(t, err)
	require.Equal(t, []replay.LeftOut{{Reason: replay.NoFigures, Model: "A3C", GPUs: 4, Jobs: 2}, {Reason: replay.NoFigures, Model: "LM", Batch: 7, GPUs: 1, Jobs: 1}}, w.LeftOut)
	require.Len(t, w.Jobs, 2)
	require.Equal(t, []string{"1", "4"}, []string{w.Jobs[0].ID, w.Jobs[1].ID})
	require.Equal(t, []float64{0, 30}, []float64{w.Jobs[0].Arrival, w.Jobs[1].Arrival}, "the first that is left arrives at 0")
	_, err = read(text[:strings.Index(text, "\n")], Options{SkipUnknown: true})
	require.ErrorContains(t, err, "t: no job is left, on GPUs of the types [v100], which the model table has to know by these names: left out, 1 of 1 jobs: since the model table has no figures for them: ")
}

func TestWorkloadProblems(t *testing.T) {
	for name, c := range map[string]struct {
		format        Format
		text, table   string
		cluster, want string
	}{
		"too large":      {Muri, samples[Muri], "models: [{name: gpt2}, {name: dqn}]", "2x2", `t:2:3: the job "0" asks for 8 GPUs, which the cluster 2x2 does not have in one place even when it is empty`},
		"unknown model":  {Muri, samples[Muri], "models: [{name: gpt2}]", "1x8", `t:3:12: the model table has no model "dqn" at batch 128`},
		"other batch":    {Muri, samples[Muri], "models: [{name: gpt2}, {name: dqn, batch: 64}]", "1x8", `t:3:12: the model table has no model "dqn" at batch 128`},
		"no times":       {Gavel, samples[Gavel], "models: [{name: A3C}, {name: ResNet-18, iteration_s: {v100: {4: 1}}}]", "1x4:v100", `t:2:1: neither the trace nor the model table says how long an iteration of "A3C" is on one GPU of the types v100`},
		"no iterations":  {Pollux, samples[Pollux], "models: [{name: cifar10, iteration_s: {any: {6: 1}}}]", "1x8", `t:2:14: neither the trace nor the model table says how many iterations "cifar10" does`},
		"no names":       {Philly, samples[Philly], "models: [{name: x}]", "1x8", "the philly format names no models; list in the model table, under unnamed"},
		"unknown shape":  {Tiresias, samples[Tiresias], "models: [{name: vgg19, shape: {model: vgg19, gpu: tpu, batch: 1}}, {name: vgg11}]", "1x8", `t:2:11: the shape of "vgg19", profile vgg19 on tpu at batch 1, is not in the profile library`},
		"for ever":       {Gavel, samples[Gavel], "models: [{name: A3C, iteration_s: {any: {1: 1e9}}}, {name: ResNet-18, iteration_s: {any: {4: 1}}}]", "1x4", "would run for 539 years"},
		"unknown in all": {Pollux, samples[Pollux], "models: []", "1x8", `the model table has no model "cifar10"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := workload(t, c.format, c.text, table(t, c.table), c.cluster)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestTableProblems(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "table:1:1: the model table is empty",
		"version: 2":            "table: version 2 is not supported; write version: 1",
		"version: 1\nmodel: []": `unknown field "model"`,
		"version: 1\nmodels: [{name: a, iteration_s: {any: {0: 1}}}]":    "write seconds above 0 for a number of GPUs",
		"version: 1\nmodels: [{name: a, iteration_s: {any: {1: -1}}}]":   "write seconds above 0 for a number of GPUs",
		"version: 1\nmodels: [{name: a, iteration_s: {any: {1: .nan}}}]": "write seconds above 0 for a number of GPUs",
		"version: 1\nmodels: [{name: a, restart_s: {1: -1}}]":            "restart_s: 1: -1; write seconds",
		"version: 1\nmodels: [{name: a}, {name: a}]":                     "there is another entry for batch 0",
		"version: 1\nmodels: [{name: a, timed: true}]":                   "timed needs a shape, and links in the table",
		"version: 1\nmodels: [{name: a, gpu_part: 1.5}]":                 "gpu_part is from 0 to 1",
		"version: 1\ninterference: [0.9, 1.2]":                           "interference[0]: 0.9; write how many times as long iterations of 1 jobs",
		"version: 1\ninterference: [1.2, 1.1]":                           "interference[1]: 1.1; write how many times as long",
		"version: 1\ninterference: [1, .inf]":                            "interference[1]: +Inf",
		"version: 1\nunnamed: [b]":                                       `"b" is not among the models`,
		"version: 1\nlinks: {node: 1Gbit/s}":                             "links: node and cluster are speeds",
	} {
		_, err := ReadTable("table", strings.NewReader(text))
		require.ErrorContains(t, err, want, text)
	}
	for _, name := range BuiltinTables() {
		_, err := BuiltinTable(name)
		require.NoError(t, err)
	}
	_, err := BuiltinTable("nobody")
	require.ErrorContains(t, err, "there are current, gavel, muri, tiresias, unnamed")
}

// data returns a file of the traces that other projects publish, if they are
// available.
func data(t *testing.T, name string) *os.File {
	t.Helper()
	dir := os.Getenv("JIGSAW_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Skipf("the real traces are not at hand (set JIGSAW_DATA to their folder): %v", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestRealTraces reads published traces.
func TestRealTraces(t *testing.T) {
	for name, want := range map[string]struct {
		format Format
		jobs   int
		gpus   int // of all jobs
	}{
		"muri/cluster_exp/trace-data/cluster_trace.csv":                  {Muri, 400, 287*8 + 40*32 + 36 + 19*4 + 15*2 + 3*16},
		"muri/simulator/trace-data/trace1.csv":                           {Muri, 1494, 536 + 465*8 + 423*4 + 40*16 + 25*32 + 5*2},
		"gavel/scheduler/traces/physical_cluster/max_min_fairness.trace": {Gavel, 96, 59 + 19*2 + 18*4},
		"gavel/scheduler/traces/msr/seed=0/51b7ef.trace":                 {Gavel, 18, 0},
		"tiresias/simulator/60_job.csv":                                  {Tiresias, 60, 0},
		"adaptdl/simulator/traces/philly.csv":                            {Philly, 82247, 0},
		"adaptdl/simulator/workloads/workload-6.csv":                     {Pollux, 160, 0},
	} {
		got, err := Read(name, data(t, name), "")
		require.NoError(t, err)
		require.Equal(t, want.format, got.Format)
		require.Len(t, got.Jobs, want.jobs)
		gpus := 0
		for _, j := range got.Jobs {
			gpus += j.GPUs
		}
		if want.gpus > 0 {
			require.Equal(t, want.gpus, gpus, name)
		}
	}
}

func FuzzRead(f *testing.F) {
	for format, text := range samples {
		f.Add(string(format), text)
	}
	f.Add("gavel", gavelSeven)
	f.Fuzz(func(t *testing.T, format, text string) {
		got, err := Read("t", strings.NewReader(text), Format(format))
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NotEmpty(t, got.Jobs)
		for i, j := range got.Jobs {
			require.Positive(t, j.GPUs)
			require.True(t, j.Arrival >= 0 && j.Duration >= 0 && j.Iteration >= 0 && j.Iterations >= 0)
			require.True(t, i == 0 || got.Jobs[i-1].Arrival <= j.Arrival)
		}
	})
}

func FuzzReadTable(f *testing.F) {
	for _, name := range BuiltinTables() {
		text, err := tables.ReadFile("tables/" + name + ".yaml")
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := ReadTable("t", strings.NewReader(text)); err != nil {
			require.NotEmpty(t, err.Error())
		}
	})
}
