package exchange

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// estimate computes, in about a microsecond, an approximate value of a group of nodes
// with some jobs, where scheduling it takes a millisecond: the jobs are listed on the
// GPUs with the least work, and each ends when its own chain, the work on its GPUs
// and, for makespan, the long tasks of the jobs on the same GPUs permit. For weighted
// completion see flows.
type estimate struct {
	in    *instance.Instance
	work  [][]float64 // per job and GPU type: ticks of a worker's tasks, at the cheapest depths
	task  []float64   // per job: mean ticks of a task
	chain []float64   // per job: ticks from its release, if it never waits for others
	rest  []float64   // per job: mean ticks of an iteration in which one of its GPUs is free
	nic   []float64   // per job: the fraction of its chain in which it synchronises across nodes
	rank  []int32     // per job: its place in the list
	// waiting is the fraction of delays that schedules really have.
	waiting float64
}

// meeting is the power of the mean that combines a chain and a load to an end: if
// one is much longer the other does not matter; if they are equal the jobs delay
// each other.
const meeting = 10

func newEstimate(in *instance.Instance) *estimate {
	e := &estimate{
		in: in, work: make([][]float64, len(in.Jobs)), chain: make([]float64, len(in.Jobs)), rank: make([]int32, len(in.Jobs)),
		task: make([]float64, len(in.Jobs)), rest: make([]float64, len(in.Jobs)), nic: make([]float64, len(in.Jobs)), waiting: someWaiting,
	}
	if len(in.Nodes) >= ManyNodes {
		e.waiting = 1
	}
	counts := state.CheapestMultisets(in)
	for j := range in.Jobs {
		job := &in.Jobs[j]
		e.work[j] = make([]float64, len(job.On))
		for t := range job.On {
			if job.Runs(instance.TypeID(t)) {
				e.work[j][t] = float64(job.Iterations) * float64(state.MeanTime(job, instance.TypeID(t), counts[j]))
			}
		}
		iteration := job.On[state.FastestType(in, job)].Time[job.Full()]
		if span, ok := nearest(in, job); ok && job.HasSync() {
			sync := state.FullSync(in, job, counts[j], &span)
			if iteration += sync; !alone(in, job) {
				e.nic[j] = float64(sync) / float64(iteration)
			}
		}
		e.task[j] = float64(state.MeanTime(job, state.FastestType(in, job), counts[j]))
		e.rest[j] = float64(iteration) - e.task[j]
		e.chain[j] = float64(job.Release) + float64(job.Iterations)*float64(iteration)
	}
	// Under makespan the longest work comes first, and the others fill the gaps.
	order := state.BySmith(in, counts)
	if in.Objective == instance.Makespan {
		order = state.OrderBy(len(in.Jobs), func(j instance.JobID) int64 { return -int64(e.work[j][state.FastestType(in, &in.Jobs[j])]) })
	}
	for at, j := range order {
		e.rank[j] = int32(at)
	}
	return e
}

// alone reports whether a node has the GPUs for a job.
func alone(in *instance.Instance, job *instance.Job) bool {
	return slices.ContainsFunc(in.Nodes, func(n instance.Node) bool { return job.Runs(n.Type) && n.GPUs >= job.Workers })
}

// nearest returns the span of a job on the first GPUs in a row that it may use, in
// as few nodes as the first of them permit.
func nearest(in *instance.Instance, job *instance.Job) (instance.Span, bool) {
	var residency []instance.GPUID
	for n := range in.Nodes {
		node := &in.Nodes[n]
		if !job.Runs(node.Type) || len(residency) == 0 && node.GPUs < min(job.Workers, in.Nodes[0].GPUs) {
			continue
		}
		for g := range node.GPUs {
			if residency = append(residency, node.FirstGPU+instance.GPUID(g)); len(residency) == job.Workers {
				return in.SpanOf(job, residency)
			}
		}
	}
	return instance.Span{}, false
}

// gpuState is a GPU of a group during the estimate.
type gpuState struct {
	load      float64
	residents uint64 // bit set, of the first jobs of the list
	held      instance.Memory
	node      instance.NodeID
}

// scratch is the working memory of estimates.
type scratch struct {
	jobs      []instance.JobID
	gpuStates []gpuState
	// See flows.
	flows    []flow
	releases []int32   // indices of flows by release
	free     []float64 // per GPU, then per node: the fraction of the time that is left
	order    []int32   // of GPUs; see settle
}

// of returns the last end of some jobs on some nodes, or their weighted completion;
// infinite if their memory appears to be too much.
func (e *estimate) of(b *scratch, nodes []instance.NodeID, jobs []instance.JobID) float64 {
	b.jobs = append(b.jobs[:0], jobs...)
	slices.SortFunc(b.jobs, func(x, y instance.JobID) int { return cmp.Compare(e.rank[x], e.rank[y]) })
	b.gpuStates = b.gpuStates[:0]
	for _, n := range nodes {
		for range e.in.Nodes[n].GPUs {
			b.gpuStates = append(b.gpuStates, gpuState{node: n})
		}
	}
	if e.in.Objective == instance.WeightedCompletion {
		return e.flow(b, nodes)
	}
	for at, j := range b.jobs {
		job := &e.in.Jobs[j]
		left := job.Workers
		for i := 0; i < len(b.gpuStates) && left > 0; i++ {
			if p := &b.gpuStates[i]; e.board(p, j) {
				p.residents |= 1 << at
				left--
			}
		}
		if left > 0 {
			return math.Inf(1)
		}
		sortGPUStates(b.gpuStates)
	}
	value := 0.0 // first, the load of the NICs, which all jobs that need several nodes use
	for _, j := range b.jobs {
		value += float64(e.nic[j] * (e.chain[j] - float64(e.in.Jobs[j].Release)))
	}
	for at, j := range b.jobs[:min(len(b.jobs), 64)] {
		load, others := 0.0, uint64(0)
		for i := range b.gpuStates {
			if p := &b.gpuStates[i]; p.residents>>at&1 != 0 {
				load, others = max(load, p.load), others|p.residents
			}
		}
		end := e.chain[j]
		for others &^= 1 << at; others != 0; others &= others - 1 {
			end += e.delay(j, b.jobs[bits.TrailingZeros64(others)])
		}
		value = max(value, mean(end, load))
	}
	return value
}

// room reports whether a GPU is of a type that a job runs on and has the memory.
func (e *estimate) room(p *gpuState, j instance.JobID) bool {
	job, t := &e.in.Jobs[j], e.in.Nodes[p.node].Type
	return job.Runs(t) && p.held.With(job.On[t].Memory(job.Full())).Sum() <= e.in.Types[t].Memory
}

// board puts a worker of a job on a GPU. It reports false if there is no room.
func (e *estimate) board(p *gpuState, j instance.JobID) bool {
	if !e.room(p, j) {
		return false
	}
	job, t := &e.in.Jobs[j], e.in.Nodes[p.node].Type
	p.load += e.work[j][t]
	p.held = p.held.With(job.On[t].Memory(job.Full()))
	return true
}

// delay returns how long job o delays job j if they share GPUs: every task of o
// that is longer than the time for which j leaves the GPU free delays an iteration.
func (e *estimate) delay(j, o instance.JobID) float64 {
	times := min(e.in.Jobs[j].Iterations, e.in.Jobs[o].Iterations)
	return float64(e.waiting * float64(times) * max(0, e.task[o]-e.rest[j]))
}

// someWaiting is the fraction of such delays that schedules really have. Of 0, 1/4, 1/2 and so on it brought the
// estimate closest to greedy's schedules of generated instances. With many nodes there may be few jobs on each, so
// that a job of short iterations bears all delays caused by the one beside it.
const someWaiting = 0.25

// mean is the power mean of two times, but with the sum of the powers instead of
// their mean.
func mean(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if a == 0 {
		return 0
	}
	x := b / a
	x *= x
	x *= x * x * x * x // the tenth power
	// (1 + x)^(1/meeting), to within two thousandths.
	return a * (1 + float64(x*(1-float64(x*0.28))/meeting))
}

// sortGPUStates sorts the GPUs by load; they nearly are in order.
func sortGPUStates(list []gpuState) {
	for i := 1; i < len(list); i++ {
		p, n := list[i], i
		for ; n > 0 && list[n-1].load > p.load; n-- {
			list[n] = list[n-1]
		}
		list[n] = p
	}
}
