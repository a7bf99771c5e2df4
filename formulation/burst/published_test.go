package burst

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// setting is a run of the published planner: the costs it used, in us, and its result.
// docs/burst.md describes how the file is made.
type setting struct {
	Model  string  `json:"model"`
	Batch  int     `json:"batch"`
	GPUs   int     `json:"gpus"`
	Limit  float64 `json:"limit"`
	Counts []int   `json:"counts"`
	Layers []struct {
		Name    string      `json:"name"`
		Compute []float64   `json:"compute"` // by number of GPUs
		Sync    []float64   `json:"sync"`
		Move    [][]float64 `json:"move"` // both ways, from the GPUs of the layer before
	} `json:"layers"`
	Widths []int   `json:"widths"`
	Time   float64 `json:"time"`
}

// chain converts the published planner's costs. That planner compares with a layer's time on
// one GPU including its sync, which is part of a layer's own time here.
func (s *setting) chain() *Chain {
	ns := func(us float64) instance.Duration { return instance.Duration(math.Round(1000 * us)) }
	c := &Chain{GPUs: s.Counts}
	for _, from := range s.Layers {
		l := Layer{Name: from.Name}
		for j := range c.GPUs {
			l.Forward = append(l.Forward, ns(from.Compute[j]+from.Sync[j]))
			l.Backward, l.Sync = append(l.Backward, 0), append(l.Sync, 0)
		}
		for _, row := range from.Move {
			var move []instance.Duration
			for _, us := range row {
				move = append(move, ns(us/2))
			}
			l.Move = append(l.Move, move)
		}
		c.Layers = append(c.Layers, l)
	}
	return c
}

// TestPublishedPlanner compares with the published planner, run from its own source outside
// this project: where it obeys its limit we are never slower, and without a limit equal.
func TestPublishedPlanner(t *testing.T) {
	file := os.Getenv("JIGSAW_DEEPPOOL_SETTINGS")
	if file == "" {
		t.Skip("no runs of the published planner; docs/burst.md says how to make them, for JIGSAW_DEEPPOOL_SETTINGS")
	}
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var settings []setting
	require.NoError(t, json.Unmarshal(data, &settings))
	require.GreaterOrEqual(t, len(settings), 12)
	limited, breaks, own, worse, slower, equal := 0, 0, 0, 0, 0, 0
	for _, s := range settings {
		c := s.chain()
		require.NoError(t, c.check())
		rounding := float64(2 * len(c.Layers)) // ns
		theirs := c.Evaluate(s.Widths)
		require.InDelta(t, 1000*s.Time, float64(theirs.Time), rounding, "the same costs")
		limit := Unlimited
		if s.Limit < 1e6 {
			limit = instance.Ratio(math.Round(s.Limit * float64(instance.One)))
		}
		ours := c.Fastest(limit)
		if limit == Unlimited {
			assert.InDelta(t, float64(theirs.Time), float64(ours.Time), rounding)
			continue
		}
		limited++
		switch {
		case theirs.Amplification > s.Limit:
			breaks++
			if s.breaksOwn(c) {
				own++
			}
			if ours.Time < theirs.Time {
				worse++
			}
		case float64(ours.Time) < float64(theirs.Time)-rounding:
			slower++
		default:
			equal++
			assert.InDelta(t, float64(theirs.Time), float64(ours.Time), rounding)
		}
		t.Logf("%s batch %d GPUs %d limit %v: theirs %.3f ms, worst layer %.2f; ours %.3f ms, %.2f",
			s.Model, s.Batch, s.GPUs, s.Limit, float64(theirs.Time)/1e6, theirs.Amplification, float64(ours.Time)/1e6, ours.Amplification)
	}
	t.Logf("%d settings with a limit: it breaks the limit %d times, %d of them in a layer of over 300 us, and %d of them it is slower all the same; "+
		"it obeys the limit and is slower %d times, equal %d times", limited, breaks, own, worse, slower, equal)
}

// breaksOwn reports whether a layer that the published planner tests, one of over 300 us,
// exceeds the limit.
func (s *setting) breaksOwn(c *Chain) bool {
	i := 0
	for l, g := range s.Widths {
		j := c.index(g)
		if alone := c.alone(l); alone > 300_000 && float64(c.time(l, i, j))*float64(g) > s.Limit*float64(alone) {
			return true
		}
		i = j
	}
	return false
}
