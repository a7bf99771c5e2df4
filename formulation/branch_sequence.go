package formulation

import (
	"fmt"
	"math"
	"slices"

	"jigsaw/formulation/instance"
)

// sequencing is what is left of the problem for jobs with homes that share GPUs,
// in which order each GPU runs their tasks, and each link that they could overload their
// synchronisations. Where links are wide enough, or too fine to be divided, these take as long
// as at the fastest rate level. Limits of the node on ends are kept, those on tasks and
// synchronisations are not.
//
// Tasks are appended one after the other, each where its GPU is free and its job ready,
// no later, for all else would only delay it. The task that could be over first, on
// whichever GPU, may as well be the next of its GPU unless another that starts there
// before is, so that mostly the tasks of one GPU are to be tried, and others only as far
// as these wait for them (schedules are active, after Giffler and Thompson). Of two states in which the same is done, the one in which nothing is free
// later, and no job has deeper tasks left, is at least as good, so that few need to be
// followed up. The tasks of a gang are appended together.
type sequencing struct {
	jobs []sequenced
	// residents[g] are the workers that live on a GPU, in the order of the jobs;
	// alike lists the GPUs of one type on which the same
	// jobs live.
	residents [][]resident
	alike     [][]int
	twins     []int // by GPU: the one before it among those alike; -1: none
	shares    []int // by link that may be overloaded: into how many it is divided
	weighted  bool  // sum w C counts; else dues alone do
	chains    int64 // sum w C if no job ever waits
}

// resident is a worker of one of the jobs.
type resident struct{ job, worker int }

// sequenced is a job of a sequencing. Its due is that for the value aimed at.
type sequenced struct {
	*homePricer
	id          instance.JobID
	due         int64
	gpus        []int     // by worker: where it lives, as counted by the sequencing
	apart       int64     // ticks of its tasks on GPUs that are left out; 0: there are none
	place       []int     // by worker: its number among the residents there
	twin        []int     // by worker: the one before it on an alike GPU; -1: none
	least, most []int64   // by worker: ticks of its shortest and longest task
	links       []int     // those of the sequencing that its synchronisations take shares of
	tempos      [][]tempo // by dish: ways to synchronise; only the fastest where there are no links
	pause       []int64   // by dish: ticks of the synchronisation at its fastest
	pauses      int64     // the least of these
	work        int64     // ticks of the tasks of an iteration, at the least
	fastest     []int64   // by depth: ticks of a task, at the least
}

// earliest is when the job ends if it never waits, as far as it is by the due.
func (j *sequenced) earliest() int64 {
	return min(int64(j.job.Release)+int64(j.job.Iterations)*j.iteration, j.due+1)
}

// sequencings returns the sequencing of each set of decided jobs that are tied
// together by the GPUs that they share, for schedules better than the target; where
// too many share one, the set is left out.
func (s *master) sequencings(n *branchNode, target int64) (list []*sequencing) {
	dues, crowded := s.m.dues(target), s.crowded(n)
	tied := make([]bool, len(n.jobs))
	for first, b := range n.jobs {
		if b.home == nil || tied[first] {
			continue
		}
		q := &sequencing{weighted: !s.theta}
		gpus := map[instance.GPUID]int{}
		tied[first] = true
		for more := []int{first}; len(more) > 0; more = more[1:] {
			j := more[0]
			q.add(s, j, dues[j], gpus)
			for o, b := range n.jobs {
				if !tied[o] && (slices.ContainsFunc(b.home, func(g instance.GPUID) bool { _, shared := gpus[g]; return shared }) || s.meet(j, o, crowded)) {
					tied[o] = true
					more = append(more, o)
				}
			}
		}
		q.share(s, crowded)
		if q.compare(s.m.in, gpus); !slices.ContainsFunc(q.residents, func(l []resident) bool { return len(l) > mostTenants }) {
			list = append(list, q)
		}
	}
	return list
}

// add adds a job that lives on some of the GPUs.
func (q *sequencing) add(s *master, j int, due int64, gpus map[instance.GPUID]int) {
	p := s.classes[j].home
	job := sequenced{homePricer: p, id: instance.JobID(j), due: due, pauses: maxHorizon, work: math.MaxInt64}
	for w, g := range p.limits.home {
		at, known := gpus[g]
		if !known {
			at = len(gpus)
			gpus[g] = at
			q.residents = append(q.residents, nil)
		}
		q.residents[at] = append(q.residents[at], resident{len(q.jobs), w})
		job.gpus, job.place = append(job.gpus, at), append(job.place, len(q.residents[at])-1)
		least, most := int64(maxHorizon), int64(0)
		for d, time := range p.time[w] {
			if p.depths[w]>>d&1 == 1 && slices.ContainsFunc(p.dishes, func(o homeDish) bool { return o.counts[d] > 0 }) {
				least, most = min(least, time), max(most, time)
			}
		}
		job.least, job.most = append(job.least, least), append(job.most, most)
	}
	for d := range p.job.Depths {
		fastest := p.time[0][d]
		for w := range p.time {
			fastest = min(fastest, p.time[w][d])
		}
		job.fastest = append(job.fastest, fastest)
	}
	for d := range p.dishes {
		pause, work := int64(0), int64(0)
		if p.job.HasSync() {
			pause = slices.Min(p.dishes[d].sync)
		}
		for depth, count := range p.dishes[d].counts {
			work += int64(count) * job.fastest[depth]
		}
		job.pause, job.tempos = append(job.pause, pause), append(job.tempos, p.tempos(d))
		job.pauses, job.work = min(job.pauses, pause), min(job.work, work)
	}
	q.jobs = append(q.jobs, job)
	q.chains += p.job.Weight * job.earliest()
}

// pauseOf returns the ticks of the synchronisation at its fastest after tasks of so
// many workers of each depth, and the dish that they are; -1 where they are none.
func (j *sequenced) pauseOf(count func(depth int) int) (ticks int64, dish int) {
next:
	for i := range j.dishes {
		for d, n := range j.dishes[i].counts {
			if n != count(d) {
				continue next
			}
		}
		return j.pause[i], i
	}
	return 0, -1
}

// compare finds the GPUs that are alike, in the order in which all jobs list them.
func (q *sequencing) compare(in *instance.Instance, gpus map[instance.GPUID]int) {
	kind := make([]string, len(gpus))
	for id, g := range gpus {
		kind[g] = fmt.Sprint(in.GPUs[id].Type)
		for _, r := range q.residents[g] {
			kind[g] += fmt.Sprint(" ", r.job)
		}
	}
	class := map[string]int{}
	for g := range kind {
		c, known := class[kind[g]]
		if !known {
			c = len(q.alike)
			class[kind[g]] = c
			q.alike = append(q.alike, nil)
		}
		before := -1
		if known {
			before = q.alike[c][len(q.alike[c])-1]
		}
		q.twins = append(q.twins, before)
		q.alike[c] = append(q.alike[c], g)
	}
	for j := range q.jobs {
		job := &q.jobs[j]
		for _, g := range job.gpus {
			job.twin = append(job.twin, slices.Index(job.gpus, q.twins[g])) // none is at -1
		}
	}
}
