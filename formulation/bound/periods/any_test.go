package periods

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound/fluid"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	model "jigsaw/formulation/relax/fluid"
	"jigsaw/formulation/relax/linear"
	"jigsaw/formulation/relax/periods"
	"jigsaw/formulation/relax/verify"
)

// TestAnyPeriod: without a limit on the period, the bound is no worse than the best plan of a short one, or than the least makespan, and
// certificates that were changed prove nothing better; splits improve on the program alone.
func TestAnyPeriod(t *testing.T) {
	s := boundtest.Engine(t)
	n := seeds(180)
	solved, better, split := 0, 0, 0
	for seed := range n {
		rng := rand.New(rand.NewPCG(seed, 140))
		var in *instance.Instance
		switch seed % 7 {
		case 0:
			in = boundtest.SlowNICs(t, rng, 3)
		case 1:
			in = boundtest.BusyGPUs(t, rng, 3)
		case 2:
			in = instancetest.Random(rng, instancetest.Options{Objective: instance.Throughput, Jobs: 3})
		case 3:
			in = instancetest.Random(rng, instancetest.Options{Objective: instance.MaxMinThroughput, Jobs: 3})
		case 4:
			in = instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan, Jobs: 3})
		default:
			in = boundtest.Everywhere(t, rng, []instance.Objective{instance.Throughput, instance.MaxMinThroughput}[seed%2])
			if seed%3 == 0 {
				jobs := slices.Clone(in.Jobs)
				for i := range jobs {
					jobs[i].Iterations = 1 + rng.IntN(3)
				}
				in = in.WithJobs(jobs)
				in.Objective, in.MaxPeriod = instance.Makespan, 0
			}
		}
		optimum, _, status := instancetest.OptimumWithin(in, 100_000)
		if status != instancetest.Optimal || optimum.Sign() == 0 {
			continue
		}
		free := *in
		free.MaxPeriod = 0
		b, err := Bound(context.Background(), &free, s, Limits{Until: func() *big.Rat { return nil }, Nodes: 60})
		require.NoError(t, err, "seed %d", seed)
		if b.Value == nil {
			continue
		}
		solved++
		require.False(t, in.Objective.Better(optimum, b.Value), "seed %d: any period has at most %v, the optimum is %v", seed, b.Value, optimum)
		root, err := fluid.Bound(context.Background(), &free, s, fluid.Limits{})
		require.NoError(t, err)
		if in.Objective.Better(root.Value, b.Value) {
			better++
		}
		proof := b.Proof(&free)
		if len(proof.Tree) > 1 {
			split++
		}
		checked, err := verify.Certificate(context.Background(), &free, proof)
		require.NoError(t, err, "seed %d", seed)
		require.Zero(t, checked.Value.Cmp(b.Value), "seed %d", seed)
		for range 10 {
			c := *proof
			c.Tree, c.Prices = slices.Clone(proof.Tree), slices.Clone(proof.Prices)
			boundtest.Alter(rng, &c)
			if b, err := verify.Check(context.Background(), &free, &c); err == nil {
				require.False(t, in.Objective.Better(optimum, b.Value), "seed %d: a changed certificate proves %v, the optimum is %v", seed, b.Value, optimum)
			}
		}
	}
	t.Logf("%d bounds, %d trees, %d better than the program alone", solved, split, better)
	assert.Greater(t, better, int(n)/20)
}

// TestEndedAtOnce: a search that ends before it has begun proves nothing.
func TestEndedAtOnce(t *testing.T) {
	s := boundtest.Engine(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, objective := range []instance.Objective{instance.Throughput, instance.MaxMinThroughput, instance.Makespan} {
		for seed := range uint64(5) {
			in := instancetest.Random(rand.New(rand.NewPCG(seed, 141)), instancetest.Options{Objective: objective, Jobs: 3})
			b, _ := Bound(ctx, in, s, Limits{Until: boundtest.NoSchedule})
			require.Nil(t, b.Value)
			require.False(t, b.Certified)
		}
	}
}

// TestHomesOfJobs: of three jobs on a node of two GPUs and two nodes of one, all of them cannot be half on the fast one. Each
// has tasks of 2 ms, and synchronises within the node in 1 ms, between the others in 6.
func TestHomesOfJobs(t *testing.T) {
	s := boundtest.Engine(t)
	spec := &instance.Spec{
		Version: instance.Version, Objective: instance.Throughput,
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
			Racks: []instance.RackSpec{
				{Nodes: 1, GPUs: 2, GPU: "v100", NIC: 1e6, Fabric: 16e6},
				{Nodes: 2, GPUs: 1, GPU: "v100", NIC: 1e6, Fabric: 16e6},
			},
			RateLevels: []instance.RateLevel{1},
		},
		Profiles: []*instance.Profile{{Model: "m", GPU: "v100", Batch: 8, Layers: []instance.Layer{
			{Name: "l", Forward: 1e6, Backward: 1e6, Parameters: 500},
		}}},
	}
	for _, name := range []string{"a", "b", "c"} {
		spec.Jobs = append(spec.Jobs, instance.JobSpec{Name: name, Model: "m", Workers: 2, Weight: 1, SPB: instance.SPBSpec{Rule: "full"}})
	}
	in := boundtest.Compile(t, spec)
	root, err := fluid.Bound(t.Context(), in, s, fluid.Limits{})
	require.NoError(t, err)
	b, err := Bound(t.Context(), in, s, Limits{Until: func() *big.Rat { return nil }, Nodes: 60})
	require.NoError(t, err)
	t.Logf("fluid %v, any period %v", root.Value.FloatString(4), b.Value.FloatString(4))
	homes := 0
	f := periods.New(relax.New(in), b.Proof(in).Columns).Program(0, nil)
	for _, n := range b.Proof(in).Tree {
		if n.Kind == relax.ColumnKind && strings.Contains(f.Linear.Cols[n.Column].Name, ".does.") {
			homes++
		}
	}
	assert.Positive(t, homes)
	assert.True(t, in.Objective.Better(root.Value, b.Value))
}

// TestGangsBetweenTasks: tasks of a job may start before the deepest task of a gang on one GPU and after a shallow one on another, so that
// the gang's next iteration can follow at once. Here a job of tasks of 3 ms does that beside a gang of tasks of 10 and 2 ms.
func TestGangsBetweenTasks(t *testing.T) {
	s := boundtest.Engine(t)
	layer := func(forward, backward instance.Duration) instance.Layer {
		return instance.Layer{Name: "l", Forward: forward * 1e6, Backward: backward * 1e6, Parameters: 500}
	}
	in := boundtest.Compile(t, &instance.Spec{
		Version: instance.Version, Objective: instance.Makespan,
		Cluster: instance.ClusterSpec{
			GPUTypes:   []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
			Racks:      []instance.RackSpec{{Nodes: 1, GPUs: 2, GPU: "v100", NIC: 1e6, Fabric: 16e6}},
			RateLevels: []instance.RateLevel{1},
		},
		Profiles: []*instance.Profile{
			{Model: "short", GPU: "v100", Batch: 8, Layers: []instance.Layer{layer(1, 2)}},
			{Model: "long", GPU: "v100", Batch: 8, Layers: []instance.Layer{layer(0, 8), layer(1, 1)}},
		},
		Jobs: []instance.JobSpec{
			{Name: "a", Model: "short", Workers: 2, Iterations: 2},
			{Name: "b", Model: "long", Workers: 2, Iterations: 2, Gang: true, SPB: instance.SPBSpec{Rule: "free", MinMeanDepth: 500_000, Depths: []int{1, 2}}},
		},
	})
	both := []instance.GPUID{0, 1}
	plan := &instance.Schedule{
		Residency: [][]instance.GPUID{both, both},
		Tasks: []instance.Task{
			in.Task(0, 1, 0, 0, 0), in.Task(0, 1, 1, 0, 5), in.Task(0, 2, 0, 0, 16), in.Task(0, 2, 1, 0, 9),
			in.Task(1, 1, 0, 1, 3), in.Task(1, 1, 1, 0, 3), in.Task(1, 2, 0, 0, 14), in.Task(1, 2, 1, 1, 14),
		},
		Syncs: []instance.Sync{
			{Job: 0, Iteration: 1, Start: 8, End: 9, Rate: 1}, {Job: 0, Iteration: 2, Start: 19, End: 20, Rate: 1},
			{Job: 1, Iteration: 1, Start: 13, End: 14, Rate: 1}, {Job: 1, Iteration: 2, Start: 24, End: 25, Rate: 1},
		},
	}
	require.Empty(t, check.Schedule(in, plan))
	b, err := Bound(t.Context(), in, s, Limits{Until: boundtest.NoSchedule, Nodes: 60})
	require.NoError(t, err)
	require.NotNil(t, b.Value)
	require.False(t, in.Objective.Better(in.Value(plan), b.Value), "the makespan is at least %s, that of a schedule %s", b.Value.RatString(), in.Value(plan).RatString())
}

// TestWideRows maximises the left sides of rows (27) and (28): with their coefficients as weights, no plan has a
// larger throughput than the right side says, and some reach it.
func TestWideRows(t *testing.T) {
	rows, reached := 0, 0
	for seed := range seeds(400) {
		in := boundtest.Everywhere(t, rand.New(rand.NewPCG(seed, 141)), instance.Throughput)
		f := model.New(relax.New(in), model.Detail{ClassesApart: int(seed % 2 * model.FewClasses)})
		for r := range f.Linear.Rows {
			if !strings.HasSuffix(f.Linear.Rows[r].Name, ".wide") {
				continue
			}
			weighted := *in
			weighted.Jobs = slices.Clone(in.Jobs)
			for i := range f.Shapes {
				first := slices.IndexFunc(f.Linear.Cols, func(c linear.Col) bool { return strings.HasPrefix(c.Name, f.Shapes[i].ID+".does.") })
				coefficient := int64(0)
				for _, term := range f.Linear.Cols[first].Terms {
					if term.Row == r {
						coefficient = term.Value
					}
				}
				for _, c := range f.Shapes[i].Classes {
					for _, j := range f.Model.Classes[c].Jobs {
						weighted.Jobs[j].Weight = coefficient
					}
				}
			}
			optimum, _, status := instancetest.OptimumWithin(&weighted, 100_000)
			if status != instancetest.Optimal {
				continue
			}
			rows++
			most := big.NewRat(f.Linear.Rows[r].Rhs, f.Period)
			require.LessOrEqual(t, optimum.Cmp(most), 0, "seed %d: row %s is not above %v, a plan has %v", seed, f.Linear.Rows[r].Name, most, optimum)
			if optimum.Cmp(most) == 0 {
				reached++
			}
		}
	}
	t.Logf("%d rows, %d of them tight", rows, reached)
	assert.Greater(t, reached, rows/4)
}
