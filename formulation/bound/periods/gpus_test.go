package periods

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/fluid"
	"jigsaw/formulation/relax/periods"
	"jigsaw/formulation/relax/verify"
)

// TestGPUsAgainstOptima compares bounds from contents of GPUs with brute force, proves them
// anew and rejects changed prices.
func TestGPUsAgainstOptima(t *testing.T) {
	s := boundtest.Engine(t)
	solved, leaves, exact, roots, met := 0, 0, 0, 0, 0
	for seed := range seeds(300) {
		in := boundtest.BusyGPUs(t, rand.New(rand.NewPCG(seed, 75)), 3)
		optimum, plan, status := instancetest.OptimumWithin(in, 100_000)
		if status != instancetest.Optimal {
			continue
		}
		if optimum.Sign() > 0 {
			f := (&periods.Programs{Model: relax.New(in).Split(), CoResidentSets: fluid.MostCoResidentSets}).Program(int64(plan.Period), nil)
			found, err := solveGPUs(context.Background(), f.GPUs(), s, &gpuStart{}, 0, 1e6)
			require.NoError(t, err)
			v, err := f.ProvenGPUs(found.proof)
			require.NoError(t, err)
			require.False(t, in.Objective.Better(optimum, v), "seed %d: the GPUs' bound is %v, the optimum %v", seed, v, optimum)
			roots++
			if v.Cmp(optimum) == 0 {
				met++
			}
		}
		proof, reached := provenBound(t, s, in, optimum)
		if proof == nil { // nothing can run
			continue
		}
		if solved++; reached {
			exact++
		}
		refused := func(what string) {
			_, err := verify.Certificate(context.Background(), in, proof)
			assert.Error(t, err, "seed %d: %s", seed, what)
		}
		for i, at := 0, 0; i < len(proof.Tree); i++ {
			n := &proof.Tree[i]
			if n.Kind == relax.GPUsKind {
				leaves++
				n.Kind = relax.LeafKind
				refused("another program")
				n.Kind = relax.GPUsKind
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
	assert.Greater(t, leaves, int(seeds(20)))
	assert.Greater(t, met, roots/2)
	t.Logf("%d solved, %d exact, %d leaves; at %d of %d roots GPUs alone prove the optimum", solved, exact, leaves, met, roots)
}

// TestGPUContents compares the values of contents of a GPU, as found by the search and the
// check, with all of them.
func TestGPUContents(t *testing.T) {
	compared, excluded := 0, 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 76))
		m := relax.New(boundtest.BusyGPUs(t, rng, 3)).Split()
		s := (&periods.Programs{Model: m, CoResidentSets: fluid.MostCoResidentSets}).Program(4+rng.Int64N(8), nil).GPUs()
		if s == nil || len(s.Classes) == 0 {
			continue
		}
		for i := range s.Classes {
			s.Classes[i].Limit.From = rng.Int64N(2)
		}
		master := newGPUMaster(s)
		list := make([]int64, s.Prices)
		for i := range list {
			list[i] = rng.Int64N(20)
		}
		for p := range s.Pools {
			want := int64(0)
			var content periods.Configuration
			var add func(class int, room, worth int64)
			add = func(class int, room, worth int64) {
				switch {
				case class < len(s.Classes):
				case !s.Interlock(p, content):
					excluded++
					return
				default:
					want = max(want, worth)
					return
				}
				add(class+1, room, worth)
				c, w := &s.Classes[class], s.Pools[p].Holds[class]
				for x := max(1, c.Limit.From); w != nil && x <= c.Limit.To; x++ {
					counts := make([]int64, len(w.Lengths))
					content = append(content, periods.WorkerTasks{Class: class, Counts: counts})
					var tasks func(left, room, worth int64)
					tasks = func(left, room, worth int64) {
						if left == 0 {
							add(class+1, room, worth)
							return
						}
						for depth, length := range w.Lengths {
							if length > room {
								continue
							}
							more := int64(0)
							for r := range c.Rules {
								more += c.Rules[r].Weight[depth] * list[c.WorkerPrice(x)+1+r]
							}
							counts[depth]++
							tasks(left-1, room-length, worth+more)
							counts[depth]--
						}
					}
					tasks(x, room, worth+list[c.WorkerPrice(x)])
					content = content[:len(content)-1]
				}
			}
			add(0, s.F.Period, 0)
			require.False(t, s.Look(p, list).Exceeds(want), "seed %d", seed)
			require.Equal(t, want > 0, s.Look(p, list).Exceeds(want-1), "seed %d", seed)
			f := master.fill(p, list)
			require.Equal(t, want, f.worth(exact.Never), "seed %d", seed)
			for _, content := range f.list {
				require.True(t, holds(s, p, content) && s.Interlock(p, content))
			}
			compared++
		}
	}
	assert.Greater(t, compared, 200)
	assert.Greater(t, excluded, 1000)
}

// TestGPUContentsOfPlans finds the contents of GPUs in optimal plans among the possible
// contents.
func TestGPUContentsOfPlans(t *testing.T) {
	gpus, shared, tight := 0, 0, 0
	for seed := range seeds(240) {
		rng := rand.New(rand.NewPCG(seed, 81))
		in := boundtest.BusyGPUs(t, rng, 3)
		if seed%2 > 0 {
			in = boundtest.SlowNICs(t, rng, 3)
		}
		_, plan, status := instancetest.OptimumWithin(in, 100_000)
		if status != instancetest.Optimal || plan.Period == 0 {
			continue
		}
		m := relax.New(in).Split()
		s := (&periods.Programs{Model: m, CoResidentSets: fluid.MostCoResidentSets}).Program(int64(plan.Period), nil).GPUs()
		if s == nil {
			continue
		}
		for g := range in.GPUs {
			p := m.Network.PoolOf[in.GPUs[g].Node]
			var content periods.Configuration
			for i := range s.Classes {
				counts := make([]int64, len(m.Classes[s.F.Shapes[i].Classes[0]].Job.Depths))
				for _, task := range plan.Tasks {
					if int(task.GPU) == g && task.Job == m.Classes[s.F.Shapes[i].Classes[0]].Jobs[0] {
						counts[task.Depth]++
					}
				}
				if worker := (periods.WorkerTasks{Class: i, Counts: counts}); iterations(&worker) > 0 {
					content = append(content, worker)
				}
			}
			require.True(t, holds(s, p, content) && s.Interlock(p, content), "seed %d: GPU %d holds %v in %d ticks", seed, g, content, plan.Period)
			if gpus++; len(content) > 1 {
				shared++
			}
			for _, worker := range content {
				for _, gap := range s.Pools[p].Holds[worker.Class].Gaps {
					load := gap.Takes(worker.Counts)
					for _, other := range content {
						if other.Class != worker.Class {
							load += s.Pools[p].Holds[other.Class].Beyond(other.Counts, gap.Free)
						}
					}
					if load == s.F.Period {
						tight++
					}
				}
			}
		}
	}
	assert.Greater(t, shared, int(seeds(50)), "of %d GPUs", gpus)
	assert.Greater(t, tight, int(seeds(20)))
}
