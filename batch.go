package jigsaw

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/heuristics/horizon"
)

// JobColumns are the columns that a list of jobs may have. Those of name, model and workers have to be
// there, and one of iterations and hours.
func JobColumns() []string {
	return []string{"name", "model", "batch", "workers", "iterations", "hours", "weight", "release", "load", "deadline", "optimizer", "rule"}
}

// clusterFile is an instance file without jobs.
type clusterFile struct {
	Version   int                  `yaml:"version"`
	Name      string               `yaml:"name,omitempty"`
	Lesson    string               `yaml:"lesson,omitempty"`
	TickUS    int64                `yaml:"tick_us,omitempty" absent:"1000"`
	Objective instance.Objective   `yaml:"objective,omitempty" absent:"makespan"`
	Residence instance.Residence   `yaml:"residence,omitempty" absent:"run"`
	Cluster   instance.ClusterSpec `yaml:"cluster"`
	Profiles  []*instance.Profile  `yaml:"profiles,omitempty"`
}

// Batch makes an instance of a cluster file, which is an instance file without jobs, and a list of jobs: CSV, or
// separated by tabs, with the columns of [JobColumns] named in the first line. Jobs hold memory while
// they run, unless the cluster file has another residence. hours are turned into iterations at the speed
// of the job alone on the cluster. Mistakes come back together, as [instance.Problems] with line and column of the file
// they are in: the error says which.
func Batch(cluster []byte, jobs io.Reader, models instance.ProfileSource) (*codec.Document, error) {
	var file clusterFile
	if _, err := codec.DecodeFile(cluster, instance.Version, &file); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if file.Residence == "" && !file.Objective.Periodic() {
		file.Residence = instance.WhileRunning
	}
	spec := &instance.Spec{
		Version: instance.Version, Name: file.Name, Lesson: file.Lesson, TickUS: file.TickUS, Objective: file.Objective, Residence: file.Residence,
		Cluster: file.Cluster, Profiles: file.Profiles,
	}
	list, err := readJobs(jobs)
	if err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	if err := list.compile(spec, models); err != nil {
		return nil, fmt.Errorf("jobs: %w", err)
	}
	return &codec.Document{Spec: spec}, nil
}

// jobList is a list of jobs as it was read.
type jobList struct {
	jobs  []instance.JobSpec
	hours []float64 // of each job; 0 where it has iterations
	at    []int     // the line of each
}

// compile puts the jobs into the spec, hours turned into iterations.
func (l *jobList) compile(spec *instance.Spec, models instance.ProfileSource) error {
	spec.Jobs = slices.Clone(l.jobs)
	for j, hours := range l.hours {
		if hours > 0 {
			spec.Jobs[j].Iterations = 1
		}
	}
	in, err := instance.Compile(spec, models)
	var problems instance.Problems
	if errors.As(err, &problems) {
		for i := range problems {
			var job int
			if n, _ := fmt.Sscanf(problems[i].Path, "jobs[%d]", &job); n == 1 && job < len(l.at) {
				problems[i].Line = l.at[job]
			}
		}
		return problems
	}
	if err != nil {
		return err
	}
	var alone []instance.Tick
	for j, hours := range l.hours {
		if hours == 0 {
			continue
		}
		if alone == nil {
			alone = horizon.Alone(in)
		}
		length := float64(max(1, alone[j])) * float64(in.TickUS) / 1e6
		spec.Jobs[j].Iterations = max(1, int(hours*3600/length))
	}
	return nil
}

// readJobs reads a list of jobs.
func readJobs(r io.Reader) (*jobList, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostJobBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > mostJobBytes {
		return nil, fmt.Errorf("the list is larger than %d MiB", mostJobBytes>>20)
	}
	text := strings.TrimPrefix(string(data), "\uFEFF")
	in := csv.NewReader(strings.NewReader(text))
	if first, _, _ := strings.Cut(text, "\n"); strings.Contains(first, "\t") {
		in.Comma = '\t'
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
	list := &jobList{}
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
			if err := fill(&job, &hours, header[i], cell); err != nil {
				bad(i, "%s: %v", header[i], err)
			}
		}
		if job.Iterations == 0 && hours == 0 || job.Iterations > 0 && hours > 0 {
			bad(0, "job %q needs either iterations or hours", job.Name)
		}
		if len(problems) >= mostJobProblems {
			break
		}
		list.jobs, list.hours, list.at = append(list.jobs, job), append(list.hours, hours), append(list.at, line)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return list, nil
}

const (
	mostJobBytes    = 32 << 20
	mostJobProblems = 50
)

// fill reads a cell into a job.
func fill(job *instance.JobSpec, hours *float64, column, cell string) (err error) {
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
	case "rule":
		job.SPB.Rule = cell
	}
	return err
}
