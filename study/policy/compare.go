package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"jigsaw/study/replay"
)

// Compare replays a workload under the named policies, one after the other. If
// ctx ends, the report contains what is known so far.
func Compare(ctx context.Context, w *replay.Workload, names []string, o Options, config replay.Config) (*replay.Report, error) {
	// A wrong name is found before hours are spent on the others.
	for _, name := range names {
		if _, err := New(ctx, name, o); err != nil {
			return nil, err
		}
	}
	r := &replay.Report{
		SchemaVersion: replay.ReportVersion, Trace: w.Name, Cluster: config.Cluster.String(), GPUs: config.Cluster.Total(),
		Jobs: len(w.Jobs), Round: config.Round, Seed: o.Seed, Load: replay.LoadOf(w, config.Cluster),
		Policies: []replay.Metrics{}, Notes: []string{}, LeftOut: append([]replay.LeftOut{}, w.LeftOut...),
	}
	r.Exclusive, r.Sharing = replay.Bounds(w, config.Cluster, Work)
	r.Notes = append(r.Notes, r.Load.String())
	if len(w.LeftOut) > 0 {
		r.Notes = append(r.Notes, w.LeftOutText())
	}
	for k, name := range names {
		if ctx.Err() != nil {
			r.Notes = append(r.Notes, "interrupted: "+strings.Join(names[k:], ", ")+" did not run")
			break
		}
		p, err := New(ctx, name, o)
		if err != nil {
			return nil, err
		}
		result, err := replay.Run(ctx, w, p, config)
		if err != nil {
			return nil, err
		}
		if failed, ok := p.(interface{ Err() error }); ok && failed.Err() != nil {
			return nil, fmt.Errorf("policy: %s: %w", name, failed.Err())
		}
		m := result.Metrics()
		if m.Cut {
			r.Notes = append(r.Notes, fmt.Sprintf("interrupted: %s is cut at %.6g h of the trace, when %d of %d jobs had ended; its figures are of these alone, and cannot be compared",
				name, result.End/3600, m.Ended, m.Jobs))
		}
		r.Policies, r.Results = append(r.Policies, m), append(r.Results, result)
	}
	if slices.ContainsFunc(r.Policies, func(m replay.Metrics) bool { return m.Shares }) && len(w.Interference) > 1 {
		r.Notes = append(r.Notes, "iterations of jobs that share GPUs are lengthened by interference, as the model table says: "+interference(w))
	}
	return r, nil
}

// interference says how much jobs that share are slowed down.
func interference(w *replay.Workload) string {
	var parts []string
	for k, f := range w.Interference[1:] {
		parts = append(parts, fmt.Sprintf("%d jobs %.3g times", k+2, f))
	}
	return strings.Join(parts, ", ")
}
