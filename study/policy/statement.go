package policy

import (
	"errors"
	"math"
	"slices"
	"strconv"

	"jigsaw/formulation/instance"
	"jigsaw/study/replay"
)

// stated is a workload and a cluster as an instance without jobs, with a job spec for each class.
//
// A node is modelled as a rack, and a GPU as a node of it, so that a GPU has links of its own. An iteration takes as
// many ticks as it takes alone, rounded up, on every type of GPU and at every place. Its time off the GPU is a
// synchronisation, of which two at a time fit a GPU's links; for jobs with one GPU, which have no synchronisation, it
// is time on the GPU. Memory is not modelled: a trace does not give it, and parameters here only set the length of
// synchronisations.
type stated struct {
	empty instance.Spec
	class []instance.JobSpec
}

// Two transfers fit a GPU's links at a time, because loading in Muri has two stages, storage and CPU.
const (
	transfers      = 2
	bytesPerSecond = 1_000_000 // of one transfer
	linkRate       = instance.BitRate(8 * transfers * bytesPerSecond)
	memory         = instance.Bytes(1) << 50
	cuts           = 4 // number of depths of a job
)

// perIteration is about the number of ticks of the shortest iteration; a tick is between shortestTick and longestTick.
const (
	perIteration = 1000
	shortestTick = 10
	longestTick  = 1000
)

// trunk is faster than all GPUs' links together.
const trunk = linkRate << 20

func state(w *replay.Workload, c *replay.Cluster) (*stated, error) {
	shortest := math.Inf(1)
	for k := range w.Classes {
		shortest = min(shortest, w.Classes[k].Fastest())
	}
	s := &stated{empty: instance.Spec{
		Version: instance.Version, Name: "replay", Objective: instance.WeightedCompletion, Residence: instance.WhileRunning,
		TickUS:  min(longestTick, max(shortestTick, int64(shortest*1e6/perIteration))),
		Cluster: instance.ClusterSpec{RateLevels: []instance.RateLevel{transfers}},
	}}
	largest := make([]int, len(c.Types)) // GPUs of a node
	for t := range c.Types {
		s.empty.Cluster.GPUTypes = append(s.empty.Cluster.GPUTypes, instance.GPUTypeSpec{Name: typeName(t), Memory: memory})
	}
	for from := 0; from < len(c.Nodes); {
		to, node := from, c.Nodes[from]
		for to < len(c.Nodes) && c.Nodes[to] == node {
			to++
		}
		largest[node.Type] = max(largest[node.Type], node.GPUs)
		s.empty.Cluster.Racks = append(s.empty.Cluster.Racks, instance.RackSpec{
			Count: to - from, Nodes: node.GPUs, GPUs: 1, GPU: typeName(node.Type), NIC: linkRate, Fabric: linkRate, Uplink: trunk,
		})
		from = to
	}
	for k := range w.Classes {
		job, err := s.add(&w.Classes[k], c, largest)
		if err != nil {
			return nil, err
		}
		s.class = append(s.class, job)
	}
	return s, nil
}

func typeName(kind int) string { return "t" + strconv.Itoa(kind) }

// add adds a class: its profiles, and a job of it.
func (s *stated) add(class *replay.Class, c *replay.Cluster, largest []int) (instance.JobSpec, error) {
	var kinds []int
	for t, length := range class.Iteration {
		if length > 0 && c.Fits(class.GPUs, func(kind int) bool { return kind == t }) {
			kinds = append(kinds, t)
		}
	}
	if len(kinds) == 0 {
		return instance.JobSpec{}, errors.New("policy: a job fits no nodes of the types that it may run on")
	}
	fastest := slices.MinFunc(kinds, func(a, b int) int {
		if class.Iteration[a] < class.Iteration[b] {
			return -1
		}
		return 1
	})
	job := instance.JobSpec{Model: "m" + strconv.Itoa(len(s.class)), Workers: class.GPUs, SPB: instance.SPBSpec{Rule: "full"}}
	if class.GPUs <= largest[fastest] {
		job.Placement.Within = "rack"
		kinds = slices.DeleteFunc(kinds, func(t int) bool { return class.GPUs > largest[t] })
	} else { // all of its GPUs are of one type
		kinds = []int{fastest}
	}
	off := 0.0
	if class.GPUs > 1 {
		off = (1 - class.Stages.GPU) * class.Fastest()
		for _, t := range kinds {
			off = min(off, (1-class.Stages.GPU)*class.Iteration[t])
		}
	}
	tick := float64(s.empty.TickUS) / 1e6
	sync := int64(off / tick)
	if class.Shape != nil && class.GPUs > 1 {
		job.SPB = instance.SPBSpec{Rule: "ladder", Cuts: cuts}
	}
	for _, t := range kinds {
		whole := int64(math.Ceil(class.Iteration[t]/tick - 1e-9))
		length := max(1, whole-sync) * s.empty.TickUS * 1000
		p := &instance.Profile{Model: job.Model, GPU: typeName(t), Batch: 1, Layers: scaled(class.Shape, float64(length))}
		if sync > 0 {
			// A ring of q sends 2 (q-1)/q times the bytes, rounded up twice.
			q := float64(class.GPUs)
			p.Layers[len(p.Layers)-1].Parameters = instance.Bytes(math.Floor((float64(sync*s.empty.TickUS) - 2) * bytesPerSecond / 1e6 * q / (2 * (q - 1))))
		}
		s.empty.Profiles = append(s.empty.Profiles, p)
		job.Placement.GPUTypes = append(job.Placement.GPUTypes, typeName(t))
	}
	return job, nil
}

// scaled returns the layers of a shape, scaled to the given nanoseconds for one pass forward and back; without a shape
// a single layer.
func scaled(shape *instance.Profile, length float64) []instance.Layer {
	if shape == nil {
		return []instance.Layer{{Name: "all", Backward: instance.Duration(length)}}
	}
	total := shape.Totals()
	scale := length / float64(total.Forward+total.Backward)
	left := instance.Duration(length)
	layers := make([]instance.Layer, len(shape.Layers))
	for n, l := range shape.Layers {
		layers[n] = instance.Layer{
			Name: l.Name, Joined: l.Joined,
			Forward: instance.Duration(float64(l.Forward) * scale), Backward: instance.Duration(float64(l.Backward) * scale),
		}
		left -= layers[n].Forward + layers[n].Backward
	}
	layers[len(layers)-1].Backward += max(0, left) // remainder of rounding
	return layers
}

// job is the spec of job i of the workload with left iterations. A restart holds its GPUs before it continues.
func (s *stated) job(w *replay.Workload, i int, left int64, restart bool) instance.JobSpec {
	job := s.class[w.Jobs[i].Class]
	job.Name, job.Iterations = strconv.Itoa(i), int(left)
	if restart {
		job.Load = instance.Duration(w.ClassOf(i).Restart * 1e9)
	}
	return job
}

// Work returns the least fraction of an iteration that holds a GPU, on average
// over the workers, under a ladder of partial backpropagation. Bounds for all
// policies depend on it.
func Work(class *replay.Class) float64 {
	if class.Shape == nil || class.GPUs == 1 {
		return class.Stages.GPU
	}
	alone := *class
	alone.Iteration = []float64{class.Fastest()}
	w := &replay.Workload{Classes: []replay.Class{alone}, Jobs: []replay.Job{{Iterations: 1}}}
	s, err := state(w, &replay.Cluster{Types: []string{""}, Nodes: []replay.Node{{GPUs: class.GPUs}}})
	if err != nil {
		panic("policy: a job does not fit a node of its own: " + err.Error())
	}
	spec := s.empty
	spec.Jobs = []instance.JobSpec{s.job(w, 0, 1, false)}
	in, err := instance.Compile(&spec, nil)
	if err != nil {
		panic("policy: the instance of a class is malformed: " + err.Error())
	}
	j := &in.Jobs[0]
	least := 0.0
	for d, n := range j.Rule.Fixed {
		least += float64(n) * float64(j.On[0].Time[d])
	}
	if j.Rule.Fixed == nil {
		return class.Stages.GPU
	}
	// Ticks round up: a task by less than one, and its time on the GPU by two. The bound must not.
	mean := (least/float64(j.Workers) - 3) * float64(in.TickUS) / 1e6
	return max(0, mean) / class.Fastest()
}
