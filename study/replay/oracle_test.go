package replay

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// shared is a toy policy: jobs sorted by a key, in groups of up to share of
// equal size, whose iterations take longer by the number of jobs in the group.
type shared struct {
	key   func(*State, int) float64
	share int
	again float64
}

func (shared) Name() string { return "shared" }

func (p shared) Shares() bool { return p.share > 1 }

func (shared) Periods(w *Workload, jobs []int, kind int) []float64 {
	periods := make([]float64, len(jobs))
	for k, i := range jobs {
		periods[k] = float64(len(jobs)) * w.ClassOf(i).Iteration[kind]
	}
	return periods
}

func (p shared) Decide(s *State) Decision {
	order := slices.Clone(s.Active)
	slices.SortStableFunc(order, func(a, b int) int {
		switch ka, kb := p.key(s, a), p.key(s, b); {
		case ka < kb-1e-9:
			return -1
		case ka > kb+1e-9:
			return 1
		}
		return a - b
	})
	var groups []Group
	for _, i := range order {
		k := len(groups) - 1
		if k >= 0 && len(groups[k].Jobs) < p.share && s.ClassOf(groups[k].Jobs[0]).GPUs == s.ClassOf(i).GPUs {
			groups[k].Jobs = append(groups[k].Jobs, i)
			continue
		}
		groups = append(groups, Group{Jobs: []int{i}, Type: AnyType})
	}
	return Decision{Groups: groups, Again: s.Now + p.again}
}

// naive replays a workload on one node, iteration by iteration, and returns when
// each job ended. It has no event queue and no bulk progress.
func naive(w *Workload, p Decider, c Config) []float64 {
	type progress struct {
		done       int64
		part       float64 // of the iteration it is in
		wait       float64 // of a restart
		period     float64
		group      []int
		starts     int
		held       float64
		ended      bool
		begun      bool
		finishTime float64
	}
	jobs := make([]progress, len(w.Jobs))
	state := State{Workload: w, Cluster: c.Cluster, Round: c.Round, runs: make([]run, len(w.Jobs))}
	repace := func(group []int) {
		periods := p.Periods(w, group, 0)
		for k, i := range group {
			jobs[i].group, jobs[i].period = group, periods[k]
			if w.Interference != nil {
				jobs[i].period *= w.Interference[len(group)-1]
			}
		}
	}
	now, dirty, again := 0.0, false, math.Inf(1)
	left := len(w.Jobs)
	decideAt := func(t float64) float64 {
		if c.Round == 0 {
			return t
		}
		return max(t, math.Ceil(t/c.Round-1e-9)*c.Round)
	}
	decision := math.Inf(1)
	for left > 0 {
		next := decision
		for i := range w.Jobs {
			j := &jobs[i]
			if !j.begun {
				next = min(next, w.Jobs[i].Arrival)
			} else if j.group != nil {
				next = min(next, now+j.wait+(1-j.part)*j.period)
			}
		}
		step := next - now
		for i := range jobs {
			if j := &jobs[i]; j.group != nil {
				j.held += step
				run := max(0, step-j.wait)
				j.wait = max(0, j.wait-step)
				j.part += run / j.period
				if j.part > 1-1e-9 {
					j.done, j.part = j.done+1, 0
				}
			}
		}
		now = next
		for i := range jobs {
			j := &jobs[i]
			if j.group != nil && j.done == w.Jobs[i].Iterations {
				rest := slices.DeleteFunc(slices.Clone(j.group), func(o int) bool { return o == i })
				j.group, j.ended, j.finishTime = nil, true, now
				left--
				dirty = true
				if len(rest) > 0 {
					repace(rest)
				}
			}
			if !j.begun && w.Jobs[i].Arrival <= now {
				j.begun, dirty = true, true
			}
		}
		if dirty || again <= now {
			decision = min(decision, decideAt(now))
		}
		if decision > now || left == 0 {
			continue
		}
		state.Now, state.Active = now, nil
		for i := range jobs {
			j := &jobs[i]
			state.runs[i] = run{done: float64(j.done) + j.part, served: j.held}
			if j.group != nil {
				state.runs[i].group = &group{}
				state.runs[i].from, state.runs[i].since, state.runs[i].period = now, now, 1
			}
			if j.begun && !j.ended {
				state.Active = append(state.Active, i)
			}
		}
		if len(state.Active) == 0 {
			decision, dirty, again = math.Inf(1), false, math.Inf(1)
			continue
		}
		d := p.Decide(&state)
		again, dirty, decision = d.Again, false, math.Inf(1)
		if !math.IsInf(again, 1) {
			decision = decideAt(max(again, math.Nextafter(now, math.Inf(1))))
		}
		free := c.Cluster.Total()
		runs := map[int]bool{}
		for _, g := range d.Groups {
			gpus := w.ClassOf(g.Jobs[0]).GPUs
			if gpus > free {
				continue
			}
			free -= gpus
			for _, i := range g.Jobs {
				runs[i] = true
				if j := &jobs[i]; j.group == nil {
					j.starts++
					if j.starts > 1 {
						j.wait = w.ClassOf(i).Restart
					}
				}
			}
			repace(g.Jobs)
		}
		for i := range jobs {
			if j := &jobs[i]; j.group != nil && !runs[i] {
				j.group, j.part, j.wait = nil, 0, 0
			}
		}
	}
	ends := make([]float64, len(jobs))
	for i := range jobs {
		ends[i] = jobs[i].finishTime
	}
	return ends
}

// drawWorkload draws a small workload for clusters with the given number of
// GPUs. Lengths are odd, so that no two events coincide by chance.
func drawWorkload(t *rapid.T, gpus int) *Workload {
	w := &Workload{Name: "drawn"}
	if rapid.Bool().Draw(t, "interference") {
		w.Interference = []float64{1, 1.31, 1.27}
	}
	for k := range rapid.IntRange(1, 3).Draw(t, "classes") {
		w.Classes = append(w.Classes, Class{
			Model: "m", GPUs: rapid.IntRange(1, gpus).Draw(t, "gpus"),
			Iteration: []float64{0.1*float64(rapid.IntRange(1, 50).Draw(t, "length")) + 0.0137*float64(k+1)},
			Stages:    Stages{GPU: 1}, Restart: float64(rapid.IntRange(0, 3).Draw(t, "restart")) * 0.71,
		})
	}
	now := 0.0
	for range rapid.IntRange(1, 8).Draw(t, "jobs") {
		w.Jobs = append(w.Jobs, Job{
			ID: "j", Arrival: now, Weight: 1, Class: rapid.IntRange(0, len(w.Classes)-1).Draw(t, "class"),
			Iterations: int64(rapid.IntRange(1, 12).Draw(t, "iterations")),
		})
		now += 0.1703 * float64(rapid.IntRange(0, 40).Draw(t, "pause"))
	}
	return w
}

var keys = map[string]func(*State, int) float64{
	"arrival":   func(_ *State, i int) float64 { return float64(i) },
	"remaining": func(s *State, i int) float64 { return s.Remaining(i) },
	"served":    func(s *State, i int) float64 { return s.Served(i) },
}

func TestAgainstIterationByIteration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gpus := rapid.IntRange(1, 6).Draw(t, "cluster")
		w := drawWorkload(t, gpus)
		c := Config{
			Cluster: &Cluster{Types: []string{"gpu"}, Nodes: []Node{{0, gpus}}},
			Round:   []float64{0, 1.3, 7.9}[rapid.IntRange(0, 2).Draw(t, "round")],
		}
		key := rapid.SampledFrom([]string{"arrival", "remaining", "served"}).Draw(t, "key")
		p := shared{key: keys[key], share: rapid.IntRange(1, 3).Draw(t, "share"), again: math.Inf(1)}
		if key == "served" {
			p.again = 23.171
		}
		got, err := Run(context.Background(), w, p, c)
		require.NoError(t, err)
		require.InDeltaSlice(t, naive(w, p, c), got.Finish, 1e-5)
	})
}

// TestConservation replays on clusters of several nodes and checks what must hold
// for every policy: no GPUs are held that do not exist, and all work is done, at
// most at the speed alone.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &Cluster{Types: []string{"gpu"}}
		for range rapid.IntRange(1, 4).Draw(t, "nodes") {
			c.Nodes = append(c.Nodes, Node{0, 4})
		}
		w := drawWorkload(t, 4)
		if len(c.Nodes) > 2 {
			w.Classes[0].GPUs = rapid.SampledFrom([]int{6, 8}).Draw(t, "large")
		}
		p := shared{key: keys["served"], share: rapid.IntRange(1, 3).Draw(t, "share"), again: 60}
		observed := 0
		config := Config{Cluster: c, Round: 1.3, RestartAll: rapid.Bool().Draw(t, "restart all")}
		config.Observe = func(now float64, groups []Holding) {
			observed++
			held := map[int]int{}
			runs := map[int]bool{}
			for _, g := range groups {
				sum := 0
				for n, gpus := range g.GPUs {
					held[n] += gpus
					sum += gpus
				}
				for _, i := range g.Jobs {
					require.Equal(t, w.ClassOf(i).GPUs, sum, "a job has as many GPUs as it asks for")
					require.False(t, runs[i], "a job runs once")
					require.LessOrEqual(t, w.Jobs[i].Arrival, now)
					runs[i] = true
				}
			}
			for n, gpus := range held {
				require.LessOrEqual(t, gpus, c.Nodes[n].GPUs)
			}
		}
		r, err := Run(context.Background(), w, p, config)
		require.NoError(t, err)
		require.Positive(t, observed)
		work, alone := 0.0, 0.0
		for i := range w.Jobs {
			alone += w.Alone(i)
			require.GreaterOrEqual(t, r.Finish[i]-w.Jobs[i].Arrival, w.Alone(i)-1e-6)
			require.GreaterOrEqual(t, r.Start[i], w.Jobs[i].Arrival)
			work += w.Alone(i) * float64(w.ClassOf(i).GPUs)
		}
		require.InDelta(t, work, r.Work, 1e-6*work)
		// GPU time held is work, restarts, and lost work; groups of several jobs hold
		// less than their jobs would alone.
		if p.share == 1 && !config.RestartAll {
			restarts := 0.0
			for i := range w.Jobs {
				restarts += w.ClassOf(i).Restart * float64(w.ClassOf(i).GPUs) * float64(r.Restarts)
			}
			require.GreaterOrEqual(t, r.Held, work-1e-6)
			require.LessOrEqual(t, r.Held, work+r.Lost+restarts+1e-6)
		}
		exclusive, sharing := Bounds(w, c, func(*Class) float64 { return 1 / float64(p.share) })
		m := r.Metrics()
		b := sharing
		if p.share == 1 {
			b = exclusive
		}
		require.LessOrEqual(t, b.Mean, m.Mean*(1+1e-9))
		require.LessOrEqual(t, b.Makespan, m.Makespan*(1+1e-9))
	})
}

// TestNoProgress: jobs that are stopped before the end of every iteration
// continue forever.
func TestNoProgress(t *testing.T) {
	w := &Workload{
		Jobs:    []Job{{ID: "a", Iterations: 2}, {ID: "b", Iterations: 2}},
		Classes: []Class{{GPUs: 1, Iteration: []float64{10}}},
	}
	p := shared{key: keys["served"], share: 1, again: 1}
	_, err := Run(context.Background(), w, p, Config{Cluster: &Cluster{Types: []string{"gpu"}, Nodes: []Node{{0, 1}}}, Round: 1})
	require.ErrorContains(t, err, "iterations are longer than rounds")

	// A job that makes progress may be alone for any number of decisions.
	w.Jobs, w.Classes[0].Iteration[0] = []Job{{ID: "a", Iterations: 25_000}}, 10
	r, err := Run(context.Background(), w, p, Config{Cluster: &Cluster{Types: []string{"gpu"}, Nodes: []Node{{0, 1}}}, Round: 1})
	require.NoError(t, err)
	require.Equal(t, 250_000.0, r.Finish[0])
}
