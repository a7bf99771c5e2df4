package policy

import (
	"context"
	"fmt"
	"math"

	"jigsaw/solver"
)

// Objective of an [Allocate].
type Objective string

// The objectives of Gavel (D. Narayanan et al., Heterogeneity-aware cluster
// scheduling policies for deep learning workloads, OSDI 2020).
const (
	// MaxMin maximises the least normalised throughput.
	MaxMin Objective = "max-min"
	// FinishTime minimises the largest finish-time ratio.
	FinishTime Objective = "ftf"
	// Makespan minimises the time until the last job ends, if no more jobs arrive.
	Makespan Objective = "makespan"
)

// Demand is a job that wants a share of the cluster.
type Demand struct {
	GPUs   int
	Weight float64
	// Rate is the iterations per second on GPUs of each type, 0 if it cannot run there.
	Rate []float64
	// Remaining iterations.
	Remaining float64
	// Since is how long ago the job arrived, and Isolated how long its completed work
	// would have taken on its equal share of the cluster, in seconds.
	Since, Isolated float64
}

// Allocation gives, for every job i and GPU type t, the fraction X[i][t] of the
// time it is to run there, and the value of the objective, in seconds for Makespan.
type Allocation struct {
	X     [][]float64
	Value float64
}

// Allocate solves a policy of Gavel exactly, as a linear program over
//
//	x[i,t] >= 0,  sum_t x[i,t] <= 1,  sum_i n_i x[i,t] <= N_t,
//
// with n_i the GPUs of job i, N_t those of type t, and the throughput tau_i = sum_t
// r[i,t] x[i,t]:
//
//   - MaxMin: maximise z, z <= n_i tau_i / (w_i p_i), with p_i = sum_t r[i,t] N_t /
//     sum N, the throughput of an even spread.
//   - Makespan: maximise z, z <= tau_i / R_i; the value is 1/z.
//   - FinishTime: minimise rho, s_i + R_i / tau_i <= rho E_i, where E_i = isolated
//     time + R_i / q_i and q_i is the throughput of an equal part of the cluster: per
//     type N_t / m GPUs for each of m jobs, so x = N_t / (m n_i), scaled down to a sum
//     of 1. With theta_i = s_i / E_i this is E_i / R_i tau_i >= 1 / (rho - theta_i),
//     whose right side is convex in rho: Newton's method replaces it by its tangent at
//     the last rho, see fairness.go.
func Allocate(ctx context.Context, engine solver.Solver, objective Objective, gpus []int, jobs []Demand) (*Allocation, error) {
	return allocate(ctx, engine, objective, gpus, jobs, nil)
}

// allocate is [Allocate] starting from the end of the last program; nil starts from
// scratch.
func allocate(ctx context.Context, engine solver.Solver, objective Objective, gpus []int, jobs []Demand, warm *warmStart) (*Allocation, error) {
	if len(jobs) == 0 {
		return &Allocation{}, nil
	}
	a := allocator{ctx: ctx, engine: engine, gpus: gpus, jobs: jobs, warm: warm}
	switch objective {
	case MaxMin:
		return a.maxMin()
	case Makespan:
		return a.makespan()
	case FinishTime:
		return a.finishTime()
	}
	return nil, fmt.Errorf("policy: unknown objective %q", objective)
}

// allocator holds one program: columns x[i,t] in order of jobs and types, and one
// more for the objective.
type allocator struct {
	ctx     context.Context
	engine  solver.Solver
	gpus    []int
	jobs    []Demand
	warm    *warmStart
	problem solver.Problem
	part    []solver.Row   // sum_t x[i,t] <= 1
	room    []solver.Row   // sum_i n_i x[i,t] <= N_t
	goal    []solver.Row   // the requirement of the objective for each job
	cols    [][]solver.Col // x[i,t]; -1 if the job cannot run there
	value   solver.Col
	basis   *solver.Basis // of the last solution
}

// build states a program: the rows common to all objectives, and a row for each job,
// from lower(i), of scale(i) tau_i and value(i) times the objective's column.
func (a *allocator) build(cost float64, lower, scale, value func(i int) float64) {
	a.problem = solver.Problem{}
	p := &a.problem
	a.part = make([]solver.Row, len(a.jobs))
	a.goal = make([]solver.Row, len(a.jobs))
	a.room = make([]solver.Row, len(a.gpus))
	for i := range a.jobs {
		a.part[i] = p.AddRow("", math.Inf(-1), 1)
		a.goal[i] = p.AddRow("", lower(i), math.Inf(1))
	}
	for t, n := range a.gpus {
		a.room[t] = p.AddRow("", math.Inf(-1), float64(n))
	}
	a.cols = make([][]solver.Col, len(a.jobs))
	values := make([]solver.Entry, len(a.jobs))
	for i, j := range a.jobs {
		a.cols[i] = make([]solver.Col, len(a.gpus))
		for t := range a.gpus {
			a.cols[i][t] = -1
			if j.Rate[t] > 0 {
				a.cols[i][t] = p.AddCol("", 0, 0, math.Inf(1), solver.Entry{Row: a.part[i], Value: 1},
					solver.Entry{Row: a.goal[i], Value: scale(i) * j.Rate[t]}, solver.Entry{Row: a.room[t], Value: float64(j.GPUs)})
			}
		}
		values[i] = solver.Entry{Row: a.goal[i], Value: value(i)}
	}
	a.value = p.AddCol("", cost, 0, math.Inf(1), values...)
}

// solve solves the built program, from the basis of the last one.
func (a *allocator) solve() (*Allocation, error) {
	m, err := a.engine.Load(&a.problem)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	if a.basis == nil {
		a.basis = a.warm.basis(a)
	}
	if a.basis != nil {
		if err := m.SetBasis(a.basis); err != nil {
			return nil, err
		}
	}
	s, err := m.Solve(a.ctx, solver.Limits{})
	if err != nil {
		return nil, err
	}
	if s.Status != solver.Optimal {
		return nil, fmt.Errorf("policy: the program of an allocation ended as %v", s.Status)
	}
	a.basis = m.Basis()
	r := &Allocation{X: make([][]float64, len(a.jobs)), Value: s.Primal[a.value]}
	for i := range a.jobs {
		r.X[i] = make([]float64, len(a.gpus))
		for t, col := range a.cols[i] {
			if col >= 0 {
				r.X[i][t] = min(1, max(0, s.Primal[col]))
			}
		}
	}
	return r, nil
}

// largest maximises z with z <= scale(i) tau_i for all i.
func (a *allocator) largest(scale func(i int) float64) (*Allocation, error) {
	a.build(-1, func(int) float64 { return 0 }, scale, func(int) float64 { return -1 })
	r, err := a.solve()
	if err == nil {
		a.warm.keep(a, 0)
	}
	return r, err
}

func (a *allocator) maxMin() (*Allocation, error) {
	total := 0
	for _, n := range a.gpus {
		total += n
	}
	return a.largest(func(i int) float64 {
		j, spread := &a.jobs[i], 0.0
		for t, n := range a.gpus {
			spread += j.Rate[t] * float64(n) / float64(total)
		}
		return float64(j.GPUs) / (j.Weight * spread)
	})
}

func (a *allocator) makespan() (*Allocation, error) {
	// In units of the longest job on its best type, so that numbers are near 1.
	unit := 0.0
	for _, j := range a.jobs {
		best := 0.0
		for _, r := range j.Rate {
			best = max(best, r)
		}
		unit = max(unit, j.Remaining/best)
	}
	r, err := a.largest(func(i int) float64 { return unit / a.jobs[i].Remaining })
	if err != nil {
		return nil, err
	}
	r.Value = unit / r.Value
	return r, nil
}

// isolated returns the throughput of an equal share of the cluster.
func (a *allocator) isolated(i int) float64 {
	j := &a.jobs[i]
	sum, rate := 0.0, 0.0
	for t, n := range a.gpus {
		x := float64(n) / float64(len(a.jobs)) / float64(j.GPUs)
		sum += x
		rate += x * j.Rate[t]
	}
	return rate / max(1, sum)
}
