package view

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// The schedules to look at are made by a dumb builder: every job goes to the
// least loaded GPUs, every iteration takes the first gap. They are valid, but
// nobody would call them good.

// model makes a profile of n equal layers.
func model(name, gpu string, n int, forward, backward instance.Duration, parameters, activations instance.Bytes) *instance.Profile {
	p := &instance.Profile{Model: name, GPU: gpu, Batch: 32, Workspace: 100e6}
	for range n {
		p.Layers = append(p.Layers, instance.Layer{Name: "l", Forward: forward / instance.Duration(n), Backward: backward / instance.Duration(n),
			Parameters: parameters / instance.Bytes(n), Activations: activations / instance.Bytes(n)})
	}
	return p
}

var models = []*instance.Profile{
	model("vgg", "v100", 16, 60e6, 120e6, 240e6, 2e9),
	model("resnet", "v100", 50, 45e6, 95e6, 100e6, 3e9),
	model("bert", "v100", 24, 90e6, 190e6, 500e6, 4e9),
	model("gnmt", "v100", 8, 40e6, 70e6, 150e6, 1e9),
	model("dlrm", "v100", 4, 12e6, 22e6, 80e6, 5e8),
	model("inception", "v100", 20, 30e6, 66e6, 70e6, 1e9),
}

func compile(t testing.TB, spec *instance.Spec) *instance.Instance {
	t.Helper()
	spec.Version = instance.Version
	if spec.Profiles == nil {
		spec.Profiles = models
	}
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	return in
}

func racks(count, nodes, gpus int) instance.ClusterSpec {
	return instance.ClusterSpec{
		GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 32 << 30}},
		Racks: []instance.RackSpec{{Count: count, Nodes: nodes, GPUs: gpus, GPU: "v100",
			NIC: 25e9, Fabric: 300e9, Oversubscription: 2 * instance.One}},
	}
}

// busy is a reservation of a GPU or a link.
type busy struct {
	from, to instance.Tick
	rate     instance.Rate
}

// builder places iterations in the first gap.
type builder struct {
	in     *instance.Instance
	period instance.Tick
	gpus   [][]busy
	links  [][]busy
}

// free reports whether rate more fits from t on for n ticks, and otherwise a
// later time to try. Exclusive use is rate 1 of capacity 1.
func (b *builder) free(list []busy, capacity, rate instance.Rate, t, n instance.Tick) (bool, instance.Tick) {
	if b.period > 0 {
		first := t % b.period
		for _, shift := range []instance.Tick{-b.period, 0, b.period} {
			if ok, next := overlaps(list, capacity, rate, first+shift, n); !ok {
				return false, max(t+1, t-first+next-shift)
			}
		}
		return true, 0
	}
	return overlaps(list, capacity, rate, t, n)
}

func overlaps(list []busy, capacity, rate instance.Rate, t, n instance.Tick) (bool, instance.Tick) {
	sum, next := rate, instance.Tick(-1)
	for _, r := range list[max(0, len(list)-200):] {
		if r.from < t+n && t < r.to {
			// Not exact for rates, since these may not overlap each other; but safe.
			if sum += r.rate; next < 0 || r.to < next {
				next = r.to
			}
		}
	}
	return sum <= capacity, next
}

func (b *builder) reserve(list *[]busy, t, n instance.Tick, rate instance.Rate) {
	if b.period > 0 {
		t %= b.period
		if over := t + n - b.period; over > 0 {
			*list = append(*list, busy{0, over, rate})
			n -= over
		}
	}
	*list = append(*list, busy{t, t + n, rate})
}

// demo builds a schedule; iterations[j] per period where period > 0.
func demo(in *instance.Instance, period instance.Tick, iterations func(j int) int) *instance.Schedule {
	b := &builder{in: in, period: period, gpus: make([][]busy, len(in.GPUs)), links: make([][]busy, len(in.Links))}
	s := &instance.Schedule{Period: period, Residency: make([][]instance.GPUID, len(in.Jobs))}
	load := make([]instance.Tick, len(in.GPUs))
	ready := make([]instance.Tick, len(in.Jobs))
	done := make([]int, len(in.Jobs))
	rounds := 0
	for j := range in.Jobs {
		job := &in.Jobs[j]
		var best []instance.GPUID
		var bestLoad instance.Tick
		consider := func(from []instance.GPUID) {
			var gpus []instance.GPUID
			for _, g := range from {
				if job.Runs(in.GPUs[g].Type) {
					gpus = append(gpus, g)
				}
			}
			if len(gpus) < job.Workers {
				return
			}
			slices.SortStableFunc(gpus, func(a, b instance.GPUID) int { return cmp.Compare(load[a], load[b]) })
			gpus = gpus[:job.Workers]
			var sum instance.Tick
			for _, g := range gpus {
				sum += load[g]
			}
			if best == nil || sum < bestLoad {
				best, bestLoad = gpus, sum
			}
		}
		var all []instance.GPUID
		for n := range in.Nodes {
			var gpus []instance.GPUID
			for g := range in.Nodes[n].GPUs {
				gpus = append(gpus, in.Nodes[n].FirstGPU+instance.GPUID(g))
			}
			consider(gpus)
			all = append(all, gpus...)
			if n%4 == 3 {
				consider(all[max(0, len(all)-4*len(gpus)):])
			}
		}
		if best == nil {
			consider(all)
		}
		slices.Sort(best)
		s.Residency[j] = best
		for _, g := range best {
			load[g] += job.On[in.GPUs[g].Type].Time[job.Full()] * instance.Tick(iterations(j))
		}
		if ready[j] = job.Release; period > 0 {
			ready[j] += period * 3 / 4
		}
		rounds = max(rounds, iterations(j))
	}
	for {
		j := -1
		for k := range in.Jobs {
			if done[k] < iterations(k) && (j < 0 || ready[k] < ready[j]) {
				j = k
			}
		}
		if j < 0 {
			break
		}
		done[j]++
		b.iteration(s, instance.JobID(j), done[j], &ready[j])
	}
	s.Sort()
	return s
}

func (b *builder) iteration(s *instance.Schedule, j instance.JobID, n int, ready *instance.Tick) {
	in := b.in
	job := &in.Jobs[j]
	counts := job.Rule.Fixed
	if counts == nil {
		counts = make([]int, len(job.Depths))
		counts[job.Full()] = job.Workers
	}
	var depths []int
	for d, k := range counts {
		for range k {
			depths = append(depths, d)
		}
	}
	var end instance.Tick
	for i, g := range s.Residency[j] {
		d := depths[(i+n)%len(depths)]
		length := job.On[in.GPUs[g].Type].Time[d]
		t := *ready
		for {
			ok, next := b.free(b.gpus[g], 1, 1, t, length)
			if ok {
				break
			}
			t = next
		}
		b.reserve(&b.gpus[g], t, length, 1)
		s.Tasks = append(s.Tasks, instance.Task{Job: j, Iteration: n, GPU: g, Depth: d, Start: t, End: t + length})
		end = max(end, t+length)
	}
	if *ready = end; !job.HasSync() {
		return
	}
	span, _ := in.Span(s.Residency[j])
	level := in.RateLevels[min((int(j)+n)%3, len(in.RateLevels)-1)]
	rate := span.Rate(level)
	length := in.SyncTicks(job.Volume(counts, span.Parties), rate)
	t := end
	for again := true; again; {
		again = false
		for _, u := range span.Uses {
			if ok, next := b.free(b.links[u.Link], in.Capacity(u.Link), rate*instance.Rate(u.Times), t, length); !ok {
				t, again = next, true
				break
			}
		}
	}
	for _, u := range span.Uses {
		b.reserve(&b.links[u.Link], t, length, rate*instance.Rate(u.Times))
	}
	s.Syncs = append(s.Syncs, instance.Sync{Job: j, Iteration: n, Start: t, End: t + length, Rate: level})
	*ready = t + length
}

func ofInstance(in *instance.Instance) func(int) int {
	return func(j int) int { return in.Jobs[j].Iterations }
}

// quickstart is five jobs on two nodes of four GPUs.
func quickstart(t testing.TB) (*instance.Instance, *instance.Schedule) {
	in := compile(t, &instance.Spec{Name: "quickstart", Cluster: racks(1, 2, 4), Jobs: []instance.JobSpec{
		{Name: "vgg", Model: "vgg", Workers: 4, Iterations: 6},
		{Name: "resnet", Model: "resnet", Workers: 4, Iterations: 8},
		{Name: "bert", Model: "bert", Workers: 6, Iterations: 5},
		{Name: "gnmt", Model: "gnmt", Workers: 4, Iterations: 8, Release: 200e6},
		{Name: "dlrm", Model: "dlrm", Workers: 2, Iterations: 12, Deadline: 1500e6},
	}})
	return in, demo(in, 0, ofInstance(in))
}

// rack is 24 jobs on eight nodes of eight GPUs.
func rack(t testing.TB) (*instance.Instance, *instance.Schedule) {
	spec := &instance.Spec{Name: "rack", Cluster: racks(2, 4, 8)}
	for i, m := range []string{"vgg", "resnet", "bert", "gnmt", "dlrm", "inception"} {
		spec.Jobs = append(spec.Jobs, instance.JobSpec{Name: m, Model: m, Count: 4, Workers: []int{8, 4, 16, 8, 4, 8}[i], Iterations: 10})
	}
	in := compile(t, spec)
	return in, demo(in, 0, ofInstance(in))
}

// large is racks of four nodes of eight GPUs.
func large(t testing.TB, racksOf32, iterations int) (*instance.Instance, *instance.Schedule) {
	spec := &instance.Spec{Name: fmt.Sprintf("%d GPUs", racksOf32*32), Cluster: racks(racksOf32, 4, 8)}
	for i, m := range []string{"vgg", "resnet", "bert", "gnmt", "dlrm", "inception"} {
		spec.Jobs = append(spec.Jobs, instance.JobSpec{Name: m, Model: m, Count: racksOf32, Workers: []int{16, 8, 32, 8, 4, 16}[i], Iterations: iterations})
	}
	in := compile(t, spec)
	return in, demo(in, 0, ofInstance(in))
}

func periodic(t testing.TB) (*instance.Instance, *instance.Schedule) {
	in := compile(t, &instance.Spec{Name: "steady state", Objective: instance.Throughput, Cluster: racks(1, 2, 2), Jobs: []instance.JobSpec{
		{Name: "vgg", Model: "vgg", Workers: 4},
		{Name: "resnet", Model: "resnet", Workers: 2},
		{Name: "dlrm", Model: "dlrm", Workers: 3},
		{Name: "gnmt", Model: "gnmt", Workers: 2},
	}})
	return in, demo(in, 487, func(j int) int { return []int{1, 2, 3, 1}[j] })
}

// hetero is nodes of two GPU types and unequal size behind a trunk.
func hetero(t testing.TB) (*instance.Instance, *instance.Schedule) {
	in := compile(t, &instance.Spec{Name: "hetero", Objective: instance.WeightedCompletion, Cluster: instance.ClusterSpec{
		GPUTypes: []instance.GPUTypeSpec{
			{Name: "v100", Memory: 32 << 30},
			{Name: "a100-80GB", Memory: 80 << 30, ProfiledAs: []instance.ProfiledAs{{GPU: "v100", Speed: 2 * instance.One}}},
		},
		Switches: []instance.SwitchSpec{{Name: "left"}, {Name: "right"}},
		Nodes: []instance.NodeSpec{
			{Name: "alpha", Switch: "left", GPU: "v100", GPUs: 4, NIC: 25e9, Fabric: 300e9},
			{Name: "beta", Switch: "left", GPU: "a100-80GB", GPUs: 2, NIC: 100e9, Fabric: 600e9},
			{Name: "gamma", Switch: "right", GPU: "a100-80GB", GPUs: 4, NIC: 100e9, Fabric: 600e9},
			{Name: "delta", Switch: "right", GPU: "v100", GPUs: 1, NIC: 10e9, Fabric: 300e9},
		},
		Links: []instance.LinkSpec{{Name: "trunk", From: "left", To: "right", Rate: 50e9}},
	}, Jobs: []instance.JobSpec{
		{Name: "vision", Model: "vgg", Workers: 6, Iterations: 6, Weight: 3},
		{Name: "language", Model: "bert", Workers: 8, Iterations: 4},
		{Name: "ranking", Model: "dlrm", Workers: 3, Iterations: 10, Placement: instance.PlacementSpec{GPUTypes: []string{"a100-80GB"}}},
		{Name: "probe", Model: "gnmt", Workers: 1, Iterations: 9, Deadline: 1e9},
		{Name: "speech", Model: "inception", Workers: 4, Iterations: 7, SPB: instance.SPBSpec{Rule: "full"}},
	}})
	return in, demo(in, 0, ofInstance(in))
}

// queues is jobs that find room in memory one after the other, and are loaded before.
func queues(t testing.TB) (*instance.Instance, *instance.Schedule) {
	in := compile(t, &instance.Spec{Name: "queues", Residence: instance.WhileRunning, Cluster: racks(1, 1, 1), Jobs: []instance.JobSpec{
		{Name: "late", Model: "bert", Workers: 1, Iterations: 3, Release: 90e6, Load: 30e6},
		{Name: "after", Model: "bert", Workers: 1, Iterations: 2, Load: 50e6},
		{Name: "at once", Model: "bert", Workers: 1, Iterations: 2},
	}})
	costs := in.Jobs[0].On[0]
	in.Types[0].Memory = costs.Persistent + slices.Max(costs.Ephemeral)
	s := &instance.Schedule{Residency: [][]instance.GPUID{{0}, {0}, {0}}}
	at := in.Jobs[0].Release
	for j := range in.Jobs {
		job := &in.Jobs[j]
		at += job.Load
		for n := range job.Iterations {
			s.Tasks = append(s.Tasks, instance.Task{Job: instance.JobID(j), Iteration: n + 1, Depth: len(job.Depths) - 1, Start: at, End: at + slices.Max(job.On[0].Time)})
			at = s.Tasks[len(s.Tasks)-1].End
		}
	}
	return in, s
}
