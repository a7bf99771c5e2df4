package codec

import (
	_ "embed"
	"fmt"

	"jigsaw/formulation/instance"
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
	return nil, fmt.Errorf("instance: there is no schema of %q; choose one of %v", instance.Clip(kind), SchemaKinds())
}
