package whatif_test

import (
	"context"
	"fmt"
	"math/big"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/whatif"
)

func exampleDocument(t *testing.T, name string) *codec.Document {
	t.Helper()
	examples, err := jigsaw.Examples()
	require.NoError(t, err)
	i := slices.IndexFunc(examples, func(e jigsaw.Example) bool { return e.Name == name })
	require.GreaterOrEqual(t, i, 0)
	document, err := codec.Decode(examples[i].Data)
	require.NoError(t, err)
	return document
}

func resilienceOf(t *testing.T, name string, opt whatif.ResilienceOptions) *whatif.ResilienceResult {
	t.Helper()
	document := exampleDocument(t, name)
	models, err := jigsaw.Models()
	require.NoError(t, err)
	r, err := whatif.Resilience(context.Background(), document.Spec, models, opt)
	require.NoError(t, err)
	return r
}

// TestResilience holds the harm of every failure to what is true of all.
func TestResilience(t *testing.T) {
	names := []string{"quickstart", "crossing"}
	if testing.Short() {
		names = names[:1]
	}
	for _, name := range names {
		r := resilienceOf(t, name, whatif.ResilienceOptions{Failures: 1})
		in := r.Plan.Instance
		require.Equal(t, len(in.Links)+len(in.Nodes), r.Cases)
		require.Len(t, r.Harm, r.Cases)
		touched := 0
		for i, h := range r.Harm {
			if len(h.Touched) == 0 {
				assert.Zero(t, h.Repaired.Cmp(r.Plan.Primal), "who is not touched goes on")
				assert.Empty(t, h.Moved)
			} else {
				touched++
			}
			assert.Subset(t, h.Touched, h.Moved, "only who is touched moves")
			if h.Bound != nil && h.Replanned != nil {
				assert.LessOrEqual(t, h.Bound.Cmp(h.Replanned), 0)
			}
			if h.Repaired != nil {
				assert.LessOrEqual(t, h.Replanned.Cmp(h.Repaired), 0)
			}
			if i > 0 && h.Repaired != nil && r.Harm[i-1].Repaired != nil && h.Replanned != nil && len(h.Infeasible) == 0 {
				assert.LessOrEqual(t, h.Repaired.Cmp(r.Harm[i-1].Repaired), 0, "sorted by harm")
			}
		}
		assert.Positive(t, touched)

		before := runtime.GOMAXPROCS(1)
		again := resilienceOf(t, name, whatif.ResilienceOptions{Failures: 1})
		runtime.GOMAXPROCS(before)
		assert.Equal(t, r.Harm, again.Harm, "whatever the number of cores")
	}
}

func TestResilienceOfPairs(t *testing.T) {
	r := resilienceOf(t, "quickstart", whatif.ResilienceOptions{Failures: 2, Sample: 12, Seed: 3})
	require.Len(t, r.Harm, 12)
	for _, h := range r.Harm {
		require.Len(t, h.Failures, 2)
		require.NotEqual(t, h.Failures[0], h.Failures[1])
	}
	ctx, stop := context.WithCancel(context.Background())
	document := exampleDocument(t, "quickstart")
	models, err := jigsaw.Models()
	require.NoError(t, err)
	r, err = whatif.Resilience(ctx, document.Spec, models, whatif.ResilienceOptions{Failures: 1, Progress: func(n, _ int) {
		if n == 3 {
			stop()
		}
	}})
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(r.Harm), 3)
	assert.Less(t, len(r.Harm), r.Cases, "what is there when it is interrupted")
}

// fatTree is a network of three levels: 4 pods of 4 edge and 4 aggregation switches under 16 cores, 64 nodes of 2 GPUs,
// and 59 jobs, many of several pods.
func fatTree() *instance.Spec {
	const pods, edges, nodes = 4, 4, 4
	s := &instance.Spec{Version: instance.Version, Name: "fat-tree"}
	c := &s.Cluster
	c.GPUTypes = []instance.GPUTypeSpec{{Name: "v100", Memory: 32 << 30}}
	c.Latency = 100_000
	join := func(from, to string) { c.Links = append(c.Links, instance.LinkSpec{From: from, To: to, Rate: 100e9}) }
	for i := range edges * edges {
		c.Switches = append(c.Switches, instance.SwitchSpec{Name: fmt.Sprintf("c%d", i)})
	}
	for p := range pods {
		for a := range edges {
			c.Switches = append(c.Switches, instance.SwitchSpec{Name: fmt.Sprintf("a%d%d", p, a)}, instance.SwitchSpec{Name: fmt.Sprintf("e%d%d", p, a)})
			for i := range edges {
				join(fmt.Sprintf("e%d%d", p, i), fmt.Sprintf("a%d%d", p, a))
				join(fmt.Sprintf("a%d%d", p, a), fmt.Sprintf("c%d", a*edges+i))
			}
			for n := range nodes {
				c.Nodes = append(c.Nodes, instance.NodeSpec{
					Name: fmt.Sprintf("n%d%d%d", p, a, n), Switch: fmt.Sprintf("e%d%d", p, a), GPUs: 2, GPU: "v100", NIC: 40e9, Fabric: 1200e9,
				})
			}
		}
	}
	for i, j := range []instance.JobSpec{
		{Count: 6, Model: "bert24", Workers: 16, Iterations: 30}, {Count: 8, Model: "gnmt", Workers: 16, Iterations: 80},
		{Count: 5, Model: "vgg16", Workers: 16, Iterations: 40}, {Count: 12, Model: "resnet50", Workers: 8, Iterations: 100},
		{Count: 8, Model: "resnet101", Workers: 8, Iterations: 60}, {Count: 8, Model: "inception_v3", Workers: 8, Iterations: 60},
		{Count: 12, Model: "alexnet", Workers: 4, Iterations: 80},
	} {
		j.Name = fmt.Sprint("j", i)
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// BenchmarkResilience is of all 512 failures of [fatTree].
func BenchmarkResilience(b *testing.B) {
	models, err := jigsaw.Models()
	require.NoError(b, err)
	for b.Loop() {
		r, err := whatif.Resilience(context.Background(), fatTree(), models, whatif.ResilienceOptions{Failures: 1})
		require.NoError(b, err)
		require.Len(b, r.Harm, 512)
	}
}

// TestResilienceOfNIC: both directions of a network card come to the same, and are worked out as one.
func TestResilienceOfNIC(t *testing.T) {
	r := resilienceOf(t, "quickstart", whatif.ResilienceOptions{Failures: 1})
	in := r.Plan.Instance
	harm := map[string]whatif.Harm{}
	for _, h := range r.Harm {
		harm[h.Failures[0].Link] = h
	}
	models, err := jigsaw.Models()
	require.NoError(t, err)
	for _, n := range in.Nodes {
		up, down := harm[in.Links[n.Up].Name], harm[in.Links[n.Down].Name]
		require.Equal(t, in.Links[n.Down].Name, down.Failures[0].Link)
		down.Failures = up.Failures
		require.Equal(t, up, down)

		// And so says a plan of each by itself.
		var values []string
		for _, l := range []instance.LinkID{n.Up, n.Down} {
			spec := *exampleDocument(t, "quickstart").Spec
			spec.Cluster.FailedLinks = []string{in.Links[l].Name}
			broken, err := instance.Compile(&spec, models)
			require.NoError(t, err)
			p, err := jigsaw.Plan(context.Background(), broken, jigsaw.Options{Quick: true})
			require.NoError(t, err)
			values = append(values, p.Primal.RatString()+" "+p.Dual.RatString())
		}
		require.Equal(t, values[0], values[1])
	}
}

// TestResilienceOfAlike: what is found for nodes that are alike, of which one is planned anew, holds for each of them.
func TestResilienceOfAlike(t *testing.T) {
	models, err := jigsaw.Models()
	require.NoError(t, err)
	spec := instance.Spec{Version: instance.Version, Name: "alike"}
	spec.Cluster.GPUTypes = []instance.GPUTypeSpec{{Name: "v100", Memory: 32 << 30}}
	spec.Cluster.Racks = []instance.RackSpec{{Count: 2, Nodes: 4, GPUs: 2, GPU: "v100", NIC: 40e9, Fabric: 600e9, Uplink: 80e9}}
	spec.Cluster.Exceptions = []instance.ExceptionSpec{{Link: "r0n1.up", Rate: 10e9}, {Node: "r1n2", GPUs: 1}}
	for i, model := range []string{"vgg16", "resnet50", "alexnet", "gnmt"} {
		spec.Jobs = append(spec.Jobs, instance.JobSpec{Name: model, Model: model, Workers: []int{2, 4, 6, 12}[i], Iterations: 4})
	}
	sample := 60
	if testing.Short() {
		sample = 24
	}
	r, err := whatif.Resilience(t.Context(), &spec, models, whatif.ResilienceOptions{Failures: 2, Sample: sample, Seed: 1})
	require.NoError(t, err)
	for _, h := range r.Harm {
		broken := spec
		for _, f := range h.Failures {
			if f.Node != "" {
				broken.Cluster.FailedNodes = append(slices.Clone(broken.Cluster.FailedNodes), f.Node)
			}
		}
		for _, f := range h.Failures {
			if f.Link != "" {
				broken.Cluster.FailedLinks = append(slices.Clone(broken.Cluster.FailedLinks), f.Link)
			}
		}
		in, err := instance.Compile(&broken, models)
		if err != nil {
			require.NotEmpty(t, h.Infeasible, "%v: %v", h.Failures, err)
			continue
		}
		itself, err := jigsaw.Plan(t.Context(), in, jigsaw.Options{Quick: true})
		require.NoError(t, err)
		require.Equal(t, itself.Status == jigsaw.Infeasible, len(h.Infeasible) > 0, "%v", h.Failures)
		if itself.Status != jigsaw.Infeasible {
			require.Zero(t, itself.Dual.Cmp(h.Bound), "%v: bound %v, by itself %v", h.Failures, h.Bound, itself.Dual)
		}
	}
}

// TestBeaten: the case whose new plan is the best one, if it is better than the plan.
func TestBeaten(t *testing.T) {
	value := func(n int64) *big.Rat { return big.NewRat(n, 1) }
	in := &instance.Instance{Objective: instance.Makespan}
	r := &whatif.ResilienceResult{Plan: &jigsaw.Result{Instance: in, Primal: value(9)}, Harm: []whatif.Harm{{}, {Replanned: value(9)}, {Replanned: value(12)}}}
	require.Nil(t, r.Beaten())
	r.Harm = append(r.Harm, whatif.Harm{Replanned: value(7)}, whatif.Harm{Replanned: value(8)})
	require.Same(t, &r.Harm[3], r.Beaten())
}

// TestResilienceOfType: where the only node of a type fails, jobs confined to the type have no plan, and it says so. The search for
// proofs crashed there.
func TestResilienceOfType(t *testing.T) {
	t.Parallel()
	document, err := codec.Decode([]byte(`
version: 1
cluster:
  gpu_types: [{name: v100, memory: 32GiB}, {name: slow, memory: 32GiB, profiled_as: [{gpu: v100, speed: 0.5}]}]
  switches: [{name: s}]
  nodes:
    - {name: n, switch: s, gpus: 2, gpu: v100, nic: 10Gbit/s, fabric: 100Gbit/s}
    - {name: o, switch: s, gpus: 2, gpu: slow, nic: 10Gbit/s, fabric: 100Gbit/s}
jobs:
  - {name: free, model: alexnet, workers: 2, iterations: 2}
  - {name: tied, model: alexnet, workers: 2, iterations: 2, placement: {gpu_types: [slow]}, spb: {rule: free, min_mean_depth: 0.3}}
`))
	require.NoError(t, err)
	models, err := jigsaw.Models()
	require.NoError(t, err)
	r, err := whatif.Resilience(t.Context(), document.Spec, models, whatif.ResilienceOptions{Failures: 1})
	require.NoError(t, err)
	i := slices.IndexFunc(r.Harm, func(h whatif.Harm) bool { return h.Failures[0].Node == "o" })
	require.GreaterOrEqual(t, i, 0, "%v", r.Harm)
	assert.Equal(t, []string{`job "tied": there is no GPU of a type that it runs on`}, r.Harm[i].Infeasible)
}
