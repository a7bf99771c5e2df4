package jigsaw

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
)

// changesFile is a file of changes.
type changesFile struct {
	Version int `yaml:"version"`
	Changes []struct {
		Kind       string         `yaml:"kind"`
		Subject    string         `yaml:"subject,omitempty"`
		Factor     instance.Ratio `yaml:"factor,omitempty"`
		Iterations int            `yaml:"iterations,omitempty"`
	} `yaml:"changes,omitempty"`
	Jobs []instance.JobSpec `yaml:"jobs,omitempty"`
}

// DecodeChanges reads a file of changes, YAML or JSON: version 1, a list changes of objects with kind, subject and, for the
// kinds that have them, factor or iterations, and a list jobs of those that come, as an instance file has them. Mistakes are
// [instance.Problems] with line and column; the file finds those of paths of [Replan]'s.
func DecodeChanges(r io.Reader) (Update, codec.File, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostJobBytes+1))
	if err != nil {
		return Update{}, codec.File{}, err
	}
	var f changesFile
	file, err := codec.DecodeFile(data, instance.Version, &f)
	if err != nil {
		return Update{}, file, err
	}
	u := Update{Jobs: f.Jobs}
	for _, c := range f.Changes {
		u.Changes = append(u.Changes, Change{ChangeKind(c.Kind), c.Subject, c.Factor.Float(), c.Iterations})
	}
	return u, file, nil
}

// DecodeJobs reads a list of jobs, as [Batch] does, for the cluster of an instance.
func DecodeJobs(r io.Reader, spec *instance.Spec, models instance.ProfileSource) ([]instance.JobSpec, error) {
	list, err := readJobs(r)
	if err != nil {
		return nil, err
	}
	alone := *spec
	if err := list.compile(&alone, models); err != nil {
		return nil, err
	}
	return alone.Jobs, nil
}

// WriteJobChanges writes what becomes of every job as CSV; times are in seconds.
func WriteJobChanges(w io.Writer, jobs []JobChange) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"job", "what", "from", "to", "left", "end_before_s", "end_after_s", "delay_s"}); err != nil {
		return err
	}
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'f', 3, 64)
	}
	for _, c := range jobs {
		err := out.Write([]string{c.Job, string(c.What), strings.Join(c.From, " "), strings.Join(c.To, " "), fmt.Sprint(c.Left), number(c.Before), number(c.After), number(c.Delay)})
		if err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
