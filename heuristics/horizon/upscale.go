package horizon

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics"
	"jigsaw/heuristics/pattern"
	"jigsaw/heuristics/state"
)

// upscaler makes a plan of all iterations from a schedule of the same fraction of each job. The times of the schedule at
// which jobs start and end are its bounds. Between two of them jobs that share nodes, or links between switches, run in
// a phase: they repeat a pattern in which their iterations are in proportion to what they are to do in it. A job
// whose GPUs have no room for it yet in memory waits until others have ended.
type upscaler struct {
	in         *instance.Instance
	seed       uint64
	tries      int // schedules of which the pattern of a phase is the best
	homes      [][]instance.GPUID
	nodes      [][]instance.NodeID // of each job
	places     [][]int             // numbers of the nodes and trunks of each job
	bounds     []instance.Tick     // of the schedule
	first, end []int               // the bounds between which each job runs
	starts     [][]int             // the jobs that start at each bound
	iterations [][]span            // of each job in the schedule
	left       []int               // iterations of each job
	loaded     []instance.Tick     // when each job is in memory; -1: it has not come yet
	free       []instance.Tick     // of each node: the end of its last phase
	plan       *instance.BlockSchedule
}

// span is when an iteration starts and ends.
type span struct{ from, to instance.Tick }

const (
	// boundPart is the part of the longest iteration by which bounds are apart at least: shorter phases are not worth it.
	boundPart = 4
	// A pattern has at most planTasks tasks divided by the number of jobs, but at least leastTasks and at most mostTasks: more
	// bring nothing, but make larger files.
	planTasks, leastTasks, mostTasks = 200_000, 200, 4_000
)

func newUpscaler(in, small *instance.Instance, s *instance.Schedule, seed uint64, tries int) *upscaler {
	n := len(in.Jobs)
	u := &upscaler{
		in: in, seed: seed, tries: tries, homes: s.Residency, nodes: make([][]instance.NodeID, n), places: make([][]int, n),
		first: make([]int, n), end: make([]int, n), iterations: make([][]span, n), left: make([]int, n), loaded: make([]instance.Tick, n),
		free: make([]instance.Tick, len(in.Nodes)), plan: &instance.BlockSchedule{Residency: s.Residency},
	}
	longest := instance.Tick(0)
	for j := range in.Jobs {
		job := &in.Jobs[j]
		u.left[j], u.loaded[j], longest = job.Iterations, -1, max(longest, job.FastestFull())
		u.nodes[j] = in.NodesOf(s.Residency[j])
		u.places[j] = nodesAndTrunks(in, job, s.Residency[j])
		u.iterations[j] = slices.Repeat([]span{{math.MaxInt64, 0}}, small.Jobs[j].Iterations)
	}
	for _, t := range s.Tasks {
		i := &u.iterations[t.Job][t.Iteration-1]
		i.from, i.to = min(i.from, t.Start), max(i.to, t.End)
	}
	for _, y := range s.Syncs {
		i := &u.iterations[y.Job][y.Iteration-1]
		i.to = max(i.to, y.End)
	}
	var events []instance.Tick
	for _, list := range u.iterations {
		events = append(events, list[0].from, list[len(list)-1].to)
	}
	slices.Sort(events)
	for _, e := range events {
		if len(u.bounds) == 0 || e > u.bounds[len(u.bounds)-1]+longest/boundPart {
			u.bounds = append(u.bounds, e)
		}
	}
	bound := func(t instance.Tick) int { // the last before or at t
		return sort.Search(len(u.bounds), func(b int) bool { return u.bounds[b] > t }) - 1
	}
	u.starts = make([][]int, len(u.bounds)+1)
	for j, list := range u.iterations {
		u.first[j] = bound(list[0].from)
		u.end[j] = max(u.first[j]+1, bound(list[len(list)-1].to))
		u.starts[u.first[j]] = append(u.starts[u.first[j]], j)
	}
	return u
}

// due is how many iterations a job is to do until a bound.
func (u *upscaler) due(j, bound int) float64 {
	all := u.in.Jobs[j].Iterations
	if bound >= u.end[j] {
		return float64(u.left[j])
	}
	list, now := u.iterations[j], u.bounds[bound]
	n := sort.Search(len(list), func(i int) bool { return list[i].to > now }) // that have ended
	done := float64(n)
	if i := list[n]; i.from < now {
		done += float64(now-i.from) / float64(i.to-i.from)
	}
	return max(0, float64(done/float64(len(list))*float64(all))-float64(all-u.left[j]))
}

// run returns the plan; nil if some jobs have no pattern or no room, or if the context ends.
func (u *upscaler) run(ctx context.Context) *instance.BlockSchedule {
	last := len(u.bounds)
	for next := 1; slices.Max(u.left) > 0; next++ {
		if next > last+len(u.left) || ctx.Err() != nil {
			return nil
		}
		var running []int
		for j := range u.left {
			if u.left[j] > 0 && u.first[j] < next {
				running = append(running, j)
			}
		}
		for _, jobs := range connected(running, u.places, len(u.in.Nodes)+len(u.in.Links)) {
			// A phase goes on until one of its jobs ends or another comes.
			goesOn := next < last && !slices.ContainsFunc(jobs, func(j int) bool {
				return next >= u.end[j] || slices.ContainsFunc(u.starts[next], func(k int) bool { return meet(u.places[j], u.places[k]) })
			})
			if !goesOn && !u.phase(jobs, next) {
				return nil
			}
		}
	}
	u.plan.Sort()
	return u.plan
}

// occupants are jobs with those of them that are in memory, on all nodes of any, and where each of them lives there.
func (u *upscaler) occupants(jobs []int) (o pattern.Occupants, homes [][]instance.GPUID) {
	o = pattern.Occupants{In: u.in, Homes: make([][]instance.GPUID, len(jobs)), Left: state.Pick(u.left, jobs)}
	for _, j := range jobs {
		o.Jobs, o.Nodes = append(o.Jobs, instance.JobID(j)), append(o.Nodes, u.nodes[j]...)
	}
	slices.Sort(o.Nodes)
	o.Nodes = slices.Compact(o.Nodes)
	gpus := u.in.GPUsOn(o.Nodes)
	homes = make([][]instance.GPUID, len(jobs))
	for i, j := range jobs {
		for _, g := range u.homes[j] {
			homes[i] = append(homes[i], instance.GPUID(slices.Index(gpus, g)))
		}
		if u.loaded[j] >= 0 {
			o.Homes[i] = homes[i]
		}
	}
	return o, homes
}

// phase runs jobs until those whose end is the next bound, or before it, have ended; if there are none, until they have
// done what is due by then. It reports whether they have patterns.
func (u *upscaler) phase(jobs []int, next int) bool {
	slices.SortStableFunc(jobs, func(a, b int) int { return cmp.Compare(u.first[a], u.first[b]) }) // who comes first if there is no room for all
	o, homes := u.occupants(jobs)
	gpus, now := u.in.GPUsOn(o.Nodes), instance.Tick(0)
	for _, n := range o.Nodes {
		now = max(now, u.free[n])
	}
	all := instance.UpTo[int](len(jobs))
	ends := func(i int) bool { return next >= u.end[jobs[i]] }
	open := func(i int) bool { return ends(i) && o.Left[i] > 0 && o.Homes[i] != nil }
	ending := slices.ContainsFunc(all, ends)
	for {
		for i, j := range jobs {
			job := &u.in.Jobs[j]
			full := func(g instance.GPUID) bool { return u.in.Queues() && !o.Fits(job, g, u.in.GPUs[gpus[g]].Type) }
			if o.Homes[i] == nil && !slices.ContainsFunc(homes[i], full) {
				o.Homes[i], u.loaded[j] = homes[i], max(now, job.Release)+job.Load
			}
		}
		var want []float64
		o.Work = o.Work[:0]
		loaded := instance.Tick(math.MaxInt64) // when the next job is in memory
		for i, j := range jobs {
			switch {
			case o.Homes[i] == nil || o.Left[i] == 0:
			case u.loaded[j] > now:
				loaded = min(loaded, u.loaded[j])
			default:
				o.Work, want = append(o.Work, i), append(want, u.due(j, next))
			}
		}
		busy := slices.ContainsFunc(want, worth)
		if ending && !slices.ContainsFunc(all, open) || !ending && !busy && loaded == math.MaxInt64 {
			break
		}
		if !busy {
			now = loaded
			continue
		}
		p := u.pattern(&o, want)
		if p == nil {
			return false
		}
		until := loaded
		if !ending {
			repeats := math.Inf(1)
			for n, at := range p.At {
				if p.Iterations[n] > 0 {
					repeats = min(repeats, want[at]/float64(p.Iterations[n]))
				}
			}
			until = min(until, now+p.Period*max(1, instance.Tick(repeats)))
		}
		if until == math.MaxInt64 {
			until = 0 // until one of them ends
		}
		var blocks []instance.Block
		blocks, now, o.Left = o.Step(p, o.Jobs, gpus, now, until)
		u.plan.Blocks = append(u.plan.Blocks, blocks...)
		for i, j := range jobs {
			u.left[j] = o.Left[i]
		}
	}
	for _, n := range o.Nodes {
		u.free[n] = now
	}
	return true
}

// worth reports whether so many iterations are worth a place in a pattern.
func worth(iterations float64) bool { return iterations >= 0.5 }

// pattern is one of the jobs at work, in which their iterations are in these proportions; nil: there is none. Those that
// want hardly any have none.
func (u *upscaler) pattern(o *pattern.Occupants, want []float64) *pattern.Pattern {
	for n, w := range want {
		if !worth(w) {
			want[n] = 0
		}
	}
	p := pattern.InPlace(u.in, state.Pick(o.Jobs, o.Work), o.Nodes, state.Pick(o.Homes, o.Work), want, heuristics.MostPattern)
	p.Shrink(want, heuristics.MostPattern, max(leastTasks, min(mostTasks, planTasks/len(u.left))))
	if p.ListSchedule(context.Background(), rand.New(rand.NewPCG(u.seed, 0)), u.tries) != nil {
		return nil
	}
	return p
}
