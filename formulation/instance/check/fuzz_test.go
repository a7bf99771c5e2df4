package check_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
)

// extremes are values that overflow or miss an index.
var extremes = []int{-1, math.MinInt, math.MaxInt, math.MaxInt - 1, math.MaxInt / 2, 1 << 40, 1 << 20, -2}

// value turns a byte into a field's value: mostly small, sometimes extreme.
func value(b byte) int {
	if int(b) < 256-len(extremes) {
		return int(b) % 32
	}
	return extremes[255-int(b)]
}

// scribble writes arbitrary values into a schedule: three bytes choose the
// element, its field and the value.
func scribble(s *instance.Schedule, data []byte) {
	for ; len(data) >= 3; data = data[3:] {
		n, v := int(data[0]), value(data[2])
		switch field := data[1] % 20; {
		case field < 6 && len(s.Tasks) > 0:
			t := &s.Tasks[n%len(s.Tasks)]
			switch field {
			case 0:
				t.Job = instance.JobID(v)
			case 1:
				t.Iteration = v
			case 2:
				t.GPU = instance.GPUID(v)
			case 3:
				t.Depth = v
			case 4:
				t.Start = instance.Tick(v)
			case 5:
				t.End = instance.Tick(v)
			}
		case field < 11 && len(s.Syncs) > 0:
			y := &s.Syncs[n%len(s.Syncs)]
			switch field {
			case 6:
				y.Job = instance.JobID(v)
			case 7:
				y.Iteration = v
			case 8:
				y.Start = instance.Tick(v)
			case 9:
				y.End = instance.Tick(v)
			case 10:
				y.Rate = instance.RateLevel(v)
			}
		case field == 11:
			s.Period = instance.Tick(v)
		case field == 12 && len(s.Residency) > 0:
			s.Residency[n%len(s.Residency)] = nil
		case field == 13 && len(s.Residency) > 0:
			j := n % len(s.Residency)
			s.Residency[j] = append(s.Residency[j], instance.GPUID(v))
		case field == 14 && len(s.Residency) > 0 && len(s.Residency[n%len(s.Residency)]) > 0:
			s.Residency[n%len(s.Residency)][0] = instance.GPUID(v)
		case field == 15 && n == 0:
			s.Residency = s.Residency[:len(s.Residency)/2]
		case field == 16 && len(s.Tasks) > 0:
			s.Tasks = append(s.Tasks, s.Tasks[n%len(s.Tasks)])
		case field == 17 && len(s.Syncs) > 0:
			s.Syncs = append(s.Syncs, s.Syncs[n%len(s.Syncs)])
		case field == 18 && len(s.Tasks) > 0:
			s.Tasks = slices.Delete(s.Tasks, n%len(s.Tasks), n%len(s.Tasks)+1)
		case field == 19 && len(s.Syncs) > 0:
			s.Syncs = slices.Delete(s.Syncs, n%len(s.Syncs), n%len(s.Syncs)+1)
		}
	}
}

// FuzzCheck scribbles on a valid schedule of a random instance. Check must not
// panic, and where the reference checker can count the ticks it must agree.
func FuzzCheck(f *testing.F) {
	f.Add(uint64(1), []byte{})
	rng := rand.New(rand.NewPCG(7, 0))
	for seed := range uint64(200) {
		data := make([]byte, 3*(1+rng.IntN(5)))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(seed, data)
	}
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) {
		rng := rand.New(rand.NewPCG(seed, 0))
		spec := instancetest.RandomSpec(rng, instancetest.Options{})
		in, err := instance.Compile(spec, nil)
		require.NoError(t, err)
		s, ok := instancetest.ValidSchedule(rng, in)
		if !ok {
			s = &instance.Schedule{Residency: make([][]instance.GPUID, len(in.Jobs))}
			if in.Objective.Periodic() {
				s.Period = 1
			}
		}
		scribble(s, data[:min(len(data), 60)])
		got := check.Schedule(in, s)
		for _, v := range got {
			_ = v.String()
		}
		small := func(n int) bool { return n < 100 }
		if !small(int(s.Period)) ||
			slices.ContainsFunc(s.Tasks, func(t instance.Task) bool { return !small(int(t.End)) || !small(t.Iteration) }) ||
			slices.ContainsFunc(s.Syncs, func(y instance.Sync) bool { return !small(int(y.End)) || !small(y.Iteration) }) {
			return
		}
		require.Equal(t, referenceCheck(spec, in, s), brokenRules(got), "%v\n%+v", got, s)
	})
}
