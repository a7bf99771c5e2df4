package policy

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"jigsaw"
	"jigsaw/solver"
	"jigsaw/study/policy/reference"
)

func engineOrNil() (solver.Solver, error) { return jigsaw.Solver() }

// engine returns the LP engine of this build, or skips the test.
func engine(t *testing.T) solver.Solver {
	t.Helper()
	e, err := engineOrNil()
	if err != nil {
		t.Skipf("no LP engine: %v", err)
	}
	return e
}

// TestGavelReference: the objectives equal those of Gavel's own code to 1e-6.
func TestGavelReference(t *testing.T) {
	lp := engine(t)
	instances, err := reference.Gavel()
	require.NoError(t, err)
	require.Len(t, instances, 5)
	for _, in := range instances {
		var jobs, agnostic []Demand
		for _, j := range in.Jobs {
			d := Demand{GPUs: j.GPUs, Weight: j.Weight, Rate: j.Rate, Remaining: j.Remaining, Since: j.Since}
			jobs = append(jobs, d)
			d.Rate = []float64{1, 1, 1}
			agnostic = append(agnostic, d)
		}
		value := func(o Objective, jobs []Demand) float64 {
			a, err := Allocate(context.Background(), lp, o, in.GPUs, jobs)
			require.NoError(t, err)
			requireFits(t, in.GPUs, jobs, a)
			return a.Value
		}
		near := func(want, got float64, what string) {
			require.InEpsilon(t, want, got, 1e-6, "%s: %s", in.Name, what)
		}
		near(in.Objectives.MaxMin, value(MaxMin, jobs), "max-min")
		near(in.Objectives.MaxMinTypesAlike, value(MaxMin, agnostic), "max-min, all types alike")
		near(in.Objectives.FinishTime, value(FinishTime, jobs), "finish-time fairness")
		makespan := value(Makespan, jobs)
		near(in.Objectives.Makespan, makespan, "makespan")
		near(in.Objectives.MakespanBisected, gavelBisection(makespan), "makespan by Gavel's bisection")
	}
}

// gavelBisection is the final value of Gavel's bisection for a known exact
// makespan: it stops within 5 %.
func gavelBisection(exact float64) float64 {
	low, high := 100.0, 1e6
	for last := high; ; last *= 10 {
		found := 0.0
		for 1.05*low < high {
			if mid := (low + high) / 2; mid >= exact {
				found, high = mid, mid
			} else {
				low = mid
			}
		}
		if found > 0 {
			return found
		}
		low, high = last, 10*last
	}
}

func requireFits(t require.TestingT, gpus []int, jobs []Demand, a *Allocation) {
	used := make([]float64, len(gpus))
	for i, x := range a.X {
		sum := 0.0
		for k, v := range x {
			sum += v
			used[k] += v * float64(jobs[i].GPUs)
			require.GreaterOrEqual(t, v, 0.0)
		}
		require.LessOrEqual(t, sum, 1+1e-6)
	}
	for k := range gpus {
		require.LessOrEqual(t, used[k], float64(gpus[k])*(1+1e-6))
	}
}

// TestAllocateByHand: answers that can be worked out on paper.
func TestAllocateByHand(t *testing.T) {
	lp := engine(t)
	allocate := func(o Objective, gpus []int, jobs ...Demand) float64 {
		a, err := Allocate(context.Background(), lp, o, gpus, jobs)
		require.NoError(t, err)
		return a.Value
	}
	one := Demand{GPUs: 1, Weight: 1, Rate: []float64{2}, Remaining: 100}
	// Two jobs share one GPU: each has half of its throughput.
	require.InDelta(t, 0.5, allocate(MaxMin, []int{1}, one, one), 1e-9)
	// 100 iterations each at 2 a second, one after the other.
	require.InDelta(t, 100, allocate(Makespan, []int{1}, one, one), 1e-9)
	// Half of the GPU is the equal share, so no job is better or worse off.
	require.InDelta(t, 1, allocate(FinishTime, []int{1}, one, one), 1e-9)
	// A job that waited 50 s and expects 100 s on its share: (50 + 100 / (2 x)) /
	// 100; the other (100 / (2 y)) / 100. Equal with x + y = 1: 1/2 + 1/(2x) =
	// 1/(2y).
	late := one
	late.Since = 50
	y := (3 - math.Sqrt(5)) / 2 // of y^2 - 3 y + 1 = 0
	require.InDelta(t, 1/(2*y), allocate(FinishTime, []int{1}, late, one), 1e-9)
	// A short job that waited 4,200 of the 10,002 s it expects, and one whose ratio is
	// larger whatever it gets: the first tangents are useless, more than once. With
	// nearly all of the GPU for the second its ratio is (0.5 + 38 / x) / (1 + 76).
	waited := Demand{GPUs: 1, Weight: 1, Rate: []float64{1}, Remaining: 1, Since: 4200, Isolated: 1e4}
	short := Demand{GPUs: 1, Weight: 1, Rate: []float64{1}, Remaining: 38, Since: 0.5, Isolated: 1}
	require.InDelta(t, (0.5+38/(1-0.00124))/77, allocate(FinishTime, []int{1}, waited, short), 1e-4)
	// Each of two jobs has a type it is twice as fast on; even spread is 1.5.
	left, right := Demand{GPUs: 1, Weight: 1, Rate: []float64{2, 1}, Remaining: 1}, Demand{GPUs: 1, Weight: 1, Rate: []float64{1, 2}, Remaining: 1}
	require.InDelta(t, 4.0/3, allocate(MaxMin, []int{1, 1}, left, right), 1e-9)
	// A job that cannot run on a type is not placed there.
	left.Rate = []float64{0, 1}
	require.InDelta(t, 2, allocate(Makespan, []int{4, 1}, left, left), 1e-9)
}

// TestFinishTimeIsLeast: no other allocation of a grid has a smaller ratio.
func TestFinishTimeIsLeast(t *testing.T) {
	lp := engine(t)
	rapid.Check(t, func(t *rapid.T) {
		gpus := rapid.IntRange(1, 3).Draw(t, "gpus")
		var jobs []Demand
		for range 2 {
			jobs = append(jobs, Demand{
				GPUs: 1, Weight: 1, Rate: []float64{rapid.Float64Range(0.1, 10).Draw(t, "rate")},
				Remaining: rapid.Float64Range(1, 1e6).Draw(t, "remaining"),
				Since:     rapid.Float64Range(0, 1e5).Draw(t, "since"), Isolated: rapid.Float64Range(0, 1e4).Draw(t, "isolated"),
			})
		}
		a, err := Allocate(context.Background(), lp, FinishTime, []int{gpus}, jobs)
		require.NoError(t, err)
		requireFits(t, []int{gpus}, jobs, a)
		al := allocator{gpus: []int{gpus}, jobs: jobs}
		ratio := func(x ...float64) float64 {
			worst := 0.0
			for i, j := range jobs {
				worst = max(worst, (j.Since+j.Remaining/(j.Rate[0]*x[i]))/(j.Isolated+j.Remaining/al.isolated(i)))
			}
			return worst
		}
		// Engines may violate a row by [solver.FeasibilityTol], with numbers of a few
		// units.
		require.InEpsilon(t, a.Value, ratio(a.X[0][0], a.X[1][0]), 10*solver.FeasibilityTol)
		for k := 1; k < 100; k++ {
			x := float64(k) / 100
			require.LessOrEqual(t, a.Value, ratio(x, min(1, float64(gpus)-x))*(1+1e-9))
		}
	})
}
