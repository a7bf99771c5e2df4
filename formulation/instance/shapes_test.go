package instance

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestShapes: jobs of one shape may take each other's schedules, so whatever a schedule of an iteration depends on tells shapes apart.
func TestShapes(t *testing.T) {
	spec := twoNodes(JobSpec{Name: "a", Model: "four", Workers: 2, Iterations: 10})
	base := spec.Jobs[0]
	for _, c := range []struct {
		name   string
		alike  bool
		change func(j *JobSpec)
	}{
		{"name", true, func(*JobSpec) {}},
		{"iterations", true, func(j *JobSpec) { j.Iterations = 20 }},
		{"weight", true, func(j *JobSpec) { j.Weight = 3 }},
		{"release", true, func(j *JobSpec) { j.Release = 5e9 }},
		{"deadline", true, func(j *JobSpec) { j.Deadline = 5e12 }},
		{"gang", false, func(j *JobSpec) { j.Gang = true }},
		{"within", false, func(j *JobSpec) { j.Placement.Within = "node" }},
		{"rule", false, func(j *JobSpec) { j.SPB = SPBSpec{Rule: "full"} }},
		{"workers", false, func(j *JobSpec) { j.Workers = 4 }},
		{"optimizer", false, func(j *JobSpec) { j.Optimizer = "adam" }},
	} {
		other := base
		other.Name = "b"
		c.change(&other)
		spec.Jobs = []JobSpec{base, other}
		in, err := Compile(spec, nil)
		require.NoError(t, err, c.name)
		shapes := in.Shapes()
		assert.Equal(t, c.alike, shapes[0] == shapes[1], c.name)
	}
}
