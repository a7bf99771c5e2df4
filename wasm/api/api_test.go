package api

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// call runs a method on parameters in JSON, as the page would.
func call[R any](t *testing.T, a *API, name string, params any) (result R, failure *Error) {
	t.Helper()
	return watch[R](t, t.Context(), a, name, params, func(Event) {})
}

// watch is call with a context and a listener.
func watch[R any](t *testing.T, ctx context.Context, a *API, name string, params any, send func(Event)) (result R, failure *Error) {
	t.Helper()
	encoded, err := json.Marshal(params)
	require.NoError(t, err)
	got, err := a.Call(ctx, name, func(p any) error { return json.Unmarshal(encoded, p) }, send)
	if err != nil {
		require.ErrorAs(t, err, &failure)
		return result, failure
	}
	require.IsType(t, result, got)
	whole(t, reflect.ValueOf(got), name)
	return got.(R), nil
}

// whole fails if a list in an answer is null: in the contract only the fixed depths of a
// rule, and optional fields, may be null.
func whole(t *testing.T, v reflect.Value, path string) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			whole(t, v.Elem(), path)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); !v.Field(i).IsZero() || !strings.HasSuffix(f.Tag.Get("json"), ",omitempty") {
				whole(t, v.Field(i), path+"."+f.Name)
			}
		}
	case reflect.Slice:
		require.True(t, !v.IsNil() || strings.HasSuffix(path, ".Fixed") || v.Type() == reflect.TypeFor[JSON](), "%s is null", path)
		if v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				whole(t, v.Index(i), path)
			}
		}
	}
}

// example returns the text of an example.
func example(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../testdata/examples/" + name + ".yaml")
	require.NoError(t, err)
	return string(text)
}

// quick returns the quick plan of an example.
func quick(t *testing.T, a *API, text string) *PlanResult {
	t.Helper()
	r, failure := call[*PlanResult](t, a, "plan", PlanOptions{Text: text, Quick: true})
	require.Nil(t, failure)
	return r
}

func TestUnknownMethod(t *testing.T) {
	t.Parallel()
	_, failure := call[any](t, New(nil), "solve", none{})
	require.Equal(t, UnknownMethod, failure.Code)
	require.Contains(t, failure.Message, "the methods are change, compile, estimate,")
}

func TestBadParameters(t *testing.T) {
	t.Parallel()
	a, text := New(nil), example(t, "quickstart")
	for name, c := range map[string]struct {
		method  string
		params  any
		message string
	}{
		"wrong type": {"plan", map[string]any{"text": 3}, "plan: "},
		"seed":       {"plan", PlanOptions{Text: text, Seed: 1.5}, "seed 1.5"},
		"large seed": {"plan", PlanOptions{Text: text, Seed: 1 << 54}, "seed 1.8"},
		"effort":     {"plan", PlanOptions{Text: text, Effort: -1}, "effort -1"},
		"time":       {"plan", PlanOptions{Text: text, TimeMS: -1}, "time_ms -1"},
		"gap":        {"plan", PlanOptions{Text: text, Gap: 1}, "gap 1"},
		"schema":     {"schema", schemaParams{"results"}, "choose one of instance, schedule, result"},
		"format":     {"export", exportParams{Text: text, Format: "pdf"}, "choose yaml, json, mps"},
		"no plan":    {"export", exportParams{Text: text, Format: "svg"}, "plan first"},
		"no chain":   {"explain", explainParams{Text: text}, "needs a schedule"},
		"change":     {"what_if", whatIfParams{PlanOptions{Text: text, Quick: true}, WhatIfChange{Kind: "cut_link", Subject: "x"}}, "no link \"x\""},
	} {
		_, failure := call[any](t, a, c.method, c.params)
		require.NotNil(t, failure, name)
		require.Equal(t, Invalid, failure.Code, name)
		require.Contains(t, failure.Message, c.message, name)
	}
}

// Every method that takes an instance reports its mistakes, with lines.
func TestBadInstance(t *testing.T) {
	t.Parallel()
	a, text := New(nil), strings.Replace(example(t, "quickstart"), "vgg16", "vgg99", 1)
	for method, params := range map[string]any{
		"plan": PlanOptions{Text: text}, "explain": explainParams{Text: text}, "judge": judgeParams{Text: text},
		"what_if": whatIfParams{PlanOptions: PlanOptions{Text: text}}, "export": exportParams{Text: text, Format: "yaml"},
	} {
		_, failure := call[any](t, a, method, params)
		require.NotNil(t, failure, method)
		require.Equal(t, Invalid, failure.Code, method)
		require.Len(t, failure.Problems, 1, method)
		require.Equal(t, "jobs[0].model", failure.Problems[0].Path)
		require.Equal(t, 12, failure.Problems[0].Line)
	}
	r, failure := call[*compileResult](t, a, "compile", textParams{text})
	require.Nil(t, failure)
	require.Nil(t, r.Instance)
	require.NotNil(t, r.Spec)
	require.Len(t, r.Problems, 1)
}

// For any text the API either works or reports what is wrong.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	a := New(nil)
	for name, text := range map[string]string{
		"empty": "", "binary": "\x00\xff", "nested": strings.Repeat("[", 100_000), "nested objects": strings.Repeat("{a: ", 5_000),
		"aliases": "a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: [*b,*b,*b,*b]", "large": strings.Repeat("# a long comment\n", 2<<20),
		"many GPUs":  strings.Replace(example(t, "rack"), "nodes: 8", "nodes: 130000", 1),
		"many tasks": strings.Replace(example(t, "rack"), "iterations: 24", "iterations: 9000000000", 1),
		"many jobs":  strings.Replace(example(t, "rack"), "count: 2", "count: 130000", 1),
	} {
		if testing.Short() && len(text) > 1<<20 {
			continue
		}
		r, failure := call[*compileResult](t, a, "compile", textParams{text})
		require.Nil(t, failure, name)
		require.True(t, r.Instance == nil, name)
		require.NotEmpty(t, r.Problems, name)
	}
}

// Names that contain script stay plain text, and are escaped where they are drawn.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	const script = `</text><script>alert(1)</script>`
	a := New(nil)
	text := strings.ReplaceAll(strings.ReplaceAll(example(t, "quickstart"), "name: vgg,", `name: "`+script+`",`), "name: quickstart", `name: "../../$(rm -rf ~);`+script+`"`)
	compiled, failure := call[*compileResult](t, a, "compile", textParams{text})
	require.Nil(t, failure)
	require.Equal(t, script, compiled.Instance.Jobs[0].Name)
	plan := quick(t, a, text)
	svg, failure := call[*File](t, a, "export", exportParams{Text: text, Format: "svg", Schedule: plan.Schedule})
	require.Nil(t, failure)
	require.NotContains(t, svg.Data, "<script")
	require.Equal(t, "rm-rf-text-script-alert-1-script.svg", svg.Name)
}

func TestCompile(t *testing.T) {
	t.Parallel()
	a := New(nil)
	for _, name := range []string{"hetero", "periodic", "rack"} {
		r, failure := call[*compileResult](t, a, "compile", textParams{example(t, name)})
		require.Nil(t, failure)
		require.Empty(t, r.Problems)
		in := r.Instance
		require.Equal(t, name, in.Name)
		require.NotEmpty(t, in.Lesson)
		require.Equal(t, name == "periodic", in.Periodic)
		var spec struct {
			Jobs []struct{ Name string }
		}
		require.NoError(t, json.Unmarshal(r.Spec, &spec))
		for _, j := range in.Jobs {
			require.True(t, strings.HasPrefix(j.Name, spec.Jobs[j.Source].Name))
			require.Len(t, j.On, len(in.Types))
			require.InDelta(t, 1, j.Depths[len(j.Depths)-1].Share, 0)
		}
	}
}

func TestUnnamedInstance(t *testing.T) {
	t.Parallel()
	text := strings.Replace(example(t, "quickstart"), "name: quickstart\n", "", 1)
	r, failure := call[*compileResult](t, New(nil), "compile", textParams{text})
	require.Nil(t, failure)
	require.Equal(t, "scenario", r.Instance.Name)
}

func TestLibrary(t *testing.T) {
	t.Parallel()
	a := New(nil)
	profiles, failure := call[[]ProfileInfo](t, a, "profiles", none{})
	require.Nil(t, failure)
	require.NotEmpty(t, profiles)
	for _, p := range profiles {
		require.NotEqual(t, p.Source == nil, p.Estimated == "", "%s: measured, or estimated", p.Model)
		require.NotEmpty(t, p.Layers, p.Model)
	}
	for _, kind := range []string{"instance", "schedule", "result"} {
		schema, failure := call[JSON](t, a, "schema", schemaParams{kind})
		require.Nil(t, failure)
		require.True(t, json.Valid(schema))
	}
	v, failure := call[Version](t, a, "version", none{})
	require.Nil(t, failure)
	require.NotEqual(t, v.Engine == "", v.EngineMissing == "", "an engine, or why there is none")
}

func TestQuickPlan(t *testing.T) {
	t.Parallel()
	a := New(nil)
	var events []Event
	r, failure := watch[*PlanResult](t, t.Context(), a, "plan", PlanOptions{Text: example(t, "quickstart"), Seed: 3, Quick: true}, func(e Event) { events = append(events, e) })
	require.Nil(t, failure)
	require.LessOrEqual(t, *r.Dual, *r.Primal)
	require.Equal(t, PlanResult{Seed: 3, Quick: true}, PlanResult{Seed: r.Seed, Quick: r.Quick, Effort: r.Effort})
	require.Len(t, r.Completion, 5)
	require.False(t, r.Stopped)
	require.NotNil(t, r.Certificate)
	require.InDelta(t, float64(slices.Max(r.Completion)), *r.Primal, 0)
	require.Equal(t, r.Usage.Span, slices.Max(r.Completion))
	last := r.Chain[0]
	ends := r.Schedule.Syncs.End
	if last.Kind == "task" {
		ends = r.Schedule.Tasks.End
	}
	require.InDelta(t, *r.Primal, ends[last.Index], 0, "the chain ends with the plan")
	require.NotEmpty(t, events)
	require.True(t, slices.ContainsFunc(events, func(e Event) bool { return e.Schedule != nil }))
}

// A long plan comes in blocks, in which every job does all of its iterations. The first one found is sent before the result.
func TestLongPlan(t *testing.T) {
	t.Parallel()
	a := New(nil)
	text := strings.NewReplacer("iterations: 30,", "iterations: 30000,", "iterations: 20,", "iterations: 20000,", "iterations: 60,", "iterations: 60000,").Replace(example(t, "queue"))
	var found []float64
	r, failure := watch[*PlanResult](t, t.Context(), a, "plan", PlanOptions{Text: text, Quick: true}, func(e Event) {
		if e.Long != nil {
			require.InDelta(t, slices.Max(e.Long.End), *e.Point.Primal, 0)
			found = append(found, *e.Point.Primal)
		}
	})
	require.Nil(t, failure)
	require.Nil(t, r.Schedule, "it is not written out")
	require.NotNil(t, r.Long)
	require.NotEmpty(t, found)
	require.Greater(t, found[0], *r.Primal)
	require.InDelta(t, slices.Max(r.Long.End), *r.Primal, 0)
	require.Greater(t, *r.Efficiency, 0.0)
	c, failure := call[*compileResult](t, a, "compile", textParams{Text: text})
	require.Nil(t, failure)
	require.True(t, c.Instance.Queues)
	done := make([]int64, len(c.Instance.Jobs))
	for _, b := range r.Long.Blocks {
		for i, job := range b.Tasks.Job {
			done[job] += b.Repeats
			start := float64(b.Start) + b.Tasks.Start[i]
			require.LessOrEqual(t, r.Long.Start[job], start)
			require.LessOrEqual(t, start+float64((b.Repeats-1)*b.Period), r.Long.End[job])
			require.Contains(t, r.Long.Residency[job], int(b.Tasks.GPU[i]))
		}
	}
	for j, job := range c.Instance.Jobs {
		require.EqualValues(t, job.Workers*job.Iterations, done[j], job.Name)
		require.InDelta(t, r.Long.Start[j], r.Long.Admitted[j]+float64(job.Load), 0, job.Name)
		require.Len(t, r.Long.Residency[j], job.Workers)
	}
	require.Len(t, r.Long.Why, len(c.Instance.Jobs))
	require.InDelta(t, *r.Primal, r.Long.End[r.Long.Chain[0].Job], 0, "the chain ends with the plan")
	// A short plan is written out as well.
	r, failure = call[*PlanResult](t, a, "plan", PlanOptions{Text: example(t, "queue"), Quick: true})
	require.Nil(t, failure)
	require.NotNil(t, r.Long)
	require.NotNil(t, r.Schedule)
}

// A Llama described by its dimensions is planned on H100s, and so is the same model by its config.json.
func TestEstimate(t *testing.T) {
	t.Parallel()
	a := New(nil)
	text := `{"version": 1, "cluster": {"gpu_types": [{"name": "h100", "memory": "80GiB"}],
		"racks": [{"nodes": 1, "gpus": 8, "gpu": "h100", "nic": "400Gbit/s", "fabric": "3600Gbit/s"}]},
		"jobs": [{"name": "mine", "model": "mine", "workers": 8, "iterations": 3, "optimizer": "adam", "sharding": "zero3"}]`
	llama := Architecture{Type: "llama", Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, FFN: 14336, Vocabulary: 128256}
	r, failure := call[*EstimateResult](t, a, "estimate", EstimateParams{Text: text + "}", Model: "mine", Architecture: &llama, Batch: 1, Sequence: 2048, Checkpointing: true})
	require.Nil(t, failure)
	require.Len(t, r.Estimates, 1)
	require.EqualValues(t, 8030261248, r.Estimates[0].Parameters, "as published")
	p, failure := call[*PlanResult](t, a, "plan", PlanOptions{Text: text + `, "profiles": ` + string(r.Profiles) + "}", Quick: true})
	require.Nil(t, failure)
	require.NotNil(t, p.Schedule)

	config := `{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
		"intermediate_size": 14336, "vocab_size": 128256}`
	same, failure := call[*EstimateResult](t, a, "estimate", EstimateParams{Text: text + "}", Model: "mine", Config: config, Batch: 1, Sequence: 2048, Checkpointing: true})
	require.Nil(t, failure)
	require.Equal(t, r.Estimates, same.Estimates)
	require.Equal(t, llama, same.Architecture)

	// Dimensions changed after a config was read leave the rest of the config as it is: half of Mixtral's blocks.
	mixtral := `{"model_type": "mixtral", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
		"intermediate_size": 14336, "vocab_size": 32000, "num_local_experts": 8, "num_experts_per_tok": 2}`
	half := Architecture{Type: "mixtral", Layers: 16, Hidden: 4096, Heads: 32, KVHeads: 8, FFN: 14336, Vocabulary: 32000}
	moved, failure := call[*EstimateResult](t, a, "estimate", EstimateParams{Text: text + "}", Model: "mine", Config: mixtral, Architecture: &half, Batch: 1, Checkpointing: true})
	require.Nil(t, failure)
	require.EqualValues(t, 46_702_792_704-16*1_451_270_144, moved.Estimates[0].Parameters)
	require.Less(t, moved.Estimates[0].Active, moved.Estimates[0].Parameters/3)
	require.Equal(t, half, moved.Architecture)

	for want, params := range map[string]EstimateParams{
		"figures of an architecture": {Text: text + "}", Model: "mine", Batch: 1},
		"model_type":                 {Text: text + "}", Model: "mine", Batch: 1, Config: `{"model_type": "mamba"}`},
		"does not divide by 31":      {Text: text + "}", Model: "mine", Batch: 1, Architecture: &Architecture{Type: "llama", Layers: 2, Hidden: 4096, Heads: 31, FFN: 1, Vocabulary: 9}},
		"a batch of 0":               {Text: text + "}", Model: "mine", Architecture: &llama},
		"known for the cluster's":    {Text: strings.ReplaceAll(text, "h100", "mine") + "}", Model: "mine", Architecture: &llama, Batch: 1},
	} {
		_, failure := call[*EstimateResult](t, a, "estimate", params)
		require.NotNil(t, failure, want)
		require.Equal(t, Invalid, failure.Code)
		require.Contains(t, failure.Message, want)
	}
}

func TestPeriodicPlan(t *testing.T) {
	t.Parallel()
	a := New(nil)
	r := quick(t, a, example(t, "periodic"))
	require.Positive(t, r.Schedule.Period)
	require.Empty(t, r.Chain)
	compiled, failure := call[*compileResult](t, a, "compile", textParams{example(t, "periodic")})
	require.Nil(t, failure)
	sum := 0.0
	for j, n := range r.Completion {
		sum += float64(n * compiled.Instance.Jobs[j].Weight)
	}
	require.InEpsilon(t, *r.Primal, sum/float64(r.Schedule.Period), 1e-9)
}

func TestInfeasiblePlan(t *testing.T) {
	t.Parallel()
	r := quick(t, New(nil), example(t, "infeasible"))
	require.Equal(t, "infeasible", r.Status)
	require.NotEmpty(t, r.Reasons)
	require.Nil(t, r.Schedule)
	require.NotNil(t, r.Certificate)
}

// A cancelled plan is answered with the best so far.
func TestStoppedPlan(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	r, failure := watch[*PlanResult](t, ctx, New(nil), "plan", PlanOptions{Text: example(t, "rack"), TimeMS: float64(time.Hour / time.Millisecond)}, func(e Event) {
		if e.Schedule != nil {
			cancel()
		}
	})
	require.Nil(t, failure)
	require.True(t, r.Stopped)
	require.NotNil(t, r.Schedule)
	require.NotNil(t, r.Primal)

	_, failure = watch[*WhatIfAnswer](t, ctx, New(nil), "what_if", whatIfParams{PlanOptions{Text: example(t, "rack")}, WhatIfChange{Kind: "add_gpu", Subject: "r0n0"}}, nil)
	require.Equal(t, Cancelled, failure.Code)
}

func TestExplain(t *testing.T) {
	t.Parallel()
	a, text := New(nil), example(t, "quickstart")
	plan := quick(t, a, text)
	r, failure := call[*explainResult](t, a, "explain", explainParams{Text: text, Schedule: plan.Schedule})
	require.Nil(t, failure)
	require.Equal(t, plan.Chain, r.Chain)
	job := 2
	r, failure = call[*explainResult](t, a, "explain", explainParams{text, plan.Schedule, &job})
	require.Nil(t, failure)
	require.Equal(t, "sync", r.Chain[0].Kind)
	require.EqualValues(t, job, plan.Schedule.Syncs.Job[r.Chain[0].Index])

	for name, spoil := range map[string]func(*Schedule){
		"lengths":   func(s *Schedule) { s.Tasks.End = s.Tasks.End[1:] },
		"sync rows": func(s *Schedule) { s.Syncs.Rate = nil },
		"times":     func(s *Schedule) { s.Tasks.Start[3] += 0.5 },
		"far times": func(s *Schedule) { s.Tasks.Start[3] = 1e300 },
		"job":       func(s *Schedule) { s.Tasks.Job[3] = 99 },
		"GPU":       func(s *Schedule) { s.Tasks.GPU[3] = -1 },
		"order":     func(s *Schedule) { s.Tasks = Tasks{}; s.Syncs = Syncs{} },
		"residency": func(s *Schedule) { s.Residency = s.Residency[1:] },
		"another":   func(s *Schedule) { s.Tasks.Start[3]--; s.Tasks.End[3]-- },
	} {
		spoilt := quick(t, a, text).Schedule
		spoil(spoilt)
		_, failure := call[*explainResult](t, a, "explain", explainParams{Text: text, Schedule: spoilt})
		require.NotNil(t, failure, name)
		require.Equal(t, Invalid, failure.Code, name)
		require.Contains(t, failure.Message, "schedule", name)
	}
	job = 5
	_, failure = call[*explainResult](t, a, "explain", explainParams{text, plan.Schedule, &job})
	require.Contains(t, failure.Message, "no job 5")
}

func TestWhatIf(t *testing.T) {
	t.Parallel()
	a, text := New(nil), example(t, "hetero")
	r, failure := call[*WhatIfAnswer](t, a, "what_if", whatIfParams{PlanOptions{Text: text, Quick: true}, WhatIfChange{Kind: "add_gpu", Subject: "r0n0"}})
	require.Nil(t, failure)
	require.Negative(t, *r.Verified)
	require.NotNil(t, r.PlanAfter)
	r, failure = call[*WhatIfAnswer](t, a, "what_if", whatIfParams{PlanOptions{Text: text, Quick: true}, WhatIfChange{Kind: "memory", Subject: "v100", Factor: 0.001}})
	require.Nil(t, failure)
	require.Nil(t, r.PlanAfter)
	require.NotEmpty(t, r.Reasons)
}

// Independent changes are made together, and the resulting file can be read.
func TestChange(t *testing.T) {
	t.Parallel()
	a, text := New(nil), example(t, "rack")
	changes := []WhatIfChange{{Kind: "fail_gpu", Subject: "r0n1"}, {Kind: "link_speed", Subject: "r0n0.up", Factor: 4}, {Kind: "link_speed", Subject: "r0n0.down", Factor: 4}}
	r, failure := call[*changeResult](t, a, "change", changeParams{text, changes})
	require.Nil(t, failure)
	before, failure := call[*compileResult](t, a, "compile", textParams{text})
	require.Nil(t, failure)
	after, failure := call[*compileResult](t, a, "compile", textParams{string(r.Spec)})
	require.Nil(t, failure)
	require.Empty(t, after.Problems)
	require.Equal(t, before.Instance.Nodes[1].GPUs-1, after.Instance.Nodes[1].GPUs)
	for l, link := range before.Instance.Links {
		if strings.HasPrefix(link.Name, "r0n0.") && link.Kind != "fabric" {
			link.Capacity *= 4
		}
		require.Equal(t, link, after.Instance.Links[l])
	}
	_, failure = call[*changeResult](t, a, "change", changeParams{text, []WhatIfChange{{Kind: "speed", Subject: "nothing", Factor: 2}}})
	require.Equal(t, Invalid, failure.Code)
}

// With each offered remedy the instance has a plan.
func TestRemedies(t *testing.T) {
	t.Parallel()
	a, text := New(nil), example(t, "infeasible")
	r, failure := call[*remediesResult](t, a, "remedies", textParams{text})
	require.Nil(t, failure)
	require.NotEmpty(t, r.Remedies)
	for _, remedy := range r.Remedies {
		plan := quick(t, a, string(remedy.Spec))
		require.NotNil(t, plan.Schedule, remedy.Text)
	}
	r, failure = call[*remediesResult](t, a, "remedies", textParams{example(t, "quickstart")})
	require.Nil(t, failure)
	require.Empty(t, r.Remedies)
}

func TestFileNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"rack": "rack", "my rack (v2)": "my-rack-v2", "-rf": "rf", "../x": "x", "": "scenario", "日本": "scenario",
		"$(reboot)": "reboot", strings.Repeat("n", 500): strings.Repeat("n", maxFileName), "a.b": "a-b", strings.Repeat("n", maxFileName-1) + " n": strings.Repeat("n", maxFileName-1),
	} {
		require.Equal(t, want, fileName(name))
	}
}

// A schedule changed by hand is checked by the rules, whatever the order of its rows.
func TestJudge(t *testing.T) {
	t.Parallel()
	a, text := New(nil), example(t, "quickstart")
	p := quick(t, a, text)
	r, failure := call[*judgeResult](t, a, "judge", judgeParams{text, p.Schedule})
	require.Nil(t, failure)
	require.Empty(t, r.Violations)
	require.Equal(t, p.Primal, r.Value)
	last := len(p.Schedule.Tasks.Start) - 1
	p.Schedule.Tasks.Start[last]--
	p.Schedule.Tasks.End[last]--
	r, failure = call[*judgeResult](t, a, "judge", judgeParams{text, p.Schedule})
	require.Nil(t, failure)
	require.NotEmpty(t, r.Violations)
	require.Nil(t, r.Value)
	p.Schedule.Tasks.Start[last] = 0.5
	_, failure = call[*judgeResult](t, a, "judge", judgeParams{text, p.Schedule})
	require.Contains(t, failure.Message, "not a time in ticks")
	_, failure = call[*judgeResult](t, a, "judge", judgeParams{Text: text})
	require.Contains(t, failure.Message, "needs a schedule")
}

// The page gets the command line's results, the progress, and what was done before it cancelled.
func TestResilience(t *testing.T) {
	t.Parallel()
	a := New(nil)
	var done []Progress
	text := example(t, "quickstart")
	r, failure := watch[*ResilienceAnswer](t, context.Background(), a, "resilience", resilienceParams{text, 0}, func(e Event) { done = append(done, *e.Progress) })
	require.Nil(t, failure)
	require.Equal(t, 8, r.Cases)
	require.Len(t, r.Harm, 8)
	require.False(t, r.Interrupted)
	require.NotEmpty(t, done)
	require.Equal(t, done[len(done)-1].Of, done[len(done)-1].Done)
	require.Equal(t, 8, strings.Count(r.Picture, `data-link="`)+strings.Count(r.Picture, `data-node="`))

	ctx, cancel := context.WithCancel(context.Background())
	r, failure = watch[*ResilienceAnswer](t, ctx, a, "resilience", resilienceParams{example(t, "rack"), 0}, func(Event) { cancel() })
	require.Nil(t, failure)
	require.True(t, r.Interrupted)
	require.Equal(t, 32, r.Cases)
	require.NotEmpty(t, r.Harm)

	r, failure = call[*ResilienceAnswer](t, a, "resilience", resilienceParams{example(t, "infeasible"), 0})
	require.Nil(t, failure)
	require.Nil(t, r.Plan)
	require.Empty(t, r.Harm)
	_, failure = call[*ResilienceAnswer](t, a, "resilience", resilienceParams{example(t, "periodic"), 0})
	require.NotNil(t, failure)
	require.Contains(t, failure.Message, "plans that run once")
}

// Burst-parallel jobs have a method of their own, which makes the facade's plan; other methods refer to it.
func TestPlanBursts(t *testing.T) {
	t.Parallel()
	a, text := New(nil), example(t, "burst")
	c, failure := call[*compileResult](t, NewFirst(), "compile", textParams{text})
	require.Nil(t, failure)
	require.Nil(t, c.Instance)
	require.Empty(t, c.Problems)
	require.Equal(t, "plan_bursts", c.Special)
	_, failure = call[*PlanResult](t, a, "plan", PlanOptions{Text: text})
	require.Contains(t, failure.Message, "planned by plan_bursts")

	r, failure := call[*BurstAnswer](t, a, "plan_bursts", textParams{text})
	require.Nil(t, failure)
	require.Len(t, r.Jobs, 2)
	require.Len(t, r.Background, 14)
	require.LessOrEqual(t, r.Rate, r.Bound)
	require.Contains(t, r.Jobs[0].Picture, "<svg")
	_, failure = call[*BurstAnswer](t, a, "plan_bursts", textParams{strings.Replace(text, "gpus: 8, amplification", "gpus: 64, amplification", 1)})
	require.NotNil(t, failure)
	require.NotZero(t, failure.Problems[0].Line)
	_, failure = call[*BurstAnswer](t, a, "plan_bursts", textParams{example(t, "quickstart")})
	require.Contains(t, failure.Message, "no burst-parallel jobs")
}

// The workers of moldable jobs are chosen, and the resulting file is an ordinary instance.
func TestMold(t *testing.T) {
	t.Parallel()
	a := New(nil)
	text := `version: 1
cluster:
  gpu_types: [{name: a100, memory: 40GiB}]
  racks: [{nodes: 1, gpus: 4, gpu: a100, nic: 25Gbit/s, fabric: 400Gbit/s}]
jobs: [{name: vgg, model: vgg16, batch: 64, moldable: [2, 4], iterations: 3}]
`
	c, failure := call[*compileResult](t, a, "compile", textParams{text})
	require.Nil(t, failure)
	require.Equal(t, "mold", c.Special, c.Problems)
	r, failure := call[*MoldAnswer](t, a, "mold", PlanOptions{Text: text, Quick: true})
	require.Nil(t, failure)
	require.Equal(t, []string{"vgg"}, r.Jobs)
	require.Len(t, r.Tried, r.Choices)
	best, worst := r.Tried[0], r.Tried[1]
	require.ElementsMatch(t, []int{2, 4}, append(best.Workers, worst.Workers...))
	require.LessOrEqual(t, *r.Bound, *best.Value)
	require.LessOrEqual(t, *best.Value, *worst.Value)
	c, failure = call[*compileResult](t, a, "compile", textParams{string(r.Spec)})
	require.Nil(t, failure)
	require.Empty(t, c.Problems)
	require.NotNil(t, c.Instance)
}
