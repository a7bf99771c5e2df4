package timeindexed

import (
	"fmt"
	"slices"

	"jigsaw/formulation/instance"
)

// assignBudget is how many tasks assignGPUs may try to place on a node.
const assignBudget = 2_000_000

// assignGPUs gives every worker a GPU of its node, for the whole plan, and
// every task one of its job's: tasks come with their node in place of a GPU.
// Nodes do not touch one another, so each is searched alone, exactly.
func assignGPUs(in *instance.Instance, s *instance.Schedule, live []map[int]int) error {
	for n := range in.Nodes {
		a := &assignment{in: in, node: &in.Nodes[n], period: s.Period, budget: assignBudget}
		a.gpus = make([]gpuLoad, a.node.GPUs)
		for j := range live {
			if live[j][n] > 0 {
				a.add(instance.JobID(j), live[j][n], s.Tasks, n)
			}
		}
		if !a.job(0) {
			why := "no assignment of its GPUs keeps every worker on one"
			if a.budget <= 0 {
				why = fmt.Sprintf("no assignment of its GPUs was found within %d steps", assignBudget)
			}
			return fmt.Errorf("formulation: node %q: %s; granularity %s is exact", a.node.Name, why, ByGPU)
		}
		for _, w := range a.workers {
			for _, g := range w.gpus {
				s.Residency[w.job] = append(s.Residency[w.job], a.node.FirstGPU+instance.GPUID(g))
			}
			for i, task := range w.tasks {
				s.Tasks[task].GPU = a.node.FirstGPU + instance.GPUID(w.on[i])
			}
		}
	}
	return nil
}

// assignment is the search on one node.
type assignment struct {
	in      *instance.Instance
	node    *instance.Node
	period  instance.Tick
	gpus    []gpuLoad
	workers []nodeWorkers
	budget  int
}

// gpuLoad is what a GPU holds so far.
type gpuLoad struct {
	residents  int
	tasks      []*instance.Task
	persistent instance.Bytes
}

// nodeWorkers are a job's workers on the node and their tasks, which come in
// order of iteration, as many each as there are workers.
type nodeWorkers struct {
	job   instance.JobID
	count int
	all   []instance.Task
	tasks []int // in the schedule
	gpus  []int // of the node, chosen
	on    []int // GPU of each task
}

func (a *assignment) add(job instance.JobID, count int, all []instance.Task, node int) {
	w := nodeWorkers{job: job, count: count, all: all}
	for n := range all {
		if all[n].Job == job && int(all[n].GPU) == node {
			w.tasks = append(w.tasks, n)
		}
	}
	slices.SortStableFunc(w.tasks, func(x, y int) int { return all[x].Iteration - all[y].Iteration })
	w.on = make([]int, len(w.tasks))
	a.workers = append(a.workers, w)
}

// job chooses GPUs for the workers of the n-th job and those after it.
func (a *assignment) job(n int) bool {
	if n == len(a.workers) {
		return true
	}
	w := &a.workers[n]
	persistent := a.in.Jobs[w.job].On[a.node.Type].Persistent
	var choose func(from int) bool
	choose = func(from int) bool {
		if len(w.gpus) == w.count {
			return a.task(n, 0, 0)
		}
		triedEmpty := false // GPUs without residents are alike
		for g := from; g < len(a.gpus) && a.budget > 0; g++ {
			empty := a.gpus[g].residents == 0
			if empty && triedEmpty || !a.room(g, persistent) {
				continue
			}
			triedEmpty = triedEmpty || empty
			w.gpus = append(w.gpus, g)
			a.gpus[g].residents++
			a.gpus[g].persistent += persistent
			if choose(g + 1) {
				return true
			}
			a.gpus[g].persistent -= persistent
			a.gpus[g].residents--
			w.gpus = w.gpus[:len(w.gpus)-1]
		}
		return false
	}
	return choose(0)
}

// task places the i-th task of the n-th job; used marks the GPUs that have one
// of the same iteration.
func (a *assignment) task(n, i int, used uint64) bool {
	w := &a.workers[n]
	if i == len(w.tasks) {
		return a.job(n + 1)
	}
	if a.budget--; a.budget <= 0 {
		return false
	}
	if i%w.count == 0 {
		used = 0
	}
	t := &w.all[w.tasks[i]]
	for k, g := range w.gpus {
		if used>>k&1 == 1 || !a.fits(g, t) {
			continue
		}
		a.gpus[g].tasks = append(a.gpus[g].tasks, t)
		w.on[i] = g
		if a.task(n, i+1, used|1<<k) {
			return true
		}
		a.gpus[g].tasks = a.gpus[g].tasks[:len(a.gpus[g].tasks)-1]
	}
	return false
}

// room reports whether a GPU has memory for a resident more, beside the tasks
// there.
func (a *assignment) room(g int, more instance.Bytes) bool {
	most := instance.Bytes(0)
	for _, t := range a.gpus[g].tasks {
		most = max(most, a.in.Jobs[t.Job].On[a.node.Type].Ephemeral[t.Depth])
	}
	return a.gpus[g].persistent+more+most <= a.in.Types[a.node.Type].Memory
}

// fits reports whether a GPU has memory and time for a task.
func (a *assignment) fits(g int, t *instance.Task) bool {
	if a.gpus[g].persistent+a.in.Jobs[t.Job].On[a.node.Type].Ephemeral[t.Depth] > a.in.Types[a.node.Type].Memory {
		return false
	}
	return !slices.ContainsFunc(a.gpus[g].tasks, func(o *instance.Task) bool {
		if a.period == 0 {
			return t.Start < o.End && o.Start < t.End
		}
		// Neither lasts longer than a period.
		gap := ((t.Start-o.Start)%a.period + a.period) % a.period
		return gap < o.End-o.Start || a.period-gap < t.End-t.Start || gap == 0
	})
}
