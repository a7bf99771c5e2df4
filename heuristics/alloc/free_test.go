package alloc

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// simple is Free.near by examining every GPU, among those that are free and not kept.
func simple(f *Free, id instance.JobID, kept map[instance.GPUID]bool) *Site {
	best := simplest(f, id, func(g instance.GPUID) bool { return !kept[g] })
	for t := range f.in.Types {
		one := simplest(f, id, func(g instance.GPUID) bool { return !kept[g] && int(f.in.GPUs[g].Type) == t })
		if one != nil && (best == nil || one.Iteration() < best.Iteration()) {
			best = one
		}
	}
	return best
}

// simplest is Free.nearest among some GPUs.
func simplest(f *Free, id instance.JobID, some func(instance.GPUID) bool) *Site {
	type candidate struct {
		rack int
		gpus []instance.GPUID
	}
	j := &f.in.Jobs[id]
	var nodes []candidate
	for n := range f.in.Nodes {
		node := &f.in.Nodes[n]
		c := candidate{rack: node.Rack}
		for g := range node.All() {
			if f.free[g] && some(g) && j.Runs(node.Type) && f.room(j, g, f.shallowest(id)) {
				c.gpus = append(c.gpus, g)
			}
		}
		if c.gpus = c.gpus[:len(c.gpus)-len(c.gpus)%j.Group()]; len(c.gpus) > 0 {
			nodes = append(nodes, c)
		}
	}
	at := func(list []candidate) *Site {
		var gpus []instance.GPUID
		for _, c := range list {
			gpus = append(gpus, c.gpus[:min(len(c.gpus), j.Workers-len(gpus))]...)
		}
		if len(gpus) < j.Workers {
			return nil
		}
		slices.Sort(gpus)
		return f.at(id, gpus)
	}
	most := slices.Clone(nodes)
	slices.SortStableFunc(most, func(a, b candidate) int { return cmp.Compare(len(b.gpus), len(a.gpus)) })
	for tight := j.Workers; tight <= 8; tight++ {
		for _, c := range nodes {
			if len(c.gpus) == tight {
				if s := at([]candidate{c}); s != nil {
					return s
				}
			}
		}
	}
	if j.Within == instance.WithinNode {
		return nil
	}
	fewest := func(list []candidate) []candidate {
		sum := 0
		for i, c := range list {
			if sum += len(c.gpus); sum < j.Workers {
				continue
			}
			missing := j.Workers - sum + len(c.gpus)
			fit := slices.IndexFunc(list, func(c candidate) bool { return len(c.gpus) < missing })
			if fit < 0 {
				fit = len(list)
			}
			return append(slices.Clone(list[:i]), list[fit-1])
		}
		return nil
	}
	var least []candidate
	for r := range f.in.Racks {
		rack := slices.DeleteFunc(slices.Clone(most), func(c candidate) bool { return c.rack != r })
		if some := fewest(rack); some != nil && (least == nil || len(some) < len(least)) {
			least = some
		}
	}
	if s := at(least); s != nil {
		return s
	}
	if j.Within == instance.WithinRack {
		return nil
	}
	return at(fewest(most))
}

// TestNear: near gives the same sites as examining every GPU, while others come and go.
func TestNear(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 24))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	places, none := map[int]int{}, 0 // by number of nodes
	for n := range 60 {
		spec := &instance.Spec{Version: 1, Residence: []instance.Residence{instance.WhileRunning, instance.WholePlan}[n%2]}
		spec.Cluster.GPUTypes = []instance.GPUTypeSpec{{Name: "a", Memory: instance.Bytes(2+rng.IntN(30)) << 20}, {Name: "b", Memory: 60 << 20}}
		for range 1 + rng.IntN(4) {
			spec.Cluster.Racks = append(spec.Cluster.Racks, instance.RackSpec{
				Count: 1 + rng.IntN(4), Nodes: 1 + rng.IntN(25), GPUs: 1 + rng.IntN(8), GPU: pick("a", "b"), NIC: 10e9, Fabric: 40e9,
			})
		}
		for _, gpu := range []string{"a", "b"} {
			spec.Profiles = append(spec.Profiles, &instance.Profile{Model: "m", GPU: gpu, Batch: 1, Layers: []instance.Layer{
				{Name: "x", Forward: instance.Duration(1+rng.IntN(3)) * 1e6, Backward: 2e6, Parameters: 1 << 18, Activations: 1 << 20},
				{Name: "y", Forward: 2e6, Backward: 1e6, Parameters: 1 << 17, Activations: 1 << 20},
			}})
		}
		for k := range 30 {
			each := 1 + rng.IntN(3)
			spec.Jobs = append(spec.Jobs, instance.JobSpec{
				Name: fmt.Sprint("j", k), Model: "m", Iterations: 1, Workers: 1 + rng.IntN(14), GPUsPerWorker: each * rng.IntN(2),
				Optimizer: pick("sgd", "adam"), SPB: instance.SPBSpec{Rule: pick("full", "ladder")},
				Placement: instance.PlacementSpec{Within: pick("", "", "rack", "node"), GPUTypes: [][]string{nil, nil, {"a"}, {"b"}}[rng.IntN(4)]},
			})
		}
		in, err := instance.Compile(spec, nil)
		for err != nil && len(spec.Jobs) > 1 { // some jobs are too wide, or have no GPUs
			spec.Jobs = spec.Jobs[1:]
			in, err = instance.Compile(spec, nil)
		}
		if err != nil {
			continue
		}
		f := New(in, state.CheapestMultisets(in))
		var working []*Site
		for range 200 {
			id := instance.JobID(rng.IntN(len(in.Jobs)))
			kept, held := map[instance.GPUID]bool{}, []instance.GPUID(nil)
			for range rng.IntN(20) {
				if g := instance.GPUID(rng.IntN(len(in.GPUs))); f.free[g] && !kept[g] {
					kept[g], held = true, append(held, g)
				}
			}
			want := simple(f, id, kept)
			f.Take(held, false)
			got := f.near(id)
			f.Take(held, true)
			require.Equal(t, want, got)
			if got == nil {
				none++
			} else {
				places[len(f.share(got.GPUs))]++
				f.Take(got.GPUs, false)
				f.Carry(got, 1)
				working = append(working, got)
				if f.Held != nil {
					for i, g := range got.GPUs {
						costs := in.Jobs[id].On[in.GPUs[g].Type]
						f.Held[g] = f.Held[g].With(costs.Memory(got.Depths[i]))
					}
				}
			}
			for len(working) > 0 && (got == nil || rng.IntN(3) == 0) {
				i := rng.IntN(len(working))
				f.Take(working[i].GPUs, true)
				f.Carry(working[i], -1)
				working = slices.Delete(working, i, i+1)
				got = want
				if rng.IntN(2) == 0 {
					break
				}
			}
		}
	}
	t.Logf("by number of nodes %v, no place %d", places, none)
	require.Greater(t, none, 100)
	require.Greater(t, places[2]+places[3]+places[4], 100)
	require.Greater(t, places[1], 100)
}

// TestMixed is worked out by hand: a task of full depth takes 8 ms on a GPU of type a and 10 on one of type b, one of half
// depth 6 and 7.5. Both workers are on GPUs of type a if two are free. If only one is, the worker of full depth has it, and
// the other one is on a GPU of type b, where it takes no longer.
func TestMixed(t *testing.T) {
	spec := &instance.Spec{Version: 1, Residence: instance.WhileRunning}
	for n, gpu := range []string{"b", "a"} { // the faster one has the greater number
		ms := instance.Duration(1e6 - n*2e5)
		spec.Cluster.GPUTypes = append(spec.Cluster.GPUTypes, instance.GPUTypeSpec{Name: gpu, Memory: 60 << 20})
		spec.Cluster.Racks = append(spec.Cluster.Racks, instance.RackSpec{Nodes: 1, GPUs: 2, GPU: gpu, NIC: 80e9, Fabric: 800e9})
		layer := instance.Layer{Forward: ms * 5 / 2, Backward: ms * 5 / 2, Parameters: 1 << 10, Activations: 1 << 10}
		x, y := layer, layer
		x.Name, y.Name = "x", "y"
		spec.Profiles = append(spec.Profiles, &instance.Profile{Model: "m", GPU: gpu, Batch: 1, Layers: []instance.Layer{x, y}})
	}
	spec.Jobs = []instance.JobSpec{{Name: "j", Model: "m", Iterations: 9, Workers: 2, SPB: instance.SPBSpec{Rule: "ladder"}}}
	in, err := instance.Compile(spec, nil)
	require.NoError(t, err)
	f := New(in, state.CheapestMultisets(in))
	both := f.Find(0)
	require.Equal(t, []instance.GPUID{2, 3}, both.GPUs)
	f.Take([]instance.GPUID{3}, false)
	s := f.Find(0)
	require.EqualValues(t, 8, s.Tasks)
	require.Equal(t, []instance.GPUID{0, 2}, s.GPUs)
	require.Equal(t, []int{0, 1}, s.Depths)
}
