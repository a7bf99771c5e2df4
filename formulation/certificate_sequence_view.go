package formulation

import (
	"math"
	"slices"
	"strconv"

	"jigsaw/formulation/instance"
)

// outlook is what the view of a sequencing with so many of each set of alike GPUs is for the
// check, written anew; nil where there is none. Each schedule of all GPUs is one of the view:
// give the workers that are left the shallowest depths of their iteration, in the order of those
// that they have, so that no task becomes longer or needs more memory, and start nothing earlier.
func (q *sequencing) outlook(alike int) *sequencing {
	sets, work := q.sets()
	if alike < 1 || slices.ContainsFunc(q.jobs, func(j sequenced) bool { return !j.steady() }) {
		return nil
	}
	number := map[int]int{} // of a GPU that is left
	v := &sequencing{shares: q.shares, weighted: q.weighted, chains: q.chains}
	for i, set := range sets {
		left := alike
		if work[i] < slices.Max(work) {
			left = alike/2 + alike%2
		}
		var here []int
		for n, g := range set[:min(left, len(set))] {
			number[g] = len(number)
			here = append(here, number[g])
			v.twins = append(v.twins, -1)
			if n > 0 {
				v.twins[number[g]] = here[n-1]
			}
		}
		v.alike = append(v.alike, here)
	}
	if len(number) == len(q.residents) {
		return nil
	}
	v.residents = make([][]resident, len(number))
	for j := range q.jobs {
		v.jobs = append(v.jobs, q.jobs[j].on(number))
		job := &v.jobs[j]
		for w, g := range job.gpus {
			job.place = append(job.place, len(v.residents[g]))
			job.twin = append(job.twin, slices.Index(job.gpus, v.twins[g]))
			v.residents[g] = append(v.residents[g], resident{j, w})
		}
	}
	return v
}

// sets lists the GPUs of one type on which the same jobs live, in the order of their first, and
// the ticks of the shortest tasks on each of them.
func (q *sequencing) sets() (sets [][]int, work []int64) {
	type kind struct {
		of   instance.TypeID
		jobs string
	}
	kinds := make([]kind, len(q.residents))
	ticks := make([]int64, len(q.residents))
	for j := range q.jobs {
		job := &q.jobs[j]
		for w, g := range job.gpus {
			kinds[g].of = job.in.GPUs[job.limits.home[w]].Type
			kinds[g].jobs += strconv.Itoa(j) + " " // ascending
			shortest := int64(math.MaxInt64)
			for d, time := range job.time[w] {
				used := slices.ContainsFunc(job.dishes, func(o homeDish) bool { return o.counts[d] > 0 })
				if used && job.depths[w]>>d&1 == 1 {
					shortest = min(shortest, time)
				}
			}
			if shortest == math.MaxInt64 {
				shortest = maxHorizon // as of a GPU without the memory
			}
			ticks[g] += shortest * int64(job.job.Iterations)
		}
	}
	at := map[kind]int{}
	for g, k := range kinds {
		n, known := at[k]
		if !known {
			n = len(sets)
			at[k], sets, work = n, append(sets, nil), append(work, ticks[g])
		}
		sets[n] = append(sets[n], g)
	}
	return sets, work
}

// steady reports whether shallower tasks are nowhere longer, and fit wherever deeper ones do.
func (j *sequenced) steady() bool {
	for w := range j.time {
		for d := 1; d < len(j.time[w]); d++ {
			if j.time[w][d] < j.time[w][d-1] || j.depths[w]>>d&1 > j.depths[w]>>(d-1)&1 {
				return false
			}
		}
	}
	return true
}

// on is the job on the GPUs that are left, by their new numbers; where it lives and twins
// are not filled in.
func (j *sequenced) on(number map[int]int) sequenced {
	job, home := *j, *j.homePricer
	job.homePricer = &home
	job.gpus, job.place, job.twin, job.least, job.most, home.time, home.depths = nil, nil, nil, nil, nil, nil, nil
	for w, g := range j.gpus {
		if n, left := number[g]; left {
			job.gpus, job.least, job.most = append(job.gpus, n), append(job.least, j.least[w]), append(job.most, j.most[w])
			home.time, home.depths = append(home.time, j.time[w]), append(home.depths, j.depths[w])
		}
	}
	if len(job.gpus) == len(j.gpus) {
		return job
	}
	// The shallowest of each multiset; what synchronises as any of several does so as each may.
	home.dishes, job.pause, job.tempos, job.apart = nil, nil, nil, math.MaxInt64
	for i := range j.dishes {
		of := &j.dishes[i]
		var depths []int // of all workers, ascending
		for d, n := range of.counts {
			depths = append(depths, slices.Repeat([]int{d}, n)...)
		}
		elsewhere := int64(math.MaxInt64)
		for w := range j.time {
			elsewhere = min(elsewhere, j.time[w][depths[len(depths)-1]])
		}
		job.apart = min(job.apart, elsewhere)
		counts := make([]int, len(of.counts))
		for _, d := range depths[:len(job.gpus)] {
			counts[d]++
		}
		at := slices.IndexFunc(home.dishes, func(o homeDish) bool { return slices.Equal(o.counts, counts) })
		if at < 0 {
			home.dishes = append(home.dishes, homeDish{counts: counts, sync: slices.Clone(of.sync)})
			job.pause, job.tempos = append(job.pause, j.pause[i]), append(job.tempos, slices.Clone(j.tempos[i]))
			continue
		}
		for level, ticks := range of.sync {
			home.dishes[at].sync[level] = min(home.dishes[at].sync[level], ticks)
		}
		job.pause[at] = min(job.pause[at], j.pause[i])
		for _, o := range j.tempos[i] {
			if !slices.ContainsFunc(job.tempos[at], func(p tempo) bool { return p.level == o.level && p.length == o.length }) {
				job.tempos[at] = append(job.tempos[at], o)
			}
		}
	}
	return job
}
