package periodic

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
)

// residencyOptions says how [assignJobs] chooses residencies for a periodic plan.
type residencyOptions struct {
	// counts[j] is the depth multiset of job j.
	counts [][]int
	// order in which jobs choose; nil: for the sum of rates by weight density,
	// for the least rate by GPU time.
	order []instance.JobID
	// share is the GPU time that the residents of a GPU may ask for, each
	// running at full speed: 1 is all of it, 0 no limit.
	share float64
	// dedicated gives every GPU to one job only. fillers then come to live
	// beside them, those jobs for which no GPUs were left.
	dedicated, fillers bool
	// scatter values balance over locality.
	scatter bool
	// mask hides each GPU from a job with this probability, for restarts.
	mask float64
	rng  *rand.Rand
}

// assignJobs finds residencies for as many jobs as memory and the share admit.
// Residents are by descending weight density. When the context ends, those who have chosen by
// then are all.
func assignJobs(ctx context.Context, in *instance.Instance, how residencyOptions) []*resident {
	demand, unit := demands(in, how.counts)
	p := placement.NewPlacer(in, placement.Options{Counts: how.counts, Iterations: demand, Scatter: how.scatter, Noise: how.rng})
	order := how.order
	if order == nil && (in.Objective == instance.Throughput || how.dedicated) {
		order = byWork(in, how.counts)
	} else if order == nil {
		order = p.ByArea()
	}
	limit := instance.Tick(math.MaxInt64)
	if how.dedicated {
		limit = 1
	} else if how.share > 0 {
		limit = instance.Tick(how.share * unit)
	}
	settle := func(j instance.JobID) {
		full := in.Jobs[j].Full()
		fit := func(g instance.GPUID) bool { return p.Load[g] < limit && p.Room(j, g, full) >= 0 }
		p.Price(j)
		found := false
		if how.mask > 0 {
			p.Collect(j, func(g instance.GPUID) bool { return how.rng.Float64() >= how.mask && fit(g) })
			found = p.Take(j)
		}
		if !found {
			p.Collect(j, fit)
			p.Take(j)
		}
	}
	for _, j := range order {
		if ctx.Err() != nil {
			break
		}
		settle(j)
	}
	if how.fillers {
		limit = math.MaxInt64
		for _, j := range order {
			if ctx.Err() != nil {
				break
			}
			if len(p.Out.GPUs[j]) == 0 {
				settle(j)
			}
		}
	}
	return residents(in, p.Out, how.counts)
}

// demands returns the iterations of every job to balance loads by: for the sum
// of rates what each could do alone in a common time, for the least rate in
// proportion to the rates asked for. unit is that time in ticks.
func demands(in *instance.Instance, counts [][]int) (demand []int64, unit float64) {
	cycle := make([]float64, len(in.Jobs)) // ticks per iteration, or per unit of normalised rate
	longest := 1.0
	for j := range in.Jobs {
		job := &in.Jobs[j]
		full := float64(job.FastestFull())
		if in.Objective == instance.MaxMinThroughput {
			cycle[j] = full / float64(job.Weight)
		} else {
			cycle[j] = full + lightSync(in, instance.JobID(j), counts[j])
		}
		longest = max(longest, cycle[j])
	}
	unit = min(64*longest, 1<<40)
	demand = make([]int64, len(in.Jobs))
	for j := range demand {
		demand[j] = max(1, int64(unit/cycle[j]))
	}
	return demand, unit
}

// lightSync estimates the ticks of a synchronisation of job j within the first
// node large enough, or across the first two nodes.
func lightSync(in *instance.Instance, j instance.JobID, counts []int) float64 {
	job := &in.Jobs[j]
	if !job.HasSync() {
		return 0
	}
	parties, rate := 2, in.Capacity(in.Nodes[0].Up)
	for n := range in.Nodes {
		if node := &in.Nodes[n]; job.Runs(node.Type) && node.GPUs >= job.Workers {
			parties, rate = job.Workers, in.Capacity(node.Fabric)
			break
		}
	}
	return float64(in.SyncTicks(job.Volume(counts, parties), rate))
}

// byDensity orders the jobs by descending weight per GPU-tick.
func byDensity(in *instance.Instance, ticks func(instance.JobID) float64) []instance.JobID {
	order := make([]instance.JobID, len(in.Jobs))
	density := make([]float64, len(in.Jobs))
	for j := range order {
		order[j] = instance.JobID(j)
		density[j] = float64(in.Jobs[j].Weight) / ticks(order[j])
	}
	slices.SortFunc(order, func(a, b instance.JobID) int {
		return cmp.Or(cmp.Compare(density[b], density[a]), cmp.Compare(a, b))
	})
	return order
}

// byWork orders the jobs by descending weight per GPU-tick computed.
func byWork(in *instance.Instance, counts [][]int) []instance.JobID {
	return byDensity(in, func(j instance.JobID) float64 {
		job := &in.Jobs[j]
		return float64(job.Workers) * float64(state.LeastOverTypes(job, func(t instance.TypeID) int64 { return int64(state.MeanTime(job, t, counts[j])) }))
	})
}

// byHold orders the jobs by descending weight per GPU-tick for which they keep
// GPUs of their own: until the end of the synchronisation.
func byHold(in *instance.Instance, counts [][]int) []instance.JobID {
	return byDensity(in, func(j instance.JobID) float64 {
		job := &in.Jobs[j]
		return float64(job.Workers) * (float64(job.FastestFull()) + lightSync(in, j, counts[j]))
	})
}

// byLoad orders the jobs by descending load of each of their GPUs, at the rates
// that a common normalised rate asks for: the least rate suffers most where
// two heavy ones meet.
func byLoad(in *instance.Instance, counts [][]int) []instance.JobID {
	return byDensity(in, func(j instance.JobID) float64 {
		job := &in.Jobs[j]
		t := state.FastestType(in, job)
		return float64(job.On[t].Time[job.Full()]) / float64(state.MeanTime(job, t, counts[j]))
	})
}

// residents describes the placed jobs to the modulo scheduler, by descending
// density.
func residents(in *instance.Instance, p *placement.Placement, counts [][]int) []*resident {
	room := make([]instance.Bytes, len(in.GPUs)) // left by what lives there
	for g := range room {
		room[g] = in.Types[in.GPUs[g].Type].Memory
	}
	for j, gpus := range p.GPUs {
		for _, g := range gpus {
			room[g] -= in.Jobs[j].On[in.GPUs[g].Type].Persistent
		}
	}
	var list []*resident
	for _, j := range byWork(in, counts) {
		if len(p.GPUs[j]) == 0 {
			continue
		}
		l := &resident{id: j, job: &in.Jobs[j], gpus: p.GPUs[j], counts: counts[j], span: p.Span[j]}
		for _, g := range l.gpus {
			costs := l.job.On[in.GPUs[g].Type]
			d := l.job.Full()
			for d > 0 && costs.Ephemeral[d] > room[g] {
				d--
			}
			l.deepest = append(l.deepest, d)
		}
		l.describe(in)
		for _, time := range l.time {
			sum := instance.Tick(0)
			for d, n := range l.counts {
				sum += instance.Tick(n) * time[d]
			}
			l.work = append(l.work, float64(sum)/float64(len(l.gpus)))
		}
		list = append(list, l)
	}
	return list
}

// describe completes a resident from its GPUs, their span, its multiset and greatest depths.
func (l *resident) describe(in *instance.Instance) {
	l.time = make([][]instance.Tick, len(l.gpus))
	for w, g := range l.gpus {
		l.time[w] = l.job.On[in.GPUs[g].Type].Time
		if full := l.job.Full(); l.deepest[w] == full && (l.cycle == 0 || l.time[w][full] < l.cycle) {
			l.cycle = l.time[w][full] // full depth may take the fastest GPU
		}
	}
	if l.syncs = state.AppendSyncLevels(nil, in, l.job, l.counts, &l.span, 0); len(l.syncs) > 0 {
		l.cycle += l.syncs[0].Length
	}
}

// aim sets the target rates of all residents. For the least rate they are in
// proportion to weight / fastest full-depth time, and as high as the most
// loaded GPU, link or chain lets them be. For the sum they are a greedy
// solution of the fluid relaxation: in order of density, each job takes what
// its GPUs and links have left, at most speed times its full rate. Speed 0
// leaves all without a target, to be served in order of density.
func aim(in *instance.Instance, list []*resident, speed float64) {
	gpu := make([]float64, len(in.GPUs))   // share in use
	link := make([]float64, len(in.Links)) // likewise
	share := func(l *resident, u instance.LinkUse) float64 {
		s := l.syncs[0]
		return float64(s.Length) * float64(s.Rate) * float64(u.Times) / float64(in.Capacity(u.Link))
	}
	add := func(l *resident, rate float64) {
		for w, g := range l.gpus {
			gpu[g] += rate * l.work[w]
		}
		for _, u := range l.span.Uses {
			link[u.Link] += rate * share(l, u)
		}
	}
	if in.Objective == instance.MaxMinThroughput {
		worst := 0.0
		for _, l := range list {
			l.target = float64(l.job.Weight) / float64(l.job.FastestFull())
			add(l, l.target)
			worst = max(worst, l.target*float64(l.cycle))
		}
		worst = max(worst, slices.Max(append(gpu, link...)))
		for _, l := range list {
			l.target /= worst
		}
		return
	}
	for _, l := range list {
		rate := speed / float64(l.cycle)
		for w, g := range l.gpus {
			rate = min(rate, (1-gpu[g])/l.work[w])
		}
		for _, u := range l.span.Uses {
			if s := share(l, u); s > 0 {
				rate = min(rate, (1-link[u.Link])/s)
			}
		}
		l.target = 0
		if rate*float64(l.cycle) > 1e-3 {
			l.target = rate
			add(l, rate)
		}
	}
}
