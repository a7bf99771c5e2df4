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
	// Makespan minimises the time until the last job ends, if no more came.
	Makespan Objective = "makespan"
)

// Demand is a job that wants a part of the cluster.
type Demand struct {
	GPUs   int
	Weight float64
	// Rate is the iterations per second on GPUs of each type, 0 where it cannot run.
	Rate []float64
	// Remaining iterations.
	Remaining float64
	// Since is for how long the job has been there, and Isolated how long what it
	// has done would have taken it on its equal part of the cluster, in seconds.
	Since, Isolated float64
}

// Allocation says for every job i and GPU type t which part X[i][t] of the time it
// is to run there, and what that is worth: the objective, in seconds for Makespan.
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
//     whose right side is convex in rho: it is approached by its tangents from below
//     until rho moves no more.
func Allocate(ctx context.Context, engine solver.Solver, objective Objective, gpus []int, jobs []Demand) (*Allocation, error) {
	if len(jobs) == 0 {
		return &Allocation{}, nil
	}
	a := allocator{ctx: ctx, gpus: gpus, jobs: jobs}
	a.build()
	switch objective {
	case MaxMin:
		return a.maxMin(engine)
	case Makespan:
		return a.makespan(engine)
	case FinishTime:
		return a.finishTime(engine)
	}
	return nil, fmt.Errorf("policy: unknown objective %q", objective)
}

// allocator holds one program: columns x[i,t] in order of jobs and types, and one
// more for the objective.
type allocator struct {
	ctx     context.Context
	gpus    []int
	jobs    []Demand
	problem solver.Problem
	cols    [][]solver.Col // x[i,t]; -1 where the job cannot run
	value   solver.Col
}

// build states what all objectives have in common.
func (a *allocator) build() {
	p := &a.problem
	part := make([]solver.Row, len(a.jobs))
	room := make([]solver.Row, len(a.gpus))
	for i := range a.jobs {
		part[i] = p.AddRow("", math.Inf(-1), 1)
	}
	for t, n := range a.gpus {
		room[t] = p.AddRow("", math.Inf(-1), float64(n))
	}
	a.cols = make([][]solver.Col, len(a.jobs))
	for i, j := range a.jobs {
		a.cols[i] = make([]solver.Col, len(a.gpus))
		for t := range a.gpus {
			a.cols[i][t] = -1
			if j.Rate[t] > 0 {
				a.cols[i][t] = p.AddCol("", 0, 0, math.Inf(1), solver.Entry{Row: part[i], Value: 1}, solver.Entry{Row: room[t], Value: float64(j.GPUs)})
			}
		}
	}
	a.value = p.AddCol("", 0, 0, math.Inf(1))
}

// terms returns scale x tau_i.
func (a *allocator) terms(i int, scale float64) []solver.Term {
	var terms []solver.Term
	for t, col := range a.cols[i] {
		if col >= 0 {
			terms = append(terms, solver.Term{Col: col, Value: scale * a.jobs[i].Rate[t]})
		}
	}
	return terms
}

// largest maximises z with z <= scale(i) tau_i for all i.
func (a *allocator) largest(engine solver.Solver, scale func(i int) float64) (*Allocation, error) {
	a.problem.Cost[a.value] = -1
	rows := make([]solver.Constraint, len(a.jobs))
	for i := range a.jobs {
		rows[i] = solver.Constraint{Lower: 0, Upper: math.Inf(1), Terms: append(a.terms(i, scale(i)), solver.Term{Col: a.value, Value: -1})}
	}
	a.problem.AddConstraints(rows...)
	m, err := engine.Load(&a.problem)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return a.solve(m)
}

func (a *allocator) solve(m solver.Model) (*Allocation, error) {
	s, err := m.Solve(a.ctx, solver.Limits{})
	if err != nil {
		return nil, err
	}
	if s.Status != solver.Optimal {
		return nil, fmt.Errorf("policy: the program of an allocation ended as %v", s.Status)
	}
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

func (a *allocator) maxMin(engine solver.Solver) (*Allocation, error) {
	total := 0
	for _, n := range a.gpus {
		total += n
	}
	return a.largest(engine, func(i int) float64 {
		j, spread := &a.jobs[i], 0.0
		for t, n := range a.gpus {
			spread += j.Rate[t] * float64(n) / float64(total)
		}
		return float64(j.GPUs) / (j.Weight * spread)
	})
}

func (a *allocator) makespan(engine solver.Solver) (*Allocation, error) {
	// In units of the longest job on its best type, so that numbers are near 1.
	unit := 0.0
	for _, j := range a.jobs {
		best := 0.0
		for _, r := range j.Rate {
			best = max(best, r)
		}
		unit = max(unit, j.Remaining/best)
	}
	r, err := a.largest(engine, func(i int) float64 { return unit / a.jobs[i].Remaining })
	if err != nil {
		return nil, err
	}
	r.Value = unit / r.Value
	return r, nil
}

// isolated returns the throughput of an equal part of the cluster.
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

// Tangents of finish-time fairness.
const (
	ratioTolerance = 1e-10
	mostTangents   = 200 // rounds of them
)

func (a *allocator) finishTime(engine solver.Solver) (*Allocation, error) {
	theta := make([]float64, len(a.jobs))
	expected := make([]float64, len(a.jobs))
	least := 0.0 // rho is above every theta; the column is what it is more
	for i := range a.jobs {
		expected[i] = a.jobs[i].Isolated + a.jobs[i].Remaining/a.isolated(i)
		theta[i] = a.jobs[i].Since / expected[i]
		least = max(least, theta[i])
	}
	a.problem.Cost[a.value] = 1
	m, err := engine.Load(&a.problem)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	// An equal part of the cluster for everybody gives a ratio that can be had.
	high := 0.0
	for i := range a.jobs {
		high = max(high, theta[i]-least+(a.jobs[i].Remaining/a.isolated(i))/expected[i])
	}
	at, before := high, math.Inf(-1)
	for range mostTangents {
		rows := make([]solver.Constraint, len(a.jobs))
		for i := range a.jobs {
			// y >= f + f' (rho - at), f = 1 / (at - theta), f' = -f^2; over f.
			f := 1 / (at - (theta[i] - least))
			rows[i] = solver.Constraint{
				Lower: 1 + f*at, Upper: math.Inf(1),
				Terms: append(a.terms(i, expected[i]/a.jobs[i].Remaining/f), solver.Term{Col: a.value, Value: f}),
			}
		}
		if err := m.AddRows(rows...); err != nil {
			return nil, err
		}
		r, err := a.solve(m)
		if err != nil {
			return nil, err
		}
		// Nothing above least, even twice, only says that the tangents are still loose:
		// the ratio is above every theta.
		if r.Value > 0 && math.Abs(r.Value-before) <= ratioTolerance*r.Value {
			r.Value += least
			return r, nil
		}
		before = r.Value
		// The next tangents touch at the new ratio, which is a lower bound, or
		// where that is no ratio at all, between the two.
		if at = r.Value; at <= 0 {
			high /= 2
			at = high
		}
	}
	return nil, fmt.Errorf("policy: finish-time fairness did not converge in %d rounds", mostTangents)
}
