package cases

import (
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/columns"
	"slices"
)

// longest returns the ticks of the job's longest task.
func (p *AssignedPlans) longest() int64 {
	longest := int64(0)
	for w := range p.Time {
		longest = max(longest, slices.Max(p.Time[w]))
	}
	return longest
}

// AssignedPlans are the plans of a job whose GPUs are decided. They are exact:
// every task is on its GPU, every synchronisation uses its links at one of the
// rate levels. Every tick is a point.
type AssignedPlans struct {
	Instance *instance.Instance
	Job      *instance.Job
	Limits   *JobLimits
	// GPUs[w] are the groups of rows in which a task of worker w takes one unit,
	// Own[w] the group of its GPU alone.
	GPUs      [][]int
	Own       []int
	Depths    []uint64     // by worker: those that fit
	Time      [][]int64    // by worker, depth
	Links     []LinkCharge // the groups of single links
	Loads     []LinkCharge // Links, and the groups of the pools that the links belong to
	Multisets []Multiset
	Weight    int64
	Due       int64
	// Iteration is a lower limit on the ticks between the ends of two consecutive
	// synchronisations.
	Iteration int64
}

// LinkCharge is the load of a synchronisation on a link, by rate level.
type LinkCharge struct {
	Group   int
	Amounts []int64
}

// Multiset is a multiset with the length of its synchronisation at each level.
type Multiset struct {
	Counts []int
	Sync   []int64 // by rate level
}

// Levels is the number of rate levels; a job that does not synchronise has one.
func (p *AssignedPlans) Levels() int {
	if !p.Job.HasSync() {
		return 1
	}
	return len(p.Instance.RateLevels)
}

// Length is how many ticks a synchronisation takes after the tasks of a multiset, by rate level.
func (p *AssignedPlans) Length(multiset, level int) int64 {
	if !p.Job.HasSync() {
		return 0
	}
	return p.Multisets[multiset].Sync[level]
}

// MayStart reports whether the synchronisation of iteration i may start at a tick.
func (p *AssignedPlans) MayStart(i int, start int64) bool {
	return p.Limits.Syncs == nil || p.Limits.Syncs[i].Holds(start)
}

// MayRun reports whether the task of iteration i on worker w may have this depth
// and start.
func (p *AssignedPlans) MayRun(i, w, depth int, start int64) bool {
	return p.Depths[w]>>depth&1 == 1 && (p.Limits.Tasks == nil || p.Limits.Tasks[i][w].Holds(start))
}

// newHomePlans makes the pricer of a job whose home is decided at the node.
func newHomePlans(s *Program, n *Node, j int) *AssignedPlans {
	in, limits := s.Model.Instance, n.Jobs[j]
	job := &in.Jobs[j]
	d := s.Classes[j].Class
	p := &AssignedPlans{Instance: in, Job: job, Limits: limits, Due: s.Classes[j].Plans.Due}
	for _, g := range limits.Assignment {
		costs := job.On[in.GPUs[g].Type]
		p.GPUs = append(p.GPUs, []int{s.GPUGroup(g), s.Model.Network.PoolOf[in.GPUs[g].Node]})
		p.Own = append(p.Own, s.FirstGPU+int(g))
		p.Depths = append(p.Depths, n.depthsOn(in, j, g))
		times := make([]int64, len(job.Depths))
		for depth, time := range costs.Time {
			times[depth] = int64(time)
		}
		p.Time = append(p.Time, times)
	}
	span, _ := in.LeastSpan(job, limits.Assignment)
	var pooled []LinkCharge
	for _, use := range span.Uses {
		for _, at := range s.Pooled[use.Link] {
			if s.Groups[at].Capacity == 0 {
				continue
			}
			c := LinkCharge{Group: at}
			for _, level := range in.RateLevels {
				c.Amounts = append(c.Amounts, int64(use.Times)*columns.Share(span.Rate(level), s.Groups[at].Speed))
			}
			pooled = append(pooled, c)
		}
		c := LinkCharge{Group: s.LinkGroup(use.Link)}
		for _, level := range in.RateLevels {
			c.Amounts = append(c.Amounts, int64(span.Rate(level))*int64(use.Times)/rateUnit(in, use.Link))
		}
		p.Links = append(p.Links, c)
	}
	p.Loads = slices.Concat(p.Links, pooled)
	for _, counts := range s.Model.Multisets(d) {
		multiset := Multiset{Counts: counts}
		if job.HasSync() {
			volume := job.Volume(counts, span.Parties)
			for _, level := range in.RateLevels {
				multiset.Sync = append(multiset.Sync, int64(in.SyncTicks(volume, span.Rate(level))))
			}
		}
		p.Multisets = append(p.Multisets, multiset)
	}
	p.Iteration = p.shortest()
	return p
}

// shortest returns a lower limit on the ticks of an iteration: its longest task,
// on its fastest GPU, and the synchronisation.
func (p *AssignedPlans) shortest() int64 {
	least := int64(relax.MaxHorizon)
	for d := range p.Multisets {
		longest := int64(0)
		for depth, n := range p.Multisets[d].Counts {
			if n == 0 {
				continue
			}
			fastest := p.Time[0][depth]
			for w := range p.Time {
				fastest = min(fastest, p.Time[w][depth])
			}
			longest = max(longest, fastest)
		}
		for level := range p.Levels() {
			least = min(least, longest+p.Length(d, level))
		}
	}
	return max(1, least)
}

// DealStates is the number of states of the dealer of a multiset, counted up to [mostDeals] + 1.
func DealStates(counts []int) int {
	size := 1
	for _, n := range counts {
		size = min(size*(n+1), mostDeals+1)
	}
	return size
}
