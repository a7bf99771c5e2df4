package replay

import (
	"encoding/csv"
	"io"
	"strconv"
)

// ReportVersion is the version of [Report].
const ReportVersion = 1

// Report is a trace under several policies, in printed form.
type Report struct {
	SchemaVersion int    `json:"schema_version"`
	Trace         string `json:"trace"`
	Format        string `json:"format"`
	Cluster       string `json:"cluster"`
	GPUs          int    `json:"gpus"`
	Jobs          int    `json:"jobs"`
	// LeftOut are jobs of the trace that were not replayed.
	LeftOut []LeftOut `json:"left_out"`
	Round   float64   `json:"round_s"`
	Seed    uint64    `json:"seed"`
	Load    Load      `json:"load"`
	// Exclusive bounds policies that give every job GPUs of its own, Sharing all
	// policies.
	Exclusive Bound     `json:"bound_exclusive"`
	Sharing   Bound     `json:"bound_sharing"`
	Policies  []Metrics `json:"policies"`
	Notes     []string  `json:"notes"`
	// Results are the results of the metrics, in the same order.
	Results []*Result `json:"-"`
}

// BoundFor returns the bound that holds for a policy.
func (r *Report) BoundFor(m Metrics) Bound {
	if m.Shares {
		return r.Sharing
	}
	return r.Exclusive
}

// WriteJobs writes a row for every job under every policy, in seconds; what has not
// happened is empty.
func (r *Report) WriteJobs(out io.Writer) error {
	w := csv.NewWriter(out)
	_ = w.Write([]string{"policy", "job", "model", "gpus", "arrival_s", "start_s", "finish_s", "alone_s", "served_s", "finish_time_ratio"})
	number := func(v float64) string {
		if v < 0 {
			return ""
		}
		return strconv.FormatFloat(v, 'g', 12, 64)
	}
	for _, result := range r.Results {
		for i, j := range result.workload.Jobs {
			class := result.workload.ClassOf(i)
			_ = w.Write([]string{result.Policy, j.ID, class.Model, strconv.Itoa(class.GPUs), number(j.Arrival),
				number(result.Start[i]), number(result.Finish[i]), number(result.workload.Alone(i)), number(result.Served[i]), number(result.Fair[i])})
		}
	}
	w.Flush()
	return w.Error()
}

// WriteCSV writes a row for every policy.
func (r *Report) WriteCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	_ = w.Write([]string{"policy", "cut", "jobs", "ended", "mean_completion_s", "p50_completion_s", "p99_completion_s", "makespan_s",
		"efficiency", "utilisation", "mean_finish_time_ratio", "worst_finish_time_ratio", "restarts", "decisions", "mean_completion_bound_s", "makespan_bound_s"})
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 10, 64) }
	for _, m := range r.Policies {
		b := r.BoundFor(m)
		_ = w.Write([]string{m.Policy, strconv.FormatBool(m.Cut), strconv.Itoa(m.Jobs), strconv.Itoa(m.Ended),
			number(m.Mean), number(m.P50), number(m.P99), number(m.Makespan), number(m.Efficiency), number(m.Utilisation),
			number(m.MeanFair), number(m.WorstFair), strconv.Itoa(m.Restarts), strconv.Itoa(m.Decisions), number(b.Mean), number(b.Makespan)})
	}
	w.Flush()
	return w.Error()
}
