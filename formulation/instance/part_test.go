package instance_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
)

const threeRacks = `
version: 1
name: three-racks
objective: makespan
cluster:
  gpu_types: [{name: a, memory: 32GiB}, {name: b, memory: 16GiB}]
  racks:
    - {count: 2, nodes: 3, gpus: 4, gpu: a, nic: 10Gbit/s, fabric: 100Gbit/s, oversubscription: 2}
    - {nodes: 2, gpus: 2, gpu: b, nic: 25Gbit/s, fabric: 50Gbit/s}
  failed_links: [r0n1.up]
profiles:
  - {model: m, gpu: a, batch: 8, layers: [{name: x, forward: 5ms, backward: 9ms, parameters: 3MB, activations: 1MB}, {name: y, forward: 5ms, backward: 9ms, parameters: 3MB, activations: 1MB}]}
jobs:
  - {name: j0, model: m, batch: 8, workers: 2, iterations: 3, weight: 1, spb: {rule: ladder}}
  - {name: j1, model: m, batch: 8, workers: 3, iterations: 2, weight: 1, spb: {rule: ladder}}
  - {name: j2, model: m, batch: 8, workers: 2, iterations: 3, weight: 1, spb: {rule: ladder}}
  - {name: j3, model: m, batch: 8, workers: 1, iterations: 4, weight: 1, spb: {rule: ladder}}
`

func compileText(t *testing.T, text string) *instance.Instance {
	d, err := codec.Decode([]byte(text))
	require.NoError(t, err)
	in, err := d.Compile(nil)
	require.NoError(t, err)
	return in
}

// TestPartSpans: synchronisations within a part use the links that they use in the
// whole, and none of those taken.
func TestPartSpans(t *testing.T) {
	in := compileText(t, threeRacks)
	var trunks []instance.LinkID
	for l := range in.Links {
		if k := in.Links[l].Kind; k == instance.RackUp || k == instance.RackDown {
			trunks = append(trunks, instance.LinkID(l))
		}
	}
	require.NotEmpty(t, trunks)
	rng := rand.New(rand.NewPCG(1, 1))
	routed, cut, refused := 0, 0, 0
	for range 2000 {
		var nodes []instance.NodeID
		for n := range in.Nodes {
			if rng.IntN(2) == 0 {
				nodes = append(nodes, instance.NodeID(n))
			}
		}
		if len(nodes) == 0 {
			continue
		}
		var taken []instance.LinkID
		if rng.IntN(2) == 0 {
			taken = append(taken, trunks[rng.IntN(len(trunks))])
		}
		p := in.Part(nil, nodes, taken)
		for g := range p.GPUs {
			whole, part := in.Nodes[in.GPUs[p.GPUsOf[g]].Node], p.Nodes[p.GPUs[g].Node]
			require.Equal(t, whole.Name, part.Name)
			require.Equal(t, whole.Type, p.GPUs[g].Type)
			require.Equal(t, in.Racks[whole.Rack].Name, p.Racks[part.Rack].Name)
		}
		var home, there []instance.GPUID
		for _, g := range rng.Perm(len(p.GPUs))[:1+rng.IntN(len(p.GPUs))] {
			home = append(home, instance.GPUID(g))
		}
		slices.Sort(home)
		for _, g := range home {
			there = append(there, p.GPUsOf[g])
		}
		got, ok := p.Span(home)
		want, routable := in.Span(there)
		if slices.ContainsFunc(want.Uses, func(u instance.LinkUse) bool { return slices.Contains(taken, u.Link) }) {
			require.False(t, ok)
			refused++
			continue
		}
		require.Equal(t, routable, ok)
		if !ok {
			cut++
			continue
		}
		routed++
		require.Equal(t, want.Parties, got.Parties)
		require.Equal(t, want.Slowest, got.Slowest)
		require.Len(t, got.Uses, len(want.Uses))
		for i, u := range got.Uses {
			require.Equal(t, in.Links[want.Uses[i].Link], p.Links[u.Link])
			require.Equal(t, want.Uses[i].Times, u.Times)
		}
	}
	t.Logf("%d with routes, %d without, %d refused", routed, cut, refused)
	assert.Positive(t, min(routed, cut, refused))
}

// TestPartSchedules: what a part takes out of a schedule it puts back.
func TestPartSchedules(t *testing.T) {
	in := compileText(t, threeRacks)
	whole := &instance.Schedule{Residency: [][]instance.GPUID{{4, 5}, {0, 1, 2}, {12, 14}, {5}}}
	for j, home := range whole.Residency {
		at := instance.Tick(100 * j)
		for i := range in.Jobs[j].Iterations {
			for n, g := range home {
				whole.Tasks = append(whole.Tasks, instance.Task{Job: instance.JobID(j), Iteration: i + 1, GPU: g, Start: at + instance.Tick(n), End: at + 10})
			}
			if len(home) > 1 {
				whole.Syncs = append(whole.Syncs, instance.Sync{Job: instance.JobID(j), Iteration: i + 1, Start: at + 10, End: at + 12, Rate: 1})
			}
			at += 12
		}
	}
	require.True(t, whole.Sorted())
	p := in.Part([]instance.JobID{0, 2, 3}, []instance.NodeID{1, 3, 4}, nil)
	assert.Equal(t, [][]instance.JobID{{0, 1}, {2}}, p.Classes())
	part := p.Of(whole)
	require.True(t, part.Sorted())
	assert.Equal(t, [][]instance.GPUID{{0, 1}, {4, 6}, {1}}, part.Residency)
	assert.Len(t, part.Tasks, 3*2+3*2+4)
	assert.Len(t, part.Syncs, 3+3)

	again := whole.Clone()
	p.Put(again, part)
	assert.Equal(t, whole, again)

	// All jobs from their parts.
	rest := in.Part([]instance.JobID{1}, []instance.NodeID{0}, nil)
	sum := &instance.Schedule{Residency: make([][]instance.GPUID, len(in.Jobs))}
	p.Add(sum, part)
	rest.Add(sum, rest.Of(whole))
	sum.Sort()
	assert.Equal(t, whole, sum)

	// A change of the part changes its jobs alone.
	part.Residency[1] = []instance.GPUID{5, 6}
	for i := range part.Tasks {
		if k := &part.Tasks[i]; k.Job == 1 && k.GPU == 4 {
			k.GPU = 5
		}
	}
	p.Put(again, part)
	assert.Equal(t, []instance.GPUID{13, 14}, again.Residency[2])
	for i, k := range again.Tasks {
		if k.Job == 2 && whole.Tasks[i].GPU == 12 {
			assert.Equal(t, instance.GPUID(13), k.GPU)
		} else {
			assert.Equal(t, whole.Tasks[i], k)
		}
	}
	assert.Equal(t, []instance.GPUID{12, 14}, whole.Residency[2])
}
