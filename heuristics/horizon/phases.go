package horizon

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/pattern"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

// Phases lets jobs that share nodes end one after the other instead of together, as those of cells do. The plan it
// returns has less weighted completion; no job ends after by (0: no limit) or misses its deadline. For the makespan
// with by = 0, groups of jobs that share nodes are to end sooner, which is possible if their jobs are released one
// after the other. In each phase some jobs of a group run, or run ahead of the others. A greedy search takes the most
// promising of a few kinds of phases, and continues as long as all that is left can end in time. Jobs keep their GPUs,
// and jobs that follow on these do not start later.
func (c Config) Phases(ctx context.Context, in *instance.Instance, plan *instance.BlockSchedule, by instance.Tick, rng *rand.Rand) *instance.BlockSchedule {
	if in.Resumes() || c.Quick || c.Without[method.Phases] {
		return plan
	}
	groups := groupsOf(in, plan, by)
	if c.Rounds > 0 {
		groups = groups[:min(mostGroups, len(groups))]
	}
	seed, found := rng.Uint64(), make([][]instance.Block, len(groups))
	state.Parallel(len(groups), func(n int) {
		p := &phases{ctx: ctx, in: in, group: &groups[n], seed: seed, patterns: pattern.Cache{}}
		p.shorter = by == 0 && in.Objective == instance.Makespan
		found[n] = p.search()
	})
	replaced := make([]bool, len(in.Jobs))
	better := &instance.BlockSchedule{Residency: plan.Residency}
	for n, blocks := range found {
		for _, j := range groups[n].jobs {
			replaced[j] = blocks != nil
		}
		better.Blocks = append(better.Blocks, blocks...)
	}
	if len(better.Blocks) == 0 {
		return plan
	}
	for _, b := range plan.Blocks {
		rest := b.Of(func(j instance.JobID) instance.JobID {
			if replaced[j] {
				return instance.NoJob
			}
			return j
		})
		if len(rest.Tasks) > 0 {
			better.Blocks = append(better.Blocks, rest)
		}
	}
	better.Sort()
	return better
}

// phases searches for the phases of a group.
type phases struct {
	ctx      context.Context
	in       *instance.Instance
	group    *nodeGroup
	seed     uint64
	shorter  bool          // the end of the group counts, then weighted completion
	patterns pattern.Cache // by iterations of each job; nil: there is none
}

// partial is a plan of a group: phases, followed by everything left together.
type partial struct {
	now    instance.Tick // when the phases end
	left   []int         // iterations of each job then
	blocks []instance.Block
	rest   []instance.Block
	ends   []instance.Tick
}

// phaseKind is how the running jobs of a phase share GPUs.
type phaseKind struct {
	onGPU    int     // largest number running on a GPU; 0: all
	together bool    // paces are such that they would end together; otherwise an iteration of each takes the same multiple of its length
	pace     float64 // factor by which the first, and urgent ones, are faster than that
}

var phaseKinds = []phaseKind{{1, false, 1}, {2, false, 1}, {2, false, 4}, {3, false, 1}, {3, false, 4}, {0, false, 4}, {0, true, 4}, {0, true, 64}}

const (
	// mostGroups is the number of groups examined if no clock ends the search.
	mostGroups = 200
	// phasePattern is the largest number of iterations of a job in the pattern of a phase, and phaseTries the number of
	// schedules of which it is the best.
	phasePattern, phaseTries = 40, 8
	// urgentPart is the fraction of the time left until a job is due above which the job is urgent: it runs in every phase
	// if it would take longer than that alone.
	urgentPart = 0.85
	// phasedPart is about the mean end of all that is left if it has phases, as a fraction of the time that it takes
	// together.
	phasedPart = 0.55
)

// search returns the blocks of the best phases found; nil if there are none better than the plan.
func (p *phases) search() (best []instance.Block) {
	now := partial{now: slices.Min(p.group.ready), ends: p.group.ends}
	for _, j := range p.group.jobs {
		now.left = append(now.left, p.in.Jobs[j].Iterations)
	}
	least := p.cost(&now, 1)
	last := slices.Max(now.ends)
	take := func(of *partial) {
		end, cost := slices.Max(of.ends), p.cost(of, 1)
		if !p.shorter && cost < least || p.shorter && cmp.Or(cmp.Compare(end, last), cmp.Compare(cost, least)) < 0 {
			best, least, last = slices.Concat(of.blocks, of.rest), cost, end
		}
	}
	if alone := now; len(now.left) == 1 && p.together(&alone) {
		take(&alone) // at its own pace, no longer that of its block
	}
	for p.ctx.Err() == nil {
		order := p.order(now.left)
		if len(order) < 2 {
			break
		}
		var next partial
		for _, kind := range phaseKinds {
			n, ok := p.phase(&now, order, kind)
			if ok && (next.left == nil || cmp.Or(p.compare(&n, &next), cmp.Compare(p.cost(&n, phasedPart), p.cost(&next, phasedPart))) < 0) {
				next = n
			}
		}
		if next.left == nil {
			break
		}
		now = next
		take(&now)
	}
	return best
}

// compare compares the ends of two plans if these are the objective.
func (p *phases) compare(a, b *partial) int {
	if !p.shorter {
		return 0
	}
	return cmp.Compare(slices.Max(a.ends), slices.Max(b.ends))
}

// cost is the weighted completion if what is left after the phases takes a fraction part of the time that it takes
// together.
func (p *phases) cost(of *partial, part float64) (sum float64) {
	for n, j := range p.group.jobs {
		end := float64(of.ends[n])
		if of.left[n] > 0 {
			end = float64(of.now) + float64(part*(end-float64(of.now)))
		}
		sum += float64(float64(p.in.Jobs[j].Weight) * end)
	}
	return sum
}

// order returns the jobs with iterations left in the order in which it is best to end them: those with the least work
// left per weight first.
func (p *phases) order(left []int) (list []int) {
	for n := range left {
		if left[n] > 0 {
			list = append(list, n)
		}
	}
	ratio := func(n int) float64 {
		j := &p.in.Jobs[p.group.jobs[n]]
		return float64(left[n]) * float64(j.FastestFull()) * float64(j.Workers) / float64(j.Weight)
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Or(cmp.Compare(ratio(a), ratio(b)), cmp.Compare(a, b)) })
	return list
}

// phase adds a phase, which lasts until one of its running jobs ends, or another is ready. Running are urgent jobs and
// then, in order, those on whose GPUs fewer jobs run than the kind permits. It reports whether no job is late.
func (p *phases) phase(before *partial, order []int, kind phaseKind) (after partial, ok bool) {
	in := p.in
	until := float64(slices.Min(p.group.due) - before.now)
	urgent := make([]bool, len(before.left))
	next := instance.Tick(0) // when another is ready
	for _, n := range order {
		if ready := p.group.ready[n]; ready > before.now && (next == 0 || ready < next) {
			next = ready
		}
		urgent[n] = float64(before.left[n])*float64(in.Jobs[p.group.jobs[n]].FastestFull()) > urgentPart*until
	}
	var work []int
	on := make([]int, len(p.group.gpus)) // number of running jobs on each GPU
	for _, first := range []bool{true, false} {
		for _, n := range order {
			crowded := kind.onGPU > 0 && slices.ContainsFunc(p.group.homes[n], func(g instance.GPUID) bool { return on[g] >= kind.onGPU })
			if urgent[n] != first || crowded && !urgent[n] || p.group.ready[n] > before.now {
				continue
			}
			work = append(work, n)
			for _, g := range p.group.homes[n] {
				on[g]++
			}
		}
	}
	after = partial{now: before.now, left: slices.Clone(before.left), blocks: slices.Clone(before.blocks), ends: slices.Clone(before.ends)}
	if len(work) == 0 {
		after.now = next
		return after, p.together(&after)
	}
	head := order[slices.IndexFunc(order, func(n int) bool { return slices.Contains(work, n) })]
	want := make([]float64, len(before.left))
	for _, n := range work {
		if want[n] = float64(before.left[n]); !kind.together {
			want[n] = 1 / float64(in.Jobs[p.group.jobs[n]].FastestFull())
		}
		if n == head || urgent[n] {
			want[n] *= kind.pace
		}
	}
	x := p.pattern(want)
	if x == nil {
		return after, false
	}
	blocks, end := x.Phase(p.group.jobs, p.group.gpus, after.left, before.now, next)
	after.blocks, after.now = append(after.blocks, blocks...), end
	p.finish(&after, blocks)
	return after, p.together(&after)
}

// together adds what is left after the phases, all jobs together, and reports whether no job is late.
func (p *phases) together(of *partial) bool {
	start, want := of.now, make([]float64, len(of.left))
	for n, l := range of.left {
		if want[n] = float64(l); l > 0 {
			start = max(start, p.group.ready[n])
		}
	}
	if slices.Max(of.left) > 0 {
		x := p.pattern(want)
		if x == nil {
			return false
		}
		of.rest, _ = x.Blocks(p.group.jobs, p.group.gpus, slices.Clone(of.left), start)
		p.finish(of, of.rest)
	}
	for n, end := range of.ends {
		if end > p.group.due[n] {
			return false
		}
	}
	return true
}

// finish records the ends of the jobs with iterations in blocks.
func (p *phases) finish(of *partial, blocks []instance.Block) {
	ends := instance.EndsOf(blocks, len(p.in.Jobs))
	for n, j := range p.group.jobs {
		if ends[j] > 0 {
			of.ends[n] = ends[j]
		}
	}
}

// pattern is a pattern of the jobs that want iterations, on their GPUs, in these proportions; nil: there is none. All
// jobs of the group are in memory: in phases none leaves it before it ends.
func (p *phases) pattern(want []float64) *pattern.Pattern {
	x := pattern.InPlace(p.in, p.group.jobs, p.group.nodes, p.group.homes, want, phasePattern)
	return p.patterns.Scheduled(fmt.Sprint(x.Iterations), x, p.seed, phaseTries, nil)
}
