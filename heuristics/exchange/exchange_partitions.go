package exchange

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/list"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

const (
	// Set partitions are worth the part partitionPart of the work of exchanges.
	partitionPart = 0.3
	// With fewer groups than partitionGroups, exchanges and lanes see all there is.
	partitionGroups = 5
	// checksWorth is how many sets are looked at in the time of an operation.
	checksWorth = 10
	// So many lacking sets are tried side by side, the ones that the estimate likes
	// best, unless it has them end so many times later than would do.
	lackBatch, lackHope = 4, 1.1
	// A set is studied where a sketch has it end so many times later than it should.
	fillHope = 1.1
)

// covering reports whether exchanges look for set partitions. A cover ends with the latest of its
// sets: that is the makespan.
func (t *Annealer) covering() bool {
	return t.in.Objective == instance.Makespan && len(t.groups) >= partitionGroups
}

// bound takes notice of the best schedule of all.
func (t *Annealer) bound(best state.Incumbent) {
	if v := best.Value.Float(); best.Schedule != nil && v < t.limit && t.covering() {
		t.limit = v
		t.partitions.forget(v)
		_, kinds, sides := t.split(best.Schedule, groupsOf(t.in, best.Schedule))
		for n, s := range sides {
			if s.plan != nil && s.value < v {
				t.partitions.note(s, kinds[n])
			}
		}
	}
}

// aside begins a side walk.
func (t *Annealer) aside(ctx context.Context) bool {
	s := divide(ctx, t.in, t.rng)
	t.owed += levelExchanges * len(t.in.Jobs) * drawWork
	if s == nil {
		return false
	}
	groups := groupsOf(t.in, s)
	if len(groups) < 2 {
		return false
	}
	t.main, t.cycle = t.cycle, max(t.cycle/sideCycle, firstExchanges*len(t.in.Jobs))
	t.take(state.Incumbent{Schedule: s, Value: state.ValueOf(t.in, s.Completion(t.in))}, groups)
	return true
}

// cover notes what the pairs saw and, once exchanges alone are not enough, looks for
// set partitions and tries what these lack.
func (t *Annealer) cover(ctx context.Context, pairs []*pairExchange) {
	work := 0
	for _, b := range pairs {
		work += b.work
		for _, s := range b.seen {
			if s.value < t.limit {
				t.partitions.note(s.side, s.kind)
			}
		}
	}
	if !t.vain || t.without[method.SetPartitions] {
		return
	}
	t.credit += int(partitionPart * float64(work))
	t.owed += int(partitionPart * float64(work))
	for t.credit > 0 && ctx.Err() == nil {
		if len(t.partitions.fresh) == 0 && !t.fill(ctx) {
			break
		}
		for len(t.partitions.fresh) > 0 && t.credit > 0 {
			t.partitions.checks = 0
			found := t.partitions.look(t.kinds, t.limit)
			if t.credit -= t.partitions.checks / checksWorth; found != nil {
				t.adopt(found)
			}
		}
	}
	t.owed -= max(0, t.credit)
	t.credit = min(t.credit, 0)
}

// adopt takes over a cover.
func (t *Annealer) adopt(found []int) {
	groups, sides := slices.Clone(t.groups), make([]side, len(t.groups))
	for _, n := range found {
		s := &t.partitions.sets[n]
		at := 0
		for t.kinds[at] != s.kind || sides[at].plan != nil {
			at++
		}
		groups[at].jobs, sides[at] = s.part.JobsOf, s.side
	}
	for at := range groups {
		if sides[at].plan == nil {
			groups[at].jobs = nil
		}
		sides[at].part = t.in.Part(groups[at].jobs, groups[at].nodes, t.taken[at])
	}
	t.groups, t.sides = groups, sides
	t.note()
}

// fill tries some of the sets that set partitions lack. It reports false where there are none.
func (t *Annealer) fill(ctx context.Context) bool {
	c := t.partitions
	c.lacks = slices.DeleteFunc(c.lacks, func(l missingSet) bool { return !slices.Contains(t.kinds, l.kind) })
	var b scratch
	for n := range c.lacks {
		if l := &c.lacks[n]; l.value == 0 {
			l.value = t.estimate.of(&b, t.groups[slices.Index(t.kinds, l.kind)].nodes, l.jobs)
		}
	}
	slices.SortStableFunc(c.lacks, func(a, b missingSet) int { return cmp.Compare(a.value, b.value) })
	var tries []*pairExchange
	for len(tries) < lackBatch && len(c.lacks) > 0 && c.lacks[0].value < lackHope*t.limit {
		at := slices.Index(t.kinds, c.lacks[0].kind)
		tries = append(tries, &pairExchange{
			Annealer: t, at: [2]int{at, at}, lack: c.lacks[0].jobs, rng: rand.New(rand.NewPCG(t.rng.Uint64(), t.rng.Uint64())),
		})
		c.lacks = c.lacks[1:]
	}
	if len(tries) == 0 {
		c.lacks = nil
		return false
	}
	state.Parallel(len(tries), func(n int) { tries[n].fill(ctx, studyTries, t.limit-1) })
	for _, b := range tries {
		t.credit -= b.work
		for _, s := range b.seen {
			c.note(s.side, s.kind)
		}
	}
	return true
}

// fill schedules the set that is lacking: with few tries and, where that brings it near
// the due, with as many more as given.
func (b *pairExchange) fill(ctx context.Context, tries int, due float64) {
	n := b.at[0]
	if slices.ContainsFunc(b.lack, func(j instance.JobID) bool { return !fits(b.in, j, b.groups[n].nodes) }) {
		return
	}
	s := side{part: b.in.Part(b.lack, b.groups[n].nodes, b.taken[n])}
	s.search = list.NewPortfolio(ctx, state.Options{Tries: sketchTries, Without: b.without}, s.part.Instance, b.rng)
	if s.search.Construct() != nil {
		return
	}
	s.search.Improve()
	if b.result(&s, sketchTries) && s.value > due && (tries > studyTries || s.value < fillHope*due) {
		b.study(&s, tries)
	}
	b.see(&s, n)
}

// see keeps a schedule of group n that ends before the best of all.
func (b *pairExchange) see(s *side, n int) {
	if p := s.search; p != nil && p.Best != nil && p.Value.Late == 0 && s.value < b.limit {
		s.settle()
		b.seen = append(b.seen, set{side: *s, kind: b.kinds[n]})
	}
}

// settle takes the schedule of a group from its search.
func (s *side) settle() {
	if p := s.search; p != nil {
		s.plan, s.from, s.search = p.Best.Schedule(p.In, p.Layout), p.Chosen, nil
	}
}
