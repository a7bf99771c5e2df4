package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jigsaw/cmd/jigsaw/cli"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"jigsaw": main})
}

// TestScripts runs the command as a user would, script by script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script"})
}

// TestInterrupted: a command that is stopped without a result says so, and this is not a
// failure.
func TestInterrupted(t *testing.T) {
	proof := filepath.Join(t.TempDir(), "proof.json")
	call := func(ctx context.Context, args ...string) (code int, out, errs string) {
		var o, e bytes.Buffer
		code = run(ctx, args, cli.Streams{In: strings.NewReader(""), Out: &o, Err: &e})
		return code, o.String(), e.String()
	}
	code, _, errs := call(context.Background(), "bound", "quickstart", "--no-lp", "--certificate", proof)
	require.Zero(t, code, errs)
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for _, args := range [][]string{{"certify", "quickstart", proof}, {"export", "crossing"}} {
		code, out, errs := call(stopped, args...)
		assert.Equal(t, cli.ExitLimit, code, "%v", args)
		assert.Empty(t, out, "%v", args)
		assert.Equal(t, "jigsaw: interrupted\n", errs, "%v", args)
	}
	code, _, errs = call(context.Background(), "certify", "quickstart", proof)
	assert.Zero(t, code, errs)
}

// TestOutputFails: a failed write is a failure, also of commands that do not check.
func TestOutputFails(t *testing.T) {
	folder := t.TempDir()
	proof, plan := filepath.Join(folder, "proof.json"), filepath.Join(folder, "plan.json")
	var o, e bytes.Buffer
	require.Zero(t, run(t.Context(), []string{"plan", "quickstart", "--quick", "--no-lp", "--certificate", proof, "-o", "json"}, cli.Streams{In: nil, Out: &o, Err: &e}), e.String())
	require.NoError(t, os.WriteFile(plan, o.Bytes(), 0o600))
	for _, args := range [][]string{
		{"plan", "quickstart", "--quick", "--no-lp"},
		{"plan", "quickstart", "--quick", "--no-lp", "-o", "yaml"},
		{"bound", "quickstart", "--no-lp"},
		{"explain", "quickstart", "--no-lp"},
		{"explain", "infeasible", "--no-lp"},
		{"certify", "quickstart", proof},
		{"check", "quickstart", plan},
		{"whatif", "quickstart", "--drop", "vgg", "--quick", "--no-lp"},
		{"example", "list"},
		{"profile", "show", "alexnet"},
		{"study", "submit", "smoke"},
		{"help"},
		{"--version"},
	} {
		var errs bytes.Buffer
		assert.Equal(t, cli.ExitFailure, run(t.Context(), args, cli.Streams{In: nil, Out: full{}, Err: &errs}), "%v", args)
		assert.Contains(t, errs.String(), "jigsaw: "+errFull.Error()+"\n", "%v", args)
	}
}

var errFull = errors.New("the disk is full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestInterruptedInput: waiting for standard input can be interrupted.
func TestInterruptedInput(t *testing.T) {
	for _, args := range [][]string{
		{"plan", "-"}, {"whatif", "-", "--drop", "a"}, {"check", "quickstart", "-"}, {"certify", "quickstart", "-"}, {"import-solution", "quickstart", "-"},
		{"replay", "-", "--cluster", "1x8"}, {"study", "run", "-"}, {"profile", "import", "-"},
	} {
		ctx, stop := context.WithCancel(t.Context())
		silent, w := io.Pipe()
		var errs bytes.Buffer
		time.AfterFunc(50*time.Millisecond, stop)
		assert.Equal(t, cli.ExitLimit, run(ctx, args, cli.Streams{In: silent, Out: io.Discard, Err: &errs}), "%v", args)
		assert.Equal(t, "jigsaw: interrupted\n", errs.String(), "%v", args)
		w.Close()
	}
}

// TestInterruptedWhatIf: plans are not compared if one was cut short; what the first one predicts is said.
func TestInterruptedWhatIf(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, stop)
	var out, errs bytes.Buffer
	assert.Equal(t, cli.ExitLimit, run(ctx, []string{"whatif", "rack", "--drop", "vgg-2", "--time", "1h"}, cli.Streams{In: nil, Out: &out, Err: &errs}))
	assert.Empty(t, out.String())
	assert.Equal(t, "jigsaw: interrupted\n", errs.String())
}

// TestInterruptedStudy: a study that is stopped before its end is not a failure, and
// resumes where it stopped.
func TestInterruptedStudy(t *testing.T) {
	db := filepath.Join(t.TempDir(), "smoke.db")
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, stop)
	var out, errs bytes.Buffer
	assert.Equal(t, cli.ExitLimit, run(ctx, []string{"study", "run", "smoke", "--db", db}, cli.Streams{In: nil, Out: &out, Err: &errs}))
	assert.Empty(t, out.String())
	assert.True(t, strings.HasSuffix(errs.String(), "jigsaw: stopped; the same command goes on from here\n"), errs.String())
}

// TestFit: a line that is too long for the terminal loses its title, then its end.
func TestFit(t *testing.T) {
	for room, want := range map[int]string{17: "planning ö: äbcde", 16: "äbcde", 5: "äbcde", 4: "äbc…", 1: "…", 0: "…", -7: "…"} {
		assert.Equal(t, want, cli.Fit("planning ö: ", "äbcde", room), "%d", room)
	}
}

// TestWriteFile: a file that cannot be written completely is named, and no part of it
// remains.
func TestWriteFile(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "plan.svg")
	err := cli.WriteFile(name, func(w io.Writer) error {
		return &fs.PathError{Op: "write", Path: w.(*os.File).Name(), Err: errFull}
	})
	assert.EqualError(t, err, "write "+name+": "+errFull.Error())
	left, err := os.ReadDir(folder)
	assert.NoError(t, err)
	assert.Empty(t, left)
}
