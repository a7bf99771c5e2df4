package codec

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
)

// JobColumns are the columns that a list of jobs may have. Those of name, model and workers have to be
// there, and one of iterations and hours.
func JobColumns() []string {
	return []string{"name", "model", "batch", "workers", "gpus_per_worker", "iterations", "hours", "weight", "release", "load", "deadline",
		"optimizer", "accumulate", "checkpointing", "sharding", "within", "rule"}
}

// JobList is a list of jobs as it was read.
type JobList struct {
	Jobs  []instance.JobSpec
	Hours []float64 // of each job; 0 where it has iterations
	Lines []int     // of each job
}

// DecodeJobs reads a list of jobs: CSV, or separated by tabs or semicolons, with the columns of [JobColumns] named in the first line.
func DecodeJobs(r io.Reader) (*JobList, error) {
	data, err := io.ReadAll(io.LimitReader(r, MostJobBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MostJobBytes {
		return nil, fmt.Errorf("the list is larger than %d MiB", MostJobBytes>>20)
	}
	text := strings.TrimPrefix(string(data), "\uFEFF")
	in := csv.NewReader(strings.NewReader(text))
	first, _, _ := strings.Cut(text, "\n")
	for _, comma := range "\t;" {
		if strings.ContainsRune(first, comma) {
			in.Comma = comma
		}
	}
	in.TrimLeadingSpace, in.Comment = true, '#'
	header, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("a list of jobs begins with a line of columns, of %s: %w", strings.Join(JobColumns(), ", "), err)
	}
	var problems instance.Problems
	bad := func(column int, format string, args ...any) {
		line, at := in.FieldPos(column)
		problems = append(problems, instance.Problem{Line: line, Column: at, Message: fmt.Sprintf(format, args...)})
	}
	for i, name := range header {
		switch {
		case !slices.Contains(JobColumns(), name):
			bad(i, "unknown column %q; the columns are %s", name, strings.Join(JobColumns(), ", "))
		case slices.Contains(header[:i], name):
			bad(i, "the column %q is there twice", name)
		}
	}
	for _, name := range []string{"name", "model", "workers"} {
		if !slices.Contains(header, name) {
			problems = append(problems, instance.Problem{Line: 1, Message: fmt.Sprintf("the column %q is missing", name)})
		}
	}
	if slices.Contains(header, "iterations") == slices.Contains(header, "hours") && !slices.Contains(header, "hours") {
		problems = append(problems, instance.Problem{Line: 1, Message: "one of the columns iterations and hours has to be there"})
	}
	if len(problems) > 0 {
		return nil, problems
	}
	list := &JobList{}
	for {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := in.FieldPos(0)
		job, hours := instance.JobSpec{}, 0.0
		for i, cell := range cells {
			cell = strings.TrimSpace(cell)
			if cell == "" {
				continue
			}
			if err := cellOf(&job, &hours, header[i], cell); err != nil {
				bad(i, "%s: %v", header[i], err)
			}
		}
		if job.Iterations == 0 && hours == 0 || job.Iterations > 0 && hours > 0 {
			bad(0, "job %q needs either iterations or hours", job.Name)
		}
		if len(problems) >= mostJobProblems {
			break
		}
		list.Jobs, list.Hours, list.Lines = append(list.Jobs, job), append(list.Hours, hours), append(list.Lines, line)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return list, nil
}

// MostJobBytes of a list of jobs are read, and the first mostJobProblems of its mistakes told.
const (
	MostJobBytes    = 32 << 20
	mostJobProblems = 50
)

// cellOf reads a cell into a job.
func cellOf(job *instance.JobSpec, hours *float64, column, cell string) (err error) {
	whole := func(to *int) {
		if *to, err = strconv.Atoi(cell); err != nil || *to < 1 {
			err = fmt.Errorf("%q is not a whole number above 0", cell)
		}
	}
	switch column {
	case "name":
		job.Name = cell
	case "model":
		job.Model = cell
	case "batch":
		whole(&job.Batch)
	case "workers":
		whole(&job.Workers)
	case "gpus_per_worker":
		whole(&job.GPUsPerWorker)
	case "iterations":
		whole(&job.Iterations)
	case "hours":
		if *hours, err = strconv.ParseFloat(cell, 64); err != nil || !(*hours > 0 && *hours < 1e6) {
			err = fmt.Errorf("%q is not a number of hours", cell)
		}
	case "weight":
		var weight int
		whole(&weight)
		job.Weight = int64(weight)
	case "release":
		err = job.Release.UnmarshalText([]byte(cell))
	case "load":
		err = job.Load.UnmarshalText([]byte(cell))
	case "deadline":
		err = job.Deadline.UnmarshalText([]byte(cell))
	case "optimizer":
		job.Optimizer = cell
	case "accumulate":
		whole(&job.Accumulate)
	case "checkpointing":
		if job.Checkpointing = strings.EqualFold(cell, "true"); !job.Checkpointing && !strings.EqualFold(cell, "false") {
			err = fmt.Errorf("%q is neither true nor false", cell)
		}
	case "sharding":
		job.Sharding = cell
	case "within":
		job.Placement.Within = cell
	case "rule":
		job.SPB.Rule = cell
	}
	return err
}
