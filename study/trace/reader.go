package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"jigsaw/formulation/instance"
)

// reader collects the jobs of a file and its problems.
type reader struct {
	trace    *Trace
	problems Problems
	found    int // number of problems, including those not kept
	seen     map[string]int
	names    map[string]string // of models, each stored once
	left     map[string]int    // jobs left out, by reason
}

func newReader(file string, format Format) *reader {
	return &reader{
		trace: &Trace{File: file, Format: format},
		seen:  map[string]int{}, names: map[string]string{}, left: map[string]int{},
	}
}

func (r *reader) problem(line, column int, format string, args ...any) {
	if r.found++; !r.full() {
		r.problems = append(r.problems, Problem{r.trace.File, line, column, fmt.Sprintf(format, args...)})
	}
}

// full reports whether reading further is useless.
func (r *reader) full() bool { return len(r.problems) >= mostProblems }

// add adds a job; at is the column of its identifier in the line. A job with 0
// GPUs was left out.
func (r *reader) add(j Job, at int) {
	if j.GPUs == 0 {
		return
	}
	switch {
	case j.ID != "":
		if line, twice := r.seen[j.ID]; twice {
			r.problem(j.line, at, "the job %q is in line %d already; every job has an identifier of its own", instance.Clip(j.ID), line)
			return
		}
		j.ID = strings.Clone(j.ID)
		r.seen[j.ID] = j.line
	case r.trace.Format == Philly:
		j.ID = strconv.Itoa(len(r.trace.Jobs)) // the format has none
	default:
		r.problem(j.line, at, "the job has no identifier")
		return
	}
	name, ok := r.names[j.Model]
	if !ok {
		name = strings.Clone(j.Model)
		r.names[name] = name
	}
	j.Model = name
	r.trace.Jobs = append(r.trace.Jobs, j)
}

// finish sorts the jobs by arrival, or returns the problems.
func (r *reader) finish() (*Trace, error) {
	if len(r.trace.Jobs) == 0 && r.found == 0 {
		r.problem(1, 1, "the trace has no jobs")
	}
	if err := r.problems.err(); err != nil {
		return nil, err
	}
	jobs := r.trace.Jobs
	slices.SortStableFunc(jobs, func(a, b Job) int {
		switch {
		case a.Arrival < b.Arrival:
			return -1
		case a.Arrival > b.Arrival:
			return 1
		}
		return 0
	})
	first := jobs[0].Arrival
	r.trace.All = len(jobs)
	if r.trace.Format == Philly || r.trace.Format == Helios {
		r.trace.Begin = time.UnixMilli(int64(first * 1000)).UTC()
	}
	for i := range jobs {
		jobs[i].Arrival -= first
	}
	reasons := make([]string, 0, len(r.left))
	for reason, n := range r.left {
		reasons = append(reasons, fmt.Sprintf("%d jobs that %s are left out", n, reason))
	}
	slices.Sort(reasons)
	r.trace.Notes = reasons
	return r.trace, nil
}
