package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

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

// TestInterrupted: a command that is stopped with nothing to show says so, and is no failure.
func TestInterrupted(t *testing.T) {
	proof := filepath.Join(t.TempDir(), "proof.json")
	call := func(ctx context.Context, args ...string) (code int, out, errs string) {
		var o, e bytes.Buffer
		code = run(ctx, args, streams{strings.NewReader(""), &o, &e})
		return code, o.String(), e.String()
	}
	code, _, errs := call(context.Background(), "bound", "quickstart", "--no-lp", "--certificate", proof)
	require.Zero(t, code, errs)
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for _, args := range [][]string{{"certify", "quickstart", proof}, {"export", "crossing"}} {
		code, out, errs := call(stopped, args...)
		assert.Equal(t, exitLimit, code, "%v", args)
		assert.Empty(t, out, "%v", args)
		assert.Equal(t, "jigsaw: interrupted\n", errs, "%v", args)
	}
	code, _, errs = call(context.Background(), "certify", "quickstart", proof)
	assert.Zero(t, code, errs)
}
