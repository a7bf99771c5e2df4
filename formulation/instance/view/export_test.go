package view

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

func TestCSV(t *testing.T) {
	in, s := tiny(t)
	var b bytes.Buffer
	require.NoError(t, CSV(&b, in, s))
	golden(t, ".csv", b.Bytes())
}

type traceEvent struct {
	Phase    string         `json:"ph"`
	Name     string         `json:"name"`
	Category string         `json:"cat"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Time     json.Number    `json:"ts"`
	Duration json.Number    `json:"dur"`
	ID       *int           `json:"id"`
	Args     map[string]any `json:"args"`
}

func events(t *testing.T, in *instance.Instance, s *instance.Schedule) []traceEvent {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Trace(&b, in, s))
	var file struct {
		TraceEvents     []traceEvent      `json:"traceEvents"`
		DisplayTimeUnit string            `json:"displayTimeUnit"`
		OtherData       map[string]string `json:"otherData"`
	}
	require.NoError(t, json.Unmarshal(b.Bytes(), &file))
	assert.Equal(t, "ms", file.DisplayTimeUnit)
	assert.Equal(t, in.Name, file.OtherData["instance"])
	return file.TraceEvents
}

func TestTrace(t *testing.T) {
	in, s := tiny(t)
	var b bytes.Buffer
	require.NoError(t, Trace(&b, in, s))
	golden(t, ".json", b.Bytes())
}

// Slices of a thread do not overlap, every thread has a name, every arrow has
// two ends inside slices, and there are as many tasks as in the schedule.
func TestTraceThreads(t *testing.T) {
	for name, test := range map[string]struct {
		make   func(testing.TB) (*instance.Instance, *instance.Schedule)
		repeat int
	}{"quickstart": {quickstart, 1}, "hetero": {hetero, 1}, "rack": {rack, 1}, "periodic": {periodic, 3}} {
		t.Run(name, func(t *testing.T) {
			in, s := test.make(t)
			type thread struct{ pid, tid int }
			type span struct{ from, to int64 }
			slices := map[thread][]span{}
			named := map[thread]bool{}
			ends := map[int]int{}
			tasks, counters := 0, 0
			list := events(t, in, s)
			for _, e := range list {
				at, _ := e.Time.Int64()
				length, _ := e.Duration.Int64()
				th := thread{e.Process, e.Thread}
				switch e.Phase {
				case "M":
					named[th] = named[th] || e.Name == "thread_name"
				case "X":
					if e.Category == "task" {
						tasks++
						assert.Contains(t, e.Args, "depth")
					} else {
						assert.Contains(t, e.Args, "rate_bit_s")
					}
					assert.True(t, named[th], "thread without a name")
					for _, other := range slices[th] {
						assert.False(t, at < other.to && other.from < at+length, "overlap on %v", th)
					}
					slices[th] = append(slices[th], span{at, at + length})
				case "C":
					counters++
				}
			}
			for _, e := range list {
				if e.Phase != "s" && e.Phase != "f" {
					continue
				}
				require.NotNil(t, e.ID)
				ends[*e.ID] += map[string]int{"s": 1, "f": 100}[e.Phase]
				at, _ := e.Time.Int64()
				inside := false
				for _, s := range slices[thread{e.Process, e.Thread}] {
					inside = inside || s.from <= at && at < s.to
				}
				assert.True(t, inside, "an arrow ends outside of slices")
			}
			assert.Equal(t, test.repeat*len(s.Tasks), tasks)
			assert.Positive(t, counters)
			assert.NotEmpty(t, ends)
			for id, n := range ends {
				assert.Equal(t, 101, n, "arrow %d", id)
			}
		})
	}
}

// Figures of the tiny schedule, added up by hand: vgg has depths of 4, 8, 12
// and 16 layers at 90, 120, 150 and 180 ticks, a ladder of 2 workers takes 8
// and 16; dlrm takes 12 + 22 = 34 ticks. Both run twice.
func TestUtilisation(t *testing.T) {
	in, s := tiny(t)
	u, err := Utilisation(in, s)
	require.NoError(t, err)
	span := s.Makespan(in)
	assert.Equal(t, span, u.Span)
	home := s.Residency[1][0]
	for g, use := range u.GPUs {
		want, memory := instance.Tick(120+180), 3*240e6+2e9+100e6
		if instance.GPUID(g) == home {
			want, memory = want+2*34, memory+3*80e6
		}
		assert.Equal(t, GPUUsage{want, float64(want) / float64(span), instance.Bytes(memory)}, use)
	}
	fabric := in.Nodes[0].Fabric
	// Half of the 240 MB have two contributors (1/2 + 1/2), half have one (0 + 1/2).
	assert.Equal(t, instance.Bytes(2*(120e6+60e6)), u.Links[fabric].Bytes)
	assert.InDelta(t, 360e6*8/(300e9*float64(span)/1000), u.Links[fabric].Share, 1e-12)
	assert.InDelta(t, 0.5, u.Links[fabric].Peak, 1e-9)
	assert.InDelta(t, float64(4*150+2*34)/float64(2*span), u.MeanGPU(), 1e-12)
}

// Jobs that hold memory only while they run ask for it one after the other.
func TestUtilisationWhileRunning(t *testing.T) {
	in, s := tiny(t)
	home, end := s.Residency[1][0], s.Makespan(in)
	for i := range s.Tasks {
		if s.Tasks[i].Job == 1 {
			s.Tasks[i].Start, s.Tasks[i].End = s.Tasks[i].Start+end, s.Tasks[i].End+end
		}
	}
	s.Sort()
	memory := func() instance.Bytes {
		u, err := Utilisation(in, s)
		require.NoError(t, err)
		return u.GPUs[home].Memory
	}
	assert.Equal(t, instance.Bytes(3*240e6+2e9+100e6+3*80e6), memory())
	in.Residence = instance.WhileRunning
	assert.Equal(t, instance.Bytes(3*240e6+2e9+100e6), memory())
	// Its states are loaded before.
	in.Jobs[1].Load = end
	assert.Equal(t, instance.Bytes(3*240e6+2e9+100e6+3*80e6), memory())
}

func TestUtilisationOfPeriod(t *testing.T) {
	in, s := periodic(t)
	u, err := Utilisation(in, s)
	require.NoError(t, err)
	assert.Equal(t, s.Period, u.Span)
	for _, g := range u.GPUs {
		assert.LessOrEqual(t, g.Share, 1.0)
	}
	for _, l := range u.Links {
		assert.LessOrEqual(t, l.Peak, 1+1e-9)
	}
}
