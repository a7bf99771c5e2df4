package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
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

// measured is what a log says.
type measured struct {
	mean, makespan float64 // seconds
	stretch        float64 // GPU time that jobs ran, over that of their iterations alone
}

// load reads Muri's trace of the testbed.
func load(data string) (*replay.Workload, *replay.Cluster, error) {
	name := filepath.Join(data, "muri", "cluster_exp", "trace-data", "cluster_trace.csv")
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	t, err := trace.Read(filepath.Base(name), f, trace.Muri)
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
	w, err := trace.Workload(t, table, library, c, 0)
	return w, c, err
}

// testbed compares replays with the logs of Muri's 64 GPUs.
func testbed(ctx context.Context, data string) (string, error) {
	w, c, err := load(data)
	if err != nil {
		return "", err
	}
	names := make([]string, len(schedulers))
	for k, s := range schedulers {
		names[k] = s.policy
	}
	report, err := compare(ctx, w, c, names, true)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| scheduler | policy | mean completion, measured | simulated | error | makespan, measured | simulated | error | run time over alone, measured | simulated |\n")
	b.WriteString("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for k, s := range schedulers {
		m, err := readLog(filepath.Join(data, "muri", "cluster_exp", "results", s.log, "job.csv"), w)
		if err != nil {
			return "", err
		}
		got := report.Policies[k]
		fmt.Fprintf(&b, "| %s | `%s` | %.1f h | %.1f h | %s | %.0f h | %.0f h | %s | %.2f | %.2f |\n", s.log, s.policy,
			m.mean/3600, got.Mean/3600, change(got.Mean, m.mean), m.makespan/3600, got.Makespan/3600, change(got.Makespan, m.makespan),
			m.stretch, stretch(w, func(i int) float64 { return report.Results[k].Served[i] }))
	}
	return b.String(), nil
}

// compare replays, and refuses an answer that was cut.
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

func change(got, want float64) string { return fmt.Sprintf("%+.1f %%", 100*(got/want-1)) }

// stretch adds up the GPU time of the jobs over that of their iterations alone.
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
	var m measured
	for _, row := range rows[1:] {
		number := func(field string) float64 {
			v, parseErr := strconv.ParseFloat(row[column[field]], 64)
			err = errors.Join(err, parseErr)
			return v
		}
		m.mean += number("JCT") / float64(len(rows)-1)
		m.makespan = math.Max(m.makespan, number("end_time"))
		ran[row[column["job_id"]]] = number("real_executed_time")
	}
	if len(ran) != len(w.Jobs) {
		err = errors.Join(err, fmt.Errorf("%s: %d jobs, but %d in the trace", name, len(ran), len(w.Jobs)))
	}
	m.stretch = stretch(w, func(i int) float64 { return ran[w.Jobs[i].ID] })
	return m, err
}
