package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"jigsaw"
	"jigsaw/study/policy"
)

// reference is what running Gavel's own policies gave.
type reference struct {
	Instances []struct {
		Name       string
		NumWorkers []int `json:"num_workers"`
		Jobs       []struct {
			GPUs       int     `json:"scale_factor"`
			Weight     float64 `json:"priority_weight"`
			Remaining  float64 `json:"steps_remaining"`
			Since      float64 `json:"time_since_start"`
			Throughput []float64
		}
		Policies map[string]struct {
			Objective     float64
			ExactMakespan float64 `json:"exact_lp_makespan"`
		}
	}
}

// gavel compares objectives with those of Gavel's own code.
func gavel(ctx context.Context, data string) (string, error) {
	f, err := os.Open(filepath.Join(data, "gavel", "reference", "gavel_policy_reference.json"))
	if err != nil {
		return "", err
	}
	defer f.Close()
	var ref reference
	if err := json.NewDecoder(f).Decode(&ref); err != nil {
		return "", err
	}
	engine, err := jigsaw.Solver()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| instance | jobs | max-min, Gavel | here | finish-time fairness, Gavel | here | makespan in s, exact | here |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, in := range ref.Instances {
		jobs := make([]policy.Demand, len(in.Jobs))
		for i, j := range in.Jobs {
			jobs[i] = policy.Demand{GPUs: j.GPUs, Weight: j.Weight, Rate: j.Throughput, Remaining: j.Remaining, Since: j.Since}
		}
		fmt.Fprintf(&b, "| %s | %d", in.Name, len(jobs))
		for _, of := range []struct {
			objective policy.Objective
			want      float64
			format    string
		}{
			{policy.MaxMin, in.Policies["max_min_fairness_perf"].Objective, " | %.8f"},
			{policy.FinishTime, in.Policies["finish_time_fairness_perf"].Objective, " | %.8f"},
			{policy.Makespan, in.Policies["min_total_duration_perf"].ExactMakespan, " | %.3f"},
		} {
			a, err := policy.Allocate(ctx, engine, of.objective, in.NumWorkers, jobs)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, of.format+of.format, of.want, a.Value)
		}
		b.WriteString(" |\n")
	}
	return b.String(), nil
}
