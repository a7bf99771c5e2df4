package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Config of a replay.
type Config struct {
	Cluster *Cluster
	// Round is the time between decisions in seconds; 0 decides at every arrival
	// and every end of a job.
	Round float64
	// RestartAll makes every running job restart at every decision, like the
	// testbed of Muri, and at its first start.
	RestartAll bool
	// Observe, if not nil, is called after every decision with the running groups.
	Observe func(now float64, groups []Holding)
}

// Holding is a running group, and the GPUs it holds: a number by node.
type Holding struct {
	Jobs []int
	GPUs map[int]int
}

// run is the state of a job.
type run struct {
	group *group // nil: it waits, or has ended
	// done iterations at time from; from then on one per period.
	done, from, period float64
	// since when it holds GPUs, and how long it held some before.
	since, served float64
	starts        int
	version       int // of its event in the queue
}

// at returns the iterations done at a time.
func (r *run) at(now float64) float64 {
	if r.group == nil || now <= r.from {
		return r.done
	}
	return r.done + (now-r.from)/r.period
}

// group is a running group.
type group struct {
	jobs  []int
	kind  int
	gpus  int
	place []slot
	index int // in sim.groups
}

// whole is the distance to the next iteration at which that counts as done:
// more than rounding errors, and less than anything visible.
const whole = 1e-6

// sim is one run of [Run].
type sim struct {
	State
	config Config
	policy Decider
	placer *placer
	ends   heap[event]
	groups []*group
	next   int // job to arrive
	result *Result
	fair   fairClock
	held   float64 // GPUs held
	last   float64 // when held was last summed
}

// Run replays a workload under a policy, a [Decider] or a [Planner]. If ctx ends it returns what is
// known so far, marked as cut.
func Run(ctx context.Context, w *Workload, policy Policy, config Config) (*Result, error) {
	if config.Round < 0 || math.IsInf(config.Round, 0) || math.IsNaN(config.Round) {
		return nil, fmt.Errorf("replay: a round of %v s; it is 0 or longer", config.Round)
	}
	if r, ok := policy.(Rounded); ok && r.NeedsRounds() && config.Round == 0 {
		return nil, fmt.Errorf("replay: %s shares time out in rounds; choose a round above 0", policy.Name())
	}
	if len(w.Jobs) == 0 {
		return nil, errors.New("replay: the trace has no jobs")
	}
	if p, plans := policy.(Planner); plans {
		t, err := p.Replay(ctx, w, config)
		if err != nil {
			return nil, err
		}
		return t.result(w, config.Cluster, p), nil
	}
	decider, ok := policy.(Decider)
	if !ok {
		return nil, fmt.Errorf("replay: %s neither decides nor plans", policy.Name())
	}
	s := &sim{
		State:  State{Workload: w, Cluster: config.Cluster, Round: config.Round, runs: make([]run, len(w.Jobs)), fits: config.Cluster.fitting(w)},
		config: config, policy: decider, placer: newPlacer(config.Cluster), ends: heap[event]{before: sooner},
		result: newResult(w, config.Cluster, policy), fair: newFairClock(config.Cluster),
	}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	s.finish()
	return s.result, nil
}

// mostDecisions is the largest number of decisions without a job that comes or
// goes, or a completed iteration.
const mostDecisions = 100_000

// checkEvery is the number of events between two checks of the context.
const checkEvery = 256

func (s *sim) run(ctx context.Context) error {
	decide := math.Inf(1) // when to decide next
	again := math.Inf(1)  // when the policy wants to be asked
	dirty := false        // a job came or went since the last decision
	idle := 0             // decisions since then, or since iterations were counted
	iterations := 0.0     // done by active jobs at that time
	for count := 0; s.next < len(s.Jobs) || len(s.Active) > 0; count++ {
		if count%checkEvery == 0 {
			if ctx.Err() != nil {
				s.result.Cut = true
				return nil
			}
		}
		t := min(decide, s.nextEnd())
		if s.next < len(s.Jobs) {
			t = min(t, s.Jobs[s.next].Arrival)
		}
		if math.IsInf(t, 1) {
			return fmt.Errorf("replay: %s lets %d jobs wait for ever, the first of them %q", s.policy.Name(), len(s.Active), s.Jobs[s.Active[0]].ID)
		}
		s.pass(t)
		dirty = s.leave() || dirty
		dirty = s.arrive() || dirty
		if dirty || again <= s.Now {
			decide = min(decide, NextRound(s.Round, s.Now))
		}
		if decide <= s.Now && len(s.Active) > 0 {
			if idle++; dirty || idle > mostDecisions && s.iterations() > iterations {
				idle, iterations = 1, s.iterations()
			}
			if idle > mostDecisions {
				return fmt.Errorf("replay: under %s no iteration has ended for %d decisions: iterations are longer than rounds, or restarts are; choose a longer round", s.policy.Name(), idle-1)
			}
			again = s.decide()
			dirty, decide = false, math.Inf(1)
			if !math.IsInf(again, 1) {
				decide = NextRound(s.Round, max(again, math.Nextafter(s.Now, math.Inf(1))))
			}
		} else if len(s.Active) == 0 {
			dirty, decide, again = false, math.Inf(1), math.Inf(1)
		}
	}
	return nil
}

// iterations that the active jobs have done, whole ones only: the others may be lost.
func (s *sim) iterations() (done float64) {
	for _, i := range s.Active {
		done += math.Floor(s.Done(i) + whole)
	}
	return done
}

// NextRound returns the first end of a round at or after t; t if rounds have no length.
func NextRound(round, t float64) float64 {
	if round == 0 {
		return t
	}
	return max(t, math.Ceil(t/round-1e-9)*round)
}

// pass advances time.
func (s *sim) pass(t float64) {
	s.result.Held += s.held * (t - s.last)
	s.Now, s.last = t, t
}

// arrive adds the jobs that arrive now.
func (s *sim) arrive() bool {
	first := s.next
	for ; s.next < len(s.Jobs) && s.Jobs[s.next].Arrival <= s.Now; s.next++ {
		s.Active = append(s.Active, s.next)
		s.fair.arrive(s.Now, s.next, s.Alone(s.next), float64(s.ClassOf(s.next).GPUs))
	}
	return s.next > first
}

// leave removes the jobs whose last iteration is over.
func (s *sim) leave() bool {
	left := false
	for s.nextEnd() <= s.Now {
		i := s.ends.pop().job
		r := &s.runs[i]
		g := r.group
		r.done = float64(s.Jobs[i].Iterations)
		r.served += s.Now - r.since
		r.group = nil
		s.result.Finish[i] = s.Now
		class := s.ClassOf(i)
		s.result.Work += float64(s.Jobs[i].Iterations) * class.Stages.GPU * class.Fastest() * float64(class.GPUs)
		s.fair.leave(s.Now, float64(class.GPUs))
		s.Active = slices.Delete(s.Active, s.activeIndex(i), s.activeIndex(i)+1)
		g.jobs = slices.DeleteFunc(slices.Clone(g.jobs), func(j int) bool { return j == i })
		if len(g.jobs) == 0 {
			s.drop(g)
		} else {
			s.pace(g, nil)
		}
		left = true
	}
	return left
}

// activeIndex finds a job among the active ones, which are sorted.
func (s *sim) activeIndex(i int) int {
	at, _ := slices.BinarySearch(s.Active, i)
	return at
}

// drop removes a group from its GPUs.
func (s *sim) drop(g *group) {
	s.placer.release(g.place)
	s.held -= float64(g.gpus)
	last := s.groups[len(s.groups)-1]
	s.groups[g.index], last.index = last, g.index
	s.groups = s.groups[:len(s.groups)-1]
}

// put makes a group hold its GPUs.
func (s *sim) put(g *group) {
	s.placer.take(g.place)
	s.held += float64(g.gpus)
	g.index = len(s.groups)
	s.groups = append(s.groups, g)
}

// pace sets the pace of a group's jobs from now on. Jobs in restarting hold
// their GPUs for their restart time first.
func (s *sim) pace(g *group, restarting map[int]bool) {
	periods := s.policy.Periods(s.Workload, g.jobs, g.kind)
	slowdown := s.Slowdown(len(g.jobs))
	for k, i := range g.jobs {
		r := &s.runs[i]
		wait := max(0, r.from-s.Now) // rest of a restart
		r.done = r.at(s.Now)
		if restarting[i] {
			wait = s.ClassOf(i).Restart
		}
		r.from, r.period = s.Now+wait, periods[k]*slowdown
		r.version++
		end := r.from + max(0, float64(s.Jobs[i].Iterations)-r.done)*r.period
		s.ends.push(event{end, i, r.version})
	}
}

// finish closes the accounts at the end.
func (s *sim) finish() {
	s.result.End = s.Now
	for i := range s.runs {
		s.result.Restarts += max(0, s.runs[i].starts-1)
		s.result.Served[i] = s.Served(i)
	}
	s.result.fairness(&s.fair)
}
