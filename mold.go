package jigsaw

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// MoldResult is a plan of which the numbers of workers were chosen, too.
type MoldResult struct {
	// Workers chosen, by entry of the spec's jobs; 0 of those that are not moldable.
	Workers []int
	// Spec with these numbers, and the plan of it. Its bounds are for these numbers.
	Spec   *instance.Spec
	Result *Result
	// Bound is what no plan with any of the numbers ends before, in ticks, by exact arithmetic.
	Bound *big.Rat
	// Tried of so many combinations.
	Tried, Choices int
}

// mostMolds of combinations are tried.
const mostMolds = 64

// Mold plans a spec whose moldable jobs have numbers of workers to choose from: all combinations where these are
// few, else those that a descent by single jobs comes to, each by a quick plan. The best is planned with all of opt. models are where
// it finds its profiles, as [Models].
func Mold(ctx context.Context, spec *instance.Spec, models instance.ProfileSource, opt Options) (*MoldResult, error) {
	if err := spec.CheckMoldable(); err != nil {
		return nil, err
	}
	if spec.Objective != "" && spec.Objective != instance.Makespan {
		return nil, instance.Problems{{Path: "objective", Message: fmt.Sprintf("numbers of workers are chosen for makespan, not %s", spec.Objective)}}
	}
	m := &molding{ctx: ctx, spec: spec, models: models, quick: opt, known: map[string]*Result{}}
	m.quick.Quick, m.quick.Effort, m.quick.Progress = true, 0, nil
	if opt.Time > 0 {
		m.quick.Time = max(time.Millisecond, opt.Time/(2*mostMolds))
		opt.Time = max(time.Millisecond, opt.Time/2)
	}
	if err := m.alternatives(); err != nil {
		return nil, err
	}
	choices := m.choices()
	best, err := m.search(choices)
	if err != nil {
		return nil, err
	}
	r := &MoldResult{Workers: best, Spec: spec.Mold(best), Result: m.known[fmt.Sprint(best)], Bound: m.bound(), Tried: len(m.known), Choices: choices}
	if r.Result.Primal == nil && len(m.known) < choices && r.Result.Status == Infeasible {
		r.Result.Status = Unknown // of other numbers nothing is known
	}
	if r.Result.Primal != nil && r.Result.Primal.Cmp(r.Bound) < 0 {
		return nil, fmt.Errorf("jigsaw: a plan of %s ends before the bound of all numbers of workers, %s", r.Result.Primal.RatString(), r.Bound.RatString())
	}
	if opt.Quick || r.Result.Primal == nil || ctx.Err() != nil {
		return r, nil
	}
	again, err := Plan(ctx, r.Result.Instance, opt)
	if err != nil {
		return nil, err
	}
	if again.Primal != nil && again.Primal.Cmp(r.Result.Primal) <= 0 {
		r.Result = again
	}
	return r, nil
}

// molding is one run of [Mold].
type molding struct {
	ctx    context.Context
	spec   *instance.Spec
	models instance.ProfileSource
	quick  Options
	jobs   []moldable
	known  map[string]*Result // by numbers of workers
}

// moldable is an entry of the jobs, with the numbers of workers that it may have.
type moldable struct {
	entry        int
	alternatives []alternative
}

type alternative struct {
	workers int // 0 where there is no choice
	model   *relax.Model
	chain   *big.Rat
}

// alternatives finds the numbers of workers that the jobs may have, each compiled with its job alone on the cluster.
func (m *molding) alternatives() error {
	var refused instance.Problems
	for i := range m.spec.Jobs {
		s := &m.spec.Jobs[i]
		if s.Disabled {
			continue
		}
		numbers, job := s.Moldable, moldable{entry: i}
		if len(numbers) == 0 {
			numbers = []int{0}
		}
		workers := make([]int, len(m.spec.Jobs))
		for _, k := range numbers {
			workers[i] = k
			alone := *m.spec
			alone.Jobs = slices.Clone(m.spec.Jobs)
			for other := range alone.Jobs {
				alone.Jobs[other].Disabled = other != i
			}
			in, err := instance.Compile(alone.Mold(workers), m.models)
			var problems instance.Problems
			if errors.As(err, &problems) {
				if len(job.alternatives) == 0 && k == numbers[len(numbers)-1] {
					refused = append(refused, problems...)
				}
				continue
			}
			if err != nil {
				return err
			}
			roomy := relax.New(in.Roomy())
			if slices.ContainsFunc(roomy.Classes, func(d relax.Class) bool { return !d.Runs() }) && k != numbers[len(numbers)-1] {
				continue // no schedule has the job with so many
			}
			chain, _ := roomy.Chain()
			job.alternatives = append(job.alternatives, alternative{k, roomy, chain})
		}
		m.jobs = append(m.jobs, job)
	}
	if len(refused) > 0 {
		return refused
	}
	return nil
}

// choices is the number of combinations, at most one more than are tried.
func (m *molding) choices() int {
	n := 1
	for _, job := range m.jobs {
		n = min(n*len(job.alternatives), mostMolds+1)
	}
	return n
}

// bound holds for all combinations: each job takes as long as its shortest chain, and with weights on the ticks of
// GPUs, by type, all jobs amount to at least the sum of the least that each does, and all GPUs to no more than the makespan times
// the sum of their weights. Of the weights tried some are alike, some of one type alone, some as fast as a job runs.
func (m *molding) bound() *big.Rat {
	in := m.jobs[0].alternatives[0].model.Instance
	best := new(big.Rat)
	ones := make([]instance.Price, len(in.Types))
	for t := range ones {
		ones[t] = 1
	}
	weights := [][]instance.Price{ones}
	for t := range ones {
		one := make([]instance.Price, len(in.Types))
		one[t] = 1
		weights = append(weights, one)
	}
	for _, job := range m.jobs {
		least := job.alternatives[0].chain
		for _, a := range job.alternatives {
			if a.chain.Cmp(least) < 0 {
				least = a.chain
			}
		}
		if least.Cmp(best) > 0 {
			best = least
		}
		if len(weights) > 16 {
			continue
		}
		d := &job.alternatives[0].model.Classes[0]
		speeds := make([]instance.Price, len(in.Types))
		for t, on := range d.Job.On {
			if on != nil {
				speeds[t] = instance.Price(1_000_000 * int64(d.Full) / int64(on.Time[d.Job.Full()]))
			}
		}
		weights = append(weights, speeds)
	}
	for _, w := range weights {
		all, sum := int64(0), new(big.Int)
		for _, g := range in.GPUs {
			all += int64(w[g.Type])
		}
		for _, job := range m.jobs {
			var least *big.Int
			for _, a := range job.alternatives {
				if worth := area.Worth(a.model, w); least == nil || worth.Cmp(least) < 0 {
					least = worth
				}
			}
			sum.Add(sum, least)
		}
		if all > 0 && sum.Sign() > 0 {
			if v := new(big.Rat).SetFrac(sum, big.NewInt(all)); v.Cmp(best) > 0 {
				best = v
			}
		}
	}
	// A makespan is whole.
	whole, rest := new(big.Int).DivMod(best.Num(), best.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	return best.SetInt(whole)
}

// try makes the quick plan of a combination, by alternative of each job; first is whether it is better than that of best.
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
		if r, err = Plan(m.ctx, in, m.quick); err != nil {
			return nil, false, err
		}
		m.known[key] = r
	}
	if best == nil {
		return workers, true, nil
	}
	old := m.known[fmt.Sprint(best)]
	return workers, r.Primal != nil && (old.Primal == nil || r.Primal.Cmp(old.Primal) < 0), nil
}

// search returns the best combination that it tries.
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
	if choices <= mostMolds {
		chosen := make([]int, len(m.jobs))
		for {
			if _, err := consider(chosen); err != nil {
				return nil, err
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
	for _, order := range []func(a, b alternative) int{
		func(a, b alternative) int { return a.chain.Cmp(b.chain) },
		func(a, b alternative) int { return cmp.Compare(a.workers, b.workers) },
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
	for improved := true; improved; {
		improved = false
		for j, job := range m.jobs {
			for i := range job.alternatives {
				chosen := slices.Clone(at)
				if chosen[j] = i; i == at[j] {
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
