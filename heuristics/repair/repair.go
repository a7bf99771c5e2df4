// Package repair carries a schedule over to what is left of its cluster: jobs stay where they can, and
// everything happens in the planned order. [Repair] does not search, so it answers at once; [Search.Improve]
// searches from there for better orders, and for other GPUs for the jobs that move.
package repair

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// Damage is the change of the cluster of a schedule, and its time.
type Damage struct {
	// GPU maps a GPU that a job had; it returns false for one that is lost, and for all GPUs of a
	// job that has to move.
	GPU func(j instance.JobID, g instance.GPUID) (instance.GPUID, bool)
	// Closed are GPUs to which no job may move; nil: none.
	Closed []bool
	// Now is the time of the damage. What starts before it in the old schedule has happened and
	// stays as it is; nothing else starts before. For jobs that move, nothing in it has happened.
	Now instance.Tick
}

// Result is a schedule carried over.
type Result struct {
	Schedule *instance.Schedule
	// Moved are the jobs that had to move, ascending.
	Moved []instance.JobID
}

// NoRoom is the error of a repair in which a job finds no GPUs.
type NoRoom struct {
	Job  instance.JobID
	name string
}

func (e *NoRoom) Error() string {
	return fmt.Sprintf("repair: job %q has no place beside the jobs that stay", e.name)
}

// Repair carries over a schedule that runs once to an instance of the same jobs. A job moves if it lost a GPU, or
// its GPUs no longer have routes between them, or no memory for it. The error is a [*NoRoom] if there is no room
// for a job that must move. Deadlines may be missed: use [check.Schedule].
func Repair(in *instance.Instance, old *instance.Schedule, d Damage) (*Result, error) {
	r, out, err := settled(in, old, d, nil)
	if err != nil {
		return nil, err
	}
	if in.Grouped() && len(out.Moved) > 0 {
		return nil, errors.New("repair: jobs whose workers have several GPUs each (gpus_per_worker) cannot be moved")
	}
	out.Schedule = r.decode(nil)
	return out, nil
}

// settled assigns GPUs to all jobs. With an rng, those that move choose in random order, and
// not always the best.
func settled(in *instance.Instance, old *instance.Schedule, d Damage, rng *rand.Rand) (*repairer, *Result, error) {
	r := &repairer{
		in: in, old: old, damage: d, rng: rng, homes: make([][]instance.GPUID, len(in.Jobs)), spans: make([]instance.Span, len(in.Jobs)),
		held: make([]instance.Memory, len(in.GPUs)), load: make([]instance.Tick, len(in.GPUs)),
		deepest: make([]int, len(in.Jobs)),
	}
	tasks := make([][]instance.Task, len(in.Jobs))
	for _, t := range old.Tasks {
		tasks[t.Job] = append(tasks[t.Job], t)
		r.deepest[t.Job] = max(r.deepest[t.Job], t.Depth)
	}
	out := &Result{}
	for j := range in.Jobs {
		if !r.stay(instance.JobID(j), tasks[j]) {
			out.Moved = append(out.Moved, instance.JobID(j))
		}
	}
	// Jobs with much work choose first.
	work := func(j instance.JobID) int64 { return int64(in.Jobs[j].Workers) * int64(len(tasks[j])) }
	order := slices.Clone(out.Moved)
	slices.SortStableFunc(order, func(a, b instance.JobID) int { return cmp.Compare(work(b), work(a)) })
	if rng != nil {
		rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	}
	for _, j := range order {
		if !r.move(j, tasks[j]) {
			return nil, nil, &NoRoom{j, in.Jobs[j].Name}
		}
	}
	return r, out, nil
}

type repairer struct {
	in     *instance.Instance
	old    *instance.Schedule
	damage Damage
	rng    *rand.Rand // nil: none

	homes   [][]instance.GPUID // ascending
	spans   []instance.Span
	held    []instance.Memory // per GPU
	load    []instance.Tick   // per GPU: ticks of tasks
	deepest []int             // per job: deepest of its tasks
}

// stay keeps a job on its GPUs if possible.
func (r *repairer) stay(j instance.JobID, tasks []instance.Task) bool {
	home, job := make([]instance.GPUID, 0, len(r.old.Residency[j])), &r.in.Jobs[j]
	for _, g := range r.old.Residency[j] {
		now, ok := r.damage.GPU(j, g)
		if !ok || !job.Runs(r.in.GPUs[now].Type) {
			return false
		}
		home = append(home, now)
	}
	slices.Sort(home)
	span, ok := r.in.SpanOf(job, home)
	if !ok {
		return false
	}
	r.settle(j, tasks, home, span)
	for _, g := range home {
		if r.held[g].Sum() > r.in.Types[r.in.GPUs[g].Type].Memory {
			r.unsettle(j, tasks)
			return false
		}
	}
	return true
}

// unsettle reverts what settling a job added. The temporary memory of its tasks stays
// recorded, so that others may find a little less room than there is.
func (r *repairer) unsettle(j instance.JobID, tasks []instance.Task) {
	for _, t := range tasks {
		g := r.gpuOf(t)
		r.load[g] -= r.in.Jobs[j].On[r.in.GPUs[g].Type].Time[t.Depth]
	}
	for _, g := range r.homes[j] {
		r.held[g].Persistent -= r.in.Jobs[j].On[r.in.GPUs[g].Type].Persistent
	}
	r.homes[j] = nil
}

// settle gives a job its GPUs, worker by worker in order.
func (r *repairer) settle(j instance.JobID, tasks []instance.Task, home []instance.GPUID, span instance.Span) {
	r.homes[j], r.spans[j] = home, span
	for _, t := range tasks {
		g := r.gpuOf(t)
		costs := r.in.Jobs[j].On[r.in.GPUs[g].Type]
		r.held[g].Ephemeral = max(r.held[g].Ephemeral, costs.Ephemeral[t.Depth])
		r.load[g] += costs.Time[t.Depth]
	}
	for _, g := range home {
		r.held[g].Persistent += r.in.Jobs[j].On[r.in.GPUs[g].Type].Persistent
	}
}

// gpuOf is the new GPU of a task of the old schedule.
func (r *repairer) gpuOf(t instance.Task) instance.GPUID {
	at, _ := slices.BinarySearch(r.old.Residency[t.Job], t.GPU)
	return r.homes[t.Job][at]
}

// fits reports whether GPU g has room for any task of the job.
func (r *repairer) fits(j instance.JobID, g instance.GPUID) bool {
	t := r.in.GPUs[g].Type
	costs := r.in.Jobs[j].On[t]
	if r.damage.Closed != nil && r.damage.Closed[g] {
		return false
	}
	return costs != nil && r.held[g].With(instance.Memory{Persistent: costs.Persistent, Ephemeral: slices.Max(costs.Ephemeral[:r.deepest[j]+1])}).Sum() <= r.in.Types[t].Memory
}

// move finds new GPUs for the job: the least loaded ones of one node, one rack, or all racks
// that have routes between them, or only of those of their nodes with the faster network cards, whichever of these is done
// soonest with it.
func (r *repairer) move(j instance.JobID, tasks []instance.Task) bool {
	in, job := r.in, &r.in.Jobs[j]
	var best []instance.GPUID
	var bestSpan instance.Span
	bestEnd := instance.Tick(0)
	try := func(nodes []instance.NodeID) {
		var room []instance.GPUID
		for _, n := range nodes {
			for g := range in.Nodes[n].All() {
				if r.fits(j, g) {
					room = append(room, g)
				}
			}
		}
		if len(room) < job.Workers {
			return
		}
		load := r.load
		if r.rng != nil {
			load = slices.Clone(load)
			for _, g := range room {
				load[g] += instance.Tick(r.rng.Float64() * float64(load[g]) / 4)
			}
		}
		slices.SortStableFunc(room, func(a, b instance.GPUID) int { return cmp.Compare(load[a], load[b]) })
		home := slices.Clone(room[:job.Workers])
		slices.Sort(home)
		span, ok := in.SpanOf(job, home)
		if !ok {
			return
		}
		longest, busiest := instance.Tick(0), instance.Tick(0)
		for _, g := range home {
			longest = max(longest, job.On[in.GPUs[g].Type].Time[r.deepest[j]])
			busiest = max(busiest, r.load[g])
		}
		full := make([]int, len(job.Depths))
		full[job.Full()] = job.Workers
		longest += state.FullSync(in, job, full, &span)
		end := busiest + longest*instance.Tick(job.Iterations)
		if r.rng != nil {
			end += instance.Tick(r.rng.Float64() * float64(end) / 2)
		}
		if best == nil || end < bestEnd {
			best, bestSpan, bestEnd = home, span, end
		}
	}
	among := func(nodes []instance.NodeID) {
		up := func(n instance.NodeID) instance.Rate { return in.Capacity(in.Nodes[n].Up) }
		var rates []instance.Rate
		for _, n := range nodes {
			rates = append(rates, up(n))
		}
		slices.Sort(rates)
		for _, rate := range slices.Compact(rates) {
			try(slices.DeleteFunc(slices.Clone(nodes), func(n instance.NodeID) bool { return up(n) < rate }))
		}
	}
	racks, groups := in.Scopes(job)
	for rack := range in.Racks {
		for _, n := range in.Racks[rack].Nodes {
			try([]instance.NodeID{n})
		}
		if job.Within != instance.WithinNode {
			among(racks[rack])
		}
	}
	if job.Within == instance.WithinCluster {
		for _, nodes := range groups {
			among(nodes)
		}
	}
	if best == nil {
		return false
	}
	r.settle(j, tasks, best, bestSpan)
	return true
}

// AddTurn adds an iteration of a job to the schedule from which a repair starts: tasks of zero length at these
// depths, on the previous GPUs of the job. Only their order matters.
func AddTurn(s *instance.Schedule, j instance.JobID, iteration int, start instance.Tick, counts []int, syncs bool, rate instance.RateLevel) {
	worker := 0
	for d, count := range counts {
		for range count {
			s.Tasks = append(s.Tasks, instance.Task{Job: j, Iteration: iteration, GPU: s.Residency[j][worker], Depth: d, Start: start})
			worker++
		}
	}
	if syncs {
		s.Syncs = append(s.Syncs, instance.Sync{Job: j, Iteration: iteration, Start: start, Rate: rate})
	}
}
