package policy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"jigsaw/formulation/instance/profiles"
	"jigsaw/study/replay"
)

// job is a job of a hand-made trace: its arrival, its GPUs, and its seconds alone.
type job struct {
	arrival float64
	gpus    int
	alone   float64
}

// handMade makes a workload with iterations of one second.
func handMade(jobs ...job) *replay.Workload {
	w := &replay.Workload{Name: "hand-made"}
	for i, j := range jobs {
		w.Classes = append(w.Classes, replay.Class{Model: "m", GPUs: j.gpus, Iteration: []float64{1}, Stages: replay.Stages{GPU: 1}})
		w.Jobs = append(w.Jobs, replay.Job{ID: fmt.Sprint(i), Arrival: j.arrival, Class: i, Iterations: int64(j.alone), Weight: 1})
	}
	return w
}

func run(t *testing.T, w *replay.Workload, name, cluster string, round float64, o Options) *replay.Result {
	t.Helper()
	c, err := replay.ParseCluster(cluster)
	require.NoError(t, err)
	p, err := New(context.Background(), name, o)
	require.NoError(t, err)
	r, err := replay.Run(context.Background(), w, p, replay.Config{Cluster: c, Round: round})
	require.NoError(t, err)
	return r
}

// TestByHand: traces whose replay can be worked out on paper.
func TestByHand(t *testing.T) {
	for name, c := range map[string]struct {
		jobs    []job
		policy  string
		cluster string
		round   float64
		o       Options
		want    []float64 // ends
	}{
		// The second job holds up the third, though there is a GPU for it.
		"fifo holds up":       {[]job{{0, 1, 10}, {1, 2, 5}, {2, 1, 3}}, "fifo", "1x2", 0, Options{}, []float64{10, 15, 18}},
		"fifo after a round":  {[]job{{0, 1, 10}, {1, 2, 5}, {2, 1, 3}}, "fifo", "1x2", 4, Options{}, []float64{10, 17, 23}},
		"fifo is not stopped": {[]job{{0, 1, 10}, {1, 1, 1}}, "fifo", "1x1", 0, Options{}, []float64{10, 11}},
		// The short job stops the long one after its third iteration.
		"srtf stops": {[]job{{0, 1, 10}, {3, 1, 2}}, "srtf", "1x1", 0, Options{}, []float64{12, 5}},
		// Half an iteration is lost.
		"srtf loses":   {[]job{{0, 1, 10}, {3.5, 1, 2}}, "srtf", "1x1", 0, Options{}, []float64{12.5, 5.5}},
		"srtf by time": {[]job{{0, 2, 4}, {0, 1, 5}}, "srtf", "1x2", 0, Options{}, []float64{4, 9}},
		// 5 x 1 is less than 4 x 2.
		"srsf by service": {[]job{{0, 2, 4}, {0, 1, 5}}, "srsf", "1x2", 0, Options{}, []float64{9, 5}},
		// After 4 GPU-seconds the first job goes behind the second, which then runs as
		// long before it; then the first continues.
		"las": {[]job{{0, 1, 6}, {0, 1, 6}}, "las", "1x1", 0, Options{Thresholds: []float64{4}}, []float64{10, 12}},
		// The GPUs count: 2 GPUs have held 4 GPU-seconds after 2 seconds. The other job
		// leaves the first queue at 6, and finds the first job before it in the second.
		"las counts GPUs": {[]job{{0, 2, 6}, {0, 1, 6}}, "las", "1x2", 0, Options{Thresholds: []float64{4}}, []float64{10, 12}},
		// Both have left the first queue when the third job arrives at 6, which leaves one
		// GPU. The first job wants two, and from then on is behind the second, which keeps
		// running.
		"las lets who runs go on": {[]job{{0, 2, 6}, {0, 1, 12}, {6, 1, 1}}, "las", "1x2", 0, Options{Thresholds: []float64{4}}, []float64{18, 14, 7}},
		// All of an iteration is GPU time, so two jobs in a round take twice as long.
		"muri in turns": {[]job{{0, 1, 10}, {0, 1, 10}}, "muri-s", "1x1", 0, Options{}, []float64{20, 20}},
		"muri limits":   {[]job{{0, 1, 10}, {0, 1, 10}, {0, 1, 10}}, "muri-s", "1x1", 0, Options{Share: 2}, []float64{20, 20, 30}},
		// Sharing gains nothing, so JigSaw does not share.
		"jigsaw alone": {[]job{{0, 1, 10}, {0, 1, 10}}, "jigsaw", "1x1", 0, Options{}, []float64{10, 20}},
		"jigsaw stops": {[]job{{0, 1, 10}, {3, 1, 2}}, "jigsaw", "1x1", 0, Options{}, []float64{12, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, handMade(c.jobs...), c.policy, c.cluster, c.round, c.o)
			require.InDeltaSlice(t, c.want, r.Finish, 1e-6)
		})
	}
}

// TestInterference: jobs that share slow each other down under every policy, and
// JigSaw accounts for it.
func TestInterference(t *testing.T) {
	w := handMade(job{0, 2, 10}, job{0, 2, 10})
	for k := range w.Classes {
		w.Classes[k].Stages = replay.Stages{GPU: 0.5, Network: 0.5}
	}
	for _, c := range []struct {
		policy   string
		slowdown float64
		want     []float64
	}{
		// A round has three slots of half a second that are in use.
		{"muri-s", 1, []float64{15, 15}},
		{"muri-s", 1.5, []float64{22.5, 22.5}},
		{"jigsaw", 1, []float64{10, 10.5}}, // the second begins half an iteration later
		{"jigsaw", 1.3, []float64{12.7, 13.35}},
		{"jigsaw", 1.5, []float64{10, 20}}, // taking turns is faster
	} {
		w.Interference = []float64{1, c.slowdown}
		r := run(t, w, c.policy, "1x2", 0, Options{})
		require.InDeltaSlice(t, c.want, r.Finish, 0.2, "%s at %v", c.policy, c.slowdown) // plans use whole ticks
	}
}

// TestRound: the length of a round of interleaved stages.
func TestRound(t *testing.T) {
	class := func(load, gpu, network float64) *replay.Class {
		return &replay.Class{GPUs: 1, Iteration: []float64{1}, Stages: replay.Stages{Load: load, GPU: gpu, Network: network}}
	}
	for _, c := range []struct {
		jobs []*replay.Class
		want float64
	}{
		// One after the other on the GPU.
		{[]*replay.Class{class(0, 0.7, 0), class(0, 0.6, 0)}, 1.3},
		// The network of one while the other is on the GPU, in one slot of three.
		{[]*replay.Class{class(0, 0.5, 0.5), class(0, 0.5, 0.5)}, 1.5},
		// Storage and CPU: two jobs load at a time, four need two rounds of it.
		{[]*replay.Class{class(0.8, 0, 0), class(0.8, 0, 0)}, 0.8},
		{[]*replay.Class{class(0.8, 0, 0), class(0.8, 0, 0), class(0.8, 0, 0), class(0.8, 0, 0)}, 1.6},
		// Loading in two slots, one of which the other's GPU stage fills.
		{[]*replay.Class{class(0.6, 0.2, 0), class(0, 0.5, 0)}, 0.8},
	} {
		require.InDelta(t, c.want, shortestRound(c.jobs, 0), 1e-9, "%v", c.jobs)
	}
}

// TestRoundIsOptimal compares the closed form with a search over slots.
func TestRoundIsOptimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		seats := make([]*replay.Class, slots)
		for p := range seats {
			if rng.IntN(4) > 0 {
				seats[p] = &replay.Class{Iteration: []float64{1}, Stages: replay.Stages{
					Load: float64(rng.IntN(8)), GPU: float64(rng.IntN(5)), Network: float64(rng.IntN(5)),
				}}
			}
		}
		best := 1000
		for code := range 9 * 9 * 9 * 9 {
			s := [slots]int{code % 9, code / 9 % 9, code / 81 % 9, code / 729}
			ok := true
			for p, c := range seats {
				if c != nil && (float64(s[p]) < c.Stages.GPU || float64(s[(p+1)%slots]) < c.Stages.Network ||
					float64(s[(p+2)%slots]+s[(p+3)%slots]) < c.Stages.Load) {
					ok = false
				}
			}
			if ok {
				best = min(best, s[0]+s[1]+s[2]+s[3])
			}
		}
		require.InDelta(t, float64(best), roundLength(seats, 0), 1e-9)
	}
}

// shaped returns classes of a model with layers, with the given number of GPUs and
// figures like those of Muri's traces.
func shaped(t *testing.T, gpus int) []replay.Class {
	t.Helper()
	library, err := profiles.Builtin()
	require.NoError(t, err)
	bert, ok := library.Find("bert24", "v100", 2)
	require.True(t, ok)
	return []replay.Class{
		{Model: "gpt2", GPUs: gpus, Iteration: []float64{0.437}, Stages: replay.Stages{Load: 0.001, GPU: 0.96, Network: 0.11}, Shape: bert},
		{Model: "resnet18", GPUs: gpus, Iteration: []float64{1.01}, Stages: replay.Stages{Load: 0.776, GPU: 0.116, Network: 0.076}},
		{Model: "dqn", GPUs: gpus, Iteration: []float64{0.509}, Stages: replay.Stages{Load: 0.855, GPU: 0.016, Network: 0.001}},
	}
}

// TestWork: partial backpropagation needs more than one worker, and a shape.
func TestWork(t *testing.T) {
	one, eight := shaped(t, 1), shaped(t, 8)
	require.Equal(t, 0.96, Work(&one[0]))
	require.Equal(t, eight[1].Stages.GPU, Work(&eight[1]))
	w := Work(&eight[0])
	// For bert24 the forward pass is 42 %, and the ladder of eight has 2, 1, 2 and 3
	// workers at 27 %, 50 %, 77 % and all of the rest.
	require.InDelta(t, 0.96*(0.4242+0.5758*(2*0.2723+0.5021+2*0.7698+3)/8), w, 0.005)
}

// TestEveryPolicy replays one trace under all policies: the bounds hold, jobs
// end, and the same seed gives the same result.
func TestEveryPolicy(t *testing.T) {
	w := &replay.Workload{Name: "all", Classes: append(shaped(t, 4), shaped(t, 1)...)}
	rng := rand.New(rand.NewPCG(3, 4))
	now := 0.0
	jobs := 60
	if testing.Short() {
		jobs = 10
	}
	for i := range jobs {
		w.Jobs = append(w.Jobs, replay.Job{ID: fmt.Sprint(i), Arrival: now, Class: rng.IntN(6), Iterations: int64(500 + rng.IntN(20000)), Weight: 1})
		now += 300 * rng.ExpFloat64()
	}
	c, err := replay.ParseCluster("3x4")
	require.NoError(t, err)
	o := Options{Seed: 7}
	if e, err := engineOrNil(); err == nil {
		o.Solver = e
	}
	names, without := Available(o)
	require.Len(t, Names(), len(names)+len(without))
	config := replay.Config{Cluster: c, Round: 60}
	report, err := Compare(context.Background(), w, names, o, config)
	require.NoError(t, err)
	again, err := Compare(context.Background(), w, names, o, config)
	require.NoError(t, err)
	require.Equal(t, report.Policies, again.Policies)
	require.Len(t, report.Policies, len(names))
	for _, m := range report.Policies {
		b := report.BoundFor(m)
		require.Equal(t, jobs, m.Ended, m.Policy)
		require.GreaterOrEqual(t, m.Mean, b.Mean, m.Policy)
		require.GreaterOrEqual(t, m.Makespan, b.Makespan, m.Policy)
		require.LessOrEqual(t, m.Utilisation, 1+1e-9, m.Policy)
	}
}

// TestTypes: jobs that share GPUs run on a type that suits them all, or
// separately.
func TestTypes(t *testing.T) {
	half := replay.Stages{GPU: 0.5, Network: 0.5}
	w := &replay.Workload{
		Classes: []replay.Class{
			{Model: "first is faster", GPUs: 1, Iteration: []float64{1, 2}, Stages: half},
			{Model: "second only", GPUs: 1, Iteration: []float64{0, 1}, Stages: half},
			{Model: "first only", GPUs: 1, Iteration: []float64{1, 0}, Stages: half},
		},
		Jobs: []replay.Job{
			{ID: "a", Class: 0, Iterations: 100}, {ID: "b", Class: 1, Iterations: 200}, {ID: "c", Class: 1, Iterations: 250}, {ID: "d", Class: 2, Iterations: 300},
		},
	}
	for _, cluster := range []string{"1x1:x,1x1:y", "1x1:x,2x1:y"} {
		for _, name := range []string{"srtf", "muri-s", "muri-l", "jigsaw"} {
			r := run(t, w, name, cluster, 0, Options{})
			for i := range w.Jobs {
				require.GreaterOrEqual(t, r.Finish[i], w.Alone(i)-1e-6, "%s on %s: job %d", name, cluster, i)
			}
		}
	}
	// The first type has 16 GPUs, but no two whole nodes for a job of 16.
	w = &replay.Workload{Classes: []replay.Class{{GPUs: 16, Iteration: []float64{1, 2}}}, Jobs: []replay.Job{{ID: "a", Iterations: 10}}}
	require.Equal(t, []float64{20}, run(t, w, "srtf", "1x8:x,2x4:x,2x8:y", 0, Options{}).Finish)
}

// TestAnywhere replays small random traces on random clusters under every policy: the
// bounds hold, jobs end, and none is faster than alone.
func TestAnywhere(t *testing.T) {
	shape := shaped(t, 1)[0].Shape
	o := Options{Thresholds: []float64{10, 30}}
	if e, err := engineOrNil(); err == nil {
		o.Solver = e
	}
	names, _ := Available(o)
	rapid.Check(t, func(t *rapid.T) {
		pick := func(name string, of ...float64) float64 { return rapid.SampledFrom(of).Draw(t, name) }
		c := &replay.Cluster{}
		for kind := range rapid.IntRange(1, 3).Draw(t, "types") {
			c.Types = append(c.Types, fmt.Sprint(kind))
			for range rapid.IntRange(1, 3).Draw(t, "nodes") {
				c.Nodes = append(c.Nodes, replay.Node{Type: kind, GPUs: int(pick("GPUs of a node", 1, 2, 4))})
			}
		}
		w := &replay.Workload{}
		for range rapid.IntRange(1, 4).Draw(t, "classes") {
			k := replay.Class{GPUs: int(pick("GPUs", 1, 1, 2, 4)), Restart: pick("restart", 0, 1, 3),
				Stages: replay.Stages{GPU: pick("GPU", 0.1, 0.5, 1), Network: pick("network", 0, 0.5, 1), Load: pick("load", 0, 0.5, 1)}}
			for range c.Types {
				k.Iteration = append(k.Iteration, pick("iteration", 0, 0.5, 1, 3))
			}
			if !c.Fits(k.GPUs, func(kind int) bool { return k.Iteration[kind] > 0 }) {
				k.GPUs, k.Iteration[0] = 1, 1
			}
			if rapid.Bool().Draw(t, "shape") {
				k.Shape = shape
			}
			w.Classes = append(w.Classes, k)
		}
		if rapid.Bool().Draw(t, "interference") {
			w.Interference = []float64{1, 1.31, 1.48, 1.35}
		}
		now := 0.0
		for i := range rapid.IntRange(1, 9).Draw(t, "jobs") {
			w.Jobs = append(w.Jobs, replay.Job{ID: fmt.Sprint(i), Arrival: now, Weight: 1,
				Class: rapid.IntRange(0, len(w.Classes)-1).Draw(t, "class"), Iterations: rapid.Int64Range(1, 60).Draw(t, "iterations")})
			now += pick("pause", 0, 1, 10)
		}
		config := replay.Config{Cluster: c, Round: pick("round", 0, 20)}
		config.RestartAll = config.Round > 0 && rapid.Bool().Draw(t, "restart all") // otherwise las may do nothing but restart
		names := names
		if config.Round == 0 {
			names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.HasPrefix(name, "gavel") })
		}
		report, err := Compare(context.Background(), w, names, o, config)
		require.NoError(t, err)
		for n, m := range report.Policies {
			b := report.BoundFor(m)
			require.GreaterOrEqual(t, m.Mean*(1+1e-9), b.Mean, m.Policy)
			require.GreaterOrEqual(t, m.Makespan*(1+1e-9), b.Makespan, m.Policy)
			require.LessOrEqual(t, m.Utilisation, 1+1e-9, m.Policy)
			for i := range w.Jobs {
				require.GreaterOrEqual(t, report.Results[n].Served[i]+1e-6, w.Alone(i), "%s: job %d", m.Policy, i)
			}
		}
	})
}

func TestCut(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	w := handMade(job{0, 1, 10}, job{0, 1, 10})
	c, err := replay.ParseCluster("1x1")
	require.NoError(t, err)
	cancel()
	report, err := Compare(ctx, w, []string{"fifo", "srtf"}, Options{}, replay.Config{Cluster: c})
	require.NoError(t, err)
	require.Contains(t, report.Notes, "interrupted: fifo, srtf did not run")
	p, err := New(ctx, "fifo", Options{})
	require.NoError(t, err)
	r, err := replay.Run(ctx, w, p, replay.Config{Cluster: c})
	require.NoError(t, err)
	require.True(t, r.Cut)
	require.Zero(t, r.Metrics().Ended)
}

func TestMalformedOptions(t *testing.T) {
	for want, c := range map[string]struct {
		name string
		o    Options
	}{
		`there is no policy "best"; choose among fifo, srtf`: {"best", Options{}},
		"9 jobs to a group; choose 1 to 4":                   {"jigsaw", Options{Share: 9}},
		"do not ascend":                                      {"las", Options{Thresholds: []float64{2, 1}}},
		"this build has no engine":                           {"gavel-ftf", Options{}},
	} {
		_, err := New(context.Background(), c.name, c.o)
		require.ErrorContains(t, err, want)
	}
}

// TestGroups: for every policy, a group has jobs of one size and not too many of
// them, a job runs only once, and no GPUs are held that do not exist.
func TestGroups(t *testing.T) {
	w := &replay.Workload{Name: "groups", Classes: append(append(shaped(t, 8), shaped(t, 2)...), shaped(t, 1)...)}
	rng := rand.New(rand.NewPCG(5, 6))
	now := 0.0
	jobs, shares := 120, []int{2, 4}
	if testing.Short() {
		jobs, shares = 16, shares[1:]
	}
	for i := range jobs {
		w.Jobs = append(w.Jobs, replay.Job{ID: fmt.Sprint(i), Arrival: now, Class: rng.IntN(len(w.Classes)), Iterations: int64(500 + rng.IntN(9000)), Weight: 1})
		now += 60 * rng.ExpFloat64()
	}
	c, err := replay.ParseCluster("2x8")
	require.NoError(t, err)
	for _, name := range []string{"muri-s", "muri-l"} {
		for _, share := range shares {
			p, err := New(context.Background(), name, Options{Share: share})
			require.NoError(t, err)
			sharedOnce := false
			config := replay.Config{Cluster: c, Round: 60, Observe: func(_ float64, groups []replay.Holding) {
				free := []int{8, 8}
				runs := map[int]bool{}
				for _, g := range groups {
					require.LessOrEqual(t, len(g.Jobs), share)
					sharedOnce = sharedOnce || len(g.Jobs) > 1
					for n, gpus := range g.GPUs {
						free[n] -= gpus
						require.GreaterOrEqual(t, free[n], 0)
					}
					for _, i := range g.Jobs {
						require.Equal(t, w.ClassOf(g.Jobs[0]).GPUs, w.ClassOf(i).GPUs)
						require.False(t, runs[i])
						runs[i] = true
					}
				}
			}}
			r, err := replay.Run(context.Background(), w, p, config)
			require.NoError(t, err)
			require.True(t, sharedOnce, "%s shares GPUs", name)
			require.Equal(t, len(w.Jobs), r.Metrics().Ended)
		}
	}
}
