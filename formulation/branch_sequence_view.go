package formulation

import "slices"

// view returns the sequencing with so many of each set of alike GPUs that have most to do,
// and half as many of the other sets: it is a relaxation in which tasks on the others never
// wait. As those may as well be the deepest of their iteration, the workers that are left run
// the shallowest, and there are far fewer states. It is nil where all GPUs are left, or the
// shallowest are not the best.
func (q *sequencing) view(most int) *sequencing {
	if most < 1 {
		return nil
	}
	v := &sequencing{weighted: q.weighted, shares: q.shares, chains: q.chains}
	kept := map[int]int{}
	loads := make([]int64, len(q.alike))
	for c, alike := range q.alike {
		for _, r := range q.residents[alike[0]] {
			loads[c] += int64(q.jobs[r.job].job.Iterations) * q.jobs[r.job].least[r.worker]
		}
	}
	for c, alike := range q.alike {
		var list []int
		count := most
		if loads[c] < slices.Max(loads) {
			count = most - most/2
		}
		for i, g := range alike[:min(count, len(alike))] {
			kept[g] = len(v.residents)
			v.residents, list = append(v.residents, nil), append(list, kept[g])
			v.twins = append(v.twins, kept[g]-1)
			if i == 0 {
				v.twins[kept[g]] = -1
			}
		}
		v.alike = append(v.alike, list)
	}
	if len(kept) == len(q.residents) {
		return nil
	}
	for j := range q.jobs {
		of := &q.jobs[j]
		if !newDeals(of).ordered {
			return nil
		}
		job, home := *of, *of.homePricer
		job.homePricer = &home
		job.gpus, job.place, job.twin, job.least, job.most, home.time, home.depths = nil, nil, nil, nil, nil, nil, nil
		for w, g := range of.gpus {
			at, ok := kept[g]
			if !ok {
				continue
			}
			v.residents[at] = append(v.residents[at], resident{len(v.jobs), len(job.gpus)})
			job.gpus, job.place = append(job.gpus, at), append(job.place, len(v.residents[at])-1)
			job.least, job.most = append(job.least, of.least[w]), append(job.most, of.most[w])
			home.time, home.depths = append(home.time, of.time[w]), append(home.depths, of.depths[w])
		}
		for _, g := range job.gpus {
			job.twin = append(job.twin, slices.Index(job.gpus, v.twins[g]))
		}
		if len(job.gpus) < len(of.gpus) {
			job.shrink()
		}
		v.jobs = append(v.jobs, job)
	}
	return v
}

// shrink leaves the shallowest tasks of each dish to the workers on the GPUs that are
// left. Of dishes that become the same, each may synchronise like any of them.
func (j *sequenced) shrink() {
	dishes, pauses, tempos := j.dishes, j.pause, j.tempos
	j.dishes, j.pause, j.tempos, j.apart = nil, nil, nil, maxHorizon
	for i := range dishes {
		dish, deepest, rest := homeDish{counts: make([]int, len(j.job.Depths)), sync: slices.Clone(dishes[i].sync)}, 0, len(j.gpus)
		for d, n := range dishes[i].counts {
			dish.counts[d] = min(n, rest)
			rest -= dish.counts[d]
			if n > 0 {
				deepest = d
			}
		}
		j.apart = min(j.apart, j.fastest[deepest])
		at := slices.IndexFunc(j.dishes, func(o homeDish) bool { return slices.Equal(o.counts, dish.counts) })
		if at < 0 {
			j.dishes, j.pause, j.tempos = append(j.dishes, dish), append(j.pause, pauses[i]), append(j.tempos, tempos[i])
			continue
		}
		for level, length := range dish.sync {
			j.dishes[at].sync[level] = min(j.dishes[at].sync[level], length)
		}
		j.pause[at] = min(j.pause[at], pauses[i])
		for _, o := range tempos[i] {
			if !slices.ContainsFunc(j.tempos[at], func(p tempo) bool { return p.level == o.level && p.length == o.length }) {
				j.tempos[at] = append(slices.Clip(j.tempos[at]), o)
			}
		}
	}
}

// since is when the tasks of an iteration that begins at a tick are over, at the earliest, on
// GPUs that are left out; 0 where there are none.
func (j *sequenced) since(begin int64) int16 {
	if j.apart == 0 {
		return 0
	}
	return int16(begin + j.apart)
}
