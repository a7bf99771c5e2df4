package main

import (
	"fmt"
	"io"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/view"
)

// explainReport is what explain prints: the bound, and why a given plan is as it is.
type explainReport struct {
	*jigsaw.Document
	Schedule *scheduleReport `json:"explanation,omitempty"`
}

// scheduleReport says why a plan, and each job of it, ends when it does.
type scheduleReport struct {
	Chain []chainStep `json:"chain"`
	Jobs  []string    `json:"jobs"`
}

// chainStep is an element of the chain that a plan ends with, from late to early.
type chainStep struct {
	Element string `json:"element"`
	Because string `json:"because"`
	Text    string `json:"text"`
}

func explainSchedule(in *instance.Instance, name string, std streams) (*scheduleReport, error) {
	s, err := readSchedule(in, name, std)
	if err != nil {
		return nil, err
	}
	if violations := instance.Check(in, s); len(violations) > 0 {
		return nil, usage(fmt.Errorf("%s is not a valid schedule of %s: %s; see jigsaw check", name, in.Name, violations[0]))
	}
	s.Sort()
	links, err := view.Chain(in, s, instance.NoJob)
	if err != nil {
		return nil, err
	}
	r := &scheduleReport{Chain: []chainStep{}, Jobs: []string{}}
	for _, l := range links {
		r.Chain = append(r.Chain, chainStep{element(in, s, l), string(l.Because), l.Text})
	}
	for j := range in.Jobs {
		text, err := view.Explain(in, s, instance.JobID(j))
		if err != nil {
			return nil, err
		}
		r.Jobs = append(r.Jobs, text)
	}
	return r, nil
}

// element names a task or sync.
func element(in *instance.Instance, s *instance.Schedule, l view.ChainLink) string {
	if l.Sync {
		y := s.Syncs[l.Index]
		return fmt.Sprintf("sync of %q, iteration %d", in.Jobs[y.Job].Name, y.Iteration)
	}
	t := s.Tasks[l.Index]
	return fmt.Sprintf("task of %q, iteration %d", in.Jobs[t.Job].Name, t.Iteration)
}

// mostSteps keeps a chain short enough to read.
const mostSteps = 20

func (r *scheduleReport) text(w io.Writer) error {
	if r == nil {
		return nil
	}
	fmt.Fprintln(w, "\nWhy the jobs of the plan end when they do:")
	for _, text := range r.Jobs {
		fmt.Fprintf(w, "- %s\n", text)
	}
	if len(r.Chain) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nWhy the plan ends when it does, from the end back:")
	for i, c := range r.Chain {
		if i == mostSteps {
			_, err := fmt.Fprintf(w, "- ... and %d more; -o json lists them all\n", len(r.Chain)-i)
			return err
		}
		fmt.Fprintf(w, "- %s: %s\n", c.Element, c.Text)
	}
	return nil
}
