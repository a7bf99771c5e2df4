package trace

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/study/replay"
)

// List makes a list of jobs, for a plan, from a workload of this trace that was made with [Options.Profiled]. A job
// runs the profile of its shape, or else of its own model, for as many hours as its iterations take alone: it keeps the
// lengths of the trace's jobs, their numbers of GPUs and their arrivals. notes say which profile is used for which
// model.
func (t *Trace) List(w *replay.Workload, c *replay.Cluster) (list *codec.JobList, notes []string) {
	lines := make(map[string]int, len(t.Jobs))
	for i := range t.Jobs {
		lines[t.Jobs[i].ID] = t.Jobs[i].line
	}
	list = &codec.JobList{}
	var taken []string
	for i, j := range w.Jobs {
		class := w.ClassOf(i)
		job := instance.JobSpec{
			Name: j.ID, Model: class.Model, Batch: class.Batch, Workers: class.GPUs,
			Release: instance.Duration(math.Round(j.Arrival*1000)) * 1_000_000,
		}
		if j.Weight > 1 {
			job.Weight = int64(math.Round(j.Weight))
		}
		if class.Shape != nil {
			job.Model, job.Batch = class.Shape.Model, class.Shape.Batch
			as := fmt.Sprintf("%s as %s at batch %d", class.Model, job.Model, job.Batch)
			if class.Model != job.Model && !slices.Contains(taken, as) {
				taken = append(taken, as)
			}
		}
		if slices.Contains(class.Iteration, 0) { // no figures for the model
			for kind, length := range class.Iteration {
				if length > 0 {
					job.Placement.GPUTypes = append(job.Placement.GPUTypes, c.Types[kind])
				}
			}
		}
		list.Jobs, list.Hours, list.Lines = append(list.Jobs, job), append(list.Hours, w.Alone(i)/3600), append(list.Lines, lines[j.ID])
	}
	if len(taken) > 0 {
		slices.Sort(taken)
		notes = append(notes, "stand-ins, by the model table: "+strings.Join(taken, ", ")+"; jobs are as long as in the trace")
	}
	if t.Jobs[0].Model == "" {
		notes = append(notes, fmt.Sprintf("the format %s names no models: each job is taken for one of the model table's, drawn with --seed", t.Format))
	}
	return list, notes
}
