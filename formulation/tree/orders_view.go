package tree

import (
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/orders"
	"slices"
)

// view returns the sequencing with so many of each set of alike GPUs that have most to do,
// and half as many of the other sets: it is a relaxation in which tasks on the others never
// wait. As those may as well be the deepest of their iteration, the workers that are left run
// the shallowest, and there are far fewer states. It is nil where all GPUs are left, or the
// shallowest are not the best.
func view(q *orders.Problem, most int) *orders.Problem {
	if most < 1 {
		return nil
	}
	v := &orders.Problem{Weighted: q.Weighted, Shares: q.Shares, Chains: q.Chains}
	kept := map[int]int{}
	loads := make([]int64, len(q.Alike))
	for c, alike := range q.Alike {
		for _, r := range q.Residents[alike[0]] {
			loads[c] += int64(q.Jobs[r.Job].Job.Iterations) * q.Jobs[r.Job].Least[r.Worker]
		}
	}
	for c, alike := range q.Alike {
		var list []int
		count := most
		if loads[c] < slices.Max(loads) {
			count = most - most/2
		}
		for i, g := range alike[:min(count, len(alike))] {
			kept[g] = len(v.Residents)
			v.Residents, list = append(v.Residents, nil), append(list, kept[g])
			v.Twins = append(v.Twins, kept[g]-1)
			if i == 0 {
				v.Twins[kept[g]] = -1
			}
		}
		v.Alike = append(v.Alike, list)
	}
	if len(kept) == len(q.Residents) {
		return nil
	}
	for j := range q.Jobs {
		of := &q.Jobs[j]
		if !newDeals(of).ordered {
			return nil
		}
		job, home := *of, *of.AssignedPlans
		job.AssignedPlans = &home
		job.GPUs, job.Place, job.Twin, job.Least, job.Most, home.Time, home.Depths = nil, nil, nil, nil, nil, nil, nil
		for w, g := range of.GPUs {
			at, ok := kept[g]
			if !ok {
				continue
			}
			v.Residents[at] = append(v.Residents[at], orders.Resident{Job: len(v.Jobs), Worker: len(job.GPUs)})
			job.GPUs, job.Place = append(job.GPUs, at), append(job.Place, len(v.Residents[at])-1)
			job.Least, job.Most = append(job.Least, of.Least[w]), append(job.Most, of.Most[w])
			home.Time, home.Depths = append(home.Time, of.Time[w]), append(home.Depths, of.Depths[w])
		}
		for _, g := range job.GPUs {
			job.Twin = append(job.Twin, slices.Index(job.GPUs, v.Twins[g]))
		}
		if len(job.GPUs) < len(of.GPUs) {
			shrink(&job)
		}
		v.Jobs = append(v.Jobs, job)
	}
	return v
}

// shrink leaves the shallowest tasks of each dish to the workers on the GPUs that are
// left. Of dishes that become the same, each may synchronise like any of them.
func shrink(j *orders.PlacedJob) {
	dishes, pauses, tempos := j.Multisets, j.Pause, j.SyncLevels
	j.Multisets, j.Pause, j.SyncLevels, j.Apart = nil, nil, nil, relax.MaxHorizon
	for i := range dishes {
		dish, deepest, rest := cases.Multiset{Counts: make([]int, len(j.Job.Depths)), Sync: slices.Clone(dishes[i].Sync)}, 0, len(j.GPUs)
		for d, n := range dishes[i].Counts {
			dish.Counts[d] = min(n, rest)
			rest -= dish.Counts[d]
			if n > 0 {
				deepest = d
			}
		}
		j.Apart = min(j.Apart, j.Fastest[deepest])
		at := slices.IndexFunc(j.Multisets, func(o cases.Multiset) bool { return slices.Equal(o.Counts, dish.Counts) })
		if at < 0 {
			j.Multisets, j.Pause, j.SyncLevels = append(j.Multisets, dish), append(j.Pause, pauses[i]), append(j.SyncLevels, tempos[i])
			continue
		}
		for level, length := range dish.Sync {
			j.Multisets[at].Sync[level] = min(j.Multisets[at].Sync[level], length)
		}
		j.Pause[at] = min(j.Pause[at], pauses[i])
		for _, o := range tempos[i] {
			if !slices.ContainsFunc(j.SyncLevels[at], func(p cases.SyncLevel) bool { return p.Level == o.Level && p.Length == o.Length }) {
				j.SyncLevels[at] = append(slices.Clip(j.SyncLevels[at]), o)
			}
		}
	}
}

// since is when the tasks of an iteration that begins at a tick are over, at the earliest, on
// GPUs that are left out; 0 where there are none.
func since(j *orders.PlacedJob, begin int64) int16 {
	if j.Apart == 0 {
		return 0
	}
	return int16(begin + j.Apart)
}
