package horizon

import (
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/groups"
	"jigsaw/heuristics/pattern"
	"jigsaw/heuristics/state"
)

// nodeGroup is a set of jobs that share nodes of one rack, and their memory, at the same time.
type nodeGroup struct {
	jobs  []instance.JobID   // ascending
	nodes []instance.NodeID  // ascending
	gpus  []instance.GPUID   // of these, in order
	homes [][]instance.GPUID // where each job lives, as indices of gpus
	ready []instance.Tick    // when each job can have been loaded, on free nodes
	ends  []instance.Tick    // of each job, as planned
	due   []instance.Tick    // the latest end permitted for each job
}

// groupsOf finds the jobs of a plan that share nodes at the same time, directly or through others, without other jobs
// in between, and single ones that are alone in a block. Jobs after them may come as early as planned; by is when all
// have to end, 0: no limit.
func groupsOf(in *instance.Instance, plan *instance.BlockSchedule, by instance.Tick) (list []nodeGroup) {
	s, strays, shared := staysOf(in, plan), pattern.Strays(in), make([]bool, len(in.Jobs))
	for i := range plan.Blocks {
		iterations := plan.Blocks[i].IterationsOf()
		for j := range iterations {
			shared[j] = shared[j] || len(iterations) > 1
		}
	}
	for _, jobs := range groups.Sharing(plan, s.from, s.to, s.pairs()) {
		if len(jobs) == 1 && !shared[jobs[0]] || len(jobs) > pattern.MostJobs {
			continue
		}
		g := s.group(jobs)
		free, leave, between := s.others(&g)
		// No others use any of their links.
		apart := in.Nodes[g.nodes[0]].Rack == in.Nodes[g.nodes[len(g.nodes)-1]].Rack &&
			(len(g.nodes) == 1 || !slices.ContainsFunc(jobs, func(j instance.JobID) bool { return strays[j] }))
		if between || !apart {
			continue
		}
		for _, j := range jobs {
			due := instance.Tick(1 << 60)
			for _, n := range s.nodes[j] {
				if last, ok := leave[n]; ok {
					due = min(due, last)
				}
			}
			for _, latest := range []instance.Tick{by, in.Jobs[j].Deadline} {
				if latest > 0 {
					due = min(due, latest)
				}
			}
			g.due, g.ready = append(g.due, due), append(g.ready, max(free, in.Jobs[j].Release)+in.Jobs[j].Load)
		}
		list = append(list, g)
	}
	return list
}

// stays says which jobs are on which nodes of a plan, and when.
type stays struct {
	in       *instance.Instance
	plan     *instance.BlockSchedule
	from, to []instance.Tick     // of each job, its load included
	nodes    [][]instance.NodeID // of each job
	here     [][]instance.JobID  // jobs that are ever on each node
}

func staysOf(in *instance.Instance, plan *instance.BlockSchedule) *stays {
	s := &stays{in: in, plan: plan, nodes: make([][]instance.NodeID, len(in.Jobs)), here: make([][]instance.JobID, len(in.Nodes))}
	s.from, s.to = plan.Spans(in)
	for j, gpus := range plan.Residency {
		s.from[j] -= in.Jobs[j].Load
		for _, g := range gpus {
			if n := in.GPUs[g].Node; !slices.Contains(s.nodes[j], n) {
				s.nodes[j], s.here[n] = append(s.nodes[j], n), append(s.here[n], instance.JobID(j))
			}
		}
	}
	return s
}

// pairs are the jobs that are on a node at the same time.
func (s *stays) pairs() (pairs [][2]instance.JobID) {
	for _, jobs := range s.here {
		for i, j := range jobs {
			for _, k := range jobs[:i] {
				if s.from[j] < s.to[k] && s.from[k] < s.to[j] {
					pairs = append(pairs, [2]instance.JobID{k, j})
				}
			}
		}
	}
	return pairs
}

// group is the group of some jobs, without the limits that others set to its time.
func (s *stays) group(jobs []instance.JobID) nodeGroup {
	g := nodeGroup{jobs: jobs, ends: state.Pick(s.to, jobs)}
	for _, j := range jobs {
		g.nodes = append(g.nodes, s.nodes[j]...)
	}
	slices.Sort(g.nodes)
	g.nodes = slices.Compact(g.nodes)
	g.gpus = s.in.GPUsOn(g.nodes)
	for _, j := range jobs {
		home := make([]instance.GPUID, len(s.plan.Residency[j]))
		for i, gpu := range s.plan.Residency[j] {
			home[i] = instance.GPUID(slices.Index(g.gpus, gpu))
		}
		g.homes = append(g.homes, home)
	}
	return g
}

// others returns when the nodes of a group become free of earlier jobs; when it has to leave the nodes that others use
// after it; and whether some are there between its jobs.
func (s *stays) others(g *nodeGroup) (free instance.Tick, leave map[instance.NodeID]instance.Tick, between bool) {
	first, end := slices.Min(state.Pick(s.from, g.jobs)), slices.Max(g.ends)
	leave = map[instance.NodeID]instance.Tick{}
	for _, n := range g.nodes {
		last, followed := instance.Tick(0), false
		for _, k := range s.here[n] {
			switch {
			case slices.Contains(g.jobs, k):
				last = max(last, s.to[k])
			case s.to[k] <= first:
				free = max(free, s.to[k])
			case s.from[k] >= end:
				followed = true
			default:
				between = true
			}
		}
		if followed {
			leave[n] = last
		}
	}
	return free, leave, between
}
