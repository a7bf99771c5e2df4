package orders

import (
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
)

// Problem is the subproblem for jobs with homes that share GPUs: in which order each GPU
// runs their tasks. Links are ignored: synchronisations take as long as at the fastest
// rate level. The node's limits on ends are kept, those on tasks and synchronisations
// are not.
//
// Tasks are appended one after the other, each as soon as its GPU is free and its job
// ready, since waiting would only delay it. The task that could be over first, on any
// GPU, may as well be the next of its GPU unless another one starts there before that.
// So usually only the tasks of one GPU have to be tried, and others only as far as these
// wait for them (schedules are active, after Giffler and Thompson). If the same is done
// in two states, one dominates the other if nothing in it is free later, and no job has
// deeper tasks left; so few states are expanded. The tasks of a gang are appended
// together.
type Problem struct {
	Jobs []PlacedJob
	// Residents[g] are the workers that live on a GPU, in the order of the jobs; Alike lists the
	// GPUs of one type on which the same jobs live.
	Residents [][]Resident
	Alike     [][]int
	Twins     []int // by GPU: the previous one among identical GPUs; -1: none
	Weighted  bool  // sum w C counts; otherwise only dues do
	Chains    int64 // sum w C if no job ever waits
}

// mostResidents is how many jobs may live on a GPU.
const mostResidents = 14

// comparisons is how many comparisons of two states, or depths assigned to workers of a gang, take
// as long as one other step.
const comparisons = 8

// Resident is a worker of one of the jobs.
type Resident struct{ Job, Worker int }

// PlacedJob is a job with a home in a problem. Its due belongs to the target value.
type PlacedJob struct {
	*cases.AssignedPlans
	ID      instance.JobID
	Due     int64
	GPUs    []int   // by worker: its GPU, as numbered in the problem
	Place   []int   // by worker: its index among the residents there
	Twin    []int   // by worker: the previous one on an identical GPU; -1: none
	Least   []int64 // by worker: ticks of its shortest task
	Pause   []int64 // by multiset: least ticks of the synchronisation
	Pauses  int64   // the least of these
	Fastest []int64 // by depth: least ticks of a task
}

// Earliest is when the job ends if it never waits, if that is by the due.
func (j *PlacedJob) Earliest() int64 {
	return min(int64(j.Job.Release)+int64(j.Job.Iterations)*j.Iteration, j.Due+1)
}

// Problems returns the sequencing of each set of decided jobs that are connected by
// shared GPUs, for schedules better than the target; if too many jobs share one
// GPU, the set is left out.
func Problems(s *cases.Program, n *cases.Node, target int64) (list []*Problem) {
	dues := cases.Dues(s.Model, target)
	tied := make([]bool, len(n.Jobs))
	for first, b := range n.Jobs {
		if b.Assignment == nil || tied[first] {
			continue
		}
		q := &Problem{Weighted: !s.Theta}
		gpus := map[instance.GPUID]int{}
		tied[first] = true
		for more := []int{first}; len(more) > 0; more = more[1:] {
			j := more[0]
			q.add(s, j, dues[j], gpus)
			for o, b := range n.Jobs {
				if !tied[o] && slices.ContainsFunc(b.Assignment, func(g instance.GPUID) bool { _, shared := gpus[g]; return shared }) {
					tied[o] = true
					more = append(more, o)
				}
			}
		}
		if q.compare(s.Model.Instance, gpus); !slices.ContainsFunc(q.Residents, func(l []Resident) bool { return len(l) > mostResidents }) {
			list = append(list, q)
		}
	}
	return list
}

// add adds a job that lives on some of the GPUs.
func (q *Problem) add(s *cases.Program, j int, due int64, gpus map[instance.GPUID]int) {
	p := s.Assigned[j]
	job := PlacedJob{AssignedPlans: p, ID: instance.JobID(j), Due: due, Pauses: relax.MaxHorizon}
	for w, g := range p.Limits.Assignment {
		at, known := gpus[g]
		if !known {
			at = len(gpus)
			gpus[g] = at
			q.Residents = append(q.Residents, nil)
		}
		q.Residents[at] = append(q.Residents[at], Resident{len(q.Jobs), w})
		job.GPUs, job.Place = append(job.GPUs, at), append(job.Place, len(q.Residents[at])-1)
		least := int64(relax.MaxHorizon)
		for d, time := range p.Time[w] {
			if p.Depths[w]>>d&1 == 1 && slices.ContainsFunc(p.Multisets, func(o cases.Multiset) bool { return o.Counts[d] > 0 }) {
				least = min(least, time)
			}
		}
		job.Least = append(job.Least, least)
	}
	for d := range p.Job.Depths {
		fastest := p.Time[0][d]
		for w := range p.Time {
			fastest = min(fastest, p.Time[w][d])
		}
		job.Fastest = append(job.Fastest, fastest)
	}
	for d := range p.Multisets {
		pause := int64(0)
		if p.Job.HasSync() {
			pause = slices.Min(p.Multisets[d].Sync)
		}
		job.Pause = append(job.Pause, pause)
		job.Pauses = min(job.Pauses, pause)
	}
	q.Jobs = append(q.Jobs, job)
	q.Chains += p.Job.Weight * job.Earliest()
}

// compare finds the identical GPUs, in the order in which all jobs list them.
func (q *Problem) compare(in *instance.Instance, gpus map[instance.GPUID]int) {
	kind := make([]string, len(gpus))
	for id, g := range gpus {
		kind[g] = fmt.Sprint(in.GPUs[id].Type)
		for _, r := range q.Residents[g] {
			kind[g] += fmt.Sprint(" ", r.Job)
		}
	}
	class := map[string]int{}
	for g := range kind {
		c, known := class[kind[g]]
		if !known {
			c = len(q.Alike)
			class[kind[g]] = c
			q.Alike = append(q.Alike, nil)
		}
		before := -1
		if known {
			before = q.Alike[c][len(q.Alike[c])-1]
		}
		q.Twins = append(q.Twins, before)
		q.Alike[c] = append(q.Alike[c], g)
	}
	for j := range q.Jobs {
		job := &q.Jobs[j]
		for _, g := range job.GPUs {
			job.Twin = append(job.Twin, slices.Index(job.GPUs, q.Twins[g])) // none is at -1
		}
	}
}

// Chains returns the sum w C of all jobs if none ever waits, on any permitted
// assignment.
func Chains(s *cases.Program, list []*Problem) int64 {
	sum, decided := int64(0), map[instance.JobID]bool{}
	for _, q := range list {
		sum += q.Chains
		for j := range q.Jobs {
			decided[q.Jobs[j].ID] = true
		}
	}
	for j := range s.Classes {
		if d := s.Classes[j].Class; !decided[instance.JobID(j)] {
			chain := d.Chain(d.Iteration)
			sum += chain.Mul(chain, big.NewInt(d.Job.Weight)).Int64()
		}
	}
	return sum
}

// First is the first job of a problem, by which certificates name it.
func (q *Problem) First() int {
	first := q.Jobs[0].ID
	for j := range q.Jobs {
		first = min(first, q.Jobs[j].ID)
	}
	return int(first)
}
