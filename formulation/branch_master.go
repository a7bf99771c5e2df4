package formulation

import (
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// split returns the model with every job a class of its own.
func (m *model) split() *model {
	out := *m
	out.demands = nil
	of := make([]int, len(m.in.Jobs))
	for c := range m.demands {
		for _, j := range m.demands[c].jobs {
			of[j] = c
		}
	}
	for j := range m.in.Jobs {
		d := m.demands[of[j]]
		d.jobs = []instance.JobID{instance.JobID(j)}
		d.job = &m.in.Jobs[j]
		out.demands = append(out.demands, d)
	}
	return &out
}

// dues returns by when each job must end in a schedule that is better than the
// target: the others cannot end before their chains.
func (m *model) dues(target int64) []int64 {
	dues := make([]int64, len(m.demands))
	for j := range m.demands {
		job := m.demands[j].job
		dues[j] = target - 1
		if m.in.Objective == instance.WeightedCompletion {
			rest := big.NewInt(target - 1)
			for o := range m.demands {
				if o != j {
					chain := m.demands[o].chain(m.demands[o].iteration)
					rest.Sub(rest, chain.Mul(chain, big.NewInt(m.demands[o].job.Weight)))
				}
			}
			rest.Div(rest, big.NewInt(job.Weight))
			dues[j] = -1
			if rest.IsInt64() {
				dues[j] = max(-1, rest.Int64())
			}
		}
		if job.Deadline > 0 {
			dues[j] = min(dues[j], int64(job.Deadline))
		}
	}
	return dues
}

// mostNodeTicks limits the horizon of a node: light jobs may end long after the
// schedule they could be part of, and every tick is a point.
const mostNodeTicks = 4 * MostTicks

// nodeMaster builds the master of a node for schedules better than the target,
// with prices that are constant in about so many buckets, or in no more than a
// tick where that is 0. ok is false where some job has no time left.
func (m *model) nodeMaster(n *branchNode, ways [][]way, target, buckets int64) (s *master, ok bool) {
	dues := m.dues(target)
	horizon := max(1, slices.Max(dues))
	for j := range dues {
		if d := &m.demands[j]; d.chain(d.iteration).Cmp(big.NewInt(dues[j])) > 0 {
			return nil, false
		}
	}
	if buckets == 0 {
		buckets = horizon
	}
	s = &master{
		m: m, due: horizon, horizon: horizon, grain: planGrain{horizon, buckets}, calendar: newCalendar(horizon, buckets), everyLink: true,
		classes: make([]planClass, len(m.demands)), theta: m.in.Objective == instance.Makespan,
	}
	for j := range m.demands {
		s.classes[j] = planClass{d: &m.demands[j], ways: ways[j]}
	}
	s.supplies()
	s.settle(n)
	s.pooled = s.linkGroups()
	s.number()
	for j := range s.classes {
		class := &s.classes[j]
		class.pricer = s.newPricer(class)
		class.pricer.due, class.pricer.ends = dues[j], n.jobs[j].ends
		class.pricer.grid.points = class.pricer.grid.at(max(dues[j], class.pricer.grid.release))
		if n.jobs[j].home != nil {
			class.home = s.newHomePricer(n, j)
		}
	}
	s.measure()
	s.noPlan = 4 * max(1, float64(target)/s.unit)
	for j := range s.classes {
		if s.classes[j].home != nil {
			s.classes[j].home.weight = s.classes[j].pricer.weight
		}
	}
	return s, true
}

// settle adds the groups of single GPUs and links; those that decided homes use
// have rows. Where all homes are decided the pools have none. Groups have the
// same numbers at every node, so that plans can move between them.
func (s *master) settle(n *branchNode) {
	in := s.m.in
	if n.decided() {
		for g := range s.groups {
			s.groups[g].capacity = 0
		}
	}
	s.firstGPU = len(s.groups)
	s.like = n.likenesses(in)
	for g := range in.GPUs {
		s.groups = append(s.groups, supply{name: fmt.Sprintf("g%d", g)})
	}
	for l := range in.Links {
		s.groups = append(s.groups, supply{name: in.Links[l].Name})
	}
	peak := make([]int64, len(in.Links)) // of all synchronisations together
	for _, b := range n.jobs {
		if b.home == nil {
			continue
		}
		for _, g := range b.home {
			if s.groups[s.gpuGroup(g)].capacity == 0 {
				s.groups[s.gpuGroup(g)].capacity = int64(len(s.sharers(g)))
			}
		}
		span, _ := in.Span(b.home)
		for _, use := range span.Uses {
			peak[use.Link] += int64(span.Rate(in.RateLevels[0])) * int64(use.Times)
		}
	}
	for l := range in.Links {
		if capacity := int64(in.Links[l].Capacity); peak[l] > capacity {
			unit := s.linkUnit(instance.LinkID(l))
			s.groups[s.linkGroup(instance.LinkID(l))].capacity = (capacity + unit - 1) / unit
		}
	}
}

// gpuGroup is the group of a GPU: that of the first GPU like it.
func (s *master) gpuGroup(g instance.GPUID) int { return s.firstGPU + int(s.like[g]) }

// sharers lists the GPUs that share the rows of one.
func (s *master) sharers(g instance.GPUID) (list []instance.GPUID) {
	for o := range s.like {
		if s.like[o] == s.like[g] {
			list = append(list, instance.GPUID(o))
		}
	}
	return list
}

// group returns the group that stands for a group of a plan, which names
// every GPU's own.
func (s *master) group(own int) int {
	if g := own - s.firstGPU; s.like != nil && g >= 0 && g < len(s.like) {
		return s.firstGPU + int(s.like[g])
	}
	return own
}

// likenesses returns for every GPU the first of those that share its rows.
func (n *branchNode) likenesses(in *instance.Instance) []instance.GPUID {
	first := map[string]instance.GPUID{}
	like := make([]instance.GPUID, len(in.GPUs))
	for g := range in.GPUs {
		id := instance.GPUID(g)
		like[g] = id
		if n.single {
			continue
		}
		key := fmt.Sprint(in.GPUs[g].Node)
		for j, b := range n.jobs {
			if slices.Contains(b.home, id) {
				key += fmt.Sprint(" ", j)
			}
		}
		if _, known := first[key]; !known {
			first[key] = id
		}
		like[g] = first[key]
	}
	return like
}

func (s *master) linkGroup(l instance.LinkID) int { return s.firstGPU + len(s.m.in.GPUs) + int(l) }

// linkUnit is the bit/s that the group of a link counts in: such that the rate
// levels of the links are whole numbers of it, unless it would be so small that
// it left no room for prices. Then capacities are rounded up and what is taken
// of them down.
func (s *master) linkUnit(l instance.LinkID) int64 {
	in := s.m.in
	unit := int64(0)
	for i := range in.Links {
		if !in.Links[i].Failed {
			unit = gcd(unit, int64(in.Links[i].Capacity))
		}
	}
	for _, level := range in.RateLevels {
		unit = gcd(unit, unit/int64(level))
	}
	return max(1, unit, int64(in.Links[l].Capacity)>>14)
}
