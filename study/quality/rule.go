package quality

import (
	"fmt"
	"slices"

	"jigsaw/formulation/instance"
)

// Rule determines the depths of the workers in an iteration.
type Rule struct {
	Name string
	// SPB is the rule as an instance file states it. Among the depths that a free rule
	// permits, those of least work are used, as a planner short of GPUs would.
	SPB instance.SPBSpec
	// Fewer marks full backpropagation on a quarter fewer workers, at least one, with as
	// many iterations: another way to leave work out. The workers pause in turn.
	Fewer bool
	// Control marks what no rule of SPB permits: all workers at the least depth. It
	// shows what the measurement looks like when quality is lost.
	Control bool
}

// Rules lists the rules compared, full backpropagation first.
func Rules() []Rule {
	free := func(meanDepth instance.Ratio) instance.SPBSpec {
		return instance.SPBSpec{Rule: "free", MinFull: 1, MinMeanDepth: meanDepth}
	}
	return []Rule{
		{Name: "full", SPB: instance.SPBSpec{Rule: "full"}},
		{Name: "free of 2, mean ≥ 3/4", SPB: instance.SPBSpec{Rule: "free", Cuts: 2, MinFull: 1, MinMeanDepth: instance.One * 3 / 4}},
		{Name: "free, mean ≥ 7/8", SPB: free(instance.One * 7 / 8)},
		{Name: "ladder", SPB: instance.SPBSpec{Rule: "ladder"}},
		{Name: "free, mean ≥ 3/4", SPB: free(instance.One * 3 / 4)},
		{Name: "free, mean ≥ 1/2", SPB: free(instance.One / 2)},
		{Name: "free", SPB: free(0)},
		{Name: "free, any depth", SPB: instance.SPBSpec{Rule: "free", Depths: []int{1}}},
		{Name: "a quarter fewer workers", SPB: instance.SPBSpec{Rule: "full"}, Fewer: true},
		{Name: "none full", SPB: free(0), Control: true},
	}
}

// roles are the depths of an iteration, and their savings.
type roles struct {
	depths []int // of each role, in layers, ascending
	// mean of the depth-fractions, by backward work.
	mean float64
	// work and traffic saved relative to full depth, as fractions: multiplications, and
	// gradients contributed to the average.
	work, traffic float64
}

// plannerRoles asks the planner's compiler for the depths of n under the rule for k
// workers.
func plannerRoles(model Model, n net, k int, rule Rule) (*roles, error) {
	in, err := instance.Compile(jobSpec(model, n, k, rule.SPB), nil)
	if err != nil {
		return nil, fmt.Errorf("quality: %s with %d workers, rule %s: %w", model, k, rule.Name, err)
	}
	j := &in.Jobs[0]
	counts := Cheapest(j)
	if rule.Control {
		clear(counts)
		counts[0] = k
	}
	r := &roles{}
	if rule.Fewer {
		absent := (k + 3) / 4
		counts[j.Full()] -= absent
		r.depths = make([]int, absent)
	}
	var work, traffic int64
	for d, count := range counts {
		layers := j.Depths[d].Layers
		r.depths = append(r.depths, slices.Repeat([]int{layers}, count)...)
		r.mean += float64(count) * j.Fraction(d) / float64(k)
		work += int64(count) * n.work(layers)
		traffic += int64(count) * n.size(layers)
	}
	r.work = 1 - float64(work)/float64(int64(k)*n.work(len(n)))
	r.traffic = 1 - float64(traffic)/float64(int64(k)*n.size(len(n)))
	return r, nil
}

// jobSpec is an instance of one job that trains n on a node of k GPUs. A multiplication
// takes a tick.
func jobSpec(model Model, n net, k int, rule instance.SPBSpec) *instance.Spec {
	const tick, memory, speed = instance.Duration(1000), 1 << 40, 1e12
	profile := &instance.Profile{Model: string(model), GPU: "gpu", Batch: 1}
	for i, l := range n {
		back := 2 * l.work
		if i == 0 {
			back = l.work // the gradient by the images is not needed
		}
		profile.Layers = append(profile.Layers, instance.Layer{
			Forward: tick * instance.Duration(l.work), Backward: tick * instance.Duration(back),
			Parameters: instance.Bytes(8 * len(l.values)),
		})
	}
	return &instance.Spec{
		Version: instance.Version, TickUS: int64(tick / 1000),
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "gpu", Memory: memory}},
			Racks:    []instance.RackSpec{{Nodes: 1, GPUs: k, GPU: "gpu", NIC: speed, Fabric: speed}},
		},
		Profiles: []*instance.Profile{profile},
		Jobs:     []instance.JobSpec{{Name: "job", Model: string(model), Workers: k, SPB: rule}},
	}
}

// Cheapest returns how many workers take each depth with the least work that the
// job's rule permits on the first GPU type; ties go to deeper ones.
func Cheapest(j *instance.Job) []int {
	var best []int
	var least instance.Tick
	counts := make([]int, len(j.Depths))
	var choose func(d, left int, work instance.Tick)
	choose = func(d, left int, work instance.Tick) {
		if d == j.Full() {
			counts[d] = left
			work += instance.Tick(left) * j.On[0].Time[d]
			if j.Allows(counts) && (best == nil || work < least) {
				best, least = slices.Clone(counts), work
			}
			return
		}
		for n := range left + 1 {
			counts[d] = n
			choose(d+1, left-n, work+instance.Tick(n)*j.On[0].Time[d])
		}
	}
	choose(0, j.Workers, 0)
	return best
}

// work is the number of multiplications of an iteration at a depth, for one sample.
// Depth 0 is a worker that pauses.
func (n net) work(depth int) (sum int64) {
	if depth == 0 {
		return 0
	}
	for i, l := range n {
		sum += l.work
		if back := i - (len(n) - depth); back > 0 {
			sum += 2 * l.work
		} else if back == 0 {
			sum += l.work
		}
	}
	return sum
}

// size is the number of weights of the last depth layers.
func (n net) size(depth int) (sum int64) {
	for _, l := range n[len(n)-depth:] {
		sum += int64(len(l.values))
	}
	return sum
}
