package trace

import "jigsaw/study/replay"

// Trace is the content of a file.
type Trace struct {
	// File is its name in messages.
	File   string
	Format Format
	// Jobs by arrival; the first arrives at 0.
	Jobs []Job
	// Notes say in words what of the file was left out, and why.
	Notes []string
}

// Job is a job of a trace. What the file does not say is 0 or empty.
type Job struct {
	ID string
	// Arrival in seconds.
	Arrival float64
	GPUs    int
	Model   string
	// Batch is the number of samples per iteration as the file counts it.
	Batch int
	// Iterations to do.
	Iterations int64
	// Duration on GPUs of its own, and of one iteration, in seconds.
	Duration, Iteration float64
	// Stages of an iteration, as parts of it.
	Stages replay.Stages
	// Weight is its priority.
	Weight float64

	// line in the file, and where in it the number of GPUs and the model are.
	line, gpusAt, modelAt int
}
