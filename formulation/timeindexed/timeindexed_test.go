package timeindexed_test

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/timeindexed"
	"jigsaw/solver"
	"jigsaw/solver/backend"
)

func LiveEngine(t *testing.T) solver.Solver {
	t.Helper()
	engine, err := backend.Default()
	if errors.Is(err, backend.ErrNone) {
		t.Skip("no linear programming engine in this build")
	}
	require.NoError(t, err)
	return engine
}

// solveExactly returns the optimum of the time-indexed programs of an instance,
// nil if they have no solution; for periodic objectives the best over all
// periods.
func solveExactly(t *testing.T, engine solver.Solver, in *instance.Instance, options timeindexed.Options) (value *big.Rat, tried bool) {
	t.Helper()
	if !in.Objective.Periodic() {
		return solveProgram(t, engine, in, options)
	}
	var best *big.Rat
	for options.Period = 1; options.Period <= in.MaxPeriod; options.Period++ {
		value, tried := solveProgram(t, engine, in, options)
		if !tried {
			return nil, false
		}
		require.NotNil(t, value, "a periodic plan may do nothing")
		if best == nil || in.Objective.Better(value, best) {
			best = value
		}
	}
	return best, true
}

// maxEntries is the size from which a program takes seconds; tests skip those,
// and count them.
const maxEntries = 6_000

// solveProgram returns the optimum, nil if there is no solution, and whether the program
// was small enough to try.
func solveProgram(t *testing.T, engine solver.Solver, in *instance.Instance, options timeindexed.Options) (optimum *big.Rat, tried bool) {
	t.Helper()
	program, err := timeindexed.New(in, options)
	require.NoError(t, err)
	if len(program.Problem.Index) > maxEntries {
		return nil, false
	}
	x, objective := boundtest.Integer(t, engine, program.Problem, program.Priority())
	if x == nil {
		return nil, true
	}
	value := program.Value(int64(objective))
	require.Zero(t, value.Cmp(program.Bound(objective)))
	if options.Granularity == "" || options.Granularity == timeindexed.ByGPU {
		s, err := program.Schedule(x)
		require.NoError(t, err)
		require.Empty(t, check.Schedule(in, s))
		require.Zero(t, in.Value(s).Cmp(value), "the schedule has the value %v, the program %v", in.Value(s), value)
	}
	return value, true
}

// horizonFor is a horizon that every optimal schedule of value v meets, with
// slack.
func horizonFor(in *instance.Instance, v *big.Rat, slack int) instance.Tick {
	h := new(big.Int).Div(v.Num(), v.Denom()).Int64()
	if in.Objective == instance.WeightedCompletion {
		least := in.Jobs[0].Weight
		for j := range in.Jobs {
			least = min(least, in.Jobs[j].Weight)
		}
		h /= least
	}
	return instance.Tick(h + int64(slack))
}

// The program of single GPUs has the optimum of brute force.
func TestTimeIndexedIsExact(t *testing.T) {
	engine := LiveEngine(t)
	n := 5400
	if testing.Short() {
		n = 60
	}
	sizes := []instancetest.Options{
		{},
		{Jobs: 2, GPUs: 3, Workers: 2, Iterations: 2, MaxPeriod: 6},
		{Jobs: 2, GPUs: 2, Workers: 2, Iterations: 2, MaxPeriod: 6},
		{Jobs: 1, GPUs: 4, Workers: 4, Iterations: 3, MaxPeriod: 12},
		{Jobs: 3, GPUs: 2, Workers: 2, Iterations: 1, MaxPeriod: 5},
	}
	count := map[instance.Objective]map[instancetest.Status]int{}
	for i := range n {
		o := sizes[i%len(sizes)]
		o.Objective = instance.Objectives()[i/len(sizes)%4]
		rng := rand.New(rand.NewPCG(21, uint64(i)))
		in := instancetest.Random(rng, o)
		want, optimal, status := instancetest.Optimum(in)
		if status == instancetest.Skipped {
			continue
		}
		var options timeindexed.Options
		if !o.Objective.Periodic() && want != nil {
			slack := rng.IntN(3)
			if rng.IntN(2) == 0 {
				options.Horizon = horizonFor(in, want, slack)
			} else {
				options.Value = new(big.Rat).Add(want, big.NewRat(int64(slack), 1))
			}
		}
		value, tried := solveExactly(t, engine, in, options)
		if count[o.Objective] == nil {
			count[o.Objective] = map[instancetest.Status]int{}
		}
		if !tried {
			status = instancetest.Skipped
		}
		if count[o.Objective][status]++; !tried {
			continue
		}
		if status == instancetest.Infeasible {
			require.Nil(t, value, "instance %d: brute force says infeasible, the program %v", i, value)
			continue
		}
		require.NotNil(t, value, "instance %d: brute force says %v, the program infeasible", i, want)
		require.Zero(t, want.Cmp(value), "instance %d (%s): brute force says %v, the program %v", i, o.Objective, want, value)
		startsFrom(t, engine, in, options, optimal)
	}
	t.Logf("%v", count)
	for _, o := range instance.Objectives() {
		assert.Greater(t, count[o][instancetest.Optimal], n/8)
	}
}

// Coarser sites relax the problem: their value is never worse than the optimum.
func TestCoarserTimeIndexedRelaxes(t *testing.T) {
	engine := LiveEngine(t)
	n := 400
	if testing.Short() {
		n = 40
	}
	sizes := []instancetest.Options{
		{Jobs: 2, GPUs: 4, Workers: 3, Iterations: 2, MaxPeriod: 6},
		{Jobs: 3, GPUs: 3, Workers: 2, Iterations: 1, MaxPeriod: 5},
	}
	rng := rand.New(rand.NewPCG(23, 24))
	tight := map[timeindexed.Granularity]int{}
	for i := range n {
		o := sizes[i%len(sizes)]
		o.Objective = instance.Objectives()[i/len(sizes)%4]
		in := instancetest.Random(rng, o)
		want, _, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		for _, g := range []timeindexed.Granularity{timeindexed.ByNode, timeindexed.ByPool} {
			options := timeindexed.Options{Granularity: g}
			if !o.Objective.Periodic() {
				options.Horizon = horizonFor(in, want, 0)
			}
			value, tried := solveExactly(t, engine, in, options)
			if !tried {
				continue
			}
			require.NotNil(t, value, "instance %d: %s calls a feasible instance infeasible", i, g)
			require.False(t, in.Objective.Better(want, value), "instance %d (%s): by %s the value is %v, the optimum %v", i, o.Objective, g, value, want)
			if value.Cmp(want) == 0 {
				tight[g]++
			}
		}
	}
	t.Logf("of %d instances the value was the optimum: %v", n, tight)
	assert.Greater(t, tight[timeindexed.ByNode], n/2)
	assert.Less(t, tight[timeindexed.ByPool], n, "the test would notice if pools were exact by mistake")
}

// The one-shot engine, which starts cold at every node, finds the same optima.
func TestTimeIndexedColdEngine(t *testing.T) {
	live := LiveEngine(t)
	cold, err := backend.OneShot()
	require.NoError(t, err)
	n := 60
	if testing.Short() {
		n = 12
	}
	rng := rand.New(rand.NewPCG(25, 26))
	for i := range n {
		in := instancetest.Random(rng, instancetest.Options{Jobs: 2, GPUs: 3, Workers: 2, Iterations: 2, MaxPeriod: 4, Objective: instance.Objectives()[i%4]})
		var options timeindexed.Options
		if !in.Objective.Periodic() {
			options.Horizon = 14
		}
		a, _ := solveExactly(t, live, in, options)
		b, _ := solveExactly(t, cold, in, options)
		require.Equal(t, a == nil, b == nil)
		if a != nil {
			require.Zero(t, a.Cmp(b), "live %v, cold %v", a, b)
		}
	}
}

func TestTimeIndexedOptions(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	once := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan, Jobs: 2, Iterations: 2})
	repeats := instancetest.Random(rng, instancetest.Options{Objective: instance.Throughput})
	for _, c := range []struct {
		in      *instance.Instance
		options timeindexed.Options
		want    string
	}{
		{once, timeindexed.Options{Granularity: "rack"}, `granularity "rack": choose one of [gpu node pool]`},
		{once, timeindexed.Options{Period: 5}, "give a horizon instead of a period"},
		{once, timeindexed.Options{Horizon: -1}, "negative"},
		{once, timeindexed.Options{Coefficients: 100}, "a coarser granularity, a shorter horizon or period"},
		{repeats, timeindexed.Options{}, "needs a period"},
		{repeats, timeindexed.Options{Period: 5, Horizon: 5}, "give a period instead of a horizon"},
		{repeats, timeindexed.Options{Period: 100}, "exceeds the greatest"},
		{repeats, timeindexed.Options{Period: 5, Value: big.NewRat(1, 1)}, "says nothing"},
	} {
		_, err := timeindexed.New(c.in, c.options)
		assert.ErrorContains(t, err, c.want)
	}

	p, err := timeindexed.New(once, timeindexed.Options{})
	require.NoError(t, err)
	_, err = p.Schedule(make([]float64, 3))
	assert.ErrorContains(t, err, "a solution of 3 values for a program of")
	half := make([]float64, p.Problem.Cols())
	half[len(half)-1] = 0.5
	_, err = p.Schedule(half)
	assert.ErrorContains(t, err, "a schedule needs whole numbers")
	_, err = p.Schedule(make([]float64, p.Problem.Cols()))
	assert.ErrorContains(t, err, "is not a valid schedule")
	p, err = timeindexed.New(once, timeindexed.Options{Granularity: timeindexed.ByPool})
	require.NoError(t, err)
	_, err = p.Schedule(make([]float64, p.Problem.Cols()))
	assert.ErrorContains(t, err, "does not say which GPUs")
}

// startsFrom checks that a schedule has a vector, at both granularities that
// have vectors, which is feasible and has its value.
func startsFrom(t *testing.T, engine solver.Solver, in *instance.Instance, options timeindexed.Options, s *instance.Schedule) {
	t.Helper()
	options.Period = s.Period
	for _, options.Granularity = range []timeindexed.Granularity{timeindexed.ByGPU, timeindexed.ByNode} {
		program, err := timeindexed.New(in, options)
		require.NoError(t, err)
		x, err := program.Vector(s)
		require.NoError(t, err)
		only := program.Problem.Clone()
		for j, v := range x {
			only.ColLower[j], only.ColUpper[j] = max(only.ColLower[j], v), min(only.ColUpper[j], v)
		}
		_, objective := boundtest.Integer(t, engine, only, nil)
		require.Zero(t, program.Value(int64(objective)).Cmp(in.Value(s)))
		if options.Granularity == timeindexed.ByGPU {
			again, err := program.Schedule(x)
			require.NoError(t, err)
			require.Zero(t, in.Value(again).Cmp(in.Value(s)))
		}
	}
}

func TestTimeIndexedVectorErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 30))
	in := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan, Jobs: 2, Iterations: 2})
	_, s, status := instancetest.Optimum(in)
	require.Equal(t, instancetest.Optimal, status)
	p, err := timeindexed.New(in, timeindexed.Options{Horizon: s.Makespan(in) - 1})
	require.NoError(t, err)
	_, err = p.Vector(s)
	assert.ErrorContains(t, err, "choose a longer horizon")
	_, err = p.Vector(&instance.Schedule{Residency: make([][]instance.GPUID, len(in.Jobs))})
	assert.ErrorContains(t, err, "the schedule is not valid")
	p, err = timeindexed.New(in, timeindexed.Options{Granularity: timeindexed.ByPool})
	require.NoError(t, err)
	_, err = p.Vector(s)
	assert.ErrorContains(t, err, "no vector")
}
