package trace

import "jigsaw/study/replay"

const millisecond = 1e-3

// unitSlack is the largest factor between the duration of a job and the time of
// its iterations beyond which one of them must be in another unit. In Muri's own
// traces the two differ by a factor of up to 6.
const unitSlack = 100

// muriJob reads a row of a Muri trace. Its three resource times are storage and
// CPU, GPU, and network; they overlap, and as they are measured separately they
// may even exceed the iteration's.
func muriJob(r *row, j *Job) {
	j.ID = r.text("job_id")
	r.gpus("num_gpu", j)
	j.Arrival = r.seconds("submit_time", millisecond)
	j.Iterations = r.whole("iterations", mostIterations)
	r.model("model_name", j)
	j.Batch = int(r.whole("batch_size", mostBatch))
	j.Duration = r.seconds("duration", millisecond)
	j.Iteration = r.seconds("iteration_time", millisecond)
	var stages [3]float64
	for k, name := range []string{"resource_time_0", "resource_time_1", "resource_time_2"} {
		stages[k] = r.seconds(name, millisecond)
	}
	if !r.sound() {
		return
	}
	if j.Iteration <= 0 {
		r.wrong("iteration_time", "an iteration takes some time")
		return
	}
	if took := float64(j.Iterations) * j.Iteration; j.Duration > 0 && (took > unitSlack*j.Duration || j.Duration > unitSlack*took) {
		r.wrong("duration", "%.6g s, but %d iterations of %.6g s take %.6g s; all times are in milliseconds", j.Duration, j.Iterations, j.Iteration, took)
	}
	part := func(k int) float64 { return min(1, stages[k]/j.Iteration) }
	j.Stages = replay.Stages{Load: part(0), GPU: part(1), Network: part(2)}
}

// tiresiasJob reads a row of a Tiresias trace.
func tiresiasJob(r *row, j *Job) {
	j.ID = r.text("job_id")
	r.gpus("num_gpu", j)
	j.Arrival = r.seconds("submit_time", 1)
	j.Iterations = r.whole("iterations", mostIterations)
	r.model("model_name", j)
	j.Duration = r.seconds("duration", 1)
	j.Iteration = j.Duration / float64(max(1, j.Iterations))
	if r.sound() && j.Duration == 0 {
		r.wrong("duration", "a job takes some time")
	}
}

// phillyJob reads a row of the Philly trace in the form distributed with AdaptDL.
func phillyJob(r *row, j *Job) {
	j.Arrival = r.date("timestamp")
	j.Duration = r.seconds("duration", 1)
	r.gpus("num_gpus", j)
	if _, ok := r.index["gpu_time"]; ok && r.sound() {
		if held := r.seconds("gpu_time", 1); held > 1.01*j.Duration*float64(j.GPUs)+1 || held < 0.99*j.Duration*float64(j.GPUs)-1 {
			r.wrong("gpu_time", "%.6g is not duration %.6g x %d GPUs; both are in seconds", held, j.Duration, j.GPUs)
		}
	}
	if r.sound() && j.Duration == 0 {
		r.wrong("duration", "a job takes some time")
	}
}

// polluxJob reads a row of a Pollux workload. It says how jobs are to be trained;
// how long they take comes from the table.
func polluxJob(r *row, j *Job) {
	j.ID = r.text("name")
	j.Arrival = r.seconds("time", 1)
	r.model("application", j)
	r.gpus("num_replicas", j)
	j.Batch = int(r.whole("batch_size", mostBatch))
}

// heliosJob reads a row of a trace like that of Helios. Jobs without GPUs are not
// training jobs, and are left out.
func heliosJob(r *row, j *Job) {
	j.ID = r.text("job_id")
	if r.text("gpu_num") == "0" {
		r.left["ask for no GPU"]++
		j.GPUs = 0
		return
	}
	r.gpus("gpu_num", j)
	j.Arrival = r.date("submit_time")
	j.Duration = r.seconds("duration", 1)
	if j.Duration == 0 {
		r.left["last no second"]++
		j.GPUs = 0
	}
}
