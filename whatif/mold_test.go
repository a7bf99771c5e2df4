package whatif_test

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/whatif"
)

// moldableSpec draws jobs of a few iterations that may have one or two workers, or three, on nodes of two GPUs of one or two types.
func moldableSpec(rng *rand.Rand, jobs int) *instance.Spec {
	s := &instance.Spec{Version: instance.Version, Cluster: instance.ClusterSpec{
		GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 20}, {Name: "b", Memory: 1 << 20}}, Switches: []instance.SwitchSpec{{Name: "s"}},
	}}
	for n := range 1 + rng.IntN(2) {
		s.Cluster.Nodes = append(s.Cluster.Nodes, instance.NodeSpec{Name: fmt.Sprint(n), Switch: "s", GPUs: 2, GPU: []string{"a", "b"}[rng.IntN(2)], NIC: 80_000_000, Fabric: 160_000_000})
	}
	for j := range jobs {
		name := fmt.Sprint("j", j)
		for _, gpu := range []string{"a", "b"} {
			for _, batch := range []int{2, 3, 6} {
				p := &instance.Profile{Model: name, GPU: gpu, Batch: batch}
				for range 2 {
					p.Layers = append(p.Layers, instance.Layer{
						Forward: instance.Duration(1+rng.IntN(3)) * 500_000, Backward: instance.Duration(batch+rng.IntN(4)) * 1_000_000, Parameters: instance.Bytes(rng.IntN(20_000)),
					})
				}
				s.Profiles = append(s.Profiles, p)
			}
		}
		job := instance.JobSpec{Name: name, Model: name, Iterations: 1 + rng.IntN(2), Batch: 6, Moldable: [][]int{{1, 2}, {1, 2, 3}, {2, 1}}[rng.IntN(3)]}
		if rng.IntN(3) == 0 {
			job.Moldable, job.Workers = nil, 1
		}
		s.Jobs = append(s.Jobs, job)
	}
	for i, p := range s.Profiles { // six of each model, whose layers have the same parameters everywhere
		for l := range p.Layers {
			p.Layers[l].Parameters = s.Profiles[i/6*6].Layers[l].Parameters
		}
	}
	return s
}

// TestMoldAgainstBruteForce: the bound of any numbers is at most the best optimum of all combinations, which is at most the plan.
func TestMoldAgainstBruteForce(t *testing.T) {
	t.Parallel()
	seeds, optimal, tight, all, untried := 60, 0, 0, 0, 0
	if testing.Short() {
		seeds = 6
	}
	for seed := range uint64(seeds) {
		spec := moldableSpec(rand.New(rand.NewPCG(seed, 5)), 2)
		if !spec.Molds() {
			continue
		}
		var least *instance.Instance
		best, optima := int64(-1), map[[2]int]int64{} // by numbers of workers
		complete := true
		numbers := func(j int) []int {
			if len(spec.Jobs[j].Moldable) == 0 {
				return []int{0}
			}
			return spec.Jobs[j].Moldable
		}
		for _, a := range numbers(0) {
			for _, b := range numbers(1) {
				in, err := instance.Compile(spec.Mold([]int{a, b}), nil)
				if err != nil {
					continue // more workers than GPUs
				}
				value, _, status := instancetest.OptimumWithin(in, 2_000_000)
				if complete = complete && status == instancetest.Optimal; value != nil {
					optima[[2]int{a, b}] = value.Num().Int64()
					if best < 0 || value.Num().Int64() < best {
						best, least = value.Num().Int64(), in
					}
				}
			}
		}
		r, err := whatif.Mold(t.Context(), spec, nil, jigsaw.Options{Quick: true})
		require.NoError(t, err, "seed %d", seed)
		require.NotNil(t, r.Result.Schedule, "seed %d", seed)
		for i, j := range spec.Jobs {
			require.True(t, len(j.Moldable) == 0 && r.Workers[i] == 0 || slices.Contains(j.Moldable, r.Workers[i]))
		}
		in, err := instance.Compile(r.Spec, nil)
		require.NoError(t, err)
		require.Empty(t, check.Schedule(in, r.Result.Schedule))
		require.Equal(t, r.Workers, r.Tried[0].Workers)
		require.LessOrEqual(t, r.Bound.Cmp(r.Result.Primal), 0)
		if !complete {
			continue
		}
		require.NotNil(t, least)
		plan, bound := r.Result.Primal.Num().Int64(), r.Bound.Num().Int64()
		for _, tried := range r.Tried {
			delete(optima, [2]int(tried.Workers))
		}
		for workers, optimum := range optima { // those left out are no better
			require.LessOrEqual(t, plan, optimum, "seed %d, %v", seed, workers)
			untried++
		}
		require.LessOrEqual(t, best, plan, "seed %d", seed)
		require.LessOrEqual(t, bound, best, "seed %d", seed)
		if all++; plan == best {
			optimal++
		}
		if bound == best {
			tight++
		}
	}
	t.Logf("%d instances: %d plans optimal, %d bounds met", all, optimal, tight)
	assert.Greater(t, all, seeds/2)
	assert.Greater(t, optimal, all*8/10)
	assert.Positive(t, tight)
	assert.Positive(t, untried)
}

// TestMoldUnknown: what is proven of some numbers of workers says nothing of others, of which no plan was found.
func TestMoldUnknown(t *testing.T) {
	document, err := codec.Decode([]byte(`version: 1
cluster:
  gpu_types: [{name: a100, memory: 80GiB}]
  racks: [{nodes: 1, gpus: 2, gpu: a100, nic: 200Gbit/s, fabric: 2400Gbit/s}]
jobs:
  - {name: m, model: vgg16, moldable: [1, 2], batch: 64, iterations: 50, deadline: 6.96s}
  - {name: k, model: vgg16, batch: 64, workers: 2, iterations: 47, deadline: 6.96s, spb: {rule: full}}
`))
	require.NoError(t, err)
	models, err := jigsaw.Models()
	require.NoError(t, err)
	spec := document.Spec
	r, err := whatif.Mold(t.Context(), spec, models, jigsaw.Options{Quick: true, NoLP: true})
	require.NoError(t, err)
	require.Equal(t, jigsaw.Unknown, r.Result.Status)
	require.Equal(t, 2, r.Workers[0])
	one, err := instance.Compile(spec.Mold([]int{1, 0}), models)
	require.NoError(t, err)
	first, err := jigsaw.Plan(t.Context(), one, jigsaw.Options{Quick: true, NoLP: true})
	require.NoError(t, err)
	require.Equal(t, jigsaw.Infeasible, first.Status)
}

// TestMoldManyJobs: of too many combinations some are tried, always the same.
func TestMoldManyJobs(t *testing.T) {
	if testing.Short() {
		t.Skip("the full tier makes these plans")
	}
	t.Parallel()
	spec := moldableSpec(rand.New(rand.NewPCG(7, 5)), 10)
	a, err := whatif.Mold(t.Context(), spec, nil, jigsaw.Options{Quick: true})
	require.NoError(t, err)
	assert.Less(t, len(a.Tried), a.Choices)
	b, err := whatif.Mold(t.Context(), spec, nil, jigsaw.Options{Quick: true})
	require.NoError(t, err)
	assert.Equal(t, a.Workers, b.Workers)
	assert.Equal(t, a.Result.Primal, b.Result.Primal)
}

func TestMoldErrors(t *testing.T) {
	t.Parallel()
	for want, job := range map[string]string{
		"line 7, column 51: jobs[0].moldable: this replaces workers": "batch: 8, workers: 2, moldable: [2]",
		"moldable[1]: 3 workers cannot share a batch of 8 evenly":    "batch: 8, moldable: [2, 3]",
		"moldable[1]: 2 is given twice":                              "batch: 8, moldable: [2, 2]",
		"a moldable job needs a batch":                               "moldable: [2]",
		"moldable[0]: 0 workers":                                     "batch: 8, moldable: [0]",
		"9 numbers of workers":                                       "batch: 8, moldable: [1, 2, 3, 4, 5, 6, 7, 8, 9]",
		"has no profile at batch 4 on v100, only at 128":             "batch: 8, moldable: [2]",
		"exceed the 4 GPUs":                                          "batch: 1024, moldable: [8]",
	} {
		document, err := codec.Decode(fmt.Appendf(nil, `version: 1
cluster:
  gpu_types: [{name: v100, memory: 32GiB}]
  racks:
    - {nodes: 1, gpus: 4, gpu: v100, nic: 100Gbit/s, fabric: 600Gbit/s}
jobs:
  - {name: a, model: vgg16, %s}
`, job))
		require.NoError(t, err)
		models, err := jigsaw.Models()
		require.NoError(t, err)
		_, err = whatif.Mold(t.Context(), document.Spec, models, jigsaw.Options{Quick: true})
		var problems instance.Problems
		require.ErrorAs(t, err, &problems, want)
		document.Locate(problems)
		assert.ErrorContains(t, problems, want)
		_, err = document.Compile(models)
		assert.ErrorContains(t, err, "--write")
	}
}

// TestMoldCertificates: bounds of any numbers of workers are proven anew from their files, of which no number may be another.
func TestMoldCertificates(t *testing.T) {
	t.Parallel()
	kinds := map[relax.Kind]int{}
	for seed := range uint64(12) {
		spec := moldableSpec(rand.New(rand.NewPCG(seed, 5)), 1+int(seed))
		if !spec.Molds() {
			continue
		}
		in, err := instance.CompileMolds(spec, nil)
		require.NoError(t, err)
		var jobs [][]*relax.Model
		for _, job := range in.Jobs {
			var models []*relax.Model
			for _, alone := range job.Alone {
				models = append(models, relax.New(alone))
			}
			jobs = append(jobs, models)
		}
		proof := area.Molds(jobs).Proof(in)
		kinds[proof.Kind]++
		var file bytes.Buffer
		require.NoError(t, jigsaw.EncodeCertificate(&file, proof))
		check := func(change func(*jigsaw.Certificate)) error {
			c, err := jigsaw.DecodeMoldCertificate(in, bytes.NewReader(file.Bytes()))
			require.NoError(t, err)
			change(c)
			_, err = jigsaw.CertifyMolds(t.Context(), in, c)
			return err
		}
		require.NoError(t, check(func(*jigsaw.Certificate) {}))
		for what, change := range map[string]func(*jigsaw.Certificate){
			"bound above": func(c *jigsaw.Certificate) { c.Bound.Add(&c.Bound.Rat, big.NewRat(1, 1)) },
			"bound below": func(c *jigsaw.Certificate) { c.Bound.Sub(&c.Bound.Rat, big.NewRat(1, 1)) },
			"another":     func(c *jigsaw.Certificate) { c.Instance = in.Jobs[0].Alone[0].Digest() },
			"area":        func(c *jigsaw.Certificate) { c.Kind = relax.AreaBound },
			"infeasible":  func(c *jigsaw.Certificate) { c.Bound, c.Infeasible = nil, true },
		} {
			assert.Error(t, check(change), what)
		}
		if proof.Kind == relax.WeightsBound {
			assert.Error(t, check(func(c *jigsaw.Certificate) { c.Prices = c.Prices[1:] }))
			assert.Error(t, check(func(c *jigsaw.Certificate) { c.Prices[0] = big.NewInt(-1) }))
		}
		if i := slices.IndexFunc(spec.Jobs, func(j instance.JobSpec) bool { return len(j.Moldable) > 1 }); i >= 0 { // another instance
			spec.Jobs[i].Moldable = spec.Jobs[i].Moldable[:1]
			fewer, err := instance.CompileMolds(spec, nil)
			require.NoError(t, err)
			_, err = jigsaw.DecodeMoldCertificate(fewer, &file)
			assert.ErrorContains(t, err, "about another instance")
		}
	}
	assert.Positive(t, kinds[relax.ChainBound])
	assert.Positive(t, kinds[relax.WeightsBound])
}
