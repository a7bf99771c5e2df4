package trace

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/profiles"
	"jigsaw/study/replay"
)

// Options of [Workload]. The zero value is useful.
type Options struct {
	// Seed for drawing the models of jobs without one.
	Seed uint64
	// SkipUnknown leaves out jobs for whose model, batch size and number of GPUs the
	// table has no figures, and those too large for the cluster; they are listed in
	// [replay.Workload.LeftOut]. Otherwise they are an error.
	SkipUnknown bool
	// Profiled, if not nil, reports whether the cluster has GPUs for which a model has a profile at a
	// batch size: plans need one for every job, of its shape or else of its model itself.
	Profiled func(model string, batch int) bool
	// GPUTypes, if given, say which types the cluster's types are profiled as: the table's figures
	// of those, divided by the speed, are used for a type that it lacks.
	GPUTypes []instance.GPUTypeSpec
}

// Workload gives the jobs of a trace their costs on a cluster, from the trace or the
// table.
func Workload(t *Trace, table *Table, library *profiles.Library, c *replay.Cluster, o Options) (*replay.Workload, error) {
	b := builder{
		trace: t, table: table, library: library, cluster: c, options: o,
		rng:     rand.New(rand.NewPCG(o.Seed, 0)),
		classes: map[classKey]int{}, left: map[replay.LeftOut]int{}, reported: map[string]bool{},
		work: &replay.Workload{Name: t.File, Jobs: make([]replay.Job, 0, len(t.Jobs))},
	}
	for _, f := range table.Interference {
		b.work.Interference = append(b.work.Interference, f/table.Interference[0])
	}
	for i := range t.Jobs {
		b.job(&t.Jobs[i])
		if len(b.problems) >= mostProblems {
			break
		}
	}
	b.leftOut()
	if err := b.problems.err(); err != nil {
		return nil, err
	}
	return b.work, nil
}

// classKey is equal for jobs with the same costs.
type classKey struct {
	model  string
	batch  int
	gpus   int
	length float64
	stages replay.Stages
}

type builder struct {
	trace    *Trace
	table    *Table
	library  *profiles.Library
	cluster  *replay.Cluster
	rng      *rand.Rand
	classes  map[classKey]int
	options  Options
	left     map[replay.LeftOut]int // jobs left out, by kind
	work     *replay.Workload
	problems Problems
	reported map[string]bool // messages
}

func (b *builder) problem(j *Job, column int, format string, args ...any) {
	b.problems = append(b.problems, Problem{b.trace.File, j.line, column, fmt.Sprintf(format, args...)})
}

// once is [builder.problem] for an error in a model: reported once, however many jobs
// have it.
func (b *builder) once(j *Job, column int, format string, args ...any) {
	if message := fmt.Sprintf(format, args...); !b.reported[message] {
		b.reported[message] = true
		b.problem(j, column, "%s", message)
	}
}

// unknown is [builder.once] for a job without figures in the table, which may be left
// out instead.
func (b *builder) unknown(model string, j *Job, format string, args ...any) {
	if !b.skip(model, j, replay.NoFigures) {
		b.once(j, j.modelAt, format+"; or leave such jobs out, with --skip-unknown", args...)
	}
}

// skip leaves a job out, if that is requested.
func (b *builder) skip(model string, j *Job, why string) bool {
	if b.options.SkipUnknown {
		b.left[replay.LeftOut{Reason: why, Model: model, Batch: j.Batch, GPUs: j.GPUs}]++
	}
	return b.options.SkipUnknown
}

// leftOut records which jobs were left out. The first of the others arrives at 0.
func (b *builder) leftOut() {
	for of, n := range b.left {
		of.Jobs = n
		b.work.LeftOut = append(b.work.LeftOut, of)
	}
	slices.SortFunc(b.work.LeftOut, func(x, y replay.LeftOut) int {
		return cmp.Or(cmp.Compare(x.Reason, y.Reason), cmp.Compare(x.Model, y.Model), cmp.Compare(x.Batch, y.Batch), cmp.Compare(x.GPUs, y.GPUs))
	})
	jobs := b.work.Jobs
	if len(jobs) == 0 && len(b.left) > 0 && len(b.problems) == 0 {
		b.problems = append(b.problems, Problem{File: b.trace.File, Message: fmt.Sprintf(
			"no job is left, on GPUs of the types %v, which the model table has to know by these names: %s", b.cluster.Types, b.work.LeftOutText())})
		return
	}
	for i := len(jobs) - 1; i >= 0; i-- {
		jobs[i].Arrival -= jobs[0].Arrival
	}
}

func (b *builder) job(j *Job) {
	name := j.Model
	if name == "" {
		if len(b.table.Unnamed) == 0 {
			b.once(j, 0, "the %s format names no models; list in the model table, under unnamed, which models its jobs are to be taken for", b.trace.Format)
			return
		}
		name = b.table.Unnamed[b.rng.IntN(len(b.table.Unnamed))]
	}
	model := b.table.find(name, j.Batch)
	if model == nil {
		b.unknown(name, j, "the model table has no model %q%s; add it, or map it to one that is alike", instance.Clip(name), atBatch(j.Batch))
		return
	}
	class, ok := b.class(j, model)
	if !ok {
		return
	}
	k := &b.work.Classes[class]
	job := replay.Job{ID: j.ID, Arrival: j.Arrival, Class: class, Iterations: j.Iterations, Weight: j.Weight}
	if job.Iterations == 0 && j.Duration > 0 {
		job.Iterations = max(1, int64(math.Round(j.Duration/k.Fastest())))
	}
	if job.Iterations == 0 {
		job.Iterations = model.Iterations
	}
	if job.Iterations == 0 {
		b.unknown(name, j, "neither the trace nor the model table says how many iterations %q does; add iterations to the table", instance.Clip(name))
		return
	}
	if alone := float64(job.Iterations) * k.Fastest(); alone > longest {
		b.problem(j, 0, "the job %q would run for %.0f years; its iterations or their length are in another unit", instance.Clip(j.ID), alone/(365*24*3600))
		return
	}
	b.work.Jobs = append(b.work.Jobs, job)
}

// class returns the class of a job, new or existing.
func (b *builder) class(j *Job, m *Model) (int, bool) {
	key := classKey{m.Name, j.Batch, j.GPUs, j.Iteration, j.Stages}
	if b.trace.Format == Tiresias {
		// Iterations of equal jobs differ in length due to rounding of durations.
		key.length = float64(float32(key.length))
	}
	if class, ok := b.classes[key]; ok {
		return class, true
	}
	k := replay.Class{Model: m.Name, Batch: j.Batch, GPUs: j.GPUs, Iteration: make([]float64, len(b.cluster.Types)), Stages: j.Stages}
	k.Restart, _ = byGPUs(m.Restart, j.GPUs)
	if !b.profiled(j, m) {
		return 0, false
	}
	if m.Shape != nil {
		p, ok := b.library.Find(m.Shape.Model, m.Shape.GPU, m.Shape.Batch)
		if !ok {
			b.once(j, j.modelAt, "the shape of %q, profile %s on %s at batch %d, is not in the profile library; see jigsaw profile list", instance.Clip(m.Name), instance.Clip(m.Shape.Model), instance.Clip(m.Shape.GPU), m.Shape.Batch)
			return 0, false
		}
		k.Shape = p
	}
	gpu := m.GPU
	if gpu == 0 {
		gpu = 1
	}
	alone := 1.0
	if len(b.table.Interference) > 0 {
		alone = b.table.Interference[0]
	}
	for t, kind := range b.cluster.Types {
		k.Iteration[t] = b.iteration(j, m, kind)
		if m.Timed && j.Iteration == 0 {
			compute, sync := profileTime(k.Shape, b.table.Links, j.GPUs)
			k.Iteration[t] = compute + sync
			gpu = compute / (compute + sync)
		}
		k.Iteration[t] *= alone
	}
	if k.Stages == (replay.Stages{}) {
		k.Stages = replay.Stages{GPU: gpu, Network: 1 - gpu}
	}
	if k.Fastest() == 0 {
		b.unknown(m.Name, j, "neither the trace nor the model table says how long an iteration of %q is on %s of the types %s; add it under iteration_s, or name the types of the cluster as the table does, like 8x4:v100, or say in a cluster file what a type is like: profiled_as: [{gpu: v100, speed: 1}]", instance.Clip(m.Name), instance.GPUCount(j.GPUs), strings.Join(b.cluster.Types, ", "))
		return 0, false
	}
	if !b.cluster.Fits(j.GPUs, func(t int) bool { return k.Iteration[t] > 0 }) {
		if !b.skip(m.Name, j, replay.TooLarge) {
			b.problem(j, j.gpusAt, "the job %q asks for %s, which the cluster %v does not have in one place even when it is empty; or leave such jobs out, with --skip-unknown",
				instance.Clip(j.ID), instance.GPUCount(j.GPUs), b.cluster)
		}
		return 0, false
	}
	b.classes[key] = len(b.work.Classes)
	b.work.Classes = append(b.work.Classes, k)
	return b.classes[key], true
}

// profiled reports whether a plan finds a profile for the job, if one is required.
func (b *builder) profiled(j *Job, m *Model) bool {
	if b.options.Profiled == nil {
		return true
	}
	model, batch := m.Name, j.Batch
	if m.Shape != nil {
		model, batch = m.Shape.Model, m.Shape.Batch
	}
	switch {
	case b.options.Profiled(model, batch):
		return true
	case b.skip(m.Name, j, replay.NoProfile):
	case m.Shape == nil:
		b.once(j, j.modelAt, "there is no profile of the model %q%s, and the model table names none that stands in for it; add a shape to the table, "+
			"for which --models takes a file, or a profile, by --profiles or --estimate; or leave such jobs out, with --skip-unknown", instance.Clip(model), atBatch(batch))
	default:
		b.once(j, j.modelAt, "the model table has %q run as %s%s, of which there is no profile for GPUs of the types %v; choose other --models (%s), or say in the cluster file "+
			"what a type is like: profiled_as: [{gpu: %s, speed: 1}]; or leave such jobs out, with --skip-unknown",
			instance.Clip(m.Name), instance.Clip(model), atBatch(batch), b.cluster.Types, strings.Join(BuiltinTables(), ", "), instance.Clip(m.Shape.GPU))
	}
	return false
}

// atBatch names a batch size, which a trace may lack.
func atBatch(batch int) string {
	if batch == 0 {
		return ""
	}
	return fmt.Sprintf(" at batch %d", batch)
}

// iteration returns the seconds of an iteration on GPUs of a type, 0 if unknown.
func (b *builder) iteration(j *Job, m *Model, kind string) float64 {
	if j.Iteration > 0 {
		return j.Iteration
	}
	for _, name := range []string{kind, "any"} {
		if of, ok := m.Iteration[name]; ok {
			return of[j.GPUs]
		}
	}
	for _, t := range b.options.GPUTypes {
		if t.Name != kind {
			continue
		}
		for _, as := range t.ProfiledAs {
			if length := m.Iteration[as.GPU][j.GPUs]; length > 0 {
				return length / cmp.Or(as.Speed, instance.One).Float()
			}
		}
	}
	return 0
}

// profileTime returns the seconds that an iteration of a profile computes and
// synchronises on a number of GPUs, by a ring: inside a node, or between nodes.
func profileTime(p *instance.Profile, l *TableLinks, gpus int) (compute, sync float64) {
	total := p.Totals()
	compute = float64(total.Forward+total.Backward) / 1e9
	members, rate := gpus, l.Node
	if gpus > l.GPUs {
		members, rate = (gpus+l.GPUs-1)/l.GPUs, l.Cluster
	}
	sync = 2 * float64(members-1) / float64(members) * float64(total.Parameters) * 8 / float64(rate)
	return compute, sync
}
