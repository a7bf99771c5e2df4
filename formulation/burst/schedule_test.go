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

// randomInstance has one or two burst-parallel jobs of at most two GPUs each, some other GPUs, and a few
// background jobs.
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

// TestSolveAgainstBruteForce: schedules pass the check; what they give the background jobs is at most the best
// over all homes and delays, ignoring memory, and that is at most the bound.
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
		s, bound, reasons, _, err := Solve(in, chains)
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

// TestCheckScheduleSeesFaults: every change of a good schedule is detected.
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
		s, _, _, _, err := Solve(in, chains)
		require.NoError(t, err)
		require.Empty(t, CheckSchedule(in, chains, s))
		change(s)
		assert.Contains(t, strings.Join(CheckSchedule(in, chains, s), "\n"), name)
	}
}

// TestSolveWithoutRoom: stages fit in memory, or the reason is reported, and background jobs without room run
// nowhere.
func TestSolveWithoutRoom(t *testing.T) {
	in, chains := compileExample(t)
	in.Types[0].Memory = 4 << 30
	s, _, notes, _, err := Solve(in, chains)
	require.NoError(t, err)
	require.Empty(t, CheckSchedule(in, chains, s))
	assert.Contains(t, s.Homes, Nowhere)
	assert.Empty(t, notes)

	// If all-reduces are slow, plans on few GPUs are fast, and each GPU holds much in memory.
	in.Latency, in.Foreground[1].Amplification = 1_000_000, 3_000_000
	chains, _, err = Chains(in)
	require.NoError(t, err)
	fastest := chains[1].Fastest(in.Foreground[1].Amplification).Time
	s, bound, notes, _, err := Solve(in, chains)
	require.NoError(t, err)
	require.Empty(t, CheckSchedule(in, chains, s))
	assert.Greater(t, s.Jobs[1].Time, fastest)
	assert.Contains(t, notes[0], "wide: the fastest stages")
	again, err := Prove(in, chains, s.Stages())
	require.NoError(t, err)
	assert.Equal(t, again, bound)

	in.Types[0].Memory = 1 << 28
	s, _, notes, proven, err := Solve(in, chains)
	require.NoError(t, err)
	assert.Nil(t, s)
	assert.True(t, proven)
	assert.Contains(t, notes[0], "vgg, on node r0n0: no stages within the limit fit in memory")
}

// TestFastestWithinAgainstBruteForce: the fastest of all paths that fit in memory.
func TestFastestWithinAgainstBruteForce(t *testing.T) {
	within, without := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 13))
		c := random(rng)
		if len(c.Layers) > 6 {
			continue
		}
		r := Room{Memory: instance.Bytes(rng.IntN(60))}
		for range c.GPUs {
			r.Workspace = append(r.Workspace, instance.Bytes(rng.IntN(12)))
		}
		for range c.Layers {
			var kept []instance.Bytes
			for range c.GPUs {
				kept = append(kept, instance.Bytes(rng.IntN(20)))
			}
			r.Kept = append(r.Kept, kept)
		}
		limit := instance.One + instance.Ratio(rng.Int64N(3_000_000))
		least, best := full, instance.Duration(-1)
		widths := make([]int, len(c.Layers))
		var try func(l int)
		try = func(l int) {
			if l == len(c.Layers) {
				if len(c.checkWidths(widths, limit)) > 0 {
					return
				}
				bytes := r.Bytes(c, widths, 0)
				least = min(least, bytes)
				if p := c.Evaluate(widths); bytes <= r.Memory && (best < 0 || p.Time < best) {
					best = p.Time
				}
				return
			}
			for _, g := range c.GPUs {
				widths[l] = g
				try(l + 1)
			}
		}
		try(0)
		plan, fewest, exact := c.fastestWithin(limit, r, mostWays)
		require.True(t, exact)
		require.Equal(t, least, fewest, "seed %d", seed)
		if plan == nil {
			require.Negative(t, best, "seed %d", seed)
			without++
			continue
		}
		require.Equal(t, best, plan.Time, "seed %d", seed)
		require.LessOrEqual(t, r.Bytes(c, plan.Widths, 0), r.Memory)
		within++
	}
	assert.Greater(t, within, 50)
	assert.Greater(t, without, 50)
}
