package formulation

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// busyGPUs draws an instance of few jobs on few GPUs, whose links are fast.
func busyGPUs(t testing.TB, rng *rand.Rand, jobs int) *instance.Instance {
	spec := &instance.Spec{
		Version: instance.Version, Objective: instance.Throughput,
		MaxPeriod: instance.Duration(7+rng.IntN(6)) * 1e6,
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{
				{Name: "v100", Memory: 1 << 30},
				{Name: "k80", Memory: 1 << 30, ProfiledAs: []instance.ProfiledAs{{GPU: "v100", Speed: 700_000}}},
			},
			Racks: []instance.RackSpec{{Nodes: 1 + rng.IntN(2), GPUs: 2, GPU: "v100", NIC: 8e9, Fabric: 80e9}},
		},
	}
	if rng.IntN(3) == 0 {
		spec.Cluster.Racks = append(spec.Cluster.Racks, instance.RackSpec{Nodes: 1, GPUs: 1, GPU: "k80", NIC: 8e9, Fabric: 80e9})
	}
	for _, name := range []string{"a", "b"} {
		p := &instance.Profile{Model: name, GPU: "v100", Batch: 8}
		for range 1 + rng.IntN(3) {
			p.Layers = append(p.Layers, instance.Layer{
				Name: "l", Forward: instance.Duration(rng.IntN(2)) * 5e5, Backward: instance.Duration(1+rng.IntN(2)) * 5e5, Parameters: 500,
			})
		}
		spec.Profiles = append(spec.Profiles, p)
	}
	for j := range jobs {
		job := instance.JobSpec{
			Name: string(rune('a' + j)), Model: []string{"a", "b"}[rng.IntN(2)], Workers: 1 + rng.IntN(2), Weight: int64(1 + rng.IntN(4)), Gang: rng.IntN(4) == 0,
		}
		if rng.IntN(2) == 0 {
			job.SPB = instance.SPBSpec{Rule: "free", MinMeanDepth: 600_000}
		}
		spec.Jobs = append(spec.Jobs, job)
	}
	return compile(t, spec)
}

// TestGPUsAgainstOptima holds bounds that know what GPUs hold against brute force, proves them
// anew and refuses changed prices.
func TestGPUsAgainstOptima(t *testing.T) {
	s := engine(t)
	solved, leaves, exact, roots, met := 0, 0, 0, 0, 0
	for seed := range uint64(300) {
		in := busyGPUs(t, rand.New(rand.NewPCG(seed, 75)), 3)
		optimum, plan, status := instancetest.OptimumWithin(in, 100_000)
		if status != instancetest.Optimal {
			continue
		}
		if optimum.Sign() > 0 {
			f := newModel(in).split().periodProgram(int64(plan.Period), nil)
			found, err := f.gpus().solve(context.Background(), s, &gpuStart{}, 0, 1e6)
			require.NoError(t, err)
			v, err := f.provenGPUs(found.proof)
			require.NoError(t, err)
			require.False(t, in.Objective.Better(optimum, v), "seed %d: the GPUs' bound is %v, the optimum %v", seed, v, optimum)
			roots++
			if v.Cmp(optimum) == 0 {
				met++
			}
		}
		b, err := Periods(context.Background(), in, s, PeriodLimits{Until: noSchedule, Nodes: 200})
		require.NoError(t, err)
		if b.Value == nil && optimum.Sign() == 0 { // nobody can run
			continue
		}
		require.NotNil(t, b.Value, "seed %d", seed)
		require.False(t, in.Objective.Better(optimum, b.Value), "seed %d: the bound is %v, the optimum %v", seed, b.Value, optimum)
		if solved++; b.Value.Cmp(optimum) == 0 {
			exact++
		}
		proof := b.Proof(in)
		_, err = VerifyCertificate(context.Background(), in, proof)
		require.NoError(t, err)
		refused := func(what string) {
			_, err := VerifyCertificate(context.Background(), in, proof)
			assert.Error(t, err, "seed %d: %s", seed, what)
		}
		for i, at := 0, 0; i < len(proof.Tree); i++ {
			n := &proof.Tree[i]
			if n.Kind == gpusKind {
				leaves++
				n.Kind = leafKind
				refused("another program")
				n.Kind = gpusKind
				n.Denominator++
				refused("another denominator")
				n.Denominator--
				pool := at + slices.IndexFunc(proof.Prices[at:at+n.Prices], func(p *big.Int) bool { return p.Sign() > 0 })
				for _, price := range []*big.Int{big.NewInt(-1), new(big.Int).Lsh(big.NewInt(1), 62)} {
					was := proof.Prices[pool]
					proof.Prices[pool] = price
					refused("another price")
					proof.Prices[pool] = was
				}
			}
			at += n.Prices
		}
	}
	assert.Greater(t, leaves, 20)
	assert.Greater(t, met, roots/2)
	t.Logf("%d solved, %d exact, %d leaves; at %d of %d roots GPUs alone prove the optimum", solved, exact, leaves, met, roots)
}

// TestGPUContents compares what the contents of a GPU are worth, as the search and the check
// find it, with all of them.
func TestGPUContents(t *testing.T) {
	compared, excluded := 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 76))
		m := newModel(busyGPUs(t, rng, 3)).split()
		s := m.periodProgram(4+rng.Int64N(8), nil).gpus()
		if s == nil || len(s.classes) == 0 {
			continue
		}
		for i := range s.classes {
			s.classes[i].limit.from = rng.Int64N(2)
		}
		master := s.master()
		list, exact := make([]int64, s.prices), make([]*big.Int, s.prices)
		for i := range list {
			list[i] = rng.Int64N(20)
			exact[i] = big.NewInt(list[i])
		}
		for p := range s.pools {
			want := int64(0)
			var content gpuContent
			var add func(class int, room, worth int64)
			add = func(class int, room, worth int64) {
				switch {
				case class < len(s.classes):
				case !s.interlock(p, content):
					excluded++
					return
				default:
					want = max(want, worth)
					return
				}
				add(class+1, room, worth)
				c, w := &s.classes[class], s.pools[p].holds[class]
				for x := max(1, c.limit.from); w != nil && x <= c.limit.to; x++ {
					counts := make([]int64, len(w.lengths))
					content = append(content, gpuTasks{class, counts})
					var tasks func(left, room, worth int64)
					tasks = func(left, room, worth int64) {
						if left == 0 {
							add(class+1, room, worth)
							return
						}
						for depth, length := range w.lengths {
							if length > room {
								continue
							}
							more := int64(0)
							for r := range c.rules {
								more += c.rules[r].weight[depth] * list[c.home(x)+1+r]
							}
							counts[depth]++
							tasks(left-1, room-length, worth+more)
							counts[depth]--
						}
					}
					tasks(x, room, worth+list[c.home(x)])
					content = content[:len(content)-1]
				}
			}
			add(0, s.f.period, 0)
			require.False(t, s.look(p, exact).exceeds(want), "seed %d", seed)
			require.Equal(t, want > 0, s.look(p, exact).exceeds(want-1), "seed %d", seed)
			f := master.fill(p, list)
			require.Equal(t, want, f.worth(never), "seed %d", seed)
			for _, content := range f.contents(0) {
				require.True(t, s.holds(p, content) && s.interlock(p, content))
			}
			compared++
		}
	}
	assert.Greater(t, compared, 200)
	assert.Greater(t, excluded, 1000)
}

// TestGPUContentsOfPlans finds what the GPUs of optimal plans hold among the contents that GPUs
// may have.
func TestGPUContentsOfPlans(t *testing.T) {
	gpus, shared, tight := 0, 0, 0
	for seed := range uint64(240) {
		rng := rand.New(rand.NewPCG(seed, 81))
		in := busyGPUs(t, rng, 3)
		if seed%2 > 0 {
			in = slowNICs(t, rng, 3)
		}
		_, plan, status := instancetest.OptimumWithin(in, 100_000)
		if status != instancetest.Optimal || plan.Period == 0 {
			continue
		}
		m := newModel(in).split()
		s := m.periodProgram(int64(plan.Period), nil).gpus()
		if s == nil {
			continue
		}
		for g := range in.GPUs {
			p := m.network.of[in.GPUs[g].Node]
			var content gpuContent
			for i := range s.classes {
				counts := make([]int64, len(m.demands[s.f.shapes[i].classes[0]].job.Depths))
				for _, task := range plan.Tasks {
					if int(task.GPU) == g && task.Job == m.demands[s.f.shapes[i].classes[0]].jobs[0] {
						counts[task.Depth]++
					}
				}
				if worker := (gpuTasks{i, counts}); worker.count() > 0 {
					content = append(content, worker)
				}
			}
			require.True(t, s.holds(p, content) && s.interlock(p, content), "seed %d: GPU %d holds %v in %d ticks", seed, g, content, plan.Period)
			if gpus++; len(content) > 1 {
				shared++
			}
			for _, worker := range content {
				for _, gap := range s.pools[p].holds[worker.class].gaps {
					load := gap.takes(worker.counts)
					for _, other := range content {
						if other.class != worker.class {
							load += s.pools[p].holds[other.class].beyond(other.counts, gap.free)
						}
					}
					if load == s.f.period {
						tight++
					}
				}
			}
		}
	}
	assert.Greater(t, shared, 50, "of %d GPUs", gpus)
	assert.Greater(t, tight, 20)
}
