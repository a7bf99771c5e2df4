// Package reader_test compares the planner's compiler, checker and objective with a second
// reader of docs/problem.md: the Python program in this folder, which was written from the text.
package reader_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/relax"
)

// reader is the Python program, waiting for requests.
type reader struct {
	t   *testing.T
	in  *json.Encoder
	out *bufio.Reader
}

// request is a line to the program; see batch.py.
type request struct {
	Instance     json.RawMessage       `json:"instance"`
	Profiles     []json.RawMessage     `json:"profiles,omitempty"`
	Schedules    []*codec.ScheduleJSON `json:"schedules,omitempty"`
	Residencies  []residency           `json:"residencies,omitempty"`
	Certificates []*relax.Certificate  `json:"certificates,omitempty"`
}

type residency struct {
	Job  string           `json:"job"`
	GPUs []instance.GPUID `json:"gpus"`
}

// answer is its reply.
type answer struct {
	Refused      string    `json:"refused"`
	Figures      *figures  `json:"figures"`
	Schedules    []verdict `json:"schedules"`
	Residencies  []*span   `json:"residencies"`
	Certificates []proof   `json:"certificates"`
}

// proof is its reply to a certificate: why it skips it, or the best bound of its kind, and what is
// wrong with its claim.
type proof struct {
	Skipped string `json:"skipped"`
	Best    string `json:"best"` // empty if there is no plan at all
	Wrong   string `json:"wrong"`
}

// verdict on a schedule: the rules that it violates, or else its value.
type verdict struct {
	Violations []violation `json:"violations"`
	Value      string      `json:"value"`
	Efficiency float64     `json:"efficiency"`
	// unreadable means that the planner refuses a file before it checks the schedule; then the only
	// violation says why.
	unreadable bool
}

type violation struct {
	Rule      int    `json:"rule"`
	Job       string `json:"job"`
	Iteration int    `json:"iteration"`
	Tick      *int64 `json:"tick"`
	Text      string `json:"text"`
}

// newReader starts the program.
func newReader(t *testing.T) *reader {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("the reader needs python3: ", err)
	}
	sources, err := filepath.Glob("*.py")
	require.NoError(t, err)
	for _, path := range sources {
		_, err := os.ReadFile(path) // so that the test runs again if one has changed
		require.NoError(t, err)
	}
	cmd := exec.Command(python, "-B", ".", "batch")
	stderr := &bytes.Buffer{}
	cmd.Stderr = stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, in.Close())
		require.NoError(t, cmd.Wait(), stderr.String())
	})
	return &reader{t, json.NewEncoder(in), bufio.NewReader(out)}
}

// ask sends a request and waits for the answer.
func (r *reader) ask(req request) answer {
	r.t.Helper()
	require.NoError(r.t, r.in.Encode(req))
	line, err := r.out.ReadBytes('\n')
	if err == io.EOF {
		require.Fail(r.t, "the reader ended; its message is below")
	}
	require.NoError(r.t, err)
	var a answer
	require.NoError(r.t, json.Unmarshal(line, &a), string(line))
	return a
}

// libraryFiles returns the built-in library as the files that it is made of.
func libraryFiles(t *testing.T, models map[string]bool) []json.RawMessage {
	t.Helper()
	paths, err := filepath.Glob("../../formulation/instance/profiles/library/*.json")
	require.NoError(t, err)
	var files []json.RawMessage
	for _, path := range paths {
		for model := range models {
			if strings.HasPrefix(filepath.Base(path), model) {
				data, err := os.ReadFile(path)
				require.NoError(t, err)
				files = append(files, data)
				break
			}
		}
	}
	return files
}
