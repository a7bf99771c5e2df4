package baseline

import (
	"context"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// follower is a policy: jobs at given sites, in a given order on every GPU. A job starts
// when those before it on its GPUs have ended.
type follower struct {
	sites []site
	after [][]instance.JobID // per job: the next job on each of its GPUs
	lack  []int              // per job: GPUs that others still hold, plus 1 until its release
	ready []instance.JobID
}

func newFollower(p *problem, order []instance.JobID, sites []site) *follower {
	f := &follower{sites: sites, after: make([][]instance.JobID, len(order)), lack: make([]int, len(order))}
	last := make([]instance.JobID, len(p.in.GPUs))
	for g := range last {
		last[g] = instance.NoJob
	}
	for _, j := range order {
		f.lack[j]++
		for _, g := range sites[j].gpus {
			if o := last[g]; o != instance.NoJob {
				f.after[o] = append(f.after[o], j)
				f.lack[j]++
			}
			last[g] = j
		}
	}
	return f
}

func (f *follower) arrive(j instance.JobID) { f.gain(j) }

func (f *follower) end(j instance.JobID) {
	for _, o := range f.after[j] {
		f.gain(o)
	}
}

func (f *follower) gain(j instance.JobID) {
	if f.lack[j]--; f.lack[j] == 0 {
		f.ready = append(f.ready, j)
	}
}

func (f *follower) admit(s *simulator) {
	for _, j := range f.ready {
		s.start(j, f.sites[j])
	}
	f.ready = f.ready[:0]
}

// follow runs the jobs at their sites in the order.
func follow(ctx context.Context, p *problem, order []instance.JobID, sites []site) (*simulator, error) {
	return simulate(ctx, p, places(order), newFollower(p, order, sites))
}

// Shallow returns a schedule of whole jobs with the depths that the rules of in require,
// for each rule the multiset of least work: every job keeps its GPUs and its position on
// each of them. A search for a plan of in may start from it.
func Shallow(ctx context.Context, in *instance.Instance, s *instance.Schedule) (*instance.Schedule, error) {
	p := newProblem(in)
	placer := newPlacer(p)
	begin := make([]instance.Tick, len(in.Jobs))
	for j := range begin {
		begin[j] = state.Never
	}
	for _, t := range s.Tasks {
		begin[t.Job] = min(begin[t.Job], t.Start)
	}
	sites := make([]site, len(in.Jobs))
	for j := range sites {
		sites[j], _ = placer.at(instance.JobID(j), s.Residency[j])
	}
	run, err := follow(ctx, p, byTick(begin), sites)
	if err != nil {
		return nil, err
	}
	return run.schedule(), nil
}
