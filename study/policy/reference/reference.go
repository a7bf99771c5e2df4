// Package reference holds results of other projects' own policies, to compare this
// project's policies with; gavel.json gives their sources.
package reference

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// Instance is an allocation problem and the objective values of Gavel's policies.
type Instance struct {
	Name string
	// GPUs of each type.
	GPUs       []int
	Objectives struct {
		MaxMin float64 `json:"max_min"`
		// MaxMinTypesAlike is max-min under a policy that treats all types as one.
		MaxMinTypesAlike float64 `json:"max_min_types_alike"`
		FinishTime       float64 `json:"finish_time"`
		// Makespan of the exact linear program, in seconds; Gavel's own answer is
		// MakespanBisected, which stops within 5 %.
		Makespan         float64
		MakespanBisected float64 `json:"makespan_bisected"`
	}
	Jobs []Job
}

// Job is one job of an Instance.
type Job struct {
	GPUs   int
	Weight float64
	// Remaining iterations.
	Remaining float64
	// Since the job arrived, in seconds.
	Since float64
	// Rate by type, in iterations per second; 0 if it cannot run there.
	Rate []float64
}

//go:embed gavel.json
var gavel []byte

// Gavel returns the instances of Gavel's policies.
func Gavel() ([]Instance, error) {
	var file struct{ Instances []Instance }
	if err := json.Unmarshal(gavel, &file); err != nil {
		return nil, fmt.Errorf("reference: gavel.json: %w", err)
	}
	return file.Instances, nil
}
