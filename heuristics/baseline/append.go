package baseline

import (
	"context"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// appender is a decoder for GPUs that differ in type, memory or location. Jobs choose,
// one after the other, the site where they end first, after everything already on its
// GPUs; among equals the one that leaves its GPUs idle the least.
type appender struct {
	*problem
	memory     *memory
	placer     *placer
	free       []instance.Tick // per GPU: when its last job ends
	start, end []instance.Tick
	at         []site
	ticks      []instance.Tick // scratch
	best       offer
}

// offer is a site and when it is free.
type offer struct {
	node       instance.NodeID // on one node; -1: the site at
	at         site
	start, end instance.Tick
	idle       instance.Tick // GPU-ticks between the previous jobs and the start
	found      bool
}

func newAppender(p *problem) *appender {
	n := len(p.in.Jobs)
	return &appender{
		problem: p, memory: newMemory(p), placer: newPlacer(p), free: make([]instance.Tick, len(p.in.GPUs)),
		start: make([]instance.Tick, n), end: make([]instance.Tick, n), at: make([]site, n),
	}
}

func (a *appender) times() (start, end []instance.Tick) { return a.start, a.end }
func (a *appender) sites() []site {
	out := slices.Clone(a.at)
	for j := range out {
		out[j].gpus = slices.Clone(out[j].gpus)
	}
	return out
}
func (a *appender) cost() int { return len(a.start) * (16 + len(a.free)) / 8 }

func (a *appender) decode(ctx context.Context, order []instance.JobID) bool {
	clear(a.free)
	a.memory.reset()
	for n, j := range order {
		if n%pollEvery == pollEvery-1 && ctx.Err() != nil || !a.put(j) {
			return false
		}
	}
	return true
}

// put appends job j.
func (a *appender) put(j instance.JobID) bool {
	job := &a.in.Jobs[j]
	a.best = offer{}
	for n := range a.in.Nodes {
		a.tryNode(j, instance.NodeID(n))
	}
	if job.Workers > 1 && job.Within != instance.WithinNode && len(a.in.Nodes) > 1 {
		for _, nodes := range a.spreads(j) {
			a.trySpread(j, nodes)
		}
	}
	o := &a.best
	if !o.found {
		return false
	}
	if o.node >= 0 {
		o.at.gpus = a.latest(j, o.node, o.start, a.at[j].gpus[:0])
		o.at.span, _ = a.placer.span(job, []instance.NodeID{o.node})
		o.at.length = o.end - o.start
	}
	a.start[j], a.end[j], a.at[j] = o.start, o.end, o.at
	for _, g := range o.at.gpus {
		a.free[g] = o.end
	}
	a.memory.take(j, o.at.gpus)
	return true
}

// consider keeps an offer if it is the best so far.
func (a *appender) consider(o offer) {
	if b := &a.best; !b.found || o.end < b.end || o.end == b.end && o.idle < b.idle {
		a.best = o
	}
}

// tryNode considers one node for job j.
func (a *appender) tryNode(j instance.JobID, n instance.NodeID) {
	job, node, length := &a.in.Jobs[j], &a.in.Nodes[n], a.inside[j][a.kind[n]]
	if length == 0 || node.GPUs < job.Workers {
		return
	}
	a.ticks = a.ticks[:0]
	for g := range node.All() {
		if a.memory.fits(j, g) {
			a.ticks = append(a.ticks, a.free[g])
		}
	}
	if len(a.ticks) < job.Workers {
		return
	}
	slices.Sort(a.ticks)
	start := max(job.Release, a.ticks[job.Workers-1])
	if a.best.found && start+length > a.best.end {
		return
	}
	last := job.Workers
	for last < len(a.ticks) && a.ticks[last] <= start {
		last++
	}
	idle := instance.Tick(0)
	for _, t := range a.ticks[last-job.Workers : last] {
		idle += start - t
	}
	a.consider(offer{node: n, start: start, end: start + length, idle: idle, found: true})
}

// latest returns the GPUs of the node that job j takes at a tick: of those free by then
// the ones that were busy longest.
func (a *appender) latest(j instance.JobID, n instance.NodeID, start instance.Tick, gpus []instance.GPUID) []instance.GPUID {
	node, k := &a.in.Nodes[n], a.in.Jobs[j].Workers
	for g := range node.All() {
		if a.free[g] <= start && a.memory.fits(j, g) {
			gpus = append(gpus, g)
		}
	}
	slices.SortStableFunc(gpus, func(x, y instance.GPUID) int { return int(a.free[y] - a.free[x]) })
	gpus = gpus[:k]
	slices.Sort(gpus)
	return gpus
}

// trySpread considers several nodes for job j: among all, and among those of each type.
func (a *appender) trySpread(j instance.JobID, nodes []instance.NodeID) {
	const anyType = instance.TypeID(-1)
	a.trySpreadOn(j, nodes, anyType)
	if len(a.in.Types) > 1 {
		for t := range a.in.Types {
			if a.in.Jobs[j].Runs(instance.TypeID(t)) {
				a.trySpreadOn(j, nodes, instance.TypeID(t))
			}
		}
	}
}

func (a *appender) trySpreadOn(j instance.JobID, nodes []instance.NodeID, only instance.TypeID) {
	job := &a.in.Jobs[j]
	may := func(g instance.GPUID) bool { return (only < 0 || a.in.GPUs[g].Type == only) && a.memory.fits(j, g) }
	a.ticks = a.ticks[:0]
	for _, n := range nodes {
		for g := range a.in.Nodes[n].All() {
			if may(g) {
				a.ticks = append(a.ticks, a.free[g])
			}
		}
	}
	if len(a.ticks) < job.Workers {
		return
	}
	slices.Sort(a.ticks)
	for i, free := range a.ticks[job.Workers-1:] {
		if i > 0 && (job.Group() == 1 || free == a.ticks[job.Workers-2+i]) {
			continue // if a worker is one GPU, the first will do
		}
		start := max(job.Release, free)
		if a.best.found && start+a.shortest[j] >= a.best.end {
			return // no network is that fast
		}
		for n := range a.placer.usable {
			a.placer.usable[n] = a.placer.usable[n][:0]
		}
		for _, n := range nodes {
			for g := range a.in.Nodes[n].All() {
				if a.free[g] <= start && may(g) {
					a.placer.usable[n] = append(a.placer.usable[n], g)
				}
			}
		}
		if at, ok := a.placer.spread(j, nodes); ok {
			a.consider(offer{node: -1, at: at, start: start, end: start + at.length, idle: state.Never, found: true})
			return
		}
	}
}
