package orders

import (
	"math"
	"slices"
	"strconv"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
)

// View is what the view of a sequencing with so many of each set of alike GPUs is for the
// check, written anew; nil where there is none. Each schedule of all GPUs is one of the view:
// give the workers that are left the shallowest depths of their iteration, in the order of those
// that they have, so that no task becomes longer or needs more memory, and start nothing earlier.
func (q *Problem) View(alike int) *Problem {
	sets, work := q.sets()
	if alike < 1 || slices.ContainsFunc(q.Jobs, func(j PlacedJob) bool { return !j.steady() }) {
		return nil
	}
	number := map[int]int{} // of a GPU that is left
	v := &Problem{Shares: q.Shares, Weighted: q.Weighted, Chains: q.Chains}
	for i, set := range sets {
		left := alike
		if work[i] < slices.Max(work) {
			left = alike/2 + alike%2
		}
		var here []int
		for n, g := range set[:min(left, len(set))] {
			number[g] = len(number)
			here = append(here, number[g])
			v.Twins = append(v.Twins, -1)
			if n > 0 {
				v.Twins[number[g]] = here[n-1]
			}
		}
		v.Alike = append(v.Alike, here)
	}
	if len(number) == len(q.Residents) {
		return nil
	}
	v.Residents = make([][]Resident, len(number))
	for j := range q.Jobs {
		v.Jobs = append(v.Jobs, q.Jobs[j].on(number))
		job := &v.Jobs[j]
		for w, g := range job.GPUs {
			job.Place = append(job.Place, len(v.Residents[g]))
			job.Twin = append(job.Twin, slices.Index(job.GPUs, v.Twins[g]))
			v.Residents[g] = append(v.Residents[g], Resident{j, w})
		}
	}
	return v
}

// sets lists the GPUs of one type on which the same jobs live, in the order of their first, and
// the ticks of the shortest tasks on each of them.
func (q *Problem) sets() (sets [][]int, work []int64) {
	type kind struct {
		of   instance.TypeID
		jobs string
	}
	kinds := make([]kind, len(q.Residents))
	ticks := make([]int64, len(q.Residents))
	for j := range q.Jobs {
		job := &q.Jobs[j]
		for w, g := range job.GPUs {
			kinds[g].of = job.Instance.GPUs[job.Limits.Assignment[w]].Type
			kinds[g].jobs += strconv.Itoa(j) + " " // ascending
			shortest := int64(math.MaxInt64)
			for d, time := range job.Time[w] {
				used := slices.ContainsFunc(job.Multisets, func(o cases.Multiset) bool { return o.Counts[d] > 0 })
				if used && job.Depths[w]>>d&1 == 1 {
					shortest = min(shortest, time)
				}
			}
			if shortest == math.MaxInt64 {
				shortest = relax.MaxHorizon // as of a GPU without the memory
			}
			ticks[g] += shortest * int64(job.Job.Iterations)
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
func (j *PlacedJob) steady() bool {
	for w := range j.Time {
		for d := 1; d < len(j.Time[w]); d++ {
			if j.Time[w][d] < j.Time[w][d-1] || j.Depths[w]>>d&1 > j.Depths[w]>>(d-1)&1 {
				return false
			}
		}
	}
	return true
}

// on is the job on the GPUs that are left, by their new numbers; where it lives and twins
// are not filled in.
func (j *PlacedJob) on(number map[int]int) PlacedJob {
	job, home := *j, *j.AssignedPlans
	job.AssignedPlans = &home
	job.GPUs, job.Place, job.Twin, job.Least, job.Most, home.Time, home.Depths = nil, nil, nil, nil, nil, nil, nil
	for w, g := range j.GPUs {
		if n, left := number[g]; left {
			job.GPUs, job.Least, job.Most = append(job.GPUs, n), append(job.Least, j.Least[w]), append(job.Most, j.Most[w])
			home.Time, home.Depths = append(home.Time, j.Time[w]), append(home.Depths, j.Depths[w])
		}
	}
	if len(job.GPUs) == len(j.GPUs) {
		return job
	}
	// The shallowest of each multiset; what synchronises as any of several does so as each may.
	home.Multisets, job.Pause, job.SyncLevels, job.Apart = nil, nil, nil, math.MaxInt64
	for i := range j.Multisets {
		of := &j.Multisets[i]
		var depths []int // of all workers, ascending
		for d, n := range of.Counts {
			depths = append(depths, slices.Repeat([]int{d}, n)...)
		}
		elsewhere := int64(math.MaxInt64)
		for w := range j.Time {
			elsewhere = min(elsewhere, j.Time[w][depths[len(depths)-1]])
		}
		job.Apart = min(job.Apart, elsewhere)
		counts := make([]int, len(of.Counts))
		for _, d := range depths[:len(job.GPUs)] {
			counts[d]++
		}
		at := slices.IndexFunc(home.Multisets, func(o cases.Multiset) bool { return slices.Equal(o.Counts, counts) })
		if at < 0 {
			home.Multisets = append(home.Multisets, cases.Multiset{Counts: counts, Sync: slices.Clone(of.Sync)})
			job.Pause, job.SyncLevels = append(job.Pause, j.Pause[i]), append(job.SyncLevels, slices.Clone(j.SyncLevels[i]))
			continue
		}
		for level, ticks := range of.Sync {
			home.Multisets[at].Sync[level] = min(home.Multisets[at].Sync[level], ticks)
		}
		job.Pause[at] = min(job.Pause[at], j.Pause[i])
		for _, o := range j.SyncLevels[i] {
			if !slices.ContainsFunc(job.SyncLevels[at], func(p cases.SyncLevel) bool { return p.Level == o.Level && p.Length == o.Length }) {
				job.SyncLevels[at] = append(job.SyncLevels[at], o)
			}
		}
	}
	return job
}
