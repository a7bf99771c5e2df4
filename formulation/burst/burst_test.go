package burst

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/profiles"
)

// random draws a chain of 1 to 8 layers on up to 4 numbers of GPUs, with times that tie often.
func random(r *rand.Rand) *Chain {
	c := &Chain{GPUs: []int{1, 2, 4, 8}[:1+r.IntN(4)]}
	layers := 1 + r.IntN(8)
	if len(c.GPUs) == 4 {
		layers = min(layers, 6)
	}
	draw := func(most int) instance.Duration { return instance.Duration(r.IntN(most)) }
	for l := range layers {
		layer := Layer{Joined: l > 0 && r.IntN(5) == 0}
		if r.IntN(8) > 0 {
			forward, backward := 1+draw(40), draw(60)
			for _, g := range c.GPUs {
				layer.Forward = append(layer.Forward, forward/instance.Duration(g)+draw(6))
				layer.Backward = append(layer.Backward, backward/instance.Duration(g)+draw(6))
				layer.Sync = append(layer.Sync, draw(4))
			}
			layer.Sync[0] = 0
		} else { // takes no time
			none := make([]instance.Duration, len(c.GPUs))
			layer.Forward, layer.Backward, layer.Sync = none, none, none
		}
		for i := range c.GPUs {
			row := make([]instance.Duration, len(c.GPUs))
			for j := range row {
				if i != j {
					row[j] = draw(8)
				}
			}
			layer.Move = append(layer.Move, row)
		}
		c.Layers = append(c.Layers, layer)
	}
	return c
}

// way is a plan by brute force: written from the model alone, in rational arithmetic.
type way struct{ time, gpu int64 }

// ways lists what all paths within the limit cost.
func ways(c *Chain, limit *big.Rat) (all []way) {
	var extend func(l, i int, sum way)
	extend = func(l, i int, sum way) {
		if l == len(c.Layers) {
			all = append(all, sum)
			return
		}
		layer := c.Layers[l]
		for j, g := range c.GPUs {
			if l > 0 && layer.Joined && i != j {
				continue
			}
			t := int64(layer.Forward[j] + layer.Backward[j] + layer.Sync[j])
			if l > 0 {
				t += 2 * int64(layer.Move[i][j])
			}
			alone := new(big.Rat).SetInt64(int64(layer.Forward[0] + layer.Backward[0]))
			if limit != nil && new(big.Rat).SetInt64(int64(g)*t).Cmp(alone.Mul(alone, limit)) > 0 {
				continue
			}
			extend(l+1, j, way{sum.time + t, sum.gpu + int64(g)*t})
		}
	}
	extend(0, 0, way{})
	return all
}

func TestAllPaths(t *testing.T) {
	seeds := 600
	if testing.Short() {
		seeds = 200
	}
	bound, several := 0, 0 // cases in which the limit costs time; fronts with more than one plan
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := random(r)
		require.NoError(t, c.check())
		free := c.Fastest(Unlimited)
		for _, limit := range []instance.Ratio{Unlimited, instance.One, 1_100_000, 1_500_000, 2_000_000, 3_333_333} {
			var exact *big.Rat
			if limit != Unlimited {
				exact = big.NewRat(int64(limit), int64(instance.One))
			}
			all := ways(c, exact)
			require.NotEmpty(t, all)
			slices.SortFunc(all, func(a, b way) int {
				if a.time != b.time {
					return int(a.time - b.time)
				}
				return int(a.gpu - b.gpu)
			})
			got := c.Fastest(limit)
			require.Equal(t, all[0], way{int64(got.Time), int64(got.GPUTime)}, "seed %d, limit %v", seed, limit)
			if got.Time > free.Time {
				bound++
			}
			var front []way
			for _, w := range all {
				if len(front) == 0 || w.gpu < front[len(front)-1].gpu {
					front = append(front, w)
				}
			}
			if len(front) > 1 {
				several++
			}
			plans, complete := c.Front(limit, 1_000_000)
			require.True(t, complete)
			var costs []way
			for _, p := range plans {
				costs = append(costs, way{int64(p.Time), int64(p.GPUTime)})
				if limit != Unlimited {
					require.LessOrEqual(t, p.Amplification, limit.Float()+1e-9)
				}
			}
			require.Equal(t, front, costs, "seed %d, limit %v", seed, limit)

			thin, complete := c.Front(limit, 2)
			require.NotEmpty(t, thin)
			require.Equal(t, complete || len(thin) <= 2*len(c.GPUs), true)
			require.Equal(t, got.Time, thin[0].Time, "the fastest is kept")
		}
		whole := instance.Duration(0)
		for _, s := range c.Stages(free) {
			whole += 2*s.Move + s.Forward + s.Backward + s.Sync
		}
		require.Equal(t, free.Time, whole)
	}
	assert.Positive(t, bound)
	assert.Positive(t, several)
}

// TestByHand works a chain of two layers out by hand: 4 samples, layers of 4 and 2 us that
// scale perfectly and not at all; 8 bytes a sample between them at 1 byte/ns.
func TestByHand(t *testing.T) {
	var ps []*instance.Profile
	for _, b := range []int{1, 2, 4} {
		ps = append(ps, &instance.Profile{Model: "m", GPU: "g", Batch: b, Layers: []instance.Layer{
			{Name: "a", Forward: instance.Duration(1000 * b), Activations: instance.Bytes(8 * b)},
			{Name: "b", Forward: 2000, Parameters: 100, Activations: 1},
		}})
	}
	c, guessed, err := NewChain(ps, 4, 4, Network{8e9, 10})
	require.NoError(t, err)
	assert.Empty(t, guessed)
	assert.Equal(t, []int{1, 2, 4}, c.GPUs)
	// 2(g-1)/g x 100 bytes, and the latency.
	assert.Equal(t, []instance.Duration{0, 110, 160}, c.Layers[1].Sync)
	// From four GPUs to one, three parts of 8 bytes arrive; to two, one of 8 on each.
	assert.Equal(t, [][]instance.Duration{{0, 26, 34}, {26, 0, 18}, {34, 18, 0}}, c.Layers[1].Move)

	p := c.Fastest(Unlimited)
	assert.Equal(t, []int{4, 1}, p.Widths)
	assert.EqualValues(t, 1000+68+2000, p.Time)
	assert.EqualValues(t, 4000+2068, p.GPUTime)
	assert.InDelta(t, 1.034, p.Amplification, 1e-9)
	assert.Equal(t, []Stage{{GPUs: 4, Forward: 1000}, {GPUs: 1, First: 1, Last: 1, Move: 34, Forward: 2000}}, c.Stages(p))

	// 2068/2000 is above 1.03, 2052/2000 below.
	assert.Equal(t, []int{2, 1}, c.Fastest(1_030_000).Widths)
	assert.Equal(t, []int{4, 1}, c.Fastest(1_034_000).Widths, "the limit itself is permitted")
	assert.Equal(t, []int{1, 1}, c.Fastest(instance.One).Widths)
	assert.EqualValues(t, 1000+2160, c.DataParallel(4).Time)
	assert.EqualValues(t, 4*3160, c.DataParallel(4).GPUTime)
}

func TestScaling(t *testing.T) {
	profile := func(batch int, forward instance.Duration) *instance.Profile {
		return &instance.Profile{Model: "m", GPU: "g", Batch: batch, Layers: []instance.Layer{{Name: "a", Forward: forward}}}
	}
	c, guessed, err := NewChain([]*instance.Profile{profile(8, 100), profile(2, 41)}, 16, 16, Network{1, 0})
	require.NoError(t, err)
	assert.Equal(t, []int{1, 4, 16}, guessed)
	assert.Equal(t, []instance.Duration{200, 100, 28 + 34, 41, 21}, c.Layers[0].Forward, "41 x 4/6 and 100 x 2/6, each rounded up")

	c, _, err = NewChain([]*instance.Profile{profile(8, 100)}, 6, 8, Network{1, 0})
	require.NoError(t, err)
	assert.Equal(t, []int{1, 2}, c.GPUs, "6 samples are not divided by 4")
}

func TestBadChains(t *testing.T) {
	good := func() *instance.Profile {
		return &instance.Profile{Model: "m", GPU: "g", Batch: 2, Layers: []instance.Layer{{Name: "a", Forward: 1, Parameters: 4}, {Name: "b", Forward: 1}}}
	}
	with := func(change func(*instance.Profile)) *instance.Profile {
		p := good()
		p.Batch = 4
		change(p)
		return p
	}
	net := Network{1e9, 0}
	for _, c := range []struct {
		want        string
		ps          []*instance.Profile
		batch, gpus int
		net         Network
	}{
		{"no profile", nil, 1, 1, net},
		{"choose a power of two", []*instance.Profile{good()}, 12, 6, net},
		{"choose a power of two", []*instance.Profile{good()}, 12, 0, net},
		{"global batch is 0", []*instance.Profile{good()}, 0, 1, net},
		{"a rate above 0", []*instance.Profile{good()}, 1, 1, Network{}},
		{"have the same batch", []*instance.Profile{good(), good()}, 1, 1, net},
		{"different models", []*instance.Profile{good(), with(func(p *instance.Profile) { p.GPU = "h" })}, 1, 1, net},
		{"have 2 and 1 layers", []*instance.Profile{good(), with(func(p *instance.Profile) { p.Layers = p.Layers[:1] })}, 1, 1, net},
		{"differ in layer 0, a", []*instance.Profile{good(), with(func(p *instance.Profile) { p.Layers[0].Parameters = 5 })}, 1, 1, net},
		{"forward: -1", []*instance.Profile{with(func(p *instance.Profile) { p.Layers[0].Forward = -1 })}, 1, 1, net},
		{"too long", []*instance.Profile{with(func(p *instance.Profile) { p.Layers[0].Parameters = 1 << 56 })}, 4, 4, Network{1, 0}},
		{"too long", []*instance.Profile{with(func(p *instance.Profile) { p.Layers[0].Forward = 1 << 55 })}, 1 << 24, 4, net},
	} {
		_, _, err := NewChain(c.ps, c.batch, c.gpus, c.net)
		assert.ErrorContains(t, err, c.want)
	}
}

// TestShipped plans the models of the library that were measured at many batches, and
// checks what is true whatever their figures are.
func TestShipped(t *testing.T) {
	for _, model := range []string{"vgg16", "wrn101_2"} {
		var ps []*instance.Profile
		for _, p := range profiles.Shipped().Profiles(model) {
			if p.GPU == "a100" {
				ps = append(ps, p)
			}
		}
		c, guessed, err := NewChain(ps, 32, 32, Network{2128e9, 40_000})
		require.NoError(t, err)
		require.Empty(t, guessed)
		last := c.DataParallel(1)
		for _, limit := range []instance.Ratio{instance.One, 1_500_000, 2_000_000, 2_500_000, Unlimited} {
			p := c.Fastest(limit)
			assert.LessOrEqual(t, p.Time, last.Time, "a looser limit is no slower")
			if limit != Unlimited {
				assert.LessOrEqual(t, p.Amplification, limit.Float())
				assert.LessOrEqual(t, float64(p.GPUTime), limit.Float()*float64(c.DataParallel(1).GPUTime)*(1+1e-12))
			}
			front, exact := c.Front(limit, 2000)
			assert.Equal(t, p.Time, front[0].Time)
			t.Logf("%s, limit %v: %d plans on the front, exact %v", model, limit, len(front), exact)
			last = p
		}
		for _, g := range c.GPUs {
			assert.LessOrEqual(t, last.Time, c.DataParallel(g).Time)
		}
	}
}
