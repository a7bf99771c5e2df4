package instance

import (
	"errors"
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
			problems.Add(path+"moldable", "this replaces workers, and is not for jobs with kind: burst or background: true; leave one out")
		}
		if j.Batch < 1 {
			problems.Add(path+"batch", "a moldable job needs a batch: the samples of all its workers together")
		}
		for k, workers := range j.Moldable {
			at := fmt.Sprintf("%smoldable[%d]", path, k)
			switch {
			case workers < 1 || workers > MaxGPUs:
				problems.Add(at, "%d workers; a job needs 1 to %d", workers, MaxGPUs)
			case slices.Contains(j.Moldable[:k], workers):
				problems.Add(at, "%d is given twice", workers)
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

// Molds are a compiled [Spec] with moldable jobs: each job alone on the cluster, with each of its numbers of workers.
type Molds struct {
	Jobs []Mold
}

// Mold is an entry of the jobs.
type Mold struct {
	Entry int // of the spec's jobs
	// Workers that it may have, 0 where there is no choice, and the job alone with so many, [Instance.Roomy].
	Workers []int
	Alone   []*Instance
}

// CompileMolds compiles every job with each of its numbers of workers. Numbers with which a job does not compile are left out; where
// none is left the problems are those of the last one.
func CompileMolds(spec *Spec, library ProfileSource) (*Molds, error) {
	if err := spec.CheckMoldable(); err != nil {
		return nil, err
	}
	if spec.Objective != "" && spec.Objective != Makespan {
		return nil, Problems{{Path: "objective", Message: fmt.Sprintf("numbers of workers are chosen for makespan, not %s", spec.Objective)}}
	}
	m := &Molds{}
	var refused Problems
	for i := range spec.Jobs {
		if spec.Jobs[i].Disabled {
			continue
		}
		alone := *spec
		alone.Jobs = slices.Clone(spec.Jobs)
		for other := range alone.Jobs {
			alone.Jobs[other].Disabled = other != i
		}
		job, numbers, workers := Mold{Entry: i}, spec.Jobs[i].Moldable, make([]int, len(spec.Jobs))
		if len(numbers) == 0 {
			numbers = []int{0}
		}
		for k, n := range numbers {
			workers[i] = n
			in, err := Compile(alone.Mold(workers), library)
			var problems Problems
			switch {
			case err == nil:
				job.Workers, job.Alone = append(job.Workers, n), append(job.Alone, in.Roomy())
			case !errors.As(err, &problems):
				return nil, err
			case len(job.Alone) == 0 && k == len(numbers)-1:
				refused = append(refused, problems...)
			}
		}
		m.Jobs = append(m.Jobs, job)
	}
	if err := refused.err(); err != nil {
		return nil, err
	}
	return m, nil
}
