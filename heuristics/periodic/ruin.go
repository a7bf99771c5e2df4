package periodic

import (
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/multiset"
	"jigsaw/heuristics/state"
)

// ruin anneals a periodic plan whose period is fixed by ruin and recreate (G.
// Schrimpf et al., Record breaking optimization results using the ruin and
// recreate principle, J. Comput. Phys. 2000): some jobs are removed, and they,
// with some that had no iterations, are put back one after the other, each where
// it gets most. Only what changes is processed, so that the cost of a step does
// not depend on the size of the cluster.
//
// With the period fixed, the sum of rates is the weight of whole iterations.
type ruin struct {
	*moduloScheduler // its residents are by job; a job without iterations has no GPUs
	wants            []want
	vacant           []*resident        // the jobs without GPUs
	onGPU            [][]instance.JobID // per GPU
	worth            int64              // weight of all iterations

	best *moduloScheduler // since last requested; nil: none
	most int64            // the largest worth so far

	saved       []savedJob // previous states of jobs changed by the current step
	changed     []bool     // per job: it is saved
	out         []instance.JobID
	residencies [][]instance.GPUID // of the removed jobs
	touched     []instance.NodeID  // nodes on which a step may put jobs
	chain       []iteration        // scratch
	cost        []float64          // scratch, per GPU
}

// want is the demand of a job.
type want struct {
	multisets [][]int
	cycle     instance.Tick // about the least ticks of an iteration
	area      float64       // GPU-ticks of an iteration
	nics      float64       // ticks of NICs of an iteration, summed over nodes; 0 if it fits on a node
	density   float64       // weight per GPU-tick
}

// savedJob is a job before a step.
type savedJob struct {
	job      instance.JobID
	resident *resident
	chain    []iteration
}

// wantsOf returns the demands of the jobs.
func wantsOf(in *instance.Instance) []want {
	wants := make([]want, len(in.Jobs))
	for _, class := range in.Classes() {
		w := wantOf(in, class[0])
		for _, j := range class {
			wants[j] = w
		}
	}
	return wants
}

// wantOf returns the demand of a job with the first of its multisets.
func wantOf(in *instance.Instance, j instance.JobID) want {
	job := &in.Jobs[j]
	sets := multiset.Choices(job, state.FastestType(in, job))
	w := wantFor(in, j, sets[0])
	w.multisets = sets
	return w
}

// wantFor returns the demand of a job with these numbers of workers at each
// depth.
func wantFor(in *instance.Instance, j instance.JobID, counts []int) want {
	job := &in.Jobs[j]
	w := want{cycle: job.FastestFull()}
	if job.HasSync() {
		sync, widest := lightSync(in, j, counts), in.WidestNode()
		w.cycle += max(in.Latency, instance.Tick(sync))
		if nodes := (job.Workers + widest - 1) / widest; nodes > 1 {
			w.nics = float64(sync * float64(nodes))
		}
	}
	w.area = float64(int64(job.Workers) * int64(state.MeanTime(job, state.FastestType(in, job), counts)))
	w.density = float64(job.Weight) / w.area
	return w
}

// newRuin starts from an empty plan.
func newRuin(in *instance.Instance, wants []want, rng *rand.Rand, period instance.Tick) *ruin {
	vacant := make([]*resident, len(in.Jobs))
	for j := range vacant {
		vacant[j] = &resident{id: instance.JobID(j), job: &in.Jobs[j]}
	}
	r := &ruin{
		moduloScheduler: newModuloScheduler(in, slices.Clone(vacant), period), wants: wants, vacant: vacant,
		onGPU: make([][]instance.JobID, len(in.GPUs)), changed: make([]bool, len(in.Jobs)), cost: make([]float64, len(in.GPUs)),
	}
	r.rng = rng
	return r
}

// read loads a plan in canonical order, repeated as often as its period fits into
// that of r.
func (r *ruin) read(s *instance.Schedule) {
	for j, chain := range readChains(r.in, s) {
		if len(chain) == 0 {
			continue
		}
		job := &r.in.Jobs[j]
		l := &resident{id: instance.JobID(j), job: job, gpus: s.Residency[j], counts: make([]int, len(job.Depths)), deepest: make([]int, job.Workers)}
		for n, it := range chain {
			for w, d := range it.depth {
				l.deepest[w] = max(l.deepest[w], int(d))
				if n == 0 {
					l.counts[d]++
				}
			}
		}
		l.span, _ = r.in.SpanOf(job, l.gpus)
		l.describe(r.in)
		once := len(chain)
		for lap := s.Period; lap < r.period; lap += s.Period {
			for _, it := range chain[:once] {
				it.start = slices.Clone(it.start)
				for w := range it.start {
					it.start[w] += lap
				}
				it.sync, it.end = it.sync+lap, it.end+lap
				chain = append(chain, it)
			}
		}
		r.settle(l.id, l, chain)
	}
	r.most = r.worth
}

// readChains returns the iterations of every job in a plan of canonical order.
func readChains(in *instance.Instance, s *instance.Schedule) [][]iteration {
	chains := make([][]iteration, len(in.Jobs))
	y := 0
	for n := 0; n < len(s.Tasks); {
		j := s.Tasks[n].Job
		job := &in.Jobs[j]
		it := iteration{start: make([]instance.Tick, job.Workers), depth: make([]uint8, job.Workers)}
		for w, t := range s.Tasks[n : n+job.Workers] {
			it.start[w], it.depth[w], it.end = t.Start, uint8(t.Depth), max(it.end, t.End)
		}
		if it.sync = it.end; job.HasSync() {
			sync := &s.Syncs[y]
			it.sync, it.end, it.level = sync.Start, sync.End, slices.Index(in.RateLevels, sync.Rate)
			y++
		}
		chains[j] = append(chains[j], it)
		n += job.Workers
	}
	return chains
}

// save records a job before it is changed.
func (r *ruin) save(j instance.JobID) {
	if r.changed[j] {
		return
	}
	r.changed[j] = true
	chain := r.chains[j][:len(r.chains[j]):len(r.chains[j])] // copied when it grows
	r.saved, r.chains[j] = append(r.saved, savedJob{j, r.residents[j], chain}), chain
}

// accept makes the changes of a step permanent.
func (r *ruin) accept() {
	for _, s := range r.saved {
		r.changed[s.job] = false
	}
	r.saved = r.saved[:0]
}

// undo reverts the changes of a step.
func (r *ruin) undo() {
	for _, s := range r.saved {
		r.evict(s.job)
	}
	for _, s := range r.saved {
		r.settle(s.job, s.resident, s.chain)
	}
	r.accept()
}

// evict removes a job.
func (r *ruin) evict(j instance.JobID) {
	l := r.residents[j]
	for n := range r.chains[j] {
		r.release(l, &r.chains[j][n])
	}
	for _, g := range l.gpus {
		r.onGPU[g] = slices.DeleteFunc(r.onGPU[g], func(o instance.JobID) bool { return o == j })
	}
	r.worth -= l.job.Weight * int64(len(r.chains[j]))
	r.residents[j], r.chains[j] = r.vacant[j], nil
}

// settle inserts a job that was out.
func (r *ruin) settle(j instance.JobID, l *resident, chain []iteration) {
	if len(chain) == 0 {
		return
	}
	for n := range chain {
		r.reserve(l, &chain[n])
	}
	for _, g := range l.gpus {
		r.onGPU[g] = append(r.onGPU[g], j)
	}
	r.worth += l.job.Weight * int64(len(chain))
	r.residents[j], r.chains[j] = l, chain
}

// walk anneals for about the given number of tasks tried, from one temperature to
// another in units of the mean weight of a job.
func (r *ruin) walk(ctx context.Context, work int, hot, cold float64) {
	weight := 0.0
	for j := range r.in.Jobs {
		weight += float64(r.in.Jobs[j].Weight) / float64(len(r.in.Jobs))
	}
	begun := r.tasks
	for n := 0; r.tasks-begun < work; n++ {
		if n%64 == 0 && ctx.Err() != nil {
			return
		}
		heat := weight * state.Cooled(hot, cold, float64(r.tasks-begun)/float64(work))
		least := float64(r.worth) - state.Allowance(r.rng, heat)
		r.tasks += stepWork
		r.destroy()
		r.recreate()
		if float64(r.worth) < least {
			r.undo()
			continue
		}
		r.accept()
		r.keep()
	}
}

// stepWork is the overhead of a step in tasks tried.
const stepWork = 20

// news returns the best plan, once; nil: there is no new one since the last
// request.
func (r *ruin) news() *instance.Schedule {
	if r.best == nil {
		return nil
	}
	plan := r.best.schedule()
	r.best = nil
	return plan
}

// keep remembers the plan if it is the best.
func (r *ruin) keep() {
	if r.worth > r.most {
		r.most = r.worth
		r.best = &moduloScheduler{in: r.in, period: r.period, residents: slices.Clone(r.residents), chains: slices.Clone(r.chains)}
	}
}
