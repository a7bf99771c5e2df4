package instance

import (
	_ "embed"
	"fmt"
	"reflect"
)

var (
	//go:embed instance.schema.json
	instanceSchema []byte
	//go:embed schedule.schema.json
	scheduleSchema []byte
)

// SchemaKinds lists what [Schema] knows.
func SchemaKinds() []string { return []string{"instance", "schedule"} }

// Schema returns the published JSON Schema (draft 2020-12) of instance files
// or of schedules. It is for editors and other programs; [Decode] and
// [DecodeSchedule] do not use it, and are stricter in what only an instance as
// a whole can tell. Of YAML it demands what JSON can say: quotes around names
// that look like numbers.
func Schema(kind string) ([]byte, error) {
	switch kind {
	case "instance":
		return instanceSchema, nil
	case "schedule":
		return scheduleSchema, nil
	}
	return nil, fmt.Errorf("instance: there is no schema of %q; choose one of %v", clip(kind), SchemaKinds())
}

// specSchema is what the schema of instance files says beyond the Go types.
func specSchema(docs map[string]string) SchemaOptions {
	const number = `[0-9]+(\.[0-9]*)?|\.[0-9]+`
	integer := func(least, most int64) map[string]any {
		return map[string]any{"minimum": least, "maximum": most}
	}
	choice := func(values ...string) map[string]any { return map[string]any{"enum": values} }
	name := map[string]any{"minLength": 1, "maxLength": 200}
	return SchemaOptions{
		ID:    "urn:jigsaw:schema:instance:1",
		Title: "JigSaw instance",
		Docs:  docs,
		Types: map[reflect.Type]map[string]any{
			reflect.TypeFor[Bytes](): {"anyOf": []any{
				map[string]any{"type": "integer", "minimum": 0, "maximum": int64(maxQuantity)},
				map[string]any{"type": "string", "pattern": `^\s*(` + number + `)\s*([kMGT]?B|[KMGT]iB)?\s*$`},
			}},
			reflect.TypeFor[BitRate](): {"type": "string", "pattern": `^\s*(` + number + `)\s*[kMGT]?(bit|B)/s\s*$`},
			reflect.TypeFor[Duration](): {"anyOf": []any{
				map[string]any{"const": 0},
				map[string]any{"type": "string", "pattern": `^\s*\+?(0|((` + number + `)(ns|us|µs|μs|ms|s|m|h))+)\s*$`},
			}},
			reflect.TypeFor[Ratio](): {"anyOf": []any{
				map[string]any{"type": "number", "minimum": 0},
				map[string]any{"type": "string", "pattern": `^\s*(` + number + `)\s*%?\s*$`},
			}},
			reflect.TypeFor[RateLevel](): {"anyOf": []any{
				map[string]any{"type": "number", "exclusiveMinimum": 0, "maximum": 1},
				map[string]any{"type": "string", "pattern": `^\s*(` + number + `|[1-9][0-9]*/[1-9][0-9]*)\s*$`},
			}},
			reflect.TypeFor[Objective](): {"type": "string", "enum": Objectives()},
		},
		Fields: map[string]map[string]any{
			"Spec.Version":         {"const": Version},
			"Spec.TickUS":          integer(0, maxTickUS),
			"Spec.Jobs":            {"minItems": 1},
			"ClusterSpec.GPUTypes": {"minItems": 1},
			"GPUTypeSpec.Name":     name,
			"ProfiledAs.GPU":       name,
			"RackSpec.Count":       integer(0, maxNodes),
			"RackSpec.Nodes":       integer(1, maxNodes),
			"RackSpec.GPUs":        integer(1, 1024),
			"RackSpec.GPU":         name,
			"SwitchSpec.Name":      name,
			"NodeSpec.Name":        name,
			"NodeSpec.Switch":      name,
			"NodeSpec.GPUs":        integer(1, 1024),
			"NodeSpec.GPU":         name,
			"LinkSpec.From":        name,
			"LinkSpec.To":          name,
			"JobSpec.Name":         name,
			"JobSpec.Count":        integer(0, maxJobs),
			"JobSpec.Batch":        {"minimum": 0},
			"JobSpec.Workers":      integer(1, maxGPUs),
			"JobSpec.Iterations":   integer(0, maxIterations),
			"JobSpec.Weight":       integer(0, maxWeight),
			"JobSpec.Optimizer":    choice("sgd", "momentum", "adam"),
			"PlacementSpec.Within": choice("node", "rack", "cluster"),
			"SPBSpec.Rule":         choice("full", "ladder", "free"),
			"SPBSpec.MinFull":      {"minimum": 0},
			"SPBSpec.Measure":      choice("backward_time", "layers"),
			"SPBSpec.Cuts":         integer(0, maxDepths),
			"SPBSpec.Depths":       {"maxItems": maxDepths},
			"Profile.Model":        name,
			"Profile.GPU":          name,
			"Profile.Batch":        {"minimum": 1},
			"Profile.Layers":       {"minItems": 1},
		},
	}
}

// scheduleFileSchema is what the schema of schedules says beyond the Go types.
func scheduleFileSchema(docs map[string]string) SchemaOptions {
	time := map[string]any{"minimum": 0, "maximum": maxTime}
	iteration := map[string]any{"minimum": 1, "maximum": maxIterations}
	return SchemaOptions{
		ID:    "urn:jigsaw:schema:schedule:1",
		Title: "JigSaw schedule",
		Docs:  docs,
		Types: map[reflect.Type]map[string]any{
			reflect.TypeFor[GPUID](): {"type": "integer", "minimum": 0},
		},
		Fields: map[string]map[string]any{
			"ScheduleJSON.Period": {"minimum": 1, "maximum": maxTime},
			"TaskJSON.Iteration":  iteration,
			"TaskJSON.Depth":      {"minimum": 1},
			"TaskJSON.Start":      time,
			"TaskJSON.End":        time,
			"SyncJSON.Iteration":  iteration,
			"SyncJSON.Start":      time,
			"SyncJSON.End":        time,
			"SyncJSON.Rate":       {"exclusiveMinimum": 0, "maximum": 1},
		},
	}
}
