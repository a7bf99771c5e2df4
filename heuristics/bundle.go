package heuristics

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/bundle"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

// If workers have several GPUs, the searches run on bundles of GPUs (see package bundle), with several ways
// of dividing the nodes among sizes.

// bundled makes a schedule on the bundles with the best quick schedule; if all workers have one GPU, on the
// instance itself.
func (c Config) bundled(ctx context.Context, in *instance.Instance, schedule scheduler) (*instance.Schedule, error) {
	if !in.Grouped() {
		return schedule(c, in)
	}
	best, s, err := c.bestBundles(ctx, in, schedule)
	if err != nil || c.Quick || ctx.Err() != nil {
		return s, err
	}
	if further, err := schedule(c.within(best), best.Instance); err == nil && !in.Objective.Better(in.Value(s), in.Value(best.Whole(further))) {
		s = best.Whole(further)
	}
	return s, nil
}

type scheduler func(Config, *instance.Instance) (*instance.Schedule, error)

// bestBundles returns the bundles with the best quick schedule, and that schedule on the whole instance.
func (c Config) bestBundles(ctx context.Context, in *instance.Instance, schedule scheduler) (best *bundle.Instance, s *instance.Schedule, err error) {
	quick := c
	quick.Quick, quick.Improved, quick.Constructed = true, nil, nil
	err = &NoPlan{Reason: "however the nodes are divided into groups of GPUs, the workers of all jobs do not fit"}
	for _, b := range bundlings(in) {
		found, failed := schedule(quick.within(b), b.Instance)
		if failed != nil {
			err = failed
			continue
		}
		if whole := b.Whole(found); s == nil || in.Objective.Better(in.Value(whole), in.Value(s)) {
			best, s = b, whole
		}
		if ctx.Err() != nil {
			break
		}
	}
	if s != nil {
		err = nil
	}
	return best, s, err
}

// improveBundled is [Config.Improve] on the bundles that start respects, or otherwise from the best schedule
// of its own.
func (c Config) improveBundled(ctx context.Context, in *instance.Instance, rng *rand.Rand, start *instance.Schedule) *instance.Schedule {
	var on *bundle.Instance
	var from *instance.Schedule
	for _, b := range bundlings(in) {
		if from = b.Of(start); from != nil && keeps(b, from) {
			on = b
			break
		}
	}
	if on == nil {
		var s *instance.Schedule
		var err error
		if on, s, err = c.bestBundles(ctx, in, func(c Config, in *instance.Instance) (*instance.Schedule, error) { return c.Greedy(ctx, in, rng) }); err != nil {
			return start
		}
		from = on.Of(s)
	}
	if s, err := c.within(on).Improve(ctx, on.Instance, rng, from); err == nil && in.Objective.Better(in.Value(on.Whole(s)), in.Value(start)) {
		return on.Whole(s)
	}
	return start
}

// keeps reports whether a schedule of the whole instance is valid on the bundles.
func keeps(b *bundle.Instance, s *instance.Schedule) bool {
	plain := *b.Instance // the check knows neither bundles nor the volume of their synchronisations
	plain.Jobs = slices.Clone(plain.Jobs)
	for j := range plain.Jobs {
		plain.Jobs[j].GPUsPerWorker = 0
	}
	return !slices.ContainsFunc(check.Schedule(&plain, s), func(v check.Violation) bool {
		return v.Rule != check.SyncLength && (v.Rule != check.SyncAfterTasks || plain.Jobs[v.Job].Workers > 1)
	})
}

// within is the configuration for a search on the bundles.
func (c Config) within(b *bundle.Instance) Config {
	tell := func(listener func(*instance.Schedule)) func(*instance.Schedule) {
		if listener == nil {
			return nil
		}
		return func(s *instance.Schedule) { listener(b.Whole(s)) }
	}
	c.Improved, c.Constructed = tell(c.Improved), tell(c.Constructed)
	if b.Divided() {
		// Exchanges assume that nodes without a common trunk are independent.
		c.Without = c.Without.With(method.Exchange, method.Neighbourhoods)
	}
	return c
}

// mostDivided is the largest number of nodes that may have bundles of several sizes on one node.
const mostDivided = 8

// bundlings are the ways of dividing the nodes into bundles that are tried: every job on groups of its workers' size,
// and all that can on groups of the largest; nodes in proportion to the work of the jobs of a size, or with half or
// twice as much for the largest. Every job has room, except in a plan that repeats, where jobs may have no iterations:
// there all nodes may also be of one size.
func bundlings(in *instance.Instance) (list []*bundle.Instance) {
	own, greatest := make([]int, len(in.Jobs)), 1
	for j := range in.Jobs {
		own[j] = in.Jobs[j].Group()
		greatest = max(greatest, own[j])
	}
	joint := slices.Clone(own)
	for j := range joint {
		if greatest%own[j] == 0 {
			joint[j] = greatest
		}
	}
	seen := map[string]bool{}
	add := func(of []int, nodes [][]bundle.Division) {
		if key := fmt.Sprint(of, nodes); !seen[key] {
			seen[key] = true
			if b := bundle.New(in, of, nodes); b != nil && (in.Objective.Periodic() || roomy(b.Instance)) {
				list = append(list, b)
			}
		}
	}
	for _, of := range [][]int{own, joint} {
		for _, weight := range []float64{1, 0.5, 2} {
			for _, divided := range []bool{false, true} {
				if !divided || len(in.Nodes) <= mostDivided {
					add(of, divide(in, of, weight, divided))
				}
			}
		}
	}
	if in.Objective == instance.Throughput {
		for _, size := range slices.Compact(slices.Sorted(slices.Values(own))) {
			nodes := make([][]bundle.Division, len(in.Nodes))
			for n := range nodes {
				if count := in.Nodes[n].GPUs / size; count > 0 {
					nodes[n] = []bundle.Division{{Size: size, Count: count}}
				}
			}
			add(own, nodes)
		}
	}
	return list
}

// divide divides the nodes of each type among the sizes, the largest first, by the work of the jobs that may
// run there; that of the largest counts weight times. Without divided a node has one size.
func divide(in *instance.Instance, of []int, weight float64, divided bool) [][]bundle.Division {
	sizes := slices.Compact(slices.Sorted(slices.Values(of)))
	nodes := make([][]bundle.Division, len(in.Nodes))
	for t := range in.Types {
		want := shares(in, instance.TypeID(t), of, sizes, weight)
		for n := range in.Nodes {
			free := in.Nodes[n].GPUs
			if in.Nodes[n].Type != instance.TypeID(t) {
				continue
			}
			for at, size := range slices.Backward(sizes) {
				count := free / size
				if divided && at > 0 || want[at] <= 0 {
					count = min(count, max(0, want[at]+size-1)/size)
				}
				if count > 0 {
					nodes[n] = append(nodes[n], bundle.Division{Size: size, Count: count})
					want[at], free = want[at]-count*size, free-count*size
					if !divided {
						break
					}
				}
			}
			slices.Reverse(nodes[n])
		}
	}
	return nodes
}

// shares are the numbers of GPUs of a type that the jobs of each size get: in proportion to their work, and
// at least what the widest job, and memory, need; the smallest size has no limit.
func shares(in *instance.Instance, t instance.TypeID, of, sizes []int, weight float64) []int {
	work, held, need, want := make([]float64, len(sizes)), make([]float64, len(sizes)), make([]int, len(sizes)), make([]int, len(sizes))
	for j := range in.Jobs {
		job := &in.Jobs[j]
		if !job.Runs(t) {
			continue
		}
		at, _ := slices.BinarySearch(sizes, of[j])
		each := float64(job.Workers) * float64(job.On[t].Time[job.Full()])
		if !in.Objective.Periodic() {
			each *= float64(job.Iterations)
		}
		work[at] += each
		need[at] = max(need[at], job.Workers)
		if held[at] += float64(job.Workers) * float64(job.On[t].Persistent) / float64(max(1, in.Types[t].Memory)); !in.Queues() {
			need[at] = max(need[at], int(math.Ceil(held[at])))
		}
	}
	work[len(work)-1] *= weight
	gpus, whole, needs := 0, 0.0, 0
	for n := range in.Nodes {
		if in.Nodes[n].Type == t {
			gpus += in.Nodes[n].GPUs
		}
	}
	for at := range sizes {
		whole, needs = whole+work[at], needs+need[at]
	}
	for at := range slices.Backward(sizes) {
		if at == 0 {
			want[at] = gpus
			break
		}
		needs -= need[at]
		if work[at] > 0 {
			want[at] = max(need[at], min(int(math.Round(float64(gpus)*work[at]/whole)), gpus-needs))
		}
		whole, gpus = whole-work[at], max(0, gpus-want[at])
	}
	if want[0] == 0 {
		want[0] = 1 // what no other size takes
	}
	return want
}

// roomy reports whether every job has enough GPUs within its limits.
func roomy(in *instance.Instance) bool {
	return !slices.ContainsFunc(in.AllJobs(), func(j instance.JobID) bool { return !state.Fits(in, j, in.AllNodes()) })
}
