package horizon

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics"
	"jigsaw/heuristics/state"
)

// Sooner returns the plan with less weighted completion, none of whose jobs ends later than by, or 0 for whenever, nor misses its deadline.
// Jobs that share nodes need not end together, as those of cells do: they go through phases, in each of which some are at work, or ahead
// of the others. Of a few kinds of phases a greedy search takes the one that promises least, and goes on while all that is left can still
// end in time. Where jobs live stays as it is, and nobody who comes after them waits for it.
func (c Config) Sooner(ctx context.Context, in *instance.Instance, plan *instance.BlockSchedule, by instance.Tick, rng *rand.Rand) *instance.BlockSchedule {
	if in.Resumes() || c.Quick {
		return plan
	}
	groups := groupsOf(in, plan, by)
	if c.Rounds > 0 {
		groups = groups[:min(mostGroups, len(groups))]
	}
	q, seed, better := newQueue(in, false), rng.Uint64(), make([][]instance.Block, len(groups))
	state.Parallel(len(groups), func(n int) {
		g := &groups[n]
		if ctx.Err() == nil && len(g.jobs) > 1 {
			better[n] = (&phases{ctx: ctx, q: q, group: g, seed: seed, slack: c.Slack, patterns: map[string]*pattern{}}).search()
		}
	})
	of := make([]int, len(in.Jobs)) // the group of each job whose blocks are new, else -1
	for j := range of {
		of[j] = -1
	}
	sooner := &instance.BlockSchedule{Residency: plan.Residency}
	for n := range groups {
		if better[n] != nil {
			sooner.Blocks = append(sooner.Blocks, better[n]...)
			for _, j := range groups[n].jobs {
				of[j] = n
			}
		}
	}
	if len(sooner.Blocks) == 0 {
		return plan
	}
	for _, b := range plan.Blocks {
		rest := b.Of(func(j instance.JobID) instance.JobID {
			if of[j] >= 0 {
				return instance.NoJob
			}
			return j
		})
		if len(rest.Tasks) > 0 {
			sooner.Blocks = append(sooner.Blocks, rest)
		}
	}
	sooner.Sort()
	return sooner
}

// sharers are jobs that share nodes of one rack, and their memory, at the same time.
type sharers struct {
	jobs  []instance.JobID
	nodes []instance.NodeID  // ascending
	gpus  []instance.GPUID   // of these, in order
	homes [][]instance.GPUID // where each job lives, as indices of gpus
	from  instance.Tick      // when their first tasks may start
	ends  []instance.Tick    // of each job, as it was planned
	due   []instance.Tick    // when each job has to end at the latest
}

// groupsOf finds the jobs of a plan that share nodes at the same time, directly or by others.
func groupsOf(in *instance.Instance, plan *instance.BlockSchedule, by instance.Tick) []sharers {
	from, to := plan.Spans(in)
	admitted := make([]instance.Tick, len(from))
	for j := range from {
		admitted[j] = from[j] - in.Jobs[j].Load
	}
	here := make([][]instance.JobID, len(in.Nodes)) // that ever live on each node
	nodes := make([][]instance.NodeID, len(in.Jobs))
	var pairs [][2]instance.JobID
	for j, gpus := range plan.Residency {
		for _, g := range gpus {
			if n := in.GPUs[g].Node; !slices.Contains(nodes[j], n) {
				nodes[j] = append(nodes[j], n)
				for _, k := range here[n] {
					if admitted[j] < to[k] && admitted[k] < to[j] {
						pairs = append(pairs, [2]instance.JobID{k, instance.JobID(j)})
					}
				}
				here[n] = append(here[n], instance.JobID(j))
			}
		}
	}
	var groups []sharers
	for _, jobs := range plan.Together(admitted, to, pairs) {
		g := sharers{jobs: jobs, ends: make([]instance.Tick, len(jobs))}
		var ready, load, end instance.Tick // when the last of them can have been loaded, the longest load, when all have ended
		first := admitted[jobs[0]]
		for n, j := range jobs {
			g.nodes = append(g.nodes, nodes[j]...)
			first, load, ready = min(first, admitted[j]), max(load, in.Jobs[j].Load), max(ready, in.Jobs[j].Release+in.Jobs[j].Load)
			g.ends[n], end = to[j], max(end, to[j])
		}
		g.from = max(first+load, ready)
		slices.Sort(g.nodes)
		g.nodes = slices.Compact(g.nodes)
		g.gpus = gpusOf(in, g.nodes)
		for _, j := range jobs {
			home := make([]instance.GPUID, len(plan.Residency[j]))
			for i, gpu := range plan.Residency[j] {
				home[i] = instance.GPUID(slices.Index(g.gpus, gpu))
			}
			g.homes = append(g.homes, home)
		}
		latest := by // for all, by what comes after them
		if latest == 0 {
			latest = 1 << 60
		}
		between := false // jobs of others, after which some of these came
		for _, n := range g.nodes {
			for _, k := range here[n] {
				switch {
				case slices.Contains(jobs, k) || to[k] <= first:
				case admitted[k] >= end:
					latest = min(latest, admitted[k])
				default:
					between = true
				}
			}
		}
		for _, j := range jobs {
			due := latest
			if d := in.Jobs[j].Deadline; d > 0 {
				due = min(due, d)
			}
			g.due = append(g.due, due)
		}
		sameRack := in.Nodes[g.nodes[0]].Rack == in.Nodes[g.nodes[len(g.nodes)-1]].Rack // so that others are on none of their links
		if !between && sameRack && g.fit(in) {
			groups = append(groups, g)
		}
	}
	return groups
}

// fit reports whether there is room for all jobs of the group at once: in phases none leaves memory before it ends.
func (g *sharers) fit(in *instance.Instance) bool {
	persistent, ephemeral := make([]instance.Bytes, len(g.gpus)), make([]instance.Bytes, len(g.gpus))
	for n, j := range g.jobs {
		for _, at := range g.homes[n] {
			costs := in.Jobs[j].On[in.GPUs[g.gpus[at]].Type]
			persistent[at] += costs.Persistent
			ephemeral[at] = max(ephemeral[at], costs.Ephemeral[in.Jobs[j].Full()])
			if persistent[at]+ephemeral[at] > in.Types[in.GPUs[g.gpus[at]].Type].Memory {
				return false
			}
		}
	}
	return true
}

// phases searches for the phases of a group.
type phases struct {
	ctx      context.Context
	q        *queue
	group    *sharers
	seed     uint64
	slack    []float64
	patterns map[string]*pattern // by jobs at work and iterations of each; nil: there is none
}

// course is how a group goes on from a moment: phases, and after them all that is left together.
type course struct {
	now    instance.Tick // when the phases end
	left   []int         // iterations of each job then
	blocks []instance.Block
	rest   []instance.Block
	ends   []instance.Tick
}

const (
	// mostGroups are looked at where no clock ends the search.
	mostGroups = 200
	// phasePattern is how many iterations a job has in the pattern of a phase, at most, and phaseTries how many schedules that is the best of.
	phasePattern, phaseTries = 24, 8
	// hurried are jobs that without others take more than this part of the time that is left until they are due: they are at work in every
	// phase, and as fast as can be.
	hurried = 0.85
	// phased is the part of the time it takes all together after which the jobs that are left end if they have phases, about.
	phased = 0.55
)

// phaseKind is how the jobs at work in a phase share GPUs.
type phaseKind struct {
	onGPU    int     // how many are at work on a GPU at most; 0: all
	together bool    // they go on as if to end together, else each as fast as the others for the length of its iterations
	favour   float64 // how many times as fast the first is, and those that hurry
}

var phaseKinds = []phaseKind{{1, false, 1}, {2, false, 1}, {2, false, 4}, {3, false, 1}, {3, false, 4}, {0, false, 4}, {0, true, 4}, {0, true, 64}}

// search returns the blocks of the best course found; nil where there is none better than the plan's.
func (p *phases) search() (best []instance.Block) {
	c := course{now: p.group.from, ends: p.group.ends}
	for _, j := range p.group.jobs {
		c.left = append(c.left, p.q.in.Jobs[j].Iterations)
	}
	least := p.cost(&c, 1)
	for p.ctx.Err() == nil {
		order := p.order(c.left)
		if len(order) < 2 {
			break
		}
		var next course
		for _, kind := range phaseKinds {
			if n, ok := p.phase(&c, order, kind); ok && (next.left == nil || p.cost(&n, phased) < p.cost(&next, phased)) {
				next = n
			}
		}
		if next.left == nil {
			break
		}
		c = next
		if cost := p.cost(&c, 1); cost < least {
			best, least = slices.Concat(c.blocks, c.rest), cost
		}
	}
	return best
}

// cost is the weighted completion of a course where what is left after its phases takes a part of the time that it takes all
// together: as if it had phases, too.
func (p *phases) cost(c *course, part float64) (sum float64) {
	for n, j := range p.group.jobs {
		end := float64(c.ends[n])
		if c.left[n] > 0 {
			end = float64(c.now) + part*(end-float64(c.now))
		}
		sum += float64(p.q.in.Jobs[j].Weight) * end
	}
	return sum
}

// order is that of the jobs with iterations left in which it is worth most to end them: those with the least work left for their
// weight first.
func (p *phases) order(left []int) []int {
	var list []int
	for n := range left {
		if left[n] > 0 {
			list = append(list, n)
		}
	}
	ratio := func(n int) float64 {
		j := &p.q.in.Jobs[p.group.jobs[n]]
		return float64(left[n]) * float64(j.FastestFull()) * float64(j.Workers) / float64(j.Weight)
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Or(cmp.Compare(ratio(a), ratio(b)), cmp.Compare(a, b)) })
	return list
}

// phase goes on from a course with a phase until one of the jobs ends that are at work in it: of the order those for whom no GPU
// has as many. It reports whether no job is late.
func (p *phases) phase(from *course, order []int, kind phaseKind) (next course, ok bool) {
	in := p.q.in
	due := slices.Min(p.group.due)
	hurry := func(n int) bool {
		return float64(from.left[n])*float64(in.Jobs[p.group.jobs[n]].FastestFull()) > hurried*float64(due-from.now)
	}
	var work []int
	on := make([]int, len(p.group.gpus))
	for n := range order {
		if hurry(order[n]) {
			work = append(work, order[n])
		}
	}
	for _, n := range work {
		for _, g := range p.group.homes[n] {
			on[g]++
		}
	}
	for _, n := range order {
		if slices.Contains(work, n) || kind.onGPU > 0 && slices.ContainsFunc(p.group.homes[n], func(g instance.GPUID) bool { return on[g] >= kind.onGPU }) {
			continue
		}
		work = append(work, n)
		for _, g := range p.group.homes[n] {
			on[g]++
		}
	}
	slices.Sort(work)
	want := make([]float64, len(work))
	for at, n := range work {
		if want[at] = float64(from.left[n]); !kind.together {
			want[at] = 1 / float64(in.Jobs[p.group.jobs[n]].FastestFull())
		}
		if n == order[0] || hurry(n) {
			want[at] *= kind.favour
		}
	}
	x := p.pattern(work, want)
	if x == nil {
		return next, false
	}
	next = course{now: from.now, left: slices.Clone(from.left), blocks: slices.Clone(from.blocks), ends: slices.Clone(from.ends)}
	for _, n := range work {
		next.ends[n] = 0
	}
	repeats := next.left[work[0]] / x.r[0]
	for at, n := range work {
		repeats = min(repeats, next.left[n]/x.r[at])
	}
	run := func(takes []int, repeats int) {
		var b instance.Block
		b, next.now = x.block(p.of(work), p.group.gpus, takes, repeats, next.now)
		next.blocks = append(next.blocks, b)
		for at, n := range work {
			next.left[n] -= takes[at] * repeats
		}
	}
	if repeats > 0 {
		run(x.r, repeats)
	}
	if !slices.ContainsFunc(work, func(n int) bool { return next.left[n] == 0 }) { // one ends in the next repeat
		takes := make([]int, len(work))
		for at, n := range work {
			takes[at] = min(x.r[at], next.left[n])
		}
		run(takes, 1)
	}
	p.finish(&next, next.blocks[len(from.blocks):])
	return next, p.together(&next)
}

// together adds what is left after the phases, all jobs together, and reports whether no job is late.
func (p *phases) together(c *course) bool {
	var work, left []int
	var want []float64
	for n, l := range c.left {
		if l > 0 {
			work, left, want = append(work, n), append(left, l), append(want, float64(l))
		}
	}
	if c.rest = nil; len(work) > 0 {
		x := p.pattern(work, want)
		if x == nil {
			return false
		}
		c.rest, _ = x.blocks(p.of(work), p.group.gpus, slices.Clone(left), c.now)
		p.finish(c, c.rest)
	}
	for n, end := range c.ends {
		if end > p.group.due[n] {
			return false
		}
	}
	return true
}

// finish notes when jobs end that have iterations in blocks.
func (p *phases) finish(c *course, blocks []instance.Block) {
	note := func(j instance.JobID, end instance.Tick) {
		n, _ := slices.BinarySearch(p.group.jobs, j)
		c.ends[n] = max(c.ends[n], end)
	}
	for i := range blocks {
		b := &blocks[i]
		for _, t := range b.Tasks {
			note(t.Job, b.Start+b.LastStart()+t.End)
		}
		for _, y := range b.Syncs {
			note(y.Job, b.Start+b.LastStart()+y.End)
		}
	}
}

// of returns the jobs of the group at work.
func (p *phases) of(work []int) []instance.JobID {
	jobs := make([]instance.JobID, len(work))
	for at, n := range work {
		jobs[at] = p.group.jobs[n]
	}
	return jobs
}

// pattern of jobs at work, on the GPUs that they have, which do iterations in these proportions; nil: there is none.
func (p *phases) pattern(work []int, want []float64) *pattern {
	part := p.q.in.Part(p.of(work), p.group.nodes, nil)
	r := heuristics.Pattern(part.Instance, want, phasePattern)
	key := fmt.Sprint(work, r)
	if x, ok := p.patterns[key]; ok {
		return x
	}
	p.patterns[key] = nil
	for at, n := range work {
		part.Jobs[at].Resident = p.group.homes[n]
	}
	x := &pattern{part: part, r: r}
	small := part.Miniature(r)
	var err error
	if x.s, err = (heuristics.Config{Tries: phaseTries}).Greedy(context.Background(), small, rand.New(rand.NewPCG(p.seed, 0))); err != nil {
		return nil
	}
	if x.close(small); !x.loosen(p.slack) {
		return nil
	}
	p.patterns[key] = x
	return x
}
