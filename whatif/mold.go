package whatif

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"
	"time"

	"jigsaw"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// MoldResult is a plan whose numbers of workers were chosen as well.
type MoldResult struct {
	// Workers chosen, by entry of the spec's jobs; 0 for those that are not moldable.
	Workers []int
	// Spec with these numbers, and the plan of it. Its bounds are for these numbers.
	Spec   *instance.Spec
	Result *jigsaw.Result
	// Bound on the makespan in ticks that holds for all choices of numbers, and Proof its certificate, which has passed
	// [jigsaw.CertifyMolds].
	Bound *big.Rat
	Proof *jigsaw.Certificate
	// Tried are the combinations that were planned, the best first, and Choices the number of all combinations, a billion
	// if there are more.
	Tried   []Molded
	Choices int
}

// Molded is a combination of numbers of workers, by entry of the spec's jobs, and the value of its quick plan; nil where it has none.
type Molded struct {
	Workers []int
	Value   *big.Rat
}

// Up to mostMolds combinations are all tried, unless they are proven to be no better.
const mostMolds = 64

// Mold plans a spec whose moldable jobs have numbers of workers to choose from: all combinations if there are
// few, else those that a local search over single jobs visits, each by a quick plan. Combinations that a bound proves to be no better
// than one before them are left out. The best is planned once more with opt. models are where
// it finds its profiles, as [jigsaw.Models].
func Mold(ctx context.Context, spec *instance.Spec, models instance.ProfileSource, opt jigsaw.Options) (*MoldResult, error) {
	in, err := instance.CompileMolds(spec, models)
	if err != nil {
		return nil, err
	}
	m := &molding{ctx: ctx, spec: spec, models: models, quick: opt, known: map[string]*jigsaw.Result{}}
	m.quick.Quick, m.quick.Effort, m.quick.Progress = true, 0, nil
	bound := area.Molds(m.alternatives(in))
	m.bound = bound.Value
	proof := bound.Proof(in)
	if _, err := jigsaw.CertifyMolds(context.Background(), in, proof); err != nil {
		return nil, err
	}
	choices := m.choices()
	if opt.Time > 0 {
		m.quick.Time = max(time.Millisecond, opt.Time/time.Duration(2*min(mostMolds, max(1, choices))))
	}
	begun := time.Now()
	best, err := m.search(choices)
	if err != nil {
		return nil, err
	}
	r := &MoldResult{Workers: best, Spec: spec.Mold(best), Result: m.known[fmt.Sprint(best)], Bound: bound.Value, Proof: proof, Tried: m.tried, Choices: choices}
	slices.SortStableFunc(r.Tried, sooner)
	infeasible := r.Result.Status == jigsaw.Infeasible
	if infeasible && len(m.known) < choices {
		r.Result.Status, r.Result.Certified = jigsaw.Unknown, false // of other numbers nothing is known
	}
	if r.Result.Primal != nil && r.Result.Primal.Cmp(r.Bound) < 0 {
		return nil, fmt.Errorf("whatif: a plan of %s ends before the bound of all numbers of workers, %s", r.Result.Primal.RatString(), r.Bound.RatString())
	}
	if opt.Quick || infeasible || ctx.Err() != nil {
		return r, nil
	}
	if opt.Time > 0 {
		opt.Time = max(time.Millisecond, opt.Time-time.Since(begun))
	}
	again, err := jigsaw.Plan(ctx, r.Result.Instance, opt)
	if err != nil {
		return nil, err
	}
	if again.Primal != nil && (r.Result.Primal == nil || again.Primal.Cmp(r.Result.Primal) <= 0) {
		r.Result = again
	}
	return r, nil
}

// sooner puts what has a plan before what has none.
func sooner(a, b Molded) int {
	switch {
	case a.Value == nil && b.Value == nil:
		return 0
	case a.Value == nil:
		return 1
	case b.Value == nil:
		return -1
	}
	return a.Value.Cmp(b.Value)
}

// molding is one run of [Mold].
type molding struct {
	ctx    context.Context
	spec   *instance.Spec
	models instance.ProfileSource
	quick  jigsaw.Options
	jobs   []moldable
	bound  *big.Rat                  // on the makespan with any numbers of workers
	known  map[string]*jigsaw.Result // by numbers of workers
	tried  []Molded
}

// moldable is an entry of the jobs, with the numbers of workers that it may have.
type moldable struct {
	entry        int
	alternatives []alternative
}

type alternative struct {
	workers int // 0 where there is no choice
	chain   *big.Rat
}

// alternatives are the numbers of workers that the jobs may have in some schedule.
func (m *molding) alternatives(in *instance.Molds) (jobs [][]*relax.Model) {
	for _, job := range in.Jobs {
		one := moldable{entry: job.Entry}
		var all []*relax.Model
		for _, alone := range job.Alone {
			all = append(all, relax.New(alone))
		}
		running := relax.Running(all)
		for i, model := range all {
			if slices.Contains(running, model) {
				chain, _ := model.Chain()
				one.alternatives = append(one.alternatives, alternative{job.Workers[i], chain})
			}
		}
		jobs, m.jobs = append(jobs, running), append(m.jobs, one)
	}
	return jobs
}

// choices is the number of combinations, a billion if there are more.
func (m *molding) choices() int {
	n := 1
	for _, job := range m.jobs {
		n = min(n*len(job.alternatives), 1_000_000_000)
	}
	return n
}

// try makes the quick plan of a combination, by alternative of each job. It returns its numbers of workers, and whether it is better
// than that of best; nil: of none.
func (m *molding) try(chosen []int, best []int) (workers []int, better bool, err error) {
	workers = make([]int, len(m.spec.Jobs))
	for j, job := range m.jobs {
		workers[job.entry] = job.alternatives[chosen[j]].workers
	}
	key := fmt.Sprint(workers)
	r, known := m.known[key]
	if !known {
		in, err := instance.Compile(m.spec.Mold(workers), m.models)
		if err != nil {
			return nil, false, err
		}
		if r, err = jigsaw.Plan(m.ctx, in, m.quick); err != nil {
			return nil, false, err
		}
		m.known[key] = r
		m.tried = append(m.tried, Molded{workers, r.Primal})
	}
	if best == nil {
		return workers, true, nil
	}
	old := m.known[fmt.Sprint(best)]
	if r.Primal == nil { // all are infeasible only if each is
		return workers, old.Status == jigsaw.Infeasible && r.Status != jigsaw.Infeasible, nil
	}
	return workers, old.Primal == nil || r.Primal.Cmp(old.Primal) < 0, nil
}

// hopeful reports whether a plan of a combination, by alternative of each job, may be better than that of best.
func (m *molding) hopeful(chosen, best []int) bool {
	value := m.known[fmt.Sprint(best)].Primal
	if value == nil {
		return true
	}
	for j, job := range m.jobs {
		if job.alternatives[chosen[j]].chain.Cmp(value) >= 0 {
			return false
		}
	}
	return m.bound.Cmp(value) < 0
}

// search returns the best combination that it tries: first some that are always tried, then all or, if these are many, those that differ
// from the best in one job, unless a bound proves that they are no better.
func (m *molding) search(choices int) (best []int, err error) {
	var at []int // the same, by alternative
	consider := func(chosen []int) (better bool, err error) {
		if best != nil && (m.ctx.Err() != nil || len(m.known) >= mostMolds) {
			return false, nil
		}
		workers, better, err := m.try(chosen, best)
		if better {
			best, at = workers, slices.Clone(chosen)
		}
		return better, err
	}
	for _, order := range []func(a, b alternative) int{
		func(a, b alternative) int { return a.chain.Cmp(b.chain) },
		func(a, b alternative) int { return cmp.Compare(a.workers, b.workers) },
		func(a, b alternative) int { return cmp.Compare(b.workers, a.workers) },
		func(a, b alternative) int {
			return new(big.Rat).Mul(a.chain, big.NewRat(int64(a.workers), 1)).Cmp(new(big.Rat).Mul(b.chain, big.NewRat(int64(b.workers), 1)))
		},
	} {
		chosen := make([]int, len(m.jobs))
		for j, job := range m.jobs {
			for i, a := range job.alternatives {
				if order(a, job.alternatives[chosen[j]]) < 0 {
					chosen[j] = i
				}
			}
		}
		if _, err := consider(chosen); err != nil {
			return nil, err
		}
	}
	if choices <= mostMolds {
		chosen := make([]int, len(m.jobs))
		for {
			if m.hopeful(chosen, best) {
				if _, err := consider(chosen); err != nil {
					return nil, err
				}
			}
			j := 0
			for ; j < len(chosen); j++ {
				if chosen[j]++; chosen[j] < len(m.jobs[j].alternatives) {
					break
				}
				chosen[j] = 0
			}
			if j == len(chosen) {
				return best, nil
			}
		}
	}
	for improved := true; improved; {
		improved = false
		for j, job := range m.jobs {
			for i := range job.alternatives {
				chosen := slices.Clone(at)
				if chosen[j] = i; i == at[j] || !m.hopeful(chosen, best) {
					continue
				}
				better, err := consider(chosen)
				if err != nil {
					return nil, err
				}
				improved = improved || better
			}
		}
	}
	return best, nil
}
