package jigsaw

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/heuristics/queue"
)

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
	Jobs      []instance.JobSpec   `yaml:"jobs,omitempty"` // none: an instance of which no job is left is a cluster
}

// Cluster reads a cluster file, which is an instance file without jobs. Jobs hold memory while they run, unless it has another residence.
func Cluster(cluster []byte) (*instance.Spec, error) {
	spec, _, err := readCluster(cluster)
	return spec, err
}

// readCluster is [Cluster] that tells where what is.
func readCluster(cluster []byte) (*instance.Spec, codec.File, error) {
	var file clusterFile
	at, err := codec.DecodeFile(cluster, instance.Version, &file)
	if err != nil {
		return nil, at, err
	}
	if len(file.Jobs) > 0 {
		problems := instance.Problems{{Path: "jobs", Message: "a cluster file has none; leave them out, or give the file alone, as an instance"}}
		at.Locate(problems)
		return nil, at, problems
	}
	if file.Residence == "" && !file.Objective.Periodic() {
		file.Residence = instance.WhileRunning
	}
	return &instance.Spec{
		Version: instance.Version, Name: file.Name, Lesson: file.Lesson, TickUS: file.TickUS, Objective: file.Objective, Residence: file.Residence,
		Cluster: file.Cluster, Profiles: file.Profiles,
	}, at, nil
}

// BatchProblems are mistakes in a cluster file and in a list of jobs for it.
type BatchProblems struct{ Cluster, Jobs instance.Problems }

func (b *BatchProblems) Error() string {
	return slices.Concat(b.Cluster, b.Jobs).Error()
}

// Batch makes an instance of a cluster file, as [Cluster] reads it, and a list of jobs, as [codec.DecodeJobs] does. hours are
// turned into iterations at the speed of the job alone on the cluster. jobs is asked for the list once the cluster is known, and
// models for profiles once it is known what the jobs run. Mistakes come back as [instance.Problems] with line and column of the file
// they are in: as [BatchProblems] of those that are found once both are read, before that of the file that is.
func Batch(cluster []byte, jobs func(*instance.Spec) (*codec.JobList, error), models func(*instance.Spec) (instance.ProfileSource, error)) (*codec.Document, error) {
	spec, at, err := readCluster(cluster)
	if err != nil {
		return nil, err
	}
	list, err := jobs(spec)
	if err != nil {
		return nil, err
	}
	spec.Jobs = list.Jobs
	found, err := models(spec)
	if err != nil {
		return nil, err
	}
	err = compileJobs(list, spec, found)
	var problems instance.Problems
	if errors.As(err, &problems) {
		b := &BatchProblems{}
		for _, p := range problems {
			if strings.HasPrefix(p.Path, "jobs") {
				b.Jobs = append(b.Jobs, p)
			} else {
				b.Cluster = append(b.Cluster, p)
			}
		}
		at.Locate(b.Cluster)
		return nil, b
	}
	if err != nil {
		return nil, err
	}
	return &codec.Document{Spec: spec}, nil
}

// CompileJobs makes jobs of a list, as [Batch] does, for the cluster of an instance.
func CompileJobs(list *codec.JobList, spec *instance.Spec, models instance.ProfileSource) ([]instance.JobSpec, error) {
	alone := *spec
	if err := compileJobs(list, &alone, models); err != nil {
		return nil, err
	}
	return alone.Jobs, nil
}

// compileJobs puts the jobs into the spec, hours turned into iterations.
func compileJobs(l *codec.JobList, spec *instance.Spec, models instance.ProfileSource) error {
	spec.Jobs = slices.Clone(l.Jobs)
	for j, hours := range l.Hours {
		if hours > 0 {
			spec.Jobs[j].Iterations = 1
		}
	}
	in, err := instance.Compile(spec, models)
	var problems instance.Problems
	if errors.As(err, &problems) {
		for i := range problems {
			var job int
			if n, _ := fmt.Sscanf(problems[i].Path, "jobs[%d]", &job); n == 1 && job < len(l.Lines) {
				problems[i].Line = l.Lines[job]
			}
		}
		return problems
	}
	if err != nil {
		return err
	}
	var alone []instance.Tick
	var tooLong instance.Problems
	for j, hours := range l.Hours {
		if hours == 0 {
			continue
		}
		if alone == nil {
			alone = queue.Alone(in)
		}
		if alone[j] == 0 {
			continue // it fits nowhere: that is what the plan says of it
		}
		length := float64(alone[j]) * float64(in.TickUS) / 1e6
		if spec.Jobs[j].Iterations = max(1, int(hours*3600/length)); spec.Jobs[j].Iterations > instance.MaxIterations {
			tooLong = append(tooLong, instance.Problem{
				Path: fmt.Sprintf("jobs[%d].hours", j), Subject: spec.Jobs[j].Name, Line: l.Lines[j],
				Message: fmt.Sprintf("%v hours are %d iterations; choose at most %d", hours, spec.Jobs[j].Iterations, instance.MaxIterations),
			})
		}
	}
	if len(tooLong) > 0 {
		return tooLong
	}
	return nil
}
