package main

import (
	"bytes"
	"fmt"
	"io"
	"math/big"
	"time"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/view"
	"jigsaw/whatif"
)

// explainReport is the output of explain: the bound, and why a given plan is as it
// is.
type explainReport struct {
	*jigsaw.Document
	Schedule *scheduleReport `json:"explanation,omitempty"`
	// Memory says what memory is short, if that is why no plan is found.
	Memory *whatif.Shortage `json:"memory,omitempty"`
	// Remedies are changes with which a plan is found, if memory is not the reason for there
	// being none; for JobsAtFault see [whatif.Mend.Jobs].
	Remedies    []whatif.Remedy `json:"remedies,omitempty"`
	JobsAtFault int             `json:"jobs_at_fault,omitempty"`
}

// scheduleReport says why a plan, and each job of it, ends when it does.
type scheduleReport struct {
	// StatedBound is the dual bound in the plan's own file, in the unit of the objective,
	// if that is stronger than the one here. It is not checked.
	StatedBound *float64 `json:"stated_bound,omitempty"`

	Chain []chainStep `json:"chain"`
	Jobs  []string    `json:"jobs"`
}

// chainStep is an element of the chain at the end of a plan, from late to early.
type chainStep struct {
	Element string `json:"element"`
	Because string `json:"because"`
	Text    string `json:"text"`
}

// explainSchedule explains the plan in a file, and records in the result when it
// begins.
func explainSchedule(result *jigsaw.Result, name string, std cli.Streams) (*scheduleReport, error) {
	in := result.Instance
	var read bytes.Buffer
	plan, err := readPlan(in, name, std, &read)
	if err != nil {
		return nil, err
	}
	if violations := check.Plan(in, plan); len(violations) > 0 {
		return nil, cli.Usage(fmt.Errorf("%s is not a valid schedule of %s: %s; see jigsaw check", name, in.Name, violations[0]))
	}
	r := &scheduleReport{StatedBound: strongerBound(result, statedBound(in, read.Bytes())), Chain: []chainStep{}, Jobs: []string{}}
	if tasks, ok := plan.(*instance.Schedule); ok {
		return r, r.explainTasks(in, tasks)
	}
	result.Begin = statedBegin(cli.Begin{Time: result.Begin}, read.Bytes())
	r.explainBlocks(in, plan.(*instance.BlockSchedule), result.Begin)
	return r, nil
}

// explainTasks explains a plan whose tasks are all written out.
func (r *scheduleReport) explainTasks(in *instance.Instance, s *instance.Schedule) error {
	s.Sort()
	links, err := view.Chain(in, s, instance.NoJob)
	if err != nil {
		return err
	}
	for _, l := range links {
		r.Chain = append(r.Chain, chainStep{element(in, s, l), string(l.Because), l.Text})
	}
	for j := range in.Jobs {
		text, err := view.Explain(in, s, instance.JobID(j))
		if err != nil {
			return err
		}
		r.Jobs = append(r.Jobs, text)
	}
	return nil
}

// explainBlocks explains a plan of hours, in terms of whole jobs.
func (r *scheduleReport) explainBlocks(in *instance.Instance, s *instance.BlockSchedule, begin time.Time) {
	jobs, links := jigsaw.ExplainBlocks(in, s, begin)
	r.Jobs = append(r.Jobs, jobs...)
	second, end := float64(in.TickUS)/1e6, float64(s.Makespan(in))
	at := func(t instance.Tick) string { return view.MomentLike(begin, float64(t)*second, end*second) }
	for _, l := range links {
		r.Chain = append(r.Chain, chainStep{fmt.Sprintf("%q, there from %s to %s", in.Jobs[l.Job].Name, at(l.Admitted), at(l.Ends)), string(l.Because), l.Text})
	}
}

// strongerBound is the dual bound stated by the file of a plan; nil if it is not stronger than that
// of the result.
func strongerBound(r *jigsaw.Result, stated *float64) *float64 {
	if stated == nil {
		return nil
	}
	if known := r.Document(true).DualBound; known != nil {
		// Both are rounded, to the same number if they are equal.
		known, other := new(big.Rat).SetFloat64(*known), new(big.Rat).SetFloat64(*stated)
		if !r.Instance.Objective.Better(known, other) {
			return nil
		}
	}
	return stated
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

// mendText says what memory is short, and which changes would help.
func (r *explainReport) mendText(w io.Writer) {
	list, jobs := r.Remedies, r.JobsAtFault
	if r.Memory != nil {
		fmt.Fprintln(w, "\nNo plan is found because memory is too small:")
		sentences(w, r.Memory.Reasons)
		if list, jobs = r.Memory.Remedies, r.Memory.Jobs; len(list) == 0 {
			fmt.Fprintln(w, "\nNo single change that was tried is enough.")
		}
	}
	if len(list) > 0 {
		if jobs > 1 {
			fmt.Fprintf(w, "\n%d jobs need a change each. Each of these is enough for its job:\n", jobs)
		} else {
			fmt.Fprintln(w, "\nEach of these changes alone makes a plan possible:")
		}
		texts := make([]string, len(list))
		for i, remedy := range list {
			texts[i] = remedy.Text
		}
		sentences(w, texts)
	}
}

// sentences lists as many as can reasonably be read.
func sentences(w io.Writer, list []string) {
	for i, text := range list {
		if i == mostSentences {
			fmt.Fprintf(w, "- ... and %d more; -o json lists them all\n", len(list)-i)
			return
		}
		fmt.Fprintf(w, "- %s\n", text)
	}
}

// mostSteps keeps a chain short enough to read.
const mostSteps = 20

func (r *scheduleReport) text(w io.Writer) {
	if r == nil {
		return
	}
	fmt.Fprintln(w, "\nWhy the jobs of the plan end when they do:")
	for _, text := range r.Jobs {
		fmt.Fprintf(w, "- %s\n", text)
	}
	if len(r.Chain) == 0 {
		return
	}
	fmt.Fprintln(w, "\nWhy the plan ends when it does, from the end back:")
	for i, c := range r.Chain {
		if i == mostSteps {
			fmt.Fprintf(w, "- ... and %d more; -o json lists them all\n", len(r.Chain)-i)
			return
		}
		fmt.Fprintf(w, "- %s: %s\n", c.Element, c.Text)
	}
}
