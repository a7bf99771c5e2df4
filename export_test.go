package jigsaw_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/solver/backend"
	"jigsaw/solver/lpfile"
	"jigsaw/solver/tree"
)

// TestExportRoundTrip solves the exported file by our own branch-and-bound and
// hands the solution back as another solver would: the schedule is valid and
// optimal, with the horizon that Export chose by itself.
func TestExportRoundTrip(t *testing.T) {
	engine, err := backend.Default()
	if errors.Is(err, backend.ErrNone) {
		t.Skip("no linear programming engine in this build")
	}
	require.NoError(t, err)
	n := 40
	if testing.Short() {
		n = 6
	}
	rng := rand.New(rand.NewPCG(51, 52))
	solved := 0
	for i := range n {
		objective := []instance.Objective{instance.Makespan, instance.WeightedCompletion}[i%2]
		in := instancetest.Random(rng, instancetest.Options{Objective: objective, Jobs: 2, GPUs: 3, Workers: 2})
		want, _, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		var file bytes.Buffer
		wrote, err := jigsaw.Export(context.Background(), in, &file, "mps", jigsaw.ExportOptions{})
		require.NoError(t, err)
		p, err := lpfile.ReadMPS(&file)
		require.NoError(t, err)
		require.Equal(t, p.Cols(), wrote.Cols)
		require.Equal(t, p.Rows(), wrote.Rows)
		r, err := tree.MIP(context.Background(), engine, p, tree.MIPOptions{Step: 1})
		require.NoError(t, err)
		require.NotNil(t, r.Primal, "instance %d has the optimum %v", i, want)
		solution := "# a solution in Gurobi's form\n"
		for j, x := range r.Primal {
			solution += p.ColNames[j] + " " + strconv.FormatFloat(x, 'g', -1, 64) + "\n"
		}
		s, err := jigsaw.ImportSolution(context.Background(), in, strings.NewReader(solution), jigsaw.ExportOptions{})
		require.NoError(t, err)
		require.Empty(t, check.Schedule(in, s))
		require.Zero(t, want.Cmp(in.Value(s)), "instance %d: %v, the optimum is %v", i, in.Value(s), want)
		solved++
	}
	assert.Greater(t, solved, n/2)
}

func TestExportRefuses(t *testing.T) {
	in := example(t, "quickstart")
	ctx, cancel := context.WithCancel(context.Background())
	var file bytes.Buffer
	_, err := jigsaw.Export(ctx, in, &file, "xls", jigsaw.ExportOptions{})
	assert.ErrorContains(t, err, "choose mps or lp")
	_, err = jigsaw.Export(ctx, in, &file, "lp", jigsaw.ExportOptions{Coefficients: 1000})
	assert.ErrorContains(t, err, "too large")
	_, err = jigsaw.Export(ctx, in, &file, "lp", jigsaw.ExportOptions{Period: 3})
	assert.ErrorContains(t, err, "horizon instead of a period")
	_, err = jigsaw.ImportSolution(ctx, in, strings.NewReader("what"), jigsaw.ExportOptions{})
	assert.ErrorContains(t, err, "line 1")
	cancel()
	_, err = jigsaw.Export(ctx, in, &file, "mps", jigsaw.ExportOptions{})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, file.Len())
}

// The tick that is told does, and the one before it does not.
func TestFittingTick(t *testing.T) {
	if testing.Short() {
		t.Skip("the full tier states the programs; nothing here runs side by side")
	}
	models, err := jigsaw.Models()
	require.NoError(t, err)
	examples, err := jigsaw.Examples()
	require.NoError(t, err)
	at := slices.IndexFunc(examples, func(e jigsaw.Example) bool { return e.Name == "quickstart" })
	document, err := codec.DecodeSpec(bytes.NewReader(examples[at].Data))
	require.NoError(t, err)
	document.Spec.Jobs = document.Spec.Jobs[3:]
	in, err := document.Compile(models)
	require.NoError(t, err)
	options := jigsaw.ExportOptions{Coefficients: 500_000}
	tick := jigsaw.FittingTick(t.Context(), in, document.Spec, models, options)
	require.NotZero(t, tick)
	for factor, fits := range map[int64]bool{1: true, 4: false} {
		spec := *document.Spec
		spec.TickUS = tick / factor
		coarse, err := instance.Compile(&spec, models)
		require.NoError(t, err)
		_, err = jigsaw.Export(t.Context(), coarse, io.Discard, "mps", options)
		require.Equal(t, fits, err == nil, "tick_us: %d", spec.TickUS)
	}
	options.Coefficients = 10
	require.Zero(t, jigsaw.FittingTick(t.Context(), in, document.Spec, models, options))
}
