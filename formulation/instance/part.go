package instance

import (
	"cmp"
	"slices"
)

// Part is some jobs of an instance on some of its nodes, an instance of its own.
// Nodes, GPUs, links and jobs keep their order, so that what is canonical in the
// part is canonical in the whole.
type Part struct {
	*Instance
	// Of the whole, by index in the part.
	JobsOf  []JobID
	GPUsOf  []GPUID
	LinksOf []LinkID
}

// Part returns the part of the given jobs on the given nodes, both ascending.
// Trunks in taken are left to others: the part has no routes over them. So
// schedules of parts without a common job, node or trunk go together in one of
// the whole.
func (in *Instance) Part(jobs []JobID, nodes []NodeID, taken []LinkID) *Part {
	p := &Part{Instance: &Instance{
		Name: in.Name, TickUS: in.TickUS, Objective: in.Objective, MaxPeriod: in.MaxPeriod, Residence: in.Residence,
		Types: in.Types, Latency: in.Latency, RateLevels: in.RateLevels, rateParts: in.rateParts, Policies: in.Policies, switches: in.switches,
	}, JobsOf: jobs}
	var racks []int
	for _, n := range nodes {
		racks = append(racks, in.Nodes[n].Rack)
	}
	slices.Sort(racks)
	racks = slices.Compact(racks)
	links := in.partLinks(nodes, racks, taken)
	linkOf := func(l LinkID) LinkID {
		at, _ := slices.BinarySearch(links, l)
		return LinkID(at)
	}

	p.LinksOf = links
	for _, l := range links {
		p.Links = append(p.Links, in.Links[l])
	}
	for _, r := range racks {
		p.Racks = append(p.Racks, Rack{Name: in.Racks[r].Name})
	}
	for _, n := range nodes {
		node, id := in.Nodes[n], NodeID(len(p.Nodes))
		for g := range node.GPUs {
			p.GPUs = append(p.GPUs, GPU{id, node.Type})
			p.GPUsOf = append(p.GPUsOf, node.FirstGPU+GPUID(g))
		}
		node.FirstGPU = GPUID(len(p.GPUs) - node.GPUs)
		node.Up, node.Down, node.Fabric = linkOf(node.Up), linkOf(node.Down), linkOf(node.Fabric)
		node.Rack, _ = slices.BinarySearch(racks, node.Rack)
		p.Nodes = append(p.Nodes, node)
		rack := &p.Racks[node.Rack]
		rack.Nodes = append(rack.Nodes, id)
		rack.GPUs += node.GPUs
	}
	p.routes = in.routes.Part(racks, links)

	for _, j := range jobs {
		job := in.Jobs[j]
		job.Resident = p.within(job.Resident)
		p.Jobs = append(p.Jobs, job)
	}
	byClass := p.AllJobs() // in the order of the classes of the whole
	slices.SortStableFunc(byClass, func(a, b JobID) int { return cmp.Compare(in.class[jobs[a]], in.class[jobs[b]]) })
	p.class = make([]int, len(jobs))
	for i, j := range byClass {
		if i == 0 || in.class[jobs[j]] != in.class[jobs[byClass[i-1]]] {
			p.classes = append(p.classes, nil)
		}
		last := len(p.classes) - 1
		p.classes[last], p.class[j] = append(p.classes[last], j), last
	}
	return p
}

// within returns GPUs as the part numbers them; nil where it has not all of them.
func (p *Part) within(gpus []GPUID) (here []GPUID) {
	for _, g := range gpus {
		at, ok := slices.BinarySearch(p.GPUsOf, g)
		if !ok {
			return nil
		}
		here = append(here, GPUID(at))
	}
	return here
}

// partLinks returns the links of the nodes and the trunks on the routes between
// the racks, but for those taken, ascending.
func (in *Instance) partLinks(nodes []NodeID, racks []int, taken []LinkID) []LinkID {
	var links []LinkID
	for _, a := range racks {
		for _, b := range racks {
			links, _ = in.routes.Append(links, a, b)
			for policy := range in.Policies {
				obeying, _ := in.routes.Obeying(policy+1, a, b)
				links = append(links, obeying...)
			}
		}
	}
	links = slices.DeleteFunc(links, func(l LinkID) bool { return slices.Contains(taken, l) })
	for _, n := range nodes {
		links = append(links, in.Nodes[n].Up, in.Nodes[n].Down, in.Nodes[n].Fabric)
	}
	slices.Sort(links)
	return slices.Compact(links)
}

// Trunks returns those of some links that belong to no node.
func (in *Instance) Trunks(links []LinkID) []LinkID {
	return slices.DeleteFunc(slices.Clone(links), func(l LinkID) bool {
		kind := in.Links[l].Kind
		return kind == NICUp || kind == NICDown || kind == Fabric
	})
}

// Of returns what a canonical schedule of the whole has of the jobs of the part,
// all of which live on its nodes.
func (p *Part) Of(s *Schedule) *Schedule {
	r := &Schedule{}
	gpu := func(g GPUID) GPUID {
		at, _ := slices.BinarySearch(p.GPUsOf, g)
		return GPUID(at)
	}
	for n, j := range p.JobsOf {
		var home []GPUID
		for _, g := range s.Residency[j] {
			home = append(home, gpu(g))
		}
		r.Residency = append(r.Residency, home)
		tasks, syncs := s.of(j)
		for _, t := range tasks {
			t.Job, t.GPU = JobID(n), gpu(t.GPU)
			r.Tasks = append(r.Tasks, t)
		}
		for _, y := range syncs {
			y.Job = JobID(n)
			r.Syncs = append(r.Syncs, y)
		}
	}
	return r
}

// Put replaces in a canonical schedule of the whole what it has of the jobs of the
// part by a canonical schedule of the part, with as many iterations of each.
func (p *Part) Put(whole, part *Schedule) {
	tasks, syncs := part.Tasks, part.Syncs
	for n, j := range p.JobsOf {
		whole.Residency[j] = p.home(part, n)
		t, y := whole.of(j)
		for i := range t {
			t[i] = p.task(tasks[i])
		}
		for i := range y {
			y[i] = syncs[i]
			y[i].Job = j
		}
		tasks, syncs = tasks[len(t):], syncs[len(y):]
	}
}

// Add puts a schedule of the part into one of the whole that has nothing of its
// jobs but room in Residency. [Schedule.Sort] makes the whole canonical again.
func (p *Part) Add(whole, part *Schedule) {
	for n, j := range p.JobsOf {
		whole.Residency[j] = p.home(part, n)
	}
	for _, t := range part.Tasks {
		whole.Tasks = append(whole.Tasks, p.task(t))
	}
	for _, y := range part.Syncs {
		y.Job = p.JobsOf[y.Job]
		whole.Syncs = append(whole.Syncs, y)
	}
}

// home returns where a job of the part lives in the whole.
func (p *Part) home(part *Schedule, n int) []GPUID {
	var home []GPUID
	for _, g := range part.Residency[n] {
		home = append(home, p.GPUsOf[g])
	}
	return home
}

// task returns a task of the part as one of the whole.
func (p *Part) task(t Task) Task {
	t.Job, t.GPU = p.JobsOf[t.Job], p.GPUsOf[t.GPU]
	return t
}

// of returns the tasks and synchronisations of job j of a canonical schedule.
func (s *Schedule) of(j JobID) ([]Task, []Sync) {
	task := func(j JobID) int {
		at, _ := slices.BinarySearchFunc(s.Tasks, j, func(t Task, j JobID) int { return int(t.Job - j) })
		return at
	}
	sync := func(j JobID) int {
		at, _ := slices.BinarySearchFunc(s.Syncs, j, func(y Sync, j JobID) int { return int(y.Job - j) })
		return at
	}
	return s.Tasks[task(j):task(j+1)], s.Syncs[sync(j):sync(j+1)]
}
