package view

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// taken is a turn that was taken.
type taken struct {
	job              string
	iteration, depth int
}

// follow does what docs/turns.md asks of a runtime, on one GPU.
func follow(sheet *TurnSheet) (order []taken) {
	for _, s := range sheet.Sections {
		lag := int64(0)
		for _, t := range s.Turns {
			lag = max(lag, t.Lag)
		}
		for round := range s.Repeats + lag {
			for _, t := range s.Turns {
				if m := round - t.Lag; m >= 0 && m < s.Repeats {
					order = append(order, taken{t.Job, t.Iteration + int(m)*t.Step, t.Depth})
				}
			}
		}
	}
	return order
}

// TestTurns: who follows the sheets takes every task of the plan, in its order on every GPU, also
// where tasks of a repeat are among those of the next one.
func TestTurns(t *testing.T) {
	lags := 0
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan})
		plan := &instance.BlockSchedule{Residency: make([][]instance.GPUID, len(in.Jobs))}
		at := instance.Tick(0)
		for range 1 + rng.IntN(3) {
			b := instance.Block{Start: at, Period: 40, Repeats: int64(1 + rng.IntN(5))}
			iterations := make([]int, len(in.Jobs))
			// Places of 4 ticks in the period, each a task's at most.
			for g := range in.GPUs {
				for place := range 10 {
					if rng.IntN(2) == 0 {
						continue
					}
					j := instance.JobID(rng.IntN(len(in.Jobs)))
					iterations[j]++
					start := instance.Tick(4*place) + b.Period*instance.Tick(rng.IntN(2))
					lags += int(start / b.Period)
					b.Tasks = append(b.Tasks, instance.Task{Job: j, Iteration: iterations[j], GPU: instance.GPUID(g),
						Depth: rng.IntN(len(in.Jobs[j].Depths)), Start: start, End: start + 4})
				}
			}
			plan.Blocks = append(plan.Blocks, b)
			at += 40 * instance.Tick(b.Repeats+2)
		}
		s, err := plan.Expand(in)
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, Turns(&out, in, s, plan, time.Time{}))
		var sheets TurnSheets
		require.NoError(t, json.Unmarshal(out.Bytes(), &sheets))
		require.Len(t, sheets.GPUs, len(in.GPUs))
		slices.SortStableFunc(s.Tasks, func(x, y instance.Task) int { return cmp.Compare(x.Start, y.Start) })
		for g := range sheets.GPUs {
			var want []taken
			for _, task := range s.Tasks {
				if int(task.GPU) == g {
					job := &in.Jobs[task.Job]
					want = append(want, taken{job.Name, task.Iteration, job.Depths[task.Depth].Layers})
				}
			}
			require.Equal(t, want, follow(&sheets.GPUs[g]), "seed %d, GPU %d", seed, g)
		}
	}
	require.Greater(t, lags, 100)
}

// TestTurnsOfPlainPlans: a plan that runs once is a section of one repeat; one that repeats for ever says so.
func TestTurnsOfPlainPlans(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	in := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan})
	s, ok := instancetest.ValidSchedule(rng, in)
	require.True(t, ok)
	for period, repeats := range map[instance.Tick]int64{0: 1, 1000: 0} {
		s.Period = period
		var out bytes.Buffer
		require.NoError(t, Turns(&out, in, s, nil, time.Time{}))
		var sheets TurnSheets
		require.NoError(t, json.Unmarshal(out.Bytes(), &sheets))
		turns := 0
		for _, sheet := range sheets.GPUs {
			for _, section := range sheet.Sections {
				require.Equal(t, repeats, section.Repeats)
				require.Equal(t, period, section.Period)
				turns += len(section.Turns)
			}
		}
		require.Equal(t, len(s.Tasks), turns)
	}
}
