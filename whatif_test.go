package jigsaw

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/solver/backend"
)

// twoRacks is a spec in which names, counts, exceptions and failures meet.
const twoRacks = `version: 1
name: two-racks
cluster:
  gpu_types: [{name: v100, memory: 32GiB}]
  racks: [{count: 2, nodes: 2, gpus: 4, gpu: v100, nic: 25Gbit/s, fabric: 400Gbit/s, oversubscription: 2}]
  exceptions: [{node: r0n0, gpus: 5}]
jobs:
  - {name: off, model: vgg16, workers: 4, iterations: 9, disabled: true}
  - {name: vgg, count: 3, model: vgg16, workers: 4, iterations: 6}
  - {name: resnet, model: resnet50, workers: 4, iterations: 8}
`

func decode(t *testing.T, text string) (*instance.Spec, *instance.Instance) {
	t.Helper()
	document, err := codec.Decode([]byte(text))
	require.NoError(t, err)
	models, err := Models()
	require.NoError(t, err)
	in, err := document.Compile(models)
	require.NoError(t, err)
	return document.Spec, in
}

// oneMore puts a GPU back into the first node.
func oneMore(in *instance.Instance) {
	in.Nodes[0].Places = nil
	in.Nodes[0].GPUs++
	for i := range in.Nodes[1:] {
		in.Nodes[i+1].FirstGPU++
	}
	in.GPUs = append([]instance.GPU{in.GPUs[0]}, in.GPUs...)
	in.Racks[0].GPUs++
}

// A change changes what it says and nothing else, and its instance can be written
// to a file and read back.
func TestChangesChangeOneThing(t *testing.T) {
	t.Parallel()
	spec, in := decode(t, twoRacks)
	before, undone := in.Digest(), in
	for name, c := range map[string]struct {
		change Change
		words  string
		undo   func(*instance.Instance)
	}{
		"gpu": {Change{Kind: AddGPU, Subject: "r0n0"}, `one more GPU in node "r0n0"`, func(in *instance.Instance) {
			require.Equal(t, 6, in.Nodes[0].GPUs)
			in.Nodes[0].GPUs--
			for i := range in.Nodes[1:] {
				in.Nodes[i+1].FirstGPU--
			}
			in.GPUs = in.GPUs[1:]
			in.Racks[0].GPUs--
		}},
		"failed gpu": {Change{Kind: FailGPU, Subject: "r0n0"}, `one GPU less in node "r0n0"`, func(in *instance.Instance) {
			require.Equal(t, 4, in.Nodes[0].GPUs)
			require.Equal(t, []int{0, 1, 2, 3}, in.Nodes[0].Places)
			oneMore(in)
		}},
		"a certain gpu": {Change{Kind: FailGPU, Subject: "r0n0.gpu1"}, `without GPU "r0n0.gpu1"`, func(in *instance.Instance) {
			require.Equal(t, []int{0, 2, 3, 4}, in.Nodes[0].Places, "the others keep their names")
			require.Equal(t, instance.GPUID(1), in.Nodes[0].At(2))
			require.Equal(t, instance.GPUID(-1), in.Nodes[0].At(1))
			oneMore(in)
		}},
		"network": {Change{Kind: Network, Factor: 4}, "300 % faster network", func(in *instance.Instance) {
			for l := range in.Links {
				if in.Links[l].Kind != instance.Fabric {
					require.Zero(t, in.Links[l].Capacity%4, in.Links[l].Name)
					in.Links[l].Capacity /= 4
				}
			}
		}},
		"link": {Change{Kind: LinkSpeed, Subject: "r1.up", Factor: 1.1}, `10 % faster link "r1.up"`, func(in *instance.Instance) {
			for l := range in.Links {
				if in.Links[l].Name == "r1.up" {
					require.Equal(t, instance.BitRate(27.5e9), in.Links[l].Capacity)
					in.Links[l].Capacity = 25e9
				}
			}
		}},
		"cut": {Change{Kind: CutLink, Subject: "r1n0.down"}, `without link "r1n0.down"`, func(in *instance.Instance) {
			for l := range in.Links {
				require.Equal(t, in.Links[l].Name == "r1n0.down", in.Links[l].Failed)
				in.Links[l].Failed = false
			}
		}},
		"memory": {Change{Kind: MoreMemory, Subject: "v100", Factor: 0.5}, `50 % less memory on "v100"`, func(in *instance.Instance) {
			require.Equal(t, instance.Bytes(16<<30), in.Types[0].Memory)
			in.Types[0].Memory = 32 << 30
		}},
		"speed": {Change{Kind: GPUSpeed, Subject: "v100", Factor: 0.5}, `50 % slower "v100"`, func(in *instance.Instance) {
			for j := range in.Jobs {
				for d, time := range in.Jobs[j].On[0].Time {
					require.InDelta(t, 2*float64(undone.Jobs[j].On[0].Time[d]), float64(time), 2)
				}
				in.Jobs[j].On = undone.Jobs[j].On
			}
		}},
	} {
		require.Equal(t, c.words, c.change.String(), name)
		changed := apply(t, spec, in, c.change)
		c.undo(changed)
		require.Equal(t, before, changed.Digest(), name)
	}
	require.Equal(t, before, in.Digest())

	dropped := apply(t, spec, in, Change{Kind: DropJob, Subject: "vgg-2"})
	var names []string
	for i := range dropped.Jobs {
		names = append(names, dropped.Jobs[i].Name)
	}
	require.Equal(t, []string{"vgg-1", "vgg-3", "resnet"}, names)
}

// apply makes the change and takes it through a file.
func apply(t *testing.T, spec *instance.Spec, in *instance.Instance, c Change) *instance.Instance {
	t.Helper()
	changed, err := c.Apply(spec, in)
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, codec.EncodeYAML(&file, changed))
	_, compiled := decode(t, file.String())
	return compiled
}

func TestImpossibleChanges(t *testing.T) {
	t.Parallel()
	spec, in := decode(t, twoRacks)
	for want, c := range map[string]Change{
		`there is no node "r9"; one is called "r0n0"`:            {Kind: AddGPU, Subject: "r9"},
		`there is no node "r8"; one is called "r0n0"`:            {Kind: FailGPU, Subject: "r8"},
		`there is no GPU "r0n0.gpu5"; one is called "r0n0.gpu4"`: {Kind: FailGPU, Subject: "r0n0.gpu5"},
		`the factor 1e+09 is out of range`:                       {Kind: Network, Factor: 1e9},
		`there is no link "r0n0"; one is called "r0n0.up"`:       {Kind: CutLink, Subject: "r0n0"},
		`there is no GPU type "a100"; one is called "v100"`:      {Kind: MoreMemory, Subject: "a100", Factor: 2},
		`there is no GPU type "h100"; one is called "v100"`:      {Kind: GPUSpeed, Subject: "h100", Factor: 2},
		`there is no job "off"; one is called "vgg-1"`:           {Kind: DropJob, Subject: "off"},
		`the factor 0 is out of range; choose 0.001 to 1000`:     {Kind: LinkSpeed, Subject: "r0n0.up"},
		`the factor NaN is out of range`:                         {Kind: LinkSpeed, Subject: "r0n0.up", Factor: math.NaN()},
		`unknown change "grow"; choose add_gpu`:                  {Kind: "grow"},
	} {
		_, err := c.Apply(spec, in)
		require.ErrorContains(t, err, want)
		models, err := Models()
		require.NoError(t, err)
		_, err = WhatIf(t.Context(), spec, models, c, Options{Quick: true})
		var problems instance.Problems
		require.ErrorAs(t, err, &problems)
	}
	spec, in = decode(t, strings.Replace(twoRacks, "cluster:\n", "cluster:\n  failed_gpus: [r0n0.gpu1]\n", 1))
	_, err := Change{Kind: FailGPU, Subject: "r0n0.gpu1"}.Apply(spec, in)
	require.ErrorContains(t, err, `GPU "r0n0.gpu1" has failed already`)
}

// Prices predict what a small change does to the bound, to first order.
func TestPredictionsComeTrue(t *testing.T) {
	t.Parallel()
	if _, err := backend.Default(); err != nil {
		t.Skip(err)
	}
	examples, err := Examples()
	require.NoError(t, err)
	told := 0
	for _, e := range examples {
		if e.Name == "burst" {
			continue // it has a plan of another kind
		}
		spec, in := decode(t, string(e.Data))
		if e.Name == "infeasible" || e.Name == "crossing" || testing.Short() && e.Name != "hetero" && e.Name != "tight-memory" {
			continue
		}
		before, err := Plan(t.Context(), in, Options{Quick: true})
		require.NoError(t, err)
		for _, c := range []Change{
			{Kind: AddGPU, Subject: in.Nodes[0].Name}, {Kind: MoreMemory, Subject: in.Types[0].Name, Factor: 1.02}, {Kind: LinkSpeed, Subject: in.Nodes[0].Name + ".fabric", Factor: 1.02},
			{Kind: LinkSpeed, Subject: in.Nodes[0].Name + ".up", Factor: 0.98}, {Kind: DropJob, Subject: in.Jobs[0].Name},
		} {
			changed := apply(t, spec, in, c)
			r := WhatIfResult{Before: before, Predicted: predict(before, c, changed)}
			r.After, err = Plan(t.Context(), changed, Options{Quick: true})
			require.NoError(t, err)
			verified := r.Verified()
			require.NotNil(t, verified)
			if r.Predicted == nil {
				continue
			}
			if told++; math.Abs(*r.Predicted) > 1e-4 {
				require.InEpsilon(t, *verified, *r.Predicted, 0.5, "%s, %s", e.Name, c)
			}
		}
	}
	require.GreaterOrEqual(t, told, 8)
}

// What only adds to a cluster makes no plan worse.
func TestWhatIfMoreIsNoWorse(t *testing.T) {
	t.Parallel()
	examples, err := Examples()
	require.NoError(t, err)
	models, err := Models()
	require.NoError(t, err)
	worseAnew := 0
	for _, e := range examples {
		if !slices.Contains([]string{"quickstart", "crossing", "hetero", "tight-memory", "tensor-parallel"}, e.Name) {
			continue
		}
		if testing.Short() && (e.Name == "crossing" || e.Name == "hetero") {
			continue // their plans take longer than those of the others together
		}
		spec, in := decode(t, string(e.Data))
		for _, c := range []Change{
			{Kind: Network, Factor: 2}, {Kind: Network, Factor: 4}, {Kind: Network, Factor: 10},
			{Kind: AddGPU, Subject: in.Nodes[0].Name}, {Kind: MoreMemory, Subject: in.Types[0].Name, Factor: 1.5}, {Kind: GPUSpeed, Subject: in.Types[0].Name, Factor: 1.01},
		} {
			r, err := WhatIf(t.Context(), spec, models, c, Options{Quick: true, NoLP: true})
			require.NoError(t, err)
			require.False(t, in.Objective.Better(r.Before.Primal, r.After.Primal), "%s, %s: %v, then %v", e.Name, c, r.Before.Primal, r.After.Primal)
			require.Empty(t, check.Schedule(r.After.Instance, r.After.Schedule))
			anew, err := Plan(t.Context(), r.After.Instance, Options{Quick: true, NoLP: true})
			require.NoError(t, err)
			if in.Objective.Better(r.Before.Primal, anew.Primal) {
				worseAnew++
			}
		}
	}
	require.NotZero(t, worseAnew, "the test has cases in which a plan made anew is worse")
}

// TestWhatIfInterrupted: the plan that was made before the interruption stays, with what it predicts, and the one that
// was cut short goes.
func TestWhatIfInterrupted(t *testing.T) {
	t.Parallel()
	models, err := Models()
	require.NoError(t, err)
	data, err := exampleFiles.ReadFile("testdata/examples/quickstart.yaml")
	require.NoError(t, err)
	spec, _ := decode(t, string(data))
	change := Change{Kind: AddGPU, Subject: "r0n0"}
	whole, err := WhatIf(t.Context(), spec, models, change, Options{Quick: true})
	require.NoError(t, err)
	for plans, want := range []*WhatIfResult{nil, {Before: whole.Before, Predicted: whole.Predicted}} {
		ctx, stop := context.WithCancel(t.Context())
		begun := 0
		r, err := WhatIf(ctx, spec, models, change, Options{Quick: true, Progress: func(p Point) {
			if p.Event != "chain" {
				return
			}
			if begun++; begun > plans {
				stop()
			}
		}})
		require.ErrorIs(t, err, context.Canceled)
		if want == nil {
			require.Nil(t, r)
			continue
		}
		require.Nil(t, r.After)
		require.Equal(t, want.Before.Primal, r.Before.Primal)
		require.Equal(t, want.Predicted, r.Predicted)
	}
}

// A change that no plan survives says why.
func TestWhatIfInfeasible(t *testing.T) {
	t.Parallel()
	models, err := Models()
	require.NoError(t, err)
	const one = `version: 1
cluster:
  gpu_types: [{name: v100, memory: 32GiB}]
  racks: [{nodes: 2, gpus: 1, gpu: v100, nic: 25Gbit/s, fabric: 400Gbit/s}]
jobs:
  - {name: vgg, model: vgg16, workers: 2, iterations: 2}
`
	spec, _ := decode(t, one)
	r, err := WhatIf(t.Context(), spec, models, Change{Kind: CutLink, Subject: "r0n0.up"}, Options{Quick: true})
	require.NoError(t, err)
	require.Equal(t, Infeasible, r.After.Status)
	require.NotEmpty(t, r.Reasons)
	require.Nil(t, r.Verified())

	r, err = WhatIf(t.Context(), spec, models, Change{Kind: DropJob, Subject: "vgg"}, Options{Quick: true})
	require.NoError(t, err)
	require.Nil(t, r.After)
	require.Contains(t, r.Reasons[0], "every job is disabled")
}
