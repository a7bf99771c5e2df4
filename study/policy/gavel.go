package policy

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"jigsaw/solver"
	"jigsaw/study/replay"
)

// gavel runs one of Gavel's policies in rounds: jobs that have received the
// smallest fraction of their allocated time go first. Allocations are recomputed
// when jobs came or went and the last one is old enough.
//
// As in Gavel, a job's time on a type counts from the last allocation, starting at
// half a round; jobs without allocation fill the gaps.
type gavel struct {
	exclusive
	ctx       context.Context
	objective Objective
	engine    solver.Solver
	allocated float64 // time of the last allocation
	jobs      []int   // in it, ascending
	x         map[int][]float64
	received  map[int][]float64 // seconds by type since the allocation
	isolated  map[int]isolatedTime
	warm      warmStart
	last      float64 // time of the last decision
	failed    error
}

// isolatedTime is the state of finish-time fairness for a job.
type isolatedTime struct{ seconds, done, rate float64 }

// allocationAge is the least time for which an allocation stands, in seconds;
// Gavel's default.
const allocationAge = 1920

var errNoSolver = errors.New("policy: the policies of Gavel are linear programs, and this build has no engine for them: install CLP (see CONTRIBUTING.md)")

func newGavel(ctx context.Context, name string, o Options) (replay.Policy, error) {
	if o.Solver == nil {
		return nil, errNoSolver
	}
	return &gavel{
		exclusive: exclusive{name}, ctx: ctx, objective: Objective(strings.TrimPrefix(name, "gavel-")), engine: o.Solver,
		x: map[int][]float64{}, received: map[int][]float64{}, isolated: map[int]isolatedTime{}, allocated: -allocationAge,
	}, nil
}

// NeedsRounds reports that time is divided into rounds.
func (p *gavel) NeedsRounds() bool { return true }

// Err returns why the policy gave up, if it did.
func (p *gavel) Err() error { return p.failed }

// Decide sorts jobs by allocation over time received, for each type.
func (p *gavel) Decide(s *replay.State) replay.Decision {
	p.account(s)
	if s.Now-p.allocated >= allocationAge && !slices.Equal(p.jobs, s.Active) {
		p.allocate(s)
	}
	kinds := len(s.Cluster.Types)
	total := make([]float64, kinds)
	for _, i := range s.Active {
		for t, v := range p.time(s, i) {
			total[t] += v
		}
	}
	type entry struct {
		job, kind int
		priority  float64
	}
	var queue []entry
	for _, i := range s.Active {
		received := p.time(s, i)
		for t := range s.ClassOf(i).Iteration {
			if !s.Suits(t, i) {
				continue
			}
			e := entry{job: i, kind: t}
			if x := p.x[i]; x != nil && x[t] > 0 {
				e.priority = x[t] * total[t] / received[t]
			}
			queue = append(queue, e)
		}
	}
	slices.SortFunc(queue, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.job, b.job), cmp.Compare(a.kind, b.kind))
	})
	d := replay.Decision{Again: s.Now + s.Round}
	free := s.Cluster.GPUs()
	taken := map[int]bool{}
	for _, e := range queue {
		if gpus := s.ClassOf(e.job).GPUs; !taken[e.job] && gpus <= free[e.kind] {
			free[e.kind] -= gpus
			taken[e.job] = true
			d.Groups = append(d.Groups, replay.Group{Jobs: []int{e.job}, Type: e.kind})
		}
	}
	return d
}

// time returns the seconds job i has had on each type, and half a round.
func (p *gavel) time(s *replay.State, i int) []float64 {
	v, ok := p.received[i]
	if !ok {
		v = make([]float64, len(s.Cluster.Types))
		for t := range v {
			v[t] = s.Round / 2
		}
		p.received[i] = v
	}
	return v
}

// account adds the time since the last decision to the jobs that ran.
func (p *gavel) account(s *replay.State) {
	for _, i := range s.Active {
		if kind, running := s.Running(i); running {
			p.time(s, i)[kind] += s.Now - p.last
		}
	}
	p.last = s.Now
}

// allocate computes a new allocation. If that fails the old one stays.
func (p *gavel) allocate(s *replay.State) {
	demands := make([]Demand, len(s.Active))
	for k, i := range s.Active {
		class := s.ClassOf(i)
		rates := make([]float64, len(class.Iteration))
		for t, length := range class.Iteration {
			if s.Suits(t, i) {
				rates[t] = 1 / length
			}
		}
		done := s.Done(i)
		past := p.isolated[i]
		if past.rate > 0 {
			past.seconds += (done - past.done) / past.rate
		}
		past.done = done
		p.isolated[i] = past
		demands[k] = Demand{
			GPUs: class.GPUs, Weight: s.Jobs[i].Weight, Rate: rates, Since: s.Now - s.Jobs[i].Arrival, Isolated: past.seconds,
			// Nearly finished jobs must not produce numbers that an engine cannot handle.
			Remaining: max(1, float64(s.Jobs[i].Iterations)-done),
		}
	}
	a := allocator{gpus: s.Cluster.GPUs(), jobs: demands}
	for k, i := range s.Active {
		past := p.isolated[i]
		past.rate = a.isolated(k)
		p.isolated[i] = past
	}
	p.warm.ids = s.Active
	r, err := allocate(p.ctx, p.engine, p.objective, s.Cluster.GPUs(), demands, &p.warm)
	if err != nil {
		if p.failed == nil && p.ctx.Err() == nil {
			p.failed = err
		}
		return
	}
	p.allocated, p.jobs = s.Now, slices.Clone(s.Active)
	clear(p.x)
	clear(p.received)
	for k, i := range s.Active {
		p.x[i] = r.X[k]
	}
}
