package orders

import (
	"fmt"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/exact"
	"math/big"
	"slices"
)

// MostTogether is how many jobs of a crew are looked at in every order, the first.
const MostTogether = 5

const mostTenants = 14 // on a GPU

// Chains returns the sum w C of all jobs if none ever waits, homes permitting.
func Chains(s *cases.Program, list []*Problem) int64 {
	sum, decided := int64(0), map[instance.JobID]bool{}
	for _, q := range list {
		sum += q.Chains
		for j := range q.Jobs {
			decided[q.Jobs[j].Id] = true
		}
	}
	for j := range s.Classes {
		if d := s.Classes[j].Class; !decided[instance.JobID(j)] {
			chain := d.Chain(d.Iteration)
			sum += chain.Mul(chain, big.NewInt(d.Job.Weight)).Int64()
		}
	}
	return sum
}

// First is the first job of a sequencing, by which certificates know it.
func (q *Problem) First() int {
	first := q.Jobs[0].Id
	for j := range q.Jobs {
		first = min(first, q.Jobs[j].Id)
	}
	return int(first)
}

// mostShares is into how many shares a link is divided, at most.
const mostShares = 16

// crowded returns the links, as groups of rows, that the jobs with homes could overload,
// if each synchronises at a rate that makes it short.
func crowded(s *cases.Program, n *cases.Node) []int {
	peak := map[int]int64{}
	for j := range n.Jobs {
		p := s.Assigned[j]
		if p == nil {
			continue
		}
		for _, c := range p.Links {
			most := int64(0)
			for d := range p.Multisets {
				for _, o := range p.SyncLevels(d) {
					if o.Length > 0 {
						most = max(most, c.Amounts[o.Level])
					}
				}
			}
			peak[c.Group] += most
		}
	}
	var list []int
	for group, sum := range peak {
		if capacity := s.Groups[group].Capacity; capacity > 0 && sum > capacity {
			list = append(list, group)
		}
	}
	slices.Sort(list)
	return list
}

// meet reports whether two jobs synchronise over a link that is crowded.
func meet(s *cases.Program, a, b int, crowded []int) bool {
	p, o := s.Assigned[a], s.Assigned[b]
	return o != nil && slices.ContainsFunc(crowded, func(group int) bool {
		over := func(c cases.LinkCharge) bool { return c.Group == group }
		return slices.ContainsFunc(p.Links, over) && slices.ContainsFunc(o.Links, over)
	})
}

// share divides crowded links into equal shares, the fewest that lose least of what
// synchronisations take, and tells how many each of these takes.
func (q *Problem) share(s *cases.Program, crowded []int) {
	known := map[string]bool{}
	for _, group := range crowded {
		capacity := s.Groups[group].Capacity
		taken := func(shares int64) (sum int64) {
			for j := range q.Jobs {
				for _, c := range q.Jobs[j].AssignedPlans.Links {
					for level := 0; c.Group == group && level < len(c.Amounts); level++ {
						sum += c.Amounts[level] * shares / capacity
					}
				}
			}
			return sum
		}
		best := int64(1)
		for n := int64(2); n <= mostShares; n++ {
			if taken(n)*best > taken(best)*n {
				best = n
			}
		}
		key := fmt.Sprint(best)
		for j := range q.Jobs {
			for _, c := range q.Jobs[j].AssignedPlans.Links {
				for level := 0; c.Group == group && level < len(c.Amounts); level++ {
					key += fmt.Sprint(" ", j, c.Amounts[level]*best/capacity)
				}
			}
		}
		if taken(best) == 0 || known[key] { // nothing, or as over another
			continue
		}
		known[key] = true
		for j := range q.Jobs {
			job := &q.Jobs[j]
			at := slices.IndexFunc(job.AssignedPlans.Links, func(c cases.LinkCharge) bool { return c.Group == group })
			if at < 0 || job.AssignedPlans.Links[at].Amounts[0]*best < capacity || slices.Max(job.Pause) == 0 {
				continue
			}
			job.Links = append(job.Links, len(q.Shares))
			for d := range job.SyncLevels {
				for i := range job.SyncLevels[d] {
					o, shares := &job.SyncLevels[d][i], int64(0)
					if o.Length > 0 {
						shares = job.AssignedPlans.Links[at].Amounts[o.Level] * best / capacity
					}
					o.Shares = append(o.Shares, int(shares))
				}
			}
		}
		q.Shares = append(q.Shares, int(best))
	}
	for j := range q.Jobs {
		job := &q.Jobs[j]
		for d := range job.SyncLevels {
			if len(job.Links) == 0 {
				job.SyncLevels[d] = job.SyncLevels[d][:min(1, len(job.SyncLevels[d]))]
			}
		}
	}
}

// ShareTicks is how many ticks of shares of a link a synchronisation takes after the tasks of a
// dish, at the least; at is the number of the link among those of the job.
func (j *PlacedJob) ShareTicks(dish, at int) int64 {
	least := int64(exact.NoPrice)
	for _, o := range j.SyncLevels[dish] {
		least = min(least, o.Length*int64(o.Shares[at]))
	}
	return least
}

// Comparisons is how many comparisons of two states take as long as another step.
const Comparisons = 8
