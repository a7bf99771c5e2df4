package cases

import (
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/columns"
	"jigsaw/formulation/relax/exact"
)

// Dues returns the tick by which each job must end in a schedule that is better
// than the target: the others cannot end before their chains.
func Dues(m *relax.Model, target int64) []int64 {
	dues := make([]int64, len(m.Classes))
	for j := range m.Classes {
		job := m.Classes[j].Job
		dues[j] = target - 1
		if m.Instance.Objective == instance.WeightedCompletion {
			rest := big.NewInt(target - 1)
			for o := range m.Classes {
				if o != j {
					chain := m.Classes[o].Chain(m.Classes[o].Iteration)
					rest.Sub(rest, chain.Mul(chain, big.NewInt(m.Classes[o].Job.Weight)))
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

// MostNodeTicks limits the horizon of a node: jobs of small weight may end long
// after the schedule they could be part of, and every tick is a point.
const MostNodeTicks = 4 * MostTicks

// Program is the columns program of a node, each job a class of its own.
type Program struct {
	*columns.Program
	Assigned []*AssignedPlans // by job: its plans, in place of those on pools; nil if its home is not decided
}

// NewProgram builds the master of a node for schedules better than the target,
// with prices that are constant in about the given number of buckets or, if
// that is 0, in single ticks. ok is false if some job has no time left.
func NewProgram(m *relax.Model, n *Node, modes [][]relax.ModeOptions, target, buckets int64) (s *Program, ok bool) {
	dues := Dues(m, target)
	horizon := max(1, slices.Max(dues))
	for j := range dues {
		if d := &m.Classes[j]; d.Chain(d.Iteration).Cmp(big.NewInt(dues[j])) > 0 {
			return nil, false
		}
	}
	if buckets == 0 {
		buckets = horizon
	}
	calendar := columns.NewCalendar(horizon, buckets) // may end later, and even then every tick is a point
	s = &Program{Assigned: make([]*AssignedPlans, len(m.Classes)), Program: &columns.Program{
		Model: m, Due: horizon, Horizon: horizon, Grain: columns.Grain{Points: calendar.Horizon, Buckets: buckets}, Calendar: calendar, EveryLink: true,
		Classes: make([]columns.Class, len(m.Classes)), Theta: m.Instance.Objective == instance.Makespan,
	}}
	for j := range m.Classes {
		s.Classes[j] = columns.Class{Class: &m.Classes[j], Modes: modes[j]}
	}
	s.Supplies()
	settle(s.Program, n)
	s.Pooled = s.LinkGroups()
	s.Number()
	for j := range s.Classes {
		class := &s.Classes[j]
		class.Plans = s.PlansOf(class)
		class.Plans.Due, class.Plans.Ends = dues[j], n.Jobs[j].Ends
		class.Plans.Grid.Points = class.Plans.Grid.At(max(dues[j], class.Plans.Grid.Release))
		if n.Jobs[j].Assignment != nil {
			s.Assigned[j] = newHomePlans(s, n, j)
		}
	}
	return s, true
}

// settle adds the groups of single GPUs and links; those that decided homes use
// have rows. If all homes are decided the pools have none. Groups have the same
// numbers at every node, so that plans can be moved between nodes.
func settle(s *columns.Program, n *Node) {
	in := s.Model.Instance
	if n.Decided() {
		for g := range s.Groups {
			s.Groups[g].Capacity = 0
		}
	}
	s.FirstGPU = len(s.Groups)
	s.Like = n.likenesses(in)
	for g := range in.GPUs {
		s.Groups = append(s.Groups, columns.Group{Name: fmt.Sprintf("g%d", g)})
	}
	for l := range in.Links {
		s.Groups = append(s.Groups, columns.Group{Name: in.Links[l].Name})
	}
	peak := make([]int64, len(in.Links)) // of all synchronisations together
	for j, b := range n.Jobs {
		if b.Assignment == nil {
			continue
		}
		for _, g := range b.Assignment {
			if s.Groups[s.GPUGroup(g)].Capacity == 0 {
				s.Groups[s.GPUGroup(g)].Capacity = int64(len(s.Sharers(g)))
			}
		}
		span, _ := in.LeastSpan(&in.Jobs[j], b.Assignment)
		for _, use := range span.Uses {
			peak[use.Link] += int64(span.Rate(in.RateLevels[0])) * int64(use.Times)
		}
	}
	for l := range in.Links {
		if capacity := int64(in.Capacity(instance.LinkID(l))); peak[l] > capacity {
			unit := rateUnit(in, instance.LinkID(l))
			s.Groups[s.LinkGroup(instance.LinkID(l))].Capacity = (capacity + unit - 1) / unit
		}
	}
}

// likenesses returns, for every GPU, the first of those that share its rows.
func (n *Node) likenesses(in *instance.Instance) []instance.GPUID {
	first := map[string]instance.GPUID{}
	like := make([]instance.GPUID, len(in.GPUs))
	for g := range in.GPUs {
		id := instance.GPUID(g)
		like[g] = id
		if n.Single {
			continue
		}
		key := fmt.Sprint(in.GPUs[g].Node)
		for j, b := range n.Jobs {
			if slices.Contains(b.Assignment, id) {
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

// rateUnit is the unit in bit/s of the group of a link: such that the rate
// levels of the links are whole multiples of it, unless it would be so small
// that there were no room for prices. In that case capacities are rounded up
// and demands down.
func rateUnit(in *instance.Instance, l instance.LinkID) int64 {
	unit := int64(0)
	for i := range in.Links {
		if !in.Links[i].Failed {
			unit = exact.GCD(unit, int64(in.Capacity(instance.LinkID(i))))
		}
	}
	for _, level := range in.RateLevels {
		unit = exact.GCD(unit, unit/int64(level))
	}
	return max(1, unit, int64(in.Capacity(l))>>14)
}

// MostTicks is the longest schedule for which branch-and-price uses every tick.
const MostTicks = 400
