package pattern

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics"
	"jigsaw/heuristics/periodic"
	"jigsaw/heuristics/state"
)

// Pattern is what some jobs that are in memory together do on some nodes, repeatedly until all of them are done. Its
// jobs and GPUs are those of the part.
type Pattern struct {
	Part       *instance.Part
	At         []int // position of each job of the part in the list of jobs for which the pattern was made
	Iterations []int // of each job in the pattern; 0: it is only in memory
	// Schedule is that of one repeat as the search left it, shifted to its first start. Period is how far apart repeats are.
	Schedule *instance.Schedule
	Period   instance.Tick
}

// MostJobs is the largest number of jobs planned together: for more the search is too coarse.
const MostJobs = 48

// ListTries is the number of list schedules the best of which starts a pattern.
const ListTries = 16

// iterations chooses how many iterations of each job a pattern contains: about in proportion to their remaining
// iterations, so that they end together.
func iterations(in *instance.Instance, pattern int) []int {
	most, r, want := 0, make([]int, len(in.Jobs)), make([]float64, len(in.Jobs))
	for j := range in.Jobs {
		r[j] = in.Jobs[j].Iterations
		most, want[j] = max(most, r[j]), float64(r[j])
	}
	if most <= pattern {
		return r
	}
	return heuristics.Pattern(in, want, pattern)
}

// New makes the pattern of jobs, in any order, on nodes, ascending, by list scheduling: the best of the given
// number of schedules, which do not depend on the clock.
func New(ctx context.Context, in *instance.Instance, rng *rand.Rand, jobs []instance.JobID, nodes []instance.NodeID, tries int) (*Pattern, error) {
	p := Of(in, jobs, nodes)
	p.Iterations = iterations(p.Part.Instance, heuristics.MostPattern)
	if err := p.ListSchedule(ctx, rng, tries); err != nil {
		return nil, err
	}
	return p, nil
}

// InPlace is a pattern of jobs on the GPUs they already have, with at most the given number of iterations, in
// proportion to want. It has no schedule yet.
func InPlace(in *instance.Instance, jobs []instance.JobID, nodes []instance.NodeID, homes [][]instance.GPUID, want []float64, most int) *Pattern {
	p := Of(in, jobs, nodes)
	wanted := make([]float64, len(jobs))
	for n, at := range p.At {
		p.Part.Jobs[n].Resident, wanted[n] = homes[at], want[at]
	}
	p.Iterations = heuristics.Pattern(p.Part.Instance, wanted, most)
	return p
}

// Shrink takes fewer iterations of the jobs of a pattern, in proportion to want and at most the given number, until it has
// so few tasks: a plan of thousands of patterns takes long to make, and tens of megabytes, otherwise.
func (p *Pattern) Shrink(want []float64, most, tasks int) {
	size := func() (sum int) {
		for j, r := range p.Iterations {
			sum += r * p.Part.Jobs[j].Workers
		}
		return sum
	}
	want = state.Pick(want, p.At)
	for most > 1 && size() > tasks {
		most -= max(1, most/4)
		p.Iterations = heuristics.Pattern(p.Part.Instance, want, most)
	}
}

// Of is a pattern of jobs, in any order, on nodes, without iterations and schedule.
func Of(in *instance.Instance, jobs []instance.JobID, nodes []instance.NodeID) *Pattern {
	p := &Pattern{Part: in.Part(slices.Sorted(slices.Values(jobs)), nodes, nil)}
	for _, j := range p.Part.JobsOf {
		p.At = append(p.At, slices.Index(jobs, j))
	}
	return p
}

// ListSchedule gives the pattern the best of the given number of list schedules.
func (p *Pattern) ListSchedule(ctx context.Context, rng *rand.Rand, tries int) (err error) {
	small := p.Part.Miniature(p.Iterations)
	if p.Schedule, err = (heuristics.Config{Tries: tries}).Greedy(context.WithoutCancel(ctx), small, rng); err == nil {
		p.Close(small)
	}
	return err
}

// Cache holds patterns already made, by name; nil: it could not be made.
type Cache map[string]*Pattern

// Scheduled gives a pattern without a schedule the best of the given number of list schedules, and caches it. nil:
// there is none.
func (known Cache) Scheduled(name string, p *Pattern, seed uint64, tries int, slack []float64) *Pattern {
	if p, ok := known[name]; ok {
		return p
	}
	if p.ListSchedule(context.Background(), rand.New(rand.NewPCG(seed, 0)), tries) != nil || !p.Loosen(slack) {
		p = nil
	}
	known[name] = p
	return p
}

// Search searches for a better pattern by the finite search: rounds 0 means until the context ends. With anew it
// continues from the best of a few starts, with patterns of several sizes: small ones are searched faster, and chance
// at the start matters most.
func (p *Pattern) Search(ctx context.Context, rng *rand.Rand, rounds int, anew bool) error {
	best := *p
	if anew {
		within, cancel := state.Portion(ctx, 0.5)
		defer cancel()
		starts, short := 6, startRounds
		if rounds > 0 {
			starts, short = 3, rounds
		}
		for n := 0; n < starts && within.Err() == nil; n++ {
			c := *p
			if c.Iterations = iterations(p.Part.Instance, heuristics.MostPattern>>(n%3)); n > 0 && n < 3 && slices.Equal(c.Iterations, p.Iterations) {
				break // short jobs, with all iterations in the pattern
			}
			small := p.Part.Miniature(c.Iterations)
			var err error
			if c.Schedule, err = (heuristics.Config{Tries: ListTries}).Greedy(context.WithoutCancel(ctx), small, rng); err != nil {
				continue
			}
			if c.Schedule, err = (heuristics.Config{Rounds: short}).Improve(within, small, rng, c.Schedule); err == nil && c.slowness() < best.slowness() {
				best = c
			}
		}
	}
	small := p.Part.Miniature(best.Iterations)
	s, err := heuristics.Config{Rounds: rounds}.Improve(ctx, small, rng, best.Schedule)
	if err != nil {
		return err
	}
	best.Schedule = s
	best.Close(small)
	*p = best
	return nil
}

// startRounds is the number of rounds for each start if the clock ends the search.
const startRounds = 4

// slowness is about how long all iterations of the jobs take with the pattern.
func (p *Pattern) slowness() float64 {
	all := make([]int, len(p.Iterations))
	for j := range all {
		all[j] = p.Part.Jobs[j].Iterations
	}
	return p.Repeats(all) * float64(p.Schedule.Makespan(p.Part.Instance))
}

// Repeats is how often a pattern is repeated, a fraction at last, until so many iterations of each of its jobs are done.
func (p *Pattern) Repeats(left []int) (most float64) {
	for j, n := range p.Iterations {
		most = max(most, float64(left[j])/float64(n))
	}
	return most
}

// Close makes the pattern repeat, with the least period that its orders permit.
func (p *Pattern) Close(in *instance.Instance) {
	p.Schedule = periodic.Repeated(in, p.Schedule)
	p.Period, p.Schedule.Period = p.Schedule.Period, 0
	start := slices.MinFunc(p.Schedule.Tasks, func(a, b instance.Task) int { return int(a.Start - b.Start) }).Start
	instance.Shift(p.Schedule.Tasks, p.Schedule.Syncs, -start)
}

// Loosen stretches a pattern by the slack factor of the largest number of jobs that share a GPU, and reports whether so
// many may: slack[n-1] is that of n jobs, and there may be no more than it has entries; nil: any number, unstretched. Starts and period grow by the same factor, rounded up; lengths do not. So what does not
// overlap, in a repeat or from one to the next, still does not: for whole d, from x + d <= y follows ceil(f x) + d <=
// ceil(f y) if f >= 1.
func (p *Pattern) Loosen(slack []float64) bool {
	if slack == nil {
		return true
	}
	most, on := 0, make([]int, len(p.Part.GPUs)) // jobs that share a GPU
	for _, home := range p.Schedule.Residency {
		for _, g := range home {
			on[g]++
			most = max(most, on[g])
		}
	}
	if most > len(slack) {
		return false
	}
	thousandths := instance.Tick(math.Ceil(max(1, slack[most-1])*1000 - 1e-6))
	longer := func(t instance.Tick) instance.Tick { return (t*thousandths + 999) / 1000 }
	delay := func(start, end *instance.Tick) { *start, *end = longer(*start), *end+longer(*start)-*start }
	for n := range p.Schedule.Tasks {
		delay(&p.Schedule.Tasks[n].Start, &p.Schedule.Tasks[n].End)
	}
	for n := range p.Schedule.Syncs {
		delay(&p.Schedule.Syncs[n].Start, &p.Schedule.Syncs[n].End)
	}
	p.Period = longer(p.Period)
	return true
}

// Key identifies patterns by the kinds of their jobs and nodes.
func Key(class, kinds []int, jobs []instance.JobID, nodes []instance.NodeID) string {
	var of []int
	for _, j := range jobs {
		of = append(of, class[j])
	}
	for _, n := range nodes {
		of = append(of, -1-kinds[n])
	}
	return fmt.Sprint(of)
}

// Strays reports for every job whether its routes between nodes of one rack use links other than those of these
// nodes, as a policy may require. Jobs on other nodes need such links as well, so the job must not be planned
// separately on a part of a rack.
func Strays(in *instance.Instance) []bool {
	strays, known := make([]bool, len(in.Jobs)), map[int]bool{0: false} // by policy
	for j := range strays {
		job := &in.Jobs[j]
		if _, ok := known[job.Policy]; !ok {
			known[job.Policy] = slices.ContainsFunc(in.Racks, func(r instance.Rack) bool {
				if len(r.Nodes) < 2 {
					return false
				}
				a, b := &in.Nodes[r.Nodes[0]], &in.Nodes[r.Nodes[1]]
				span, _ := in.SpanNodesOf(job, r.Nodes[:2], 2)
				return slices.ContainsFunc(span.Uses, func(u instance.LinkUse) bool {
					return !slices.Contains([]instance.LinkID{a.Up, a.Down, a.Fabric, b.Up, b.Down, b.Fabric}, u.Link)
				})
			})
		}
		strays[j] = known[job.Policy]
	}
	return strays
}
