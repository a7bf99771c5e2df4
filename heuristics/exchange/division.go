package exchange

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/groups"
	"jigsaw/heuristics/list"
	"jigsaw/heuristics/state"
)

// division assigns the jobs of an instance to groups of nodes.
type division struct {
	in       *instance.Instance
	area     []float64 // per job: GPU-ticks
	estimate *estimate
	scratch  scratch
	groups   []groups.Group
	load     []float64 // per group: GPU-ticks
	free     []bool    // per node: in no group yet
	across   bool      // a group has nodes of several racks
}

// Divide makes a schedule of many separate groups: jobs that need several nodes
// first, each job goes to the nodes with the least work per GPU, and every group
// is scheduled separately. It returns nil if that is impossible, or not possible
// without missing a deadline, and if the context ends it early.
func Divide(ctx context.Context, in *instance.Instance, rng *rand.Rand) *instance.Schedule {
	if d := deal(ctx, in, rng); d != nil {
		return d.plan(ctx, rng)
	}
	return nil
}

// deal assigns the jobs; nil: there is one node, some job finds no room or has a policy, whose routes may leave a rack and come
// back, so that groups in separate racks have trunks in common, or the context ended.
func deal(ctx context.Context, in *instance.Instance, rng *rand.Rand) *division {
	if len(in.Nodes) == 1 || slices.ContainsFunc(in.Jobs, func(j instance.Job) bool { return j.Policy > 0 }) {
		return nil
	}
	d := &division{in: in, area: make([]float64, len(in.Jobs)), estimate: newEstimate(in), free: make([]bool, len(in.Nodes))}
	for n := range d.free {
		d.free[n] = true
	}
	for _, j := range d.order(rng) {
		if ctx.Err() != nil || !d.put(j) {
			return nil
		}
	}
	return d
}

// plan balances the groups and schedules them.
func (d *division) plan(ctx context.Context, rng *rand.Rand) *instance.Schedule {
	d.level(ctx, rng)
	return d.schedule(ctx, rng)
}

const (
	// levelExchanges is the number of exchanges per job that level tries; a pair of groups tries
	// levelTries at a time.
	levelExchanges, levelTries = 300, 16
	// levelPart is the largest part of the time that level takes.
	levelPart = 0.3
	// levelCold is the temperature at the end of level, as exchangeCold is.
	levelCold = 0.001
)

// level anneals the division on the estimate of its groups' values. With a deadline it takes a part of the time, and
// cools down accordingly.
func (d *division) level(ctx context.Context, rng *rand.Rand) {
	if len(d.groups) < 2 {
		return
	}
	values := make([]float64, len(d.groups))
	for n, g := range d.groups {
		values[n] = d.estimate.of(&d.scratch, g.Nodes, g.Jobs)
	}
	memory := make([]scratch, len(d.groups)/2) // per pair
	steps, begun, limit := levelExchanges*len(d.in.Jobs), time.Now(), math.Inf(1)
	if end, ok := ctx.Deadline(); ok {
		limit = float64(levelPart * float64(end.Sub(begun)))
	}
	for n := 0; n < steps && ctx.Err() == nil; {
		part := max(float64(n)/float64(steps), float64(time.Since(begun))/limit)
		if part >= 1 {
			break
		}
		heat, scale := state.Cooled(exchangeHot, levelCold, part), energyScale(d.in, values)
		pairs := pairsOf(d.in, values, rng)
		sources := make([]*rand.Rand, len(pairs))
		for k := range sources {
			sources[k] = state.Fork(rng)
		}
		state.Parallel(len(pairs), func(k int) {
			for range levelTries {
				d.exchange(pairs[k], values, heat, scale, sources[k], &memory[k])
			}
		})
		n += levelTries * len(pairs)
	}
	for n := range d.groups {
		slices.Sort(d.groups[n].Jobs)
	}
}

// exchange draws an exchange of two groups, and makes it if the temperature allows.
func (d *division) exchange(at [2]int, values []float64, heat, scale float64, rng *rand.Rand, b *scratch) {
	jobs, given := exchange(rng, d.groups[at[0]].Jobs, d.groups[at[1]].Jobs, nil)
	fit := len(given[0])+len(given[1]) > 0
	for k, n := range at {
		fit = fit && !slices.ContainsFunc(given[1-k], func(j instance.JobID) bool { return !state.Fits(d.in, j, d.groups[n].Nodes) })
	}
	if !fit {
		return
	}
	limit, energy := state.Allowance(rng, heat), 0.0
	var now [2]float64
	for k, n := range at {
		limit += groupEnergy(d.in, values[n], scale)
		now[k] = d.estimate.of(b, d.groups[n].Nodes, jobs[k])
		energy += groupEnergy(d.in, now[k], scale)
	}
	if energy <= limit {
		for k, n := range at {
			d.groups[n].Jobs, values[n] = jobs[k], now[k]
		}
	}
}

// divisionNoise is the relative noise on the size of a job in the order.
const divisionNoise = 0.2

// order returns the jobs in the order in which they are assigned: those too wide
// for a node by width, the others by size, or by merit under weighted completion;
// both up to some noise.
func (d *division) order(rng *rand.Rand) []instance.JobID {
	in, counts := d.in, state.CheapestMultisets(d.in)
	key := make([]float64, len(in.Jobs))
	for at, j := range state.BySmith(in, counts) {
		job := &in.Jobs[j]
		d.area[j] = float64(job.Iterations) * float64(job.Workers) * float64(state.MeanTime(job, state.FastestType(in, job), counts[j]))
		key[j] = -d.area[j]
		if in.Objective == instance.WeightedCompletion {
			key[j] = float64(at)
		}
	}
	for j := range key {
		key[j] *= 1 + float64(divisionNoise*rng.Float64())
	}
	widest := in.WidestNode()
	wide := func(j instance.JobID) int { return max(0, in.Jobs[j].Workers-widest) }
	order := in.AllJobs()
	slices.SortFunc(order, func(a, b instance.JobID) int {
		return cmp.Or(cmp.Compare(wide(b), wide(a)), cmp.Compare(key[a], key[b]), cmp.Compare(a, b))
	})
	return order
}

// put assigns a job to the group that will have the least work per GPU, or to a
// new one.
func (d *division) put(j instance.JobID) bool {
	best, cost := -1, 0.0
	for n := range d.groups {
		if c := (d.load[n] + d.area[j]) / float64(d.groups[n].GPUs); (best < 0 || c < cost) && d.room(n, j) {
			best, cost = n, c
		}
	}
	if g := d.fresh(j); g.GPUs > 0 && (best < 0 || d.area[j]/float64(g.GPUs) < cost) {
		best = len(d.groups)
		d.groups, d.load = append(d.groups, g), append(d.load, 0)
		for _, n := range g.Nodes {
			d.free[n] = false
		}
	}
	if best < 0 {
		return false
	}
	d.groups[best].Jobs = append(d.groups[best].Jobs, j)
	d.load[best] += d.area[j]
	return true
}

// room reports whether a group has the GPUs for a job, and appears to have the memory.
func (d *division) room(n int, j instance.JobID) bool {
	g := &d.groups[n]
	return state.Fits(d.in, j, g.Nodes) && !math.IsInf(d.estimate.of(&d.scratch, g.Nodes, append(slices.Clip(g.Jobs), j)), 1)
}

// fresh returns the first free nodes in a row that fit a job; without GPUs if there
// are none. They are in one rack, except those of the first job that needs more:
// two groups across racks might have trunks in common.
func (d *division) fresh(j instance.JobID) groups.Group {
	if g := d.row(j, false); g.GPUs > 0 || d.across {
		return g
	}
	g := d.row(j, true)
	d.across = g.GPUs > 0
	return g
}

// row returns the first free nodes in a row that fit a job, in one rack or across.
func (d *division) row(j instance.JobID, across bool) groups.Group {
	var g groups.Group
	for n, free := range d.free {
		node := &d.in.Nodes[n]
		usable := free && d.in.Jobs[j].Runs(node.Type)
		if !usable || !across && len(g.Nodes) > 0 && d.in.Nodes[g.Nodes[0]].Rack != node.Rack {
			g = groups.Group{}
		}
		if usable {
			g.Nodes, g.GPUs = append(g.Nodes, instance.NodeID(n)), g.GPUs+node.GPUs
			if state.Fits(d.in, j, g.Nodes) {
				return g
			}
		}
	}
	return groups.Group{}
}

// schedule makes greedy plans of all groups and combines them.
func (d *division) schedule(ctx context.Context, rng *rand.Rand) *instance.Schedule {
	in := d.in
	parts := make([]*instance.Part, len(d.groups))
	plans := make([]*instance.Schedule, len(d.groups))
	sources := make([]*rand.Rand, len(d.groups))
	for n := range d.groups {
		parts[n] = groups.Part(in, d.groups, nil, n)
		sources[n] = state.Fork(rng)
	}
	state.Parallel(len(parts), func(n int) {
		if len(parts[n].Jobs) == 0 {
			plans[n] = &instance.Schedule{}
			return
		}
		// An error is one of memory, deadlines or the context: no plan.
		plans[n], _ = list.Greedy(ctx, state.Options{Quick: true, Parts: len(parts)}, parts[n].Instance, sources[n])
	})
	whole := &instance.Schedule{Residency: make([][]instance.GPUID, len(in.Jobs))}
	for n, plan := range plans {
		if plan == nil {
			return nil
		}
		parts[n].Add(whole, plan)
	}
	whole.Sort()
	return whole
}
