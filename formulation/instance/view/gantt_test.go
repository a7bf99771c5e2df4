package view

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

var update = flag.Bool("update", false, "rewrite golden files")

// golden compares with testdata/<test><suffix>.
func golden(t *testing.T, suffix string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", t.Name()+suffix)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run go test -update")
	assert.Equal(t, string(want), string(got))
}

// tiny is two jobs on one node of two GPUs, for golden files.
func tiny(t testing.TB, names ...string) (*instance.Instance, *instance.Schedule) {
	in := compile(t, &instance.Spec{Name: "tiny", Cluster: racks(1, 1, 2), Jobs: []instance.JobSpec{
		{Name: "vgg", Model: "vgg", Workers: 2, Iterations: 2},
		{Name: "dlrm", Model: "dlrm", Workers: 1, Iterations: 2, Release: 20e6},
	}})
	for j, name := range names {
		in.Jobs[j].Name = name
	}
	return in, demo(in, 0, ofInstance(in))
}

func picture(t testing.TB, in *instance.Instance, s *instance.Schedule, opt GanttOptions, lim limits) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, gantt(&b, in, s, opt, lim))
	return b.String()
}

// wellFormed parses markup and counts its elements.
func wellFormed(t testing.TB, svg string) map[string]int {
	t.Helper()
	elements := map[string]int{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements
		}
		require.NoError(t, err)
		if e, ok := token.(xml.StartElement); ok {
			elements[e.Name.Local]++
			for _, a := range e.Attr {
				assert.NotContains(t, a.Name.Local, "href", "external reference")
				assert.False(t, strings.HasPrefix(a.Name.Local, "on"), "script")
			}
		}
	}
}

func TestGantt(t *testing.T) {
	in, s := tiny(t)
	golden(t, ".svg", []byte(picture(t, in, s, GanttOptions{Bound: 300}, defaultLimits)))
}

func TestGanttForms(t *testing.T) {
	fewer := limits{tooltips: 10, linkRows: 1, jobs: 3}
	for _, test := range []struct {
		name string
		make func(testing.TB) (*instance.Instance, *instance.Schedule)
		lim  limits
		want []string
	}{
		{"quickstart", quickstart, defaultLimits, []string{"vgg·1", "release at tick 200", "deadline at tick 1,500", "r0n1 nic"}},
		{"rack", rack, defaultLimits, []string{"inception-4", "rack r1", "64 GPUs on 8 nodes in 2 racks"}},
		{"periodic", periodic, defaultLimits, []string{"the next period", `class="echo"`, "it/s"}},
		{"hetero", hetero, defaultLimits, []string{"2 × a100-80GB", "rack left", ">trunk<", "weighted completion"}},
		{"fewer", quickstart, fewer, []string{"no labels and tooltips", "all nics", "and 2 more", "mean load"}},
		{"thin periodic", periodic, limits{linkRows: 9}, []string{"no labels and tooltips", "not single syncs"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			in, s := test.make(t)
			got := picture(t, in, s, GanttOptions{}, test.lim)
			wellFormed(t, got)
			for _, want := range test.want {
				assert.Contains(t, got, want)
			}
			assert.NotContains(t, strings.SplitN(got, "</style>", 2)[1], "NaN")
			assert.NotContains(t, got, "Inf")
			assert.Equal(t, got, picture(t, in, s, GanttOptions{}, test.lim), "the same bytes again")
		})
	}
}

var taskRect = regexp.MustCompile(`<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"(?: stroke-width="0")?><title>([^,]*), iteration (\d+)\ndepth \d+ of \d+ layers\nGPU (\d) of (\S+)\nticks (\d+)–(\d+)`)

// Every task is one rectangle, at places linear in its times.
func TestGanttDrawsEveryTask(t *testing.T) {
	in, s := quickstart(t)
	got := taskRect.FindAllStringSubmatch(picture(t, in, s, GanttOptions{}, defaultLimits), -1)
	require.Len(t, got, len(s.Tasks))
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		return v
	}
	type place struct{ name, node, gpu, start string }
	seen := map[place]bool{}
	origin, scale := math.NaN(), math.NaN()
	for _, m := range got { // the scale follows from the longest task
		if w, ticks := number(m[3]), number(m[10])-number(m[9]); math.IsNaN(scale) || ticks > 300 {
			scale = w / ticks
			origin = number(m[1]) - scale*number(m[9])
		}
	}
	for _, m := range got {
		seen[place{m[5], m[8], m[7], m[9]}] = true
		assert.InDelta(t, origin+scale*number(m[9]), number(m[1]), 0.2)
		assert.InDelta(t, scale*(number(m[10])-number(m[9])), number(m[3]), 0.05)
	}
	for _, task := range s.Tasks {
		node := in.Nodes[in.GPUs[task.GPU].Node]
		assert.True(t, seen[place{in.Jobs[task.Job].Name, node.Name, strconv.Itoa(int(task.GPU - node.FirstGPU)), strconv.Itoa(int(task.Start))}])
	}
}

// A periodic plan has two rectangles for a task that crosses the boundary.
func TestGanttFoldsPeriods(t *testing.T) {
	in, s := periodic(t)
	want := 0
	for _, task := range s.Tasks {
		want++
		if task.Start/s.Period != (task.End-1)/s.Period {
			want++
		}
	}
	assert.Greater(t, want, len(s.Tasks), "the demo crosses the boundary")
	assert.Len(t, taskRect.FindAllString(picture(t, in, s, GanttOptions{}, defaultLimits), -1), want)
}

func TestGanttOfOddSchedules(t *testing.T) {
	in, s := tiny(t)
	empty := &instance.Schedule{Residency: make([][]instance.GPUID, 2)}
	got := picture(t, in, empty, GanttOptions{Bound: math.Inf(1), Width: 1}, defaultLimits)
	wellFormed(t, got)
	assert.Contains(t, got, "The schedule is empty.")
	assert.NotContains(t, got, "gap")

	// Overlaps, overload and far times are shown, not refused.
	odd := *s
	odd.Tasks = append([]instance.Task{{Job: 0, Iteration: 9, GPU: 0, Start: 0, End: 1 << 50}}, s.Tasks...)
	odd.Syncs = []instance.Sync{{Job: 0, Iteration: 1, Start: 10, End: 1 << 49, Rate: 1}, {Job: 0, Iteration: 2, Start: 20, End: 1 << 49, Rate: 2}}
	got = picture(t, in, &odd, GanttOptions{}, defaultLimits)
	wellFormed(t, got)
	assert.Contains(t, got, "more than the capacity")
	var b bytes.Buffer
	require.NoError(t, Trace(&b, in, &odd))
	require.NoError(t, CSV(&b, in, &odd))

	in.Objective = instance.MaxMinThroughput // and no period
	wellFormed(t, picture(t, in, s, GanttOptions{}, defaultLimits))

	in.Jobs[1].Deadline = 30
	assert.Contains(t, picture(t, in, s, GanttOptions{}, defaultLimits), "Late: dlrm ends")
}

// A picture at the limits stays below 10 MB, even where names are long and
// every character is escaped.
func TestGanttSize(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	in, s := large(t, 8, 29)
	for j := range in.Jobs {
		in.Jobs[j].Name = strings.Repeat("&", 200)
	}
	for _, lim := range []limits{defaultLimits, {}, {linkRows: 72}} {
		got := picture(t, in, s, GanttOptions{}, lim)
		assert.Less(t, len(got), 10_000_000)
		wellFormed(t, got)
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		want   string
		change func(s *instance.Schedule)
	}{
		{"residency of 1 jobs, but the instance has 2", func(s *instance.Schedule) { s.Residency = s.Residency[1:] }},
		{"period -1 is out of range", func(s *instance.Schedule) { s.Period = -1 }},
		{"residency[1]: there is no GPU 2", func(s *instance.Schedule) { s.Residency[1][0] = 2 }},
		{"tasks[0]: there is no job 7", func(s *instance.Schedule) { s.Tasks[0].Job = 7 }},
		{"tasks[1]: there is no GPU -1", func(s *instance.Schedule) { s.Tasks[1].GPU = -1 }},
		{"tasks[1]: job 0 has no depth 4", func(s *instance.Schedule) { s.Tasks[1].Depth = 4 }},
		{"tasks[2]: iteration 0; they count from 1", func(s *instance.Schedule) { s.Tasks[2].Iteration = 0 }},
		{"tasks[0]: it goes from tick 5 to 4", func(s *instance.Schedule) { s.Tasks[0].Start, s.Tasks[0].End = 5, 4 }},
		{"tasks[0]: ticks 0 to 9000 are more than 2048 periods of 1", func(s *instance.Schedule) { s.Period, s.Tasks[0].End = 1, 9000 }},
		{"syncs[0]: rate level 0 is not positive", func(s *instance.Schedule) { s.Syncs[0].Rate = 0 }},
		{"syncs[1]: there is no job -1", func(s *instance.Schedule) { s.Syncs[1].Job = -1 }},
	} {
		in, s := tiny(t)
		test.change(s)
		want := "view: " + test.want
		assert.EqualError(t, Gantt(io.Discard, in, s, GanttOptions{}), want)
		assert.EqualError(t, Trace(io.Discard, in, s), want)
		assert.EqualError(t, CSV(io.Discard, in, s), want)
		_, err := Utilisation(in, s)
		assert.EqualError(t, err, want)
	}
	in, s := tiny(t)
	in.Jobs[0].On = []*instance.Costs{nil}
	assert.EqualError(t, CSV(io.Discard, in, s), `view: residency[0]: job 0 does not run on GPU 0, of type "v100"`)
}

// failing is a writer that is full after n bytes.
type failing struct{ n int }

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	if f.n -= len(p); f.n < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteErrors(t *testing.T) {
	in, s := rack(t)
	for _, n := range []int{0, 100_000} {
		assert.ErrorIs(t, Gantt(&failing{n}, in, s, GanttOptions{}), errFull)
		assert.ErrorIs(t, Trace(&failing{n}, in, s), errFull)
		assert.ErrorIs(t, CSV(&failing{n}, in, s), errFull)
	}
}

// The stack of a link keeps to the capacity, and bars do not cover each other.
func TestStack(t *testing.T) {
	at := func(from, to instance.Tick, share float64) bar {
		return bar{part: piece{from: from, to: to}, share: share}
	}
	bars := []bar{at(0, 10, 0.5), at(0, 30, 0.25), at(10, 30, 0.25), at(12, 20, 0.5), at(30, 40, 1), at(35, 36, 0.25)}
	stack(bars)
	assert.Equal(t, [][2]float64{{0, 0.5}}, bars[0].bands)
	assert.Equal(t, [][2]float64{{0.5, 0.75}}, bars[1].bands)
	assert.Equal(t, [][2]float64{{0, 0.25}}, bars[2].bands)
	assert.Equal(t, [][2]float64{{0.25, 0.5}, {0.75, 1}}, bars[3].bands, "split around the second")
	assert.Equal(t, [][2]float64{{0, 1}}, bars[4].bands)
	assert.Empty(t, bars[5].bands)
	assert.InDelta(t, 0.25, bars[5].over, 1e-9, "above the capacity")
}

func TestMarks(t *testing.T) {
	in := &instance.Instance{TickUS: 1000}
	labels := func(list []mark) (text []string) {
		for _, m := range list {
			text = append(text, m.label)
		}
		return text
	}
	assert.Equal(t, []string{"0 ms", "500 ms", "1,000 ms", "1,500 ms"}, labels(timeMarks(in, 1600, 5)))
	assert.Equal(t, []string{"0 s", "10 s", "20 s"}, labels(timeMarks(in, 25_000, 3)))
	assert.Equal(t, []string{"0 min", "2 min", "4 min"}, labels(timeMarks(in, 300_000, 4)))
	assert.Equal(t, []string{"0 h", "12 h", "24 h"}, labels(timeMarks(in, 90_000_000, 3)))
	assert.Equal(t, []string{"0", "1,000", "2,000"}, labels(tickMarks(2999, 4)))
	assert.InDelta(t, 120_000, timeMarks(in, 300_000, 4)[1].at, 1e-6)
	evening := time.Date(2026, 11, 26, 21, 50, 0, 0, time.UTC)
	assert.Equal(t, []string{"26 Nov 21:50", "26 Nov 21:50:13", "26 Nov 22:51"},
		[]string{Moment(evening, 0.393), Moment(evening, 13), Moment(evening, 3635)})
	assert.Equal(t, []string{"0.054 ms", "0 s", "0 s", "12.5 s", "0h10"}, []string{Clock(0.000054), Clock(0), ClockLike(0.000054, 1), Clock(12.5), Clock(600)})
	assert.Equal(t, []string{"26 Nov 22:00", "23:00", "27 Nov 00:00", "01:00"}, labels(momentMarks(in, evening, 3.5*3_600_000, 4)))
	assert.InDelta(t, 600_000, momentMarks(in, evening, 3.5*3_600_000, 4)[0].at, 1e-6)
	there := time.Date(2026, 11, 26, 21, 50, 0, 0, time.FixedZone("", 5*3600+1800))
	assert.Equal(t, []string{"26 Nov 22:00", "23:00", "27 Nov 00:00", "01:00"}, labels(momentMarks(in, there, 3.5*3_600_000, 4)))
	assert.Equal(t, []string{"0 s", "10 s", "20 s"}, labels(momentMarks(in, evening, 25_000, 3)))
	in.TickUS = 1
	assert.Equal(t, []string{"0 µs", "1 µs"}, labels(timeMarks(in, 1, 8)))
	in.TickUS = 60_000_000
	assert.LessOrEqual(t, len(timeMarks(in, 1<<50, 10)), 11)
}

// TestGanttByTheClock: a plan of hours whose tasks are written out shows when they are.
func TestGanttByTheClock(t *testing.T) {
	in, s := tiny(t)
	in.TickUS *= 60_000
	opt := GanttOptions{Begin: time.Date(2026, 11, 26, 20, 0, 0, 0, time.UTC)}
	assert.Contains(t, picture(t, in, s, opt, defaultLimits), ">26 Nov 20:00<")
}

func BenchmarkGantt(b *testing.B) {
	in, s := large(b, 8, 30)
	s.Tasks = s.Tasks[:20_000]
	for b.Loop() {
		require.NoError(b, Gantt(io.Discard, in, s, GanttOptions{}))
	}
	b.ReportMetric(float64(len(picture(b, in, s, GanttOptions{}, defaultLimits)))/1e6, "MB")
}

func BenchmarkTrace(b *testing.B) {
	in, s := large(b, 8, 30)
	s.Tasks = s.Tasks[:20_000]
	for b.Loop() {
		require.NoError(b, Trace(io.Discard, in, s))
	}
}
