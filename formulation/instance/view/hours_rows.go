package view

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/groups"
)

// stayRun is GPUs first..end-1 on which a group of jobs lives, jobs that share GPUs at the same
// time, and then of one node: job i in slice lane[i] of lanes. A slice is as wide as the run, also where its job is not on all of
// the GPUs; but where others are on them meanwhile, a run is of GPUs with the same jobs.
type stayRun struct {
	first, end instance.GPUID
	jobs       []instance.JobID
	lane       []int
	lanes      int
}

// stays returns the runs of all groups.
func (h *hours) stays() []stayRun {
	var runs []stayRun
	all := h.onGPU()
	admitted := make([]instance.Tick, len(h.in.Jobs))
	for j := range admitted {
		admitted[j] = h.admitted(instance.JobID(j))
	}
	for _, jobs := range groups.Sharing(h.plan, admitted, h.to, nil) {
		on := map[instance.GPUID][]instance.JobID{}
		var gpus []instance.GPUID
		for _, j := range jobs {
			for _, g := range h.plan.Residency[j] {
				if on[g] == nil {
					gpus = append(gpus, g)
				}
				on[g] = append(on[g], j)
			}
		}
		slices.Sort(gpus)
		whole := h.alone(jobs, gpus, all)
		for i := 0; i < len(gpus); {
			run := stayRun{first: gpus[i]}
			near := func(g instance.GPUID) bool { return len(jobs) == 1 || h.in.GPUs[g].Node == h.in.GPUs[run.first].Node }
			for run.end = run.first; i < len(gpus) && gpus[i] == run.end && near(gpus[i]) && (whole || slices.Equal(on[gpus[i]], on[run.first])); i++ {
				run.jobs = append(run.jobs, on[gpus[i]]...)
				run.end++
			}
			h.slice(&run)
			runs = append(runs, run)
		}
	}
	return runs
}

// onGPU returns the jobs of every GPU, by admission.
func (h *hours) onGPU() [][]instance.JobID {
	on := make([][]instance.JobID, len(h.in.GPUs))
	for j, gpus := range h.plan.Residency {
		for _, g := range gpus {
			on[g] = append(on[g], instance.JobID(j))
		}
	}
	for _, jobs := range on {
		slices.SortFunc(jobs, h.byAdmission)
	}
	return on
}

// alone reports whether the GPUs of a group are nobody else's from its first admission to its last end.
func (h *hours) alone(group []instance.JobID, gpus []instance.GPUID, all [][]instance.JobID) bool {
	from, to := h.admitted(group[0]), h.to[group[0]]
	for _, j := range group {
		from, to = min(from, h.admitted(j)), max(to, h.to[j])
	}
	for _, g := range gpus {
		for _, j := range all[g] {
			if _, own := slices.BinarySearch(group, j); !own && h.admitted(j) < to && from < h.to[j] {
				return false
			}
		}
	}
	return true
}

func (h *hours) byAdmission(a, b instance.JobID) int {
	return cmp.Or(cmp.Compare(h.admitted(a), h.admitted(b)), cmp.Compare(a, b))
}

// slice gives jobs of a run lanes, in which one may follow another; lanes are near the GPUs of their jobs.
func (h *hours) slice(run *stayRun) {
	slices.SortFunc(run.jobs, h.byAdmission)
	run.jobs = slices.Compact(run.jobs)
	var ends []instance.Tick
	var place []instance.GPUID
	for _, j := range run.jobs {
		lane := slices.IndexFunc(ends, func(e instance.Tick) bool { return e <= h.admitted(j) })
		if lane < 0 {
			lane, ends, place = len(ends), append(ends, 0), append(place, h.plan.Residency[j][0])
		}
		ends[lane] = h.to[j]
		run.lane = append(run.lane, lane)
	}
	run.lanes = len(ends)
	order := instance.UpTo[int](run.lanes)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	rank := make([]int, run.lanes)
	for r, l := range order {
		rank[l] = r
	}
	for i, l := range run.lane {
		run.lane[i] = rank[l]
	}
}
