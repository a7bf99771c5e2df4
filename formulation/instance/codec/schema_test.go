package codec

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/schemagen"
)

// TestPublishedSchemas keeps the published files equal to what the types say.
func TestPublishedSchemas(t *testing.T) {
	docs, err := schemagen.Docs(os.DirFS(".."))
	require.NoError(t, err)
	here, err := schemagen.Docs(os.DirFS("."))
	require.NoError(t, err)
	maps.Copy(docs, here)
	spec, err := schemagen.Generate(instance.Spec{}, specSchema(docs))
	require.NoError(t, err)
	golden(t, "instance.schema.json", spec)
	schedule, err := schemagen.Generate(&ScheduleJSON{}, scheduleFileSchema(docs))
	require.NoError(t, err)
	golden(t, "schedule.schema.json", schedule)
}

func TestSchema(t *testing.T) {
	for _, kind := range SchemaKinds() {
		schema, err := Schema(kind)
		require.NoError(t, err)
		assert.True(t, json.Valid(schema))
	}
	_, err := Schema("plan")
	assert.EqualError(t, err, `instance: there is no schema of "plan"; choose one of [instance schedule]`)
}

// TestTagsAgree holds both sets of tags to one name and one idea of what is
// required: the decoder goes by the tags for YAML, the schema by those for JSON.
func TestTagsAgree(t *testing.T) {
	var check func(reflect.Type)
	check = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice:
			check(typ.Elem())
		case reflect.Struct:
			for _, f := range fieldsOf(typ) {
				name, flags, _ := strings.Cut(typ.Field(f.index).Tag.Get("json"), ",")
				assert.Equal(t, f.name, name)
				assert.Equal(t, f.required, !strings.Contains(flags, "omit"), "%v.%s", typ, name)
				check(typ.Field(f.index).Type)
			}
		}
	}
	check(reflect.TypeFor[instance.Spec]())
}

// validator is the independent reader of a published schema.
func validator(t require.TestingT, kind string) func(file []byte) error {
	schema, err := Schema(kind)
	require.NoError(t, err)
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("schema.json", parsed))
	compiled, err := c.Compile("schema.json")
	require.NoError(t, err)
	return func(file []byte) error {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(file))
		if err != nil {
			return err
		}
		return compiled.Validate(v)
	}
}

// validSpec is a file with every field, to break in one place at a time.
const validSpec = `{
  "version": 1, "name": "n", "lesson": "l", "tick_us": 1000, "objective": "makespan", "cluster": {
    "gpu_types": [{"name": "v100", "memory": "16GiB"}, {"name": "a100", "memory": 40000000000, "profiled_as": [{"gpu": "v100", "speed": 2.5}]}],
    "racks": [{"count": 2, "nodes": 2, "gpus": 4, "gpu": "v100", "nic": "10Gbit/s", "fabric": "1.2 TB/s", "oversubscription": "150%"}],
    "failed_links": ["r0.up"], "latency": "10us", "rate_levels": [1, 0.5, "1/3"]
  },
  "profiles": [{"model": "m", "gpu": "v100", "batch": 32, "workspace": "1MB", "gpus": 2, "precision": "bf16", "estimated": "e",
    "source": {"repository": "r", "commit": "c", "file": "f", "licence": "MIT", "note": "n"},
    "layers": [{"name": "a", "forward": "1ms", "backward": "1.5ms", "parameters": "1MiB", "activations": 10, "input": "2kB", "workspace": 7, "joined": true}, {"name": "b", "forward": 0, "backward": "1h2m3.5s"}]}],
  "jobs": [{"name": "j", "count": 2, "model": "m", "batch": 32, "workers": 2, "gpus_per_worker": 2, "iterations": 3, "weight": 4, "release": "5s", "deadline": "6h",
    "optimizer": "adam", "accumulate": 4, "checkpointing": true, "sharding": "zero3", "gang": true, "placement": {"gpu_types": ["v100"], "within": "rack"},
    "spb": {"rule": "free", "min_full": 1, "min_mean_depth": "75%", "measure": "layers", "depths": [1, 2]}}]
}`

func TestSchemaAgreesWithDecode(t *testing.T) {
	validate := validator(t, "instance")
	require.NoError(t, validate([]byte(validSpec)))
	d, err := Decode([]byte(validSpec))
	require.NoError(t, err)
	_, err = d.Compile(nil)
	require.NoError(t, err)

	// Each breaks the valid file in one place.
	breaks := [][2]string{
		{`"version": 1,`, ``}, {`"version": 1`, `"version": 2`}, {`"version": 1`, `"version": "1"`}, {`"version": 1`, `"version": null`},
		{`"name": "n"`, `"nome": "n"`}, {`"name": "n"`, `"name": 3`}, {`"name": "n"`, `"name": true`}, {`"tick_us": 1000`, `"tick_us": 0.5`},
		{`"tick_us": 1000`, `"tick_us": -1`}, {`"tick_us": 1000`, `"tick_us": 60000001`}, {`"makespan"`, `"fast"`}, {`"makespan"`, `["makespan"]`},
		{`"memory": "16GiB"`, `"memory": "16 gigs"`}, {`"memory": "16GiB"`, `"memory": -1`}, {`, "memory": "16GiB"`, ``},
		{`"speed": 2.5`, `"speed": -2.5`}, {`"speed": 2.5`, `"speed": "fast"`}, {`"speed": 2.5`, `"speed": [1]`},
		{`"nodes": 2`, `"nodes": 0`}, {`"nodes": 2`, `"nodes": {}`}, {`"gpus": 4`, `"gpus": 1025`}, {`"gpu": "v100", "nic"`, `"gpu": "", "nic"`},
		{`"nic": "10Gbit/s"`, `"nic": 10`}, {`"nic": "10Gbit/s"`, `"nic": "10Gb/s"`}, {`"nic": "10Gbit/s", `, ``}, {`"150%"`, `"-150%"`},
		{`["r0.up"]`, `"r0.up"`}, {`["r0.up"]`, `[1]`}, {`"10us"`, `"10"`}, {`"10us"`, `10`}, {`"10us"`, `"-10us"`}, {`"10us"`, `"10 us"`},
		{`"1/3"`, `"2/3x"`}, {`"1/3"`, `"0/3"`}, {`"1/3"`, `0`}, {`"1/3"`, `2`}, {`"1/3"`, `null`},
		{`"batch": 32, "workspace"`, `"batch": 0, "workspace"`}, {`"licence": "MIT", `, ``}, {`"source": {`, `"source": {"x": 1, `}, {`"joined": true`, `"joined": "yes"`}, {`"joined": true`, `"joined": 1`},
		{`"workspace": 7`, `"workspace": []`}, {`"workspace": 7`, `"workspace": -7`}, {`"forward": "1ms", `, ``}, {`"layers": [`, `"layers": [3, `}, {`"name": "j"`, `"name": ""`}, {`"count": 2, "model"`, `"count": -2, "model"`},
		{`"workers": 2`, `"workers": 0`}, {`"workers": 2`, `"workers": "2"`}, {`"model": "m", `, ``}, {`"weight": 4`, `"weight": -4`}, {`"adam"`, `"lion"`},
		{`"gang": true`, `"gang": "on"`}, {`"within": "rack"`, `"within": "room"`}, {`"rule": "free"`, `"rule": "loose"`}, {`"min_full": 1`, `"min_full": -1`},
		// A zero that would stand for the default.
		{`"tick_us": 1000`, `"tick_us": 0`}, {`"objective": "makespan"`, `"objective": ""`}, {`"speed": 2.5`, `"speed": 0`}, {`"speed": 2.5`, `"speed": "0.0%"`},
		{`"profiled_as": [{"gpu": "v100", "speed": 2.5}]`, `"profiled_as": []`}, {`[1, 0.5, "1/3"]`, `[]`},
		{`"count": 2, "nodes"`, `"count": 0, "nodes"`}, {`"oversubscription": "150%"`, `"oversubscription": 0`}, {`"oversubscription": "150%"`, `"uplink": "0 Gbit/s"`},
		{`"count": 2, "model"`, `"count": 0, "model"`}, {`"batch": 32, "workers"`, `"batch": 0, "workers"`}, {`"iterations": 3`, `"iterations": 0`}, {`"weight": 4`, `"weight": 0`},
		{`"deadline": "6h"`, `"deadline": "0s"`}, {`"deadline": "6h"`, `"deadline": 0`}, {`"adam"`, `""`}, {`"zero3"`, `""`}, {`"zero3"`, `"zero4"`}, {`"accumulate": 4`, `"accumulate": 0`}, {`"gpus_per_worker": 2`, `"gpus_per_worker": 0`}, {`"gpus_per_worker": 2`, `"gpus_per_worker": 2000`}, {`"accumulate": 4`, `"accumulate": 2000`}, {`"bf16"`, `"fp32"`}, {`"gpu_types": ["v100"]`, `"gpu_types": []`}, {`"within": "rack"`, `"within": ""`},
		{`"rule": "free"`, `"rule": ""`}, {`"min_full": 1`, `"min_full": 0`}, {`"measure": "layers"`, `"measure": ""`}, {`"depths": [1, 2]`, `"cuts": 0`}, {`[1, 2]`, `[]`},
		{`"objective": "makespan"`, `"objective": "throughput", "max_period": "0s"`}, {`"75%"`, `"75 percent"`}, {`"measure": "layers"`, `"measure": "time"`}, {`[1, 2]`, `{"1": 2}`}, {`[1, 2]`, `[1, "2"]`}, {`[1, 2]`, `[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]`},
	}
	for _, b := range breaks {
		broken := strings.Replace(validSpec, b[0], b[1], 1)
		require.NotEqual(t, validSpec, broken, b[0])
		t.Run(b[0]+" to "+b[1], func(t *testing.T) {
			d, err := Decode([]byte(broken))
			if err == nil {
				_, err = d.Compile(nil)
			}
			assert.Error(t, err)
			assert.Error(t, validate([]byte(broken)))
		})
	}
}

// TestSchemaTakesWhatIsEncoded checks that no file we write is refused.
func TestSchemaTakesWhatIsEncoded(t *testing.T) {
	instances, schedules := validator(t, "instance"), validator(t, "schedule")
	in := scheduled(t)
	var b bytes.Buffer
	require.NoError(t, EncodeJSON(&b, twoNodes(instance.JobSpec{Name: "a", Model: "four", Workers: 4})))
	require.NoError(t, instances(b.Bytes()))
	rapid.Check(t, func(t *rapid.T) {
		// Quantities of any size; what a spec must say besides them holds.
		size := rapid.Int64Range(0, instance.MaxQuantity)
		spec := twoNodes(instance.JobSpec{Name: "a", Model: "four", Workers: 4, Release: instance.Duration(size.Draw(t, "release")), SPB: instance.SPBSpec{MinMeanDepth: instance.Ratio(size.Draw(t, "mean"))}})
		spec.Cluster.Racks[0].NIC = instance.BitRate(size.Draw(t, "nic"))
		spec.Cluster.GPUTypes[0].Memory = instance.Bytes(size.Draw(t, "memory"))
		spec.Cluster.RateLevels = []instance.RateLevel{instance.RateLevel(rapid.IntRange(1, 5000).Draw(t, "level"))}
		var b bytes.Buffer
		require.NoError(t, EncodeJSON(&b, spec))
		require.NoError(t, instances(b.Bytes()))

		b.Reset()
		require.NoError(t, EncodeSchedule(&b, in, drawSchedule(t, in)))
		require.NoError(t, schedules(b.Bytes()))
	})
}

func TestScheduleSchemaAgreesWithDecode(t *testing.T) {
	in, validate := scheduled(t), validator(t, "schedule")
	const valid = `{"period": 9, "residency": {"a-1": [0, 1, 2, 3]}, "tasks": [{"job": "a-1", "iteration": 1, "gpu": 0, "depth": 1, "start": 0, "end": 6}],
"syncs": [{"job": "a-1", "iteration": 1, "start": 6, "end": 9, "rate": 0.5}]}`
	require.NoError(t, validate([]byte(valid)))
	_, err := DecodeSchedule(in, strings.NewReader(valid))
	require.NoError(t, err)
	for _, b := range [][2]string{
		{`"period": 9`, `"period": 0`}, {`"period": 9`, `"perod": 9`}, {`"period": 9, "residency": {"a-1": [0, 1, 2, 3]}`, `"period": 9`}, {`[0, 1, 2, 3]`, `3`}, {`[0, 1, 2, 3]`, `[-1]`},
		{`"iteration": 1`, `"iteration": 0`}, {`"iteration": 1`, `"iteration": 1.5`}, {`"gpu": 0, `, ``}, {`"depth": 1`, `"depth": 0`}, {`"start": 0`, `"start": -1`},
		{`"end": 6}`, `"end": 6, "x": 1}`}, {`"job": "a-1"`, `"job": 1`}, {`"rate": 0.5`, `"rate": "1/2"`}, {`"rate": 0.5`, `"rate": 0`}, {`"rate": 0.5`, `"rate": 2`},
	} {
		broken := strings.Replace(valid, b[0], b[1], 1)
		require.NotEqual(t, valid, broken)
		_, err := DecodeSchedule(in, strings.NewReader(broken))
		assert.Error(t, err, broken)
		assert.Error(t, validate([]byte(broken)), broken)
	}
}

// TestExamples checks the example files as an editor would, which has YAML's
// own idea of what is a number, and as we do.
func TestExamples(t *testing.T) {
	validate := validator(t, "instance")
	files, err := filepath.Glob("../../../testdata/examples/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		d, err := Decode(file)
		require.NoError(t, err, name)
		requireRoundTrip(t, d.Spec)

		var generic any
		require.NoError(t, yaml.Unmarshal(file, &generic))
		asJSON, err := json.Marshal(generic)
		require.NoError(t, err)
		assert.NoError(t, validate(asJSON), name)
	}
}

// specSchema is what the schema of instance files says beyond the Go types.
func specSchema(docs map[string]string) schemagen.Options {
	const number = `[0-9]+(\.[0-9]*)?|\.[0-9]+`
	integer := func(least, most int64) map[string]any {
		return map[string]any{"minimum": least, "maximum": most}
	}
	choice := func(values ...string) map[string]any { return map[string]any{"enum": values} }
	name := map[string]any{"minLength": 1, "maxLength": 200}
	some := map[string]any{"minItems": 1}
	above0 := map[string]any{"not": map[string]any{"anyOf": []any{
		map[string]any{"const": 0}, map[string]any{"type": "string", "pattern": "^[^1-9]*$"},
	}}}
	return schemagen.Options{
		ID:    "urn:jigsaw:schema:instance:1",
		Title: "JigSaw instance",
		Docs:  docs,
		Types: map[reflect.Type]map[string]any{
			reflect.TypeFor[instance.Bytes](): {"anyOf": []any{
				map[string]any{"type": "integer", "minimum": 0, "maximum": int64(instance.MaxQuantity)},
				map[string]any{"type": "string", "pattern": `^\s*(` + number + `)\s*([kMGT]?B|[KMGT]iB)?\s*$`},
			}},
			reflect.TypeFor[instance.BitRate](): {"type": "string", "pattern": `^\s*(` + number + `)\s*[kMGT]?(bit|B)/s\s*$`},
			reflect.TypeFor[instance.Duration](): {"anyOf": []any{
				map[string]any{"const": 0},
				map[string]any{"type": "string", "pattern": `^\s*\+?(0|((` + number + `)(ns|us|µs|μs|ms|s|m|h))+)\s*$`},
			}},
			reflect.TypeFor[instance.Ratio](): {"anyOf": []any{
				map[string]any{"type": "number", "minimum": 0},
				map[string]any{"type": "string", "pattern": `^\s*(` + number + `)\s*%?\s*$`},
			}},
			reflect.TypeFor[instance.Price](): {"anyOf": []any{
				map[string]any{"type": "number", "minimum": 0},
				map[string]any{"type": "string", "pattern": `^\s*(` + number + `)\s*$`},
			}},
			reflect.TypeFor[instance.RateLevel](): {"anyOf": []any{
				map[string]any{"type": "number", "exclusiveMinimum": 0, "maximum": 1},
				map[string]any{"type": "string", "pattern": `^\s*(` + number + `|[1-9][0-9]*/[1-9][0-9]*)\s*$`},
			}},
			reflect.TypeFor[instance.Residence](): choice(string(instance.WholePlan), string(instance.WhileRunning)),
			reflect.TypeFor[instance.Objective](): {"type": "string", "enum": instance.Objectives()},
		},
		Fields: map[string]map[string]any{
			"Spec.Version":              {"const": instance.Version},
			"Spec.TickUS":               integer(1, instance.MaxTickUS),
			"Spec.MaxPeriod":            above0,
			"ClusterSpec.RateLevels":    some,
			"GPUTypeSpec.ProfiledAs":    some,
			"ProfiledAs.Speed":          above0,
			"RackSpec.Uplink":           above0,
			"RackSpec.Oversubscription": above0,
			"JobSpec.Deadline":          above0,
			"JobSpec.Load":              above0,
			"PlacementSpec.GPUTypes":    some,

			"Spec.Jobs":             {"minItems": 1},
			"ClusterSpec.GPUTypes":  {"minItems": 1},
			"GPUTypeSpec.Name":      name,
			"ProfiledAs.GPU":        name,
			"RackSpec.Count":        integer(1, instance.MaxNodes),
			"RackSpec.Nodes":        integer(1, instance.MaxNodes),
			"RackSpec.GPUs":         integer(1, 1024),
			"RackSpec.GPU":          name,
			"SwitchSpec.Name":       name,
			"NodeSpec.Name":         name,
			"NodeSpec.Switch":       name,
			"NodeSpec.GPUs":         integer(1, 1024),
			"NodeSpec.GPU":          name,
			"LinkSpec.From":         name,
			"LinkSpec.To":           name,
			"JobSpec.Name":          name,
			"JobSpec.Count":         integer(1, instance.MaxJobs),
			"JobSpec.Batch":         {"minimum": 1},
			"JobSpec.Workers":       integer(1, instance.MaxGPUs),
			"JobSpec.Moldable":      {"minItems": 1, "maxItems": instance.MaxMoldable},
			"JobSpec.Kind":          choice(instance.Burst),
			"JobSpec.GPUs":          integer(1, instance.MaxNodeGPUs),
			"JobSpec.Amplification": {"minimum": 1}, "JobSpec.Slowdown": {"minimum": 1}, "JobSpec.Slice": above0,
			"JobSpec.GPUsPerWorker": integer(1, instance.MaxNodeGPUs),
			"JobSpec.Iterations":    integer(1, instance.MaxIterations),
			"JobSpec.Weight":        integer(1, instance.MaxWeight),
			"JobSpec.Optimizer":     choice("sgd", "momentum", "adam"),
			"JobSpec.Accumulate":    integer(1, instance.MaxAccumulate),
			"JobSpec.Sharding":      choice("zero1", "zero2", "zero3"),
			"Profile.Precision":     choice("bf16", "fp16"),
			"PlacementSpec.Within":  choice("node", "rack", "cluster"),
			"SPBSpec.Rule":          choice("full", "ladder", "free"),
			"SPBSpec.MinFull":       {"minimum": 1},
			"SPBSpec.Measure":       choice("backward_time", "layers"),
			"SPBSpec.Cuts":          integer(1, instance.MaxDepths),
			"SPBSpec.Depths":        {"minItems": 1, "maxItems": instance.MaxDepths},
			"Profile.GPUs":          integer(1, instance.MaxNodeGPUs),
			"Profile.Model":         name,
			"Profile.GPU":           name,
			"Profile.Batch":         {"minimum": 1},
			"Profile.Layers":        {"minItems": 1},
		},
	}
}

// scheduleFileSchema is what the schema of schedules says beyond the Go types.
func scheduleFileSchema(docs map[string]string) schemagen.Options {
	time := map[string]any{"minimum": 0, "maximum": instance.MaxTime}
	iteration := map[string]any{"minimum": 1, "maximum": instance.MaxIterations}
	rate := map[string]any{"exclusiveMinimum": 0, "maximum": 1}
	listOf := func(kind string, limits map[string]any) map[string]any {
		items := maps.Clone(limits)
		items["type"] = kind
		return map[string]any{"items": items}
	}
	return schemagen.Options{
		ID:    "urn:jigsaw:schema:schedule:1",
		Title: "JigSaw schedule",
		Docs:  docs,
		Types: map[reflect.Type]map[string]any{
			reflect.TypeFor[instance.GPUID](): {"type": "integer", "minimum": 0},
		},
		Fields: map[string]map[string]any{
			"ScheduleJSON.Period":   {"minimum": 1, "maximum": instance.MaxTime},
			"BlockJSON.Start":       time,
			"BlockJSON.Period":      {"minimum": 1, "maximum": instance.MaxTime},
			"BlockJSON.Repeats":     iteration,
			"JobPatternJSON.Starts": listOf("integer", time), "JobPatternJSON.Syncs": listOf("integer", time), "JobPatternJSON.SyncTimes": listOf("integer", time),
			"JobPatternJSON.Depths": listOf("integer", map[string]any{"minimum": 1}),
			"JobPatternJSON.Rates":  listOf("number", rate),
			"TaskJSON.Iteration":    iteration,
			"TaskJSON.Depth":        {"minimum": 1},
			"TaskJSON.Start":        time,
			"TaskJSON.End":          time,
			"SyncJSON.Iteration":    iteration,
			"SyncJSON.Start":        time,
			"SyncJSON.End":          time,
			"SyncJSON.Rate":         rate,
		},
	}
}
