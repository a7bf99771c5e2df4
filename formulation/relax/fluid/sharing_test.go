package fluid

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// TestCoResidentSets counts multisets.
func TestCoResidentSets(t *testing.T) {
	job := &instance.Job{On: []*instance.Costs{{Persistent: 4}}}
	sets := func(memory instance.Bytes, size int64, most int, jobs ...int64) [][]int {
		f := &Program{Model: &relax.Model{
			Instance: &instance.Instance{Types: []instance.GPUType{{Memory: memory}}}, GPUs: []int64{1},
		}}
		for range jobs {
			f.Shapes = append(f.Shapes, Shape{Class: &relax.Class{Job: job}})
		}
		return f.coResidentSets(jobs, size, most)
	}
	assert.Equal(t, [][]int{{0}, {0, 0}, {0, 0, 1}, {0, 1}, {1}}, sets(100, 9, 10, 2, 1))
	assert.Equal(t, [][]int{{0}, {0, 0}, {0, 1}, {1}}, sets(8, 9, 10, 2, 1))
	assert.Equal(t, [][]int{{0}, {0, 2}, {2}}, sets(8, 9, 10, 1, 0, 1))
	assert.Len(t, sets(100, 9, 100, 1, 1, 1, 1), 15)
	assert.Len(t, sets(100, 2, 100, 3), 2)
	assert.Nil(t, sets(100, 9, 14, 1, 1, 1, 1))
}
