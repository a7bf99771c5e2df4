package policy

import (
	"cmp"
	"context"
	"slices"

	"jigsaw/study/replay"
)

// exclusive gives every job GPUs of its own.
type exclusive struct{ name string }

func (e exclusive) Name() string { return e.name }

// Periods returns the length of the job's iterations alone.
func (exclusive) Periods(w *replay.Workload, jobs []int, kind int) []float64 {
	return []float64{w.ClassOf(jobs[0]).Iteration[kind]}
}

// alone makes a group of each job.
func alone(jobs []int) []replay.Group {
	groups := make([]replay.Group, len(jobs))
	for k := range jobs {
		groups[k] = replay.Group{Jobs: jobs[k : k+1 : k+1], Type: replay.AnyType}
	}
	return groups
}

// fifo runs gangs in order of arrival.
type fifo struct{ exclusive }

func newFIFO(_ context.Context, name string, _ Options) (replay.Policy, error) {
	return &fifo{exclusive{name}}, nil
}

// Decide starts the first jobs that wait, until one does not fit.
func (*fifo) Decide(s *replay.State) replay.Decision {
	var waiting []int
	free := s.Cluster.Total()
	for _, i := range s.Active {
		if _, running := s.Running(i); running {
			free -= s.ClassOf(i).GPUs
		}
	}
	for _, i := range s.Active {
		if _, running := s.Running(i); running {
			continue
		}
		waiting = append(waiting, i)
		if free -= s.ClassOf(i).GPUs; free < 0 {
			break // it does not fit, so later ones are not considered
		}
	}
	return replay.Decision{Groups: alone(waiting), Keep: true, Strict: true, Again: replay.Never()}
}

// ordered returns the active jobs by a key, then by arrival.
func ordered(s *replay.State, key func(i int) float64) []int {
	type keyed struct {
		job int
		key float64
	}
	jobs := make([]keyed, len(s.Active))
	for k, i := range s.Active {
		jobs[k] = keyed{i, key(i)}
	}
	slices.SortFunc(jobs, func(a, b keyed) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.job, b.job)) })
	order := make([]int, len(jobs))
	for k := range jobs {
		order[k] = jobs[k].job
	}
	return order
}

// remaining is the key of srtf; service, remaining time x GPUs, that of srsf.
func remaining(s *replay.State, i int) float64 { return s.Remaining(i) }
func service(s *replay.State, i int) float64   { return s.Remaining(i) * float64(s.ClassOf(i).GPUs) }

// shortest runs the jobs with the least key.
type shortest struct {
	exclusive
	key func(*replay.State, int) float64
}

func newShortest(_ context.Context, name string, _ Options) (replay.Policy, error) {
	key := remaining
	if name == "srsf" {
		key = service
	}
	return &shortest{exclusive{name}, key}, nil
}

// Decide runs the shortest jobs that fit. While no job comes or goes, the running
// jobs get shorter and the others do not, so no further decision is needed.
func (p *shortest) Decide(s *replay.State) replay.Decision {
	order := ordered(s, func(i int) float64 { return p.key(s, i) })
	return replay.Decision{Groups: alone(order), Again: replay.Never()}
}
