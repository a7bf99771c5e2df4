package reader_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/burst"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// proven asks about certificates, each with a copy that claims more: which hold, and how many of the copies are refused.
func (r *reader) proven(req request) (raised, refused int) {
	r.t.Helper()
	for _, c := range slices.Clone(req.Certificates) {
		more := *c
		if more.Bound = relax.NewClaim(new(big.Rat).Mul(&c.Bound.Rat, big.NewRat(101, 100))); c.Kind == relax.BackgroundBound {
			more.Bound = relax.NewClaim(new(big.Rat).Mul(&c.Bound.Rat, big.NewRat(99, 100)))
		} else if c.Kind != relax.CostBound {
			more.Bound = relax.NewClaim(new(big.Rat).Add(&c.Bound.Rat, big.NewRat(1, 1)))
		}
		req.Certificates = append(req.Certificates, &more)
	}
	a := r.ask(req)
	require.Empty(r.t, a.Refused, disputed{req.Instance, nil})
	half := len(req.Certificates) / 2
	for i, p := range a.Certificates {
		if p.Skipped != "" {
			continue
		}
		if i < half {
			require.Empty(r.t, p.Wrong, "%s\n%s", encode(req.Certificates[i]), disputed{req.Instance, nil})
			continue
		}
		if raised++; p.Wrong != "" {
			refused++
		}
	}
	return raised, refused
}

// TestPrices compares bounds on costs, and on weighted ticks.
func TestPrices(t *testing.T) {
	r := newReader(t)
	raised, refused, kinds := 0, 0, map[relax.Kind]int{}
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 19))
		spec, in := randomSpec(rng, instance.Makespan)
		if in.Queues() || relax.Infeasible(in) != nil {
			continue
		}
		for i := range spec.Cluster.GPUTypes {
			spec.Cluster.GPUTypes[i].PricePerHour = instance.Price(rng.Int64N(9_000_000))
		}
		in, err := instance.Compile(spec, nil)
		require.NoError(t, err)
		m := relax.New(in)
		req := requestOf(t, spec, nil, nil)
		chain, _ := m.Chain()
		for _, p := range []*relax.Proven{area.LeastCost(m), area.CostBy(m, 1+instance.Tick(chain.Num().Int64())), area.Molds([][]*relax.Model{{m}})} {
			kinds[p.Kind]++
			req.Certificates = append(req.Certificates, p.Proof(in))
		}
		a, b := r.proven(req)
		raised, refused = raised+a, refused+b
	}
	t.Logf("%d of %d raised ones refused; %v", refused, raised, kinds)
	assert.Greater(t, refused, raised*3/4)
	assert.Greater(t, kinds[relax.WeightsBound], 3)
}

// TestMolds compares bounds for any numbers of workers.
func TestMolds(t *testing.T) {
	r := newReader(t)
	raised, refused, kinds := 0, 0, map[relax.Kind]int{}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 20))
		spec, _ := randomSpec(rng, instance.Makespan)
		for i := range spec.Jobs {
			j := &spec.Jobs[i]
			if j.GPUsPerWorker > 1 || len(j.Resident) > 0 || rng.IntN(4) == 0 {
				continue
			}
			at := slices.IndexFunc(spec.Profiles, func(p *instance.Profile) bool { return p.Model == j.Model && p.GPUs < 2 })
			if at < 0 {
				continue
			}
			batch := spec.Profiles[at].Batch
			j.Moldable, j.Workers, j.Batch = []int{1, 2, 4}, 0, 4*batch
			for _, p := range slices.Clone(spec.Profiles) {
				for scale := instance.Bytes(2); p.Model == j.Model && p.Batch == batch && scale <= 4; scale *= 2 {
					larger := *p
					larger.Batch *= int(scale)
					if slices.ContainsFunc(spec.Profiles, func(o *instance.Profile) bool {
						return o.Model == p.Model && o.GPU == p.GPU && o.GPUs == p.GPUs && o.Batch == larger.Batch
					}) {
						continue
					}
					larger.Layers = slices.Clone(p.Layers)
					for l := range larger.Layers {
						larger.Layers[l].Forward *= instance.Duration(scale)
						larger.Layers[l].Activations *= scale
					}
					spec.Profiles = append(spec.Profiles, &larger)
				}
			}
		}
		if spec.Residence == instance.WhileRunning || !spec.Molds() {
			continue
		}
		in, err := instance.CompileMolds(spec, nil)
		if err != nil {
			continue
		}
		var jobs [][]*relax.Model
		for _, job := range in.Jobs {
			var models []*relax.Model
			for _, alone := range job.Alone {
				models = append(models, relax.New(alone))
			}
			jobs = append(jobs, models)
		}
		best := area.Molds(jobs)
		kinds[best.Kind]++
		req := requestOf(t, spec, nil, nil)
		req.Certificates = append(req.Certificates, best.Proof(in))
		weights := &relax.Certificate{Denominator: big.NewInt(1)}
		for range in.Jobs[0].Alone[0].Types {
			weights.Prices = append(weights.Prices, big.NewInt(1+rng.Int64N(9)))
		}
		other := &relax.Proven{Kind: relax.WeightsBound, Certificate: weights}
		require.NoError(t, relax.ProveWeights(other, jobs, weights.Prices))
		req.Certificates = append(req.Certificates, other.Proof(in))
		a, b := r.proven(req)
		raised, refused = raised+a, refused+b
	}
	t.Logf("%d of %d raised ones refused; %v", refused, raised, kinds)
	assert.Greater(t, raised, 20)
	assert.Greater(t, refused, raised/2)
}

// TestBursts compares bounds on the rate of background jobs, which are the same fractions to the nanosecond.
func TestBursts(t *testing.T) {
	r := newReader(t)
	all := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 21))
		spec := burstSpec(rng)
		in, err := instance.CompileBursts(spec, nil)
		if err != nil {
			continue
		}
		chains, _, err := burst.Chains(in)
		require.NoError(t, err)
		s, bound, reasons, _, err := burst.Solve(in, chains)
		require.NoError(t, err)
		require.Empty(t, reasons)
		req := requestOf(t, spec, nil, nil)
		req.Certificates = append(req.Certificates, jigsaw.BackgroundProof(in, s.Stages(), bound))
		// And all layers on all GPUs, if the limit permits it.
		var wide [][]int
		for _, c := range chains {
			wide = append(wide, c.DataParallel(c.GPUs[rng.IntN(len(c.GPUs))]).Widths)
		}
		if v, err := burst.Prove(in, chains, wide); err == nil {
			req.Certificates = append(req.Certificates, jigsaw.BackgroundProof(in, wide, v))
		}
		n := len(req.Certificates)
		if bound.Sign() == 0 {
			continue
		}
		a := r.ask(req)
		require.Empty(t, a.Refused, disputed{req.Instance, nil})
		for i := range n {
			require.Equal(t, req.Certificates[i].Bound.RatString(), a.Certificates[i].Best, "seed %d\n%s", seed, disputed{req.Instance, nil})
			require.Empty(t, a.Certificates[i].Wrong)
			all++
		}
		raised, refused := r.proven(req)
		require.Equal(t, raised, refused)
	}
	t.Logf("%d certificates", all)
	assert.Greater(t, all, 40)
}

// burstSpec draws burst-parallel jobs and background jobs, with profiles of some batches.
func burstSpec(rng *rand.Rand) *instance.Spec {
	s := &instance.Spec{Version: instance.Version, Name: "bursts", Cluster: instance.ClusterSpec{
		GPUTypes: []instance.GPUTypeSpec{{Name: "a", Memory: 1 << 40}, {Name: "b", Memory: 1 << 40, ProfiledAs: []instance.ProfiledAs{{GPU: "c"}, {GPU: "a", Speed: 1_700_000}}}},
		Latency:  instance.Duration(rng.Int64N(3)) * 17_001, Switches: []instance.SwitchSpec{{Name: "s"}},
	}}
	for n := range 1 + rng.IntN(4) {
		s.Cluster.Nodes = append(s.Cluster.Nodes, instance.NodeSpec{
			Name: string(rune('m' + n)), Switch: "s", GPUs: 1 + rng.IntN(6), GPU: []string{"a", "b"}[rng.IntN(2)], NIC: 1_000_000,
			Fabric: instance.BitRate(1+rng.Int64N(1000)) * 1_234_567_891,
		})
	}
	for m := range 1 + rng.IntN(2) {
		layers := 1 + rng.IntN(6)
		first := len(s.Profiles)
		for _, batch := range []int{1, 2, 3, 6, 8, 12, 16} {
			if rng.IntN(2) == 0 && len(s.Profiles) > first {
				continue
			}
			p := &instance.Profile{Model: string(rune('x' + m)), GPU: "a", Batch: batch}
			for l := range layers {
				layer := instance.Layer{Forward: instance.Duration(1 + rng.Int64N(3_000_000)), Backward: instance.Duration(1 + rng.Int64N(3_000_000)), Activations: instance.Bytes(rng.Int64N(3) * int64(batch) * 50_001)}
				if layer.Parameters, layer.Joined = instance.Bytes(rng.Int64N(3)*777_777), l > 0 && rng.IntN(4) == 0; len(s.Profiles) > first {
					layer.Parameters, layer.Joined = s.Profiles[first].Layers[l].Parameters, s.Profiles[first].Layers[l].Joined
				}
				if rng.IntN(3) == 0 {
					layer.Output = instance.Bytes(1 + rng.IntN(1_000_000))
				}
				p.Layers = append(p.Layers, layer)
			}
			s.Profiles = append(s.Profiles, p)
		}
	}
	model := func() (string, []string) {
		return s.Profiles[rng.IntN(len(s.Profiles))].Model, []string{[]string{"a", "b"}[rng.IntN(2)]}
	}
	for n := range 1 + rng.IntN(2) {
		j := instance.JobSpec{Name: string(rune('f' + n)), Kind: instance.Burst, Batch: []int{4, 8, 12, 16, 24}[rng.IntN(5)], GPUs: 1 << rng.IntN(3), Amplification: instance.Ratio(1_000_000 + rng.Int64N(3_000_000))}
		j.Model, j.Placement.GPUTypes = model()
		if rng.IntN(2) == 0 {
			j.Slowdown = instance.Ratio(1_000_000 + rng.Int64N(500_000))
		}
		s.Jobs = append(s.Jobs, j)
	}
	slice := instance.Duration(1 + rng.Int64N(2_000_000))
	p := s.Profiles[rng.IntN(len(s.Profiles))]
	s.Jobs = append(s.Jobs, instance.JobSpec{Name: "t", Count: 1 + rng.IntN(8), Model: p.Model, Batch: p.Batch, Background: true, Slice: slice})
	return s
}
