package jigsaw_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/method"
	"jigsaw/solver/backend"
)

// requirePlanInBlocks holds a plan in blocks to the rules, to its bound and to its baselines.
func requirePlanInBlocks(t *testing.T, r *jigsaw.Result) {
	t.Helper()
	in := r.Instance
	require.Empty(t, check.Blocks(in, r.Blocks))
	require.Zero(t, in.Value(r.Blocks).Cmp(r.Primal))
	require.NotNil(t, r.Dual)
	require.LessOrEqual(t, r.Dual.Cmp(r.Primal), 0)
	for _, b := range []jigsaw.Baseline{r.Queue, r.Exclusive, r.InterleavedFull} {
		require.NotNil(t, b.Blocks, b.Reason)
		require.Empty(t, check.Blocks(in.FullDepth(), b.Blocks))
		require.LessOrEqual(t, r.Primal.Cmp(b.Value), 0)
	}
	if r.Schedule != nil {
		require.Empty(t, check.Schedule(in, r.Schedule))
		require.Zero(t, in.Value(r.Schedule).Cmp(r.Primal))
	}
	if r.Proof != nil {
		proven, err := jigsaw.Certify(context.Background(), in, r.Proof)
		require.NoError(t, err)
		require.LessOrEqual(t, proven.Value.Cmp(r.Primal), 0)
	}
	var file bytes.Buffer
	require.NoError(t, json.NewEncoder(&file).Encode(codec.NewScheduleJSON(in, r.Blocks)))
	read, err := codec.DecodePlan(in, &file)
	require.NoError(t, err)
	require.Zero(t, in.Value(read).Cmp(r.Primal))
	requireSchema(t, r)
}

// TestQueueQueues: jobs that memory does not hold together were proven infeasible, and now run one after
// the other.
func TestQueueQueues(t *testing.T) {
	t.Parallel()
	in := example(t, "queue")
	r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Quick: true})
	require.NoError(t, err)
	requirePlanInBlocks(t, r)
	from, to := r.Blocks.Spans(in)
	require.True(t, to[0] <= from[1] || to[1] <= from[0], "the two language models")
	together := *in
	together.Residence = ""
	r, err = jigsaw.Plan(context.Background(), &together, jigsaw.Options{Quick: true})
	require.NoError(t, err)
	require.Equal(t, jigsaw.Infeasible, r.Status)
}

// TestQuickFluidProgram: quick plans state a small fluid program of the weighted completion, since a large one takes a minute.
func TestQuickFluidProgram(t *testing.T) {
	t.Parallel()
	if _, err := backend.Default(); err != nil {
		t.Skip(err)
	}
	in := *example(t, "quickstart")
	in.Objective = instance.WeightedCompletion
	r, err := jigsaw.Plan(context.Background(), &in, jigsaw.Options{Quick: true})
	require.NoError(t, err)
	require.Equal(t, relax.FluidBound, r.Proof.Kind)
	require.LessOrEqual(t, r.Proof.Columns, 2000)
}

// TestOnlyWhatDoesNotFitAloneIsInfeasible: and no deadline in its way.
func TestOnlyWhatDoesNotFitAloneIsInfeasible(t *testing.T) {
	t.Parallel()
	in := *example(t, "queue")
	in.Types = []instance.GPUType{{Name: "v100", Memory: 5 << 30}}
	r, err := jigsaw.Plan(context.Background(), &in, jigsaw.Options{Quick: true})
	require.NoError(t, err)
	require.Equal(t, jigsaw.Infeasible, r.Status)
	require.Contains(t, r.Reasons[0], "bert")
	require.Equal(t, relax.PresolveProof, r.Proof.Kind)
}

// TestNightShares: jobs that share GPUs end a night by a quarter earlier than whole jobs.
func TestNightShares(t *testing.T) {
	t.Parallel()
	in := example(t, "night")
	plan := func() *jigsaw.Result {
		r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Quick: true, Seed: 3})
		require.NoError(t, err)
		return r
	}
	r := plan()
	requirePlanInBlocks(t, r)
	assert.Less(t, new(big.Rat).Quo(r.Primal, r.Exclusive.Value).Cmp(big.NewRat(3, 4)), 0)
	assert.Less(t, r.Gap(), 0.05)
	assert.Less(t, r.InterleavedFull.Value.Cmp(r.Exclusive.Value), 0, "at full depth they share GPUs as well")
	assert.True(t, r.Certified)
	assert.Greater(t, r.Blocks.Tasks(), int64(50_000_000))
	if !testing.Short() {
		assert.Equal(t, r.Blocks, plan().Blocks, "same seed, same plan")
	}
	var table bytes.Buffer
	require.NoError(t, jigsaw.WriteStays(&table, r.Stays(), r.Begin))
	assert.Equal(t, 201, strings.Count(table.String(), "\n"))
	assert.NotNil(t, r.Document(true).Schedule.Blocks)
}

// TestNightPhases: where one long job decides when a night ends, the others do not all end with it; and where it may be over a tenth
// later, and the sum of ends counts, far from it.
func TestNightPhases(t *testing.T) {
	t.Parallel()
	document, models := documentAndModels(t, "night")
	spec := document.Spec
	long := spec.Jobs[4]
	long.Name, long.Count, long.Iterations = "long", 1, 100_000
	spec.Cluster.Racks[0].Nodes, spec.Jobs = 4, append(spec.Jobs[:3:3], long)
	plan := func(objective instance.Objective) (*jigsaw.Result, float64) {
		spec.Objective = objective
		in, err := instance.Compile(spec, models)
		require.NoError(t, err)
		r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{NoLP: true, Quick: testing.Short() && objective == instance.Makespan})
		require.NoError(t, err)
		require.NotNil(t, r.Blocks, r.Reasons)
		_, ends := r.Blocks.Spans(in)
		mean := 0.0
		for _, end := range ends {
			mean += float64(end) / float64(len(ends))
		}
		return r, mean
	}
	shortest, mean := plan(instance.Makespan)
	last, _ := shortest.Primal.Float64()
	assert.Less(t, mean, 0.95*last)
	for j := range spec.Jobs {
		spec.Jobs[j].Deadline = instance.Duration(1.1*last) * instance.Duration(shortest.Instance.TickUS) * 1000
	}
	_, sooner := plan(instance.WeightedCompletion)
	assert.Less(t, sooner, 0.8*last)
	t.Logf("mean end %.3f of the makespan, %.3f with deadlines", mean/last, sooner/last)
}

// TestLateJobShares: a job that comes while another runs shares its GPUs from then on, and that one does not wait for it.
func TestLateJobShares(t *testing.T) {
	t.Parallel()
	in := compiled(t, `
version: 1
objective: makespan
residence: run
cluster:
  gpu_types: [{name: v100, memory: 32GiB}]
  racks: [{nodes: 2, gpus: 4, gpu: v100, nic: 25Gbit/s, fabric: 400Gbit/s}]
jobs:
  - {name: a, model: resnet50, workers: 4, iterations: 4000}
  - {name: b, model: resnet50, workers: 4, iterations: 4000}
  - {name: late, model: gnmt, workers: 2, iterations: 4000, release: 10m}
`)
	r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{NoLP: true})
	require.NoError(t, err)
	requirePlanInBlocks(t, r)
	from, _ := r.Blocks.Spans(in)
	assert.Zero(t, from[0])
	assert.Zero(t, from[1])
	assert.Less(t, r.Gap(), 0.01)
}

// TestNobodyWaitsForTheLast: of jobs that fill the memory of their GPUs together, so that some may not be at full depth where
// they like, those that are there begin, though one comes after two hours.
func TestNobodyWaitsForTheLast(t *testing.T) {
	t.Parallel()
	in := compiled(t, `
version: 1
objective: makespan
residence: run
cluster:
  gpu_types: [{name: v100, memory: 16GiB}]
  racks: [{nodes: 2, gpus: 4, gpu: v100, nic: 50Gbit/s, fabric: 300Gbit/s}]
  load_rate: 1GB/s
jobs:
  - {name: j0, model: resnet50, workers: 8, iterations: 22000, release: 80m}
  - {name: j1, model: vgg16, workers: 2, iterations: 15000}
  - {name: j2, model: vgg16, workers: 2, iterations: 11000, release: 120m}
  - {name: j3, model: resnet50, workers: 2, iterations: 30000}
  - {name: j4, model: bert24, workers: 8, iterations: 28000}
`)
	r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{NoLP: true})
	require.NoError(t, err)
	requirePlanInBlocks(t, r)
	for j, s := range r.Stays() {
		if in.Jobs[j].Release == 0 {
			assert.Less(t, s.Wait, 60.0, s.Job)
		}
	}
	assert.Less(t, r.Gap(), 0.2) // all from two hours on: 0.3
}

// TestJobsMakeWay: jobs that memory does not hold together come as others end, and who lasts longest runs beside all of them. Of jobs that are
// released one after the other the same, in whatever order. With -short, of quick plans.
func TestJobsMakeWay(t *testing.T) {
	t.Parallel()
	for kind := range smallNights {
		better := 0
		for seed := range instancetest.Many(uint64(20), 3) {
			in := smallNight(t, kind, seed)
			plan := func(without bool) *jigsaw.Result {
				r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{NoLP: true, Quick: testing.Short(), Without: method.Set{method.Arrivals: without}})
				require.NoError(t, err)
				requirePlanInBlocks(t, r)
				return r
			}
			r := plan(false)
			if plan(true).Primal.Cmp(r.Primal) > 0 {
				better++
				if kind == 0 || !testing.Short() {
					require.Equal(t, r.Blocks, plan(false).Blocks, "same seed, same plan")
				}
			}
		}
		assert.Positive(t, better, smallNights[kind].name)
	}
}

// TestLateGroups: jobs that come at any time, on a few GPUs or on all, one after the other or at once: none is on a GPU
// before those that were there have left it.
func TestLateGroups(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(26, 11))
	for n := range instancetest.Many(uint64(200), 3) {
		spec := "version: 1\nresidence: run\nobjective: " + []string{"makespan", "weighted_completion"}[n%2] + `
cluster:
  gpu_types: [{name: v100, memory: 16GiB}]
  racks: [{nodes: 2, gpus: 4, gpu: v100, nic: 25Gbit/s, fabric: 300Gbit/s}]
  load_rate: 1GB/s
jobs:
`
		for j := range 5 {
			model := []string{"vgg16", "resnet50", "bert24", "gnmt"}[rng.IntN(4)]
			spec += fmt.Sprintf("  - {name: j%d, model: %s, workers: %d, iterations: %d, release: %dm}\n", j, model, 1<<rng.IntN(4), 1000*(1+rng.IntN(30)), rng.IntN(2)*10*rng.IntN(20))
		}
		r, err := jigsaw.Plan(context.Background(), compiled(t, spec), jigsaw.Options{NoLP: true, Quick: testing.Short()})
		require.NoError(t, err, spec)
		requirePlanInBlocks(t, r)
	}
}

// TestLongPlansTimeLimit: interleaved-full, which is planned beside the plan, is valid and no better.
func TestLongPlansTimeLimit(t *testing.T) {
	t.Parallel()
	in := example(t, "queue")
	require.NotEqual(t, in, in.FullDepth())
	r, err := jigsaw.Plan(t.Context(), in, jigsaw.Options{Time: time.Second})
	require.NoError(t, err)
	requirePlanInBlocks(t, r)
	require.LessOrEqual(t, r.InterleavedFull.Value.Cmp(r.Exclusive.Value), 0)
}

// TestTinyLongPlans: plans of tiny instances whose jobs queue, with deadlines, are valid, or there is none; nothing is a
// fault.
func TestTinyLongPlans(t *testing.T) {
	t.Parallel()
	planned, count := 0, uint64(150)
	if testing.Short() {
		count = 20
	}
	for seed := range count {
		rng := rand.New(rand.NewPCG(seed, 19))
		spec := instancetest.RandomSpec(rng, instancetest.Options{Objective: []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]})
		spec.Residence = instance.WhileRunning
		for j := range spec.Jobs {
			spec.Jobs[j].Load = instance.Duration(rng.IntN(3)) * 1e6
			spec.Jobs[j].Iterations = 1 + rng.IntN(80)
			if spec.Jobs[j].Deadline > 0 {
				spec.Jobs[j].Deadline *= 30
			}
		}
		in, err := instance.Compile(spec, nil)
		require.NoError(t, err)
		options := jigsaw.Options{Quick: seed%3 > 0, NoLP: seed%3 == 0, EqualBaselines: seed%8 == 0}
		r, err := jigsaw.Plan(context.Background(), in, options)
		require.NoError(t, err, "seed %d", seed)
		if seed%10 == 0 {
			again, err := jigsaw.Plan(context.Background(), in, options)
			require.NoError(t, err)
			require.Equal(t, r.Blocks, again.Blocks, "seed %d: same seed, same plan", seed)
		}
		if r.Blocks == nil {
			require.NotEmpty(t, r.Reasons)
			continue
		}
		planned++
		require.Empty(t, check.Schedule(in, r.Schedule))
		require.LessOrEqual(t, r.Dual.Cmp(r.Primal), 0)
	}
	require.Greater(t, planned, int(count)/2)
}

// TestTinyLongPlansOfGroups: so are those of jobs whose workers have two GPUs. The seeds that stand first made plans that
// tore workers apart, or left a job in memory where it did not run.
func TestTinyLongPlansOfGroups(t *testing.T) {
	t.Parallel()
	seeds := []uint64{179, 853, 875, 2472}
	for seed := range uint64(60) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 21))
		spec := instancetest.GroupedSpec(rng, instancetest.Options{
			Jobs: 4, Iterations: 6, GPUs: 5, Objective: []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2],
		})
		spec.Residence = instance.WhileRunning
		for i := range spec.Jobs {
			spec.Jobs[i].Iterations *= 1 + rng.IntN(40)
			spec.Jobs[i].Load = instance.Duration(rng.IntN(4)) * instance.Duration(max(1, spec.TickUS)) * 1000
		}
		in, err := instance.Compile(spec, nil)
		require.NoError(t, err)
		r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Quick: true, NoLP: true})
		require.NoError(t, err, "seed %d", seed)
		require.True(t, r.Blocks == nil || len(check.Blocks(in, r.Blocks)) == 0)
	}
}

// TestBoundsGrowWithTheIterations: ten million times the iterations, ten million times the bound, and no
// number that has overflowed on the way.
func TestBoundsGrowWithTheIterations(t *testing.T) {
	t.Parallel()
	const times = 10_000_000
	examples, err := jigsaw.Examples()
	require.NoError(t, err)
	for _, e := range examples {
		if e.Name != "rack" {
			continue
		}
		document, err := codec.Decode(e.Data)
		require.NoError(t, err)
		models, err := jigsaw.Models()
		require.NoError(t, err)
		short, err := document.Compile(models)
		require.NoError(t, err)
		for i := range document.Spec.Jobs {
			document.Spec.Jobs[i].Iterations *= times
		}
		long, err := document.Compile(models)
		require.NoError(t, err)
		require.True(t, long.Long())
		bounds := map[relax.Kind]float64{}
		small, err := jigsaw.Bound(context.Background(), short, jigsaw.Options{Quick: true})
		require.NoError(t, err)
		for _, b := range small.Bounds {
			bounds[b.Kind], _ = b.Value.Float64()
		}
		large, err := jigsaw.Bound(context.Background(), long, jigsaw.Options{})
		require.NoError(t, err)
		require.True(t, large.Certified)
		require.GreaterOrEqual(t, len(large.Bounds), 2)
		for _, b := range large.Bounds {
			if b.Kind == relax.PackingBound || b.Kind == relax.PeriodsBound {
				continue // one ends early where iterations are long, with less, and quick plans do without the other
			}
			v, _ := b.Value.Float64()
			require.InEpsilon(t, times*bounds[b.Kind], v, 0.001, "%s", b.Kind)
		}
	}
}

// TestBoundsOfLongPlans: where jobs stay in memory for the whole plan, whole workers on whole GPUs prove more than the sum of
// their work does; for the weighted completion, plans of jobs do.
func TestBoundsOfLongPlans(t *testing.T) {
	t.Parallel()
	for objective, kind := range map[instance.Objective]relax.Kind{instance.Makespan: relax.PackingBound, instance.WeightedCompletion: relax.IntervalsBound} {
		spec := &instance.Spec{
			Version: 1, Objective: objective,
			Cluster: instance.ClusterSpec{GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 32 << 30}}, Racks: []instance.RackSpec{{Nodes: 1, GPUs: 3, GPU: "v100", NIC: 100e9, Fabric: 1200e9}}},
		}
		for n := range 4 {
			spec.Jobs = append(spec.Jobs, instance.JobSpec{Name: fmt.Sprint("vgg", n), Model: "vgg16", Workers: 1, Iterations: 60_000 + 6_000*n, Weight: 1 + int64(n%3)})
		}
		models, err := jigsaw.Models()
		require.NoError(t, err)
		in, err := instance.Compile(spec, models)
		require.NoError(t, err)
		r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{})
		require.NoError(t, err)
		requirePlanInBlocks(t, r)
		require.True(t, r.Certified)
		require.Equal(t, kind, r.Proof.Kind)
	}
}

func TestBatch(t *testing.T) {
	t.Parallel()
	const cluster = `
version: 1
cluster:
  gpu_types: [{name: v100, memory: 32GiB}]
  racks: [{nodes: 2, gpus: 8, gpu: v100, nic: 100Gbit/s, fabric: 1200Gbit/s}]
`
	models, err := jigsaw.Models()
	require.NoError(t, err)
	batch := func(jobs string) (*codec.Document, error) {
		return jigsaw.Batch([]byte(cluster), func(*instance.Spec) (*codec.JobList, error) {
			return codec.DecodeJobs(strings.NewReader(jobs), nil)
		}, func(*instance.Spec) (instance.ProfileSource, error) { return models, nil })
	}
	d, err := batch("name,model,workers,iterations,hours,weight,release\na,gnmt,4,100,,3,1h\nb,resnet50,8,,2,,\n")
	require.NoError(t, err)
	require.Equal(t, instance.WhileRunning, d.Spec.Residence)
	require.EqualValues(t, 3, d.Spec.Jobs[0].Weight)
	in, err := d.Compile(models)
	require.NoError(t, err)
	require.Equal(t, 100, in.Jobs[0].Iterations)
	require.EqualValues(t, 3_600_000, in.Jobs[0].Release)
	// Two hours alone, of iterations of 443.4 ms and a synchronisation.
	require.InDelta(t, 7200/0.446, in.Jobs[1].Iterations, 300)
	_, err = batch("name\tmodel\tworkers\titerations\na\tgnmt\t4\t100\n")
	require.NoError(t, err)

	d, err = batch("# tonight; all of it\r\n\r\nname\tmodel\tworkers\tweight\titerations\r\na\tgnmt\t4.0\t2.00\t100\r\n")
	require.NoError(t, err, "the columns come after other lines")
	require.Equal(t, 4, d.Spec.Jobs[0].Workers)
	require.EqualValues(t, 2, d.Spec.Jobs[0].Weight)

	_, err = batch("name;model;workers;gpus_per_worker;iterations;accumulate;checkpointing;sharding;within\na;llama3_8b;2;8;100;4;true;zero1;rack\n")
	require.ErrorContains(t, err, "has no profile of 8 GPUs together, only of one GPU and 2 GPUs; estimate one", "semicolons")
	d, err = batch("name;model;workers;iterations;accumulate;checkpointing;sharding;within;optimizer\na;resnet50;2;100;4;FALSE;zero1;rack;adam\nb;gnmt;4;100;;false;;;\n")
	require.NoError(t, err)
	require.Equal(t, instance.JobSpec{Name: "a", Model: "resnet50", Workers: 2, Iterations: 100, Accumulate: 4, Sharding: "zero1", Optimizer: "adam",
		Placement: instance.PlacementSpec{Within: "rack"}}, d.Spec.Jobs[0])
	require.Equal(t, instance.JobSpec{Name: "b", Model: "gnmt", Workers: 4, Iterations: 100}, d.Spec.Jobs[1])

	for jobs, want := range map[string]string{
		"name,model,workers,iterations,checkpointing\na,gnmt,4,9,yes\n":  `line 2, column 12: checkpointing: "yes" is neither true nor false`,
		"name,model,workers,iterations,sharding\na,gnmt,4,9,zero9\n":     `line 2: jobs[0].sharding "a": `,
		"name,model,workers,gpus_per_worker,iterations\na,gnmt,4,0,9\n":  `gpus_per_worker: "0" is not a whole number above 0`,
		"name,model,workers,iterations\na,gnmt,4.5,100\n":                `"4.5" is not a whole number above 0`,
		"name,model,workers,iterations\na,gnmt,4,99999999999999999999\n": `iterations: "99999999999999999999" is too large`,
		"\xff\xfen\x00":                                               "the list is in UTF-16; save it as UTF-8",
		"name,model,workers\na,gnmt,4\n":                              "line 1: one of the columns iterations and hours is needed",
		"name,model,workers,iterations\na,gnmt,four,100\n":            `line 2, column 8: workers: "four" is not a whole number above 0`,
		"name,model,workers,hours\na,gnmt,4,-1\n":                     `line 2, column 10: hours: "-1" is not a number of hours`,
		"name,model,workers,iterations\na,gnmt,4,\n":                  `line 2, column 1: job "a" needs either iterations or hours`,
		"name,model,workers,hours\na,gnmt,4,1\nb,gnmt,4,999999\n":     `line 3: jobs[1].hours "b": 999999 hours are `,
		"name,modell,workers,iterations\n":                            `line 1, column 6: unknown column "modell"`,
		"name,model,workers,iterations\na,gnmt,4,100\nb,gnmu,4,100\n": `line 3: jobs[1].model "b": no profile of model "gnmu"; did you mean "gnmt"?`,
		"name,model,workers,iterations,release\na,gnmt,4,100,soon\n":  "line 2, column 14: release: ",
		"name,model,name,workers,iterations\n":                        `line 1, column 12: the column "name" is given twice`,
		"":                                                            "the list is empty; a list of jobs begins with a line of column names",
	} {
		_, err := batch(jobs)
		require.ErrorContains(t, err, want, "%q", jobs)
	}
}
