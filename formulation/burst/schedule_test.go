package burst

import (
	"math/big"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/profiles"
)

// randomInstance has one or two burst-parallel jobs of at most two GPUs each, some GPUs besides, and a few jobs behind them.
func randomInstance(rng *rand.Rand) (*instance.Bursts, []*Chain) {
	in := &instance.Bursts{Instance: &instance.Instance{Types: []instance.GPUType{{Name: "a", Memory: 10}}}, Slice: instance.Duration(1 + rng.IntN(12))}
	var chains []*Chain
	for n := range 1 + rng.IntN(2) {
		c := random(rng)
		for len(c.GPUs) > 2 || len(c.Layers) > 3 {
			c = random(rng)
		}
		gpus := c.GPUs[len(c.GPUs)-1]
		p := c.Fastest(2 * instance.One)
		if p.Time == 0 {
			return randomInstance(rng)
		}
		profile := &instance.Profile{Model: "m", GPU: "a", Batch: 8}
		for range c.Layers {
			profile.Layers = append(profile.Layers, instance.Layer{Forward: 1})
		}
		in.Foreground = append(in.Foreground, instance.BurstJob{
			Batch: 8, GPUs: gpus, Node: instance.NodeID(n), Amplification: 2 * instance.One, Profiles: []*instance.Profile{profile},
			Slowdown: instance.One + instance.Ratio(rng.Int64N(4))*instance.One/instance.Ratio(p.Time),
		})
		chains = append(chains, c)
		in.Nodes = append(in.Nodes, instance.Node{FirstGPU: instance.GPUID(len(in.GPUs))})
		for range gpus + rng.IntN(2) {
			in.GPUs = append(in.GPUs, instance.GPU{Node: instance.NodeID(n)})
			in.Nodes[n].GPUs++
		}
	}
	for range rng.IntN(6) {
		in.Jobs = append(in.Jobs, instance.Job{On: []*instance.Costs{{Time: []instance.Tick{1}, Persistent: 1, Ephemeral: []instance.Bytes{1 + instance.Bytes(rng.IntN(5))}}}})
	}
	return in, chains
}

// TestSolveAgainstBruteForce: schedules pass the check; what they give the background is at most the best of all
// homes and delays, memory forgotten, and that is at most the bound.
func TestSolveAgainstBruteForce(t *testing.T) {
	seeds, tight, optimal, all := 400, 0, 0, 0
	if testing.Short() {
		seeds = 100
	}
	for seed := range uint64(seeds) {
		in, chains := randomInstance(rand.New(rand.NewPCG(seed, 11)))
		if len(in.Jobs) == 0 || in.Foreground[0].Slowdown > MaxSlowdown || in.Foreground[len(chains)-1].Slowdown > MaxSlowdown {
			continue
		}
		s, bound, reasons, err := Solve(in, chains)
		require.NoError(t, err)
		require.Empty(t, reasons)
		require.Empty(t, CheckSchedule(in, chains, s), "seed %d", seed)
		got := new(big.Rat)
		for _, v := range s.Rates(in) {
			got.Add(got, v)
		}
		best := new(big.Rat)
		for set := range 1 << len(in.GPUs) { // GPUs with background jobs
			sum, used, next := new(big.Rat), 0, 0
			for i := range in.Foreground {
				var here []int
				for g := range in.Nodes[i].GPUs {
					if set>>next&1 == 1 {
						used++
						if here = append(here, g); g >= in.Foreground[i].GPUs {
							here = here[:len(here)-1]
							sum.Add(sum, big.NewRat(1, 1))
						}
					}
					next++
				}
				sum.Add(sum, mostIdle(chains[i], s.Jobs[i].Plan, rules(in, &in.Foreground[i]), here))
			}
			if used <= len(in.Jobs) && sum.Cmp(best) > 0 {
				best = sum
			}
		}
		require.LessOrEqual(t, got.Cmp(best), 0, "seed %d", seed)
		require.LessOrEqual(t, best.Cmp(bound), 0, "seed %d: optimum %v, bound %v", seed, best, bound)
		all++
		if got.Cmp(best) == 0 {
			optimal++
		}
		if best.Cmp(bound) == 0 {
			tight++
		}
	}
	t.Logf("%d schedules: %d optimal, %d bounds met", all, optimal, tight)
	assert.Greater(t, optimal, all*8/10)
	assert.Greater(t, tight, all*7/10)
}

func compileExample(t *testing.T) (*instance.Bursts, []*Chain) {
	t.Helper()
	data, err := os.ReadFile("../../testdata/examples/burst.yaml")
	require.NoError(t, err)
	document, err := codec.Decode(data)
	require.NoError(t, err)
	in, err := document.CompileBursts(profiles.Shipped())
	require.NoError(t, err)
	chains, notes, err := Chains(in)
	require.NoError(t, err)
	require.Empty(t, notes)
	return in, chains
}

// TestCheckScheduleSeesFaults: every change of a good schedule is told.
func TestCheckScheduleSeesFaults(t *testing.T) {
	var in *instance.Bursts
	var chains []*Chain
	for name, change := range map[string]func(*Schedule){
		"2 burst-parallel and 13": func(s *Schedule) { s.Homes = s.Homes[1:] },
		"and the plan 21":         func(s *Schedule) { s.Jobs[0].Widths = s.Jobs[0].Widths[1:] },
		"has 3 GPUs":              func(s *Schedule) { s.Jobs[0].Widths[4] = 3 },
		"of its GPU-time on one":  func(s *Schedule) { s.Jobs[0].Widths[len(s.Jobs[0].Widths)-1] = 8 },
		"is joined to":            func(*Schedule) { chains[0].Layers[14].Joined = true },
		"which is not its home":   func(s *Schedule) { s.Homes[s.Jobs[0].Slices[0].Job]-- },
		"on GPU 99":               func(s *Schedule) { s.Homes[0] = 99 },
		"bytes of its": func(s *Schedule) {
			for j := range s.Homes {
				s.Homes[j] = s.Homes[0]
			}
		},
		"during step": func(s *Schedule) { s.Jobs[1].Slices[0].End += 1_000_000 },
		"a period of": func(s *Schedule) { s.Jobs[1].Period *= 2 },
	} {
		in, chains = compileExample(t)
		s, _, _, err := Solve(in, chains)
		require.NoError(t, err)
		require.Empty(t, CheckSchedule(in, chains, s))
		change(s)
		assert.Contains(t, strings.Join(CheckSchedule(in, chains, s), "\n"), name)
	}
}

// TestSolveWithoutRoom: what has no room is told, and background jobs that have none run nowhere.
func TestSolveWithoutRoom(t *testing.T) {
	in, chains := compileExample(t)
	in.Types[0].Memory = 4 << 30
	s, _, reasons, err := Solve(in, chains)
	require.NoError(t, err)
	if s != nil {
		require.Empty(t, CheckSchedule(in, chains, s))
		assert.Contains(t, s.Homes, Nowhere)
	}
	assert.Empty(t, reasons)
	in.Types[0].Memory = 1 << 28
	s, _, reasons, err = Solve(in, chains)
	require.NoError(t, err)
	assert.Nil(t, s)
	assert.Contains(t, reasons[0], `for "vgg"`)
}
