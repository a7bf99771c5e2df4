package heuristics

import (
	"context"
	"math/big"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"jigsaw/formulation/instance"
)

// batch is how many decisions are decoded before they are compared. It is
// fixed, so that what is tried does not depend on the number of cores.
const batch = 8

// Work of a greedy of effort 1, in tasks decoded: decodeBudget, but at least
// minDecodes schedules unless they pass bigBudget, and at most maxDecodes.
const (
	decodeBudget = 4_000_000
	minDecodes   = 12
	bigBudget    = 16_000_000
	maxDecodes   = 3000
)

// quickPart is by how much [Config.Quick] divides the work.
const quickPart = 20

// part is what to divide the usual work by, where [Config.Quick] divides it by quick.
func (c Config) part(quick int) int {
	part := max(1, c.parts)
	if c.Quick {
		part *= quick
	}
	return part
}

// portfolio tries decisions and keeps the best schedule.
type portfolio struct {
	ctx    context.Context
	config Config
	in     *instance.Instance
	rng    *rand.Rand
	layout *layout
	budget int // work that may still be spent on decoding
	cost   int // work of decoding once, about the number of events
	width  int // neighbours of a decision that improve compares

	workers []*worker
	best    *record // nil: none yet
	value   value   // of best
	chosen  *decision
	told    *big.Rat // value of best, which met all deadlines; nil: none yet
	reach   *reach
	tried   [batch]trial // of the latest batch
}

// trial is what became of a decision.
type trial struct {
	ok         bool
	value      value
	completion []instance.Tick
}

// worker is a goroutine's decoders with the best record it made of a batch.
type worker struct {
	dispatch  *dispatcher
	insert    *inserter
	now, best *record
	value     value
	index     int // in the batch; -1: none
}

func newPortfolio(ctx context.Context, c Config, in *instance.Instance, rng *rand.Rand) *portfolio {
	p := &portfolio{ctx: ctx, config: c, in: in, rng: rng, layout: newLayout(in), reach: newReach(in), width: batch}
	// Starting a task takes a look at every resident of the GPU.
	residents := p.layout.slots / len(in.GPUs)
	p.cost = p.layout.tasks*(1+residents/32) + p.layout.syncs + len(in.GPUs) + len(in.Links) + len(in.Jobs)
	p.budget = min(max(decodeBudget/c.part(quickPart), min(minDecodes*p.cost, bigBudget)), maxDecodes*p.cost) * max(1, c.Effort)
	cores := runtime.GOMAXPROCS(0)
	if c.tries > 0 {
		p.budget, p.width, cores = c.tries*p.cost, 2, 1
	}
	for range max(1, min(cores, batch)) {
		p.workers = append(p.workers, &worker{})
	}
	return p
}

// try decodes the decisions, at most batch of them and no more than the budget
// allows, and takes over the best if it beats the incumbent. The first
// schedule of all is decoded whatever the budget. It reports whether to go on, which
// it does not where the incumbent is good enough, or has become so.
func (p *portfolio) try(list []*decision) bool {
	if affordable := p.budget / p.cost; len(list) > affordable {
		list = list[:affordable]
		if p.best == nil && affordable == 0 {
			list = list[:1]
		}
	}
	if len(list) == 0 {
		return false
	}
	p.budget -= len(list) * p.cost
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
		if w.index >= 0 && (top == nil || w.value.ahead(top.value) || w.value == top.value && w.index < top.index) {
			top = w
		}
	}
	if top != nil {
		better := p.best == nil || top.value.less(p.value)
		p.best, top.best = top.best, p.best
		p.value, p.chosen = top.value, list[top.index]
		if better && p.value.late == 0 {
			p.tell(p.best.schedule(p.in, p.layout))
		}
	}
	if p.told != nil && p.config.stops(p.told) {
		p.budget = 0
	}
	return p.ctx.Err() == nil && p.budget >= p.cost
}

// tell reports a better schedule.
func (p *portfolio) tell(s *instance.Schedule) {
	if p.config.Improved != nil {
		p.config.Improved(s)
	}
	p.told = p.in.Value(s)
}

// decode tries one decision and keeps its record if it beats the incumbent
// and what the worker has of this batch.
func (p *portfolio) decode(w *worker, d *decision, index int) {
	var by decoder
	if d.serial {
		if w.insert == nil {
			w.insert = newInserter(p.in, p.layout)
		}
		by = w.insert
	} else {
		if w.dispatch == nil {
			w.dispatch = newDispatcher(p.in, p.layout)
		}
		by = w.dispatch
	}
	if w.now == nil {
		w.now = p.layout.newRecord(len(p.in.Jobs))
	}
	t := &p.tried[index]
	if t.ok = by.decode(p.ctx, d, w.now) == nil; !t.ok {
		return
	}
	v := valueOf(p.in, w.now.completion)
	t.value, t.completion = v, append(t.completion[:0], w.now.completion...)
	if p.best != nil && !v.ahead(p.value) || w.index >= 0 && (w.value.ahead(v) || w.value == v) {
		return
	}
	w.now, w.best = w.best, w.now
	w.value, w.index = v, index
}

// result returns the incumbent, or why there is none.
func (p *portfolio) result() (*instance.Schedule, error) {
	if p.best == nil {
		return nil, p.ctx.Err()
	}
	if p.value.late > 0 {
		if err := p.ctx.Err(); err != nil {
			return nil, err
		}
		worst, most := instance.JobID(0), instance.Tick(0)
		for j, c := range p.best.completion {
			if d := p.in.Jobs[j].Deadline; d > 0 && c-d > most {
				worst, most = instance.JobID(j), c-d
			}
		}
		return nil, noPlan(p.in, worst, "would miss its deadline, tick %d, by %d ticks in the best schedule tried",
			p.in.Jobs[worst].Deadline, most)
	}
	return p.best.schedule(p.in, p.layout), nil
}
