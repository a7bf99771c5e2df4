package instancetest_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
)

// exhaustive tries every residency, depth, rate and start on the grid of
// ticks, and lets check.Schedule decide. It drops only what breaks a rule
// already, and what ends after its job's horizon.
type exhaustive struct {
	in      *instance.Instance
	horizon []instance.Tick // by job
	r       []int           // iterations by job
	period  instance.Tick
	budget  int

	s     instance.Schedule
	visit func(*instance.Schedule) (more bool)
	stop  bool
}

// run visits the valid schedules and reports whether the budget lasted.
func (e *exhaustive) run() bool {
	e.s = instance.Schedule{Period: e.period, Residency: make([][]instance.GPUID, len(e.in.Jobs))}
	e.reside(0, 0)
	return e.budget > 0
}

// spend counts a node and reports whether to go on.
func (e *exhaustive) spend() bool {
	e.budget--
	return e.budget > 0 && !e.stop
}

func (e *exhaustive) reside(j int, from instance.GPUID) {
	if j == len(e.in.Jobs) {
		e.iteration(0, 1, e.in.Jobs[0].Release)
		return
	}
	if e.r[j] == 0 || len(e.s.Residency[j]) == e.in.Jobs[j].Workers {
		e.reside(j+1, 0)
		return
	}
	for g := from; int(g) < len(e.in.GPUs) && e.spend(); g++ {
		if !e.in.Jobs[j].Runs(e.in.GPUs[g].Type) {
			continue
		}
		e.s.Residency[j] = append(e.s.Residency[j], g)
		e.reside(j, g+1)
		e.s.Residency[j] = e.s.Residency[j][:len(e.s.Residency[j])-1]
	}
}

// iteration tries all of iteration i of job j and what follows.
func (e *exhaustive) iteration(j, i int, ready instance.Tick) {
	if !e.spend() {
		return
	}
	if i > e.r[j] {
		if j+1 < len(e.in.Jobs) {
			e.iteration(j+1, 1, e.in.Jobs[j+1].Release)
			return
		}
		if len(check.Schedule(e.in, &e.s)) == 0 && !e.visit(&e.s) {
			e.stop = true
		}
		return
	}
	e.task(j, i, 0, ready, ready, make([]int, len(e.in.Jobs[j].Depths)))
}

func (e *exhaustive) task(j, i, n int, ready, end instance.Tick, counts []int) {
	job, gpus := &e.in.Jobs[j], e.s.Residency[j]
	if n == len(gpus) {
		if job.Allows(counts) {
			e.sync(j, i, end, counts)
		}
		return
	}
	for d, length := range job.On[e.in.GPUs[gpus[n]].Type].Time {
		for start := ready; start+length <= e.horizon[j] && e.spend(); start++ {
			if e.busy(gpus[n], start, start+length) {
				continue
			}
			e.s.Tasks = append(e.s.Tasks, instance.Task{Job: instance.JobID(j), Iteration: i, GPU: gpus[n], Depth: d, Start: start, End: start + length})
			counts[d]++
			e.task(j, i, n+1, ready, max(end, start+length), counts)
			counts[d]--
			e.s.Tasks = e.s.Tasks[:len(e.s.Tasks)-1]
		}
	}
}

// busy reports whether a task is on the GPU at any of the ticks.
func (e *exhaustive) busy(g instance.GPUID, start, end instance.Tick) bool {
	for t := start; t < end; t++ {
		for _, other := range e.s.Tasks {
			for u := other.Start; other.GPU == g && u < other.End; u++ {
				if u == t || e.period > 0 && (u-t)%e.period == 0 {
					return true
				}
			}
		}
	}
	return false
}

func (e *exhaustive) sync(j, i int, end instance.Tick, counts []int) {
	job := &e.in.Jobs[j]
	if job.Workers == 1 {
		e.iteration(j, i+1, end)
		return
	}
	span, ok := e.in.Span(e.s.Residency[j])
	if !ok {
		return
	}
	for _, level := range e.in.RateLevels {
		length := e.in.SyncTicks(job.Volume(counts, span.Parties), span.Rate(level))
		for start := end; start+length <= e.horizon[j] && e.spend(); start++ {
			e.s.Syncs = append(e.s.Syncs, instance.Sync{Job: instance.JobID(j), Iteration: i, Start: start, End: start + length, Rate: level})
			e.iteration(j, i+1, start+length)
			e.s.Syncs = e.s.Syncs[:len(e.s.Syncs)-1]
		}
	}
}

// slowest returns a time that an idle cluster needs at most for all jobs, one
// after another, wherever they live: no schedule worth having is longer.
func slowest(in *instance.Instance) instance.Tick {
	sum := instance.Tick(0)
	for j := range in.Jobs {
		job := &in.Jobs[j]
		longest, full := instance.Tick(0), make([]int, len(job.Depths))
		for _, c := range job.On {
			if c != nil {
				longest = max(longest, c.Time[job.Full()])
			}
		}
		full[job.Full()] = job.Workers
		if job.Workers > 1 {
			rate := instance.Rate(0)
			for _, l := range in.Links {
				if r := in.Rate(l.Capacity / instance.BitRate(len(in.Nodes))); rate == 0 || r < rate {
					rate = r
				}
			}
			longest += in.SyncTicks(job.Volume(full, job.Workers), rate)
		}
		sum = max(sum, job.Release) + longest*instance.Tick(job.Iterations)
	}
	return sum
}

// TestOptimumAgainstExhaustive compares the optimum with the best of all
// schedules on the grid.
func TestOptimumAgainstExhaustive(t *testing.T) {
	sizes := []instancetest.Options{
		{Jobs: 2, GPUs: 2, Workers: 2, Iterations: 1},
		{Jobs: 1, GPUs: 3, Workers: 3, Iterations: 1},
		{Jobs: 1, GPUs: 2, Workers: 2, Iterations: 2},
		{Jobs: 3, GPUs: 2, Workers: 1, Iterations: 1},
	}
	n := instancetest.Many(100, 15)
	rng := seeded(3)
	for _, objective := range []instance.Objective{instance.Makespan, instance.WeightedCompletion} {
		agreed := map[instancetest.Status]int{}
		skipped := 0
		for i := range n * len(sizes) {
			size := sizes[i%len(sizes)]
			size.Objective = objective
			in := instancetest.Random(rng, size)
			value, _, status := instancetest.Optimum(in)
			require.NotEqual(t, instancetest.Skipped, status)

			e := &exhaustive{in: in, budget: 200_000}
			for j := range in.Jobs {
				job := &in.Jobs[j]
				horizon := slowest(in)
				if status == instancetest.Optimal { // nobody can end later than the optimum allows
					horizon = instance.Tick(value.Num().Int64())
					if objective == instance.WeightedCompletion {
						horizon /= instance.Tick(job.Weight)
					}
				}
				if job.Deadline > 0 {
					horizon = min(horizon, job.Deadline)
				}
				e.horizon = append(e.horizon, horizon)
				e.r = append(e.r, job.Iterations)
			}
			var best *big.Rat
			e.visit = func(s *instance.Schedule) bool {
				if v := in.Value(s); best == nil || v.Cmp(best) < 0 {
					best = v
				}
				return status == instancetest.Optimal && best.Cmp(value) >= 0 || best == nil
			}
			// The search stops only where it proves the optimum wrong, so an
			// agreement means that everything was tried.
			if !e.run() {
				skipped++
				continue
			}
			agreed[status]++
			if status == instancetest.Optimal {
				require.NotNil(t, best, "the optimum is %v", value)
				require.Zero(t, best.Cmp(value), "the optimum is %v, but there is a schedule of %v", value, best)
			} else {
				require.Nil(t, best, "an infeasible instance has a schedule")
			}
		}
		t.Logf("%s: agreed on %v, too large %d", objective, agreed, skipped)
		assert.Greater(t, agreed[instancetest.Optimal], n)
		assert.Greater(t, agreed[instancetest.Infeasible], n/20)
	}
}

// TestPeriodicOptimumAgainstExhaustive does so for periodic plans: for all
// periods and iterations of higher value there must be no valid schedule on
// the grid, and for some of the optimal value there must be one.
func TestPeriodicOptimumAgainstExhaustive(t *testing.T) {
	n := instancetest.Many(100, 15)
	rng := seeded(4)
	sizes := []instancetest.Options{
		{Jobs: 2, GPUs: 2, Workers: 2, MaxPeriod: 4},
		{Jobs: 3, GPUs: 2, Workers: 1, MaxPeriod: 4},
		{Jobs: 1, GPUs: 2, Workers: 2, MaxPeriod: 6},
	}
	for _, objective := range []instance.Objective{instance.Throughput, instance.MaxMinThroughput} {
		agreed, positive, skipped := 0, 0, 0
		for i := range n * len(sizes) {
			size := sizes[i%len(sizes)]
			size.Objective = objective
			in := instancetest.Random(rng, size)
			value, _, status := instancetest.Optimum(in)
			require.Equal(t, instancetest.Optimal, status)

			e := &exhaustive{in: in, budget: 300_000}
			attained := false
			for period := instance.Tick(1); period <= in.MaxPeriod; period++ {
				e.period = period
				e.horizon = make([]instance.Tick, len(in.Jobs))
				for j := range e.horizon {
					// A job starts within the first period, and its iterations
					// do not last longer than one.
					e.horizon[j] = 2 * period
				}
				e.r = make([]int, len(in.Jobs))
				var choose func(j int)
				choose = func(j int) {
					if j < len(in.Jobs) {
						for e.r[j] = 0; e.r[j] <= int(period); e.r[j]++ {
							choose(j + 1)
						}
						return
					}
					order := in.RateValue(e.r, period).Cmp(value)
					if order < 0 || order == 0 && attained {
						return
					}
					e.stop = false
					e.visit = func(s *instance.Schedule) bool {
						require.Zero(t, in.Value(s).Cmp(value), "the optimum is %v, but there is a schedule of %v", value, in.Value(s))
						attained = true
						return false
					}
					e.run()
				}
				choose(0)
			}
			if e.budget <= 0 {
				skipped++
				continue
			}
			require.True(t, attained)
			agreed++
			if value.Sign() > 0 {
				positive++
			}
		}
		t.Logf("%s: agreed on %d, of them positive %d, too large %d", objective, agreed, positive, skipped)
		assert.Greater(t, positive, n/2)
	}
}
