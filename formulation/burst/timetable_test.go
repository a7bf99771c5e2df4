package burst

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// mostIdle is, by brute force, the most that background jobs can get of a period: all delays in
// whole ns are tried, and windows counted nanosecond by nanosecond.
func mostIdle(c *Chain, p Plan, r Rules, gpus []int) *big.Rat {
	steps := c.steps(p, r)
	best := new(big.Rat)
	if len(gpus) == 0 {
		return best
	}
	delays := make([]int, len(steps))
	value := func() *big.Rat {
		sum, period := 0, 0
		for _, g := range gpus {
			var busy []bool
			for k, s := range steps {
				for range delays[k] {
					busy = append(busy, false)
				}
				for range s.End - s.Start {
					busy = append(busy, g < s.GPUs)
				}
			}
			period = len(busy)
			from := 0
			for from < period && !busy[from] {
				from++
			}
			if from == period {
				if period >= int(r.Slice) {
					sum += period
				}
				continue
			}
			run := 0
			for i := range period + 1 {
				if i < period && !busy[(from+i)%period] {
					run++
					continue
				}
				if run >= int(r.Slice) {
					sum += run
				}
				run = 0
			}
		}
		return big.NewRat(int64(sum), int64(period))
	}
	var try func(k, rest int)
	try = func(k, rest int) {
		if k == len(steps) {
			if v := value(); v.Cmp(best) > 0 {
				best = v
			}
			return
		}
		for x := range rest + 1 {
			delays[k] = x
			try(k+1, rest-x)
		}
		delays[k] = 0
	}
	try(0, int(int64(p.Time)*int64(r.Slowdown-instance.One)/int64(instance.One)))
	return best
}

// TestFillAgainstBruteForce: timetables pass the check, what they give is at most the optimum, and
// that is at most the bound.
func TestFillAgainstBruteForce(t *testing.T) {
	seeds, tight, optimal, all := 1200, 0, 0, 0
	if testing.Short() {
		seeds = 400
	}
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 7))
		c := random(rng)
		widths := make([]int, len(c.Layers))
		for l := range widths {
			widths[l] = c.GPUs[rng.IntN(len(c.GPUs))]
			if c.Layers[l].Joined {
				widths[l] = widths[l-1]
			}
		}
		p := c.Evaluate(widths)
		r := Rules{GPUs: c.GPUs[len(c.GPUs)-1] + rng.IntN(2), Slice: instance.Duration(1 + rng.IntN(12)), Slowdown: instance.One, Overlap: rng.IntN(3) == 0}
		if p.Time < 1 || len(c.steps(p, r)) > 9 {
			continue
		}
		// Up to four nanoseconds of delay.
		r.Slowdown += instance.Ratio(rng.Int64N(5)) * instance.One / instance.Ratio(p.Time)
		if r.Slowdown > MaxSlowdown {
			continue
		}
		jobs := 1 + rng.IntN(2*r.GPUs)
		table, bound, err := c.Fill(p, r, Deal(jobs, r.GPUs))
		require.NoError(t, err)
		require.Empty(t, c.Check(p, table, r, jobs), "seed %d", seed)
		got := new(big.Rat)
		for _, v := range table.Rates(jobs) {
			got.Add(got, v)
		}
		best := mostIdle(c, p, r, Deal(min(jobs, r.GPUs), r.GPUs))
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
	t.Logf("%d timetables: %d optimal, %d bounds met", all, optimal, tight)
	assert.Greater(t, all, seeds/4)
	assert.Greater(t, optimal, all*9/10)
	assert.Greater(t, tight, all*7/10)
}

// TestFillByHand: the chain of [TestByHand] on two GPUs, the second layer on one.
func TestFillByHand(t *testing.T) {
	c := &Chain{GPUs: []int{1, 2}, Layers: []Layer{
		{Forward: []instance.Duration{20, 10}, Backward: []instance.Duration{20, 10}, Sync: []instance.Duration{0, 4}},
		{Forward: []instance.Duration{7, 7}, Backward: []instance.Duration{8, 8}, Sync: []instance.Duration{0, 4}, Move: [][]instance.Duration{{0, 1}, {1, 0}}},
	}}
	p := c.Evaluate([]int{2, 1})
	r := Rules{GPUs: 2, Slice: 5, Slowdown: instance.One}
	table, bound, err := c.Fill(p, r, Deal(1, 2))
	require.NoError(t, err)
	assert.Equal(t, []Step{
		{Forward, 0, 0, 2, 0, 10}, {Move, 1, 1, 2, 10, 11}, {Forward, 1, 1, 1, 11, 18},
		{Backward, 1, 1, 1, 18, 26}, {Move, 1, 1, 2, 26, 27}, {Backward, 0, 0, 2, 27, 37}, {Sync, 0, 0, 2, 37, 41},
	}, table.Steps)
	assert.Equal(t, []Slice{{0, Window{1, 11, 26}}}, table.Slices)
	assert.Equal(t, "15/41", table.Rates(1)[0].String())
	assert.Equal(t, "15/41", bound.String())

	r.Slice = 16 // a nanosecond of delay makes the window long enough
	_, bound, err = c.Fill(p, r, Deal(1, 2))
	require.NoError(t, err)
	assert.Zero(t, bound.Sign())
	r.Slowdown += instance.One / 40
	table, bound, err = c.Fill(p, r, Deal(3, 2))
	require.NoError(t, err)
	assert.Equal(t, big.NewRat(16, 42).String(), bound.String())
	assert.Len(t, table.Slices, 1, "three jobs do not fit into it")
	assert.EqualValues(t, 42, table.Period)
}

// TestCheckSeesFaults: every change of a good timetable is detected.
func TestCheckSeesFaults(t *testing.T) {
	c := &Chain{GPUs: []int{1, 2}, Layers: []Layer{
		{Forward: []instance.Duration{20, 10}, Backward: []instance.Duration{20, 10}, Sync: []instance.Duration{0, 4}},
		{Forward: []instance.Duration{30, 30}, Backward: []instance.Duration{30, 30}, Sync: []instance.Duration{0, 4}, Move: [][]instance.Duration{{0, 1}, {1, 0}}},
	}}
	p := c.Evaluate([]int{2, 1})
	r := Rules{GPUs: 3, Slice: 5, Slowdown: 1_100_000, Overlap: true}
	for name, change := range map[string]func(*Timetable){
		"a period of":             func(t *Timetable) { t.Period += 20 },
		"without delays":          func(t *Timetable) { t.Alone-- },
		"is left out":             func(t *Timetable) { t.Steps = t.Steps[:len(t.Steps)-1] },
		"outside the period":      func(t *Timetable) { t.Steps[len(t.Steps)-1].End = t.Period + 1 },
		"what is next":            func(t *Timetable) { t.Steps[0].GPUs = 1 },
		"out of order":            func(t *Timetable) { t.Steps[1].Start-- },
		"does not do in":          func(t *Timetable) { t.Steps[0].End-- },
		"there are 3 jobs":        func(t *Timetable) { t.Slices[0].Job = 3 },
		"start within":            func(t *Timetable) { t.Slices[0].Start = -1 },
		"less than 5":             func(t *Timetable) { t.Slices[0].End = t.Slices[0].Start + 4 },
		"more than a period":      func(t *Timetable) { t.Slices[0].End = t.Slices[0].Start + t.Period + 1 },
		"is on GPUs":              func(t *Timetable) { s := t.Slices[0]; s.GPU--; t.Slices = append(t.Slices, s) },
		"at the same time":        func(t *Timetable) { s := t.Slices[0]; s.Job = 2; t.Slices = append(t.Slices[:3], s) },
		"of the foreground, move": func(t *Timetable) { t.Slices[2].Start, t.Slices[2].End = 18, 79 },
	} {
		table, _, err := c.Fill(p, r, Deal(3, 3))
		require.NoError(t, err)
		require.Empty(t, c.Check(p, table, r, 3))
		require.Len(t, table.Slices, 4, "the delay is a window of its own on GPU 0")
		change(table)
		assert.Contains(t, append(c.Check(p, table, r, 3), "")[0], name)
	}
}

func TestBadRules(t *testing.T) {
	c := &Chain{GPUs: []int{1, 2}, Layers: []Layer{{Forward: []instance.Duration{2, 1}, Backward: []instance.Duration{2, 1}, Sync: []instance.Duration{0, 1}}}}
	p := c.DataParallel(2)
	for want, r := range map[string]Rules{
		"the plan needs 2":  {GPUs: 1, Slice: 1, Slowdown: instance.One},
		"a length above 0":  {GPUs: 2, Slowdown: instance.One},
		"a slowdown of 0.5": {GPUs: 2, Slice: 1, Slowdown: instance.One / 2},
		"choose 1 to 10":    {GPUs: 2, Slice: 1, Slowdown: 11 * instance.One},
	} {
		_, _, err := c.Fill(p, r, nil)
		assert.ErrorContains(t, err, want)
	}
}
