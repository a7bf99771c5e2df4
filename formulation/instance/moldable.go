package instance

import (
	"fmt"
	"slices"
)

// MaxMoldable bounds the numbers of workers that a job may choose from.
const MaxMoldable = 8

// Molds reports whether the spec leaves numbers of workers to the planner.
func (s *Spec) Molds() bool {
	return slices.ContainsFunc(s.Jobs, func(j JobSpec) bool { return !j.Disabled && len(j.Moldable) > 0 })
}

// CheckMoldable says what is wrong with the numbers of workers that are left to the planner.
func (s *Spec) CheckMoldable() error {
	var problems Problems
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Disabled || len(j.Moldable) == 0 {
			continue
		}
		path := fmt.Sprintf("jobs[%d].", i)
		if len(j.Moldable) > MaxMoldable {
			problems.Add(path+"moldable", "%d numbers of workers to choose from; give at most %d", len(j.Moldable), MaxMoldable)
			continue
		}
		if j.Workers != 0 || j.Kind != "" || j.Background {
			problems.Add(path+"moldable", "this stands in place of workers, of a job that is neither of kind: burst nor in the background; leave one out")
		}
		if j.Batch < 1 {
			problems.Add(path+"batch", "a moldable job needs a batch, that of all its workers together")
		}
		for k, workers := range j.Moldable {
			at := fmt.Sprintf("%smoldable[%d]", path, k)
			switch {
			case workers < 1 || workers > MaxGPUs:
				problems.Add(at, "%d workers; a job needs 1 to %d", workers, MaxGPUs)
			case slices.Contains(j.Moldable[:k], workers):
				problems.Add(at, "%d is there twice", workers)
			case j.Batch%workers != 0:
				problems.Add(at, "%d workers cannot share a batch of %d evenly", workers, j.Batch)
			}
		}
	}
	return problems.err()
}

// Mold returns the spec with numbers of workers chosen, by entry of Jobs; others than those of moldable jobs
// are not looked at. A job's batch is dealt out among its workers.
func (s *Spec) Mold(workers []int) *Spec {
	molded := *s
	molded.Jobs = slices.Clone(s.Jobs)
	for i := range molded.Jobs {
		if j := &molded.Jobs[i]; len(j.Moldable) > 0 && !j.Disabled {
			j.Workers, j.Batch, j.Moldable = workers[i], j.Batch/workers[i], nil
		}
	}
	return &molded
}
