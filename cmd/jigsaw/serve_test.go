package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/site"
)

func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // ends at once, as after Ctrl-C
	var out, errs bytes.Buffer
	code := run(ctx, []string{"serve", "--port", "0"}, cli.Streams{Out: &out, Err: &errs})
	if _, err := site.Files(); err != nil {
		assert.Equal(t, cli.ExitFailure, code)
		assert.Contains(t, errs.String(), "make site")
		return
	}
	assert.Equal(t, cli.ExitOK, code)
	assert.Contains(t, out.String(), "http://127.0.0.1:")
}

func TestServeRefusesPorts(t *testing.T) {
	var out, errs bytes.Buffer
	assert.Equal(t, cli.ExitUsage, run(t.Context(), []string{"serve", "--port", "70000"}, cli.Streams{Out: &out, Err: &errs}))
	assert.Contains(t, errs.String(), "0 to 65535")
}
