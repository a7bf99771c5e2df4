package replay

import (
	"fmt"
	"slices"
)

// Load says how much of a cluster a workload requests.
type Load struct {
	// GPUSeconds that the jobs would hold on GPUs of their own.
	GPUSeconds float64 `json:"gpu_seconds"`
	// Span from the first arrival to the last, in seconds.
	Span float64 `json:"span_s"`
	// Offered is GPUSeconds relative to those of the cluster in the span; above 1
	// the jobs cannot be completed at the rate they arrive without sharing. 0 if
	// all arrive at once.
	Offered float64 `json:"offered"`
	// Peak is the largest such ratio among ten equal parts of the span.
	Peak float64 `json:"peak"`
}

// LoadOf measures the load of a workload.
func LoadOf(w *Workload, c *Cluster) Load {
	var l Load
	gpus := float64(c.Total())
	last := 0.0
	if n := len(w.Jobs); n > 0 {
		last = w.Jobs[n-1].Arrival
	}
	l.Span = last
	var parts [10]float64
	for i := range w.Jobs {
		work := w.Alone(i) * float64(w.ClassOf(i).GPUs)
		l.GPUSeconds += work
		if last > 0 {
			parts[min(9, int(10*w.Jobs[i].Arrival/last))] += work
		}
	}
	if l.Span > 0 {
		l.Offered = l.GPUSeconds / (l.Span * gpus)
		l.Peak = 10 * slices.Max(parts[:]) / (l.Span * gpus)
	}
	return l
}

// String says in words what the load means.
func (l Load) String() string {
	switch {
	case l.Span == 0:
		return fmt.Sprintf("all jobs come at once and ask for %.4g GPU-hours", l.GPUSeconds/3600)
	case l.Offered > 1:
		return fmt.Sprintf("the jobs ask for %.4g GPU-hours in %.4g h, %.2f times what the cluster has: without sharing GPUs they cannot be done as they come, and the queue grows until the last arrival",
			l.GPUSeconds/3600, l.Span/3600, l.Offered)
	case l.Peak > 1:
		return fmt.Sprintf("the jobs ask for %.4g GPU-hours in %.4g h, %.2f times what the cluster has; in the busiest tenth of the time %.2f times, when a queue grows",
			l.GPUSeconds/3600, l.Span/3600, l.Offered, l.Peak)
	}
	return fmt.Sprintf("the jobs ask for %.4g GPU-hours in %.4g h, %.2f times what the cluster has", l.GPUSeconds/3600, l.Span/3600, l.Offered)
}
