package replay

import (
	"fmt"
	"strings"

	"jigsaw/formulation/instance"
)

// Workload is a trace whose jobs have costs.
type Workload struct {
	// Name of the trace.
	Name string
	// Jobs by arrival.
	Jobs []Job
	// Classes of jobs with equal costs.
	Classes []Class
	// LeftOut are the jobs of the trace that are not among Jobs, since their costs are
	// unknown.
	LeftOut []LeftOut
	// Interference holds the factors by which iterations of jobs that share GPUs last
	// longer than in the policy's model: element k-1 for k jobs, the last one for more,
	// each at least 1. The first is 1, as the class has the time of a job alone. Nil is
	// no interference.
	Interference []float64
}

// Slowdown returns the factor by which a number of jobs that share GPUs slow each
// other down beyond the policy's model; see [Workload.Interference].
func (w *Workload) Slowdown(jobs int) float64 {
	if len(w.Interference) == 0 {
		return 1
	}
	return w.Interference[min(jobs, len(w.Interference))-1]
}

// LeftOut is the number of jobs of a kind that were left out.
type LeftOut struct {
	Reason string `json:"reason"`
	Model  string `json:"model"`
	Batch  int    `json:"batch"` // 0 if the trace does not give it
	GPUs   int    `json:"gpus"`
	Jobs   int    `json:"jobs"`
}

// Reasons for leaving jobs out.
const (
	NoFigures = "the model table has no figures for them"
	NoProfile = "there is no profile for them on these GPUs"
	TooLarge  = "the cluster is too small for them"
)

// LeftOutText says which jobs were left out, and why.
func (w *Workload) LeftOutText() string {
	left, text := 0, ""
	for i, l := range w.LeftOut {
		left += l.Jobs
		if i == 0 || l.Reason != w.LeftOut[i-1].Reason {
			text += fmt.Sprintf("; since %s: ", l.Reason)
		} else {
			text += ", "
		}
		text += fmt.Sprintf("%d x %s", l.Jobs, l.Model)
		if l.Batch > 0 {
			text += fmt.Sprintf(" at batch size %d", l.Batch)
		}
		text += fmt.Sprintf(" with %d GPUs", l.GPUs)
	}
	return fmt.Sprintf("left out, %d of %d jobs: %s", left, left+len(w.Jobs), strings.TrimPrefix(text, "; "))
}

// Job is a training job.
type Job struct {
	ID string
	// Arrival in seconds after the first job's.
	Arrival float64
	// Class is an index into Workload.Classes.
	Class int
	// Iterations to do, at least 1.
	Iterations int64
	// Weight of the job for policies with priorities, 1 if it has none.
	Weight float64
}

// Class holds the costs of the jobs of one model, batch size and number of GPUs.
type Class struct {
	Model string
	Batch int
	GPUs  int
	// Iteration is the length of an iteration on GPUs of its own in seconds, by GPU
	// type; 0 where the class may not run.
	Iteration []float64
	// Stages of an iteration as fractions of Iteration.
	Stages Stages
	// Shape is the profile whose layers the model has, up to a factor; nil if it is
	// unknown; the model then has no partial backpropagation.
	Shape *instance.Profile
	// Restart is how long a job holds its GPUs before it continues, in seconds.
	Restart float64
}

// Stages says how long an iteration needs each resource, as fractions of its
// length: they may overlap or leave gaps, so they need not sum to 1. Each is at
// most 1.
type Stages struct {
	Load    float64 // storage and CPU
	GPU     float64
	Network float64
}

// Fastest returns the shortest iteration in seconds, over all types.
func (c *Class) Fastest() float64 {
	least := 0.0
	for _, t := range c.Iteration {
		if t > 0 && (least == 0 || t < least) {
			least = t
		}
	}
	return least
}

// Alone returns how long job i takes on GPUs of its own, of its fastest type, in seconds.
func (w *Workload) Alone(i int) float64 {
	return float64(w.Jobs[i].Iterations) * w.Classes[w.Jobs[i].Class].Fastest()
}

// ClassOf returns the class of job i.
func (w *Workload) ClassOf(i int) *Class { return &w.Classes[w.Jobs[i].Class] }
