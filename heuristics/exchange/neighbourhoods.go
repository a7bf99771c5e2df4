package exchange

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/groups"
	"jigsaw/heuristics/sequence"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

// Neighbourhoods improves a schedule neighbourhood by neighbourhood, a large-neighbourhood
// search (P. Shaw, Using constraint programming and local search methods to solve vehicle
// routing problems, CP 1998). A neighbourhood is a few groups of nodes: an instance of its own,
// small enough for [sequence.Search] to work well, any schedule of which can be put back. If a
// schedule does not fall apart, the search starts from the best of exchanges.
type Neighbourhoods struct {
	in      *instance.Instance
	without method.Set
	rng     *rand.Rand
	Best    state.Incumbent // the best that falls apart; nil: none
	groups  []groups.Group  // of it
	// rounds is the number of rounds for which a neighbourhood is searched.
	rounds int
	// stale is the number of batches without a better schedule.
	stale int
	// owed is work done beyond the requested amount.
	owed int
}

// neighbourhood is what is rescheduled.
type neighbourhood struct {
	part *instance.Part
	rng  *rand.Rand
	from *instance.Schedule
	to   state.Incumbent // better than from; nil: none
}

const (
	// walksWorth is how many neighbourhoods get as much work as lanes and residency searches. But from
	// leastGroups groups on, neighbourhoods of a large instance get the fraction leastNeighbourhoods.
	walksWorth, leastNeighbourhoods, leastGroups = 4, 0.5, 3
	// A batch has neighbourhoodBatch neighbourhoods of about neighbourhoodGPUs GPUs, and half as
	// many again or twice as many after a while without a better schedule.
	neighbourhoodBatch, neighbourhoodGPUs = 4, 16
	// Number of lanes, and of rounds, in which a neighbourhood is searched.
	neighbourhoodLanes      = 3
	leastRounds, mostRounds = 2, sequence.FirstCycle
	// staleDivision is the number of batches without a better schedule after which a schedule
	// worse than the best of all is given up for the best of exchanges.
	staleDivision = 40
)

// NewNeighbourhoods returns a search without a schedule yet; see Follow.
func NewNeighbourhoods(in *instance.Instance, rng *rand.Rand, without method.Set) *Neighbourhoods {
	return &Neighbourhoods{in: in, without: without, rng: rng, rounds: leastRounds}
}

// Follow takes a schedule over if it is better and falls apart; or another one, the best of
// exchanges, if there is nothing else or the search has long followed a worse one. It
// returns the fraction of a search's work that neighbourhoods get: more with more groups,
// and 0 without any.
func (p *Neighbourhoods) Follow(best, other state.Incumbent) float64 {
	if p.without[method.Neighbourhoods] {
		return 0
	}
	if p.Best.Schedule == nil || best.Value.Less(p.Best.Value) {
		p.take(best)
	}
	if p.Best.Schedule == nil || p.stale > staleDivision && best.Value.Less(p.Best.Value) {
		p.stale = 0
		if other.Schedule != nil {
			p.take(other)
		}
	}
	part := 1 - float64(walksWorth)/float64(max(walksWorth, len(p.groups)))
	if p.few(len(p.groups)) {
		part = max(part, leastNeighbourhoods)
	}
	return part
}

// few reports whether a number of groups is small but still worth neighbourhoods: not if a
// neighbourhood would be a large part of the whole.
func (p *Neighbourhoods) few(groups int) bool {
	return groups >= leastGroups && len(p.in.GPUs) > 2*neighbourhoodGPUs
}

// take continues from a schedule if it falls apart into enough groups, none of which has
// more than half of the GPUs.
func (p *Neighbourhoods) take(f state.Incumbent) {
	list := groups.Of(p.in, f.Schedule)
	if (len(list) > walksWorth || p.few(len(list))) && !slices.ContainsFunc(list, func(g groups.Group) bool { return 2*g.GPUs > len(p.in.GPUs) }) {
		p.Best, p.groups, p.stale = f, list, 0
	}
}

// Improve tries neighbourhoods for about the given number of operations.
func (p *Neighbourhoods) Improve(ctx context.Context, work int) {
	for p.owed -= work; p.owed < 0 && ctx.Err() == nil; {
		p.batch(ctx)
	}
}

// batch tries some neighbourhoods in parallel: either ones without common groups or, if
// the makespan has not decreased, ones that share the last group. The fewer of them
// gain, the longer the next ones are searched.
func (p *Neighbourhoods) batch(ctx context.Context) {
	same := p.in.Objective == instance.Makespan && p.stale%2 == 1
	batch := p.draw(same)
	worked := make([]int, len(batch))
	state.Parallel(len(batch), func(n int) { worked[n] = batch[n].improve(ctx, p.rounds, p.without) })
	whole := p.Best.Schedule.Clone()
	var best *neighbourhood
	gains := 0
	for n, q := range batch {
		p.owed += worked[n]
		if q.to.Schedule == nil {
			continue
		}
		gains++
		if best == nil || q.to.Value.Ahead(best.to.Value) {
			best = q
		}
		if !same {
			q.part.Put(whole, q.to.Schedule)
		}
	}
	if same && best != nil {
		best.part.Put(whole, best.to.Schedule)
	}
	switch {
	case 2*gains < len(batch):
		p.rounds = min(p.rounds+1, mostRounds)
	case 2*gains > len(batch):
		p.rounds = max(p.rounds-1, leastRounds)
	}
	p.stale++
	if gains > 0 {
		f := state.Incumbent{Schedule: whole, Value: state.ValueOf(p.in, whole.Completion(p.in))}
		if f.Value.Less(p.Best.Value) {
			p.stale = 0
		}
		p.Best, p.groups = f, groups.Of(p.in, whole)
	}
}

// draw chooses the neighbourhoods of a batch. Under makespan the groups that end last come
// first; all others are drawn.
func (p *Neighbourhoods) draw(same bool) []*neighbourhood {
	list := p.groups
	order := p.rng.Perm(len(list))
	if p.in.Objective == instance.Makespan {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[b].End, list[a].End) })
	}
	most := neighbourhoodGPUs + neighbourhoodGPUs/2*(p.stale/2%3)
	taken := make([]bool, len(list))
	var batch []*neighbourhood
	var held []instance.LinkID // trunks of the batch so far, unless only one of its schedules is kept
	for _, lead := range order {
		if len(batch) == neighbourhoodBatch {
			break
		}
		if same {
			lead = order[0]
		} else if taken[lead] {
			continue
		}
		chosen, gpus := []int{lead}, list[lead].GPUs
		taken[lead] = true
		for _, n := range p.rng.Perm(len(list)) {
			if !taken[n] && gpus < most && (gpus+list[n].GPUs <= most || len(chosen) == 1) {
				chosen, gpus = append(chosen, n), gpus+list[n].GPUs
				taken[n] = true
			}
		}
		part := groups.Part(p.in, list, held, chosen...)
		if len(part.Jobs) == 0 {
			continue
		}
		if !same {
			held = append(held, p.in.Trunks(part.LinksOf)...)
		}
		batch = append(batch, &neighbourhood{
			part: part, from: part.Of(p.Best.Schedule), rng: state.Fork(p.rng),
		})
	}
	return batch
}

// improve searches for a better schedule of the neighbourhood for some rounds, and
// returns the work done.
func (q *neighbourhood) improve(ctx context.Context, rounds int, without method.Set) int {
	s := sequence.NewSearch(ctx, state.Options{Without: without}, q.part.Instance, q.rng, q.from, neighbourhoodLanes)
	before := s.Best.Value
	worked := s.Cool(rounds)
	if s.Best.Value.Ahead(before) {
		q.to = s.Best
	}
	return worked
}
