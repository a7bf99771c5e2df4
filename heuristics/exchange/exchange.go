package exchange

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/groups"
	"jigsaw/heuristics/list"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

// Annealer anneals which jobs share a group of nodes. Two groups exchange a few jobs,
// and both are rescheduled by a greedy of few tries: no estimate predicts as well how
// jobs fill each other's gaps. It starts from a division.
type Annealer struct {
	in       *instance.Instance
	without  method.Set
	rng      *rand.Rand
	area     []float64 // per job: GPU-ticks at the cheapest depths
	estimate *estimate

	groups []groups.Group
	taken  [][]instance.LinkID // per group: the trunks that it does not use
	sides  []side              // per group: how it is scheduled
	Best   state.Incumbent     // the best found by exchanges; nil: none
	own    state.Incumbent     // the best of the walk since its last start
	// tried counts the exchanges since the walk was last reheated; it cools over cycle
	// exchanges. began is the value of own at the start of the cycle.
	tried, cycle int
	began        state.Value
	// share is the fraction of a search's work that exchanges get.
	share float64
	// owed is work done beyond the requested amount.
	owed int
	done float64 // the work so far, at the largest share

	completions *completions
}

// side is the schedule of a group.
type side struct {
	part   *instance.Part
	plan   *instance.Schedule // nil: no jobs
	value  float64
	from   *list.Decision  // from which plan was made; nil: unknown
	search *list.Portfolio // while it is being made; nil: no jobs
	gains  []float64       // per job: see [pairExchange.gains]; nil: not known
}

const (
	// Exchanges get the fraction mostShare of a search's work; after each cycle without a
	// gain half as much as before, but at least leastShare.
	mostShare, leastShare = 0.75, 0.125
	// Exchanges per job in the first cycle; each later cycle has twice as many as the one
	// before.
	firstExchanges = 2
	// A pair of groups tries this many exchanges at a time.
	pairTries = 4
	// An exchange is scheduled with sketchTries and, if it would be good enough were the
	// groups better by the fraction hope, with studyTries.
	sketchTries, studyTries = 6, 40
	hope                    = 0.03
	// groupSteep is the power of a group's end in the energy of the makespan.
	groupSteep = 40
	// Temperatures at the start and the end of a cycle. Their units are the energy of a group
	// that ends last, and a tenth of the mean job's weighted completion.
	exchangeHot, exchangeCold = 0.03, 0.003
	// exchangeDraws is the number of exchanges drawn to find one that may be acceptable.
	exchangeDraws = 100
	// exchangeChoice is the number of these from which the best by estimate is taken;
	// weightedChoice under weighted completion, where the estimate is more accurate.
	exchangeChoice, weightedChoice = 3, 10
	// From manyGroups on each group has few tries, which are chosen with more care; see
	// [Annealer.many].
	manyGroups = 100
	// Of many groups those that end last choose their partners one after the other, each from half as many
	// candidates as are left, by partnerDraws exchanges with each. Choosing among all groups would repeatedly
	// pick the one with the largest error of the estimate.
	partnerDraws = 10
	// ManyNodes is the number of nodes from which a division takes less time than list scheduling of
	// all, and is better.
	ManyNodes = 100
	// greedyWork is the number of operations of a sequence that take as long as one of
	// greedy. drawWork is the work of drawing an exchange.
	greedyWork, drawWork = 3, 30
)

// swaps are the numbers of jobs that the two groups give away.
var swaps = [...][2]int{{1, 0}, {0, 1}, {1, 1}, {1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 2}, {2, 3}}

// NewAnnealer returns a walk that starts from a division once it has work to do. Completions draw from a source of their own.
func NewAnnealer(in *instance.Instance, rng, completing *rand.Rand, without method.Set) *Annealer {
	t := &Annealer{
		in: in, without: without, rng: rng, area: make([]float64, len(in.Jobs)), cycle: firstExchanges * len(in.Jobs), share: mostShare,
		estimate: newEstimate(in),
	}
	counts := state.CheapestMultisets(in)
	for j := range in.Jobs {
		job := &in.Jobs[j]
		times := job.On[state.FastestType(in, job)].Time
		for d, n := range counts[j] {
			t.area[j] += float64(int64(job.Iterations) * int64(n) * int64(times[d]))
		}
	}
	if without[method.Exchange] {
		t.share = 0
	}
	t.completions = newCompletions(t, counts, completing)
	return t
}

// Walk anneals for about its share of the given number of operations, and returns that
// share: 0 if there is nothing to exchange. Between cycles it continues from the best
// schedule of all, if that falls apart as well.
func (t *Annealer) Walk(ctx context.Context, work int, best state.Incumbent) float64 {
	if t.share > 0 && t.groups == nil {
		if t.begin(ctx, best); len(t.groups) < 2 {
			t.share = 0
		}
	}
	if t.share > 0 && t.tried >= t.cycle {
		t.restart(best)
	}
	share := t.share
	if share > 0 && t.completions.due(t.done) {
		t.complete(ctx, min(t.Best.Value.Float(), best.Value.Float()))
	}
	t.done += float64(mostShare * float64(work))
	for t.owed -= int(share * float64(work)); t.owed < 0 && ctx.Err() == nil; {
		if t.tried >= t.cycle {
			t.restart(best)
		}
		t.batch(ctx)
	}
	return share
}

// begin starts from a division; with many nodes from the best schedule, if that falls
// apart into almost as many groups.
func (t *Annealer) begin(ctx context.Context, best state.Incumbent) {
	d := deal(ctx, t.in, t.rng)
	if d == nil {
		return
	}
	if len(t.in.Nodes) >= ManyNodes {
		if list := groups.Of(t.in, best.Schedule); divided(list, d.groups) {
			t.take(best, list)
			return
		}
	}
	if s := d.plan(ctx, t.rng); s != nil {
		t.take(state.Incumbent{Schedule: s, Value: state.ValueOf(t.in, s.Completion(t.in))}, groups.Of(t.in, s))
	}
}

// divided reports whether a schedule falls apart into almost as many groups as another.
func divided(list, other []groups.Group) bool { return 4*len(list) >= 3*len(other) }

// restart begins another cycle.
func (t *Annealer) restart(best state.Incumbent) {
	t.tried, t.cycle = 0, 2*t.cycle
	if t.own.Value.Less(t.began) {
		t.share = mostShare
	} else {
		t.share = max(t.share/2, leastShare)
	}
	from, parts := t.Best, groups.Of(t.in, t.Best.Schedule)
	if best.Value.Less(from.Value) {
		if list := groups.Of(t.in, best.Schedule); divided(list, parts) {
			from, parts = best, list
		}
	}
	t.take(from, parts)
}

// take continues from a schedule.
func (t *Annealer) take(f state.Incumbent, groups []groups.Group) {
	t.own, t.began = f, f.Value
	t.groups = groups
	t.taken, t.sides = t.split(f.Schedule, groups)
	t.completions.follow(t)
	t.offer(f)
}

// split returns, for the groups of a schedule, the trunks that they do not use, and the schedules. A trunk that no group
// uses is left to none, or two might begin to use it at once.
func (t *Annealer) split(whole *instance.Schedule, groups []groups.Group) (taken [][]instance.LinkID, sides []side) {
	taken, sides = make([][]instance.LinkID, len(groups)), make([]side, len(groups))
	trunks := t.in.Trunks(instance.UpTo[instance.LinkID](len(t.in.Links)))
	for n, g := range groups {
		taken[n] = slices.DeleteFunc(slices.Clone(trunks), func(l instance.LinkID) bool { return slices.Contains(g.Trunks, l) })
		s := &sides[n]
		s.part = t.in.Part(g.Jobs, g.Nodes, taken[n])
		if len(g.Jobs) > 0 {
			s.plan = s.part.Of(whole)
			s.value = state.ValueOf(s.part.Instance, s.plan.Completion(s.part.Instance)).Float()
		}
	}
	return taken, sides
}

// batch pairs the groups and lets each pair try some exchanges.
func (t *Annealer) batch(ctx context.Context) {
	heat := state.Cooled(exchangeHot, exchangeCold, float64(t.tried)/float64(t.cycle))
	values := make([]float64, len(t.sides))
	for n := range t.sides {
		values[n] = t.sides[n].value
	}
	scale := energyScale(t.in, values)
	var pairs []*pairExchange
	for _, at := range pairsOf(t.in, values, t.rng) {
		pairs = append(pairs, &pairExchange{
			Annealer: t, at: at, heat: heat, scale: scale, rng: state.Fork(t.rng),
		})
	}
	if t.in.Objective == instance.Makespan && t.many() {
		for n, b := range pairs {
			b.choosePartner(pairs[n:])
		}
	}
	state.Parallel(len(pairs), func(n int) {
		for range pairTries {
			pairs[n].try(ctx)
		}
	})
	for _, b := range pairs {
		t.owed += b.work
	}
	t.tried += pairTries * len(pairs)
	t.note()
}

// pairsOf pairs groups with these values at random; under makespan those of the quarter that
// ends last with others that end early.
func pairsOf(in *instance.Instance, values []float64, rng *rand.Rand) [][2]int {
	order := rng.Perm(len(values))
	pairs := make([][2]int, len(order)/2)
	if in.Objective == instance.Makespan {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
		pairs = pairs[:(len(pairs)+1)/2]
	}
	for n, early := range rng.Perm(len(order) / 2)[:len(pairs)] {
		pairs[n] = [2]int{order[n], order[len(order)-1-early]}
	}
	return pairs
}

// many reports whether there are so many groups that exchanges are drawn by more than loads. With
// few groups all exchanges are tried often, and random draws are as good as the estimate.
func (t *Annealer) many() bool { return len(t.groups) >= manyGroups }

// note sums the values of the groups, and keeps the best.
func (t *Annealer) note() {
	value := 0.0
	for _, s := range t.sides {
		if t.in.Objective == instance.WeightedCompletion {
			value += s.value
		} else {
			value = max(value, s.value)
		}
	}
	if value >= t.own.Value.Float() {
		return
	}
	whole := &instance.Schedule{Residency: make([][]instance.GPUID, len(t.in.Jobs))}
	for _, s := range t.sides {
		if s.plan != nil {
			s.part.Add(whole, s.plan)
		}
	}
	whole.Sort()
	t.own = state.Incumbent{Schedule: whole, Value: state.ValueOf(t.in, whole.Completion(t.in))}
	t.offer(t.own)
}

// offer takes a schedule over if it is better than all found by exchanges before.
func (t *Annealer) offer(f state.Incumbent) {
	if t.Best.Schedule == nil || f.Value.Less(t.Best.Value) {
		t.Best = f
	}
}

// energyScale returns the factor of groups' values in their energy. Under makespan it
// normalises to 1 a group that ends later than nine in ten of those with jobs: a single
// outlier should not hide the differences between the others.
func energyScale(in *instance.Instance, values []float64) float64 {
	if in.Objective != instance.WeightedCompletion {
		sorted := slices.Sorted(slices.Values(values))
		for len(sorted) > 1 && sorted[0] == 0 {
			sorted = sorted[1:]
		}
		return 1 / sorted[len(sorted)*9/10]
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return 10 * float64(len(in.Jobs)) / sum
}

// groupEnergy is the term per group that exchanges minimise: a steep function of its end,
// or its weighted completion.
func groupEnergy(in *instance.Instance, value, scale float64) float64 {
	if in.Objective == instance.WeightedCompletion {
		return value * scale
	}
	if value == 0 {
		return 0
	}
	return state.Pow(value*scale, groupSteep)
}

// exchange draws jobs that two groups give each other, and returns the jobs of each afterwards, the
// new ones last. The first that a gives is drawn in proportion to gains, if there are any.
func exchange(rng *rand.Rand, a, b []instance.JobID, gains []float64) (jobs, given [2][]instance.JobID) {
	swap := swaps[rng.IntN(len(swaps))]
	for k, list := range [2][]instance.JobID{a, b} {
		jobs[k] = slices.Clone(list)
		for n := range min(swap[k], len(jobs[k])) {
			i := rng.IntN(len(jobs[k]))
			if k == 0 && n == 0 {
				i = proportional(rng, gains, i)
			}
			given[k] = append(given[k], jobs[k][i])
			jobs[k] = slices.Delete(jobs[k], i, i+1)
		}
	}
	for k := range jobs {
		jobs[k] = append(jobs[k], given[1-k]...)
	}
	return jobs, given
}

// proportional draws an index in proportion to the list; otherwise if that is empty or zero.
func proportional(rng *rand.Rand, list []float64, otherwise int) int {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	for i, left := 0, rng.Float64()*sum; i < len(list) && sum > 0; i++ {
		if left -= list[i]; left < 0 {
			return i
		}
	}
	return otherwise
}

// pairExchange is two groups that exchange jobs.
type pairExchange struct {
	*Annealer
	at      [2]int // the groups
	heat    float64
	scale   float64 // of values in the energy
	rng     *rand.Rand
	work    int // done so far, in operations
	found   int // exchanges that could be made, so far
	scratch scratch
}

// energy is the energy of a group.
func (b *pairExchange) energy(value float64) float64 { return groupEnergy(b.in, value, b.scale) }

// leastEnergy is the energy of a group with the given jobs if no GPU ever idles or, under
// weighted completion, if no job ever waits.
func (b *pairExchange) leastEnergy(n int, jobs []instance.JobID) float64 {
	sum := 0.0
	if b.in.Objective == instance.WeightedCompletion {
		for _, j := range jobs {
			sum += float64(float64(b.in.Jobs[j].Weight) * b.estimate.chain[j])
		}
		return b.energy(sum)
	}
	for _, j := range jobs {
		sum += b.area[j]
	}
	return b.energy(sum / float64(b.groups[n].GPUs))
}

// try draws an exchange, and makes it if the temperature permits its energy. It gives up
// as soon as that is impossible.
func (b *pairExchange) try(ctx context.Context) {
	limit := state.Allowance(b.rng, b.heat)
	for _, n := range b.at {
		limit += b.energy(b.sides[n].value)
	}
	jobs, ok := b.draw(limit)
	if !ok {
		return
	}
	sides, ok := b.schedule(ctx, jobs, limit)
	if !ok {
		return
	}
	for k, n := range b.at {
		sides[k].settle()
		b.groups[n].Jobs, b.sides[n] = jobs[k], sides[k]
	}
}

// settle takes the schedule of a group from its search.
func (s *side) settle() {
	if p := s.search; p != nil {
		s.plan, s.from, s.search = p.Best.Schedule(p.In, p.Layout), p.Chosen, nil
	}
}

// schedule schedules both groups with the given jobs. It reports false if their energy is
// above the limit, and gives up as soon as that is clear.
func (b *pairExchange) schedule(ctx context.Context, jobs [2][]instance.JobID, limit float64) (sides [2]side, ok bool) {
	least := [2]float64{1: b.leastEnergy(b.at[1], jobs[1])} // lower limits for each
	for k, n := range b.at {
		if sides[k], ok = b.sketch(ctx, n, jobs[k]); !ok {
			return sides, false
		}
		if least[k] = b.energy((1 - hope) * sides[k].value); least[0]+least[1] > limit {
			return sides, false
		}
	}
	for k := range sides {
		if b.energy(sides[0].value)+b.energy(sides[1].value) <= limit {
			break
		}
		b.study(&sides[k], studyTries)
		if least[k] = b.energy(sides[k].value); least[0]+least[1] > limit {
			return sides, false
		}
	}
	return sides, true
}

// draw returns the jobs of both groups after an exchange that, by its estimate, may be
// within the limit: the best by estimate among a few.
func (b *pairExchange) draw(limit float64) (best [2][]instance.JobID, ok bool) {
	least, choice := math.Inf(1), exchangeChoice
	if b.in.Objective == instance.WeightedCompletion {
		choice = weightedChoice
	}
	gains, corrections := b.gains(), b.corrections()
	for range exchangeDraws {
		jobs, energy, hoped := b.look(gains, corrections, limit)
		if hoped > limit {
			continue
		}
		if energy < least {
			best, least, ok = jobs, energy, true
		}
		if b.found++; b.found%choice == 0 {
			break
		}
	}
	for k := range best {
		slices.Sort(best[k])
	}
	return best, ok
}

// look draws an exchange and returns the estimated energy of both groups after it, and the energy that a
// schedule may reach: by the loads alone or, with many groups, also at least a little less than the
// estimate. Both are infinite if there is nothing to exchange, or if the loads alone exceed the limit.
func (b *pairExchange) look(gains []float64, corrections [2]float64, limit float64) (jobs [2][]instance.JobID, energy, hoped float64) {
	b.work += drawWork
	jobs, given := exchange(b.rng, b.groups[b.at[0]].Jobs, b.groups[b.at[1]].Jobs, gains)
	all := len(given[0]) == len(b.groups[b.at[0]].Jobs) && len(given[1]) == len(b.groups[b.at[1]].Jobs) // no exchange, as nodes are mostly identical
	if all || len(given[0])+len(given[1]) == 0 || !b.fit(0, given[1]) || !b.fit(1, given[0]) {
		return jobs, math.Inf(1), math.Inf(1)
	}
	least := [2]float64{b.leastEnergy(b.at[0], jobs[0]), b.leastEnergy(b.at[1], jobs[1])}
	if least[0]+least[1] > limit {
		return jobs, math.Inf(1), math.Inf(1)
	}
	for k, n := range b.at {
		value := corrections[k] * b.estimate.of(&b.scratch, b.groups[n].Nodes, jobs[k])
		if b.many() {
			least[k] = max(least[k], b.energy((1-hope)*value))
		}
		energy, hoped = energy+b.energy(value), hoped+least[k]
	}
	return jobs, energy, hoped
}

// corrections returns, for the two of many groups, the ratio of their actual to their estimated
// values.
func (b *pairExchange) corrections() [2]float64 {
	list := [2]float64{1, 1}
	for k, n := range b.at {
		estimate := b.estimate.of(&b.scratch, b.groups[n].Nodes, b.groups[n].Jobs)
		if b.many() && len(b.groups[n].Jobs) > 0 && estimate > 0 && !math.IsInf(estimate, 1) {
			list[k] = b.sides[n].value / estimate
		}
	}
	return list
}

// gains returns, by the estimate, how much earlier the first of many groups would end without each
// of its jobs, under makespan: if it ends much later than others, the reason is one or two jobs
// that delay the rest.
func (b *pairExchange) gains() []float64 {
	n := b.at[0]
	s, jobs := &b.sides[n], b.groups[n].Jobs
	if s.gains == nil && len(jobs) > 1 && b.in.Objective == instance.Makespan && b.many() {
		s.gains = make([]float64, len(jobs))
		for i := range jobs {
			without := b.estimate.of(&b.scratch, b.groups[n].Nodes, slices.Delete(slices.Clone(jobs), i, i+1))
			s.gains[i] = max(0, s.value-without)
		}
	}
	return s.gains
}

// choosePartner replaces the second group by that of another pair with which an exchange looks
// best.
func (b *pairExchange) choosePartner(pairs []*pairExchange) {
	gains, others, partner := b.gains(), make([]*pairExchange, (len(pairs)+1)/2), b
	with, energies := make([]pairExchange, len(others)), make([]float64, len(others))
	for n := range others {
		others[n] = pairs[b.rng.IntN(len(pairs))]
		with[n] = pairExchange{Annealer: b.Annealer, at: [2]int{b.at[0], others[n].at[1]}, scale: b.scale, rng: state.Fork(b.rng)}
	}
	state.Parallel(len(others), func(n int) {
		b := &with[n]
		corrections, least := b.corrections(), math.Inf(1)
		for range partnerDraws {
			_, energy, _ := b.look(gains, corrections, math.Inf(1))
			least = min(least, energy)
		}
		energies[n] = least - b.energy(b.sides[b.at[1]].value)
	})
	least := math.Inf(1)
	for n, o := range others {
		if b.work += with[n].work; energies[n] < least {
			partner, least = o, energies[n]
		}
	}
	b.at[1], partner.at[1] = partner.at[1], b.at[1]
}

// fit reports whether one of the two groups has the GPUs for each of some jobs.
func (b *pairExchange) fit(k int, jobs []instance.JobID) bool {
	return !slices.ContainsFunc(jobs, func(j instance.JobID) bool { return !state.Fits(b.in, j, b.groups[b.at[k]].Nodes) })
}

// sketch schedules a group with the given jobs. It reports false if memory is
// insufficient or a deadline is missed.
func (b *pairExchange) sketch(ctx context.Context, n int, jobs []instance.JobID) (side, bool) {
	old := &b.sides[n]
	if len(jobs) == 0 {
		return side{part: old.part}, true
	}
	s := side{part: b.in.Part(jobs, b.groups[n].Nodes, b.taken[n])}
	s.search = list.NewPortfolio(ctx, state.Options{Tries: sketchTries, Without: b.without}, s.part.Instance, b.rng)
	if old.from != nil {
		as := make([]int, len(jobs))
		for j, id := range jobs {
			at, ok := slices.BinarySearch(old.part.JobsOf, id)
			if as[j] = at; !ok {
				as[j] = -1
			}
		}
		s.search.Resume(old.from, as)
	}
	if s.search.Best == nil && s.search.Construct() != nil {
		return s, false
	}
	s.search.Improve()
	return s, b.result(&s, sketchTries)
}

// study continues with the schedule of a group, for a number of tries.
func (b *pairExchange) study(s *side, tries int) {
	if s.search != nil {
		s.search.Budget += tries * s.search.Cost
		s.search.Improve()
		b.result(s, tries)
	}
}

// result takes the schedule of a group from its search after the given number of tries.
func (b *pairExchange) result(s *side, tries int) bool {
	for j := range s.part.Jobs {
		job := &s.part.Jobs[j]
		b.work += greedyWork * tries * job.Iterations * (job.Workers + 1)
	}
	if s.search.Best == nil || s.search.Value.Late > 0 {
		return false
	}
	s.value = s.search.Value.Float()
	return true
}
