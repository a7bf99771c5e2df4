// Package bundle restricts instances whose workers have several GPUs to ones where a worker has one, which stands for several.
package bundle

import (
	"slices"

	"jigsaw/formulation/instance"
)

// Division says how a node is divided: into Count bundles of Size GPUs each.
type Division struct{ Size, Count int }

// Instance is an instance whose GPUs stand for bundles of GPUs of the whole: what a restriction of
// instances whose workers have several GPUs comes to. A job lives on bundles of one size alone, which has room for several
// of its workers; these start together, and the bundle is taken until the deepest of them ends. So its schedules are
// schedules of the whole, of equal value, and whatever makes schedules where a worker has one GPU makes them. What it loses: jobs on bundles of different sizes share no GPU, and of a
// bundle larger than a worker the shallower ones leave their GPUs idle until the deepest ends.
//
// The workers of a fixed rule are dealt out deepest first. A bundle of w workers that is the i-th deepest, i = 0, 1, ..., then
// has none deeper than worker r + (i-1) w (r: those of the bundle that is not full, if there is one), which is the depth of
// its task. Workers of a bundle under a free rule have one depth. Where that leaves a bundle partly full, the job is at full depth.
//
// A node of several sizes becomes several nodes that have its links in common.
type Instance struct {
	*instance.Instance
	whole *instance.Instance
	gpus  [][]instance.GPUID // per bundle, ascending; all of one bundle of a node come before those of another of its size
	of    []instance.GPUID   // per GPU of the whole: its bundle; -1: it is in none
}

// New returns the restriction in which job j lives on bundles of of[j] GPUs, a multiple of its workers', and node n is divided into nodes[n], by ascending size:
// so that jobs which are in memory live on whole bundles, beside which there may be fewer. nil where that cannot be.
func New(in *instance.Instance, of []int, nodes [][]Division) *Instance {
	sizes := slices.Compact(slices.Sorted(slices.Values(of)))
	small := *in
	b := &Instance{whole: in}
	small.Types, small.Nodes, small.GPUs = nil, nil, nil
	for _, t := range in.Types {
		for range sizes { // the types of a size are its places: no job has several
			small.Types = append(small.Types, t)
		}
	}
	small.Racks = slices.Clone(in.Racks)
	for r := range small.Racks {
		small.Racks[r].Nodes, small.Racks[r].GPUs = nil, 0
	}
	b.of = make([]instance.GPUID, len(in.GPUs))
	for g := range b.of {
		b.of[g] = -1
	}
	for n, division := range nodes {
		sets := bundles(in, instance.NodeID(n), division, of)
		if sets == nil {
			return nil
		}
		for i, d := range division {
			node, id := in.Nodes[n], instance.NodeID(len(small.Nodes))
			at, _ := slices.BinarySearch(sizes, d.Size)
			node.Places = nil
			node.Type, node.GPUs, node.FirstGPU = instance.TypeID(int(node.Type)*len(sizes)+at), len(sets[i]), instance.GPUID(len(small.GPUs))
			for _, set := range sets[i] {
				for _, g := range set {
					b.of[g] = instance.GPUID(len(b.gpus))
				}
				small.GPUs, b.gpus = append(small.GPUs, instance.GPU{Node: id, Type: node.Type}), append(b.gpus, set)
			}
			small.Nodes = append(small.Nodes, node)
			rack := &small.Racks[node.Rack]
			rack.Nodes, rack.GPUs = append(rack.Nodes, id), rack.GPUs+d.Count
		}
	}
	jobs := slices.Clone(in.Jobs)
	for j := range jobs {
		job, size := &jobs[j], of[j]
		job.Bundle, job.Workers = size, (job.Workers+size-1)/size
		if workers := dealt(&in.Jobs[j], size); workers != nil {
			each, k := size/in.Jobs[j].Group(), len(workers)
			job.Rule = instance.Rule{Fixed: make([]int, len(job.Depths))}
			for i := range job.Workers {
				job.Rule.Fixed[workers[max(0, (k-1)%each+1+(i-1)*each)]]++
			}
			job.Contributors = make([]int, len(job.Depths))
			for _, d := range workers {
				for s := range d + 1 {
					job.Contributors[s]++
				}
			}
		} else {
			job.Rule.MinFull = (job.Rule.MinFull + size - 1) / size
			job.Rule.MinShare = (job.Rule.MinShare + int64(size) - 1) / int64(size)
		}
		var resident []instance.GPUID
		for _, g := range job.Resident {
			if resident = append(resident, b.of[g]); b.of[g] < 0 {
				return nil
			}
		}
		job.Resident = slices.Compact(resident)
		job.On = make([]*instance.Costs, len(small.Types))
		at, _ := slices.BinarySearch(sizes, size)
		for t, costs := range in.Jobs[j].On {
			job.On[t*len(sizes)+at] = costs
		}
	}
	b.Instance = small.WithJobs(jobs)
	return b
}

// bundles divides a node, by size: jobs in memory there live on whole bundles, the others come from what is left. nil where
// those overlap.
func bundles(in *instance.Instance, n instance.NodeID, division []Division, of []int) [][][]instance.GPUID {
	sets, taken := make([][][]instance.GPUID, len(division)), make([]bool, len(in.GPUs))
	// add puts a bundle among those of its size, of which none may lie between its GPUs.
	add := func(i int, set []instance.GPUID) bool {
		at := len(sets[i])
		for ; at > 0 && sets[i][at-1][0] > set[0]; at-- {
		}
		if at > 0 && sets[i][at-1][len(set)-1] >= set[0] || at < len(sets[i]) && sets[i][at][0] <= set[len(set)-1] {
			return false
		}
		sets[i] = append(sets[i], nil)
		copy(sets[i][at+1:], sets[i][at:])
		sets[i][at] = set
		for _, g := range set {
			taken[g] = true
		}
		return true
	}
	for j := range in.Jobs {
		i := 0
		for i < len(division) && division[i].Size != of[j] {
			i++
		}
		var set []instance.GPUID
		for _, g := range in.Jobs[j].Resident {
			if in.GPUs[g].Node != n {
				continue
			}
			if i == len(division) {
				return nil
			}
			if set = append(set, g); len(set) < of[j] {
				continue
			}
			known := slices.ContainsFunc(sets[i], func(o []instance.GPUID) bool { return slices.Equal(o, set) })
			if !known && (slices.ContainsFunc(set, func(g instance.GPUID) bool { return taken[g] }) || len(sets[i]) == division[i].Count || !add(i, set)) {
				return nil
			}
			set = nil
		}
		if set != nil {
			return nil
		}
	}
	var free []instance.GPUID
	for g := range in.Nodes[n].All() {
		if !taken[g] {
			free = append(free, g)
		}
	}
	for i, d := range division {
		for len(sets[i]) < d.Count && len(free) >= d.Size {
			if add(i, free[:d.Size:d.Size]) {
				free = free[d.Size:]
			} else {
				free = free[1:]
			}
		}
	}
	return sets
}

// dealt are the depths of the job's workers, the deepest first, where bundles of so many GPUs decide
// them; nil where their tasks do.
func dealt(j *instance.Job, size int) (depths []int) {
	fixed := j.Rule.Fixed
	if fixed == nil {
		if j.Workers%size == 0 {
			return nil
		}
		fixed = make([]int, len(j.Depths))
		fixed[j.Full()] = j.Workers
	}
	for d, n := range slices.Backward(fixed) {
		depths = append(depths, slices.Repeat([]int{d}, n/j.Group())...)
	}
	return depths
}

// Whole returns a canonical schedule as one of the whole.
func (b *Instance) Whole(s *instance.Schedule) *instance.Schedule {
	whole := &instance.Schedule{Period: s.Period, Syncs: slices.Clone(s.Syncs)}
	for j, home := range s.Residency {
		var list []instance.GPUID
		for _, g := range home {
			list = append(list, b.gpus[g]...)
		}
		whole.Residency = append(whole.Residency, list[:min(len(list), b.whole.Jobs[j].Workers)])
	}
	for _, tasks := range iterations(s.Tasks) {
		j := tasks[0].Job
		job := &b.whole.Jobs[j]
		group, left := job.Group(), job.Workers
		depths := make([][]int, len(tasks)) // of the workers of each task
		for n, t := range tasks {
			workers := min(len(b.gpus[t.GPU]), left) / group
			left -= workers * group
			depths[n] = slices.Repeat([]int{t.Depth}, workers)
		}
		if dealt := dealt(job, b.Jobs[j].Bundle); dealt != nil {
			for _, n := range deepest(tasks) {
				copy(depths[n], dealt)
				dealt = dealt[len(depths[n]):]
			}
		}
		for n, t := range tasks {
			gpus := b.gpus[t.GPU]
			costs := job.On[b.whole.GPUs[gpus[0]].Type]
			for w, d := range depths[n] {
				for g := range group {
					t.GPU, t.Depth, t.End = gpus[w*group+g], d, t.Start+costs.Time[d]
					whole.Tasks = append(whole.Tasks, t)
				}
			}
		}
	}
	return whole
}

// iterations parts canonical tasks into those of each iteration.
func iterations(tasks []instance.Task) (list [][]instance.Task) {
	for from := 0; from < len(tasks); {
		to := from
		for to < len(tasks) && tasks[to].Job == tasks[from].Job && tasks[to].Iteration == tasks[from].Iteration {
			to++
		}
		list, from = append(list, tasks[from:to]), to
	}
	return list
}

// deepest orders tasks by falling depth.
func deepest(tasks []instance.Task) []int {
	order := instance.UpTo[int](len(tasks))
	slices.SortStableFunc(order, func(a, b int) int { return tasks[b].Depth - tasks[a].Depth })
	return order
}

// Of returns a canonical schedule of the whole as one of the bundles; nil where it does not keep to them. It
// may ask more of GPUs than these have, where jobs take parts of a bundle.
func (b *Instance) Of(whole *instance.Schedule) *instance.Schedule {
	s := &instance.Schedule{Period: whole.Period, Syncs: slices.Clone(whole.Syncs)}
	for j, home := range whole.Residency {
		var list []instance.GPUID
		for i := 0; i < len(home); {
			g := b.of[home[i]]
			if g < 0 || len(b.gpus[g]) != b.Jobs[j].Bundle {
				return nil
			}
			part := b.gpus[g][:min(len(b.gpus[g]), len(home)-i)]
			if !slices.Equal(home[i:i+len(part)], part) {
				return nil
			}
			i += len(part)
			list = append(list, g)
		}
		s.Residency = append(s.Residency, list)
	}
	for _, tasks := range iterations(whole.Tasks) {
		job, from := &b.Jobs[tasks[0].Job], len(s.Tasks)
		for i, t := range tasks {
			if i%job.Bundle == 0 {
				t.GPU = b.of[t.GPU]
				s.Tasks = append(s.Tasks, t)
			}
			last := &s.Tasks[len(s.Tasks)-1]
			if last.Depth = max(last.Depth, t.Depth); last.Start != t.Start {
				return nil
			}
		}
		if job.Contributors != nil {
			dealt := dealtBundles(job)
			for i, n := range deepest(s.Tasks[from:]) {
				t := &s.Tasks[from+n]
				if t.Depth > dealt[i] {
					return nil
				}
				t.Depth = dealt[i]
			}
		}
		for n := range s.Tasks[from:] {
			t := &s.Tasks[from+n]
			t.End = t.Start + job.On[b.GPUs[t.GPU].Type].Time[t.Depth]
		}
	}
	return s
}

// dealtBundles are the depths of a fixed rule, the deepest first.
func dealtBundles(j *instance.Job) (depths []int) {
	for d, n := range slices.Backward(j.Rule.Fixed) {
		depths = append(depths, slices.Repeat([]int{d}, n)...)
	}
	return depths
}

// Divided reports whether a node of the whole has become several.
func (b *Instance) Divided() bool {
	for n := range b.Nodes {
		if n > 0 && b.Nodes[n].Up == b.Nodes[n-1].Up {
			return true
		}
	}
	return false
}
