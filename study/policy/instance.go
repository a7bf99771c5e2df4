package policy

import (
	"fmt"
	"math"

	"jigsaw/formulation/instance"
	"jigsaw/study/replay"
)

// The instance of a group is on one node whose fabric carries two transfers at a
// time, each at bytesPerSecond.
const (
	bytesPerSecond = 1_000_000
	groupFabric    = instance.BitRate(8 * loaders * bytesPerSecond)
	groupMemory    = instance.Bytes(1) << 50 // memory is not modelled
	// ticks of the longest iteration of a group.
	ticks = 500
	// longestPeriod of a group's plan, in iterations of its longest.
	longestPeriod = 8
)

// groupInstance states the problem of a group.
//
// Ladders of more than mostWorkers are stated with as many workers, whose depths
// are about the same mix. A lone worker is stated as two that do the same, since its
// off-GPU time is a synchronisation.
func groupInstance(w *replay.Workload, classes []int, kind int) *instance.Spec {
	workers, longest := groupWorkers(w.Classes[classes[0]].GPUs), 0.0
	for _, c := range classes {
		longest = max(longest, w.Classes[c].Iteration[kind])
	}
	spec := &instance.Spec{
		Version: instance.Version, Name: "group", Objective: instance.MaxMinThroughput,
		TickUS: max(1, int64(longest*1e6/ticks)), MaxPeriod: instance.Duration(longestPeriod * longest * 1e9),
		Cluster: instance.ClusterSpec{
			GPUTypes:   []instance.GPUTypeSpec{{Name: "gpu", Memory: groupMemory}},
			Racks:      []instance.RackSpec{{Nodes: 1, GPUs: workers, GPU: "gpu", NIC: groupFabric, Fabric: groupFabric}},
			RateLevels: []instance.RateLevel{loaders},
		},
	}
	for k, c := range classes {
		class := &w.Classes[c]
		name := fmt.Sprint(k)
		length := class.Iteration[kind]
		compute := max(class.Stages.GPU*length, 1e-6)
		spec.Profiles = append(spec.Profiles, groupProfile(class, name, compute, max(0, length-compute), workers))
		rule := "ladder"
		if class.Shape == nil || class.GPUs == 1 {
			rule = "full"
		}
		spec.Jobs = append(spec.Jobs, instance.JobSpec{
			Name: name, Model: name, Workers: workers, SPB: instance.SPBSpec{Rule: rule, Cuts: cuts},
			// The planner normalises rates by the compute time; the weight makes it the
			// whole iteration.
			Weight: max(1, int64(math.Round(1e6*compute/length))),
		})
	}
	return spec
}

// cuts is the number of depths of a job.
const cuts = 4

// mostWorkers is with how many workers a job is stated at most.
const mostWorkers = 8

func groupWorkers(gpus int) int { return min(max(gpus, 2), mostWorkers) }

// groupProfile scales the shape of a class to so many seconds of compute. The bytes
// that make its off-GPU time are in the last layer, which all workers
// back-propagate, so that the depths do not change them.
func groupProfile(class *replay.Class, name string, compute, off float64, workers int) *instance.Profile {
	// A ring moves 2 (k-1)/k times the bytes.
	bytes := off * bytesPerSecond * float64(workers) / (2 * float64(workers-1))
	p := &instance.Profile{Model: name, GPU: "gpu", Batch: 1}
	if class.Shape == nil {
		p.Layers = []instance.Layer{{Name: "all", Backward: instance.Duration(compute * 1e9)}}
	} else {
		total := class.Shape.Totals()
		scale := compute * 1e9 / float64(total.Forward+total.Backward)
		for _, l := range class.Shape.Layers {
			p.Layers = append(p.Layers, instance.Layer{
				Name: l.Name, Joined: l.Joined,
				Forward: instance.Duration(float64(l.Forward) * scale), Backward: instance.Duration(float64(l.Backward) * scale),
			})
		}
	}
	p.Layers[len(p.Layers)-1].Parameters = instance.Bytes(bytes)
	return p
}

// Work returns the least part of an iteration that holds a GPU, on average over
// the workers: what partial backpropagation by a ladder leaves. Bounds for all
// policies rest on it.
func Work(class *replay.Class) float64 {
	if class.Shape == nil || class.GPUs == 1 {
		return class.Stages.GPU
	}
	w := &replay.Workload{Classes: []replay.Class{*class}}
	kind := 0
	for class.Iteration[kind] == 0 {
		kind++
	}
	in, err := instance.Compile(groupInstance(w, []int{0}, kind), nil)
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
	// Ticks round up by less than one a task; the bound must not.
	mean := (least/float64(j.Workers) - 1) * float64(in.TickUS) / 1e6
	return max(0, mean) / class.Iteration[kind]
}
