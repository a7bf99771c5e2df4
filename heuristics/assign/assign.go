package assign

import (
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// Search is an assignment under annealing.
type Search struct {
	in  *instance.Instance
	rng *rand.Rand
	// work[j*types+t] is w_jt; -1 if the job may not run there.
	work  []int64
	types int
	// good[j] are the types where j may run, cheapest first, at most mostGood.
	good [][]instance.TypeID
	gpus [][]int32 // per type
	// tight says that the memory of some GPU might not hold all jobs that could live
	// there.
	tight bool

	kind []int32 // per GPU: its type
	// Per job: its GPU, its place among the residents there, and the deepest depth for
	// which memory is reserved.
	gpu, place []int32
	limit      []int
	residents  [][]int32 // per GPU: jobs
	load       []int64   // per GPU, in ticks
	price      []float64 // per GPU

	bound, target int64
	cycle         int // number of cycles so far
	best          int64
	kept          []int32 // the GPUs of the best assignment
	high          int     // GPUs whose load is at least best

	draft
}

// New starts from a valid assignment: job j lives on GPU gpu[j], where memory is reserved for
// depths up to limit[j]. counts[j] is its depth multiset.
func New(in *instance.Instance, counts [][]int, gpu []instance.GPUID, limit []int, rng *rand.Rand) *Search {
	gpus, jobs := len(in.GPUs), len(in.Jobs)
	s := &Search{
		in: in, rng: rng, work: make([]int64, jobs*len(in.Types)), types: len(in.Types), gpus: make([][]int32, len(in.Types)),
		gpu: make([]int32, jobs), place: make([]int32, jobs), limit: limit, residents: make([][]int32, gpus), load: make([]int64, gpus),
	}
	s.diff, s.seen = make([]int64, gpus), make([]uint32, gpus)
	for g := range in.GPUs {
		s.kind = append(s.kind, int32(in.GPUs[g].Type))
		s.gpus[in.GPUs[g].Type] = append(s.gpus[in.GPUs[g].Type], int32(g))
	}
	for j := range in.Jobs {
		job := &in.Jobs[j]
		for t, costs := range job.On {
			s.row(j)[t] = -1
			if costs != nil && len(s.gpus[t]) > 0 {
				s.row(j)[t] = work(job, costs, counts[j])
			}
		}
	}
	s.tight = state.MayLackMemory(in)
	s.prices()
	for j, g := range gpu {
		s.enter(int32(j), int32(g))
		s.load[g] += s.row(j)[in.GPUs[g].Type]
	}
	s.keep()
	return s
}

// row is w_j.
func (s *Search) row(j int) []int64 { return s.work[j*s.types : (j+1)*s.types] }

// work returns the ticks of all tasks of a job.
func work(job *instance.Job, costs *instance.Costs, counts []int) int64 {
	sum := int64(0)
	for d, n := range counts {
		sum += int64(n) * int64(costs.Time[d])
	}
	return int64(job.Iterations) * sum
}

// Exact reports whether the greatest load is the makespan: every job is one worker whose tasks
// never have to wait.
func Exact(in *instance.Instance) bool {
	return in.Objective == instance.Makespan && !slices.ContainsFunc(in.Jobs, func(j instance.Job) bool {
		return j.HasSync() || j.Release > 0 || j.Deadline > 0
	})
}

// Makespan of the best assignment so far, in ticks.
func (s *Search) Makespan() int64 { return s.best }

// Bound is a lower bound on the makespan, in ticks.
func (s *Search) Bound() int64 { return s.bound }

// Best returns the best assignment so far: a GPU per job.
func (s *Search) Best() []instance.GPUID {
	gpu := make([]instance.GPUID, len(s.kept))
	for j, g := range s.kept {
		gpu[j] = instance.GPUID(g)
	}
	return gpu
}

// Temperatures at the start and the end of a cycle, in units of the energy. The last
// is the price of a tick of work, within limits.
const hot, mostCold, leastCold = 0.5, 0.04, 2e-4

// Anneal runs a cycle of the given number of steps from the current assignment. It
// ends early if nothing better is possible, or with the context.
func (s *Search) Anneal(ctx context.Context, steps int) {
	if s.best <= s.bound {
		return
	}
	s.target = s.bound + (s.best-1-s.bound)*int64(s.cycle%3)/2
	s.cycle++
	const stages = 256
	cold := min(max(leastCold, 0.5/float64(s.target)), mostCold)
	for n := range stages {
		if ctx.Err() != nil {
			return
		}
		heat := state.Cooled(hot, cold, float64(n)/stages)
		for range steps / stages {
			s.step(heat)
		}
		if s.best <= s.bound {
			return
		}
		if s.best <= s.target {
			s.target = s.bound
		}
	}
}

// step draws a change and keeps it if the temperature permits its energy.
func (s *Search) step(heat float64) {
	if !s.draw() || !s.weigh() {
		return
	}
	delta := 0.0
	for _, i := range s.touched {
		delta += s.energy(i, s.load[i]+s.diff[i]) - s.energy(i, s.load[i])
	}
	if delta > 0 && delta > state.Allowance(s.rng, heat) {
		return
	}
	for _, i := range s.touched {
		before := s.load[i]
		s.load[i] += s.diff[i]
		if before >= s.best {
			s.high--
		}
		if s.load[i] >= s.best {
			s.high++
		}
	}
	for _, m := range s.moves {
		s.leave(m.job)
	}
	for _, m := range s.moves {
		s.enter(m.job, m.to)
	}
	if s.high == 0 {
		s.keep()
	}
}

// energy of GPU i with a load of the given ticks.
func (s *Search) energy(i int32, ticks int64) float64 {
	x := float64(ticks) / float64(s.target)
	return float64(s.price[i]*x)/2 + float64(10*max(0, x-1))
}

// keep records the assignment as the best.
func (s *Search) keep() {
	s.best, s.high = slices.Max(s.load), 0
	for _, t := range s.load {
		if t >= s.best {
			s.high++
		}
	}
	s.kept = append(s.kept[:0], s.gpu...)
}

func (s *Search) enter(w, g int32) {
	s.gpu[w], s.place[w] = g, int32(len(s.residents[g]))
	s.residents[g] = append(s.residents[g], w)
}

func (s *Search) leave(w int32) {
	list := s.residents[s.gpu[w]]
	last := list[len(list)-1]
	list[s.place[w]], s.place[last] = last, s.place[w]
	s.residents[s.gpu[w]] = list[:len(list)-1]
}
