package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"jigsaw"
	"jigsaw/study/policy"
	"jigsaw/study/replay"
	"jigsaw/study/trace"
)

// schedulers of Muri's testbed: the folder of its log, and our policy.
var schedulers = []struct{ log, policy string }{
	{"SRTF", "srtf"}, {"SRSF", "srsf"}, {"tiresias", "las"}, {"themis", "gavel-ftf"}, {"Muri-S", "muri-s"}, {"Muri-L", "muri-l"},
}

// round of the testbed in seconds.
const round = 360

// measured holds the figures of a log.
type measured struct {
	mean, makespan float64            // seconds
	stretch        float64            // GPU time that jobs ran, relative to that of their iterations alone
	starts         int                // of jobs
	completion     map[string]float64 // by job, in seconds
}

// load reads Muri's trace of the testbed.
func load(data string) (*replay.Workload, *replay.Cluster, error) {
	name := filepath.Join(data, "muri", "cluster_exp", "trace-data", "cluster_trace.csv")
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	t, err := trace.Read(name, f, trace.Muri)
	if err != nil {
		return nil, nil, err
	}
	c, err := replay.ParseCluster("8x8")
	if err != nil {
		return nil, nil, err
	}
	table, err := trace.BuiltinTable("muri")
	if err != nil {
		return nil, nil, err
	}
	library, err := jigsaw.Profiles()
	if err != nil {
		return nil, nil, err
	}
	w, err := trace.Workload(t, table, library, c, trace.Options{})
	return w, c, err
}

// row is a scheduler of the testbed, as measured and as simulated.
type row struct {
	log, policy string
	measured
	simulated replay.Metrics
	result    *replay.Result
}

// rows replays the testbed's trace under its schedulers.
func rows(ctx context.Context, data string) ([]row, *replay.Workload, error) {
	w, c, err := load(data)
	if err != nil {
		return nil, nil, err
	}
	names := make([]string, len(schedulers))
	for k, s := range schedulers {
		names[k] = s.policy
	}
	report, err := compare(ctx, w, c, names, true)
	if err != nil {
		return nil, nil, err
	}
	all := make([]row, len(schedulers))
	for k, s := range schedulers {
		m, err := readLog(filepath.Join(data, "muri", "cluster_exp", "results", s.log, "job.csv"), w)
		if err != nil {
			return nil, nil, err
		}
		all[k] = row{s.log, s.policy, m, report.Policies[k], report.Results[k]}
	}
	return all, w, nil
}

// testbed compares replays with the logs of Muri's 64 GPUs.
func testbed(ctx context.Context, data string) (string, error) {
	all, w, err := rows(ctx, data)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| scheduler | policy | mean completion, measured | simulated | error | makespan, measured | simulated | error | a job's completion, median error | run time over alone, measured | simulated | starts, measured | simulated |\n")
	b.WriteString("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, r := range all {
		got := r.simulated
		fmt.Fprintf(&b, "| %s | `%s` | %.1f h | %.1f h | %s | %.0f h | %.0f h | %s | %.1f %% | %.2f | %.2f | %d | %d |\n", r.log, r.policy,
			r.mean/3600, got.Mean/3600, change(got.Mean, r.mean), r.makespan/3600, got.Makespan/3600, change(got.Makespan, r.makespan),
			100*medianError(w, r.result, r.measured),
			r.stretch, stretch(w, func(i int) float64 { return r.result.Served[i] }), r.starts, got.Restarts+got.Ended)
	}
	return b.String(), nil
}

// compare compares replays, and rejects a result that was cut.
func compare(ctx context.Context, w *replay.Workload, c *replay.Cluster, names []string, restartAll bool) (*replay.Report, error) {
	engine, err := jigsaw.Solver()
	if err != nil {
		return nil, err
	}
	report, err := policy.Compare(ctx, w, names, policy.Options{Solver: engine}, replay.Config{Cluster: c, Round: round, RestartAll: restartAll})
	if err == nil && ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	return report, err
}

// change is the relative difference of a figure from the measured one.
func change(got, want float64) string {
	percent := math.Round(1000*(got/want-1)) / 10
	return fmt.Sprintf("%+.1f %%", percent+0) // + 0 turns -0 into 0
}

// medianError is the median error of a job's completion time.
func medianError(w *replay.Workload, r *replay.Result, m measured) float64 {
	errs := make([]float64, len(w.Jobs))
	for i, j := range w.Jobs {
		errs[i] = math.Abs((r.Finish[i]-j.Arrival)/m.completion[j.ID] - 1)
	}
	slices.Sort(errs)
	return errs[len(errs)/2]
}

// stretch is the total GPU time of the jobs relative to that of their
// iterations alone.
func stretch(w *replay.Workload, ran func(i int) float64) float64 {
	sum, alone := 0.0, 0.0
	for i := range w.Jobs {
		gpus := float64(w.ClassOf(i).GPUs)
		sum += ran(i) * gpus
		alone += w.Alone(i) * gpus
	}
	return sum / alone
}

// readLog reads a log of Muri's testbed.
func readLog(name string, w *replay.Workload) (measured, error) {
	f, err := os.Open(name)
	if err != nil {
		return measured{}, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return measured{}, err
	}
	column := map[string]int{}
	for k, v := range rows[0] {
		column[v] = k
	}
	ran := map[string]float64{}
	m := measured{completion: map[string]float64{}}
	for _, row := range rows[1:] {
		number := func(field string) float64 {
			v, parseErr := strconv.ParseFloat(row[column[field]], 64)
			err = errors.Join(err, parseErr)
			return v
		}
		id, took := row[column["job_id"]], number("JCT")
		m.completion[id] = took
		m.mean += took / float64(len(rows)-1)
		m.starts += int(number("job_counter"))
		m.makespan = math.Max(m.makespan, number("end_time"))
		ran[id] = number("real_executed_time")
	}
	if len(ran) != len(w.Jobs) {
		err = errors.Join(err, fmt.Errorf("%s: %d jobs, but %d in the trace", name, len(ran), len(w.Jobs)))
	}
	m.stretch = stretch(w, func(i int) float64 { return ran[w.Jobs[i].ID] })
	return m, err
}
