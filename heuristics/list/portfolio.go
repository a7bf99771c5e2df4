package list

import (
	"context"
	"math/big"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
)

// batch is the number of decisions decoded before they are compared. It is
// fixed, so that what is tried does not depend on the number of cores.
const batch = 8

// Work of a greedy of effort 1, in tasks decoded: decodeBudget, but at least
// minDecodes schedules unless they exceed bigBudget, and at most maxDecodes.
const (
	decodeBudget = 4_000_000
	minDecodes   = 12
	bigBudget    = 16_000_000
	maxDecodes   = 3000
)

// quickPart is the factor by which [state.Options.Quick] divides the work.
const quickPart = 20

// Portfolio tries decisions and keeps the best schedule.
type Portfolio struct {
	ctx     context.Context
	options state.Options
	In      *instance.Instance
	rng     *rand.Rand
	Layout  *state.Layout
	Budget  int // work that may still be spent on decoding
	Cost    int // work of one decoding, about the number of events
	width   int // neighbours of a decision that improve compares

	workers []*worker
	Best    *Record     // nil: none yet
	Value   state.Value // of best
	Chosen  *Decision
	told    *big.Rat // reported value of best, which met all deadlines; nil: none yet
	reach   *placement.Reach
	tried   [batch]trial // of the latest batch
}

// trial is the outcome of a decision.
type trial struct {
	ok         bool
	value      state.Value
	completion []instance.Tick
}

// worker holds a goroutine's decoders and the best record it made of a batch.
type worker struct {
	dispatch  *Dispatcher
	insert    *inserter
	now, best *Record
	value     state.Value
	index     int // in the batch; -1: none
}

// NewPortfolio returns a portfolio that has tried nothing, with the budget according to o.
func NewPortfolio(ctx context.Context, o state.Options, in *instance.Instance, rng *rand.Rand) *Portfolio {
	p := &Portfolio{ctx: ctx, options: o, In: in, rng: rng, Layout: state.NewLayout(in), reach: placement.NewReach(in), width: batch}
	// Starting a task examines every resident of the GPU.
	residents := p.Layout.Slots / len(in.GPUs)
	p.Cost = p.Layout.Tasks*(1+residents/32) + p.Layout.Syncs + len(in.GPUs) + len(in.Links) + len(in.Jobs)
	p.Budget = min(max(decodeBudget/o.Part(quickPart), min(minDecodes*p.Cost, bigBudget)), maxDecodes*p.Cost)
	cores := runtime.GOMAXPROCS(0)
	if o.Tries > 0 {
		p.Budget, p.width, cores = o.Tries*p.Cost, 2, 1
	}
	for range max(1, min(cores, batch)) {
		p.workers = append(p.workers, &worker{})
	}
	return p
}

// try decodes the decisions, at most batch of them and as far as the budget
// permits, and takes over the best if it beats the incumbent. The very first
// schedule is decoded whatever the budget. It reports whether to continue,
// which is false if the incumbent is, or has become, good enough.
func (p *Portfolio) try(list []*Decision) bool {
	if affordable := p.Budget / p.Cost; len(list) > affordable {
		list = list[:affordable]
		if p.Best == nil && affordable == 0 {
			list = list[:1]
		}
	}
	if len(list) == 0 {
		return false
	}
	p.Budget -= len(list) * p.Cost
	for i := range p.tried {
		p.tried[i].ok = false
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for _, w := range p.workers[:min(len(p.workers), len(list))] {
		w.index = -1
		decode := func() {
			for i := int(next.Add(1)) - 1; i < len(list); i = int(next.Add(1)) - 1 {
				p.decode(w, list[i], i)
			}
		}
		if len(p.workers) == 1 {
			decode()
		} else {
			wg.Go(decode)
		}
	}
	wg.Wait()
	var top *worker
	for _, w := range p.workers[:min(len(p.workers), len(list))] {
		if w.index >= 0 && (top == nil || w.value.Ahead(top.value) || w.value == top.value && w.index < top.index) {
			top = w
		}
	}
	if top != nil {
		better := p.Best == nil || top.value.Less(p.Value)
		p.Best, top.best = top.best, p.Best
		p.Value, p.Chosen = top.value, list[top.index]
		if better && p.Value.Late == 0 {
			p.tell(p.Best.Schedule(p.In, p.Layout))
		}
	}
	if p.told != nil && p.options.Stops(p.told) {
		p.Budget = 0
	}
	return p.ctx.Err() == nil && p.Budget >= p.Cost
}

// tell reports a better schedule.
func (p *Portfolio) tell(s *instance.Schedule) {
	if p.options.Improved != nil {
		p.options.Improved(s)
	}
	p.told = p.In.Value(s)
}

// decode tries one decision and keeps its record if it beats the incumbent and
// the worker's best of this batch.
func (p *Portfolio) decode(w *worker, d *Decision, index int) {
	var by decoder
	if d.serial {
		if w.insert == nil {
			w.insert = newInserter(p.In, p.Layout)
		}
		by = w.insert
	} else {
		if w.dispatch == nil {
			w.dispatch = NewDispatcher(p.In, p.Layout)
			if p.options.Stays != nil {
				w.dispatch.stays = newStays(p.options.Stays)
			}
		}
		by = w.dispatch
	}
	if w.now == nil {
		w.now = NewRecord(p.Layout, len(p.In.Jobs))
	}
	t := &p.tried[index]
	if t.ok = by.Decode(p.ctx, d, w.now) == nil; !t.ok {
		return
	}
	v := state.ValueOf(p.In, w.now.Completion)
	t.value, t.completion = v, append(t.completion[:0], w.now.Completion...)
	if p.Best != nil && !v.Ahead(p.Value) || w.index >= 0 && (w.value.Ahead(v) || w.value == v) {
		return
	}
	w.now, w.best = w.best, w.now
	w.value, w.index = v, index
}

// result returns the incumbent, or why there is none.
func (p *Portfolio) result() (*instance.Schedule, error) {
	if p.Best == nil {
		return nil, p.ctx.Err()
	}
	if p.Value.Late > 0 {
		if err := p.ctx.Err(); err != nil {
			return nil, err
		}
		return nil, state.Missed(p.In, p.Best.Completion, " in the best schedule tried")
	}
	return p.Best.Schedule(p.In, p.Layout), nil
}
