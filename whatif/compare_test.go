package whatif

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/change"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/solver/backend"
)

func decode(t *testing.T, text string) (*instance.Spec, *instance.Instance) {
	t.Helper()
	document, err := codec.Decode([]byte(text))
	require.NoError(t, err)
	models, err := jigsaw.Models()
	require.NoError(t, err)
	in, err := document.Compile(models)
	require.NoError(t, err)
	return document.Spec, in
}

// Prices predict what a small change does to the bound, to first order.
func TestPredictionsComeTrue(t *testing.T) {
	t.Parallel()
	if _, err := backend.Default(); err != nil {
		t.Skip(err)
	}
	examples, err := jigsaw.Examples()
	require.NoError(t, err)
	models, err := jigsaw.Models()
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
		before, err := jigsaw.Plan(t.Context(), in, jigsaw.Options{Quick: true})
		require.NoError(t, err)
		for _, c := range []change.Change{
			{Kind: change.AddGPU, Subject: in.Nodes[0].Name}, {Kind: change.MoreMemory, Subject: in.Types[0].Name, Factor: 1.02}, {Kind: change.LinkSpeed, Subject: in.Nodes[0].Name + ".fabric", Factor: 1.02},
			{Kind: change.LinkSpeed, Subject: in.Nodes[0].Name + ".up", Factor: 0.98}, {Kind: change.DropJob, Subject: in.Jobs[0].Name},
		} {
			other, err := c.Apply(spec, in)
			require.NoError(t, err)
			changed, err := instance.Compile(other, models)
			require.NoError(t, err)
			r := Comparison{Before: before, Predicted: predict(before, c, changed)}
			r.After, err = jigsaw.Plan(t.Context(), changed, jigsaw.Options{Quick: true})
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
func TestCompareMoreIsNoWorse(t *testing.T) {
	t.Parallel()
	examples, err := jigsaw.Examples()
	require.NoError(t, err)
	models, err := jigsaw.Models()
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
		for _, c := range []change.Change{
			{Kind: change.Network, Factor: 2}, {Kind: change.Network, Factor: 4}, {Kind: change.Network, Factor: 10},
			{Kind: change.AddGPU, Subject: in.Nodes[0].Name}, {Kind: change.MoreMemory, Subject: in.Types[0].Name, Factor: 1.5}, {Kind: change.GPUSpeed, Subject: in.Types[0].Name, Factor: 1.01},
		} {
			r, err := Compare(t.Context(), spec, models, c, jigsaw.Options{Quick: true, NoLP: true})
			require.NoError(t, err)
			require.False(t, in.Objective.Better(r.Before.Primal, r.After.Primal), "%s, %s: %v, then %v", e.Name, c, r.Before.Primal, r.After.Primal)
			require.Empty(t, check.Schedule(r.After.Instance, r.After.Schedule))
			anew, err := jigsaw.Plan(t.Context(), r.After.Instance, jigsaw.Options{Quick: true, NoLP: true})
			require.NoError(t, err)
			if in.Objective.Better(r.Before.Primal, anew.Primal) {
				worseAnew++
			}
		}
	}
	require.NotZero(t, worseAnew, "the test has cases in which a plan made anew is worse")
}

// TestCompareInterrupted: the plan that was made before the interruption stays, with what it predicts, and the one that
// was cut short goes.
func TestCompareInterrupted(t *testing.T) {
	t.Parallel()
	models, err := jigsaw.Models()
	require.NoError(t, err)
	examples, err := jigsaw.Examples()
	require.NoError(t, err)
	i := slices.IndexFunc(examples, func(e jigsaw.Example) bool { return e.Name == "quickstart" })
	spec, _ := decode(t, string(examples[i].Data))
	cut := change.Change{Kind: change.AddGPU, Subject: "r0n0"}
	whole, err := Compare(t.Context(), spec, models, cut, jigsaw.Options{Quick: true})
	require.NoError(t, err)
	for plans, want := range []*Comparison{nil, {Before: whole.Before, Predicted: whole.Predicted}} {
		ctx, stop := context.WithCancel(t.Context())
		begun := 0
		r, err := Compare(ctx, spec, models, cut, jigsaw.Options{Quick: true, Progress: func(p jigsaw.Point) {
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
func TestCompareInfeasible(t *testing.T) {
	t.Parallel()
	models, err := jigsaw.Models()
	require.NoError(t, err)
	const one = `version: 1
cluster:
  gpu_types: [{name: v100, memory: 32GiB}]
  racks: [{nodes: 2, gpus: 1, gpu: v100, nic: 25Gbit/s, fabric: 400Gbit/s}]
jobs:
  - {name: vgg, model: vgg16, workers: 2, iterations: 2}
`
	spec, _ := decode(t, one)
	r, err := Compare(t.Context(), spec, models, change.Change{Kind: change.CutLink, Subject: "r0n0.up"}, jigsaw.Options{Quick: true})
	require.NoError(t, err)
	require.Equal(t, jigsaw.Infeasible, r.After.Status)
	require.NotEmpty(t, r.Reasons)
	require.Nil(t, r.Verified())

	r, err = Compare(t.Context(), spec, models, change.Change{Kind: change.DropJob, Subject: "vgg"}, jigsaw.Options{Quick: true})
	require.NoError(t, err)
	require.Nil(t, r.After)
	require.Contains(t, r.Reasons[0], "every job is disabled")
}
