package heuristics

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// pieces improves a schedule piece by piece, a large-neighbourhood search (P. Shaw,
// Using constraint programming and local search methods to solve vehicle routing
// problems, CP 1998). A piece is a few groups of nodes: an instance of its own,
// small enough for [search] to be good at, whose schedule can be put back whatever
// it is. Where a schedule does not fall apart, pieces begins with the best of trades.
type pieces struct {
	in     *instance.Instance
	rng    *rand.Rand
	best   find    // the best that falls apart; nil: none
	groups []group // of it
	// rounds is for how long a piece is searched.
	rounds int
	// stale is how many batches have passed without a better schedule.
	stale int
	// owed is work done beyond what was asked for.
	owed int
}

// piece is what is scheduled anew.
type piece struct {
	part *instance.Part
	rng  *rand.Rand
	from *instance.Schedule
	to   find // better than from; nil: none
}

const (
	// walksWorth is how many pieces are worth as much work as lanes and scouts are. But
	// from leastGroups on, pieces of a large instance are worth the part leastPieces.
	walksWorth, leastPieces, leastGroups = 4, 0.5, 3
	// A batch has so many pieces of about so many GPUs, and half as many again or
	// twice as many after a while without a better schedule.
	pieceBatch, pieceGPUs = 4, 16
	// A piece is searched in so many lanes, for so many rounds.
	pieceLanes              = 3
	leastRounds, mostRounds = 2, firstCycle
	// staleDivision is the number of batches without a better schedule after which
	// pieces worse than the best schedule of all are given up for the best of trades.
	staleDivision = 40
)

func newPieces(in *instance.Instance, rng *rand.Rand) *pieces {
	return &pieces{in: in, rng: rng, rounds: leastRounds}
}

// follow takes a schedule over if it is better and falls apart; another, the best of
// trades, where there is nothing else or the search has long been elsewhere. It
// returns which part of a search's work pieces are worth: the more groups, the more,
// and 0 without any.
func (p *pieces) follow(best, other find) float64 {
	if p.best.schedule == nil || best.value.less(p.best.value) {
		p.take(best)
	}
	if p.best.schedule == nil || p.stale > staleDivision && best.value.less(p.best.value) {
		p.stale = 0
		if other.schedule != nil {
			p.take(other)
		}
	}
	part := 1 - float64(walksWorth)/float64(max(walksWorth, len(p.groups)))
	if p.few(len(p.groups)) {
		part = max(part, leastPieces)
	}
	return part
}

// few reports whether so many groups are worth pieces although they are few: not where
// a piece would be much of all.
func (p *pieces) few(groups int) bool { return groups >= leastGroups && len(p.in.GPUs) > 2*pieceGPUs }

// take goes on from a schedule if it falls apart into enough groups, none of which has
// more than half of the GPUs.
func (p *pieces) take(f find) {
	list := groupsOf(p.in, f.schedule)
	if (len(list) > walksWorth || p.few(len(list))) && !slices.ContainsFunc(list, func(g group) bool { return 2*g.gpus > len(p.in.GPUs) }) {
		p.best, p.groups, p.stale = f, list, 0
	}
}

// improve tries pieces for about the given number of operations.
func (p *pieces) improve(ctx context.Context, work int) {
	for p.owed -= work; p.owed < 0 && ctx.Err() == nil; {
		p.batch(ctx)
	}
}

// batch tries some pieces side by side: either ones that have nothing in common,
// or, where the makespan has not come down, ones that share the last group. The
// fewer of them gain, the longer the next ones are searched.
func (p *pieces) batch(ctx context.Context) {
	same := p.in.Objective == instance.Makespan && p.stale%2 == 1
	batch := p.draw(same)
	worked := make([]int, len(batch))
	parallel(len(batch), func(n int) { worked[n] = batch[n].improve(ctx, p.rounds) })
	whole := p.best.schedule.Clone()
	var best *piece
	gains := 0
	for n, q := range batch {
		p.owed += worked[n]
		if q.to.schedule == nil {
			continue
		}
		gains++
		if best == nil || q.to.value.ahead(best.to.value) {
			best = q
		}
		if !same {
			q.part.Put(whole, q.to.schedule)
		}
	}
	if same && best != nil {
		best.part.Put(whole, best.to.schedule)
	}
	switch {
	case 2*gains < len(batch):
		p.rounds = min(p.rounds+1, mostRounds)
	case 2*gains > len(batch):
		p.rounds = max(p.rounds-1, leastRounds)
	}
	p.stale++
	if gains > 0 {
		f := find{whole, valueOf(p.in, whole.Completion(p.in))}
		if f.value.less(p.best.value) {
			p.stale = 0
		}
		p.best, p.groups = f, groupsOf(p.in, whole)
	}
}

// draw chooses the pieces of a batch. Under makespan those that end last lead; all
// others are drawn.
func (p *pieces) draw(same bool) []*piece {
	list := p.groups
	order := p.rng.Perm(len(list))
	if p.in.Objective == instance.Makespan {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[b].end, list[a].end) })
	}
	most := pieceGPUs + pieceGPUs/2*(p.stale/2%3)
	taken := make([]bool, len(list))
	var batch []*piece
	for _, lead := range order {
		if len(batch) == pieceBatch {
			break
		}
		if same {
			lead = order[0]
		} else if taken[lead] {
			continue
		}
		chosen, gpus := []int{lead}, list[lead].gpus
		taken[lead] = true
		for _, n := range p.rng.Perm(len(list)) {
			if !taken[n] && gpus < most && (gpus+list[n].gpus <= most || len(chosen) == 1) {
				chosen, gpus = append(chosen, n), gpus+list[n].gpus
				taken[n] = true
			}
		}
		part := partOf(p.in, list, chosen)
		if len(part.Jobs) == 0 {
			continue
		}
		batch = append(batch, &piece{
			part: part, from: part.Of(p.best.schedule), rng: rand.New(rand.NewPCG(p.rng.Uint64(), p.rng.Uint64())),
		})
	}
	return batch
}

// improve searches for a better schedule of the piece for some rounds, and
// returns the work done.
func (q *piece) improve(ctx context.Context, rounds int) int {
	s := newSearch(ctx, Config{}, q.part.Instance, q.rng, q.from, pieceLanes)
	for _, l := range s.lanes {
		l.cycle = rounds
	}
	before := s.best.value
	for range rounds {
		if ctx.Err() != nil {
			break
		}
		s.walk(s.work)
	}
	if s.best.value.ahead(before) {
		q.to = s.best
	}
	return rounds * s.work * (len(s.lanes) + len(s.scouts))
}
