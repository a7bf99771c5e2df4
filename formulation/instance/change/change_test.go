package change_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/change"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/profiles"
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
	in, err := document.Compile(profiles.Shipped())
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
		apply change.Change
		words string
		undo  func(*instance.Instance)
	}{
		"gpu": {change.Change{Kind: change.AddGPU, Subject: "r0n0"}, `one more GPU in node "r0n0"`, func(in *instance.Instance) {
			require.Equal(t, 6, in.Nodes[0].GPUs)
			in.Nodes[0].GPUs--
			for i := range in.Nodes[1:] {
				in.Nodes[i+1].FirstGPU--
			}
			in.GPUs = in.GPUs[1:]
			in.Racks[0].GPUs--
		}},
		"failed gpu": {change.Change{Kind: change.FailGPU, Subject: "r0n0"}, `one GPU less in node "r0n0"`, func(in *instance.Instance) {
			require.Equal(t, 4, in.Nodes[0].GPUs)
			require.Equal(t, []int{0, 1, 2, 3}, in.Nodes[0].Places)
			oneMore(in)
		}},
		"a certain gpu": {change.Change{Kind: change.FailGPU, Subject: "r0n0.gpu1"}, `without GPU "r0n0.gpu1"`, func(in *instance.Instance) {
			require.Equal(t, []int{0, 2, 3, 4}, in.Nodes[0].Places, "the others keep their names")
			require.Equal(t, instance.GPUID(1), in.Nodes[0].At(2))
			require.Equal(t, instance.GPUID(-1), in.Nodes[0].At(1))
			oneMore(in)
		}},
		"network": {change.Change{Kind: change.Network, Factor: 4}, "300 % faster network", func(in *instance.Instance) {
			for l := range in.Links {
				if in.Links[l].Kind != instance.Fabric {
					require.Zero(t, in.Links[l].Capacity%4, in.Links[l].Name)
					in.Links[l].Capacity /= 4
				}
			}
		}},
		"link": {change.Change{Kind: change.LinkSpeed, Subject: "r1.up", Factor: 1.1}, `10 % faster link "r1.up"`, func(in *instance.Instance) {
			for l := range in.Links {
				if in.Links[l].Name == "r1.up" {
					require.Equal(t, instance.BitRate(27.5e9), in.Links[l].Capacity)
					in.Links[l].Capacity = 25e9
				}
			}
		}},
		"cut": {change.Change{Kind: change.CutLink, Subject: "r1n0.down"}, `without link "r1n0.down"`, func(in *instance.Instance) {
			for l := range in.Links {
				require.Equal(t, in.Links[l].Name == "r1n0.down", in.Links[l].Failed)
				in.Links[l].Failed = false
			}
		}},
		"memory": {change.Change{Kind: change.MoreMemory, Subject: "v100", Factor: 0.5}, `50 % less memory on "v100"`, func(in *instance.Instance) {
			require.Equal(t, instance.Bytes(16<<30), in.Types[0].Memory)
			in.Types[0].Memory = 32 << 30
		}},
		"speed": {change.Change{Kind: change.GPUSpeed, Subject: "v100", Factor: 0.5}, `50 % slower "v100"`, func(in *instance.Instance) {
			for j := range in.Jobs {
				for d, time := range in.Jobs[j].On[0].Time {
					require.InDelta(t, 2*float64(undone.Jobs[j].On[0].Time[d]), float64(time), 2)
				}
				in.Jobs[j].On = undone.Jobs[j].On
			}
		}},
	} {
		require.Equal(t, c.words, c.apply.String(), name)
		changed := apply(t, spec, in, c.apply)
		c.undo(changed)
		require.Equal(t, before, changed.Digest(), name)
	}
	require.Equal(t, before, in.Digest())

	dropped := apply(t, spec, in, change.Change{Kind: change.DropJob, Subject: "vgg-2"})
	var names []string
	for i := range dropped.Jobs {
		names = append(names, dropped.Jobs[i].Name)
	}
	require.Equal(t, []string{"vgg-1", "vgg-3", "resnet"}, names)
}

// apply makes the change and takes it through a file.
func apply(t *testing.T, spec *instance.Spec, in *instance.Instance, c change.Change) *instance.Instance {
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
	for want, c := range map[string]change.Change{
		`there is no node "r9"; one is called "r0n0"`:            {Kind: change.AddGPU, Subject: "r9"},
		`there is no node "r8"; one is called "r0n0"`:            {Kind: change.FailGPU, Subject: "r8"},
		`there is no GPU "r0n0.gpu5"; one is called "r0n0.gpu4"`: {Kind: change.FailGPU, Subject: "r0n0.gpu5"},
		`the factor 1e+09 is out of range`:                       {Kind: change.Network, Factor: 1e9},
		`there is no link "r0n0"; one is called "r0n0.up"`:       {Kind: change.CutLink, Subject: "r0n0"},
		`there is no GPU type "a100"; one is called "v100"`:      {Kind: change.MoreMemory, Subject: "a100", Factor: 2},
		`there is no GPU type "h100"; one is called "v100"`:      {Kind: change.GPUSpeed, Subject: "h100", Factor: 2},
		`there is no job "off"; one is called "vgg-1"`:           {Kind: change.DropJob, Subject: "off"},
		`the factor 0 is out of range; choose 0.001 to 1000`:     {Kind: change.LinkSpeed, Subject: "r0n0.up"},
		`the factor NaN is out of range`:                         {Kind: change.LinkSpeed, Subject: "r0n0.up", Factor: math.NaN()},
		`unknown change "grow"; choose add_gpu`:                  {Kind: "grow"},
	} {
		_, err := c.Apply(spec, in)
		require.ErrorContains(t, err, want)
	}
	spec, in = decode(t, strings.Replace(twoRacks, "cluster:\n", "cluster:\n  failed_gpus: [r0n0.gpu1]\n", 1))
	_, err := change.Change{Kind: change.FailGPU, Subject: "r0n0.gpu1"}.Apply(spec, in)
	require.ErrorContains(t, err, `GPU "r0n0.gpu1" has failed already`)
}
