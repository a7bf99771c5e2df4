package replay

import "jigsaw/formulation/instance"

// Workload is a trace whose jobs have been given their costs.
type Workload struct {
	// Name of the trace.
	Name string
	// Jobs by arrival.
	Jobs []Job
	// Classes of jobs with equal costs.
	Classes []Class
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
	// Weight of the job for policies that have priorities, 1 where it has none.
	Weight float64
}

// Class is what the jobs of one model, batch size and number of GPUs cost.
type Class struct {
	Model string
	Batch int
	GPUs  int
	// Iteration is the length of an iteration on GPUs of its own in seconds, by
	// GPU type; 0 where the class may not run.
	Iteration []float64
	// Stages of an iteration as parts of Iteration.
	Stages Stages
	// Shape is the profile whose layers the model has, up to a factor; nil where
	// it is unknown, and then the model has no partial backpropagation.
	Shape *instance.Profile
	// Restart is how long a job holds its GPUs before it goes on, in seconds.
	Restart float64
}

// Stages says how long an iteration needs each resource, as parts of its length:
// they overlap or leave gaps, so that they need not add up to 1. Each is at most 1.
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
