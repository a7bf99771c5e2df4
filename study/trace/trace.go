package trace

import (
	"fmt"
	"math"
	"time"

	"jigsaw/study/replay"
)

// Trace is the content of a file.
type Trace struct {
	// File is its name in messages.
	File   string
	Format Format
	// Begin is the arrival of the first job, if the file has dates.
	Begin time.Time
	// Jobs by arrival; the first arrives at 0.
	Jobs []Job
	// Skipped is the time from the first job of the file to the first of Jobs, in seconds, and All the
	// number of jobs in the file: more than there are here if this is a part of it.
	Skipped float64
	All     int
	// Notes say in words what was left out of the file, and why.
	Notes []string
}

// Job is a job of a trace. What the file does not give is 0 or empty.
type Job struct {
	ID string
	// Arrival in seconds.
	Arrival float64
	GPUs    int
	Model   string
	// Batch is the number of samples per iteration as the file counts it.
	Batch int
	// Iterations to do.
	Iterations int64
	// Duration on GPUs of its own, and length of one iteration, in seconds.
	Duration, Iteration float64
	// Stages of an iteration, as fractions of it.
	Stages replay.Stages
	// Weight is its priority.
	Weight float64

	// line in the file, and the columns of the number of GPUs and the model.
	line, gpusAt, modelAt int
}

// Window keeps the jobs that arrive from one time on and before another: each is a time after the first
// arrival, like 240h, a date if the trace has dates, or empty for no limit. The first remaining job
// arrives at 0.
func (t *Trace) Window(from, until string) error {
	first, err := t.after("--from", from, 0)
	if err != nil {
		return err
	}
	end, err := t.after("--until", until, math.Inf(1))
	if err != nil {
		return err
	}
	var jobs []Job
	for _, j := range t.Jobs {
		if j.Arrival >= first && j.Arrival < end {
			jobs = append(jobs, j)
		}
	}
	if len(jobs) == 0 {
		return fmt.Errorf("%s: no job of this trace arrives between --from and --until; its %d jobs arrive %s", t.File, len(t.Jobs), t.span())
	}
	begin := jobs[0].Arrival
	for i := range jobs {
		jobs[i].Arrival -= begin
	}
	if !t.Begin.IsZero() {
		t.Begin = t.Begin.Add(seconds(begin))
	}
	t.Jobs, t.Skipped = jobs, t.Skipped+begin
	return nil
}

// after reads one end of a window, in seconds after the first arrival.
func (t *Trace) after(flag, text string, absent float64) (float64, error) {
	if text == "" {
		return absent, nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		return d.Seconds(), nil
	}
	date, ok := parseDate(text)
	switch {
	case !ok:
		return 0, fmt.Errorf("%s %q: write a time after the first arrival, like 240h, or where the trace has dates a date like 2017-10-09T20:00", flag, text)
	case t.Begin.IsZero():
		return 0, fmt.Errorf("%s %q: traces of the format %s have no dates; write a time after the first arrival, like 240h", flag, text, t.Format)
	}
	return date.Sub(t.Begin).Seconds(), nil
}

// span says from when to when jobs arrive.
func (t *Trace) span() string {
	last := seconds(t.Jobs[len(t.Jobs)-1].Arrival)
	if t.Begin.IsZero() {
		return fmt.Sprintf("from %.4g h to %.4g h", t.Skipped/3600, t.Skipped/3600+last.Hours())
	}
	return fmt.Sprintf("from %s to %s", t.Begin.Format(time.DateTime), t.Begin.Add(last).Format(time.DateTime))
}

func (t *Trace) String() string {
	return fmt.Sprintf("%d of %d jobs of a trace of the format %s, which arrive %s", len(t.Jobs), t.All, t.Format, t.span())
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
