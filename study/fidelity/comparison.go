package main

import (
	"context"
	"fmt"
	"strings"

	"jigsaw/study/policy"
	"jigsaw/study/replay"
)

// comparison replays the trace of the testbed under all policies; only jobs that
// move pay for restarts.
func comparison(ctx context.Context, data string) (string, error) {
	w, c, err := load(data)
	if err != nil {
		return "", err
	}
	report, err := compare(ctx, w, c, policy.Names(), false)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| policy | mean completion | median | 99 % | makespan | efficiency | utilisation | mean finish-time ratio | restarts |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, m := range report.Policies {
		fmt.Fprintf(&b, "| `%s` | %.1f h | %.2f h | %.0f h | %.0f h | %.3f | %.3f | %.2f | %d |\n", m.Policy,
			m.Mean/3600, m.P50/3600, m.P99/3600, m.Makespan/3600, m.Efficiency, m.Utilisation, m.MeanFair, m.Restarts)
	}
	bound := func(name string, v replay.Bound) {
		fmt.Fprintf(&b, "| %s | %.1f h | | | %.0f h | | | | |\n", name, v.Mean/3600, v.Makespan/3600)
	}
	bound("bound, GPUs of their own", report.Exclusive)
	bound("bound, all policies", report.Sharing)
	fmt.Fprintf(&b, "\nThe load: %s.\n", report.Load)
	return b.String(), nil
}
