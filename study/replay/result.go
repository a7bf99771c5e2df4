package replay

import (
	"math"
	"slices"
)

// Result is the outcome of a replay. Times are in seconds, work in GPU-seconds.
type Result struct {
	Policy string
	// Shares reports whether jobs shared GPUs.
	Shares bool
	// Cut reports that the replay was ended early, at End.
	Cut bool
	End float64
	// Start and Finish by job; negative if it has not started, or not ended.
	Start, Finish []float64
	// Fair by job is its time from arrival to end, relative to that if the cluster
	// had been shared fairly among the jobs present; negative if it has not ended.
	Fair []float64
	// Served by job is how long it held GPUs, in seconds.
	Served []float64
	// Restarts counts starts after a job's first.
	Restarts int
	// Decisions taken.
	Decisions int
	// Work is full-depth GPU time of the iterations of the jobs that ended.
	Work float64
	// Held is the GPU time held by groups.
	Held float64
	// Lost is GPU time of unfinished iterations.
	Lost float64

	workload *Workload
	gpus     int
}

func newResult(w *Workload, c *Cluster, p Policy) *Result {
	r := &Result{
		Policy: p.Name(), workload: w, gpus: c.Total(),
		Start: make([]float64, len(w.Jobs)), Finish: make([]float64, len(w.Jobs)), Fair: make([]float64, len(w.Jobs)),
	}
	if s, ok := p.(Sharer); ok {
		r.Shares = s.Shares()
	}
	r.Served = make([]float64, len(w.Jobs))
	for i := range w.Jobs {
		r.Start[i], r.Finish[i], r.Fair[i] = -1, -1, -1
	}
	return r
}

// fairness fills Fair from the clock.
func (r *Result) fairness(f *fairClock) {
	f.pass(r.End)
	f.rest()
	for _, e := range f.ends {
		if arrival := r.workload.Jobs[e.job].Arrival; r.Finish[e.job] >= 0 {
			r.Fair[e.job] = (r.Finish[e.job] - arrival) / (e.time - arrival)
		}
	}
}

// Metrics of a result; for one that was cut, of the jobs that had ended.
type Metrics struct {
	Policy string `json:"policy"`
	// Shares reports whether jobs shared GPUs.
	Shares bool `json:"shares"`
	// Cut reports that the replay was ended early; Ended counts the jobs done.
	Cut   bool `json:"cut"`
	Jobs  int  `json:"jobs"`
	Ended int  `json:"ended"`
	// Completion times, from arrival to end, in seconds.
	Mean float64 `json:"mean_completion_s"`
	P50  float64 `json:"p50_completion_s"`
	P99  float64 `json:"p99_completion_s"`
	// Makespan from the first arrival to the last end, in seconds.
	Makespan float64 `json:"makespan_s"`
	// Efficiency is full-depth GPU work done per GPU-second until the makespan.
	Efficiency float64 `json:"efficiency"`
	// Utilisation is the fraction of all GPU time until the makespan that was held.
	Utilisation float64 `json:"utilisation"`
	// MeanFair and WorstFair are finish-time ratios; 1 is as good as fair sharing.
	MeanFair  float64 `json:"mean_finish_time_ratio"`
	WorstFair float64 `json:"worst_finish_time_ratio"`
	Restarts  int     `json:"restarts"`
	Decisions int     `json:"decisions"`
}

// Metrics computes the metrics.
func (r *Result) Metrics() Metrics {
	m := Metrics{Policy: r.Policy, Shares: r.Shares, Cut: r.Cut, Jobs: len(r.Finish), Restarts: r.Restarts, Decisions: r.Decisions}
	var times []float64
	last := 0.0
	for i, finish := range r.Finish {
		if finish < 0 {
			continue
		}
		times = append(times, finish-r.workload.Jobs[i].Arrival)
		last = max(last, finish)
		m.Mean += times[len(times)-1]
		m.MeanFair += r.Fair[i]
		m.WorstFair = max(m.WorstFair, r.Fair[i])
	}
	m.Ended = len(times)
	if m.Ended == 0 {
		return m
	}
	m.Mean /= float64(m.Ended)
	m.MeanFair /= float64(m.Ended)
	slices.Sort(times)
	m.P50, m.P99 = quantile(times, 0.5), quantile(times, 0.99)
	m.Makespan = last
	if r.Cut {
		last = r.End
	}
	m.Efficiency = r.Work / (last * float64(r.gpus))
	m.Utilisation = r.Held / (last * float64(r.gpus))
	return m
}

// quantile is the least element that at least a fraction q of the sorted
// elements do not exceed.
func quantile(sorted []float64, q float64) float64 {
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}
