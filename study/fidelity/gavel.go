package main

import (
	"context"
	"fmt"
	"strings"

	"jigsaw"
	"jigsaw/study/policy"
	"jigsaw/study/policy/reference"
)

// gavel compares objectives with those of Gavel's own code.
func gavel(ctx context.Context, _ string) (string, error) {
	instances, err := reference.Gavel()
	if err != nil {
		return "", err
	}
	engine, err := jigsaw.Solver()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| instance | jobs | max-min, Gavel | here | finish-time fairness, Gavel | here | makespan in s, exact | here |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, in := range instances {
		jobs := make([]policy.Demand, len(in.Jobs))
		for i, j := range in.Jobs {
			jobs[i] = policy.Demand{GPUs: j.GPUs, Weight: j.Weight, Rate: j.Rate, Remaining: j.Remaining, Since: j.Since}
		}
		fmt.Fprintf(&b, "| %s | %d", in.Name, len(jobs))
		for _, of := range []struct {
			objective policy.Objective
			want      float64
			format    string
		}{
			{policy.MaxMin, in.Objectives.MaxMin, " | %.8f"},
			{policy.FinishTime, in.Objectives.FinishTime, " | %.8f"},
			{policy.Makespan, in.Objectives.Makespan, " | %.3f"},
		} {
			a, err := policy.Allocate(ctx, engine, of.objective, in.GPUs, jobs)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, of.format+of.format, of.want, a.Value)
		}
		b.WriteString(" |\n")
	}
	return b.String(), nil
}
