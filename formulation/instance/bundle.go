package instance

import "slices"

// Bundles says how a node is divided: Count bundles of Size GPUs each.
type Bundles struct{ Size, Count int }

// Bundled is an instance whose GPUs stand for bundles of GPUs of the whole: what a restriction of
// instances whose workers have several GPUs comes to. All tasks of a job on a bundle are one, and a job lives
// on bundles of one size alone. So its schedules are schedules of the whole, of equal value, and whatever makes schedules
// where a worker has one GPU makes them. What it loses: jobs on bundles of different sizes share no GPU, and of a bundle larger than a worker
// all workers have equal depths and start together.
//
// A node of several sizes becomes several nodes that have its links in common.
type Bundled struct {
	*Instance
	first []GPUID // per bundle: the first of its GPUs, which follow one another
	size  []int   // and how many these are
}

// Bundled returns the restriction in which job j lives on bundles of of[j] GPUs, which it must be
// [Job.FitsBundle] for, and node n is divided into nodes[n], by ascending size.
func (in *Instance) Bundled(of []int, nodes [][]Bundles) *Bundled {
	sizes := slices.Compact(slices.Sorted(slices.Values(of)))
	small := *in
	b := &Bundled{Instance: &small}
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
	for n, division := range nodes {
		next := in.Nodes[n].FirstGPU
		for _, d := range division {
			node, id := in.Nodes[n], NodeID(len(small.Nodes))
			at, _ := slices.BinarySearch(sizes, d.Size)
			node.Type, node.GPUs, node.FirstGPU = TypeID(int(node.Type)*len(sizes)+at), d.Count, GPUID(len(small.GPUs))
			for range d.Count {
				small.GPUs = append(small.GPUs, GPU{id, node.Type})
				b.first, b.size = append(b.first, next), append(b.size, d.Size)
				next += GPUID(d.Size)
			}
			small.Nodes = append(small.Nodes, node)
			rack := &small.Racks[node.Rack]
			rack.Nodes, rack.GPUs = append(rack.Nodes, id), rack.GPUs+d.Count
		}
	}
	small.Jobs = slices.Clone(in.Jobs)
	for j := range small.Jobs {
		job, size := &small.Jobs[j], of[j]
		job.Bundle, job.Workers = size, job.Workers/size
		job.Rule.Fixed = slices.Clone(job.Rule.Fixed)
		for d := range job.Rule.Fixed {
			job.Rule.Fixed[d] /= size
		}
		job.Rule.MinFull = (job.Rule.MinFull + size - 1) / size
		job.Rule.MinShare = ceilMulDiv(job.Rule.MinShare, 1, int64(size))
		job.On = make([]*Costs, len(small.Types))
		at, _ := slices.BinarySearch(sizes, size)
		for t, costs := range in.Jobs[j].On {
			job.On[t*len(sizes)+at] = costs
		}
	}
	small.classes = classify(small.Jobs)
	return b
}

// Divided reports whether a node of the whole has become several.
func (b *Bundled) Divided() bool {
	for n := range b.Nodes {
		if n > 0 && b.Nodes[n].Up == b.Nodes[n-1].Up {
			return true
		}
	}
	return false
}

// FitsBundle reports whether the job's workers can be taken together on bundles of so many GPUs.
func (j *Job) FitsBundle(size int) bool {
	return size%j.Group() == 0 && j.Workers%size == 0 && !slices.ContainsFunc(j.Rule.Fixed, func(n int) bool { return n%size != 0 })
}

// Whole returns a schedule as one of the whole.
func (b *Bundled) Whole(s *Schedule) *Schedule {
	whole := &Schedule{Period: s.Period, Syncs: slices.Clone(s.Syncs)}
	gpus := func(g GPUID) (list []GPUID) {
		for i := range b.size[g] {
			list = append(list, b.first[g]+GPUID(i))
		}
		return list
	}
	for _, home := range s.Residency {
		var list []GPUID
		for _, g := range home {
			list = append(list, gpus(g)...)
		}
		whole.Residency = append(whole.Residency, list)
	}
	for _, t := range s.Tasks {
		for _, g := range gpus(t.GPU) {
			t.GPU = g
			whole.Tasks = append(whole.Tasks, t)
		}
	}
	return whole
}

// Of returns a canonical schedule of the whole as one of the bundles; nil where it does not keep to them.
func (b *Bundled) Of(whole *Schedule) *Schedule {
	s := &Schedule{Period: whole.Period, Syncs: slices.Clone(whole.Syncs)}
	for j, home := range whole.Residency {
		size := b.Jobs[j].Bundle
		var list []GPUID
		for i := 0; i < len(home); i += size {
			g, ok := slices.BinarySearch(b.first, home[i])
			if !ok || b.size[g] != size || home[i+size-1] != home[i]+GPUID(size-1) {
				return nil
			}
			list = append(list, GPUID(g))
		}
		s.Residency = append(s.Residency, list)
	}
	for i := 0; i < len(whole.Tasks); {
		t := whole.Tasks[i]
		size := b.Jobs[t.Job].Bundle
		for _, other := range whole.Tasks[i : i+size] {
			if other.Start != t.Start || other.Depth != t.Depth {
				return nil
			}
		}
		g, _ := slices.BinarySearch(b.first, t.GPU)
		t.GPU = GPUID(g)
		s.Tasks = append(s.Tasks, t)
		i += size
	}
	return s
}
