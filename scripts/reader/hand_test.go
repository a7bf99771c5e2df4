package reader_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
)

// TestByHand compares both readers with figures computed by hand from docs/problem.md, so that
// they do not agree on a common mistake.
func TestByHand(t *testing.T) {
	r := newReader(t)
	for _, c := range []struct {
		name, file  string
		residencies []residency
		want        func(t *testing.T, a answer)
	}{
		{"cuts, ladder, fractions, volumes", `
version: 1
cluster:
  gpu_types: [{name: fast, memory: 1GiB}, {name: slow, memory: 1GiB, profiled_as: [{gpu: fast, speed: 0.3}]}]
  racks:
    - {nodes: 2, gpus: 2, gpu: fast, nic: 8Mbit/s, fabric: 8Mbit/s, oversubscription: 0.3}
    - {nodes: 1, gpus: 1, gpu: slow, nic: 8Mbit/s, fabric: 8Mbit/s, uplink: 4Mbit/s}
  exceptions: [{link: r0n0.up, rate: 3Mbit/s}]
  latency: 1.5ms
profiles:
  - model: m
    gpu: fast
    batch: 1
    workspace: 7B
    layers: # the last 1, 2, 3, 4 layers take 2, 4, 5, 6 ms backward
      - {name: a, forward: 1ms, backward: 1ms, parameters: 100B, activations: 1000B}
      - {name: b, forward: 1ms, backward: 1ms, parameters: 11B, activations: 100B}
      - {name: c, forward: 0.25ms, backward: 2ms, parameters: 1000B, activations: 10B, joined: true}
      - {name: d, forward: 0ms, backward: 2ms, parameters: 1B, activations: 1B}
jobs:
  # A quarter takes depth 1; the half would take 2, which is no cut, so 3; three quarters take 3.
  - {name: even, model: m, workers: 3, deadline: 99.9ms, release: 0.1ms, optimizer: sgd}
  - {name: given, model: m, workers: 4, spb: {rule: free, depths: [1], min_mean_depth: 50%}}
`, []residency{{"given", []instance.GPUID{0, 1, 2, 3}}, {"even", []instance.GPUID{0, 1, 4}}}, func(t *testing.T, a answer) {
			even, given := a.Figures.Jobs[0], a.Figures.Jobs[1]
			require.Equal(t, []int{1, 3, 4}, even.Depths)
			require.Equal(t, [][]int{{0, 2, 1}}, even.Allowed) // 1/3 and 2/3 of 4 layers are 1.3 and 2.7
			require.Equal(t, []int64{1, 1011, 100}, even.Segments)
			require.Equal(t, instance.Tick(99), *even.Deadline)
			require.Equal(t, instance.Tick(1), even.Release)
			// 2.25 + 2, 5 and 6 ms, and that over 0.3: 14.17, 24.17 and 27.5 ms.
			require.Equal(t, costFigures{[]instance.Tick{5, 8, 9}, 2224, []int64{8, 118, 1118}}, even.On["fast"])
			require.Equal(t, costFigures{[]instance.Tick{15, 25, 28}, 2224, []int64{8, 118, 1118}}, even.On["slow"])
			// One at full depth and three at 2/6 have exactly the mean 1/2.
			require.Equal(t, [][]int{{0, 4}, {1, 3}, {2, 2}, {3, 1}}, given.Allowed)
			require.Equal(t, instance.Tick(2), a.Figures.Latency)
			// 2 x 8 Mbit/s / 0.3, rounded up, whatever the exception of a network card.
			require.Contains(t, a.Figures.Links, linkFigures{"r0.up", 53_333_334, false})
			require.Contains(t, a.Figures.Links, linkFigures{"r0n0.up", 3_000_000, false})

			given2 := a.Residencies[0] // on two nodes; segments of 1 and 1111 bytes
			require.Equal(t, 2, given2.Parties)
			require.Equal(t, map[string]int{"r0n0.up": 1, "r0n0.down": 1, "r0n1.up": 1, "r0n1.down": 1}, given2.Crossings)
			require.Equal(t, "3000000", given2.Speed)
			// 1 + 1 bytes, and 556 + 556; of a lone contributor 0 + 556.
			require.Equal(t, []int64{1114, 1114, 1114, 558}, given2.Volumes)
			// 1114 x 8 bits at 3, 1.5 and 0.75 Mbit/s are 2.97, 5.94 and 11.9 ms; 558 x 8: 1.488, 2.976, 5.952.
			require.Equal(t, []instance.Tick{3, 6, 12}, given2.Lengths[0])
			require.Equal(t, []instance.Tick{2, 3, 6}, given2.Lengths[3])
			// Nodes 0 and 2 in two racks: a ring crosses each link between racks once.
			require.Equal(t, map[string]int{
				"r0n0.up": 1, "r0n0.down": 1, "r1n0.up": 1, "r1n0.down": 1, "r0.up": 1, "r0.down": 1, "r1.up": 1, "r1.down": 1,
			}, a.Residencies[1].Crossings)
		}},
		{"sharding, checkpointing, micro-batches", `
version: 1
cluster:
  gpu_types: [{name: g, memory: 1GiB}]
  racks: [{nodes: 1, gpus: 3, gpu: g, nic: 8Mbit/s, fabric: 8Mbit/s}]
profiles:
  - model: m
    gpu: g
    batch: 1
    precision: bf16
    workspace: 7B
    layers: # blocks of 6, 4 + 8 and 10 bytes of parameters
      - {name: a, forward: 1ms, backward: 2ms, parameters: 6B, activations: 100B, input: 3B}
      - {name: b, forward: 1ms, backward: 2ms, parameters: 4B, activations: 200B, input: 5B}
      - {name: c, forward: 1ms, backward: 2ms, parameters: 8B, activations: 50B, input: 11B, joined: true}
      - {name: d, forward: 1ms, backward: 2ms, parameters: 10B, activations: 30B, input: 2B}
jobs:
  - {name: a, model: m, workers: 3, optimizer: adam, sharding: zero3, accumulate: 4, checkpointing: true, spb: {rule: free, depths: [1, 3]}}
  - {name: b, model: m, workers: 3, optimizer: sgd, sharding: zero1, spb: {rule: free, depths: [1, 3]}}
`, []residency{{"a", []instance.GPUID{0, 1, 2}}, {"b", []instance.GPUID{0, 1, 2}}}, func(t *testing.T, a answer) {
			first, second := a.Figures.Jobs[0], a.Figures.Jobs[1]
			// Four times 4 + 2 + 1, 4 + 6 + 3 and 4 + 8 + 4 ms; 28 x (1 + 1 + 6) bytes over 3, rounded up;
			// 7 and 2 x 12 bytes, and 2 + 30, 7 + 250 and 10 + 250.
			require.Equal(t, costFigures{[]instance.Tick{28, 52, 64}, 75, []int64{63, 288, 291}}, first.On["g"])
			// 28 bytes twice, and 2 x 28 over 3.
			require.Equal(t, costFigures{[]instance.Tick{6, 10, 12}, 75, []int64{37, 287, 387}}, second.On["g"])
			// Of segments of 10, 12 and 6 bytes back-propagated by 3, 2 and 1 workers 7 + 6 + 0 bytes are reduced, and 7 + 8 + 4 sent to all.
			at := slices.IndexFunc(first.Allowed, func(counts []int) bool { return slices.Equal(counts, []int{1, 1, 1}) })
			require.Equal(t, int64(4*13+8*19), a.Residencies[0].Volumes[at])
			require.Equal(t, int64(13+19), a.Residencies[1].Volumes[at])
		}},
		{"workers of several GPUs", `
version: 1
cluster:
  gpu_types: [{name: g, memory: 1GiB}]
  racks: [{nodes: 2, gpus: 5, gpu: g, nic: 8Mbit/s, fabric: 8Mbit/s}]
  latency: 3ms
profiles:
  - model: m
    gpu: g
    batch: 1
    gpus: 2
    workspace: 7B
    layers:
      - {name: a, forward: 1ms, backward: 2ms, parameters: 6B, activations: 100B}
      - {name: b, forward: 1ms, backward: 2ms, parameters: 5B, activations: 201B}
  - {model: m, gpu: g, batch: 1, layers: [{name: whole, forward: 7ms, backward: 2ms, parameters: 8B}]}
  - {model: m, gpu: g, batch: 1, gpus: 3, layers: [{name: all, forward: 2ms, backward: 4ms, parameters: 11B, activations: 308B}]}
jobs:
  - {name: a, model: m, workers: 2, gpus_per_worker: 2, spb: {rule: free, depths: [1]}}
  - {name: b, model: m, workers: 1, gpus_per_worker: 3}
`, []residency{{"a", []instance.GPUID{0, 1, 2, 3}}, {"a", []instance.GPUID{0, 1, 5, 6}}, {"b", []instance.GPUID{0, 1, 2}}}, func(t *testing.T, a answer) {
			job := a.Figures.Jobs[0]
			// Halves of 3 x 11, 7 + 201 and 7 + 301 bytes, rounded up; 2 + 2 and 2 + 4 ms.
			require.Equal(t, costFigures{[]instance.Tick{4, 6}, 17, []int64{104, 154}}, job.On["g"])
			require.Equal(t, [][]int{{0, 2}, {1, 1}}, job.Allowed)
			// Thirds of 33 and 308, of the profile of three GPUs.
			require.Equal(t, costFigures{[]instance.Tick{6}, 11, []int64{103}}, a.Figures.Jobs[1].On["g"])
			for n := range 2 { // two workers on one node, or two nodes: 5 bytes of both, 6 of both or one
				require.Equal(t, 2, a.Residencies[n].Parties)
				require.Equal(t, []int64{3 + 3 + 3 + 3, 3 + 3 + 0 + 3}, a.Residencies[n].Volumes)
			}
			require.Equal(t, 1, a.Residencies[2].Parties)
			require.Equal(t, int64(0), a.Residencies[2].Volumes[0])
			require.Equal(t, instance.Tick(3), a.Residencies[2].Lengths[0][0])
		}},
		{"rates are fractions of bit/s", `
version: 1
cluster:
  gpu_types: [{name: g, memory: 1GiB}]
  racks: [{nodes: 1, gpus: 2, gpu: g, nic: 1bit/s, fabric: 3bit/s}]
  rate_levels: [1/2]
profiles: [{model: m, gpu: g, batch: 1, layers: [{name: l, forward: 1ms, backward: 1ms, parameters: 1B}]}]
jobs: [{name: a, model: m, workers: 2}]
`, []residency{{"a", []instance.GPUID{0, 1}}}, func(t *testing.T, a answer) {
			// Two bytes at 3/2 bit/s: 10.667 s.
			require.Equal(t, [][]instance.Tick{{10_667}}, a.Residencies[0].Lengths)
			require.Equal(t, "10669", a.Schedules[0].Value)
		}},
		{"a ring that crosses links twice", `
version: 1
cluster:
  gpu_types: [{name: g, memory: 1GiB}]
  switches: [{name: s0}, {name: s1}, {name: s2}, {name: s3}, {name: far}]
  nodes:
    - {name: n3, switch: s3, gpus: 1, gpu: g, nic: 80Mbit/s, fabric: 80Mbit/s}
    - {name: n2, switch: s2, gpus: 1, gpu: g, nic: 80Mbit/s, fabric: 80Mbit/s}
    - {name: n1, switch: s1, gpus: 1, gpu: g, nic: 80Mbit/s, fabric: 80Mbit/s}
    - {name: n0, switch: s0, gpus: 1, gpu: g, nic: 80Mbit/s, fabric: 80Mbit/s}
  links: # a line s0, s2, s1, s3, with a second link between s2 and s1 and a way round over far
    - {name: x, from: s0, to: s2, rate: 8Mbit/s}
    - {name: broken, from: s1, to: s2, rate: 8Mbit/s}
    - {name: far1, from: s2, to: far, rate: 8Mbit/s}
    - {name: far2, from: far, to: s1, rate: 8Mbit/s}
    - {name: y, from: s2, to: s1, rate: 8Mbit/s}
    - {name: second, from: s2, to: s1, rate: 8Mbit/s}
    - {name: z, from: s1, to: s3, rate: 8Mbit/s}
  failed_links: [broken.fwd, broken.rev]
profiles: [{model: m, gpu: g, batch: 1, layers: [{name: l, forward: 1ms, backward: 2ms, parameters: 10kB}]}]
jobs: [{name: a, model: m, workers: 4}]
`, []residency{{"a", []instance.GPUID{0, 1, 2, 3}}}, func(t *testing.T, a answer) {
			require.Equal(t, gpuFigures{"n0", 0, "g"}, a.Figures.GPUs[0]) // nodes are numbered switch by switch
			nics := map[string]int{}
			for _, n := range []string{"n0", "n1", "n2", "n3"} {
				nics[n+".up"], nics[n+".down"] = 1, 1
			}
			// s0 to s1 over s2, s1 to s2, s2 to s3 over s1, s3 to s0 over s1 and s2.
			for link, times := range map[string]int{"x.fwd": 1, "x.rev": 1, "y.fwd": 2, "y.rev": 2, "z.fwd": 1, "z.rev": 1} {
				nics[link] = times
			}
			require.Equal(t, nics, a.Residencies[0].Crossings)
			require.Equal(t, "4000000", a.Residencies[0].Speed)
			require.Equal(t, []int64{15_000}, a.Residencies[0].Volumes) // 2 x 3/4 x 10 kB
			require.Equal(t, [][]instance.Tick{{30, 60, 120}}, a.Residencies[0].Lengths)
			require.Equal(t, "33", a.Schedules[0].Value)
		}},
		{"nodes that failed", `
version: 1
cluster:
  gpu_types: [{name: g, memory: 1GiB}]
  racks: [{count: 3, nodes: 2, gpus: 2, gpu: g, nic: 8Mbit/s, fabric: 8Mbit/s}]
  exceptions: [{node: r0n1, gpus: 1}, {node: r2n0, gpus: 1}]
  failed_links: [r1n0.up]
  degraded_links: {r1n1.fabric: 0.5}
  failed_nodes: [r1n0, r1n1, r2n0] # all of a rack, and one of another
profiles: [{model: m, gpu: g, batch: 1, layers: [{name: l, forward: 1ms, backward: 2ms, parameters: 10kB}]}]
jobs: [{name: a, model: m, workers: 5}]
`, []residency{{"a", []instance.GPUID{0, 1, 2, 3, 4}}}, func(t *testing.T, a answer) {
			require.Equal(t, []gpuFigures{{"r0n0", 0, "g"}, {"r0n0", 0, "g"}, {"r0n1", 0, "g"}, {"r2n1", 1, "g"}, {"r2n1", 1, "g"}}, a.Figures.GPUs)
			require.Equal(t, 1, a.Residencies[0].Crossings["r2.down"])
			require.NotContains(t, a.Residencies[0].Crossings, "r1.down")
		}},
		{"GPUs that failed", `
version: 1
cluster:
  gpu_types: [{name: g, memory: 1GiB}]
  racks: [{nodes: 3, gpus: 2, gpu: g, nic: 8Mbit/s, fabric: 8Mbit/s}]
  exceptions: [{node: r0n1, gpus: 3}]
  failed_nodes: [r0n2]
  failed_gpus: [r0n1.gpu1, r0n2.gpu0, r0n0.gpu0]
profiles: [{model: m, gpu: g, batch: 1, layers: [{name: l, forward: 1ms, backward: 2ms, parameters: 10kB}]}]
jobs: [{name: a, model: m, workers: 3}]
`, []residency{{"a", []instance.GPUID{0, 1, 2}}}, func(t *testing.T, a answer) {
			require.Equal(t, []gpuFigures{{"r0n0", 0, "g"}, {"r0n1", 0, "g"}, {"r0n1", 0, "g"}}, a.Figures.GPUs)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			document, err := codec.Decode([]byte(c.file))
			require.NoError(t, err)
			in, err := jigsaw.Load([]byte(c.file))
			require.NoError(t, err)
			var count tally
			count.agree(t, r, rand.New(rand.NewPCG(1, 0)), document.Spec, in, 10)
			c.want(t, r.ask(requestOf(t, document.Spec, plansOf(t, in), c.residencies)))
		})
	}
}
