package horizon

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/queue"
	"jigsaw/heuristics/state"
)

// Arrivals plans jobs that share GPUs as they come, for the makespan: when jobs are released, or end, those that wait are
// admitted in some order to the GPUs with least work left (sharing.go). That order, how crowded GPUs may be and at what pace
// jobs share them are improved by random changes. Unlike [Config.Cells] it does not divide all jobs among nodes before any of
// them runs, so there may be thousands, released one after the other, and memory for few at once. The error is a
// [*state.NoPlan] if no plan was found, or all are late. Without a deadline of the context the result is the same for the same
// instance and state of rng.
func (c Config) Arrivals(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.BlockSchedule, error) {
	s := newSharing(in, rng.Uint64())
	most := min(mostArrivals, max(leastArrivals, arrivedJobs/len(in.Jobs)))
	if _, limited := ctx.Deadline(); limited {
		most = math.MaxInt
	}
	if c.Quick {
		most = quickArrivals
	}
	orders := s.orders()
	tries := s.tries(orders)
	searched := searchPart(in)
	if c.Quick {
		searched = 0
	}
	first, cancel := state.Portion(ctx, 1-searched)
	defer cancel()
	var best arrived
	known := rule{order: orders[0], crowd: crowds[0], pace: paces[0], end: s.chain, detail: details[0]}
	for n := 0; n < most && first.Err() == nil; n += arrivalsAtOnce {
		var found [arrivalsAtOnce]arrived
		for i := range found {
			found[i].rule = known
			if n+i < len(tries) {
				tries[n+i](&found[i].rule)
			} else {
				found[i].change(s.chain, best.end, len(in.Nodes), rng)
			}
		}
		state.Parallel(len(found), func(i int) { found[i].simulate(first, s.begin(found[i].rule)) })
		for _, f := range found {
			if f.plan == nil || best.plan != nil && f.compare(&best) > 0 {
				continue
			}
			if (best.plan == nil || f.compare(&best) < 0) && f.late == 0 && c.Improved != nil {
				c.Improved(in.Value(f.plan))
			}
			if best, known = f, f.rule; n < len(orders) {
				known.end = max(known.end, instance.Tick(aim*float64(f.end)))
			}
		}
	}
	if best.plan != nil && searched > 0 {
		search, cancel := s.searching(ctx, rng, best.end)
		defer cancel()
		m, last := s.begin(best.rule), best
		m.search = search
		if last.simulate(ctx, m); last.plan != nil && last.compare(&best) < 0 {
			best = last
		}
	}
	if best.plan == nil {
		return nil, cmp.Or(first.Err(), error(&state.NoPlan{Reason: "some job finds no room, or has no pattern with those that share its GPUs"}))
	}
	_, ends := best.plan.Spans(in)
	return best.plan, state.Missed(in, ends, "")
}

// scarce is the part of the memory of all GPUs from which on jobs are likely to wait for it, as each needs some on whole GPUs of a node.
const scarce = 0.55

// Waits reports whether some jobs wait, or are likely to wait, for memory.
func Waits(in *instance.Instance) bool {
	need, have := 0.0, 0.0
	for j := range in.Jobs {
		job := &in.Jobs[j]
		need += float64(job.Workers) * float64(state.LeastOverTypes(job, func(t instance.TypeID) int64 { return int64(job.On[t].Persistent) }))
	}
	for g := range in.GPUs {
		have += float64(in.Types[in.GPUs[g].Type].Memory)
	}
	return in.Queues() && need > scarce*have
}

const (
	// arrivalsAtOnce is how many plans are made in parallel. Without a clock there are as many as have arrivedJobs jobs in all, but
	// at least leastArrivals and at most mostArrivals; quickArrivals if plans are to be quick.
	arrivalsAtOnce, arrivedJobs, leastArrivals, mostArrivals, quickArrivals = 2, 6_000, 8, 60, 2
	// aim is the part of the end of a plan that the next one aims at.
	aim = 0.97
)

// rule says how jobs share GPUs.
type rule struct {
	order []int // in which those that wait are admitted
	// crowd is the sum of the busy parts of the jobs on a GPU from which on no more are admitted to it, see [sharing.busy].
	crowd float64
	// pace is the least pace of a job while others wait, relative to its pace alone: if it will be done by end with that.
	pace float64
	end  instance.Tick
	// detail multiplies the number of tasks of patterns.
	detail float64
	// narrow is the number of nodes, the first ones, for jobs that leave some of a node's GPUs to others; 0: all.
	narrow int
}

// crowds, paces and details are those that a rule may have, the first ones at first.
var (
	crowds  = [...]float64{1.5, 0.95, 1.2, 2, 3, 5}
	paces   = [...]float64{0.3, 0.1, 0.2, 0.5, 0.7}
	details = [...]float64{1, 5}
)

// tries are the first changes of the best rule so far: its order, then each other crowd, pace and detail.
func (s *sharing) tries(orders [][]int) (list []func(*rule)) {
	for _, order := range orders {
		list = append(list, func(r *rule) { r.order = order })
	}
	for _, crowd := range crowds[1:] {
		list = append(list, func(r *rule) { r.crowd = crowd })
	}
	for _, pace := range paces[1:] {
		list = append(list, func(r *rule) { r.pace = pace })
	}
	for _, detail := range details[1:] {
		list = append(list, func(r *rule) { r.detail = detail })
	}
	return list
}

// change changes a rule, after a plan with this end; with each job alone on its GPUs it would be that of the chain.
func (r *rule) change(chain, end instance.Tick, nodes int, rng *rand.Rand) {
	switch rng.IntN(6) {
	case 0:
		r.crowd = crowds[rng.IntN(len(crowds))]
	case 1:
		r.pace = paces[rng.IntN(len(paces))]
	case 2:
		r.end = chain + instance.Tick(rng.Float64()*float64(max(0, end-chain)))
	case 3:
		r.detail = details[rng.IntN(len(details))]
	case 4:
		r.narrow = rng.IntN(nodes)
	}
	if rng.IntN(2) == 0 {
		r.order = slices.Clone(r.order)
		for range 1 + rng.IntN(5) {
			from, to := rng.IntN(len(r.order)), rng.IntN(len(r.order))
			j := r.order[from]
			r.order = slices.Insert(slices.Delete(r.order, from, from+1), to, j)
		}
	}
}

// arrived is a plan made by a rule, nil: there is none; when it ends; and by how much jobs miss their deadlines in total.
type arrived struct {
	rule
	plan      *instance.BlockSchedule
	late, end instance.Tick
}

// simulate makes the plan.
func (a *arrived) simulate(ctx context.Context, m *simulation) {
	if a.plan = m.run(ctx); a.plan != nil {
		_, ends := a.plan.Spans(m.in)
		a.late, a.end = state.Tardiness(m.in, ends), slices.Max(ends)
	}
}

func (a *arrived) compare(b *arrived) int {
	return cmp.Or(cmp.Compare(a.late, b.late), cmp.Compare(a.end, b.end))
}

// orders are the first ones to try: those due first come first; then the longest, those with most work, the widest, and
// the first ones released.
func (s *sharing) orders() (list [][]int) {
	length := func(j int) float64 { return float64(s.alone[j]) * float64(s.in.Jobs[j].Iterations) }
	for _, key := range []func(j int) float64{
		func(j int) float64 { return -length(j) },
		func(j int) float64 { return -s.works[j] },
		func(j int) float64 { return float64(-float64(s.in.Jobs[j].Workers)*1e15) - length(j) },
		func(j int) float64 { return float64(s.in.Jobs[j].Release) },
	} {
		order := instance.UpTo[int](len(s.in.Jobs))
		slices.SortStableFunc(order, func(a, b int) int {
			due := func(j int) instance.Tick { return cmp.Or(s.in.Jobs[j].Deadline, math.MaxInt64) }
			return cmp.Or(cmp.Compare(due(a), due(b)), cmp.Compare(key(a), key(b)))
		})
		list = append(list, order)
	}
	return list
}

// newSharing returns what is the same for all rules.
func newSharing(in *instance.Instance, seed uint64) *sharing {
	s := &sharing{in: in, seed: seed, alone: queue.Alone(in), released: instance.UpTo[int](len(in.Jobs))}
	slices.SortStableFunc(s.released, func(a, b int) int { return cmp.Compare(in.Jobs[a].Release, in.Jobs[b].Release) })
	s.works, s.on = works(in)
	nodes, racks := make([]int, len(in.Types)), 0 // GPUs of the largest
	for n := range in.Nodes {
		nodes[in.Nodes[n].Type] = max(nodes[in.Nodes[n].Type], in.Nodes[n].GPUs)
	}
	for _, r := range in.Racks {
		racks = max(racks, len(in.GPUsOn(r.Nodes)))
	}
	kinds := map[string]int{}
	for j := range in.Jobs {
		job := &in.Jobs[j]
		s.alone[j] = max(1, s.alone[j]) // some find no place
		s.chain = max(s.chain, job.Release+job.Load+s.alone[j]*instance.Tick(job.Iterations))
		widest := 0
		for t, gpus := range nodes {
			if job.Runs(instance.TypeID(t)) {
				widest = max(widest, gpus)
			}
		}
		s.kinds, s.wide, s.whole = append(s.kinds, kindOf(kinds, job)), append(s.wide, job.Workers > widest), append(s.whole, job.Workers > racks)
	}
	return s
}
