package main

import (
	"context"
	"fmt"
	"strings"

	"jigsaw"
	"jigsaw/study/replay"
	"jigsaw/study/trace"
)

// seeds replays synthetic traces of several seeds and loads.
func seeds(ctx context.Context, _ string) (string, error) {
	c, err := replay.ParseCluster("4x8")
	if err != nil {
		return "", err
	}
	table, err := trace.BuiltinTable("muri")
	if err != nil {
		return "", err
	}
	library, err := jigsaw.Profiles()
	if err != nil {
		return "", err
	}
	names := []string{"srsf", "muri-s", "jigsaw"}
	var b strings.Builder
	b.WriteString("| load | seed | mean completion, `srsf` | `muri-s` | `jigsaw` | makespan, `srsf` | `muri-s` | `jigsaw` |\n|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, load := range []float64{0.9, 1.2, 1.5} {
		for seed := range uint64(3) {
			t, err := trace.Synthetic(300, load, c, seed)
			if err != nil {
				return "", err
			}
			w, err := trace.Workload(t, table, library, c, trace.Options{Seed: seed})
			if err != nil {
				return "", err
			}
			report, err := compare(ctx, w, c, names, false)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "| %v | %d", load, seed)
			for _, m := range report.Policies {
				fmt.Fprintf(&b, " | %.2f h", m.Mean/3600)
			}
			for _, m := range report.Policies {
				fmt.Fprintf(&b, " | %.0f h", m.Makespan/3600)
			}
			b.WriteString(" |\n")
		}
	}
	return b.String(), nil
}
