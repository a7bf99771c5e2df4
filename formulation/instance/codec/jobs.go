package codec

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/strictjson"
)

// JobColumns are the columns, or keys of JSON, that a list of jobs may have. Those of name, model and workers have to be
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

// add takes a job, if it can be told how long it is.
func (l *JobList) add(job instance.JobSpec, hours float64, line int) bool {
	l.Jobs, l.Hours, l.Lines = append(l.Jobs, job), append(l.Hours, hours), append(l.Lines, line)
	return (job.Iterations == 0) != (hours == 0)
}

// DecodeJobs reads a list of jobs: CSV, or separated by tabs or semicolons, with the columns of [JobColumns] named in the
// first line; or JSON Lines, an object a line whose keys are these, or a JSON array of such objects. clock tells how long after the
// begin of the plan a time of the clock is, which releases and deadlines may be; ok: the text is one. nil: they may not.
func DecodeJobs(r io.Reader, clock Clock) (*JobList, error) {
	data, err := io.ReadAll(io.LimitReader(r, MostJobBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MostJobBytes {
		return nil, fmt.Errorf("the list is larger than %d MiB", MostJobBytes>>20)
	}
	text := strings.TrimPrefix(string(data), "\uFEFF")
	if blank := strings.TrimLeft(text, " \t\r\n"); strings.HasPrefix(blank, "{") || strings.HasPrefix(blank, "[") {
		return decodeJSONJobs([]byte(text), clock)
	}
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		return nil, errors.New("the list is in UTF-16; save it as UTF-8")
	}
	in := newJobReader(text)
	header, err := in.header()
	if err != nil {
		return nil, err
	}
	list := &JobList{}
	for len(in.problems) < mostJobProblems {
		cells, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, csv.ErrFieldCount) {
			in.bad(0, "the line has %d cells, the first line has %d columns", len(cells), len(header))
			continue
		}
		if err != nil {
			return nil, err
		}
		line, _ := in.FieldPos(0)
		job, hours, said := instance.JobSpec{}, 0.0, len(in.problems)
		for i, cell := range cells {
			cell = strings.TrimSpace(cell)
			if cell == "" {
				continue
			}
			if err := cellOf(&job, &hours, header[i], cell, clock); err != nil {
				in.bad(i, "%s: %v", header[i], err)
			}
		}
		if !list.add(job, hours, line) && len(in.problems) == said {
			in.bad(0, "%s", lengthWrong(&job, hours))
		}
	}
	if len(in.problems) > 0 {
		return nil, in.problems
	}
	if len(list.Jobs) == 0 {
		return nil, errNoJobs
	}
	return list, nil
}

// jobReader reads a list of jobs as a table.
type jobReader struct {
	*csv.Reader
	problems instance.Problems
}

// newJobReader returns the reader of a table by what separates the cells of its first line.
func newJobReader(text string) *jobReader {
	in := &jobReader{Reader: csv.NewReader(strings.NewReader(text))}
	first := ""
	for line := range strings.Lines(text) {
		if first = line; strings.TrimSpace(line) != "" && line[0] != '#' {
			break
		}
	}
	for _, comma := range "\t;" {
		if strings.ContainsRune(first, comma) {
			in.Comma = comma
		}
	}
	in.TrimLeadingSpace, in.Comment = in.Comma != '\t', '#' // tabs are blanks, too: empty cells between them would be trimmed
	return in
}

// bad notes what is wrong with a cell of the last line.
func (in *jobReader) bad(column int, format string, args ...any) {
	line, at := in.FieldPos(column)
	in.problems = append(in.problems, instance.Problem{Line: line, Column: at, Message: fmt.Sprintf(format, args...)})
}

// header reads the names of the columns.
func (in *jobReader) header() ([]string, error) {
	header, err := in.Read()
	if errors.Is(err, io.EOF) {
		err = errors.New("the list is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("%w; a list of jobs begins with a line of column names, from %s", err, strings.Join(JobColumns(), ", "))
	}
	for i, name := range header {
		name = strings.ToLower(strings.TrimSpace(name))
		header[i] = name
		switch {
		case !slices.Contains(JobColumns(), name):
			in.bad(i, "unknown column %q; the columns are %s", name, strings.Join(JobColumns(), ", "))
			in.problems[len(in.problems)-1].Unknown = []string{name}
		case slices.Contains(header[:i], name):
			in.bad(i, "the column %q is given twice", name)
		}
	}
	for _, name := range []string{"name", "model", "workers"} {
		if !slices.Contains(header, name) {
			in.problems = append(in.problems, instance.Problem{Line: 1, Message: fmt.Sprintf("the column %q is missing", name)})
		}
	}
	if slices.Contains(header, "iterations") == slices.Contains(header, "hours") && !slices.Contains(header, "hours") {
		in.problems = append(in.problems, instance.Problem{Line: 1, Message: "one of the columns iterations and hours is needed"})
	}
	if len(in.problems) > 0 {
		return nil, in.problems
	}
	return header, nil
}

var errNoJobs = errors.New("the list has no jobs")

// lengthWrong says why a job was not added.
func lengthWrong(job *instance.JobSpec, hours float64) string {
	if job.Iterations != 0 && hours != 0 {
		return fmt.Sprintf("job %q has both iterations and hours; give one of them", job.Name)
	}
	return fmt.Sprintf("job %q needs either iterations or hours", job.Name)
}

// decodeJSONJobs is [DecodeJobs] of JSON Lines, or of an array.
func decodeJSONJobs(data []byte, clock Clock) (*JobList, error) {
	j, list := strictjson.NewReader(bytes.NewReader(data)), &JobList{}
	var problems instance.Problems
	bad := func(at strictjson.Position, format string, args ...any) {
		problems = append(problems, instance.Problem{Line: at.Line, Column: at.Column, Message: fmt.Sprintf(format, args...)})
	}
	one := func(first json.Token) error {
		if first != json.Delim('{') {
			return j.Fail(`a job is an object like {"name": "bert-1", "model": "bert24", "workers": 4, "hours": 2}`)
		}
		job, hours, begin, seen, said := instance.JobSpec{}, 0.0, j.At, map[string]bool{}, len(problems)
		err := j.Object(func(key strictjson.Key, first json.Token) error {
			at, text := j.At, string(j.Raw)
			switch {
			case !slices.Contains(JobColumns(), key.Name):
				bad(key.At, "unknown key %q; the keys are %s", instance.Clip(key.Name), strings.Join(JobColumns(), ", "))
				problems[len(problems)-1].Unknown = []string{key.Name}
			case seen[key.Name]:
				bad(key.At, "the key %q is given twice", key.Name)
			}
			seen[key.Name] = true
			switch value := first.(type) {
			case json.Delim:
				bad(at, "%s: write a text or a number", key.Name)
				return j.Skip(first)
			case nil:
				return nil
			case string:
				text = strings.TrimSpace(value)
			}
			if text == "" {
				return nil
			}
			if err := cellOf(&job, &hours, key.Name, text, clock); err != nil {
				bad(at, "%s: %v", key.Name, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, name := range []string{"name", "model", "workers"} {
			if !seen[name] {
				bad(begin, "the key %q is missing", name)
			}
		}
		if !list.add(job, hours, begin.Line) && len(problems) == said {
			bad(begin, "%s", lengthWrong(&job, hours))
		}
		if len(problems) >= mostJobProblems {
			return problems
		}
		return nil
	}
	first, err := j.Token()
	if first == json.Delim('[') {
		if err = j.Array(func(_ int, first json.Token) error { return one(first) }); err == nil {
			err = j.Finish()
		}
	} else {
		for err == nil {
			if err = one(first); err == nil {
				first, err = j.Token()
			}
		}
	}
	if len(problems) > 0 { // the first mistakes, in the order of the file
		var last instance.Problems
		if errors.As(err, &last) && len(problems) < mostJobProblems {
			problems = append(problems, last...)
		}
		return nil, problems
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(list.Jobs) == 0 {
		return nil, errNoJobs
	}
	return list, nil
}

// MostJobBytes of a list of jobs are read, and the first mostJobProblems of its mistakes told.
const (
	MostJobBytes    = 32 << 20
	mostJobProblems = 50
)

// cellOf reads a cell into a job.
func cellOf(job *instance.JobSpec, hours *float64, column, cell string, clock Clock) (err error) {
	whole := func(to *int) {
		digits, part, _ := strings.Cut(cell, ".") // tables write 4.0 where cells of a column are empty
		*to, err = strconv.Atoi(digits)
		switch {
		case errors.Is(err, strconv.ErrRange) && digits[0] != '-':
			err = fmt.Errorf("%q is too large", cell)
		case err != nil || *to < 1 || strings.Trim(part, "0") != "":
			err = fmt.Errorf("%q is not a whole number above 0", cell)
		}
	}
	moment := func(to *instance.Duration) {
		if err = to.UnmarshalText([]byte(cell)); err == nil || clock == nil {
			return
		}
		if after, ok, unknown := clock(cell); ok {
			*to, err = instance.Duration(after), unknown
		} else if _, other := time.ParseDuration(cell); other != nil {
			err = fmt.Errorf("%w, or as a time of the clock, like 22:30 or 2026-11-26T22:30", err)
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
			err = fmt.Errorf("%q is not a number of hours, like 1.5", cell)
		}
	case "weight":
		var weight int
		whole(&weight)
		job.Weight = int64(weight)
	case "release":
		moment(&job.Release)
		job.Release = max(0, job.Release) // who came before may begin at once
	case "load":
		err = job.Load.UnmarshalText([]byte(cell))
	case "deadline":
		if moment(&job.Deadline); err == nil && job.Deadline <= 0 {
			err = fmt.Errorf("%s is not after the beginning of the plan", cell)
		}
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
