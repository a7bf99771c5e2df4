package assign

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// Residencies say where every job lives.
type Residencies struct {
	// GPUs[j] are the distinct GPUs of job j.
	GPUs [][]instance.GPUID
	// Limit[j][n] is the deepest depth that memory is reserved for on GPUs[j][n].
	Limit [][]int
	// Span[j] is what synchronisations among GPUs[j] use.
	Span []instance.Span
}

// Search is an assignment under annealing.
type Search struct {
	in     *instance.Instance
	rng    *rand.Rand
	counts [][]int

	// Per job: its first worker, of first[j+1]-first[j].
	first []int32
	// work[j*types+t] is w_jt; -1 where the job may not run.
	work  []int64
	types int
	// held[j] says that the chain of job j is never above the load of its GPU: it is one
	// worker without release. Its term stays 0.
	held []bool
	// good[j] are the types where j may run, the cheapest first, no more than mostGood.
	good [][]instance.TypeID
	gpus [][]int32 // per type
	// tight says that the memory of some GPU might not hold all that could live there.
	tight bool

	// Per GPU: its type.
	kind []int32
	// Per worker: its job, GPU, place among the residents there, and depth limit.
	owner, gpu, place []int32
	limit             []int
	residents         [][]int32 // per GPU: workers
	span              []instance.Span

	// terms are the parts of the estimate in ticks: loads of GPUs, then chains of jobs, then
	// links; price[i] is that of term i.
	terms []int64
	price []float64

	bound, target int64
	cycle         int // how many there were
	best          int64
	kept          []int32 // the GPUs of the best
	keptSpan      []instance.Span
	high          int // terms that are no better than best

	draft
}

// New begins with residencies that are valid. counts[j] is the depth multiset of job j.
func New(in *instance.Instance, counts [][]int, start Residencies, rng *rand.Rand) *Search {
	gpus, jobs := len(in.GPUs), len(in.Jobs)
	s := &Search{
		in: in, rng: rng, counts: counts, first: make([]int32, jobs+1), work: make([]int64, jobs*len(in.Types)), types: len(in.Types), held: make([]bool, jobs), gpus: make([][]int32, len(in.Types)),
		residents: make([][]int32, gpus), span: slices.Clone(start.Span), terms: make([]int64, gpus+jobs+len(in.Links)),
	}
	for g := range in.GPUs {
		s.kind = append(s.kind, int32(in.GPUs[g].Type))
		s.gpus[in.GPUs[g].Type] = append(s.gpus[in.GPUs[g].Type], int32(g))
	}
	for j := range in.Jobs {
		job := &in.Jobs[j]
		s.first[j+1] = s.first[j] + int32(job.Workers)
		s.held[j] = job.Workers == 1 && job.Release == 0
		for t, costs := range job.On {
			s.row(j)[t] = -1
			if costs != nil && len(s.gpus[t]) > 0 {
				s.row(j)[t] = work(job, costs, counts[j])
			}
		}
	}
	s.tight = s.memoryBinds()
	s.prices()
	s.begin(len(s.terms))
	for j, residency := range start.GPUs {
		for n, g := range residency {
			s.owner, s.gpu, s.place = append(s.owner, int32(j)), append(s.gpu, -1), append(s.place, -1)
			s.limit = append(s.limit, start.Limit[j][n])
			s.enter(s.first[j]+int32(n), int32(g))
			s.terms[g] += s.row(j)[in.GPUs[g].Type]
		}
		if s.held[j] {
			continue
		}
		s.terms[gpus+j] = s.chain(int32(j), s.gpu[s.first[j]:s.first[j+1]], &s.span[j])
		s.traffic(int32(j), &s.span[j], func(l instance.LinkID, ticks int64) { s.terms[gpus+jobs+int(l)] += ticks })
	}
	s.keep()
	return s
}

// row is w_j.
func (s *Search) row(j int) []int64 { return s.work[j*s.types : (j+1)*s.types] }

// work returns the ticks of all tasks of a worker.
func work(job *instance.Job, costs *instance.Costs, counts []int) int64 {
	sum := int64(0)
	for d, n := range counts {
		sum += int64(n) * int64(costs.Time[d])
	}
	k := int64(job.Workers)
	return int64(job.Iterations) * ((sum + k - 1) / k)
}

// Exact reports whether the estimate of residencies is the makespan of schedules there: every
// job is one worker, whose tasks need not wait for anything.
func Exact(in *instance.Instance) bool {
	return in.Objective == instance.Makespan && !slices.ContainsFunc(in.Jobs, func(j instance.Job) bool {
		return j.Workers > 1 || j.Release > 0 || j.Deadline > 0
	})
}

// Estimate of the best residencies so far, in ticks.
func (s *Search) Estimate() int64 { return s.best }

// Bound is what no residencies' estimate is below, in ticks.
func (s *Search) Bound() int64 { return s.bound }

// Best returns the best residencies so far.
func (s *Search) Best() Residencies {
	h := Residencies{Span: slices.Clone(s.keptSpan)}
	for j := range s.in.Jobs {
		var gpus []instance.GPUID
		for _, g := range s.kept[s.first[j]:s.first[j+1]] {
			gpus = append(gpus, instance.GPUID(g))
		}
		limit := slices.Clone(s.limit[s.first[j]:s.first[j+1]])
		for a := range gpus { // ascending; residencies are short
			for b := a; b > 0 && gpus[b] < gpus[b-1]; b-- {
				gpus[b], gpus[b-1], limit[b], limit[b-1] = gpus[b-1], gpus[b], limit[b-1], limit[b]
			}
		}
		h.GPUs, h.Limit = append(h.GPUs, gpus), append(h.Limit, limit)
	}
	return h
}

// Temperatures at the start and the end of a cycle, in units of the energy. The last
// is what a tick of work costs, within limits.
const hot, mostCold, leastCold = 0.5, 0.04, 2e-4

// Anneal goes through a cycle of so many steps from where it is. It ends early
// once nothing better is possible, or with the context.
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
		heat := hot * math.Exp2(float64(n)/stages*math.Log2(cold/hot))
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

// step draws a change and keeps it if its energy is no more than the heat allows.
func (s *Search) step(heat float64) {
	if !s.draw() || !s.weigh() {
		return
	}
	delta := 0.0
	for _, i := range s.touched {
		delta += s.energy(i, s.terms[i]+s.diff[i]) - s.energy(i, s.terms[i])
	}
	if delta > 0 && delta > -heat*math.Log(1-s.rng.Float64()) {
		return
	}
	for _, i := range s.touched {
		before := s.terms[i]
		s.terms[i] += s.diff[i]
		if before >= s.best {
			s.high--
		}
		if s.terms[i] >= s.best {
			s.high++
		}
	}
	for _, m := range s.moves {
		s.leave(m.worker)
	}
	for _, m := range s.moves {
		s.enter(m.worker, m.to)
	}
	for n, j := range s.jobs {
		s.span[j] = s.spans[n]
	}
	if s.high == 0 {
		s.keep()
	}
}

// energy of a term of so many ticks.
func (s *Search) energy(i int32, ticks int64) float64 {
	x := float64(ticks) / float64(s.target)
	return float64(s.price[i]*x)/2 + float64(10*max(0, x-1))
}

// keep notes the residencies as the best.
func (s *Search) keep() {
	s.best, s.high = slices.Max(s.terms), 0
	for _, t := range s.terms {
		if t >= s.best {
			s.high++
		}
	}
	s.kept, s.keptSpan = append(s.kept[:0], s.gpu...), append(s.keptSpan[:0], s.span...)
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
