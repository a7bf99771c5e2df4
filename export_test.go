package jigsaw_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
)

// TestExportRoundTrip lets CBC solve the exported file and reads its solution:
// the schedule is valid and optimal, with the horizon that Export chose by itself.
func TestExportRoundTrip(t *testing.T) {
	cbc, err := exec.LookPath("cbc")
	if err != nil {
		t.Skip("NOTICE: cbc is not installed (Debian: coinor-cbc), so exported programs are not solved")
	}
	n := instancetest.Many(40, 6)
	rng := rand.New(rand.NewPCG(51, 52))
	solved := 0
	for i := range n {
		objective := []instance.Objective{instance.Makespan, instance.WeightedCompletion}[i%2]
		in := instancetest.Random(rng, instancetest.Options{Objective: objective, Jobs: 2, GPUs: 3, Workers: 2})
		want, _, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		program, solution := filepath.Join(t.TempDir(), "program.mps"), filepath.Join(t.TempDir(), "solution")
		file, err := os.Create(program)
		require.NoError(t, err)
		_, err = jigsaw.Export(t.Context(), in, file, "mps", jigsaw.ExportOptions{})
		require.NoError(t, err)
		require.NoError(t, file.Close())
		log, err := exec.CommandContext(t.Context(), cbc, program, "-solve", "-solution", solution).CombinedOutput()
		require.NoError(t, err, string(log))
		values, err := os.Open(solution)
		require.NoError(t, err, string(log))
		s, err := jigsaw.ImportSolution(t.Context(), in, values, jigsaw.ExportOptions{})
		require.NoError(t, err)
		require.NoError(t, values.Close())
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
